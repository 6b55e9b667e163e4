/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Texts with numbers: see labels.h, which names the callers.
 */
#include "builder/picture/labels.h"
#include "builder/support/array.h"

#include <string.h>

static uint64_t hash_of(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	for (const unsigned char *p = (const unsigned char *)text; *p != '\0'; p++)
		hash = (hash ^ *p) * UINT64_C(0x100000001b3);
	return hash;
}

uint32_t labels_number(struct labels *labels, const char *text)
{
	uint64_t hash = hash_of(text);
	uint32_t *found = map_get(&labels->first, hash), first = found != NULL ? *found : 0;
	for (uint32_t i = first; i != 0; i = labels->rows[i].next)
		if (strcmp(labels->rows[i].text, text) == 0)
			return i;
	labels->n += labels->n == 0;
	array_reserve((void **)&labels->rows, labels->n + (size_t)1, &labels->capacity, sizeof *labels->rows);
	labels->rows[labels->n] = (struct label){text_copy(text), first};
	*map_put(&labels->first, hash) = labels->n;
	return labels->n++;
}

void labels_free(struct labels *labels)
{
	for (uint32_t i = 1; i < labels->n; i++)
		free(labels->rows[i].text);
	free(labels->rows);
	map_free(&labels->first);
	*labels = (struct labels){0};
}
