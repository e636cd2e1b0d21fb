# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced in the guest of vm.sh: soft-RoCE devices.

# make_devices: rxe0 (10.1.0.1) and rxe1 (10.1.0.2) on the two ends of a veth pair. Both ends are in one network namespace, whose
# routing would deliver locally what goes from one to the other; rules by outgoing interface make it cross the pair.
make_devices() {
  local i
  # soft-RoCE sends answers to reads as fast as it can, and what overflows these queues is sent again after a time-out.
  sysctl -q -w net.core.netdev_max_backlog=100000
  ip link add v0 mtu 4400 type veth peer name v1 mtu 4400 # packets of 4096 bytes
  for i in 0 1; do
    ip addr add 10.1.0.$((i + 1))/24 dev v$i
    ip link set v$i up
    ip route add 10.1.0.$((2 - i))/32 dev v$i src 10.1.0.$((i + 1)) table 10$i
    ip rule add pref $((i + 1)) oif v$i lookup 10$i
  done
  ip rule add pref 10 lookup local
  ip rule del pref 0
  echo 0 > /proc/sys/net/ipv4/conf/all/rp_filter
  for i in v0 v1; do
    echo 1 > /proc/sys/net/ipv4/conf/$i/accept_local
    echo 0 > /proc/sys/net/ipv4/conf/$i/rp_filter
    echo 1 > /proc/sys/net/ipv4/conf/$i/arp_ignore
  done
  for i in 0 1; do
    rdma link add rxe$i type rxe netdev v$i
  done
  sleep 1 # for the addresses to be in the tables of GIDs
}

# lose <percent>: packets on the way from rxe1 and from rxe0.
lose() {
  local i
  for i in v0 v1; do
    tc qdisc replace dev $i root netem loss "$1"
  done
}
