/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernel's system calls without libc: no library that wraps libc's functions is called, errno stays as it is, and no
 * call is a point of cancellation. Any thread and any signal handler may call these.
 *
 * A call returns what the kernel returns: a negative errno where it fails.
 */
#ifndef OTTER_RECORDER_RAW_H
#define OTTER_RECORDER_RAW_H

#include <sys/syscall.h>
#if !defined(__x86_64__) && !defined(__aarch64__)
#include <errno.h>
#include <unistd.h>
#endif

/* Always inlined: the caller may have lent the stack below its frame (away.c). */
__attribute__((always_inline)) static inline long raw_call(long number, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
	long result;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	return x0;
#else
	int before = errno;
	long result = syscall(number, a, b, c, d, e, f);
	if (result == -1)
		result = -errno;
	errno = before;
	return result;
#endif
}

#define RAW(number, a, b, c) raw_call(number, (long)(a), (long)(b), (long)(c), 0, 0, 0)

#endif
