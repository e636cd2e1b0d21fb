# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# expect(value member...): the caller's `json` has this value there.
function(expect value)
  string(JSON found GET "${json}" ${ARGN})
  if(NOT found STREQUAL value)
    message(FATAL_ERROR "${ARGN} is '${found}', expected '${value}'")
  endif()
endfunction()
