// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An int that processes of a host share, for ../region_independent.cu.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile int *shared;

__host__ __device__ int flag() { return *shared; }
__host__ __device__ void set_flag() { *shared = 1; }

bool share_flag(const char *path) {
  const int file = open(path, O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, 4096) != 0)
    return false;
  void *const page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (page == MAP_FAILED)
    return false;
  shared = static_cast<volatile int *>(page);
  *shared = 0;
  return true;
}
