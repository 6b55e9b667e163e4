#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Is everything there that the documentation and the comments name?

    tests/references.py         checks the tree, then itself

It reads README.md, docs/*.md, the man pages, and the comments of all sources, and looks for:

  links       [text](FILE#HEADING): the file and the heading; the headings of `docs/FILE.md, "HEADING"` and `docs/FILE.md section N`
  files       a path that begins with a folder of the project (`*` stands for anything), and in backticks the name of a source file
  options     --WORD: one of otter-build's or otter-record's, or one that a script has or gives to a program. One that follows the name of
              otter-build or otter-record, or stands in its man page, must be that program's own; the man page must have all of them
  quirks      Q followed by a number: docs/runtimes.md defines each number once, at the beginning of a table's row or after a name
  functions   NAME() in backticks, and in comments: a word of the code, which has to declare or call it
  names       in pages, words with an underscore in backticks (quirks, columns, functions, types): a word of the code or of an expectation
  variables   OTTER_NAME: one that the code reads

The self-test plants one error of each kind in a copy of the tree in memory, and fails where one of them is not found.
"""
import fnmatch
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = (".c", ".h", ".def", ".py", ".sh", ".pml", ".f90")
FOLDERS = r"(?:builder|recorder|common|tests|bench|docs)"

# Options of a compiler, which no script here gives to it.
FOREIGN_OPTIONS = {"offload-arch"}
# What the documentation speaks of and no file here has: a system call that was tried, programs among Argobots' examples, a file of an archive.
FOREIGN_NAMES = {"apex_exec", "perf_event_open", "stencil_depend_yield", "stencil_forkjoin_task", "tau_exec", "traces.def"}


class Tree:
    """The text of all tracked files, and of new ones that git does not ignore, by path. `planted` replaces some."""

    def __init__(self, planted=None):
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True)
        self.paths = {p for p in listed.stdout.split("\n") if p and (ROOT / p).is_file()} | set(planted or {})
        self.planted = planted or {}
        self.folders = {str(parent) for p in self.paths for parent in Path(p).parents}
        self.names = {Path(p).name for p in self.paths}

    def text(self, path):
        if path in self.planted:
            return self.planted[path]
        try:
            return (ROOT / path).read_text()
        except UnicodeDecodeError:
            return ""

    def pages(self):
        return sorted(p for p in self.paths if p == "README.md" or re.fullmatch(r"docs/[^/]+\.(md|[1-8])", p))

    def sources(self):
        return sorted(p for p in self.paths if p.endswith(CODE) or p == "Makefile" or self.is_script(p))

    def is_script(self, path):
        return "." not in Path(path).name and path.startswith(("tests/", "bench/", ".ci/")) and self.text(path).startswith("#!")

    def has(self, path):
        path = path.rstrip("/")
        if "*" in path:
            return any(fnmatch.fnmatch(p, path) for p in self.paths | self.folders)
        return path in self.paths or path in self.folders


# ---- What a file says, and what is code in it ----

C_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.S)
PYTHON_COMMENT = re.compile(r'"""(?:.*?)"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|(?<![\w$\\&])#[^\n]*', re.S)
HASH_COMMENT = re.compile(r"(?m)(?:^|(?<=\s))#[^\n]*")


def comments(path, text):
    """[(line, comment)] of a source."""
    if path.endswith((".c", ".h", ".def", ".pml")):
        found, keep = C_COMMENT.finditer(text), ("/*", "//")
    elif path.endswith(".py") or text.startswith("#!/usr/bin/python3"):
        found, keep = PYTHON_COMMENT.finditer(text), ("#", '"""')
    elif path.endswith(".f90"):
        found, keep = re.finditer(r"![^\n]*", text), ("!",)
    else:
        found, keep = HASH_COMMENT.finditer(text), ("#",)
    return [(text.count("\n", 0, m.start()) + 1, m.group()) for m in found if m.group().startswith(keep)]


def code_of(path, text):
    """A source without its comments, as far as that is easily had."""
    return C_COMMENT.sub(lambda m: " " if m.group().startswith("/") else m.group(), text) if path.endswith((".c", ".h", ".def", ".pml")) else text


def plain(page, text):
    """A page's text as lines of (number, line), man pages without their markup."""
    if page.endswith(".md"):
        return list(enumerate(text.split("\n"), 1))
    shown = []
    for number, line in enumerate(text.split("\n"), 1):
        # An argument of .Fl gets a hyphen before it; Ns joins it to what follows.
        line = re.sub(r"\bFl -(?=[a-z])", "--", line)
        line = line.replace("\\&", "").replace("\\-", "-").replace(" Ns = Ns ", "=").replace("\\e", "\\")
        shown.append((number, line))
    return shown


def slug(heading):
    """GitHub's anchor of a heading."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")


def headings(text):
    return [m.group(1).strip() for m in re.finditer(r"(?m)^#+ (.*)$", re.sub(r"(?ms)^```.*?^```", "", text))]


def anchors(text):
    seen, result = {}, set()
    for heading in headings(text):
        name = slug(heading)
        n = seen[name] = seen.get(name, -1) + 1
        result.add(name if n == 0 else f"{name}-{n}")
    return result


# ---- The checks ----

class Checker:
    def __init__(self, tree):
        self.tree = tree
        self.found = []
        sources = [(p, tree.text(p)) for p in tree.sources() if p != "tests/references.py"]
        code = "\n".join(code_of(p, t) for p, t in sources)
        self.identifiers = set(re.findall(r"[A-Za-z_]\w+", code))
        expectations = "\n".join(tree.text(p) for p in tree.paths if p.endswith(".expect"))
        self.words = self.identifiers | set(re.findall(r"\w+", expectations)) | set(re.findall(r"\w+", "\n".join(tree.paths)))
        self.variables = set(re.findall(r"OTTER_[A-Z_0-9]*[A-Z0-9]", code))
        self.own_options = {"otter-build": self.options_of("builder/main.c", "builder/commands/", "builder/run/outputs."), "otter-record": self.options_of("recorder/launch/")}
        in_scripts = "\n".join(t for p, t in sources if p.startswith(("tests/", "bench/", ".ci/")) and not p.endswith((".c", ".h")))
        self.options = set(re.findall(r"--([a-z][a-z0-9-]+)", in_scripts)).union(FOREIGN_OPTIONS, *self.own_options.values())
        self.quirks = self.defined_quirks()

    def options_of(self, *prefixes):
        """The long options in the tables of a program: argp's, and the rows of builder/run/outputs.def."""
        text = "\n".join(self.tree.text(p) for p in self.tree.paths if p.startswith(prefixes) and p.endswith((".c", ".h", ".def")))
        rows = set(re.findall(r'\{"([a-z][a-z0-9-]+)", (?:OPTION_|\'|[A-Z])', text) + re.findall(r'OUTPUT_OPTION\(\w+,\s*"([a-z0-9-]+)"', text))
        return rows | {"help", "version", "usage"}

    def bad(self, path, line, what):
        self.found.append(f"{path}:{line}: {what}")

    def defined_quirks(self):
        text, numbers = self.tree.text("docs/runtimes.md"), {}
        for line, row in enumerate(text.split("\n"), 1):
            # Where a quirk is counted its name stands before the number.
            for number in re.findall(r"^\| (?:`[a-z_]+` \| )?(Q\d+) \|", row):
                if number in numbers:
                    self.bad("docs/runtimes.md", line, f"{number} is defined in line {numbers[number]} already")
                numbers.setdefault(number, line)
        return numbers

    def check_words(self, path, line, text, is_comment):
        """What pages and comments may name alike."""
        for number in re.findall(r"\bQ\d+\b", text):
            if number not in self.quirks:
                self.bad(path, line, f"docs/runtimes.md defines no quirk {number}")
        for name in re.findall(rf"(?<![\w./$}}*-]){FOLDERS}/[\w./*-]*[\w/*]", text):
            # Capital letters stand for any name.
            name = name.rstrip(".")
            if not self.tree.has(name) and not re.search(r"[A-Z]{4}", name):
                self.bad(path, line, f"there is no {name}")
        for name in re.findall(r"(?<![\w-])--([a-z][a-z0-9-]+)", text):
            if name not in self.options:
                self.bad(path, line, f"no program has an option --{name}")
        for program, arguments in re.findall(r"(?<![\w/.])(otter-build|otter-record) ([^`|;>()]*)", text):
            for name in re.findall(r"--([a-z][a-z0-9-]+)", arguments.split(" -- ")[0]):
                if name in self.options and name not in self.own_options[program]:
                    self.bad(path, line, f"{program} has no option --{name}")
        for name in re.findall(r"\b(OTTER_[A-Z_0-9]*[A-Z0-9])\b(?![_*])", text):
            if name not in self.variables:
                self.bad(path, line, f"nothing reads {name}")
        # In a comment a function's name needs no backticks.
        for name in re.findall(r"(?<![\w.$>-])([A-Za-z_]\w{2,})\(\)" if is_comment else r"`([A-Za-z_]\w+)\(\)`", text):
            if name not in self.identifiers:
                self.bad(path, line, f"there is no function {name}()")
        for name in re.findall(r"`([a-z0-9_]{2,}\.(?:c|h|py|sh|def|pml|f90|expect))`", text):
            if name not in self.tree.names and name not in FOREIGN_NAMES:
                self.bad(path, line, f"there is no file {name}")

    def check_names(self, path, line, text):
        """Names in a page's backticks."""
        for name in re.findall(r"`([a-z][a-z0-9]*(?:_[a-z0-9]+)+)`", text):
            if name not in self.words and name not in FOREIGN_NAMES:
                self.bad(path, line, f"nothing is called {name}")

    def check_sections(self, path, line, text):
        """`FILE.md, "HEADING"` and `FILE.md section N`, which may go over a line's end."""
        text = re.sub(r"\s*\n\s*(\*|#)?\s*", " ", text)
        for page, name in re.findall(r'\b(?:docs/)?([a-z-]+\.md)`?(?:\)|,)? "([^"]+)"', text):
            names = headings(self.tree.text(f"docs/{page}")) if f"docs/{page}" in self.tree.paths else [name]
            if name not in names and name not in [re.sub(r"^\d+\. ", "", heading) for heading in names]:
                self.bad(path, line, f"docs/{page} has no heading \"{name}\"")
        pairs = re.findall(r"\b(?:docs/)?([a-z-]+\.md),? section (\d+)", text)
        pairs += [(page, number) for number, page in re.findall(r"\b[Ss]ection (\d+) of (?:docs/)?([a-z-]+\.md)", text)]
        for page, number in pairs:
            if f"docs/{page}" in self.tree.paths and not any(h.startswith(number + ".") for h in headings(self.tree.text(f"docs/{page}"))):
                self.bad(path, line, f"docs/{page} has no section {number}")
        pages = re.findall(r"[Qq]uirk numbers are those of (\S+\.md)", text) + re.findall(r"Quirks Q1 to [^.]*`(\w+\.md)` lists them", text)
        for page in pages:
            if page not in ("docs/runtimes.md", "runtimes.md"):
                self.bad(path, line, f"quirk numbers are those of docs/runtimes.md, not of {page}")

    def check_links(self, page, text):
        here = str(Path(page).parent)
        for number, line in plain(page, text):
            for target in re.findall(r"\]\(([^)\s]+)\)", line):
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, anchor = target.partition("#")
                file = page if not name else str(Path(here, name)) if ".." not in name else str((ROOT / here / name).resolve().relative_to(ROOT))
                if not self.tree.has(file):
                    self.bad(page, number, f"a link to {target}: there is no {file}")
                elif anchor and anchor not in anchors(self.tree.text(file)):
                    self.bad(page, number, f"a link to {target}: {file} has no such heading")

    def check_manual(self, page, program):
        """A program's man page has its options, and no others."""
        lines = plain(page, self.tree.text(page))
        shown = {m for _, line in lines if line.startswith(".It") for m in re.findall(r"--([a-z][a-z0-9-]+)", line)} | {"usage"}
        for name in sorted(shown - self.own_options[program]):
            self.bad(page, 1, f"{program} has no option --{name}")
        for name in sorted(self.own_options[program] - shown):
            self.bad(page, 1, f"--{name} of {program} is not described")

    def run(self):
        for page in self.tree.pages():
            # It also names what is gone.
            if page == "docs/CHANGELOG.md":
                continue
            text = self.tree.text(page)
            self.check_links(page, text)
            self.check_sections(page, 1, text)
            for number, line in plain(page, text):
                self.check_words(page, number, line, False)
                self.check_names(page, number, line)
        for path in self.tree.sources():
            if path == "tests/references.py":
                continue
            for number, comment in comments(path, self.tree.text(path)):
                self.check_sections(path, number, comment)
                for n, line in enumerate(comment.split("\n")):
                    self.check_words(path, number + n, line, True)
        for program in self.own_options:
            self.check_manual(f"docs/{program}.1", program)
        return self.found


# ---- The self-test ----

# What is planted, at the end of which file, and what has to be found.
PLANTED = [
    ("docs/states.md", "\nAsk for `--state-intervals`.\n", "no program has an option --state-intervals"),
    ("docs/otter-build.1", "\n.It Fl -state-intervals\n", "otter-build has no option --state-intervals"),
    ("docs/format.md", "\nRun `otter-record --rounds=3 -- ./a --list`.\n", "otter-record has no option --rounds"),
    ("docs/format.md", "\nSee [there](benchmarks.md#instructions-of-old).\n", "has no such heading"),
    ("docs/format.md", "\nSee [there](benchmark.md).\n", "there is no docs/benchmark.md"),
    ("docs/format.md", "\nIt is in `builder/graph/nowhere.c`.\n", "there is no builder/graph/nowhere.c"),
    ("docs/format.md", "\nIt is in `graph_nowhere.c`.\n", "there is no file graph_nowhere.c"),
    ("docs/format.md", "\nThey are `builder/nowhere_*.c`.\n", "there is no builder/nowhere_*.c"),
    ("docs/format.md", "\nSo does `ring_never_was()`.\n", "there is no function ring_never_was()"),
    ("docs/format.md", "\nThe quirk `never_was_seen` is new.\n", "nothing is called never_was_seen"),
    ("docs/format.md", "\nThis is quirk Q98.\n", "docs/runtimes.md defines no quirk Q98"),
    ("docs/format.md", "\n`OTTER_NEVER` turns it off.\n", "nothing reads OTTER_NEVER"),
    ("docs/runtimes.md", "\n| `once_more` | Q3 | | | | |\n", "Q3 is defined in line"),
    ("recorder/ring/ring.h", "\n/* Quirk numbers are those of docs/format.md. */\n", "quirk numbers are those of docs/runtimes.md"),
    ("recorder/ring/ring.h", "\n/* As Q99 says, and clock_never_was() does. */\n", "docs/runtimes.md defines no quirk Q99"),
    ("recorder/ring/ring.h", "\n/* As clock_never_was() does. */\n", "there is no function clock_never_was()"),
    ("recorder/ring/ring.h", '\n/* The rules (docs/design.md,\n * "The Nothing") hold. */\n', 'docs/design.md has no heading "The Nothing"'),
    ("recorder/ring/ring.h", "\n/* By docs/design.md section 77. */\n", "docs/design.md has no section 77"),
    ("tests/common.py", "\n# tests/nowhere.py does the same\n", "there is no tests/nowhere.py"),
    ("tests/check.sh", "\n# docs/nowhere.md has the same\n", "there is no docs/nowhere.md"),
]


def self_test(before):
    """The planted errors that were not found."""
    tree, planted = Tree(), {}
    for path, text, _ in PLANTED:
        planted[path] = planted.get(path, tree.text(path)) + text
    found = set(Checker(Tree(planted)).run()) - set(before)
    return [f"{path}: {text.strip()!r} should be found: {message}" for path, text, message in PLANTED
            if not any(f.startswith(path + ":") and message in f for f in found)]


def main():
    found = Checker(Tree()).run()
    for what in found:
        print(f"not ok {what}")
    if not found:
        print("ok what documentation and comments name is there")
    missed = self_test(found)
    for what in missed:
        print(f"not ok self-test: {what}")
    if not missed:
        print(f"ok each of {len(PLANTED)} planted errors is found")
    return 1 if found or missed else 0


if __name__ == "__main__":
    sys.exit(main())
