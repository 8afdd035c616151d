# Flags every target of ours is built with, and the one way to declare a library.

add_library(ptoscope_flags INTERFACE)
target_include_directories(ptoscope_flags INTERFACE
  ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
# Results follow the ISA, not the host: contraction is off everywhere.
target_compile_options(ptoscope_flags INTERFACE
  -Wall -Wextra -Wno-unused-parameter -ffp-contract=off -fno-strict-aliasing)

if(PTOSCOPE_SANITIZE)
  # Not `function`: it reads a type in front of every function called by pointer,
  # and generated code has none.
  target_compile_options(ptoscope_flags INTERFACE
    -fsanitize=${PTOSCOPE_SANITIZE} -fno-sanitize=function -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(ptoscope_flags INTERFACE -fsanitize=${PTOSCOPE_SANITIZE})
endif()

find_program(PTOSCOPE_LLD NAMES ld.lld-19 ld.lld)
if(PTOSCOPE_LLD)
  target_link_options(ptoscope_flags INTERFACE -fuse-ld=lld)
endif()

# ptoscope_library(Name SOURCES a.cpp … LINK other …)
function(ptoscope_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ptoscope_flags ${ARG_LINK})
endfunction()

# ptoscope_unittest(Name SOURCES a.cpp … LINK lib …)
function(ptoscope_unittest name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ptoscope_flags ${ARG_LINK} GTest::gtest GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
endfunction()
