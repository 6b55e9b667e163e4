# SPDX-License-Identifier: BSD-3-Clause
"""Other software in the same process: a second runtime, valgrind, sanitizers."""
from trial import *

LLVM_LIB = next(iter(sorted(pathlib.Path("/usr/lib").glob("llvm-*/lib/libomp.so"))[::-1]), None)


def two_runtimes(compiler, how):
    """A library with libgomp, or with another copy of libomp in a name space of its own, in a program with libomp:
    what goes through the program's runtime is recorded; the other is not disturbed, and where a tool is asked for
    there too it gets a dump of its own."""
    def trial():
        # Without this variable a second copy of libomp ends the process.
        env = {"KMP_DUPLICATE_LIB_OK": "TRUE"}
        t = Trial(f"two-runtimes-{compiler}-{how}", env, program="both", args=(PROGRAMS / f"library-{compiler}.so", how), counted=False)
        untraced = run([t.program, *t.args], {"OMP_NUM_THREADS": "2", **env})
        if (untraced.status, untraced.out) != (0, "100\n"):
            return t.skip(f"untraced it ends with {untraced.status} {untraced.out!r} {untraced.err!r}")
        t.run(result="100")
        wanted = [40, 60] if (compiler, how) == ("clang", "space") else [40]
        seen = []
        for dump in dumps_in(t.dir):
            summary = t.build([0, 3], dump=dump, whole=False)
            seen.append(summary["tasks"]["explicit"] if summary else None)
            others = [(pathlib.Path(other["path"]).name[:7], other["processes"]) for other in summary.get("other_runtimes", [])] if summary else None
            t.check("named", None if others == ([("libgomp", 1)] if compiler == "gcc" else []) else others)
        t.check("tasks", None if sorted(seen) == wanted else f"{seen}, not {wanted}")
        return t.end()
    return trial


def valgrind():
    """valgrind's memcheck finds no error."""
    t = Trial("valgrind", {"OTTER_RING": "32K", "OMP_WAIT_POLICY": "passive"}, args=(12,), counted=False)
    if not shutil.which("valgrind"):
        return t.skip("no valgrind")
    # Without debug information: valgrind may not know the form that this compiler writes.
    program = t.work / "fib"
    if compile_c(ROOT / "tests/omp/fib.c", program, flags=["-g0"]).status != 0:
        return t.skip("cannot be built")
    command = ["valgrind", "-q", "--error-exitcode=9", program, "12"]
    untraced = run(command, {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"})
    if untraced.status != 0 or untraced.err:
        return t.skip(f"untraced it ends with {untraced.status} {untraced.err[-200:]!r}")
    t.run(command, result="fib 12 = 144")
    t.check("whole", whole(t.build([0], whole=False), 464))
    return t.end()


def sanitized(name):
    """The program is built with a sanitizer, the recorder is not."""
    def trial():
        t = Trial(f"sanitizer-{name}", {"OTTER_RING": "32K"}, args=(16,), counted=False)
        program = t.work / "fib"
        # gcc's sanitizers with LLVM's runtime, which has gcc's entry points.
        result = run([COMPILERS["gcc"], "-D_GNU_SOURCE", "-fopenmp", "-g", "-O1", f"-fsanitize={name}", "-I", ROOT, "-c", ROOT / "tests/omp/fib.c", "-o", t.work / "fib.o"])
        if result.status == 0 and LLVM_LIB:
            result = run([COMPILERS["gcc"], f"-fsanitize={name}", t.work / "fib.o", "-o", program, LLVM_LIB, f"-Wl,-rpath,{LLVM_LIB.parent}", "-pthread"])
        if result.status != 0 or not LLVM_LIB:
            return t.skip(f"cannot be built: {result.err[-200:]!r}")
        # The runtime does not tell ThreadSanitizer what it orders, which would report races with and without the
        # recorder.
        options = {"TSAN_OPTIONS": "report_bugs=0", "ASAN_OPTIONS": "detect_leaks=1"}
        command = ["setarch", os.uname().machine, "-R", program, "16"]
        untraced = run(command, {**options, "OMP_NUM_THREADS": "2"})
        if (untraced.status, untraced.out, untraced.err) != (0, "fib 16 = 987\n", ""):
            return t.skip(f"untraced it ends with {untraced.status} {untraced.err[-200:]!r}")
        t.env |= options
        t.run(command, result="fib 16 = 987")
        t.check("whole", whole(t.build([0], whole=False), 3192))
        return t.end()
    return trial


TRIALS = {f"two-runtimes-{c}-{how}": two_runtimes(c, how) for c, how in (("gcc", "own"), ("clang", "space"))}
TRIALS |= {f"sanitizer-{name}": sanitized(name) for name in ("address", "thread")}
TRIALS["valgrind"] = valgrind
