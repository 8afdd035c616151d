# Flags every target of ours is built with, and the one way to declare a library.

add_library(ptoscope_flags INTERFACE)
target_include_directories(ptoscope_flags INTERFACE
  ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
# Results follow the ISA, not the host: contraction is off everywhere.
target_compile_options(ptoscope_flags INTERFACE
  -Wall -Wextra -Wno-unused-parameter -ffp-contract=off -fno-strict-aliasing)

# What is compiled for every level of host: loops over lanes, whose edges would be noise to a fuzzer.
add_library(ptoscope_leveled_flags INTERFACE)
if(PTOSCOPE_SANITIZE MATCHES "fuzzer")
  target_include_directories(ptoscope_leveled_flags INTERFACE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
  target_compile_options(ptoscope_leveled_flags INTERFACE
    -Wall -Wextra -Wno-unused-parameter -ffp-contract=off -fno-strict-aliasing)
  # Assertions hold, whatever the input.
  target_compile_options(ptoscope_flags INTERFACE -O1 -gline-tables-only -UNDEBUG)
else()
  target_link_libraries(ptoscope_leveled_flags INTERFACE ptoscope_flags)
endif()

if(PTOSCOPE_SANITIZE)
  # Not `function`: it reads a type in front of every function called by pointer,
  # and generated code has none. Not `vptr`: classes of LLVM have no type information.
  target_compile_options(ptoscope_flags INTERFACE
    -fsanitize=${PTOSCOPE_SANITIZE} -fno-sanitize=function,vptr -fno-omit-frame-pointer -fno-sanitize-recover=all
    -gline-tables-only) # all that a report prints
  target_link_options(ptoscope_flags INTERFACE -fsanitize=${PTOSCOPE_SANITIZE})
  # Checked products of 128 bits are a call on AArch64, of which libgcc has no definition.
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} --rtlib=compiler-rt --print-libgcc-file-name
    OUTPUT_VARIABLE builtins OUTPUT_STRIP_TRAILING_WHITESPACE)
  target_link_libraries(ptoscope_flags INTERFACE ${builtins})
  # What any compiler has to give, before all else, to link a program with a libptoscope that is sanitized.
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so
    OUTPUT_VARIABLE runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
  cmake_path(GET runtime PARENT_PATH folder)
  set(PTOSCOPE_SANITIZER_LINK -Wl,--no-as-needed,${runtime},-rpath,${folder})
  # Faults of generated code are findings, so signals are ours, and so is memory that there
  # is not. What LLVM leaks and poisons is not.
  set(PTOSCOPE_ASAN_OPTIONS handle_segv=0:allow_user_segv_handler=1:allocator_may_return_null=1)
  set(PTOSCOPE_ASAN_OPTIONS_LLVM ${PTOSCOPE_ASAN_OPTIONS}:detect_leaks=0:allow_user_poisoning=0)
endif()

# The distribution's Python has the distribution's packages; another one that comes first on
# PATH may have none of them.
find_program(PTOSCOPE_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(PTOSCOPE_PYTHON NAMES python3 REQUIRED)

find_program(PTOSCOPE_LLD NAMES ld.lld-19 ld.lld)
if(PTOSCOPE_LLD)
  target_link_options(ptoscope_flags INTERFACE -fuse-ld=lld)
endif()

# Files that are compiled as one. Most of a file's time goes to headers and templates that its neighbours need, too:
# eight together take a third of the time. 1 compiles each alone, as editors may want it.
set(PTOSCOPE_TOGETHER 8 CACHE STRING "source files of a library that are compiled together")

# ptoscope_units(Name list): puts units into the place of the sources in that list.
function(ptoscope_units name list)
  if(PTOSCOPE_TOGETHER LESS 2)
    return()
  endif()
  set(units)
  set(open 0)   # files of the unit that is being written
  set(number 0) # of units
  foreach(source ${${list}})
    if(NOT source MATCHES "[.]cpp$" OR IS_ABSOLUTE ${source}) # generated files stand for themselves
      list(APPEND units ${source})
      continue()
    endif()
    if(open EQUAL 0)
      set(unit ${CMAKE_CURRENT_BINARY_DIR}/${name}.${number}.cpp)
      set(text)
      list(APPEND units ${unit})
    endif()
    cmake_path(ABSOLUTE_PATH source)
    # Relative: no path of this clone, so that others can share the compilation.
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(APPEND text "#include \"${source}\"\n")
    file(CONFIGURE OUTPUT ${unit} CONTENT "${text}" @ONLY)
    math(EXPR open "(${open} + 1) % ${PTOSCOPE_TOGETHER}")
    if(open EQUAL 0)
      math(EXPR number "${number} + 1")
    endif()
    set_property(SOURCE ${unit} PROPERTY INCLUDE_DIRECTORIES ${PROJECT_SOURCE_DIR})
  endforeach()
  set(${list} ${units} PARENT_SCOPE)
endfunction()

# ptoscope_library(Name SOURCES a.cpp … LINK other … [ALONE b.cpp …]). Files that stand alone name other namespaces.
function(ptoscope_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;ALONE;LINK" ${ARGN})
  ptoscope_units(${name} ARG_SOURCES)
  add_library(${name} STATIC ${ARG_SOURCES} ${ARG_ALONE})
  target_link_libraries(${name} PUBLIC ptoscope_flags ${ARG_LINK})
endfunction()

# What only `make test` and `make bench` need is built by these targets, not by `all`.
add_custom_target(ptoscope-tests)
add_custom_target(ptoscope-benchmarks)
function(ptoscope_built_by aggregate name)
  set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(${aggregate} ${name})
endfunction()

# ptoscope_unittest(Name SOURCES a.cpp … LINK lib … [PCH pch])
function(ptoscope_unittest name)
  cmake_parse_arguments(ARG "" "PCH" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ptoscope_flags ${ARG_LINK} GTest::gtest GTest::gtest_main)
  if(ARG_PCH STREQUAL "ptoscope_plain_pch")
    target_compile_options(${name} PRIVATE ${PTOSCOPE_PLAIN_OPTIONS})
  endif()
  if(ARG_PCH)
    ptoscope_use_pch(${name} ${ARG_PCH})
  endif()
  ptoscope_built_by(ptoscope-tests ${name})
  add_test(NAME ${name} COMMAND ${name})
  # Code of kernels that an earlier run of the tests compiled; nothing of the user's.
  set_property(TEST ${name} PROPERTY ENVIRONMENT PTOSCOPE_CACHE=${PROJECT_BINARY_DIR}/code-cache)
  if(PTOSCOPE_SANITIZE)
    set_property(TEST ${name} PROPERTY TIMEOUT 7200)
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT ASAN_OPTIONS=${PTOSCOPE_ASAN_OPTIONS})
    # Sanitizers take memory of their own: what measures or limits it cannot run under them.
    set(unfit Sandbox.MemoryIsLimited:LongTimesTest.EqualBlocksTakeNoMemory)
    if(PTOSCOPE_SANITIZE MATCHES "thread")
      # It delivers signals to code that never waits too late.
      string(APPEND unfit :Sandbox.LimitsHold:ReuseTest.ManyCoresAtATime:LongTimesTest.MemoryStaysBounded)
      set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT
        TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/cmake/tsan.suppressions)
    endif()
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT GTEST_FILTER=-${unfit})
  endif()
  if(CMAKE_CROSSCOMPILING)
    # A death test starts itself again, which is then the emulator; filters of system calls are not emulated; what
    # lies 4 GiB away is not reserved (PTOSCOPE_RESERVED_BYTES), nor is there room for thousands of memories.
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT
      "GTEST_FILTER=-ForeignSignals.*:ScopeTest.FaultsElsewhere*:ScopeTest.Stray*:ScopeTest.TrapsOn*:ReuseTest.ManyCores*:Sandbox.*")
    set_property(TEST ${name} PROPERTY TIMEOUT 3600)
  endif()
endfunction()
