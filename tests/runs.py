#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What is one run? Dumps of different runs are not built together, and the processes of one run are.

A program is recorded twice, as ranks of jobs whose launchers are played by their variables, at the same time, with
children that are forked and that begin another program, by old recorders (without the line `run`), and beside a run that
is certain. otter-build says what it finds, lists the runs, builds none or the one that is named, and numbers processes
by rank, start and pid.
"""
import csv
import json
import threading
import time

from common import *

NAME, PLACE, report = "runs", WORK / "runs", Report()
# The tests may run in a job themselves. An empty variable is one that is not there.
NO_JOB = dict.fromkeys(("PMIX_NAMESPACE", "PALS_APID", "ALPS_APP_ID", "FLUX_JOB_ID", "SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "COBALT_JOBID",
                        "PJM_JOBID", "OAR_JOB_ID", "LOADL_STEP_ID", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK",
                        "SLURM_PROCID"), "")

PROGRAM = r"""
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int n;

int main(int argc, char **argv)
{
#pragma omp parallel num_threads(2)
	n++;
	bool dies = argc > 2 && strcmp(argv[1], "die") == 0, waits = argc > 2 && strcmp(argv[1], "wait") == 0;
	for (int i = 0; (dies || waits) && access(argv[2], F_OK) != 0 && i < 6000; i++) {
		usleep(10000);
#pragma omp parallel num_threads(2)
		n++;
	}
	if (dies)
		_exit(0);
	pid_t child = argc > 1 && strcmp(argv[1], "fork") == 0 ? fork() : argc > 1 && strcmp(argv[1], "exec") == 0 ? vfork() : -1;
	if (child == 0 && strcmp(argv[1], "exec") == 0) {
		execl(argv[0], argv[0], (char *)NULL);
		_exit(1);
	}
	if (child == 0) {
#pragma omp parallel num_threads(2)
		n++;
		exit(0);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
	if (argc > 1 && strcmp(argv[1], "become") == 0)
		execl(argv[0], argv[0], (char *)NULL);
	return 0;
}
"""


def record(place, *arguments, launcher=False, **variables):
    """Records the program into the directory."""
    variables = {**NO_JOB, **variables, "OTTER_DIR": str(place)}
    if not launcher:
        variables["OMP_TOOL_LIBRARIES"] = str(RECORDER)
    return run(([LAUNCHER, "-q", "--"] if launcher else []) + [PLACE / "program", *arguments], variables)


def at_once(place, how, *variables):
    """Processes that end when all of them have begun."""
    go = place.with_suffix(".go")
    threads = [threading.Thread(target=record, args=(place, how, go), kwargs=own) for own in variables]
    for thread in threads:
        thread.start()
    while sum("\nruntime " in meta_of(dump) for dump in dumps_in(place)) < len(threads) and all(t.is_alive() for t in threads):
        time.sleep(0.01)
    time.sleep(0.1)
    go.touch()
    for thread in threads:
        thread.join()


def forget_run(dump):
    """As an older recorder would have written it."""
    meta = dump / "meta"
    meta.write_bytes(b"".join(line for line in meta.read_bytes().splitlines(True) if not line.startswith(b"run ")))


def build_all(place, *options):
    return run([BUILDER, "--csv", "--summary", "--force", "-o", f"{place}.build", *options, *dumps_in(place)])


def processes(place):
    with open(f"{place}.build/processes.csv", newline="") as f:
        return list(csv.DictReader(f))


def is_one(name, place, n, *options):
    """All dumps are one run of n processes."""
    result = build_all(place, *options)
    reason = result.why([0, 3])
    if not reason and len(processes(place)) != n:
        reason = f"{len(processes(place))} processes, not {n}"
    report.check(f"{NAME}/{name}", reason)


def are_several(name, place, *sizes):
    """The dumps are several runs, of so many processes each, in order of time; each can be built, and so can all."""
    shutil.rmtree(f"{place}.build", ignore_errors=True)
    result = build_all(place)
    listed = re.findall(r"^otter-build:   (\S+), (\S+ \S+) to (\S+ \S+), (\d+) process(?:es)?: (.+)$", result.err, re.MULTILINE)
    reason = result.why([1]) if result.status != 1 else None
    if not reason and f"these dumps are of {len(sizes)} runs" not in result.err:
        reason = f"it says {result.err}"
    if not reason and [int(run[3]) for run in listed] != list(sizes):
        reason = f"it lists {listed}"
    if not reason and os.path.exists(f"{place}.build"):
        reason = "it wrote something"
    report.check(f"{NAME}/{name}", reason)
    for run_, n in zip(listed, sizes):
        is_one(f"{name}-{sizes.index(n)}", place, n, f"--run={run_[0]}")
    is_one(f"{name}-last", place, sizes[-1], "--run=last")
    is_one(f"{name}-merge", place, sum(sizes), "--merge")


def main():
    need(RECORDER, LAUNCHER, BUILDER)
    if not compiler_found("clang"):
        print(f"skip {NAME}: no clang")
        return 77
    empty(PLACE)
    (PLACE / "program.c").write_text(PROGRAM)
    compile_c(PLACE / "program.c", PLACE / "program")

    for launcher in (False, True):
        place, by = PLACE / f"twice-{launcher}", "launcher" if launcher else "variables"
        record(place, launcher=launcher)
        record(place, launcher=launcher)
        are_several(f"twice-by-{by}", place, 1, 1)
    for what in ("fork", "exec", "become"):
        for launcher in (False, True):
            place = PLACE / f"{what}-{launcher}"
            record(place, what, launcher=launcher)
            is_one(f"{what}-by-{'launcher' if launcher else 'variables'}", place, 2)
        record(place, what)
        are_several(f"{what}-twice", place, 2, 2)

    for name, job, other in (("pmix", {"PMIX_NAMESPACE": "job7"}, {"PMIX_NAMESPACE": "job8"}),
                             ("slurm", {"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0"}, {"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "1"}),
                             ("pbs", {"PBS_JOBID": "7.host"}, {"PBS_JOBID": "8.host"}),
                             ("batch", {"OTTER_RUN": "mine", "PBS_JOBID": "7"}, {"OTTER_RUN": "other", "PBS_JOBID": "7"})):
        place = PLACE / name
        for rank in ("0", "1"):
            record(place, launcher=rank == "1", PMIX_RANK=rank, **job)
        is_one(name, place, 2)
        for rank in ("0", "1", "2"):
            record(place, launcher=rank == "1", PMIX_RANK=rank, **other)
        are_several(f"{name}-twice", place, 2, 3)

    # A launcher of ranks that names no job: processes that ran at the same time are one run.
    place = PLACE / "overlapping"
    at_once(place, "wait", *({"PMI_RANK": str(rank), "launcher": rank < 2} for rank in range(3)))
    is_one("overlapping", place, 3)
    for dump in dumps_in(place):
        forget_run(dump)
    is_one("overlapping-old", place, 3)
    place = PLACE / "killed"
    at_once(place, "die", *({"PMI_RANK": str(rank)} for rank in range(2)))
    is_one("overlapping-without-end", place, 2)

    # What is certain stays so, also at the same time.
    place = PLACE / "certain"
    at_once(place, "wait", {"OTTER_RUN": "one"}, {"OTTER_RUN": "two"})
    are_several("certain", place, 1, 1)

    place = PLACE / "old"
    for _ in range(2):
        record(place)
    for dump in dumps_in(place):
        forget_run(dump)
    result = build_all(place)
    report.check(f"{NAME}/old", None if result.status == 1 and "2 runs" in result.err else f"status {result.status}: {result.err}")
    is_one("old-last", place, 1, "--run=last")
    result = build_all(place, "--run=none")
    report.check(f"{NAME}/no-such-run", None if result.status == 1 and "no dump is of the run none" in result.err else result.err)
    report.check(f"{NAME}/run-and-merge", build_all(place, "--run=last", "--merge").why([2]))

    # By rank as a number; those without a rank come last.
    place = PLACE / "order"
    for rank in ("10", "2", "1"):
        record(place, OTTER_RUN="order", PMIX_RANK=rank)
    record(place, OTTER_RUN="order")
    record(place, OTTER_RUN="order")
    is_one("order-builds", place, 5)
    rows = processes(place)
    summary = json.loads((PLACE / "order.build/summary.json").read_text())["process_table"]
    starts = [int(row["start_ns"]) for row in rows[3:]]
    pids = {dump.name[:-len(".otter")]: pid_of(dump) for dump in dumps_in(place)}
    report.check(f"{NAME}/order", None if [r["rank"] for r in rows] == ["1", "2", "10", "", ""] and starts == sorted(starts) else str(rows))
    report.check(f"{NAME}/table", None if all(pids[r["dump"]] == int(r["pid"]) and r["program"] == os.path.realpath(PLACE / "program") and
                                              r["run"] == "order" for r in rows) else str(rows))
    report.check(f"{NAME}/summary", None if [(str(s["number"]), str(s["rank"] if s["rank"] is not None else ""), s["dump"], str(s["start_ns"]))
                                             for s in summary] ==
                 [(r["process"], r["rank"], r["dump"], r["start_ns"]) for r in rows] else str(summary))

    # Some processes of a run keep their numbers.
    result = build_all(place, "--graph=fragment", "--process=1,3-4")
    part = json.loads((PLACE / "order.build/summary.json").read_text())
    numbers = [row["process"] for row in processes(place)]
    report.check(f"{NAME}/process", result.why([0]) or (None if numbers == ["1", "3", "4"] and part["processes_left_out"] == 2 and
                                                        [row["dump"] for row in processes(place)] == [rows[i]["dump"] for i in (1, 3, 4)]
                                                        else f"{numbers}, {part['processes_left_out']} left out"))
    report.check(f"{NAME}/process-path", None if part["path"]["process"] in (1, 3, 4) else str(part["path"]))
    result = build_all(place, "--process=1,5")
    report.check(f"{NAME}/no-such-process", None if result.status == 1 and "no process 5" in result.err else f"{result.status}: {result.err}")
    for wrong in ("", "x", "1,", "2-1", "-1", "1-", ",1", "1 2"):
        report.check(f"{NAME}/process-list-'{wrong}'", build_all(place, f"--process={wrong}").why([2]))
    # MPI is not recorded, and that is said.
    library = PLACE / "libmpi.so.40"
    (PLACE / "mpi.c").write_text("int MPI_Init(int *n, char ***arguments) { (void)n, (void)arguments; return 0; }\n")
    made = run(["gcc", "-shared", "-fPIC", "-Wl,-soname,libmpi.so.40", PLACE / "mpi.c", "-o", library])
    compile_c(PLACE / "program.c", PLACE / "with_mpi", flags=("-Wl,--no-as-needed", library, f"-Wl,-rpath,{PLACE}"))
    for program, n in (("with_mpi", 1), ("program", 0)):
        place = empty(PLACE / f"of-{program}")
        recorded = run([LAUNCHER, "-q", f"--dir={place}", PLACE / program])
        shown = run([BUILDER, "--answer", "--force", "-o", f"{place}.build", *dumps_in(place)])
        summary = json.loads(pathlib.Path(f"{place}.build/summary.json").read_text())
        is_said = "not seen    time in MPI counts as work" in shown.out
        report.check(f"{NAME}/mpi-{program}", made.why([0]) or recorded.why([0]) or shown.why([0]) or
                     (None if (summary.get("mpi_processes", 0), is_said) == (n, n > 0) else f"{summary.get('mpi_processes')}, {shown.out}"))
    report.print()
    return report.failed > 0


if __name__ == "__main__":
    sys.exit(main())
