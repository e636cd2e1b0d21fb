# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Step 3 of enable_language(GPURMA): does the compiler run? Its message says what is missing.
if(NOT CMAKE_GPURMA_COMPILER_WORKS)
  execute_process(COMMAND ${CMAKE_GPURMA_COMPILER} --version RESULT_VARIABLE _result OUTPUT_VARIABLE _output
                  ERROR_VARIABLE _output)
  if(NOT _result EQUAL 0)
    message(FATAL_ERROR "${CMAKE_GPURMA_COMPILER} does not run (${_result}):\n${_output}")
  endif()
  string(REGEX MATCH "gpurmacc [^\n]*" _version "${_output}")
  message(STATUS "The GPURMA compiler is ${CMAKE_GPURMA_COMPILER} (${_version})")
  set(CMAKE_GPURMA_COMPILER_WORKS 1 CACHE INTERNAL "")
endif()
