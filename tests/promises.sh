#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that every test that docs/reliability.md names is there. The last cell of a table's row names files of tests/ or
# bench/, and after each the names, or the beginnings of names, of what it checks. Prints what is missing.
set -u
cd "$(dirname "$0")/.." || exit 1
page=docs/reliability.md
tick='`'
n_rows=0 n_failed=0

missing() {
	echo "not ok $page: $1 ($what)"
	n_failed=$((n_failed + 1))
}

while IFS= read -r row; do
	row=${row%|*}
	cell=${row##*|} what=${row#| } file=
	what=${what%% |*}
	n_rows=$((n_rows + 1))
	[[ $cell == *\`* ]] || missing "no test"
	while IFS= read -r name; do
		case $name in
		tests/* | bench/*)
			file=$name
			[ -f "$file" ] || missing "there is no $file"
			# A script has to be one of those that make check runs.
			[[ $file == tests/*/* || $file == bench/* ]] || grep -qF "$(basename "$file")" tests/check.sh || missing "$file is not run"
			;;
		*) [ -f "$file" ] && { grep -qF -e "$name" "$file" || missing "$file has no $name"; } ;;
		esac
	done < <(grep -o "${tick}[^${tick}]*${tick}" <<<"$cell" | tr -d "$tick")
done < <(awk '/^\|.*\| test \|$/ { on = 1; getline; next } !/^\|/ { on = 0 } on' "$page")

[ "$n_rows" -gt 0 ] || {
	what=all
	missing "no table that names tests"
}
[ "$n_failed" -gt 0 ] || echo "ok the tests that $page names for $n_rows promises are there"
[ "$n_failed" -eq 0 ]
