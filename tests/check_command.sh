# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
#
# For scripts whose checks are commands, sourced in the root of the tree: a directory for the test, which is removed at its
# end, an environment without settings of make and of otter-record, and check().
# shellcheck disable=SC2034 # the scripts use them
unset OMP_TOOL OMP_TOOL_LIBRARIES LD_PRELOAD MAKEFLAGS MAKEOVERRIDES MAKELEVEL REPORT "${!OTTER_@}"
: "${group=}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n_failed=0

# check WHAT COMMAND...: prints whether the command succeeds, after `group`, and what it printed if it does not.
check() {
	local what=$group$1
	shift
	if "$@" >"$work/log" 2>&1; then
		echo "ok $what"
	else
		echo "not ok $what: $*"
		sed 's/^/    /' "$work/log"
		n_failed=$((n_failed + 1))
	fi
}
