#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks what the recorder records of Argobots' work units.

    tests/argobots.py [NAME...]           tests/units.py says on which library
    ARGOBOTS_EXAMPLES=DIR ...             every program below DIR that is linked with that library, too: its own examples, built (`examples` alone:
                                          nothing else)

conf, sync and stack are run on one execution stream, where what comes is the same every time: their logs from the real
library (conf*.expect, sync*.expect, stack*.expect) are what the recording must say, event by event. In lives a tool of
the program's own counts what comes: so many records there must be.
"""
import collections
import sys

from units import *
import asked
import normal

EVENTS = ("create", "join", "free", "revive", "run", "finish", "cancel", "yield", "suspend", "resume")


def logs():
    """Event by event, on one execution stream and on two."""
    for log, program, arguments in (("conf-1es", "conf", ["8"]), ("conf-1es-v11", "conf", ["8"]), ("conf-2es", "conf", ["8", "2"]), ("sync", "sync", []),
                                    ("sync-v11", "sync", []), ("stack", "stack", []), ("stack-v11", "stack", [])):
        version = "-v11" if log.endswith("-v11") else ""
        if version and PREFIX[""] and not PREFIX[version]:
            report.skip(f"{NAME}/{log}", "no ARGOBOTS_PREFIX_11")
            continue
        result, dumps = record(log, program, arguments, version)
        want = normal.expected((HERE / f"{log}.expect").read_text())
        found = normal.listed(listed(dumps))
        check(log, result.why([0]), one(dumps) or normal.difference(normal.without_races(want), normal.without_races(found)))


def answers():
    """What the recorder does not ask is told by the thread's records: everything is as a tool says that asks everything about each event. Lost is
    alone who ran before a unit to which another one handed over of its own accord."""
    lost, derived = collections.Counter(), collections.Counter()

    def compare(name, program, arguments=(), version=""):
        said = PLACE / f"{name}.txt"
        said.unlink(missing_ok=True)
        result, dumps = record(name, program, arguments, version, before=[ASKER], ASKER=str(said))
        threads = asked.answers(said.read_text() if said.exists() else "")
        recorded = asked.records(listed(dumps))
        wrong = None if threads.keys() == recorded.keys() else f"threads {sorted(recorded)} recorded, {sorted(threads)} asked"
        for thread, answers in threads.items() if not wrong else ():
            told = asked.Thread()
            wrong = wrong or told.difference(recorded[thread], answers)
            lost[program] += told.n_lost
            derived.update(told.derived)
        check(name, result.why([0]), one(dumps), wrong)
        for dump in dumps:
            shutil.rmtree(dump)

    for program, arguments in (("conf", ["8"]), ("conf", ["8", "2"]), ("sync", []), ("stack", []), ("migrate", []), ("truths", ["threads"]), ("truths", ["external"]),
                               ("truths", ["mutex"]), ("hand", [])):
        for version in versions():
            compare("-".join(["asked", program, *arguments]) + version, program, arguments, version)
    check("asked-derived", None if derived["run"] > 1000 and derived["free"] > 90 and derived["create"] > 100 else f"nearly nothing is derived: {dict(derived)}")
    check("asked-lost", None if lost["hand"] > 50 and lost.total() == lost["hand"] else f"lost: {dict(lost)}")
    for path in example_programs() if PREFIX[""] and "ARGOBOTS_EXAMPLES" in os.environ else ():
        if "ABT_tool_register_thread_callback" not in run(["nm", "-D", path]).out:  # a tool of its own would take the asker's place
            compare(f"asked-example-{path.name}", path)


def counted(text):
    """Records of each kind, each poll as the yield and the run that it was."""
    counts = collections.Counter()
    for line in text.splitlines():
        kind = line.split()[3]
        if kind == "unit_polls":
            n = int(re.search(r" count=(\d+)", line)[1])
            counts["yield"] += n
            counts["run"] += n
        elif kind.startswith("unit_"):
            counts["create" if kind == "unit_spawn" else kind[5:]] += 1
    return counts


def tool():
    """Whatever the program's own tool is told is recorded, and it is told as without us."""
    plain, none = record("untraced", "lives", preload=False)
    result, dumps = record("lives", "lives")
    text = listed(dumps)
    counts = counted(text)
    said = dict(line.split() for line in result.out.splitlines())
    # Before the program has registered its tool nothing has happened, and behind it the library reports nothing.
    wrong = [f"{e}: the program's tool has seen {said.get(e)}, recorded {counts[e]}" for e in EVENTS if said.get(e) != str(counts[e])]
    check("tool", plain.why([0]), "a dump without a recorder" if none else None, result.why([0]), one(dumps), "; ".join(wrong))
    lives = [counts["begin"], counts["end"]]
    check("lives", None if lives == [2, 2] else f"{lives[0]} begins and {lives[1]} ends of the library, not two")
    steady = [e for e in ("create", "join", "free", "finish") if said.get(e) != dict(line.split() for line in plain.out.splitlines()).get(e)]
    check("unchanged", f"with the recorder the program's tool sees more or fewer of {', '.join(steady)}" if steady else None)
    check("polls", None if "unit_polls" in text else "nobody polled: the test tests nothing",
          None if len(text.splitlines()) < 20000 else f"{len(text.splitlines())} records: polls are not counted together")


def second_tool():
    """Another tool has the same events and answers, and the recorder has the same records, in whatever order they are loaded, and whenever the tool
    registers, changes its mask or unregisters. On one execution stream, where what comes is the same every time."""
    said = PLACE / "second.txt"

    def counts_of_second():
        text = said.read_text() if said.exists() else ""
        said.unlink(missing_ok=True)
        return text

    def compare(program, arguments, how):
        name = "-".join(["second", program, *arguments, how])
        env = {"SECOND": str(said), "SECOND_HOW": how}
        alone = record(f"{name}-alone", program, arguments, preload=False, after=[SECOND], **env)[0]
        wanted = counts_of_second()
        plain, dumps = record(f"{name}-plain", program, arguments)
        recorded = counted(listed(dumps))
        # By its own search past the recorder the tool would take the recorder's place, so the launcher loads it before.
        orders = {"before": {"before": [SECOND]}} | ({"after": {"after": [SECOND]}} if how != "next" else {})
        for order, where in orders.items():
            result, dumps = record(f"{name}-{order}", program, arguments, **where, **env)
            got, records = counts_of_second(), counted(listed(dumps))
            check(f"{name}-{order}", alone.why([0]), plain.why([0]), result.why([0]), one(dumps),
                  None if sum(int(line.split()[0]) for line in wanted.splitlines()) > 10 else f"alone the second tool has hardly an event: {wanted!r}",
                  None if got == wanted else f"the second tool has {got!r}, alone {wanted!r}",
                  None if records == recorded else f"recorded {dict(records)}, without a second tool {dict(recorded)}",
                  None if (result.out, result.err) == (plain.out, plain.err) == (alone.out, alone.err) else f"it prints {result.out!r}, not {alone.out!r}")

    for how in ("init", "next", "late", "change"):
        compare("conf", ["8"], how)
    compare("sync", [], "init")
    place = PLACE / "dumps-second-launcher"
    shutil.rmtree(place, ignore_errors=True)
    library = {"LD_LIBRARY_PATH": f"{PREFIX['']}/lib" if PREFIX[""] else str(PLACE)}
    result = run([LAUNCHER, f"--dir={place}", "--", PLACE / "sync"],
                 env={**library, "LD_PRELOAD": str(SECOND), "SECOND": str(said), "SECOND_HOW": "next"})
    created = int((counts_of_second().split() or ["0"])[0])
    dumps = sorted(place.glob("*.otter"))
    check("second-launcher", result.why([0]), one(dumps), None if created == 18 else f"the second tool has {created} creations, not 18",
          None if counted(listed(dumps))["create"] == 18 else "not all units are recorded")


def ends():
    """A program that ends in a unit, and without a finalize."""
    for how, status in (("exit", 3), ("kill", -9)):
        result, dumps = record(how, "lives", [how])
        counts = counted(listed(dumps))
        check(how, result.why([status]), one(dumps), None if counts["begin"] == 2 and counts["create"] > 300 else f"recorded {dict(counts)}")


def attach():
    """How it gets in, and where it does not."""
    result, dumps = record("static", "static", preload=False)
    counts = counted(listed(dumps))
    check("static", result.why([0]), one(dumps), None if counts["begin"] == 2 and counts["create"] > 400 else f"recorded {dict(counts)}")
    # A plugin brings the library with it, where neither the program nor the recorder looks.
    flags = ["gcc", "-O1", "-g", "-w", "-I", ROOT, "-pthread"]
    compiled = [run([*flags, "-fPIC", "-shared", "-Dmain=plugin_main", HERE / "lives.c", PLACE / "libabt.so.1", "-o", PLACE / "lives.so"]),
                run([*flags, HERE / "plugin.c", "-ldl", "-o", PLACE / "plugin"])]
    result, dumps = record("plugin", "plugin", [PLACE / "lives.so"])
    counts = counted(listed(dumps))
    said = dict(line.split() for line in result.out.splitlines())
    wrong = [e for e in EVENTS if said.get(e) != str(counts[e])]
    check("plugin", *(c.why([0]) for c in compiled), result.why([0]), one(dumps), None if counts["begin"] == 2 and not wrong else f"recorded {dict(counts)}, not {said}")
    bystander = PLACE / "bystander"
    shutil.rmtree(bystander, ignore_errors=True)
    bystander.mkdir()
    result = run(["/bin/sh", "-c", "ls / >/dev/null; exit 4"], env={"LD_PRELOAD": str(ABT), "OTTER_DIR": str(bystander)})
    check("bystander", result.why([4]), "it printed something" if result.out or result.err else None, "it left something" if list(bystander.iterdir()) else None)
    if not PREFIX[""]:
        result, dumps = record("no-tool", "sync", STANDIN_NO_TOOL="1")
        meta = (dumps[0] / "meta").read_text(errors="replace") if dumps else ""
        check("no-tool", result.why([0]), "it printed something" if result.err else None, None if "note Argobots was built without its tool interface" in meta else "meta does not say so")
    place = PLACE / "dumps-launcher"
    shutil.rmtree(place, ignore_errors=True)
    library = {"LD_LIBRARY_PATH": f"{PREFIX['']}/lib" if PREFIX[""] else str(PLACE)}
    result = run([LAUNCHER, f"--dir={place}", "--", PLACE / "sync"], env=library)
    dumps = sorted(place.glob("*.otter"))
    checked = [run([LAUNCHER, "--check", "--", PLACE / program], env=library) for program in ("sync", "static")]
    check("launcher", result.why([0]), one(dumps), None if re.search(r": 1 thread, 18 units, \d+ records, .* 0 lost", result.err) else f"it says {result.err}",
          None if dumps and counted(listed(dumps))["create"] == 18 else "not all units", checked[0].why([0]), checked[1].why([0]),
          None if "Argobots" in checked[0].out else "--check does not name Argobots")
    result, dumps = record("omp", "lives-omp", ["omp"])
    text = listed(dumps)
    both = (" parallel_begin " in text, counted(text)["create"] > 0)
    check("both", result.why([0]), one(dumps), None if all(both) else f"regions {both[0]}, units {both[1]} in the dump")


def archives():
    """The archive of every recording is valid, and whole where the recording is; it has a task for each run of a unit,
    and one for each primary unit and its scheduler."""
    for program, arguments, version in (("conf", ["8"], ""), ("conf", ["8"], "-v11"), ("conf", ["8", "2"], ""), ("conf", ["8", "2"], "-v11"), ("sync", [], ""), ("sync", [], "-v11"), ("stack", [], ""),
                                        ("lives", [], ""), ("lives-omp", ["omp"], ""), ("within", [], ""), ("revive", [], ""), ("revive", [], "-v11"),
                                        ("lives", ["exit"], ""), ("lives", ["kill"], ""), ("revive", ["kill"], "")):
        name = "archive-" + "-".join([program, *arguments]) + version
        if version and PREFIX[""] and not PREFIX[version]:
            report.skip(f"{NAME}/{name}", "no ARGOBOTS_PREFIX_11")
            continue
        _, dumps = record(name, program, arguments, version)
        text = listed(dumps)
        counts = counted(text)
        place = PLACE / name
        is_cut = arguments in (["exit"], ["kill"])
        built = run([BUILDER, "--otf2", "--force", "-o", place, *dumps])
        # 1.1 reports the library's own unit below a main scheduler: it has no pool, and never runs.
        hidden = len(re.findall(r"unit_create pool=0x0 ", text)) if version else 0
        n_tasks = counts["create"] + counts["revive"] - hidden + 2 * counts["begin"] + len(re.findall(r" task_create ", text))
        wanted = [] if is_cut else [f"tasks={n_tasks}", f"completed={n_tasks}", "truncated=0"]
        checked = run([HERE.parent / "otf2_check.py", *(word for want in wanted for word in ("--expect", want)), place])
        # Who yields inside of a region of OpenMP leaves its team in the middle, and comes back: the team has more
        # begins on that thread than on others.
        found = re.findall(r"OTF2::THREAD_(\w+)_EVENT_COMPLETE\s+Property value\s+(\w+)", run(["otf2-print", "-A", place / "traces.otf2"]).out)
        whole = {"FORK_JOIN": "false" if is_cut or program == "within" else "true", "LOCK": "false" if is_cut else "true"}
        check(name, one(dumps), built.why([0, 3] if is_cut else [0]), checked.why([0]) and f"{checked.out.splitlines()[-5:]}",
              None if dict(found) == whole else f"the archive says of being whole {found}, not {whole}")


def example_programs():
    """Below ARGOBOTS_EXAMPLES; libtool keeps the programs in .libs, behind scripts."""
    found = []
    for path in sorted(pathlib.Path(os.environ["ARGOBOTS_EXAMPLES"]).rglob("*")):
        if path.is_file() and os.access(path, os.X_OK) and not path.name.startswith("lt-") and path.suffix not in (".so", ".o"):
            with open(path, "rb") as f:
                is_elf = f.read(4) == b"\x7fELF"
            if is_elf and "[libabt.so.1]" in run(["readelf", "-d", path]).out:
                found.append(path)
    return found


def sayings(text):
    """What a program printed, but for addresses, times, and who comes first."""
    return sorted(re.sub(r" +", " ", re.sub(r"0x[0-9a-f]+|\d+\.\d+(e[-+]?\d+)?", "#", line)) for line in text.splitlines())


def shapes(text):
    """The kinds of lines in it, whatever is counted there, or in parentheses."""
    return {re.sub(r" +", " ", re.sub(r"[-\d.]+(e[-+]?\d+)?|\([^)]*\)", "#", line)).rstrip("# ") for line in sayings(text)}


def prints_as_ever(text, path, env):
    """Has the program printed what it prints untraced? Where that is not always the same, as units move between
    streams: the same kinds of lines."""
    outs = []
    while len(outs) < 10:
        outs.append(run([path], env=env).out)
        if sayings(text) == sayings(outs[-1]):
            return True
    return len({tuple(sayings(out)) for out in outs}) > 1 and any(shapes(text) == shapes(out) for out in outs)


def examples():
    """The library's own examples do with the recorder what they do without, and leave a whole dump."""
    if not PREFIX[""] or "ARGOBOTS_EXAMPLES" not in os.environ:
        report.skip(f"{NAME}/examples", "no ARGOBOTS_PREFIX, or no ARGOBOTS_EXAMPLES")
        return
    programs = example_programs()
    check("examples", None if programs else "none is there")
    for path in programs:
        env = {"LD_LIBRARY_PATH": f"{PREFIX['']}/lib"}
        plain = run([path], env=env)
        result, dumps = record(f"example-{path.name}", path)
        lists = [run([BUILDER, "--list", *dumps])] if len(dumps) == 1 else []
        meta = (dumps[0] / "meta").read_text(errors="replace") if lists else ""
        counts = counted(lists[0].out) if lists else {}
        lost = re.findall(r"^lost.*", meta, re.M)
        check(f"example-{path.name}", result.why([plain.status]), None if prints_as_ever(result.out, path, env) else "it prints something else",
              one(dumps), lists[0].why([0]) if lists else None, f"records are lost: {lost}" if lost else None,
              None if "ended finalize" in meta or "ended destructor" in meta else "the dump has no end",
              None if counts.get("begin") and counts.get("begin") == counts.get("end") else f"recorded {dict(counts)}")
        for dump in dumps:
            shutil.rmtree(dump)


if __name__ == "__main__":
    sys.exit(main(logs, answers, tool, second_tool, ends, attach, archives, examples))
