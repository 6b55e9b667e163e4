# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
#
# What tests/lint.sh and tests/lint/fast.sh share: the lists of files, and how a finding is told. Both read it from the
# root of a clone.

# What stands last in a pipe, as finding does, can then count in this shell.
shopt -s lastpipe
n_found=0
mapfile -t sources < <(git ls-files '*.c' '*.h')
# shellcheck disable=SC2034 # for those who read this file
mapfile -t scripts < <(git ls-files '*.sh' .ci/run bench | xargs grep -lE '^#!/bin/(ba)?sh')
omp_tools=$(printf '%s\n' /usr/lib/llvm-*/lib/clang/*/include/omp-tools.h | tail -n 1)
# shellcheck disable=SC2034
headers=(-std=c11 -D_GNU_SOURCE -I. -idirafter "$(dirname "$omp_tools")")

# finding WHAT: reads lines from stdin and prints them. WHAT holds if there are none.
finding() {
	local lines
	lines=$(cat)
	if [ -n "$lines" ]; then
		printf '%s\n' "$lines" | sed 's/^/    /'
		echo "not ok $1"
		n_found=$((n_found + 1))
	else
		echo "ok $1"
	fi
}

# matching REGEX, but REGEX: the sources whose path matches it, and those whose path does not.
matching() {
	printf '%s\n' "${sources[@]}" | grep -E "$1"
}
but() {
	printf '%s\n' "${sources[@]}" | grep -vE "$1"
}
