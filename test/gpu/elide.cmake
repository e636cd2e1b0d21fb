# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DGPURMACC=<program> -DSOURCE=<file> -DOUTPUT=<file> [-DARGUMENTS=<word>;…] -P elide.cmake
# What a program prints without its pragmas, on the CPU target.
cmake_path(GET SOURCE PARENT_PATH includes)
set(elided ${OUTPUT}.elided)
execute_process(COMMAND sed /\#pragma\ gpurma/d ${SOURCE} OUTPUT_FILE ${elided}.cu COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${GPURMACC} --gpurma-target=cpu -I${includes} -O1 -Wno-unused ${elided}.cu -o ${elided} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${elided} ${ARGUMENTS} OUTPUT_FILE ${OUTPUT} COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE ${elided} ${elided}.cu)
