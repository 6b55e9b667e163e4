/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/session/message.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <unistd.h>

#include "recorder/session/config.h"
#include "recorder/system/sys.h"
#include "recorder/text.h"

/* Writes to stderr. A write to a pipe without a reader raises SIGPIPE for the calling thread: the signal is blocked
 * meanwhile and consumed, unless one was pending before, which is the program's own. */
static void write_without_signal(const char *bytes, size_t n_bytes)
{
	const uint64_t only = SYS_SIGNAL(SIGPIPE), pending = sys_sigpending();
	uint64_t before;
	sys_sigmask(SIG_BLOCK, &only, &before);
	if (sys_write(STDERR_FILENO, bytes, n_bytes) == -EPIPE && !(pending & only))
		sys_take_signal(only);
	sys_sigmask(SIG_SETMASK, &before, NULL);
}

void message(const struct config *config, const char *what, const char *dir, const char *more)
{
	if (!config->is_verbose)
		return;
	char line[PATH_MAX + 256];
	struct text text;
	text_init(&text, line, sizeof line);
	text_word(&text, what);
	text_value(&text, dir);
	if (*more)
		text_word(&text, more);
	text_end(&text);
	write_without_signal(text.bytes, text.n_bytes);
}
