/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program to whose process something happens halfway:
 *
 *     midway DEED [ARGUMENT...]     15000 tasks: 5000 before, 5000 after, 5000 when it is undone
 *
 * It says how many tasks have run, and that what it relies on (its descriptors, files, mask, stack) is as it left it.
 */
#include "tests/omp/check.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define PHASE_TASKS 5000

static char **arguments; /* of the deed */
static struct rlimit kept;

static int n_run;

static void tasks(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < PHASE_TASKS; i++)
#pragma omp task
		add(&n_run, 1);
}

static void nothing(void)
{
}

/* Whatever a shell can do to the dump. */
static void command(void)
{
	CHECK(system(arguments[0]) == 0);
}

static void command_back(void)
{
	CHECK(!arguments[1] || system(arguments[1]) == 0);
}

static void change_root(void)
{
	CHECK(chdir(arguments[0]) == 0 && chroot(".") == 0);
}

static void change_user(void)
{
	gid_t group = (gid_t)atoi(arguments[0]);
	CHECK(setgroups(0, NULL) == 0 && setgid(group) == 0 && setuid((uid_t)group) == 0);
}

static void limit(int resource, rlim_t now)
{
	CHECK(getrlimit(resource, &kept) == 0);
	struct rlimit lower = {now, kept.rlim_max};
	CHECK(setrlimit(resource, &lower) == 0);
}

static void no_descriptors(void)
{
	limit(RLIMIT_NOFILE, 3);
	CHECK(open("/dev/null", O_RDONLY) == -1 && errno == EMFILE);
}

static void descriptors_zero(void)
{
	limit(RLIMIT_NOFILE, 0);
}

/* After the rest that the recorder takes when it was refused. */
static void descriptors_back_later(void)
{
	CHECK(setrlimit(RLIMIT_NOFILE, &kept) == 0 && usleep(50000) == 0);
}

static void descriptors_back(void)
{
	CHECK(setrlimit(RLIMIT_NOFILE, &kept) == 0);
}

/* What the process has, and not a page more. */
static void no_memory(void)
{
	unsigned long n_pages;
	FILE *f = fopen("/proc/self/statm", "re");
	CHECK(f && fscanf(f, "%lu", &n_pages) == 1);
	fclose(f);
	limit(RLIMIT_AS, n_pages * 4096);
	CHECK(mmap(NULL, 1 << 24, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
}

static void memory_back(void)
{
	CHECK(setrlimit(RLIMIT_AS, &kept) == 0);
}

static void no_threads(void)
{
	limit(RLIMIT_NPROC, 1);
}

static void small_files(void)
{
	limit(RLIMIT_FSIZE, 8192);
}

/* Blocked in every thread of the program's, a signal to the process waits until somebody asks for it. */
static void block_signals(void)
{
#pragma omp parallel num_threads(2)
	{
		sigset_t all;
		CHECK(sigfillset(&all) == 0 && pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
	}
	CHECK(kill(getpid(), SIGUSR1) == 0);
}

static void check_signals(void)
{
	sigset_t usr1;
	siginfo_t info;
	struct timespec none = {0};
#pragma omp parallel num_threads(2)
	{
		sigset_t now;
		CHECK(pthread_sigmask(SIG_SETMASK, NULL, &now) == 0);
		for (int i = 1; i < 32; i++)
			CHECK(sigismember(&now, i) == (i != SIGKILL && i != SIGSTOP));
	}
	CHECK(sigemptyset(&usr1) == 0 && sigaddset(&usr1, SIGUSR1) == 0);
	CHECK(sigtimedwait(&usr1, &info, &none) == SIGUSR1 && info.si_pid == getpid());
}

/* Calls of the system by number, any other ends the process. */
static void filter_calls(void)
{
	struct sock_filter filter[400];
	unsigned n = 0;
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (char **number = arguments; *number && n < 390; number++) {
		filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)atoi(*number), 0, 1);
		filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	unsigned otherwise = getenv("SECCOMP_ERRNO") ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_KILL_PROCESS;
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, otherwise);
	struct sock_fprog program = {(unsigned short)n, filter};
	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0);
}

static const struct {
	const char *name;
	void (*deed)(void);
	void (*undo)(void);
} deeds[] = {{"nothing", nothing, nothing},
	     {"command", command, command_back},
	     {"chroot", change_root, nothing},
	     {"setuid", change_user, nothing},
	     {"no-descriptors", no_descriptors, descriptors_back},
	     {"zero-descriptors", descriptors_zero, descriptors_back_later},
	     {"no-memory", no_memory, memory_back},
	     {"no-threads", no_threads, nothing},
	     {"small-files", small_files, nothing},
	     {"signals", block_signals, check_signals},
	     {"seccomp", filter_calls, nothing}};

int main(int argc, char **argv)
{
	CHECK(argc >= 2);
	arguments = argv + 2;
	for (unsigned i = 0; i < sizeof deeds / sizeof *deeds; i++)
		if (strcmp(argv[1], deeds[i].name) == 0) {
			tasks();
			deeds[i].deed();
			tasks();
			deeds[i].undo();
			tasks();
			printf("%d tasks\n", n_run);
			return 0;
		}
	return 98;
}
