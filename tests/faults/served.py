# SPDX-License-Identifier: BSD-3-Clause
"""The dump is on a file system in user space (FUSE), whose server ends, or stands still."""
import shutil

import rings
from trial import *

SERVER = pathlib.Path(__file__).with_name("fuse_server.py")


class Served:
    """The directory `mount` shows `back`, as long as the server runs. A dead one is unmounted at the end."""

    def __init__(self, t):
        self.back, self.mount = empty(t.work / "back"), empty(t.work / "mount")
        self.server = subprocess.Popen([SERVER, self.back, self.mount], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.is_mounted = self.server.stdout.readline() == "mounted\n"

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.server.kill()
        self.server.wait()
        if self.is_mounted:
            run(["umount", "-l", self.mount])


def trial(name, judge, program="midway", **env):
    def run_trial():
        t = Trial(f"fuse-{name}", {"OTTER_RING": "256K", **env}, program=program, counted=False)
        if not is_root() or not os.access("/dev/fuse", os.R_OK | os.W_OK):
            return t.skip("not root, or there is no /dev/fuse to be used")
        with Served(t) as served:
            if not served.is_mounted:
                return t.skip("no file system of /dev/fuse can be mounted")
            t.dir = served.mount
            t.env["OTTER_DIR"] = str(t.dir)
            judge(t, served)
        return t.end()
    return run_trial


def rings_of(served):
    """Of the only dump, looked at where the server has it."""
    return rings.ring_dir(dumps_in(served.back)[0])


def lives(t, served):
    """Rings are in memory although no launcher is there, as FUSE may fail; all is recorded."""
    t.args = ["nothing"]
    t.run(result="15000 tasks")
    memory = rings_of(served)
    t.check("rings", None if memory and memory.parent == rings.MEMORY else f"rings are in {memory}")
    t.check("memory", f"{memory} is still there" if memory and memory.exists() else None)
    t.check("whole", whole(t.build([0], whole=False), 15000))


def dies(t, served):
    """The server is killed halfway. The program goes on; what was not written is in its rings, or counted there, and otter-build finds it
    when the files are there again."""
    t.args = ["command", f"kill -9 {served.server.pid}; while [ -e /proc/{served.server.pid}/exe ]; do sleep 0.01; done"]
    t.run(result="15000 tasks")
    run(["umount", "-l", served.mount])
    served.is_mounted = False
    dump = dumps_in(served.back)[0]
    memory = rings_of(served)
    summary = t.build([3], whole=False, dump=dump)
    found = summary and (summary["tasks"]["explicit"], summary["lost"]["total"])
    # Two records at least for a task: what is not there is counted.
    t.check("counted", None if found and (found[0] == 15000 or found[1] >= 2 * (15000 - found[0])) else f"explicit tasks and lost records: {found}")
    t.check("memory", f"{memory} is still there" if memory and memory.exists() else None)


def stands(t, served):
    """The server stops answering halfway, and the program ends meanwhile. What was not written is in its rings, or counted there."""
    t.args = ["command", f"kill -STOP {served.server.pid}"]
    p = subprocess.Popen([t.program, *t.args], env=t.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
    try:
        out, err = p.communicate(timeout=HANG_S / 20)
        t.check("program", None if (p.returncode, out, err) == (0, "15000 tasks\n", "") else f"status {p.returncode}, {out!r}, {err!r}")
    except subprocess.TimeoutExpired:
        t.check("program", "it does not end")
    finally:
        os.kill(served.server.pid, signal.SIGCONT)
    p.wait()
    summary = t.build([3], whole=False)
    found = summary and (summary["tasks"]["explicit"], summary["lost"]["total"])
    t.check("counted", None if found and (found[0] == 15000 or found[1] >= 2 * (15000 - found[0])) else f"explicit tasks and lost records: {found}")


def launched_dies(t, served):
    """The launcher says that the dump cannot be read."""
    p = subprocess.run([LAUNCHER, f"--dir={t.dir}", "--", t.program, "command", f"kill -9 {served.server.pid}"], env=t.env, capture_output=True,
                       text=True, timeout=HANG_S, stdin=subprocess.DEVNULL)
    t.check("program", None if (p.returncode, p.stdout) == (0, "15000 tasks\n") else f"status {p.returncode}, {p.stdout!r}, {p.stderr!r}")
    t.check("said", None if "Transport endpoint is not connected" in p.stderr and "reached no OpenMP" not in p.stderr else p.stderr)
    memory = rings_of(served)
    if memory and memory.exists():
        shutil.rmtree(memory)


TRIALS = {"fuse-lives": trial("lives", lives), "fuse-lives-in-dump": trial("lives-in-dump", lives, OTTER_RING_DIR="-"), "fuse-dies": trial("dies", dies),
          "fuse-dies-packed": trial("dies-packed", dies, OTTER_PACK="on"), "fuse-dies-self": trial("dies-self", dies, OTTER_DRAIN="self"),
          "fuse-launched-dies": trial("launched-dies", launched_dies),
          "fuse-stands": trial("stands", stands)}
