# SPDX-License-Identifier: BSD-3-Clause
"""Reads bench/subjects, whose head says what its lines mean, and finds what they need."""
import glob
import os
import re
import shlex
import shutil
import subprocess

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "subjects")
KEYS = ("needs", "run", "cc", "before", "archive", "graph", "like", "only", "title")


class Bad(Exception):
    """A line of the table that means nothing."""


class Subject:
    """One line. `found` is the path of what it needs, or "" where it needs nothing; None: it is not there."""
    def __init__(self, name):
        self.name = name
        self.words = dict.fromkeys(KEYS, "")
        self.variables = {}
        self.found = None

    def title(self):
        return self.words["title"] or self.name

    def fill(self, text, **more):
        """{it} and the like become what they stand for; braces that are none of these stay."""
        known = dict(more, it=self.found or "", dir=os.path.dirname(self.found or ""))
        return re.sub(r"\{(\w+)\}", lambda m: str(known.get(m.group(1), m.group(0))), text)

    def environment(self, **more):
        return {name: self.fill(value, **more) for name, value in self.variables.items()}

    def traces(self):
        """Does it leave anything behind?"""
        return any("{out}" in value for value in list(self.variables.values()) + list(self.words.values()))


def parse(text):
    """The lines of a table, in order, {name: Subject}."""
    subjects = {}
    for number, line in enumerate(text.replace("\\\n", " " * 2).split("\n"), 1):
        try:
            words = shlex.split(line, comments=True)
        except ValueError as e:
            raise Bad("line %d: %s" % (number, e)) from e
        if not words:
            continue
        name, *words = words
        if not re.fullmatch(r"[\w-]+", name) or name in subjects:
            raise Bad("line %d: %s is not a name, or was there before" % (number, name))
        subject = subjects[name] = Subject(name)
        for word in words:
            key, equals, value = word.partition("=")
            if not equals or (key not in KEYS and not re.fullmatch(r"[A-Z][A-Z0-9_]*", key)):
                raise Bad("line %d: %s: neither one of %s nor a variable" % (number, word, ", ".join(KEYS)))
            if key == "like":
                if value not in subjects or value == name:
                    raise Bad("line %d: like=%s: there is no such line before" % (number, value))
                subject.words.update(subjects[value].words, only="", title="")
                subject.variables.update(subjects[value].variables)
            elif key in KEYS:
                subject.words[key] = value
            else:
                subject.variables[key] = value
    return subjects


def library_directories(peers):
    """Where a library may lie: what the linker knows, LD_LIBRARY_PATH, and what was unpacked below `peers`."""
    known = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    try:
        cache = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout
    except OSError:
        cache = ""
    known += [os.path.dirname(path) for path in re.findall(r"=> (/\S+)", cache)]
    known += glob.glob(os.path.join(peers, "**", "lib*", "**", ""), recursive=True)
    return [d for d in dict.fromkeys(known) if d]


def find(needs, directories):
    """The path of a file, command or library, or None. A variable that is not set leaves a $ behind, and nothing is found."""
    name = os.path.expandvars(needs)
    if "/" in name:
        return os.path.realpath(name) if os.path.exists(name) else None
    if name.endswith(".so") or ".so." in name:
        paths = (os.path.join(d, name) for d in directories)
        return next((os.path.realpath(p) for p in paths if os.path.exists(p)), None)
    return shutil.which(name)


def read(bench, build, path=PATH):
    """All lines of the table, with `found` filled in; {bench} and {build} are these directories."""
    with open(path) as f:
        subjects = parse(f.read())
    directories = library_directories(os.path.join(bench, "peers"))
    for subject in subjects.values():
        for words in (subject.words, subject.variables):
            for key, value in words.items():
                words[key] = value.replace("{bench}", bench).replace("{build}", build)
        subject.found = find(subject.words["needs"], directories) if subject.words["needs"] else ""
    return subjects
