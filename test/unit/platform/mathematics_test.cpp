// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mathematical functions and intrinsics that the shim adds to the C library's.
#include <cuComplex.h>
#include <math_constants.h>

#include <cmath>
#include <limits>
#include <random>

#include "launch.h"

namespace {

TEST(Mathematics, MinAndMaxTakeMixedTypes) {
  EXPECT_EQ(min(3, -4), -4);
  EXPECT_EQ(max(3u, 4), 4u);
  EXPECT_EQ(max(-1ll, 5ll), 5ll);
  EXPECT_EQ(min(2.5f, 1.5), 1.5);
  EXPECT_EQ(max(1.0f, NAN), 1.0f);
  EXPECT_EQ(min(NAN, 1.0), 1.0);
}

TEST(Mathematics, FunctionsOfHalfTurnsAreExactAtMultiples) {
  for (int i = -6; i <= 6; ++i) {
    EXPECT_EQ(sinpi(static_cast<double>(i)), 0.0);
    EXPECT_EQ(cospi(i + 0.5), 0.0);
    EXPECT_EQ(cospi(static_cast<double>(i)), i % 2 == 0 ? 1.0 : -1.0);
    EXPECT_NEAR(sinpi(i + 0.25), std::sin(CUDART_PI * (i + 0.25)), 1e-14);
    EXPECT_NEAR(cospif(static_cast<float>(i) + 0.3f), std::cos(CUDART_PI_F * (static_cast<float>(i) + 0.3f)), 1e-5);
  }
}

TEST(Mathematics, RootsNormsAndNormalDistribution) {
  EXPECT_DOUBLE_EQ(rsqrt(4.0), 0.5);
  EXPECT_FLOAT_EQ(rsqrtf(16.0f), 0.25f);
  EXPECT_DOUBLE_EQ(rcbrt(27.0), 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(norm3d(2, 3, 6), 7.0);
  EXPECT_DOUBLE_EQ(rhypot(3, 4), 0.2);
  EXPECT_DOUBLE_EQ(normcdf(0), 0.5);
  EXPECT_NEAR(normcdf(1.959963984540054), 0.975, 1e-12);
  float s, c;
  sincosf(0.5f, &s, &c);
  EXPECT_FLOAT_EQ(s, std::sin(0.5f));
  EXPECT_FLOAT_EQ(c, std::cos(0.5f));
  double sp, cp;
  sincospi(0.5, &sp, &cp);
  EXPECT_EQ(sp, 1.0);
  EXPECT_EQ(cp, 0.0);
}

TEST(Mathematics, FastFunctionsAreTheFunctions) {
  EXPECT_FLOAT_EQ(__expf(1.0f), std::exp(1.0f));
  EXPECT_FLOAT_EQ(__logf(3.0f), std::log(3.0f));
  EXPECT_FLOAT_EQ(__powf(2.0f, 10.0f), 1024.0f);
  EXPECT_FLOAT_EQ(__fdividef(1.0f, 4.0f), 0.25f);
  EXPECT_FLOAT_EQ(__saturatef(1.5f), 1.0f);
  EXPECT_FLOAT_EQ(__saturatef(-1.5f), 0.0f);
  EXPECT_EQ(__fmaf_rn(1.0f + 0x1p-23f, 1.0f - 0x1p-23f, -1.0f), -0x1p-46f);
}

TEST(Mathematics, ConversionsRoundAndSaturate) {
  EXPECT_EQ(__float2int_rn(2.5f), 2);
  EXPECT_EQ(__float2int_rn(3.5f), 4);
  EXPECT_EQ(__float2int_rz(-2.9f), -2);
  EXPECT_EQ(__float2int_ru(2.1f), 3);
  EXPECT_EQ(__float2int_rd(-2.1f), -3);
  EXPECT_EQ(__float2int_rn(1e20f), std::numeric_limits<int>::max());
  EXPECT_EQ(__double2int_rz(-1e20), std::numeric_limits<int>::min());
  EXPECT_EQ(__float2uint_rn(-5.0f), 0u);
  // PTX, cvt: NaN gives 0 only where neither type has 64 bits.
  EXPECT_EQ(__float2int_rn(NAN), 0);
  EXPECT_EQ(__float2uint_rz(NAN), 0u);
  EXPECT_EQ(__float2ll_rn(NAN), std::numeric_limits<long long>::min());
  EXPECT_EQ(__float2ull_rn(NAN), 1ull << 63);
  EXPECT_EQ(__double2int_rz(NAN), std::numeric_limits<int>::min());
  EXPECT_EQ(__double2uint_rn(NAN), 1u << 31);
  EXPECT_EQ(__double2ll_rn(NAN), std::numeric_limits<long long>::min());
  EXPECT_EQ(__double2ull_rn(NAN), 1ull << 63);
  EXPECT_EQ(__double2ull_rn(1.5e19), 15000000000000000000ull);
}

TEST(Mathematics, BitsOfFloatingPointNumbers) {
  EXPECT_EQ(__float_as_int(1.0f), 0x3f800000);
  EXPECT_EQ(__int_as_float(0x40000000), 2.0f);
  EXPECT_EQ(__longlong_as_double(__double_as_longlong(-3.25)), -3.25);
  EXPECT_EQ(__hiloint2double(__double2hiint(1.1), __double2loint(1.1)), 1.1);
}

TEST(Mathematics, IntegerIntrinsicsAgreeWithPlainLoops) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t w = i == 0 ? 0 : random() >> random() % 64;
    const auto x = static_cast<unsigned>(w), y = static_cast<unsigned>(random());
    int bits = 0, leading = 32, first = 0;
    unsigned reversed = 0;
    for (int b = 0; b < 32; ++b) {
      if ((x >> b & 1) == 0) continue;
      ++bits;
      leading = 31 - b;
      if (first == 0) first = b + 1;
      reversed |= 1u << (31 - b);
    }
    EXPECT_EQ(__popc(x), bits);
    EXPECT_EQ(__clz(static_cast<int>(x)), leading);
    EXPECT_EQ(__ffs(static_cast<int>(x)), first);
    EXPECT_EQ(__brev(x), reversed);
    EXPECT_EQ(__brevll(w) >> 32, reversed);
    EXPECT_EQ(__clzll(static_cast<long long>(w)), w == 0 ? 64 : (w >> 32) != 0 ? __clz(static_cast<int>(w >> 32)) : 32 + leading);
    EXPECT_EQ(__umulhi(x, y), static_cast<unsigned>(std::uint64_t{x} * y >> 32));
    EXPECT_EQ(__mulhi(static_cast<int>(x), static_cast<int>(y)),
              static_cast<int>(static_cast<std::int64_t>(static_cast<int>(x)) * static_cast<int>(y) >> 32));
    const unsigned shift = y % 64, wrapped = shift % 32;
    EXPECT_EQ(__funnelshift_l(x, y, shift), wrapped == 0 ? y : y << wrapped | x >> (32 - wrapped));
    EXPECT_EQ(__funnelshift_r(x, y, shift), wrapped == 0 ? x : x >> wrapped | y << (32 - wrapped));
    EXPECT_EQ(__usad(x, y, 5), 5 + (x > y ? x - y : y - x));
    EXPECT_EQ(__uhadd(x, y), static_cast<unsigned>((std::uint64_t{x} + y) / 2));
  }
  EXPECT_EQ(__byte_perm(0x33221100u, 0x77665544u, 0x7520u), 0x77552200u);
  EXPECT_EQ(__mul24(-3, 5), -15);
  EXPECT_EQ(__mul24(0x01000002, 3), 6);
  EXPECT_EQ(__umul64hi(~0ull, ~0ull), ~0ull - 1);
  EXPECT_EQ(__dp4a(static_cast<int>(0x01ff02fe), 0x02030405, 10), 10 + 2 - 3 + 8 - 10);
  EXPECT_EQ(__sad(std::numeric_limits<int>::min(), std::numeric_limits<int>::max(), 0u), ~0u);
}

TEST(ComplexNumbers, AreAddedMultipliedAndDivided) {
  const cuDoubleComplex a = make_cuDoubleComplex(1, 2), b = make_cuDoubleComplex(3, -4);
  EXPECT_EQ(cuCreal(cuCadd(a, b)), 4);
  EXPECT_EQ(cuCimag(cuCsub(a, b)), 6);
  EXPECT_EQ(cuCreal(cuCmul(a, b)), 11);
  EXPECT_EQ(cuCimag(cuCmul(a, b)), 2);
  EXPECT_DOUBLE_EQ(cuCreal(cuCdiv(a, b)), -0.2);
  EXPECT_DOUBLE_EQ(cuCimag(cuCdiv(a, b)), 0.4);
  EXPECT_EQ(cuCimag(cuConj(a)), -2);
  EXPECT_EQ(cuCreal(cuCfma(a, b, a)), 12);
  const cuComplex f = make_cuComplex(1, 2), g = cuComplexDoubleToFloat(b);
  EXPECT_EQ(cuCrealf(cuCmulf(f, g)), 11);
  EXPECT_FLOAT_EQ(cuCimagf(cuCdivf(f, g)), 0.4f);
  EXPECT_EQ(cuCimagf(cuCfmaf(f, g, cuConjf(f))), 0);
  EXPECT_EQ(cuCrealf(cuCsubf(cuCaddf(f, g), g)), 1);
  EXPECT_EQ(cuCimag(cuComplexFloatToDouble(make_cuFloatComplex(0, 0.5f))), 0.5);
}

TEST(ComplexNumbers, OfExtremeSizesDoNotOverflow) {
  EXPECT_DOUBLE_EQ(cuCabs(make_cuDoubleComplex(3e300, -4e300)), 5e300);
  EXPECT_FLOAT_EQ(cuCabsf(make_cuFloatComplex(-4e-38f, 3e-38f)), 5e-38f);
  EXPECT_EQ(cuCabs(make_cuDoubleComplex(0, 0)), 0);
  EXPECT_EQ(cuCabs(make_cuDoubleComplex(-INFINITY, 1)), INFINITY);
  EXPECT_TRUE(std::isnan(cuCabs(make_cuDoubleComplex(NAN, 1))));
  const cuDoubleComplex q = cuCdiv(make_cuDoubleComplex(2e300, 4e300), make_cuDoubleComplex(1e300, 1e300));
  EXPECT_DOUBLE_EQ(cuCreal(q), 3);
  EXPECT_DOUBLE_EQ(cuCimag(q), 1);
}

TEST(VectorTypes, HaveCudasSizesAndAlignments) {
  EXPECT_EQ(sizeof(float3), 12u);
  EXPECT_EQ(alignof(float3), 4u);
  EXPECT_EQ(alignof(float4), 16u);
  EXPECT_EQ(alignof(int2), 8u);
  EXPECT_EQ(sizeof(double3), 24u);
  EXPECT_EQ(alignof(double2), 16u);
  EXPECT_EQ(alignof(char4), 4u);
  EXPECT_EQ(alignof(short4), 8u);
  const float4 f = make_float4(1, 2, 3, 4);
  EXPECT_EQ(f.x + 10 * f.y + 100 * f.z + 1000 * f.w, 4321);
  const dim3 d(5, 6);
  EXPECT_EQ(d.x * 100 + d.y * 10 + d.z, 561u);
}

}  // namespace
