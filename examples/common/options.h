// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <getopt.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

/// The long options of an example, `--name value`. A value that is not there keeps its default.
class options {
public:
  /// A whole number that must be at least `least`.
  void number(const char* name, int& value, int least) {
    entries_.push_back({name, &value, least, nullptr});
  }
  void text(const char* name, std::string& value) {
    entries_.push_back({name, nullptr, 0, &value});
  }

  /// Ends the program with a message on stderr if the command line is wrong.
  void parse(int argc, char** argv) const {
    std::vector<option> table;
    for (const entry& e : entries_)
      table.push_back({e.name, required_argument, nullptr, 0});
    table.push_back({nullptr, 0, nullptr, 0});

    int index = 0;
    for (int found; (found = getopt_long(argc, argv, "", table.data(), &index)) != -1;) {
      if (found != 0)
        std::exit(EXIT_FAILURE); // getopt has said what is wrong
      const entry& e = entries_[index];
      if (e.text) {
        *e.text = optarg;
        continue;
      }
      char* end = nullptr;
      const long value = std::strtol(optarg, &end, 10);
      if (*optarg == '\0' || *end != '\0' || value < e.least || value > 1'000'000'000) {
        std::fprintf(stderr, "%s: --%s is '%s', expected a whole number from %d\n", argv[0], e.name,
                     optarg, e.least);
        std::exit(EXIT_FAILURE);
      }
      *e.number = static_cast<int>(value);
    }
    if (optind != argc) {
      std::fprintf(stderr, "%s: unexpected argument '%s'\n", argv[0], argv[optind]);
      std::exit(EXIT_FAILURE);
    }
  }

private:
  struct entry {
    const char* name;
    int* number;
    int least;
    std::string* text;
  };
  std::vector<entry> entries_;
};
