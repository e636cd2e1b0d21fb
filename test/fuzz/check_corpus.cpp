// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks every file of the folders named on the command line, and of each some cut-off and doubled variants, without a fuzzer.
#include "clauses.h"
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

int main(int Argc, char **Argv) {
  std::set<std::filesystem::path> Files;
  for (int I = 1; I < Argc; ++I)
    for (const auto &Entry : std::filesystem::directory_iterator(Argv[I]))
      Files.insert(Entry.path());
  if (Files.empty()) {
    std::fprintf(stderr, "usage: %s <folder of inputs>...\n", Argv[0]);
    return 2;
  }
  if (std::string Problem = gpurma::checkSetUp(); !Problem.empty()) {
    std::fprintf(stderr, "%s\n", Problem.c_str());
    return 1;
  }
  int Failed = 0, Checked = 0;
  auto Check = [&](const std::filesystem::path &File, const std::string &Text) {
    ++Checked;
    if (std::string Problem = gpurma::checkClauses(Text); !Problem.empty()) {
      ++Failed;
      std::fprintf(stderr, "%s: %s: %s\n", File.c_str(), Text.c_str(), Problem.c_str());
    }
  };
  for (const std::filesystem::path &File : Files) {
    std::ifstream In(File, std::ios::binary);
    std::string Text{std::istreambuf_iterator<char>(In), {}};
    Check(File, Text);
    Check(File, Text.substr(0, Text.size() / 2));
    Check(File, Text + Text);
  }
  std::printf("%d inputs checked, %d failed\n", Checked, Failed);
  return Failed != 0;
}
