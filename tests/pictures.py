#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The pictures of real programs: graph.dot, graph.svg, timeline.svg, parallelism.svg.

Records the programs of tests/omp, and some larger ones. For each: graphviz lays graph.dot out in a few seconds; it has no more nodes than
--max-nodes says; the times and counts of a folded graph add up to those of constructs.csv and states.csv; each SVG is well-formed, bounded,
and has in its rectangles the times of states.csv. Names full of markup are text. Pictures of several processes, of a task, of devices and
of Argobots' units are among them.

Usage: pictures.py [NAME...]     (all programs, or these)
"""
import collections
import sys
import tarfile
import xml.etree.ElementTree

from common import *
import expect
import many
import run as programs

NAME, PLACE = "pictures", WORK / "pictures"
SECONDS = 10  # for what takes a fraction of one on a quiet machine
SVG = "{http://www.w3.org/2000/svg}"
SVG_BYTES = 2_000_000
PICTURES = ("graph.svg", "timeline.svg", "parallelism.svg")

SUITE = r"""
#include <stdlib.h>
#include <string.h>
static volatile double sink;
static void work(int n) { for (int i = 0; i < n; i++) sink += i; }
static int fib(int n)
{
	int x, y;
	if (n < 2)
		return n;
#pragma omp task shared(x)
	x = fib(n - 1);
#pragma omp task shared(y)
	y = fib(n - 2);
#pragma omp taskwait
	return x + y;
}
static void health(int level)
{
	for (int i = 0; i < 4 && level > 0; i++) {
#pragma omp task
		health(level - 1);
	}
#pragma omp taskwait
	work(300);
}
int main(int argc, char **argv)
{
	int loops = argc > 1 && strcmp(argv[1], "loops") == 0, tasks = argc > 1 && strcmp(argv[1], "tasks") == 0;
	static char m[20][20];
	for (int t = 0; t < 30 && loops; t++) {
#define LOOP _Pragma("omp parallel for num_threads(4)") for (int i = 0; i < 8; i++) work(100);
		LOOP
		LOOP
		LOOP
#pragma omp parallel num_threads(4)
		{
#pragma omp for
			for (int i = 0; i < 8; i++)
				work(100);
#pragma omp for
			for (int i = 0; i < 8; i++)
				work(100);
		}
	}
#pragma omp parallel num_threads(4)
#pragma omp single
	if (!loops) {
		if (!tasks) {
			fib(12);
			health(4);
		}
		for (int i = 1; i < 16; i++)
			for (int j = 1; j < 16; j++) {
#pragma omp task depend(in : m[i - 1][j], m[i][j - 1]) depend(out : m[i][j])
				work(200);
			}
	}
	return 0;
}
"""
# What larger programs are drawn as: their arguments, and what is in the picture of the graph.
# A program whose graph has nothing to fold: each task another construct, and dependences between any two of them.
DENSE = "static volatile int s; int v[200];\nint main(void)\n{\n#pragma omp parallel num_threads(2)\n#pragma omp single\n{\n" + "".join(
    f"#pragma omp task depend(in : v[{max(0, i - 1 - i * 7 % 13)}], v[{max(0, i - 1 - i * 11 % 17)}]) depend(out : v[{i}])\ns += {i};\n" for i in range(140)) + "}}\n"
LARGE = {"suite": ([], ["creates x", "is waited for x", "comes before x420", " x "]),
         "tasks": (["tasks"], ["creates x225", "comes before x420", "225 x"]),
         "dense": ([], ["other constructs", "comes before x"]),
         "loops": (["loops"], ["regions without tasks", "<TD ALIGN=\"RIGHT\">30</TD>"])}


def table(out, name):
    with open(out / name, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f, strict=True))


def drawn_nodes(text):
    """Of each node its attributes: those that a folded graph adds, as numbers."""
    nodes = re.findall(r"^  ((?:p\d+)?[nc]\d+) (\[.*\]);$", text, re.MULTILINE)
    return {name: {k: int(v) for k, v in re.findall(r",(count|own_ns|wait_ns|path_ns)=(\d+)", rest)} for name, rest in nodes}


def wrong_dot(out, max_nodes=150):
    text = (out / "graph.dot").read_text()
    # Processor time, which does not depend on what else the machine does. What takes more is ended (SIGXCPU).
    laid_out = run(["prlimit", f"--cpu={SECONDS}", "dot", "-Tplain", "-o", out / "graph.plain", out / "graph.dot"])
    nodes = drawn_nodes(text)
    n_laid_out = sum(line.startswith("node ") for line in (out / "graph.plain").read_text().splitlines()) if laid_out.status == 0 else 0
    if laid_out.status == -signal.SIGXCPU:
        return f"dot takes more than {SECONDS} s"
    if laid_out.status != 0 or laid_out.err.strip():
        return f"dot: {laid_out.why([0])} {laid_out.err[:200]}"
    if n_laid_out != len(nodes) or len(nodes) > max_nodes:
        return f"{len(nodes)} nodes, of which dot has {n_laid_out}; {max_nodes} at most"
    return None


EXECUTED = ("task", "taskloop", "taskloop_split", "target", "parallel", "teams", "initial", "loop", "sections", "single", "workshare", "distribute",
            "scope", "masked")
OF_DEVICES = ("kernel", "data_", "submit", "unit", "tasklet")


def wrong_sums(out):
    """The times of a folded graph are those of the tables; each is rounded once a class, or once a construct."""
    text = (out / "graph.dot").read_text()
    constructs, nodes = table(out, "constructs.csv"), drawn_nodes(text)
    nameless = any(c["kind"] in ("taskloop", "loop", "single") and c["own_ns"] not in ("", "0") and "@" not in c["label"] for c in constructs)
    if "drawn by source construct" not in text or any(c["kind"].startswith(OF_DEVICES) for c in constructs) or nameless:
        return None  # worksharing without a line is one construct, of one region
    own = sum(n["own_ns"] for n in nodes.values())
    path = sum(n["path_ns"] for n in nodes.values())
    wanted = sum(int(c["own_ns"] or 0) for c in constructs if c["kind"] in EXECUTED)
    wanted_path = sum(int(c["path_ns"] or 0) for c in constructs)
    states = sum(int(s["total_ns"]) for s in table(out, "states.csv") if s["state"].startswith("wait_"))
    waits = sum(n["wait_ns"] for n in nodes.values())
    if abs(own - wanted) > 2 * len(constructs) + len(nodes):
        return f"{own} ns executed, and {wanted} in constructs.csv"
    if abs(path - wanted_path) > 2 * len(table(out, "nodes.csv")):
        return f"{path} ns on the critical path, and {wanted_path} in constructs.csv"
    if abs(waits - states) > 2 * len(constructs) + len(nodes):
        return f"{waits} ns waited, and {states} in states.csv"
    for c in constructs:  # tasks of each label, if one node has them
        n = re.search(rf'label="{re.escape(c["label"])}\\n(\d+) x ', text) if c["kind"] == "task" and c["count"] else None
        same = sum(int(o["count"]) for o in constructs if o["label"] == c["label"] and o["kind"] == "task" and o["count"])
        if n is not None and text.count(f'label="{c["label"]}\\n') == 1 and int(n[1]) != same:
            return f"{n[1]} of {c['label']}, and {same} in constructs.csv"
    return None


SHADES = {"work": ("work_",), "waits for tasks": ("wait_taskwait", "wait_taskgroup"), "waits at barriers": ("wait_barrier",),
          "waits for mutexes": ("wait_mutex", "wait_lock", "wait_critical", "wait_atomic", "wait_ordered"), "waits for devices": ("wait_target",),
          "runtime": ("overhead",), "idle": ("idle",), "preempted or blocked": ("preempted", "blocked"), "unknown": ("undefined",)}


def shade_of(state):
    return next(shade for shade, begins in SHADES.items() if state.startswith(begins))


def area(path):
    """Of a path of rectangles, as timeline.svg has them."""
    return sum(int(w) * int(h) for w, h in re.findall(r"h(\d+)v(\d+)h-", path))


def wrong_timeline(out):
    rows = {}
    for s in table(out, "states.csv"):
        row = rows.setdefault((s["process"], s["stream"]), collections.Counter())
        row[shade_of(s["state"])] += int(s["total_ns"])
    root = xml.etree.ElementTree.parse(out / "timeline.svg").getroot()
    groups = [g for g in root.iter(f"{SVG}g") if "data-row" in g.attrib]
    drawn = collections.Counter()
    for group in groups:
        for path in group.iter(f"{SVG}path"):
            drawn[path.attrib["class"]] += int(path.attrib["data-ns"])
    told = collections.Counter()
    for row in rows.values():
        told.update({shade: ns for shade, ns in row.items() if ns})
    if drawn != told:
        return f"timeline.svg has {dict(drawn)}, states.csv {dict(told)}"
    if len(groups) != len(rows):
        return f"{len(groups)} rows of {len(rows)} threads"
    total, all_area = sum(told.values()), sum(area(p.attrib["d"]) for g in groups for p in g.iter(f"{SVG}path"))
    for shade, ns in told.items():
        share = sum(area(p.attrib["d"]) for g in groups for p in g.iter(f"{SVG}path") if p.attrib["class"] == shade) / max(1, all_area)
        if abs(share - ns / total) > 0.01:
            return f"{shade} takes {share:.3f} of timeline.svg, and {ns / total:.3f} of the time"
    return None


def wrong_svg(out, width=180):
    for name in PICTURES:
        text = (out / name).read_bytes()
        root = xml.etree.ElementTree.fromstring(text)
        millimetres = float(root.attrib["width"].removesuffix("mm"))
        if len(text) > SVG_BYTES or millimetres > width or (name != "graph.svg" and millimetres != width):
            return f"{name} has {len(text)} bytes, and is {millimetres} mm wide"
    return None


def check(report, name, out, **limits):
    report.check(f"{name}/dot", wrong_dot(out, **limits))
    report.check(f"{name}/svg", wrong_svg(out))
    report.check(f"{name}/timeline", wrong_timeline(out))


ALL = ("--dot", "--svg", "--csv", "--answer")


def test_program(source):
    report, name = Report(), f"{NAME}/{source.stem}"
    want = expect.Expectation(source.with_suffix(".expect"), "clang")
    if want.not_for(programs.HOME) or (want.offload and no_offload(want.offload)):
        return report
    with alone(PLACE / source.stem) as work:
        if compile_once(source, work / "program", "clang", want.flags()).status != 0:
            report.skip(name, "clang does not compile it")
            return report
        run([work / "program", *want.args], {**programs.environment(want, "clang"), "OMP_TOOL_LIBRARIES": str(RECORDER), "OTTER_DIR": str(work / "dumps")})
        dumps = dumps_in(work / "dumps")
        if not dumps:
            report.skip(name, "it leaves no dump")
            return report
        result, _ = build(work / "dumps", work / "out", *ALL)
        remove_images(dumps)
        if not report.check(f"{name}/build", result.why([0, 3])):
            return report
        check(report, name, work / "out")
        if result.status == 0:
            report.check(f"{name}/sums", wrong_sums(work / "out"))
        if report.failed == 0 and "KEEP" not in os.environ:
            shutil.rmtree(work)
    return report


def record_suite(name, place):
    """A dump of one of the LARGE programs, and the folder that it is in."""
    place = empty(PLACE / place)
    (place / "suite.c").write_text(DENSE if name == "dense" else SUITE)
    compiled = compile_c(place / "suite.c", place / "suite")
    if compiled.status == 0:
        run([place / "suite", *LARGE[name][0]], {"OMP_NUM_THREADS": "4", "OMP_TOOL_LIBRARIES": str(RECORDER), "OTTER_DIR": str(place / "dumps")})
    return place, (dumps_in(place / "dumps") if compiled.status == 0 else [None])[0]


def test_large(name):
    report = Report()
    place, dump = record_suite(name, f"large-{name}")
    out = place / "out"
    result, _ = build(dump, out, *ALL)
    if not report.check(f"{NAME}/{name}/build", result.why([0])):
        return report
    check(report, f"{NAME}/{name}", out)
    text = (out / "graph.dot").read_text()
    missing = [part for part in LARGE[name][1] if part not in text]
    n_nodes, nodes = len(table(out, "nodes.csv")), drawn_nodes(text)
    said = f"{n_nodes} nodes drawn by source construct as {len(nodes)}\\n"
    report.check(f"{NAME}/{name}/text", f"no {missing} in graph.dot" if missing else None if said in text else f"not said: {said}")
    screen = f"graph.dot {n_nodes} nodes are drawn by source construct as {len(nodes)}"
    report.check(f"{NAME}/{name}/screen", None if screen in result.out else f"not said: {screen}")
    report.check(f"{NAME}/{name}/sums", wrong_sums(out) or (None if len(nodes) <= 20 or name == "dense" else f"{len(nodes)} nodes"))
    for n in (1, 2, 3):
        result, _ = build(dump, place / "few", *ALL, f"--max-nodes={n}")
        report.check(f"{NAME}/{name}/{n} nodes", result.why([0]) or wrong_dot(place / "few", n) or wrong_sums(place / "few"))
    result, _ = build(dump, place / "column", *ALL, "--width=85")
    report.check(f"{NAME}/{name}/column", result.why([0]) or wrong_svg(place / "column", 85) or wrong_timeline(place / "column"))
    result, _ = build(dump, place / "whole", "--dot", "--csv", "--answer", "--max-nodes=1000000")
    n = len(drawn_nodes((place / "whole/graph.dot").read_text())) if result.status == 0 else 0
    report.check(f"{NAME}/{name}/whole", result.why([0]) or (None if n == n_nodes else f"{n} nodes of {n_nodes}"))
    result, _ = build(dump, place / "alone", "--svg", "--answer")
    same = result.status == 0 and all((place / "alone" / f).read_bytes() == (out / f).read_bytes() for f in PICTURES)
    report.check(f"{NAME}/{name}/alone", None if same and not (place / "alone/graph.dot").exists() else f"not the same without --dot: {result.why([0])}")
    return report


def wrong_pdf(out, name, width):
    """One page as wide as the picture, with its letters as letters, and on it what the SVG shows."""
    pdf = out / f"{name}.pdf"
    told = run(["pdfinfo", pdf])
    size = re.search(r"Page size: +([\d.]+) x ([\d.]+) pts", told.out)
    if told.status != 0 or not re.search(r"Pages: +1\n", told.out) or not size:
        return f"pdfinfo: {told.status} {told.out} {told.err}"
    if (name == "graph" and float(size[1]) > width * 72 / 25.4 + 1) or (name != "graph" and abs(float(size[1]) - width * 72 / 25.4) > 1):
        return f"{size[1]} points, not {width} mm"
    words = set(run(["pdftotext", pdf, "-"]).out.split())
    wanted = {"graph": "critical", "timeline": "thread", "parallelism": "threads"}[name]
    if wanted not in words:
        return f"no word {wanted} in it: {sorted(words)[:20]}"
    other = out / f"{name}.other.pdf"
    result = run(["rsvg-convert", "-f", "pdf", "-d", "72", "-p", "72", "-o", other, out / f"{name}.svg"])
    one, two = darkness(pdf), darkness(other)
    return result.why([0]) or (f"{one:.3f} of the page is dark, {two:.3f} of the SVG" if one == 0 or abs(one - two) > 0.02 * two else None)


def darkness(pdf):
    """How dark the page is on average: 0 is white."""
    picture = pdf.with_suffix("")
    run(["pdftoppm", "-r", "100", "-gray", "-singlefile", pdf, picture])
    points = pathlib.Path(f"{picture}.pgm").read_bytes().split(b"\n255\n", 1)[1]
    return 1 - sum(points) / (255 * len(points))


def test_pdf():
    """The same pictures by --pdf, alone and beside --svg."""
    report = Report()
    if any(shutil.which(tool) is None for tool in ("pdfinfo", "pdftoppm", "pdftotext", "rsvg-convert")):
        report.skip(f"{NAME}/pdf", "no poppler-utils or rsvg-convert")
        return report
    place, dump = record_suite("suite", "pdf")
    result, _ = build(dump, place / "out", "--pdf", "--svg", "--answer")
    for f in PICTURES if report.check(f"{NAME}/pdf/build", result.why([0])) else ():
        report.check(f"{NAME}/pdf/{f}", wrong_pdf(place / "out", f.removesuffix(".svg"), 180))
    result, _ = build(dump, place / "alone", "--pdf", "--answer", "--width=85")
    names = sorted(p.name for p in (place / "alone").glob("*.[ps]?[fg]"))
    report.check(f"{NAME}/pdf/alone", result.why([0]) or (None if names == sorted(f.replace(".svg", ".pdf") for f in PICTURES) else str(names)))
    result = run([BUILDER, "-q", "--force", "-o", place / "both", "--dot", "--svg", "--pdf", "--width=85", dump])
    differing = [f for f in names if (place / "alone" / f).read_bytes() != (place / "both" / f).read_bytes()]
    report.check(f"{NAME}/pdf/both", result.why([0]) or (f"{differing} differ" if differing else None))
    return report


def test_threads(name):
    """The same bytes on any number of threads."""
    report = Report()
    place, dump = record_suite(name, "threads")
    seen = {}
    for n in (1, 2, 4):
        run([BUILDER, "-q", "--force", "-o", place / "out", "--dot", "--svg", dump], {"OMP_NUM_THREADS": str(n)})
        for f in ("graph.dot", *PICTURES):
            seen.setdefault(f, set()).add((place / "out" / f).read_bytes())
    report.check(f"{NAME}/{name}/threads", "; ".join(f for f, texts in seen.items() if len(texts) != 1))
    return report


def test_processes():
    """A few processes side by side, each folded by itself; more than there is room for together."""
    report = Report()
    place, dump = record_suite("suite", "processes")
    for n, together in ((3, False), (30, True)):
        many.copy(dump, empty(place / "processes"), n)
        result, _ = build(place / "processes", place / "out", *ALL, "--merge")
        if not report.check(f"{NAME}/processes/{n}/build", result.why([0])):
            continue
        text = (place / "out/graph.dot").read_text()
        report.check(f"{NAME}/processes/{n}/dot", wrong_dot(place / "out"))
        clusters = text.count("subgraph cluster_")
        report.check(f"{NAME}/processes/{n}/drawn", None if clusters == (0 if together else n) and (f"{n} processes together" in text) == together
                     else f"{clusters} clusters")
        report.check(f"{NAME}/processes/{n}/svg", wrong_svg(place / "out"))
        rows = [g for g in xml.etree.ElementTree.parse(place / "out/timeline.svg").getroot().iter(f"{SVG}g") if "data-row" in g.attrib]
        report.check(f"{NAME}/processes/{n}/rows", None if len(rows) == (n if together else 4 * n) else f"{len(rows)} rows")
        nodes, constructs = drawn_nodes(text), table(place / "out", "constructs.csv")
        own, wanted = sum(v["own_ns"] for v in nodes.values()), sum(int(c["own_ns"] or 0) for c in constructs if c["kind"] in EXECUTED)
        report.check(f"{NAME}/processes/{n}/sums", None if abs(own - wanted) <= 2 * len(constructs) + n * len(nodes) else f"{own} ns, not {wanted}")
    return report


def test_hostile():
    """Names are text, whatever is in them."""
    report = Report()
    place = empty(PLACE / "hostile")
    name = "</text><b a=\"x\">&amp;'\\N\\n]>.c"
    for text, kind in ((SUITE, "folded"), (SUITE.replace("fib(12)", "fib(2)").replace("health(4)", "").replace("i < 16", "i < 2"), "whole"),
                       (SUITE, "loops")):
        (place / "plain.c").write_text('#line 1 "' + name.replace("\\", "\\\\").replace('"', '\\"') + '"\n' + text)
        dumps = empty(place / "dumps")
        compiled = compile_c(place / "plain.c", place / "program")
        if not report.check(f"{NAME}/hostile/{kind}/compile", compiled.why([0])):
            continue
        run([place / "program", kind], {"OMP_TOOL_LIBRARIES": str(RECORDER), "OTTER_DIR": str(dumps)})
        dump = dumps_in(dumps)[0]
        dump = dump.rename(dump.with_name("<i>&\"'\\N" + dump.name))
        result, _ = build(dump, place / "out", *ALL)
        if not report.check(f"{NAME}/hostile/{kind}/build", result.why([0])):
            continue
        check(report, f"{NAME}/hostile/{kind}", place / "out")
        root = xml.etree.ElementTree.parse(place / "out/graph.svg").getroot()
        texts = ["".join(t.itertext()) for t in root.iter(f"{SVG}text")]
        file = name.rpartition("/")[2]
        seen = any(file in t for t in texts) and any("<i>&\"'\\N" in t for t in texts) and not list(root.iter(f"{SVG}b"))
        report.check(f"{NAME}/hostile/{kind}/graph.svg", None if seen else f"no {file} in {texts[:4]}")
        title = xml.etree.ElementTree.parse(place / "out/timeline.svg").getroot().find(f"{SVG}title").text
        report.check(f"{NAME}/hostile/{kind}/title", None if "<i>&\"'\\N" in title else title)
    return report


WRITTEN = ("contradictory", "damaged")


def test_kept(name):
    """Recordings of tests/golden: devices, work units, killed and damaged runs."""
    report, place = Report(), empty(PLACE / f"kept-{name}")
    if name in WRITTEN:
        run([BUILD / "tests/tools/golden_dumps", name, place / f"{name}.otter"])
    else:
        with tarfile.open(ROOT / f"tests/golden/{name}.tar.xz") as archive:
            archive.extractall(place)
    for option in ((), ("--max-nodes=6",), ("--graph=fragment",), ("--graph=scope", "--max-nodes=12")):
        result, _ = build(place / f"{name}.otter", place / "out", *ALL, *option)
        what = f"{NAME}/{name}{''.join(option)}"
        if report.check(f"{what}/build", result.why([0, 3])):
            check(report, what, place / "out", max_nodes=int(option[-1][-2:].lstrip("=")) if option and "nodes" in option[-1] else 150)
    return report


def test_task():
    """Of a task there is its graph, and nothing of threads."""
    report = Report()
    place, dump = record_suite("tasks", "task")
    result, _ = build(dump, place / "out", "--csv", "--dot", "--answer")
    task = next(n["id"] for n in table(place / "out", "nodes.csv") if n["kind"] == "implicit")
    result = run([BUILDER, "-q", "--force", "-o", place / "out", "--dot", "--svg", f"--task={task}", dump])
    names = sorted(f.name for f in (place / "out").iterdir()) if result.status == 0 else []
    report.check(f"{NAME}/task", result.why([0]) or wrong_dot(place / "out") or (None if names == ["graph.dot", "graph.plain", "graph.svg"] or
                                                                                names == ["graph.dot", "graph.svg"] else str(names)))
    return report


def main():
    need(BUILDER, RECORDER)
    wanted = set(sys.argv[1:])
    jobs = [(test_large, name) for name in LARGE] + [(test_threads, "suite"), (test_processes,), (test_hostile,), (test_task,), (test_pdf,)]
    jobs += [(test_kept, f.name.removesuffix(".tar.xz")) for f in sorted((ROOT / "tests/golden").glob("*.tar.xz"))]
    jobs += [(test_kept, name) for name in WRITTEN]
    jobs += [(test_program, source) for source in sorted((ROOT / "tests/omp").glob("*.c")) if source.with_suffix(".expect").exists()]
    name_of = lambda job: job[0].__name__.removeprefix("test_") if len(job) == 1 else getattr(job[1], "stem", job[1])
    jobs = [job for job in jobs if not wanted or name_of(job) in wanted or job[0].__name__.removeprefix("test_") in wanted]
    is_good = run_all(jobs, lambda job: job[0](*job[1:]))
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
