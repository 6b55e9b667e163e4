#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs all tests, or those that are named: check.sh TREE [NAME...], where TREE is the object tree (build/<key>). `make
# check` and `make quick` call it. It prints a line for each test with the seconds that it took, and the seconds of
# processor time; the output of those that failed; a table of what was skipped and what would lift that (skips.py); and
# at the end "N passed, N failed, N skipped" in all. Exit status 1 if any failed.
#
# A test is a program or script whose exit status is 0 (passed), 77 (skipped) or another (failed). It may count for
# more than one: its lines "ok ...", "not ok ...", "skip ..." and the summary line of libcheck are added up.
# docs/hacking.md says what each test is for.
set -u
cd "$(dirname "$0")/.." || exit 1
tree=$1
shift
wanted=" $* "
# Seconds after which a test is taken to hang: at least ten times what any takes on a quiet machine.
limit=${CHECK_TIMEOUT:-5000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n_passed=0 n_failed=0 n_skipped=0
: >"$work/skipped"

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
	echo "$status $(tail -n 1 "$work/$name.times")" >"$work/$name.ended"
	mv "$work/$name.ended" "$work/$name.result"
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
	{ grep '^skip ' "$log" || { [ "$status" -ne 77 ] || echo "skip $name: $(tail -n 1 "$log")"; }; } | sed "s|^|$name\t|" >>"$work/skipped"
	n_passed=$((n_passed + passed)) n_failed=$((n_failed + failed)) n_skipped=$((n_skipped + skipped))
}

# start NAME COMMAND...: runs it beside others, as many at once as there are processors, and reports those that are over in
# the order in which they were started. finish: waits for all of them.
found=" " # names by which the tests that were started may have been given
started=() n_running=0 n_reported=0 jobs=${JOBS:-$(nproc)}
start() {
	is_wanted "$1" || return 0
	found+="$1 ${1%%/*} "
	((n_running < jobs)) || { wait -n && n_running=$((n_running - 1)); }
	report_finished
	measure "$@" &
	started+=("$1") n_running=$((n_running + 1))
}
finish() {
	wait
	n_running=0
	report_finished
}
report_finished() {
	while ((n_reported < ${#started[@]})) && [ -e "$work/${started[n_reported]/\//-}.result" ]; do
		report "${started[n_reported]}"
		n_reported=$((n_reported + 1))
	done
}

# programs PREFIX DIRECTORY SOURCE... runs the program of each source, in `wrap` and with `args`.
programs() {
	local prefix=$1 directory=$2 source name
	shift 2
	for source in "$@"; do
		name=$(basename "$source" .c)
		start "$prefix/${name#test_}" "${wrap[@]}" "$directory/$name" "${args[@]}"
	done
}

# libcheck would end a test after four seconds, which is too little on a busy machine. What hangs is ended by measure.
export CK_DEFAULT_TIMEOUT=0
export ASAN_OPTIONS=detect_stack_use_after_return=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
# Nearly all tests are in one row, as what they say does not depend on what runs beside them; those that take longest come
# first. Threads that spin would take the processors from others.
export OMP_WAIT_POLICY=passive
# What several tests compile alike, they compile once.
export COMPILED=$work/compiled
wrap=() args=()
mapfile -t recorder_tests < <(grep -l '"recorder/' tests/unit/test_*.c)
mapfile -t builder_tests < <(grep -L '"recorder/' tests/unit/test_*.c)
start golden tests/golden.py
start unit/step "$tree/tests/unit/test_step"
# A dozen programs for make quick. Where no test is named, `run` has them all.
dozen='taskwait depend taskloop nested sections offload_target untied cancel_taskgroup detach doacross reductions tasks_fortran'
# shellcheck disable=SC2086 # a list of words
[[ $wanted != *" dozen "* ]] || start dozen tests/run.py $dozen
mapfile -t other_tests < <(printf '%s\n' "${recorder_tests[@]}" | grep -v test_step.c)
programs unit "$tree/tests/unit" "${other_tests[@]}" "${builder_tests[@]}"
start model tests/model/run.sh
# The recorder keeps its memory until the process ends, and so do its tests: for them, leaks are not looked for.
wrap=(env "ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0")
programs unit-asan "$tree-address/tests/unit" "${recorder_tests[@]}"
wrap=()
programs unit-asan "$tree-address/tests/unit" "${builder_tests[@]}"
start sanitized tests/sanitized.py "$tree-address/bin/otter-build"
start lint tests/lint/fast.sh
start products tests/lint/products.sh "$tree"
start fuzz-corpus "$tree-address/tests/fuzz/replay_corpus" tests/fuzz/corpus.units tests/fuzz/found/*.units
start aarch64 tests/model/aarch64.sh
start events.md bash -c "$tree/tests/tools/events_md | diff -u docs/events.md - && echo 'ok docs/events.md is what the table says'"
start stages.svg tests/stages_svg.sh "$tree/tests/tools/stages_dot"
start tables.md bash -c "$tree/tests/tools/tables_md <docs/tables.md | diff -u docs/tables.md - && echo 'ok docs/tables.md has the columns of tables.def'"
# The quirks that the builder counts, and those that the page has in a heading or at the beginning of a table's row.
quirks='cat builder/*.[ch] builder/*/*.[ch] | tr -d "\n" | grep -oE "(quirks?|habit)( : &[a-z>-]+repairs)?[,(][^;]*;" | grep -oE "\"[a-z_]+\"" | tr -d \" | sort -u'
# shellcheck disable=SC2016 # the backticks of Markdown
described='sed -nE "s/^(#+|\|) \`([a-z_]+)\`.*/\2/p" docs/runtimes.md | sort'
start runtimes.md bash -c "diff <($quirks) <($described) && echo 'ok docs/runtimes.md has the quirks that the builder counts, each once'"
unset OMP_WAIT_POLICY
programs stress "$tree/tests/stress" tests/stress/*.c
# ThreadSanitizer needs addresses at which some kernels, when they randomise widely, put something else. Each record
# takes ten times as long: a tenth of them.
wrap=(setarch "$(uname -m)" -R) args=(40000)
programs stress-tsan "$tree-thread/tests/stress" tests/stress/*.c
wrap=() args=()
for script in run.py schedules.py runtimes.py faults.py pictures.py endings.py damage.py threads.py programs.py kill.py report.py large.py; do
	start "${script%.*}" "tests/$script"
done
start bench bench/selftest
start answers/played tests/answers.py --played
for script in damage_outputs.py parts.py linear.py argobots.py argobots_graph.py argobots_units.py argobots_answer.py labels.py \
	insertions.py undeferred.py device.py perfetto.py chrome.py runs.py launcher.sh gomp.sh late.sh binaries.py install.sh many.py \
	spawn.py diff.py whatif.py sqlite.py graphml.py memory.py pack.py programs_selftest.py tables.py expect_selftest.py otf2_selftest.py \
	references.py promises.sh diagnoses.sh deps.py outputs.py dist.sh mistakes.py skips.py; do
	start "${script%.*}" "tests/$script"
done
finish
# These run programs of which the truth is known, and compare what the screen says of their times: nothing else runs beside them.
jobs=1
start answers/recorded tests/answers.py --recorded
for script in truths.py lints.py sampling.py; do
	start "${script%.*}" "tests/$script"
done
finish
# It compares a page with the results that run and runtimes have left.
start conformance tests/conformance.py
finish

tests/skips.py "$work/skipped"
for name in $wanted; do
	[[ $found == *" $name "* ]] || {
		echo "FAIL no such test: $name (docs/hacking.md lists them)"
		n_failed=$((n_failed + 1))
	}
done

echo "$n_passed passed, $n_failed failed, $n_skipped skipped"
((n_failed == 0))
