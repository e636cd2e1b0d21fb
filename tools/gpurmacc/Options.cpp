// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Options.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/Option.h"

using namespace llvm::opt;

namespace gpurma::driver {

namespace {
#define PREFIX(NAME, VALUE)                                                                        \
  static constexpr llvm::StringLiteral NAME##_init[] = VALUE;                                      \
  static constexpr llvm::ArrayRef<llvm::StringLiteral> NAME(NAME##_init,                           \
                                                            std::size(NAME##_init) - 1);
#include "Options.inc"
#undef PREFIX

constexpr OptTable::Info InfoTable[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};
} // namespace

OptionTable::OptionTable() : GenericOptTable(InfoTable) {}

void translateNvccWords(llvm::SmallVectorImpl<const char *> &Words, llvm::StringSaver &Saver) {
  llvm::SmallVector<const char *, 64> Result;
  for (std::size_t I = 0; I < Words.size(); ++I) {
    const llvm::StringRef Word = Words[I];
    const llvm::StringRef Next = I + 1 < Words.size() ? Words[I + 1] : "";
    llvm::StringRef Files = Word;
    const bool NamesFiles = Word == "-optf" || Word == "--options-file";
    if (NamesFiles || Files.consume_front("-optf=") || Files.consume_front("--options-file=")) {
      for (llvm::StringRef File : llvm::split(NamesFiles ? Next : Files, ','))
        Result.push_back(Saver.save("@" + File).data());
      I += NamesFiles;
    } else if (Word == "-Werror" && llvm::is_contained({"all-warnings", "cross-execution-space-call", "reorder", "default-stream-launch",
                                                         "missing-launch-bounds", "ext-lambda-captures-this", "deprecated-declarations"},
                                                        Next)) {
      Result.push_back(Saver.save(Word + "=" + Next).data());
      ++I;
    } else if (Word == "-O" && llvm::is_contained({"0", "1", "2", "3"}, Next)) {
      Result.push_back(Saver.save(Word + Next).data());
      ++I;
    } else {
      Result.push_back(Words[I]);
    }
  }
  Words = std::move(Result);
}

bool wantsRelocatableDeviceCode(const ArgList &Args) {
  const Arg *Last = Args.getLastArg(OPT_rdc_EQ, OPT_dc);
  return Last && (Last->getOption().matches(OPT_dc) || Last->getValue() == llvm::StringRef("true"));
}

const Arg* tooOldStandard(const ArgList& Args) {
  const Arg* Last = Args.getLastArg(OPT_std_EQ);
  llvm::StringRef Standard = Last ? Last->getValue() : "";
  if (!Standard.consume_front("c++"))
    Standard.consume_front("gnu++");
  return llvm::is_contained({"98", "03", "0x", "11", "1y", "14"}, Standard) ? Last : nullptr;
}

std::vector<std::string> asWritten(const InputArgList &Args, const Arg &A) {
  std::string First = Args.getArgString(A.getIndex());
  if (A.getOption().getKind() == Option::JoinedOrSeparateClass && !A.getAlias() &&
      First.size() > A.getSpelling().size())
    return {First};
  ArgStringList Rendered;
  A.render(Args, Rendered);
  return {Rendered.begin(), Rendered.end()};
}

} // namespace gpurma::driver
