#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# run.sh BIN SECONDS: libFuzzer's two targets, in BIN, at once and for so long each, from the committed corpus and what earlier runs came to
# (build/fuzz/corpus). An input that harms the builder is left in build/fuzz, and the exit status is 1. Called by make fuzz.
set -u
shopt -s nullglob
cd "$(dirname "$0")/../.." || exit 1
bin=$1
seconds=$2
mkdir -p build/fuzz
tests/fuzz/corpus.py split tests/fuzz/corpus.units tests/fuzz/found/*.units build/fuzz/corpus || exit 1

# How much memory a dump may take, which is 100 kB large at most, and how long.
options=(-max_len=1024 -timeout=60 -malloc_limit_mb=64 -rss_limit_mb=1024 -entropic=0 -close_fd_mask=3 -print_final_stats=1)
export OMP_NUM_THREADS=1 ASAN_OPTIONS=detect_stack_use_after_return=0:malloc_context_size=4:allocator_may_return_null=1:intercept_printf=0 UBSAN_OPTIONS=print_stacktrace=1
pids=()
for target in memory files; do
	nice -n 19 "$bin/fuzz_$target" "${options[@]}" -max_total_time="$seconds" -artifact_prefix="build/fuzz/$target-" build/fuzz/corpus \
		>"build/fuzz/$target.log" 2>&1 &
	pids+=($!)
done
status=0
for pid in "${pids[@]}"; do
	wait "$pid" || status=1
done
for target in memory files; do
	echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/$target.log") inputs"
	grep -hE '^(SUMMARY|not as promised|Test unit written)|ERROR: ' "build/fuzz/$target.log"
done
[ $status -eq 0 ] || echo "Something was found: build/fuzz/*.log says what; the input belongs into tests/fuzz/found/."
exit $status
