// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Arrays of cudaMallocPitch, whose rows kernels find by bytes, by a member of a structure, by a helper function and by elements; and of
// structures that have the pitch, by either, and change places.
// RUN: %gpurmacc_cpu -Rgpurma %s -o %t 2>&1 | FileCheck --check-prefix=REMARK-CHECK %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 3 %t | sort -u | diff - %t.expected
// CHECK: hash
#include <cstdio>
#include <utility>
#include <vector>

struct field {
  float *data;
  size_t pitch;
};

template <class T> __device__ T *row_of(T *base, size_t pitch, int y) {
  return reinterpret_cast<T *>(reinterpret_cast<char *>(base) + y * pitch);
}

__global__ void heat(float *out, const float *in, size_t pitch, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1)
    return;
  const float *row = (const float *)((const char *)in + y * pitch);
  const float *above = (const float *)((const char *)in + (y - 1) * pitch);
  const float *below = (const float *)((const char *)row + pitch);
  ((float *)((char *)out + y * pitch))[x] = row[x] + 0.125f * (row[x - 1] + row[x + 1] + above[x] + below[x] - 4 * row[x]);
}

__global__ void shift(field out, float *in, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    row_of(out.data, out.pitch, y)[x] = row_of(in, out.pitch, max(y - 2, 0))[x];
}

__global__ void scale(float *a, size_t pitch, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    a[y * (pitch / sizeof(float)) + x] *= 0.75f;
}

struct image {
  float *data;
  size_t pitch;
  int nx, ny;
};

__device__ float element(image from, int x, int y) { return from.data[y * (from.pitch / sizeof(float)) + x]; }

__global__ void by_elements(image out, image in) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < in.nx && y > 0 && y < in.ny - 1)
    out.data[y * (out.pitch / sizeof(float)) + x] = 0.5f * (element(in, x, y - 1) + element(in, x, y + 1));
}

__global__ void by_bytes(image out, image in) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < in.nx && y < in.ny)
    row_of(out.data, out.pitch, y)[x] = 0.75f * row_of(in.data, in.pitch, min(y + 1, in.ny - 1))[x];
}

int main() {
  const int nx = 30, ny = 26;
  field a{}, b{};
  cudaMallocPitch(&a.data, &a.pitch, nx * sizeof(float), ny);
  cudaMallocPitch(&b.data, &b.pitch, nx * sizeof(float), ny);
  std::vector<float> values(nx * ny);
  for (int i = 0; i < nx * ny; ++i)
    values[i] = i * 37 % 53;
  for (const field &each : {a, b})
    cudaMemcpy2D(each.data, each.pitch, values.data(), nx * sizeof(float), nx * sizeof(float), ny, cudaMemcpyHostToDevice);
  const dim3 block(10, 4), grid((nx + 9) / 10, (ny + 3) / 4);
#pragma gpurma persistent distribute(a.data, b.data : rows(ny, a.pitch / sizeof(float)))
  for (int i = 0; i < 6; ++i) {
    // REMARK-CHECK: remark: stage 'heat' reads 'in' with halo 1, writes 'out' (publishes
    heat<<<grid, block>>>(b.data, a.data, a.pitch, nx, ny);
    // REMARK-CHECK: remark: stage 'shift' reads 'in' with halo 2, writes 'out.data' (publishes
    shift<<<grid, block>>>(field{a.data, a.pitch}, b.data, nx, ny);
    // REMARK-CHECK: remark: stage 'scale' reads 'a', writes 'a' (publishes
    scale<<<grid, block>>>(a.data, a.pitch, nx, ny);
    std::swap(a.data, b.data);
  }
  const size_t pitch = a.pitch;
  image u{a.data, pitch, nx, ny}, v{b.data, pitch, nx, ny};
#pragma gpurma persistent distribute(u.data, v.data : rows(ny, pitch / sizeof(float)))
  for (int i = 0; i < 5; ++i) {
    // REMARK-CHECK: remark: stage 'by_elements' reads 'in.data' with halo 1, writes 'out.data'
    by_elements<<<grid, block>>>(v, u);
    std::swap(u, v);
  }
#pragma gpurma persistent distribute(u.data, v.data : rows(u.ny, u.pitch / sizeof(float)))
  for (int i = 0; i < 4; ++i) {
    // REMARK-CHECK: remark: stage 'by_bytes' reads 'in.data' with halo 1, writes 'out.data'
    by_bytes<<<grid, block>>>(v, u);
    image w = u;
    u = v;
    v = w;
  }
  a.data = u.data;
  cudaMemcpy2D(values.data(), nx * sizeof(float), a.data, a.pitch, nx * sizeof(float), ny, cudaMemcpyDeviceToHost);
  unsigned long long hash = 0;
  for (float value : values)
    hash = hash * 31 + static_cast<unsigned long long>(value * 4096);
  std::printf("hash %llx\n", hash);
}
