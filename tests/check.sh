#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs all tests, or those that are named: check.sh TREE [NAME...], where TREE is the object tree (build/<key>). `make
# check` and `make quick` call it. It prints a line for each test with the seconds that it took, and the seconds of
# processor time; the output of those that failed; and at the end "N passed, N failed, N skipped" in all. Exit status 1
# if any failed.
#
# A test is a program or script whose exit status is 0 (passed), 77 (skipped) or another (failed). It may count for
# more than one: its lines "ok ...", "not ok ...", "skip ..." and the summary line of libcheck are added up.
# docs/hacking.md says what each test is for.
set -u
cd "$(dirname "$0")/.." || exit 1
tree=$1
shift
wanted=" $* "
# Seconds for one test: it ends what hangs. A test that works may take ten times as long where others use the processors.
limit=${CHECK_TIMEOUT:-1800}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n_passed=0 n_failed=0 n_skipped=0

# is_wanted NAME: by its whole name, by the part before the slash, or because no test is named.
is_wanted() {
	[[ $wanted == "  " || $wanted == *" $1 "* || $wanted == *" ${1%%/*} "* ]]
}

# measure NAME COMMAND...: leaves the command's output in $work/NAME.log, and in $work/NAME.result its exit status, its
# seconds, and its seconds of processor time as a program and in the kernel.
measure() {
	local name=${1/\//-} status TIMEFORMAT='%R %U %S'
	shift
	{ time timeout -k 10 "$limit" "$@" >"$work/$name.log" 2>&1 </dev/null; } 2>"$work/$name.times"
	status=$?
	echo "$status $(tail -n 1 "$work/$name.times")" >"$work/$name.result"
}

# report NAME: adds up and prints what measure has left.
report() {
	local name=$1 log=$work/${1/\//-}.log passed failed skipped status wall_s user_s kernel_s word
	read -r status wall_s user_s kernel_s <"$work/${name/\//-}.result"
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
	awk -v word="$word" -v name="$name" -v passed="$passed" -v failed="$failed" -v skipped="$skipped" \
		-v wall_s="$wall_s" -v cpu_s="$user_s" -v kernel_s="$kernel_s" 'BEGIN {
			printf "%-4s %-28s %4d passed %3d failed %3d skipped %9.3f s %9.3f s of processors\n",
				word, name, passed, failed, skipped, wall_s, cpu_s + kernel_s
		}'
	if ((failed > 0)); then
		[ "$status" -eq 124 ] && echo "     | stopped after $limit s"
		grep -v '^ok ' "$log" | tail -n 60 | sed 's/^/     | /'
		echo "     | exit status $status"
	else
		grep '^skip ' "$log" | sed 's/^/     | /'
	fi
	n_passed=$((n_passed + passed)) n_failed=$((n_failed + failed)) n_skipped=$((n_skipped + skipped))
}

# run NAME COMMAND...
run() {
	is_wanted "$1" || return 0
	measure "$@"
	report "$1"
}

# start NAME COMMAND...: runs it beside others, as many at once as `jobs` says. finish: waits for those that were
# started, and reports them in that order.
started=() n_running=0
start() {
	is_wanted "$1" || return 0
	((n_running < jobs)) || { wait -n && n_running=$((n_running - 1)); }
	measure "$@" &
	started+=("$1") n_running=$((n_running + 1))
}
finish() {
	local name
	wait
	for name in "${started[@]}"; do
		report "$name"
	done
	started=() n_running=0
}

# programs PREFIX DIRECTORY SOURCE... runs the program of each source, in `wrap` and with `args`.
programs() {
	local prefix=$1 directory=$2 source name
	shift 2
	for source in "$@"; do
		name=$(basename "$source" .c)
		start "$prefix/${name#test_}" "${wrap[@]}" "$directory/$name" "${args[@]}"
	done
	finish
}

# A busy machine needs more than libcheck's own limit of four seconds a test; a test that hangs is ended here all the
# same.
export CK_DEFAULT_TIMEOUT=120
export ASAN_OPTIONS=detect_stack_use_after_return=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
# The builder's tests run beside each other: threads that spin would take the processors from others.
export OMP_WAIT_POLICY=passive
wrap=() args=() jobs=${JOBS:-$(nproc)}
mapfile -t recorder_tests < <(grep -l '"recorder/' tests/unit/test_*.c)
mapfile -t builder_tests < <(grep -L '"recorder/' tests/unit/test_*.c)
# Those of the recorder stop at each instruction, or measure: one at a time.
jobs=1
programs unit "$tree/tests/unit" "${recorder_tests[@]}"
jobs=${JOBS:-$(nproc)}
programs unit "$tree/tests/unit" "${builder_tests[@]}"
programs unit-asan "$tree-address/tests/unit" "${builder_tests[@]}"
# The recorder keeps its memory until the process ends, and so do its tests: for them, leaks are not looked for.
wrap=(env "ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0")
programs unit-asan "$tree-address/tests/unit" "${recorder_tests[@]}"
wrap=()
# What these say does not depend on what runs beside them. Those that take longest are started first.
start model tests/model/run.sh
start sanitized tests/sanitized.py "$tree-address/bin/otter-build"
start lint tests/lint/fast.sh
start fuzz-corpus "$tree-address/tests/fuzz/replay_corpus" tests/fuzz/corpus.units tests/fuzz/found/*.units
start aarch64 tests/model/aarch64.sh
for script in programs_selftest.py tables.py expect_selftest.py references.py promises.sh diagnoses.sh; do
	start "${script%.*}" "tests/$script"
done
start events.md bash -c "$tree/tests/tools/events_md | diff -u docs/events.md - && echo 'ok docs/events.md is what the table says'"
# The quirks that the builder counts, and those that the page has in a heading or at the beginning of a table's row.
quirks='cat builder/*.[ch] builder/*/*.[ch] | tr -d "\n" | grep -oE "(quirks?|habit)( : &[a-z>-]+repairs)?[,(][^;]*;" | grep -oE "\"[a-z_]+\"" | tr -d \" | sort -u'
# shellcheck disable=SC2016 # the backticks of Markdown
described='sed -nE "s/^(#+|\|) \`([a-z_]+)\`.*/\2/p" docs/runtimes.md | sort'
start runtimes.md bash -c "diff <($quirks) <($described) && echo 'ok docs/runtimes.md has the quirks that the builder counts, each once'"
finish
unset OMP_WAIT_POLICY
# The stress tests have threads of their own for every processor.
jobs=1
programs stress "$tree/tests/stress" tests/stress/*.c
# ThreadSanitizer needs addresses at which some kernels, when they randomise widely, put something else. Each record
# takes ten times as long: a tenth of them.
wrap=(setarch "$(uname -m)" -R) args=(40000)
programs stress-tsan "$tree-thread/tests/stress" tests/stress/*.c
wrap=() args=()

# A dozen programs for make quick. Where no test is named, `run` has them all.
dozen='taskwait depend taskloop nested sections offload_target untied cancel_taskgroup detach doacross reductions tasks_fortran'
# shellcheck disable=SC2086 # a list of words
[[ $wanted != *" dozen "* ]] || run dozen tests/run.py $dozen
for script in labels.py golden.py insertions.py undeferred.py truths.py run.py programs.py device.py schedules.py runtimes.py endings.py sampling.py faults.py kill.py answers.py lints.py; do
	run "${script%.*}" "tests/$script"
done
# Each of these does one thing after the other, and waits much. Those that take longest are started first.
jobs=${JOBS:-$(nproc)}
for script in threads.py damage.py pictures.py report.py large.py; do
	start "${script%.*}" "tests/$script"
done
start bench bench/selftest
for script in damage_outputs.py parts.py linear.py argobots.py argobots_graph.py argobots_units.py argobots_answer.py perfetto.py chrome.py \
	otf2_selftest.py runs.py launcher.sh binaries.py install.sh many.py spawn.py diff.py whatif.py sqlite.py graphml.py memory.py pack.py; do
	start "${script%.*}" "tests/$script"
done
finish
# It compares a page with the results that run and runtimes have left.
run conformance tests/conformance.py

echo "$n_passed passed, $n_failed failed, $n_skipped skipped"
((n_failed == 0))
