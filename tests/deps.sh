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
#	deps.sh list [PURPOSE]         installs nothing, and prints the names of these packages (tests/deps.py)
# shellcheck disable=SC2086 # lists of words
set -u
is_list=
[ "${1-}" != list ] || { is_list=yes && shift; }
purpose=${1-}

case $purpose in
'') packages='gcc g++ libc6-dev make pkg-config clang-19 libomp-19-dev libotf2-trace-dev otf2-tools python3-otf2 python3-six libck-dev check
	libdw-dev libjansson-dev libsqlite3-dev zlib1g-dev libxml2-dev libiberty-dev libcapstone-dev libgraphviz-dev graphviz librsvg2-dev libcairo2-dev
	ca-certificates mount' ;;
check) packages='chromium flang-19 spin clang-tools-19 clang-format btrfs-progs xfsprogs protobuf-compiler strace poppler-utils librsvg2-bin
	python3-networkx python3-igraph valgrind musl-tools openmpi-bin python3-numpy libopenblas0-openmp python3-sklearn r-base-core r-cran-data.table libdebuginfod1 shellcheck mandoc binutils
	libfaketime fakeroot libeatmydata1 libjemalloc2 libgoogle-perftools4'
	# Programs of 32 bits, and what runs them on kernels that do not.
	[ "$(uname -m)" != x86_64 ] || packages="$packages qemu-user libc6-i386" ;;
aarch64) packages='gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user' ;;
bench) packages='gnuplot-nox valgrind' ;;
fuzz) packages='libclang-rt-19-dev' ;;
lint) packages='clang-format clang-tidy cppcheck shellcheck mandoc binutils' ;;
*)
	echo "deps.sh: unknown purpose $purpose" >&2
	exit 1
	;;
esac
# A release has the page of the report as it was bundled, and REPORT=no leaves it out: neither needs npm.
needs_npm=yes
[ ! -e "$(dirname "$0")/../builder/report/made/tail.html" ] && [ "${REPORT-}" != no ] || needs_npm=
# npm is not always Debian's.
[ -n "$purpose" ] || [ -z "$needs_npm" ] || { [ -z "$is_list" ] && command -v npm >/dev/null; } || packages="$packages npm"

if [ -n "$is_list" ]; then
	printf '%s\n' $packages
	exit
fi

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

# modules FOLDER OPTION...: installs the npm packages of the report into build/FOLDER, in the versions of
# builder/report/page/package-lock.json. The options are npm's.
modules() {
	page=$(dirname "$0")/../builder/report/page into=$(dirname "$0")/../build/$1
	shift
	cmp -s "$page/package-lock.json" "$into/installed.json" && return
	mkdir -p "$into" && cp "$page/package.json" "$page/package-lock.json" "$page/.npmrc" "$into/" || return
	echo 'Installing the npm packages of the report'
	# npm trusts the authorities that it was built with. A host behind an authority of its own has that one among the system's.
	authorities=${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}
	[ ! -r "$authorities" ] || export NODE_EXTRA_CA_CERTS="${NODE_EXTRA_CA_CERTS:-$authorities}"
	if (cd "$into" && npm ci --ignore-scripts --no-audit --no-fund "$@") >"$into/log" 2>&1; then
		cp "$page/package-lock.json" "$into/installed.json"
	else
		cat "$into/log" >&2
		echo 'Could not install the npm packages of the report.' >&2
		return 1
	fi
}

# What is left to do when the packages are there. Only the checks of the page need what package.json has for development,
# which has a folder of its own.
finish() {
	case $purpose in
	'') [ -z "$needs_npm" ] || modules npm --omit=dev ;;
	check | lint) modules npm-lint ;;
	esac
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
