/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The recorder's calls of the kernel: files, memory, processes, signals, clocks. They call no function of libc: a library
 * that wraps these (preloaded, slow, ended before the recorder, or calling OpenMP itself) does not run inside of it.
 *
 * Each has the name of libc's function and returns what the kernel returns: a negative errno where it fails. errno stays as it
 * is, and no call is a point of cancellation. Any thread and any signal handler may call these.
 */
#ifndef OTTER_RECORDER_SYS_H
#define OTTER_RECORDER_SYS_H

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC 0x65735546 /* of linux/magic.h from Linux 5.8 on */
#endif

struct iovec;
struct perf_event_attr;
struct rlimit;
struct rusage;
struct stat;
struct statfs;

/* ---- Files ---- */

int sys_open(const char *path, int flags, mode_t mode);
int sys_close(int fd);
int sys_close_all(void); /* gives the thread an empty table of descriptors, and leaves those of other threads open */
ssize_t sys_read(int fd, void *bytes, size_t n_bytes);
ssize_t sys_pread(int fd, void *bytes, size_t n_bytes, off_t offset);
ssize_t sys_write(int fd, const void *bytes, size_t n_bytes);
ssize_t sys_pwrite(int fd, const void *bytes, size_t n_bytes, off_t offset);
ssize_t sys_pwritev(int fd, const struct iovec *parts, int n, off_t offset);
int sys_ftruncate(int fd, off_t n_bytes);
int sys_fallocate(int fd, int mode, off_t offset, off_t n_bytes);
int sys_fcntl(int fd, int command, long argument);
int sys_ioctl(int fd, unsigned long request, void *argument);
int sys_dup3(int fd, int to, int flags);
int sys_fstat(int fd, struct stat *status);
int sys_stat(const char *path, struct stat *status);
int sys_fstatfs(int fd, struct statfs *fs);
int sys_statfs(const char *path, struct statfs *fs);
int sys_mkdir(const char *path, mode_t mode);
int sys_rmdir(const char *path);
int sys_symlink(const char *target, const char *path);
int sys_unlink(const char *path);

/* Return the number of bytes, without a null at the end. */
ssize_t sys_readlink(const char *path, char *target, size_t n_bytes);

/* Fills in the working directory's absolute path. False: it has none, or a longer one. */
bool sys_getcwd(char *path, size_t n_bytes);

/* ---- Memory ---- */

void *sys_mmap(void *at, size_t n_bytes, int protection, int flags, int fd, off_t offset); /* NULL: it failed */
int sys_munmap(void *at, size_t n_bytes);
int sys_mprotect(void *at, size_t n_bytes, int protection);
int sys_madvise(void *at, size_t n_bytes, int advice);

/* ---- Processes and threads ---- */

pid_t sys_getpid(void);
pid_t sys_getppid(void);
pid_t sys_gettid(void);
void sys_hostname(char *name, size_t n_bytes); /* "" where it is unknown, cut where it is longer */
int sys_getrlimit(int resource, struct rlimit *limit);
int sys_getrusage(int who, struct rusage *usage);
int sys_getcpu(void); /* the processor that the calling thread runs on */
int sys_name_thread(const char *name);
/* Fills in the affinity mask of a thread of this process, 0 for the calling one. Returns the number of bytes that the kernel's
 * masks have; what is beyond them stays as it was. */
long sys_getaffinity(uint64_t tid, void *mask, size_t n_bytes);
int sys_setaffinity(const cpu_set_t *set);
int sys_setscheduler(int policy);
void sys_yield(void);
int sys_perf_event_open(struct perf_event_attr *event, pid_t thread, unsigned long flags);

static inline struct timespec sys_timespec(uint64_t ns)
{
	return (struct timespec){.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};
}

/* Sleeps while the word has that value, until sys_futex_wake(), for `ns` at most. */
int sys_futex_wait(uint32_t *word, uint32_t value, uint64_t ns);
void sys_futex_wake(uint32_t *word); /* one thread */
void sys_sleep(uint64_t ns);

/* ---- Signals: bit n of a set is signal n + 1 ---- */

#define SYS_SIGNAL(number) (UINT64_C(1) << ((number)-1))

void sys_sigmask(int how, const uint64_t *set, uint64_t *before);
uint64_t sys_sigpending(void);
void sys_take_signal(uint64_t set); /* consumes one of these, if it is pending */
void sys_raise(int number);         /* for the calling thread */
int sys_timer_create(clockid_t clock, struct sigevent *event, int *timer);
int sys_timer_settime(int timer, const struct itimerspec *times);
void sys_timer_delete(int timer);

/* ---- Clocks ---- */

/* To be called before the first use of a clock where time counts: finds the kernel's code that reads clocks in user space
 * (the vDSO). Before that, and where the kernel has no vDSO, sys_clock_ns() is a system call. */
void sys_clock_begin(void);

uint64_t sys_clock_ns(clockid_t clock);

#endif
