# SPDX-License-Identifier: BSD-3-Clause
"""extension.py LIBRARY: a program in Python with an extension that uses OpenMP, and forks workers that use it again."""
import ctypes
import multiprocessing
import sys

library = ctypes.CDLL(sys.argv[1])


def work(n):
    return library.plug(n)


if __name__ == "__main__":
    print("parent", work(10))
    with multiprocessing.get_context("fork").Pool(3) as pool:
        print("workers", pool.map(work, [20, 30, 40]))
    print("parent again", work(50))
