// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "devices.h"

#include <cuda_runtime.h>
#include <dlfcn.h>

#include <gpurma/platform/cpu/host.h>

namespace gpurma::info {

namespace {

void add_cpu_device(std::vector<device>& devices) {
  cudaDeviceProp properties;
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess)
    return;
  devices.push_back({"cpu", 0, properties.name, properties.multiProcessorCount,
                     static_cast<int>(cpu::resident_blocks())});
}

// The CUDA driver is asked through its library, so that one gpurma-info serves machines with and
// without it.
class cuda_driver {
public:
  cuda_driver() : library_(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {}
  ~cuda_driver() {
    if (library_)
      dlclose(library_);
  }
  cuda_driver(const cuda_driver&) = delete;
  cuda_driver& operator=(const cuda_driver&) = delete;

  // Calls a function of the driver API (all return 0 for success); whether it is there and
  // succeeded.
  template <class... Arguments> bool call(const char* name, Arguments... arguments) const {
    void* const symbol = library_ ? dlsym(library_, name) : nullptr;
    return symbol && reinterpret_cast<int (*)(Arguments...)>(symbol)(arguments...) == 0;
  }

private:
  void* library_;
};

void add_cuda_devices(std::vector<device>& devices) {
  constexpr int multiprocessor_count_attribute = 16; // CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
  const cuda_driver driver;
  int count = 0;
  if (!driver.call("cuInit", 0u) || !driver.call("cuDeviceGetCount", &count))
    return;
  for (int index = 0; index < count; ++index) {
    int handle = 0, multiprocessors = 0;
    char name[256] = {};
    if (driver.call("cuDeviceGet", &handle, index) &&
        driver.call("cuDeviceGetName", &name[0], int{sizeof name}, handle) &&
        driver.call("cuDeviceGetAttribute", &multiprocessors, multiprocessor_count_attribute,
                    handle))
      devices.push_back({"cuda", index, name, multiprocessors, 0});
  }
}

} // namespace

std::vector<device> find_devices() {
  std::vector<device> devices;
  add_cpu_device(devices);
  add_cuda_devices(devices);
  return devices;
}

} // namespace gpurma::info
