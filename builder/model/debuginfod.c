/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Allows and limits what libdebuginfod does, by the variables of the environment that it reads at each query. Callers
 * are named in debuginfod.h; main thread.
 */
#include "builder/model/debuginfod.h"
#include "builder/support/diag.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double left, begun; /* seconds; left 0: no server is asked */
static unsigned allowed;

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

void debuginfod_forbid(void)
{
	left = 0;
	unsetenv("DEBUGINFOD_URLS");
}

void debuginfod_allow(unsigned seconds)
{
	const char *servers = getenv("DEBUGINFOD_URLS");
	if (servers == NULL || *servers == '\0') {
		warning("--debuginfod: no server is asked, as DEBUGINFOD_URLS names none");
		return;
	}
	left = allowed = seconds;
	warning("--debuginfod: may ask %s for debug information, for %u s in all", servers, seconds);
}

void debuginfod_begin(void)
{
	char seconds[32];
	if (left <= 0)
		return;
	snprintf(seconds, sizeof seconds, "%u", (unsigned)(left + 0.999));
	setenv("DEBUGINFOD_MAXTIME", seconds, 1); /* of a whole query */
	setenv("DEBUGINFOD_TIMEOUT", seconds, 1); /* without an answer */
	setenv("DEBUGINFOD_RETRY_LIMIT", "0", 1);
	begun = now();
}

void debuginfod_end(void)
{
	if (left <= 0)
		return;
	left -= now() - begun;
	if (left > 0)
		return;
	warning("--debuginfod: the %u s are over: no server is asked any more", allowed);
	debuginfod_forbid();
}
