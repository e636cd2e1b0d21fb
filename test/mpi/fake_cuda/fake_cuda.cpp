// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fake_cuda.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace {

using fake_cuda::page;

constexpr int devices = 8;

struct handle {
  int file;
  std::size_t bytes;
  int uses; // by its owner and by mappings
};

struct mapping {
  std::size_t bytes;
  std::uint64_t of;
};

std::recursive_mutex mutex;
thread_local int current_device = 0;
bool used_devices[devices] = {};
std::map<std::uint64_t, std::size_t> reservations; // bytes by address
std::map<std::uint64_t, mapping> mappings;
std::map<std::uint64_t, handle> handles;
std::map<std::uint64_t, std::size_t> allocations;
std::uint64_t handles_made = 0;
std::string failing;
std::string hanging;

[[noreturn]] void broken(const char* rule) {
  std::fprintf(stderr, "fake CUDA: error: %s\n", rule);
  std::abort();
}

void require(bool holds, const char* rule) {
  if (!holds)
    broken(rule);
}

bool fails(const char* function) {
  while (hanging == function)
    pause();
  return failing == function;
}

void* at(std::uint64_t address) {
  return reinterpret_cast<void*>(address);
}

void let_go(std::uint64_t number) {
  handle& one = handles.at(number);
  if (--one.uses > 0)
    return;
  close(one.file);
  handles.erase(number);
}

// The driver's functions.

CUresult reserve(CUdeviceptr* address, std::size_t bytes, std::size_t, CUdeviceptr,
                 unsigned long long) {
  const std::lock_guard lock(mutex);
  if (fails("cuMemAddressReserve"))
    return CUDA_ERROR_OUT_OF_MEMORY;
  require(bytes > 0 && bytes % page == 0, "addresses are reserved in whole pages");
  void* const found =
      mmap(nullptr, bytes + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED)
    return CUDA_ERROR_OUT_OF_MEMORY;
  // What it takes too much stays: addresses are not scarce.
  *address = (reinterpret_cast<std::uint64_t>(found) + page - 1) / page * page;
  reservations[*address] = bytes;
  return CUDA_SUCCESS;
}

CUresult free_addresses(CUdeviceptr address, std::size_t bytes) {
  const std::lock_guard lock(mutex);
  const auto found = reservations.find(address);
  require(found != reservations.end() && found->second == bytes,
          "addresses are freed as they were reserved");
  const auto next = mappings.lower_bound(address);
  require(next == mappings.end() || next->first >= address + bytes,
          "addresses are freed when nothing is mapped there");
  reservations.erase(found);
  return CUDA_SUCCESS;
}

CUresult granularity(std::size_t* bytes, const CUmemAllocationProp*,
                     CUmemAllocationGranularity_flags) {
  *bytes = page;
  return CUDA_SUCCESS;
}

CUresult create(CUmemGenericAllocationHandle* made, std::size_t bytes,
                const CUmemAllocationProp* wanted, unsigned long long) {
  const std::lock_guard lock(mutex);
  if (fails("cuMemCreate"))
    return CUDA_ERROR_OUT_OF_MEMORY;
  require(bytes > 0 && bytes % page == 0, "memory is made in whole pages");
  require(wanted->location.id == current_device, "memory is made on the current device");
  require(wanted->requestedHandleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
          "memory can be exported as a file");
  const int file = memfd_create("fake-cuda", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *made = ++handles_made;
  handles[*made] = {file, bytes, 1};
  return CUDA_SUCCESS;
}

CUresult release(CUmemGenericAllocationHandle of) {
  const std::lock_guard lock(mutex);
  require(handles.count(of) != 0, "a handle is released once");
  let_go(of);
  return CUDA_SUCCESS;
}

CUresult map(CUdeviceptr address, std::size_t bytes, std::size_t offset,
             CUmemGenericAllocationHandle of, unsigned long long) {
  const std::lock_guard lock(mutex);
  if (fails("cuMemMap"))
    return CUDA_ERROR_INVALID_VALUE;
  const auto reserved = reservations.upper_bound(address);
  require(reserved != reservations.begin() &&
              address + bytes <= std::prev(reserved)->first + std::prev(reserved)->second,
          "memory is mapped at reserved addresses");
  require(address % page == 0 && offset == 0 && handles.at(of).bytes == bytes,
          "all of a handle's memory is mapped");
  const auto next = mappings.lower_bound(address);
  require((next == mappings.end() || next->first >= address + bytes) &&
              (next == mappings.begin() ||
               std::prev(next)->first + std::prev(next)->second.bytes <= address),
          "addresses are mapped once");
  if (mmap(at(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, handles.at(of).file, 0) ==
      MAP_FAILED)
    return CUDA_ERROR_OUT_OF_MEMORY;
  ++handles.at(of).uses;
  mappings[address] = {bytes, of};
  return CUDA_SUCCESS;
}

// Calls visit(address, mapping) for the mappings that a range consists of.
template <class Visit> void visit_mappings(CUdeviceptr address, std::size_t bytes, Visit visit) {
  for (const CUdeviceptr end = address + bytes; address < end;) {
    const auto found = mappings.find(address);
    require(found != mappings.end() && address + found->second.bytes <= end,
            "a range consists of whole mappings");
    const mapping one = found->second;
    visit(address, one);
    address += one.bytes;
  }
}

CUresult unmap(CUdeviceptr address, std::size_t bytes) {
  const std::lock_guard lock(mutex);
  visit_mappings(address, bytes, [](CUdeviceptr begin, const mapping& one) {
    require(mmap(at(begin), one.bytes, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED,
            "memory is unmapped");
    let_go(one.of);
    mappings.erase(begin);
  });
  return CUDA_SUCCESS;
}

CUresult set_access(CUdeviceptr address, std::size_t bytes, const CUmemAccessDesc* access,
                    std::size_t count) {
  const std::lock_guard lock(mutex);
  if (fails("cuMemSetAccess"))
    return CUDA_ERROR_INVALID_VALUE;
  require(count == 1 && access->location.id == current_device,
          "the process's own device gets access");
  visit_mappings(address, bytes, [](CUdeviceptr begin, const mapping& one) {
    require(mprotect(at(begin), one.bytes, PROT_READ | PROT_WRITE) == 0, "access is given");
  });
  return CUDA_SUCCESS;
}

CUresult export_handle(void* file, CUmemGenericAllocationHandle of, CUmemAllocationHandleType type,
                       unsigned long long) {
  const std::lock_guard lock(mutex);
  if (fails("cuMemExportToShareableHandle"))
    return CUDA_ERROR_NOT_SUPPORTED;
  require(type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, "handles are exported as files");
  *static_cast<int*>(file) = dup(handles.at(of).file);
  return CUDA_SUCCESS;
}

CUresult import_handle(CUmemGenericAllocationHandle* made, void* file,
                       CUmemAllocationHandleType type) {
  const std::lock_guard lock(mutex);
  if (fails("cuMemImportFromShareableHandle"))
    return CUDA_ERROR_NOT_SUPPORTED;
  require(type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, "handles are imported as files");
  const int number = dup(static_cast<int>(reinterpret_cast<std::intptr_t>(file)));
  struct stat status{};
  require(fstat(number, &status) == 0, "a file is imported while it is open");
  *made = ++handles_made;
  handles[*made] = {number, static_cast<std::size_t>(status.st_size), 1};
  return CUDA_SUCCESS;
}

CUresult copy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream) {
  std::memcpy(at(to), at(from), bytes);
  return CUDA_SUCCESS;
}

// None of its memory is managed.
CUresult pointer_attribute(void* value, CUpointer_attribute, CUdeviceptr) {
  *static_cast<unsigned*>(value) = 0;
  return CUDA_SUCCESS;
}

CUresult parameter_info(CUkernel of, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  const auto& all = reinterpret_cast<const fake_cuda::kernel*>(of)->parameters;
  if (index >= all.size())
    return CUDA_ERROR_INVALID_VALUE;
  *offset = 0;
  *bytes = all[index];
  return CUDA_SUCCESS;
}

CUresult context_state(CUdevice device, unsigned* flags, int* active) {
  const std::lock_guard lock(mutex);
  *flags = 0;
  *active = used_devices[device];
  return CUDA_SUCCESS;
}

const std::map<std::string, void*>& driver() {
  static const std::map<std::string, void*> all = {
      {"cuMemAddressReserve", reinterpret_cast<void*>(reserve)},
      {"cuMemAddressFree", reinterpret_cast<void*>(free_addresses)},
      {"cuMemGetAllocationGranularity", reinterpret_cast<void*>(granularity)},
      {"cuMemCreate", reinterpret_cast<void*>(create)},
      {"cuMemRelease", reinterpret_cast<void*>(release)},
      {"cuMemMap", reinterpret_cast<void*>(map)},
      {"cuMemUnmap", reinterpret_cast<void*>(unmap)},
      {"cuMemSetAccess", reinterpret_cast<void*>(set_access)},
      {"cuMemExportToShareableHandle", reinterpret_cast<void*>(export_handle)},
      {"cuMemImportFromShareableHandle", reinterpret_cast<void*>(import_handle)},
      {"cuMemcpyAsync", reinterpret_cast<void*>(copy)},
      {"cuPointerGetAttribute", reinterpret_cast<void*>(pointer_attribute)},
      {"cuKernelGetParamInfo", reinterpret_cast<void*>(parameter_info)},
      {"cuDevicePrimaryCtxGetState", reinterpret_cast<void*>(context_state)},
  };
  return all;
}

void use_current_device() {
  const std::lock_guard lock(mutex);
  used_devices[current_device] = true;
}

cudaError_t launch(const void* function) {
  use_current_device();
  ++const_cast<fake_cuda::kernel*>(static_cast<const fake_cuda::kernel*>(function))->launches;
  return cudaSuccess;
}

} // namespace

namespace fake_cuda {

void fail_in(const std::string& function) {
  failing = function;
}

void hang_in(const std::string& function) {
  hanging = function;
}

usage used() {
  const std::lock_guard lock(mutex);
  return {reservations.size(), mappings.size(), handles.size()};
}

} // namespace fake_cuda

// The runtime's functions.
extern "C" {

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** found, unsigned,
                                             unsigned long long, cudaDriverEntryPointQueryResult*) {
  const auto entry = driver().find(name);
  *found = entry == driver().end() ? nullptr : entry->second;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = devices;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = current_device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  current_device = device;
  use_current_device();
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  *value = 2;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* name, int, int device) {
  std::strcpy(name, "0000:00:00.0");
  name[6] = static_cast<char>('0' + device);
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  use_current_device();
  *stream = nullptr;
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  *stream = nullptr;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = nullptr;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t) {
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t) {
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) {
  return cudaSuccess;
}
const char* cudaGetErrorName(cudaError_t) {
  return "an error of the fake CUDA";
}
const char* cudaGetErrorString(cudaError_t) {
  return "an error of the fake CUDA";
}
cudaError_t cudaGetLastError() {
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void*) {
  attributes->type = cudaMemoryTypeUnregistered;
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  use_current_device();
  *memory = std::malloc(bytes);
  return *memory != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaFree(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
  return cudaMalloc(memory, bytes);
}
cudaError_t cudaFreeHost(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void*, std::size_t, unsigned) {
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void*) {
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  std::memset(to, value, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t) {
  std::memset(to, value, bytes);
  return cudaSuccess;
}
cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(function));
  return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void* function, dim3, dim3, void**, std::size_t, cudaStream_t) {
  return launch(function);
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3, dim3, void**, std::size_t, cudaStream_t) {
  return launch(kernel);
}
}
