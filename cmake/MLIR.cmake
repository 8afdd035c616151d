# LLVM and MLIR 19. Only the LLVM dylib is linked: component libraries would put
# a second, static copy of LLVM beside it in one process.

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
target_link_libraries(ptoscope_mlir INTERFACE LLVM)
