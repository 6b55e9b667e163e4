#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A file system in user space: shows the directory BACK at the directory MOUNT.

    fuse_server.py BACK MOUNT      as root; prints "mounted", and serves until MOUNT is unmounted, or it is killed

It speaks the kernel's protocol (linux/fuse.h, version 7.31) on /dev/fuse, with what recorder, launcher and builder need of it. A node is the
path of a file in BACK, so that its number stays the same when the file is opened again.
"""
import ctypes
import errno
import os
import pathlib
import stat
import struct
import sys

HEADER, REPLY = struct.Struct("<IIQQIIIHH"), struct.Struct("<IiQ")
MAX_WRITE = 128 << 10
REQUEST_BYTES = MAX_WRITE + (64 << 10)
VALID_S = 1  # how long the kernel may keep names and attributes
FATTR_MODE, FATTR_SIZE = 1, 8
FORGET, BATCH_FORGET, INTERRUPT, DESTROY = 2, 42, 36, 38


class Server:
    def __init__(self, back):
        self.paths, self.numbers, self.files = {1: pathlib.Path(back)}, {pathlib.Path(back): 1}, {}

    def number_of(self, path):
        if path not in self.numbers:
            self.numbers[path] = max(self.paths) + 1
            self.paths[self.numbers[path]] = path
        return self.numbers[path]

    def child(self, node, name):
        return self.paths[node] / os.fsdecode(name.split(b"\0")[0])

    def file(self, node):
        """A descriptor of the file, which stays open until it is removed."""
        if node not in self.files:
            try:
                self.files[node] = os.open(self.paths[node], os.O_RDWR)
            except PermissionError:
                self.files[node] = os.open(self.paths[node], os.O_RDONLY)
        return self.files[node]

    def attributes(self, node):
        s = os.lstat(self.paths[node]) if node not in self.files else os.fstat(self.files[node])
        return struct.pack("<6Q10I", node, s.st_size, s.st_blocks, int(s.st_atime), int(s.st_mtime), int(s.st_ctime), 0, 0, 0, s.st_mode, s.st_nlink,
                           s.st_uid, s.st_gid, 0, 4096, 0)

    def entry(self, path):
        os.lstat(path)  # raises ENOENT
        node = self.number_of(path)
        return struct.pack("<4Q2I", node, 0, VALID_S, VALID_S, 0, 0) + self.attributes(node)

    def forget(self, path):
        node = self.numbers.pop(path, None)
        if node:
            self.paths[node] = path  # open files of it are still read and written
        return b""

    # ---- requests, by the kernel's numbers ----

    def lookup(self, node, body):
        return self.entry(self.child(node, body))

    def getattr(self, node, body):
        return struct.pack("<QII", VALID_S, 0, 0) + self.attributes(node)

    def setattr(self, node, body):
        valid, _, _, size = struct.unpack_from("<IIQQ", body)
        if valid & FATTR_SIZE:
            os.ftruncate(self.file(node), size)
        if valid & FATTR_MODE:
            os.chmod(self.paths[node], struct.unpack_from("<I", body, 68)[0])
        return self.getattr(node, body)

    def readlink(self, node, body):
        return os.fsencode(os.readlink(self.paths[node]))

    def symlink(self, node, body):
        name, target = body.split(b"\0")[:2]
        path = self.child(node, name)
        os.symlink(os.fsdecode(target), path)
        return self.entry(path)

    def mkdir(self, node, body):
        mode, umask = struct.unpack_from("<II", body)
        path = self.child(node, body[8:])
        os.mkdir(path, mode & ~umask)
        return self.entry(path)

    def unlink(self, node, body):
        path = self.child(node, body)
        os.unlink(path)
        return self.forget(path)

    def rmdir(self, node, body):
        path = self.child(node, body)
        os.rmdir(path)
        return self.forget(path)

    def rename(self, node, body, at=8):
        old, new = body[at:].split(b"\0")[:2]
        source, target = self.child(node, old), self.child(struct.unpack_from("<Q", body)[0], new)
        os.rename(source, target)
        self.forget(source)
        return self.forget(target)

    def rename2(self, node, body):
        return self.rename(node, body, 16)

    def open(self, node, body):
        self.file(node)
        return struct.pack("<QII", 0, 0, 0)

    def create(self, node, body):
        flags, mode, umask = struct.unpack_from("<III", body)
        path = self.child(node, body[16:])
        fd = os.open(path, os.O_RDWR | os.O_CREAT | flags & (os.O_EXCL | os.O_TRUNC), mode & ~umask)
        entry = self.entry(path)
        self.files.setdefault(self.number_of(path), fd)
        return entry + struct.pack("<QII", 0, 0, 0)

    def read(self, node, body):
        _, offset, size = struct.unpack_from("<QQI", body)
        return os.pread(self.file(node), size, offset)

    def write(self, node, body):
        _, offset, size = struct.unpack_from("<QQI", body)
        return struct.pack("<II", os.pwrite(self.file(node), body[40:40 + size], offset), 0)

    def statfs(self, node, body):
        s = os.statvfs(self.paths[node])
        return struct.pack("<5Q4I24x", s.f_blocks, s.f_bfree, s.f_bavail, s.f_files, s.f_ffree, s.f_bsize, s.f_namemax, s.f_frsize, 0)

    def done(self, node, body):
        return b""

    def opendir(self, node, body):
        return struct.pack("<QII", 0, 0, 0)

    def readdir(self, node, body):
        _, offset, size = struct.unpack_from("<QQI", body)
        out = b""
        for i, name in enumerate(sorted(os.listdir(self.paths[node]))[offset:], offset + 1):
            raw = os.fsencode(name)
            kind = stat.S_IFMT(os.lstat(self.paths[node] / name).st_mode) >> 12
            row = struct.pack("<QQII", i, i, len(raw), kind) + raw
            row += bytes(-len(row) % 8)
            if len(out) + len(row) > size:
                break
            out += row
        return out

    def fallocate(self, node, body):
        _, offset, length, mode = struct.unpack_from("<QQQI", body)
        if mode:
            raise OSError(errno.EOPNOTSUPP, "")
        os.posix_fallocate(self.file(node), offset, length)
        return b""

    REQUESTS = {1: lookup, 3: getattr, 4: setattr, 5: readlink, 6: symlink, 9: mkdir, 10: unlink, 11: rmdir, 12: rename, 14: open, 15: read, 16: write,
                17: statfs, 18: done, 20: done, 25: done, 27: opendir, 28: readdir, 29: done, 30: done, 35: create, 43: fallocate, 45: rename2}

    def answer(self, opcode, node, body):
        """(errno, bytes)"""
        if opcode == 26:  # init
            return 0, struct.pack("<IIIIHHIIHHI28x", 7, 31, 0, 0, 16, 12, MAX_WRITE, 1, 0, 0, 0)
        if opcode not in self.REQUESTS:
            return errno.ENOSYS, b""
        try:
            return 0, self.REQUESTS[opcode](self, node, body)
        except OSError as e:
            return e.errno, b""


def mount(fd, directory):
    libc = ctypes.CDLL(None, use_errno=True)
    options = f"fd={fd},rootmode=40000,user_id=0,group_id=0,allow_other,default_permissions"
    if libc.mount(b"otter-test", os.fsencode(directory), b"fuse", 6, options.encode()) != 0:  # nosuid, nodev
        raise OSError(ctypes.get_errno(), "mount")


def main():
    back, directory = sys.argv[1:3]
    device = os.open("/dev/fuse", os.O_RDWR)
    mount(device, directory)
    print("mounted", flush=True)
    server = Server(back)
    while True:
        try:
            request = os.read(device, REQUEST_BYTES)
        except OSError as e:
            if e.errno in (errno.ENOENT, errno.EINTR):
                continue
            return 0  # ENODEV: it was unmounted
        _, opcode, unique, node, *_ = HEADER.unpack_from(request)
        if opcode in (FORGET, BATCH_FORGET, INTERRUPT):
            continue
        error, body = server.answer(opcode, node, request[HEADER.size:])
        try:
            os.write(device, REPLY.pack(REPLY.size + len(body), -error, unique) + body)
        except OSError as e:
            if e.errno != errno.ENOENT:  # the request was interrupted
                raise
        if opcode == DESTROY:
            return 0


if __name__ == "__main__":
    sys.exit(main())
