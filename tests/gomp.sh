#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests that otter-record changes no result, start or status of programs, with LLVM's runtime in the place of gcc's: what
# libomp lacks, sanitizers, other C libraries, other word sizes, and where libgomp is left alone.
cd "$(dirname "$0")/.." || exit 1
. tests/launch/setup.sh

# run NAME COMMAND...: leaves its output, and its status as a last line, in NAME. Lines of otter-record are in NAME.said.
run() {
	local name=$1
	shift
	"$@" >"$name" 2>"$name.err"
	echo "status $?" >>"$name"
	grep '^otter-record: ' "$name.err" >"$name.said"
	grep -v '^otter-record: ' "$name.err" >>"$name"
}

# same WHAT COMMAND...: output and status are the same with otter-record and without.
same() {
	local what=$1
	shift
	rm -rf dumps
	run alone "$@"
	run recorded "$record" --dir dumps "$@"
	expect "$what: output and status are the same" "" "$(diff alone recorded)"
}

# is_recorded WHAT, is_left WHAT REASON: after `same`
is_recorded() {
	expect "$1: it is recorded" "*thread*, * record*, 0 lost*" "$(cat recorded.said)"
}
is_left() {
	expect "$1: not recorded, and it says why" "otter-record: nothing was recorded*left alone: *$2*" "$(cat recorded.said)"
}

compile "$gcc" -o regions "$sources/launch/gomp_regions.c"
compile "$gcc" -o api "$sources/launch/gomp_api.c"
compile "$gcc" -o fib "$sources/omp/fib.c"

# ---- what libomp lacks ----
same "teams, target, scope, error" ./regions
is_recorded "teams, target, scope, error"
expect "an own runtime is named, and that times may change" "*takes its place, and times may change*" "$(cat recorded.said)"
same "an error of the program's" ./regions fatal
same "devices, allocators, Fortran's integers of eight bytes" ./api
is_recorded "devices, allocators, Fortran's integers of eight bytes"
OMP_NUM_TEAMS=4 same "a number of teams from the environment" ./regions
# A preloaded libomp is found first, and would answer for the teams of another runtime.
LD_PRELOAD=libomp.so.5 run recorded "$record" --dir preloaded ./regions
run alone ./regions
expect "a user's LD_PRELOAD of libomp: output and status are right" "" "$(diff alone recorded)"

names() {
	nm -D --defined-only "$1" | awk '{ print $3 }' | sed 's/@@*/@/' | sort -u
}
library=$BUILD/lib/otter/libgomp.so.1
libgomp=$(ldd ./regions | awk '$1 == "libgomp.so.1" { print $3 }')
libomp=$(LD_PRELOAD=libomp.so.5 ldd ./regions | awk '/libomp.so.5/ { print $3; exit }')
names "$libgomp" | grep -vE "@($([ "$(uname -m)" = x86_64 ] || echo 'G?OACC_|')GOMP_PLUGIN_)|^[^@]*\$" >wanted
{ names "$library" && names "$libomp"; } | sort -u >supplied
expect "every name and version of libgomp is supplied" "" "$(comm -23 wanted supplied)"
expect "of more than 300" 1 "$(($(wc -l <wanted) > 300))"
expect "the library needs nothing but libomp and libc" "libc.so.6 libomp.so.5" "$(readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | sort | xargs)"

# ---- sanitizers ----
compile "$gcc" -fsanitize=address -o asan "$sources/launch/gomp_regions.c"
same "AddressSanitizer" ./asan
is_recorded "AddressSanitizer"
same "AddressSanitizer below a shell" sh -c "./asan; exit \$?"
is_recorded "AddressSanitizer below a shell"
compile "$gcc" -fsanitize=thread -o tsan "$sources/omp/fib.c"
if TSAN_OPTIONS=exitcode=0 setarch -R ./tsan 5 >/dev/null 2>&1; then
	export TSAN_OPTIONS="exitcode=0 log_path=$work/races"
	same ThreadSanitizer setarch -R ./tsan 5
	run recorded setarch -R "$record" --dir tsan.d ./tsan 5
	is_left ThreadSanitizer "ThreadSanitizer, whose reports depend on the runtime"
else
	echo "skip gomp/tsan: gcc's ThreadSanitizer runs no program here"
fi

# ---- other programs ----
echo 'int main(void) { return 7; }' >seven.c
if command -v musl-gcc >/dev/null; then
	musl-gcc -o musl seven.c
	same "musl" ./musl
	same "musl below a shell" sh -c "./musl; exit \$?"
	same "musl below env" env X=1 ./musl
else
	echo "skip gomp/musl: no musl-gcc (musl-tools)"
fi
if "$gcc" -m32 -o small seven.c 2>/dev/null && { ./small || [ $? -eq 7 ]; } 2>/dev/null; then
	same "32 bits" ./small
	same "32 bits below a shell" sh -c "./small; exit \$?"
	run recorded "$record" --audit --dir dumps sh -c "./small; exit \$?"
	run alone sh -c "./small; exit \$?"
	expect "32 bits below a shell, with --audit: output and status are the same" "" "$(diff alone recorded)"
else
	echo "skip gomp/32-bits: gcc -m32 makes no program that runs here (gcc-multilib, a kernel with IA32 emulation)"
fi
# The loader of programs of 32 bits replaces $LIB by a folder of its own, and prints an error if it finds nothing there. This
# program needs no files for compiling such; where the kernel does not run it, an emulator does.
printf '_Noreturn void exit(int);\nvoid _start(void);\nvoid _start(void)\n{\n\texit(7);\n}\n' >start.c
libc_32=$(compgen -G "/lib32/libc.so.6" || compgen -G "/lib/i386-linux-gnu/libc.so.6")
if [ -n "$libc_32" ] && command -v qemu-i386 >/dev/null &&
	"$gcc" -m32 -fPIE -fno-stack-protector -nostdlib -o start start.c "$libc_32" -Wl,--dynamic-linker=/lib/ld-linux.so.2 2>/dev/null &&
	{ qemu-i386 ./start || [ $? -eq 7 ]; } 2>/dev/null; then
	# shellcheck disable=SC2016 # for the shell that the launcher starts
	loads=$("$record" --audit -q sh -c 'printf "%s %s" "$LD_PRELOAD" "$LD_AUDIT"' 2>/dev/null)
	# shellcheck disable=SC2016 # for the loader
	expect "32 bits: libraries are preloaded and let audit" '*/$LIB/libotter-gomp.so */$LIB/libotter-audit.so' "$loads"
	qemu-i386 -E "LD_PRELOAD=${loads% *}" -E "LD_AUDIT=${loads#* }" ./start 2>start.err
	expect "32 bits: the status is the program's" 7 $?
	expect "32 bits: the loader prints nothing" "" "$(cat start.err)"
else
	echo "skip gomp/32-bits-loader: no program of 32 bits is made and emulated here (qemu-user, libc6-i386)"
fi
compile "$gcc" -static -o static "$sources/omp/fib.c"
same "a static program" ./static 5
same "a static program below a shell" sh -c "./static 5"
if command -v valgrind >/dev/null; then
	same "valgrind" valgrind -q ./fib 5
	is_recorded valgrind
else
	echo "skip gomp/valgrind: no valgrind"
fi

# ---- --audit ----
# audited WHAT REASON COMMAND...: output and status are the same; REASON: why it is not used, "" if it is
audited() {
	local what="--audit: $1" reason=$2
	shift 2
	rm -rf dumps
	run alone "$@"
	run recorded "$record" --audit --dir dumps "$@"
	expect "$what: output and status are the same" "" "$(diff alone recorded)"
	if [ -n "$reason" ]; then
		expect "$what: it is refused" 1 "$(grep -c -- "--audit is not used: $reason" recorded.said)"
	else
		expect "$what: it is not refused" 0 "$(grep -c -- "--audit is not used" recorded.said)"
	fi
}
audited "teams, target, scope, error" "" ./regions
is_recorded "--audit: teams, target, scope, error"
audited AddressSanitizer "the program has a sanitizer" ./asan
is_recorded "--audit: AddressSanitizer"
audited "a shell" "" sh -c "./fib 5; exit 3"
is_recorded "--audit: a shell"
expect "--audit: a shell: what it may do to sanitizers and valgrind is said" "*what sh starts may end in the leak check*" "$(cat recorded.said)"
if command -v valgrind >/dev/null; then
	audited valgrind "valgrind reports errors" valgrind -q ./fib 5
	is_recorded "--audit: valgrind"
fi
if command -v musl-gcc >/dev/null; then
	audited musl "the program has another loader" ./musl
	audited "musl below a shell" "" sh -c "./musl; exit \$?"
fi
if [ "$(uname -m)" = x86_64 ]; then
	"$gcc" -fopenacc -o acc "$sources/launch/gomp_acc.c"
	audited "OpenACC" "libgomp is left alone" ./acc
	audited "OpenACC below a shell" "" sh -c "./acc; exit \$?"
fi

# ---- where libgomp is left alone ----
"$gcc" -fopenacc -o acc "$sources/launch/gomp_acc.c"
same "OpenACC" ./acc
is_left OpenACC "OpenACC"
if [ "$(uname -m)" = x86_64 ]; then
	same "OpenACC below a shell" sh -c "./acc; exit \$?"
else
	echo "skip gomp/OpenACC: its entries are written for x86-64 alone"
fi
mkdir plugin newer
cp "$libgomp" plugin/libgomp.so.1
touch plugin/libgomp-plugin-nvptx.so.1
LD_LIBRARY_PATH=$PWD/plugin same "a plugin for devices" ./regions
is_left "a plugin for devices" "libgomp-plugin-nvptx.so.1, which libomp cannot use"
echo 'OMP_1.0 { global: of_future; local: *; }; OMP_99.0 { } OMP_1.0;' >newer/map
echo 'int of_future(void) { return 5; }' >newer/future.c
echo 'int of_future(void); int main(void) { return of_future(); }' >newer/main.c
"$gcc" -shared -fPIC -Wl,-soname,libgomp.so.1 -Wl,--version-script=newer/map -o newer/libgomp.so.1 newer/future.c &&
	"$gcc" -o future newer/main.c newer/libgomp.so.1
LD_LIBRARY_PATH=$PWD/newer same "a newer libgomp" ./future
is_left "a newer libgomp" "newer/libgomp.so.1 is newer than this otter-record knows: it has version OMP_99.0"
OMP_CANCELLATION=true same "cancellation" ./regions
is_left cancellation "OMP_CANCELLATION is true"
OMP_TARGET_OFFLOAD=MANDATORY same "no device, where one is demanded" ./regions
is_left "no device, where one is demanded" "OMP_TARGET_OFFLOAD is mandatory"
run recorded "$record" --no-libomp ./regions
is_left "--no-libomp" "--no-libomp"

# ---- how the runtimes are found ----
mkdir ours
cp "$libgomp" ours/libgomp.so.1
compile "$gcc" -Wl,--disable-new-dtags,-rpath,"$PWD/ours" -o rpath "$sources/launch/gomp_regions.c"
same "a libgomp by a path of the program's" ./rpath
is_recorded "a libgomp by a path of the program's"
mkdir own other
cp "$libomp" own/libomp.so.5
cp "$libomp" other/libomp-own.so
export OTTER_LIBOMP=$PWD/own/libomp.so.5
same "OTTER_LIBOMP" ./regions
expect "OTTER_LIBOMP: it is that one" 1 "$(grep -c '^map .*/own/libomp.so.5$' dumps/*/meta)"
OTTER_LIBOMP=$PWD/other/libomp-own.so
same "OTTER_LIBOMP by another name" ./regions
expect "OTTER_LIBOMP by another name: it is that one" 1 "$(grep -c '^map .*/other/libomp-own.so$' dumps/*/meta)"
expect "OTTER_LIBOMP by another name: and no other" 1 "$(grep -c '^map .*/libomp' dumps/*/meta)"
unset OTTER_LIBOMP
exit $((n_failed > 0))
