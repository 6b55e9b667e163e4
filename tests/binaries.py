#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What otter-record keeps of the binaries: names and lines stay when a program is removed, built anew, stripped, large or killed.

    tests/binaries.py

Each program is recorded for real, and its dump is built before and after the binary has gone; lines have to be the same.
"""
import json
import os
import shutil
import subprocess
import pathlib
import sys

from common import *

PLACE = WORK / "binaries"
SOURCE = """
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <unistd.h>
int main(int argc, char **argv)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 20; i++) {
#pragma omp task
		usleep(100);
	}
	if (argc > 1)
		raise(SIGKILL);
	return 3;
}
"""
CLANG = os.environ.get("CLANG", "clang-19")
RECORD, BUILD_TOOL = str(BUILD / "bin/otter-record"), str(BUILD / "bin/otter-build")
failed = 0


def expect(what, is_good, said=""):
    global failed
    print(f"{'ok' if is_good else 'not ok'} {what}" + (f": {said}" if not is_good else ""))
    failed += not is_good


def sh(*command, **more):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)


def compile_to(place, name="app", source=SOURCE, *options):
    (place / f"{name}.c").write_text(source)
    done = sh(CLANG, "-g", "-O1", "-fopenmp", "-Wl,--build-id", "-o", place / name, place / f"{name}.c", *options)
    assert done.returncode == 0, done.stderr
    return place / name


def new(name):
    place = PLACE / name
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    return place


def record(place, *command, status=3, options=(), dir=None):
    dir = dir or place
    done = sh(RECORD, "--dir", dir, *options, "--", *command)
    expect(f"{place.name}: exit status", done.returncode == status, f"{done.returncode} {done.stderr}")
    return sorted(dir.glob("*.otter"))[0]


def lines(dump):
    """Labels of constructs, where the app's names come from, and what was said."""
    out = PLACE / "out"
    shutil.rmtree(out, ignore_errors=True)
    done = sh(BUILD_TOOL, "-o", out, dump)
    assert done.returncode in (0, 3), done.stderr
    summary = json.loads((out / "summary.json").read_text())
    sources = {pathlib.Path(b["path"]).name: b["from"] for b in summary.get("binaries", [])}
    labels = [row.split(",") for row in (out / "constructs.csv").read_text().splitlines()]
    return (out / "constructs.csv").read_text(), sources.get("app"), done.stderr, labels


def check(name, change, options=(), arguments=(), status=3, prepare=None):
    place = new(name)
    app = compile_to(place)
    if prepare:
        prepare(place, app)
    dump = record(place, app, *arguments, status=status, options=options)
    before = lines(dump)
    change(place, app, dump)
    return place, dump, before, lines(dump)


def same(name, *arguments, **more):
    place, dump, before, after = check(name, *arguments, **more)
    expect(f"{name}: lines before", "app.c" in before[0], before[2])
    expect(f"{name}: the same lines after", before[0] == after[0], after[2])
    expect(f"{name}: from the dump", after[1] == "dump", f"{after[1]} {after[2]}")
    return place, dump


def remove(place, app, dump):
    app.unlink()


def rebuild(place, app, dump):
    compile_to(place, "app", "\n\n\n" + SOURCE.replace("20", "21"))


def separate(place, app):
    sh("objcopy", "--only-keep-debug", app, place / "app.dbg")
    sh("objcopy", "--strip-debug", app)
    sh("objcopy", f"--add-gnu-debuglink={place}/app.dbg", app)


def remove_both(place, app, dump):
    app.unlink()
    (place / "app.dbg").unlink()


def enlarge(place, app):
    blob = place / "blob.c"
    blob.write_text("char blob[80 << 20] = {1}; const char other[3 << 20] = {2};")
    (place / "app.c").write_text(SOURCE)
    done = sh(CLANG, "-g", "-O1", "-fopenmp", "-Wl,--build-id", "-o", app, place / "app.c", blob)
    assert done.returncode == 0, done.stderr


def split(place, app):
    done = sh(CLANG, "-g", "-O1", "-fopenmp", "-gsplit-dwarf", "-c", "-o", place / "app.o", place / "app.c", cwd=place)
    done = sh(CLANG, "-fopenmp", "-Wl,--build-id", "-o", app, place / "app.o")
    assert done.returncode == 0 and (place / "app.dwo").exists(), done.stderr


def main():
    same("split", remove, prepare=split)
    same("removed", remove)
    same("rebuilt", rebuild)
    same("killed", remove, arguments=("x",), status=-9)
    place, dump = same("moved", lambda place, app, dump: (app.unlink(), sh(BUILD_TOOL, "--pack", dump)))
    shutil.move(dump, place / "else.otter")
    expect("moved: from the dump", lines(place / "else.otter")[1] == "dump")
    same("separate", remove_both, prepare=separate)
    place, dump = same("large", remove, prepare=enlarge)
    kept = [f for f in (dump / "binaries").iterdir() if f.stat().st_size > 64 << 20]
    expect("large: only its parts are kept", len(kept) == 1 and kept[0].stat().st_blocks * 512 < 8 << 20)

    place, dump, before, after = check("no", remove, options=("--no-binaries",))
    expect("no-binaries: nothing kept", not (dump / "binaries").exists() and "app.c" not in after[0], after[0])

    def truncate(place, app, dump):
        app.unlink()
        for file in (dump / "binaries").iterdir():
            os.truncate(file, file.stat().st_size // 2) if file.name != "list" else None
    place, dump, before, after = check("truncated", truncate)
    expect("truncated: a note, and no lines", "copy of it is damaged" in after[2] and "app.c" not in after[0], after[2])

    # A copy of another build id is never used.
    place, dump, before, after = check("exchanged", remove)
    other = compile_to(place, "other", "\n\n\n" + SOURCE)
    for line in (dump / "binaries/list").read_text().splitlines():
        word = line.split()
        if word[0] == "kept" and word[-1].endswith("/app"):
            shutil.copy(other, dump / "binaries" / word[1])
            os.truncate(dump / "binaries" / word[1], int(word[2]))
    after = lines(dump)
    expect("exchanged: not used", after[1] == "nothing" and "app.c" not in after[0], after[2])

    place, dump, before, after = check("limit", remove, options=("--limit=16K",))
    expect("limit: not kept, and said", "no room for it" in after[2] and "app.c" not in after[0], after[2])

    # A limit of the size of files is no end of the launcher: the status is the program's.
    small = new("file-size")
    app = compile_to(small)
    done = sh("bash", "-c", f"ulimit -f 64; {RECORD} --dir={small} {app}; echo $?; cat {small}/*/binaries/list; find {small} -name '*.new'")
    expect("file-size: status stays", done.stdout.split("\n")[0] == "3", done.stdout + done.stderr)
    expect("file-size: named, and nothing left behind", " cannot-be-written " in done.stdout and ".new" not in done.stdout, done.stdout + done.stderr)

    small = new("full")
    app = compile_to(small)
    if sh("unshare", "-m", "true").returncode == 0:
        (small / "fs").mkdir()
        done = sh("unshare", "-m", "sh", "-c", f"mount -t tmpfs -o size=17M none {small}/fs && {RECORD} --limit=12M --ring=64K --dir={small}/fs {app}; echo $?; "
                  f"cat {small}/fs/*/binaries/list; find {small}/fs -name '*.new'; df --output=avail -k {small}/fs | tail -1")
        said = done.stdout.split("\n")
        expect("full: status stays", said[0] == "3", done.stdout + done.stderr)
        expect("full: named, and nothing left behind", " no-room " in done.stdout and ".new" not in done.stdout, done.stdout + done.stderr)
    else:
        print("skip full: no mounts here")

    # Several dumps of one launch: one file.
    place = new("several")
    app = compile_to(place)
    sh(RECORD, "--dir", place, "--", "sh", "-c", f"{app}; {app}")
    dumps = sorted(place.glob("*.otter"))
    links = {f.stat().st_ino for d in dumps for f in (d / "binaries").iterdir() if f.name != "list"}
    number = sum(1 for d in dumps for f in (d / "binaries").iterdir() if f.name != "list")
    expect("several: links", len(dumps) == 2 and number == 2 * len(links), f"{dumps} {number} {links}")
    sys.exit(failed != 0)


main()
