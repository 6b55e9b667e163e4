#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# lint.sh RECORDER LAUNCHER BUILDER: what a compiler does not see. Called by make lint. Exit status 1 if anything was found.
#
# Format (but for the event table), cppcheck, clang-tidy (.clang-tidy), gcc's analyzer, shellcheck, man pages; the names that the products export and
# the ones that the recorder takes from libc, compared with tests/lint/; how they are hardened; that each memory order names its partner; and the rules
# of who includes whom: recorder/ and builder/ never each other, common/ neither; omp-tools.h stays in the recorder's tool, context, callbacks and devices, OTF2 in
# builder/otf2/, CK in the recorder and its tests; everything is named from the root.
set -u
cd "$(dirname "$0")/.." || exit 1
recorder=$1 launcher=$2 builder=$3
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

# ---- Who includes whom ----

mapfile -t files < <(of '^recorder/')
including 'builder/|otf2/|jansson|elfutils/' "${files[@]}" | finding "the recorder includes nothing of the builder"
mapfile -t files < <(of '^builder/')
including 'recorder/|ck_' "${files[@]}" | finding "the builder includes nothing of the recorder"
mapfile -t files < <(of '^common/')
including 'recorder/|builder/|tests/' "${files[@]}" | finding "common/ includes neither"
mapfile -t files < <(of '^(common|recorder|builder)/')
including '[^>"]*"' "${files[@]}" | grep -vE 'include "(common|recorder|builder)/[a-z0-9_/]+\.(h|def)"' | finding "includes are named from the root"
mapfile -t files < <(but '^recorder/(tool|callbacks|context|device)[a-z_]*\.[ch]$|^(tests|bench)/')
including 'omp-tools' "${files[@]}" | finding "omp-tools.h only in the recorder's tool, context, callbacks and devices"
mapfile -t files < <(but '^builder/otf2/|^tests/')
including 'otf2/' "${files[@]}" | finding "OTF2 only in builder/otf2/"
mapfile -t files < <(but '^recorder/|^(tests|bench)/')
including 'ck_' "${files[@]}" | finding "CK only in the recorder"
mapfile -t files < <(but '^tests/unit/|^tests/stress/')
including 'check\.h>' "${files[@]}" | finding "check only in unit tests"

tests/lint/layers.sh | finding "folders of builder/ use those before them"
tests/lint/circles.sh "$(dirname "$(dirname "$recorder")")" recorder 2>&1 | finding "files of recorder/ need each other in no circle but those of docs/design.md"

# Every header compiles alone, as whoever includes it first will find out.
omp_tools=$(printf '%s\n' /usr/lib/llvm-*/lib/clang/*/include/omp-tools.h | tail -n 1)
mapfile -t files < <(of '^(common|recorder|builder)/.*\.h$')
for file in "${files[@]}"; do
	gcc -std=c11 -D_GNU_SOURCE -I. -idirafter "$(dirname "$omp_tools")" -fsyntax-only -x c "$file" 2>&1 | grep error
done | finding "each header compiles alone"

# ---- What is in the text ----

for file in "${sources[@]}" common/events.def "${scripts[@]}" Makefile; do
	head -n 3 "$file" | grep -q 'SPDX-License-Identifier: BSD-3-Clause' || echo "$file"
done | finding "each source names its licence"

# A label (R1, H2 ...) on the line, or in the comment before it; and those of the table in docs/design.md are those of the code.
mapfile -t files < <(of '^(recorder|builder)/')
awk 'FNR == 1 { said = 0 }
	/(^|[^A-Za-z0-9_])[A-Z][0-9][^A-Za-z0-9_]/ { said = FNR }
	/__ATOMIC_(ACQUIRE|RELEASE|ACQ_REL|SEQ_CST)|ck_pr_fence_[a-z]+\(/ && !/_signal_fence/ && (!said || FNR - said > 8) { print FILENAME ":" FNR ": " $0 }' \
	"${files[@]}" | finding "each memory order names its partner"
diff <(sed -n '/^### Who orders what/,/^After SIGKILL/p' docs/design.md | grep '^|' | grep -oE '\b[A-Z][0-9]\b' | sort -u) \
	<(grep -ohE '(/\* |, |^\s+\* |or )[A-Z][0-9][:,]' "${files[@]}" | grep -oE '[A-Z][0-9]' | sort -u) | grep '^[<>]' |
	finding "docs/design.md has the labels of the code"

printf '%s\n' "${sources[@]}" | xargs clang-format --dry-run 2>&1 | sed -n 's/^\([^: ]*\):[0-9]*:.*\(warning\|error\).*/\1/p' |
	uniq -c | finding "clang-format (places a file)"
shellcheck "${scripts[@]}" 2>&1 | finding "shellcheck"
[ ${#pages[@]} -eq 0 ] || mandoc -Tlint -Wwarning "${pages[@]}" 2>&1 | finding "man pages"

# ---- What an analyser finds ----

cppcheck --quiet --std=c11 --language=c --enable=warning,performance,portability --inline-suppr --suppress=missingInclude \
	--suppress=preprocessorErrorDirective -D_GNU_SOURCE -D__x86_64__ -I. common recorder builder 2>&1 | finding "cppcheck"
mapfile -t files < <(of '^(common|recorder|builder)/.*\.c$')
read -ra flags < <(echo "-std=c11 -D_GNU_SOURCE -I. -pthread -idirafter $(dirname "$omp_tools") $(pkg-config --cflags ck otf2 libdw jansson)")
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -I{} clang-tidy --quiet {} -- "${flags[@]}" 2>/dev/null | grep -E 'warning:|error:' | finding "clang-tidy"
# In the builder gcc 12 takes every pointer that is kept in a structure for lost, and does not follow that one value says of another whether it is there.
quiet="-Wno-analyzer-malloc-leak -Wno-analyzer-null-dereference -Wno-analyzer-null-argument -Wno-analyzer-possible-null-dereference"
for file in "${files[@]}"; do
	printf '%s' "$file -fanalyzer"
	[[ $file != builder/* ]] || printf ' %s' "$quiet"
	echo
done | xargs -P "$(nproc)" -L 1 gcc "${flags[@]}" -O2 -fopenmp -c -o /dev/null 2>&1 | grep -E 'warning:|error:' | finding "gcc's analyzer"

# ---- What the products are ----

# names PRODUCT: what it exports, but for copies of libc's variables
names() {
	nm -D --defined-only --with-symbol-versions "$1" | awk '$NF !~ /@/ { print $NF }'
}
for product in "$recorder" "$launcher" "$builder"; do
	names "$product" | sed "s/^/$(basename "$product") /"
done | diff tests/lint/exports - | grep '^[<>]' | finding "exported names are those of tests/lint/exports"
# With other compilers fewer: what the list has and the recorder does not call is no finding.
nm -D --undefined-only "$recorder" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u | comm -23 - <(grep -v '^#' tests/lint/recorder-calls | sort -u) |
	finding "the recorder calls what tests/lint/recorder-calls has"
readelf -d "$recorder" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE '^(libc|ld-linux.*|libpthread|libdl)\.so\.[0-9]+$' |
	finding "the recorder needs nothing but libc"

# hardened PRODUCT WHAT PATTERN: what readelf or nm have to say of it
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

[ $n_found -eq 0 ] || echo "$n_found kinds of findings"
[ $n_found -eq 0 ]
