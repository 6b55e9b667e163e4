/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/guard.h"

static const int raised[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};

uint64_t guard_raised_signals(void)
{
	uint64_t signals = 0;
	for (unsigned i = 0; i < sizeof raised / sizeof *raised; i++)
		signals |= SYS_SIGNAL(raised[i]);
	return signals;
}

void guard_fill_signals(sigset_t *signals)
{
	sigfillset(signals);
	for (unsigned i = 0; i < sizeof raised / sizeof *raised; i++)
		sigdelset(signals, raised[i]);
}

void guard_hold_signals(uint64_t *before)
{
	uint64_t held = ~(guard_raised_signals() | GUARD_LIBC_SIGNALS);
	sys_sigmask(SIG_BLOCK, &held, before);
}
