#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# products.sh TREE: what a compiler does not see in the products of the object tree TREE (build/KEY): circles of files, exported
# names, what the recorder takes from libc, and how the products are hardened. `make check` runs it as the test `products`, and
# `make lint` before the rest. Exit status 1 if anything was found.
set -u
cd "$(dirname "$0")/../.." || exit 1
git ls-files --error-unmatch Makefile >/dev/null 2>&1 || {
	echo "skip no clone of git: which files belong to the project is not known"
	exit 77
}
. tests/lint/share.sh
tree=$1 recorder=$1/lib/libotter-ompt.so launcher=$1/bin/otter-record builder=$1/bin/otter-build gomp=$1/lib/otter/libgomp.so.1 audit=$1/lib/otter/libotter-audit.so

for folder in recorder builder; do
	tests/lint/circles.sh "$tree" "$folder" 2>&1 | finding "no files of $folder/ need each other in a circle"
done
# names PRODUCT: the names that it exports, except its copies of libraries' variables: those of libc have a version, and
# all have a relocation
names() {
	comm -23 <(nm -D --defined-only --with-symbol-versions "$1" | awk '$NF !~ /@/ { print $NF }' | sort -u) \
		<(readelf -W -r "$1" | awk '$3 ~ /_COPY$/ { print $5 }' | sort -u)
}
for product in "$recorder" "$launcher" "$builder" "$audit"; do
	names "$product" | sed "s/^/$(basename "$product") /"
done | diff tests/lint/exports - | grep '^[<>]' | finding "exported names are those of tests/lint/exports"
# Compilers differ in what they call: the recorder need not call all that the list has. On other processors than these it takes libc's
# functions in place of system calls.
case $(uname -m) in x86_64 | aarch64)
	nm -D --undefined-only "$recorder" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u | comm -23 - <(grep -v '^#' tests/lint/recorder-calls | sort -u) |
		finding "the recorder calls what tests/lint/recorder-calls has"
	;;
esac
readelf -d "$recorder" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE '^(libc|ld-linux.*|libpthread|libdl)\.so\.[0-9]+$' |
	finding "the recorder needs nothing but libc"

# hardened PRODUCT WHAT PATTERN: readelf or nm must print a line that matches
hardened() {
	local product=$1 what=$2 pattern=$3
	{
		readelf -W -h -l -d -n "$product"
		nm -D --undefined-only "$product"
	} 2>/dev/null | grep -qE -- "$pattern" || echo "$(basename "$product"): no $what"
}
for product in "$recorder" "$launcher" "$builder" "$gomp" "$audit"; do
	hardened "$product" "read-only relocations" 'GNU_RELRO'
	hardened "$product" "binding at the start" 'BIND_NOW|FLAGS.*NOW'
	hardened "$product" "stack that is not executable" 'GNU_STACK.* RW '
	hardened "$product" "address of its own choice" 'Type: +DYN'
	# No function of the library for the loader has an array on its stack.
	[ "$product" = "$audit" ] || hardened "$product" "stack protector" '__stack_chk_fail'
	hardened "$product" "checked calls" '__[a-z]+_chk'
	readelf -W -d "$product" | grep -E 'RPATH|RUNPATH|TEXTREL'
done | finding "the products are hardened"

[ $n_found -eq 0 ]
