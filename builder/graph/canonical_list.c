/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sorts and prints the canonical list. Names are sorted as texts, once; lines by the ranks of their names. Runs on all
 * threads of OpenMP.
 *
 * A line begins with a name and a blank. So the order of lines is that of their names, unless a name is another one followed by
 * a blank and more text.
 */
#include "builder/graph/canonical.h"
#include "builder/support/array.h"
#include "builder/support/blocks.h"
#include "builder/support/sort.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

static const char what[] = "the canonical graph";

/* When the arrays grow, they become at least twice as large. */
static void append_lines(struct canonical_list *list, uint32_t n_names, const size_t *first_line, const uint64_t *lines)
{
	size_t n_lines = first_line[n_names];
	array_reserve(list->first_line, list->n_names + n_names + 1, list->first_capacity);
	array_reserve(list->lines, list->n_lines + n_lines, list->lines_capacity);
	for (size_t i = 0; i < n_lines; i++)
		list->lines[list->n_lines + i] = lines[i] + ((uint64_t)list->n_names << 16);
	for (size_t i = 0; i <= n_names; i++)
		list->first_line[list->n_names + i] = list->n_lines + first_line[i];
	list->n_lines += n_lines;
}

void canonical_add_lines(struct canonical_list *list, uint32_t n_names, size_t **first_line, uint64_t **lines)
{
	if (list->first_line == NULL) {
		list->names = memory_get(n_names, sizeof *list->names, what);
		list->first_line = *first_line;
		list->lines = *lines;
		list->n_lines = list->lines_capacity = list->first_line[n_names];
		list->names_capacity = n_names;
		list->first_capacity = (size_t)n_names + 1;
		*first_line = NULL;
		*lines = NULL;
	} else {
		array_reserve(list->names, list->n_names + n_names, list->names_capacity);
		append_lines(list, n_names, *first_line, *lines);
	}
	list->n_names += n_names;
}

/* ---- Names by rank ---- */

/* A name, and the eight bytes of it that are compared now, 0 after its end. */
struct sorted_name {
	uint64_t key;
	uint32_t name;
	bool is_same; /* in the end: it is equal to the one before */
};

static uint64_t key_at(const struct canonical_name *name, uint32_t at)
{
	uint64_t key = 0;
	if (at + 8 <= name->n) {
		memcpy(&key, name->text + at, 8);
		return be64toh(key);
	}
	for (uint32_t i = at; i < at + 8; i++)
		key = key << 8 | (i < name->n ? (unsigned char)name->text[i] : 0u);
	return key;
}

static uint64_t middle(uint64_t a, uint64_t b, uint64_t c)
{
	return a < b ? b < c ? b : a < c ? c : a : a < c ? a : b < c ? c : b;
}

static void swap(struct sorted_name *items, size_t i, size_t j)
{
	struct sorted_name item = items[i];
	items[i] = items[j];
	items[j] = item;
}

/* Compares names whose keys are those at `at`. */
static int compare_items(const struct canonical_name *names, const struct sorted_name *left, const struct sorted_name *right,
			 uint32_t at)
{
	if (left->key != right->key)
		return left->key < right->key ? -1 : 1;
	if (!(left->key & 0xff))
		return 0;
	const struct canonical_name *l = &names[left->name], *r = &names[right->name];
	int order = memcmp(l->text + at + 8, r->text + at + 8, (l->n < r->n ? l->n : r->n) - at - 8);
	return order ?: cmp(l->n, r->n);
}

static void insert_items(const struct canonical_name *names, struct sorted_name *items, size_t n, uint32_t at)
{
	for (size_t i = 1; i < n; i++) {
		struct sorted_name item = items[i];
		size_t j = i;
		int order = 1;
		while (j > 0 && (order = compare_items(names, &item, &items[j - 1], at)) < 0) {
			items[j] = items[j - 1];
			j--;
		}
		item.is_same = j > 0 && order == 0;
		items[j] = item;
	}
}

#define FEW_ITEMS  8     /* are inserted one by one */
#define TASK_ITEMS 10000 /* fewer are not worth a task of their own */

static void sort_items(const struct canonical_name *names, struct sorted_name *items, size_t n, uint32_t at);

/* Lets another thread sort them if that is worth it. */
static void sort_part(const struct canonical_name *names, struct sorted_name *items, size_t n, uint32_t at)
{
	if (n <= TASK_ITEMS) {
		sort_items(names, items, n, at);
		return;
	}
#pragma omp task
	sort_items(names, items, n, at);
}

/*
 * Multikey quicksort (Bentley and Sedgewick, "Fast algorithms for sorting and searching strings", 1997), eight bytes at a
 * time. All names of the items are equal before `at`, from where they have their keys.
 */
static void sort_items(const struct canonical_name *names, struct sorted_name *items, size_t n, uint32_t at)
{
	while (n > FEW_ITEMS) {
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
		bool goes_on = pivot & 0xff, is_below_smaller = below < n - above;
		for (size_t i = below; i < above; i++) {
			if (goes_on)
				items[i].key = key_at(&names[items[i].name], at + 8);
			else
				items[i].is_same = i > below;
		}
		struct sorted_name *smaller = is_below_smaller ? items : items + above, *equal = items + below;
		size_t n_smaller = is_below_smaller ? below : n - above, n_equal = goes_on ? above - below : 0;
		sort_part(names, equal, n_equal, at + 8);
		sort_part(names, smaller, n_smaller, at);
		items = is_below_smaller ? items + above : items;
		n = is_below_smaller ? n - above : below;
	}
	insert_items(names, items, n, at);
}

/* The names that are used, sorted. The rank of a name is the place of the first one that is equal to it. */
struct ranks {
	struct sorted_name *items;
	size_t n;
	uint32_t *of_name;
};

static struct ranks rank_names(const struct canonical_list *list)
{
	struct ranks ranks = {memory_get(list->n_names, sizeof *ranks.items, what), 0,
			      memory_get(list->n_names, sizeof *ranks.of_name, what)};
	for (size_t i = 0; i < list->n_names; i++)
		if (list->names[i].n != 0)
			ranks.items[ranks.n++] = (struct sorted_name){key_at(&list->names[i], 0), (uint32_t)i, false};
#pragma omp parallel if (ranks.n > TASK_ITEMS)
#pragma omp single
	sort_items(list->names, ranks.items, ranks.n, 0);
	uint32_t rank = 0;
	for (size_t i = 0; i < ranks.n; i++) {
		rank = ranks.items[i].is_same ? rank : (uint32_t)i;
		ranks.of_name[ranks.items[i].name] = rank;
	}
	return ranks;
}

/* ---- The endings of lines ---- */

/* " create", " depend:inout" and so on, by label: a number in the order of the texts. */
struct endings {
	uint16_t number[1 << 16]; /* first of `texts` + 1, 0: no line has it */
	struct ending {
		char text[64];
		size_t n;
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
	for (unsigned label = 0; label < 1 << 16; label++) {
		if (!list->has_label[label])
			continue;
		struct ending *ending = array_append_one(e->texts, e->n);
		ending->of = &e->number[label];
		int n = snprintf(ending->text, sizeof ending->text, " %s%s%s", edge_kind_name(label & 0xff),
				 label >> 8 != 0 ? ":" : "", edge_dependence_name(label >> 8));
		ending->n = (size_t)n;
	}
	sort_array(e->texts, e->n, by_ending);
	for (size_t i = 0; i < e->n; i++) { /* unknown dependences have one text */
		bool is_new = i == 0 || strcmp(e->texts[i].text, e->texts[i - 1].text) != 0;
		*e->texts[i].of = is_new ? (uint16_t)(i + 1) : *e->texts[i - 1].of;
	}
}

/* ---- Lines ---- */

static const struct ending exclusive = {" exclusive", 10, NULL};

struct sorted {
	const struct canonical_list *list;
	struct ranks ranks;
	struct endings endings;
	uint64_t *pairs; /* of ranks, in order */
};

/* Most are in order already. */
void canonical_sort_edges(uint64_t *edges, size_t n)
{
	if (n > 16) {
		sort_rows(edges, n, by_u64);
		return;
	}
	for (size_t i = 1; i < n; i++)
		for (size_t j = i; j > 0 && edges[j] < edges[j - 1]; j--) {
			uint64_t edge = edges[j];
			edges[j] = edges[j - 1];
			edges[j - 1] = edge;
		}
}

static void sort_pairs(struct sorted *s)
{
	const struct canonical_list *list = s->list;
	const uint32_t *ranks = s->ranks.of_name;
	s->pairs = memory_get(list->n_pairs, sizeof *s->pairs, what);
	for (size_t i = 0; i < list->n_pairs; i++)
		s->pairs[i] = (uint64_t)ranks[list->pairs[i].left] << 32 | ranks[list->pairs[i].right];
	sort_array(s->pairs, list->n_pairs, by_u64);
}

static void put_line(const struct sorted *s, struct buffer *text, uint32_t left, uint32_t right, const struct ending *ending,
		     size_t n_equal)
{
	const struct sorted_name *items = s->ranks.items;
	const struct canonical_name *source = &s->list->names[items[left].name], *target = &s->list->names[items[right].name];
	char *at = buffer_room(text, (size_t)source->n + target->n + ending->n + TEXT_DECIMAL_MAX + 16);
	at = text_put(at, source->text, source->n);
	at = text_put(at, ending != &exclusive ? " -> " : " -- ", 4);
	at = text_put(at, target->text, target->n);
	at = text_put(at, ending->text, ending->n);
	if (n_equal > 1)
		at = text_decimal(text_put(at, " x", 2), n_equal);
	*at++ = '\n';
	buffer_end_at(text, at);
}

/* The end of the keys that are equal to this one. */
static size_t end_of_equal(const uint64_t *keys, size_t i, size_t n)
{
	size_t end = i + 1;
	while (end < n && keys[end] == keys[i])
		end++;
	return end;
}

/* The first of the pairs that begin with this rank, or with a later one. */
static size_t first_pair(const struct sorted *s, uint32_t rank)
{
	size_t low = 0, high = s->list->n_pairs;
	while (low < high) {
		size_t half = low + (high - low) / 2;
		if (s->pairs[half] >> 32 < rank)
			low = half + 1;
		else
			high = half;
	}
	return low;
}

static void put_pairs(const struct sorted *s, struct buffer *text, uint32_t rank)
{
	size_t n = s->list->n_pairs, end;
	for (size_t i = first_pair(s, rank); i < n && s->pairs[i] >> 32 == rank; i = end) {
		end = end_of_equal(s->pairs, i, n);
		put_line(s, text, rank, (uint32_t)s->pairs[i], &exclusive, end - i);
	}
}

/* Lines of one name by key: the rank of their second name, then their ending. */
struct keys {
	uint64_t *keys;
	size_t n, capacity;
};

static void add_keys(const struct sorted *s, struct keys *keys, uint32_t name)
{
	const struct canonical_list *list = s->list;
	size_t first = list->first_line[name], end = list->first_line[name + 1];
	array_reserve(keys->keys, keys->n + end - first, keys->capacity);
	for (; first < end; first++) {
		uint64_t line = list->lines[first];
		keys->keys[keys->n++] =
			(uint64_t)s->ranks.of_name[canonical_target(line)] << 16 | s->endings.number[canonical_edge_label(line)];
	}
}

#define BLOCK_NAMES 1024

/* Lines of equal names belong to the block of the first of them. */
static void put_lines(void *self, size_t block, struct buffer *text)
{
	const struct sorted *s = self;
	const struct sorted_name *items = s->ranks.items;
	size_t n = s->ranks.n, i = block * BLOCK_NAMES, end = n - i > BLOCK_NAMES ? i + BLOCK_NAMES : n, end_equal;
	struct keys keys = {NULL, 0, 0};
	while (i < end && items[i].is_same)
		i++;
	while (i < end) {
		uint32_t rank = (uint32_t)i;
		keys.n = 0;
		do
			add_keys(s, &keys, items[i++].name);
		while (i < n && items[i].is_same);
		canonical_sort_edges(keys.keys, keys.n);
		put_pairs(s, text, rank);
		for (size_t j = 0; j < keys.n; j = end_equal) {
			end_equal = end_of_equal(keys.keys, j, keys.n);
			put_line(s, text, rank, (uint32_t)(keys.keys[j] >> 16), &s->endings.texts[(keys.keys[j] & 0xffff) - 1],
				 end_equal - j);
		}
	}
	free(keys.keys);
}

int canonical_print(const struct canonical_list *list, FILE *out)
{
	struct sorted s = {.list = list, .ranks = rank_names(list)};
	find_endings(&s.endings, list);
	sort_pairs(&s);
	int rc = blocks_write(out, (s.ranks.n + BLOCK_NAMES - 1) / BLOCK_NAMES, put_lines, &s);
	free(s.ranks.items);
	free(s.ranks.of_name);
	free(s.endings.texts);
	free(s.pairs);
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
	free(list->first_line);
	free(list->lines);
	free(list->pairs);
	free(list);
}
