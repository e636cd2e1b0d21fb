# Gives the build tree the layout of an installation, so that gpurmacc finds its headers and libraries relative to its own
# path in both: bin/gpurmacc, include/gpurma, lib/libgpurma_*.a, lib/gpurma/cuda_shim.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include/gpurma ${PROJECT_BINARY_DIR}/lib/gpurma)
file(GLOB _public_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/gpurma/*.h)
foreach(_header IN LISTS _public_headers)
  get_filename_component(_name ${_header} NAME)
  file(CREATE_LINK ${_header} ${PROJECT_BINARY_DIR}/include/gpurma/${_name} SYMBOLIC)
endforeach()
foreach(_room device platform)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/runtime/${_room} ${PROJECT_BINARY_DIR}/include/gpurma/${_room} SYMBOLIC)
endforeach()
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/runtime/platform/cpu/cuda_shim ${PROJECT_BINARY_DIR}/lib/gpurma/cuda_shim SYMBOLIC)
set(GPURMA_STAGE_INCLUDE ${PROJECT_BINARY_DIR}/include)
set(GPURMA_STAGE_CUDA_SHIM ${PROJECT_BINARY_DIR}/lib/gpurma/cuda_shim)

install(DIRECTORY include/gpurma DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY runtime/device runtime/platform DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gpurma
        FILES_MATCHING PATTERN "*.h" PATTERN cuda_shim EXCLUDE)
install(DIRECTORY runtime/platform/cpu/cuda_shim DESTINATION ${CMAKE_INSTALL_LIBDIR}/gpurma)
