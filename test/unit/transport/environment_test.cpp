// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/environment.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

namespace environment = gpurma::host::environment;

namespace {

const environment::variable& row(std::string_view name) {
  for (const environment::variable& each : environment::table())
    if (name == each.name)
      return each;
  throw std::runtime_error("no variable " + std::string(name));
}

std::uint64_t integer(std::string_view name, std::string_view text) {
  const environment::parsed result = environment::parse(row(name), text);
  EXPECT_EQ(result.error, "") << name << "=" << text;
  return std::get<std::uint64_t>(result.value);
}

std::string error(std::string_view name, std::string_view text) {
  return environment::parse(row(name), text).error;
}

TEST(Environment, EveryRowIsNamedOnceExplainedAndHasAValidDefault) {
  std::set<std::string> names;
  for (const environment::variable& each : environment::table()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_EQ(std::string_view(each.name).substr(0, 7), "GPURMA_");
    EXPECT_STRNE(each.help, "");
    EXPECT_EQ(environment::parse(each, each.default_text).error, "") << each.name;
  }
}

TEST(Environment, IsDocumentedAsItIs) {
  std::ifstream file(GPURMA_DOCS "/environment.md");
  const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (const environment::variable& each : environment::table()) {
    const std::string line = "| `" + std::string(each.name) + "` | " +
                             (*each.default_text ? each.default_text : "(none)") + " | ";
    const auto at = page.find(line);
    ASSERT_NE(at, std::string::npos) << line;
    EXPECT_NE(page.substr(at, page.find('\n', at) - at).find(each.help), std::string::npos)
        << each.help;
  }
}

TEST(Environment, ReadsIntegersWithSuffixes) {
  EXPECT_EQ(integer("GPURMA_EAGER", "64"), 64u);
  EXPECT_EQ(integer("GPURMA_EAGER", "4000"), 4000u);
  EXPECT_EQ(integer("GPURMA_EAGER", "16K"), 16384u);
  EXPECT_EQ(integer("GPURMA_EAGER", "1m"), 1048576u);
}

TEST(Environment, RefusesIntegersOutsideTheRangeAndOtherText) {
  for (const char* text :
       {"2M", "-1", "", "8 K", "8KB", "1.5", "0x10", "99999999999999999999", "17179869184G"})
    EXPECT_EQ(error("GPURMA_EAGER", text),
              "expected an integer from 64 to 1M (bytes; K, M and G are accepted as suffixes)")
        << text;
}

TEST(Environment, RefusesWhatIsNotAPowerOfTwo) {
  EXPECT_EQ(integer("GPURMA_COMMAND_ENTRIES", "128"), 128u);
  EXPECT_EQ(error("GPURMA_COMMAND_ENTRIES", "100"), "expected a power of two from 2 to 65536");
}

TEST(Environment, ReadsIntegersThatMayBeAuto) {
  EXPECT_EQ(integer("GPURMA_IB_GID_INDEX", "3"), 3u);
  EXPECT_EQ(integer("GPURMA_IB_GID_INDEX", "Auto"), environment::automatic);
  for (const char* text : {"256", "", "autos"})
    EXPECT_EQ(error("GPURMA_IB_GID_INDEX", text), "expected an integer from 0 to 255, or auto");
  EXPECT_EQ(error("GPURMA_IB_PORT", "auto"), "expected an integer from 0 to 255");
}

TEST(Environment, ReadsSeconds) {
  EXPECT_EQ(std::get<double>(environment::parse(row("GPURMA_TIMEOUT"), "0.25").value), 0.25);
  EXPECT_EQ(std::get<double>(environment::parse(row("GPURMA_TIMEOUT"), "0").value), 0.0);
  for (const char* text : {"", "-1", "2s", "nan", "soon", "1e9"})
    EXPECT_EQ(error("GPURMA_TIMEOUT", text), "expected seconds, from 0 to 1000000") << text;
}

TEST(Environment, ReadsChoicesInAnyCase) {
  EXPECT_EQ(std::get<std::string>(environment::parse(row("GPURMA_DEBUG"), "trace").value), "TRACE");
  EXPECT_EQ(error("GPURMA_DEBUG", "loud"), "expected one of ERROR, WARN, INFO, TRACE");
  EXPECT_EQ(error("GPURMA_DEBUG", "ERROR|WARN"), "expected one of ERROR, WARN, INFO, TRACE");
}

TEST(Environment, ReadsAChoiceThatMayBeLeftOut) {
  EXPECT_EQ(std::get<std::string>(environment::parse(row("GPURMA_TARGET"), "").value), "");
  EXPECT_EQ(std::get<std::string>(environment::parse(row("GPURMA_TARGET"), "CUDA").value), "cuda");
  EXPECT_EQ(error("GPURMA_TARGET", "fpga"), "expected one of cpu, cuda");
  EXPECT_EQ(error("GPURMA_DEBUG", ""), "expected one of ERROR, WARN, INFO, TRACE");
}

TEST(Environment, ReadsBooleans) {
  const environment::variable flag = {"GPURMA_FLAG", "boolean", "0", "", "help"};
  for (const char* text : {"1", "yes", "ON", "true"})
    EXPECT_TRUE(std::get<bool>(environment::parse(flag, text).value)) << text;
  for (const char* text : {"0", "no", "Off", "false"})
    EXPECT_FALSE(std::get<bool>(environment::parse(flag, text).value)) << text;
  EXPECT_EQ(environment::parse(flag, "2").error, "expected one of 0, no, off, 1, yes, on");
}

TEST(Environment, NamesUnknownVariablesAndTheNearestKnownOne) {
  const char* const given[] = {"HOME=/root",      "GPURMA_TIMEOUT=3",
                               "GPURMA_TIMEOT=3", "GPURMA_QQQQQQQQQQQQ=1",
                               "GPURMACC=x",      nullptr};
  EXPECT_EQ(environment::unknown_variables(given),
            (std::vector<std::string>{"the environment variable GPURMA_TIMEOT is not one of "
                                      "gpurma's; did you mean GPURMA_TIMEOUT?",
                                      "the environment variable GPURMA_QQQQQQQQQQQQ is not one of "
                                      "gpurma's; gpurma-info --environment lists "
                                      "them"}));
}

TEST(Environment, TellsWhatIsSet) {
  bool is_set = true;
  unsetenv("GPURMA_CREDITS");
  EXPECT_EQ(environment::current_text(row("GPURMA_CREDITS"), is_set),
            row("GPURMA_CREDITS").default_text);
  EXPECT_FALSE(is_set);
  setenv("GPURMA_CREDITS", "17", 1);
  EXPECT_EQ(environment::current_text(row("GPURMA_CREDITS"), is_set), "17");
  EXPECT_TRUE(is_set);
  setenv("GPURMA_CREDITS", "", 1);
  EXPECT_EQ(environment::current_text(row("GPURMA_CREDITS"), is_set),
            row("GPURMA_CREDITS").default_text);
  EXPECT_FALSE(is_set) << "an empty variable counts as not set";
}

TEST(EnvironmentDeathTest, ABadValueEndsTheProcessAndNamesVariableValueAndRange) {
  EXPECT_EXIT(
      {
        setenv("GPURMA_MPI_SENDS", "many", 1);
        environment::mpi_sends();
      },
      testing::ExitedWithCode(EXIT_FAILURE),
      "GPURMA_MPI_SENDS is 'many'; expected an integer from 2 to 65536");
}

TEST(EnvironmentDeathTest, AllBadValuesAreNamedAtOnce) {
  setenv("GPURMA_CREDITS", "17", 1);
  setenv("GPURMA_EAGER", "", 1);
  environment::end_if_not_accepted();
  EXPECT_EXIT(
      {
        setenv("GPURMA_EAGER", "much", 1);
        setenv("GPURMA_TARGET", "fpga", 1);
        environment::end_if_not_accepted();
      },
      testing::ExitedWithCode(EXIT_FAILURE),
      "GPURMA_EAGER is 'much'; expected an integer from 64 to 1M.*\n.*GPURMA_TARGET is 'fpga'; "
      "expected one of cpu, cuda\n");
}

} // namespace
