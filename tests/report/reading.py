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
