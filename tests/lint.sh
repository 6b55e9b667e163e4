#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# lint.sh TREE: what a compiler does not see. `make lint` calls it. Exit status 1 if anything was found.
#
# After what `make check` runs too (lint/fast.sh and, for the object tree TREE, lint/products.sh) it runs what takes minutes:
# cppcheck, clang-tidy (.clang-tidy) and gcc's analyzer.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/lint/share.sh

tests/lint/fast.sh || n_found=1
tests/lint/products.sh "$1" || n_found=1

# ---- What an analyser finds ----

cppcheck --quiet --std=c11 --language=c --enable=warning,performance,portability --inline-suppr --suppress=missingInclude \
	--suppress=preprocessorErrorDirective -D_GNU_SOURCE -D__x86_64__ -I. common recorder builder 2>&1 | finding "cppcheck"
mapfile -t files < <(matching '^(common|recorder|builder)/.*\.c$')
read -ra libraries < <(pkg-config --cflags ck otf2 libdw jansson libgvc libxml-2.0 librsvg-2.0 cairo-pdf)
flags=("${headers[@]}" -pthread "${libraries[@]}" "-DREPORT_PAGE=\"$1/report\"")
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -I{} clang-tidy --quiet {} -- "${flags[@]}" 2>/dev/null | grep -E 'warning:|error:' | finding "clang-tidy"
# In the builder gcc 12 takes each pointer that is kept in a structure for lost, does not know that one value may say whether
# another is there, and takes a structure that a function of another file returns for uninitialized.
quiet="-Wno-analyzer-malloc-leak -Wno-analyzer-null-dereference -Wno-analyzer-null-argument -Wno-analyzer-possible-null-dereference \
	-Wno-analyzer-use-of-uninitialized-value"
for file in "${files[@]}"; do
	printf '%s' "$file -fanalyzer"
	[[ $file != builder/* ]] || printf ' %s' "$quiet"
	echo
done | xargs -P "$(nproc)" -L 1 gcc "${flags[@]}" -O2 -fopenmp -c -o /dev/null 2>&1 | grep -E 'warning:|error:' | finding "gcc's analyzer"

[ $n_found -eq 0 ]
