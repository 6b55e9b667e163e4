/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs a command and writes what it cost. `measure FILE SECONDS [NAME=VALUE...] COMMAND...` starts it, with these variables, as a child of
 * this small process (what getrusage calls the most memory of a process is never less than that of the one that forked it: from a script
 * it would be the script's), waits for it, and writes one line into FILE:
 *
 *   status=N begin_ns=N end_ns=N cpu_ns=N peak_kib=N minor_faults=N major_faults=N yields=N preemptions=N
 *
 * status: the exit status, 128 + N where signal N ended it; after SECONDS it is killed. yields and preemptions: context switches that it
 * asked for, and that it did not. Of the command and its children, but not of processes that outlive it. Exit status: 0, or 1 where FILE
 * says nothing.
 */
#include "common/clock.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t child;

static void kill_child(int number)
{
	(void)number;
	kill(-child, SIGKILL);
}

static uint64_t ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000;
}

int main(int argc, char **argv)
{
	char **command = argv + (argc > 3 ? 3 : argc);
	while (*command != NULL && strchr(*command, '=') != NULL)
		command++;
	if (*command == NULL) {
		fprintf(stderr, "usage: measure FILE SECONDS [NAME=VALUE...] COMMAND...\n");
		return 1;
	}
	FILE *f = fopen(argv[1], "we");
	if (f == NULL) {
		perror(argv[1]);
		return 1;
	}
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
	child = fork();
	if (child == 0) {
		setpgid(0, 0);
		for (char **variable = argv + 3; variable < command; variable++)
			putenv(*variable);
		execvp(*command, command);
		perror(*command);
		_exit(127);
	}
	if (child < 0) {
		perror("fork");
		return 1;
	}
	setpgid(child, child);
	struct sigaction action = {.sa_handler = kill_child, .sa_flags = SA_RESTART};
	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	alarm((unsigned)atoi(argv[2]));

	int status;
	struct rusage usage;
	if (wait4(child, &status, 0, &usage) != child) {
		perror("wait4");
		return 1;
	}
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC);
	fprintf(f, "status=%d begin_ns=%" PRIu64 " end_ns=%" PRIu64 " cpu_ns=%" PRIu64,
		WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), begin_ns, end_ns,
		ns(usage.ru_utime) + ns(usage.ru_stime));
	fprintf(f, " peak_kib=%ld minor_faults=%ld major_faults=%ld yields=%ld preemptions=%ld\n", usage.ru_maxrss, usage.ru_minflt,
		usage.ru_majflt, usage.ru_nvcsw, usage.ru_nivcsw);
	return fclose(f) == 0 ? 0 : 1;
}
