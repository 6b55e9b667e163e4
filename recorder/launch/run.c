/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/launch/run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "recorder/kernel/switch_event.h"

/* Signals that end, stop, continue or inform a program; a batch system's SIGTERM at the time limit is one. */
static const int passed_on[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGUSR1, SIGUSR2,  SIGTERM,
				SIGCONT, SIGTSTP, SIGALRM, SIGXCPU, SIGWINCH, SIGURG};

/* Waits until the program has ended. The signals of `waited` are blocked, and are taken here one by one. A signal from
 * the terminal (it has no sender) went to the whole foreground process group, the program included; only a signal that
 * a process sent to the launcher is passed on. */
static int wait_for(pid_t program, const sigset_t *waited)
{
	for (;;) {
		siginfo_t info;
		int signal = sigwaitinfo(waited, &info);
		if (signal < 0)
			continue;
		if (signal != SIGCHLD) {
			bool is_sent = info.si_code <= 0;
			if (is_sent)
				kill(program, signal);
			continue;
		}
		int status;
		while (waitpid(program, &status, WNOHANG | WUNTRACED) == program) {
			if (!WIFSTOPPED(status))
				return status;
			/* Stops as well, so that the shell takes over. What continues the launcher continues the
			 * program. */
			raise(SIGSTOP);
			kill(program, SIGCONT);
		}
	}
}

int run_program(const char *path, char *const argv[], bool has_switches, struct child *child)
{
	int failure[2]; /* a pipe for the errno of a failed exec; a successful exec closes it */
	if (pipe2(failure, O_CLOEXEC) != 0)
		return errno;
	sigset_t waited, old_mask;
	sigemptyset(&waited);
	sigaddset(&waited, SIGCHLD);
	for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
		sigaddset(&waited, passed_on[i]);
	/* No signal may be lost between the fork and the wait. If our parent left SIGCHLD ignored, we would not get the status. */
	struct sigaction old_child, old_pipe;
	sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL}, &old_child);
	/* Where stderr is a pipe without a reader, our messages are lost, but the program's status is not. */
	sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, &old_pipe);
	sigprocmask(SIG_BLOCK, &waited, &old_mask);

	int error = 0;
	/* The first event of a machine takes 10 ms, as the kernel patches its scheduler. If one is open already, the
	 * program's threads do not wait for that. */
	int event = has_switches ? switch_event_open() : -1;
	child->start_ns = clock_ns(CLOCK_MONOTONIC);
	pid_t program = child->pid = fork();
	if (program == 0) {
		sigaction(SIGCHLD, &old_child, NULL);
		sigaction(SIGPIPE, &old_pipe, NULL);
		sigprocmask(SIG_SETMASK, &old_mask, NULL);
		if (path)
			execv(path, argv);
		else
			execvp(argv[0], argv);
		error = errno;
		ssize_t n = write(failure[1], &error, sizeof error);
		_exit(n == sizeof error ? 127 : 126);
	}
	if (program < 0)
		error = errno;
	close(failure[1]);
	if (program > 0) {
		while (read(failure[0], &error, sizeof error) < 0 && errno == EINTR)
			;
		child->wait_status = wait_for(program, &waited);
		child->end_ns = clock_ns(CLOCK_MONOTONIC);
	}
	close(failure[0]);
	if (event >= 0)
		close(event);
	sigprocmask(SIG_SETMASK, &old_mask, NULL);
	return error;
}

void run_end_alike(int wait_status)
{
	if (WIFSIGNALED(wait_status)) {
		int signal = WTERMSIG(wait_status);
		prctl(PR_SET_DUMPABLE, 0);
		sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
		sigset_t only;
		sigemptyset(&only);
		sigaddset(&only, signal);
		sigprocmask(SIG_UNBLOCK, &only, NULL);
		raise(signal);
		exit(128 + signal);
	}
	exit(WEXITSTATUS(wait_status));
}
