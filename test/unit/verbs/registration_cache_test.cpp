// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transport/verbs/registration_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <map>

#include "fake_verbs.h"
#include "host/allocations.h"
#include "host/memory.h"

namespace {

using namespace gpurma::test;
using namespace gpurma::host::verbs;
using gpurma::host::allocation;

std::map<std::uint64_t, allocation> allocations; // by base

allocation lookup(const void* address) {
  const auto wanted = reinterpret_cast<std::uint64_t>(address);
  for (const auto& [base, each] : allocations)
    if (wanted >= base && wanted < base + each.bytes)
      return each;
  return {};
}

struct RegistrationCache : testing::Test {
  fake_network network;
  std::string reason;
  std::unique_ptr<device> on;
  std::byte memory[4096];

  RegistrationCache() {
    network.add_device("a");
    on = open_device(network.api(), {}, reason);
    allocations.clear();
  }
  void allocate(std::size_t begin, std::size_t bytes, std::uint64_t id) {
    const auto base = reinterpret_cast<std::uint64_t>(memory + begin);
    allocations[base] = {base, bytes, id, false};
  }
  void free(std::size_t begin) {
    allocations.erase(reinterpret_cast<std::uint64_t>(memory + begin));
  }
};

TEST_F(RegistrationCache, RegistersAnAllocationOnceAndAsAWhole) {
  registration_cache cache(*on, gpu_registration::none);
  cache.forget_freed({lookup, nullptr});
  allocate(0, 1000, 1);
  allocate(1000, 1000, 2);
  const ibv_mr* const first = cache.find(memory + 10, 20, reason);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->addr, memory);
  EXPECT_EQ(first->length, 1000u);
  EXPECT_EQ(cache.find(memory, 1000, reason), first);
  const ibv_mr* const second = cache.find(memory + 1999, 1, reason);
  EXPECT_NE(second, first);
  EXPECT_EQ(cache.find(memory + 999, 1, reason), first);
  EXPECT_EQ(cache.find(memory + 1000, 1, reason), second);
  EXPECT_EQ(network.registered, 2u);
}

TEST_F(RegistrationCache, RefusesWhatIsNotInOneAllocation) {
  registration_cache cache(*on, gpu_registration::none);
  cache.forget_freed({lookup, nullptr});
  allocate(0, 1000, 1);
  EXPECT_EQ(cache.find(memory + 999, 2, reason), nullptr);
  EXPECT_NE(reason.find("no allocation holds the 2 bytes at 0x"), std::string::npos) << reason;
  EXPECT_EQ(cache.find(memory + 1000, 1, reason), nullptr);
  EXPECT_EQ(network.registered, 0u);
}

TEST_F(RegistrationCache, ForgetsAllocationsThatHaveBeenFreedOrReplaced) {
  registration_cache cache(*on, gpu_registration::none);
  cache.forget_freed({lookup, nullptr});
  allocate(0, 1000, 1);
  allocate(1000, 1000, 2);
  allocate(2000, 1000, 3);
  for (const std::size_t begin : {0, 1000, 2000})
    ASSERT_NE(cache.find(memory + begin, 1, reason), nullptr);
  free(0);
  allocate(1000, 1000, 4); // another one at the same address
  cache.forget_freed({lookup, nullptr});
  EXPECT_EQ(cache.size(), 1u);
  EXPECT_EQ(network.regions(), 1u);
  EXPECT_EQ(cache.find(memory, 1, reason), nullptr);
  EXPECT_NE(cache.find(memory + 1000, 1, reason), nullptr);
  EXPECT_NE(cache.find(memory + 2000, 1, reason), nullptr);
  EXPECT_EQ(network.registered, 4u);
}

TEST_F(RegistrationCache, SaysWhatTheDeviceRefuses) {
  registration_cache cache(*on, gpu_registration::none);
  network.registers = false;
  EXPECT_EQ(cache.register_once(memory, 100, 0, reason), nullptr);
  EXPECT_EQ(reason, "100 bytes cannot be registered with device a, port 1: Cannot allocate memory "
                    "(is the limit of locked memory, ulimit -l, too low?)");
}

int export_nothing(const allocation&, std::string& reason) {
  reason = "nothing to export";
  return -1;
}
int export_file(const allocation&, std::string&) {
  return open("/dev/null", O_RDONLY);
}

TEST_F(RegistrationCache, RegistersMemoryOfGpusAsItIsTold) {
  allocate(0, 1000, 1);
  allocations.begin()->second.on_gpu = true;
  const auto registers = [&](gpu_registration how,
                             int (*exports)(const allocation&, std::string&)) {
    registration_cache cache(*on, how);
    cache.forget_freed({lookup, exports});
    reason.clear();
    return cache.find(memory, 1, reason) != nullptr;
  };
  EXPECT_FALSE(registers(gpu_registration::none, export_file));
  EXPECT_EQ(reason, "memory of GPUs is not registered (GPURMA_IB_GPU_MEMORY)");
  EXPECT_FALSE(registers(gpu_registration::dmabuf, export_nothing));
  EXPECT_EQ(reason, "nothing to export");
  EXPECT_FALSE(registers(gpu_registration::dmabuf, export_file));
  EXPECT_EQ(reason, "a dma-buf of 1000 bytes cannot be registered with device a, port 1: Operation "
                    "not supported");
  EXPECT_TRUE(registers(gpu_registration::any, export_nothing));
  EXPECT_TRUE(registers(gpu_registration::peermem, export_file));
  EXPECT_EQ(network.dmabufs, 0u);
  network.registers_dmabufs = true;
  EXPECT_TRUE(registers(gpu_registration::dmabuf, export_file));
  EXPECT_TRUE(registers(gpu_registration::any, export_file));
  EXPECT_EQ(network.dmabufs, 2u);
  network.registers = false;
  EXPECT_FALSE(registers(gpu_registration::any, export_nothing));
  EXPECT_EQ(reason,
            "nothing to export; 1000 bytes on a GPU cannot be registered with device a, port "
            "1: Cannot allocate memory (is the kernel module nvidia-peermem loaded?)");
}

TEST_F(RegistrationCache, DoesNotTryAgainWhatHasBeenRefused) {
  registration_cache cache(*on, gpu_registration::none);
  cache.forget_freed({lookup, nullptr});
  allocate(0, 1000, 1);
  network.registers = false;
  EXPECT_EQ(cache.find(memory, 1, reason), nullptr);
  const std::string why = reason;
  network.registers = true;
  reason.clear();
  EXPECT_EQ(cache.find(memory + 5, 1, reason), nullptr);
  EXPECT_EQ(reason, why);
  free(0);
  cache.forget_freed({lookup, nullptr});
  allocate(0, 1000, 2);
  EXPECT_NE(cache.find(memory, 1, reason), nullptr);
}

TEST_F(RegistrationCache, LeavesNothingRegistered) {
  {
    registration_cache cache(*on, gpu_registration::none);
    cache.forget_freed({lookup, nullptr});
    allocate(0, 1000, 1);
    ASSERT_NE(cache.find(memory, 1, reason), nullptr);
    ibv_mr* const once = cache.register_once(memory + 3000, 10, 0, reason);
    ASSERT_NE(once, nullptr);
    EXPECT_EQ(network.regions(), 2u);
    cache.release(once);
    EXPECT_EQ(network.regions(), 1u);
  }
  EXPECT_EQ(network.regions(), 0u);
}

// Payload buffers, so that not every payload is registered by itself, and taken back while the
// network may still ask for it again.
TEST_F(RegistrationCache, RegistersPinnedMemoryOnce) {
  registration_cache cache(*on, gpu_registration::none);
  cache.forget_freed({gpurma::host::find_allocation, nullptr});
  EXPECT_EQ(cache.find(memory, 10, reason), nullptr);
  ASSERT_TRUE(gpurma::host::pin(memory, sizeof memory));
  const ibv_mr* const first = cache.find(memory, 10, reason);
  ASSERT_NE(first, nullptr) << reason;
  EXPECT_EQ(cache.find(memory + 1000, 3096, reason), first);
  EXPECT_EQ(network.registered, 1u);
  gpurma::host::unpin(memory);
}

} // namespace
