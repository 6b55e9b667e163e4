#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Builds small dumps that are kept in tests/golden and compares every output, byte by byte, with the one that is kept
beside it.

    tests/golden.py [NAME...]             all dumps, or these
    tests/golden.py --write [NAME...]     replaces the kept outputs by what the builder writes now; `git diff` then shows what has changed
    tests/golden.py --record [NAME...]    records the dumps anew, with BUILD's recorder; --write has to follow

The test shows that a change of the builder changes no output but those that it means to change. It does not show that
an output is right: that is for run.py, whose expectations come from the programs' text. tests/golden/NAME.tar.xz holds
the dump NAME.otter, or tools/golden_dumps.c writes it; tests/golden/NAME holds its outputs. A recorded dump names
nothing of the machine that it comes from, and since the program is not there when the dump is built, places in the
program are addresses.
"""
import difflib
import sys
import tarfile

from common import *
import expect
import run as programs

KEPT = ROOT / "tests/golden"
WRITER = BUILD / "tests/tools/golden_dumps"
SMALL = {"OTTER_RING": "32K", "OTTER_EVENTS": "all"}
ALL = ("--otf2", "--csv", "--dot", "--folded", "--speedscope", "--summary")
LEVELS = {"task": (), "scope": ("--graph=scope", "--csv"), "fragment": ("--graph=fragment", "--csv", "--states")}

# ---- What is recorded, and how ----


def openmp(name, compiler, **env):
    """A program of tests/omp in its usual environment."""
    def record(work):
        source = next((ROOT / "tests/omp").glob(f"{name}.[cf]*"))
        want = expect.Expectation(source.with_suffix(".expect"), compiler)
        result = compile_program(source, work / name, compiler, want.flags())
        if result.status == 0:
            run([work / name, *want.args], {**programs.environment(want, compiler), "OMP_TOOL_LIBRARIES": str(RECORDER), "OTTER_DIR": str(work), **SMALL, **env})
    return record


def argobots(name, *arguments):
    """A program of tests/argobots on the stand-in for the library."""
    def record(work):
        import units
        units.compile_all()
        for dump in units.record("golden", name, arguments, **SMALL)[1]:
            dump.rename(work / dump.name)
    return record


def device(scenario):
    """A process with devices that trace themselves, as tests/device plays it."""
    return lambda work: run([BUILD / "tests/device/driver", RECORDER, scenario, work / "witness"], {"OTTER_DIR": str(work), **SMALL})


def written(work):
    """A dump of tools/golden_dumps.c."""


DUMPS = {
    "taskwait": openmp("taskwait", "clang"),
    "depend": openmp("depend_sets", "clang"),
    "taskloop": openmp("taskloop_clauses", "gcc"),
    "nested": openmp("nested", "clang"),
    "sections": openmp("sections", "gcc"),
    "untied": openmp("untied_serial", "clang"),
    "cancel": openmp("cancel_taskgroup", "clang"),
    "locks": openmp("lock_order", "clang"),
    "target": openmp("offload_failures", "clang"),
    "killed": openmp("abort", "clang"),
    "units": argobots("stack"),
    "devices": device("few"),
    "contradictory": written,
    "damaged": written,
}


def neutral(dump, name):
    """Takes out of `meta` what names the machine: paths, host, environment. The number of lines stays."""
    meta = dump / "meta"
    replaced = ((r"^(program|cwd) .*", rf"\1 /golden/{name}"), (r"^arg .*", f"arg {name}"), (r"^host .*", "host golden"), (r"^env (\w+)=.*", r"env \1="),
                (r"^boot_id .*", "boot_id 00000000-0000-0000-0000-000000000000"), (r"^setting dir .*", "setting dir /golden"),
                (r"^(map .* )/\S*/(\S+)$", r"\1/golden/\2"))
    text = meta.read_text()
    for pattern, with_what in replaced:
        text = re.sub(pattern, with_what, text, flags=re.MULTILINE)
    meta.write_text(text)


def pack(dump, path, name):
    with tarfile.open(path, "w:xz") as archive:
        for file in sorted(dump.iterdir()):
            entry = tarfile.TarInfo(f"{name}.otter/{file.name}")
            entry.size = file.stat().st_size
            with open(file, "rb") as content:
                archive.addfile(entry, content)


def record(name):
    with alone(WORK / "golden" / f"record-{name}") as work:
        DUMPS[name](work)
        dumps = dumps_in(work)
        if len(dumps) != 1:
            sys.exit(f"not ok golden/{name}: {len(dumps)} dumps, not one")
        neutral(dumps[0], name)
        pack(dumps[0], KEPT / f"{name}.tar.xz", name)


# ---- What is compared ----


def outputs(name, work):
    """Every output of a dump as text, by the name of the file that it is kept in. Of the summary only what is not 0."""
    if DUMPS[name] is written:
        run([WRITER, name, work / f"{name}.otter"])
    else:
        shutil.unpack_archive(KEPT / f"{name}.tar.xz", work)
    dump, texts = f"{name}.otter", {}

    def keep(file, result):
        texts[file] = result.out + "".join(f"{line}\n" for line in result.err.splitlines()) + f"exit status {result.status}\n"

    keep("list.txt", run([BUILDER, "--list", dump], cwd=work))
    keep("canonical.txt", run([BUILDER, "--canonical", dump], cwd=work))
    for level, options in LEVELS.items():
        keep(f"{level}.txt", run([BUILDER, "-o", level, *(options or ALL), dump], cwd=work))
        for file in sorted((work / level).glob("*.*")):
            if file.suffix in (".csv", ".dot", ".folded"):
                texts[f"{level}-{file.name}"] = file.read_text()
            elif file.suffix == ".json":
                texts[f"{level}-{file.name}"] = re.sub(r"^ *\S+: 0,?\n", "", file.read_text(), flags=re.MULTILINE)
    for anchor in (work / "task").glob("*.otf2"):
        texts["archive.txt"] = archive_text(anchor)
    return texts


def archive_text(anchor):
    """The archive's definitions and events, without padding. Left out: strings, as their names are shown where they
    are used, and the trace's id."""
    env = {"TZ": "UTC", "LC_ALL": "C"}
    lines = (run(["otf2-print", "-G", anchor], env).out + run(["otf2-print", anchor], env).out).splitlines()
    return "".join(re.sub(r" {2,}", " ", line) + "\n" for line in lines if line and not line.startswith(("===", "---", "STRING ")))


def difference(kept, now):
    """The first lines that differ, for a report."""
    lines = [line for line in list(difflib.unified_diff(kept.splitlines(), now.splitlines(), n=0, lineterm=""))[2:]
             if not line.startswith("@@")]
    return f"{len(lines)} lines differ: " + " | ".join(lines[:4])


def compare(name):
    report, place = Report(), KEPT / name
    with alone(WORK / "golden" / name) as work:
        now = outputs(name, work)
    kept = {file.name: file.read_text() for file in sorted(place.iterdir())}
    for file in sorted({*kept, *now}):
        if file not in now:
            reason = "the builder does not write it any more"
        elif file not in kept:
            reason = "the builder has not written it before"
        else:
            reason = difference(kept[file], now[file]) if kept[file] != now[file] else None
        report.check(f"golden/{name}/{file}", reason)
    return report


def write(name):
    place = empty(KEPT / name)
    with alone(WORK / "golden" / name) as work:
        for file, text in outputs(name, work).items():
            (place / file).write_text(text)
    return Report()


def main():
    work, names = compare, sys.argv[1:]
    if names[:1] == ["--write"]:
        work, names = write, names[1:]
    if names[:1] == ["--record"]:
        for name in names[1:] or [n for n in DUMPS if DUMPS[n] is not written]:
            record(name)
        return 0
    need(BUILDER, WRITER)
    return 0 if run_all(names or list(DUMPS), work) else 1


if __name__ == "__main__":
    sys.exit(main())
