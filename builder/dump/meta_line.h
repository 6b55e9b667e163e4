/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A line of meta: a key, then either one value or fields between single spaces. Shared by meta_file.c, which finds the
 * lines, and meta.c, which knows the keys; no other file uses it.
 */
#ifndef OTTER_BUILDER_DUMP_META_LINE_H
#define OTTER_BUILDER_DUMP_META_LINE_H

#include "builder/dump/meta.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The rest of a line, while it is being taken apart. */
struct line {
	char *rest;
};

/* The next field, with a terminating zero put in place of the space; NULL if the line has no more fields. */
static inline char *line_field(struct line *l)
{
	if (l->rest == NULL)
		return NULL;
	char *field = l->rest;
	char *space = strchr(field, ' ');
	if (space != NULL)
		*space++ = '\0';
	l->rest = space;
	return *field == '\0' ? NULL : field;
}

/* Parses a whole text as a number in this base, without sign or spaces. False: it is not a number, or larger than max. */
static inline bool parse_number(const char *text, int base, uint64_t max, uint64_t *value)
{
	if (text == NULL || *text == '\0' || *text == '-' || *text == '+' || *text == ' ')
		return false;
	char *end;
	errno = 0;
	unsigned long long n = strtoull(text, &end, base);
	*value = n;
	return errno == 0 && *end == '\0' && n <= max;
}

/* In meta.c: sets everything as it is before any line was read. */
void meta_init(struct meta *meta);

/* In meta.c: takes what one line says. False: a known key with a value that makes no sense. */
bool meta_parse_line(struct meta *m, const char *key, struct line *l);

#endif
