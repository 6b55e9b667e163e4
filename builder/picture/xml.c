/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Quotes text for XML: see xml.h, which names the callers.
 */
#include "builder/picture/xml.h"
#include "builder/support/text.h"

#include <stdlib.h>

void xml_put(struct buffer *out, const char *text, size_t n_max)
{
	char *valid = text_utf8(text);
	size_t n = strlen(valid), end = n > n_max ? n_max : n;
	while (end < n && end > 0 && ((unsigned char)valid[end] & 0xc0) == 0x80) /* in the midst of a character */
		end--;
	for (size_t i = 0; i < end; i++) {
		switch (valid[i]) {
		case '&': buffer_put_text(out, "&amp;"); break;
		case '<': buffer_put_text(out, "&lt;"); break;
		case '>': buffer_put_text(out, "&gt;"); break;
		case '"': buffer_put_text(out, "&quot;"); break;
		case '\'': buffer_put_text(out, "&#39;"); break;
		default: buffer_put(out, &valid[i], 1);
		}
	}
	if (end < n)
		buffer_put_text(out, "...");
	free(valid);
}
