/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For tests of the recorder: the processor stops behind each instruction (the trap flag of x86-64), and SIGTRAP's handler does something there.
 */
#ifndef OTTER_TESTS_RECORDER_STEP_H
#define OTTER_TESTS_RECORDER_STEP_H

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

#define STEP_TRAP_FLAG 0x100u

/* From here on each instruction of the calling thread is followed by a SIGTRAP, or no longer. Nothing happens on other processors. */
static inline void step(bool is_on)
{
#if defined(__x86_64__)
	unsigned long long flags = __builtin_ia32_readeflags_u64();
	__builtin_ia32_writeeflags_u64(is_on ? flags | STEP_TRAP_FLAG : flags & ~(unsigned long long)STEP_TRAP_FLAG);
#else
	(void)is_on;
#endif
}

/* In the handler: when it has returned the rest goes on at full speed. */
static inline void step_no_more(void *context)
{
#if defined(__x86_64__)
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)STEP_TRAP_FLAG;
#else
	(void)context;
#endif
}

#endif
