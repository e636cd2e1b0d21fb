// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks, tags and counts of 64 bits are what they say: those that int has work, also in templates, and others end the run. So are those of classes and
// enumerations of such types.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_CPU_RANKS=3 %t | FileCheck %s
// RUN: %if nvcc %{ %check_cuda --Werror all-warnings -c %s -o %t.o %}
// RUN: env GPURMA_CPU_RANKS=2 not %t tag 2>&1 | FileCheck --check-prefix=TAG %s
// RUN: env GPURMA_CPU_RANKS=2 not %t class 2>&1 | FileCheck --check-prefix=CLASS %s
// RUN: env GPURMA_CPU_RANKS=2 not %t enum 2>&1 | FileCheck --check-prefix=ENUM %s
// RUN: env GPURMA_CPU_RANKS=2 not %t rank 2>&1 | FileCheck --check-prefix=RANK %s
// RUN: env GPURMA_CPU_RANKS=2 not %t count 2>&1 | FileCheck --check-prefix=COUNT %s
// CHECK: wide_numbers: ok
// TAG: error: put at {{.*}}wide_numbers.cu:[[@LINE+26]] on rank {{[01]}}: the tag is a number that int has not; ranks, tags and counts are from 0 to 2147483647
// RANK: error: put at {{.*}} on rank {{[01]}}: the rank is a number that int has not;
// COUNT: error: wait at {{.*}} on rank {{[01]}}: the count is a number that int has not;
#include "Inputs/exec.h"

#include <cstring>

// CLASS: error: notify at {{.*}} on rank {{[01]}}: the tag is a number that int has not;
// ENUM: error: wait at {{.*}} on rank {{[01]}}: the tag is a number that int has not;
class Tag {
public:
  __device__ explicit Tag(long long value) : value_(value) {}
  __device__ operator long long() const { return value_; }

private:
  long long value_;
};
enum Kind : unsigned { first = 10, last = 4294967295u };
// The next one, or no rank: -1, as the difference of unsigned numbers is.
template <class Number> __device__ void exchange(int *memory, Number tag, Number to, Number count, int *failures) {
  const int left = (gpurma::rank() + gpurma::size() - 1) % gpurma::size();
  int *own = memory + 2 * gpurma::device_rank();
#pragma gpurma window(w = own[0 : 2])
  if (threadIdx.x == 0)
    own[1] = gpurma::rank() + 100;
  __syncthreads();
#pragma gpurma put(own[1 : 1]) to(to) at(w[0]) notify(tag)
#pragma gpurma notify(to) tag(tag)
#pragma gpurma notify(Number(0) - Number(1)) tag(tag)
#pragma gpurma wait tag(tag) count(count)
  expect(failures, own[0] == left + 100);
#pragma gpurma barrier
}
__global__ void kernel(int *memory, long long by_tag, long long by_rank, long long by_count, long long by_class, long long by_enum, int *failures) {
  const int next = (gpurma::rank() + 1) % gpurma::size();
  exchange<long long>(memory, 7 + by_tag, next + by_rank, 2 + by_count, failures);
  exchange<std::size_t>(memory, 8, next, 2, failures);
  exchange<int>(memory, 9, next, 2, failures);
  const Tag tag(by_class + 11);
#pragma gpurma notify(next) tag(tag)
#pragma gpurma wait tag(tag)
  const Kind kind = by_enum != 0 ? last : first;
#pragma gpurma notify(next) tag(first)
#pragma gpurma wait tag(kind)
}

int main(int argc, char **argv) {
  auto is = [&](const char *word) { return argc > 1 && std::strcmp(argv[1], word) == 0 ? 1LL << 32 : 0; };
  auto layout = gpurma::query(kernel, 32);
  int *memory = managed<int>(2 * layout.device_ranks), *failures = managed<int>(1);
  kernel<<<layout.device_ranks, 32>>>(memory, is("tag"), is("rank"), is("count"), is("class"), is("enum"), failures);
  return finish("wide_numbers", layout, failures);
}
