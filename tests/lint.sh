#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# lint.sh RECORDER: what a compiler does not see. Called by make lint. Exit status 1 if anything was found.
#
# Format (but for the event table), cppcheck, shellcheck, man pages, the names that the recorder exports, and the rules of who includes whom:
# recorder/ and builder/ never each other, common/ neither; omp-tools.h stays in the recorder's tool, callbacks and devices, OTF2 in builder/otf2*,
# CK in the recorder and its tests.
set -u
cd "$(dirname "$0")/.." || exit 1
recorder=$1
n_found=0

# finding WHAT: its lines come on stdin; none, no finding
finding() {
	local lines
	lines=$(cat)
	if [ -n "$lines" ]; then
		printf '%s\n' "$lines" | sed 's/^/    /'
		echo "FOUND $1"
		n_found=$((n_found + 1))
	else
		echo "ok    $1"
	fi
}

mapfile -t sources < <(git ls-files '*.c' '*.h')
mapfile -t scripts < <(git ls-files '*.sh' .ci/run bench | xargs grep -lE '^#!/bin/(ba)?sh')
mapfile -t pages < <(git ls-files 'docs/*.[1-8]')

# including PATTERN FILE...: lines with an #include of it
including() {
	local pattern=$1
	shift
	[ $# -eq 0 ] || grep -nE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($pattern)" "$@" /dev/null
}
# but REGEX: those of the sources whose path does not match
but() {
	printf '%s\n' "${sources[@]}" | grep -vE "$1"
}
# of REGEX: those whose path does
of() {
	printf '%s\n' "${sources[@]}" | grep -E "$1"
}

mapfile -t files < <(of '^recorder/')
including 'builder/|otf2/|jansson|elfutils/' "${files[@]}" | finding "the recorder includes nothing of the builder"
mapfile -t files < <(of '^builder/')
including 'recorder/|ck_' "${files[@]}" | finding "the builder includes nothing of the recorder"
mapfile -t files < <(of '^common/')
including 'recorder/|builder/|tests/' "${files[@]}" | finding "common/ includes neither"
mapfile -t files < <(but '^recorder/(tool|callbacks|device)[a-z_]*\.[ch]$|^(tests|bench)/')
including 'omp-tools' "${files[@]}" | finding "omp-tools.h only in the recorder's tool, callbacks and devices"
mapfile -t files < <(but '^builder/otf2[a-z_]*\.[ch]$|^tests/')
including 'otf2/' "${files[@]}" | finding "OTF2 only in builder/otf2*"
mapfile -t files < <(but '^recorder/|^(tests|bench)/')
including 'ck_' "${files[@]}" | finding "CK only in the recorder"
mapfile -t files < <(but '^tests/unit/|^tests/stress/')
including 'check\.h>' "${files[@]}" | finding "check only in unit tests"

# Every header compiles alone, as whoever includes it first will find out.
omp_tools=$(printf '%s\n' /usr/lib/llvm-*/lib/clang/*/include/omp-tools.h | tail -n 1)
mapfile -t files < <(of '^(common|recorder|builder)/.*\.h$')
for file in "${files[@]}"; do
	gcc -std=c11 -D_GNU_SOURCE -I. -idirafter "$(dirname "$omp_tools")" -fsyntax-only -x c "$file" 2>&1 | grep error
done | finding "each header compiles alone"

for file in "${sources[@]}" common/events.def "${scripts[@]}" Makefile; do
	head -n 3 "$file" | grep -q 'SPDX-License-Identifier: BSD-3-Clause' || echo "$file"
done | finding "each source names its licence"

printf '%s\n' "${sources[@]}" | xargs clang-format --dry-run 2>&1 | sed -n 's/^\([^: ]*\):[0-9]*:.*\(warning\|error\).*/\1/p' |
	uniq -c | finding "clang-format (places a file)"
cppcheck --quiet --std=c11 --language=c --enable=warning,performance,portability --inline-suppr --suppress=missingInclude \
	--suppress=preprocessorErrorDirective -D_GNU_SOURCE -D__x86_64__ -I. common recorder builder 2>&1 | finding "cppcheck"
shellcheck "${scripts[@]}" 2>&1 | finding "shellcheck"
[ ${#pages[@]} -eq 0 ] || mandoc -Tlint -Wwarning "${pages[@]}" 2>&1 | finding "man pages"
nm -D --defined-only "$recorder" | awk '{ print $NF }' | grep -v '^ompt_start_tool$' | finding "the recorder exports ompt_start_tool alone"
readelf -d "$recorder" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE '^(libc|ld-linux.*|libpthread|libdl)\.so\.[0-9]+$' |
	finding "the recorder needs nothing but libc"

[ $n_found -eq 0 ] || echo "$n_found kinds of findings"
[ $n_found -eq 0 ]
