#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# The rules of the source text that are checked in seconds: format, includes, licences, labels of memory orders,
# scripts, man pages and the report's page. `make check` runs it as the test `lint`, and `make lint` before the rest. Exit status 1 if
# anything was found.
#
# Includes: recorder/ and builder/ never include each other, common/ neither of them; omp-tools.h is for
# recorder/omp/ and recorder/device/, OTF2 for builder/otf2/ and what paradigms write into the archive, CK for the recorder and its tests; folders of builder/ use
# those before them (layers.sh); each file is named from the root.
set -u
cd "$(dirname "$0")/../.." || exit 1
git ls-files --error-unmatch Makefile >/dev/null 2>&1 || {
	echo "skip no clone of git: which files belong to the project is not known"
	exit 77
}
. tests/lint/share.sh

# including PATTERN FILE...: lines with an #include that matches
including() {
	local pattern=$1
	shift
	[ $# -eq 0 ] || grep -nE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($pattern)" "$@" /dev/null
}

# ---- Includes ----

mapfile -t files < <(matching '^recorder/')
including 'builder/|otf2/|jansson|elfutils/' "${files[@]}" | finding "the recorder includes nothing of the builder"
mapfile -t files < <(matching '^builder/')
including 'recorder/|ck_' "${files[@]}" | finding "the builder includes nothing of the recorder"
mapfile -t files < <(but '^builder/sqlite/|^tests/')
including 'sqlite3' "${files[@]}" | finding "only builder/sqlite includes SQLite"
mapfile -t files < <(matching '^common/')
including 'recorder/|builder/|tests/' "${files[@]}" | finding "common/ includes neither"
mapfile -t files < <(matching '^(common|recorder|builder)/')
including '[^>"]*"' "${files[@]}" | grep -vE 'include "(common|recorder|builder)/[a-z0-9_/]+\.(h|def)"' | finding "includes are named from the root"
mapfile -t files < <(but '^recorder/(omp|device)/|^(tests|bench)/')
including 'omp-tools' "${files[@]}" | finding "omp-tools.h only in recorder/omp/ and recorder/device/"
mapfile -t files < <(but '^builder/otf2/|^builder/[a-z]+/archive|^(tests|bench)/')
including 'otf2/' "${files[@]}" | finding "OTF2 only in builder/otf2/ and in the archive files of paradigms"
mapfile -t files < <(but '^recorder/|^(tests|bench)/')
including 'ck_' "${files[@]}" | finding "CK only in the recorder"
mapfile -t files < <(but '^tests/unit/|^tests/stress/')
including 'check\.h>' "${files[@]}" | finding "check only in unit tests"
tests/lint/layers.sh | finding "folders of builder/ use those before them"
# A header that lacks an include of its own breaks the first file that includes it before others. Those that a file includes
# first are compiled alone by every build.
comm -23 <(matching '^(common|recorder|builder)/.*\.h$' | sort) \
	<(matching '\.c$' | xargs grep -m 1 -hE '^[[:space:]]*#[[:space:]]*include' | sed -E 's/.*["<](.*)[">].*/\1/' | sort -u) |
	xargs -P "$(nproc)" -I{} gcc "${headers[@]}" -fsyntax-only -x c {} 2>&1 | grep error | finding "each header compiles alone"

# ---- What is in the text ----

licensed=("${sources[@]}" common/events.def builder/tables/tables.def "${scripts[@]}" Makefile)
comm -13 <(awk 'FNR <= 3 && /SPDX-License-Identifier: BSD-3-Clause/ { print FILENAME }' "${licensed[@]}" | sort -u) \
	<(printf '%s\n' "${licensed[@]}" | sort -u) | finding "each source names its licence"

# Each memory order has a label (R1, H2 ...) on its line or in the comment before it; and the table in docs/design.md
# has the labels of the code.
mapfile -t files < <(matching '^(recorder|builder)/')
awk 'FNR == 1 { labelled = 0 }
	/(^|[^A-Za-z0-9_])[A-Z][0-9][^A-Za-z0-9_]/ { labelled = FNR }
	/(__ATOMIC_|memory_order_)(ACQUIRE|RELEASE|ACQ_REL|SEQ_CST|acquire|release|acq_rel|seq_cst)|ck_pr_fence_[a-z]+\(/ && !/_signal_fence/ && (!labelled || FNR - labelled > 8) {
		print FILENAME ":" FNR ": " $0
	}' "${files[@]}" | finding "each memory order names its partner"
diff <(sed -n '/^### Who orders what/,/^After SIGKILL/p' docs/design.md | grep '^|' | grep -oE '\b[A-Z][0-9]\b' | sort -u) \
	<(grep -ohE '(/\* |, |^\s+\* |or )[A-Z][0-9][:,]' "${files[@]}" | grep -oE '[A-Z][0-9]' | sort -u) | grep '^[<>]' |
	finding "docs/design.md has the labels of the code"

# One kind of atomic operation in the builder, whose order is named at each use (docs/design.md).
mapfile -t files < <(matching '^builder/')
grep -nE 'stdatomic|\b_Atomic\b|\batomic_(init|load|store|exchange|fetch|bool|int|uint)|__sync_|omp atomic *(read|write|update|capture|$)' "${files[@]}" |
	finding "the builder's atomic operations are __atomic functions"

# Versions lay out the same text differently: the layout is that of version 14, Debian 12's.
clang_format=$(command -v clang-format-14 || command -v clang-format)
if [[ $("${clang_format:-true}" --version) == *"version 14."* ]]; then
	printf '%s\n' "${sources[@]}" | xargs -P "$(nproc)" -n 100 "$clang_format" --dry-run 2>&1 | sed -n 's/^\([^: ]*\):[0-9]*:.*\(warning\|error\).*/\1/p' |
		sort | uniq -c | finding "clang-format (places a file)"
else
	echo "skip no clang-format of version 14 (Debian's package clang-format): the layout is not checked"
fi

if command -v shellcheck >/dev/null; then
	printf '%s\n' "${scripts[@]}" | xargs -P "$(nproc)" -n 8 shellcheck -x 2>&1 | finding "shellcheck"
else
	echo "skip no shellcheck (Debian's package of that name): scripts are not checked"
fi
mapfile -t pages < <(git ls-files 'docs/*.[1-8]')
if command -v mandoc >/dev/null; then
	mandoc -Tlint -Wwarning "${pages[@]}" 2>&1 | finding "man pages"
else
	echo "skip no mandoc (Debian's package of that name): man pages are not checked"
fi
if [ -x build/npm-lint/node_modules/.bin/eslint ]; then
	tests/lint/page.sh 2>&1 | finding "eslint and prettier"
else
	echo "skip no eslint and prettier (tests/deps.sh check): the report's page is not checked"
fi

[ $n_found -eq 0 ]
