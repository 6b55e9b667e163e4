#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Installs the Debian packages that are missing: `deps.sh` for building, demo and tests, `deps.sh lint` for make lint. Says nothing and
# takes a few milliseconds where nothing is missing. Elsewhere than on Debian it only names what is needed; the build says what it misses.
# shellcheck disable=SC2086 # lists of words
set -u

packages='gcc libc6-dev make pkg-config clang-19 libomp-19-dev libotf2-trace-dev otf2-tools python3-otf2 python3-six libck-dev check
	libdw-dev libjansson-dev graphviz'
[ "${1-}" = lint ] && packages='clang-format cppcheck shellcheck mandoc binutils'

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	echo "make deps installs on Debian and its relatives only; needed here are the equivalents of:" $packages
	exit 0
fi

installed=" $(dpkg-query -W -f '${Package}=${db:Status-Status} ' $packages 2>/dev/null)"
missing=
for package in $packages; do
	case $installed in
	*" $package=installed "*) ;;
	*) missing="$missing $package" ;;
	esac
done
[ -n "$missing" ] || exit 0

root=
if [ "$(id -u)" -ne 0 ]; then
	if ! command -v sudo >/dev/null; then
		echo "These packages are missing, and installing them takes root or sudo:$missing" >&2
		exit 1
	fi
	root=sudo
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# A package that is in the way of one of these is left to the user to remove.
install() {
	$root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends --no-remove $missing >"$log" 2>&1
}

echo "Installing$missing"
# The package lists may be absent or too old: they are fetched only if it does not work without.
install && exit 0
$root apt-get update >"$log" 2>&1 || cat "$log" >&2
install && exit 0
cat "$log" >&2
echo "Could not install$missing. (libomp-19-dev excludes the libomp-*-dev of another version: remove that one first.)" >&2
exit 1
