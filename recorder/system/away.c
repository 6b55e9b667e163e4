/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/system/away.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdint.h>
#include <sys/stat.h>

#include "recorder/compiler.h"
#include "recorder/guard.h"
#include "recorder/system/raw.h"
#include "recorder/system/sys.h"
#include "recorder/text.h"

enum place { PLACE_PROGRAM, PLACE_AWAY, PLACE_OWN };
static __thread enum place place;
static __thread int last_thread, earlier_thread; /* the kernel's numbers of the last two away() threads */
static __thread uint32_t own_stack;              /* the bit of the stack that it runs on; 0: the calling thread's */

/* Stacks for away() threads: the calling thread's may be a user-level thread's. Only pages that were used take memory. Where
 * all are taken, the thread runs on the calling thread's, below its frames. */
#define STACKS      16
#define STACK_BYTES (64 << 10)
static alignas(64) unsigned char stacks[STACKS][STACK_BYTES];
static uint32_t stacks_taken;

/* Set when close_range is found missing, or refused. */
static bool has_no_empty_table;

/* A thread that waits for its moment away takes only SIGSYS, as a filter of system calls may raise it for clone. */
#define ALL_SIGNALS (~(UINT64_C(1) << (SIGSYS - 1)))

struct moment {
	void (*function)(void *);
	void *argument;
	uint64_t held; /* signals */
	unsigned long flags;
	uintptr_t stack; /* where it begins, which is its highest address; 0: the calling thread's */
	int thread;      /* the kernel's number of the thread, which the kernel sets to 0 when it ends */
	int process;
	bool is_done;
};

static bool are_standard_open(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (RAW(SYS_fcntl, fd, F_GETFD, 0) == -EBADF)
			return false;
	return true;
}

/* Gives the thread an empty table. Without close_range (Linux 5.9) a copy of the program's table can be had; when the thread
 * ends, each of its files is flushed, which may wait for NFS and FUSE. So a copy is made only where the program's own table
 * cannot be used. */
static bool leave_table(void)
{
	if (!__atomic_load_n(&has_no_empty_table, __ATOMIC_RELAXED)) {
		if (sys_close_all() == 0)
			return true;
		/* Relaxed: a hint. */
		__atomic_store_n(&has_no_empty_table, true, __ATOMIC_RELAXED);
	}
	return !are_standard_open() && RAW(SYS_unshare, CLONE_FILES, 0, 0) == 0;
}

bool away_for_ever(void)
{
	if (sys_close_all() != 0)
		return false;
	place = PLACE_OWN;
	return true;
}

bool away_has_own_table(void)
{
	return place != PLACE_PROGRAM;
}

/* Has the thread of the moment before this one not ended yet? The kernel stores that it ends before it does. */
static bool is_earlier_there(void)
{
	char path[32] = "/proc/self/task/";
	struct stat status;
	if (!earlier_thread)
		return false;
	*text_decimal(path + sizeof "/proc/self/task/" - 1, (uint64_t)earlier_thread, 1) = '\0';
	return sys_stat(path, &status) == 0;
}

unsigned away_n_threads(void)
{
	return place == PLACE_AWAY ? 1u + is_earlier_there() : 0;
}

void away_forget(void)
{
	/* Relaxed: a child has one thread. */
	__atomic_store_n(&stacks_taken, place == PLACE_AWAY ? own_stack : 0, __ATOMIC_RELAXED);
}

#if defined(__x86_64__) || defined(__aarch64__)

/* A program that traces itself sets the trap flag: after each instruction a handler runs, which would run on the away()
 * thread's stack. */
static unsigned long clear_trap_flag(void)
{
#if defined(__x86_64__)
	unsigned long flags = __builtin_ia32_readeflags_u64();
	if (flags & 0x100u)
		__builtin_ia32_writeeflags_u64(flags & ~0x100ul);
	return flags;
#else
	return 0;
#endif
}

static void restore_trap_flag(unsigned long flags)
{
#if defined(__x86_64__)
	if (flags & 0x100u)
		__builtin_ia32_writeeflags_u64(flags);
#else
	(void)flags;
#endif
}

/* Runs on the new thread. True: it is not that thread any more, but the only thread of a child, as a handler has forked. */
__attribute__((used)) static long run_moment(struct moment *moment)
{
	earlier_thread = last_thread;
	last_thread = moment->thread;
	if (leave_table()) {
		sys_sigmask(SIG_SETMASK, &moment->held, NULL);
		restore_trap_flag(moment->flags);
		moment->function(moment->argument);
		moment->flags = clear_trap_flag();
		moment->is_done = true;
	}
	if (sys_getpid() == moment->process)
		return 0;
	moment->thread = 0;
	last_thread = 0;
	return 1;
}

/* Makes the thread, waits for its end, and returns false if it could not be made. The thread may run on this stack, below
 * this frame, where this function calls nothing. A wait as in vfork would be simpler, but a thread that waits so does not stop:
 * a SIGSTOP in that moment would never be reported to the shell. The child of a handler that forks in the thread has a
 * copy of the stack, and goes on here. */
NOINLINE static bool start(struct moment *moment)
{
	const unsigned long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
				    CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
#if defined(__x86_64__)
	long result = SYS_clone;
	unsigned long rdi = flags;
	int *rdx = &moment->thread;
	uintptr_t rsi = moment->stack;
	register int *r10 __asm__("r10") = &moment->thread;
	register unsigned long r8 __asm__("r8") = 0;
	register struct moment *r12 __asm__("r12") = moment;
	register int *r13 __asm__("r13") = &moment->thread;
	register long (*r14)(struct moment *) __asm__("r14") = run_moment;
	__asm__ volatile("mov %%rsp, %%rbx\n\t"
			 "lea -128(%%rsp), %%rcx\n\t" /* below what this function may use without moving the pointer */
			 "test %%rsi, %%rsi\n\t"
			 "cmovz %%rcx, %%rsi\n\t"
			 "and $-16, %%rsi\n\t"
			 "syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "js 4f\n\t"
			 "jnz 2f\n\t"
			 "mov %%r12, %%rdi\n\t" /* the new thread */
			 "call *%%r14\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "mov %[exit], %%eax\n\t"
			 "xor %%edi, %%edi\n\t"
			 "syscall\n\t"
			 "hlt\n"
			 "1:\n\t" /* a child of it */
			 "mov %%rbx, %%rsp\n"
			 "2:\n\t" /* waits until the kernel has stored 0 */
			 "mov (%%r13), %%edx\n\t"
			 "test %%edx, %%edx\n\t"
			 "jz 3f\n\t"
			 "mov %%r13, %%rdi\n\t"
			 "xor %%esi, %%esi\n\t"
			 "xor %%r10d, %%r10d\n\t"
			 "mov %[futex], %%eax\n\t"
			 "syscall\n\t"
			 "jmp 2b\n"
			 "3:\n\t"
			 "xor %%eax, %%eax\n"
			 "4:"
			 : "+a"(result), "+D"(rdi), "+S"(rsi), "+d"(rdx), "+r"(r10), "+r"(r8)
			 : "r"(r12), "r"(r13), "r"(r14), [exit] "i"(SYS_exit), [futex] "i"(SYS_futex)
			 : "rbx", "rcx", "r9", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
			   "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory");
#else
	register long x0 __asm__("x0") = (long)flags;
	register uintptr_t x1 __asm__("x1") = moment->stack;
	register struct moment *x19 __asm__("x19") = moment;
	register int *x20 __asm__("x20") = &moment->thread;
	register long (*x21)(struct moment *) __asm__("x21") = run_moment;
	__asm__ volatile("mov x22, sp\n\t"
			 "sub x2, x22, #128\n\t"
			 "cmp x1, #0\n\t"
			 "csel x1, x2, x1, eq\n\t"
			 "and x1, x1, #-16\n\t"
			 "mov x2, x20\n\t"
			 "mov x3, #0\n\t"
			 "mov x4, x20\n\t"
			 "mov x8, %[clone]\n\t"
			 "svc 0\n\t"
			 "tbnz x0, #63, 3f\n\t"
			 "cbnz x0, 2f\n\t"
			 "mov x0, x19\n\t" /* the new thread */
			 "blr x21\n\t"
			 "cbnz x0, 1f\n\t"
			 "mov x0, #0\n\t"
			 "mov x8, %[exit]\n\t"
			 "svc 0\n"
			 "1:\n\t" /* a child of it */
			 "mov sp, x22\n"
			 "2:\n\t" /* waits until the kernel has stored 0 */
			 "ldar w2, [x20]\n\t"
			 "cbz w2, 3f\n\t"
			 "mov x0, x20\n\t"
			 "mov x1, #0\n\t"
			 "mov x3, #0\n\t"
			 "mov x8, %[futex]\n\t"
			 "svc 0\n\t"
			 "mov x0, #0\n\t"
			 "b 2b\n"
			 "3:"
			 : "+r"(x0), "+r"(x1)
			 : "r"(x19), "r"(x20), "r"(x21), [clone] "i"(SYS_clone), [exit] "i"(SYS_exit), [futex] "i"(SYS_futex)
			 : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17",
			   "x22", "x30", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21",
			   "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "cc", "memory");
	long result = x0;
#endif
	return result >= 0;
}

/* valgrind ends a program that makes such a thread. Its request for this consists of instructions that do nothing elsewhere. */
static bool is_under_valgrind(void)
{
	static const unsigned long request[6] = {0x1001};
#if defined(__x86_64__)
	unsigned long result = 0;
	__asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
			 : "+d"(result)
			 : "a"(request)
			 : "cc", "memory");
#else
	register unsigned long result __asm__("x3") = 0;
	register const unsigned long *x4 __asm__("x4") = request;
	__asm__ volatile("ror x12, x12, #3; ror x12, x12, #13; ror x12, x12, #51; ror x12, x12, #61; orr x10, x10, x10"
			 : "+r"(result)
			 : "r"(x4)
			 : "cc", "memory");
#endif
	return result != 0;
}

static uintptr_t take_stack(void)
{
	for (uint32_t i = 0; i < STACKS; i++) {
		uint32_t bit = UINT32_C(1) << i;
		if (__atomic_load_n(&stacks_taken, __ATOMIC_RELAXED) & bit)
			continue;
		/* Z2: The flag saying that the stack is free is read before the stack is used. Pairs with Z1 in leave_stack. */
		if (__atomic_fetch_or(&stacks_taken, bit, __ATOMIC_ACQUIRE) & bit)
			continue;
		own_stack = bit;
		return (uintptr_t)stacks[i] + STACK_BYTES;
	}
	own_stack = 0;
	return 0;
}

static void leave_stack(void)
{
	/* Z1: The last use of the stack is ordered before the flag saying that it is free. Pairs with Z2 in take_stack. */
	__atomic_fetch_and(&stacks_taken, ~own_stack, __ATOMIC_RELEASE);
}

/* ThreadSanitizer takes equal numbers in two tables for one file, where it sees the calls: in a recorder that is built with it. */
#ifdef OTTER_TSAN
#define SEES_CALLS true
#else
#define SEES_CALLS false
#endif

static bool can_run_away(void)
{
	return !SEES_CALLS && !is_under_valgrind() &&
	       (!__atomic_load_n(&has_no_empty_table, __ATOMIC_RELAXED) || !are_standard_open());
}

/* Returns false if the function has not run. */
static bool run_away(void (*function)(void *), void *argument)
{
	static const uint64_t all = ALL_SIGNALS;
	struct moment moment = {.function = function, .argument = argument, .process = sys_getpid()};
	uint64_t before;
	int error = errno;
	moment.flags = clear_trap_flag();
	sys_sigmask(SIG_BLOCK, &all, &before);
	moment.held = before | ~guard_raised_signals();
	moment.stack = take_stack();
	place = PLACE_AWAY;
	signal_fence();
	bool is_made = start(&moment);
	signal_fence();
	place = PLACE_PROGRAM;
	leave_stack();
	sys_sigmask(SIG_SETMASK, &before, NULL);
	restore_trap_flag(moment.flags);
	errno = error;
	return is_made && moment.is_done;
}

#else

static bool can_run_away(void)
{
	return false;
}

static bool run_away(void (*function)(void *), void *argument)
{
	(void)function, (void)argument;
	return false;
}

#endif

void away(void (*function)(void *), void *argument)
{
	if (place != PLACE_PROGRAM || !can_run_away())
		function(argument);
	else if (!run_away(function, argument) && are_standard_open())
		function(argument);
}
