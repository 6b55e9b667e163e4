#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Builds small dumps that are kept in tests/golden and compares every output, byte by byte, with the one that is kept
beside it.

    tests/golden.py [NAME...]             all dumps, or these
    tests/golden.py --write [NAME...]     replaces the kept outputs by what the builder writes now; `git diff` then shows what has changed
    tests/golden.py --record [NAME...]    records the dumps anew, with BUILD's recorder; --write has to follow

The test shows that a change of the builder changes no output but those that it means to change. It does not show that
an output is right: that is for run.py, whose expectations come from the programs' text. tests/golden/NAME.tar.xz holds
the dump NAME.otter; or tools/golden_dumps.c writes it, or the player of answers/player.py; tests/golden/NAME holds its outputs, by
readable.py as text. A recorded dump names nothing of the machine that it comes from, and since the program is not there when the
dump is built, places in the program are addresses.
"""
import difflib
import sys
import tarfile

from common import *
import expect
import readable
import run as programs

sys.path.insert(0, str(ROOT / "tests/answers"))
import plays
import screen

KEPT = ROOT / "tests/golden"
WRITER, PLAYS_WRITER = BUILD / "tests/tools/golden_dumps", BUILD / "tests/tools/write_dump"
SMALL = {"OTTER_RING": "32K", "OTTER_EVENTS": "all"}

# ---- What is built of a dump: by the name of the output, options of otter-build ----

ANALYSIS = ("--summary", "--answer", "--what-if", "--lint", "--parallelism")
TABLES = ("--otf2", "--csv", "--dot", "--folded", "--speedscope", *ANALYSIS)
FORMATS = ("--perfetto", "--chrome", "--graphml", "--sqlite", "--svg", "--report")
LEVELS = {"scope": ("--graph=scope", "--csv"), "fragment": ("--graph=fragment", "--csv", "--states")}
USUAL = {"task": TABLES, **LEVELS}
WHOLE = {"task": TABLES + FORMATS, **LEVELS}
SHORT = {"task": ANALYSIS}

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


def finding(name):
    """A program of tests/lints, which has what --lint looks for."""
    def record(work):
        if compile_c(ROOT / f"tests/lints/{name}.c", work / name).status == 0:
            run([work / name], {"OMP_TOOL_LIBRARIES": str(RECORDER), "OTTER_DIR": str(work), "OMP_NUM_THREADS": "2", "OMP_DYNAMIC": "false", **PASSIVE, **SMALL})
    return record


def written(name, dump):
    """A dump of tools/golden_dumps.c."""
    run([WRITER, name, dump])


def played(player):
    """A dump of a Player, at times that are known."""
    return lambda _name, dump: subprocess.run([PLAYS_WRITER, dump], input=player().text(), text=True, check=True)


def faulty(play, n_threads):
    """One of answers/plays.py."""
    return played(lambda: next(p for p in plays.PLAYS if p.name == play).make(n_threads)[0])


def compared(_name, dump):
    """Runs of a program, a1 to a3, and of another version of it, b1 to b3: tasks that take longer, fewer, and new ones. Times vary by chance."""
    def write(name, *parts):
        played(lambda: plays.Player(2, plays.single(plays.steps(*parts, lambda t: t.taskwait(30)))))(name, dump.with_name(f"{name}.otter"))
        with open(dump.with_name(f"{name}.otter") / "meta", "a") as meta:
            meta.write(f"run {name}\n")
    for i, by_chance_ns in enumerate((0, 700, -400), 1):
        write(f"a{i}", *[plays.task(20, 30000 + by_chance_ns), plays.task(21, 5000)] * 8)
        write(f"b{i}", *[plays.task(20, 45000 + 2 * by_chance_ns), plays.task(22, 4000)] * 6)


def several(*names):
    """Other dumps of this test, beside each other."""
    def make(name, dump):
        for other in names:
            dump_of(other, dump.parent)
    return make


RECORDED = {
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
    "sampled": openmp("taskwait", "clang", OTTER_SAMPLE="2000"),
    "units": argobots("stack"),
    "devices": device("few"),
    "lint_implied": finding("implied"),
    "lint_sync": finding("sync"),
    "lint_nested": finding("nested"),
}
MADE = {
    "contradictory": written,
    "damaged": written,
    "play_chain": faulty("chain_of_one_of_two", 2),
    "play_wait": faulty("wait_in_tasks", 4),
    "play_undeferred": faulty("wait_undeferred", 2),
    "play_exclusion": faulty("exclusion_by_a_critical", 2),
    "play_preemption": faulty("preemption_of_one", 2),
    "play_imbalance": faulty("imbalance_in_a_few_steps", 2),
    "play_data": faulty("data_of_all", 2),
    "play_serial": faulty("two_chain_and_serial", 2),
    "play_chunks": played(lambda: plays.Player(2, plays.region(lambda t: t.loop(12, 5000, n_chunks=10)))),
    "merged": several("devices", "untied"),
    "compared": compared,
}
DUMPS = {**RECORDED, **MADE}
BUILDS = {
    **dict.fromkeys(DUMPS, USUAL),
    **dict.fromkeys(("depend", "target", "killed", "units", "devices", "contradictory", "damaged"), WHOLE),
    **{name: SHORT for name in DUMPS if name.startswith(("play_", "lint_"))},
    "play_serial": {"task": TABLES + FORMATS, "part": ("--from=30%", "--to=80%", "--csv", *ANALYSIS), "one": ("--task=3", "--csv", "--report")},
    "merged": {"task": ("--merge", *TABLES, *FORMATS)},
    "compared": {"runs": ("--diff", "a1.otter", "a2.otter", "a3.otter", ":", "b1.otter", "b2.otter", "b3.otter"),
                 "back": ("--diff", "--threshold=50", "b2.otter", "a1.otter")},
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


def add_files(archive, folder, prefix=""):
    """In an order, at a time and by an owner that are always the same."""
    for file in sorted(file for file in folder.rglob("*") if file.is_file()):
        entry = tarfile.TarInfo(f"{prefix}{file.relative_to(folder)}")
        entry.size = file.stat().st_size
        with open(file, "rb") as content:
            archive.addfile(entry, content)


def pack(dump, path, name):
    with tarfile.open(path, "w:xz") as archive:
        add_files(archive, dump, f"{name}.otter/")


def record(name):
    with alone(WORK / "golden" / f"record-{name}") as work:
        RECORDED[name](work)
        dumps = dumps_in(work)
        if len(dumps) != 1:
            sys.exit(f"not ok golden/{name}: {len(dumps)} dumps, not one")
        neutral(dumps[0], name)
        pack(dumps[0], KEPT / f"{name}.tar.xz", name)


# ---- What is compared ----


def dump_of(name, place):
    """Puts NAME.otter there, or what takes its place."""
    if name in RECORDED:
        shutil.unpack_archive(KEPT / f"{name}.tar.xz", place)
    else:
        MADE[name](name, place / f"{name}.otter")


def outputs(name, work, wrong=None):
    """Every output of a dump as text, by the name of the file that it is kept in. Adds to `wrong` what of an answer contradicts itself, by its build."""
    dump_of(name, work)
    dumps, texts = [dump.name for dump in sorted(work.glob("*.otter"))], {}

    def keep(file, result):
        texts[file] = result.out + "".join(f"{line}\n" for line in result.err.splitlines()) + f"exit status {result.status}\n"

    if "scope" in BUILDS[name]:
        for what in ("list", "canonical"):
            keep(f"{what}.txt", run([BUILDER, f"--{what}", *dumps], cwd=work))
    for build, options in BUILDS[name].items():
        keep(f"{build}.txt", run([BUILDER, "-o", build, *options, *(() if "--diff" in options else dumps)], cwd=work))
        if wrong is not None and "--answer" in options:
            wrong[build] = screen.flaw(texts[f"{build}.txt"], json.loads((work / build / "summary.json").read_text()), work / build)
        for file in sorted((work / build).glob("*.*")):
            text = readable.text_of(file)
            if text is not None:
                texts["archive.txt" if file.suffix == ".otf2" else f"{build}-{file.name}"] = text
    return texts


def difference(kept, now):
    """The first lines that differ, for a report."""
    lines = [line for line in list(difflib.unified_diff(kept.splitlines(), now.splitlines(), n=0, lineterm=""))[2:]
             if not line.startswith("@@")]
    return f"{len(lines)} lines differ: " + " | ".join(lines[:4])


def compare(name):
    report, place = Report(), KEPT / name
    wrong = {}
    with alone(WORK / "golden" / name) as work:
        now = outputs(name, work, wrong)
    for build, reason in wrong.items():
        report.check(f"golden/{name}/{build}-screen", reason)
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
        for name in names[1:] or RECORDED:
            record(name)
        return 0
    need(BUILDER, WRITER, PLAYS_WRITER)
    return 0 if run_all(names or list(DUMPS), work) else 1


if __name__ == "__main__":
    sys.exit(main())
