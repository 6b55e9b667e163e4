# SPDX-License-Identifier: BSD-3-Clause
"""How many operations of metadata a process does on the file system of its dump: where that is a server's, a thousand processes do them
at the same moment. strace sees them: calls with a path in the dump, or with a descriptor of a file there, but for those that only
read, write, map or close it."""
from trial import *

MOST = 10           # of a process whose records fit into its rings, however many threads it has
FEW = (10, "fib 10 = 55")
THREADS = (1, 24)
DATA = {"read", "write", "pread64", "pwrite64", "pwritev", "lseek", "mmap", "close", "getdents64", "sendfile", "fcntl", "flock"}


def operations(trace, directory):
    """The operations of the traced command's processes without its first one, which is the launcher, and that one's own."""
    ours, launchers, first = [], [], None
    for line in trace.read_text(errors="replace").splitlines():
        found = re.match(r"(\d+) +(\w+)\((.*)", line)
        if not found:
            continue
        first = first or found[1]
        # The link in the directory of the rings leads to the dump, and is not there.
        if str(directory) in found[3] and found[2] not in DATA and not found[2].startswith("symlink"):
            (launchers if found[1] == first else ours).append(f"{found[2]}({found[3].split(',')[1 if 'AT_FDCWD' in found[3] else 0].strip()})")
    return ours, launchers


def have_more_files(dump):
    """Have its switches a file of their own? Where the end finds a thread that copies them, their ring stays, and strace makes that last
    long; on a busy machine they may be more than a segment has."""
    stream = re.search(r"\nstream 1048575 \w+ \d+ (\d+) ", (dump / "meta").read_text())
    return dump.joinpath("1048575.ring").exists() or stream is not None and int(stream[1]) > 1


def few(name, **env):
    """As many operations with one thread as with many, of the process and of the launcher, and no more files."""
    def run_trial():
        # Threads that spin yield thousands of times, and each yield is a switch.
        t = Trial(f"operations-{name}", {"OTTER_EVENTS": "all", "OMP_WAIT_POLICY": "passive", **env}, args=FEW[:1], counted=False)
        can = run(["strace", "-qq", "-o", t.work / "trace", "true"])
        if can.status != 0:
            return t.skip("strace is not there, or cannot trace here (tests/deps.sh check installs it)")
        numbers = []
        for n_threads in THREADS:
            t.env["OMP_NUM_THREADS"] = str(n_threads)
            for _ in range(5):
                shutil.rmtree(t.dir)
                t.dir.mkdir()
                t.run(["strace", "-f", "-y", "-qq", "-o", t.work / "trace", LAUNCHER, "-q", "--no-binaries", f"--dir={t.dir}", "--", t.program, *t.args], FEW[1])
                dumps = dumps_in(t.dir)
                if not any(have_more_files(d) for d in dumps):
                    break
            if len(dumps) != 1 or "\nring_dir /dev/shm/" not in (dumps[0] / "meta").read_text():
                return t.skip("rings are not in memory here: /dev/shm is no tmpfs with room, or the dump is in one")
            ours, launchers = operations(t.work / "trace", t.dir)
            t.check(f"operations-{n_threads}", f"{len(ours)}: {ours}" if len(ours) > MOST else None)
            # Records of switches are not packed: their stream has no buffer.
            files = {"meta", "drain.seg"} | ({"drain.pseg"} if env.get("OTTER_PACK") == "on" else set())
            found = {p.name for p in dumps[0].iterdir()}
            t.check(f"files-{n_threads}", None if found <= files else sorted(found))
            numbers.append(len(launchers))
            t.build([0], whole=False, archive=False)
        t.check("launcher", None if numbers[0] == numbers[-1] else f"{numbers} operations of the launcher's with {THREADS} threads")
        return t.end()
    return run_trial


TRIALS = {f"operations-{name}": few(name, **env) for name, env in (
    ("auto", {}), ("self", {"OTTER_DRAIN": "self"}), ("newest", {"OTTER_KEEP": "newest"}), ("packed", {"OTTER_PACK": "on"}),
    ("plain", {"OTTER_PACK": "off"}), ("packed-self", {"OTTER_PACK": "on", "OTTER_DRAIN": "self"}))}
