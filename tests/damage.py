#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Damages copies of real dumps in every way that a disk, a crash or another program can, and builds them.

    tests/damage.py [--all] [--part I/N] [NAME...]

NAME: only the cases whose names contain one of these. Without --all the dumps are those of damage/dumps.tar.xz, which mix.c once left,
and a sample of the bit flips is tried, always the same one. With --all the dumps are recorded anew, and every bit of every header is flipped.

In every case this must hold:
- otter-build ends by itself, within its memory and time, with status 0, 1 or 3;
- if it wrote something, the archive keeps the rules of otf2_check.py, the graph is sound, every table parses, and nothing lies
  outside of the output directory;
- if it reports nothing, the result is that of the undamaged dump, or differs only in a value that no record contradicts.
A case with a name of its own also says what must be on stderr, or what must come out.

--part I/N: every N-th case, from the I-th on. The N parts together, one after the other and with the same SOURCES, are all cases.

Environment:
SOURCES   a directory of dumps that an earlier run has left (sources/), to try the same cases once more
COUNT     how many flips, and how many cases of several changed records, for each dump
KEEP      if set, dumps with which a case failed are left in damage/kept
BUILDERS  the builders to run instead of build/bin/otter-build (one built with SAN=address, for instance), separated by colons;
          each tries every case
"""
import concurrent.futures
import csv
import hashlib
import multiprocessing
import random
import signal
import tempfile

from common import *

sys.path[:0] = [str(ROOT / "tests/damage"), str(ROOT / "tests/otf2"), str(ROOT / "tests/answers")]
from flaw import archive_flaw
from cases import CASES
from damage_bits import add_header_flips, add_payload_flips, add_payload_noise
from damage_files import add_file_cases
from damage_packed import add_packed_cases
import damage_records  # importing it adds its cases to CASES, as the next line does
import damage_segments
import checks
from dump import Dump, give_files

HERE = ROOT / "tests/damage"
PLACE = WORK / "damage"
BUILDERS = [os.path.abspath(b) for b in os.environ.get("BUILDERS", str(BUILDER)).split(":")]
MEMORY = 1 << 30  # bytes of address space for a dump of less than 1 MiB; no limit under AddressSanitizer
SECONDS = 60  # of processor time; others may have the processors meanwhile


# ---- The dumps ----

SOURCES = {
    "whole": {"OTTER_RING": "32K", "OTTER_DRAIN": "self"},
    "killed": {"OTTER_RING": "32K"},
    "newest": {"OTTER_RING": "32K", "OTTER_DRAIN": "self", "OTTER_KEEP": "newest", "OTTER_LIMIT": "64K"},
}


def kept():
    """The dumps that are the same in every run: those of damage/dumps.tar.xz, or of SOURCES."""
    if "SOURCES" in os.environ:
        shutil.copytree(os.environ["SOURCES"], PLACE / "sources")
    else:
        shutil.unpack_archive(HERE / "dumps.tar.xz", PLACE / "sources")
    return {name: Dump(PLACE / "sources" / name / "mix.otter") for name in SOURCES}


def record(name):
    directory = empty(PLACE / "sources" / name)
    env = {"OMP_NUM_THREADS": "3", "OMP_TOOL_LIBRARIES": str(RECORDER), "OTTER_EVENTS": "all,-error", "OTTER_DIR": str(directory), **SOURCES[name]}
    result = run([PLACE / "mix", *(["die"] if name == "killed" else [])], env)
    dumps = dumps_in(directory)
    if len(dumps) != 1 or result.status != (-signal.SIGKILL if name == "killed" else 0):
        sys.exit(f"not ok damage/record-{name}: {result.status} {result.err} {dumps}")
    dumps[0].rename(directory / "mix.otter")
    if name == "whole":
        give_files(directory / "mix.otter")
    return Dump(directory / "mix.otter")


def pack(name):
    """A packed copy of a source: it is the source packed-NAME, and has the same outcome."""
    directory = empty(PLACE / "sources" / f"packed-{name}")
    shutil.copytree(PLACE / "sources" / name / "mix.otter", directory / "mix.otter")
    result = run([BUILDER, "--pack", directory / "mix.otter"])
    if result.status != 0:
        sys.exit(f"not ok damage/pack-{name}: {result.status} {result.err}")
    SHAPES[f"packed-{name}"] = SHAPES[name]
    return Dump(directory / "mix.otter")


# ---- Building, and looking at what came out ----

class Outcome:
    def __init__(self, status, out, err, directory):
        self.status, self.out, self.err, self.directory = status, out, err, directory

    def summary(self):
        return json.loads((self.directory / "summary.json").read_text())

    def shape(self):
        """What must be equal for an undamaged dump and a harmlessly damaged one."""
        s = self.summary()
        return s["graph"], s["tasks"], s["quirks"], s["complete"]


def build_limited(builder, place, dump, *options):
    # Limits are set by prlimit. Setting them between fork and exec would copy this process for each case, which takes as long as a build.
    limits = [f"--cpu={SECONDS}"] + ([f"--as={MEMORY}"] if "-address" not in os.path.realpath(builder) else [])
    out = place / "out"
    shutil.rmtree(out, ignore_errors=True)
    try:
        p = subprocess.run(["prlimit", *limits, builder, "-o", out, *options, dump], env={**CLEAN, **PASSIVE, "ASAN_OPTIONS": "detect_leaks=1"},
                           capture_output=True, timeout=HANG_S, stdin=subprocess.DEVNULL, cwd=place)
    except subprocess.TimeoutExpired:
        return Outcome("hang", "", "", out)
    return Outcome(p.returncode, p.stdout.decode(errors="replace"), p.stderr.decode(errors="replace"), out)


def tables_flaw(out):
    """What is wrong with the tables and their graph, or None."""
    for name in ("constructs.csv", "nodes.csv", "edges.csv", "exclusive.csv"):
        with open(out / name, newline="", encoding="utf-8") as f:
            rows = list(csv.reader(f, strict=True))
        if any(len(row) != len(rows[0]) for row in rows):
            return f"{name}: rows of different lengths"
    return Graph(out).flaw(complete=False)


def answer_flaw(out):
    """What is wrong with what is said to limit the run, or None."""
    answer = json.loads((out / "summary.json").read_text()).get("answer")
    return checks.flaw(answer) if answer else None


SOUND = set()  # digests of outputs in which this process has found nothing wrong


def digest(out):
    """A digest of the tables and the archive, without the random number that the archive's anchor has 19 bytes before its end."""
    state = hashlib.sha256()
    for path in sorted(p for p in out.rglob("*") if p.suffix in (".csv", ".def", ".evt", ".otf2")):
        data = path.read_bytes()
        if path.suffix == ".otf2":
            data = data[:-19] + data[-11:]
        state.update(f"{path.relative_to(out)} {len(data)} ".encode() + data)
    return state.digest()


def output_flaw(out):
    """What is wrong with the output, or None. Many cases have equal outputs, and each is checked once: checking takes longest."""
    reason = answer_flaw(out)
    seen = digest(out)
    if reason or seen in SOUND:
        return reason
    reason = tables_flaw(out) or archive_flaw(out / "traces.otf2")
    if reason is None:
        SOUND.add(seen)
    return reason


def flaw(outcome, place, before):
    """What is wrong with a build, or None: by the rules that hold however damaged the dump is."""
    if outcome.status not in (0, 1, 3, 4):
        return f"status {outcome.status}: {outcome.err[-400:]}"
    if "Sanitizer" in outcome.err or "runtime error" in outcome.err:
        return outcome.err[:600]
    if any(not line.startswith("otter-build: ") for line in outcome.err.splitlines()):
        return f"stderr has more than messages: {outcome.err[:300]!r}"
    names = {p.name for p in place.iterdir()} - before
    if outcome.status in (1, 4):
        if names:
            return f"status {outcome.status}, and yet there is {sorted(names)}"
        return None if outcome.err else "it failed without a word"
    if names != {"out"}:
        return f"beside the output there is {sorted(names - {'out'})}"
    reason = output_flaw(outcome.directory)
    summary = outcome.summary()
    is_diagnosed = summary["repairs"] or summary["damage"] or summary["snapshot"] or not summary["complete"]
    if reason is None and bool(is_diagnosed) != (outcome.status == 3):
        reason = f"status {outcome.status}, repairs {summary['repairs']}, damage {summary['damage']}, complete {summary['complete']}"
    return reason


def copy(source, place):
    shutil.copytree(PLACE / "sources" / source / "mix.otter", place / "mix.otter", symlinks=True)
    return Dump(place / "mix.otter")


def try_case(index):
    """(name, what is wrong or None, kind of outcome)."""
    try:
        return build_damaged(CASES[index])
    except Exception as e:  # a broken case is a failed one
        return CASES[index].name, f"the test itself failed: {type(e).__name__}: {e}", "other"


def build_damaged(c):
    """Damages a copy of the case's dump and builds it with each builder. Returns what try_case() returns."""
    for builder in BUILDERS:
        with tempfile.TemporaryDirectory(dir=PLACE, prefix="case-") as top:
            place = pathlib.Path(top)
            dump = copy(c.source, place)
            c.change(dump)
            before = {p.name for p in place.iterdir()}
            outcome = build_limited(builder, place, place / (c.path or "mix.otter"))
            reason = flaw(outcome, place, before)
            if reason is None and outcome.status not in c.statuses:
                reason = f"status {outcome.status}, expected {c.statuses}: {outcome.err[-300:]}"
            for text in c.texts:
                if reason is None and not re.search(text, outcome.err):
                    reason = f"nothing on stderr is like {text!r}: {outcome.err[-500:]}"
            if reason is None and c.is_same and outcome.shape() != SHAPES[c.source]:
                reason = f"not the result of the undamaged dump: {outcome.shape()}"
            if reason is None and c.check is not None:
                reason = c.check(outcome)
            kind = "refused" if outcome.status == 1 else "named" if outcome.status == 3 else "same" if reason is None and \
                outcome.shape() == SHAPES[c.source] else "other"
            if reason is not None:
                if "KEEP" in os.environ:  # in a directory of its own, as other cases may fail at the same time
                    run(["cp", "-a", dump.path, empty(PLACE / "kept" / c.name.replace("/", "-"))])
                return c.name, f"{pathlib.Path(builder).parent.parent.name}: {reason}", kind
    return c.name, None, kind


SHAPES = {}  # by source: the shape of the undamaged dump's outcome


# ---- Main ----

def sample(n_bits, n):
    """n of n_bits numbers, spread over them; always the same ones."""
    return sorted({i * n_bits // n + 3 * i % max(1, n_bits // n) for i in range(min(n, n_bits))})


def main():
    arguments = sys.argv[1:]
    is_all = "--all" in arguments
    wanted = [a for a in arguments if a != "--all"]
    part = take_part(wanted)
    need(RECORDER, *map(pathlib.Path, BUILDERS))
    with alone(PLACE):
        result = compile_c(HERE / "mix.c", PLACE / "mix") if is_all else Result(0, "", "")
        if result.status != 0:
            print(f"not ok damage/compile: {result.err}")
            return 1
        sources = kept() if not is_all or "SOURCES" in os.environ else {name: record(name) for name in SOURCES}
        for name in sources:
            outcome = build_limited(BUILDERS[0], PLACE, sources[name].path)
            if outcome.status not in (0, 3) or name == "whole" and outcome.status != 0:
                print(f"not ok damage/{name}: status {outcome.status} {outcome.err}")
                return 1
            SHAPES[name] = outcome.shape()
        add_file_cases(sources)
        add_header_flips(sources, (lambda bits, n: range(bits)) if is_all else sample)
        add_packed_cases({f"packed-{name}": pack(name) for name in sources}, (lambda bits, n: range(bits)) if is_all else sample)
        count = int(os.environ.get("COUNT", 3000 if is_all else 0))
        add_payload_flips(sources, count or 100, 1)
        add_payload_noise(sources, count or 40, 1000)
        chosen = [i for i, c in enumerate(CASES) if not wanted or any(w in c.name for w in wanted)]
        if not is_all and not wanted:
            chosen = thin(chosen)
        return run_cases(part(chosen))


def thin(indices):
    """Without --all: every twelfth of the flips in headers and of the cuts, and all other cases."""
    many = re.compile(r"-bit-|-cut-")
    kept, n = [], 0
    for i in indices:
        if many.search(CASES[i].name) and "payload" not in CASES[i].name:
            n += 1
            if n % 12 != 1:
                continue
        kept.append(i)
    return kept


def run_cases(indices):
    n_failed, kinds = 0, {}
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(number_of_jobs(), mp_context=context) as pool:
        for name, reason, kind in pool.map(try_case, indices, chunksize=4):
            group = name.split("/")[1].split("-")[0] if "payload" in name or "noise" in name else "other cases"
            row = kinds.setdefault(group, {})
            row[kind] = row.get(kind, 0) + 1
            if reason is None and group == "other cases":
                print(f"ok damage/{name}")
            elif reason is not None:
                n_failed += 1
                print(f"not ok damage/{name}: {reason}", flush=True)
    for group, row in kinds.items():
        print(f"ok damage/{group}: {row}" if n_failed == 0 else f"{group}: {row}")
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
