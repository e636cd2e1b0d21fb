# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Checks what INFO --routes --json prints, as 2 processes under MPIRUN on the CPU target, with CMake's own JSON parser.
set(ENV{GPURMA_ROUTE} proxy)
execute_process(COMMAND ${MPIRUN} ${INFO} --routes --target cpu --json OUTPUT_VARIABLE json COMMAND_ERROR_IS_FATAL ANY)
include(${CMAKE_CURRENT_LIST_DIR}/expect_json.cmake)
expect(cpu target)
expect(proxy setting)
expect(1 processes 1 process)
expect(device routes 0 route)
expect("" routes 0 reason)
expect(1 routes 2 from)
expect(0 routes 2 to)
expect(proxy routes 2 route)
expect("GPURMA_ROUTE is proxy" routes 2 reason)
