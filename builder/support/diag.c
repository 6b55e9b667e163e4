/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The builder's only way to stderr, and the counts by name. Any thread may print: each message is one write.
 */
#include "builder/support/diag.h"
#include "builder/support/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool is_quiet;

void diag_quiet(void)
{
	is_quiet = true;
}

/* Messages hold strings from dumps: their control bytes must not reach a terminal. Takes no memory: it may be out. */
static void print(const char *prefix, const char *format, va_list args)
{
	char line[4096], clean[TEXT_UTF8_BYTES(sizeof line) + 1];
	size_t used = (size_t)snprintf(line, sizeof line, "otter-build: %s", prefix);
	vsnprintf(line + used, sizeof line - used, format, args);
	size_t n = text_put_utf8(clean, line);
	clean[n] = '\n';
	fflush(stdout);
	fwrite(clean, 1, n + 1, stderr); /* stderr is not buffered: one call is one write */
}

int error(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	print("", format, args);
	va_end(args);
	return -1;
}

void warning(const char *format, ...)
{
	if (is_quiet)
		return;
	va_list args;
	va_start(args, format);
	print("warning: ", format, args);
	va_end(args);
}

void tally_add(struct tally *tally, const char *name, uint64_t count)
{
	const unsigned limit = sizeof tally->rows / sizeof tally->rows[0];
	unsigned i = 0;
	/* Damaged dumps have repairs by the million: the same literal is found without comparing texts. */
	while (i < tally->n_rows && tally->rows[i].name != name)
		i++;
	if (i == tally->n_rows)
		for (i = 0; i < tally->n_rows && strcmp(tally->rows[i].name, name) != 0;)
			i++;
	if (i == limit)
		i = limit - 1; /* there are fewer names than rows; if that ever changes, no count may vanish */
	else if (i == tally->n_rows)
		tally->rows[tally->n_rows++] = (struct tally_row){name, 0};
	tally->rows[i].count += count;
}

void tally_add_all(struct tally *sum, const struct tally *tally)
{
	for (unsigned i = 0; i < tally->n_rows; i++)
		tally_add(sum, tally->rows[i].name, tally->rows[i].count);
}

uint64_t tally_total(const struct tally *tally)
{
	uint64_t total = 0;
	for (unsigned i = 0; i < tally->n_rows; i++)
		total += tally->rows[i].count;
	return total;
}
