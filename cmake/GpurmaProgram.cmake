# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gpurma_add_program(<name> FOLDER <folder> SOURCES <file>… [FLAGS <flag>…]): builds bin/<folder>/<name>
# with the gpurmacc of this build, for the CPU target, as a user would build it. Files that are made
# in the build tree have absolute names.
function(gpurma_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOLDER" "SOURCES;FLAGS")
  set(directory ${PROJECT_BINARY_DIR}/bin/${arg_FOLDER})
  set(compile $<TARGET_FILE:gpurmacc> --gpurma-target=cpu -O3 ${arg_FLAGS})
  if(GPURMA_CHECK)
    list(APPEND compile --gpurma-check)
  endif()
  set(objects)
  foreach(source IN LISTS arg_SOURCES)
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE file)
    if(source STREQUAL file)
      cmake_path(GET file FILENAME source)
    endif()
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}/${source}.o)
    cmake_path(GET object PARENT_PATH object_directory)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${object_directory}
      COMMAND ${compile} -c ${file} -o ${object}
              -MD -MF ${object}.d -MT ${object}
      # Depfiles leave the headers of gpurma out; the library is made of the same ones.
      DEPENDS ${file} gpurmacc gpurma_cpu
      DEPFILE ${object}.d
      COMMENT "gpurmacc ${source}"
      VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  add_custom_command(
    OUTPUT ${directory}/${name}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${directory}
    COMMAND ${compile} ${objects} -o ${directory}/${name}
    DEPENDS ${objects} gpurmacc gpurma_cpu
    COMMENT "Linking ${name} with gpurmacc"
    VERBATIM)
  add_custom_target(${arg_FOLDER}_${name} ALL DEPENDS ${directory}/${name})
endfunction()
