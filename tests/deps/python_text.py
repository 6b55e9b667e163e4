# SPDX-License-Identifier: BSD-3-Clause
"""What a script in Python runs and imports, for tests/deps.py."""
import ast
import re
import sys

import shell_text

# The first word of a list that is run, and of which a later word is another command.
WRAPPERS = {"bash", "sh", "env", "nice", "prlimit", "setarch", "strace", "sudo", "taskset", "timeout", "unshare", "chrt", "perf", "valgrind"}


def text_of(node):
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def commands_of(elements, is_tuple):
    """The commands in a list's elements, if the list is one that is run: ["prlimit", "--cpu=1", "dot", ...]. A tuple may be what
    comes before a command."""
    words = [text_of(e) for e in elements]
    if not words or not words[0] or is_tuple and words[0] not in WRAPPERS:
        return
    yield words[0], elements[0].lineno
    if words[0] == "tar" and any("xz" in ast.unparse(e) or text_of(e) and "J" in text_of(e) for e in elements):
        yield "xz", elements[0].lineno
    if words[0] in WRAPPERS:
        for i, word in enumerate(words[1:], 1):
            if word and words[i - 1] == "-c" and words[0] in ("bash", "sh"):
                yield from ((name, elements[i].lineno + line - 1) for name, line in shell_text.commands(word))
            elif word and re.fullmatch(r"[a-z][\w.+-]*", word):
                yield word, elements[i].lineno


def uses(text):
    """[(kind, name, line)]: commands in lists, in shutil.which() and as defaults of variables that name one; modules that
    are none of Python's own."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.List, ast.Tuple)):
            found += [("command", name, line) for name, line in commands_of(node.elts, isinstance(node, ast.Tuple))]
        elif isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            named = node.args[:1] if name == "which" else node.args[1:2] if name == "get" else []
            found += [("command", text_of(a), a.lineno) for a in named if text_of(a)]
        elif isinstance(node, ast.Import):
            found += [("module", alias.name.split(".")[0], node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append(("module", node.module.split(".")[0], node.lineno))
    return [(kind, name, line) for kind, name, line in found
            if (name not in sys.stdlib_module_names if kind == "module" else re.fullmatch(r"[a-zA-Z][\w.+-]*", name))]
