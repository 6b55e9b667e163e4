/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The builder's only way to stderr, and the counts by name. Messages may be said from any thread: each is one write.
 */
#include "builder/support/diag.h"
#include "builder/support/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_quiet;

void diag_quiet(void)
{
	is_quiet = true;
}

/* Strings out of a dump end up here: control bytes must not reach a terminal. stderr is not buffered, but one call is one write. */
static void say(const char *prefix, const char *format, va_list args)
{
	char line[4096];
	size_t used = (size_t)snprintf(line, sizeof line, "otter-build: %s", prefix);
	size_t room = sizeof line - used - 1;
	int n = vsnprintf(line + used, room, format, args);
	if (n > 0)
		used += (size_t)n < room ? (size_t)n : room - 1;
	line[used] = '\0';
	char *clean = text_utf8(line);
	for (size_t i = 0; clean == NULL && i < used; i++)
		if ((unsigned char)line[i] < ' ' || (unsigned char)line[i] >= 0x7f)
			line[i] = '?';
	fflush(stdout);
	fprintf(stderr, "%s\n", clean != NULL ? clean : line);
	free(clean);
}

int error(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	say("", format, args);
	va_end(args);
	return -1;
}

void warning(const char *format, ...)
{
	if (is_quiet)
		return;
	va_list args;
	va_start(args, format);
	say("warning: ", format, args);
	va_end(args);
}

void tally_add(struct tally *tally, const char *name, uint64_t count)
{
	const unsigned limit = sizeof tally->rows / sizeof tally->rows[0];
	unsigned i = 0;
	/* As a rule it is the same literal: damaged dumps have repairs by the million. */
	while (i < tally->n_rows && tally->rows[i].name != name)
		i++;
	if (i == tally->n_rows)
		for (i = 0; i < tally->n_rows && strcmp(tally->rows[i].name, name) != 0;)
			i++;
	if (i == limit)
		i = limit - 1; /* names are literals, far fewer than rows; a count must not vanish all the same */
	else if (i == tally->n_rows)
		tally->rows[tally->n_rows++] = (struct tally_row){name, 0};
	tally->rows[i].count += count;
}

uint64_t tally_total(const struct tally *tally)
{
	uint64_t total = 0;
	for (unsigned i = 0; i < tally->n_rows; i++)
		total += tally->rows[i].count;
	return total;
}
