/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For tests of the recorder: the processor stops after each instruction (the trap flag of x86-64), and SIGTRAP's
 * handler does something there.
 */
#ifndef OTTER_TESTS_RECORDER_STEP_H
#define OTTER_TESTS_RECORDER_STEP_H

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

#define STEP_TRAP_FLAG 0x100u

/* Begins or ends that a SIGTRAP follows each instruction of the calling thread. On processors other than x86-64 nothing
 * happens. */
static inline void step(bool is_on)
{
#if defined(__x86_64__)
	unsigned long long flags = __builtin_ia32_readeflags_u64();
	__builtin_ia32_writeeflags_u64(is_on ? flags | STEP_TRAP_FLAG : flags & ~(unsigned long long)STEP_TRAP_FLAG);
#else
	(void)is_on;
#endif
}

/* For the handler: after it returns, the rest runs at full speed. */
static inline void step_no_more(void *context)
{
#if defined(__x86_64__)
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)STEP_TRAP_FLAG;
#else
	(void)context;
#endif
}

#endif
