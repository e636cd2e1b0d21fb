// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ordinary CUDA programs do, for the parse of gpurmacc's frontend. It is never linked.
#include <cuda_runtime.h>

#include <cooperative_groups.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace cg = cooperative_groups;

#define CHECK(call)                                                                                        \
  do {                                                                                                     \
    cudaError_t error_ = (call);                                                                           \
    if (error_ != cudaSuccess) {                                                                           \
      fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, cudaGetErrorString(error_), cudaGetErrorName(error_)); \
      exit(EXIT_FAILURE);                                                                                  \
    }                                                                                                      \
  } while (0)

__constant__ float coefficients[9];
__device__ unsigned int counter = 0;
__managed__ double residual;

__host__ __device__ inline int divide_up(int a, int b) { return (a + b - 1) / b; }

template <typename T>
struct point {
  T x, y;
  __host__ __device__ point(T x_, T y_) : x(x_), y(y_) {}
  __device__ T length() const { return std::sqrt(x * x + y * y); }
  __host__ __device__ friend point operator+(const point& a, const point& b) { return point(a.x + b.x, a.y + b.y); }
};

struct field {
  float* data;
  int nx, ny;
  __device__ __forceinline__ float& operator()(int i, int j) { return data[j * nx + i]; }
  __device__ float clamped(int i, int j) const { return data[min(max(j, 0), ny - 1) * nx + min(max(i, 0), nx - 1)]; }
};

template <int Size>
__global__ void __launch_bounds__(Size * Size, 2) transpose(const float* __restrict__ in, float* __restrict__ out, int n) {
  __shared__ float tile[Size][Size + 1];
  int x = blockIdx.x * Size + threadIdx.x, y = blockIdx.y * Size + threadIdx.y;
  if (x < n && y < n) tile[threadIdx.y][threadIdx.x] = __ldg(&in[y * n + x]);
  __syncthreads();
  x = blockIdx.y * Size + threadIdx.x;
  y = blockIdx.x * Size + threadIdx.y;
  if (x < n && y < n) out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

template <typename T>
__device__ T warp_sum(T value) {
#pragma unroll
  for (int offset = warpSize / 2; offset > 0; offset >>= 1) value += __shfl_down_sync(0xffffffff, value, offset);
  return value;
}

extern __shared__ unsigned char dynamic_memory[];

template <typename T>
__global__ void block_sum(const T* in, T* out, size_t n) {
  T* partial = reinterpret_cast<T*>(dynamic_memory);
  T sum = 0;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += size_t(blockDim.x) * gridDim.x) sum += in[i];
  sum = warp_sum(sum);
  const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  if (lane == 0) partial[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = lane < divide_up(blockDim.x, warpSize) ? partial[lane] : T(0);
    sum = warp_sum(sum);
    if (lane == 0) atomicAdd(out, sum);
  }
}

__global__ void stencil(field in, field out, const point<float> origin) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= in.nx || j >= in.ny) return;
  float sum = 0.f;
  for (int dj = -1; dj <= 1; ++dj)
    for (int di = -1; di <= 1; ++di) sum += coefficients[(dj + 1) * 3 + di + 1] * in.clamped(i + di, j + dj);
  point<float> p = point<float>(i, j) + origin;
  out(i, j) = sum + std::exp(-p.length()) + fabsf(sinf(p.x)) + powf(p.y, 2.0f) + rsqrtf(1.0f + p.x) + fmaxf(p.x, p.y) + std::abs(p.x) +
              std::pow(p.x, 2) + std::fmin(p.x, p.y) + floorf(p.x) + __expf(p.x) + cosf(p.y) + tanhf(p.x) + logf(1 + p.x) + sqrt(p.x);
  if (!isfinite(out(i, j)) || std::isnan(sum)) printf("thread (%d, %d): %f\n", threadIdx.x, threadIdx.y, out(i, j));
  double d = sum, s, c;
  sincos(d, &s, &c);
  atomicAdd(&residual, s * c + fabs(d) + exp(d) + fma(d, d, d) + hypot(d, s) + ceil(c));
  assert(i >= 0);
}

__global__ void last_block(float* values, int n) {
  __shared__ bool is_last;
  __threadfence();
  if (threadIdx.x == 0) is_last = atomicInc(&counter, gridDim.x) == gridDim.x - 1;
  __syncthreads();
  if (is_last && __syncthreads_or(values[threadIdx.x] > n)) values[0] = __popc(__ballot_sync(0xffffffffu, 1)) + __clz(n);
  unsigned long long start = clock64();
  while (clock64() - start < 100) __nanosleep(10);
  float4 v = *reinterpret_cast<float4*>(values);
  v.w += v.x;
  *reinterpret_cast<float4*>(values) = make_float4(v.w, v.z, v.y, v.x);
  char* scratch = static_cast<char*>(malloc(16));
  memset(scratch, 0, 16);
  memcpy(values, scratch, 4);
  free(scratch);
}

__global__ void persistent(int* flags, int steps) {
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  for (int s = 0; s < steps; ++s) {
    flags[grid.thread_rank()] += tile.shfl(s, 0);
    block.sync();
    grid.sync();
  }
}

template <typename F>
__global__ void for_each(int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
}

// Names that CUDA has, for other types.
__host__ __device__ inline float norm(const float3& v) { return sqrtf(v.x * v.x + v.y * v.y + v.z * v.z); }
__host__ __device__ inline float3 min(float3 a, float3 b) { return make_float3(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z)); }
__host__ __device__ inline float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__global__ void norms(const float3* in, float* out) { out[threadIdx.x] = norm(min(in[threadIdx.x], in[0]) + in[1]); }

// A logical block number in place of the real one.
__device__ int logical(const uint3 blockIdx, const dim3 gridDim) { return blockIdx.x + gridDim.x * blockIdx.y; }
__global__ void with_logical(int* out) { out[0] = logical(make_uint3(3, 4, 0), dim3(10, 10)); }

struct stream_deleter {
  void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
};

int main(int argc, char** argv) {
  int device_count = 0;
  CHECK(cudaGetDeviceCount(&device_count));
  CHECK(cudaSetDevice(0));
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  std::cout << properties.name << ' ' << properties.multiProcessorCount << ' ' << properties.major << '.' << properties.minor
            << std::endl;
  const int n = argc > 1 ? std::stoi(argv[1]) : 1024;
  const size_t bytes = size_t(n) * n * sizeof(float);
  std::vector<float> host(size_t(n) * n, 1.0f);
  float *a = nullptr, *b = nullptr, *pinned = nullptr;
  int* flags = nullptr;
  CHECK(cudaMalloc(&a, bytes));
  CHECK(cudaMalloc((void**)&b, bytes));
  CHECK(cudaMallocHost(&pinned, bytes));
  CHECK(cudaMallocManaged(&flags, 4096 * sizeof(int)));
  CHECK(cudaMemcpy(a, host.data(), bytes, cudaMemcpyHostToDevice));
  const float weights[9] = {};
  CHECK(cudaMemcpyToSymbol(coefficients, weights, sizeof(weights)));
  unsigned zero = 0;
  CHECK(cudaMemcpyToSymbol(counter, &zero, sizeof(zero)));

  cudaStream_t raw;
  CHECK(cudaStreamCreateWithFlags(&raw, cudaStreamNonBlocking));
  std::unique_ptr<CUstream_st, stream_deleter> stream(raw);
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));

  CHECK(cudaEventRecord(start, stream.get()));
  const dim3 block(16, 16), grid(divide_up(n, block.x), divide_up(n, block.y));
  transpose<16><<<grid, block>>>(a, b, n);
  block_sum<float><<<64, 256, 32 * sizeof(float), stream.get()>>>(a, b, size_t(n) * n);
  block_sum<double><<<64, 256, 32 * sizeof(double)>>>(nullptr, nullptr, 0);
  stencil<<<grid, block, 0, raw>>>(field{a, n, n}, field{b, n, n}, point<float>(0, 0));
  last_block<<<1, 32>>>(a, n);
  for_each<<<8, 128>>>(n, [=] __device__(int i) { a[i] = std::sqrt(float(i)) + threadIdx.x; });
  for_each<<<8, 128>>>(n, [a, n] __host__ __device__(int i) { a[i] = i < n; });
  with_logical<<<1, 1>>>(flags);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop, stream.get()));
  CHECK(cudaEventSynchronize(stop));
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, start, stop));

  int per_multiprocessor = 0, steps = 3;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, persistent, 256, 0));
  void* arguments[] = {&flags, &steps};
  CHECK(cudaLaunchCooperativeKernel((void*)persistent, dim3(per_multiprocessor), dim3(256), arguments, 0, raw));
  int min_grid = 0, block_size = 0;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&min_grid, &block_size, block_sum<float>, 0, 0));
  CHECK(cudaFuncSetAttribute(block_sum<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));

  CHECK(cudaMemcpyAsync(pinned, a, bytes, cudaMemcpyDeviceToHost, stream.get()));
  CHECK(cudaLaunchHostFunc(stream.get(), [](void* p) { *static_cast<float*>(p) = 0; }, pinned));
  CHECK(cudaStreamSynchronize(stream.get()));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemPrefetchAsync(flags, 4096, cudaCpuDeviceId));
  printf("%f ms, %f\n", ms, residual);
  for (void* p : {(void*)a, (void*)b, (void*)flags}) CHECK(cudaFree(p));
  CHECK(cudaFreeHost(pinned));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  return 0;
}
