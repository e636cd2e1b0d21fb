// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/log.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace host = gpurma::host;

namespace {

TEST(LogDeathTest, FatalPrintsTheProcessAndEndsWithTheHandlersCode) {
  EXPECT_EXIT(
      {
        host::set_log_process(3);
        host::set_end_all_processes([](int) { std::_Exit(42); });
        host::fatal(host::text("rank ", 7, " is out of range"));
      },
      testing::ExitedWithCode(42), "\\[gpurma 3\\] error: rank 7 is out of range");
}

TEST(LogDeathTest, WithoutAHandlerFatalEndsTheProcess) {
  EXPECT_EXIT(host::fatal("nothing works"), testing::ExitedWithCode(EXIT_FAILURE),
              "error: nothing works");
}

TEST(LogDeathTest, OnlyChosenLevelsAreWritten) {
  EXPECT_EXIT(
      {
        setenv("GPURMA_DEBUG", "INFO", 1);
        host::log(host::log_level::trace, "too much");
        host::log(host::log_level::info, "just right");
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "^\\[gpurma\\] just right\n$");
}

} // namespace
