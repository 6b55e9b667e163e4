# SPDX-License-Identifier: BSD-3-Clause
"""A picture of dots: a line of it for each thing, on it a dot with its interval for each tool, panels side by side, each with its own axis of
logarithms. SVG, written without any library. Used by bench/page."""
import math
from collections import namedtuple
from xml.sax.saxutils import escape

WIDTH, LABELS, GAP, RIGHT = 1000, 178, 26, 24
TOP, LINE, BOTTOM = 172, 28, 26
FONT = "Helvetica, Arial, sans-serif"

# title: lines of text. dots: {line: {tool: Spread}}. notes: {line: text} right of the dots, below `note_title`. width: of 1. mark: a value that
# has a line of its own, or None.
Panel = namedtuple("Panel", "title dots notes note_title width mark")


def text(x, y, words, size=13, colour="#333333", anchor="start", weight="normal"):
    return '<text x="%.1f" y="%.1f" font-size="%d" fill="%s" text-anchor="%s" font-weight="%s">%s</text>' % (
        x, y, size, colour, anchor, weight, escape(words))


def line(x1, y1, x2, y2, colour, width=1.0, dashes=""):
    return '<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="%g"%s/>' % (
        x1, y1, x2, y2, colour, width, ' stroke-dasharray="%s"' % dashes if dashes else "")


class Axis:
    """From values to places, by logarithms; what lies outside is at its ends."""
    def __init__(self, values, left, right):
        self.left, self.right = left, right
        self.low, self.high = 0.85 * min(values), 1.15 * max(values)

    def at(self, value):
        value = min(max(value, self.low), self.high)
        return self.left + (self.right - self.left) * math.log(value / self.low) / math.log(self.high / self.low)

    def ticks(self):
        steps = (1, 1.5, 2, 3, 4, 5, 7) if self.high / self.low < 20 else (1, 2, 5) if self.high / self.low < 1000 else (1,)
        found = [step * 10.0**power for power in range(-6, 10) for step in steps]
        return [t for t in found if self.low <= t <= self.high]


def dot(axis, y, spread, colour, is_noise):
    """The interval, and a dot on it unless it is noise; an arrow where it goes on beyond the axis."""
    parts = [line(axis.at(spread.low), y, axis.at(spread.high), y, colour, 1.6, "2 2" if is_noise else "")]
    if spread.low < axis.low:
        parts.append('<path d="M%.1f %.1f l5 -3 v6 z" fill="%s"/>' % (axis.left, y, colour))
    if not is_noise:
        parts.append('<circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>' % (axis.at(spread.median), y, colour))
    return parts


def panel_drawn(panel, lines, colours, is_noise, left, right):
    notes = 66 if panel.notes else 0
    values = [v for dots in panel.dots.values() for s in dots.values() for v in ((s.median,) if is_noise(s) else (s.low, s.median, s.high)) if v > 0]
    parts = [text(left, TOP - 42 + 16 * i, words, 13, "#333333", weight="bold" if i == 0 else "normal") for i, words in enumerate(panel.title)]
    if not values:
        return parts
    axis, bottom = Axis(values, left, right - notes), TOP + LINE * len(lines)
    for tick in axis.ticks():
        parts.append(line(axis.at(tick), TOP, axis.at(tick), bottom, "#e0e0e0"))
        parts.append(text(axis.at(tick), bottom + 16, "%g" % tick, 12, "#555555", "middle"))
    if panel.mark is not None:
        parts.append(line(axis.at(panel.mark), TOP, axis.at(panel.mark), bottom, "#111111", 1.2))
    if panel.notes:
        parts.append(text(right, TOP - 8, panel.note_title, 12, "#333333", "end"))
    step = (LINE - 10) / max(1, len(colours) - 1)
    for row, name in enumerate(lines):
        y = TOP + LINE * (row + 0.5)
        for place, (tool, colour) in enumerate(colours.items()):
            spread = panel.dots.get(name, {}).get(tool)
            if spread is not None:
                parts += dot(axis, y + (place - (len(colours) - 1) / 2) * step, spread, colour, is_noise(spread))
        if name in panel.notes:
            parts.append(text(right, y + 4, panel.notes[name], 12, "#333333", "end"))
    return parts


def legend(colours, titles, y):
    parts, x = [], LABELS
    for tool, colour in colours.items():
        parts.append('<circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>' % (x + 4, y - 4, colour))
        parts.append(text(x + 13, y, titles[tool], 13))
        x += 34 + 6.7 * len(titles[tool])
    return parts + [line(x, y - 4, x + 16, y - 4, "#333333", 1.6), text(x + 21, y, "interval", 13),
                    line(x + 82, y - 4, x + 98, y - 4, "#333333", 1.6, "2 2"), text(x + 103, y, "noise", 13)]


def picture(title, below_title, lines, panels, colours, titles, is_noise, foot):
    """
    The SVG. lines: their names, from the top. colours, titles: of each tool, in the order of the legend. is_noise(Spread). below_title, foot: lines
    of text.
    """
    bottom = TOP + LINE * len(lines)
    height = bottom + BOTTOM + 22 + 17 * len(foot)
    parts = [text(16, 30, title, 20, "#111111", weight="bold")]
    parts += [text(16, 50 + 16 * i, words, 12, "#666666") for i, words in enumerate(below_title)]
    parts += legend(colours, titles, 60 + 16 * len(below_title))
    for row, name in enumerate(lines):
        y = TOP + LINE * row
        if row % 2 == 0:
            parts.append('<rect x="0" y="%.1f" width="%d" height="%d" fill="#f6f6f6"/>' % (y, WIDTH, LINE))
        parts.append(text(LABELS - 12, y + LINE / 2 + 4, name, 13, "#333333", "end"))
    left = LABELS
    for panel in panels:
        room = (WIDTH - LABELS - RIGHT - GAP * (len(panels) - 1)) * panel.width
        parts += panel_drawn(panel, lines, colours, is_noise, left, left + room)
        left += room + GAP
    parts += [text(16, bottom + BOTTOM + 20 + 17 * i, words, 12, "#555555") for i, words in enumerate(foot)]
    head = ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h:.0f}" width="{w}" height="{h:.0f}" role="img" font-family="{f}">\n'
            '<title>{t}</title>\n<rect width="{w}" height="{h:.0f}" fill="#ffffff"/>\n').format(w=WIDTH, h=height, f=FONT, t=escape(title))
    return head + "\n".join(parts) + "\n</svg>\n"
