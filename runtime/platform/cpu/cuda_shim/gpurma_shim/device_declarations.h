// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// While the frontend parses: device overloads of the C library's functions that CUDA lets device code call. Clang in CUDA
// mode takes the library's own declarations for host code only. They come before every standard header, so that the
// using-declarations of <cmath> and <cstring> carry them into namespace std.
#ifndef GPURMA_SHIM_DEVICE_DECLARATIONS_H
#define GPURMA_SHIM_DEVICE_DECLARATIONS_H

#include <__clang_cuda_math_forward_declares.h>

#include "../host_defines.h"

#define GPURMA_MATH1(name) __device__ float name(float);
#define GPURMA_MATH2(name) __device__ float name(float, float);

GPURMA_MATH1(acosf)
GPURMA_MATH1(acoshf)
GPURMA_MATH1(asinf)
GPURMA_MATH1(asinhf)
GPURMA_MATH1(atanf)
GPURMA_MATH1(atanhf)
GPURMA_MATH1(cbrtf)
GPURMA_MATH1(ceilf)
GPURMA_MATH1(cosf)
GPURMA_MATH1(coshf)
GPURMA_MATH1(erff)
GPURMA_MATH1(erfcf)
GPURMA_MATH1(exp2f)
GPURMA_MATH1(exp10f)
GPURMA_MATH1(expf)
GPURMA_MATH1(expm1f)
GPURMA_MATH1(fabsf)
GPURMA_MATH1(floorf)
GPURMA_MATH1(lgammaf)
GPURMA_MATH1(log10f)
GPURMA_MATH1(log1pf)
GPURMA_MATH1(log2f)
GPURMA_MATH1(logbf)
GPURMA_MATH1(logf)
GPURMA_MATH1(nearbyintf)
GPURMA_MATH1(rintf)
GPURMA_MATH1(roundf)
GPURMA_MATH1(sinf)
GPURMA_MATH1(sinhf)
GPURMA_MATH1(sqrtf)
GPURMA_MATH1(tanf)
GPURMA_MATH1(tanhf)
GPURMA_MATH1(tgammaf)
GPURMA_MATH1(truncf)
GPURMA_MATH1(j0f)
GPURMA_MATH1(j1f)
GPURMA_MATH1(y0f)
GPURMA_MATH1(y1f)
GPURMA_MATH1(__expf)
GPURMA_MATH1(__exp10f)
GPURMA_MATH1(__logf)
GPURMA_MATH1(__log2f)
GPURMA_MATH1(__log10f)
GPURMA_MATH1(__sinf)
GPURMA_MATH1(__cosf)
GPURMA_MATH1(__tanf)
GPURMA_MATH1(__tanhf)
GPURMA_MATH2(atan2f)
GPURMA_MATH2(copysignf)
GPURMA_MATH2(fdimf)
GPURMA_MATH2(fmaxf)
GPURMA_MATH2(fminf)
GPURMA_MATH2(fmodf)
GPURMA_MATH2(hypotf)
GPURMA_MATH2(nextafterf)
GPURMA_MATH2(powf)
GPURMA_MATH2(remainderf)
GPURMA_MATH2(__powf)
#undef GPURMA_MATH1
#undef GPURMA_MATH2
__device__ float fmaf(float, float, float);
__device__ float frexpf(float, int*);
__device__ int ilogbf(float);
__device__ float ldexpf(float, int);
__device__ long long llrintf(float);
__device__ long long llroundf(float);
__device__ long lrintf(float);
__device__ long lroundf(float);
__device__ float modff(float, float*);
__device__ float remquof(float, float, int*);
__device__ float scalblnf(float, long);
__device__ float scalbnf(float, int);
__device__ float powif(float, int);
__device__ double exp10(double);
__device__ double j0(double);
__device__ double j1(double);
__device__ double jn(int, double);
__device__ double y0(double);
__device__ double y1(double);
__device__ double yn(int, double);
__device__ void sincos(double, double*, double*);
__device__ void sincosf(float, float*, float*);
__device__ void __sincosf(float, float*, float*);

__device__ int printf(const char*, ...) __attribute__((format(printf, 1, 2)));
__device__ void* malloc(__SIZE_TYPE__);
__device__ void free(void*);
__device__ void* memcpy(void*, const void*, __SIZE_TYPE__);
__device__ void* memmove(void*, const void*, __SIZE_TYPE__);
__device__ void* memset(void*, int, __SIZE_TYPE__);
__device__ int memcmp(const void*, const void*, __SIZE_TYPE__);
__device__ long clock();
[[noreturn]] __device__ void __assert_fail(const char*, const char*, unsigned int, const char*);
[[noreturn]] __device__ void abort();

namespace std {
using ::acosf;
using ::acoshf;
using ::asinf;
using ::asinhf;
using ::atan2f;
using ::atanf;
using ::atanhf;
using ::cbrtf;
using ::ceilf;
using ::copysignf;
using ::cosf;
using ::coshf;
using ::erfcf;
using ::erff;
using ::exp2f;
using ::expf;
using ::expm1f;
using ::fabsf;
using ::fdimf;
using ::floorf;
using ::fmaf;
using ::fmaxf;
using ::fminf;
using ::fmodf;
using ::frexpf;
using ::hypotf;
using ::ilogbf;
using ::ldexpf;
using ::lgammaf;
using ::llrintf;
using ::llroundf;
using ::log10f;
using ::log1pf;
using ::log2f;
using ::logbf;
using ::logf;
using ::lrintf;
using ::lroundf;
using ::modff;
using ::nearbyintf;
using ::nextafterf;
using ::powf;
using ::remainderf;
using ::remquof;
using ::rintf;
using ::roundf;
using ::scalblnf;
using ::scalbnf;
using ::sinf;
using ::sinhf;
using ::sqrtf;
using ::tanf;
using ::tanhf;
using ::tgammaf;
using ::truncf;
}  // namespace std

#endif
