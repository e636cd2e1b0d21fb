# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs an example under mpirun and compares its output with what is expected.
#
#   cmake -DMPIEXEC=<mpirun> -DPROCESSES=<n> -DRANKS_PER_PROCESS=<n> -DPROGRAM=<path>
#         -DARGUMENTS=<list> -DEXPECTED=<file> -P run_example.cmake
#
# Each line of the expected file is a regular expression for a whole line of output, in which
# @PROCESSES@, @RANKS@ (of the world) and @RANKS_PER_PROCESS@ are replaced. Processes print in any
# order, so the order is not compared. A line "<count>x <expression>" stands for as many lines,
# each of them different, a line "<count>= <expression>" for as many equal lines; without a count it
# stands for one. Each must be there that often, and
# no line that is not expected. The exit code must be 0.
cmake_minimum_required(VERSION 3.25)
math(EXPR RANKS "${PROCESSES} * ${RANKS_PER_PROCESS}")

execute_process(
  COMMAND ${CMAKE_COMMAND} -E env GPURMA_CPU_RANKS=${RANKS_PER_PROCESS} GPURMA_TIMEOUT=60
          ${MPIEXEC} --allow-run-as-root --oversubscribe --bind-to none -np ${PROCESSES} ${PROGRAM} ${ARGUMENTS}
  OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE result TIMEOUT 150)
message("${output}${errors}")
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with '${result}', expected 0")
endif()

file(STRINGS ${EXPECTED} patterns)
list(TRANSFORM patterns REPLACE "@PROCESSES@" "${PROCESSES}")
list(TRANSFORM patterns REPLACE "@RANKS@" "${RANKS}")
list(TRANSFORM patterns REPLACE "@RANKS_PER_PROCESS@" "${RANKS_PER_PROCESS}")
string(REGEX REPLACE "\n$" "" lines "${output}")
string(REPLACE ";" "," lines "${lines}")
string(REPLACE "\n" ";" lines "${lines}")

set(unexpected ${lines})
foreach(pattern IN LISTS patterns)
  set(count 1)
  set(different_count 1)
  if(pattern MATCHES "^([0-9]+)x (.*)$")
    set(count ${CMAKE_MATCH_1})
    set(different_count ${CMAKE_MATCH_1})
    set(pattern "${CMAKE_MATCH_2}")
  elseif(pattern MATCHES "^([0-9]+)= (.*)$")
    set(count ${CMAKE_MATCH_1})
    set(pattern "${CMAKE_MATCH_2}")
  endif()
  list(FILTER unexpected EXCLUDE REGEX "^(${pattern})$")
  set(found ${lines})
  list(FILTER found INCLUDE REGEX "^(${pattern})$")
  list(LENGTH found times)
  list(REMOVE_DUPLICATES found)
  list(LENGTH found different)
  if(NOT times EQUAL count OR NOT different EQUAL different_count)
    message(FATAL_ERROR "${times} lines of output (${different} different ones) match '${pattern}', expected ${count}")
  endif()
endforeach()
if(unexpected)
  list(JOIN unexpected "\n" unexpected)
  message(FATAL_ERROR "not expected in the output:\n${unexpected}")
endif()
