// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: nvcc
// A region's kernel is compiled for as many registers in a thread as the program's own kernels have: nvcc says how many these are.
// What comes then takes long, and its command says enough: STOP ends it.
// RUN: not %gpurmacc_cuda -arch=sm_90 -DSTOP=0x10 -v -c %s -o %t.o 2>&1 | FileCheck --check-prefix=FEW %s
// FEW: bin/nvcc {{.*}} -DGPURMA_REGION_REGISTERS=0 {{.*}} -fatbin {{.*}} -Xptxas=-v
// FEW: bin/nvcc {{.*}} -DGPURMA_REGION_REGISTERS=16 {{.*}} -c
// FEW: error: {{.*}}"stopped"
//
// RUN: not %gpurmacc_cuda -arch=sm_90 -DMANY -DSTOP=0x10000 -v -c %s -o %t.o 2>&1 | FileCheck --check-prefix=MANY %s
// MANY: bin/nvcc {{.*}} -DGPURMA_REGION_REGISTERS=65536 {{.*}} -c
// MANY: error: {{.*}}"stopped"
//
// A block of 1024 threads has no room for as many.
// RUN: not %gpurmacc_cuda -arch=sm_90 -DMANY -DTHREADS=n -DSTOP=0x10100 -v -c %s -o %t.o 2>&1 | FileCheck --check-prefix=UNKNOWN %s
// RUN: not %gpurmacc_cuda -arch=sm_90 -DMANY -DTHREADS=1024 -DSTOP=0x10100 -v -c %s -o %t.o 2>&1 | FileCheck --check-prefix=UNKNOWN %s
// UNKNOWN: bin/nvcc {{.*}} -DGPURMA_REGION_REGISTERS=65792 {{.*}} -c
// UNKNOWN: error: {{.*}}"stopped"
//
// Where threads have several columns, these take registers besides. What no region launches does not count.
// RUN: not %gpurmacc_cuda -arch=sm_90 -DCOLUMNS -DMANY -DSTOP=0x20 -v -c %s -o %t.o 2>&1 | FileCheck --check-prefix=COLUMNS %s
// COLUMNS: bin/nvcc {{.*}} -DGPURMA_REGION_REGISTERS=32 {{.*}} -c
// COLUMNS: error: {{.*}}"stopped"
//
// So do elements of eight bytes, and several components.
// RUN: not %gpurmacc_cuda -arch=sm_90 -DCOMPONENTS=float -DSTOP=0x20 -v -c %s -o %t.o 2>&1 | FileCheck --check-prefix=OF-FOUR %s
// RUN: not %gpurmacc_cuda -arch=sm_90 -DCOMPONENTS=double -DSTOP=0x40 -v -c %s -o %t.o 2>&1 | FileCheck --check-prefix=OF-EIGHT %s
// OF-FOUR: error: {{.*}}"stopped"
// OF-EIGHT: error: {{.*}}"stopped"
//
// A source that has none is compiled once, and so is one with a region that nvcc cannot compile.
// RUN: %gpurmacc_cuda -arch=sm_90 -DNO_REGION -v -c %s -o %t.o 2>&1 | FileCheck --check-prefix=NONE %s
// NONE-NOT: GPURMA_REGION_REGISTERS
// NONE: bin/nvcc {{.*}} -c
// NONE-NOT: GPURMA_REGION_REGISTERS
// RUN: not %gpurmacc_cuda -arch=sm_90 -DWRONG -c %s -o %t.wrong.o 2>&1 | FileCheck --check-prefix=WRONG %s
// WRONG: error: identifier "not_there" is undefined
// WRONG: detected in the compilation
// WRONG-NOT: detected in the compilation
//
// Lowered sources that are compiled by hand have some of them, or those that GPURMA_REGION_REGISTERS says; each for one process and for
// several.
// RUN: %gpurmacc_cuda --gpurma-emit-source=%t.lowered.cu %s
// RUN: %nvcc -std=c++17 -arch=sm_90 -DGPURMA_TARGET_CUDA=1 -include gpurma/gpurma.h -I%prefix/include -E %t.lowered.cu -o %t.all.ii
// RUN: FileCheck --check-prefix=ALL --input-file=%t.all.ii %s
// RUN: %nvcc -std=c++17 -arch=sm_90 -DGPURMA_TARGET_CUDA=1 -DGPURMA_REGION_REGISTERS=0x100 -include gpurma/gpurma.h -I%prefix/include -E %t.lowered.cu -o %t.one.ii
// RUN: FileCheck --check-prefix=ONE --input-file=%t.one.ii %s
// ALL: gpurma_kernels_0 = {{[{][{]}}gpurma_region_0<32, ::gpurma::stages::process_count::one>, gpurma_region_0<32, ::gpurma::stages::process_count::several>}, {nullptr, nullptr}, {nullptr, nullptr}, {gpurma_region_0<64, ::gpurma::stages::process_count::one>, gpurma_region_0<64, ::gpurma::stages::process_count::several>}, {nullptr, nullptr}, {gpurma_region_0<128, ::gpurma::stages::process_count::one>, gpurma_region_0<128, ::gpurma::stages::process_count::several>}};
// ONE: gpurma_kernels_0 = {{[{][{]}}nullptr, nullptr}, {nullptr, nullptr}, {nullptr, nullptr}, {gpurma_region_0<64, ::gpurma::stages::process_count::one>, gpurma_region_0<64, ::gpurma::stages::process_count::several>}, {nullptr, nullptr}, {nullptr, nullptr}};
#include <utility>

#if defined(STOP) && GPURMA_REGION_REGISTERS == STOP
#error "stopped"
#endif

#ifdef MANY
constexpr int count = 40;
#else
constexpr int count = 1;
#endif

__global__ void smooth(double *out, const double *in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 1 || i >= n - 1)
    return;
  double values[count];
#pragma unroll
  for (int k = 0; k < count; ++k)
    values[k] = in[i - 1] * k + in[i + 1];
#pragma unroll
  for (int k = 0; k < count; ++k) // each needs all of the others
    for (double value : values)
      values[k] = values[k] * value + 1;
  double sum = 0;
  for (double value : values)
    sum += value;
  out[i] = sum;
#if defined(WRONG) && defined(__CUDACC_VER_MAJOR__)
  not_there();
#endif
}

#ifdef COLUMNS
// Some 23 registers.
__global__ void vectors(float *out, const float *in, int ny, int nx) {
  const int x = 4 * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 4 || x >= nx - 4 || y < 1 || y >= ny - 1)
    return;
  const size_t i = size_t(y) * nx + x;
  const float4 up = *reinterpret_cast<const float4 *>(in + i - nx), here = *reinterpret_cast<const float4 *>(in + i),
               down = *reinterpret_cast<const float4 *>(in + i + nx);
  const float left = in[i - 1], right = in[i + 4];
  float4 next;
  next.x = x > 4 ? 0.25f * (left + here.y + up.x + down.x) : here.x;
  next.y = 0.25f * (here.x + here.z + up.y + down.y);
  next.z = 0.25f * (here.y + here.w + up.z + down.z);
  next.w = x + 8 < nx ? 0.25f * (here.z + right + up.w + down.w) : here.w;
  *reinterpret_cast<float4 *>(out + i) = next;
}
void of_columns(float *a, float *b, int ny, int nx) {
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int step = 0; step < 4; ++step) {
    vectors<<<dim3(nx / 128, ny / 8), dim3(32, 8)>>>(b, a, ny, nx);
    std::swap(a, b);
  }
}
#endif

#ifdef COMPONENTS
// Some 28 registers.
template <typename Real> __global__ void two_species(Real *next, const Real *f, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1)
    return;
  const int n = nx * ny, i = y * nx + x, j = n + i;
  const Real u = f[i], v = f[j];
  next[i] = u + Real(0.16) * (f[i - 1] + f[i + 1] + f[i - nx] + f[i + nx] - 4 * u) - u * v * v;
  next[j] = v + Real(0.08) * (f[j - 1] + f[j + 1] + f[j - nx] + f[j + nx] - 4 * v) + u * v * v;
}
void of_components(COMPONENTS *a, COMPONENTS *b, int ny, int nx) {
#pragma gpurma persistent distribute(a, b : components(2), rows(ny, nx))
  for (int step = 0; step < 4; ++step) {
    two_species<COMPONENTS><<<dim3(nx / 32, ny / 8), dim3(32, 8)>>>(b, a, nx, ny);
    std::swap(a, b);
  }
}
#endif

#ifndef THREADS
#define THREADS 64
#endif

int main(int argc, char **) {
  double *a = nullptr, *b = nullptr;
  const int n = argc + 63;
  cudaMalloc(&a, n * sizeof(double));
  cudaMalloc(&b, n * sizeof(double));
#if !defined(NO_REGION) && !defined(COLUMNS) && !defined(COMPONENTS)
#pragma gpurma persistent distribute(a, b : rows(n))
#endif
  for (int step = 0; step < 4; ++step) {
    smooth<<<1, THREADS>>>(b, a, n);
    std::swap(a, b);
  }
}
