/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers strings, regions and communicators. Strings are found again by the hash of their text, regions by that of what
 * they are and where their code is. Runs on one thread for each table.
 */
#include "builder/otf2/intern.h"
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

/* The row of a string in the table itself + 1, or 0. `last`: of the latest string with this hash, + 1. */
static uint32_t find_string(const struct interned *t, uint32_t last, const char *text)
{
	while (last != 0 && strcmp(t->strings[last - 1], text) != 0)
		last = t->string_next[last - 1];
	return last;
}

static uint32_t find_region(const struct interned *t, uint32_t last, const struct region_def *def)
{
	for (; last != 0; last = t->region_next[last - 1]) {
		const struct region_def *r = &t->regions[last - 1];
		if (r->kind == def->kind && r->construct_kind == def->construct_kind && r->native == def->native &&
		    r->module == def->module && r->offset == def->offset)
			break;
	}
	return last;
}

static uint32_t latest(const struct map *rows, uint64_t hash)
{
	const uint32_t *last = map_get(rows, hash);
	return last != NULL ? *last : 0;
}

/* `text` is valid UTF-8 without control characters. */
static uint32_t clean_string(struct interned *t, const char *text)
{
	uint64_t hash = hash_text(HASH_BEGIN, text) | 1;
	uint32_t row = t->before != NULL ? find_string(t->before, latest(&t->before->string_rows, hash), text) : 0;
	if (row != 0)
		return row - 1;
	uint32_t *last = map_put(&t->string_rows, hash);
	row = find_string(t, *last, text);
	if (row != 0)
		return t->first_string + row - 1;
	size_t capacity = t->strings_capacity;
	array_reserve(t->strings, (size_t)t->n_strings + 1, capacity);
	array_reserve(t->string_next, (size_t)t->n_strings + 1, t->strings_capacity);
	t->strings[t->n_strings] = text_copy(text);
	t->string_next[t->n_strings] = *last;
	*last = ++t->n_strings;
	return t->first_string + t->n_strings - 1;
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

uint32_t intern_string(struct interned *t, const char *text)
{
	char *clean = text_utf8(text); /* names and arguments may hold anything */
	cut(clean);
	uint32_t string = clean_string(t, clean);
	free(clean);
	return string;
}

uint32_t intern_region(struct interned *t, const struct region_def *def)
{
	uint64_t hash = hash_region(def);
	uint32_t row = t->before != NULL ? find_region(t->before, latest(&t->before->region_rows, hash), def) : 0;
	if (row != 0)
		return row - 1;
	uint32_t *last = map_put(&t->region_rows, hash);
	row = find_region(t, *last, def);
	if (row != 0)
		return t->first_region + row - 1;
	size_t capacity = t->regions_capacity;
	array_reserve(t->regions, (size_t)t->n_regions + 1, capacity);
	array_reserve(t->region_next, (size_t)t->n_regions + 1, t->regions_capacity);
	t->regions[t->n_regions] = *def;
	t->region_next[t->n_regions] = *last;
	*last = ++t->n_regions;
	return t->first_region + t->n_regions - 1;
}

void intern_forget_regions(struct interned *t)
{
	t->n_regions = 0;
	map_free(&t->region_rows);
}

void intern_free(struct interned *t)
{
	for (uint32_t i = 0; i < t->n_strings; i++)
		free(t->strings[i]);
	free(t->strings);
	free(t->string_next);
	map_free(&t->string_rows);
	free(t->regions);
	free(t->region_next);
	map_free(&t->region_rows);
	*t = (struct interned){0};
}

uint32_t intern_comm(struct archive *a, uint32_t parent, const uint32_t *streams, uint32_t n_streams)
{
	array_push(a->comms, a->n_comms, a->comms_capacity,
		   (struct comm_def){.parent = parent, .n_members = n_streams, .first_member = a->n_members});
	array_reserve(a->members, a->n_members + n_streams, a->members_capacity);
	for (uint32_t i = 0; i < n_streams; i++)
		a->members[a->n_members++] = a->now.def->first_location + streams[i];
	return a->n_comms - 1;
}
