/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers strings, regions and communicators. Strings are found again by the hash of their text, regions by that of
 * what they are and where their code is. Called by whatever writes events, and by defs.c at the end. One thread.
 */
#include "builder/otf2/intern.h"
#include "builder/otf2/hash.h"
#include "builder/support/array.h"
#include "builder/support/text.h"

#include <stdlib.h>
#include <string.h>

#define STRING_BYTES_MAX (64 << 10) /* a definition must fit into a chunk of 256 KiB */

static uint64_t hash_region(const struct region_def *def)
{
	uint64_t hash = hash_on(hash_on(HASH_BEGIN, def->kind), def->construct_kind);
	return hash_on(hash_on(hash_on(hash, def->native), def->module), def->offset) | 1;
}

/* `text` is valid UTF-8 without control characters. */
static uint32_t clean_string(struct archive *a, const char *text)
{
	uint32_t *last = map_put(&a->string_rows, hash_text(HASH_BEGIN, text) | 1);
	for (uint32_t i = *last; i != 0; i = a->string_next[i - 1]) /* rows + 1, 0 ends */
		if (strcmp(a->strings[i - 1], text) == 0)
			return i - 1;
	size_t capacity = a->strings_capacity;
	array_reserve((void **)&a->strings, (size_t)a->n_strings + 1, &capacity, sizeof *a->strings);
	array_reserve((void **)&a->string_next, (size_t)a->n_strings + 1, &a->strings_capacity, sizeof *a->string_next);
	a->strings[a->n_strings] = text_copy(text);
	a->string_next[a->n_strings] = *last;
	*last = ++a->n_strings;
	return a->n_strings - 1;
}

/* Cuts text that is longer than STRING_BYTES_MAX at the end of a character, and marks that by three dots. */
static void cut(char *text)
{
	size_t end = STRING_BYTES_MAX - 4;
	if (strlen(text) < STRING_BYTES_MAX)
		return;
	while (end > 0 && (text[end] & 0xc0) == 0x80)
		end--;
	strcpy(text + end, "...");
}

uint32_t intern_string(struct archive *a, const char *text)
{
	char *clean = text_utf8(text); /* names and arguments may hold anything */
	cut(clean);
	uint32_t string = clean_string(a, clean);
	free(clean);
	return string;
}

uint32_t intern_region(struct archive *a, const struct region_def *def)
{
	uint32_t *last = map_put(&a->region_rows, hash_region(def));
	for (uint32_t i = *last; i != 0; i = a->region_next[i - 1]) {
		const struct region_def *r = &a->regions[i - 1];
		if (r->kind == def->kind && r->construct_kind == def->construct_kind && r->native == def->native &&
		    r->module == def->module && r->offset == def->offset)
			return i - 1;
	}
	size_t capacity = a->regions_capacity;
	array_reserve((void **)&a->regions, (size_t)a->n_regions + 1, &capacity, sizeof *a->regions);
	array_reserve((void **)&a->region_next, (size_t)a->n_regions + 1, &a->regions_capacity, sizeof *a->region_next);
	a->regions[a->n_regions] = *def;
	a->region_next[a->n_regions] = *last;
	*last = ++a->n_regions;
	return a->n_regions - 1;
}

uint32_t intern_comm(struct archive *a, uint32_t parent, const uint32_t *streams, uint32_t n_streams)
{
	array_reserve((void **)&a->comms, (size_t)a->n_comms + 1, &a->comms_capacity, sizeof *a->comms);
	array_reserve((void **)&a->members, a->n_members + n_streams, &a->members_capacity, sizeof *a->members);
	a->comms[a->n_comms] = (struct comm_def){.parent = parent, .n_members = n_streams, .first_member = a->n_members};
	for (uint32_t i = 0; i < n_streams; i++)
		a->members[a->n_members++] = a->now.def->first_location + streams[i];
	return a->n_comms++;
}
