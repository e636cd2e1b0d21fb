// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running commands: shell quoting for --show, exit codes, and files that must not outlive a failed or interrupted run.
#ifndef GPURMA_TOOLS_GPURMACC_COMMAND_H
#define GPURMA_TOOLS_GPURMACC_COMMAND_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace gpurma::driver {

/// A program and its arguments; Words[0] is the program, a path or a name that PATH resolves.
struct Command {
  std::vector<std::string> Words;

  void add(llvm::StringRef Word) { Words.push_back(Word.str()); }
  void add(llvm::StringRef First, llvm::StringRef Second) {
    add(First);
    add(Second);
  }
  void add(const std::vector<std::string> &More) {
    Words.insert(Words.end(), More.begin(), More.end());
  }
};

/// Prints the command as one line that a POSIX shell reads back as the same words.
void print(const Command &Cmd, llvm::raw_ostream &OS);

/// Runs the command to its end. Returns its exit code, 128 + n if signal n ended it, or 127 if it could not be started (said on
/// stderr). What the command writes to stderr goes to the file \p Errors, if one is named.
int run(const Command &Cmd, const std::string &Errors = {});

/// Runs the command and returns what it wrote to stdout, or an empty string if it failed.
std::string capture(const Command &Cmd);

/// Files and folders that are removed when the object goes away or a signal ends gpurmacc, whichever comes first. There is
/// one, made by main().
class TemporaryFiles {
public:
  TemporaryFiles();
  ~TemporaryFiles();
  TemporaryFiles(const TemporaryFiles &) = delete;
  TemporaryFiles &operator=(const TemporaryFiles &) = delete;

  /// Registers a file that something is about to write.
  void add(llvm::StringRef Path);
  /// Registers a folder that this run has made. Whatever a compiler leaves in it goes, too.
  void addFolder(llvm::StringRef Path);
  /// The path is a result now and stays.
  void release(llvm::StringRef Path);

private:
  std::vector<std::string> Folders;
};

/// 128 + n after signal n asked gpurmacc to stop, else 0.
int interrupted();

} // namespace gpurma::driver

#endif // GPURMA_TOOLS_GPURMACC_COMMAND_H
