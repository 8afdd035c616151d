# What `make install` puts where: the tool, the library of the tile API with its
# headers, a CMake package, a pkg-config file, documents and examples. Everything
# finds its neighbours by relative paths, so an installed tree may be moved.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(PTOSCOPE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/ptoscope)
set(PTOSCOPE_PKGCONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

target_include_directories(ptoscope_shared INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_options(ptoscope_shared INTERFACE ${PTOSCOPE_SANITIZER_LINK})
target_compile_features(ptoscope_shared INTERFACE cxx_std_20)
set_target_properties(ptoscope_shared PROPERTIES EXPORT_NAME ptoscope)
add_library(ptoscope::ptoscope ALIAS ptoscope_shared)

install(TARGETS ptoscope_shared ptoscope-c++ EXPORT ptoscope)
install(DIRECTORY include/pto include/acl include/runtime DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES include/kernel_operator.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES include/ptoscope/launch.hpp include/ptoscope/launch_syntax.hpp include/ptoscope/launch_table.hpp
  include/ptoscope/task.hpp include/ptoscope/world.hpp
  include/ptoscope/timing.hpp include/ptoscope/timing.def DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ptoscope)
install(EXPORT ptoscope NAMESPACE ptoscope:: FILE ptoscope-targets.cmake DESTINATION ${PTOSCOPE_CMAKE_DIR})
install(FILES cmake/ptoscope-config.cmake DESTINATION ${PTOSCOPE_CMAKE_DIR})

# Before 1.0 a minor version may change anything.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ptoscope-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ptoscope-config-version.cmake DESTINATION ${PTOSCOPE_CMAKE_DIR})

file(RELATIVE_PATH PTOSCOPE_PREFIX_FROM_PKGCONFIG /prefix/${PTOSCOPE_PKGCONFIG_DIR} /prefix)
configure_file(cmake/ptoscope.pc.in ${PROJECT_BINARY_DIR}/ptoscope.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ptoscope.pc DESTINATION ${PTOSCOPE_PKGCONFIG_DIR})

# For gdb and lldb.
install(DIRECTORY scripts/debugger/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ptoscope FILES_MATCHING PATTERN "*.py")

# To copy and change, for `--timing`.
install(DIRECTORY share/timing DESTINATION ${CMAKE_INSTALL_DATADIR}/ptoscope FILES_MATCHING PATTERN "*.timing")

install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
