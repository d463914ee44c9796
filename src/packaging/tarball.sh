#!/usr/bin/env bash
# Makes a tarball of a built wattfill that runs without root and without its libraries installed: they lie beside the program.
#   src/packaging/tarball.sh BUILD OUT_DIR
set -euo pipefail
build=$(readlink -f "$1")
out=$(mkdir -p "$2" && readlink -f "$2")
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
name=wattfill-$version-linux-$(uname -m)
stage=$(mktemp -d)
trap 'rm -r "$stage"' EXIT
cmake --install "$build" --prefix "$stage/$name" --strip >/dev/null
rm -rf "$stage/$name/include" "$stage/$name"/lib/*.a "$stage/$name/lib/cmake" "$stage/$name"/lib/*/*.a "$stage/$name"/lib/*/cmake
mkdir -p "$stage/$name/lib/wattfill"
# glibc's own libraries belong to the system: two of them in one process do not work.
ldd "$stage/$name/bin/wattfill" | awk '$3 ~ /^\// {print $3}' |
  grep -Ev '/(libc|libm|libdl|libpthread|librt|libresolv|libutil|ld-linux[^/]*)\.so' | while read -r library; do
  cp -L "$library" "$stage/$name/lib/wattfill/"
done
find "$stage/$name" -type d -empty -delete
tar -C "$stage" --sort=name --owner=0 --group=0 --numeric-owner -czf "$out/$name.tar.gz" "$name"
echo "$out/$name.tar.gz"
