#!/usr/bin/env bash
# Makes the Debian package and the tarball of a build and uses both.
#   src/packaging/packages_test.sh BUILD          BUILD: a release build; WATTFILL_INSTALL_DEB=1 as root also installs the package, and removes it again
set -euo pipefail
build=$(readlink -f "$1")
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
fail() {
  echo "FAILED: $1"
  exit 1
}
use() { # how it is called, program
  unset WATTFILL_CURVES
  mkdir -p "$work/$1"
  cd "$work/$1"
  "$2" --version
  "$2" init snapshot >/dev/null
  "$2" validate snapshot.yaml >/dev/null || fail "$1: its curve libraries are not found"
  "$2" run snapshot.yaml --set mixes.mine.replications=5 --quiet
  "$2" regress out/snapshot --baseline b.yaml --update >/dev/null
  "$2" regress out/snapshot --baseline b.yaml >/dev/null || fail "$1: results compare unlike themselves"
  if [[ -e $3/share/wattfill/report/report.js ]]; then "$2" report out/snapshot; else echo "note: the page of reports was not bundled in this build"; fi
  [[ -e $3/share/man/man1/wattfill.1 || -e $3/share/man/man1/wattfill.1.gz ]] || fail "$1: no manual page"
  cd "$root"
}

(cd "$build" && cpack -G DEB -B "$work/deb" >"$work/cpack.log") || { cat "$work/cpack.log"; fail 'cpack'; }
deb=$(echo "$work"/deb/*.deb)
echo "$(basename "$deb"): $(stat -c %s "$deb") bytes"
dpkg-deb -f "$deb" Depends
for library in libc6 libstdc++6 libtbb12 libyaml-cpp0.7 libssl3 libboost-program-options1.74.0; do
  dpkg-deb -f "$deb" Depends | grep -q "$library" || [[ ! -e /etc/debian_version || $(cut -d. -f1 /etc/debian_version) != 12 ]] || fail "the package does not depend on $library"
done
dpkg-deb -x "$deb" "$work/unpacked"
use deb "$work/unpacked/usr/bin/wattfill" "$work/unpacked/usr"
if [[ ${WATTFILL_INSTALL_DEB:-} == 1 ]]; then
  dpkg -i "$deb" >/dev/null
  use installed /usr/bin/wattfill /usr
  dpkg -r wattfill >/dev/null
  [[ ! -e /usr/bin/wattfill ]] || fail 'the package did not go'
fi

tarball=$("$root/src/packaging/tarball.sh" "$build" "$work/tar")
echo "$(basename "$tarball"): $(stat -c %s "$tarball") bytes"
mkdir -p "$work/else where"
tar -C "$work/else where" -xzf "$tarball"
place=$(echo "$work/else where"/wattfill-*)
outside=$(ldd "$place/bin/wattfill" | sed -n 's|.* => \(/.*\) (0x[0-9a-f]*)$|\1|p' | grep -v "^$place/" | grep -Ev '/(libc|libm|libdl|libpthread|librt)\.so' || true)
[[ -z $outside ]] || fail "the tarball's program takes libraries of the system: $outside"
use tarball "$place/bin/wattfill" "$place"
echo 'the packages work'
