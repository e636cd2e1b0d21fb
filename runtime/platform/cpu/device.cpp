// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one device of the process: its properties, its limits, and calls that concern it as a whole.
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>

#include "device_limits.h"
#include "error.h"
#include "stream.h"

namespace gpurma::cpu {

namespace {

constexpr char bus_id[] = "0000:00:00.0";

std::atomic<unsigned> device_flags{cudaDeviceScheduleAuto};
std::atomic<cudaFuncCache> cache_config{cudaFuncCachePreferNone};
std::atomic<cudaSharedMemConfig> shared_config{cudaSharedMemBankSizeFourByte};

cudaError_t on_device(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

std::size_t cache_bytes() {
  const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

cudaDeviceProp properties() {
  cudaDeviceProp p{};
  std::snprintf(p.name, sizeof(p.name), "gpurma CPU device");
  std::size_t free = 0;
  cudaMemGetInfo(&free, &p.totalGlobalMem);
  p.sharedMemPerBlock = limits::dynamic_shared;
  p.sharedMemPerBlockOptin = limits::dynamic_shared_opt_in;
  p.sharedMemPerMultiprocessor = limits::dynamic_shared_opt_in * limits::blocks_per_multiprocessor();
  p.regsPerBlock = p.regsPerMultiprocessor = limits::registers;
  p.warpSize = 32;
  p.memPitch = limits::pitch;
  p.maxThreadsPerBlock = static_cast<int>(limits::block_threads);
  p.maxThreadsDim[0] = static_cast<int>(limits::block_x);
  p.maxThreadsDim[1] = static_cast<int>(limits::block_y);
  p.maxThreadsDim[2] = static_cast<int>(limits::block_z);
  p.maxGridSize[0] = static_cast<int>(limits::grid_x);
  p.maxGridSize[1] = static_cast<int>(limits::grid_y);
  p.maxGridSize[2] = static_cast<int>(limits::grid_z);
  p.totalConstMem = 65536;
  p.major = limits::major;
  p.minor = limits::minor;
  p.textureAlignment = 512;
  p.texturePitchAlignment = 32;
  p.multiProcessorCount = static_cast<int>(limits::multiprocessors());
  p.integrated = 1;
  p.canMapHostMemory = 1;
  p.computeMode = cudaComputeModeDefault;
  p.concurrentKernels = 1;
  p.asyncEngineCount = 1;
  p.unifiedAddressing = 1;
  p.l2CacheSize = static_cast<int>(cache_bytes());
  p.maxThreadsPerMultiProcessor = static_cast<int>(limits::block_threads * limits::blocks_per_multiprocessor());
  p.maxBlocksPerMultiProcessor = static_cast<int>(limits::blocks_per_multiprocessor());
  p.streamPrioritiesSupported = 0;
  p.globalL1CacheSupported = 1;
  p.localL1CacheSupported = 1;
  p.managedMemory = 1;
  p.hostNativeAtomicSupported = 1;
  p.singleToDoublePrecisionPerfRatio = 2;
  p.pageableMemoryAccess = 1;
  p.concurrentManagedAccess = 1;
  p.canUseHostPointerForRegisteredMem = 1;
  p.cooperativeLaunch = 1;
  p.pageableMemoryAccessUsesHostPageTables = 1;
  p.directManagedMemAccessFromHost = 1;
  p.hostRegisterSupported = 1;
  return p;
}

}  // namespace
}  // namespace gpurma::cpu

using namespace gpurma::cpu;

cudaError_t cudaGetDeviceCount(int* count) {
  if (count == nullptr) return result(cudaErrorInvalidValue);
  *count = 1;
  return result(cudaSuccess);
}

cudaError_t cudaSetDevice(int device) { return result(on_device(device)); }

cudaError_t cudaGetDevice(int* device) {
  if (device == nullptr) return result(cudaErrorInvalidValue);
  *device = 0;
  return result(cudaSuccess);
}

cudaError_t cudaInitDevice(int device, unsigned int, unsigned int) { return result(on_device(device)); }

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  if ((flags & ~static_cast<unsigned>(cudaDeviceMask)) != 0) return result(cudaErrorInvalidValue);
  device_flags = flags;
  return result(cudaSuccess);
}

cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
  if (flags == nullptr) return result(cudaErrorInvalidValue);
  *flags = device_flags;
  return result(cudaSuccess);
}

cudaError_t cudaSetValidDevices(int* devices, int count) {
  if (count < 0 || (count > 0 && devices == nullptr)) return result(cudaErrorInvalidValue);
  for (int i = 0; i < count; ++i)
    if (devices[i] != 0) return result(cudaErrorInvalidDevice);
  return result(cudaSuccess);
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* prop) {
  if (device == nullptr || prop == nullptr) return result(cudaErrorInvalidValue);
  *device = 0;
  return result(cudaSuccess);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* prop, int device) {
  if (prop == nullptr) return result(cudaErrorInvalidValue);
  if (device != 0) return result(cudaErrorInvalidDevice);
  *prop = properties();
  return result(cudaSuccess);
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attr, int device) {
  if (value == nullptr) return result(cudaErrorInvalidValue);
  if (device != 0) return result(cudaErrorInvalidDevice);
  const cudaDeviceProp p = properties();
  switch (attr) {
    case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
    case cudaDevAttrMaxBlockDimX: *value = p.maxThreadsDim[0]; break;
    case cudaDevAttrMaxBlockDimY: *value = p.maxThreadsDim[1]; break;
    case cudaDevAttrMaxBlockDimZ: *value = p.maxThreadsDim[2]; break;
    case cudaDevAttrMaxGridDimX: *value = p.maxGridSize[0]; break;
    case cudaDevAttrMaxGridDimY: *value = p.maxGridSize[1]; break;
    case cudaDevAttrMaxGridDimZ: *value = p.maxGridSize[2]; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = static_cast<int>(p.sharedMemPerBlock); break;
    case cudaDevAttrTotalConstantMemory: *value = static_cast<int>(p.totalConstMem); break;
    case cudaDevAttrWarpSize: *value = p.warpSize; break;
    case cudaDevAttrMaxPitch: *value = static_cast<int>(p.memPitch); break;
    case cudaDevAttrMaxRegistersPerBlock: *value = p.regsPerBlock; break;
    case cudaDevAttrClockRate: *value = p.clockRate; break;
    case cudaDevAttrTextureAlignment: *value = static_cast<int>(p.textureAlignment); break;
    case cudaDevAttrGpuOverlap: *value = p.deviceOverlap; break;
    case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
    case cudaDevAttrKernelExecTimeout: *value = p.kernelExecTimeoutEnabled; break;
    case cudaDevAttrIntegrated: *value = p.integrated; break;
    case cudaDevAttrCanMapHostMemory: *value = p.canMapHostMemory; break;
    case cudaDevAttrComputeMode: *value = p.computeMode; break;
    case cudaDevAttrConcurrentKernels: *value = p.concurrentKernels; break;
    case cudaDevAttrEccEnabled: *value = p.ECCEnabled; break;
    case cudaDevAttrPciBusId: *value = p.pciBusID; break;
    case cudaDevAttrPciDeviceId: *value = p.pciDeviceID; break;
    case cudaDevAttrTccDriver: *value = p.tccDriver; break;
    case cudaDevAttrMemoryClockRate: *value = p.memoryClockRate; break;
    case cudaDevAttrGlobalMemoryBusWidth: *value = p.memoryBusWidth; break;
    case cudaDevAttrL2CacheSize: *value = p.l2CacheSize; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrAsyncEngineCount: *value = p.asyncEngineCount; break;
    case cudaDevAttrUnifiedAddressing: *value = p.unifiedAddressing; break;
    case cudaDevAttrPciDomainId: *value = p.pciDomainID; break;
    case cudaDevAttrTexturePitchAlignment: *value = static_cast<int>(p.texturePitchAlignment); break;
    case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
    case cudaDevAttrStreamPrioritiesSupported: *value = p.streamPrioritiesSupported; break;
    case cudaDevAttrGlobalL1CacheSupported: *value = p.globalL1CacheSupported; break;
    case cudaDevAttrLocalL1CacheSupported: *value = p.localL1CacheSupported; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = static_cast<int>(p.sharedMemPerMultiprocessor); break;
    case cudaDevAttrMaxRegistersPerMultiprocessor: *value = p.regsPerMultiprocessor; break;
    case cudaDevAttrManagedMemory: *value = p.managedMemory; break;
    case cudaDevAttrIsMultiGpuBoard: *value = p.isMultiGpuBoard; break;
    case cudaDevAttrMultiGpuBoardGroupID: *value = p.multiGpuBoardGroupID; break;
    case cudaDevAttrHostNativeAtomicSupported: *value = p.hostNativeAtomicSupported; break;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio: *value = p.singleToDoublePrecisionPerfRatio; break;
    case cudaDevAttrPageableMemoryAccess: *value = p.pageableMemoryAccess; break;
    case cudaDevAttrConcurrentManagedAccess: *value = p.concurrentManagedAccess; break;
    case cudaDevAttrComputePreemptionSupported: *value = p.computePreemptionSupported; break;
    case cudaDevAttrCanUseHostPointerForRegisteredMem: *value = p.canUseHostPointerForRegisteredMem; break;
    case cudaDevAttrCooperativeLaunch: *value = p.cooperativeLaunch; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = static_cast<int>(p.sharedMemPerBlockOptin); break;
    case cudaDevAttrCanFlushRemoteWrites: *value = 0; break;
    case cudaDevAttrHostRegisterSupported: *value = p.hostRegisterSupported; break;
    case cudaDevAttrPageableMemoryAccessUsesHostPageTables: *value = p.pageableMemoryAccessUsesHostPageTables; break;
    case cudaDevAttrDirectManagedMemAccessFromHost: *value = p.directManagedMemAccessFromHost; break;
    case cudaDevAttrMaxBlocksPerMultiprocessor: *value = p.maxBlocksPerMultiProcessor; break;
    case cudaDevAttrMaxPersistingL2CacheSize: *value = p.persistingL2CacheMaxSize; break;
    case cudaDevAttrReservedSharedMemoryPerBlock: *value = static_cast<int>(p.reservedSharedMemPerBlock); break;
    case cudaDevAttrMemoryPoolsSupported: *value = p.memoryPoolsSupported; break;
    case cudaDevAttrGPUDirectRDMASupported: *value = p.gpuDirectRDMASupported; break;
    case cudaDevAttrClusterLaunch: *value = p.clusterLaunch; break;
    default: return result(cudaErrorInvalidValue);
  }
  return result(cudaSuccess);
}

cudaError_t cudaDeviceGetPCIBusId(char* pciBusId, int len, int device) {
  if (pciBusId == nullptr || len < static_cast<int>(sizeof(bus_id))) return result(cudaErrorInvalidValue);
  if (device != 0) return result(cudaErrorInvalidDevice);
  std::memcpy(pciBusId, bus_id, sizeof(bus_id));
  return result(cudaSuccess);
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* pciBusId) {
  if (device == nullptr || pciBusId == nullptr) return result(cudaErrorInvalidValue);
  if (std::strcmp(pciBusId, bus_id) != 0) return result(cudaErrorInvalidDevice);
  *device = 0;
  return result(cudaSuccess);
}

cudaError_t cudaDeviceReset() {
  if (on_stream_thread()) return result(cudaErrorNotPermitted);
  wait_for_device();
  reset_device_error();
  return result(cudaSuccess);
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t) {
  switch (limit) {
    // A thread's stack is GPURMA_CPU_STACK; the rest is the C library's and has no limit.
    case cudaLimitStackSize:
    case cudaLimitPrintfFifoSize:
    case cudaLimitMallocHeapSize:
      return result(cudaSuccess);
    default:
      return result(cudaErrorUnsupportedLimit);
  }
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  if (value == nullptr) return result(cudaErrorInvalidValue);
  std::size_t free = 0, total = 0;
  switch (limit) {
    case cudaLimitStackSize:
      *value = settings().stack;
      return result(cudaSuccess);
    case cudaLimitPrintfFifoSize:
    case cudaLimitMallocHeapSize:
      cudaMemGetInfo(&free, &total);
      *value = total;
      return result(cudaSuccess);
    default:
      return result(cudaErrorUnsupportedLimit);
  }
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  cache_config = config;
  return result(cudaSuccess);
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  if (config == nullptr) return result(cudaErrorInvalidValue);
  *config = cache_config;
  return result(cudaSuccess);
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
  shared_config = config;
  return result(cudaSuccess);
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  if (config == nullptr) return result(cudaErrorInvalidValue);
  *config = shared_config;
  return result(cudaSuccess);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  if (leastPriority != nullptr) *leastPriority = 0;
  if (greatestPriority != nullptr) *greatestPriority = 0;
  return result(cudaSuccess);
}

// One device: it is nobody's peer.
cudaError_t cudaDeviceCanAccessPeer(int* canAccessPeer, int device, int peerDevice) {
  if (canAccessPeer == nullptr) return result(cudaErrorInvalidValue);
  if (device != 0 || peerDevice != 0) return result(cudaErrorInvalidDevice);
  *canAccessPeer = 0;
  return result(cudaSuccess);
}

cudaError_t cudaDeviceEnablePeerAccess(int, unsigned int) { return result(cudaErrorInvalidDevice); }

cudaError_t cudaDeviceDisablePeerAccess(int peerDevice) {
  return result(peerDevice == 0 ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice);
}

cudaError_t cudaDriverGetVersion(int* version) {
  if (version == nullptr) return result(cudaErrorInvalidValue);
  *version = CUDART_VERSION;
  return result(cudaSuccess);
}

cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }

cudaError_t cudaProfilerStart() { return result(cudaSuccess); }

cudaError_t cudaProfilerStop() { return result(cudaSuccess); }
