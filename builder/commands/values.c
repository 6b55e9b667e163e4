/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The command that options name, and their values.
 */
#include "builder/commands/command.h"
#include "builder/support/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void command_set(struct command_line *line, int (*command)(const struct command_line *), const struct argp_state *state)
{
	if (line->command != NULL && line->command != command)
		argp_error(state, "--diff and --pack exclude each other");
	line->command = command;
}

/* The whole text as a number. */
static bool read_number(const char *text, uint64_t *number)
{
	char *end;
	errno = 0;
	unsigned long long value = strtoull(text, &end, 10);
	*number = value;
	return errno == 0 && end != text && *end == '\0' && strchr(text, '-') == NULL;
}

uint64_t parse_count(const char *option, const char *text, const struct argp_state *state)
{
	uint64_t value;
	if (!read_number(text, &value))
		argp_error(state, "%s is a number, not '%s'", option, text);
	return value;
}

uint64_t parse_bytes(const char *option, const char *text, const struct argp_state *state)
{
	static const char units[] = "KMG";
	size_t n = strlen(text);
	const char *unit = n > 1 ? strchr(units, text[n - 1]) : NULL;
	unsigned shift = unit != NULL ? 10 * (unsigned)(unit - units + 1) : 0;
	char *digits = text_copy(text);
	if (unit != NULL)
		digits[n - 1] = '\0';
	uint64_t value;
	bool is_number = read_number(digits, &value);
	free(digits);
	if (!is_number || value > UINT64_MAX >> shift)
		argp_error(state, "%s is a number of bytes, such as 512M or 4G, not '%s'", option, text);
	return value << shift;
}
