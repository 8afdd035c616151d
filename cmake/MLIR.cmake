# LLVM and MLIR 19, linked statically: to load libLLVM.so takes longer than to
# check a small file. Sanitizers keep to the shared library, whose inline
# functions stay apart from those of ours that are instrumented.

find_package(MLIR 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
# LLVM's function writes paths in depfiles as ninja wants them. Rewritten once more by
# CMake they would match nothing, and every build would generate everything again.
cmake_policy(PUSH)
cmake_policy(SET CMP0116 OLD)
include(TableGen)
cmake_policy(POP)
include(AddLLVM)
include(AddMLIR)

add_library(ptoscope_mlir INTERFACE)
target_include_directories(ptoscope_mlir SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(PTOSCOPE_LLVM_DEFINITIONS NATIVE_COMMAND ${LLVM_DEFINITIONS})
target_compile_definitions(ptoscope_mlir INTERFACE ${PTOSCOPE_LLVM_DEFINITIONS})
if(PTOSCOPE_SANITIZE)
  target_link_libraries(ptoscope_mlir INTERFACE LLVM)
else()
  # The archives of MLIR name the shared library; a process must not have both.
  foreach(target ${MLIR_EXPORTED_TARGETS})
    get_target_property(libraries ${target} INTERFACE_LINK_LIBRARIES)
    if(libraries)
      list(REMOVE_ITEM libraries LLVM)
      set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${libraries}")
    endif()
  endforeach()
  llvm_map_components_to_libnames(PTOSCOPE_LLVM bitreader bitwriter core linker nativecodegen orcjit passes support)
  target_link_libraries(ptoscope_mlir INTERFACE ${PTOSCOPE_LLVM})
  # At fixed addresses there is next to nothing to relocate when the tool starts.
  target_link_options(ptoscope_mlir INTERFACE
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie> -Wl,--gc-sections -Wl,--as-needed)
endif()
