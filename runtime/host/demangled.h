// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GPURMA_HOST_DEMANGLED_H
#define GPURMA_HOST_DEMANGLED_H

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string>

namespace gpurma::host {

// A symbol's name as C++ writes it; the symbol itself, if it is none of C++.
inline std::string demangled(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> written(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return status == 0 ? written.get() : symbol;
}

} // namespace gpurma::host

#endif
