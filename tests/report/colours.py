# SPDX-License-Identifier: BSD-3-Clause
"""How far apart colours of report.html are that may lie side by side, also for people who lack one kind of cones. Used by tests/report.py.

The simulations are those of Machado, Oliveira and Fernandes (2009), of full severity; distances are CIE76 and CIEDE2000, in CIELAB under D65.
"""
import itertools
import math
import re

LEAST = 10
STATES = ("work", "overhead", "tasks", "barrier", "mutex", "target", "preempted", "blocked", "idle", "unknown", "empty")
CONSTRUCTS = ("c0", "c1", "c2", "c3", "c4", "c5", "c6", "idle", "empty")
SIGHTS = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))
WHITE = (0.95047, 1, 1.08883)


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector)) for row in matrix]


def lab(colour, sight):
    """Of #rrggbb, in CIELAB."""
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    seen = [min(1, max(0, c)) for c in times(SIGHTS[sight], linear)]
    x, y, z = ((t / n) ** (1 / 3) if t / n > 216 / 24389 else (24389 / 27 * t / n + 16) / 116 for t, n in zip(times(XYZ, seen), WHITE))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def ciede2000(p, q):
    (l1, a1, b1), (l2, a2, b2) = p, q
    chroma = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    more = 1.5 - 0.5 * math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7))
    a1, a2 = a1 * more, a2 * more
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = math.degrees(math.atan2(b1, a1)) % 360, math.degrees(math.atan2(b2, a2)) % 360
    dl, dc = l2 - l1, c2 - c1
    dh = 2 * math.sqrt(c1 * c2) * math.sin(math.radians((h2 - h1 + 180) % 360 - 180) / 2)
    l, c = (l1 + l2) / 2, (c1 + c2) / 2
    h = (h1 + h2) / 2 if abs(h1 - h2) <= 180 else (h1 + h2 + 360) / 2 if h1 + h2 < 360 else (h1 + h2 - 360) / 2
    t = 1 + sum(k * math.cos(math.radians(n * h + by)) for k, n, by in ((-0.17, 1, -30), (0.24, 2, 0), (0.32, 3, 6), (-0.2, 4, -63)))
    sl, sc, sh = 1 + 0.015 * (l - 50) ** 2 / math.sqrt(20 + (l - 50) ** 2), 1 + 0.045 * c, 1 + 0.015 * c * t
    turn = -2 * math.sqrt(c ** 7 / (c ** 7 + 25 ** 7)) * math.sin(math.radians(60 * math.exp(-((h - 275) / 25) ** 2)))
    return math.sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + turn * dc / sc * dh / sh)


def distances(sheet):
    """Of each pair, the nearest first: the smaller distance, CIE76, CIEDE2000, the sight, the theme and both names."""
    light, _, dark = sheet.partition("[data-theme='dark']")
    rows = []
    for theme in ("light", "dark"):
        named = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", light if theme == "light" else light + dark))
        pairs = dict.fromkeys(pair for names in (STATES, CONSTRUCTS) for pair in itertools.combinations(names, 2))
        for (a, b), sight in itertools.product(pairs, SIGHTS):
            p, q = lab(named[a], sight), lab(named[b], sight)
            rows.append((min(math.dist(p, q), ciede2000(p, q)), math.dist(p, q), ciede2000(p, q), sight, theme, a, b))
    return sorted(rows)


def wrong_distances(sheet):
    near = [f"{a} and {b} ({sight}, {theme}): {cie76:.1f}, {cie2000:.1f}" for least, cie76, cie2000, sight, theme, a, b in distances(sheet) if least < LEAST]
    return f"less than {LEAST} apart are {'; '.join(near)}" if near else None


# Pairs of the test data of Sharma, Wu and Dalal (2005).
KNOWN = (((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425), ((50, 2.5, 0), (73, 25, -18), 27.1492), ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
         ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373))


def wrong_formula():
    wrong = [(p, q, ciede2000(p, q), d) for p, q, d in KNOWN if abs(ciede2000(p, q) - d) > 1e-4]
    return f"CIEDE2000 of known pairs: {wrong}" if wrong else None
