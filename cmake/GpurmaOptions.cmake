# gpurma_options: warnings and sanitizers that every target of the project shares.
add_library(gpurma_options INTERFACE)
target_compile_options(gpurma_options INTERFACE -Wall -Wextra)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # Wrong about std::string in GCC 12 (GCC bug 105329).
  target_compile_options(gpurma_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Members without a value in an initialiser have their own; and libstdc++'s stable_partition uses what libstdc++ deprecates.
  target_compile_options(gpurma_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-missing-field-initializers> $<$<COMPILE_LANGUAGE:CXX>:-Wno-deprecated-declarations>)
endif()
if(GPURMA_SANITIZE STREQUAL "address")
  set(_sanitize -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
elseif(GPURMA_SANITIZE STREQUAL "thread")
  set(_sanitize -fsanitize=thread -fno-omit-frame-pointer)
elseif(NOT GPURMA_SANITIZE STREQUAL "")
  message(FATAL_ERROR "GPURMA_SANITIZE is '${GPURMA_SANITIZE}'; use an empty string, address or thread")
endif()
target_compile_options(gpurma_options INTERFACE ${_sanitize})
target_link_options(gpurma_options INTERFACE ${_sanitize})
