/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the canonical edge list: a line for each edge, sorted; equal lines, of edges between nodes that are equal, are
 * one line with their number. canonical.h describes the form. Called by run.c after the last process is replayed; one
 * thread.
 */
#include "builder/graph/canonical.h"
#include "builder/support/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES     ((size_t)1 << 10) /* of the first one; each is twice as large as the one before, up to */
#define CHUNK_BYTES_MAX ((size_t)1 << 20)

struct list {
	char **lines;
	size_t n_lines, lines_capacity;
	char **chunks; /* the lines' text; no line is in two */
	size_t n_chunks, chunks_capacity;
	char *next;    /* where the next line goes in the last chunk */
	size_t n_left; /* bytes there */
};

static void list_free(struct list *list)
{
	for (size_t i = 0; i < list->n_chunks; i++)
		free(list->chunks[i]);
	free(list->chunks);
	free(list->lines);
}

/* Adds the text as a line, and empties it. */
static void add_line(struct list *list, struct canonical_text *text)
{
	if (text->n + 1 > list->n_left) {
		size_t n_bytes = list->n_chunks < 10 ? CHUNK_BYTES << list->n_chunks : CHUNK_BYTES_MAX;
		list->n_left = text->n + 1 > n_bytes ? text->n + 1 : n_bytes;
		array_reserve((void **)&list->chunks, list->n_chunks + 1, &list->chunks_capacity, sizeof *list->chunks);
		list->chunks[list->n_chunks++] = memory_get(list->n_left, 1, "the canonical graph");
		list->next = list->chunks[list->n_chunks - 1];
	}
	memcpy(list->next, text->bytes, text->n);
	list->next[text->n] = '\0';
	array_reserve((void **)&list->lines, list->n_lines + 1, &list->lines_capacity, sizeof *list->lines);
	list->lines[list->n_lines++] = list->next;
	list->next += text->n + 1;
	list->n_left -= text->n + 1;
	text->n = 0;
}

static void add_edges(struct list *list, const struct canon *c)
{
	struct canonical_text text = {NULL, 0, 0};
	for (size_t i = 0; i < c->n_edges; i++) {
		const struct canonical_edge *edge = &c->edges[i];
		canonical_put_name(c, &text, edge->source);
		canonical_put(&text, " -> ");
		canonical_put_name(c, &text, edge->target);
		canonical_put(&text, " ");
		canonical_put(&text, edge_kind_name(edge->kind));
		if (edge->dependence != 0) {
			canonical_put(&text, ":");
			canonical_put(&text, edge_dependence_name(edge->dependence));
		}
		add_line(list, &text);
	}
	free(text.bytes);
}

static int by_text(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Adds a line for each task of an exclusive set and the next one by name, and not for every pair. */
static void add_sets(struct list *list, const struct canon *c)
{
	struct canonical_text text = {NULL, 0, 0};
	for (size_t i = 0; i < c->n_sets; i++) {
		const struct canonical_set *set = &c->sets[i];
		struct list names = {0};
		for (uint32_t j = 0; j < set->n; j++) {
			canonical_put_name(c, &text, c->members[set->first + j]);
			add_line(&names, &text);
		}
		qsort(names.lines, names.n_lines, sizeof *names.lines, by_text);
		for (size_t j = 1; j < names.n_lines; j++) {
			canonical_put(&text, names.lines[j - 1]);
			canonical_put(&text, " -- ");
			canonical_put(&text, names.lines[j]);
			canonical_put(&text, " exclusive");
			add_line(list, &text);
		}
		list_free(&names);
	}
	free(text.bytes);
}

static void print_list(const struct list *list, FILE *out)
{
	for (size_t i = 0, first = 0; i < list->n_lines; i++) {
		if (i + 1 < list->n_lines && strcmp(list->lines[i], list->lines[i + 1]) == 0)
			continue;
		fputs(list->lines[i], out);
		if (i > first)
			fprintf(out, " x%zu", i - first + 1);
		fputc('\n', out);
		first = i + 1;
	}
}

int graph_canonical(const struct graphs *graphs, FILE *out)
{
	struct list list = {0};
	for (size_t i = 0; i < graphs->n; i++) {
		struct canon c = {.graph = &graphs->graphs[i],
				  .m = graphs->graphs[i].model,
				  .process = graphs->traces[i].process,
				  .has_many_processes = graphs->n > 1};
		canonical_number(&c);
		add_edges(&list, &c);
		add_sets(&list, &c);
		canonical_free(&c);
	}
	if (list.n_lines > 0)
		qsort(list.lines, list.n_lines, sizeof *list.lines, by_text);
	print_list(&list, out);
	list_free(&list);
	return ferror(out) ? error("the canonical graph could not be written: %s", strerror(errno)) : 0;
}
