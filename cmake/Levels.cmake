# Code compiled once for every level of host, each in its own namespace.

set(PTOSCOPE_LEVELS base)
set(PTOSCOPE_LEVEL_OPTIONS_base "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND PTOSCOPE_LEVELS v3 v4 fp16)
  set(PTOSCOPE_LEVEL_OPTIONS_v3 -march=x86-64-v3)
  set(PTOSCOPE_LEVEL_OPTIONS_v4 -march=x86-64-v4)
  set(PTOSCOPE_LEVEL_OPTIONS_fp16 -march=x86-64-v4 -mavx512fp16 -DPTOM_HALF_ARITHMETIC)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  list(APPEND PTOSCOPE_LEVELS fp16)
  set(PTOSCOPE_LEVEL_OPTIONS_fp16 -march=armv8.2-a+fp16 -DPTOM_HALF_ARITHMETIC)
endif()

# ptoscope_leveled_library(Name LEVELED a.cpp … SOURCES b.cpp … LINK other …)
# LEVELED files define everything in namespace PTOSCOPE_LEVEL and may share no
# inline function with other code unless it is inlined always: the linker keeps
# one copy of each, and it could be that of a better host.
function(ptoscope_leveled_library name)
  cmake_parse_arguments(ARG "" "" "LEVELED;SOURCES;LINK" ${ARGN})
  set(objects)
  foreach(level ${PTOSCOPE_LEVELS})
    add_library(${name}_${level} OBJECT ${ARG_LEVELED})
    target_link_libraries(${name}_${level} PRIVATE ptoscope_leveled_flags)
    target_compile_definitions(${name}_${level} PRIVATE PTOSCOPE_LEVEL=${level})
    target_compile_options(${name}_${level} PRIVATE ${PTOSCOPE_LEVEL_OPTIONS_${level}}
      # The same bits at every level. Groups are passed between inlined functions only.
      -ffp-contract=off -fno-math-errno -fno-trapping-math -Wno-psabi)
    list(APPEND objects $<TARGET_OBJECTS:${name}_${level}>)
  endforeach()
  add_library(${name} STATIC ${ARG_SOURCES} ${objects})
  target_link_libraries(${name} PUBLIC ptoscope_flags ${ARG_LINK})
endfunction()
