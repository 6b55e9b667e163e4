# SPDX-License-Identifier: BSD-3-Clause
"""The colours of subjects in all pictures: those that also the colour-blind tell apart (Okabe and Ito). The recorder is blue, what it cannot go
below is grey. Used by bench/plot and bench/page."""

FIXED = {"untraced": "#000000", "attached": "#cccccc", "empty": "#aaaaaa", "floor": "#666666", "otter": "#0072b2", "otter-self": "#56b4e9"}
OTHERS = ("#e69f00", "#d55e00", "#cc79a7", "#009e73", "#c9b400", "#7b3294")


def colours(names):
    """{name: colour} of these, in their order."""
    others = [n for n in names if n not in FIXED]
    return {n: FIXED[n] if n in FIXED else OTHERS[others.index(n) % len(OTHERS)] for n in names}
