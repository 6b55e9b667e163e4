/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernel's own library in each process (the vDSO), which has the code that reads clocks without a system call.
 */
#ifndef OTTER_RECORDER_VDSO_H
#define OTTER_RECORDER_VDSO_H

#if defined(__aarch64__)
#define VDSO_CLOCK_GETTIME "__kernel_clock_gettime"
#else
#define VDSO_CLOCK_GETTIME "__vdso_clock_gettime"
#endif

/* Returns a function's address. NULL: there is no vDSO, as below valgrind, or it has no such function. */
void *vdso_find(const char *name);

#endif
