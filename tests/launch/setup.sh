# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
#
# For scripts that test otter-record, sourced in the root of the tree: a directory for the test, which is removed at its end,
# an environment without settings, and what the scripts have in common. BUILD (default build) holds bin/ and lib/.
# shellcheck disable=SC2034 # the scripts use them
set -u
BUILD=$(realpath "${BUILD:-build}")
record=$BUILD/bin/otter-record
clang=${CLANG:-clang-19}
gcc=${GCC:-gcc}
sources=$PWD/tests
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset OMP_TOOL OMP_TOOL_LIBRARIES LD_PRELOAD "${!OTTER_@}"
export OMP_NUM_THREADS=2
n_failed=0

# expect WHAT WANTED GOT: equal, or a pattern that matches
expect() {
	# shellcheck disable=SC2053 # a pattern on purpose
	if [[ $3 == $2 ]]; then
		echo "ok $1"
	else
		printf 'not ok %s: expected "%s", got "%s"\n' "$1" "$2" "$3"
		n_failed=$((n_failed + 1))
	fi
}

# Steps of 20 ms after which something is taken to hang: 20 minutes.
hang=60000

# await PATTERN FILE: until a line of the file matches
await() {
	for ((i = 0; i < hang; i++)); do
		grep -q "$1" "$2" 2>/dev/null && return 0
		sleep 0.02
	done
	return 1
}

state_of() {
	sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null
}

await_state() {
	for ((i = 0; i < hang; i++)); do
		[[ $(state_of "$1") == "$2" ]] && return 0
		sleep 0.02
	done
	return 1
}

compile() {
	"$@" -O1 -g -fopenmp 2>log && return
	echo "not ok compiles: $*"
	cat log
	exit 1
}
