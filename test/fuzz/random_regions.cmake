# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Programs of random_regions.py, with two regions each, that are built for both targets: the seeds, and where their sources are
# once random_regions_sources is built. Together they have all that the script makes: 1 to 3 dimensions, radii 0 to 3, 2 to 4
# buffers, 1 to 3 stages, every reduction, element type, walk and spelling. test/gpu/run.py has the same list.
set(GPURMA_RANDOM_REGIONS 6 17 20 22 48 77 143 164)
set(GPURMA_RANDOM_REGIONS_FOLDER ${PROJECT_BINARY_DIR}/test/random_regions)

function(gpurma_write_random_regions)
  find_program(GPURMA_TEST_PYTHON python3 REQUIRED)
  set(script ${PROJECT_SOURCE_DIR}/test/fuzz/random_regions.py)
  set(sources)
  foreach(seed IN LISTS GPURMA_RANDOM_REGIONS)
    set(source ${GPURMA_RANDOM_REGIONS_FOLDER}/random_regions_${seed}.cu)
    add_custom_command(
      OUTPUT ${source}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${GPURMA_RANDOM_REGIONS_FOLDER}
      # High enough for the 8 GPUs of run.py.
      COMMAND ${GPURMA_TEST_PYTHON} ${script} --seed ${seed} --regions 2 --processes 8 > ${source}
      DEPENDS ${script} ${PROJECT_SOURCE_DIR}/test/fuzz/campaign.py
      COMMENT "random_regions_${seed}.cu"
      VERBATIM)
    list(APPEND sources ${source})
  endforeach()
  add_custom_target(random_regions_sources DEPENDS ${sources})
endfunction()
