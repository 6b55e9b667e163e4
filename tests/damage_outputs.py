#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the builder does where writing is hard, and with names that would break out of a text format.

    tests/damage_outputs.py [NAME...]

Places that exist, cannot be written, are full; what is touched at all; the same output twice; several dumps, also of one name; --strict; each output alone; a dump that is cut while it is
read; a signal in the middle; too little memory. Names with quotes, markup, control characters and bytes that are no UTF-8, of program, arguments, host, source files and symbols: every output must
still be what it claims to be (json, csv, dot, OTF2, one line a record or edge), with the name in it, escaped.
"""
import json
import signal
import sys

from common import *

sys.path.insert(0, str(ROOT / "tests/damage"))
from dump import Dump, give_files

HERE, PLACE = ROOT / "tests/damage", WORK / "damage-outputs"
TOUCHED = BUILD / "tests" / "tools" / "touched"
NASTY = b"we\"ird <b>&amp;'\\N {x|y} \t\x01\x1b[31m\x80\xff\xc3(\xe2\x82\xac ,;\n$(id) %s"
SHOWN = "we\"ird <b>&amp;'\\N {x|y} \\x09\\x01\\x1b[31m\\x80\\xff\\xc3(\u20ac ,;\\x0a$(id) %s"


def otter_build(*options, stdout=subprocess.PIPE, env=None):
    return run([BUILDER, *options], env, stdout=stdout)


def listing(directory):
    return sorted(p.name for p in directory.iterdir())


# ---- Places ----

def taken(report, dump, place):
    """What exists is left alone, and --force replaces the builder's own output only."""
    out = place / "out"
    out.mkdir()
    (out / "own.txt").write_text("mine")
    for options in ((), ("--force",)):
        result = otter_build("-o", out, *options, dump)
        what = "taken" + "".join(options)
        text = "exists already" if not options else "holds 'own.txt', which otter-build did not write"
        report.check(what, result.why([1]) or (None if text in result.err else result.err) or
                     (None if listing(place) == ["out"] and (out / "own.txt").read_text() == "mine" else f"{listing(place)}"))
    former = place / "former"  # what a version before 0.2.0 wrote: its archive had another name
    (former / "trace").mkdir(parents=True)
    for name in ("trace.otf2", "trace.def", "trace/0.evt", "nodes.csv"):
        (former / name).write_text("old")
    result = otter_build("-o", former, "--force", "--otf2", dump)
    report.check("taken-by-former", result.why([0]) or (None if listing(former) == ["traces", "traces.def", "traces.otf2"] else f"{listing(former)}"))
    for name, make in {"file": lambda p: p.write_text("x"), "link": lambda p: p.symlink_to("nowhere")}.items():
        make(place / name)
        result = otter_build("-o", place / name, "--force", dump)
        report.check(f"taken-by-{name}", result.why([1]) or (None if "exists and is not a directory" in result.err else result.err))


def repeated(report, dump, place):
    """The same dump makes the same bytes each time, in all files; another set of dumps has another archive."""
    other = place / "other.otter"
    shutil.copytree(dump, other)
    meta = (other / "meta").read_bytes()
    (other / "meta").write_bytes(re.sub(rb"^pid \d+", b"pid 7", meta, flags=re.M))
    ids = []
    for what, dumps in {"one": [dump], "another": [other], "two": [dump, other]}.items():
        outs = [place / f"{what}-{i}" for i in range(2)]
        reasons = [otter_build("-o", out, "--states", *dumps).why([0]) for out in outs]
        reasons += [check_archive(out) for out in outs]
        different = run(["diff", "-rq", *outs]).out
        ids += re.findall(r"Trace identifier +(\w+)", run(["otf2-print", "-A", outs[0] / "traces.otf2"]).out)
        report.check(f"repeated-{what}", next(filter(None, reasons), None) or different or None)
    report.check("repeated-identifiers", None if len(ids) == 3 and len(set(ids)) == 3 else f"{ids}")


def unwritable(report, dump, place):
    for name, out, text in (("not-there", place / "none/out", "cannot be made: No such file"), ("in-a-file", "/etc/passwd/out", "Not a directory"),
                            ("in-proc", "/proc/out", "cannot be made")):
        result = otter_build("-o", out, dump)
        report.check(f"unwritable-{name}", result.why([1]) or (None if text in result.err else result.err))
    report.check("unwritable-nothing", None if listing(place) == [] else f"{listing(place)}")


def full_stdout(report, dump, place):
    for option in ("--summary", "--list", "--canonical"):
        with open("/dev/full", "w", encoding="ascii") as full:
            result = otter_build("-o", place / "out", option, dump, stdout=full)
        shutil.rmtree(place / "out", ignore_errors=True)
        report.check(f"full-stdout{option}", result.why([1]) or (None if "No space left" in result.err else result.err))


def full_disk(report, dump, place):
    """Wherever on the way the disk is full: status 1, a word, and nothing that looks like an output."""
    mount = place / "mount"
    mount.mkdir()
    if os.geteuid() != 0 or run(["mount", "-t", "tmpfs", "-o", "size=4m", "otter-test", mount]).status != 0:
        report.skip("full-disk", "cannot mount a tmpfs")
        return
    try:
        whole = otter_build("-o", place / "whole", dump)
        need_bytes = sum(p.stat().st_size for p in (place / "whole").rglob("*") if p.is_file())
        reasons, n_failed = [whole.why([0])], 0
        for room in range(0, need_bytes + 65536, max(4096, need_bytes // 24 & ~4095)):
            filler = mount / "filler"
            filler.write_bytes(bytes((4 << 20) - room))
            result = otter_build("-o", mount / "out", dump)
            n_failed += result.status == 1
            rest = [n for n in listing(mount) if n != "filler"]
            if result.status == 0:
                reasons += [None if rest == ["out"] else f"{rest}", Graph(mount / "out").flaw(), check_archive(mount / "out")]
                shutil.rmtree(mount / "out", ignore_errors=True)
            else:
                reasons += [result.why([1]), None if rest == [] else f"with room for {room} it leaves {rest}",
                            None if result.err.startswith("otter-build: ") else f"it says {result.err!r}"]
            filler.unlink()
        report.check("full-disk", "; ".join(filter(None, reasons)) or (None if n_failed > 3 else f"full {n_failed} times only"))
    finally:
        run(["umount", mount])


def outside(report, dump, place):
    """Nothing is created, changed or removed but the output, whatever a dump says of itself: by the builder's system calls."""
    place = place.resolve()
    shutil.unpack_archive(HERE / "dumps.tar.xz", place / "dumps")
    lies = place / "lies.otter"
    shutil.copytree(dump, lies)
    away = str(place / "elsewhere").encode()
    meta = re.sub(rb"^(program|host|cwd|runtime) .*$", lambda m: m[1] + b" ../../" + away, (lies / "meta").read_bytes(), flags=re.M)
    (lies / "meta").write_bytes(meta + b"arg " + away + b"\nring_dir " + away + b"\nenv OTTER_DIR=" + away + b"\n")
    dumps = [lies, *(place / "dumps").glob("*/mix.otter")]
    out, log = str(place / "out"), place / "log"
    for options in (["-o", out], ["-o", out, "--force", "--graph=fragment", "--dot", "--csv", "--otf2"], ["--list"], ["--canonical"]):
        name = " ".join(o for o in ("outside", *options) if o.startswith(("outside", "--")))
        several = ["--merge", *dumps] if "-o" in options else dumps[:1]  # they are of different runs
        result = run([TOUCHED, log, BUILDER, *options, *several])
        if result.status == 125:
            report.skip(name, "a process may not be traced here")
            continue
        paths = log.read_text(errors="replace").splitlines()
        # OTF2 makes every directory on the way to its archive, all of which are there.
        odd = [p for p in paths if p != str(BUILDER) and not out.startswith(p + "/") and
               not re.match(re.escape(out) + r"(\.(tmp|old)-\d+)?(/|$)", p) or ".." in p]
        reason = f"it touches {sorted(set(odd))}" if odd else None if (len(paths) > 20) == ("-o" in options) else f"{len(paths)} calls seen"
        report.check(name, result.why([0, 3]) or reason)
    report.check("outside-nothing", None if listing(place) == ["dumps", "lies.otter", "log", "out"] else f"{listing(place)}")


# ---- Several dumps, and dumps that change ----

def several(report, dump, place):
    for name in ("a", "b"):
        shutil.copytree(dump, place / name / "mix.otter")
    result, summary = build(place / "a/mix.otter", place / "out", place / "b/mix.otter")
    report.check("two-of-one-name", result.why([0]) or (None if summary["processes"] == 2 else f"{summary['processes']} processes") or
                 Graph(place / "out").flaw() or check_archive(place / "out"))
    result, summary = build(dump, place / "out2", dump)
    report.check("one-twice", result.why([0]) or check_archive(place / "out2"))
    (place / "b/mix.otter/00000.seg").unlink()
    result, summary = build(place / "b/mix.otter", place / "out3", place / "a/mix.otter")
    report.check("one-of-two-damaged", result.why([3]) or check_archive(place / "out3") or
                 (None if "b/mix.otter: found nothing of stream 0" in result.err else result.err))
    (place / "b/mix.otter/meta").write_text("otter-dump 9 0\n")
    result, summary = build(place / "a/mix.otter", place / "out4", place / "b/mix.otter")
    report.check("one-of-two-refused", result.why([1]) or (None if not (place / "out4").exists() else "there is output"))


def strict(report, dump, place):
    result = otter_build("--strict", "-o", place / "out", dump)
    report.check("strict-whole", result.why([0]) or (None if (place / "out/traces.otf2").exists() else "no output"))
    damaged = place / "damaged.otter"
    shutil.copytree(dump, damaged)
    data = bytearray((damaged / "00000.seg").read_bytes())
    data[4096 + 40] ^= 1
    (damaged / "00000.seg").write_bytes(data)
    result = otter_build("--strict", "-o", place / "out2", damaged)
    words = ("refused by --strict", "incomplete", "1 header_damaged", "1 segments_missing")
    report.check("strict-damaged", result.why([4]) or (None if all(w in result.err for w in words) else result.err) or
                 (None if listing(place) == ["damaged.otter", "out"] else f"{listing(place)}"))
    repaired = place / "repaired.otter"
    shutil.copytree(dump, repaired)
    file, at = next((repaired / name, at) for name, at in Dump(repaired).all_records("task_schedule"))
    data = bytearray(file.read_bytes())
    data[at + 9:at + 11] = (77).to_bytes(2, "little")  # its task_status
    file.write_bytes(data)
    result = otter_build("--strict", "-o", place / "out3", repaired)
    report.check("strict-repaired", result.why([4]) or (None if "status_unknown" in result.err and "incomplete" not in result.err else result.err) or
                 (None if not (place / "out3").exists() else "there is output"))
    result = otter_build("-o", place / "out3", repaired)
    report.check("not-strict-repaired", result.why([3]) or Graph(place / "out3").flaw() or check_archive(place / "out3"))
    for option in ("--list", "--canonical"):
        result = otter_build("--strict", option, damaged)
        report.check(f"strict{option}", result.why([4]) or (None if result.out == "" else "it wrote"))


def only_the_graph_finds(report, dump, place):
    """A repair that nothing but the graph finds: --strict builds one whatever is asked for, and without one it is not found."""
    shutil.unpack_archive(HERE / "dumps.tar.xz", place / "dumps")
    damaged = place / "dumps/whole/mix.otter"
    file, at = next((damaged / name, at) for name, at in Dump(damaged).all_records("task_dependence"))
    data = bytearray(file.read_bytes())
    data[at + 16:at + 24] = (30 << 20).to_bytes(8, "little")  # its source: a task that was created much later
    file.write_bytes(data)
    for option in ("--list", "--otf2", "--dot", "--summary"):
        result = otter_build(option, "-o", place / ("out" + option), damaged)
        report.check(f"graph-repair{option}", result.why([0 if option in ("--list", "--otf2") else 3]))
        result = otter_build(option, "--strict", "-o", place / "strict", damaged)
        report.check(f"graph-repair{option}--strict", result.why([4]) or (None if "1 dependence_not_in_list" in result.err else result.err) or
                     (None if result.out == "" and not (place / "strict").exists() else "it wrote"))


def each_output_alone(report, dump, place):
    """What an output holds does not depend on which others are written, though only what they need is gathered and kept."""
    def contents(out, text):
        files = {p.name: p.read_bytes() for p in out.iterdir() if p.is_file() and not p.name.startswith("trace")} if out.exists() else {}
        if (out / "traces.otf2").exists():
            for option in ("-A", "-G", ""):
                printed = otf2_print(out / "traces.otf2", *([option] if option else [])).out
                files["traces.otf2" + option] = "\n".join(line for line in printed.splitlines() if "race id" not in line and str(out) not in line).encode()
        return files, text.replace(str(out), "OUT")

    def without_answer(name, data):
        """What other outputs than --answer leave out: figures of constructs, and what limits the run."""
        if name == "constructs.csv":
            return b"\n".join(b",".join(line.split(b",")[:7]) for line in data.split(b"\n"))
        if name == "spawn.csv":  # the critical path
            return b"\n".join(line[:line.rfind(b",")] for line in data.split(b"\n"))
        if name == "spawn.speedscope.json":
            return data.partition(b'critical path"')[0].rpartition(b",\n")[0] if b'critical path"' in data else data.rpartition(b"]}")[0]
        return json.dumps({k: v for k, v in json.loads(data).items() if k != "answer"}) if name == "summary.json" else data

    profile, answer = "parallelism.csv", ["waits.csv", "grain.csv", "speedups.csv"]  # which --csv does not write
    options = {"--otf2": ["traces.otf2"], "--dot": ["graph.dot"], "--svg": [".svg"], "--csv": [".csv"], "--parallelism": [profile],
               "--folded": [".folded"], "--speedscope": ["speedscope.json"], "--summary": ["summary.json"],
               "--answer": ["summary.json", *answer]}
    for level in ("task", "scope", "fragment"):
        for states in ([], ["--states"]):
            how = [f"--graph={level}", *states]
            result = otter_build(*options, *how, "-o", place / "all", dump)
            reason = result.why([0])
            files, text = contents(place / "all", result.out)
            shutil.rmtree(place / "all", ignore_errors=True)
            texts = []
            for option, endings in options.items():
                result = otter_build(option, *how, "-o", place / "one", dump)
                one_files, one_text = contents(place / "one", result.out)
                shutil.rmtree(place / "one", ignore_errors=True)
                expected = {name: data for name, data in files.items() if any(e in name for e in endings) and not (option == "--csv" and name in (profile, *answer))}
                if option != "--answer":
                    expected, one_files = ({n: without_answer(n, d) for n, d in some.items()} for some in (expected, one_files))
                differing = sorted(n for n in {*expected, *one_files} if expected.get(n) != one_files.get(n))
                report.check(" ".join(["alone", option, *how]), reason or result.why([0]) or (f"{differing} differ" if differing else None) or
                             (None if expected else "it wrote no file"))
                texts.append(one_text)
            # What of the graph is folded is said with either of its files, but once.
            said = dict(zip(options, texts))
            drawn, drawn_svg, *shown = (said.pop(o) for o in ("--dot", "--svg", "--answer", "--summary"))
            is_same = "".join(shown) + drawn == text and drawn_svg == drawn.replace("graph.dot", "graph.svg") and not any(said.values())
            report.check(" ".join(["alone stdout", *how]), None if is_same else "stdout differs")
    both, one = otter_build("--list", "--canonical", dump), [otter_build(o, dump) for o in ("--list", "--canonical")]
    report.check("alone --list --canonical", both.why([0]) or (None if both.out == one[0].out + one[1].out and one[0].out else "they differ"))


def cut_while_read(report, dump, place):
    """A disk that fails, or somebody who cuts a file that is being read, must not end in a crash."""
    preload = place / "truncate.so"
    result = run([COMPILERS["gcc"], "-shared", "-fPIC", "-o", preload, HERE / "truncate.c", "-ldl"])
    report.check("cut-while-read-preload", result.why([0]))
    for name, when in ("cut-while-read", {}), ("cut-while-built", {"CUT_LATE": "1"}):
        top = empty(place / name)
        shutil.copytree(dump, top / "mix.otter")
        result = otter_build("-o", top / "out", top / "mix.otter", env={"LD_PRELOAD": str(preload), **when})
        report.check(name, result.why([1]) or (None if "a file of a dump was cut, or could not be read" in result.err else result.err) or
                     (None if listing(top) == ["mix.otter"] else f"{listing(top)}"))


def ended(report, dump, place):
    """SIGTERM, SIGINT or SIGHUP in the middle of a build: nothing of it is left, what was there before is as it was, the status is the signal's."""
    out = place / "out"
    result = otter_build("--summary", "-o", out, dump)
    before = (out / "summary.json").read_bytes()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        is_under_way = False
        while not is_under_way:
            with subprocess.Popen([BUILDER, "-q", "--force", "-o", out, *[dump] * 300], env=CLEAN, stderr=subprocess.PIPE, text=True) as process:
                # It is stopped when its directory is there, so that it is not done before it gets the signal.
                while process.poll() is None and not any(".tmp-" in n for n in listing(place)):
                    pass
                process.send_signal(signal.SIGSTOP)
                is_under_way = any(".tmp-" in n for n in listing(place))
                process.send_signal(number)
                process.send_signal(signal.SIGCONT)
                err = process.communicate(timeout=HANG_S)[1]
            # Where others had the processors it may be done before it is seen: then it is begun again.
            if not is_under_way:
                (out / "summary.json").write_bytes(before)
        report.check(f"ended-by-{number.name}", result.why([0]) or
                     (None if process.returncode == -number else f"status {process.returncode}, {err}") or
                     (None if listing(place) == ["out"] else f"{listing(place)}") or
                     (None if listing(out) == ["summary.json"] and (out / "summary.json").read_bytes() == before else "the earlier output was touched"))
    ignoring = run(["sh", "-c", 'trap "" HUP; "$@" & kill -HUP $!; wait $!', "sh", BUILDER, "--force", "-q", "-o", out, dump])
    report.check("ended-not-where-ignored", ignoring.why([0]))


def without_memory(report, dump, place):
    """As much memory as is there, from too little to begin to enough: status 1 and one clean message, or all is written; nothing else is left."""
    out = place / "out"
    for name, options in (("files", ["-q"]), ("fragment", ["-q", "--csv", "--summary", "--graph=fragment"]), ("canonical", ["--canonical"])):
        n_failed, reasons, megabytes = 0, [], 8
        while megabytes < 512:
            limit = f'ulimit -v {megabytes << 10}; exec "$@"'
            result = run(["sh", "-c", limit, "sh", BUILDER, "--version"])
            if result.status == 0:
                result = run(["sh", "-c", limit, "sh", BUILDER, *options, "-o", out, *[dump] * 60], {"OMP_NUM_THREADS": "1"})
                if result.status == 0:
                    break
                n_failed += 1
                text = result.err.strip().splitlines()
                is_clean = text and all(line.startswith("otter-build: ") for line in text)
                reasons += [result.why([1]), None if is_clean else f"with {megabytes} MiB it says {result.err!r}",
                            None if listing(place) == [] else f"with {megabytes} MiB it leaves {listing(place)}"]
            megabytes += 1
        shutil.rmtree(out, ignore_errors=True)
        report.check(f"without-memory-{name}", "; ".join(filter(None, reasons)) or result.why([0]) or
                     (None if n_failed >= 2 else f"memory was out {n_failed} times only"))


# ---- Names ----

def escape_meta(value):
    """As docs/format.md says."""
    return b"".join(b"\\\\" if c == 92 else b"\\n" if c == 10 else b"\\x%02x" % c if c < 32 or c == 127 else bytes([c]) for c in value)


def nasty_program(place):
    """mix, with the worst names that a compiler and a linker take: its source's file, and the symbols of its tasks."""
    text = (HERE / "mix.c").read_text()
    line = '#line 1 "' + "".join(f"\\{b:03o}" if not chr(b).isalnum() or b > 126 else chr(b) for b in NASTY) + '"\n'
    source = place / "nasty.c"
    source.write_text(text.replace("static omp_lock_t lock;", line + "static omp_lock_t lock;"))
    plain = place / "plain"
    result = compile_c(source, place / "nasty", "clang")
    if result.status == 0:
        result = compile_c(HERE / "mix.c", place / "with-symbols", "clang", ["-g0", "-fno-inline"])
    if result.status == 0:
        names = run(["nm", place / "with-symbols"]).out.split()
        for name in {n for n in names if "omp_task_entry" in n or "omp_outlined" in n or n in ("dependences", "in_single", "member", "tree")}:
            renaming = name.encode() + b"=" + name.encode() + NASTY  # bytes that no text can hold
            p = subprocess.run([b"objcopy", b"--redefine-sym", renaming, bytes(place / "with-symbols"), bytes(plain)], capture_output=True, check=False)
            if p.returncode != 0:
                return Result(p.returncode, "", p.stderr.decode(errors="replace"))
            plain.replace(place / "with-symbols")
    return result


def record(program, place, name):
    env = {"OMP_NUM_THREADS": "3", "OMP_TOOL_LIBRARIES": str(RECORDER), "OTTER_RING": "32K", "OTTER_DRAIN": "self", "OTTER_DIR": str(place / name)}
    (place / name).mkdir()
    result = run([program], env)
    found = dumps_in(place / name)
    return (give_files(found[0]) if len(found) == 1 else None), result


def check_outputs(report, what, dump, place, wanted):
    """Every output of a dump, parsed by somebody else's parser. `wanted`: output -> a text that is in it."""
    out = place / f"out-{what}"
    result, summary = build(dump, out, "--otf2", "--csv", "--dot", "--folded", "--speedscope", "--summary", "--graph=scope")
    report.check(f"{what}/build", result.why([0]))
    if result.status != 0:
        return
    report.check(f"{what}/summary.json", None if wanted.get("json", "") in json.dumps(summary, ensure_ascii=False).replace('\\"', '"').replace("\\\\", "\\") else
                 f"{summary['program']!r}")
    values = {value for row in read_nodes(out) for value in row.values()}
    reason = None if all(isinstance(v, str) and v.isprintable() for v in values) else "a field that is not printable"
    report.check(f"{what}/nodes.csv", reason or (None if any(wanted.get("csv", "") in v for v in values) else f"{sorted(values, key=len)[-3:]}"))
    report.check(f"{what}/graph", Graph(out).flaw())
    stacks = (out / "spawn.folded").read_text(encoding="utf-8").split("\n")
    is_clean = all(re.fullmatch(r"[^;]+(;[^;]+)* \d+", line) and line.isprintable() for line in stacks[:-1]) and stacks[-1] == ""
    text = wanted.get("csv", "").replace(";", "\\x3b")
    report.check(f"{what}/spawn.folded", (None if is_clean else "a line that is no stack") or (None if any(text in line for line in stacks) else f"{stacks[-2:]}"))
    frames = json.loads((out / "spawn.speedscope.json").read_text(encoding="utf-8"))["shared"]["frames"]
    report.check(f"{what}/spawn.speedscope.json", None if any(wanted.get("csv", "") in f["name"] + f.get("file", "") for f in frames) else f"{frames[-2:]}")
    dot = run(["dot", "-Tjson0", "-o", out / "graph.json", out / "graph.dot"])
    labels = {o.get("label", "") for o in json.loads((out / "graph.json").read_text())["objects"]} if dot.status == 0 else set()
    text = wanted.get("dot", "").replace("\\", "\\\\")
    report.check(f"{what}/graph.dot", dot.why([0]) or (dot.err or None) or (None if any(text in l for l in labels) else f"{sorted(labels, key=len)[-2:]}"))
    report.check(f"{what}/traces.otf2", check_archive(out))
    printed = run(["otf2-print", "-G", out / "traces.otf2"])
    is_clean = all(line.isprintable() for line in printed.out.splitlines())
    report.check(f"{what}/definitions", printed.why([0]) or (None if is_clean else "a line that is not printable") or
                 (None if wanted.get("otf2", "") in printed.out else "the name is not among the strings"))
    lines = otter_build("--list", dump).out.splitlines()
    report.check(f"{what}/list", None if lines and all(re.match(r"\d+ (\d+\.\d+ [\d+]+ \w+|gap$)", l) for l in lines) else "a line that is none")
    lines = otter_build("--canonical", dump).out.split("\n")
    bad = [l for l in lines if l and not (l.isprintable() and re.match(r".+\[.*\] (-> .+\] [a-z]+(:[a-z_]+)?|-- .+\] exclusive)( x\d+)?$", l))]
    report.check(f"{what}/canonical", f"a line that is none: {bad[0]!r}" if bad or len(lines) < 10 else None)


def names(report, dump, place):
    copy = place / "names.otter"
    shutil.copytree(dump, copy)
    escaped = escape_meta(NASTY)
    meta = (copy / "meta").read_bytes()
    for key in (b"program", b"host", b"cwd"):
        meta = re.sub(rb"^%s .*$" % key, lambda m, key=key: key + b" " + escaped, meta, flags=re.M)
    meta += b"arg " + escaped + b"\narg " + NASTY.replace(b"\n", b"") + b"\nruntime LLVM OMP " + escaped + b"\nenv OMP_X=" + escaped + b"\nnote " + escaped + b"\n"
    (copy / "meta").write_bytes(meta)
    check_outputs(report, "names-in-meta", copy, place, {"json": SHOWN, "otf2": SHOWN})
    odd = place / os.fsdecode(NASTY.replace(b"\n", b"") + b".otter")
    shutil.copytree(dump, odd)
    check_outputs(report, "name-of-the-dump", odd, place, {})
    result = nasty_program(place)
    report.check("names/compile", result.why([0]))
    for program, wanted in (("nasty", {"csv": SHOWN, "dot": "we\"ird", "otf2": SHOWN}), ("with-symbols", {"csv": SHOWN[:40], "otf2": SHOWN[:40]})):
        found, result = record(place / program, place, f"dumps-{program}")
        report.check(f"names/{program}", result.why([0]) or (None if found else "no dump"))
        if found:
            check_outputs(report, f"names-in-{program}", found, place, wanted)


TRIALS = {"taken": taken, "repeated": repeated, "unwritable": unwritable, "outside": outside, "full-stdout": full_stdout, "full-disk": full_disk, "several": several, "strict": strict,
          "only-the-graph-finds": only_the_graph_finds, "each-output-alone": each_output_alone, "cut-while-read": cut_while_read,
          "ended": ended, "without-memory": without_memory, "names": names}


def main():
    need(RECORDER, BUILDER, TOUCHED)
    wanted = sys.argv[1:]
    with alone(PLACE):
        result = compile_c(HERE / "mix.c", PLACE / "mix")
        dump = record(PLACE / "mix", PLACE, "dumps")[0] if result.status == 0 else None
        if dump is None:
            print(f"not ok damage_outputs/record: {result.err}")
            return 1

        def work(name):
            report, place = Report(), PLACE / name
            place.mkdir()
            TRIALS[name](report, dump, place)
            return report
        return 0 if run_all([name for name in TRIALS if not wanted or name in wanted], work) else 1


if __name__ == "__main__":
    sys.exit(main())
