#!/bin/sh
# Unpacks Debian's arm64 packages of the libraries that are linked, in the versions that are installed here, into the
# folder it is given. Nothing of the system changes: apt reads the lists of the other architecture elsewhere, too.
set -eu

target=$1
[ -d "$target" ] && exit 0
mkdir -p "$(dirname "$target")"
folder=$(mktemp -d "$target.XXXXXX")
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial" "$folder/packages"
libraries=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 'libboost1.*-dev' 'libboost-context1.*' libgtest-dev libgmock-dev |
  sed -n 's/^installed //p')
arm64() {
  apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root \
    -o Dir::State::lists="$folder/lists" -o Dir::Cache="$folder/cache" "$@"
}
arm64 update
# shellcheck disable=SC2086
(cd "$folder/packages" && arm64 download $libraries)
for package in "$folder"/packages/*.deb; do
  dpkg-deb -x "$package" "$folder/root"
done
mv "$folder/root" "$target"
