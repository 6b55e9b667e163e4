# SPDX-License-Identifier: BSD-3-Clause
"""What report.html shows of single tasks and of constructs over time, compared with nodes.csv, edges.csv and constructs.csv; the matrix of waits; what is printed; and
the pages of one task and of a comparison. Used by tests/report.py.
"""
import csv
import json
import re

# By label: what the time line has of each construct, in ns of threads.
LANES = """(() => { const sums = {}; for (const row of otterReport.data.rows) { if (!row.lane) continue; let from = row.lane.begin; row.lane.ends.forEach((end, i) => {
    const name = row.process.lanes.constructs[row.lane.states[i]]; if (name) sums[name[1]] = (sums[name[1]] ?? 0) + (end - from) * (row.process.folded ? row.name : 1); from = end; }); } return sums; })()"""
# By task: where it began first, where it was over, on which threads, and its process, with when that began.
PARTS = """(() => { const parts = {}; for (const row of otterReport.data.rows) { if (!row.lane) continue; let from = row.lane.begin; row.lane.ends.forEach((end, i) => {
    const task = row.lane.tasks[i]; if (task > 0) { const p = parts[task] ??= [from, end, [], 0, 0]; p[0] = Math.min(p[0], from); p[1] = Math.max(p[1], end); p[2].push(row.name); p[3] = row.process.process; p[4] = row.process.offset; } from = end; }); } return parts; })()"""
# The tasks that the page knows more of than where they ran.
SINGLES = """JSON.parse(document.getElementById('otter-spawn').textContent).singles.map(s => String(s[1]))"""
PANEL = """Object.fromEntries(['creator', 'before', 'after', 'children', 'chain'].map(id => [id, document.getElementById('task-' + id)?.textContent]))"""
PIXELS = """(() => { const c = document.querySelector('#timeline canvas'); const d = c.toDataURL(); let sum = 0; for (let i = 0; i < d.length; i++) sum = (sum * 31 + d.charCodeAt(i)) % 2147483647; return sum; })()"""


def table(out, name):
    with open(out / name, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def select(page, number):
    """By the time line's own way, of a task's number."""
    page.value("(() => { const s = JSON.parse(document.getElementById('otter-spawn').textContent).singles.findIndex(s => s[1] === %d); otterReport.view.selectTask(null); return s; })()" % number)
    page.value("""(() => { const canvas = document.querySelector('#timeline canvas'), box = canvas.getBoundingClientRect(), v = otterReport.view; let best = null;
        otterReport.data.rows.forEach((row, n) => row.lane?.tasks.forEach((task, i) => { const from = i ? row.lane.ends[i - 1] : row.lane.begin; if (task === %d && (best === null || row.lane.ends[i] - from > best[2] - best[1])) best = [n, from, row.lane.ends[i]]; }));
        const [n, from, to] = best; v.show(from - 2 * (to - from), to + 2 * (to - from));
        const n_rows = otterReport.data.rows.length, high = Math.max(5, Math.min(32, Math.floor(560 / n_rows))), t = (from + to) / 2;
        const x = box.left + 110 + (t - v.begin) / (v.end - v.begin) * (box.width - 110), y = box.top + 24 + n * (high + 1) + high / 2;
        canvas.setPointerCapture = () => {};
        for (const kind of ['pointerdown', 'pointerup']) canvas.dispatchEvent(new PointerEvent(kind, { bubbles: true, clientX: x, clientY: y, pointerId: 1 })); })()""" % number)
    page.frames()


def wrong_colours(page):
    """The switch between states and constructs, by mouse and key."""
    if not page.value("document.getElementById('timeline-constructs') !== null"):
        return "there is no switch" if page.value("otterReport.data.rows.some(r => r.lane?.ends.length > 0)") else None
    page.frames()
    before = page.value(PIXELS)
    page.click("#timeline-constructs")
    by_construct, legend = page.value(PIXELS), page.value("document.getElementById('timeline-legend').textContent")
    pressed = page.value("['states', 'constructs'].map(n => document.getElementById('timeline-' + n).getAttribute('aria-pressed')).join()")
    if by_construct == before or pressed != "false,true":
        return f"constructs look as states do: {pressed}"
    largest = max(page.value(LANES).items(), key=lambda item: item[1])[0]
    if (largest or "(unknown)") not in legend:
        return f"{largest} is not in the legend: {legend}"
    # A construct that is selected is told apart, if threads are in it: they are in tasks and regions.
    found = "otterReport.data.constructs.find(c => otterReport.data.processes.some(p => p.process === c.process && (p.lanes?.constructs ?? []).some(([n]) => n === c.row)))"
    if page.value("otterReport.data.constructs.length") > 1 and page.value(f"{found} !== undefined"):
        page.value(f"otterReport.view.select({found})")
        page.frames()
        inside = page.value("Number(document.querySelector('#parallelism .chart').dataset.inside)")
        label = page.value("otterReport.view.construct.label")
        share = page.value("(() => { const v = otterReport.view.all, c = otterReport.view.construct; let sum = 0; for (const row of otterReport.data.rows) if (row.process.process === c.process && row.lane) { let from = row.lane.begin; row.lane.ends.forEach((end, i) => {"
                           " if (row.process.lanes.constructs[row.lane.states[i]]?.[0] === c.row) sum += (end - from) * (row.process.folded ? row.name : 1); from = end; }); } return sum / (v.end - v.begin); })()")
        if page.value(PIXELS) == by_construct or abs(inside - share) > 0.01 + 0.01 * share:
            return f"{label} is selected: {inside:.4f} threads in it, not {share:.4f}"
        page.value("otterReport.view.select(null)")
    page.value("document.querySelector('#timeline canvas').focus()")
    page.key("c")
    return None if page.value(PIXELS) == before else "the key c does not lead back"


def wrong_lanes(page, out, name):
    """The time line by construct has the tasks of nodes.csv, from their begin to their end; or, in windows, their shares."""
    lanes, total = page.value(LANES), page.value("otterReport.data.rows.reduce((sum, row) => sum + (row.ends[row.ends.length - 1] - row.begin) * (row.process.folded ? row.name : 1), 0)")
    is_exact = page.value("otterReport.data.processes.every(p => p.lanes?.exact ?? true)")
    own = {}
    for row in table(out, "constructs.csv"):
        if row["kind"] in ("task", "parallel"):
            own[row["label"]] = own.get(row["label"], 0) + int(row["own_ns"] or 0)
    for label, ns in own.items():
        if lanes.get(label, 0) < 0.98 * ns - (2000 if is_exact else 0.01 * total):
            return f"{label} executed {ns} ns, and has {lanes.get(label, 0):.0f} of {total:.0f} ns"
    if sum(lanes.values()) > 1.001 * total:
        return f"constructs have {sum(lanes.values())} of {total} ns"
    if not is_exact or not (out / "nodes.csv").exists():
        return None if not is_exact or name != "windows" else "exact, with so many tasks"
    parts, nodes = page.value(PARTS), {row["id"]: row for row in table(out, "nodes.csv")}
    for number, (begin, end, _, process, offset) in parts.items():
        node, begin, end = nodes.get(number), begin - offset, end - offset
        if node is None or node["kind"] not in ("task", "implicit", "initial", "target", "taskloop_split") or int(node["process"]) != process:
            return f"task {number} is in nodes.csv {node}"
        if node["kind"] == "task" and node["end_ns"] and not int(node["begin_ns"]) - 1000 <= begin <= end <= int(node["end_ns"]) + 1000:
            return f"task {number} is there from {begin} to {end}, not from {node['begin_ns']} to {node['end_ns']}"
    missing = [number for number, node in nodes.items() if node["kind"] == "task" and node["busy_ns"] and int(node["busy_ns"]) > 0 and number not in parts]
    return f"not on the time line: {missing[:4]} of {len(nodes)}" if missing else None


def wrong_hint(page, build, out):
    """The command that a click on a task names, of which the page knows no more, is about that task: of each process of a run."""
    nodes, parts = {row["id"]: row for row in table(out, "nodes.csv")}, page.value(PARTS)
    singles = page.value(SINGLES)
    others = {nodes[n]["process"]: n for n in parts if n not in singles and nodes[n]["kind"] == "task"}
    for process, number in others.items():
        select(page, int(number))
        text = page.value("document.getElementById('timeline-details').textContent")
        hint = re.search(r"otter-build --report( --task=\d+)( --process=\d+)? makes", text)
        if hint is None:
            return f"task {number} has no command: {text}"
        build([*hint.group(1).split(), *(hint.group(2) or "").split()])
        named = {row["id"]: row for row in table(out.parent / "named", "nodes.csv")}[hint.group(1).split("=")[1]]
        if any(named[column] != nodes[number][column] for column in ("kind", "line", "begin_ns", "end_ns", "busy_ns")):
            return f"task {number} of process {process} is {nodes[number]}, and {hint.group(0)} a page of {named}"
    return None if others else "all tasks are in the page"


def wrong_queues(page, out):
    """Rows of devices have the activities of nodes.csv."""
    shown = page.value("otterReport.data.processes.flatMap(p => p.queueRows.flatMap(row => row.activities.filter(a => a).map(a => [a[0], a[0] + a[1]])))")
    wanted = [[int(row["device_begin_ns"]), int(row["device_end_ns"])] for row in table(out, "nodes.csv") if row["device_begin_ns"] and row["device_end_ns"]] if (out / "nodes.csv").exists() else []
    missing = [pair for pair in wanted if not any(abs(a - pair[0]) < 100 and abs(b - pair[1]) < 100 for a, b in shown)]
    rows = page.value("otterReport.data.processes.reduce((sum, p) => sum + p.queueRows.length, 0)")
    return f"{len(missing)} of {len(wanted)} activities are not in {rows} rows: {missing[:2]}" if missing or (wanted and not rows) else None


def words(nodes, number):
    """How the page calls a task, or its beginning."""
    return f"task {number} "


def wrong_task(page, out, names=None):
    """Selecting single tasks: their relations are those of edges.csv."""
    if page.value("document.getElementById('otter-spawn') === null || JSON.parse(document.getElementById('otter-spawn').textContent).singles.length === 0") or not (out / "nodes.csv").exists():
        return None
    nodes, edges = {row["id"]: row for row in table(out, "nodes.csv")}, table(out, "edges.csv")
    parts = page.value(PARTS)
    singles = page.value(SINGLES)
    tasks = [n for n, node in nodes.items() if node["kind"] == "task" and n in parts and n in singles]
    chosen = tasks[:3] + tasks[len(tasks) // 2:len(tasks) // 2 + 2] + tasks[-1:]
    for number in dict.fromkeys(chosen):
        select(page, int(number))
        if page.value("otterReport.view.task?.task ?? 0") != int(number):
            return f"a click on task {number} selects {page.value('otterReport.view.task?.task ?? 0')}: {page.value('document.getElementById(`timeline-details`).textContent')}"
        panel = page.value(PANEL)
        parent = nodes[number]["parent"]
        if parent and words(nodes, parent) not in panel["creator"] + " ":
            return f"task {number} was created by {parent}: {panel['creator']}"
        for edge in edges:
            if edge["kind"] == "depend" and edge["target"] == number and nodes[edge["source"]]["kind"] == "task" and words(nodes, edge["source"]) not in panel["before"]:
                return f"task {number} waited for {edge['source']}: {panel['before']}"
            if edge["kind"] == "depend" and edge["source"] == number and nodes[edge["target"]]["kind"] == "task" and words(nodes, edge["target"]) not in panel["after"]:
                return f"{edge['target']} waited for task {number}: {panel['after']}"
            if edge["kind"] == "taskwait" and edge["source"] == number and nodes[edge["target"]]["task"] and words(nodes, nodes[edge["target"]]["task"]) not in panel["after"]:
                return f"task {nodes[edge['target']]['task']} waited for task {number} at a taskwait: {panel['after']}"
        for child in (n for n, node in nodes.items() if node["kind"] == "task" and node["parent"] == number):
            if words(nodes, child) not in panel["children"] and " more" not in panel["children"]:
                return f"task {number} created {child}: {panel['children']}"
        if f"task {number}" not in panel["chain"] or (parent and "created" not in panel["chain"] and " then " not in panel["chain"]):
            return f"the chain to task {number} is {panel['chain']}"
        if page.value("Number(document.querySelector('#timeline canvas').dataset.arrows)") < 1:
            return f"task {number} has no arrow"
    if not chosen:
        return None
    parent = nodes[chosen[-1]]["parent"]
    page.click("#task-creator button")
    if page.value("otterReport.view.task?.task ?? 0") != int(parent):
        return f"the button of task {parent} selects {page.value('otterReport.view.task?.task ?? 0')}"
    page.value("document.querySelector('#timeline canvas').focus()")
    page.key("Escape")
    page.value("otterReport.view.reset()")
    return None if page.value("document.getElementById('task').hidden") else "Escape leaves the task"


def wrong_task_page(page, build, out, whole):
    """--task ID --report: the same relations as on the page of the whole run, and the task is where one looks."""
    nodes = {row["id"]: row for row in table(whole, "nodes.csv")}
    tasks = [n for n, node in nodes.items() if node["kind"] == "task" and int(node["busy_ns"] or 0) > 0]
    parents = {nodes[node["parent"]]["parent"] for node in nodes.values() if node["kind"] == "task" and node["parent"]} # of tasks that have children
    number = max(tasks[len(tasks) // 3:2 * len(tasks) // 3 + 1], key=lambda n: (n in parents, int(nodes[n]["busy_ns"])))
    page.open(whole / "report.html")
    page.frames()
    has_singles = page.value("JSON.parse(document.getElementById('otter-spawn').textContent).singles.length > 0")
    wanted = None
    if has_singles:
        select(page, int(number))
        wanted = page.value(PANEL)
    why = build(out, number)
    if why:
        return why
    page.open(out / "report.html")
    page.frames()
    panel, begin, end = page.value(PANEL), *page.value("[otterReport.view.begin, otterReport.view.end]")
    if page.value("otterReport.view.task?.task ?? 0") != int(number) or f"task {number}" not in page.value("document.title") or f"Task {number}" not in page.value("document.getElementById('focus').textContent"):
        return f"task {number} is not selected: {page.value('document.title')}"
    page.value("otterReport.view.selectTask(null), otterReport.view.reset()")
    page.click("#focus a")
    page.frames(4)
    if page.value("otterReport.view.task?.task ?? 0") != int(number) or page.value("otterReport.view.begin") != begin or abs(page.value("document.getElementById('timeline').getBoundingClientRect().top")) > 200:
        return f"the link above everything does not lead to task {number}"
    if not begin <= int(nodes[number]["begin_ns"]) + 1000 or not end >= int(nodes[number]["end_ns"]) - 1000:
        return f"from {begin} to {end} is shown, the task is from {nodes[number]['begin_ns']} to {nodes[number]['end_ns']}"
    if f"task {nodes[number]['parent']} " not in panel["creator"] + " ":
        return f"created by {panel['creator']}, not {nodes[number]['parent']}"
    children = [n for n, node in nodes.items() if node["kind"] == "task" and node["parent"] == number]
    if any(f"task {n} " not in panel["children"] for n in children[:20]):
        return f"it created {children[:20]}: {panel['children']}"
    there, wanted_there = set(page.value("JSON.parse(document.getElementById('otter-spawn').textContent).singles.map(s => s[1])")), [number]
    for n in wanted_there:
        wanted_there += [child for child, node in nodes.items() if node["kind"] == "task" and node["parent"] == n] if len(wanted_there) < 200 else []
    missing = [n for n in wanted_there if int(n) not in there]
    if missing or len(there) > 3001:
        return f"descendants {missing[:5]} of {number} are not among {len(there)} tasks"
    if page.value("Number(document.querySelector('#timeline canvas').dataset.arrows)") < 1:
        return "no arrow"
    return f"{panel}, on the page of the whole run {wanted}" if wanted is not None and wanted != panel else None


def wrong_unit_page(page, build, out, whole):
    """--task ID --report of a unit, whose number differs from level to level."""
    unit = [row for row in table(whole, "nodes.csv") if row["kind"] == "unit"][2]
    why = build(out, unit["id"])
    if why:
        return why
    page.open(out / "report.html")
    page.frames()
    said, wanted = page.value("document.getElementById('task').textContent"), [f"{int(unit[key]) / 1e9:.9f} s" for key in ("begin_ns", "end_ns")]
    return f"{said}, not {wanted}" if any(text not in said for text in wanted) else None


def wrong_matrix(page):
    """The rows add up to what waits.csv's places have of each."""
    rows = page.value("""(() => { const seen = new Set(), list = []; for (const w of otterReport.data.waits) if (!seen.has(w.key) && w.for.length) { seen.add(w.key); list.push([w.key, w.for.length, Math.max(...w.for.map(f => f.ns))]); } return list; })()""")
    if not rows:
        return "a matrix of nothing" if page.value("document.getElementById('waits-matrix') !== null") else None
    shown = page.value("[...document.querySelectorAll('#waits-matrix tbody tr')].map(r => [r.querySelector('th').dataset.key, [...r.querySelectorAll('td')].filter(td => td.textContent).length])")
    if len(shown) != min(len(rows), 10) or any(not 1 <= n <= dict((key, count) for key, count, _ in rows)[key] for key, n in shown):
        return f"rows {shown}, not {rows}"
    button = "#waits-matrix tbody th button"
    if page.value(f"document.querySelector('{button}') !== null"):
        page.click(button)
        if page.value("otterReport.view.construct?.key") != page.value(f"document.querySelector('{button}').parentNode.dataset.key"):
            return "a click on the matrix does not select"
        page.click(button)
    return None


def wrong_links(page):
    """Each of the things to change has a link to a section that is there."""
    dead = page.value("[...document.querySelectorAll('#answer .limit a, nav a')].map(a => a.getAttribute('href')).filter(id => document.querySelector(id) === null)")
    return f"links to nothing: {dead}" if dead else None


def wrong_print(page, place):
    """Light, without controls, as wide as paper; and afterwards as before."""
    before = page.value("[document.documentElement.dataset.theme, document.querySelector('#timeline canvas')?.width ?? 0]")
    page.value("""globalThis.printed = null, addEventListener('beforeprint', () => { const c = document.querySelector('#timeline canvas'); printed = [document.documentElement.dataset.theme, document.getElementById('main').clientWidth, c?.width ?? 0, c?.clientWidth ?? 0]; }, { once: true })""")
    page.pdf(place / "report.pdf")
    page.frames()
    theme, width, canvas, across = page.value("printed")
    after = page.value("[document.documentElement.dataset.theme, document.querySelector('#timeline canvas')?.width ?? 0]")
    if theme != "light" or width > 720 or canvas > 720 or canvas != across:
        return f"printed {theme}, {width} pixels wide, with a time line of {canvas} in {across}"
    if after != before:
        return f"{before} became {after} when it was printed"
    page.call("Emulation.setEmulatedMedia", media="print")
    seen = page.value("['nav', '#theme', '#constructs input', '#timeline-constructs', '#flame .choices'].filter(s => document.querySelector(s)?.offsetParent)")
    page.call("Emulation.setEmulatedMedia", media="")
    pages = (place / "report.pdf").read_bytes().count(b"/Type /Page\n")
    if seen:
        return f"controls are printed: {seen}"
    return None if 1 <= pages <= 12 else f"{pages} pages"


def wrong_paths_of_diff(page, two):
    """Each construct's button shows its paths of creation, and hides them again. The figure is the count, and all constructs are shown."""
    page.value("document.querySelectorAll('#diff-table button.paths').forEach(b => b.click())")
    found = page.value("[...document.querySelectorAll('#diff-table tr.of-path')].filter(r => r.cells.length > 1).map(r => [...r.cells].slice(0, 4).map(c => c.textContent).concat(r.dataset.match))")
    def shown(group):
        return f"{group['median']:g}" + (f" ({group['least']:g} to {group['most']:g})" if group["most"] > group["least"] else "")
    wanted = [[" › ".join((path["b"] or path["a"])[:-1]), "" if path["match"] == "same" else path["match"], *(shown(path["count"][side]) if path[side] else "" for side in ("a", "b")), path["match"]]
              for row in two["constructs"] for path in row["paths"] or []]
    if sorted(found) != sorted(wanted) or not wanted:
        return f"{len(found)} paths are shown, not {len(wanted)}: {[row for row in sorted(found) if row not in wanted][:3]}, not {[row for row in sorted(wanted) if row not in found][:3]}"
    page.value("(() => { const f = document.getElementById('diff-figure'); f.value = 'wait_ns'; f.dispatchEvent(new Event('input')); })()")
    kept = page.value("[...document.querySelectorAll('#diff-table tr.of-path')].map(r => r.textContent)")
    if not kept or any("only time" not in text for text in kept):
        return f"without figures of paths there is {kept[:3]}"
    page.value("(() => { const f = document.getElementById('diff-figure'); f.value = 'count'; f.dispatchEvent(new Event('input')); document.querySelectorAll('#diff-table button.paths').forEach(b => b.click()); })()")
    left = page.value("document.querySelectorAll('#diff-table tr.of-path').length")
    return f"{left} rows of paths are left" if left else None


def gain_text(limit):
    """What the page of a comparison says of a side's limit."""
    if limit["limit"] == "none":
        return ""
    if not limit["gain_known"]:
        return "Gain not known"
    return f"Fixing it: at {'least' if limit['lower_bound'] else 'most'} {limit['possible_speedup']:.2f}x faster"


def wrong_diff(page, out):
    """diff.html has the figures of diff.json, and its controls choose among them."""
    diff = json.loads((out / "diff.json").read_text())
    page.open(out / "diff.html")
    page.frames()
    two = diff["comparison"]
    verdict = "slower" if two["wall_ns"]["slower"] else "faster" if two["wall_ns"]["faster"] else "same"
    if page.value("document.getElementById('diff-verdict').dataset.verdict") != verdict:
        return f"the verdict is not {verdict}"
    text = page.value("document.getElementById('answer').textContent")
    for side in diff["sides"]:
        if side["limit"]["limit"] not in text or side["name"] not in text:
            return f"{side['name']}, {side['limit']['limit']} are not in {text}"
    for letter, side in zip("AB", diff["sides"]):
        shown, wanted = page.value(f"document.querySelector('.card[data-side={letter}] .gain')?.textContent ?? ''"), gain_text(side["limit"])
        if not shown.startswith(wanted) or (not wanted and "fast" in shown):
            return f"{side['name']} has '{shown}', not '{wanted}'"
    if ("another limit" in text) != two["limit_changed"]:
        return f"the limit has {'' if two['limit_changed'] else 'not '}changed: {text}"
    for only in (True, False):
        for figure in ("own_ns", "count"):
            page.value("(() => { const o = document.getElementById('diff-changed'), f = document.getElementById('diff-figure'); o.checked = %s; f.value = '%s'; f.dispatchEvent(new Event('input')); })()" % (str(only).lower(), figure))
            wanted = [row for row in two["constructs"] if not only or row[figure]["changed"] or row["match"] != "same"]
            rows = page.value("[...document.querySelectorAll('#diff-table tbody tr:not(.of-path)')].map(r => [r.dataset.match, r.dataset.changed, r.cells[0].firstChild.textContent])")
            names = sorted([row["match"], str(row[figure]["changed"]).lower(), (row["b"] or row["a"] or {}).get("label") or (row["b"] or row["a"] or {"kind": "none"})["kind"]] for row in wanted)
            if sorted(rows) != names[:200]:
                return f"{figure}{', what differs' if only else ''}: {sorted(rows)[:5]}, not {names[:5]}"
    wrong = wrong_paths_of_diff(page, two)
    if wrong:
        return wrong
    if (diff["scaling"] is not None) != page.value("document.getElementById('diff-scaling') !== null"):
        return "the table of numbers of threads"
    drawn = page.value("[...document.querySelectorAll('#diff-curve circle')].map(c => +c.dataset.y)")
    sides, first = diff["sides"], diff["sides"][diff["scaling"]["base"]] if diff["scaling"] else None
    wanted = [] if not first else [y for side in sides for ideal in (side["threads"] / first["threads"],) for y in (first["wall_ns"] / side["wall_ns"], ideal, ideal * first["work_ns"] / side["work_ns"])]
    if len(drawn) != len(wanted) or any(abs(a - b) > 1e-5 * b for a, b in zip(sorted(drawn), sorted(wanted))):
        return f"the curves have {sorted(drawn)}, not {sorted(wanted)}"
    page.value("(() => { const i = document.querySelector('#constructs input[type=search]'); i.value = 'no such construct'; i.dispatchEvent(new Event('input')); })()")
    left = page.value("document.querySelectorAll('#diff-table tbody tr').length")
    return f"the filter leaves {left}" if left else None
