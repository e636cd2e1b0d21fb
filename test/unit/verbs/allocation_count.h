// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GPURMA_TEST_ALLOCATION_COUNT_H
#define GPURMA_TEST_ALLOCATION_COUNT_H

#include <cstddef>

namespace gpurma::test {

// Calls of operator new so far, of all threads.
std::size_t allocation_count();

} // namespace gpurma::test

#endif
