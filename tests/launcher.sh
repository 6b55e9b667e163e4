#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests otter-record from outside: exit statuses, signals, what it prints about dumps and where there are none, --check.
# BUILD (default build) holds bin/ and lib/.
cd "$(dirname "$0")/.." || exit 1
. tests/launch/setup.sh

compile "$clang" -o fib "$sources/omp/fib.c"
compile "$clang" -o die "$sources/launch/die.c"
compile "$clang" -o signals "$sources/launch/signals.c"
compile "$clang" -rdynamic -o own_tool "$sources/launch/own_tool.c"
compile "$gcc" -o fib-gcc "$sources/omp/fib.c"
compile "$gcc" -static -o fib-static "$sources/omp/fib.c"

echo 'int main(int argc, char **argv) { (void)argv; if (argc > 1) {
#pragma omp parallel
	{ } } return 0; }' >idle.c
compile "$clang" -o idle idle.c
echo 'void nothing(void); void nothing(void) {}' >absent.c
echo 'void nothing(void); int main(void) { nothing(); return 0; }' >incomplete.c
"$clang" -shared -fPIC -Wl,-soname,libabsent.so.1 -o libabsent.so.1 absent.c && compile "$clang" -o incomplete incomplete.c ./libabsent.so.1
rm libabsent.so.1

# ---- statuses and streams ----
mkdir plain && cd plain || exit 1
"$record" -- ../fib 10 >out 2>err
expect "status 0" 0 $?
expect "stdout is the program's own" "fib 10 = 55" "$(cat out)"
expect "one line for the dump" "otter-record: fib-*.otter: 2 threads, 179 tasks with implicit ones, * records, * kB, 0 lost, stalled *.? ms" "$(cat err)"
dump=$(echo fib-*.otter)
expect "the line names the dump" 1 "$(grep -c "otter-record: $dump:" err)"
expect "records as meta has them" "$(awk '$1 == "stream" && $2 < 524288 { n += $4 } END { print n }' "$dump/meta")" \
	"$(sed -n 's/.* ones, \([0-9]*\) records.*/\1/p' err)"
cd ..
"$record" -q ./die 3 0 7 2>err
expect "the program's status" 7 $?
expect "quiet with a dump says nothing" "" "$(cat err)"
expect "stdin is the program's" "through" "$(echo through | "$record" -q cat 2>/dev/null)"
"$record" ./absent 2>err
expect "status where there is no program" 127 $?
expect "and it says so" "otter-record: ./absent: No such file or directory" "$(cat err)"
echo text >file
"$record" ./file 2>err
expect "status where it may not be executed" 126 $?
"$record" 2>/dev/null
expect "usage: no program" 2 $?
"$record" --no-such-option ./fib 2>/dev/null
expect "usage: no such option" 2 $?
"$record" --drain=perhaps ./fib 10 2>err
expect "usage: a value that cannot be used" 2 $?
expect "and it names it" 'otter-record: OTTER_DRAIN: unusable value "perhaps"' "$(cat err)"
(
	trap '' CHLD
	"$record" -q ./die 1 0 9
)
expect "status where SIGCHLD is ignored" 9 $?

# ---- signals ----
# A shell says 128 + N for both: a program shows the status that the launcher's parent gets from wait().
for signal in 2 6 9 11 15; do
	status=$(ulimit -c 0; /usr/bin/python3 -c "import subprocess, sys; print(subprocess.run(sys.argv[1:]).returncode)" \
		"$record" --dir killed ./die 3 "$signal" 2>err)
	expect "killed by signal $signal, killed the same way" "-$signal" "$status"
	expect "dump after signal $signal" "*2 threads, 3 tasks with implicit ones, * records, *did not come to its end" "$(cat err)"
done
"$record" -q --dir signals.d ./signals 5 >out 2>err &
launcher=$!
await ready out
for signal in HUP INT QUIT USR1 USR2 ALRM; do
	kill -s $signal $launcher
	await "got $(kill -l $signal)" out
	expect "SIG$signal is passed on" 0 $?
done
program=$(tr -d " " </proc/$launcher/task/$launcher/children)
kill -s STOP "$program"
await_state $launcher T
expect "stopped with the program" 0 $?
kill -s CONT $launcher
await_state "$program" S
expect "the program continues with it" 0 $?
kill -s TSTP $launcher
await_state "$program" T && await_state $launcher T
expect "SIGTSTP stops both" 0 $?
kill -s CONT $launcher
kill -s TERM $launcher
wait $launcher
expect "SIGTERM is passed on, the program ends with its own status" 5 $?

# ^C of a terminal goes to the whole foreground group: the program must get it once, not a second time from the launcher.
/usr/bin/python3 - "$record" >out 2>&1 <<'END'
import os, pty, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.execl(sys.argv[1], sys.argv[1], "-q", "--dir=pty.d", "./signals", "3")
text, step = b"", 0
try:
    while True:
        text += os.read(terminal, 4096)
        if step == 0 and b"ready" in text:
            os.write(terminal, b"\x03")
            step = 1
        elif step == 1 and b"got 2" in text:
            time.sleep(0.2)
            os.kill(pid, 15)
            step = 2
except OSError:
    pass
print(text.count(b"got 2"), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
expect "a terminal's SIGINT comes once" "1 3" "$(tail -n 1 out)"

# ---- dumps of several processes ----
# shellcheck disable=SC2016
printf '#!/bin/sh\ncd /\n"$1" 5 && "$1" 6\n' >both && chmod +x both
"$record" --dir several ./both "$work/fib" >/dev/null 2>err
expect "a line for each process of a script" 2 "$(grep -c '^otter-record: several/fib-.*threads' err)"
expect "a directory from the program's place, wherever it goes" 2 "$(find several -name '*.otter' | wc -l)"
"$record" --dir several ./fib 5 >/dev/null 2>err
expect "dumps of other runs are not ours" 1 "$(grep -c threads err)"
mkdir rings
"$record" --dir killed2 --ring-dir rings ./die 3 9 >/dev/null 2>err
expect "rings elsewhere are found after a kill" "*2 threads, 3 tasks with implicit ones, * records, *did not come to its end" "$(cat err)"
"$record" --dir running sh -c './signals >out2 & while ! grep -q ready out2; do sleep 0.1; done' 2>err
expect "a process that outlives its parent is still running" "*signals-*2 threads, 3 tasks with implicit ones, *still running" "$(cat err)"
kill "$(sed -n 's/^pid //p' running/*/meta)"
"$record" --dir notes env OTTER_LIMIT=much ./fib 5 >/dev/null 2>err
expect "what the recorder notes is said" '*note: OTTER_LIMIT: unusable value "much"*' "$(cat err)"
"$record" --dir options --ring=64K --drain=self --events=all --keep=newest --limit=1M --ranks=0-3 --full=wait ./fib 5 >/dev/null 2>err
expect "the options are the recorder's settings" "ring 65536 drain self full wait keep newest limit 1048576 ranks 0-3 events all" \
	"$(for name in ring drain full keep limit ranks events; do sed -n "s/^setting \($name .*\)/\1/p" options/*/meta; done | xargs)"
"$record" --dir packed --ring=32K --pack=on ./fib 15 >/dev/null 2>err
expect "packed segments are counted" "pack on $(sed -n 's/^stream [0-9]\{1,5\} [a-z]* \([0-9]*\) .*/\1/p' packed/*/meta | awk '{ n += $1 } END { print n }') records" \
	"$(sed -n 's/^setting \(pack .*\)/\1/p' packed/*/meta) $(grep -o '[0-9]* records' err)"

# ---- what others put into the directory of the dumps ----
mkdir -p strange/fifo.otter strange/sparse.otter strange/foreign.otter
mkfifo strange/fifo.otter/meta strange/foreign.otter/00000.seg
truncate -s 1T strange/sparse.otter/meta
# Files of the program's own dump that it makes unreadable itself.
cat >spoil <<'end'
./fib 10
cd "$(echo strange/fib-*.otter)" && mkfifo 00077.seg 00078.ring && truncate -s 1T 00079.seg drain.seg
end
timeout 1200 "$record" --dir strange --ring 32K sh spoil >out 2>err
expect "pipes and holes do not hold the launcher" 0 $?
expect "the dump beside them is found" "*2 threads, 179 tasks with implicit ones, * 0 lost*" "$(cat err)"
exec 9> >(:)
wait $!
"$record" --dir unheard ./fib 10 >out 2>&9
expect "stderr without a reader: the program's status" 0 $?
"$record" --dir unheard sh -c 'kill -PIPE $$' 2>&9
expect "stderr without a reader: SIGPIPE ends the program as without the launcher" 141 $?
exec 9>&-

# ---- libgomp, and why there is no dump ----
"$record" --dir gcc ./fib-gcc 10 >out 2>err
expect "libgomp: the program is not disturbed" "fib 10 = 55" "$(cat out)"
expect "libgomp: it is said that libomp takes its place" "*libgomp*takes its place*2 threads, 179 tasks*" "$(cat err)"
LD_PRELOAD=libomp.so.5 "$record" --dir gcc ./fib-gcc 10 >/dev/null 2>err
expect "libgomp: already replaced" "otter-record: gcc/*2 threads*" "$(cat err)"
# why TEXT COMMAND...: no dump, status 0, and the reason
why() {
	local text=$1
	shift
	"$@" >/dev/null 2>err
	expect "no dump, status 0: $text" 0 $?
	expect "no dump, reason: $text" "otter-record: nothing was recorded*$text*" "$(cat err)"
}
why "--no-preload forbids" "$record" --no-preload ./fib-gcc 5
why "there is no LLVM libomp" env OTTER_LIBOMP=/absent "$record" ./fib-gcc 5
why "linked into it statically" "$record" ./fib-static 5
why "not linked to an OpenMP runtime" "$record" true
why "is a script" "$record" "$work/both" true
why "defines ompt_start_tool" "$record" ./own_tool
why "does not select this rank, 3" env PMIX_RANK=3 "$record" --ranks=0,4-8 ./fib 5
OMP_TOOL=disabled "$record" --dir disabled ./fib 5 >/dev/null 2>err
expect "OMP_TOOL=disabled is overridden, and that is said" '*OMP_TOOL is "disabled" here*threads*' "$(cat err)"

# ---- a directory where nothing can be written ----
# It is known before the program starts, which may run for hours.
"$record" --dir /dev/null/x ./fib 10 >out 2>err
expect "no directory: an own status" 123 $?
expect "no directory: the program was not run" "" "$(cat out)"
expect "no directory: what it says" "otter-record: no dump can be written below /dev/null/x: Not a directory; ./fib was not run (--dir=DIR names another directory, --run-anyway runs it unrecorded)" "$(cat err)"
for how in "--run-anyway" "SLURM_JOB_ID=7" "PBS_JOBID=7" "PMIX_RANK=3"; do
	case $how in
	--*) "$record" --dir /dev/null/x "$how" ./die 3 0 7 2>err ;;
	*) env "$how" "$record" --dir /dev/null/x ./die 3 0 7 2>err ;;
	esac
	expect "no directory, $how: the program's status" 7 $?
	expect "no directory, $how: what it says" "otter-record: no dump can be written below /dev/null/x: Not a directory; ./die runs unrecorded" "$(cat err)"
done
env -i "$record" --run-anyway --dir /dev/null/x env >out 2>/dev/null
expect "no directory: nothing is set for the recorder" "OTTER_DIR=/dev/null/x" "$(sort out | xargs)"
"$record" --check --dir /dev/null/x ./fib >out
expect "no directory: --check" "1 *PROBLEM *the dump directory /dev/null/x cannot be written: Not a directory*" "$? $(cat out)"

# ---- a program with privileges ----
if [ "$(id -u)" -eq 0 ] && chmod 711 . && cp fib privileged && chmod 4755 privileged && mkdir -m 777 anybody &&
	other=(setpriv --reuid=65534 --regid=65534 --clear-groups) && "${other[@]}" "$record" --version >/dev/null 2>&1; then
	"${other[@]}" "$record" --dir anybody ./privileged 10 >out 2>err
	expect "set-user-id: status" 0 $?
	expect "set-user-id: the recorder leaves nothing" "" "$(ls anybody)"
	expect "set-user-id: what it says" "otter-record: nothing was recorded*./privileged runs with privileges of its own (set-user-id, set-group-id or capabilities): it is not recorded" "$(cat err)"
	OTTER_VERBOSE=1 OMP_TOOL_LIBRARIES=$BUILD/lib/libotter-ompt.so OTTER_DIR=$work/anybody "${other[@]}" ./privileged 10 >out 2>&1
	expect "set-user-id: the recorder is silent" "fib 10 = 55" "$(cat out)"
	"${other[@]}" setpriv --no-new-privs "$record" --dir anybody ./privileged 10 >out 2>err
	expect "set-user-id without effect: it is recorded" "otter-record: anybody/privileged-*2 threads*" "$(cat err)"
else
	echo "skip launcher/set-user-id: it takes root, and a build that every user can read"
fi

# ---- typical mistakes ----
# mistake STATUS TEXT COMMAND...: what otter-record says is this text
mistake() {
	local status=$1 text=$2
	shift 2
	"$@" >out 2>err
	expect "mistake: the status of $*" "$status" $?
	expect "mistake: the words for $*" "$text" "$(cat err)"
}
mistake 127 "otter-record: ./fbi: No such file or directory" "$record" ./fbi
mistake 127 "otter-record: ./fib 10: No such file or directory (one word is the program, and each argument another: otter-record ./fib 10 without quotes around it)" \
	"$record" "./fib 10"
mistake 127 "otter-record: OMP_NUM_THREADS=4: No such file or directory (a variable is set before otter-record, or by env: otter-record env OMP_NUM_THREADS=4 PROGRAM)" \
	"$record" OMP_NUM_THREADS=4 ./fib
mistake 127 "otter-record: own_tool: No such file or directory in PATH (the one in this directory is ./own_tool)" "$record" own_tool
mistake 126 "otter-record: $work/plain: it is a directory" "$record" "$work/plain"
mistake 126 "otter-record: plain/$dump: it is a directory, a dump: see otter-build(1)" "$record" "plain/$dump"
echo 'int main(void) { return 0; }' >empty.c
mistake 126 "otter-record: ./empty.c: Permission denied (it has no permission to be executed: is it the program that the compiler made?)" "$record" ./empty.c
printf '#!/absent/python\n' >script && chmod +x script
mistake 127 "otter-record: ./script: /absent/python, which executes it, is not there" "$record" ./script
"$clang" -o alien empty.c -Wl,--dynamic-linker=/absent/ld.so
mistake 127 "otter-record: ./alien: /absent/ld.so, which executes it, is not there" "$record" ./alien
printf '\x7fELF\x01\x01\x01%052d' 0 >foreign && chmod +x foreign
mistake 126 "otter-record: ./foreign: Exec format error (it is for another processor or word size)" "$record" ./foreign
"$clang" -o empty empty.c
mistake 0 "otter-record: nothing was recorded
otter-record:   it is not linked to an OpenMP runtime (compiled without -fopenmp?); one that it loads later, or that a program it starts has, is recorded if it has the environment of otter-record" \
	"$record" ./empty
mistake 0 "otter-record: nothing was recorded*if it has the environment of otter-record" "$record" env -i ./fib 5
mistake 0 "otter-record: nothing was recorded
otter-record:   the program reached no OpenMP construct, or what started it removed OMP_TOOL_LIBRARIES or OTTER_DIR from its environment" \
	"$record" ./idle
mistake 0 "otter-record: nothing was recorded
otter-record:   gcc's libgomp is linked into it statically: it has no tools interface, and cannot be replaced" "$record" ./fib-static 5
mistake 127 "*error while loading shared libraries: libabsent.so.1: cannot open shared object file*
otter-record: nothing was recorded
otter-record:   the loader does not find its library libabsent.so.1" "$record" ./incomplete
mistake 2 'otter-record: OTTER_EVENTS: unusable value "everything"' "$record" --events=everything ./fib 5
mistake 2 "*unrecognized option '--threads=4'*" "$record" --threads=4 ./fib 5

# ---- A warning of the runtime's that a recorder causes ----
flang=${FLANG:-flang-new-19}
if command -v "$flang" >/dev/null && "$flang" -fopenmp -module-dir . "$sources/labels/constructs.f90" -o flangs 2>/dev/null; then
	"$record" --dir flangs-dumps ./flangs >/dev/null 2>err
	expect "flang: the runtime's warning is announced" "*compiled by flang*may print its warning #189*Warning #189*" "$(cat err)"
	"$record" --dir flangs-dumps --events=-work ./flangs >/dev/null 2>err
	expect "flang: not where it cannot come" "otter-record: flangs-dumps/*lost*" "$(cat err)"
else
	echo "skip launcher/flang: no $flang"
fi

# ---- How much an hour would take ----
which="$(stat -c %d .) $(uname -n)"
expect "the start of the run is noted, where dumps will be" "[0-9]* $which" "$("$record" -q --dir not/yet sh -c "echo \$OTTER_FREE" 2>/dev/null)"
expect "an outer launcher's note stays" "4294967296 $which" "$(OTTER_FREE="4294967296 $which" "$record" -q sh -c "echo \$OTTER_FREE" 2>/dev/null)"
expect "but not another file system's" "$which" "$(OTTER_FREE="4294967296 1 x" "$record" -q sh -c "echo \$OTTER_FREE" 2>/dev/null | cut -d' ' -f2-)"
# A busy machine would pack, and then a short run makes too few bytes to estimate an hour.
OTTER_PACK=off OTTER_FREE="4294967296 $which" "$record" --dir hour ./fib 24 >/dev/null 2>err
expect "what an hour takes, where it does not fit" "*an hour takes * [GT]B, and recording stops after *--keep=newest*" "$(cat err)"
OTTER_FREE="4294967296 $which" "$record" --keep=newest --dir hour ./fib 24 >/dev/null 2>err
expect "a flight recorder takes no more than it has" "otter-record: hour/fib-*.otter: *" "$(cat err)"
expect "and no other line" 1 "$(wc -l <err)"

# ---- --check, --version ----
"$record" --check ./fib >out 2>err
expect "--check: usable" 0 $?
expect "--check: what it found" "*program ./fib*libomp*recorder*GB free, of which a run takes half at most*A trace can be made." "$(cat out)"
expect "--check runs nothing" 0 "$(find . -maxdepth 1 -name '*.otter' -newer out | wc -l)"
"$record" --check ./fib-static >out 2>&1
expect "--check: not usable" 1 $?
expect "--check: what is in the way" "*PROBLEM *statically*A trace cannot be made." "$(cat out)"
"$record" --check ./fib-gcc >out
expect "--check: libgomp can be replaced" 0 $?
"$record" --check ./absent >/dev/null
expect "--check: no program" 1 $?
expect "--version names launcher, recorder and format" "otter-record *, dump format *recorder * format *" "$("$record" --version)"
mkdir -p moved/bin moved/lib
cp "$record" moved/bin
LC_ALL=C sed 's/otter-recorder [0-9.]* format [0-9]/otter-recorder 9.9.9 format 9/' "$BUILD/lib/libotter-ompt.so" >moved/lib/libotter-ompt.so
expect "--version: a recorder of another version" "*recorder 9.9.9*another version*" "$(moved/bin/otter-record --version)"
moved/bin/otter-record --dir moved ./fib 5 >/dev/null 2>err
expect "a recorder of another version is said when it is used" "*recorder is version 9.9.9*" "$(cat err)"
rm moved/lib/libotter-ompt.so
moved/bin/otter-record ./fib 5 >out 2>/dev/null
expect "no recorder beside it: its own failure, nothing is run" "125" "$?$(cat out)"
exit $((n_failed > 0))
