# SPDX-License-Identifier: BSD-3-Clause
"""Instructions that a callback takes, counted by valgrind's callgrind: figures without noise, to compare one version's hot path with the
next one's. They are not time: a time stamp is one instruction and takes 9 ns.

The path is what is done from entry to return where the segment has room: whatever is called less than once in a hundred calls is left out.
All is with the change of segments and the writing of files, as far as it is not the kernel's."""
import os

import harness

WORKLOADS = ("tasks", "depend4", "fib", "regions", "static", "single", "masked", "barriers", "critical")
SIZE = 20000


class Function:
    def __init__(self):
        self.own = 0       # instructions of the function itself
        self.calls = 0     # from outside of the library
        self.total = 0     # instructions of these, with everything that they call
        self.callees = {}  # name: [calls, instructions with everything]


def profile_read(path, library):
    """{name: Function} of what lies in `library`."""
    functions, here, name, target, callee, n_calls, is_cost_next = {}, None, None, None, None, 0, False
    with open(path) as lines:
        for line in lines:
            line = line.strip()
            key, _, value = line.partition("=")
            if is_cost_next:
                # The line behind `calls` is what those calls took together.
                cost = int(line.split()[1])
                if target == library:
                    function = functions.setdefault(callee, Function())
                    if here != library:
                        function.calls += n_calls
                        function.total += cost
                if here == library:
                    known = functions.setdefault(name, Function()).callees.setdefault(callee, [0, 0])
                    known[0] += n_calls
                    known[1] += cost
                target, is_cost_next = here, False
            elif key == "ob":
                here = target = os.path.basename(value)
            elif key == "fn":
                name = value.split("'")[0]
                target = here
            elif key == "cob":  # only where it is not the caller's own
                target = os.path.basename(value)
            elif key == "cfn":
                callee = value.split("'")[0]
            elif key == "calls":
                n_calls, is_cost_next = int(value.split()[0]), True
            elif here == library and line[:1] in "0123456789+-*" and line:
                functions.setdefault(name, Function()).own += int(line.split()[1])
    return functions


def path_of(function):
    often = [cost for n, cost in function.callees.values() if n * 100 >= function.calls]
    return (function.own + sum(often)) / function.calls


def profile(workload, size, variables, scratch):
    """{name: Function} of the tool, in one run on one thread."""
    file = os.path.join(harness.OUT, "callgrind.out")
    harness.run(["valgrind", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no", "--callgrind-out-file=" + file,
                 os.path.join(harness.OUT, "workload"), workload, str(size)], dict(variables, OMP_NUM_THREADS="1"))
    harness.empty(scratch)
    return profile_read(file, os.path.basename(os.path.realpath(variables["OMP_TOOL_LIBRARIES"])))


def count_sample(variables, scratch):
    """(samples, instructions each, of them in state_query: the runtime's ompt_get_state) of the handler that takes samples. A signal has no caller
    in a profile, so its calls are those of what it asks each time."""
    functions = profile("grain10us", SIZE // 4, dict(variables, OTTER_SAMPLE="1000"), scratch)
    handler = functions["on_timer"]
    n = max(calls for calls, _ in handler.callees.values())
    asked = handler.callees.get("state_query", (0, 0))[1]
    return n, (handler.own + sum(cost for _, cost in handler.callees.values())) / n, asked / n


def count(workload, variables, scratch):
    """{callback: (calls, path, all)} of one run of a workload on one thread, of what comes once an op at least."""
    functions = profile(workload, SIZE, variables, scratch)
    return {name: (f.calls, path_of(f), f.total / f.calls) for name, f in functions.items() if f.calls >= SIZE}
