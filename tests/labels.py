#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Are the lines that otter-build shows those of the constructs?

    tests/labels.py [NAME...]       all trials, or these: constructs, closing, functions, mutexes, servers

constructs    tests/labels/constructs.c and .f90 have one construct a line, of all kinds. Compiled by each compiler at each level of optimisation,
              and recorded on one thread and on two, no label has a line that is not its construct's, and those lines come that the compiler notes.
closing       tests/labels/closing.c: constructs in tasks of a closing barrier, to which LLVM's runtime gives the region's address in gcc's programs
              (Q60 of docs/runtimes.md): no line has more constructs than its text.
mutexes       tests/labels/mutexes.c: each critical, lock and ordered is in mutexes.csv, summary.json, nodes.csv and graph.dot, as often as its
              text has it, with its line and its handle.
functions     tests/labels/functions.cc: constructs in C++ functions, also where tasks create tasks, have the function's name as it was written.
servers       otter-build queries no server for debug information; with --debuginfod it queries one that never answers, and continues in time.
"""
import collections
import csv
import json
import socket
import time

from common import *

PLACE = ROOT / "tests/labels"
# Kinds whose lines the compiler notes at its calls. clang notes all.
NOTED = {"gcc": {"task", "parallel", "taskwait", "critical", "lock"}, "flang": {"single", "taskgroup", "masked", "lock"}}
CONSTRUCTS = [("constructs.c", "clang", f"-O{o}") for o in (0, 1, 2)] + [("constructs.c", "gcc", f"-O{o}") for o in (0, 1, 2, 3)] + \
    [("constructs.c", "gcc", "-O1 -fno-pie -no-pie"), ("constructs.c", "gcc", "-O2 -fno-plt"), ("constructs.c", "clang", "-O1 -fno-plt"),
     ("constructs.c", "clang", "-O1 -mcmodel=large")] + [("constructs.f90", "flang", f"-O{o}") for o in (0, 1, 2)]


def words_of(source):
    """{line: the words of the comment at its end}"""
    words = {}
    for number, line in enumerate(source.read_text().splitlines(), 1):
        match = re.search(r"\S.*(?:/\*|!) ([a-z][\w? !]*?) *(?:\*/)?$", line)
        if match and number > 6:
            words[number] = match[1].split()
    return words


def prepare(work, source, compiler, flags):
    """(dump, reason)"""
    program = work / source.stem
    own = ["-module-dir", work] if source.suffix == ".f90" else ["-pthread"]
    result = run([COMPILERS[compiler], "-g", "-fopenmp", *own, *flags.split(), source, "-o", program])
    return program, result.why([0])


ENDING = {"parallel", "teams", "loop", "sections", "single", "workshare", "scope"}  # with a barrier


def record(program, compiler, threads):
    dumps = empty(program.parent / f"dumps-{threads}")
    result = run([LAUNCHER, "-q", f"--dir={dumps}", "--", program], {"OMP_NUM_THREADS": str(threads), **preload_for(compiler)})
    found = dumps_in(dumps)
    return (found[0] if found else None), result.why([0]) or (None if found else "no dump")


def table(out, name):
    with open(out / name, newline="") as f:
        return list(csv.DictReader(f))


def wrong_lines(out, source, compiler, flags):
    truth = words_of(source)
    allowed = {(word.rstrip("?"), line) for line, words in truth.items() for word in words}
    # The barrier at a construct's end has its line, and is no node of its own where it is a region's end.
    allowed |= {("barrier", line) for line, words in truth.items() if {word.rstrip("?") for word in words} & ENDING}
    noted = NOTED.get(compiler)
    wanted = {(word, line) for line, words in truth.items() for word in words if not word.endswith("?") and (noted is None or word in noted)}
    shown = {(c["kind"], int(c["line"])) for c in table(out, "constructs.csv") if c["line"]}
    if "mcmodel" in flags or "no-plt" in flags or "-O3" in flags:
        wanted = set()  # some of these calls cannot be read
    elif compiler == "gcc":
        # Of a taskloop, and of a wait with dependences, gcc notes no line.
        text = source.read_text().splitlines()
        wanted = {(kind, line) for kind, line in wanted if "taskloop" not in text[line - 1] and "taskwait depend" not in text[line - 1]}
    wrong = [f"{kind} at line {line}, which has {' '.join(truth.get(line, ['none']))}" for kind, line in sorted(shown - allowed)]
    missing = [f"no {kind} at line {line}" for kind, line in sorted(wanted - shown)]
    return wrong + missing


def test_constructs(job):
    name, compiler, flags = job
    report, what = Report(), f"labels/{name.replace('.', '-')}-{compiler}{flags.replace(' ', '')}"
    if not compiler_found(compiler):
        report.skip(what, f"no {COMPILERS[compiler]}")
        return report
    with alone(WORK / what.replace("/", "-")) as work:
        program, reason = prepare(work, PLACE / name, compiler, flags)
        for threads in () if not report.check(f"{what}/compile", reason) else (1, 2):
            dump, reason = record(program, compiler, threads)
            out = work / f"out-{threads}"
            if not reason:
                result = run([BUILDER, "-q", "--csv", "--graph=scope", "-o", out, dump])
                reason = result.why([0]) or "; ".join(wrong_lines(out, PLACE / name, compiler, flags))
            report.check(f"{what}/{threads}", reason)
    return report


def test_closing(compiler):
    report, what = Report(), f"labels/closing-{compiler}"
    if not compiler_found(compiler):
        report.skip(what, f"no {COMPILERS[compiler]}")
        return report
    with alone(WORK / what.replace("/", "-")) as work:
        program, reason = prepare(work, PLACE / "closing.c", compiler, "-O1")
        dump, reason = record(program, compiler, 2) if not reason else (None, reason)
        out = work / "out"
        if not reason:
            result = run([BUILDER, "-q", "--csv", "--otf2", "-o", out, dump])
            reason = result.why([0])
        if not reason:
            truth = words_of(PLACE / "closing.c")
            place = {c["number"]: (c["kind"], int(c["line"])) for c in table(out, "constructs.csv") if c["line"]}
            seen = collections.Counter(place[n["construct"]] for n in table(out, "nodes.csv")
                                       if n["kind"] in ("region", "task", "taskwait", "taskgroup") and n["construct"] in place)
            seen.update({place[m["construct"]]: int(m["acquired"]) for m in table(out, "mutexes.csv") if m["construct"] in place})
            reason = "; ".join(f"{n} {kind} at line {line}" for (kind, line), n in sorted(seen.items())
                               if n != 1 or kind not in truth.get(line, ()))
            if compiler == "clang" and not reason:
                missing = {(word, line) for line, words in truth.items() for word in words} - set(seen)
                reason = "; ".join(f"no {kind} at line {line}" for kind, line in sorted(missing))
        report.check(what, reason)
    return report


def test_functions(compiler):
    report, what = Report(), f"labels/functions-{compiler}"
    plus = {"clang": re.sub("clang", "clang++", COMPILERS["clang"], count=1), "gcc": re.sub("gcc", "g++", COMPILERS["gcc"], count=1)}[compiler]
    source = PLACE / "functions.cc"
    if shutil.which(plus) is None:
        report.skip(what, f"no {plus}")
        return report
    with alone(WORK / what.replace("/", "-")) as work:
        program, out = work / "functions", work / "out"
        reason = run([plus, "-g", "-O1", "-fopenmp", source, "-o", program]).why([0])
        dump, reason = record(program, compiler, 2) if not reason else (None, reason)
        reason = reason or run([BUILDER, "-q", "--csv", "-o", out, dump]).why([0])
        if not reason:
            wanted = {n: match[1] for n, line in enumerate(source.read_text().splitlines(), 1) if (match := re.search(r"^#pragma.*/\* (\S+) \*/", line))}
            shown = collections.defaultdict(set)
            for c in table(out, "constructs.csv"):
                if c["line"]:
                    shown[int(c["line"])].add(c["function"])
            wrong = [f"{sorted(shown[n])} at line {n}, not {name}" for n, name in wanted.items() if shown[n] - {name}]
            missing = [f"no construct at line {n}" for n in wanted if not shown[n] and compiler == "clang"]
            reason = "; ".join(wrong + missing)
        report.check(what, reason)
    return report


def wrong_mutexes(out):
    rows, summary = table(out, "mutexes.csv"), json.loads((out / "summary.json").read_text())["mutexes"]
    nodes, drawing = table(out, "nodes.csv"), (out / "graph.dot").read_text()
    pairs = collections.Counter(n["construct"] for n in nodes if n["kind"] in ("scope_begin", "scope_end"))
    for line, words in words_of(PLACE / "mutexes.c").items():
        kind, acquired, failed = words[0], int(words[1]), int(words[3]) if len(words) > 3 else 0
        here = [r for r in rows if r["line"] == str(line)]
        seen = {(r["kind"], int(r["acquired"]), int(r["failed"])) for r in here}
        if seen != {(kind, acquired, failed)}:
            yield f"line {line}: {sorted(seen)} in mutexes.csv, not {kind} acquired {acquired} and failed {failed} times"
            continue
        if not all(re.fullmatch("0x[1-9a-f][0-9a-f]*", r["handle"]) for r in here):
            yield f"line {line}: no handle in hexadecimal"
        word = "lock" if "lock" in kind else kind
        label = f"{word}@mutexes.c:{line}"
        parts = [s for s in summary if s["label"] == label and s["kind"] == kind]
        if [(s["acquired"], s["failed"], s["mutexes"]) for s in parts] != [(acquired, failed, len(here))]:
            yield f"line {line}: {parts} in summary.json"
        if "nest" not in kind and pairs[here[0]["construct"]] != 2 * acquired:
            yield f"line {line}: {pairs[here[0]['construct']]} nodes for {acquired} acquisitions"
        if label not in drawing and "nest" not in kind:
            yield f"line {line}: no {label} in graph.dot"
    slow = max(int(r["held_ns"]) for r in rows)
    if slow < 2 * 2_000_000:
        yield f"held for {slow} ns, in which two threads slept 2 ms each"


def test_mutexes():
    report, what = Report(), "labels/mutexes"
    with alone(WORK / "labels-mutexes") as work:
        program, reason = prepare(work, PLACE / "mutexes.c", "clang", "-O1")
        dump, reason = record(program, "clang", 2) if not reason else (None, reason)
        if report.check(f"{what}/record", reason):
            result = run([BUILDER, "--csv", "--dot", "--summary", "--graph=scope", "-o", work / "out", dump])
            report.check(what, result.why([0]) or "; ".join(wrong_mutexes(work / "out")))
            lines = re.findall(r"^mutexes   critical@mutexes\.c:\d+: acquired 2 times, held 0\.\d+ s", result.out, re.MULTILINE)
            report.check(f"{what}/text", None if lines else "the summary's first line of mutexes is not that of the slowest")
    return report


def test_servers():
    report, what = Report(), "labels/servers"
    with alone(WORK / "labels-servers") as work:
        program, reason = prepare(work, PLACE / "mutexes.c", "clang", "-O1")
        reason = reason or run(["strip", program]).why([0])
        dump, reason = record(program, "clang", 2) if not reason else (None, reason)
        if not report.check(f"{what}/record", reason):
            return report
        with socket.socket() as server:  # it takes connections, and never answers
            server.bind(("127.0.0.1", 0))
            server.listen(64)
            server.setblocking(False)
            env = {"DEBUGINFOD_URLS": f"http://127.0.0.1:{server.getsockname()[1]}", "DEBUGINFOD_CACHE_PATH": str(work / "cache")}

            def asked(*options):
                result = run([BUILDER, "--force", "--summary", "-o", work / "out", *options, dump], env)
                n = 0
                try:
                    while True:
                        server.accept()[0].close()
                        n += 1
                except BlockingIOError:
                    return result, n

            result, n = asked()
            report.check(f"{what}/not-asked", result.why([0]) or (f"{n} connections" if n else None))
            result, n = asked("--debuginfod=1")
            # Without a bound it makes a query for each of the program's binaries, and waits for 90 s and more each time.
            reason = result.why([0]) or ("it did not say so" if "may ask http://127.0.0.1" not in result.err else None)
            report.check(f"{what}/asked", reason or (f"{n} connections" if n > 1 else None))
            if n == 0:
                report.skip(f"{what}/bound", "libdebuginfod is not there, or makes no query")
            else:
                report.check(f"{what}/bound", None if "the 1 s are over" in result.err else f"it printed {result.err!r}")
        result = run([BUILDER, "--force", "--summary", "-o", work / "out", "--debuginfod=0", dump])
        report.check(f"{what}/no-time", result.why([2]))
    return report


TRIALS = {"constructs": [lambda job=job: test_constructs(job) for job in CONSTRUCTS],
          "closing": [lambda c=c: test_closing(c) for c in ("clang", "gcc")], "functions": [lambda c=c: test_functions(c) for c in ("clang", "gcc")],
          "mutexes": [test_mutexes], "servers": [test_servers]}

if __name__ == "__main__":
    need(RECORDER, BUILDER, LAUNCHER)
    sys.exit(not run_all([trial for name in sys.argv[1:] or TRIALS for trial in TRIALS[name]], lambda trial: trial()))
