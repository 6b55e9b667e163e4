# SPDX-License-Identifier: BSD-3-Clause
"""Outputs of otter-build as text whose lines can be compared, of which two that differ differ in the output, too. Used by tests/golden.py.

Left out is what depends on the libraries of the machine, not on otter-build: where graphviz places things, how zlib packs
bytes, how SQLite lays out its file, and the page's own program.
"""
import base64
import csv
import json
import re
import sqlite3
import sys
import zlib

from common import ROOT, otf2_print, run

sys.path.insert(0, str(ROOT / "tests/perfetto"))
import wire

# What graphviz chooses: sizes, places and forms.
PLACED = re.compile(r' (?:points|d|x|y|width|height|viewBox|transform)="[^"]*"')


# Fields that almost every packet of a trace.pftrace has.
SHORTER = {"trusted_packet_sequence_id: ": "sequence ", " sequence_flags: 2": "", "double_counter_value: ": "value ", "track_uuid: ": "track ",
           "debug_annotations { name_iid: 1 uint_value: ": "node { "}


def plain(path):
    return path.read_text()


def joined(path):
    """JSON with each object or array that has no other in it on one line, and without members that are 0."""
    text = re.sub(r"^ *\S+: 0,?\n", "", path.read_text(), flags=re.MULTILINE)
    return re.sub(r"[\[{]\n[^][{}]*[]}]", lambda match: re.sub(r"\n *", " ", match[0]), text)


def archive(anchor):
    """The archive's definitions and events, without padding. Left out: strings, as their names are shown where they
    are used, and the trace's id."""
    env = {"TZ": "UTC", "LC_ALL": "C"}
    lines = (otf2_print(anchor, "-G", env=env).out + otf2_print(anchor, env=env).out).splitlines()
    return "".join(re.sub(r" {2,}", " ", line) + "\n" for line in lines if line and not line.startswith(("===", "---", "STRING ")))


def placed_graph(path):
    """graph.svg: the elements and texts, in their order, with colours and lines. The order of the clusters depends on addresses in graphviz's
    memory: here they are sorted."""
    text = PLACED.sub("", re.sub(r"<!--.*?-->\n?", "", path.read_text(), flags=re.DOTALL))
    cluster = re.compile(r'<g id="clust\d+"( class="cluster">.*?</g>\n)', re.DOTALL)
    clusters = iter(sorted(cluster.findall(text)))
    return cluster.sub(lambda _match: "<g" + next(clusters), text)


def perfetto(path):
    """The packets, a line each, in short. Names that a sequence has as another before it has them are left out."""
    lines, seen = [], {}
    for line in wire.decode(path):
        for long, short in SHORTER.items():
            line = line.replace(long, short)
        names = re.search(r"interned_data \{ (.*) \} sequence_flags", line)
        if names and len(names[1]) > 100:
            first = seen.setdefault(names[1], len(lines) + 1)
            if first != len(lines) + 1:
                line = line.replace(names[1], f"as on line {first}")
        lines.append(line)
    return "".join(line + "\n" for line in lines)


def unpacked(value):
    """Rows of numbers that are packed, as numbers."""
    if isinstance(value, dict):
        return {k: unpacked(v) for k, v in value.items()}
    if isinstance(value, list):
        return [unpacked(v) for v in value]
    if not isinstance(value, str) or not re.fullmatch(r"eJ[A-Za-z0-9+/]+=*", value):
        return value
    data, at, numbers = zlib.decompress(base64.b64decode(value)), 0, []
    while at < len(data):
        number, at = wire.varint(data, at)
        numbers.append(number)
    return " ".join(map(str, numbers))


def as_lines(value, name):
    """A value of JSON: a line for each object or array that has no other in it."""
    members = list(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ())
    if not any(isinstance(member, (dict, list)) for _, member in members):
        return [f"{name}: {json.dumps(value, ensure_ascii=False, separators=(',', ':'))}"]
    return [line for key, member in members for line in as_lines(member, f"{name}.{key}")]


def report(path):
    """The data of report.html's page. Of the graph's layout the numbers of boxes, and which curves there are."""
    lines = []
    for attributes, data in re.findall(r'<script type="application/json" ([^>]*)>(.*?)</script>', path.read_text()):
        value = unpacked(json.loads(data))
        if "boxes" in value:
            value["boxes"], value["curves"] = len(value["boxes"]), [curve[:2] for curve in value["curves"]]
        lines += as_lines(value, re.sub(r'\w+="(.*)"', r"\1", attributes))
    return "".join(line + "\n" for line in lines)


def values(node, name=""):
    """The values of summary.json by name, as docs/sqlite.md says."""
    if isinstance(node, dict):
        return {k: v for key, value in node.items() for k, v in values(value, f"{name}.{key}" if name else key).items()}
    if isinstance(node, list):
        return {k: v for i, value in enumerate(node) for k, v in values(value, f"{name}[{i}]").items()}
    return {} if node is None else {name: node}


def field(value):
    return "" if value is None else str(int(value) if isinstance(value, bool) else value).removesuffix(".0")


def table_of(db, name):
    """The rows as CSV. NULL and an empty text look the same in it, as in the tables that --csv writes."""
    cursor = db.execute(f'SELECT * FROM "{name}" ORDER BY rowid')
    return [[column[0] for column in cursor.description], *(list(map(field, row)) for row in cursor)]


def is_beside(path, rows):
    """Does the CSV table, or summary.json, have the same rows?"""
    if path.suffix == ".csv":
        return path.exists() and list(csv.reader(path.open(newline=""))) == rows
    wanted = values(json.loads(path.read_text()))
    return [["name", "number", "text"], *([k, "", v] if isinstance(v, str) else [k, field(v), ""] for k, v in wanted.items())] == rows


def database(path):
    """otter.sqlite: what it consists of, then the rows of each table, or the name of the file beside it that has the
    same."""
    lines = []
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        lines += [f"{pragma} {db.execute(f'PRAGMA {pragma}').fetchone()[0]}" for pragma in ("user_version", "application_id")]
        names = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        lines += [row[0] for row in db.execute("SELECT sql FROM sqlite_master")]
        for name in names:
            rows, beside = table_of(db, name), path.with_name("summary.json" if name == "summary" else f"{name}.csv")
            if len(rows) == 1 or is_beside(beside, rows):
                lines.append(f"{name}: {len(rows) - 1} rows" + (f", as in {beside.name}" if len(rows) > 1 else ""))
            else:
                lines += [f"{name}: {','.join(row)}" for row in rows]
    db.close()
    return "".join(line + "\n" for line in lines)


# What an output becomes, by its name or by how its name ends. What is not here is not compared.
TEXTS = {"graph.svg": placed_graph, "report.html": report, "otter.sqlite": database, "trace.json": plain, ".pftrace": perfetto, ".otf2": archive,
         ".json": joined, ".csv": plain, ".dot": plain, ".folded": plain, ".graphml": plain, ".svg": plain}


def text_of(path):
    """None: it is not compared."""
    reader = TEXTS.get(path.name) or TEXTS.get(path.suffix)
    return reader(path) if reader else None
