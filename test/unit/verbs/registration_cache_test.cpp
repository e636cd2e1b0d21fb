// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transport/verbs/registration_cache.h"

#include <gtest/gtest.h>

#include <map>

#include "fake_verbs.h"

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
    allocations[base] = {base, bytes, id, true};
  }
  void free(std::size_t begin) {
    allocations.erase(reinterpret_cast<std::uint64_t>(memory + begin));
  }
};

TEST_F(RegistrationCache, RegistersAnAllocationOnceAndAsAWhole) {
  registration_cache cache(*on);
  cache.forget_freed(lookup);
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
  registration_cache cache(*on);
  cache.forget_freed(lookup);
  allocate(0, 1000, 1);
  EXPECT_EQ(cache.find(memory + 999, 2, reason), nullptr);
  EXPECT_NE(reason.find("no allocation holds the 2 bytes at 0x"), std::string::npos) << reason;
  EXPECT_EQ(cache.find(memory + 1000, 1, reason), nullptr);
  EXPECT_EQ(network.registered, 0u);
}

TEST_F(RegistrationCache, ForgetsAllocationsThatHaveBeenFreedOrReplaced) {
  registration_cache cache(*on);
  cache.forget_freed(lookup);
  allocate(0, 1000, 1);
  allocate(1000, 1000, 2);
  allocate(2000, 1000, 3);
  for (const std::size_t begin : {0, 1000, 2000})
    ASSERT_NE(cache.find(memory + begin, 1, reason), nullptr);
  free(0);
  allocate(1000, 1000, 4); // another one at the same address
  cache.forget_freed(lookup);
  EXPECT_EQ(cache.size(), 1u);
  EXPECT_EQ(network.regions(), 1u);
  EXPECT_EQ(cache.find(memory, 1, reason), nullptr);
  EXPECT_NE(cache.find(memory + 1000, 1, reason), nullptr);
  EXPECT_NE(cache.find(memory + 2000, 1, reason), nullptr);
  EXPECT_EQ(network.registered, 4u);
}

TEST_F(RegistrationCache, SaysWhatTheDeviceRefuses) {
  registration_cache cache(*on);
  network.registers = false;
  EXPECT_EQ(cache.register_once(memory, 100, 0, reason), nullptr);
  EXPECT_EQ(reason, "100 bytes cannot be registered with device a, port 1: Cannot allocate memory "
                    "(is the limit of locked memory, ulimit -l, too low?)");
}

TEST_F(RegistrationCache, LeavesNothingRegistered) {
  {
    registration_cache cache(*on);
    cache.forget_freed(lookup);
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

} // namespace
