# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What find_package(gpurma) finds, in the build tree and in an installation alike.
include(CMakePackageConfigHelpers)
set(_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gpurma)
# In the build tree the paths are those of an installation, too (GpurmaStage), so one file serves both.
configure_package_config_file(cmake/package/gpurmaConfig.cmake.in ${PROJECT_BINARY_DIR}/${_package_dir}/gpurmaConfig.cmake
  INSTALL_DESTINATION ${_package_dir}
  PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/${_package_dir}/gpurmaConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/cmake/package/language ${PROJECT_BINARY_DIR}/${_package_dir}/language SYMBOLIC)
install(FILES ${PROJECT_BINARY_DIR}/${_package_dir}/gpurmaConfig.cmake
              ${PROJECT_BINARY_DIR}/${_package_dir}/gpurmaConfigVersion.cmake
        DESTINATION ${_package_dir})
install(DIRECTORY cmake/package/language DESTINATION ${_package_dir})
