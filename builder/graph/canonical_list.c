/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sorts and prints the canonical list. Names are sorted as texts, once; lines by the ranks of their names. Called by
 * canonical.c; sorts and formats on all threads of OpenMP.
 *
 * A line begins with a name and a blank. So the order of lines is that of their names where no name goes on with a blank
 * where another one ends.
 */
#include "builder/graph/canonical.h"
#include "builder/support/array.h"
#include "builder/support/blocks.h"

#include <stdlib.h>
#include <string.h>

static const char what[] = "the canonical graph";

#define CHUNK_BYTES     ((size_t)1 << 10) /* of the first one; each is twice as large as the one before, up to */
#define CHUNK_BYTES_MAX ((size_t)1 << 20)

uint32_t canonical_add_name(struct canonical_list *list, const struct buffer *text)
{
	if (text->n > list->n_left) {
		size_t n_bytes = list->n_chunks < 10 ? CHUNK_BYTES << list->n_chunks : CHUNK_BYTES_MAX;
		list->n_left = text->n > n_bytes ? text->n : n_bytes;
		array_reserve((void **)&list->chunks, list->n_chunks + 1, &list->chunks_capacity, sizeof *list->chunks);
		list->chunks[list->n_chunks++] = memory_get(list->n_left, 1, what);
		list->next = list->chunks[list->n_chunks - 1];
	}
	array_reserve((void **)&list->names, list->n_names + 1, &list->names_capacity, sizeof *list->names);
	list->names[list->n_names] = (struct canonical_name){memcpy(list->next, text->bytes, text->n), (uint32_t)text->n};
	list->next += text->n;
	list->n_left -= text->n;
	return (uint32_t)list->n_names++;
}

void canonical_add_line(struct canonical_list *list, const struct canonical_line *line)
{
	array_reserve((void **)&list->lines, list->n_lines + 1, &list->lines_capacity, sizeof *list->lines);
	list->lines[list->n_lines++] = *line;
}

/* ---- Names by rank ---- */

/* A name, and the eight bytes of it that are compared now, 0 after its end. */
struct item {
	uint64_t key;
	uint32_t name;
};

static uint64_t key_at(const struct canonical_name *name, uint32_t at)
{
	uint64_t key = 0;
	for (uint32_t i = at; i < at + 8; i++)
		key = key << 8 | (i < name->n ? (unsigned char)name->text[i] : 0u);
	return key;
}

static uint64_t middle(uint64_t a, uint64_t b, uint64_t c)
{
	return a < b ? b < c ? b : a < c ? c : a : a < c ? a : b < c ? c : b;
}

static void swap(struct item *items, size_t i, size_t j)
{
	struct item item = items[i];
	items[i] = items[j];
	items[j] = item;
}

#define TASK_ITEMS 10000 /* fewer are not worth a task of their own */

/*
 * Multikey quicksort (Bentley and Sedgewick, "Fast algorithms for sorting and searching strings", 1997), eight bytes at a
 * time. All names of the items are equal before `at`, from where they have their keys.
 */
static void sort_items(const struct canonical_name *names, struct item *items, size_t n, uint32_t at)
{
	while (n > 1) {
		uint64_t pivot = middle(items[0].key, items[n / 2].key, items[n - 1].key);
		size_t below = 0, next = 0, above = n;
		while (next < above) {
			if (items[next].key < pivot)
				swap(items, below++, next++);
			else if (items[next].key > pivot)
				swap(items, next, --above);
			else
				next++;
		}
		if (pivot & 0xff && above - below > 1) { /* they go on */
			for (size_t i = below; i < above; i++)
				items[i].key = key_at(&names[items[i].name], at + 8);
#pragma omp task if (above - below > TASK_ITEMS)
			sort_items(names, items + below, above - below, at + 8);
		}
		bool is_below_smaller = below < n - above;
		struct item *smaller = is_below_smaller ? items : items + above;
		size_t n_smaller = is_below_smaller ? below : n - above;
#pragma omp task if (n_smaller > TASK_ITEMS)
		sort_items(names, smaller, n_smaller, at);
		items = is_below_smaller ? items + above : items;
		n = is_below_smaller ? n - above : below;
	}
}

/* What lines are printed by. Equal names have one rank. */
struct ranks {
	uint32_t *of_name;
	uint32_t *names; /* by rank, one of them */
	size_t n;
};

static bool is_equal(const struct canonical_name *l, const struct canonical_name *r)
{
	return l->n == r->n && memcmp(l->text, r->text, l->n) == 0;
}

static struct ranks rank_names(const struct canonical_list *list)
{
	struct ranks ranks = {memory_get(list->n_names, sizeof *ranks.of_name, what),
			      memory_get(list->n_names, sizeof *ranks.names, what), 0};
	struct item *items = memory_get(list->n_names, sizeof *items, what);
	for (size_t i = 0; i < list->n_names; i++)
		items[i] = (struct item){key_at(&list->names[i], 0), (uint32_t)i};
#pragma omp parallel if (list->n_names > TASK_ITEMS)
#pragma omp single
	sort_items(list->names, items, list->n_names, 0);
	for (size_t i = 0; i < list->n_names; i++) {
		const struct canonical_name *name = &list->names[items[i].name];
		if (i == 0 || !is_equal(name, &list->names[items[i - 1].name]))
			ranks.names[ranks.n++] = items[i].name;
		ranks.of_name[items[i].name] = (uint32_t)ranks.n - 1;
	}
	free(items);
	return ranks;
}

/* ---- What lines end with ---- */

/* " create", " depend:inout" and so on, by kind and dependence: a number in the order of the texts. */
struct endings {
	uint16_t number[EDGE_KINDS + 1][256]; /* first of `texts` + 1, 0: no line has it */
	struct ending {
		char text[64];
		uint16_t *of;
	} * texts;
	size_t n;
};

static int by_ending(const void *left, const void *right)
{
	return strcmp(((const struct ending *)left)->text, ((const struct ending *)right)->text);
}

static void find_endings(struct endings *e, const struct canonical_list *list)
{
	for (size_t i = 0; i < list->n_lines; i++) {
		const struct canonical_line *line = &list->lines[i];
		uint16_t *number = &e->number[line->kind][line->dependence];
		if (*number != 0)
			continue;
		*number = 1;
		e->texts = array_grown(e->texts, e->n, sizeof *e->texts);
		struct ending *ending = &e->texts[e->n++];
		ending->of = number;
		snprintf(ending->text, sizeof ending->text, " %s%s%s",
			 line->kind < EDGE_KINDS ? edge_kind_name(line->kind) : "exclusive", line->dependence != 0 ? ":" : "",
			 edge_dependence_name(line->dependence));
	}
	if (e->n > 1)
		qsort(e->texts, e->n, sizeof *e->texts, by_ending);
	for (size_t i = 0; i < e->n; i++) { /* unknown dependences have one text */
		bool is_new = i == 0 || strcmp(e->texts[i].text, e->texts[i - 1].text) != 0;
		*e->texts[i].of = is_new ? (uint16_t)(i + 1) : *e->texts[i - 1].of;
	}
}

/* ---- Lines ---- */

/* Lines by the rank of their first name, then by key: which " -- " or " -> " is first, second name, ending. */
struct sorted {
	const struct canonical_list *list;
	struct ranks ranks;
	struct endings endings;
	size_t *first; /* by rank; n + 1 entries */
	uint64_t *keys;
};

#define KEY_IS_EDGE (UINT64_C(1) << 63)

static int by_key(const void *left, const void *right)
{
	uint64_t l = *(const uint64_t *)left, r = *(const uint64_t *)right;
	return l < r ? -1 : l > r;
}

static void sort_keys(uint64_t *keys, size_t n)
{
	if (n > 16) {
		qsort(keys, n, sizeof *keys, by_key);
		return;
	}
	for (size_t i = 1; i < n; i++)
		for (size_t j = i; j > 0 && keys[j] < keys[j - 1]; j--) {
			uint64_t key = keys[j];
			keys[j] = keys[j - 1];
			keys[j - 1] = key;
		}
}

static void sort_lines(struct sorted *s)
{
	const struct canonical_list *list = s->list;
	const uint32_t *ranks = s->ranks.of_name;
	s->first = memory_zeroed(s->ranks.n + 2, sizeof *s->first, what);
	s->keys = memory_get(list->n_lines, sizeof *s->keys, what);
	for (size_t i = 0; i < list->n_lines; i++)
		s->first[ranks[list->lines[i].source] + 2]++;
	for (size_t i = 2; i < s->ranks.n + 2; i++)
		s->first[i] += s->first[i - 1];
	for (size_t i = 0; i < list->n_lines; i++) {
		const struct canonical_line *line = &list->lines[i];
		s->keys[s->first[ranks[line->source] + 1]++] = (line->kind < EDGE_KINDS ? KEY_IS_EDGE : 0) |
							       (uint64_t)ranks[line->target] << 16 |
							       s->endings.number[line->kind][line->dependence];
	}
#pragma omp parallel for schedule(dynamic, 1024) if (s->ranks.n > TASK_ITEMS)
	for (size_t rank = 0; rank < s->ranks.n; rank++)
		sort_keys(s->keys + s->first[rank], s->first[rank + 1] - s->first[rank]);
}

/* Of the line's first name. */
static size_t rank_of_line(const struct sorted *s, size_t line)
{
	size_t low = 0, high = s->ranks.n;
	while (high - low > 1) {
		size_t half = low + (high - low) / 2;
		if (s->first[half] <= line)
			low = half;
		else
			high = half;
	}
	return low;
}

static void put_line(const struct sorted *s, struct buffer *text, size_t rank, uint64_t key, size_t n_equal)
{
	const struct canonical_name *source = &s->list->names[s->ranks.names[rank]];
	const struct canonical_name *target = &s->list->names[s->ranks.names[key >> 16 & UINT32_MAX]];
	const char *ending = s->endings.texts[(key & 0xffff) - 1].text;
	size_t n_ending = strlen(ending);
	char *at = buffer_room(text, (size_t)source->n + target->n + n_ending + TEXT_DECIMAL_MAX + 16);
	at = text_put(at, source->text, source->n);
	at = text_put(at, key & KEY_IS_EDGE ? " -> " : " -- ", 4);
	at = text_put(at, target->text, target->n);
	at = text_put(at, ending, n_ending);
	if (n_equal > 1)
		at = text_decimal(text_put(at, " x", 2), n_equal);
	*at++ = '\n';
	buffer_end_at(text, at);
}

/* Where the lines that are equal to this one end; before `end`. There may be millions. */
static size_t end_of_equal(const struct sorted *s, size_t line, size_t end)
{
	size_t low = line, step = 1;
	while (step < end - low && s->keys[low + step] == s->keys[line]) {
		low += step;
		step *= 2;
	}
	size_t high = step < end - low ? low + step : end; /* is not equal */
	while (high - low > 1) {
		size_t half = low + (high - low) / 2;
		if (s->keys[half] == s->keys[line])
			low = half;
		else
			high = half;
	}
	return high;
}

#define BLOCK_LINES 4096

/* Equal lines are for the block of the first of them. */
static void put_lines(void *self, size_t block, struct buffer *text)
{
	const struct sorted *s = self;
	size_t n = s->list->n_lines, i = block * BLOCK_LINES, end = n - i > BLOCK_LINES ? i + BLOCK_LINES : n;
	size_t rank = rank_of_line(s, i);
	if (i > s->first[rank] && s->keys[i] == s->keys[i - 1])
		i = end_of_equal(s, i, s->first[rank + 1]);
	while (i < end) {
		size_t first = i;
		while (s->first[rank + 1] <= first)
			rank++;
		i = end_of_equal(s, first, s->first[rank + 1]);
		put_line(s, text, rank, s->keys[first], i - first);
	}
}

int canonical_print(const struct canonical_list *list, FILE *out)
{
	struct sorted s = {.list = list};
	s.ranks = rank_names(list);
	find_endings(&s.endings, list);
	sort_lines(&s);
	free(s.ranks.of_name);
	int rc = blocks_write(out, (list->n_lines + BLOCK_LINES - 1) / BLOCK_LINES, put_lines, &s);
	free(s.first);
	free(s.keys);
	free(s.ranks.names);
	free(s.endings.texts);
	return rc;
}

void canonical_free_list(struct canonical_list *list)
{
	if (list == NULL)
		return;
	for (size_t i = 0; i < list->n_chunks; i++)
		free(list->chunks[i]);
	free(list->chunks);
	free(list->names);
	free(list->lines);
	free(list);
}
