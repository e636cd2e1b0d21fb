// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "clauses.h"
#include "frontend/Lowering.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Regex.h"
#include <sys/mman.h>
#include <unistd.h>

namespace gpurma {
namespace {

/// Standard error, for its lifetime, goes to a file that can be read back.
class CapturedErrors {
public:
  CapturedErrors() : Saved(dup(STDERR_FILENO)), File(memfd_create("errors", 0)) { dup2(File, STDERR_FILENO); }
  ~CapturedErrors() {
    dup2(Saved, STDERR_FILENO);
    close(Saved);
    close(File);
  }
  std::string text() const {
    std::string Text(static_cast<std::size_t>(lseek(File, 0, SEEK_END)), '\0');
    ssize_t Read = pread(File, Text.data(), Text.size(), 0);
    Text.resize(Read < 0 ? 0 : static_cast<std::size_t>(Read));
    return Text;
  }

private:
  int Saved, File;
};

/// A temporary source file.
class SourceFile {
public:
  explicit SourceFile(const std::string &Text) {
    int File = -1;
    if (llvm::sys::fs::createTemporaryFile("gpurma-clauses", "cu", File, Path))
      return;
    Good = write(File, Text.data(), Text.size()) == static_cast<ssize_t>(Text.size());
    close(File);
  }
  ~SourceFile() { llvm::sys::fs::remove(Path); }

  bool Good = false;
  llvm::SmallString<128> Path;
};

/// The text as one directive: line ends are continued.
std::string oneDirective(std::string Text) {
  for (std::size_t I = 0; I < Text.size(); ++I)
    if ((Text[I] == '\n' || Text[I] == '\r') && (I == 0 || Text[I - 1] != '\\'))
      Text[I] = ' ';
  // A continuation at the very end would take the next line of the program in.
  while (!Text.empty() && Text.back() == '\\')
    Text.pop_back();
  return Text;
}

/// Whether a message of this kind was printed. Only the beginnings of lines count: the source that messages quote, indented,
/// and what they say of it may hold any text, the one that is looked for, too.
bool printed(llvm::StringRef Message, llvm::StringRef Errors) {
  return llvm::Regex(("^[^ ]+:" + Message).str(), llvm::Regex::Newline).match(Errors);
}

struct Outcome {
  bool Success = false;
  std::string Errors;
  std::string Problem;
};

Outcome lowerWith(const std::string &Text) {
  Outcome Result;
  SourceFile Source("template <int N> __device__ int number() { return N; }\n"
                    "__global__ void kernel(float *a, int *b, int rank, int n, bool flag) {\n"
                    "  auto lambda = [=](int i) { return i + n; };\n"
                    "#pragma gpurma window(w = a[0 : n])\n"
                    "#pragma gpurma " +
                    oneDirective(Text) +
                    "\n"
                    "  b[0] = lambda(number<3>());\n"
                    "}\n");
  if (!Source.Good) {
    Result.Problem = "the source file could not be written";
    return Result;
  }
  LowerOptions Options;
  Options.Input = std::string(Source.Path);
  Options.ParseArgs = {"-std=c++17"};
  Options.ShadowDir = "/nonexistent";
  Options.Prefix = GPURMA_TEST_PREFIX;
  CapturedErrors Captured;
  Result.Success = lower(Options, llvm::nulls()).Success;
  Result.Errors = Captured.text();
  // The headers of the build tree and of Clang: no text of a directive makes them go.
  if (printed("[0-9]+:[0-9]+: fatal error: '[^']*' file not found", Result.Errors))
    Result.Problem = "a header is not there:\n" + Result.Errors;
  return Result;
}

} // namespace

std::string checkSetUp() {
  Outcome Result = lowerWith("barrier");
  if (!Result.Problem.empty())
    return Result.Problem;
  return Result.Success ? std::string() : "a plain barrier is not lowered:\n" + Result.Errors;
}

std::string checkClauses(const std::string &Text) {
  Outcome Result = lowerWith(Text);
  if (!Result.Problem.empty())
    return Result.Problem;
  const std::string &Errors = Result.Errors;
  bool HasPlace = printed("[0-9]+:[0-9]+: (fatal )?error: ", Errors);
  if (Result.Success && HasPlace)
    return "an error was printed, but the lowering succeeded:\n" + Errors;
  if (!Result.Success && !HasPlace)
    return "the lowering failed without an error that has a place:\n" + Errors;
  if (printed(" error: internal error", Errors))
    return Errors;
  return {};
}

} // namespace gpurma
