#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# lint.sh RECORDER LAUNCHER BUILDER: what a compiler does not see. `make lint` calls it. Exit status 1 if anything was
# found.
#
# After the fast rules (lint/fast.sh, which `make check` runs too) it runs cppcheck, clang-tidy (.clang-tidy), gcc's
# analyzer, shellcheck and mandoc; compares the names that the products export, and the ones that the recorder takes from
# libc, with the lists in tests/lint/; and checks how the products are hardened.
set -u
cd "$(dirname "$0")/.." || exit 1
recorder=$1 launcher=$2 builder=$3
. tests/lint/share.sh

tests/lint/fast.sh || n_found=1
shellcheck -x "${scripts[@]}" 2>&1 | finding "shellcheck"
mapfile -t pages < <(git ls-files 'docs/*.[1-8]')
[ ${#pages[@]} -eq 0 ] || mandoc -Tlint -Wwarning "${pages[@]}" 2>&1 | finding "man pages"

# ---- What an analyser finds ----

cppcheck --quiet --std=c11 --language=c --enable=warning,performance,portability --inline-suppr --suppress=missingInclude \
	--suppress=preprocessorErrorDirective -D_GNU_SOURCE -D__x86_64__ -I. common recorder builder 2>&1 | finding "cppcheck"
mapfile -t files < <(matching '^(common|recorder|builder)/.*\.c$')
read -ra libraries < <(pkg-config --cflags ck otf2 libdw jansson libgvc)
flags=("${headers[@]}" -pthread "${libraries[@]}")
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -I{} clang-tidy --quiet {} -- "${flags[@]}" 2>/dev/null | grep -E 'warning:|error:' | finding "clang-tidy"
# In the builder gcc 12 takes each pointer that is kept in a structure for lost, and does not know that one value may
# tell whether another is there.
quiet="-Wno-analyzer-malloc-leak -Wno-analyzer-null-dereference -Wno-analyzer-null-argument -Wno-analyzer-possible-null-dereference"
for file in "${files[@]}"; do
	printf '%s' "$file -fanalyzer"
	[[ $file != builder/* ]] || printf ' %s' "$quiet"
	echo
done | xargs -P "$(nproc)" -L 1 gcc "${flags[@]}" -O2 -fopenmp -c -o /dev/null 2>&1 | grep -E 'warning:|error:' | finding "gcc's analyzer"

# ---- What the products are ----

for folder in recorder builder; do
	tests/lint/circles.sh "$(dirname "$(dirname "$recorder")")" "$folder" 2>&1 |
		finding "files of $folder/ need each other in no circle but those of docs/design.md"
done
# names PRODUCT: the names that it exports, except copies of libc's variables
names() {
	nm -D --defined-only --with-symbol-versions "$1" | awk '$NF !~ /@/ { print $NF }'
}
for product in "$recorder" "$launcher" "$builder"; do
	names "$product" | sed "s/^/$(basename "$product") /"
done | diff tests/lint/exports - | grep '^[<>]' | finding "exported names are those of tests/lint/exports"
# Compilers differ in what they call: the recorder need not call all that the list has.
nm -D --undefined-only "$recorder" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u | comm -23 - <(grep -v '^#' tests/lint/recorder-calls | sort -u) |
	finding "the recorder calls what tests/lint/recorder-calls has"
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
for product in "$recorder" "$launcher" "$builder"; do
	hardened "$product" "read-only relocations" 'GNU_RELRO'
	hardened "$product" "binding at the start" 'BIND_NOW|FLAGS.*NOW'
	hardened "$product" "stack that is not executable" 'GNU_STACK.* RW '
	hardened "$product" "address of its own choice" 'Type: +DYN'
	hardened "$product" "stack protector" '__stack_chk_fail'
	hardened "$product" "checked calls" '__[a-z]+_chk'
	readelf -W -d "$product" | grep -E 'RPATH|RUNPATH|TEXTREL'
done | finding "the products are hardened"

[ $n_found -eq 0 ]
