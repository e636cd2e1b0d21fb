// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GPURMA_TEST_FUZZ_CLAUSES_H
#define GPURMA_TEST_FUZZ_CLAUSES_H

#include <cstddef>
#include <string>

namespace gpurma {

/// Whether lowering works here at all: a plain `barrier` has to succeed. (A failure with a place is all right for
/// checkClauses, so without this everything would pass where, say, a header is not found.) Returns as checkClauses does.
std::string checkSetUp();

/// Lowers a kernel that holds `#pragma gpurma TEXT`. What must hold, whatever the text: lower() returns, and where it fails it
/// has printed an error with a place in the file. Returns a description of what does not hold, else an empty string.
std::string checkClauses(const std::string &Text);

} // namespace gpurma

#endif // GPURMA_TEST_FUZZ_CLAUSES_H
