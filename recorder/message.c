/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/message.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "recorder/config.h"
#include "recorder/text.h"

/* Writes to stderr. A write to a pipe that nobody reads raises SIGPIPE for the calling thread: it is blocked meanwhile
 * and taken back, unless one was pending before, which is the program's own. */
static void write_without_signal(const char *bytes, size_t n_bytes)
{
	sigset_t only, before, pending;
	sigemptyset(&only);
	sigaddset(&only, SIGPIPE);
	sigemptyset(&pending);
	sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &only, &before);
	if (write(STDERR_FILENO, bytes, n_bytes) < 0 && errno == EPIPE && !sigismember(&pending, SIGPIPE))
		sigtimedwait(&only, NULL, &(struct timespec){0});
	pthread_sigmask(SIG_SETMASK, &before, NULL);
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
