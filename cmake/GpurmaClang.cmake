# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# LLVM and Clang 19 as the interface target gpurma_clang. The shared libraries are linked: they are what Debian's Clang itself
# runs on, and linking takes seconds instead of minutes.
find_package(LLVM 19.1 CONFIG REQUIRED HINTS /usr/lib/llvm-19/lib/cmake/llvm)
find_package(Clang CONFIG REQUIRED HINTS ${LLVM_DIR}/../clang NO_DEFAULT_PATH)
list(APPEND CMAKE_MODULE_PATH ${LLVM_CMAKE_DIR})

add_library(gpurma_clang INTERFACE)
separate_arguments(_llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(gpurma_clang INTERFACE ${_llvm_definitions})
target_include_directories(gpurma_clang SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${CLANG_INCLUDE_DIRS})
target_link_libraries(gpurma_clang INTERFACE clang-cpp LLVM)
if(NOT LLVM_ENABLE_RTTI)
  target_compile_options(gpurma_clang INTERFACE -fno-rtti)
endif()

# The integer set library, for what kernels access.
find_path(ISL_INCLUDE_DIR isl/cpp.h)
find_library(ISL_LIBRARY isl)
if(NOT ISL_INCLUDE_DIR OR NOT ISL_LIBRARY)
  message(FATAL_ERROR "isl with its C++ bindings (isl/cpp.h) is not found; on Debian and Ubuntu it is the package libisl-dev")
endif()
