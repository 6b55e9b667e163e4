/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library for LD_PRELOAD that makes the recorder's own calls fail, and those of nothing else: a call is the recorder's where its return address
 * lies in libotter-ompt.so. That must be the tests' own, whose calls are libc's functions (LIBC_RECORDER in trial.py).
 *
 *   FAULT_CALLS=pwrite,open     which ("all": every one of those below)
 *   FAULT_ERROR=EIO             how: an errno, by name; or short (half of the bytes); or raise (SIGSEGV before and after the call, which does
 *                               its work)
 *   FAULT_FROM=N FAULT_EVERY=K FAULT_TIMES=M
 *                               from the N-th of each kind on (1), each K-th (1), M times in all (no end)
 *   FAULT_UNTIL=FILE            until that file exists
 *   FAULT_FILE=TEXT             opens of paths with TEXT in them alone
 *   FAULT_CLOCKSOURCE=hpet      what the kernel says of its clock source
 *   FAULT_BACK_NS=N             each FAULT_EVERY-th reading of the clocks is N ns early
 *   FAULT_COUNTS=FILE           mapped shared: how many calls have failed, 8 bytes
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

/* clang-format off */
#define CALLS(X)                                                                                                                   \
	X(open)                                                                                                                    \
	X(close)                                                                                                                   \
	X(read) X(pread) X(write) X(pwrite) X(pwritev) X(mmap) X(mprotect) X(madvise) X(fallocate) X(posix_fallocate) X(ftruncate) \
		X(mkdir) X(rmdir) X(unlink) X(readlink) X(fstat) X(fstatfs) X(statfs) X(pthread_create) X(close_range)

enum call {
#define X(name) CALL_##name,
	CALLS(X)
#undef X
	N_CALLS
};
/* clang-format on */

static const char *const names[] = {
#define X(name) #name,
	CALLS(X)
#undef X
};

enum { SHORT = -1, RAISE = -2 };
static const struct {
	const char *name;
	int error;
} errors[] = {{"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EDQUOT", EDQUOT}, {"EINTR", EINTR},
	      {"EMFILE", EMFILE}, {"ENFILE", ENFILE}, {"ENOMEM", ENOMEM}, {"EACCES", EACCES},
	      {"EROFS", EROFS},   {"ENOENT", ENOENT}, {"EAGAIN", EAGAIN}, {"EPERM", EPERM},
	      {"ENOSYS", ENOSYS}, {"EINVAL", EINVAL}, {"EFBIG", EFBIG},   {"EOPNOTSUPP", EOPNOTSUPP},
	      {"short", SHORT},   {"raise", RAISE}};

static bool is_chosen[N_CALLS];
static unsigned long n_calls[N_CALLS];
static unsigned long first = 1, every = 1, times = ~0ul, n_failed, back_ns, n_readings;
static int error;
static const char *file, *clock_source, *until;
static uint64_t *counts;
static uintptr_t recorder_low, recorder_high;

static unsigned long number(const char *name, unsigned long otherwise)
{
	const char *value = getenv(name);
	return value ? strtoul(value, NULL, 10) : otherwise;
}

__attribute__((constructor)) static void start(void)
{
	const char *calls = getenv("FAULT_CALLS"), *how = getenv("FAULT_ERROR"), *path = getenv("FAULT_COUNTS");
	for (unsigned i = 0; calls && i < N_CALLS; i++)
		for (const char *at = calls; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
			if (strcspn(at, ",") == strlen(names[i]) && strncmp(at, names[i], strlen(names[i])) == 0)
				is_chosen[i] = true;
	for (unsigned i = 0; calls && strcmp(calls, "all") == 0 && i < N_CALLS; i++)
		is_chosen[i] = true;
	for (unsigned i = 0; how && i < sizeof errors / sizeof *errors; i++)
		if (strcmp(how, errors[i].name) == 0)
			error = errors[i].error;
	first = number("FAULT_FROM", 1), every = number("FAULT_EVERY", 1), times = number("FAULT_TIMES", ~0ul);
	back_ns = number("FAULT_BACK_NS", 0), file = getenv("FAULT_FILE"), until = getenv("FAULT_UNTIL"),
	clock_source = getenv("FAULT_CLOCKSOURCE");
	int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
	if (fd >= 0 && ftruncate(fd, 4096) == 0)
		counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
}

static int find_range(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size, (void)data;
	if (!strstr(info->dlpi_name, "libotter-ompt.so"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
			recorder_high = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
			__atomic_store_n(&recorder_low, info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, __ATOMIC_RELEASE);
		}
	return 1;
}

/* The recorder is loaded long after us, and never unloaded. */
static bool is_recorder(const void *from)
{
	Dl_info info;
	if (!__atomic_load_n(&recorder_low, __ATOMIC_ACQUIRE)) {
		if (!dladdr(from, &info) || !info.dli_fname || !strstr(info.dli_fname, "libotter-ompt.so"))
			return false;
		dl_iterate_phdr(find_range, NULL);
	}
	return (uintptr_t)from >= recorder_low && (uintptr_t)from < recorder_high;
}

static void count_failure(void)
{
	if (counts && counts != MAP_FAILED)
		__atomic_fetch_add(counts, 1, __ATOMIC_RELAXED);
}

static bool is_time(unsigned long n)
{
	return n >= first && (n - first) % every == 0 && (!until || access(until, F_OK) != 0) &&
	       __atomic_fetch_add(&n_failed, 1, __ATOMIC_RELAXED) < times;
}

/* 0: the call is to be made; else how it fails. */
static int fault(enum call call, const void *from)
{
	if (!is_chosen[call] || !is_recorder(from) || !is_time(__atomic_add_fetch(&n_calls[call], 1, __ATOMIC_RELAXED)))
		return 0;
	count_failure();
	if (error > 0)
		errno = error;
	return error;
}

/* Defines NAME: fails, or calls the next. `how` is there for what follows. */
#define FAULTY(result, name, params, args, failed)                                                                                 \
	result name params                                                                                                         \
	{                                                                                                                          \
		static result(*next) params;                                                                                       \
		if (!next)                                                                                                         \
			*(void **)&next = dlsym(RTLD_NEXT, #name);                                                                 \
		int how = fault(CALL_##name, __builtin_return_address(0));                                                         \
		if (how > 0)                                                                                                       \
			return failed;                                                                                             \
		if (how == RAISE)                                                                                                  \
			raise(SIGSEGV);                                                                                            \
		result is = next args;                                                                                             \
		if (how == RAISE) {                                                                                                \
			int kept = errno;                                                                                          \
			raise(SIGSEGV);                                                                                            \
			errno = kept;                                                                                              \
		}                                                                                                                  \
		return is;                                                                                                         \
	}
/* What writes may write half. */
#define HALF(n) (how == SHORT && (n) > 1 ? (n) / 2 : (n))

int open(const char *path, int flags, ...)
{
	static int (*next)(const char *, int, ...);
	va_list list;
	va_start(list, flags);
	mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
	va_end(list);
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "open");
	const void *from = __builtin_return_address(0);
	if (clock_source && strstr(path, "current_clocksource") && is_recorder(from)) {
		int fd = memfd_create("clocksource", MFD_CLOEXEC);
		ssize_t n = write(fd, clock_source, strlen(clock_source));
		(void)n;
		lseek(fd, 0, SEEK_SET);
		count_failure();
		return fd;
	}
	int how = !file || strstr(path, file) ? fault(CALL_open, from) : 0;
	if (how > 0)
		return -1;
	if (how == RAISE)
		raise(SIGSEGV);
	int fd = next(path, flags, mode);
	if (how == RAISE)
		raise(SIGSEGV);
	return fd;
}

/* A close that fails has closed all the same. */
int close(int fd)
{
	static int (*next)(int);
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "close");
	int how = fault(CALL_close, __builtin_return_address(0)), kept = errno;
	if (how == RAISE)
		raise(SIGSEGV);
	int rc = next(fd);
	if (how == RAISE)
		raise(SIGSEGV);
	if (how > 0)
		errno = kept;
	return how > 0 ? -1 : rc;
}

FAULTY(ssize_t, read, (int fd, void *bytes, size_t n), (fd, bytes, HALF(n)), -1)
FAULTY(ssize_t, pread, (int fd, void *bytes, size_t n, off_t at), (fd, bytes, HALF(n), at), -1)
FAULTY(ssize_t, write, (int fd, const void *bytes, size_t n), (fd, bytes, HALF(n)), -1)
FAULTY(ssize_t, pwrite, (int fd, const void *bytes, size_t n, off_t at), (fd, bytes, HALF(n), at), -1)
FAULTY(int, mprotect, (void *at, size_t n, int how_protected), (at, n, how_protected), -1)
FAULTY(int, madvise, (void *at, size_t n, int advice), (at, n, advice), -1)
FAULTY(int, ftruncate, (int fd, off_t n), (fd, n), -1)
FAULTY(int, mkdir, (const char *path, mode_t mode), (path, mode), -1)
FAULTY(int, rmdir, (const char *path), (path), -1)
FAULTY(int, unlink, (const char *path), (path), -1)
FAULTY(ssize_t, readlink, (const char *path, char *target, size_t n), (path, target, n), -1)
FAULTY(int, fstat, (int fd, struct stat *status), (fd, status), -1)
FAULTY(int, fstatfs, (int fd, struct statfs *status), (fd, status), -1)
FAULTY(int, statfs, (const char *path, struct statfs *status), (path, status), -1)
FAULTY(void *, mmap, (void *at, size_t n, int protection, int flags, int fd, off_t offset), (at, n, protection, flags, fd, offset),
       MAP_FAILED)
FAULTY(int, pthread_create, (pthread_t * thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument),
       (thread, attributes, run, argument), how)

/* Without a mode it does what posix_fallocate does, and is counted as such. */
int fallocate(int fd, int mode, off_t at, off_t n)
{
	static int (*next)(int, int, off_t, off_t);
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "fallocate");
	int how = fault(mode == 0 ? CALL_posix_fallocate : CALL_fallocate, __builtin_return_address(0));
	if (how > 0)
		return -1;
	if (how == RAISE)
		raise(SIGSEGV);
	int rc = next(fd, mode, at, n), kept = errno;
	if (how == RAISE)
		raise(SIGSEGV);
	errno = kept;
	return rc;
}

/* Half of a vector ends anywhere in it. */
ssize_t pwritev(int fd, const struct iovec *parts, int n, off_t at)
{
	static ssize_t (*next)(int, const struct iovec *, int, off_t);
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "pwritev");
	int how = fault(CALL_pwritev, __builtin_return_address(0));
	if (how > 0)
		return -1;
	if (how == SHORT)
		return pwrite(fd, parts->iov_base, parts->iov_len / 2 + 1, at);
	if (how == RAISE)
		raise(SIGSEGV);
	return next(fd, parts, n, at);
}

/* close_range, which has no wrapper that the recorder could use everywhere, and futex. */
long syscall(long which, ...)
{
	static long (*next)(long, ...);
	long a[6];
	va_list list;
	va_start(list, which);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "syscall");
	if (which == SYS_close_range && fault(CALL_close_range, __builtin_return_address(0)) > 0)
		return -1;
	return next(which, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	static int (*next)(clockid_t, struct timespec *);
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "clock_gettime");
	int rc = next(id, t);
	if (back_ns && rc == 0 && is_recorder(__builtin_return_address(0)) &&
	    is_time(__atomic_add_fetch(&n_readings, 1, __ATOMIC_RELAXED))) {
		count_failure();
		uint64_t ns = (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec - back_ns;
		*t = (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
	}
	return rc;
}
