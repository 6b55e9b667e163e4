#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# The recorder for aarch64: compiled with CK's fences of that machine (those of the amd64 package's configuration are none), its unit tests
# and the ring's stress test run by qemu-user. That shows that it works there, not its order: that the orders are asked for is shown by
# the instructions. Needs gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user (`tests/deps.sh aarch64`, 270 MB).
set -u
cd "$(dirname "$0")/../.." || exit 1
cc=aarch64-linux-gnu-gcc
for tool in $cc aarch64-linux-gnu-objdump qemu-aarch64; do
	command -v "$tool" >/dev/null || {
		echo "skip no $tool: the recorder for aarch64 (tests/deps.sh aarch64 installs it)"
		exit 77
	}
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
include=$(pkg-config --variable=includedir ck)
omp_tools=$(dirname "$(find /usr/lib/llvm-*/lib/clang -name omp-tools.h | head -n 1)")
# Of CK's headers only this one, which says how the machine orders memory, differs between the two packages.
mkdir -p "$work/ck"
cp -r "$include"/ck_*.h "$include/gcc" "$work/ck"
sed -i 's/CK_MD_TSO/CK_MD_RMO/' "$work/ck/ck_md.h"
grep -q 'define CK_MD_RMO' "$work/ck/ck_md.h" || {
	echo "not ok CK's ck_md.h has no CK_MD_TSO to replace"
	exit 1
}
flags="-std=c11 -D_GNU_SOURCE -I. -isystem $work/ck -idirafter $omp_tools -pthread -O2 -Wall -Wextra -Wshadow -Wconversion -Werror"
for source in recorder/*.c common/*.c; do
	case $source in recorder/launch_*) continue ;; esac
	# shellcheck disable=SC2086 # lists of words
	$cc $flags -fPIC -fvisibility=hidden -ftls-model=initial-exec -c -o "$work/$(basename "$source" .c).o" "$source" || {
		echo "not ok $source for aarch64"
		exit 1
	}
done
echo "ok the recorder compiles for aarch64 without a warning"

# has LABEL OBJECT FUNCTION PATTERN...: the instructions, in this order.
has() {
	local label=$1 object=$2 function=$3 code
	shift 3
	code=$(aarch64-linux-gnu-objdump -d --no-show-raw-insn "$work/$object.o" |
		awk -v f="<$function>:" '$2 == f { on = 1 } on && NF == 0 { on = 0 } on' | tr '\n' ';')
	local pattern
	pattern=$(printf '.*%s' "$@")
	if [[ $code =~ $pattern ]]; then
		echo "ok $label $function: $*"
	else
		echo "not ok $label $function: not $*"
		tr ';' '\n' <<<"$code" | grep -E 'stlr|ldar|dmb|ldax|stlx|cas|swp|bl' || true
	fi
}
has R1 segment segment_close 'stlr'
has 'O1, O2' segment segment_next 'dmb[[:space:]]+ishst' 'stlr'
has H1 segment segment_flush 'dmb[[:space:]]+ish;' 'dmb[[:space:]]+ishst'
has H2 stream stream_seal 'dmb[[:space:]]+ish;'
has H1 drain drain_round 'dmb[[:space:]]+ish;' 'dmb[[:space:]]+ishst'
has W1 segment segment_write 'stlr'
has D2 drain drain_wake 'dmb[[:space:]]+ish;'
has S1 stream stream_create 'stlr'
has 'T2, F2' stream stream_release 'stlr' 'dmb[[:space:]]+ish;'
has F1 session session_end 'dmb[[:space:]]+ish;'
has E2 drain drain_thread_exits 'ldar'
has S2 drain drain_round 'ldar'
has C2 session session_get 'ldar'

cat >"$work/clocks.c" <<'END'
#include "recorder/clock.h"
#include <stdio.h>
int main(void) { clock_choose(); struct clock_triple a = clock_triple_now(), b = clock_triple_now();
printf("%s %d\n", clock_name(), b.ticks >= a.ticks && b.monotonic_ns > a.monotonic_ns && a.ticks); return 0; }
END
# run NAME SOURCE ARGUMENTS...
run() {
	local name=$1 source=$2
	shift 2
	# shellcheck disable=SC2086
	if $cc $flags -o "$work/$name" "$source" "$work"/[a-z]*.o && timeout 300 qemu-aarch64 -L /usr/aarch64-linux-gnu "$work/$name" "$@" >"$work/log" 2>&1; then
		echo "ok $name under qemu-aarch64: $(tail -n 1 "$work/log")"
	else
		echo "not ok $name under qemu-aarch64"
		cat "$work/log"
	fi
}
run clocks "$work/clocks.c"
run ring_stress tests/stress/ring_stress.c 12000 2 8
