// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What CUDA's mathematical library has beyond that of C and C++: min and max in the global namespace, more functions, and
// the intrinsics. Intrinsics that trade precision for speed on a GPU are the precise functions here.
#ifndef GPURMA_SHIM_MATHEMATICS_H
#define GPURMA_SHIM_MATHEMATICS_H

#include "../vector_types.h"
#include "absent.h"
#include "prelude.h"

GPURMA_SHIM_BEGIN

#define GPURMA_MIN_MAX(type, a_type, b_type)                                                                      \
  constexpr type min(a_type a, b_type b) {                                                                        \
    return static_cast<type>(b) < static_cast<type>(a) ? static_cast<type>(b) : static_cast<type>(a);             \
  }                                                                                                               \
  constexpr type max(a_type a, b_type b) {                                                                        \
    return static_cast<type>(a) < static_cast<type>(b) ? static_cast<type>(b) : static_cast<type>(a);             \
  }
GPURMA_MIN_MAX(int, int, int)
GPURMA_MIN_MAX(unsigned, unsigned, unsigned)
GPURMA_MIN_MAX(unsigned, int, unsigned)
GPURMA_MIN_MAX(unsigned, unsigned, int)
GPURMA_MIN_MAX(long, long, long)
GPURMA_MIN_MAX(unsigned long, unsigned long, unsigned long)
GPURMA_MIN_MAX(unsigned long, long, unsigned long)
GPURMA_MIN_MAX(unsigned long, unsigned long, long)
GPURMA_MIN_MAX(long long, long long, long long)
GPURMA_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
GPURMA_MIN_MAX(unsigned long long, long long, unsigned long long)
GPURMA_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef GPURMA_MIN_MAX
// A NaN loses, as in CUDA.
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(static_cast<double>(a), b); }
inline double max(float a, double b) { return fmax(static_cast<double>(a), b); }
inline double min(double a, float b) { return fmin(a, static_cast<double>(b)); }
inline double max(double a, float b) { return fmax(a, static_cast<double>(b)); }
inline unsigned umin(unsigned a, unsigned b) { return b < a ? b : a; }
inline unsigned umax(unsigned a, unsigned b) { return a < b ? b : a; }
inline long long llmin(long long a, long long b) { return b < a ? b : a; }
inline long long llmax(long long a, long long b) { return a < b ? b : a; }
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return b < a ? b : a; }
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a < b ? b : a; }

namespace gpurma::cpu {
inline constexpr double pi = 3.141592653589793238462643383279502884;
inline constexpr double sqrt_half = 0.707106781186547524400844362104849039;
}  // namespace gpurma::cpu

// glibc 2.41 has the functions of half turns, and later ones rsqrt.
#if !defined(__GLIBC__) || !__GLIBC_PREREQ(2, 41)
inline double sinpi(double x) {
  const double r = std::remainder(x, 2.0);
  return std::fabs(r) == 1.0 ? std::copysign(0.0, x) : std::sin(::gpurma::cpu::pi * r);
}
inline float sinpif(float x) { return static_cast<float>(sinpi(static_cast<double>(x))); }
inline double cospi(double x) {
  const double r = std::fabs(std::remainder(x, 2.0));
  return r == 0.5 ? 0.0 : std::cos(::gpurma::cpu::pi * r);
}
inline float cospif(float x) { return static_cast<float>(cospi(static_cast<double>(x))); }
#endif
#if !defined(__GLIBC__) || !__GLIBC_PREREQ(2, 42)
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
#endif
inline float rsqrt(float x) { return 1.0f / std::sqrt(x); }
inline double rcbrt(double x) { return 1.0 / std::cbrt(x); }
inline float rcbrtf(float x) { return 1.0f / std::cbrt(x); }
inline void sincos(float x, float* s, float* c) {
  *s = std::sin(x);
  *c = std::cos(x);
}
inline void sincospi(double x, double* s, double* c) {
  *s = sinpi(x);
  *c = cospi(x);
}
inline void sincospif(float x, float* s, float* c) {
  *s = sinpif(x);
  *c = cospif(x);
}
inline double rhypot(double x, double y) { return 1.0 / std::hypot(x, y); }
inline float rhypotf(float x, float y) { return 1.0f / std::hypot(x, y); }
inline double norm3d(double a, double b, double c) { return std::hypot(std::hypot(a, b), c); }
inline float norm3df(float a, float b, float c) { return std::hypot(std::hypot(a, b), c); }
inline double norm4d(double a, double b, double c, double d) { return std::hypot(norm3d(a, b, c), d); }
inline float norm4df(float a, float b, float c, float d) { return std::hypot(norm3df(a, b, c), d); }
inline double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
inline float rnorm3df(float a, float b, float c) { return 1.0f / norm3df(a, b, c); }
inline double normcdf(double x) { return 0.5 * std::erfc(-x * ::gpurma::cpu::sqrt_half); }
inline float normcdff(float x) { return static_cast<float>(normcdf(static_cast<double>(x))); }
inline float fdividef(float x, float y) { return x / y; }

// Fast single-precision functions. glibc's <math.h> declares some of these names, with this signature and linkage.
#if !GPURMA_PARSE  // there: device_declarations.h
extern "C" {
inline float __expf(float x) noexcept { return expf(x); }
inline float __exp10f(float x) noexcept { return exp10f(x); }
inline float __logf(float x) noexcept { return logf(x); }
inline float __log2f(float x) noexcept { return log2f(x); }
inline float __log10f(float x) noexcept { return log10f(x); }
inline float __sinf(float x) noexcept { return sinf(x); }
inline float __cosf(float x) noexcept { return cosf(x); }
inline float __tanf(float x) noexcept { return tanf(x); }
inline float __tanhf(float x) noexcept { return tanhf(x); }
inline float __powf(float x, float y) noexcept { return powf(x, y); }
inline void __sincosf(float x, float* s, float* c) noexcept {
  *s = sinf(x);
  *c = cosf(x);
}
}
#endif
inline float __fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }

// Arithmetic with a stated rounding. The processor rounds to nearest; the others are absent.
inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fsub_rn(float x, float y) { return x - y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __fmaf_rn(float x, float y, float z) { return std::fma(x, y, z); }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return std::sqrt(x); }
inline float __frsqrt_rn(float x) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x))); }
inline double __dadd_rn(double x, double y) { return x + y; }
inline double __dsub_rn(double x, double y) { return x - y; }
inline double __dmul_rn(double x, double y) { return x * y; }
inline double __ddiv_rn(double x, double y) { return x / y; }
inline double __fma_rn(double x, double y, double z) { return std::fma(x, y, z); }
inline double __drcp_rn(double x) { return 1.0 / x; }
inline double __dsqrt_rn(double x) { return std::sqrt(x); }

namespace gpurma::cpu {
template <class To, class From>
To same_bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  To to;
  std::memcpy(&to, &from, sizeof(To));
  return to;
}
// Out of range gives the nearest limit, as CUDA's conversions do. NaN gives what PTX says of cvt: 0 where neither type has
// 64 bits, the highest bit alone otherwise. rounded is integral.
template <class To, class From>
To saturate(From rounded) {
  if (rounded != rounded)
    return static_cast<To>(sizeof(From) < 8 && sizeof(To) < 8 ? 0ull : 1ull << (8 * sizeof(To) - 1));
  if (rounded <= static_cast<From>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  if (rounded >= static_cast<From>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
  return static_cast<To>(rounded);
}
}  // namespace gpurma::cpu

inline int __float_as_int(float x) { return ::gpurma::cpu::same_bits<int>(x); }
inline unsigned __float_as_uint(float x) { return ::gpurma::cpu::same_bits<unsigned>(x); }
inline float __int_as_float(int x) { return ::gpurma::cpu::same_bits<float>(x); }
inline float __uint_as_float(unsigned x) { return ::gpurma::cpu::same_bits<float>(x); }
inline long long __double_as_longlong(double x) { return ::gpurma::cpu::same_bits<long long>(x); }
inline double __longlong_as_double(long long x) { return ::gpurma::cpu::same_bits<double>(x); }
inline int __double2hiint(double x) { return static_cast<int>(::gpurma::cpu::same_bits<std::uint64_t>(x) >> 32); }
inline int __double2loint(double x) { return static_cast<int>(::gpurma::cpu::same_bits<std::uint64_t>(x)); }
inline double __hiloint2double(int high, int low) {
  return ::gpurma::cpu::same_bits<double>(static_cast<std::uint64_t>(static_cast<unsigned>(high)) << 32 |
                                          static_cast<unsigned>(low));
}
#define GPURMA_FLOAT_TO_INTEGER(from_name, from, to_name, to)                                               \
  inline to __##from_name##2##to_name##_rn(from x) { return ::gpurma::cpu::saturate<to>(std::nearbyint(x)); } \
  inline to __##from_name##2##to_name##_rz(from x) { return ::gpurma::cpu::saturate<to>(std::trunc(x)); }     \
  inline to __##from_name##2##to_name##_ru(from x) { return ::gpurma::cpu::saturate<to>(std::ceil(x)); }      \
  inline to __##from_name##2##to_name##_rd(from x) { return ::gpurma::cpu::saturate<to>(std::floor(x)); }
GPURMA_FLOAT_TO_INTEGER(float, float, int, int)
GPURMA_FLOAT_TO_INTEGER(float, float, uint, unsigned)
GPURMA_FLOAT_TO_INTEGER(float, float, ll, long long)
GPURMA_FLOAT_TO_INTEGER(float, float, ull, unsigned long long)
GPURMA_FLOAT_TO_INTEGER(double, double, int, int)
GPURMA_FLOAT_TO_INTEGER(double, double, uint, unsigned)
GPURMA_FLOAT_TO_INTEGER(double, double, ll, long long)
GPURMA_FLOAT_TO_INTEGER(double, double, ull, unsigned long long)
#undef GPURMA_FLOAT_TO_INTEGER
inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
inline float __ll2float_rn(long long x) { return static_cast<float>(x); }
inline float __ull2float_rn(unsigned long long x) { return static_cast<float>(x); }
inline float __double2float_rn(double x) { return static_cast<float>(x); }
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }
inline double __ll2double_rn(long long x) { return static_cast<double>(x); }
inline double __ull2double_rn(unsigned long long x) { return static_cast<double>(x); }

// Integers
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x) {
  x = __builtin_bswap32(x);
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  return (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
}
inline unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 | __brev(static_cast<unsigned>(x >> 32));
}
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= static_cast<unsigned>(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
  return result;
}
inline int __mulhi(int x, int y) { return static_cast<int>(static_cast<long long>(x) * y >> 32); }
inline unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>(static_cast<unsigned long long>(x) * y >> 32);
}
__extension__ typedef __int128 gpurma_int128;
__extension__ typedef unsigned __int128 gpurma_uint128;
inline long long __mul64hi(long long x, long long y) {
  return static_cast<long long>(static_cast<gpurma_int128>(x) * y >> 64);
}
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>(static_cast<gpurma_uint128>(x) * y >> 64);
}
inline int __mul24(int x, int y) {
  return static_cast<int>(static_cast<unsigned>((static_cast<long long>(static_cast<int>(static_cast<unsigned>(x) << 8)) >> 8) *
                                                (static_cast<long long>(static_cast<int>(static_cast<unsigned>(y) << 8)) >> 8)));
}
inline unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffffu) * (y & 0xffffffu); }
inline int __hadd(int x, int y) { return static_cast<int>((static_cast<long long>(x) + y) >> 1); }
inline int __rhadd(int x, int y) { return static_cast<int>((static_cast<long long>(x) + y + 1) >> 1); }
inline unsigned __uhadd(unsigned x, unsigned y) { return static_cast<unsigned>((0ull + x + y) >> 1); }
inline unsigned __urhadd(unsigned x, unsigned y) { return static_cast<unsigned>((1ull + x + y) >> 1); }
inline unsigned __sad(int x, int y, unsigned z) {
  const long long difference = static_cast<long long>(x) - y;
  return z + static_cast<unsigned>(difference < 0 ? -difference : difference);
}
inline unsigned __usad(unsigned x, unsigned y, unsigned z) { return z + (x < y ? y - x : x - y); }
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>(((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31)) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31));
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}
inline int __dp4a(int x, int y, int sum) {
  for (int i = 0; i < 4; ++i) {
    const int a = static_cast<signed char>(static_cast<unsigned>(x) >> 8 * i);
    const int b = static_cast<signed char>(static_cast<unsigned>(y) >> 8 * i);
    sum = static_cast<int>(static_cast<unsigned>(sum) + static_cast<unsigned>(a * b));
  }
  return sum;
}
inline unsigned __dp4a(unsigned x, unsigned y, unsigned sum) {
  for (int i = 0; i < 4; ++i) sum += (x >> 8 * i & 0xff) * (y >> 8 * i & 0xff);
  return sum;
}

GPURMA_SHIM_END

#endif
