#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""otter-build --pack: packed dumps give the same outputs, byte for byte, and nothing is lost whatever happens meanwhile.

    tests/pack.py [NAME...]

The dumps of tests/golden, most of which are of version 0.1.0, and those of tests/damage (of a finished and of a killed process, and a flight recorder's) are built into every output before and after they
are packed. A kill at each system call that --pack makes on the way, and a disk that is full at any byte, leave a dump that gives the same listing; and packing goes on where it stopped.
"""
import resource
import sys

from common import *

sys.path.insert(0, str(ROOT / "tests/damage"))
from dump import Dump, File

PLACE = WORK / "pack"
GOLDEN = sorted(path.name.split(".")[0] for path in (ROOT / "tests/golden").glob("*.tar.xz"))
DAMAGE = ("whole", "killed", "newest")
ALL = ("--otf2", "--csv", "--dot", "--summary", "--parallelism")
BUILDS = {"default": (), "scope": ("--graph=scope", *ALL), "fragment": ("--graph=fragment", "--states", *ALL), "part": ("--from=25%", "--to=75%", "--csv")}

# Ends the process before its Nth call of one of these functions.
KILLER = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void count(void)
{
	static int n;
	const char *at = getenv("KILL_AT");
	if (at != NULL && ++n == atoi(at))
		kill(getpid(), SIGKILL);
}

#define WRAP(name, parameters, ...) \\
	int name parameters \\
	{ \\
		count(); \\
		return ((int (*) parameters)dlsym(RTLD_NEXT, #name))(__VA_ARGS__); \\
	}
WRAP(fsync, (int fd), fd)
WRAP(fchmod, (int fd, mode_t mode), fd, mode)
WRAP(fchown, (int fd, uid_t u, gid_t g), fd, u, g)
WRAP(rename, (const char *from, const char *to), from, to)
WRAP(renameat, (int f, const char *from, int t, const char *to), f, from, t, to)
WRAP(unlink, (const char *path), path)
WRAP(unlinkat, (int fd, const char *path, int flags), fd, path, flags)
WRAP(fclose, (FILE *file), file)
WRAP(fflush, (FILE *file), file)
WRAP(close, (int fd), fd)
WRAP(flock, (int fd, int operation), fd, operation)
"""


def unpack(name, place):
    """Returns the dump's path."""
    if name in DAMAGE:
        shutil.unpack_archive(ROOT / "tests/damage/dumps.tar.xz", place)
        return place / name / "mix.otter"
    shutil.unpack_archive(ROOT / f"tests/golden/{name}.tar.xz", place)
    return place / f"{name}.otter"


def pack(dump, *options, env=None):
    return run([BUILDER, "--pack", *options, dump], env)


def listing(dump):
    result = run([BUILDER, "--list", dump])
    return result.status, result.out, result.err


def contents(directory):
    return {str(path.relative_to(directory)): path.read_bytes() for path in sorted(directory.rglob("*")) if path.is_file()}


def everything(dump, place):
    """Every output of a dump."""
    outputs = {"list": listing(dump)}
    result = run([BUILDER, "--canonical", dump])
    outputs["canonical"] = (result.status, result.out, result.err)
    for name, options in BUILDS.items():
        for n_threads in (1, 4):
            out = place / "out"
            shutil.rmtree(out, ignore_errors=True)
            result = run([BUILDER, "-o", out, *options, dump], {"OMP_NUM_THREADS": str(n_threads)})
            outputs[f"{name} on {n_threads}"] = (result.status, result.out, result.err, contents(out) if out.exists() else None)
    return outputs


def same(report, name, place):
    """Every output is the same, the files are smaller, and packing once more changes nothing."""
    dump = unpack(name, place)
    before, n_before = everything(dump, place), sum(f.stat().st_size for f in dump.iterdir())
    version = (dump / "meta").read_text().split("\n")[0]
    result = pack(dump)
    has_segments = any(f.suffix == ".pseg" for f in dump.iterdir())
    left = [f.name for f in dump.iterdir() if f.suffix in (".seg", ".dseg", ".new")]
    report.check(f"{name} is packed", result.why([0]) or (f"{left} are left" if left else None) or (None if has_segments else "no .pseg"))
    n_after = sum(f.stat().st_size for f in dump.iterdir())
    report.check(f"{name} says what it is", None if result.out == f"{dump}: {n_before} bytes before, {n_after} bytes now\n" else result.out)
    first, rest = (dump / "meta").read_text(errors="surrogateescape").split("\n", 1)
    report.check(f"{name} is of version 2", None if first == ("otter-dump 2 1" if version.startswith("otter-dump 1 ") else version) and "ended" in rest + "ended" else first)
    report.check(f"{name} is smaller", None if n_after < n_before else f"{n_before} before, {n_after} after")
    after = everything(dump, place)
    for what in before:
        report.check(f"{name} {what} is the same", None if before[what] == after[what] else f"{str(before[what])[:500]} before, {str(after[what])[:500]} after")
    packed = contents(dump)
    result = pack(dump, "-q")
    report.check(f"{name} packed twice", result.why([0]) or (None if contents(dump) == packed and result.out == "" else "is another"))


def killed(report, place):
    """A kill before any system call that matters; then packing goes on."""
    source, library = place / "killer.c", place / "killer.so"
    source.write_text(KILLER)
    result = run([COMPILERS["gcc"], "-shared", "-fPIC", "-O1", source, "-o", library, "-ldl"])
    if not report.check("the killer is compiled", result.why([0])):
        return
    for name in ("killed", "newest"):
        whole = listing(unpack(name, place))
        n_killed, status = 0, None
        while status != 0 and n_killed < 1000:
            empty(place / name)
            dump = unpack(name, place)
            result = pack(dump, env={"LD_PRELOAD": str(library), "KILL_AT": str(n_killed + 1)})
            status = result.status
            wrong = result.why([0, -signal.SIGKILL]) or (None if listing(dump) == whole else "another listing")
            wrong = wrong or pack(dump).why([0]) or (None if listing(dump) == whole else "another listing once it was packed")
            wrong = wrong or next((f"{f.name} is left" for f in dump.iterdir() if f.suffix in (".seg", ".dseg", ".new")), None)
            if wrong:
                report.check(f"{name} killed at call {n_killed + 1}", wrong)
            n_killed += status != 0
        report.check(f"{name} killed at each call", None if status == 0 and n_killed > 20 else f"{n_killed} times, then {status}")


def full(report, place):
    """Files may not grow beyond a limit, as on a full disk."""
    for name in ("whole", "killed"):
        dump = unpack(name, place)
        whole, files = listing(dump), contents(dump)
        n_failed = 0
        for limit in [0, 1, 64, 4095, *range(5000, 200000, 6011)]:
            process = subprocess.run([str(BUILDER), "--pack", str(dump)], capture_output=True, text=True, env=CLEAN,
                                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            if process.returncode == 0:
                break
            n_failed += 1
            wrong = None if process.returncode == 1 and "File too large" in process.stderr else f"status {process.returncode}: {process.stderr}"
            wrong = wrong or (None if listing(dump) == whole else "another listing") or next((f"{f.name} is left" for f in dump.iterdir() if f.suffix == ".new"), None)
            if wrong:
                report.check(f"{name} at {limit} bytes", wrong)
        report.check(f"{name} on a full disk", (None if n_failed > 3 and process.returncode == 0 else f"{n_failed} failed") or (None if listing(dump) == whole else "another listing"))
        assert files


def refused(report, place):
    """What may not be packed, and what cannot be."""
    dump = unpack("whole", place)
    files = contents(dump)
    for option in ("--list", "--otf2", "--strict", "--force", "-o/nowhere"):
        report.check(f"not with {option}", pack(dump, option).why([2]))
    with open("/proc/self/stat") as stat:
        start = stat.read().rpartition(")")[2].split()[19]
    boot_id = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    meta = dump / "meta"
    text = meta.read_text()
    mine = {"pid": os.getpid(), "pid_start": start, "host": os.uname().nodename, "boot_id": boot_id}
    meta.write_text(re.sub(r"^(pid|pid_start|host|boot_id) .*", lambda m: f"{m[1]} {mine[m[1]]}", text, flags=re.MULTILINE))
    result = pack(dump)
    report.check("not while the process runs", result.why([1]) or (None if "its process still runs" in result.err else result.err))
    meta.write_text(text)
    lock = os.open(dump, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    result = pack(dump)
    report.check("not at the same time", result.why([1]) or (None if "another otter-build packs it" in result.err else result.err))
    os.close(lock)
    report.check("nothing was changed", None if contents(dump) == files else "something was")
    result = pack(place / "nothing.otter")
    report.check("what is not there", result.why([1]))
    damaged = next(f for f in sorted(dump.iterdir()) if f.suffix == ".seg" and f.stat().st_size > 10000)
    file = File(damaged)
    file.flip(60, 3)
    file.store()
    bytes_before = damaged.read_bytes()
    whole = listing(dump)
    result = pack(dump)
    report.check("a damaged file stays", result.why([3]) or (None if f"{damaged}: it is damaged, and stays as it is" in result.err else result.err)
                 or (None if damaged.read_bytes() == bytes_before else "it does not") or (None if listing(dump) == whole else "another listing"))


TRIALS = {"killed": killed, "full": full, "refused": refused, **{name: name for name in (*GOLDEN, *DAMAGE)}}


def main():
    need(BUILDER)
    wanted = sys.argv[1:]
    with alone(PLACE):
        def work(name):
            report, place = Report(), empty(PLACE / f"{'of-' if TRIALS[name] != name else ''}{name}")
            if TRIALS[name] == name:
                same(report, name, place)
            else:
                TRIALS[name](report, place)
            return report
        return 0 if run_all([name for name in TRIALS if not wanted or name in wanted], work) else 1


if __name__ == "__main__":
    sys.exit(main())
