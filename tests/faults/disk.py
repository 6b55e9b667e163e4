# SPDX-License-Identifier: BSD-3-Clause
"""The directory of the dump is full, missing, read-only, removed or moved, or its name is taken."""
import stat
import threading
import time

from trial import *


def full_disk(size, is_filled=False, is_packed=False):
    """The dump is on a tmpfs of that size, of which the rings alone take 2 MiB a stream. `is_filled`: a thread of this
    test fills it once recording has begun. However late that thread has a processor, there is no room for all records."""
    def trial():
        name = f"full-disk-{size}" + ("-filled" if is_filled else "") + ("-packed" if is_packed else "")
        with tmpfs(name, size) as mount:
            if not mount:
                return skipped(name, "cannot mount a tmpfs")
            t = Trial(name, {"OTTER_PACK": "on"} if is_packed else {}, directory=mount)
            filler = threading.Thread(target=fill, args=(mount,))
            if is_filled:
                t.args, result = ["31"], "fib 31 = 1346269"
                filler.start()
                t.run(result=result)
                filler.join()
            else:
                t.run()
            t.check("loss", lossy(t.build([3])))
            return t.end()
    return trial


def fill(directory):
    """Waits for the first segment on the disk, then takes all space that is left."""
    deadline = time.monotonic() + HANG_S
    while time.monotonic() < deadline and not list(directory.glob("*.otter/*.*seg")):
        time.sleep(0.001)
    with open(directory / "filler", "wb", buffering=0) as f:
        try:
            while True:
                f.write(b"x" * (1 << 20))
        except OSError:
            pass


def no_directory(path):
    def trial():
        t = Trial("no-directory" + path.replace("/", "-"), {"OTTER_DIR": path})
        t.run()
        return t.end()
    return trial


def read_only():
    """For root a read-only file system, for others a directory without permission to write."""
    t = Trial("read-only")
    if is_root():
        with tmpfs("read-only", "1m") as mount:
            if not mount or run(["mount", "-o", "remount,ro", mount]).status != 0:
                return t.skip("cannot mount a tmpfs")
            t.env["OTTER_DIR"] = str(mount)
            t.run()
    else:
        t.dir.chmod(0o500)
        t.run()
        t.check("none", "a dump in a read-only directory" if dumps_in(t.dir) else None)
        t.dir.chmod(0o700)
    return t.end()


def occupied(kind):
    """The dump's name is taken: by a symbolic link, which must not be followed, by a directory or a file, which must
    not be touched."""
    def trial():
        t = Trial(f"occupied-by-{kind}")
        target = empty(t.work / "target")
        make = {"link": f'ln -s "{target}" "$name"', "dangling": f'ln -s "{target}/not-there" "$name"',
                "directory": 'mkdir "$name"', "file": ': >"$name"'}[kind]
        t.run(["sh", "-c", f'name="{t.dir}/fib-$(uname -n)-$$.otter"; echo "$name" >"{t.work}/name"; {make}; exec "{t.program}" {FIB}'])
        t.check("untouched", "something was written to the link's target" if list(target.iterdir()) else None)
        taken = pathlib.Path((t.work / "name").read_text().strip())
        if kind in ("directory", "file"):
            used = list(taken.iterdir()) if kind == "directory" else taken.stat().st_size
            t.check("untouched", "what was there was written to" if used else None)
        taken.rename(t.work / "taken")
        t.check("whole", whole(t.build([0])))
        return t.end()
    return trial


def halfway(name, command, back=None, **what):
    """A shell does something to the dump halfway."""
    t = Trial(name, {"OTTER_RING": "32K", **what}, program="midway", args=["command", command] + ([back] if back else []))
    t.env["DUMPS"], t.env["WORK"] = str(t.dir), str(t.work)
    t.run(result="15000 tasks")
    return t


def removed():
    """The dump is removed: the program does not notice, and nothing appears in its place."""
    # rm finds the directory not empty where the drain thread makes a file meanwhile.
    t = halfway("removed", 'while [ -e "$DUMPS"/*.otter ]; do rm -rf "$DUMPS"/*.otter 2>/dev/null; done')
    t.check("nothing", f"{list(t.dir.iterdir())}" if list(t.dir.iterdir()) else None)
    return t.end()


def removed_above():
    t = halfway("removed-above", 'while [ -e "$DUMPS" ]; do rm -rf "$DUMPS" 2>/dev/null; done')
    t.check("nothing", "the directory is there again" if t.dir.exists() else None)
    return t.end()


def moved():
    """The dump is moved away: what is lost is counted, in the rings if not in meta."""
    t = halfway("moved", 'mv "$DUMPS"/*.otter "$WORK/away.otter"')
    t.check("loss", lossy(t.build([3], dump=t.work / "away.otter")))
    return t.end()


def moved_back():
    """The dump is moved away and back. Recording, once stopped, does not go on; meta has the end."""
    t = halfway("moved-back", 'mv "$DUMPS"/*.otter "$WORK/away"; mkdir "$WORK/x"', 'mv "$WORK/away" "$DUMPS/it.otter"')
    t.check("loss", lossy(t.build([3])))
    return t.end()


def exchanged():
    """The dump is moved away, and its name leads to a copy of it: nothing is written there."""
    t = halfway("exchanged", 'dump=$(echo "$DUMPS"/*.otter); mv "$dump" "$WORK/away.otter"; cp -r "$WORK/away.otter" "$WORK/target"; '
                'cp -r "$WORK/away.otter" "$WORK/before"; ln -s "$WORK/target" "$dump"')
    t.check("target", run(["diff", "-r", t.work / "before", t.work / "target"]).why([0]))
    t.check("loss", lossy(t.build([3], dump=t.work / "away.otter")))
    return t.end()


def moved_linked():
    """The dump is moved away, and its name leads to where it is now: recording goes on."""
    # In one step, as a thread that writes meanwhile would find nothing there, and recording would stop. The link leads to its own name.
    exchange = 'import ctypes, sys; a, b = (p.encode() for p in sys.argv[1:]); sys.exit(ctypes.CDLL(None).renameat2(-100, a, -100, b, 2) != 0)'
    t = halfway("moved-linked", 'away=$WORK/away.otter; ln -s "$away" "$away" && '
                f"python3 -c '{exchange}' \"$(echo \"$DUMPS\"/*.otter)\" \"$away\"")
    t.check("whole", whole(t.build([0], dump=t.work / "away.otter"), 15000))
    return t.end()


def limited():
    t = Trial("limit", {"OTTER_LIMIT": "1M"})
    t.run()
    t.check("loss", lossy(t.build([3])))
    # At the end the rings are replaced by what they hold, whatever the limit.
    size = directory_bytes(t.dir)
    t.check("size", f"{size} bytes of segments" if size > (1 << 20) + 2 * RING else None)
    return t.end()


def directory_bytes(path):
    return sum(p.stat().st_size for p in path.rglob("*") if p.is_file() and p.suffix in (".seg", ".dseg", ".pseg", ".pbuf"))


def newest():
    """The flight recorder keeps the end of the program, not its beginning, within the limit."""
    t = Trial("keep-newest", {"OTTER_KEEP": "newest", "OTTER_LIMIT": "2M", "OTTER_RING": "256K"})
    t.run()
    summary = t.build([3], whole=False)
    size = directory_bytes(t.dir)
    t.check("size", f"{size} bytes of segments" if size > 2 << 20 else None)
    if summary:
        events = summary["events"]
        t.check("window", None if events.get("parallel_end") == 1 and 10000 < summary["records"] < 200000 else
                f"{events.get('parallel_end')} parallel_end, {summary['records']} records")
    return t.end()


def newest_fits():
    """The flight recorder keeps everything if it fits."""
    t = Trial("keep-newest-fits", {"OTTER_KEEP": "newest", "OTTER_LIMIT": "256M"})
    t.run()
    t.check("whole", whole(t.build([0])))
    return t.end()


def modes():
    """Only its owner can read a dump: modes 0700 and 0600, whatever the umask."""
    t = Trial("modes")
    t.run(["sh", "-c", f'umask 0; exec "{t.program}" {FIB}'])
    t.check("whole", whole(t.build([0])))
    wrong = [f"{p.name} {stat.S_IMODE(p.stat().st_mode):o}" for d in dumps_in(t.dir) for p in [d, *d.iterdir()]
             if stat.S_IMODE(p.stat().st_mode) != (0o700 if p.is_dir() else 0o600)]
    t.check("modes", ", ".join(wrong))
    return t.end()


TRIALS = {f"full-disk-{size}": full_disk(size) for size in ("256k", "8m", "19m", "24m")}
TRIALS["full-disk-filled"] = full_disk("60m", True)
TRIALS["full-disk-packed"] = full_disk("19m", is_packed=True)
TRIALS["full-disk-filled-packed"] = full_disk("60m", True, True)
TRIALS |= {f"no-directory-{i}": no_directory(path) for i, path in enumerate(("/dev/null/x", "/proc/otter"))}
TRIALS |= {f"occupied-{kind}": occupied(kind) for kind in ("link", "dangling", "directory", "file")}
TRIALS |= {trial.__name__.replace("_", "-"): trial for trial in (read_only, removed, removed_above, moved, moved_back, exchanged, moved_linked, limited, newest, newest_fits, modes)}
