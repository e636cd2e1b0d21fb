// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The option table of gpurmacc, generated from Options.td.
#ifndef GPURMA_TOOLS_GPURMACC_OPTIONS_H
#define GPURMA_TOOLS_GPURMACC_OPTIONS_H

#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/StringSaver.h"
#include <string>
#include <vector>

namespace gpurma::driver {

/// Flags of options in Options.td; the first bits belong to LLVM.
enum OptionFlags : unsigned { WritesBesideOutput = 1u << 4 };

enum OptionId {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

class OptionTable : public llvm::opt::GenericOptTable {
public:
  OptionTable();
};

/// What nvcc reads in another way than gcc and clang: `-optf file` is @file, and `-Werror kind` is -Werror=kind.
void translateNvccWords(llvm::SmallVectorImpl<const char *> &Words, llvm::StringSaver &Saver);

/// -rdc=true, -dc: device functions and variables are those of the whole program.
bool wantsRelocatableDeviceCode(const llvm::opt::ArgList &Args);

/// The -std= that is older than C++17, which gpurma's headers need; null if there is none.
const llvm::opt::Arg* tooOldStandard(const llvm::opt::ArgList& Args);

/// The words of an argument as the user wrote them ("-lm" stays one word, "-l m" two); of an alias, those of what it stands for.
std::vector<std::string> asWritten(const llvm::opt::InputArgList &Args, const llvm::opt::Arg &A);

} // namespace gpurma::driver

#endif // GPURMA_TOOLS_GPURMACC_OPTIONS_H
