/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of numbers as text of the page: see parts.h. Numbers are as in LEB128, their bytes are deflated (RFC 1950), and these are
 * in base64. Called by strips.c and lanes.c, on any thread.
 */
#include "builder/report/parts.h"
#include "builder/support/memory.h"

#include <stdlib.h>
#include <zlib.h>

#define WHAT "report.html"

void report_put_number(struct buffer *to, uint64_t number)
{
	unsigned char *at = (unsigned char *)buffer_room(to, 10);
	for (; number >= 0x80; number >>= 7)
		*at++ = (unsigned char)(number | 0x80);
	*at++ = (unsigned char)number;
	buffer_end_at(to, (char *)at);
}

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
