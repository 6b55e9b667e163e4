/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/system/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/clock.h"
#include "recorder/compiler.h"
#include "recorder/system/raw.h"
#include "recorder/system/vdso.h"

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE (1u << 1) /* Linux 5.9 */
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* Three kinds of builds call libc's functions instead: the tests' second recorder, whose calls are made to fail by a
 * preloaded library (tests/faults/shim.c); ThreadSanitizer's, which has to know what is mapped; and those for processors
 * whose system calls have other structures than libc's. */
#if !defined(OTTER_LIBC_CALLS) && (defined(OTTER_TSAN) || (!defined(__x86_64__) && !defined(__aarch64__)))
#define OTTER_LIBC_CALLS
#endif

#define PAD(number, a, b, c, d, e, f, ...) raw_call(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define CALL(...)                          PAD(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)

/* One call, by libc's function, or by the kernel's number and arguments. */
#ifdef OTTER_LIBC_CALLS
#define SYS(function, ...)                                                                                                         \
	__extension__({                                                                                                            \
		int errno_before = errno;                                                                                          \
		long result_or_error = (long)(function);                                                                           \
		if (result_or_error == -1)                                                                                         \
			result_or_error = -errno;                                                                                  \
		errno = errno_before;                                                                                              \
		result_or_error;                                                                                                   \
	})
#else
#define SYS(function, ...) CALL(__VA_ARGS__)
#endif

/* aarch64 has only the calls whose names end in `at`. A filter of system calls on x86-64 may know only the older ones. */
#ifdef SYS_unlink
#define MKDIR(path, mode)               SYS_mkdir, path, mode
#define RMDIR(path)                     SYS_rmdir, path
#define SYMLINK(target, path)           SYS_symlink, target, path
#define UNLINK(path)                    SYS_unlink, path
#define READLINK(path, target, n_bytes) SYS_readlink, path, target, n_bytes
#else
#define MKDIR(path, mode)               SYS_mkdirat, AT_FDCWD, path, mode
#define RMDIR(path)                     SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR
#define SYMLINK(target, path)           SYS_symlinkat, target, AT_FDCWD, path
#define UNLINK(path)                    SYS_unlinkat, AT_FDCWD, path, 0
#define READLINK(path, target, n_bytes) SYS_readlinkat, AT_FDCWD, path, target, n_bytes
#endif

/* ---- Files ---- */

int sys_open(const char *path, int flags, mode_t mode)
{
	return (int)SYS(open(path, flags, mode), SYS_openat, AT_FDCWD, path, flags, mode);
}

int sys_close(int fd)
{
	return (int)SYS(close(fd), SYS_close, fd);
}

int sys_close_all(void)
{
	return (int)SYS(syscall(SYS_close_range, 0u, ~0u, CLOSE_RANGE_UNSHARE), SYS_close_range, 0u, ~0u, CLOSE_RANGE_UNSHARE);
}

ssize_t sys_read(int fd, void *bytes, size_t n_bytes)
{
	return SYS(read(fd, bytes, n_bytes), SYS_read, fd, bytes, n_bytes);
}

ssize_t sys_pread(int fd, void *bytes, size_t n_bytes, off_t offset)
{
	return SYS(pread(fd, bytes, n_bytes, offset), SYS_pread64, fd, bytes, n_bytes, offset);
}

ssize_t sys_write(int fd, const void *bytes, size_t n_bytes)
{
	return SYS(write(fd, bytes, n_bytes), SYS_write, fd, bytes, n_bytes);
}

ssize_t sys_pwrite(int fd, const void *bytes, size_t n_bytes, off_t offset)
{
	return SYS(pwrite(fd, bytes, n_bytes, offset), SYS_pwrite64, fd, bytes, n_bytes, offset);
}

ssize_t sys_pwritev(int fd, const struct iovec *parts, int n, off_t offset)
{
	return SYS(pwritev(fd, parts, n, offset), SYS_pwritev, fd, parts, n, offset);
}

int sys_ftruncate(int fd, off_t n_bytes)
{
	return (int)SYS(ftruncate(fd, n_bytes), SYS_ftruncate, fd, n_bytes);
}

int sys_fallocate(int fd, int mode, off_t offset, off_t n_bytes)
{
	return (int)SYS(fallocate(fd, mode, offset, n_bytes), SYS_fallocate, fd, mode, offset, n_bytes);
}

int sys_fcntl(int fd, int command, long argument)
{
	return (int)SYS(fcntl(fd, command, argument), SYS_fcntl, fd, command, argument);
}

int sys_ioctl(int fd, unsigned long request, void *argument)
{
	return (int)SYS(ioctl(fd, request, argument), SYS_ioctl, fd, request, argument);
}

int sys_dup3(int fd, int to, int flags)
{
	return (int)SYS(dup3(fd, to, flags), SYS_dup3, fd, to, flags);
}

int sys_fstat(int fd, struct stat *status)
{
	return (int)SYS(fstat(fd, status), SYS_fstat, fd, status);
}

int sys_stat(const char *path, struct stat *status)
{
	return (int)SYS(stat(path, status), SYS_newfstatat, AT_FDCWD, path, status, 0);
}

int sys_fstatfs(int fd, struct statfs *fs)
{
	return (int)SYS(fstatfs(fd, fs), SYS_fstatfs, fd, fs);
}

int sys_statfs(const char *path, struct statfs *fs)
{
	return (int)SYS(statfs(path, fs), SYS_statfs, path, fs);
}

int sys_mkdir(const char *path, mode_t mode)
{
	return (int)SYS(mkdir(path, mode), MKDIR(path, mode));
}

int sys_rmdir(const char *path)
{
	return (int)SYS(rmdir(path), RMDIR(path));
}

int sys_symlink(const char *target, const char *path)
{
	return (int)SYS(symlink(target, path), SYMLINK(target, path));
}

int sys_unlink(const char *path)
{
	return (int)SYS(unlink(path), UNLINK(path));
}

ssize_t sys_readlink(const char *path, char *target, size_t n_bytes)
{
	return SYS(readlink(path, target, n_bytes), READLINK(path, target, n_bytes));
}

bool sys_getcwd(char *path, size_t n_bytes)
{
	/* A directory that was moved out of the process's root has a path that begins with "(unreachable)". */
	return CALL(SYS_getcwd, path, n_bytes) > 0 && *path == '/';
}

/* ---- Memory ---- */

void *sys_mmap(void *at, size_t n_bytes, int protection, int flags, int fd, off_t offset)
{
	long result = SYS(mmap(at, n_bytes, protection, flags, fd, offset), SYS_mmap, at, n_bytes, protection, flags, fd, offset);
	return (unsigned long)result > -4096ul ? NULL : (void *)result;
}

int sys_munmap(void *at, size_t n_bytes)
{
	return (int)SYS(munmap(at, n_bytes), SYS_munmap, at, n_bytes);
}

int sys_mprotect(void *at, size_t n_bytes, int protection)
{
	return (int)SYS(mprotect(at, n_bytes, protection), SYS_mprotect, at, n_bytes, protection);
}

int sys_madvise(void *at, size_t n_bytes, int advice)
{
	return (int)SYS(madvise(at, n_bytes, advice), SYS_madvise, at, n_bytes, advice);
}

/* ---- Processes and threads ---- */

pid_t sys_getpid(void)
{
	return (pid_t)CALL(SYS_getpid);
}

pid_t sys_getppid(void)
{
	return (pid_t)CALL(SYS_getppid);
}

pid_t sys_gettid(void)
{
	return (pid_t)CALL(SYS_gettid);
}

void sys_hostname(char *name, size_t n_bytes)
{
	struct utsname names;
	size_t length = CALL(SYS_uname, &names) == 0 ? strnlen(names.nodename, n_bytes - 1) : 0;
	memcpy(name, names.nodename, length);
	name[length] = '\0';
}

int sys_getrlimit(int resource, struct rlimit *limit)
{
	return (int)CALL(SYS_prlimit64, 0, resource, NULL, limit);
}

int sys_getrusage(int who, struct rusage *usage)
{
	return (int)CALL(SYS_getrusage, who, usage);
}

int sys_getcpu(void)
{
	unsigned cpu;
	return CALL(SYS_getcpu, &cpu, NULL, NULL) == 0 ? (int)cpu : -1;
}

int sys_name_thread(const char *name)
{
	return (int)CALL(SYS_prctl, PR_SET_NAME, name);
}

long sys_getaffinity(uint64_t tid, void *mask, size_t n_bytes)
{
	return CALL(SYS_sched_getaffinity, tid, n_bytes, mask);
}

int sys_setaffinity(const cpu_set_t *set)
{
	return (int)CALL(SYS_sched_setaffinity, 0, sizeof *set, set);
}

int sys_setscheduler(int policy)
{
	struct sched_param parameter = {0};
	return (int)CALL(SYS_sched_setscheduler, 0, policy, &parameter);
}

void sys_yield(void)
{
	CALL(SYS_sched_yield);
}

int sys_perf_event_open(struct perf_event_attr *event, pid_t thread, unsigned long flags)
{
	return (int)CALL(SYS_perf_event_open, event, thread, -1, -1, flags);
}

int sys_futex_wait(uint32_t *word, uint32_t value, uint64_t ns)
{
	struct timespec most = sys_timespec(ns);
	return (int)CALL(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &most);
}

void sys_futex_wake(uint32_t *word)
{
	CALL(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1);
}

void sys_sleep(uint64_t ns)
{
	struct timespec time = sys_timespec(ns);
	CALL(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, NULL);
}

/* ---- Signals ---- */

void sys_sigmask(int how, const uint64_t *set, uint64_t *before)
{
	CALL(SYS_rt_sigprocmask, how, set, before, sizeof *set);
}

uint64_t sys_sigpending(void)
{
	uint64_t set = 0;
	CALL(SYS_rt_sigpending, &set, sizeof set);
	return set;
}

void sys_take_signal(uint64_t set)
{
	struct timespec none = {0};
	CALL(SYS_rt_sigtimedwait, &set, NULL, &none, sizeof set);
}

void sys_raise(int number)
{
	CALL(SYS_tgkill, sys_getpid(), sys_gettid(), number);
}

int sys_timer_create(clockid_t clock, struct sigevent *event, int *timer)
{
	return (int)CALL(SYS_timer_create, clock, event, timer);
}

int sys_timer_settime(int timer, const struct itimerspec *times)
{
	return (int)CALL(SYS_timer_settime, timer, 0, times, NULL);
}

void sys_timer_delete(int timer)
{
	CALL(SYS_timer_delete, timer);
}

/* ---- Clocks ---- */

#ifdef OTTER_LIBC_CALLS

void sys_clock_begin(void)
{
}

uint64_t sys_clock_ns(clockid_t clock)
{
	return clock_ns(clock);
}

#else

typedef int clock_reader(clockid_t clock, struct timespec *time);

/* NULL: the kernel has no vDSO. Relaxed: it is stored before another thread records, and a thread that still loads NULL makes a
 * system call. */
static clock_reader *read_clock;

void sys_clock_begin(void)
{
	void *found = vdso_find(VDSO_CLOCK_GETTIME);
	clock_reader *reader;
	memcpy(&reader, &found, sizeof reader);
	__atomic_store_n(&read_clock, reader, __ATOMIC_RELAXED);
}

uint64_t sys_clock_ns(clockid_t clock)
{
	clock_reader *reader = __atomic_load_n(&read_clock, __ATOMIC_RELAXED);
	struct timespec time = {0}; /* as it stays for the clock of a thread that has ended */
	if (reader)
		reader(clock, &time);
	else
		CALL(SYS_clock_gettime, clock, &time);
	return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

#endif
