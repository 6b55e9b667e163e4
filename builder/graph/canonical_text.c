/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Text that grows at its end: names and lines of the canonical list, of which there are millions. Called by canonical.c,
 * canonical_names.c and canonical_units.c.
 */
#include "builder/graph/canonical.h"
#include "builder/support/array.h"

#include <string.h>

static void put_bytes(struct canonical_text *text, const char *bytes, size_t n)
{
	array_reserve((void **)&text->bytes, text->n + n, &text->capacity, 1);
	memcpy(text->bytes + text->n, bytes, n);
	text->n += n;
}

void canonical_put(struct canonical_text *text, const char *word)
{
	put_bytes(text, word, strlen(word));
}

static void put_digits(struct canonical_text *text, uint64_t number, unsigned base, unsigned n_digits)
{
	char digits[24];
	size_t first = sizeof digits;
	do {
		digits[--first] = "0123456789abcdef"[number % base];
		number /= base;
	} while (number != 0 || sizeof digits - first < n_digits);
	put_bytes(text, digits + first, sizeof digits - first);
}

void canonical_put_number(struct canonical_text *text, uint64_t number)
{
	put_digits(text, number, 10, 1);
}

void canonical_put_hash(struct canonical_text *text, uint64_t hash)
{
	canonical_put(text, "~");
	put_digits(text, hash, 16, 16);
}

void canonical_put_process(const struct canon *c, struct canonical_text *text)
{
	if (!c->has_many_processes)
		return;
	canonical_put_number(text, c->process);
	canonical_put(text, ":");
}
