#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests `make install`: installs from a copy of the tree, removes the copy, then records and builds with the installed tools.
# The objects of BUILD (default build) are copied too, so that little is compiled again.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/check_command.sh

mkdir "$work/source" "$work/stage"
cp -a Makefile LICENSE README.md recorder builder common docs "$work/source" 2>/dev/null
mkdir -p "$work/source/build"
cp -a "$(realpath "${BUILD:-build}/bin" | xargs dirname)" "$work/source/build"

check "install into DESTDIR and PREFIX" make -C "$work/source" install DESTDIR="$work/stage" PREFIX=/opt/otter
check "install a second time over it" make -C "$work/source" install DESTDIR="$work/stage" PREFIX=/opt/otter
# What stands where it was meant to: the prefix is a place of its own, the tree is gone.
mv "$work/stage/opt/otter" "$work/installed"
mv "$work/source" "$work/gone"
prefix=$work/installed

check "nothing outside the prefix" test "$(find "$work/stage" -type f | wc -l)" -eq 0
for file in bin/otter-record bin/otter-build lib/libotter-ompt.so lib/libotter-abt.so lib/otter/libgomp.so.1 lib/otter/libotter-audit.so lib/otter/libotter-name-7.so share/doc/otter/LICENSE share/doc/otter/demo/demo.c \
	$(cd docs && for page in *.[1-8]; do echo "share/man/man${page##*.}/$page"; done); do
	check "installed: $file" test -f "$prefix/$file"
done
# shellcheck disable=SC2317 # called by check
is_self_contained() {
	! grep -alR "$PWD\|$work/source" "$prefix/share" && ! readelf -d "$prefix"/bin/* "$prefix"/lib/* | grep -E 'RPATH|RUNPATH'
}
check "nothing of it names the source tree" is_self_contained

cd "$work" || exit 1
check "the launcher finds its recorder" "$prefix/bin/otter-record" --check "$prefix/bin/otter-build"
# shellcheck disable=SC2317 # called by check
records_gcc() {
	echo 'int main(void) { int n = 0;
#pragma omp parallel reduction(+ : n)
	n++; return n == 0; }' >gcc.c && gcc -fopenmp -o gcc-program gcc.c && "$prefix/bin/otter-record" --dir gcc ./gcc-program && ls gcc/*.otter
}
check "a program that gcc built is recorded" records_gcc
check "versions agree" bash -c "! '$prefix/bin/otter-record' --version | grep -q another"
check "the installed demo runs" "$prefix/share/doc/otter/demo/run.sh" "$work/demo"
for output in graph.dot constructs.csv nodes.csv edges.csv summary.json traces.otf2; do
	check "the demo made $output" test -s "$(echo demo/*.build)/$output"
done

check "uninstall" make -C "$work/gone" uninstall DESTDIR= PREFIX="$prefix"
check "uninstall leaves no file" test -z "$(find "$prefix" -type f)"
exit $((n_failed > 0))
