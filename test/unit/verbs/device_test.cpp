// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transport/verbs/device.h"

#include <gtest/gtest.h>

#include "fake_verbs.h"

namespace {

using namespace gpurma::test;
using namespace gpurma::host::verbs;

struct OpenDevice : testing::Test {
  fake_network network;
  std::string reason;

  std::string opened(const device_choice& choice) {
    reason.clear();
    const auto device = open_device(network.api(), choice, reason);
    return device ? device->name : "";
  }
};

TEST_F(OpenDevice, TakesDevicesInTurn) {
  for (const char* name : {"a", "b"})
    network.add_device(name);
  EXPECT_EQ(opened({.local_rank = 0}), "a");
  EXPECT_EQ(opened({.local_rank = 1}), "b");
  EXPECT_EQ(opened({.local_rank = 2}), "a");
}

TEST_F(OpenDevice, TakesNamedDevicesInTurn) {
  for (const char* name : {"a", "b", "c"})
    network.add_device(name);
  EXPECT_EQ(opened({.names = "c,a", .local_rank = 0}), "c");
  EXPECT_EQ(opened({.names = "c,a", .local_rank = 1}), "a");
  EXPECT_EQ(opened({.names = "d"}), "");
  EXPECT_EQ(reason, "there is no device d (GPURMA_IB_DEVICE); there are a, b, c");
}

TEST_F(OpenDevice, SaysThatThereIsNone) {
  EXPECT_EQ(opened({}), "");
  EXPECT_EQ(reason, "there is no InfiniBand or RoCE device");
}

TEST_F(OpenDevice, LeavesOutDevicesThatItCannotUse) {
  network.add_device("a").opens = false;
  network.add_device("b").ports[0].state = IBV_PORT_DOWN;
  EXPECT_EQ(opened({}), "");
  EXPECT_EQ(reason, "device a cannot be opened: Permission denied; device b has no active port");
  network.add_device("c");
  EXPECT_EQ(opened({}), "c");
  EXPECT_EQ(opened({.local_rank = 1}), "c");
}

TEST_F(OpenDevice, TakesTheFirstActivePortOrTheNamedOne) {
  fake_device& device = network.add_device("a");
  device.ports.push_back(device.ports[0]);
  device.attributes.phys_port_cnt = 2;
  device.ports[0].state = IBV_PORT_DOWN;
  EXPECT_EQ(open_device(network.api(), {}, reason)->port, 2);
  EXPECT_EQ(open_device(network.api(), {.port = 2}, reason)->description(), "device a, port 2");
  EXPECT_EQ(opened({.port = 1}), "");
  EXPECT_EQ(reason, "port 1 of device a is not active");
  EXPECT_EQ(opened({.port = 3}), "");
  EXPECT_EQ(reason, "device a has no port 3 (GPURMA_IB_PORT), but 2");
}

TEST_F(OpenDevice, PrefersRoutableGidsOnEthernet) {
  fake_port& port = network.add_device("a").ports[0];
  const auto chosen = [&] {
    const auto device = open_device(network.api(), {}, reason);
    return device ? static_cast<int>(device->gid_index) : -1;
  };
  port.gids = {link_local_gid(0, IBV_GID_TYPE_ROCE_V1), link_local_gid(1, IBV_GID_TYPE_ROCE_V2),
               ipv4_gid(2, IBV_GID_TYPE_ROCE_V1), ipv4_gid(3, IBV_GID_TYPE_ROCE_V2)};
  EXPECT_EQ(chosen(), 3);
  port.gids.pop_back();
  EXPECT_EQ(chosen(), 1);
  port.gids.erase(port.gids.begin() + 1);
  EXPECT_EQ(chosen(), -1);
  EXPECT_EQ(reason, "device a, port 1 has no GID of RoCE v2; see show_gids, or set "
                    "GPURMA_IB_GID_INDEX");
  port.link_layer = IBV_LINK_LAYER_INFINIBAND;
  port.gids = {link_local_gid(0, IBV_GID_TYPE_IB), link_local_gid(1, IBV_GID_TYPE_IB)};
  EXPECT_EQ(chosen(), 0);
}

TEST_F(OpenDevice, TakesTheGidThatItIsTold) {
  network.add_device("a").ports[0].gids.push_back(link_local_gid(5, IBV_GID_TYPE_ROCE_V1));
  EXPECT_EQ(open_device(network.api(), {.gid_index = 5}, reason)->gid_index, 5u);
  EXPECT_EQ(opened({.gid_index = 4}), "");
  EXPECT_EQ(reason, "device a, port 1 has no GID 4 (GPURMA_IB_GID_INDEX)");
}

TEST(Nearest, SharesTheLongestPartOfThePath) {
  const std::vector<std::string> devices = {"/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0",
                                            "/sys/devices/pci0000:80/0000:80:01.0/0000:81:00.0",
                                            "/sys/devices/pci0000:80/0000:80:02.0/0000:82:00.0"};
  using indices = std::vector<std::size_t>;
  EXPECT_EQ(nearest(devices, "/sys/devices/pci0000:80/0000:80:01.0/0000:83:00.0"), indices{1});
  EXPECT_EQ(nearest(devices, "/sys/devices/pci0000:80/0000:80:03.0"), (indices{1, 2}));
  EXPECT_EQ(nearest(devices, "/sys/devices/pci0000:40/0000:40:01.0"), (indices{0, 1, 2}));
  EXPECT_EQ(nearest(devices, ""), (indices{0, 1, 2}));
}

} // namespace
