/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How the page holds its data: rows of numbers as text, and JSON within HTML. Numbers are as in LEB128, their bytes are
 * deflated (RFC 1950), and these are in base64. Runs on any thread.
 */
#include "builder/report/parts.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"

#include <stdlib.h>
#include <zlib.h>

#define WHAT "report.html"

static char *base64(const unsigned char *bytes, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text = memory_get((n + 2) / 3 * 4 + 1, 1, WHAT), *to = text;
	for (size_t i = 0; i < n; i += 3) {
		uint32_t three =
			(uint32_t)bytes[i] << 16 | (i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0) | (i + 2 < n ? bytes[i + 2] : 0u);
		*to++ = digits[three >> 18];
		*to++ = digits[three >> 12 & 63];
		*to++ = i + 1 < n ? digits[three >> 6 & 63] : '=';
		*to++ = i + 2 < n ? digits[three & 63] : '=';
	}
	*to = '\0';
	return text;
}

json_t *report_packed(const struct buffer *all)
{
	uLongf n = compressBound(all->n);
	unsigned char *bytes = memory_get(n, 1, WHAT);
	json_t *text = NULL;
	if (compress2(bytes, &n, (const Bytef *)all->bytes, all->n, 6) == Z_OK) {
		char *encoded = base64(bytes, n);
		text = json_string_nocheck(encoded);
		free(encoded);
	}
	free(bytes);
	return text;
}

/* ---- JSON within HTML ---- */

/*
 * Every `<` is written as \u003c, so that no text of a program can end a script or begin
 * a comment; U+2028 and U+2029, which end lines in JavaScript, are escaped by jansson's JSON_ENSURE_ASCII.
 */

json_t *report_text(const char *text)
{
	char *valid = text_utf8(text != NULL ? text : "");
	json_t *string = json_string(valid);
	free(valid);
	return string;
}

static int write_escaped(const char *bytes, size_t n, void *self)
{
	FILE *out = self;
	for (size_t i = 0; i < n; i++) {
		bool is_markup = bytes[i] == '<';
		if (is_markup ? fputs("\\u003c", out) < 0 : putc(bytes[i], out) == EOF)
			return -1;
	}
	return 0;
}

int report_write(FILE *out, const char *attributes, json_t *object)
{
	fprintf(out, "<script type=\"application/json\" %s>", attributes);
	int rc = json_dump_callback(object, write_escaped, out, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(6));
	fputs("</script>\n", out);
	json_decref(object);
	return rc;
}
