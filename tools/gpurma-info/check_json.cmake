# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Checks what INFO --json prints with CMake's own JSON parser.
set(ENV{GPURMA_CPU_RANKS} 13)
execute_process(COMMAND ${INFO} --json OUTPUT_VARIABLE json COMMAND_ERROR_IS_FATAL ANY)
include(${CMAKE_CURRENT_LIST_DIR}/expect_json.cmake)
expect(${VERSION} version)
expect(cpu targets 0 name)
expect(ON targets 0 compiled)
expect(mpi transports 0 name)
expect(cpu devices 0 target)
expect(13 devices 0 ranks)
expect(GPURMA_DEBUG environment 0 name)
expect(OFF environment 0 set)
