#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Mistakes that users of otter-build and of make typically make: each ends with its status and with words that are true and
say what to do, and leaves nothing behind. The launcher's are elsewhere.

    tests/mistakes.py
"""
import sys

from common import *

NAME = "mistakes"
PLACE = WORK / "mistakes"


def prepare(place):
    for name in ("depend", "cancel"):
        shutil.unpack_archive(ROOT / f"tests/golden/{name}.tar.xz", place)
    newer = place / "newer.otter"
    shutil.copytree(place / "depend.otter", newer)
    (newer / "meta").write_text(re.sub(r"^otter-dump \d+ \d+", "otter-dump 99 0", (newer / "meta").read_text()))
    (place / "empty").mkdir()
    shutil.copy(BUILDER, place / "program")
    for out, options in (("out", ("--csv", "--answer")), ("tables-less", ("--answer",)), ("own", ("--summary",))):
        done = run([BUILDER, "-q", "-o", out, *options, "depend.otter"], cwd=place)
        if done.status not in (0, 3):
            raise RuntimeError(done.err)
    (place / "own/notes.txt").write_text("mine")


# What was given, the status, and the words.
MISTAKES = {
    "no dump": ((), 2, "which dump? (a directory that ends in .otter)"),
    "the program in place of its dump": (("program",), 1, "program: is a file: a dump is a directory that ends in .otter"),
    "a file of a dump": (("depend.otter/meta",), 1, "depend.otter/meta: is a file of a dump: give the directory, depend.otter"),
    "a misspelled dump": (("depnd.otter",), 1, "depnd.otter/meta: No such file or directory: a dump is a directory with a file `meta`"),
    "a misspelled directory": (("dumps",), 1, "dumps: No such file or directory"),
    "an empty directory": (("empty",), 1, "empty: not a dump (it has no file 'meta'), and no directory of dumps either (none ends in .otter)"),
    "an output in place of a dump": (("out",), 1, "out: is an output of otter-build, and no dump: these end in .otter"),
    "an output that exists": (("-o", "out", "depend.otter"), 1, "out: exists already (--force replaces it, -o names another place)"),
    "a directory with own files": (("--force", "-o", "own", "depend.otter"), 1, "own: holds 'notes.txt', which otter-build did not write; --force replaces only its own output"),
    "an output below nothing": (("-o", "none/out", "depend.otter"), 1, "cannot be made: No such file or directory"),
    "a dump of a newer version": (("newer.otter",), 1, "format 99.0"),
    "dumps of two runs": (("depend.otter", "cancel.otter"), 1, "--run"),
    "a misspelled option": (("--sumary", "depend.otter"), 2, "unrecognized option '--sumary'"),
    "an option without its value": (("depend.otter", "-o"), 2, "option requires an argument -- 'o'"),
    "a value for an option without one": (("--csv=nodes", "depend.otter"), 2, "option '--csv' doesn't allow an argument"),
    "a wrong level": (("--graph=tasks", "depend.otter"), 2, "--graph is scope, task or fragment, not 'tasks'"),
    "memory without a number": (("--memory=lots", "depend.otter"), 2, "--memory is a number of bytes, such as 512M or 4G, not 'lots'"),
    "memory with a wrong unit": (("--memory=4T", "depend.otter"), 2, "--memory is a number of bytes, such as 512M or 4G, not '4T'"),
    "memory with the unit alone": (("--memory=xG", "depend.otter"), 2, "--memory is a number of bytes, such as 512M or 4G, not 'xG'"),
    "too many bytes": (("--memory=99999999999G", "depend.otter"), 2, "--memory is a number of bytes, such as 512M or 4G, not '99999999999G'"),
    "a run that is not there": (("--run=nope", "depend.otter"), 1, "no dump is of the run nope. These runs are there:"),
    "a process that is not there": (("--process=9", "depend.otter"), 1, "the run has no process 9"),
    "times the wrong way round": (("--from=2s", "--to=1s", "depend.otter"), 2, "--from must be before --to"),
    "two commands": (("--diff", "--pack", "depend.otter"), 2, "--diff and --pack exclude each other"),
    "a comparison with nothing": (("--diff", "out"), 2, "--diff needs two sides at least"),
    "a comparison of an output without tables": (("--diff", "tables-less", "out"), 2, "has no constructs.csv: it was built without --csv"),
    "packing what is no dump": (("--pack", "out"), 1, "out: is an output of otter-build, and no dump"),
}

# The same of make, which reads its Makefile and changes nothing.
OF_MAKE = {
    "a misspelled target": (("-n", "chek"), "No rule to make target 'chek'"),
    "a wrong sanitizer": (("-n", "SAN=memory"), "SAN is address, thread or fuzz"),
    "a wrong REPORT": (("-n", "REPORT=off"), "REPORT is yes or no, not 'off'"),
    "missing packages": (("need", "PKG_CONFIG=false"), "Packages that Otter is built from are missing"),
}


def listing(place):
    return sorted((str(p.relative_to(place)), p.stat().st_mtime_ns) for p in place.rglob("*"))


def main():
    need(BUILDER)
    report, place = Report(), empty(PLACE)
    prepare(place)
    before = listing(place)
    for what, (arguments, status, words) in MISTAKES.items():
        done = run([BUILDER, *arguments], cwd=place)
        said = f"status {done.status}, said {done.err!r}"
        report.check(f"{NAME}/{what}", None if done.status == status and words in done.err else said)
        report.check(f"{NAME}/{what}/nothing else", "it printed " + done.out if done.out else None if listing(place) == before else "it left something")
    for what, (arguments, words) in OF_MAKE.items():
        done = run(["make", "--no-print-directory", *arguments], {"MAKEFLAGS": ""}, cwd=ROOT)
        report.check(f"{NAME}/make: {what}", None if done.status == 2 and words in done.out + done.err else f"status {done.status}, said {(done.out + done.err)[-300:]!r}")
    done = run([ROOT / "tests/check.sh", BUILD, "unit/rnig"])
    report.check(f"{NAME}/make check: a misspelled test", None if done.status == 1 and "no such test: unit/rnig (docs/hacking.md lists them)" in done.out else f"status {done.status}, said {done.out!r}")
    if not report.failed:
        shutil.rmtree(place)
    report.print()
    return report.failed > 0


if __name__ == "__main__":
    sys.exit(main())
