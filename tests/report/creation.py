# SPDX-License-Identifier: BSD-3-Clause
"""Two sections of report.html: the flame graph of paths of creation, and the graph by construct and path. Their figures are those of spawn.csv and summary.json,
and they do what a reader wants, by mouse and keyboard. Used by tests/report.py.
"""
import csv
import json
import re
from decimal import Decimal, ROUND_HALF_UP

# By the names on the page: own time and total time of all rows that end with the construct.
FLAME = """[...document.querySelectorAll('#flame-chart g.frame')].map(f => ({name: f.getAttribute('name'), label: f.getAttribute('aria-label'),
	width: f.querySelector('rect').getBoundingClientRect().width, fill: f.querySelector('rect').getAttribute('fill')}))"""
BOXES = """[...document.querySelectorAll('#graph-place .graph-box')].map(b => ({id: b.dataset.id, label: b.getAttribute('aria-label'), on_path: b.classList.contains('on-path')}))"""


def own_time(ns):
    """As the page writes times: of two numbers that are as near, JavaScript takes the larger one."""
    for unit in ("ns", "us", "ms", "s"):
        if ns < 999.5 or unit == "s":
            digits = 0 if unit == "ns" or ns >= 99.95 else 1 if ns >= 9.995 else 2
            return f"{Decimal(ns).quantize(Decimal(10) ** -digits, ROUND_HALF_UP)} {unit}"
        ns /= 1000


def rows_of(out):
    with open(out / "spawn.csv", newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def set_value(page, selector, value, event):
    page.value("(() => { const e = document.querySelector(%s); e.value = %s; e.dispatchEvent(new Event(%s, {bubbles: true})); })()" % tuple(json.dumps(x) for x in (selector, value, event)))
    page.frames()


def wait_for(page, expression):
    """Until it is true, or a second is over: the library moves frames by and by."""
    return page.value("(async () => { for (let i = 0; i < 60; i++) { if (%s) return true; await new Promise(requestAnimationFrame); } return false; })()" % expression)


def wrong_flame(page, out):
    table = rows_of(out)
    total = sum(int(row["total_ns"]) for row in table if not row["above"])
    if not page.value("document.querySelector('#flame') !== null"):
        return "there is no section" if total > 0 else None
    # From above: each path that is wide enough has a frame, as wide as its total time.
    frames = page.value(FLAME)
    full = max(f["width"] for f in frames)
    shown = {}
    for frame in frames:
        shown.setdefault(frame["name"], []).append(frame)
    for row in table:
        share = int(row["total_ns"]) / total
        wanted = f"{own_time(int(row['total_ns']))} with all below"
        if row["above"] and share * full > 4 and not any(wanted in f["label"] and abs(f["width"] - share * full) < 3 for f in shown.get(row["name"], [])):
            return f"no frame for {row['name']} of {wanted}, {share * full:.0f} of {full:.0f} pixels: {shown.get(row['name'])}"
    # A click lets a frame have all of the width; the button takes it back.
    inner = next((row for row in table if row["depth"] == "2" and 0.05 < int(row["total_ns"]) / total < 0.9), None)
    if inner:
        width = "document.querySelector('#flame-chart g.frame[name=\"%s\"] rect').getBoundingClientRect().width" % inner["name"].replace('"', '\\"')
        page.value("document.querySelector('#flame-chart g.frame[name=\"%s\"]').focus()" % inner["name"].replace('"', '\\"'))
        page.key("Enter")
        if not wait_for(page, f"{width} > 0.98 * {full}"):
            return f"Enter leaves {inner['name']} {page.value(width)} of {full} pixels wide"
        page.click("#flame-reset")
        if not wait_for(page, f"{width} < 0.95 * {full}"):
            return f"the button leaves {inner['name']} {page.value(width)} of {full} pixels wide"
    # From below: own times by construct.
    set_value(page, "#flame-direction", "up", "change")
    own = {}
    for row in table:
        if row["above"]:
            own[row["name"]] = own.get(row["name"], 0) + int(row["own_ns"])
    top = page.value("[...document.querySelectorAll('#flame-chart g.frame')].filter(f => f.getAttribute('transform').endsWith(',20)')).map(f => [f.getAttribute('name'), f.getAttribute('aria-label')])")
    top = dict(map(tuple, top))
    missing = [name for name, ns in own.items() if ns / total * full > 4 and f"{own_time(ns)} itself" not in top.get(name, "")]
    if missing:
        return f"from below, {missing[0]} is {top.get(missing[0])}, not {own_time(own[missing[0]])}: {top}"
    # What is sought is marked, whatever is in it.
    name = max(own, key=own.get)
    set_value(page, "#flame-search", name[:6] + "(", "input")
    plain = {f["fill"] for f in page.value(FLAME) if f["name"] == name}
    set_value(page, "#flame-search", name, "input")
    marked = {f["fill"] for f in page.value(FLAME) if f["name"] == name}
    set_value(page, "#flame-search", "", "input")
    set_value(page, "#flame-direction", "down", "change")
    return None if plain != marked else f"{name} is not marked when it is sought"


def wrong_graph(page, out, summary):
    if not page.value("document.querySelector('#graph') !== null"):
        return "there is no section" if summary["tasks"]["explicit"] else None
    data = page.value("JSON.parse(document.getElementById('otter-spawn').textContent)")
    groups = [dict(zip(data["group"], row)) for row in data["groups"]]
    links = [dict(zip(data["link"], row)) for row in data["links"]]
    table = rows_of(out)
    # A task has one create edge at any level, and one path.
    n_created = sum(link["count"] for link in links if link["kind"] == "create")
    if n_created != summary["graph"]["edges"].get("create", 0):
        return f"{n_created} create edges, summary.json has {summary['graph']['edges'].get('create', 0)}"
    with open(out / "constructs.csv", newline="", encoding="utf-8") as f:
        kinds = {row["number"]: row["kind"] for row in csv.DictReader(f)}
    for kind in ("task", "target"):
        wanted = sum(int(row["count"]) for row in table if kinds.get(row["construct"]) == kind)
        found = sum(group["count"] for group in groups if group["kind"] == kind)
        if found != wanted:
            return f"{found} nodes {kind}, spawn.csv has {wanted}"
    work = sum(int(row["own_ns"]) for row in table)
    # Devices have times of their own, and what a unit executes while it waits is in no box.
    if not any(group["kind"] in ("data_op", "kernel", "unit") for group in groups) and abs(sum(g["own_ns"] for g in groups) - work) > len(groups) + len(table):
        return f"boxes executed {sum(g['own_ns'] for g in groups)} ns, paths {work}"
    singles = [dict(zip(data["single"], row)) for row in data["singles"]]
    are_there = {groups[single["group"]]["process"] for single in singles}
    if any(sum(s["group"] == i for s in singles) != g["count"] and g["process"] in are_there and g["kind"] in ("task", "taskwait", "barrier") for i, g in enumerate(groups)):
        return "single tasks and the counts of their constructs differ"
    first = summary.get("answer", {}).get("process", groups[0]["process"])
    boxes = page.value(BOXES)
    if len(boxes) != sum(group["process"] == first for group in groups):
        return f"{len(boxes)} boxes for {len(groups)} groups"
    if any(box["on_path"] != (groups[int(box["id"][1:])]["n_on_path"] > 0) for box in boxes):
        return "boxes of the critical path are not marked"
    outside = page.value("""(() => { const s = document.querySelector('#graph-place svg').getBoundingClientRect(); return [...document.querySelectorAll('#graph-place .graph-box')]
        .filter(b => { const r = b.getBoundingClientRect(); return r.left < s.left - 1 || r.right > s.right + 1 || r.top < s.top - 1 || r.bottom > s.bottom + 1; }).length; })()""")
    if outside:
        return f"{outside} boxes are outside of the picture"
    return wrong_opening(page, groups, singles, boxes)


def data_of(out, name):
    """An object within the page, and what writes a copy of the page with another one, and opens it."""
    head, mark, rest = (out / "report.html").read_text(encoding="utf-8").partition(f'id="{name}">')
    body, end, rest = rest.partition("</script>")

    def show(page, data):
        path = out / f"other-{name}.html"
        path.write_text(head + mark + json.dumps(data).replace("<", "\\u003c") + end + rest, encoding="utf-8")
        page.open(path)
        page.frames()
    return json.loads(body), show


def wrong_without_layout(page, out):
    """As where Graphviz' library was not there when Otter was built: the page finds places of its own."""
    data, show = data_of(out, "otter-spawn")
    data["boxes"], data["curves"] = [box[:2] for box in data["boxes"]], []
    before = page.value("document.querySelectorAll('#graph-place .graph-box').length")
    show(page, data)
    found = page.value("[...document.querySelectorAll('#graph-place .graph-box')].map(b => b.getAttribute('transform'))")
    lines = page.value("[...document.querySelectorAll('#graph-place .graph-line')].every(l => l.getAttribute('d').startsWith('M'))")
    if len(found) != before or before == 0 or len(set(found)) != len(found) or any("undefined" in at or "NaN" in at for at in found) or not lines:
        return f"{len(found)} boxes of {before} at {found[:4]}"
    return None


def wrong_what_if(page, out):
    """With figures of its own in the answer: curves with a point for each."""
    summary, show = data_of(out, "otter-summary")
    has_figures = bool((summary["answer"].get("what_if") or {}).get("curve") or (summary["answer"].get("speedups") or {}).get("constructs"))
    curve = [{"threads": n, "policy": policy, "wall_ns": 1000 // n, "speedup": n / 2 + i / 10, "work_bound_ns": 900 // n, "span_ns": 100}
             for i, policy in enumerate(("run", "oldest")) for n in (1, 2, 4, 8)]
    place = {"kind": "task", "label": "task@<b>.c:1", "file": "", "line": 1, "function": ""}
    summary["answer"] |= {"what_if": {"threads": 2, "nodes": 9, "simulated_nodes": 9, "error": 0.013, "own_costs_share": 0, "simulated_ns": 500, "curve": curve},
                          "speedups": {"constructs": [{"construct": place, "work_share": 0.5, "path_share": 0.4, "curve": [{"faster": 2.0, "wall_ns": 400, "speedup": 1.25},
                                       {"faster": None, "wall_ns": 300, "speedup": 1.5}]}], "critical": None}}
    if page.value("document.querySelector('#whatif') !== null") != has_figures:
        return "there is a section without figures, or figures without a section"
    show(page, summary)
    points = sorted(map(float, page.value("[...document.querySelectorAll('#whatif-threads circle')].map(c => c.dataset.y)")))
    wanted = sorted([row["speedup"] for row in curve] + [500 / max(900 // n, 100) for n in (1, 2, 4, 8)])
    if len(points) != len(wanted) or any(abs(a - b) > 1e-9 for a, b in zip(points, wanted)):
        return f"points {points}, not {wanted}"
    faster = page.value("[...document.querySelectorAll('#whatif-constructs circle')].map(c => Number(c.dataset.y))")
    if faster != [1, 1.25, 1.5] or "task@<b>.c:1 (50 %" not in page.value("document.querySelector('#whatif').textContent"):
        return f"with a construct faster: {faster}"
    wrong = wrong_scales(page, summary, show)
    if wrong:
        return wrong
    return None if "off by 1.3 %" in page.value("document.querySelector('#whatif').textContent") else "the error is not told"


# Of a chart: what stands below its axis, what beside it, and the heights of the lowest and highest of these and of the points.
AXES = """(id => { const texts = [...document.querySelectorAll(`#${id} text`)], circles = [...document.querySelectorAll(`#${id} circle`)].map(c => +c.getAttribute('cy'));
	const below = texts.filter(t => t.getAttribute('y') === '276').map(t => t.textContent), beside = texts.filter(t => t.textContent.endsWith('×')).map(t => +t.getAttribute('y') - 4);
	return [below, Math.min(...beside), Math.max(...beside), Math.min(...circles), Math.max(...circles), beside.length]; })('%s')"""


def wrong_scales(page, summary, show):
    """The axes of charts have numbers from end to end, the right end says that a construct takes no time, and figures without a logarithm stop nothing."""
    place = summary["answer"]["speedups"]["constructs"][0]["construct"]
    for name, curve in (("some", [{"faster": f, "wall_ns": 400, "speedup": s} for f, s in ((2.0, 1.25), (4.0, 5.9), (None, 6.3))]), ("null", [{"faster": None, "wall_ns": 0, "speedup": 0}]),
                        ("none", []), ("wide", [{"faster": 2.0, "wall_ns": 1, "speedup": 1e-9}, {"faster": None, "wall_ns": 0, "speedup": 1e15}])):
        summary["answer"]["speedups"]["constructs"] = [{"construct": place, "work_share": 0.5, "path_share": 0.4, "curve": curve}]
        show(page, summary)
        below, top, bottom, highest, lowest, n = page.value(AXES % "whatif-constructs")
        if top > highest + 0.1 or bottom < lowest - 0.1 or not 2 <= n <= 12:
            return f"{name}: {n} numbers from {bottom} to {top}, points from {lowest} to {highest}"
        if below != ["1", *(str(int(row["faster"])) for row in curve if row["faster"]), *(["no time"] if curve else [])]:
            return f"{name}: the axis has {below}"
    return None


def wrong_opening(page, groups, singles, boxes):
    """From the whole graph to a construct, to a single task, and back, by keys and mouse."""
    task = next((box["id"] for box in boxes if groups[int(box["id"][1:])]["kind"] == "task"), None)
    if task is None:
        return None
    page.value(f"document.querySelector('#graph-place [data-id={task}]').focus({{preventScroll: true}})")
    page.key("Enter")
    inner = page.value(BOXES)
    is_single = [box for box in inner if re.match(r"s\d", box["id"])]
    if any(single["group"] == int(task[1:]) for single in singles) and not 1 <= len(is_single) <= 12:
        return f"a construct opens with {len(is_single)} single tasks"
    if page.value("otterReport.view.construct") is None and page.value(f"otterReport.data.constructs.length") > 0:
        return "the construct that is opened is not selected"
    page.value("otterReport.view.select(otterReport.view.construct ?? null)")
    if is_single:
        page.click(f"#graph-place [data-id={is_single[0]['id']}]")
        number = singles[int(is_single[0]["id"][1:])]["task"]
        if f"task {number} in nodes.csv" not in page.value("document.querySelector('#graph-details').textContent"):
            return f"task {number} is not told of"
        if page.value("document.querySelectorAll('#graph-place .graph-box.focus').length") != 1:
            return "the task that is open is not marked"
    page.click("#graph-all")
    if len(page.value(BOXES)) != len(boxes):
        return "the way back does not lead to the whole graph"
    before = page.value("document.querySelector('#graph-place svg').getAttribute('viewBox')")
    page.click("#graph-way button[aria-label='Zoom in']")
    return None if page.value("document.querySelector('#graph-place svg').getAttribute('viewBox')") != before else "+ does not zoom"
