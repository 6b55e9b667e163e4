/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A line of meta: a key and its value, or fields between single spaces. Between meta_file.c, which finds the lines, and meta.c, which knows the keys.
 */
#ifndef OTTER_BUILDER_DUMP_META_LINE_H
#define OTTER_BUILDER_DUMP_META_LINE_H

#include "builder/dump/meta.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Rest of a line that is being taken apart. */
struct line {
	char *rest;
};

/* The next field, ended in place; NULL where the line has no more. */
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

/* meta.c. Everything as it is without any line. */
void meta_init(struct meta *meta);

/* False: a known key with a value that makes no sense. */
bool meta_parse_line(struct meta *m, const char *key, struct line *l);

#endif
