#!/bin/sh
# What `make install` installs, as a folder that runs from anywhere, in one file:
#
#   tarball.sh BUILD OUTPUT.tar.gz
#
# LLVM and MLIR are linked into the programs. Libraries that not every distribution has in the same version lie beside
# libptoscope, where RPATHs of $ORIGIN find them; libc, libstdc++ and libgcc_s are the host's.
set -eu
[ $# = 2 ] || { echo "usage: $0 BUILD OUTPUT.tar.gz" >&2; exit 2; }
build=$1 output=$2
name=$(basename "$output" .tar.gz)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
DESTDIR="$stage" cmake --install "$build" --prefix "/$name" --strip >/dev/null
DESTDIR="$stage" cmake --install "$build" --prefix "/$name" --component bundle >/dev/null
mkdir -p "$(dirname "$output")"
tar -C "$stage" --owner=0 --group=0 -czf "$output.part" "$name"
mv "$output.part" "$output"
echo "$output"
