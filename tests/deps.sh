#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Installs the Debian packages that are missing. It prints nothing and takes a few milliseconds where nothing is
# missing. On other systems than Debian it only names what is needed, and the build names what it lacks.
#
#	deps.sh            what the build, the demo and most tests need
#	deps.sh check      what a few tests need, which are skipped without it
#	deps.sh aarch64    what the test of that name needs, 270 MB
#	deps.sh bench | fuzz | lint    what these targets of make need
# shellcheck disable=SC2086 # lists of words
set -u
purpose=${1-}

packages='gcc libc6-dev make pkg-config clang-19 libomp-19-dev libotf2-trace-dev otf2-tools python3-otf2 python3-six libck-dev check
	libdw-dev libjansson-dev libsqlite3-dev zlib1g-dev libxml2-dev libiberty-dev libgraphviz-dev graphviz librsvg2-dev libcairo2-dev mount'
[ $# -gt 0 ] || command -v npm >/dev/null || packages="$packages npm"
[ "${1-}" = check ] && packages='chromium flang-19 spin clang-tools-19 clang-format btrfs-progs xfsprogs protobuf-compiler poppler-utils librsvg2-bin python3-networkx python3-igraph valgrind'
[ "${1-}" = aarch64 ] && packages='gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user'
[ "${1-}" = bench ] && packages='gnuplot-nox valgrind'
[ "${1-}" = fuzz ] && packages='libclang-rt-19-dev'
[ "${1-}" = lint ] && packages='clang-format clang-tidy cppcheck shellcheck mandoc binutils'

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

# The libraries of report.html, in the versions of builder/report/page/package-lock.json.
modules() {
	page=$(dirname "$0")/../builder/report/page into=$(dirname "$0")/../build/npm
	cmp -s "$page/package-lock.json" "$into/installed.json" && return
	mkdir -p "$into" && cp "$page/package.json" "$page/package-lock.json" "$page/.npmrc" "$into/" || return
	echo 'Installing the libraries of the report'
	if (cd "$into" && npm ci --ignore-scripts --no-audit --no-fund) >"$into/log" 2>&1; then
		cp "$page/package-lock.json" "$into/installed.json"
	else
		cat "$into/log" >&2
		echo 'Could not install the libraries of the report.' >&2
		return 1
	fi
}

# What is left to do when the packages are there.
finish() {
	[ -n "$purpose" ] || modules
	exit
}

[ -n "$missing" ] || finish

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

apt() { $root env DEBIAN_FRONTEND=noninteractive apt-get "$@"; }

# Debian lets only one version of LLVM's OpenMP runtime be installed. Programs find the newer one under the same name,
# so an older one is replaced. Where any other package would have to be removed nothing is installed: that is for the
# user to decide.
install() {
	apt install -s --no-install-recommends $missing >"$log" 2>&1 || return 1
	leaving=$(sed -n 's/^Remv \([^ ]*\).*/\1/p' "$log" | tr '\n' ' ')
	for package in $leaving; do
		case $package in
		libomp-dev | libomp-[0-9]*-dev | libomp5-[0-9]*) ;;
		*)
			echo "apt-get would remove $package for them." >>"$log"
			return 1
			;;
		esac
	done
	[ -z "$leaving" ] || echo "Replacing ${leaving% }: only one version of this runtime can be installed"
	apt install -y --no-install-recommends $missing >"$log" 2>&1
}

echo "Installing$missing"
# The package lists may be missing or too old. They are fetched only if installing fails without.
install && finish
apt update >"$log" 2>&1 || cat "$log" >&2
install && finish
cat "$log" >&2
echo "Could not install$missing." >&2
exit 1
