# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Step 1 of enable_language(GPURMA): which compiler. find_package(gpurma) has found it.
if(NOT CMAKE_GPURMA_COMPILER)
  if(NOT GPURMA_GPURMACC)
    message(FATAL_ERROR "enable_language(GPURMA) needs find_package(gpurma) before it")
  endif()
  set(CMAKE_GPURMA_COMPILER ${GPURMA_GPURMACC} CACHE FILEPATH "The compiler driver of gpurma")
endif()
mark_as_advanced(CMAKE_GPURMA_COMPILER)
set(CMAKE_GPURMA_COMPILER_ENV_VAR GPURMACC)
configure_file(${CMAKE_CURRENT_LIST_DIR}/CMakeGPURMACompiler.cmake.in
               ${CMAKE_PLATFORM_INFO_DIR}/CMakeGPURMACompiler.cmake @ONLY)
