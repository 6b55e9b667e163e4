/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library for LD_PRELOAD that wraps libc's functions for files, memory, clocks, processes and signals, as tools and libraries do that
 * count, translate or delay them:
 *
 *   WRAPS_HOW=gone      what it needs is given back when its destructor runs, before the recorder's end: any call after that is a SIGSEGV
 *             openmp    each call has an OpenMP construct
 *             slow      each call takes 20 ms
 *   WRAPS_CALLS=FILE    the names of functions that the recorder has called, a line each, and zeros after them
 *
 * Calls of the OpenMP runtime's own are passed on as they are: the runtime cannot call itself while it begins, nor after its end.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile int *state; /* gone after the destructor */
/* Mapped: a call may come from a thread that has a table of descriptors of its own. */
static struct calls {
	unsigned long n_bytes;
	char names[65536 - sizeof(unsigned long)];
} * calls;
static enum { PLAIN, GONE, OPENMP, SLOW } how;
static __thread bool is_inside;

__attribute__((constructor)) static void start(void)
{
	is_inside = true;
	const char *way = getenv("WRAPS_HOW"), *path = getenv("WRAPS_CALLS");
	state = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
	if (fd >= 0 && ftruncate(fd, sizeof *calls) == 0)
		calls = mmap(NULL, sizeof *calls, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	is_inside = false;
	how = !way ? PLAIN : strcmp(way, "gone") == 0 ? GONE : strcmp(way, "openmp") == 0 ? OPENMP : SLOW;
}

__attribute__((destructor)) static void end(void)
{
	is_inside = true;
	if (how == GONE)
		munmap((void *)(uintptr_t)state, 4096);
	is_inside = false;
}

static bool is_of(const void *from, const char *library)
{
	Dl_info info;
	return dladdr(from, &info) && info.dli_fname && strstr(info.dli_fname, library);
}

static void note(const char *name)
{
	size_t length = strlen(name);
	unsigned long at = __atomic_fetch_add(&calls->n_bytes, length + 1, __ATOMIC_RELAXED);
	if (at + length + 1 > sizeof calls->names)
		return; /* many are there already */
	memcpy(calls->names + at, name, length);
	calls->names[at + length] = '\n';
}

/* Not inlined: the function that has a construct calls the runtime as it begins. */
__attribute__((noinline)) static void construct(void)
{
#pragma omp critical(wraps)
	++*state;
}

/* `from`: the caller's address. */
static void enter(const char *name, const void *from)
{
	if (is_inside || is_of(from, "libomp"))
		return;
	int kept = errno;
	is_inside = true;
	if (calls && is_of(from, "libotter-ompt.so"))
		note(name);
	if (how == GONE)
		++*state;
	if (how == SLOW)
		usleep(20000);
	if (how == OPENMP)
		construct();
	is_inside = false;
	errno = kept;
}

/* Each of these takes six words at most, and returns one. */
#define WRAP(name)                                                                                                                 \
	long wrap_##name(long a, long b, long c, long d, long e, long f) __asm__(#name);                                           \
	long wrap_##name(long a, long b, long c, long d, long e, long f)                                                           \
	{                                                                                                                          \
		static long (*next)(long, long, long, long, long, long);                                                           \
		if (!next)                                                                                                         \
			*(void **)&next = dlsym(RTLD_NEXT, #name);                                                                 \
		enter(#name, __builtin_return_address(0));                                                                         \
		return next(a, b, c, d, e, f);                                                                                     \
	}

/* clang-format off */
WRAP(open) WRAP(open64) WRAP(openat) WRAP(close) WRAP(read) WRAP(pread) WRAP(pread64) WRAP(write) WRAP(pwrite) WRAP(pwrite64) WRAP(pwritev)
WRAP(pwritev64) WRAP(ftruncate) WRAP(fallocate) WRAP(posix_fallocate) WRAP(fcntl) WRAP(ioctl) WRAP(dup3) WRAP(stat) WRAP(fstat) WRAP(statfs)
WRAP(fstatfs) WRAP(mkdir) WRAP(rmdir) WRAP(symlink) WRAP(unlink) WRAP(readlink) WRAP(getcwd) WRAP(mmap) WRAP(munmap) WRAP(mprotect)
WRAP(madvise) WRAP(getpid) WRAP(getppid) WRAP(gettid) WRAP(gethostname) WRAP(getrlimit) WRAP(getrusage) WRAP(sched_getcpu) WRAP(sched_yield)
WRAP(sched_getaffinity) WRAP(sched_setaffinity) WRAP(sched_setscheduler) WRAP(prctl) WRAP(clock_gettime) WRAP(clock_nanosleep)
WRAP(pthread_sigmask) WRAP(sigpending) WRAP(sigtimedwait) WRAP(raise) WRAP(syscall) WRAP(sysconf) WRAP(getenv)
