#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# The recorder for aarch64: compiled with CK's headers of that machine (those of the amd64 package emit no fences), its unit tests and the ring's
# stress test run by qemu-user. That shows that it works there, not its order: that the orders are asked for is shown by the instructions, for
# each label of the table in docs/design.md. Needs gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user (`tests/deps.sh aarch64`, 270 MB);
# CK's headers and libcheck are taken from Debian's packages for arm64, unpacked into build/aarch64. Without a network the unit tests are left out.
set -u
export CK_DEFAULT_TIMEOUT=0 # a processor that is emulated takes its time
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
omp_tools=$(dirname "$(find /usr/lib/llvm-*/lib/clang -name omp-tools.h | head -n 1)")

# foreign PACKAGE: that machine's, unpacked at $foreign, once
foreign() {
	foreign=${BUILD:-build}/aarch64/$1
	[ ! -d "$foreign" ] || return 0
	local url
	url=$(apt-get download --print-uris "$1" 2>/dev/null | sed -nE "s/^'(.*)_[a-z0-9]+\.deb' .*/\1_arm64.deb/p")
	[ -n "$url" ] && mkdir -p "$(dirname "$foreign")" && /usr/lib/apt/apt-helper download-file "$url" "$work/$1.deb" >/dev/null 2>&1 &&
		dpkg-deb -x "$work/$1.deb" "$work/$1" && mv "$work/$1" "$foreign"
}

# Of CK's headers only ck_md.h, which says how the machine orders memory, differs between the two packages.
if foreign libck-dev; then
	ck=$(dirname "$(find "$foreign" -name ck_md.h | head -n 1)")
else
	ck=$work/ck
	mkdir -p "$ck"
	include=$(pkg-config --variable=includedir ck)
	cp -r "$include"/ck_*.h "$include/gcc" "$ck"
	sed -i 's/CK_MD_TSO/CK_MD_RMO/' "$ck/ck_md.h"
fi
grep -q 'define CK_MD_RMO' "$ck/ck_md.h" || {
	echo "not ok CK's ck_md.h does not order as the machine does"
	exit 1
}
flags="-std=c11 -D_GNU_SOURCE -I. -isystem $ck -idirafter $omp_tools -pthread -O2 -Wall -Wextra -Wshadow -Wconversion -Werror"
for source in recorder/*.c recorder/*/*.c common/*.c builder/dump/reader_segment.c builder/dump/reader_ring.c; do
	part=${source%%/*}
	[[ $source != recorder/gomp/* && $source != recorder/launch/* && $source != recorder/audit/* ]] || part=other # products of their own
	# shellcheck disable=SC2086 # lists of words
	$cc $flags -fPIC -fvisibility=hidden -ftls-model=initial-exec -c -o "$work/$part-$(basename "$source" .c).o" "$source" || {
		echo "not ok $source for aarch64"
		exit 1
	}
done
echo "ok the recorder compiles for aarch64 without a warning"

# has LABELS PART-FILE FUNCTION PATTERN...: the instructions, in this order.
has() {
	local labels=$1 object=$2 function=$3 code
	shift 3
	labels_shown+=" $labels"
	code=$(aarch64-linux-gnu-objdump -d --no-show-raw-insn "$work/$object.o" |
		awk -v f="<$function(.part.[0-9]+)?>:" '$2 ~ "^" f "$" { on = 1 } on && NF == 0 { on = 0 } on' | tr '\n' ';')
	local pattern
	pattern=$(printf '.*%s' "$@")
	if [[ $code =~ $pattern ]]; then
		echo "ok $labels $function: $*"
	else
		echo "not ok $labels $function: not $*"
		tr ';' '\n' <<<"$code" | grep -E 'stlr|ldar|dmb|ldax|stlx|cas|swp|bl' || true
	fi
}
labels_shown=
full='dmb[[:space:]]+ish;' stores='dmb[[:space:]]+ishst'
has R1 recorder-segment segment_close 'stlr'
has R1 recorder-callbacks_task on_task_schedule 'stlr'
has A1 builder-reader_ring scan_directory 'ldar'
has 'O1 O2' recorder-segment open_segment "$stores" 'stlr'
has A2 builder-reader_ring scan_directory 'ldar'
has A2 builder-reader_segment reader_copy_live 'dmb[[:space:]]+ishld'
has H1 recorder-segment hand_over "$full" "$stores"
has H1 recorder-drain drain_one "$full" "$stores"
has H2 recorder-stream_seal seal_one "$full"
has W1 recorder-output output_segment 'stlr'
has W2 recorder-stream_seal stream_seal 'ldar'
has W1 recorder-drain_pack drain_pack 'stlr'
has Q1 recorder-packer packer_close 'stlr'
has Q2 recorder-packer packer_take_part 'casa|ldaxr|__aarch64_cas4_acq'
has Q3 recorder-packer packer_give_back 'stlr'
has Q4 recorder-packer packer_is_empty 'ldar'
has Q5 recorder-drain_pack drain_pack_done 'stlr'
has Q6 recorder-drain_pack drain_pack_begin 'swpa|ldax|__aarch64_swp4_acq'
has L1 recorder-output_shared output_leave_shared 'stlr'
has L2 recorder-output_shared output_take_shared 'swpa|ldax|__aarch64_swp4_acq'
has Y1 recorder-kept kept_end 'stlr'
has Y2 recorder-kept kept_begin 'casa|ldaxr|__aarch64_cas8_acq'
has D1 recorder-drain drain_main "$full"
has D2 recorder-drain drain_wake "$full"
has D3 recorder-drain drain_wake 'swpl|stlxr|__aarch64_swp4_rel'
has D4 recorder-drain drain_main 'ldar'
has S1 recorder-stream_make create_events 'stlr'
has S2 recorder-drain write_round 'ldar'
has 'T2 F2' recorder-stream_thread stream_release 'stlr' "$full"
has T1 recorder-stream stream_claim 'casa|ldaxr|__aarch64_cas8_acq'
has E1 recorder-drain drain_wake 'stlr'
has E2 recorder-drain drain_thread_exits 'ldar'
has F1 recorder-session_life session_end "$full"
has C1 recorder-session session_set 'stlr'
has C2 recorder-session session_get 'ldar'
has I1 recorder-stream_seal stream_seal 'stlr'
has I2 recorder-stream_seal stream_remove_ring 'ldar'
has G1 recorder-session_turn session_turn "$full"
has G2 recorder-segment segment_admit "$full"
has G3 recorder-session_turn session_turn 'casl|stlxr|__aarch64_cas8_rel'
has G4 recorder-record record_gate 'ldar'
has V1 recorder-device device_initialized 'casal|casl|stlxr|__aarch64_cas8_(acq_)?rel'
has V2 recorder-device device_finalized 'ldar'
has V3 recorder-device device_finalized 'stlr'
has V4 recorder-device device_finalized 'ldar'
has V5 recorder-device on_buffer_complete 'ldsetl|ldclrl|stlxr|__aarch64_ldset8_rel|__aarch64_ldclr8_rel'
has K1 recorder-abt_attach ABT_tool_register_thread_callback 'stlr'
has K2 recorder-callbacks_unit on_unit_event_chained 'ldar'
has B1 recorder-session_life session_start 'stlr'
has B2 recorder-session_life session_start 'swpa|ldax|__aarch64_swp[14]_acq'
has M1 recorder-meta meta_end 'stlr'
has M2 recorder-meta scratch_open 'swpa|ldax|__aarch64_swp4_acq'
has X1 recorder-switches copy_stream 'ldar' '<switches_copy>'
has X2 recorder-switches_copy switches_copy 'ldar'
has X3 recorder-switches_copy switches_copy 'stlr'
has X4 recorder-switches open_memory 'stlr'
has X5 recorder-switches switches_begin 'ldar'
has X7 recorder-switches query_times 'ldar'
has X8 recorder-switches switches_begin 'ldar' 'stlr'
has X6 recorder-switches poll_all '<finish_memory>' 'stlr'
has N1 recorder-file file_close 'casl|stlxr|__aarch64_cas8_rel'
has N2 recorder-file file_name 'casa|ldaxr|__aarch64_cas8_acq'
has Z1 recorder-away away 'ldclrl|stlxr|__aarch64_ldclr4_rel'
has Z2 recorder-away away 'ldseta|ldaxr|__aarch64_ldset4_acq'
labels_of() { grep -oE '[A-Z][0-9]' | sort -u | tr '\n' ' '; }
labels=$(sed -n '/^### Who orders what/,/^After SIGKILL/p' docs/design.md | grep '^|' | grep -v "of the builder's" | labels_of) # the recorder's
if [ "$labels" = "$(labels_of <<<"$labels_shown")" ]; then
	echo "ok the instructions of every label in docs/design.md are shown: $labels"
else
	echo "not ok docs/design.md has $labels, shown are $(labels_of <<<"$labels_shown")"
fi

# run NAME SOURCE ARGUMENTS...
run() {
	local name=$1 source=$2
	shift 2
	# shellcheck disable=SC2086
	if $cc $flags $more -o "$work/$name" "$source" "$work"/recorder-*.o "$work"/common-*.o $libraries &&
		prlimit --cpu=1000 qemu-aarch64 -L /usr/aarch64-linux-gnu "$work/$name" "$@" >"$work/log" 2>&1; then
		echo "ok $name under qemu-aarch64: $(tail -n 1 "$work/log")"
	else
		echo "not ok $name under qemu-aarch64"
		cat "$work/log"
	fi
}
more='' libraries=''
run ring_stress tests/stress/ring_stress.c 12000 2 8
if foreign check && more="-isystem $foreign/usr/include" libraries=$(find "$foreign" -name libcheck.a) && foreign libsubunit-dev; then
	libraries+=" $(find "$foreign" -name libsubunit.a) -lm"
	for test in clock config event ring drain packing refusal process; do
		run "test_$test" "tests/unit/test_$test.c"
	done
else
	echo "skip unit tests for aarch64: no libcheck of that machine could be downloaded"
fi
