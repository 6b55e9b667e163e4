#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The builder writes the same bytes on every number of threads, and with its tables in files.

Records programs whose threads share tasks, regions, mutexes and dependences in all ways that matter to the replay,
and builds every output of each dump on one thread, and on several.

Usage: threads.py [NAME...]     (all programs, or these)
"""
import signal

from common import *

NAME, PLACE, report = "threads", WORK / "threads", Report()
THREADS = (1, 2, 4, 16)

PROGRAM = r"""
#define _GNU_SOURCE
#include <omp.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile int sum;

""" + FIB + r"""
static void work(void)
{
	for (volatile int i = 0; i < 200; i++)
		;
}

/* Tasks that go on on any thread, with children that have dependences and taskgroups. */
static void move(int depth)
{
	int a = 0, b = 0;
	for (int i = 0; i < 3 && depth > 0; i++) {
#pragma omp task untied shared(sum)
		move(depth - 1);
#pragma omp taskyield
		work();
#pragma omp task untied depend(out : a)
		work();
#pragma omp taskyield
#pragma omp task depend(in : a) depend(out : b)
		work();
#pragma omp taskyield
	}
#pragma omp taskgroup
	{
#pragma omp task untied
		{
			work();
#pragma omp taskyield
#pragma omp task
			work();
		}
#pragma omp taskyield
	}
#pragma omp taskwait
}

/* Every implicit task creates siblings that depend on each other, or exclude each other. */
static void depend(void)
{
	int a = 0, b = 0, c = 0;
	for (int i = 0; i < 20; i++) {
#pragma omp task depend(out : a)
		work();
#pragma omp task depend(in : a) depend(mutexinoutset : b)
		work();
#pragma omp task depend(in : a) depend(mutexinoutset : b)
		work();
#pragma omp task depend(inout : c)
		{
#pragma omp task depend(inout : a)
			work();
#pragma omp task depend(in : a)
			work();
		}
#pragma omp taskwait depend(in : b)
	}
}

/* Nothing waits for the inner tasks but the taskgroup, whoever runs them. */
static void groups(void)
{
	for (int i = 0; i < 10; i++)
#pragma omp taskgroup
		for (int j = 0; j < 5; j++)
#pragma omp task
		{
#pragma omp task
			{
#pragma omp task
				work();
			}
		}
}

static void exclude(omp_lock_t *lock)
{
	for (int i = 0; i < 50; i++) {
#pragma omp critical(one)
		sum++;
#pragma omp critical(two)
		sum++;
		omp_set_lock(lock);
		sum++;
		omp_unset_lock(lock);
#pragma omp barrier
	}
#pragma omp for ordered schedule(dynamic)
	for (int i = 0; i < 40; i++)
#pragma omp ordered
		sum++;
}

static void nest(void)
{
	for (int i = 0; i < 5; i++)
#pragma omp parallel num_threads(3)
	{
#pragma omp single nowait
		fib(6);
#pragma omp parallel num_threads(2)
		{
#pragma omp masked
			sum++;
#pragma omp barrier
		}
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	omp_lock_t lock;
	omp_init_lock(&lock);
	omp_set_max_active_levels(3);
	for (int i = 0; i < 3; i++)
#pragma omp parallel
	{
		if (strcmp(mode, "fib") == 0 || strcmp(mode, "all") == 0)
#pragma omp single
			fib(14);
		if (strcmp(mode, "move") == 0 || strcmp(mode, "killed") == 0)
#pragma omp single
			move(5);
		if (strcmp(mode, "depend") == 0 || strcmp(mode, "all") == 0)
			depend();
		if (strcmp(mode, "groups") == 0 || strcmp(mode, "all") == 0)
			groups();
		if (strcmp(mode, "exclude") == 0 || strcmp(mode, "all") == 0)
			exclude(&lock);
		if (strcmp(mode, "nest") == 0 || strcmp(mode, "all") == 0)
			nest();
		if (strcmp(mode, "killed") == 0 && i == 2 && omp_get_thread_num() == 1)
			kill(getpid(), SIGKILL);
	}
	omp_destroy_lock(&lock);
}
"""

# Each: what the program does, on how many threads, and settings. Those with few threads have long streams, whose events
# go through pipes (replay/pipe.h).
RUNS = {
    "fib": ("fib", 4, {}),
    "move": ("move", 8, {}),
    "depend": ("depend", 4, {}),
    "groups": ("groups", 4, {}),
    "exclude": ("exclude", 4, {"OTTER_EVENTS": "all"}),
    "nest": ("nest", 4, {}),
    "alone": ("all", 1, {"OTTER_EVENTS": "all"}),
    "few": ("all", 2, {}),
    "killed": ("killed", 8, {"OTTER_RING": "32K"}),
    "many": ("groups", 64, {}),
    "sampled": ("fib", 4, {"OTTER_SAMPLE": "1000"}),
}
OUTPUTS = {
    "task": ("--csv", "--dot", "--svg", "--pdf", "--otf2", "--parallelism", "--states", "--summary"),
    "perfetto": ("--perfetto", "--perfetto-bytes=100K"),
    "perfetto-part": ("--perfetto", "--from=20%", "--to=70%"),
    "chrome": ("--chrome",),
    "counted": ("--summary",),
    "scope": ("--graph=scope", "--csv"),
    "fragment": ("--graph=fragment", "--csv", "--summary"),
    "stream": ("--otf2",),
    "answer": ("--answer",),
    "what-if": ("--what-if", "--lint", "--answer", "--fold=1000"),
    "answer-part": ("--answer", "--from=20%", "--to=70%"),
    "parallelism": ("--parallelism", "--bins=77"),
    "spawn": ("--folded", "--speedscope"),
    "part": ("--csv", "--dot", "--svg", "--otf2", "--states", "--summary", "--from=20%", "--to=70%"),
    "part-fragment": ("--graph=fragment", "--csv", "--from=30%"),
    "family": ("--graph=fragment", "--csv", "--summary", "--task=1", "--depth=2"),
}


def record(name):
    mode, threads, settings = RUNS[name]
    env = {"OTTER_DIR": empty(PLACE / name), "OMP_NUM_THREADS": str(threads), **settings}
    result = run([LAUNCHER, "-q", "--", PLACE / "program", mode], env)
    dumps = dumps_in(PLACE / name)
    is_expected = result.status == (-signal.SIGKILL if mode == "killed" else 0)
    return dumps[0] if report.check(f"{NAME}/record-{name}", None if is_expected and len(dumps) == 1 else f"{result.status}, {len(dumps)} dumps") else None


def outputs(dump, threads, *how):
    """Everything that the builder prints and writes on so many threads, by name."""
    env, place = {"OMP_NUM_THREADS": str(threads)}, empty(PLACE / "out")
    made = {}
    for name, options in {"list": ("--list",), "canonical": ("--canonical",)}.items():
        result = run([BUILDER, *options, *how, dump], env)
        made[name] = (result.status, result.out, result.err)
    for name, options in OUTPUTS.items():
        result = run([BUILDER, "-o", name, *options, *how, dump], env, cwd=place)
        made[name] = (result.status, result.out, result.err)
        for file in sorted((place / name).rglob("*")):
            if file.is_file():
                made[str(file.relative_to(place))] = file.read_bytes()
    return made


def compare(name, dump):
    """What differs between one thread and several, the last time with all tables in files; None: nothing."""
    expected = outputs(dump, THREADS[0])
    if any(expected[output][0] not in (0, 3) for output in OUTPUTS) or not any(file.endswith(".evt") for file in expected):
        return f"not built: {[expected[output][0] for output in OUTPUTS]}"
    for threads, *how in (*((n,) for n in THREADS[1:]), (4, "--memory=0")):
        made = outputs(dump, threads, *how)
        wrong = sorted(file for file in {*expected, *made} if expected.get(file) != made.get(file))
        if wrong:
            return f"{', '.join(wrong)} on {threads} threads {how}"
    return None


def main():
    (PLACE / "program.c").parent.mkdir(parents=True, exist_ok=True)
    (PLACE / "program.c").write_text(PROGRAM)
    if report.check(f"{NAME}/compile", compile_c(PLACE / "program.c", PLACE / "program").why([0])):
        for name in sys.argv[1:] or RUNS:
            dump = record(name)
            if dump:
                report.check(f"{NAME}/{name}", compare(name, dump))
    report.print()
    return report.failed > 0


if __name__ == "__main__":
    sys.exit(main())
