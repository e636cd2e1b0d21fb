// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gpurmacc: compiles annotated CUDA into programs that run on several processes.
#include "Command.h"
#include "Driver.h"
#include "Options.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"

using namespace gpurma::driver;

int main(int Argc, char **Argv) {
  llvm::BumpPtrAllocator Storage;
  llvm::StringSaver Saver(Storage);
  llvm::SmallVector<const char *, 64> Words(Argv + 1, Argv + Argc);
  translateNvccWords(Words, Saver);
  // A @file that cannot be read stays a word and is then reported as an input that is not there, as gcc does.
  llvm::cl::ExpandResponseFiles(Saver, llvm::cl::TokenizeGNUCommandLine, Words);

  OptionTable Table;
  unsigned MissingIndex = 0, MissingCount = 0;
  llvm::opt::InputArgList Args = Table.ParseArgs(Words, MissingIndex, MissingCount);
  if (MissingCount) {
    llvm::errs() << "gpurmacc: error: " << Args.getArgString(MissingIndex) << " needs an argument\n";
    return 1;
  }
  for (const llvm::opt::Arg *A : Args.filtered(OPT_UNKNOWN)) {
    llvm::StringRef Word = A->getSpelling();
    if (!Word.starts_with("--gpurma-"))
      continue;
    std::string Nearest;
    Table.findNearest(Word.str(), Nearest);
    llvm::errs() << "gpurmacc: error: unknown option " << Word << "; did you mean " << Nearest
                 << "? --help lists all\n";
    return 1;
  }
  if (Args.hasArg(OPT_help)) {
    Table.printHelp(llvm::outs(), "gpurmacc [options] <file>...",
                    "gpurmacc: compiles annotated CUDA for several processes.\n\nSources ending in .cu are lowered and "
                    "compiled; others go to the backend compiler. Options that are not\nlisted here go to the backend "
                    "compiler, in their order");
    return 0;
  }

  Installation Install = Installation::find(Args, Argv[0]);
  TemporaryFiles Temps;
  Driver D(Args, Install, Temps);
  if (Args.hasArg(OPT_version))
    return D.printVersion();
  return D.run();
}
