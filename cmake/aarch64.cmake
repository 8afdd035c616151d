# Programs for AArch64 on a host of any kind: clang with Debian's libraries for the other architecture, and QEMU to run
# what it has built. scripts/arm64-packages.sh puts what Debian has no cross package for into the folder `root` of the build.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
# -R: addresses are used again, and with them what QEMU notes of each page.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -R 0x1000000000 -L /usr/aarch64-linux-gnu)

# Packages of the other architecture first; headers without code are those of the host. Programs run here.
set(CMAKE_FIND_ROOT_PATH ${CMAKE_CURRENT_LIST_DIR}/../build-aarch64/root)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
