// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

int sum_of_ranks(int *processes, int *process, int *sum);
int expected_offset();

int main() {
  int processes = 0, process = 0, sum = 0;
  int difference = sum_of_ranks(&processes, &process, &sum);
  if (process == 0)
    std::printf("offset %d: %d processes, sum of ranks %d is %s\n", expected_offset(), processes, sum,
                difference == 0 ? "right" : "wrong");
  return difference != 0;
}
