# SPDX-License-Identifier: BSD-3-Clause
"""Recordings of the programs of programs/ that are kept in kept/, so that the builder has to find each planted fault whatever the
machine does. Used by ../answers.py.

kept/NAME.tar.xz has the program's text as it was recorded, the dump of the faulty program and, where what is left then is known,
that of the mended one; packed, and with nothing in them that names the machine. Lines come from the copy of the program in the
dump, which alone of all binaries is kept there; flang's, which notes no lines of constructs, is not kept. Of WITH_ANSWER, the whole
answer is kept as well (NAME.json).
"""
import io
import tarfile

from common import *
import checks
import golden
import recorded
import screen

KEPT = ROOT / "tests/answers/kept"
WITH_ANSWER = ("chain_stages.c", "creation_one.c", "exclusion_lock.c", "grain_recursion.c", "imbalance_two.c", "none_nested.c", "preemption_hog.c",
               "serial_single.c", "wait_taskwait.c", "data_update.c")
# Programs of which no recording is kept, and why.
LEFT_OUT = {}
TRIES = 10
BYTES, ALL_BYTES = 40 << 10, 2500 << 10  # of an archive, and of all
# With fewer records than in that the runtime's start, some ms, would limit these; of the last one, all switches would be known.
LARGE, LARGE_BYTES = ("abt_hot.c", "exclusion_hot_tasks.c", "grain_recursion.c", "preemption_crowd.c"), 128 << 10


def versions(program):
    """Which are kept, and in which dump: (is it the mended one, the name)."""
    stem = program.source.stem
    has_mended = program.limit != "none" and program.then != "*"
    return ((False, f"{stem}.otter"), (True, f"{stem}-mended.otter"))[:1 + has_mended]


def in_short(answer):
    """What is kept of an answer."""
    return {"limit": answer["limit"], "construct": answer["construct"]["label"], "possible_speedup": round(answer["possible_speedup"], 3),
            "others": [[row["limit"], row["construct"]["label"]] for row in answer["others"]]}


# ---- Recording ----


def keep_program(dump, name, is_wanted):
    """Leaves of the binaries in a dump the program alone, or none, under a path that names nothing."""
    place, kept = dump / "binaries", None
    found = re.search(rf"^map \S+ \S+ \S+ (\w+) \S*/{re.escape(name)}$", (dump / "meta").read_text(), re.MULTILINE)
    if is_wanted and found:
        kept = (place / found[1]).read_bytes()
    shutil.rmtree(place, ignore_errors=True)
    if kept is not None:
        place.mkdir()
        (place / found[1]).write_bytes(kept)
        (place / "list").write_text(f"otter-binaries 1\nkept {found[1]} {len(kept)} whole /golden/{name}\n")


def take(program, binary, mended, place, dump):
    """Puts a recording there. What is wrong with it; None: nothing is."""
    taken = program.record(binary, place / "dumps", mended=mended)
    if program.offloads:
        remove_images([taken])
    keep_program(taken, binary.name, program.compiler != "flang")
    golden.neutral(taken, binary.name)
    # The launcher has brought the rings; another dump may have that directory when this one is built.
    (taken / "meta").write_text(re.sub(r"^ring_dir .*\n", "", (taken / "meta").read_text(), flags=re.MULTILINE))
    packed = run([BUILDER, "--pack", taken]).why([0] if mended or program.status == 0 else [0, 3])
    if packed:
        return packed
    named = [file.name for file in taken.rglob("*") if file.is_file() and os.fsencode(ROOT) in file.read_bytes()]
    if named:
        return f"{', '.join(named)} has the path of this clone"
    answer, wrong = program.answer_of(taken, place / "out", mended)
    if wrong or answer is None:
        return wrong or "no answer"
    share = recorded.taken_away(answer)
    if share > recorded.BUSY and program.limit not in ("preemption", "binding", "hang"):
        return f"others had {share:.0%} of the threads' time"
    wrong = program.is_another(answer, mended)
    if not wrong:
        taken.rename(dump)
    return wrong


def most_bytes(file):
    """Of an archive."""
    return LARGE_BYTES if file.removesuffix(".tar.xz") in LARGE else BYTES


def pack(folder, path):
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:xz", preset=9) as archive:
        golden.add_files(archive, folder)
    if content.tell() > most_bytes(path.name):
        return f"{content.tell()} bytes, more than {most_bytes(path.name)}: `kept:` in its comment can make it smaller"
    path.write_bytes(content.getvalue())
    return None


def keep(program, place):
    """Records it until the answers are those that are planted. What is wrong; None: it is kept."""
    folder = empty(place / "kept")
    shutil.copyfile(program.source, folder / program.name)
    program.source = program.source.relative_to(ROOT)  # as compilers note it, below a folder that names nothing
    more = [*program.macros, *([] if program.compiler == "flang" else [f"-ffile-prefix-map={ROOT}=/kept"])]
    more += ["-g1"] if program.source.suffix == ".cc" else []  # the standard library's types would be the most of it
    for mended, name in versions(program):
        binary, reasons = empty(place / f"mended-{mended:d}") / program.source.stem, []
        wrong = program.compile(binary, mended, *more).why([0])
        if wrong:
            return wrong
        for _ in range(TRIES):
            try:
                wrong = take(program, binary, mended, place, folder / name)
            except RuntimeError as e:
                wrong = str(e)
            if not wrong:
                break
            reasons.append(wrong)
        else:
            return f"{name}: none of {TRIES} recordings is right: {'; '.join(sorted(set(reasons)))}"
    wrong = pack(folder, KEPT / f"{program.name}.tar.xz")
    if not wrong and program.name in WITH_ANSWER:
        answer, wrong = program.answer_of(folder / f"{program.source.stem}.otter", place / "out", False)
        (KEPT / f"{program.name}.json").write_text(json.dumps(in_short(answer), indent=1) + "\n")
    return wrong


def keep_all(names, name_of_test, place):
    """Keeps these, or all that can be answered. One at a time: two would take the processors from each other. Is all kept?"""
    os.chdir(ROOT)  # compilers note where they are called
    KEPT.mkdir(exist_ok=True)
    is_right, unknown = True, set(names)
    for program in recorded.programs():
        unknown.discard(program.name)
        if program.name not in names if names else program.is_open or program.name in LEFT_OUT:
            continue
        report = Report()
        with alone(place / f"keep-{program.name}") as own:
            report.check(f"{name_of_test}/keep-{program.name}", program.why_not() or keep(program, own))
        report.print()
        is_right &= report.failed == 0
    for name in sorted(unknown):
        print(f"not ok {name_of_test}/keep-{name}: there is no such program")
    return is_right and not unknown


# ---- Testing ----


def test(program, name, place):
    """Is the answer of what is kept the planted one? What is kept of an open program, too, was answered once."""
    report, archive = Report(), KEPT / f"{program.name}.tar.xz"
    if not archive.exists():
        if program.is_open:
            report.skip(name, "open: no recording is kept")
        else:
            report.check(name, f"no recording is kept: tests/answers.py --keep {program.name}")
        return report
    shutil.unpack_archive(archive, place)
    text = (place / program.name).read_text()
    program.lines = program.lines_in(text)
    report.check(f"{name}/text", None if recorded.code_of(text) == program.code else f"it has changed since: tests/answers.py --keep {program.name}")
    for mended, dump in versions(program):
        answer, wrong = program.answer_of(place / dump, place / "out", mended)
        wrong = wrong or ("no answer" if answer is None else program.is_another(answer, mended))
        if report.check(f"{name}/{dump}", wrong) and not mended:
            report.check(f"{name}/strict", not_strict(program, answer))
            report.check(f"{name}/terminal", wrong_on_terminal(program, place, dump))
            if program.name in WITH_ANSWER:
                found, wanted = in_short(answer), json.loads((KEPT / f"{program.name}.json").read_text())
                report.check(f"{name}/whole", None if found == wanted else f"{found}, not {wanted}")
    return report


def wrong_on_terminal(program, place, dump):
    """The same answer on a terminal; each program has another width."""
    columns = screen.WIDTHS[sum(program.name.encode()) % len(screen.WIDTHS)]
    summary = json.loads((place / "out/summary.json").read_text())
    command = [BUILDER, "--answer", "--force", f"--source={place}", "-o", place / "shown", place / dump]
    return screen.wrong_on_terminal(command, columns, summary)


def not_strict(program, answer):
    """The check has to refuse this answer with another kind of limit, and in another line."""
    others = [{**answer, "limit": "serial" if answer["limit"] != "serial" else "wait", "why": {}}] if program.limit != "unseen" else []
    others = [other for other in others if not (program.limit == "none" and program.is_start(other))]
    if program.lines and program.compiler != "flang":
        others.append({**answer, "construct": {**answer["construct"], "line": max(program.lines) + 1000}})
    if any(program.wrong_limit(other) is None for other in others):
        return "another limit, or another line, is as right"
    return None


def flaws(programs):
    """What is wrong with what is kept, as a whole: (what, None or a reason)."""
    sizes = {file.name: file.stat().st_size for file in KEPT.iterdir()}
    large = [name for name, size in sizes.items() if size > most_bytes(name)]
    known = {f"{p.name}.tar.xz" for p in programs if p.name not in LEFT_OUT} | {f"{name}.json" for name in WITH_ANSWER}
    unknown = sorted({*sizes} - known) + sorted({*LEFT_OUT} - {p.name for p in programs})
    return (("size", f"{', '.join(large)}: too large" if large else
             f"{sum(sizes.values())} bytes in all" if sum(sizes.values()) > ALL_BYTES else None),
            ("names", f"of no program that is to be kept: {', '.join(unknown)}" if unknown else None))
