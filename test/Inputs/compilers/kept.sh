#!/bin/sh
# The compilers of the tests, by symbolic links with their names. ccache keeps what they compile for the next run of the tests; one
# command that compiles and links becomes compilations and a link. All else goes to the compiler as it is.
here=$(dirname "$0")
name=$(basename "$0")
compiler=$(PATH=$(printf %s "$PATH" | sed "s#$here:##g") command -v "$name") || exit 127
command -v ccache >/dev/null || exec "$compiler" "$@"

sources=0
previous=
for word in "$@"; do
  [ "$word" != -c ] || exec ccache "$compiler" "$@"
done
for word in "$@"; do
  case $previous/$word in
    -x/* | */-E | */-S | */-M | */-MM | */-fsyntax-only | */-) exec "$compiler" "$@" ;;
    -include/* | -o/*) ;;
    */*.cpp) sources=$((sources + 1)) ;;
  esac
  previous=$word
done
[ $sources -gt 0 ] || exec "$compiler" "$@"

objects=$(mktemp -d) || exit 1
trap 'rm -rf "$objects"' EXIT
trap 'exit 130' INT TERM

# Words of a compilation: all but sources, libraries and the result. In a shell of its own, for its variables.
compile() (
  source=$1 object=$2 previous=
  shift 2
  count=$#
  while [ "$count" -gt 0 ]; do
    word=$1
    shift
    count=$((count - 1))
    case $previous/$word in
      -o/*) ;;
      -include/*) set -- "$@" "$word" ;;
      */-o | */*.cpp | */*.o | */*.a | */*.so | */-l* | */-L* | */-Wl,* | */-shared) ;;
      *) set -- "$@" "$word" ;;
    esac
    previous=$word
  done
  ccache "$compiler" "$@" -c "$source" -o "$object"
)

number=0
previous=
count=$#
for word in "$@"; do
  case $previous/$word in
    -include/* | -o/*) ;;
    */*.cpp)
      number=$((number + 1))
      compile "$word" "$objects/$number.o" "$@" || exit
      ;;
  esac
  previous=$word
done

number=0
previous=
while [ "$count" -gt 0 ]; do
  word=$1
  shift
  count=$((count - 1))
  case $previous/$word in
    -include/* | -o/*) ;;
    */*.cpp)
      number=$((number + 1))
      word=$objects/$number.o
      ;;
  esac
  set -- "$@" "$word"
  previous=$word
done
"$compiler" "$@"
