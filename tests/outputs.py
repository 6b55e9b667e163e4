#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the outputs of otter-build hold and leave, whoever made the dump: source text only of files that the user may be
thought to show, cells that no spreadsheet executes, modes by the umask, names beside the dump, and nothing of a builder that
was killed.

    tests/outputs.py [NAME...]
"""
import csv
import fcntl
import signal
import stat
import sys

from common import *

NAME = "outputs"
PLACE = WORK / "outputs"

# The line directive names the file, as the line table of any dump may.
PROGRAM = """#include <omp.h>
int main(void)
{
#line 1 "%s"
#pragma omp parallel num_threads(2)
	{
#pragma omp single
		for (int i = 0; i < 3; i++) {
#pragma omp task
			for (volatile int k = 0; k < 1000; k++)
				;
		}
	}
	return 0;
}
"""


def record(place, name, file):
    """The dump of a program whose constructs are in this file, by its debug information."""
    source = place / f"{name}.c"
    source.write_text(PROGRAM % file)
    done = run([COMPILERS["clang"], "-g", "-O1", "-fopenmp", source, "-o", place / f"{name}.exe"])
    if done.status == 0:
        done = run([LAUNCHER, "-q", f"--dir={empty(place / f'{name}-dumps')}", "--", place / f"{name}.exe"], {"OMP_NUM_THREADS": "2"})
    if done.status != 0:
        raise RuntimeError(f"{name}: {done.err}")
    return dumps_in(place / f"{name}-dumps")[0]


def golden(place, name="depend"):
    shutil.unpack_archive(ROOT / f"tests/golden/{name}.tar.xz", place)
    return place / f"{name}.otter"


# ---- Source text ----

LINES = "".join(f"secret line {n}\n" for n in range(1, 20))


def report_of(dump, place, *options, cwd):
    """(the text of the page, what was said)"""
    done = run([BUILDER, "--force", "-o", place / "out", "--report", *options, dump], cwd=cwd)
    if done.status != 0:
        raise RuntimeError(done.err)
    return (place / "out/report.html").read_text(encoding="utf-8"), done.err


def sources(report, place):
    inside, outside, work = place / "inside", place / "outside", place / "inside/work"
    for folder in (work, outside):
        folder.mkdir(parents=True)
    files = {"own": inside / "own.c", "fortran": work / "own.f90", "outside": outside / "own.c", "text": inside / "private.txt",
             "none": inside / "Makefile", "link": inside / "link.c", "named": inside / "named.c", "pipe": inside / "pipe.c", "up": work / "../../outside/own.c"}
    for name in ("own", "fortran", "outside", "text", "none"):
        files[name].write_text(LINES)
    files["link"].symlink_to(files["outside"])  # a source's name, for a file elsewhere
    files["named"].symlink_to(files["text"])    # and for one that is no source
    os.mkfifo(files["pipe"])
    dumps = {name: record(place, name, file) for name, file in files.items()}
    # name, options, working directory, is the text shown, is --source named
    for what, name, options, cwd, is_shown, is_named in (
            ("below the working directory", "own", (), inside, True, False),
            ("in a directory below it", "fortran", (), inside, True, False),
            ("beside it", "own", (), work, False, True),
            ("elsewhere", "outside", (), inside, False, True),
            ("elsewhere, by ..", "up", (), inside, False, True),
            ("elsewhere, below --source", "outside", (f"--source={outside}",), inside, True, False),
            ("elsewhere, below another --source", "outside", (f"--source={work}",), inside, False, True),
            ("no source", "text", (), inside, False, False),
            ("no source, below --source", "text", (f"--source={inside}",), work, False, False),
            ("a name without a suffix", "none", (), inside, False, False),
            ("a link to a file elsewhere", "link", (), inside, False, True),
            ("a link to what is no source", "named", (), inside, False, False),
            ("a pipe", "pipe", (), inside, False, False),
            ("with --no-source", "own", ("--no-source",), inside, False, False),
            ("elsewhere, with --no-source", "outside", ("--no-source",), inside, False, False),
            ("elsewhere, with -q", "outside", ("-q",), inside, False, False)):
        text, said = report_of(dumps[name], place, *options, cwd=cwd)
        n_named = said.count("--source=")
        file = files[name].name if name != "link" else "own.c"
        report.check(f"{NAME}/source/{what}", None if ("secret line" in text) == is_shown else "its text is shown" if not is_shown else "its text is not shown")
        report.check(f"{NAME}/source/{what}/said", None if n_named == is_named and (not is_named or file in said and said.count("\n") == 1) else said or "nothing")
        report.check(f"{NAME}/source/{what}/place", None if files[name].name in text else "the construct's file is not named")
    # The recorded path need not be there: below --source, as much of its end as is.
    moved = place / "moved"
    (moved / "inside").mkdir(parents=True)
    (inside / "own.c").rename(moved / "inside/own.c")
    text, said = report_of(dumps["own"], place, f"--source={moved}", cwd=work)
    report.check(f"{NAME}/source/moved, below --source", None if "secret line" in text and not said else said or "its text is not shown")
    done = run([BUILDER, "--force", "-o", place / "out", "--report", f"--source={place / 'nowhere'}", dumps["own"]])
    report.check(f"{NAME}/source/no directory", done.why([2]) or (None if "--source is a directory" in done.err else done.err))


# ---- Cells ----

# Text of a cell, and how it stands in CSV.
CELLS = {"=1+1": "'=1+1", "+1": "'+1", "-1+1": "'-1+1", "@SUM(A1)": "'@SUM(A1)", "'=1": "''=1", "''@x": "'''@x", "plain": "plain", "'plain": "'plain", "a=1": "a=1",
         '=cmd|"/c x",1': '\'=cmd|"/c x",1'}


def cells(report, place):
    """The host's name is the dump's: whatever is in it stays text, and comes back."""
    for i, (text, cell) in enumerate(CELLS.items()):
        dump = empty(place / f"{i}") / "depend.otter"
        golden(dump.parent)
        meta = (dump / "meta").read_text()
        (dump / "meta").write_text(re.sub(r"^host .*$", lambda _: f"host {text}", meta, flags=re.MULTILINE))
        out = place / f"out-{i}"
        done = run([BUILDER, "-q", "-o", out, "--csv", "--sqlite", dump])
        with open(out / "processes.csv", newline="") as f:
            found = next(csv.DictReader(f))["host"]
        report.check(f"{NAME}/cell/{text}", done.why([0, 3]) or (None if found == cell else f"{found}, not {cell}"))
        found = run(["python3", "-c", "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('select host from processes').fetchone()[0])", out / "otter.sqlite"]).out
        report.check(f"{NAME}/cell/{text}/sqlite", None if found == text + "\n" else f"{found}")
    # What --diff reads of its own tables.
    dumps, sides = empty(place / "diff"), []
    dump = golden(dumps)
    for side in "ab":
        for n in range(2):
            out = dumps / f"{side}{n}"
            run([BUILDER, "-q", "-o", out, "--csv", "--answer", dump])
            table = out / "constructs.csv"
            with open(table, newline="") as f:
                rows = list(csv.DictReader(f))
            for row in rows:
                row["function"], row["label"] = "'=1+1", "'" + "'-x" if row["label"] else ""
            with open(table, "w", newline="") as f:
                writer = csv.DictWriter(f, rows[0].keys(), lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
            sides.append(out)
        sides.append(":")
    done = run([BUILDER, "-q", "--diff", "-o", dumps / "out", *sides[:-1]])
    text = (dumps / "out/diff.json").read_text() if (dumps / "out/diff.json").exists() else ""
    report.check(f"{NAME}/cell/diff", done.why([0, 1, 3]) or (None if '"=1+1"' in text and '"\'-x"' in text and "''" not in text else "the apostrophes are still there"))


# ---- Modes and names ----

def modes(report, place):
    dump = golden(empty(place / "dumps"))
    for umask, directory, file in (("022", 0o755, 0o644), ("077", 0o700, 0o600), ("002", 0o775, 0o664)):
        for what, argument in (("a dump", dump), ("a directory", dump.parent)):
            for mode in (0o700, 0o755):
                dump.chmod(mode)
                out = place / "out"
                shutil.rmtree(out, ignore_errors=True)
                done = run(["sh", "-c", f'umask {umask}; exec "$@"', "sh", BUILDER, "-q", "-o", out, argument])
                wrong = [f"{p.name} {stat.S_IMODE(p.stat().st_mode):o}" for p in (out, *out.rglob("*"))
                         if stat.S_IMODE(p.stat().st_mode) != (directory if p.is_dir() else file)]
                report.check(f"{NAME}/modes/umask {umask}, {what} of {mode:o}", done.why([0, 3]) or ", ".join(wrong) or None)


def named(report, place):
    """Where no -o is given."""
    top = place / "top"
    folder = top / "dumps"
    golden(folder)
    for what, cwd, argument, out in ((".", folder, ".", "dumps.build"), ("./", folder, "./", "dumps.build"), ("..", folder / "depend.otter", "..", "dumps.build"),
                                     ("dumps/.", top, "dumps/.", "dumps.build"), ("dumps/depend.otter/..", top, "dumps/depend.otter/..", "dumps.build"),
                                     (". in a dump", folder / "depend.otter", ".", "dumps/depend.build"), ("a directory", top, "dumps/", "dumps.build"),
                                     ("a dump", top, "dumps/depend.otter/", "dumps/depend.build")):
        done = run([BUILDER, "-q", "--summary", argument], cwd=cwd)
        made = sorted(str(p.relative_to(top)) for p in top.rglob("*.build"))
        report.check(f"{NAME}/named/{what}", done.why([0, 3]) or (None if made == [out] else f"{made}, not {out}"))
        for name in made:
            shutil.rmtree(top / name)


# ---- What a killed builder leaves ----

def kill_one(out, dump):
    """A builder that is killed while its directory is there, which is returned."""
    while True:
        with subprocess.Popen([BUILDER, "-q", "--force", "-o", out, *[dump] * 300], env=CLEAN, stderr=subprocess.DEVNULL) as process:
            left = out.with_name(f"{out.name}.tmp-{process.pid}")
            while process.poll() is None and not left.exists():
                pass
            process.send_signal(signal.SIGKILL)
            process.wait()
        if left.exists():
            return left
        shutil.rmtree(out, ignore_errors=True)


def leftovers(report, place):
    dump, out = golden(place), place / "out"
    lefts = [kill_one(out, dump) for _ in range(2)]
    gone = 1 << 22  # above the highest number of a process
    old = place / f"out.old-{gone}"
    old.mkdir()
    (old / "nodes.csv").write_text("old")
    (old / "the paths of creation.nameless-wgF5cI").write_text("killed between making and removing it")
    kept = {"another output's": place / f"other.tmp-{gone}", "one with a file of the user's": place / f"out.tmp-{gone + 1}", "one of a process that runs": place / f"out.tmp-{os.getpid()}",
            "a name like it": place / "out.tmp-x", "a file": place / f"out.tmp-{gone + 2}"}
    for what, path in kept.items():
        if what == "a file":
            path.write_text("mine")
        else:
            path.mkdir()
            (path / ("mine.txt" if what.endswith("user's") else "nodes.csv")).write_text("x")
    locked = place / f"out.tmp-{gone + 3}"
    locked.mkdir()
    holder = os.open(locked, os.O_RDONLY)
    fcntl.flock(holder, fcntl.LOCK_EX)  # a builder elsewhere, whose number means nothing here
    kept["one that is locked"] = locked
    done = run([BUILDER, "-q", "--summary", "-o", out, dump])
    report.check(f"{NAME}/killed/built", done.why([0, 3]))
    report.check(f"{NAME}/killed/removed", ", ".join(p.name for p in (*lefts, old) if p.exists()) or None)
    for what, path in kept.items():
        report.check(f"{NAME}/killed/left alone: {what}", None if path.exists() else "it is gone")
    os.close(holder)
    done = run([BUILDER, "-q", "--force", "--summary", "-o", out, dump])
    report.check(f"{NAME}/killed/unlocked", done.why([0, 3]) or (None if not locked.exists() else "it is still there"))
    # An old output that is the only one there is stays, until a new one is in its place.
    shutil.rmtree(out)
    old.mkdir()
    (old / "nodes.csv").write_text("old")
    done = run([BUILDER, "-q", "--summary", "-o", out, place / "none.otter"])
    report.check(f"{NAME}/killed/the only output stays", done.why([1]) or (None if old.exists() else "it is gone"))
    # And the directory in $TMPDIR of a comparison of dumps.
    scratch = empty(place / "tmp")
    for name in (f"otter-build-{gone}-AAAAAA", f"otter-build-{os.getpid()}-BBBBBB"):
        (scratch / name).mkdir()
        (scratch / name / "anything").write_text("x")
    done = run([BUILDER, "-q", "--diff", dump, dump], {"TMPDIR": str(scratch)})
    report.check(f"{NAME}/killed/in TMPDIR", done.why([0, 1, 3]) or (None if [p.name for p in scratch.iterdir()] == [f"otter-build-{os.getpid()}-BBBBBB"] else
                                                                   f"{[p.name for p in scratch.iterdir()]}"))


TRIALS = {"source": sources, "cell": cells, "modes": modes, "named": named, "killed": leftovers}


def trial(name):
    report = Report()
    try:
        TRIALS[name](report, empty(PLACE / name))
    except RuntimeError as e:
        report.check(f"{NAME}/{name}", str(e))
    if not report.failed:
        shutil.rmtree(PLACE / name)
    return report


def main():
    need(BUILDER, LAUNCHER)
    return 0 if run_all(sys.argv[1:] or list(TRIALS), trial) else 1


if __name__ == "__main__":
    sys.exit(main())
