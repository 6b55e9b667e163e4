# SPDX-License-Identifier: BSD-3-Clause
"""Rings that are files in memory, as by default under the launcher, or on request: after any end they come into the dump, and nothing of
them stays in memory."""
import signal
import time

from trial import *

MEMORY = pathlib.Path("/dev/shm")
TASKS = 1000


def ring_dir(dump):
    found = re.search(r"^ring_dir (.*)$", (dump / "meta").read_text(errors="replace"), re.MULTILINE)
    return pathlib.Path(found[1]) if found else None


def rings_in(directory):
    return sorted(p.name for p in directory.glob("*") if p.suffix in (".ring", ".pbuf"))


def killed(t, command=()):
    """Runs the program that kills itself. Returns its dump, whose rings are in memory; None: they are not, here."""
    p = subprocess.run([*command, t.program, *t.args], env=t.env, capture_output=True, text=True, timeout=HANG_S, stdin=subprocess.DEVNULL)
    forget_dead()
    t.check("program", None if (p.returncode, p.stdout) == (-signal.SIGKILL, f"{TASKS} tasks\n") else f"status {p.returncode}, {p.stdout!r}, {p.stderr!r}")
    dumps = dumps_in(t.dir)
    t.check("dump", None if len(dumps) == 1 else f"{len(dumps)} dumps")
    return dumps[0] if len(dumps) == 1 and ring_dir(dumps[0]) else None


def trial(name, shim=None, **env):
    return Trial(name, {"OTTER_RING_DIR": str(MEMORY), **env}, program="killed", args=[TASKS], counted=False, shim=shim)


def launch(t):
    return [LAUNCHER, "-q", f"--dir={t.dir}", "--"]


NOT_HERE = "rings are not in memory here: /dev/shm is no tmpfs with room, or the dump is in one"


def complete(t, dump, what="whole"):
    """Each task is in the dump, wherever its rings are."""
    summary = t.build([3], whole=False, dump=dump)
    found = summary and (summary["lost"]["total"], summary["tasks"]["explicit"])
    t.check(what, None if found == (0, TASKS) else f"lost and explicit tasks: {found}")


def home(t, dump, memory):
    t.check("home", None if rings_in(dump) else "no ring is in the dump")
    t.check("memory", f"{memory} is still there: {rings_in(memory)}" if memory.exists() else None)


def of_killed(name, judge, shim=None, **env):
    """Judges a dump of the program that kills itself, and the directory in memory in which its rings are."""
    def run_trial():
        t = trial(name, shim, **env)
        dump = killed(t)
        if dump is None:
            return t.skip(NOT_HERE)
        return judge(t, dump, ring_dir(dump)) or t.end()
    return run_trial


def launched():
    """The launcher brings the rings of a killed program into the dump, without any setting."""
    t = Trial("rings-launched", program="killed", args=[TASKS], counted=False)
    dump = killed(t, launch(t))
    if dump is None:
        return t.skip(NOT_HERE)
    home(t, dump, ring_dir(dump))
    complete(t, dump)
    return t.end()


def alone(t, dump, memory):
    """Without the launcher, otter-build brings them."""
    t.check("before", None if rings_in(memory) and not rings_in(dump) else f"{rings_in(memory)} in memory, {rings_in(dump)} in the dump")
    complete(t, dump)
    home(t, dump, memory)
    complete(t, dump, "again")


def copied(t, dump, memory):
    """The copy of a dump takes nothing from the dump itself, which is still there; when it was renamed, it is itself."""
    copy = t.work / "copy.otter"
    shutil.copytree(dump, copy)
    complete(t, copy, "copy")
    t.check("left", None if rings_in(memory) and not rings_in(copy) else f"{rings_in(memory)} in memory, {rings_in(copy)} in the copy")
    renamed = dump.rename(t.work / "renamed.otter")
    complete(t, renamed)
    home(t, renamed, memory)


def of_others(t, dump, memory):
    """What a dump names as its rings, and is not that, is left alone: a directory without a link, or with a link to another dump."""
    mine = empty(t.work / "mine")
    (mine / "00000.ring").write_text("mine")
    liar = t.work / "liar.otter"
    shutil.copytree(dump, liar)
    meta = (liar / "meta").read_text(errors="replace").replace(str(memory), str(mine))
    (liar / "meta").write_text(meta)
    for what, link in (("no-link", None), ("link-elsewhere", dump)):
        if link:
            (mine / "dump").symlink_to(link)
        build(liar, t.work / "out")
        t.check(what, None if (mine / "00000.ring").read_text() == "mine" and not rings_in(liar) else f"{rings_in(mine)}, {rings_in(liar)}")
    complete(t, dump)


def read_only(t, dump, memory):
    """A dump that may not be written to is read with its rings where they are."""
    if not is_root() or run(["mount", "--bind", "-o", "ro", dump, dump]).status != 0:
        complete(t, dump)
        return t.skip("only root can mount a dump for reading only")
    try:
        complete(t, dump, "read-only")
        t.check("left", None if rings_in(memory) and not rings_in(dump) else f"{rings_in(memory)} in memory")
    finally:
        run(["umount", dump])
    complete(t, dump)
    home(t, dump, memory)
    return None


def mainless():
    """A process whose main thread has exited still runs: neither the launcher, whose own child has ended, nor otter-build takes its
    rings away, and all of it is in the dump."""
    t = Trial("rings-mainless", program="mainless", counted=False)
    ready, go, said = (t.work / name for name in ("ready", "go", "said"))
    try:
        with said.open("w") as out:
            p = subprocess.run([*launch(t)[:1], f"--dir={t.dir}", "sh", "-c", '"$@" >&2 & while [ ! -e "$3" ]; do sleep 0.05; done', "sh", t.program, str(TASKS), ready, go],
                               env=t.env, stdout=out, stderr=out, timeout=HANG_S, stdin=subprocess.DEVNULL)
        lines = said.read_text()
        t.check("launcher", None if p.returncode == 0 and "still running" in lines else f"status {p.returncode}: {lines!r}")
        dumps = dumps_in(t.dir)
        memory = ring_dir(dumps[0]) if dumps else None
        if memory is None:
            return t.skip(NOT_HERE)
        maps = [line for line in (dumps[0] / "meta").read_text().splitlines() if line.startswith("map ") and line.endswith(f"/{t.program.name}")]
        t.check("name", None if maps and dumps[0].name.startswith(t.program.name) else f"{dumps[0].name}, {len(maps)} mappings of the program")
        t.check("rings", None if rings_in(memory) and not rings_in(dumps[0]) else f"{rings_in(memory)} in memory, {rings_in(dumps[0])} in the dump")
        summary = t.build([0, 3], whole=False)
        t.check("snapshot", None if summary and summary["tasks"]["explicit"] == TASKS else summary and summary["tasks"])
        t.check("rings-stay", None if rings_in(memory) else "otter-build took them")
    finally:
        go.touch()
    deadline = time.monotonic() + HANG_S
    while f"{2 * TASKS} tasks" not in said.read_text() or memory.exists():
        if time.monotonic() > deadline:
            t.check("end", f"{said.read_text()!r}, {memory} {'is still there' if memory.exists() else 'is gone'}")
            break
        time.sleep(0.05)
    t.check("whole", whole(t.build([0]), 2 * TASKS))
    return t.end()


def without_fallocate(t, dump, memory):
    """On a file system that reserves no room a ring has its room all the same: no store into it finds the file system full."""
    holes = [p.name for p in memory.glob("*.ring") if p.stat().st_blocks * 512 < p.stat().st_size]
    t.check("refused", None if t.failed() > 0 else "no call has failed")
    t.check("room", f"holes in {holes}" if holes else None)
    complete(t, dump)


def born(name, is_launched):
    """A process that is killed between making the directory of its rings and the link in it: nothing stays in memory, once the launcher
    has ended, or otter-build has read the dump."""
    def run_trial():
        t = Trial(name, {} if is_launched else {"OTTER_RING_DIR": str(MEMORY)}, counted=False)
        if run(["strace", "-qq", "-o", t.work / "trace", "true"]).status != 0:
            return t.skip("strace is not there, or cannot trace here (tests/deps.sh check installs it)")
        before = set(MEMORY.iterdir())
        command = ["strace", "-f", "-qq", "-o", t.work / "trace", "-e", "trace=?symlink,symlinkat", "-e", "inject=?symlink,symlinkat:signal=KILL"]
        p = subprocess.run([*command, *(launch(t) if is_launched else []), t.program, *t.args], env=t.env, capture_output=True, text=True, timeout=HANG_S)
        forget_dead()
        if "symlink" not in (t.work / "trace").read_text():
            return t.skip(NOT_HERE)
        dumps = dumps_in(t.dir)
        t.check("killed", None if p.returncode == -signal.SIGKILL and len(dumps) == 1 else f"status {p.returncode}, {len(dumps)} dumps, {p.stderr!r}")
        if not is_launched:
            t.check("there", None if ring_dir(dumps[0]) and ring_dir(dumps[0]).exists() else "the directory was not there, or meta does not name it")
            run([BUILDER, "-q", "--summary", "--force", "-o", t.work / "out", dumps[0]])
        left = [p.name for p in set(MEMORY.iterdir()) - before if p.name.startswith(f"{t.program.name}-")]
        t.check("memory", f"{left} are still there" if ring_dir(dumps[0]) is None or ring_dir(dumps[0]).exists() else None)
        return t.end()
    return run_trial


def ended():
    """Of a program that ends by itself nothing is left in memory."""
    t = Trial("rings-ended", counted=False)
    t.run([*launch(t), t.program, *t.args])
    dump = dumps_in(t.dir)[0]
    memory = ring_dir(dump)
    if memory is None:
        return t.skip(NOT_HERE)
    t.check("memory", f"{memory} is still there" if memory.exists() else None)
    t.check("whole", whole(t.build([0])))
    return t.end()


def in_little_memory(size, threads, note):
    """On a small /dev/shm rings are in the dump, all of them or those for which there is no room."""
    def run_trial():
        name = f"rings-{size}"
        if not is_root() or not shutil.which("unshare"):
            return skipped(f"{name}", "only root can mount another /dev/shm")
        t = Trial(name, {"OMP_NUM_THREADS": str(threads)}, counted=False)
        t.run(["unshare", "-m", "sh", "-c", f'mount -t tmpfs -o size={size} otter-test /dev/shm && exec "$0" "$@"', *launch(t), t.program, *t.args])
        t.check("whole", whole(t.build([0])))
        said = any("/dev/shm has no room" in n for n in t.notes())
        t.check("note", None if said == note else t.notes())
        t.check("where", None if (ring_dir(dumps_in(t.dir)[0]) is None) == note else f"rings are in {ring_dir(dumps_in(t.dir)[0])}")
        return t.end()
    return run_trial


def in_dump(name, is_launched, **env):
    """OTTER_RING_DIR=- keeps the rings in the dump. Without the launcher, and after it, nothing would bring them there: they are there from
    the beginning."""
    def run_trial():
        t = Trial(name, env, program="killed", args=[TASKS], counted=False)
        t.check("asked", None if killed(t, launch(t) if is_launched else []) is None else "rings are elsewhere")
        dump = dumps_in(t.dir)[0]
        t.check("home", None if rings_in(dump) else "no ring is in the dump")
        t.check("notes", t.notes() or None)
        complete(t, dump)
        return t.end()
    return run_trial


TRIALS = {"rings-launched": launched, "rings-alone": of_killed("rings-alone", alone),
          "rings-alone-packed": of_killed("rings-alone-packed", alone, OTTER_PACK="on", OTTER_RING="32K"),
          "rings-copied": of_killed("rings-copied", copied), "rings-of-others": of_killed("rings-of-others", of_others),
          "rings-read-only": of_killed("rings-read-only", read_only), "rings-ended": ended,
          "rings-born": born("rings-born", True), "rings-born-alone": born("rings-born-alone", False), "rings-mainless": mainless,
          "rings-no-fallocate": of_killed("rings-no-fallocate", without_fallocate, {"FAULT_CALLS": "posix_fallocate", "FAULT_ERROR": "EOPNOTSUPP"}),
          "rings-8m": in_little_memory("8m", 2, True), "rings-40m": in_little_memory("40m", 24, False),
          "rings-in-dump": in_dump("rings-in-dump", True, OTTER_RING_DIR="-"), "rings-no-launcher": in_dump("rings-no-launcher", False),
          "rings-launcher-gone": in_dump("rings-launcher-gone", False, OTTER_LAUNCH="1-0.0")}
