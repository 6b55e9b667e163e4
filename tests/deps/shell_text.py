# SPDX-License-Identifier: BSD-3-Clause
"""The commands of a shell script, and of a Makefile's recipes, for tests/deps.py.

It reads words as a shell does: quotes, expansions, here-documents. What stands in quotes for another shell or language is
not read.
"""
import re

KEYWORDS = {"if", "then", "else", "elif", "fi", "while", "until", "do", "done", "!", "{", "}", "time", "esac"}
# Commands that bash has within itself, and that are files of packages as well.
BUILTIN = {"echo", "false", "kill", "printf", "pwd", "test", "true"}
WRAPPERS = {"command", "env", "exec", "nice", "prlimit", "setarch", "strace", "sudo", "taskset", "timeout", "unshare", "xargs", "run", "start"}
HERE = re.compile(r"<<-?\s*([\"'\\]?)(\w+)\1")
PLAIN = re.compile(r"[a-zA-Z][\w.+-]*")


class Reader:
    def __init__(self, text):
        self.text, self.at, self.found, self.functions, self.here = text, 0, [], set(), []

    def line(self):
        return self.text.count("\n", 0, self.at) + 1

    def next_is(self, what):
        return self.text.startswith(what, self.at)

    def skip_balanced(self, opening, closing):
        depth = 0
        while self.at < len(self.text):
            c = self.text[self.at]
            if c == "\\":
                self.at += 1
            elif c == opening:
                depth += 1
            elif c == closing:
                depth -= 1
            self.at += 1
            if depth == 0:
                return

    def expansion(self):
        """At a `$` or a backtick."""
        if self.next_is("$(("):
            self.at += 1
            self.skip_balanced("(", ")")
        elif self.next_is("$("):
            self.at += 2
            self.commands(")")
        elif self.next_is("${"):
            self.at += 1
            self.skip_balanced("{", "}")
        else:
            self.at += 1

    def word(self):
        """The next word; what is not plain text in it becomes a NUL."""
        out = ""
        while self.at < len(self.text):
            c = self.text[self.at]
            if c == "'":
                end = self.text.find("'", self.at + 1)
                self.at, out = (end if end >= 0 else len(self.text)) + 1, out + "\0"
            elif c == '"':
                self.at, out = self.at + 1, out + "\0"
                while self.at < len(self.text) and self.text[self.at] != '"':
                    if self.text[self.at] == "\\":
                        self.at += 2
                    elif self.text[self.at] == "$":
                        self.expansion()
                    else:
                        self.at += 1
                self.at += 1
            elif c == "$":
                out += "\0"
                self.expansion()
            elif c == "\\":
                self.at, out = self.at + 2, out + "\0"
            elif c in " \t\n;&|()<>`":
                break
            else:
                self.at, out = self.at + 1, out + c
        return out

    def end_line(self):
        """At a newline: here-documents follow it."""
        self.at += 1
        for end in self.here:
            match = re.compile(rf"^\t*{end}$", re.M).search(self.text, self.at)
            self.at = match.end() + 1 if match else len(self.text)
        self.here = []

    def commands(self, closing):
        """Up to `closing`: a parenthesis, or "" for the end of the text."""
        is_first, wrapper, patterns, header = True, "", 0, False
        while self.at < len(self.text):
            c = self.text[self.at]
            if closing and c == closing and not patterns:
                self.at += 1
                return
            if c == "\n":
                self.end_line()
                is_first, wrapper = patterns != 2, ""
            elif c == "#" and (self.at == 0 or self.text[self.at - 1] in " \t\n;(&|"):
                self.at = (self.text + "\n").find("\n", self.at)
            elif c in " \t":
                self.at += 1
            elif self.next_is("\\\n"):
                self.at += 2
            elif HERE.match(self.text, self.at) and not self.next_is("<<<"):
                match = HERE.match(self.text, self.at)
                self.here.append(match[2])
                self.at = match.end()
            elif self.next_is("<(") or self.next_is(">("):
                self.at += 2
                self.commands(")")
            elif c in "<>":
                self.at += 1
                while self.at < len(self.text) and self.text[self.at] in "<>&| \t":
                    self.at += 1
                self.word()
            elif self.next_is("((") and is_first:
                self.skip_balanced("(", ")")
            elif patterns == 2 and c in "(|":  # a case's pattern
                self.at += 1
            elif c == ")" and patterns:
                self.at += 1
                patterns, is_first = 1, True
            elif self.next_is(";;") and patterns:
                self.at += 2
                patterns, is_first = 2, False
            elif c in ";&|":
                self.at += 1
                is_first, wrapper, header = True, "", False
            elif c == "(":
                self.at += 1
                self.commands(")")
            elif c == "`":
                self.at += 1
            else:
                at, word = self.line(), self.word()
                if not word:
                    self.at += 1
                elif patterns == 2:
                    if word == "esac":
                        patterns, is_first = 0, False
                elif self.next_is("()"):
                    self.functions.add(word)
                    self.at += 2
                elif re.match(r"\w+\+?=$", word) and self.next_is("("):  # an array
                    self.at += 1
                    self.skip_array()
                elif is_first and word == "[[":
                    end = self.text.find("]]", self.at)
                    while self.at < end:
                        self.word()
                        self.at += 1
                    is_first = False
                elif is_first and word in ("case", "for"):
                    is_first, header = False, word
                elif header == "case" and word == "in":
                    patterns, header = 2, False
                elif is_first and word in KEYWORDS:
                    if word == "esac":
                        patterns = 0
                elif is_first and re.match(r"\w+(\[.*\])?\+?=", word):
                    pass
                elif is_first:
                    is_first, wrapper = False, word if word in WRAPPERS else ""
                    self.take(word, at)
                elif wrapper:
                    self.take(word, at)

    def skip_array(self):
        while self.at < len(self.text) and self.text[self.at] != ")":
            if not self.word():
                self.at += 1
        self.at += 1

    def take(self, word, line):
        if PLAIN.fullmatch(word) and word not in BUILTIN:
            self.found.append((word, line))


def commands(text):
    """[(name, line)] of the commands that a shell script calls, without its own functions."""
    reader = Reader(text)
    reader.commands("")
    return [(name, line) for name, line in reader.found if name not in reader.functions]


def recipes(text):
    """The same of a Makefile: of its recipes, and of $(shell ...)."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        for inner in [line[1:]] if line.startswith("\t") else re.findall(r"\$\(shell (.*)\)", line):
            inner = re.sub(r"^(\$\(\w+\)|[@+-])+", "", inner).replace("$$", "$")
            inner = re.sub(r"\$\((call|if|addprefix|wildcard|foreach|notdir|or|filter|firstword)\b.*?\)+", "x", inner)
            found += [(name, number) for name, _ in commands(re.sub(r"\$\([\w .@<^*]+\)", "/x", inner))]
    return found
