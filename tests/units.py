# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of Argobots share (argobots.py, argobots_graph.py, argobots_units.py): the programs of tests/argobots, compiled, recorded and listed, on the
stand-in or on a library.

    TEST [NAME...]                 all tests, or these, on the stand-in of tests/argobots
    ARGOBOTS_PREFIX=DIR TEST       the same on the library that is installed there (built with --enable-tool), and its version 1.1 where
                                    ARGOBOTS_PREFIX_11 says so
"""
import sys

from common import *

HERE = ROOT / "tests" / "argobots"
sys.path.insert(0, str(HERE))
NAME = pathlib.Path(sys.argv[0]).stem
PREFIX = {"": os.environ.get("ARGOBOTS_PREFIX"), "-v11": os.environ.get("ARGOBOTS_PREFIX_11")}
PLACE = WORK / NAME.replace("_", "-")
ABT = RECORDER.with_name("libotter-abt.so")
ASKER = PLACE / "asker.so"
SECOND = PLACE / "second.so"
report = Report()


def compile_all():
    PLACE.mkdir(parents=True, exist_ok=True)
    flags = ["-O1", "-g", "-Wall", "-Wextra", "-I", ROOT, "-pthread"]
    wrap = [f"-Wl,--wrap={f}" for f in ("ABT_init", "ABT_finalize", "ABT_tool_register_thread_callback")]
    standin = sorted(HERE.glob("standin*.c"))
    library = PLACE / "libabt.so.1"
    commands = [["gcc", *flags, "-fPIC", "-shared", "-Wl,-soname,libabt.so.1", *standin, "-o", library]]
    for library_of_tests in (ASKER, SECOND):
        commands.append(["gcc", *flags, "-fPIC", "-shared", HERE / f"{library_of_tests.stem}.c", "-ldl", "-o", library_of_tests])
    for name in ("conf", "sync", "stack", "lives", "migrate", "truths", "hand", "faults", "revive"):
        commands.append(["gcc", *flags, "-w", HERE / f"{name}.c", library, "-o", PLACE / name])
    commands.append(["gcc", *flags, *wrap, "-rdynamic", HERE / "lives.c", *standin, f"-L{ABT.parent}", "-lotter-abt", f"-Wl,-rpath,{ABT.parent}", "-o", PLACE / "static"])
    for source, name in (("lives", "lives-omp"), ("within", "within")):
        commands.append([COMPILERS["clang"], "-fopenmp", *flags, HERE / f"{source}.c", library, "-o", PLACE / name])
    for command in commands:
        result = run(command)
        if result.status != 0:
            sys.exit(f"not ok {NAME}/compile: {result.err}")


def record(name, program, arguments=(), version="", preload=True, before=(), after=(), **env):
    """(the program's result, its dumps). Libraries of `before` and `after` are loaded before the recorder, or after it."""
    place = PLACE / f"dumps-{name}"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    prefix = PREFIX[version]
    library = f"{prefix}/lib" if prefix else PLACE
    if version == "-v11" and not prefix:
        env["STANDIN_11"] = "1"
    env["LD_PRELOAD"] = ":".join(map(str, (*before, *([ABT] if preload else []), *after)))
    result = run([PLACE / program, *arguments], env={"LD_LIBRARY_PATH": str(library), "OTTER_DIR": str(place), **env})
    return result, sorted(place.glob("*.otter"))


def listed(dumps):
    result = run([BUILDER, "--list", *dumps])
    return result.out if result.status in (0, 3) else ""


def check(name, *reasons):
    report.check(f"{NAME}/{name}", next((r for r in reasons if r), None))


def one(dumps):
    return None if len(dumps) == 1 else f"{len(dumps)} dumps, not one"


def versions():
    """The versions that there are: of the library, or of the stand-in."""
    return [v for v in ("", "-v11") if not (v and PREFIX[""] and not PREFIX[v])]


def main(*tests):
    """Runs those named by arguments, or all. The exit status."""
    need(RECORDER, ABT, BUILDER)
    if not shutil.which("gcc") or not compiler_found("clang"):
        print(f"skip {NAME}: no gcc or clang")
        return 77
    compile_all()
    by_name = {f.__name__: f for f in tests}
    for name in sys.argv[1:] or by_name:
        by_name[name]()
    report.print()
    return report.failed > 0
