# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Configures (with OPTIONS, which say where the package is), builds and runs the project in SOURCE, then checks what a user
# relies on. With GPURMACC and GPURMAFLAGS in the environment, those have to be used.
if(OPTIONS MATCHES CMAKE_CXX_COMPILER)
  set(ENV{GPURMA_TARGET} cpu)  # C++ sources go through gpurmacc without the language's options
else()
  unset(ENV{GPURMA_TARGET})
endif()
set(ENV{OMPI_ALLOW_RUN_AS_ROOT} 1)
set(ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} 1)
set(ENV{OMPI_MCA_rmaps_base_oversubscribe} 1)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${result}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect text regex what)
  if(NOT text MATCHES "${regex}")
    message(FATAL_ERROR "${what}: '${regex}' is not in\n${text}")
  endif()
endfunction()

# A copy, because the test changes a header.
file(REMOVE_RECURSE ${BINARY})
file(COPY ${SOURCE}/ DESTINATION ${BINARY}/source)
run(${CMAKE_COMMAND} -S ${BINARY}/source -B ${BINARY}/build ${OPTIONS} -DGPURMA_TARGET=cpu -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
run(${CMAKE_COMMAND} --build ${BINARY}/build --parallel 2 --verbose)
set(driver "$ENV{GPURMACC}")
if(driver STREQUAL "")
  set(driver "gpurmacc")
endif()
string(REGEX REPLACE "([][+.*?()^$\\|])" "\\\\\\1" driver "${driver}")
expect("${output}" "${driver} --gpurma-target=cpu [^\n]*$ENV{GPURMAFLAGS}[^\n]* -c [^\n]*kernel.cu" "the commands that ran")
expect("${output}" " -std=c[+][+]20 -rdc=true [^\n]*-c [^\n]*kernel.cu" "the commands that ran")
expect("${output}" "${driver} --gpurma-target=cpu [^\n]*$ENV{GPURMAFLAGS}[^\n]* -o program" "the commands that ran")
run(${MPIEXEC} -np 2 ${BINARY}/build/program)
expect("${output}" "offset 100: 2 processes, sum of ranks [0-9]+ is right" "the program's output")
run(${BINARY}/build/library_user)
expect("${output}" "the library says 1 device" "the output of the program without kernels")

# CMake's generator for make writes compile commands for its own languages only.
if(OPTIONS MATCHES Ninja)
  file(READ ${BINARY}/build/compile_commands.json commands)
  expect("${commands}" "gpurmacc[^\n]* -DSCALE=1[^\n]*-c [^\n]*kernel.cu" "compile_commands.json")
endif()

# Nothing to do now, and a changed header rebuilds the .cu source.
file(WRITE ${BINARY}/source/offset.h "#define OFFSET 200\n")
run(${CMAKE_COMMAND} --build ${BINARY}/build --parallel 2)
run(${BINARY}/build/program)
expect("${output}" "offset 200: 1 processes" "the output after a header changed")
