#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Opens report.html of many kinds of runs in a headless Chromium: nothing goes wrong, the figures on the page are those of
summary.json and the tables, and it does what a reader wants of it, by mouse and keyboard.

    tests/report.py [NAME...]            all runs, or these
    tests/report.py --pictures DIR       leaves a picture of each page there, light and dark
"""
import html.parser
import sys

from common import *

sys.path.insert(0, str(ROOT / "tests/answers"))
sys.path.insert(0, str(ROOT / "tests/report"))
import answers
import chromium
import colours
import creation
import firefox
from creation import own_time
import plays
import reading
import tasks

NAME = "report"
PLACE = WORK / "report"
HOSTILE = "</script><img src=x onerror=document.title='owned'>&amp;\"'<!--\u2028"
MOST_BYTES = 5 << 20
GOLDEN = ("cancel", "depend", "devices", "killed", "locks", "nested", "sections", "target", "taskloop", "untied", "units")

PROGRAMS = {
    "no_openmp": "int main(void) { return 0; }",
    "serial": "#include <omp.h>\nint main(void) { return omp_get_max_threads() > 999; }",
    "empty": "int main(void) {\n#pragma omp parallel\n\t;\n\treturn 0;\n}",
    "fib": "#include <stdlib.h>\nstatic int fib(int n) {\n\tint a, b;\n\tif (n < 2)\n\t\treturn n;\n#pragma omp task shared(a)\n\ta = fib(n - 1);\n\tb = fib(n - 2);\n#pragma omp taskwait\n"
           "\treturn a + b;\n}\nint main(int argc, char **argv) {\n\tint n = argc > 1 ? atoi(argv[1]) : 5;\n#pragma omp parallel\n#pragma omp single\n\tn = fib(n);\n\treturn n < 0;\n}",
}


class Texts(html.parser.HTMLParser):
    """The scripts of a page, and the addresses that its elements have."""

    def __init__(self):
        super().__init__()
        self.addresses, self.n_scripts = [], 0

    def handle_starttag(self, tag, attributes):
        self.n_scripts += tag == "script"
        self.addresses += [value for name, value in attributes if name in ("src", "href") and tag != "a"]


# ---- What is shown ----

def record(name, place, arguments=(), **env):
    source = place / f"{name}.c"
    source.write_text(PROGRAMS[name.split("-")[0]])
    flags = () if name == "no_openmp" else ("-fopenmp",)
    done = run([COMPILERS["clang"], "-g", "-O1", *flags, source, "-o", place / name])
    if done.status == 0:
        done = run([LAUNCHER, "-q", f"--dir={empty(place / 'dumps')}", "--", place / name, *arguments], {"OMP_NUM_THREADS": "2", **env})
    if done.status != 0:
        raise RuntimeError(f"{name}: {done.status} {done.err}")
    return dumps_in(place / "dumps")


def golden(name, place):
    shutil.unpack_archive(ROOT / f"tests/golden/{name}.tar.xz", place)
    return [place / f"{name}.otter"]


def kept(name, place):
    """The recording of a program of tests/answers/programs."""
    shutil.unpack_archive(ROOT / f"tests/answers/kept/{name}.c.tar.xz", place)
    return [place / f"{name}.otter"]


def hostile(place):
    """A dump whose program and labels are full of markup."""
    dump = golden("depend", place)[0]
    meta = (dump / "meta").read_text()
    (dump / "meta").write_text(re.sub(r"^program .*$", lambda _: "program " + HOSTILE.replace("/", "_"), meta, flags=re.MULTILINE))
    return [dump]


def played(n, place):
    play = next(p for p in plays.PLAYS if n in p.threads and p.limit == "imbalance")
    answers.write(play.make(n)[0], place / "played.otter")
    return [place / "played.otter"]


def several(size, place):
    """Two processes of one run, the later one with more tasks."""
    script = place / "twice.sh"
    dumps = record("fib", place)
    script.write_text(f"#!/bin/sh\n{place / 'fib'}\n{place / 'fib'} {size}\n")
    script.chmod(0o755)
    done = run([LAUNCHER, "-q", f"--dir={empty(place / 'dumps')}", "--", script], {"OMP_NUM_THREADS": "2"})
    if done.status != 0:
        raise RuntimeError(f"twice: {done.err}")
    return dumps_in(place / "dumps")


RUNS = {
    **{name: functools.partial(golden, name) for name in GOLDEN},
    "empty": lambda place: record("empty", place),
    "serial": lambda place: record("serial", place),
    "fib": lambda place: record("fib", place),
    "large": lambda place: record("fib-large", place, ["24"]),
    "windows": lambda place: record("fib-windows", place, ["28"]),
    "threads-64": lambda place: played(64, place),
    "preemption": functools.partial(kept, "preemption_hog"),
    "hostile": hostile,
    "several": functools.partial(several, 24),
    "later": functools.partial(several, 17),
}


# ---- What must be on the page ----

def wrong_facts(page, summary):
    facts = {"threads": summary["threads"], "processes": summary["processes"], "explicit tasks": summary["tasks"]["explicit"], "records": summary["records"]}
    seen = {name: page.value("document.getElementById('fact-%s').textContent" % name.replace(" ", "-")) for name in facts}
    wrong = {name: (seen[name], n) for name, n in facts.items() if seen[name] != str(n)}
    return f"the page and summary.json differ: {wrong}" if wrong else None


def wrong_answer(page, summary):
    answer = summary.get("answer")
    shown = page.value("document.querySelector('#efficiency .total b')?.textContent ?? ''")
    if not answer:
        return f"an efficiency without an answer: {shown}" if shown else None
    # Python and JavaScript round a half differently.
    if not shown or abs(float(shown.split()[0]) - 100 * answer["efficiency"]["total"]) > 0.51:
        return f"efficiency {shown}, not {answer['efficiency']['total']:.3f}"
    cards = page.value("[...document.querySelectorAll('.card')].map(c => [c.dataset.limit, c.querySelector('p').textContent])")
    wanted = [[row["limit"], row["sentence"]] for row in (answer, *answer["others"])]
    if cards != wanted:
        return f"cards {cards}, not {wanted}"
    bar, legend = (page.value(f"[...document.querySelectorAll('{where}')].map(e => getComputedStyle(e).background)") for where in (".bar span", "#account i"))
    factors = page.value("[...document.querySelectorAll('#efficiency .factor:not(.total)')].map(e => [e.querySelector('span').textContent, parseFloat(e.querySelector('b').textContent)])")
    names = {"load balance": "load_balance", "CPU share": "on_processor", "not waiting": "waits", "not idle": "idling", "outside the runtime": "runtime"}
    if dict(factors).keys() != names.keys() or any(abs(n - 100 * answer["efficiency"][names[name]]) > 0.51 for name, n in factors):
        return f"factors {factors}, not {answer['efficiency']}"
    parts = sum(ns > 0 for ns in answer["account_ns"].values())
    return f"{parts} parts of the account look so: {bar}, {legend}" if bar != legend or len(set(bar)) != parts else None


def wrong_words(page, summary):
    """What all threads are called in titles, hints and descriptions for readers of the screen."""
    threads = "threads" if summary["processes"] > 1 else summary.get("answer", {}).get("nouns", {}).get("threads", "threads")
    texts = {"#parallelism h2": f"{threads.capitalize()} over time", "#contents a[href='#parallelism']": f"{threads.capitalize()} over time",
             "#waits .hint": f"Waiting of all {threads} together", "#waits-matrix caption": f"the time of all {threads} together"}
    for where, wanted in texts.items():
        shown = page.value(f"document.querySelector({json.dumps(where)})?.textContent ?? null")
        if shown is not None and wanted not in shown:
            return f"{where} has '{shown}', not '{wanted}'"
    name = page.value("document.querySelector('#timeline canvas')?.getAttribute('aria-label') ?? null")
    if name is not None and f" {threads} did when" not in name:
        return f"the time line is called '{name}'"
    axes = page.value("document.querySelector('#parallelism .chart')?.getAttribute('aria-label') ?? null")
    return None if axes is None or axes.startswith(f"{threads.capitalize()} by state") else f"the chart is called '{axes}'"


def wrong_alarm(page, summary):
    """An alarm tells of what is missing or wrong. A program that was killed with all of its records is no reason for one, but is told of."""
    ends = {"scope_open_at_end", "task_without_end", "implicit_task_without_end", "region_without_end"}
    repairs = {name for name, n in summary["repairs"].items() if n}
    is_bad = bool(summary["lost"]["total"] or sum(summary["damage"].values()) or repairs - ends or "stopped" in summary or (summary["complete"] and repairs))
    is_early = not is_bad and not summary["complete"]
    told, noted = (page.value(f"document.querySelector('{where}')?.textContent ?? null") for where in (".alarm", "#answer .note"))
    if is_bad != (told is not None) or is_early != (noted is not None):
        return f"the alarm is {told}, the note {noted}"
    return f"a killed program is told of as {noted}" if is_early and ("contradicted" in noted or "not come to its end" not in noted and "killed" not in noted and "running" not in noted) else None


def wrong_constructs(page, out):
    """All constructs with figures are there, with those of constructs.csv."""
    with open(out / "constructs.csv", newline="") as f:
        wanted = sorted((row["label"], row["count"], int(row["own_ns"]), int(row["path_ns"])) for row in csv.DictReader(f)
                        if row["count"] and (int(row["count"]) or int(row["blamed_ns"])))
    shown = sorted(tuple(row) for row in page.value("otterReport.data.constructs.map(c => [c.label, String(c.count), c.own_ns, c.path_ns])"))
    if shown != wanted:
        return f"{len(shown)} constructs, not {len(wanted)}: {sorted(set(shown) ^ set(wanted))[:4]}"
    texts = page.value("[...document.querySelectorAll('#constructs-table tbody tr')].map(r => r.textContent)") or []
    missing = [row for row in wanted[:50] if len(wanted) <= 200 and not any(row[0] in text and own_time(row[2]) in text for text in texts)]
    return f"not in the table: {missing[:3]}" if missing else None


def wrong_states(page, out):
    """The time line has what states.csv has: each thread's time in each state."""
    wanted = {}
    with open(out / "states.csv", newline="") as f:
        for row in csv.DictReader(f):
            wanted[row["state"]] = wanted.get(row["state"], 0) + int(row["total_ns"])
    shown = page.value("""(() => { const sums = {}; for (const row of otterReport.data.rows) { let from = row.begin; row.ends.forEach((end, i) => {
        const state = row.process.states[row.states[i]]; if (state !== undefined) sums[state] = (sums[state] ?? 0) + (end - from) * (row.process.folded ? row.name : 1); from = end; }); } return sums; })()""")
    is_exact = page.value("otterReport.data.processes.every(p => p.exact)")
    total = sum(wanted.values())
    near = 2000 * len(wanted) if is_exact else max(0.002 * total, 1)
    wrong = {state: (round(shown.get(state, 0)), wanted.get(state, 0)) for state in {*wanted, *shown} if abs(shown.get(state, 0) - wanted.get(state, 0)) > near}
    return f"{'exact' if is_exact else 'in windows'}, and differs from states.csv: {wrong}" if wrong else None


def wrong_close(page, name):
    """A run that is too large to be exact has exact stretches at its begin and end: shorter intervals than a window."""
    found = page.value("""otterReport.data.processes.map(p => ({ exact: p.exact, n: p.windows, from: p.begin_ns, to: p.end_ns, close: p.close,
        shorter: (p.close ?? []).map(([a, b]) => p.rows.some(r => r.ends.some((end, i) => end > a && end <= b && end - (i ? r.ends[i - 1] : r.begin) < (p.end_ns - p.begin_ns) / p.windows / 2))) }))""")
    for p in found:
        if p["exact"]:
            if p["close"] or name == "windows":
                return f"exact, with {p['close'][:2]}"
        elif not p["close"] or p["close"][0][0] != p["from"] or p["close"][-1][1] != p["to"] or not any(p["shorter"]):
            return f"{p}"
    return None


def wrong_file(path):
    text = path.read_text(encoding="utf-8")
    parser = Texts()
    parser.feed(text)
    if parser.addresses:
        return f"asks for {parser.addresses[:3]}"
    return f"{len(text)} bytes" if path.stat().st_size > MOST_BYTES else None


# ---- What a reader does ----

def shown_time(page):
    return page.value("[otterReport.view.begin, otterReport.view.end]")


def wrong_zoom(page):
    """By keys and wheel, and back."""
    begin, end = shown_time(page)
    page.value("document.querySelector('#timeline canvas').focus()")
    page.key("+")
    closer = shown_time(page)
    if not (begin <= closer[0] and closer[1] <= end and abs((closer[1] - closer[0]) / (end - begin) - 0.6) < 0.01):
        return f"+ shows {closer} of {[begin, end]}"
    page.key("ArrowRight")
    moved = shown_time(page)
    if not moved[0] > closer[0]:
        return f"the right arrow shows {moved} after {closer}"
    x, y = page.middle("#timeline canvas")
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-200)
    page.frames()
    wheeled = shown_time(page)
    if not wheeled[1] - wheeled[0] < moved[1] - moved[0]:
        return f"the wheel shows {wheeled} after {moved}"
    if page.value("Number(document.querySelector('#timeline canvas').dataset.end)") != wheeled[1]:
        return "the time line was not drawn again"
    page.key("0")
    return None if shown_time(page) == [begin, end] else f"0 shows {shown_time(page)}"


def wrong_interval(page):
    """Selecting intervals of the time line, by mouse and keys."""
    row = page.value("(() => { const r = otterReport.data.rows[0]; return [r.begin, r.ends[0], r.process.states[r.states[0]]]; })()")
    x, y = page.middle("#timeline canvas")
    left, top, width = page.value("(r => [r.left, r.top, r.width])(document.querySelector('#timeline canvas').getBoundingClientRect())")
    begin, end = shown_time(page)
    at = left + 110 + ((row[0] + row[1]) / 2 - begin) / (end - begin) * (width - 110)
    if row[1] - row[0] > (end - begin) / 100:
        for kind in ("mousePressed", "mouseReleased"):
            page.mouse(kind, at, top + 26, button="left", clickCount=1)
        page.frames()
    else:
        page.value("(() => { const r = otterReport.data.rows[0]; otterReport.view.show(r.begin, r.begin + 2 * (r.ends[0] - r.begin)); document.querySelector('#timeline canvas').focus(); })()")
        page.key("ArrowDown")
    first = page.value("document.getElementById('timeline-details').textContent")
    if row[2].replace("_", " ") not in first or own_time(row[1] - row[0]) not in first:
        return f"selected {first}, not {row}"
    page.value("document.querySelector('#timeline canvas').focus()")
    if page.value("otterReport.data.rows[0].ends.length") > 1:
        page.key("]")
        if page.value("document.getElementById('timeline-details').textContent") == first:
            return "] stays"
        page.key("[")
        if page.value("document.getElementById('timeline-details').textContent") != first:
            return "[ does not go back"
    page.key("Escape")
    page.value("otterReport.view.reset()")
    left_over = page.value("document.getElementById('timeline-details').textContent")
    return f"Escape leaves {left_over}" if left_over else None


def wrong_brush(page):
    """Dragging over the chart of threads."""
    begin, end = shown_time(page)
    x, y, width = page.value("(() => { const e = document.querySelector('#parallelism .u-over'); e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect(); return [r.left, r.top + 50, r.width]; })()")
    page.mouse("mouseMoved", x + 0.25 * width, y)
    page.mouse("mousePressed", x + 0.25 * width, y, button="left", clickCount=1)
    page.mouse("mouseMoved", x + 0.5 * width, y, button="left")
    page.mouse("mouseReleased", x + 0.5 * width, y, button="left", clickCount=1)
    page.frames()
    seen = [(t - begin) / (end - begin) for t in shown_time(page)]
    page.value("otterReport.view.reset()")
    return None if abs(seen[0] - 0.25) < 0.02 and abs(seen[1] - 0.5) < 0.02 else f"a drag from a quarter to a half shows {seen}"


def wrong_table(page):
    """Sorting, filtering and selecting constructs."""
    if page.value("otterReport.data.constructs.length") == 0:
        return None
    headings = page.value("[...document.querySelectorAll('#constructs-table th button')].map(b => b.textContent)")
    index = headings.index("count")
    for wanted in ("descending", "ascending"):
        page.click(f"#constructs-table th:nth-child({index + 1}) button")
        counts = page.value(f"[...document.querySelectorAll('#constructs-table tbody tr')].map(r => Number(r.children[{index}].textContent))")
        said = page.value(f"document.querySelector('#constructs-table th:nth-child({index + 1})').getAttribute('aria-sort')")
        if said != wanted or counts != sorted(counts, reverse=wanted == "descending"):
            return f"sorted {said}: {counts[:8]}"
    page.value("document.querySelector('#constructs-table tbody tr').focus()")
    page.key("Enter")
    key = page.value("document.querySelector('#constructs-table tbody tr[aria-selected=true]')?.dataset.key")
    if not key or page.value("otterReport.view.construct?.key") != key:
        return f"Enter selects {key}"
    page.key("Enter")
    if page.value("otterReport.view.construct") is not None:
        return "Enter does not take the selection back"
    page.value("(() => { const i = document.querySelector('#constructs input'); i.value = 'no such construct'; i.dispatchEvent(new Event('input')); })()")
    if page.value("document.querySelectorAll('#constructs-table tbody tr').length") != 0:
        return "the filter leaves what does not match"
    page.value("(() => { const i = document.querySelector('#constructs input'); i.value = ''; i.dispatchEvent(new Event('input')); })()")
    return None


def wrong_axes(page, summary):
    """Where one construct is all of the run, it is without time as fast as nothing else: no point of a chart, and the page is drawn. What the
    run was blocked stays."""
    curve = summary["answer"]["speedups"]["constructs"][0]["curve"]
    blocked_ns = summary["answer"]["account_ns"]["blocked"]
    if not any((point["wall_ns"] - blocked_ns) * 5 < curve[0]["wall_ns"] for point in curve):
        return f"no construct is all of the run: {curve}"
    shown = page.value("[...document.querySelectorAll('#whatif-constructs circle')].map(c => Number(c.dataset.y))")
    if abs(summary["answer"]["what_if"]["error"]) > 0.2:  # as on a busy machine
        told = page.value("document.querySelector('#whatif').textContent")
        return None if not shown and "misses this run" in told else f"an estimate that misses the run by {summary['answer']['what_if']['error']} is shown: {told}"
    places = page.value("[...document.querySelectorAll('#whatif circle, #whatif line')].flatMap(c => ['cx', 'cy', 'x1', 'y1'].filter(a => c.hasAttribute(a)).map(a => c.getAttribute(a))).filter(p => !isFinite(p))")
    wanted = [1] + [point["speedup"] for point in curve if point["wall_ns"] > 0]
    is_same = len(shown) == len(wanted) and all(abs(a - b) < 1e-4 for a, b in zip(shown, wanted))
    return None if is_same and not places else f"points {shown}, not {wanted}; nowhere: {places}"


def wrong_theme(page):
    before = page.value("getComputedStyle(document.body).backgroundColor")
    page.click("#theme")
    after = page.value("getComputedStyle(document.body).backgroundColor")
    return None if before != after else f"still {after}"


def slow_frame(page):
    """Panning from one end to the other, in ms of the processor a frame: a page that takes many would stand still."""
    begin_s = page.processor_s()
    page.value("""(async () => { const v = otterReport.view, length = v.all.end - v.all.begin; v.show(v.all.begin, v.all.begin + length / 4);
        for (let i = 0; i < 20; i++) { v.pan(0.05); await new Promise(requestAnimationFrame); } v.reset(); })()""")
    return (page.processor_s() - begin_s) / 20 * 1000


def test_run(name, page, pictures):
    report, place = Report(), empty(PLACE / name)
    dumps = RUNS[name](place)
    out = place / "out"
    options = ["--csv", "--report", "--answer", "--no-source"] if name == "hostile" else ["--csv", "--report", "--answer"]
    done = run([BUILDER, "-q", "--force", "-o", out, *options, *dumps])
    if not report.check(f"{NAME}/{name}/built", done.why([0, 3])):
        return report
    summary = json.loads((out / "summary.json").read_text())
    report.check(f"{NAME}/{name}/file", wrong_file(out / "report.html"))
    try:
        page.open(out / "report.html")
        page.frames()
        for what, wrong in (("facts", wrong_facts(page, summary)), ("answer", wrong_answer(page, summary)), ("words", wrong_words(page, summary)), ("alarm", wrong_alarm(page, summary)),
                            ("constructs", wrong_constructs(page, out)), ("close", wrong_close(page, name)), ("states", wrong_states(page, out))):
            report.check(f"{NAME}/{name}/{what}", wrong)
        if page.value("document.querySelector('#timeline canvas') !== null"):
            for what, act in (("zoom", wrong_zoom), ("interval", wrong_interval), ("brush", wrong_brush), ("hiding", reading.wrong_hiding), ("highlight", reading.wrong_highlight), ("edges", reading.wrong_edges), ("path", reading.wrong_path)):
                report.check(f"{NAME}/{name}/{what}", act(page))
            ms = slow_frame(page)
            report.check(f"{NAME}/{name}/frames", None if ms < 1000 else f"{ms:.0f} ms a frame")
            for what, wrong in (("colours", tasks.wrong_colours(page)), ("lanes", tasks.wrong_lanes(page, out, name)), ("queues", tasks.wrong_queues(page, out)),
                                ("task", tasks.wrong_task(page, out))):
                report.check(f"{NAME}/{name}/{what}", wrong)
        for what, act in (("matrix", tasks.wrong_matrix), ("links", tasks.wrong_links), ("jumps", reading.wrong_jumps), ("phone", reading.wrong_phone), ("first_view", reading.wrong_first_view), ("names", reading.wrong_names)):
            report.check(f"{NAME}/{name}/{what}", act(page))
        report.check(f"{NAME}/{name}/print", tasks.wrong_print(page, place))
        report.check(f"{NAME}/{name}/flame", creation.wrong_flame(page, out))
        report.check(f"{NAME}/{name}/graph", creation.wrong_graph(page, out, summary))
        for what, act in (("table", wrong_table), ("theme", wrong_theme)):
            report.check(f"{NAME}/{name}/{what}", act(page))
        if name == "serial":
            report.check(f"{NAME}/{name}/what_if", wrong_axes(page, summary))
        if name == "hostile":
            title = page.value("document.title")
            report.check(f"{NAME}/{name}/names", None if "onerror" in title and page.value("document.images.length") == 0 else f"title {title}")
        if name == "fib":
            report.check(f"{NAME}/{name}/without_layout", creation.wrong_without_layout(page, out))
            page.open(out / "report.html")
            report.check(f"{NAME}/{name}/what_if", creation.wrong_what_if(page, out))
        if name in ("fib", "large", "depend", "later"):
            report.check(f"{NAME}/{name}/address", reading.wrong_address(page, out / "report.html"))
        if name in ("fib", "large"):
            page.open(out / "report.html")
            report.check(f"{NAME}/{name}/task_page", tasks.wrong_task_page(page, functools.partial(build_task, dumps), place / "task", out))
        if name == "later":
            page.open(out / "report.html")
            page.frames()
            report.check(f"{NAME}/{name}/hint", tasks.wrong_hint(page, lambda options: run([BUILDER, "-q", "--force", "-o", place / "named", "--csv", *options, *dumps]), out))
        if name == "units":
            report.check(f"{NAME}/{name}/task_page", tasks.wrong_unit_page(page, functools.partial(build_task, dumps), place / "task", out))
        errors = page.errors()
        report.check(f"{NAME}/{name}/console", "; ".join(errors)[:500] if errors else None)
        if pictures:
            page.picture(pictures / f"{name}-dark.png")
            page.click("#theme")
            page.picture(pictures / f"{name}.png")
    except chromium.Broken as broken:
        report.check(f"{NAME}/{name}/page", str(broken)[:800])
    if not report.failed:
        shutil.rmtree(place)
    return report


def build_task(dumps, out, number):
    return run([BUILDER, "-q", "--force", "-o", out, "--report", f"--task={number}", *dumps]).why([0, 3])


def built_with(out, dump, answer):
    """A build for --diff, whose answer has other members than that of the dump."""
    done = run([BUILDER, "-q", "--force", "-o", out, "--csv", "--answer", dump])
    if done.status not in (0, 3):
        raise RuntimeError(f"{dump}: {done.status} {done.err}")
    summary = json.loads((out / "summary.json").read_text())
    summary["answer"].update(answer)
    (out / "summary.json").write_text(json.dumps(summary))
    return out


def test_diff(page, pictures):
    """The page of a comparison: of a program with itself on other numbers of threads, and with another one."""
    report, place = Report(), empty(PLACE / "diff")
    sides = []
    for name, threads, arguments in (("a", "2", ["12"]), ("b", "4", ["15"])):
        shutil.rmtree(place / name, ignore_errors=True)
        (place / name).mkdir()
        for i in range(3):
            (place / name / str(i)).mkdir()
            dumps = record("fib" if name == "a" else "fib-other", place / name / str(i), arguments, OMP_NUM_THREADS=threads)
            sides += dumps
        sides += [":"] if name == "a" else []
    try:
        done = run([BUILDER, "-q", "--force", "-o", place / "out", "--diff", "--report", *sides])
        if report.check(f"{NAME}/diff/built", done.why([0, 1, 3])):
            report.check(f"{NAME}/diff/file", wrong_file(place / "out/diff.html"))
            report.check(f"{NAME}/diff/figures", tasks.wrong_diff(page, place / "out"))
            errors = page.errors()
            report.check(f"{NAME}/diff/console", "; ".join(errors)[:500] if errors else None)
            if pictures:
                page.picture(pictures / "diff.png")
        unknown = built_with(place / "unknown", sides[0], {"limit": "runtime", "why": {"gain_known": False}})
        done = run([BUILDER, "-q", "--force", "-o", place / "out-unknown", "--diff", "--report", unknown, sides[-1]])
        if report.check(f"{NAME}/diff/unknown-gain/built", done.why([0, 1, 3])):
            wrong = tasks.wrong_diff(page, place / "out-unknown")
            text = page.value("document.getElementById('answer').textContent")
            report.check(f"{NAME}/diff/unknown-gain", wrong or ("Gain not known" not in text and text))
        refused = run([BUILDER, "-q", "--diff", "--report", *sides])
        report.check(f"{NAME}/diff/where", None if refused.status == 2 else f"--report without -o ends with {refused.status}: {refused.err}")
    except chromium.Broken as broken:
        report.check(f"{NAME}/diff/page", str(broken)[:800])
    if not report.failed:
        shutil.rmtree(place)
    return report


def test_colours():
    report, sheet = Report(), (ROOT / "builder/report/page/styles/colours.css").read_text()
    report.check(f"{NAME}/colours/formula", colours.wrong_formula())
    report.check(f"{NAME}/colours/distances", colours.wrong_distances(sheet))
    return report


def test_firefox(pictures):
    """The same page in another browser: it is drawn without an error, has the figures, and does what is asked of it."""
    report, place = Report(), empty(PLACE / "firefox")
    out = place / "out"
    done = run([BUILDER, "-q", "--force", "-o", out, "--csv", "--report", "--answer", *record("fib", place, ["6"])])
    if not report.check(f"{NAME}/firefox/built", done.why([0, 3])):
        return report
    page, summary = None, json.loads((out / "summary.json").read_text())
    try:
        page = firefox.Firefox()
        page.open(out / "report.html")
        page.frames()
        for what, wrong in (("facts", wrong_facts(page, summary)), ("answer", wrong_answer(page, summary)), ("constructs", wrong_constructs(page, out)), ("states", wrong_states(page, out)),
                            ("colours", tasks.wrong_colours(page)), ("task", tasks.wrong_task(page, out)), ("matrix", tasks.wrong_matrix(page)), ("table", wrong_table(page)), ("theme", wrong_theme(page))):
            report.check(f"{NAME}/firefox/{what}", wrong)
        errors = page.errors()
        report.check(f"{NAME}/firefox/console", "; ".join(errors)[:500] if errors else None)
        if pictures:
            page.picture(pictures / "firefox.png")
    except firefox.Broken as broken:
        report.check(f"{NAME}/firefox/page", str(broken)[:800])
    finally:
        if page is not None:
            page.close()
    if not report.failed:
        shutil.rmtree(place)
    return report


def main():
    need(BUILDER, LAUNCHER)
    arguments, pictures = sys.argv[1:], None
    if arguments[:1] == ["--pictures"]:
        pictures, arguments = pathlib.Path(arguments[1]).resolve(), arguments[2:]
        pictures.mkdir(parents=True, exist_ok=True)
    if chromium.found() is None:
        print(f"skip {NAME}: no chromium")
        return 0
    names, failed, page = arguments or [*RUNS, "colours", "diff", "firefox"], 0, chromium.Chromium()
    try:
        for name in names:
            if name == "firefox" and firefox.found() is None:
                print(f"skip {NAME}/firefox: no firefox")
                continue
            others = {"colours": test_colours, "diff": lambda: test_diff(page, pictures), "firefox": lambda: test_firefox(pictures)}
            report = others[name]() if name in others else test_run(name, page, pictures)
            print("\n".join(report.lines), flush=True)
            failed += report.failed
    finally:
        page.close()
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
