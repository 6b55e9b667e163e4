#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does otter-build name what limits a run, where, and what mending it gives?

A player (answers/player.py) plays programs with one fault each (answers/plays.py) on 2, 4, 8 and 64 threads that do not
exist, at times that are known to the nanosecond, and writes their dumps. The builder has to name the fault and its place; what it
promises is compared with how much faster the player's mended program is; and the account of all threads' time has to be
the player's own, to the nanosecond. No clock is looked at.

Real programs (answers/programs) have one fault each, too, from which the right answer is so far that no clock can hide it. Of each a
recording is kept (answers/kept), from which the planted answer comes whatever the machine does. One of each kind of limit and compiler,
with WHOLE=1 each, is recorded as well. Where others took the processors from each of several recordings, nothing is known, and the
program is skipped.

Usage: answers.py [--played | --recorded] [NAME...]    all plays, kept recordings (kept-NAME) and programs, or these
                                                       --played: without the programs, whose times nothing else must disturb
                                                       --recorded: the programs alone
       answers.py --keep [NAME...]                     records anew what is kept, of all programs or of these
"""
import sys

from common import *

sys.path.insert(0, str(ROOT / "tests/answers"))
import checks
import keeping
import plays
import recorded

NAME, PLACE = "answers", WORK / "answers"
WRITER = BUILD / "tests/tools/write_dump"
TRIES = 5


def write(player, dump):
    shutil.rmtree(dump, ignore_errors=True)
    written = subprocess.run([WRITER, dump], input=player.text(), text=True, stderr=subprocess.PIPE)
    if written.returncode != 0:
        raise RuntimeError(f"write_dump: {written.stderr}")


def answer_of(player, place):
    """The answer, and what is wrong with it as with any other."""
    write(player, place.with_suffix(".otter"))
    return checks.answer_of(place.with_suffix(".otter"), place.with_suffix(".build"))


def wrong_account(answer, player):
    if (answer["threads"], answer["wall_ns"]) != (player.n_threads, player.wall):
        return f"{answer['wall_ns']} ns on {answer['threads']} threads, not {player.wall} on {player.n_threads}"
    account = dict(answer["account_ns"])
    account["work"] += account.pop("creating") + account.pop("handing_out")  # a part of the work, which no player could know
    wrong = {what: (account[what], ns) for what, ns in player.spent.items() if account[what] != ns}
    return f"the account has, and not the player: {wrong}" if wrong else None


def wrong_limit(answer, play, given):
    if answer["limit"] != play.limit or answer["construct"]["label"] not in play.labels():
        return f"{answer['limit']} {answer['construct']['label']}, not {play.limit} {' or '.join(play.labels())}"
    if play.limit != "none" and abs(answer["possible_speedup"] / given - 1) > play.within:
        return f"promises {answer['possible_speedup']:.3f}, mending gives {given:.3f}"
    return None


def test_play(job):
    play, n = job
    report, name = Report(), f"{NAME}/{play.name}-{n}"
    with alone(PLACE / f"{play.name}-{n}") as place:
        faulty, mended = play.make(n)
        for what, player in (("faulty", faulty), ("mended", mended)):
            answer, wrong = answer_of(player, place / what)
            if not report.check(f"{name}/{what}", wrong or (None if answer else "no answer")):
                continue
            report.check(f"{name}/{what}-account", wrong_account(answer, player))
            if what == "faulty":
                report.check(f"{name}/part", checks.answer_of((place / what).with_suffix(".otter"), place / "part", (0,), "--from=30%", "--to=80%")[1])
                report.check(f"{name}/limit", wrong_limit(answer, play, faulty.wall / mended.wall))
            else:
                report.check(f"{name}/mended-limit", None if play.then in ("*", answer["limit"]) else f"{answer['limit']}, not {play.then}")
    return report


def try_program(program, binary, place, mended):
    """Records and builds it until a recording is right, or TRIES of them were; one that is open once. (What is wrong, None:
    nothing; why nothing is known.)"""
    reasons, taken, may_be_taken = [], [], program.limit in ("preemption", "binding", "hang")
    wrong_of = program.wrong_then if mended else program.wrong_limit
    for _ in range(1 if program.is_open else TRIES):
        try:
            answer, wrong = program.answer(binary, place, mended)
        except RuntimeError as e:
            return str(e), None
        if wrong or answer is None:
            return wrong or "no answer", None
        wrong, share = wrong_of(answer), recorded.taken_away(answer)
        if not wrong:
            return None, None
        if share > recorded.BUSY and not may_be_taken:
            taken.append(f"{share:.0%}")
        else:
            reasons.append(wrong)
    # Twice is no chance: a machine that others use says something else each time.
    if len(reasons) > 1 or program.is_open and reasons:
        return "; ".join(sorted(set(reasons))), None
    return None, f"others had {', '.join(taken)} of the threads' time"


def versions(program):
    return ("faulty",) if program.limit == "none" else ("faulty", "mended")


def compile_program(program, place):
    report = Report()
    for what in versions(program):
        binary = place / program.name / what / program.source.stem
        binary.parent.mkdir(parents=True)
        report.check(f"{NAME}/{program.name}/compile-{what}", program.compile(binary, what == "mended").why([0]))
    return report


def test_program(program, place):
    report, name = Report(), f"{NAME}/{program.name}"
    for what in versions(program):
        binary = place / program.name / what / program.source.stem
        if not binary.exists():
            continue  # a failure already
        wrong, unknown = try_program(program, binary, place / program.name, what == "mended")
        if wrong and program.is_open:
            report.skip(f"{name}/{what}", f"open: {wrong}")
        elif unknown:
            report.skip(f"{name}/{what}", unknown)
        else:
            report.check(f"{name}/{what}", wrong)
    return report


def test_programs(names):
    is_right, able = True, []
    for program in recorded.programs():
        why_not = program.why_not()
        if names and program.name not in names:
            continue
        if why_not:
            print(f"skip {NAME}/{program.name}: {why_not}")
        else:
            able.append(program)
    if not names and not WHOLE:
        able = recorded.one_of_each(able)
    with alone(PLACE / "programs") as place:
        is_right &= run_all(able, lambda program: compile_program(program, place))
        for program in able:  # one at a time: two would take the processors from each other
            report = test_program(program, place)
            report.print()
            is_right &= report.failed == 0
    return is_right


def test_kept(program):
    with alone(PLACE / f"kept-{program.name}") as place:
        return keeping.test(program, f"{NAME}/kept-{program.name}", place)


def test_all_kept(names):
    programs = recorded.programs()
    is_right = run_all([p for p in programs if p.name not in keeping.LEFT_OUT and (not names or f"kept-{p.name}" in names)], test_kept)
    if names:
        return is_right
    report = Report()
    for what, wrong in keeping.flaws(programs):
        report.check(f"{NAME}/kept-{what}", wrong)
    report.print()
    return is_right and report.failed == 0


def test_crowded(n_processors):
    """Eight threads of which all are preempted, on so many processors."""
    report, name = Report(), f"{NAME}/crowded-{n_processors}"
    play = next(p for p in plays.PLAYS if p.name == "preemption_of_all")
    with alone(PLACE / f"crowded-{n_processors}") as place:
        player = play.make(8)[0]
        write(player, place / "faulty.otter")
        with open(place / "faulty.otter/meta", "a") as meta:
            meta.write(f"processors {n_processors}\n")
        answer, wrong = checks.answer_of(place / "faulty.otter", place / "faulty.build")
        if not report.check(f"{name}/answer", wrong):
            return report
        is_crowded = n_processors < 8
        said = (answer["limit"], answer["why"].get("sort"), answer["why"].get("processors"), f"OMP_NUM_THREADS={n_processors}" in answer["try"], answer["processors"])
        wanted = ("preemption", "crowded", n_processors, True, n_processors) if is_crowded else ("preemption", None, None, False, n_processors)
        report.check(f"{name}/limit", None if said == wanted else f"{said}, not {wanted}")
        # These processors take at least as long as the work, divided among them.
        most = answer["wall_ns"] * n_processors / answer["account_ns"]["work"]
        report.check(f"{name}/bound", None if answer["possible_speedup"] <= max(most, 1) + 1e-6 or not is_crowded else f"{answer['possible_speedup']}, more than {most}")
    return report


def test_alone(n_processors):
    """Eight threads of which one works at a time: no more is promised than the processors can do."""
    report = Report()
    for number, (limit, program) in enumerate(plays.alone(8)):
        name = f"{NAME}/alone-{limit}-{number}-on-{n_processors}"
        with alone(PLACE / f"alone-{number}-{n_processors}") as place:
            write(plays.Player(8, program), place / "alone.otter")
            with open(place / "alone.otter/meta", "a") as meta:
                meta.write(f"processors {n_processors}\n")
            answer, wrong = checks.answer_of(place / "alone.otter", place / "alone.build")
            promised = answer["possible_speedup"] if answer else 0
            report.check(name, wrong or (answer["limit"] != (limit if n_processors > 1 else "none") and f"{answer['limit']}")
                         or (not 0.85 * n_processors <= promised <= 1.03 * n_processors and f"promises {promised}"))
    return report


def test_divided(n_threads):
    """A wait for something long is blamed on that, in the table of constructs as in what limits the run."""
    report, name = Report(), f"{NAME}/divided-{n_threads}"
    with alone(PLACE / f"divided-{n_threads}") as place:
        write(plays.Player(n_threads, plays.long_task(n_threads)), place / "long.otter")
        result = run([BUILDER, "-q", "--csv", "--answer", "-o", place / "out", place / "long.otter"])
        if not report.check(f"{name}/built", result.why([0])):
            return report
        answer = json.loads((place / "out/summary.json").read_text())["answer"]
        blamed = {row["label"]: int(row["blamed_ns"]) for row in csv.DictReader(open(place / "out/constructs.csv", newline="")) if row["blamed_ns"]}
        said = (answer["limit"], answer["construct"]["label"])
        report.check(f"{name}/limit", None if said == ("imbalance", "task@0x400014") else f"{said}")
        lost = 7900000 * (n_threads - 1)
        report.check(f"{name}/blamed", None if blamed["task@0x400014"] > 0.9 * lost and blamed["taskwait@0x40001e"] < 0.1 * lost else f"{blamed}, of {lost}")
    return report


def test_held(n_threads):
    """What is executed while a mutex is held has no time without a processor; how long it is held has."""
    report, name = Report(), f"{NAME}/held-{n_threads}"
    with alone(PLACE / f"held-{n_threads}") as place:
        program = plays.region(lambda t: t.critical(21, 2, 1000000, 500000))
        write(plays.Player(n_threads, program, with_switches=True), place / "held.otter")
        result = run([BUILDER, "-q", "--csv", "--answer", "-o", place / "out", place / "held.otter"])
        if not report.check(f"{name}/built", result.why([0])):
            return report
        rows = [next(csv.DictReader(line for line in open(place / "out/mutexes.csv", newline="")))]
        rows += [row for row in csv.DictReader(open(place / "out/constructs.csv", newline="")) if row["kind"] == "critical"]
        found = [int(rows[0]["held_ns"]), *(int(row["own_ns"]) for row in rows[1:])]
        report.check(f"{name}/own", None if found == [n_threads * 1500000, n_threads * 1000000] else f"held and executed for {found}")
    return report


def test_recorder(n_threads):
    """What records cost is not the program's, nor the runtime's: small tasks, once without a cost of a record, and with two."""
    report, name = Report(), f"{NAME}/recorder-{n_threads}"
    player = next(p for p in plays.PLAYS if p.name == "grain_of_tasks").make(n_threads)[0]
    with alone(PLACE / f"recorder-{n_threads}") as place:
        answers = []
        for record_ns in (0, 50, 100):
            dump = place / f"costs-{record_ns}.otter"
            write(player, dump)
            with open(dump / "meta", "a") as meta:
                meta.write(f"record_ns {record_ns}\n")
            answer, wrong = checks.answer_of(dump, place / f"costs-{record_ns}.build")
            if not report.check(f"{name}/answer-{record_ns}", wrong):
                return report
            answers.append(answer)
        accounts, n = [a["account_ns"] for a in answers], answers[0]["why"]["count"]
        recorded = [account["recorder"] for account in accounts]
        ok = recorded[0] == 0 and recorded[1] >= 3 * n * 50 and recorded[2] == 2 * recorded[1]  # created, begun, ended
        report.check(f"{name}/account", None if ok else f"{recorded} ns are the recorder's, of {n} tasks")
        same = [{what: ns for what, ns in account.items() if what not in ("work", "creating", "handing_out", "runtime", "recorder")} for account in accounts]
        report.check(f"{name}/others", None if same[0] == same[1] == same[2] else f"{same}")
        own = [a["why"]["own_ns"] for a in answers]
        report.check(f"{name}/own", None if own == [own[0], own[0] - 50, own[0] - 100] else f"a task executes {own} ns")
        promised = [a["possible_speedup"] for a in answers]
        limits = {a["limit"] for a in answers}
        ok = limits == {"grain"} and promised[0] < promised[1] < promised[2]
        report.check(f"{name}/promised", None if ok else f"{limits}: {promised} times")
    return report


def main():
    need(BUILDER, WRITER)
    names = sys.argv[1:]
    if names[:1] == ["--keep"]:
        return 0 if keeping.keep_all(names[1:], NAME, PLACE) else 1
    are_played, are_recorded = (option not in names for option in ("--recorded", "--played"))
    names = [name for name in names if not name.startswith("--")]
    return 0 if (not are_played or test_played(names)) & (not are_recorded or test_programs(names)) else 1


def test_played(names):
    """Everything of which the times are known."""
    is_right = test_all_kept(names)
    jobs = [(play, n) for play in plays.PLAYS for n in play.threads if not names or play.name in names]
    is_right &= run_all(jobs, test_play)
    is_right &= run_all([n for n in (6, 8) if not names or f"crowded-{n}" in names], test_crowded)
    is_right &= run_all([n for n in (1, 2, 6, 8) if not names or f"alone-{n}" in names], test_alone)
    is_right &= run_all([n for n in (2, 8) if not names or f"divided-{n}" in names], test_divided)
    is_right &= run_all([n for n in (2, 4) if not names or f"held-{n}" in names], test_held)
    return is_right & run_all([n for n in (2, 4) if not names or f"recorder-{n}" in names], test_recorder)


if __name__ == "__main__":
    sys.exit(main())
