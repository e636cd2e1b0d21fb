// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of functions for messages, from the symbol table of the program or library that has them.
#ifndef GPURMA_PLATFORM_CPU_SYMBOL_NAME_H
#define GPURMA_PLATFORM_CPU_SYMBOL_NAME_H

#include <string>

namespace gpurma::cpu {

// The function that begins at this address, as C++ writes it; "(unnamed)" if the file was stripped. Reads the
// file, which takes milliseconds.
std::string symbol_name(const void* function);

}  // namespace gpurma::cpu

#endif
