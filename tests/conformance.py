#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""docs/conformance.md: which program shows what of OpenMP 5.1, and with which compilers and runtimes.

    tests/conformance.py            compares the page with what it must be (after run.py and runtimes.py)
    tests/conformance.py --write    writes it

The rows are the `covers` lines of the expectations; the results are those that run.py and runtimes.py left under build/tests/results. What was not
run this time (a compiler or runtime that is missing here) is taken from the page as it is, and reported. CONSTRUCTS, the constructs of OpenMP 5.1
on the host, is matched against section and text of the rows, and the page lists those that no program covers.
"""
import difflib
import sys

from common import *
from expect import *

PAGE = ROOT / "docs" / "conformance.md"
COLUMNS = ("clang-19", "gcc-12", "flang-19", "libomp 14", "libomp 15", "libomp 16")
UNKNOWN = "not run"

# Section, construct, and a pattern in the text of a row that covers it; sections as in OpenMP 5.1.
CONSTRUCTS = [line.split(" | ") for line in """\
1.3 | several initial threads | root|initial thread
2.1.6 | iterators | iterator
2.5.4 | error at execution | error
2.6 | parallel | parallel
2.6 | parallel: nested | nested
2.6.1 | parallel: if, num_threads, max_active_levels | if|num_threads|levels|serialized
2.6.1 | parallel: more threads than processors | oversubscri|more threads than
2.7 | teams | teams
2.8 | masked | masked
2.8 | master | master
2.9 | scope | scope
2.10.1 | sections | sections
2.10.2 | single | single
2.10.2 | single: nowait | nowait
2.10.3 | workshare | workshare
2.11.4 | for, do: static | static
2.11.4 | for, do: dynamic | dynamic
2.11.4 | for, do: guided | guided
2.11.4 | for, do: schedule(runtime), auto | runtime|auto
2.11.4 | for, do: nowait | nowait
2.11.5.2 | for simd, do simd | simd
2.11.6.1 | distribute | distribute
2.11.6.3 | distribute parallel for | distribute parallel
2.11.7 | loop | loop
2.11.8 | scan | scan
2.11.9 | tile, unroll | tile|unroll
2.12.1 | task | task
2.12.1 | task: if(0) | if\\(0\\)|undeferred
2.12.1 | task: final | final
2.12.1 | task: mergeable | mergeable
2.12.1 | task: untied | untied
2.12.1 | task: priority | priority
2.12.1 | task: detach | detach
2.12.2 | taskloop: num_tasks | num_tasks
2.12.2 | taskloop: grainsize | grainsize
2.12.2 | taskloop: nogroup | nogroup
2.12.2 | taskloop: reduction | reduction
2.12.2 | taskloop: collapse | collapse
2.12.3 | taskloop simd | simd
2.12.4 | taskyield | taskyield
2.12.5 | initial task | initial task
2.14.2 | target data | target data
2.14.3 | target enter data | enter data
2.14.3 | target enter data: nowait, depend | nowait
2.14.4 | target exit data | exit data
2.14.4 | target exit data: nowait, depend | nowait
2.14.5 | target on the host, deferred and not | target
2.14.5 | target on a device | on a device
2.14.5 | target: device, if | device and if
2.14.6 | target update | update
2.14.6 | target update: nowait, depend | nowait
2.16.1 | parallel for, parallel do | parallel
2.16.3 | parallel sections | sections
2.16.6 | parallel masked | masked
2.16.7 | masked taskloop | taskloop
2.16.9 | parallel masked taskloop | taskloop
2.16 | teams distribute parallel for | teams distribute
2.16 | target teams distribute parallel for | target teams distribute
2.19.1 | critical | critical
2.19.1 | critical: name and hint | hint
2.19.2 | barrier | barrier
2.19.3 | implicit barriers | implicit barrier
2.19.5 | taskwait | taskwait
2.19.5 | taskwait: depend | depend
2.19.6 | taskgroup | taskgroup
2.19.7 | atomic | atomic
2.19.8 | flush | flush
2.19.9 | ordered | ordered
2.19.9 | ordered: source and sink (doacross) | doacross|sink
2.19.10 | depobj | depobj
2.19.11 | depend: in, out, inout | inout
2.19.11 | depend: mutexinoutset | mutexinoutset
2.19.11 | depend: inoutset | inoutset
2.19.11 | depend: omp_all_memory | omp_all_memory
2.20.1 | cancel parallel | cancel parallel
2.20.1 | cancel for, cancel do | cancel (for|do)
2.20.1 | cancel sections | cancel .*sections
2.20.1 | cancel taskgroup | cancel taskgroup
2.20.2 | cancellation point | cancellation point
2.21.2 | threadprivate | threadprivate
2.21.5 | reduction: parallel, for | reduction
2.21.5.5 | task_reduction | task_reduction
2.21.5.6 | in_reduction | in_reduction
2.21.6 | copyin | copyin
2.21.6.2 | copyprivate | copyprivate
2.21.7.1 | map: to, from, tofrom, alloc | alloc
2.21.7.1 | map: always | always
2.22 | regions inside of tasks | region
3.6 | omp_pause_resource | pause
3.8.1 | omp_target_alloc | omp_target_alloc
3.8.2 | omp_target_free | omp_target_free
3.8.3 | omp_target_is_present | is_present
3.8.5 | omp_target_memcpy | memcpy
3.8.6 | omp_target_memcpy_rect | rect
3.8.7 | omp_target_memcpy_async | async
3.8.8 | omp_target_memcpy_rect_async | rect_async
3.8.9 | omp_target_associate_ptr | associate
3.8.10 | omp_target_disassociate_ptr | disassociate
3.8.11 | omp_get_mapped_ptr | mapped_ptr
3.9 | locks | lock
3.9 | nest locks | nest
3.9 | locks with hints | hint
3.9 | test locks | test
3.11.1 | omp_fulfill_event | fulfill
3.14 | omp_control_tool | control_tool
""".splitlines()]

HEAD = """\
<!-- SPDX-License-Identifier: BSD-3-Clause -->
# Conformance

Which program of `tests/omp/` shows which part of OpenMP 5.1 to be recorded correctly, and where.
`tests/conformance.py --write` makes this page from the `covers` lines of the expectations and the results of
`make check`, which fails if the page is not up to date.

A row says for what the program's graph is compared. "exact": every task, edge and order that follows from the program's
text came out, every callback was recorded, nothing had to be repaired, and the three levels of the graph and the
archive agree. The names in parentheses are the runtime's quirks that come with the program
([runtimes.md](runtimes.md)), except those that any program may show:
@COMMON@.

The columns of the three compilers are results on libomp 19 (which takes the place of libgomp for gcc's programs). The
columns after them are the results of all compilers of a program on an older libomp. "-": not a program for that
compiler. Programs marked * have one canonical edge list with 1, 2, 4 and 16 threads, whatever the timing
(`tests/schedules.py`); the expectations of the others say why they do not.

"""


def by_section(row):
    return [int(n) for n in row[0].split(".")], row[1:]


def shown(result, names):
    return result + (f" ({', '.join(sorted(names))})" if names and result == "exact" else "")


def result_of(source, compiler, runtime):
    """The word that run.py or runtimes.py left; None: neither ran it."""
    try:
        return result_file(source, compiler, runtime).read_text().strip()
    except FileNotFoundError:
        return None


def cell(source, wants, compilers, runtime):
    """The table's cell for a program's compilers on a runtime. None: not known this time."""
    results, quirks = set(), set()
    for c in compilers:
        want = wants(c, runtime)
        if want.not_for(runtime):
            return f"not run: {want.not_for(runtime)}"
        results.add(result_of(source, c, runtime))
        quirks |= {name for name, *_ in want.quirk}
    if results == {None}:
        return None
    return shown("exact" if results <= {"exact", None} else "differs", quirks)


def table():
    """[(section, text, program with its mark)], each with its cells, None where a result is not known."""
    rows = []
    for path in sorted((ROOT / "tests/omp").glob("*.expect")):
        source = source_of(path)

        def wants(compiler, runtime=HOME):
            return Expectation(path, compiler, runtime)

        own = wants(next(iter(COMPILERS)))
        compilers = [c for c in COMPILERS if c in own.compilers]
        cells = []
        for c in COMPILERS:
            reason = own.not_for(c)
            cells.append(f"not built: {reason}" if reason else cell(source, wants, [c], HOME) if c in compilers else "-")
        cells += [cell(source, wants, compilers, runtime) for runtime in RUNTIMES if runtime != HOME]
        name = f"[{source.name}](../tests/omp/{source.name})" + ("" if wants(compilers[0]).canonical else "*")
        rows += [((section, " ".join(text), name), cells) for section, *text in own.covers]
    return sorted(rows, key=lambda r: by_section(r[0]))


def line_of(key, cells):
    return "| " + " | ".join((key[1], key[0], key[2], *cells)) + " |\n"


def committed_cells():
    """The cells of the page as it is, by (section, text, program)."""
    known = {}
    for line in PAGE.read_text().splitlines() if PAGE.exists() else []:
        parts = [p.strip() for p in line.strip("|").split(" | ")]
        if line.startswith("| ") and len(parts) == 3 + len(COLUMNS):
            known[(parts[1], parts[0], parts[2].split(")")[0])] = parts[3:]
    return known


def gaps(rows):
    """The constructs that no row covers. A section also covers those below it."""
    return [f"- {name} ({section})\n" for section, name, pattern in CONSTRUCTS
            if not any((s + ".").startswith(section + ".") and re.search(pattern, text) for (s, text, _), _ in rows)]


def page():
    """(the page, columns in which something was not run this time)."""
    rows, known, missing = table(), committed_cells(), set()
    common = [f"`{name}`" for name in TIMING] + [f"`{name}` on older runtimes" for name in sorted({n for names in HABITS.values() for n in names})]
    text = HEAD.replace("@COMMON@", ", ".join(common)) + line_of(("section", "what", "program"), COLUMNS) + "|---" * (3 + len(COLUMNS)) + "|\n"
    for key, cells in rows:
        old = known.get((key[0], key[1], key[2].split(")")[0]), [UNKNOWN] * len(COLUMNS))
        missing |= {column for column, c in zip(COLUMNS, cells) if c is None}
        text += line_of(key, [o if c is None else c for c, o in zip(cells, old)])
    left = gaps(rows)
    text += "\n## What no program covers\n\n" + ("".join(left) if left else "Every construct that `tests/conformance.py` lists is covered.\n")
    return text, [c for c in COLUMNS if c in missing]


def main():
    text, missing = page()
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(text)
        return 0
    report = Report()
    old = PAGE.read_text() if PAGE.exists() else ""
    changes = [line for line in difflib.unified_diff(old.splitlines(), text.splitlines(), lineterm="", n=0)
               if line.startswith(("+", "-")) and not line.startswith(("+++", "---"))]
    report.check("docs/conformance.md", "tests/conformance.py --write gives another page:\n    " + "\n    ".join(changes[:20]) if changes else None)
    if missing:
        report.skip("docs/conformance.md", "without results of " + ", ".join(missing))
    report.print()
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
