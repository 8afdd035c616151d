# Headers that many files share, parsed and instantiated once.
#
# Not target_precompile_headers: it passes absolute paths behind -Xclang, where
# ccache cannot make them relative, and no two clones would share a compilation.

# ptoscope_pch(Name source.cpp LINK lib …): `source.cpp` holds the includes.
function(ptoscope_pch name source)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    return()
  endif()
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${source})
  target_link_libraries(${name} PRIVATE ptoscope_flags ${ARG_LINK})
  set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS
    "-xc++-header;-fpch-instantiate-templates;-Xclang;-fno-pch-timestamp")
  set(PTOSCOPE_PCH_${name}
    ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.dir/${source}${CMAKE_CXX_OUTPUT_EXTENSION} CACHE INTERNAL "")
endfunction()

# ptoscope_use_pch(target pch [files …]): all files of the target by default.
# They must have the options of the pch: ninja knows when it is stale, and clang
# is told not to look, as the paths in it may be those of another clone.
function(ptoscope_use_pch target pch)
  if(NOT TARGET ${pch})
    return()
  endif()
  set(files ${ARGN})
  if(NOT files)
    get_target_property(files ${target} SOURCES)
  endif()
  add_dependencies(${target} ${pch})
  set_property(SOURCE ${files} APPEND PROPERTY OBJECT_DEPENDS ${PTOSCOPE_PCH_${pch}})
  set_property(SOURCE ${files} APPEND PROPERTY COMPILE_OPTIONS
    -include-pch ${PTOSCOPE_PCH_${pch}} -Xclang -fno-validate-pch
    # A pch forgets that the library's headers silence this where they use their own old functions.
    -Wno-deprecated-declarations)
endfunction()
