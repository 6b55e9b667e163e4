#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Do the packages that tests/deps.sh installs have what the build, the tests and the benchmarks use?

    tests/deps.py [--verbose]       --verbose prints what each package is needed for

It reads the Makefile, the scripts and the sources (tests/deps/*.py find the names in them), and looks for the Debian
package of each

  command     that a shell script calls, a recipe of the Makefile, or a script in Python
  header      of an #include <...>
  module      that /usr/bin/python3 imports
  library     that pkg-config is asked for, that is opened by name ("libcairo.so.2"), or linked (-liberty)

The package must be in a minimal Debian with git, gcc, make and sudo, in deps.sh's list for that file, or be needed by one of
these. A command that is not installed at all has no package here: then only the test that calls it fails.

Then it leaves each package out of the lists, and fails where nothing misses it: a package that nothing needs, or a use that
is not found. Packages in OTHERWISE are needed in a way that no text shows.
"""
import collections
import glob
import os
import re
import subprocess
import sys

from common import *

sys.path.insert(0, str(ROOT / "tests/deps"))
import python_text
import shell_text

NAME, report = "deps", Report()
MINIMAL = ("apt", "git", "gcc", "make", "sudo")  # and all that is essential or required
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"

# Packages that are used without being named: why.
OTHERWISE = {
    "python3-six": "python3-otf2 imports it, and does not depend on it",
    "clang-tools-19": "clang links code for devices by its clang-linker-wrapper",
    "libdebuginfod1": "libdw opens it where it is there (test labels)",
    "libc6-i386": "the C library of a program of 32 bits in tests/gomp.sh",
    "libc6-dev-arm64-cross": "what gcc for aarch64 compiles against",
    "libclang-rt-19-dev": "clang's -fsanitize=fuzzer",
    "g++": "tests/labels.py and tests/answers/recorded.py make its name of gcc's",
    "ca-certificates": "npm, behind a private authority",
    "libopenblas0-openmp": "the BLAS of numpy in tests/late.sh",
    "python3-sklearn": "Python in tests/late.sh imports it",
    "r-cran-data.table": "R in tests/late.sh loads it",
    "libfaketime": "tests/faults/preloads.py preloads it, and the next three",
    "libeatmydata1": "as libfaketime",
    "libjemalloc2": "as libfaketime",
    "libgoogle-perftools4": "as libfaketime",
    "npm": "tests/deps.sh calls it by name where it may be another than Debian's",
}
# Packages that a few checks use where they are installed, and that are skipped without: why deps.sh does not install them.
OPTIONAL = {
    "debootstrap": "make bare, which only developers call, asks for it",
    "firefox-esr": "one page of the report in a second browser",
    "linux-perf": "counts instructions faster than valgrind",
}


def purposes_of(path):
    """The lists of deps.sh that are installed where this file is used."""
    own = {"tests/model/aarch64.sh": "aarch64", "tests/fuzz/run.sh": "fuzz", "tests/lint.sh": "lint"}
    if path.startswith("tests/") or path.startswith("bench/"):
        return ["", "check"] + ([own[path]] if path in own else ["bench"] if path.startswith("bench/") else [])
    return [""]


# ---- What is installed ----

class Packages:
    """The installed packages of this machine: who needs whom, and who has which file."""

    FIELDS = ("Package", "db:Status-Status", "Essential", "Priority", "Provides", "Pre-Depends", "Depends")

    def __init__(self):
        text = subprocess.run(["dpkg-query", "-W", "-f", "\t".join(f"${{{f}}}" for f in self.FIELDS) + "\n"], capture_output=True, text=True, check=True).stdout
        rows = [dict(zip(self.FIELDS, line.split("\t"))) for line in text.splitlines()]
        rows = [r for r in rows if r["db:Status-Status"] == "installed"]
        self.needs = {r["Package"]: self.names(r["Pre-Depends"]) + self.names(r["Depends"]) for r in rows}
        self.providers = collections.defaultdict(list)
        for r in rows:
            for alternatives in self.names(r["Provides"]):
                self.providers[alternatives[0]].append(r["Package"])
        self.required = {r["Package"] for r in rows if r["Essential"] == "yes" or r["Priority"] == "required"}
        self.owners = {}

    @staticmethod
    def names(field):
        """"a (>= 1), b:any | c" as [["a"], ["b", "c"]]"""
        return [[re.sub(r"[ :(\[].*", "", name.strip()) for name in group.split("|")] for group in field.split(",") if group.strip()]

    def closure(self, packages):
        """These packages and all that they need, as apt chooses: the first alternative, or one that is there."""
        found, todo = set(), [p for p in packages if p in self.needs]
        while todo:
            package = todo.pop()
            if package in found:
                continue
            found.add(package)
            for alternatives in self.needs[package]:
                choices = [p for a in alternatives for p in ([a] if a in self.needs else []) + self.providers[a]]
                if choices and not found & set(choices):
                    todo.append(choices[0])
        return found

    @staticmethod
    def listed_as(file):
        """A file has one place below / or /usr, which are one, and may be another package's alternative."""
        for name in (file, os.path.realpath(file)):
            yield from (name, re.sub(r"^/usr(?=/(s?bin|lib))", "", name), "/usr" + name)

    def find_owners(self, files):
        """Looks up the packages of many files at once."""
        names = sorted({name for file in files for name in self.listed_as(file)})
        text = subprocess.run(["dpkg", "-S", *names], capture_output=True, text=True).stdout
        listed = {file: package.split(",")[0].split(":")[0] for package, file in re.findall(r"^([^ \n]+(?:, [^ \n]+)*): (.*)$", text, re.M)}
        for file in files:
            self.owners[file] = next((listed[name] for name in self.listed_as(file) if name in listed), None)


# ---- Where a name's file is ----

def first(patterns):
    return next((f for p in patterns for f in sorted(glob.glob(p))), None)


class Places:
    def __init__(self):
        self.libraries = dict(re.findall(r"^\t(\S+) .* => (\S+)$", subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout, re.M))
        self.folders = ["/usr/include", "/usr/include/*-linux-gnu", "/usr/lib/gcc/*-linux-gnu/*/include", "/usr/lib/gcc/*-linux-gnu/*/finclude",
                        "/usr/lib/llvm-*/lib/clang/*/include", "/usr/include/c++/*", "/usr/include/*/"]

    def file(self, kind, name):
        if kind == "command":
            return first(f"{folder}/{name}" for folder in PATH.split(":"))
        if kind == "header":
            return first(f"{folder}/{name}" for folder in self.folders)
        if kind == "module":
            return first(f"/usr/lib/python3/dist-packages/{name}{end}" for end in ("/__init__.py", ".py", "*.so"))
        if kind == "pkg-config":
            return first(f"{folder}/{name}.pc" for folder in ("/usr/lib/*-linux-gnu/pkgconfig", "/usr/lib/pkgconfig", "/usr/share/pkgconfig"))
        if kind == "link":
            return first(f"/usr/lib/{folder}lib{name}.{end}" for folder in ("*-linux-gnu/", "") for end in ("so", "a"))
        path = self.libraries.get(name)
        return path and os.path.realpath(path)


# ---- What is used ----

def uses_of(path, text, local):
    """[(kind, name, line)]"""
    found = []
    if path == "Makefile":
        found += [("command", name, line) for name, line in shell_text.recipes(text)]
        for words in re.findall(r"^\w+_PC +:= (.*)$|pkg_(?:cflags|libs),([^)$]*)\)", text, re.M):
            found += [("pkg-config", word, 0) for word in " ".join(words).split() if "$" not in word]
        found += [("link", word, 0) for word in re.findall(r"(?<= -l)[a-z]+\b", text)]
    elif text.startswith("#!") and "python" in text.splitlines()[0]:
        found += python_text.uses(text)
    elif text.startswith("#!"):
        found += [("command", name, line) for name, line in shell_text.commands(text)]
    elif path.endswith(".py"):
        found += python_text.uses(text)
    for match in re.finditer(r'^\s*# *include *<([\w./+-]+)>|"(lib[\w+-]+\.so\.[\d.]+)"', text, re.M):
        kind, name = ("header", match[1]) if match[1] else ("library", match[2])
        found.append((kind, name, text.count("\n", 0, match.start()) + 1))
    return [(kind, name, line) for kind, name, line in found if (name + ".py" if kind == "module" else name) not in local]


def all_uses():
    """{(kind, name): [path:line]}"""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    paths = [p for p in listed if (ROOT / p).is_file() and not re.search(r"\.(md|xz|expect|csv|json|svg|png|units|html|dot)$|^tests/(answers/kept|golden|fuzz/found)/", p)]
    local = {os.path.basename(p) for p in paths}
    found = collections.defaultdict(list)
    for path in paths:
        try:
            text = (ROOT / path).read_text()
        except UnicodeDecodeError:
            continue
        for kind, name, line in uses_of(path, text, local):
            found[kind, name].append((path, line))
    return found


# What is in these texts, to see that none of it is overlooked: kind and name.
SHELL = """#!/bin/bash
a=(one two) b=x three "$(four five | six)" <<END >seven && { eight; } # nine
here-document
END
case $x in ten | eleven) twelve ;; *) nine() { thirteen; } ;; esac
for i in $(fourteen); do [[ $a == b || c -gt $(fifteen) ]] || ! timeout -k 1 9 sixteen; done < <(seventeen)
nine 'x; y'; trap - EXIT
"""
PYTHON = """#!/usr/bin/python3
import one, json
from two.three import four
run(["three", x, "y"], ["prlimit", "--cpu=1", "five", "-o"], [*a, "z"])
run(("bash", "-c", "six | seven"), shutil.which("eight"), os.environ.get("X", "nine"))
x = ("a", "b")
"""
RECIPES = """X := $(shell one x)
all: x
	$(Q)two $(X) | three || { $(CC) -c; four; }
"""


def check_reading():
    seen = {name for name, _ in shell_text.commands(SHELL)}
    report.check(f"{NAME}/reads-shell", None if seen == {"three", "four", "six", "eight", "twelve", "thirteen", "fourteen", "fifteen", "timeout", "sixteen", "seventeen", "trap"} else
                 f"found {sorted(seen)}")
    seen = {(kind, name) for kind, name, _ in python_text.uses(PYTHON)}
    wanted = {("module", "one"), ("module", "two"), *(("command", c) for c in ("three", "prlimit", "five", "bash", "six", "seven", "eight", "nine"))}
    report.check(f"{NAME}/reads-python", None if seen == wanted else f"found {sorted(seen)}")
    seen = {name for name, _ in shell_text.recipes(RECIPES)}
    report.check(f"{NAME}/reads-recipes", None if seen == {"one", "two", "three", "four"} else f"found {sorted(seen)}")


def main():
    if shutil.which("dpkg-query") is None:
        print("skip deps: no Debian, whose packages these are")
        return 77
    packages, places = Packages(), Places()
    lists = {p: subprocess.run([ROOT / "tests/deps.sh", "list", *([p] if p else [])], capture_output=True, text=True, check=True).stdout.split()
             for p in ("", "check", "aarch64", "bench", "fuzz", "lint")}
    uses = all_uses()
    files = {use: places.file(*use) for use in uses}
    packages.find_owners({f for f in files.values() if f})
    base = packages.closure(packages.required | set(MINIMAL))

    def missing(without=None):
        """{(kind, name): (package, path, line)} of what is not installed where it is used"""
        named = {p: {x for x in lists[""] + lists[p] if x != without} for p in lists}
        there = {p: base | named[p] | packages.closure(named[p]) for p in lists}
        found = {}
        for use, at in uses.items():
            owner = packages.owners.get(files[use])
            for path, line in at:
                # npm may be another than Debian's: a command is also that of a package of its name.
                if owner and owner not in OPTIONAL and not any({owner, use[1]} & there[p] for p in purposes_of(path)):
                    found[use] = (owner, path, line)
                    break
        return found

    check_reading()
    wrong = missing()
    for (kind, name), (owner, path, line) in sorted(wrong.items()):
        report.check(f"{NAME}/{kind}-{name}", f"{path}:{line} uses it, and tests/deps.sh does not install {owner}")
    report.check(f"{NAME}/installed", None if not wrong else f"{len(wrong)} names are in no package of deps.sh")
    if "--verbose" in sys.argv:
        for (kind, name), at in sorted((use, at) for use, at in uses.items() if packages.owners.get(files[use])):
            print(f"{packages.owners.get(files[kind, name])}: {kind} {name}, {at[0][0]}:{at[0][1]}" + (f" and {len(at) - 1} more" if len(at) > 1 else ""))
    for package in sorted({p for names in lists.values() for p in names}):
        if package in OTHERWISE or package in base or package not in packages.needs:
            continue
        rest = base | packages.closure([p for names in lists.values() for p in names if p != package])
        lost = set(missing(package)) - set(wrong)
        report.check(f"{NAME}/without-{package}", None if lost or package in rest else "nothing that is found needs it")
    report.print()
    return report.failed > 0


if __name__ == "__main__":
    sys.exit(main())
