# The package: the target ptoscope::ptoscope, for programs that launch kernels by <ptoscope/launch.hpp>, and a
# function for programs that are written for the device.

include("${CMAKE_CURRENT_LIST_DIR}/ptoscope-targets.cmake")

# ptoscope_add_executable(name source.cpp …)
#
# Like add_executable, for sources with kernel<<<…>>> and kernels for both kinds of cores: `ptoscope c++` compiles
# them, with the project's C++ compiler. Flags, definitions and include folders of the target hold.
function(ptoscope_add_executable name)
  set(objects)
  set(definitions "$<TARGET_PROPERTY:${name},COMPILE_DEFINITIONS>")
  set(folders "$<TARGET_PROPERTY:${name},INCLUDE_DIRECTORIES>")
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  separate_arguments(flags NATIVE_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}")
  foreach(source ${ARGN})
    get_filename_component(path "${source}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    get_filename_component(file "${source}" NAME)
    list(LENGTH objects number)
    set(object "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.ptoscope/${number}-${file}.o")
    file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.ptoscope")
    set(dependencies)
    if(CMAKE_GENERATOR MATCHES "Ninja" OR CMAKE_VERSION VERSION_GREATER_EQUAL 3.20)
      set(dependencies DEPFILE "${object}.d")
    endif()
    add_custom_command(OUTPUT "${object}"
      COMMAND ${CMAKE_COMMAND} -E env "PTOSCOPE_CXX=${CMAKE_CXX_COMPILER}" $<TARGET_FILE:ptoscope::ptoscope-c++>
        ${flags} "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>" "$<$<BOOL:${folders}>:-I$<JOIN:${folders},;-I>>"
        "$<TARGET_PROPERTY:${name},COMPILE_OPTIONS>" -MD -MF "${object}.d" -MT "${object}" -c "${path}" -o "${object}"
      DEPENDS "${path}" ${dependencies} COMMENT "Building ${file} with ptoscope c++" COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND objects "${object}")
  endforeach()
  add_executable(${name} ${objects})
  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${name} PRIVATE ptoscope::ptoscope)
endfunction()
