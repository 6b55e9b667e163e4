# SPDX-License-Identifier: BSD-3-Clause
"""How report.html can be read: what is hidden, highlighted and named, on narrow and on wide windows. Used by tests/report.py."""
import json

# By title of a layer of the chart over time: how many pixels have its colour.
LAYERS = """(() => { const c = document.querySelector('#parallelism canvas'), copy = document.createElement('canvas'); copy.width = c.width; copy.height = c.height;
    const context = copy.getContext('2d', { willReadFrequently: true }); context.drawImage(c, 0, 0); const d = context.getImageData(0, 0, c.width, c.height).data, n = {}, found = {};
    for (let i = 0; i < d.length; i += 4) if (d[i + 3] === 255) { const k = d[i] << 16 | d[i + 1] << 8 | d[i + 2]; n[k] = (n[k] ?? 0) + 1; }
    for (const row of document.querySelectorAll('#parallelism .u-series')) { const m = /rgb\\((\\d+), (\\d+), (\\d+)\\)/.exec(row.querySelector('.u-marker')?.style.background);
        if (m) found[row.querySelector('.u-label').textContent] = n[m[1] << 16 | m[2] << 8 | m[3]] ?? 0; } return found; })()"""


def wrong_hiding(page):
    """A state that is hidden in the chart over time is not painted, and no other state is in its place, also after something was selected."""
    page.frames(4)
    before = page.value(LAYERS)
    if not before:
        return "no layer has a colour"
    for title in before:
        toggle = "[...document.querySelectorAll('#parallelism .u-series')].find(r => r.querySelector('.u-label').textContent === %s).querySelector('th').click()" % json.dumps(title)
        # Another layer alone would be drawn higher if the axis ended lower.
        if title == next(iter(before)):
            continue
        page.value(toggle)
        page.value("otterReport.view.select(otterReport.data.constructs[0] ?? null)")
        page.frames()
        page.value("otterReport.view.select(null)")
        page.frames()
        after = page.value(LAYERS)
        page.value(toggle)
        page.frames()
        more = {other: (before[other], n) for other, n in after.items() if other != title and n > before[other] + 60 + before[other] // 10}
        if after[title] or more:
            return f"{title} is hidden, and has {after[title]} of {before[title]} pixels; more have {more}"
    return None


# The share of the time line's pixels that have the colour of a state, and of those that are faint or of another one.
STRENGTH = """(name => { const c = document.querySelector('#timeline canvas'), copy = document.createElement('canvas'); copy.width = c.width; copy.height = c.height;
    const context = copy.getContext('2d', { willReadFrequently: true }); context.drawImage(c, 0, 0);
    const hex = getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim(), wanted = parseInt(hex.slice(1), 16), d = context.getImageData(110, 24, c.width - 110, c.height - 24).data;
    let n = 0; for (let i = 0; i < d.length; i += 4) n += (d[i] << 16 | d[i + 1] << 8 | d[i + 2]) === wanted; return n; })(%s)"""


def wrong_highlight(page):
    """The link of a limit to the time line highlights the states that it is about, and no other; without such a limit it makes nothing faint that no lane has."""
    wanted = {"preemption": "preempted", "binding": "preempted", "blocked": "blocked", "runtime": "overhead", "data": "target"}
    limits = page.value("[...document.querySelectorAll('#answer .limit')].filter(c => c.querySelector('a')?.getAttribute('href') === '#timeline').map(c => c.dataset.limit)")
    for limit in dict.fromkeys(limits):
        page.value("otterReport.view.highlight(null, null), otterReport.view.construct !== null && otterReport.view.select(null)")
        page.frames()
        before = {name: page.value(STRENGTH % json.dumps(name)) for name in ("work", "barrier", wanted.get(limit, "work"))}
        page.value(f"document.querySelector('#answer .limit[data-limit={limit}] a').click()")
        page.frames()
        after = {name: page.value(STRENGTH % json.dumps(name)) for name in before}
        state = wanted.get(limit)
        if state and before[state] and (after[state] < 0.95 * before[state] or any(after[name] > before[name] / 20 for name in before if name != state)):
            return f"{limit} highlights {after} of {before}"
        is_in_lanes = page.value("otterReport.data.processes.some(p => (p.lanes?.constructs ?? []).some(([n]) => `${p.process}:${n}` === otterReport.view.construct?.key))")
        if not state and not is_in_lanes and after != before:
            return f"{limit} leaves {after} of {before}"
        if state:
            page.click("#timeline-all")
            if page.value("otterReport.view.states") is not None or not page.value("document.getElementById('timeline-highlighted').hidden"):
                return f"{limit} stays highlighted"
        page.value("otterReport.view.construct !== null && otterReport.view.select(null)")
    page.value("scrollTo(0, 0)")
    return None


def set_window(page, width, height, mobile=False):
    page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)
    page.frames(4)


def wrong_jumps(page):
    """A link leads to a section whose heading is seen, whatever the width of the window."""
    for width in (1280, 700):
        set_window(page, width, 800)
        for link in page.value("[...document.querySelectorAll('nav a')].map(a => a.getAttribute('href'))"):
            page.value(f"document.querySelector('nav a[href=\"{link}\"]').click()")
            page.frames()
            heading, header = page.value(f"[document.querySelector('{link} h2').getBoundingClientRect().top, document.querySelector('header').getBoundingClientRect().bottom]")
            if heading < header:
                return f"at {width} pixels {link} begins at {heading}, below the header, which ends at {header}"
    page.call("Emulation.clearDeviceMetricsOverride")
    page.value("scrollTo(0, 0)")
    page.frames()
    return None


# Where a share of the shown time is in the chart over time, and where the time line has it: the left edges, the right edges, and marks of both.
EDGES = """(() => { const over = document.querySelector('#parallelism .u-over').getBoundingClientRect(), canvas = document.querySelector('#timeline canvas').getBoundingClientRect();
    return [over.left, canvas.left + 110, over.right, canvas.right]; })()"""


def wrong_edges(page):
    """The chart over time and the time line have the same axis of time."""
    if not page.value("document.querySelector('#parallelism .u-over') && document.querySelector('#timeline canvas') && true"):
        return None
    for width in (390, 1280, 1920):
        set_window(page, width, 900)
        left, wanted_left, right, wanted_right = page.value(EDGES)
        if abs(left - wanted_left) > 1 or abs(right - wanted_right) > 1:
            return f"at {width} pixels the chart is from {left} to {right}, the time line from {wanted_left} to {wanted_right}"
    page.call("Emulation.clearDeviceMetricsOverride")
    page.frames(4)
    return None


# The heights of the time line's rows, and those at which a column of pixels has the colour of the critical path.
DARK = """(() => { const c = document.querySelector('#timeline canvas'), copy = document.createElement('canvas'); copy.width = c.width; copy.height = c.height;
    const context = copy.getContext('2d', { willReadFrequently: true }); context.drawImage(c, 0, 0);
    const hex = getComputedStyle(document.documentElement).getPropertyValue('--path').trim(), wanted = parseInt(hex.slice(1), 16), found = {};
    const d = context.getImageData(110, 24, c.width - 110, c.height - 24).data, w = c.width - 110;
    for (let i = 0; i < d.length; i += 4) if ((d[i] << 16 | d[i + 1] << 8 | d[i + 2]) === wanted) { const y = Math.floor(i / 4 / w); found[y] = (found[y] ?? 0) + 1; } return found; })()"""


def wrong_path(page):
    """The critical path is a thin line at the lower end of rows, which a switch and a key show and hide. Of hundreds of changes it is hidden at first."""
    changes = page.value("otterReport.data.processes.reduce((n, p) => n + (p.path ?? []).filter((s, i) => i > 0 && s[0] !== p.path[i - 1][0]).length, 0)")
    length = page.value("otterReport.data.processes.reduce((n, p) => n + (p.path ?? []).length, 0)")
    if not length:
        return "there is a switch for no path" if page.value("document.getElementById('timeline-path') !== null") else None
    shown = "document.querySelector('#timeline canvas').dataset.path"
    if (page.value(shown) == "true") != (changes <= 300):
        return f"a path of {changes} changes is drawn: {page.value(shown)}"
    if changes > 300:
        page.click("#timeline-path")
    pitch = page.value("(n => Math.max(5, Math.min(32, Math.floor(560 / n))) + 1)(otterReport.data.rows.length + otterReport.data.processes.reduce((n, p) => n + p.queueRows.length, 0))")
    heights = {int(y): n for y, n in page.value(DARK).items()}
    # Lines between the rows take a column each.
    thick = [y for y, n in heights.items() if n > max(60, 3 * changes)]
    if changes <= 300 and pitch > 12 and any(y % pitch < pitch - 5 for y in thick):
        return f"of rows {pitch} pixels high the path is at {sorted(thick)}"
    before = page.value(shown)
    for act in (lambda: page.click("#timeline-path"), lambda: (page.value("document.querySelector('#timeline canvas').focus()"), page.key("p"))):
        act()
        if page.value(shown) == before or page.value("document.getElementById('timeline-path').getAttribute('aria-pressed')") != page.value(shown):
            return f"the switch leaves {before}"
        before = page.value(shown)
    if changes > 300:
        page.click("#timeline-path")
    return None


# Elements other than tables that are wider than the window, or that scroll sideways.
WIDE = """[...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll, #graph-place, #flame-chart, .graph, svg, .u-wrap') && (e.getBoundingClientRect().right > innerWidth + 1 ||
    (e.scrollWidth > e.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(e).overflowX)))).map(e => e.tagName + '#' + e.id + '.' + e.className).slice(0, 5)"""
# The narrowest cells with a name, and the least height of text that a chart has on the screen.
NARROW = """[...document.querySelectorAll('#waits-matrix th, #waits-table tbody td:not(.number), #constructs-table tbody td:first-child')].filter(e => e.textContent.length > 8 && e.offsetWidth < 80).map(e => e.textContent + ' ' + e.offsetWidth)"""


def wrong_phone(page):
    """On a window of 390 pixels nothing is wider but what is in a table, names have room, and the links do not stay above the text."""
    set_window(page, 390, 844, True)
    wide, width, narrow = page.value(WIDE), page.value("document.documentElement.scrollWidth"), page.value(NARROW)
    page.value("scrollTo(0, 1000)")
    page.frames()
    header = page.value("document.querySelector('header').getBoundingClientRect().bottom")
    page.value("scrollTo(0, 0)")
    page.call("Emulation.clearDeviceMetricsOverride")
    page.frames(4)
    if wide or width > 390:
        return f"the page is {width} pixels wide: {wide}"
    if narrow:
        return f"names have little room: {narrow[:4]}"
    return f"the header goes down to {header}" if header > 60 else None


def wrong_first_view(page):
    """At 1280 x 800 the first problem, the account and the chart over time are seen without scrolling, with an alarm or a note as far as there is room; at 1920 the width is used."""
    if not page.value("document.querySelector('.sentence') && document.querySelector('#parallelism .u-over') && true"):
        return None
    set_window(page, 1280, 800)
    ends = page.value("['.card:first-child', '#answer .bar', '#account', '#parallelism .u-over'].map(s => [s, document.querySelector(s).getBoundingClientRect().bottom])")
    told = page.value("(document.querySelector('.alarm, #answer .note')?.offsetHeight ?? 0) + (document.getElementById('focus')?.offsetHeight ?? 0)")
    set_window(page, 1920, 1080)
    width = page.value("document.querySelector('#timeline canvas').offsetWidth")
    page.call("Emulation.clearDeviceMetricsOverride")
    page.frames(4)
    low = [(name, end) for name, end in ends if end > 800 + told]
    return f"below the window are {low}" if low else f"of 1920 pixels the time line has {width}" if width < 1700 else None


def wrong_address(page, path):
    """#task=N at the end of the address opens the page at this task, and so does a link to it, also after another one was selected."""
    tasks = page.value("JSON.parse(document.getElementById('otter-spawn')?.textContent ?? '{\"singles\":[]}').singles.filter(s => s[1] > 0).map(s => s[1])")
    seen = "[otterReport.view.task?.task ?? 0, document.getElementById('timeline').getBoundingClientRect().top, otterReport.view.begin, otterReport.view.end]"
    for number in tasks[1:2] + tasks[-1:]:
        page.open(path, at=f"#task={number}")
        page.frames(4)
        task, top, begin, end = page.value(seen)
        if task != number or abs(top) > 200:
            return f"task {number} of the address: {task}, the time line is at {top}"
        page.value("otterReport.view.selectTask(null), otterReport.view.reset(), scrollTo(0, 0)")
        # On a page about a task the link is above everything, elsewhere that of the panel.
        page.value(f"(() => {{ const a = document.createElement('a'); a.href = '#task={number}'; document.body.append(a); a.click(); a.remove(); }})()")
        page.frames(6)
        if page.value(seen)[0] != task or page.value(seen)[2:] != [begin, end]:
            return f"a link to task {number}: {page.value(seen)}, not {[task, top, begin, end]}"
        if page.value("document.querySelector('#task-title a')?.getAttribute('href')") != f"#task={number}":
            return "the panel has no link to its task"
    page.open(path, at="#task=99999999")
    page.frames(4)
    told = page.value("document.getElementById('timeline-details')?.textContent ?? 'no single task 99999999'")
    page.open(path, at="#")
    page.frames(2)
    return None if "no single task 99999999" in told else f"a task that the page does not have: '{told}'"


def wrong_names(page):
    """Every heading says what it means, charts have names at both axes, the box plots say what their parts are, and dots have tips for the keyboard, too."""
    page.value("document.activeElement?.blur()")
    bare = page.value("[...document.querySelectorAll('h2, thead th')].filter(e => !e.title).map(e => e.tagName + ' ' + e.textContent)")
    if bare:
        return f"without a word about them are {bare}"
    charts = page.value("[...document.querySelectorAll('svg.scatter')].map(s => [...s.querySelectorAll('text')].map(t => t.textContent).filter(t => /[a-z] [a-z]/.test(t) || t === 'threads' || t === 'streams'))")
    if any(len(names) < 2 for names in charts):
        return f"axes are called {charts}"
    boxes = page.value("[...document.querySelectorAll('#constructs-table svg.box')].map(s => s.closest('td').title)")
    if any("median" not in title or "quarter" not in title or "largest" not in title for title in boxes):
        return f"a box plot is told of as {boxes[:2]}"
    dots = page.value("document.querySelectorAll('#grain circle').length")
    if dots:
        page.call("Emulation.setFocusEmulationEnabled", enabled=True)
        page.value("document.querySelector('#grain circle').focus()")
        page.frames()
        if page.value("document.getElementById('tip').hidden") or "one costs" not in page.value("document.getElementById('tip').textContent"):
            return "a dot has no tip"
        page.value("document.activeElement.blur()")
        labels, texts = page.value("otterReport.data.constructs.map(c => c.label)"), page.value("[...document.querySelectorAll('#grain svg text')].map(t => t.textContent)")
        if not set(labels) & set(texts):
            return f"no dot has its name: {texts}"
    return None
