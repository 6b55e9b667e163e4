/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Quoting for text formats: CSV, DOT, and UTF-8 for readers that accept no control characters.
 */
#include "builder/support/text.h"
#include "builder/support/memory.h"

#include <ctype.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t text_utf8_length(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	if (p[0] < 0x80)
		return p[0] >= 0x20 && p[0] != 0x7f;
	size_t n = p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : p[0] >= 0xe0 && p[0] < 0xf0 ? 3 : p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0) || (p[0] == 0xf0 && p[1] < 0x90) ||
	    (p[0] == 0xf4 && p[1] >= 0x90))
		return 0;
	return n;
}

size_t text_put_utf8(char *out, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	char *end = out;
	while (*p != '\0') {
		size_t n = text_utf8_length((const char *)p);
		if (n > 0) {
			memcpy(end, p, n);
			end += n;
			p += n;
		} else {
			end += sprintf(end, "\\x%02x", *p++);
		}
	}
	*end = '\0';
	return (size_t)(end - out);
}

char *text_utf8(const char *text)
{
	char *out = memory_get(TEXT_UTF8_BYTES(strlen(text) + 1), 1, "a text");
	text_put_utf8(out, text);
	return out;
}

/* Does an ampersand begin what graphviz reads as an entity? */
static bool is_entity(const unsigned char *p)
{
	size_t n = 1;
	while (isalnum(p[n]) || p[n] == '#')
		n++;
	return p[0] == '&' && n > 1 && p[n] == ';';
}

void text_dot(struct buffer *out, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	while (*p != '\0') {
		size_t n = text_utf8_length((const char *)p);
		if (n == 0) {
			buffer_put(out, "\\\\x", 3);
			buffer_end_at(out, text_hex(buffer_room(out, TEXT_HEX_MAX), *p++, 2));
			continue;
		}
		if (*p == '"' || *p == '\\')
			buffer_put(out, "\\", 1);
		buffer_put(out, (const char *)p, n);
		if (is_entity(p))
			buffer_put(out, "amp;", 4);
		p += n;
	}
}

json_t *text_json(const char *text)
{
	char *valid = text_utf8(text);
	json_t *string = json_string(valid);
	free(valid);
	return string;
}
