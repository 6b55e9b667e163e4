# SPDX-License-Identifier: BSD-3-Clause
"""Decodes protocol buffers with the fields that trace.proto names, without protoc: as text, a message of the outermost
one a line. Used by tests/readable.py. That trace.proto names every field is for tests/perfetto.py, by protoc itself."""
import pathlib
import re
import struct

PROTO = pathlib.Path(__file__).resolve().parent / "trace.proto"
FIELD = re.compile(r"(?:optional|repeated) (\w+) (\w+) = (\d+);")


def message_types():
    """{message: {number: (name, type)}}"""
    types = {}
    for match in re.finditer(r"message (\w+) \{((?:[^{}]|\{[^{}]*\})*)\}", re.sub(r"//.*", "", PROTO.read_text())):
        name, body = match.groups()
        for inner in re.finditer(r"message (\w+) \{([^{}]*)\}", body):
            types[inner[1]] = {int(number): (field, kind) for kind, field, number in FIELD.findall(inner[2])}
        types[name] = {int(number): (field, kind) for kind, field, number in FIELD.findall(re.sub(r"message \w+ \{[^{}]*\}", "", body))}
    return types


TYPES = message_types()


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value, shift, at = value | (byte & 0x7F) << shift, shift + 7, at + 1
        if byte < 0x80:
            return value, at


def fields(data, message):
    """(name, type, value) of each field, in the order of the bytes; one without a name has its number as the name."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        name, kind = TYPES[message].get(key >> 3, (str(key >> 3), "unknown"))
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = struct.unpack_from("<d" if kind == "double" else "<Q", data, at)[0], at + 8
        elif key & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            if len(value) != size:
                raise ValueError(f"{name} has {len(value)} of {size} bytes")
        else:
            raise ValueError(f"{name} has wire type {key & 7}")
        yield name, kind, value


def text_of(data, message):
    words = []
    for name, kind, value in fields(data, message):
        if not isinstance(value, bytes):
            words.append(f"{name}: {value:g}" if isinstance(value, float) and value == int(value) and value < 1e6 else f"{name}: {value}")
        elif kind in TYPES:
            words.append(f"{name} {{ {text_of(value, kind)} }}")
        else:
            words.append(f"{name}: {value.decode(errors='backslashreplace')!r}")
    return " ".join(words)


def decode(path, message="Trace"):
    """A line of text for each field of the outermost message."""
    return [text_of(value, kind) if kind in TYPES else f"{name}: {value!r}" for name, kind, value in fields(path.read_bytes(), message)]
