#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records the same program over and over on busy processors, harms it in between, and compares each dump with what the program
has counted itself: nothing may be lost that is not counted.

    tests/soak.py [MINUTES]     30 minutes; SEED=N repeats the lengths of the runs and the moments of what harms them

`make soak MINUTES=30` calls it; it is not in make check. As many processes as there are processors do nothing but loop. The
program is omp/witness.c with eight threads (and, in each fourth run, with one, and without the loops, so that the drain
thread has a processor and writes directly); tests/kill.py explains what it proves. KINDS has what happens to the program. In two
runs of three it is killed as well, at some moment. Every second run is packed. As root, each second round runs as an ordinary user
(USER_NUMBER=N, that of nobody), and the disk that is frozen is an ext4 in a file; for others nothing is frozen, which is said.

Each dump is built. Of a run that came to its end exactly what the program has counted is there, of a killed one all that is
proven; or what is missing is counted as lost, where KINDS allows that. What fails stays in build/tests/run/soak.
"""
import fcntl
import pwd
import random

import kill
from kill import *

LONGEST_S = 3
TEAMS = {8: "witness-8", 1: "witness-1"}
DISK_BYTES = 4 << 30            # of the disk that is frozen: the file has holes
FIFREEZE, FITHAW = 0xC0045877, 0xC0045878
LIMITS, USUAL = (0, 3, 4), 256  # of open files, in turn; 0 forbids the recorder's own tables, too

# Name -> is it run by the launcher, does it lie on the disk that is frozen, are its descriptors used up, may it lose what it counts?
KINDS = {
    "plain": (False, False, False, False),
    "launched": (True, False, False, False),
    "frozen": (True, True, False, True),
    "frozen with rings in the dump": (False, True, False, True),
    "without descriptors": (False, False, True, True),
}


def compile_witness(team):
    program = WORK / "soak" / TEAMS[team]
    result = compile_c(ROOT / "tests/omp/witness.c", program, "clang", [f"-DTEAM={team}"])
    if result.status != 0:
        sys.exit(f"not ok soak/compile: {result.err}")
    return program


def variants(has_disk, user):
    """(kind, threads, user, variables) of the runs, in turn. `user`: the ordinary one; None: there is no other."""
    kinds = [kind for kind in KINDS if has_disk or not KINDS[kind][1]]
    has_pack = b"OTTER_PACK" in RECORDER.read_bytes()
    for number in range(1 << 30):
        variables = {"OTTER_RING": "128K"} if number % 7 == 6 else {}
        if has_pack:
            variables["OTTER_PACK"] = ("on", "auto", "on", "off")[number // 2 % 4]
        yield kinds[number % len(kinds)], 1 if number % 4 == 3 else 8, user if number // len(kinds) % 2 else None, variables


class Loops:
    """Processes that take all processors, while they are not stopped."""

    def __init__(self):
        self.all = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in os.sched_getaffinity(0)]

    def send(self, number):
        for process in self.all:
            process.send_signal(number)

    def end(self):
        for process in self.all:
            process.kill()
            process.wait()


@contextlib.contextmanager
def disk():
    """Yields the directory of an ext4 of its own; None where none can be mounted."""
    image, mount = WORK / "soak" / "disk", empty(WORK / "soak" / "mount")
    with open(image, "wb") as f:
        f.truncate(DISK_BYTES)
    try:
        if os.geteuid() != 0 or run(["mkfs.ext4", "-q", image]).status != 0 or run(["mount", "-o", "loop", image, mount]).status != 0:
            yield None
            return
        try:
            yield mount
        finally:
            run(["umount", mount])
    finally:
        image.unlink()


class Harm(threading.Thread):
    """Freezes the disk, or takes the program's descriptors, for up to two seconds at a time, until it is told to stop."""

    def __init__(self, rng, mount, pid, who):
        super().__init__()
        self.rng, self.mount, self.pid, self.who = random.Random(rng.random()), mount, pid, who
        self.is_over, self.n, self.flaw = threading.Event(), 0, None

    def freeze(self):
        fd = os.open(self.mount, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.ioctl(fd, FIFREEZE, 0)
            self.is_over.wait(self.rng.random() * 2)
            fcntl.ioctl(fd, FITHAW, 0)
        finally:
            os.close(fd)

    def limit(self, n):
        # Only a process of the same user may do that, without the privilege CAP_SYS_RESOURCE.
        result = subprocess.run(["prlimit", f"--pid={self.pid}", f"--nofile={n}:"], capture_output=True, text=True, **self.who)
        if result.returncode != 0 and pathlib.Path(f"/proc/{self.pid}/fd/0").is_symlink():
            raise OSError(result.stderr.strip())

    def take_descriptors(self):
        self.limit(self.rng.choice(LIMITS))
        self.is_over.wait(self.rng.random() * 0.6)
        self.limit(USUAL)

    def run(self):
        try:
            while not self.is_over.wait(0.1 + self.rng.random() * 0.5):
                if self.mount:
                    self.freeze()
                else:
                    self.take_descriptors()
                self.n += 1
        except OSError as e:
            self.flaw = str(e)

    def end(self):
        self.is_over.set()
        self.join()


def wrong_marks(dump, slots, n_lost):
    """kill.wrong_sequence without the tasks between two marks, of which there are too many: the summary counts them. At most
    n_lost marks are missing."""
    wanted = re.compile(r".* command=(\d+) modifier=(\d+)")
    lines = subprocess.run(f'"{BUILDER}" --list -q "{dump}" | grep " control_tool "', shell=True, env={**CLEAN, **PASSIVE}, capture_output=True, text=True).stdout
    numbers, n_missing = [[] for _ in slots], 0
    for command, modifier in (match.groups() for match in map(wanted.match, lines.splitlines())):
        numbers[int(command) - MARK].append(int(modifier))
    for slot, (seen, witness) in enumerate(zip(numbers, slots)):
        if len(set(seen)) != len(seen) or seen and not max(seen) < witness["marking"]:
            return f"the marks of slot {slot} are not a sequence: {sorted(seen)[-5:]}, {len(seen)} in all, {witness['marking']} begun"
        n_missing += max(max(seen, default=-1) + 1, witness["marked"]) - len(seen)
    return f"{n_missing} marks are missing, {n_lost} records are counted as lost" if n_missing > n_lost else None


def uncounted(proven, summary, lost):
    """Is more missing of what is proven than the records that are counted as lost, or more there than was begun?"""
    event = lambda name: summary["events"].get(name, 0)
    wanted = {"task_create": (proven["created"], proven["creating"]), "control_tool": (proven["marked"], proven["marking"]),
              "task_schedule": (proven["run"] + proven["completed"], None), "sync_region_end": (proven["marked"], None),
              "sync_region_begin": (proven["marked"], None), "parallel_end": (proven["regions"], proven["regions"] + 1),
              "implicit_task_begin": (proven["begun"], None)}
    missing = {name: least - event(name) for name, (least, _) in wanted.items() if event(name) < least}
    surplus = {name: event(name) - most for name, (_, most) in wanted.items() if most is not None and event(name) > most}
    if surplus:
        return f"more in the dump than was begun: {surplus}"
    return f"missing {missing}, lost {summary['lost']}" if sum(missing.values()) > lost else None


def sizes(dump):
    """Bytes that the drain thread wrote, and that threads wrote themselves."""
    drained = sum(f.stat().st_size for f in dump.glob("drain*"))
    return drained, sum(f.stat().st_size for f in dump.iterdir()) - drained


def program_of(process):
    """The process of the program, which the launcher has started; the launcher's own where there is none yet, or no more."""
    with contextlib.suppress(OSError):
        for child in pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
            if pathlib.Path(f"/proc/{child}/exe").readlink().name in TEAMS.values():
                return int(child)
    return process.pid


def end_of(process, rng, timeout_s, is_launched):
    """Waits for the end, or kills: the program, or the launcher with it. Returns what has ended, the process of the program."""
    program = process.pid
    try:
        process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        program = program_of(process)
        with contextlib.suppress(ProcessLookupError):  # it has ended meanwhile
            if is_launched and (program == process.pid or rng.random() < 0.3):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                os.kill(program, signal.SIGKILL)
    return program


def forget(program, user):
    """Waits for the end of a killed process, which may wait for the disk, and removes what LLVM's runtime leaves of it."""
    while pathlib.Path(f"/proc/{program}").exists():
        time.sleep(0.01)
    forget_dead()
    for left in pathlib.Path("/dev/shm").glob(f"__KMP_REGISTERED_LIB_*_{user}") if user is not None else ():
        left.unlink(missing_ok=True)


def soak(report, number, program, mount, rng, totals, kind, team, user, variables):
    """One run: killed at some moment, or not."""
    is_launched, is_frozen, is_poor, may_lose = KINDS[kind]
    kill.TEAM, kill.SLOTS, kill.BYTES = team, team + 1, 64 * (2 + team)
    work = empty(WORK / "soak" / str(number))
    dumps, witness = empty((mount if is_frozen else work) / "dumps"), Witness(work / "witness")
    who = {"user": user, "group": user, "extra_groups": []} if user is not None else {}
    for path in (work, dumps, work / "witness") if who else ():
        os.chown(path, user, user)
    length_s = rng.random() * LONGEST_S
    env = {**CLEAN, "OTTER_DIR": str(dumps), "OMP_NUM_THREADS": str(team), **variables}
    env |= {} if is_launched else {"OMP_TOOL_LIBRARIES": str(RECORDER)}
    command = [*([LAUNCHER, "-q", f"--dir={dumps}", "--no-binaries", "--"] if is_launched else []), program, work / "witness", str(length_s * 1000)]
    process = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, start_new_session=True, **who)
    harm = Harm(rng, mount if is_frozen else None, process.pid, who) if is_frozen or is_poor else None
    if harm:
        harm.start()
    ended = end_of(process, rng, rng.random() * 1.5 * length_s + 0.01, is_launched)
    if harm:
        harm.end()
    process.wait()
    forget(ended, user)
    name, has_ended = f"soak/{number}", process.returncode == 0
    reasons = [None if process.returncode in (0, -signal.SIGKILL) else f"status {process.returncode} {process.stderr.read()[-300:]}", harm and harm.flaw]
    proven, found = witness.sum(), dumps_in(dumps)
    totals[kind, user is not None, "runs"] += 1
    totals[kind, user is not None, "killed"] += not has_ended
    totals[kind, user is not None, "faults"] += harm.n if harm else 0
    totals[kind, user is not None, "tasks"] += proven["created"]
    if not found:
        reasons.append("no dump" if (has_ended or any(proven.values())) and not is_poor else None)
    else:
        result, summary = build(found[0], work / "out", "-q", "--summary")
        if summary is not None:
            lost = summary["lost"]["total"]
            # A kill in the phase ENDING may come after the recorder's end, when nothing is missing any more.
            # Without descriptors meta may lack its end, and rings stay, which is reported with status 3.
            reasons.append(result.why([3] if may_lose and lost else [0, 3] if is_poor else [0] if has_ended else [0, 3] if witness.phase() == ENDING else [3]))
            damage = {kind: n for kind, n in summary["damage"].items() if kind != "meta_empty" or any(proven.values())}  # killed as it began
            if may_lose and lost:
                lost += damage.pop("group_cut", 0)  # a record whose continuation is lost is left out
            reasons += [uncounted(proven, summary, lost) if may_lose else wrong_counts(proven, summary, False),
                        wrong_marks(found[0], witness.slots(), lost if may_lose else 0), f"damage {damage}" if damage else None]
            totals[kind, user is not None, "records"] += summary["records"]
            totals[kind, user is not None, "lost"] += lost
            totals["drained"], totals["written"] = (a + b for a, b in zip((totals["drained"], totals["written"]), sizes(found[0])))
        else:
            reasons.append(result.why([0, 3]) or "no summary")
        left = pathlib.Path("/dev/shm") / found[0].name
        # One that was killed as it made its dump leaves an empty directory, as meta does not name it yet.
        reasons.append(f"{left} is still there" if any(left.glob("*.ring")) or left.exists() and any(proven.values()) else None)
        shutil.rmtree(left, ignore_errors=True)
    if report.check(name, "; ".join(filter(None, reasons))):
        shutil.rmtree(work)
    else:
        print(f"not ok {name}: {kind}, {variables}, {team} threads, user {user}: {'; '.join(filter(None, reasons))}", flush=True)
        if is_frozen:
            shutil.copytree(dumps, work / "dumps", dirs_exist_ok=True)


def print_totals(totals):
    names = ("runs", "killed", "faults", "tasks", "records", "lost")
    print(f"{'kind':<30} {'user':<9}" + "".join(f"{name:>12}" for name in names))
    for kind in KINDS:
        for is_ordinary in (False, True):
            if totals[kind, is_ordinary, "runs"]:
                print(f"{kind:<30} {'ordinary' if is_ordinary or os.geteuid() else 'root':<9}" + "".join(f"{totals[kind, is_ordinary, name]:>12}" for name in names))
    print(f"soak: {totals['drained']} bytes by the drain thread, {totals['written']} by the program's threads")


def ordinary_user():
    """The number of a user that can reach the program and the recorder; None: there is none but this one."""
    user = int(os.environ.get("USER_NUMBER", pwd.getpwnam("nobody").pw_uid))
    if os.geteuid() != 0:
        return None
    if subprocess.run(["test", "-r", RECORDER], user=user, group=user, extra_groups=[]).returncode != 0:
        print(f"skip soak/user: user {user} cannot read {RECORDER}", flush=True)
        return None
    return user


def main():
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 30
    seed = int(os.environ.get("SEED", time.time_ns() % 1000000))
    need(RECORDER, BUILDER, LAUNCHER)
    programs = {team: compile_witness(team) for team in TEAMS}
    print(f"soak: {minutes:g} minutes, SEED={seed}", flush=True)
    report, totals, rng = Report(), collections.Counter(), random.Random(seed)
    end, loops = time.monotonic() + minutes * 60, Loops()
    try:
        with disk() as mount:
            if not mount:
                print("skip soak/frozen: not root, or an image of ext4 cannot be mounted", flush=True)
            for number, (kind, team, user, variables) in enumerate(variants(mount, ordinary_user())):
                loops.send(signal.SIGSTOP if team == 1 else signal.SIGCONT)
                soak(report, number, programs[team], mount, rng, totals, kind, team, user, variables)
                if time.monotonic() > end:
                    break
    finally:
        loops.send(signal.SIGCONT)
        loops.end()
    print_totals(totals)
    print(f"soak: {report.failed} runs failed, load {os.getloadavg()[0]:.1f}")
    return report.failed > 0


if __name__ == "__main__":
    sys.exit(main())
