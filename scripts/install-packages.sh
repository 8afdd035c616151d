#!/bin/sh
# Installs what the build needs and is not there yet, by apt, as root or with sudo;
# with the word `tests` first, what the tests need, too; and the packages that it is given.
#
# Debian 12 (bookworm) is what this is tested on. The same names exist, untested,
# on Debian 13 (trixie) and Ubuntu 24.04 (noble).
set -eu

packages="
cmake ninja-build ccache make git pkg-config
clang-19 lld-19 libclang-rt-19-dev g++
llvm-19-dev llvm-19-tools libmlir-19-dev mlir-19-tools
nlohmann-json3-dev zlib1g-dev libzstd-dev libxml2-dev
libboost-context-dev libtomlplusplus-dev
libgtest-dev libgmock-dev libbenchmark-dev
python3 python3-numpy pybind11-dev python3-dev
"
if [ "${1-}" = tests ]; then
  shift
  packages="$packages
python3-psutil python3-pytest python3-jsonschema mypy protobuf-compiler
clang-format-19 shellcheck flake8 codespell
chromium chromium-driver fonts-dejavu-core
parallel dpkg-dev file
groff man-db mandoc zsh fish
mkdocs mkdocs-material
neovim
"
  # Node.js from elsewhere brings its own npm.
  command -v npm >/dev/null 2>&1 || packages="$packages nodejs npm"
fi

missing=""
for package in $packages "$@"; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

if ! command -v apt-get >/dev/null 2>&1; then
  echo "error: these packages are missing, and this system has no apt-get:$missing" >&2
  exit 1
fi
sudo=""
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null 2>&1 || { echo "error: run as root, or install sudo; missing:$missing" >&2; exit 1; }
  sudo=sudo
fi
echo "installing:$missing"
$sudo apt-get update -q
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -q --no-install-recommends $missing
