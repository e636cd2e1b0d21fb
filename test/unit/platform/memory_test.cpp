// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocations and copies.
#include <numeric>

#include "launch.h"

namespace {

using gpurma::cpu::find_allocation;

__device__ int device_values[8];
__constant__ float constant_values[4];

TEST(Memory, AllocationsAreFoundByAnyAddressInside) {
  char* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 1000), cudaSuccess);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 256, 0u);
  for (const int offset : {0, 1, 999}) {
    EXPECT_EQ(find_allocation(memory + offset).base, memory);
    EXPECT_EQ(find_allocation(memory + offset).size, 1000u);
  }
  EXPECT_EQ(find_allocation(memory + 1000).base, nullptr);
  EXPECT_EQ(find_allocation(memory - 1).base, nullptr);
  int local = 0;
  EXPECT_EQ(find_allocation(&local).base, nullptr);
  ASSERT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(find_allocation(memory).base, nullptr);
}

TEST(Memory, AllocationsAreToldFromEarlierOnesAndFromHostMemory) {
  char *first = nullptr, *second = nullptr, *host = nullptr;
  ASSERT_EQ(cudaMalloc(&first, 1000), cudaSuccess);
  const auto id = find_allocation(first).id;
  EXPECT_EQ(find_allocation(first + 1).id, id);
  ASSERT_EQ(cudaFree(first), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&second, 1000), cudaSuccess);  // most likely at the same address
  EXPECT_NE(find_allocation(second).id, id);
  ASSERT_EQ(cudaMallocHost(&host, 1000), cudaSuccess);
  EXPECT_FALSE(find_allocation(second).is_host);
  EXPECT_TRUE(find_allocation(host).is_host);
  ASSERT_EQ(cudaFree(second), cudaSuccess);
  ASSERT_EQ(cudaFreeHost(host), cudaSuccess);
}

TEST(Memory, WrongFreesAndSizesAreErrors) {
  char* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 64), cudaSuccess);
  EXPECT_EQ(cudaFree(memory + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(memory), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&memory, std::size_t{1} << 60), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&memory, 0), cudaSuccess);
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(cudaMallocManaged(&memory, 16, 77), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST(Memory, AllocationsTogetherFitIntoTheDevice) {
  std::size_t free = 0, total = 0;
  ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  void *first = nullptr, *second = nullptr;
  // Memory that nobody touches costs no page.
  if (cudaMalloc(&first, total / 3 * 2) != cudaSuccess) GTEST_SKIP() << "the system does not give so much";
  EXPECT_EQ(cudaMalloc(&second, total / 3 * 2), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  EXPECT_LE(free, total - total / 3 * 2);
  EXPECT_EQ(cudaFree(first), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&second, total / 3 * 2), cudaSuccess);
  EXPECT_EQ(cudaFree(second), cudaSuccess);
}

TEST(Memory, PointersKnowTheirKind) {
  char *device = nullptr, *unified = nullptr, *host = nullptr;
  std::vector<char> registered(4096);
  ASSERT_EQ(cudaMalloc(&device, 64), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&unified, 64), cudaSuccess);
  ASSERT_EQ(cudaHostAlloc(&host, 64, cudaHostAllocMapped), cudaSuccess);
  ASSERT_EQ(cudaHostRegister(registered.data(), registered.size(), 0), cudaSuccess);
  EXPECT_EQ(cudaHostRegister(registered.data() + 8, 8, 0), cudaErrorHostMemoryAlreadyRegistered);
  const auto kind = [](const void* p) {
    cudaPointerAttributes attributes;
    EXPECT_EQ(cudaPointerGetAttributes(&attributes, p), cudaSuccess);
    return attributes.type;
  };
  EXPECT_EQ(kind(device + 3), cudaMemoryTypeDevice);
  EXPECT_EQ(kind(unified + 3), cudaMemoryTypeManaged);
  EXPECT_EQ(kind(host + 3), cudaMemoryTypeHost);
  EXPECT_EQ(kind(registered.data() + 3), cudaMemoryTypeHost);
  EXPECT_EQ(kind(&device), cudaMemoryTypeUnregistered);
  void* mapped = nullptr;
  EXPECT_EQ(cudaHostGetDevicePointer(&mapped, host, 0), cudaSuccess);
  EXPECT_EQ(mapped, host);
  EXPECT_EQ(cudaHostUnregister(registered.data()), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(registered.data()), cudaErrorHostMemoryNotRegistered);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaFree(unified), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(host), cudaSuccess);
  cudaGetLastError();
}

TEST(Memory, CopiesInAllDirections) {
  std::vector<int> in(100), out(100);
  std::iota(in.begin(), in.end(), 1);
  int *a = nullptr, *b = nullptr;
  const std::size_t bytes = in.size() * sizeof(int);
  ASSERT_EQ(cudaMalloc(&a, bytes), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&b, bytes), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(a, in.data(), bytes, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpyPeer(b, 0, a, 0, bytes), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(out.data(), b, bytes, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(in, out);
  EXPECT_EQ(cudaMemset(b, 0x11, bytes), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(out.data(), b, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(out[99], 0x11111111);
  EXPECT_EQ(cudaMemcpy(a, in.data(), bytes + 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(a + 1, in.data(), bytes, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(nullptr, in.data(), 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(a, in.data(), 4, static_cast<cudaMemcpyKind>(9)), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpyPeer(b, 1, a, 0, 4), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaMemset(a, 0, bytes + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice), cudaSuccess);
  cudaGetLastError();
  EXPECT_EQ(cudaFree(a), cudaSuccess);
  EXPECT_EQ(cudaFree(b), cudaSuccess);
}

TEST(Memory, SizesThatOverflowAreErrors) {
  constexpr std::size_t huge = ~std::size_t{0};
  char* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 512), cudaSuccess);
  EXPECT_EQ(cudaMemset(memory + 300, 0, huge - 200), cudaErrorInvalidValue);
  // Rows whose extent is 2^64 + 1 bytes.
  EXPECT_EQ(cudaMemset2D(memory, 256, 0, 1, (std::size_t{1} << 56) + 1), cudaErrorInvalidValue);
  char* pitched = nullptr;
  std::size_t pitch = 0;
  EXPECT_EQ(cudaMallocPitch(&pitched, &pitch, 256, (std::size_t{1} << 56) + 1), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMallocPitch(&pitched, &pitch, huge, 1), cudaErrorMemoryAllocation);
  cudaPitchedPtr box;
  EXPECT_EQ(cudaMalloc3D(&box, make_cudaExtent(256, std::size_t{1} << 28, (std::size_t{1} << 28) + 1)),
            cudaErrorMemoryAllocation);
  cudaGetLastError();
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST(Memory, PitchedCopiesLeaveTheGapsAlone) {
  char* device = nullptr;
  std::size_t pitch = 0;
  ASSERT_EQ(cudaMallocPitch(&device, &pitch, 10, 4), cudaSuccess);
  ASSERT_GE(pitch, 10u);
  ASSERT_EQ(cudaMemset(device, 'x', pitch * 4), cudaSuccess);
  std::vector<char> in(7 * 4);
  std::iota(in.begin(), in.end(), 'A');
  EXPECT_EQ(cudaMemcpy2D(device, pitch, in.data(), 7, 5, 4, cudaMemcpyHostToDevice), cudaSuccess);
  std::vector<char> out(pitch * 4);
  EXPECT_EQ(cudaMemcpy(out.data(), device, out.size(), cudaMemcpyDeviceToHost), cudaSuccess);
  for (std::size_t y = 0; y < 4; ++y)
    for (std::size_t x = 0; x < pitch; ++x) EXPECT_EQ(out[y * pitch + x], x < 5 ? in[y * 7 + x] : 'x');
  EXPECT_EQ(cudaMemset2D(device, pitch, 'z', 2, 3), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(out.data(), device, out.size(), cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(out[2 * pitch + 1], 'z');
  EXPECT_EQ(out[2 * pitch + 2], in[2 * 7 + 2]);
  EXPECT_EQ(out[3 * pitch], in[3 * 7]);
  EXPECT_EQ(cudaMemcpy2D(device, 4, in.data(), 7, 5, 4, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemcpy2D(device, 4, in.data(), 7, 5, 1, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemcpy2D(device, pitch, in.data(), 4, 5, 1, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemset2D(device, 4, 0, 5, 1), cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemset2D(device, 4, 0, 5, 0), cudaSuccess);
  cudaDeviceProp properties;
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_EQ(cudaMemset2D(device, properties.memPitch + 1, 0, 5, 1), cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemcpy2D(device, properties.memPitch + 1, in.data(), 7, 5, 1, cudaMemcpyHostToDevice),
            cudaErrorInvalidPitchValue);
  cudaMemcpy3DParms box{};
  box.srcPtr = make_cudaPitchedPtr(in.data(), 7, 7, 4);
  box.dstPtr = make_cudaPitchedPtr(device, properties.memPitch + 1, 10, 4);
  box.extent = make_cudaExtent(5, 1, 1);
  box.kind = cudaMemcpyHostToDevice;
  EXPECT_EQ(cudaMemcpy3D(&box), cudaErrorInvalidPitchValue);
  cudaGetLastError();
  EXPECT_EQ(cudaFree(device), cudaSuccess);
}

TEST(Memory, CopiesOfBoxes) {
  cudaPitchedPtr box;
  ASSERT_EQ(cudaMalloc3D(&box, make_cudaExtent(8, 3, 4)), cudaSuccess);
  ASSERT_EQ(cudaMemset3D(box, 0, make_cudaExtent(8, 3, 4)), cudaSuccess);
  std::vector<char> in(2 * 2 * 2);
  std::iota(in.begin(), in.end(), 1);
  cudaMemcpy3DParms p{};
  p.srcPtr = make_cudaPitchedPtr(in.data(), 2, 2, 2);
  p.dstPtr = box;
  p.dstPos = make_cudaPos(5, 1, 2);
  p.extent = make_cudaExtent(2, 2, 2);
  p.kind = cudaMemcpyHostToDevice;
  ASSERT_EQ(cudaMemcpy3D(&p), cudaSuccess);
  const char* const bytes = static_cast<const char*>(box.ptr);
  int sum = 0;
  for (std::size_t z = 0; z < 4; ++z)
    for (std::size_t y = 0; y < 3; ++y)
      for (std::size_t x = 0; x < 8; ++x) sum += bytes[(z * 3 + y) * box.pitch + x];
  EXPECT_EQ(sum, 36);
  EXPECT_EQ(bytes[(3 * 3 + 2) * box.pitch + 6], 8);
  EXPECT_EQ(cudaFree(box.ptr), cudaSuccess);
}

__global__ void use_symbols(float* out) { out[threadIdx.x] = constant_values[threadIdx.x] + static_cast<float>(device_values[threadIdx.x]); }

TEST(Memory, Symbols) {
  const float constants[] = {1, 2, 3, 4};
  const int values[] = {10, 20};
  managed<float> out(4);
  std::size_t size = 0;
  EXPECT_EQ(cudaMemcpyToSymbol(constant_values, constants, sizeof(constants)), cudaSuccess);
  EXPECT_EQ(cudaMemcpyToSymbol(device_values, values, sizeof(values), 2 * sizeof(int)), cudaSuccess);
  run(use_symbols, 1, 4, out.get());
  EXPECT_EQ(out[1], 2.0f);
  EXPECT_EQ(out[3], 24.0f);
  int back = 0;
  EXPECT_EQ(cudaMemcpyFromSymbol(&back, device_values, sizeof(int), 3 * sizeof(int)), cudaSuccess);
  EXPECT_EQ(back, 20);
  void* address = nullptr;
  EXPECT_EQ(cudaMemcpyToSymbol(device_values, values, 2 * sizeof(device_values)), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(device_values, values, sizeof(int), sizeof(device_values)), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyFromSymbol(&back, device_values, sizeof(int), ~std::size_t{0}), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyFromSymbolAsync(&back, device_values, sizeof(int), sizeof(device_values) - 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbolAsync(device_values, values, sizeof(device_values) + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetSymbolAddress(&address, device_values), cudaSuccess);
  EXPECT_EQ(address, device_values);
  EXPECT_EQ(cudaGetSymbolSize(&size, device_values), cudaSuccess);
  EXPECT_EQ(size, sizeof(device_values));
}

__global__ void wait_for_flag(int* flag) {
  while (gpurma::platform::load_acquire(flag, gpurma::platform::scope::system) == 0) gpurma::platform::yield();
}

TEST(Memory, PageableSourcesMayChangeOnceTheCallHasReturned) {
  managed<int> flag(1);
  int* device = nullptr;
  ASSERT_EQ(cudaMalloc(&device, sizeof(int)), cudaSuccess);
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(launch_on(stream, grid_kind::ordinary, wait_for_flag, 1, 1, 0, flag.get()), cudaSuccess);
  int value = 42;
  EXPECT_EQ(cudaMemcpyAsync(device, &value, sizeof(value), cudaMemcpyHostToDevice, stream), cudaSuccess);
  value = 0;
  gpurma::platform::store_release(flag.get(), 1, gpurma::platform::scope::system);
  EXPECT_EQ(cudaMemcpyAsync(&value, device, sizeof(value), cudaMemcpyDeviceToHost, stream), cudaSuccess);
  EXPECT_EQ(value, 42);  // to pageable memory: complete when the call returns
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
}

__global__ void write_late(int* to, int value) {
  const std::uint64_t start = gpurma::platform::clock_ns();
  while (gpurma::platform::clock_ns() - start < 20000000) gpurma::platform::yield();
  *to = value;
}

TEST(Memory, CopiesOfUnknownKindFromVariablesAreInStreamOrder) {
  static int host_value = 5;
  int* device = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 2 * sizeof(int)), cudaSuccess);
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  device_values[7] = 0;
  ASSERT_EQ(launch_on(stream, grid_kind::ordinary, write_late, 1, 1, 0, &device_values[7], 9), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(device, &device_values[7], sizeof(int), cudaMemcpyDefault, stream), cudaSuccess);
  ASSERT_EQ(launch_on(stream, grid_kind::ordinary, write_late, 1, 1, 0, &device_values[7], 0), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(device + 1, &host_value, sizeof(int), cudaMemcpyDefault, stream), cudaSuccess);
  host_value = 6;  // a variable of the host is pageable memory
  int out[2] = {};
  EXPECT_EQ(cudaMemcpyAsync(out, device, sizeof(out), cudaMemcpyDeviceToHost, stream), cudaSuccess);
  EXPECT_EQ(out[0], 9);
  EXPECT_EQ(out[1], 5);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
}

TEST(Memory, FreeWaitsForKernelsThatUseTheMemory) {
  managed<int> flag(1);
  int* device = nullptr;
  ASSERT_EQ(cudaMalloc(&device, sizeof(int)), cudaSuccess);
  ASSERT_EQ(launch_on(nullptr, grid_kind::ordinary, wait_for_flag, 1, 1, 0, flag.get()), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(device, 1, sizeof(int)), cudaSuccess);
  gpurma::platform::store_release(flag.get(), 1, gpurma::platform::scope::system);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaSuccess);
}

TEST(Memory, StreamOrderedAllocations) {
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  int* device = nullptr;
  ASSERT_EQ(cudaMallocAsync(&device, 64, stream), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(device, 0, 64, stream), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(device, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(find_allocation(device).base, nullptr);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

}  // namespace
