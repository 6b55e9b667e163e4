#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""corpus.py split FILE... DIR: a file for each input of the corpus, as libFuzzer wants them.
corpus.py join DIR FILE: the inputs of a directory, the shortest first, as one file: each ended by eight zero bytes."""

import hashlib
import os
import sys

UNIT = 8


def inputs(data):
    """The inputs of a file: units up to one whose first byte is 0."""
    begin = 0
    for at in range(0, len(data), UNIT):
        if data[at] == 0:
            yield data[begin:at]
            begin = at + UNIT
    if begin < len(data):
        yield data[begin:]


def whole(data):
    """What the builder's dump is made of: whole units, up to one whose first byte is 0."""
    return next(inputs(data[: len(data) // UNIT * UNIT]), b"")


def split(files, directory):
    os.makedirs(directory, exist_ok=True)
    for name in files:
        with open(name, "rb") as file:
            for data in inputs(file.read()):
                with open(os.path.join(directory, hashlib.sha1(data).hexdigest()), "wb") as out:
                    out.write(data)


def join(directory, name):
    found = set()
    for entry in os.scandir(directory):
        with open(entry.path, "rb") as file:
            found.add(whole(file.read()))
    with open(name, "wb") as out:
        for data in sorted(found, key=lambda d: (len(d), d)):
            out.write(data + bytes(UNIT))


if __name__ == "__main__":
    if sys.argv[1] == "split":
        split(sys.argv[2:-1], sys.argv[-1])
    else:
        join(sys.argv[2], sys.argv[3])
