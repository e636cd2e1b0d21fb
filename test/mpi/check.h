// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of MPI test programs: a failed one ends all processes.
#ifndef GPURMA_TEST_MPI_CHECK_H
#define GPURMA_TEST_MPI_CHECK_H

#include <mpi.h>

#include <cstdio>

// Any expression, commas included.
#define CHECK(...)                                                                                 \
  do {                                                                                             \
    if (!(__VA_ARGS__)) {                                                                          \
      int check_rank = -1;                                                                         \
      MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);                                                  \
      std::fprintf(stderr, "%s:%d: process %d: CHECK(%s) failed\n", __FILE__, __LINE__,            \
                   check_rank, #__VA_ARGS__);                                                      \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                                \
    }                                                                                              \
  } while (0)

#endif
