# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs COMMAND (a list); passes if it ends with a non-zero code and what it prints matches REGEX.
execute_process(COMMAND ${COMMAND} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
message("${output}")
if(code EQUAL 0)
  message(FATAL_ERROR "the run ended with code 0, but has to fail")
endif()
if(NOT output MATCHES "${REGEX}")
  message(FATAL_ERROR "the output does not match: ${REGEX}")
endif()
