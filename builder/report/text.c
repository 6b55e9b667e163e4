/* SPDX-License-Identifier: BSD-3-Clause
 *
 * JSON within HTML: see parts.h. Every `<` is written as \u003c, so that no text of a program can end a script or begin
 * a comment; U+2028 and U+2029, which end lines in JavaScript, are escaped by jansson's JSON_ENSURE_ASCII.
 */
#include "builder/report/parts.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"

#include <stdlib.h>

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
