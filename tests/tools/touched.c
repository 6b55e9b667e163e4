/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs a program and says what it changes outside of itself:
 *
 *     touched FILE PROGRAM ARGUMENT...
 *
 * FILE gets a line for each system call of any of its threads and children that could create, change or remove something by name, or start another program:
 * the absolute path, as it was asked for. Files that are opened for reading alone are none.
 * Exit status: the program's; 125 if it could not be followed, 128 and the number if a signal ended it.
 */
#include "tests/tools/follow.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define OPTIONS                                                                                                                    \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC |             \
	 PTRACE_O_EXITKILL)
#define NONE   -1 /* no such argument */
#define CWD    -2 /* relative to the working directory */
#define WRITES (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)

/* Which arguments of a call are a directory's descriptor and a name in it. */
struct place {
	int directory, name;
};

static const struct call {
	long number;
	struct place places[2];
	int flags; /* of an open; NONE: it changes something whatever they are */
} calls[] = {
	{SYS_openat, {{0, 1}, {NONE, NONE}}, 2},        {SYS_mkdirat, {{0, 1}, {NONE, NONE}}, NONE},
	{SYS_mknodat, {{0, 1}, {NONE, NONE}}, NONE},    {SYS_unlinkat, {{0, 1}, {NONE, NONE}}, NONE},
	{SYS_symlinkat, {{1, 2}, {NONE, NONE}}, NONE},  {SYS_linkat, {{0, 1}, {2, 3}}, NONE},
	{SYS_renameat2, {{0, 1}, {2, 3}}, NONE},        {SYS_fchmodat, {{0, 1}, {NONE, NONE}}, NONE},
	{SYS_fchownat, {{0, 1}, {NONE, NONE}}, NONE},   {SYS_utimensat, {{0, 1}, {NONE, NONE}}, NONE},
	{SYS_truncate, {{CWD, 0}, {NONE, NONE}}, NONE}, {SYS_execve, {{CWD, 0}, {NONE, NONE}}, NONE},
#ifdef SYS_open /* what newer machines have as the calls above alone */
	{SYS_open, {{CWD, 0}, {NONE, NONE}}, 1},        {SYS_creat, {{CWD, 0}, {NONE, NONE}}, NONE},
	{SYS_mkdir, {{CWD, 0}, {NONE, NONE}}, NONE},    {SYS_mknod, {{CWD, 0}, {NONE, NONE}}, NONE},
	{SYS_unlink, {{CWD, 0}, {NONE, NONE}}, NONE},   {SYS_rmdir, {{CWD, 0}, {NONE, NONE}}, NONE},
	{SYS_symlink, {{CWD, 1}, {NONE, NONE}}, NONE},  {SYS_link, {{CWD, 0}, {CWD, 1}}, NONE},
	{SYS_rename, {{CWD, 0}, {CWD, 1}}, NONE},       {SYS_renameat, {{0, 1}, {2, 3}}, NONE},
	{SYS_chmod, {{CWD, 0}, {NONE, NONE}}, NONE},    {SYS_chown, {{CWD, 0}, {NONE, NONE}}, NONE},
	{SYS_utime, {{CWD, 0}, {NONE, NONE}}, NONE},
#endif
};

static void read_string(pid_t thread, uint64_t address, char *text, size_t n)
{
	struct iovec here = {text, n - 1}, there = {(void *)(uintptr_t)address, n - 1}; // NOLINT(performance-no-int-to-ptr)
	ssize_t got;
	/* To the end of a page where the next one is not there. */
	while ((got = process_vm_readv(thread, &here, 1, &there, 1, 0)) < 0 && there.iov_len > 64)
		there.iov_len /= 2;
	text[got > 0 ? got : 0] = '\0';
}

static void say(FILE *out, pid_t thread, const struct place *place, const uint64_t *arguments)
{
	char name[PATH_MAX], link[64], directory[PATH_MAX];
	read_string(thread, arguments[place->name], name, sizeof name);
	int fd = place->directory == CWD ? AT_FDCWD : (int)arguments[place->directory];
	if (fd == AT_FDCWD)
		snprintf(link, sizeof link, "/proc/%d/cwd", (int)thread);
	else
		snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)thread, fd);
	ssize_t n = *name == '/' ? 0 : readlink(link, directory, sizeof directory - 1);
	fprintf(out, "%.*s%s%s\n", n > 0 ? (int)n : 0, directory, *name == '/' ? "" : "/", name);
}

static void look(FILE *out, pid_t thread)
{
	struct __ptrace_syscall_info info;
	if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) <= 0 || info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return;
	uint64_t arguments[6];
	memcpy(arguments, info.entry.args, sizeof arguments);
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		const struct call *call = &calls[i];
		if ((uint64_t)call->number != info.entry.nr || (call->flags != NONE && !((int)arguments[call->flags] & WRITES)))
			continue;
		for (int k = 0; k < 2 && call->places[k].name != NONE; k++)
			say(out, thread, &call->places[k], arguments);
	}
}

/* Until all have ended; how the first one did. */
static int follow(FILE *out, pid_t process)
{
	int status, end = 125;
	for (;;) {
		pid_t thread = waitpid(-1, &status, __WALL);
		if (thread < 0)
			return end;
		if (!WIFSTOPPED(status)) {
			if (thread == process)
				end = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
			continue;
		}
		int signal = WSTOPSIG(status);
		if (signal == (SIGTRAP | 0x80)) {
			look(out, thread);
			signal = 0;
		} else if (signal == SIGTRAP || signal == SIGSTOP) {
			signal = 0;
		}
		ptrace(PTRACE_SYSCALL, thread, 0, signal);
	}
}

int main(int argc, char **argv)
{
	FILE *out = argc > 2 ? fopen(argv[1], "we") : NULL;
	pid_t process = out != NULL ? follow_start(argv + 2, OPTIONS) : -1;
	if (process < 0)
		return 125;
	int end = follow(out, process);
	return fclose(out) == 0 ? end : 125;
}
