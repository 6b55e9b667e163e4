#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records the programs of tests/omp on older versions of LLVM's runtime, and on one that pretends not to be LLVM's.

    tests/runtimes.py [NAME...]     all programs, or these

On the oldest of these versions all is checked that depends on the runtime, on the others what the expectations say and
the lists; with WHOLE=1 archives and thread states there, too.

Each program is compiled once and recorded on libomp 14, 15 and 16. The results must be those of its expectation, where
a line that begins with libomp14 and so on says what differs on that version, and the canonical list must be the same,
byte for byte, as with libomp 19. (Lists of gcc's programs are not compared: LLVM's runtime may give their constructs
another construct's return address.) Debian's packages of these versions exclude one another: they are downloaded once
and unpacked side by side into build/runtimes. Where they cannot be had the test is skipped.

No other vendor's runtime is freely available: the counting tool tells the recorder another name for LLVM's.
"""
import sys
import tempfile

import run as programs
from common import *
from expect import *
from schedules import canonical_list

OLDER = [r for r in RUNTIMES if r != HOME]
NEWER_ENTRIES = ("__kmpc_dispatch_deinit", "__kmpc_omp_taskwait_deps_51")
VENDOR = "Vendor OpenMP 1.2"
SKIPPED = ("untraced", "levels", "canonical", "metric")
OLDEST_ONLY = ("archive", "states")  # that version differs most


def unpacked(runtime):
    """Returns (the directory of its library, None), or (None, the reason why there is none)."""
    number = runtime.removeprefix("libomp")
    home, package = BUILD / "runtimes" / number, f"libomp5-{number}"
    library = home / f"usr/lib/llvm-{number}/lib"
    if not library.exists():
        if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
            return None, f"no apt-get to download {package} with"
        home.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=home.parent) as directory:
            result = run(["apt-get", "download", package], cwd=directory)
            files = list(pathlib.Path(directory).glob("*.deb"))
            if not files:
                return None, f"apt-get download {package}: {result.why([None])}"
            result = run(["dpkg-deb", "-x", files[0], f"{directory}/files"])
            if result.status != 0:
                return None, f"dpkg-deb -x {files[0].name}: {result.why([0])}"
            if not home.exists():
                os.rename(f"{directory}/files", home)
    return (library, None) if (library / "libomp.so.5").exists() else (None, f"{package} has no {library}/libomp.so.5")


def environment_of(runtime, library):
    """Variables by which programs use that library, and find functions that it lacks in newer_entries.c. Any other
    missing function ends them at the start."""
    exported = (library / "libomp.so.5").read_bytes()
    lacks = [name for name in NEWER_ENTRIES if name.encode() not in exported]
    entries = WORK / "runtimes" / f"entries-{runtime[3:]}.so"
    result = compile_c(ROOT / "tests/runtimes/newer_entries.c", entries, "gcc", ["-shared", "-fPIC", "-fno-openmp", "-O2", "-foptimize-sibling-calls", *(f"-DLACKS_{name}" for name in lacks)])
    if result.status != 0:
        sys.exit(f"not ok runtimes/entries: {result.err}")
    return {"LD_LIBRARY_PATH": str(library), "LD_PRELOAD": str(entries), "LD_BIND_NOW": "1"}


def wrong_lists(work, source, compiler, environments):
    """Compares the canonical lists on all runtimes. Returns a reason, or None, by runtime."""
    wrong, lists = {}, {}
    program = work / source.stem
    for runtime, env in {HOME: {}, **environments}.items():
        want = Expectation(source.with_suffix(".expect"), compiler, runtime)
        if want.not_for(runtime) or want.canonical:
            continue
        lists[runtime], wrong[runtime] = canonical_list(program, want, {**programs.environment(want, compiler), **env}, empty(work / "dumps"))
        if not wrong[runtime] and lists[runtime] != lists[HOME]:
            (work / HOME).write_text(lists[HOME] or "")
            (work / runtime).write_text(lists[runtime])
            wrong[runtime] = f"another list than with {HOME}: diff {work}/{{{HOME},{runtime}}}"
    return wrong


def test_versions(job):
    """Tests one program on all older versions."""
    source, compiler, environments = job
    report = Report()
    for runtime, env in environments.items():
        if compiler == "gcc":  # it calls GNU's entry points, which run.py's preloaded library has
            env = {name: value for name, value in env.items() if name != "LD_PRELOAD"}
        one = programs.test_program(source, compiler, runtime, env, f"-{runtime}", SKIPPED + (() if runtime == OLDER[0] or WHOLE else OLDEST_ONLY))
        report.lines += one.lines
        report.failed += one.failed
    if not Expectation(source.with_suffix(".expect"), compiler).canonical and compiler != "gcc" and compiler_found(compiler):
        with alone(WORK / "runtimes" / f"{source.stem}-{compiler}") as work:
            result = compile_once(source, work / source.stem, compiler)
            wrong = wrong_lists(work, source, compiler, environments) if result.status == 0 else {HOME: result.why([0])}
            for runtime, reason in wrong.items():
                report.check(f"runtimes/{source.stem}-{compiler}-{runtime}/list", reason)
            if not any(wrong.values()):
                shutil.rmtree(work)
    return report


def test_is_loaded(runtime, library, env):
    """Checks by the maps of a dump that programs really run on that library."""
    report = Report()
    source = ROOT / "tests/omp/tasks.c"
    with alone(WORK / "runtimes" / f"loaded-{runtime}") as work:
        program = work / source.stem
        reason = compile_once(source, program, "clang").why([0])
        reason = reason or run([program], {**env, "OMP_TOOL_LIBRARIES": str(RECORDER), "OTTER_DIR": str(work)}).why([0])
        meta = b"".join((d / "meta").read_bytes() for d in dumps_in(work))
        libraries = set(re.findall(rb"/\S*libomp[^/\s]*\.so[.0-9]*", meta))
        if not reason and libraries != {str(library / "libomp.so.5").encode()}:
            reason = f"the program ran on {libraries}"
        report.check(f"runtimes/{runtime}-loaded", reason)
    return report


def recorded_as(runtime, source, compiler, work):
    """Records through the counting tool, which tells the recorder that runtime's name (None: the real one), and builds.
    Returns the summary, the builder's status, the canonical list and the archive's definitions."""
    want = Expectation(source.with_suffix(".expect"), compiler)
    dumps, out = empty(work / "dumps"), work / ("build-other" if runtime else "build")
    result = run([work / source.stem, *want.args],
                 {**programs.environment(want, compiler), "OMP_TOOL_LIBRARIES": str(COUNT_TOOL), "COUNT_CHAIN": str(RECORDER), "OTTER_EVENTS": "all",
                  "OTTER_DIR": str(dumps), **({"COUNT_RUNTIME": runtime} if runtime else {})})
    if result.status != 0 or len(dumps_in(dumps)) != 1:
        raise RuntimeError(f"{len(dumps_in(dumps))} dumps, {result.why([0])}")
    result, summary = build(dumps_in(dumps)[0], out)
    canonical = run([BUILDER, "--canonical", dumps_in(dumps)[0]]).out
    return summary, result.status, canonical, run(["otf2-print", "-G", out / "traces.otf2"]).out


def test_other_name(job):
    """A runtime that is not LLVM's is recorded and named. LLVM's quirks are repairs there."""
    source, compiler, quirk, repair = job
    report, name = Report(), f"runtimes/vendor-{source.stem}-{compiler}"
    with alone(WORK / "runtimes" / f"vendor-{source.stem}-{compiler}") as work:
        result = compile_once(source, work / source.stem, compiler)
        if not report.check(f"{name}/compile", result.why([0])):
            return report
        llvm, llvm_status, llvm_list, _ = recorded_as(None, source, compiler, work)
        vendor, status, vendor_list, archive = recorded_as(VENDOR, source, compiler, work)
        report.check(f"{name}/summary", None if vendor["runtime"] == VENDOR and llvm["runtime"].startswith("LLVM OMP") else
                     f"the runtimes are {vendor['runtime']} and {llvm['runtime']}")
        report.check(f"{name}/archive", None if VENDOR in archive else "the archive does not name the runtime")
        n = llvm["quirks"].get(quirk, 0) if quirk else 0
        report.check(f"{name}/llvm", None if llvm_status == 0 and not llvm["repairs"] and (n > 0) == bool(quirk) else
                     f"status {llvm_status}, {n} of {quirk}, repairs {llvm['repairs']}")
        wanted = {repair: n} if repair else {}
        report.check(f"{name}/vendor", None if status == (3 if repair else 0) and vendor["repairs"] == wanted and quirk not in vendor["quirks"] else
                     f"status {status}, quirks {vendor['quirks']}, repairs {vendor['repairs']}, not {wanted}")
        report.check(f"{name}/list", None if vendor_list and vendor_list == llvm_list else "its canonical list is another one")
        if report.failed == 0:
            shutil.rmtree(work)
    return report


# A program without quirks, and a single region of gcc's, whose end LLVM's runtime does not report.
OTHER_NAMES = [("tasks", "clang", None, None), ("single", "gcc", "work_without_end", "scope_without_end")]


def test_older_forms(_):
    """A runtime of OpenMP 5.0 has one callback for an operation or a launch, not two, and chooses the ids itself."""
    report, name = Report(), "runtimes/older-forms"
    source = ROOT / "tests/omp/offload_target.c"
    want = Expectation(source.with_suffix(".expect"), "clang")
    want.data = [d for d in want.data if d[1] != "delete"]  # only an end tells the address of an allocation, and so how much is freed
    if no_offload(want.offload):
        report.skip(name, no_offload(want.offload))
        return report
    with alone(WORK / "runtimes" / "older-forms") as work:
        program = work / source.stem
        result = compile_program(source, program, "clang", want.flags())
        if not report.check(f"{name}/compile", result.why([0])):
            return report
        result = run([program], {**programs.environment(want, "clang"), "OMP_TOOL_LIBRARIES": str(COUNT_TOOL), "COUNT_CHAIN": str(RECORDER),
                                 "COUNT_FILE": str(work / "counts"), "COUNT_OLD": "1", "OTTER_EVENTS": "all", "OTTER_DIR": str(work)})
        dumps = dumps_in(work)
        if not report.check(f"{name}/record", result.why([0]) or (None if len(dumps) == 1 else f"{len(dumps)} dumps")):
            return report
        result, summary = build(dumps[0], work / "build")
        if report.check(f"{name}/build", result.why([0])):
            graph = Graph(work / "build")
            events = {kind: summary["events"][kind] for kind in ("target_data_op", "target_data_op_begin", "target_submit", "target_submit_begin")}
            report.check(f"{name}/events", None if events["target_data_op"] > 0 and events["target_submit"] > 0 and
                         events["target_data_op_begin"] == events["target_submit_begin"] == 0 else f"{events}")
            report.check(f"{name}/expected", "; ".join(wrong_numbers(want, [summary], [graph], [work / "build"])))
            report.check(f"{name}/graph", graph.flaw())
            report.check(f"{name}/counts", counts_differ(want, dumps, [summary], work / "counts"))
            report.check(f"{name}/archive", check_archive(work / "build", 0))
        remove_images(dumps)
    return report


def main():
    need(RECORDER, BUILDER, COUNT_TOOL)
    os.environ.setdefault("COMPILED", str(empty(WORK / "runtimes" / "programs")))
    report, environments = Report(), {}
    for runtime in OLDER:
        library, reason = unpacked(runtime)
        if reason:
            report.skip(f"runtimes/{runtime}", reason)
            continue
        env = environment_of(runtime, library)
        loaded = test_is_loaded(runtime, library, env)
        report.lines += loaded.lines
        report.failed += loaded.failed
        environments[runtime] = env
    report.print()
    jobs = [(source, compiler, environments) for source, compiler in programs.program_jobs(sys.argv[1:])
            if not Expectation(source.with_suffix(".expect"), compiler).offload] if environments else []
    is_good = run_all(jobs, test_versions)
    if not sys.argv[1:]:
        is_good &= run_all([(ROOT / f"tests/omp/{source}.c", *rest) for source, *rest in OTHER_NAMES], test_other_name)
        is_good &= run_all([None], test_older_forms)
    return 0 if is_good and report.failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
