# What `make install` puts where: the tool, the library of the tile API with its
# headers, a CMake package, a pkg-config file, documents and examples. Everything
# finds its neighbours by relative paths, so an installed tree may be moved.
#
# Components are the packages of cmake/Package.cmake: `tool` unless something else is said, `lib`, `dev`, `python`; and
# `bundle`, libraries of the host for the tarball only.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME tool)
set(PTOSCOPE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/ptoscope)
set(PTOSCOPE_PKGCONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

target_include_directories(ptoscope_shared INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_options(ptoscope_shared INTERFACE ${PTOSCOPE_SANITIZER_LINK})
target_compile_features(ptoscope_shared INTERFACE cxx_std_20)
set_target_properties(ptoscope_shared PROPERTIES EXPORT_NAME ptoscope)
add_library(ptoscope::ptoscope ALIAS ptoscope_shared)

set_target_properties(ptoscope_shared PROPERTIES INSTALL_RPATH "$ORIGIN")
install(TARGETS ptoscope_shared EXPORT ptoscope LIBRARY COMPONENT lib NAMELINK_COMPONENT dev)
install(TARGETS ptoscope-c++ EXPORT ptoscope RUNTIME COMPONENT dev)
install(DIRECTORY include/pto include/acl include/runtime DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
install(FILES include/kernel_operator.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
install(FILES include/ptoscope/launch.hpp include/ptoscope/launch_syntax.hpp include/ptoscope/launch_table.hpp
  include/ptoscope/launch_files.hpp include/ptoscope/precompiled.hpp
  include/ptoscope/task.hpp include/ptoscope/world.hpp
  include/ptoscope/timing.hpp include/ptoscope/timing.def DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ptoscope COMPONENT dev)
install(EXPORT ptoscope NAMESPACE ptoscope:: FILE ptoscope-targets.cmake DESTINATION ${PTOSCOPE_CMAKE_DIR} COMPONENT dev)
install(FILES cmake/ptoscope-config.cmake DESTINATION ${PTOSCOPE_CMAKE_DIR} COMPONENT dev)

# Before 1.0 a minor version may change anything.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ptoscope-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ptoscope-config-version.cmake DESTINATION ${PTOSCOPE_CMAKE_DIR} COMPONENT dev)

file(RELATIVE_PATH PTOSCOPE_PREFIX_FROM_PKGCONFIG /prefix/${PTOSCOPE_PKGCONFIG_DIR} /prefix)
configure_file(cmake/ptoscope.pc.in ${PROJECT_BINARY_DIR}/ptoscope.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ptoscope.pc DESTINATION ${PTOSCOPE_PKGCONFIG_DIR} COMPONENT dev)

# For gdb and lldb.
install(DIRECTORY scripts/debugger/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ptoscope COMPONENT dev
  FILES_MATCHING PATTERN "*.py" PATTERN __pycache__ EXCLUDE)

# To copy and change, for `--timing`; kernels, for `tune`.
install(DIRECTORY share/timing DESTINATION ${CMAKE_INSTALL_DATADIR}/ptoscope)

# What `--format json` prints.
install(DIRECTORY share/schema DESTINATION ${CMAKE_INSTALL_DATADIR}/ptoscope FILES_MATCHING PATTERN "*.json")

install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Libraries that the tarball brings along. Those of the C and C++ language are of the host.
install(CODE "
  file(GET_RUNTIME_DEPENDENCIES EXECUTABLES \"${CMAKE_BINARY_DIR}/bin/ptoscope\"
    RESOLVED_DEPENDENCIES_VAR needed PRE_INCLUDE_REGEXES \"^lib(boost|z|zstd)[._-]\" PRE_EXCLUDE_REGEXES \".*\")
  foreach(library \${needed})
    file(INSTALL \"\${library}\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\"
      TYPE SHARED_LIBRARY FOLLOW_SYMLINK_CHAIN)
  endforeach()" COMPONENT bundle EXCLUDE_FROM_ALL)
