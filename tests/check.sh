#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs all tests, or those named: check.sh TREE [NAME...], TREE being the object tree (build/<key>); called by make check. A line for
# each, the output of those that failed, and at the end "N passed, N failed, N skipped" over everything. Exit status 1 if any failed.
#
# A test is a program or script with exit status 0 (passed), 77 (skipped) or another (failed). It may count for more than one:
# lines "ok ...", "not ok ...", "skip ..." and the summary line of libcheck are added up. See docs/hacking.md.
set -u
cd "$(dirname "$0")/.." || exit 1
tree=$1
shift
wanted=" $* "
limit=${CHECK_TIMEOUT:-900} # seconds for one test
log=$(mktemp)
trap 'rm -f "$log"' EXIT
n_passed=0 n_failed=0 n_skipped=0

# run NAME COMMAND...
run() {
	local name=$1 passed failed skipped status start ms word
	shift
	[[ $wanted == "  " || $wanted == *" $name "* || $wanted == *" ${name%%/*} "* ]] || return 0
	start=$(date +%s%N)
	timeout -k 10 "$limit" "$@" >"$log" 2>&1 </dev/null
	status=$?
	ms=$((($(date +%s%N) - start) / 1000000))
	read -r passed failed skipped < <(awk '
		/^ok / { ok++ } /^not ok / { bad++ } /^skip / { skip++ }
		/^[0-9]+%: Checks: [0-9]+, Failures: [0-9]+, Errors: [0-9]+/ {
			gsub(/[^0-9]+/, " ")
			bad += $3 + $4
			ok += $2 - $3 - $4
		}
		END { print ok + 0, bad + 0, skip + 0 }' "$log")
	if [ "$status" -eq 77 ]; then
		((passed + failed == 0)) && skipped=$((skipped > 0 ? skipped : 1))
	elif [ "$status" -ne 0 ]; then
		((failed == 0)) && failed=1
	elif ((passed + failed + skipped == 0)); then
		passed=1
	fi
	word=ok
	((skipped > 0 && passed == 0)) && word=skip
	((failed > 0)) && word=FAIL
	printf '%-4s %-28s %4d passed %3d failed %3d skipped %8d.%03d s\n' \
		"$word" "$name" "$passed" "$failed" "$skipped" $((ms / 1000)) $((ms % 1000))
	if ((failed > 0)); then
		[ "$status" -eq 124 ] && echo "     | no end within $limit s"
		grep -v '^ok ' "$log" | tail -n 60 | sed 's/^/     | /'
		echo "     | exit status $status"
	else
		grep '^skip ' "$log" | sed 's/^/     | /'
	fi
	n_passed=$((n_passed + passed)) n_failed=$((n_failed + failed)) n_skipped=$((n_skipped + skipped))
}

# programs PREFIX DIRECTORY SOURCE... runs the program of each source, in `wrap` and with `args`.
programs() {
	local prefix=$1 directory=$2 source name
	shift 2
	for source in "$@"; do
		[ -f "$source" ] || continue
		name=$(basename "$source" .c)
		run "$prefix/${name#test_}" "${wrap[@]}" "$directory/$name" "${args[@]}"
	done
}

# libcheck's own limit is four seconds a test, which a busy machine needs; a test that hangs is ended here all the same.
export CK_DEFAULT_TIMEOUT=120
export ASAN_OPTIONS=detect_stack_use_after_return=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
wrap=() args=()
programs unit "$tree/tests/unit" tests/unit/test_*.c
# The recorder keeps its memory until the process ends, and so do its tests: leaks are looked for in the builder's.
mapfile -t sources < <(grep -L '"recorder/' tests/unit/test_*.c)
programs unit-asan "$tree-address/tests/unit" "${sources[@]}"
mapfile -t sources < <(grep -l '"recorder/' tests/unit/test_*.c)
wrap=(env "ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0")
programs unit-asan "$tree-address/tests/unit" "${sources[@]}"
wrap=()
run fuzz-corpus "$tree-address/tests/fuzz/replay_corpus" tests/fuzz/corpus.units tests/fuzz/found/*.units
programs stress "$tree/tests/stress" tests/stress/*.c
# ThreadSanitizer wants its shadow where the address space of some kernels is randomised.
wrap=(setarch "$(uname -m)" -R) args=(40000) # a tenth of the records, as each takes ten times as long
programs stress-tsan "$tree-thread/tests/stress" tests/stress/*.c
wrap=() args=()
run model tests/model/run.sh
run aarch64 tests/model/aarch64.sh
run references tests/references.py
run events.md bash -c "$tree/tests/tools/events_md | diff -u docs/events.md - && echo 'ok docs/events.md is what the table says'"
# Where the builder counts a quirk, and what the page says of each in a heading or at the beginning of a table's row.
quirks='cat builder/*.c builder/*/*.c | tr -d "\n" | grep -oE "(quirks?|habit)( : &[a-z>-]+repairs)?[,(][^;]*;" | grep -oE "\"[a-z_]+\"" | tr -d \" | sort -u'
# shellcheck disable=SC2016 # the backticks of Markdown
described='sed -nE "s/^(#+|\|) \`([a-z_]+)\`.*/\2/p" docs/runtimes.md | sort'
run runtimes.md bash -c "diff <($quirks) <($described) && echo 'ok docs/runtimes.md has the quirks that the builder counts, each once'"
for script in promises.sh diagnoses.sh expect_selftest.py run.py device.py schedules.py runtimes.py endings.py sampling.py faults.py kill.py argobots.py argobots_graph.py argobots_units.py damage.py damage_outputs.py otf2_selftest.py launcher.sh \
	install.sh conformance.py; do
	[ -f "tests/$script" ] && run "${script%.*}" "tests/$script"
done

[ -f bench/selftest ] && run bench bench/selftest

echo "$n_passed passed, $n_failed failed, $n_skipped skipped"
((n_failed == 0))
