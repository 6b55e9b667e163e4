/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Regions in which there are no tasks, as a table: a row each, and below it one for each worksharing construct in it, if
 * that is at another place. Tasks that are alike, as a table: a row for each construct. One thread.
 */
#include "builder/draw/dot.h"
#include "builder/draw/xml.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 30 /* regions that have a row */

static void put_cell(struct buffer *text, const char *align, const char *inside, size_t n)
{
	buffer_put_text(text, "<TD ALIGN=\"");
	buffer_put_text(text, align);
	buffer_put_text(text, "\">");
	buffer_put(text, inside, n);
	buffer_put_text(text, "</TD>");
}

static void put_number(struct buffer *text, bool is_known, uint64_t number)
{
	char digits[TEXT_DECIMAL_MAX];
	put_cell(text, "RIGHT", digits, is_known ? (size_t)(text_decimal(digits, number) - digits) : 0);
}

static void put_time(struct buffer *text, bool is_known, uint64_t ns)
{
	struct buffer time = {NULL, 0, 0};
	if (is_known)
		dot_put_time(&time, ns);
	put_cell(text, "RIGHT", time.bytes, time.n);
	buffer_free(&time);
}

/* Graphviz replaces \N and the like here, too; only a second backslash before it prevents that. */
static void put_place(struct buffer *text, const char *indent, const char *label)
{
	struct buffer doubled = {NULL, 0, 0};
	for (const char *p = *label != '\0' ? label : "region"; *p != '\0'; p++)
		buffer_put(&doubled, *p == '\\' ? "\\\\" : p, *p == '\\' ? 2 : 1);
	buffer_put(&doubled, "", 1);
	buffer_put_text(text, "<TD ALIGN=\"LEFT\">");
	buffer_put_text(text, indent);
	xml_put(text, doubled.bytes, DOT_LABEL_MAX);
	buffer_put_text(text, "</TD>");
	buffer_free(&doubled);
}

static void put_loop(struct buffer *text, const struct dot_view *shown, const struct fold_loop *loop)
{
	buffer_put_text(text, "<TR>");
	put_place(text, "- ", labels_text(shown->labels, loop->label));
	put_number(text, false, 0);
	put_number(text, false, 0);
	put_time(text, false, 0);
	put_time(text, true, loop->own_ns);
	put_time(text, loop->wait_ns != 0, loop->wait_ns);
	put_time(text, false, 0);
	buffer_put_text(text, "</TR>");
}

/* What comes after the kind: "@lulesh.c:9". */
static const char *place_of(const char *label)
{
	const char *at = strchr(label, '@');
	return at != NULL ? at : label;
}

static void put_task(struct buffer *text, const struct dot_view *shown, const struct fold_class *class)
{
	buffer_put_text(text, "<TR>");
	put_place(text, "", labels_text(shown->labels, class->label));
	put_number(text, true, class->n);
	put_time(text, class->n != 0, class->n != 0 ? class->own_ns / class->n : 0);
	put_time(text, class->n != 0, class->least_ns);
	put_time(text, class->n != 0, class->most_ns);
	put_time(text, true, class->own_ns);
	put_time(text, class->wait_ns != 0, class->wait_ns);
	put_time(text, class->n_on_path != 0, class->path_ns);
	buffer_put_text(text, "</TR>");
}

static void put_region(struct buffer *text, const struct dot_view *shown, const struct fold_class *class)
{
	const char *label = labels_text(shown->labels, class->label);
	buffer_put_text(text, "<TR>");
	put_place(text, "", label);
	put_number(text, true, class->n);
	put_number(text, true, class->n_members);
	put_time(text, class->n != 0, class->n != 0 ? class->own_ns / class->n : 0);
	put_time(text, true, class->own_ns);
	put_time(text, class->wait_ns != 0, class->wait_ns);
	put_time(text, class->n_on_path != 0, class->path_ns);
	buffer_put_text(text, "</TR>");
	for (uint32_t i = 0; i < shown->fold->n_loops; i++) {
		const struct fold_loop *loop = &shown->fold->loops[i];
		if (loop->team_label == class->label &&
		    strcmp(place_of(labels_text(shown->labels, loop->label)), place_of(label)) != 0)
			put_loop(text, shown, loop);
	}
}

static int by_time(const void *left, const void *right)
{
	const struct fold_class *l = *(const struct fold_class *const *)left, *r = *(const struct fold_class *const *)right;
	uint64_t l_ns = l->own_ns + l->wait_ns, r_ns = r->own_ns + r->wait_ns;
	return cmp(r_ns, l_ns) ?: cmp(l, r);
}

static int by_row(const void *left, const void *right)
{
	const struct fold_class *l = *(const struct fold_class *const *)left, *r = *(const struct fold_class *const *)right;
	return cmp(l, r);
}

/* The rest, which have no rows. */
static void put_rest(struct buffer *text, const struct fold_class *const *rows, uint32_t first, uint32_t n, bool are_regions)
{
	struct fold_class sum = {0};
	for (uint32_t i = first; i < n; i++) {
		sum.n += rows[i]->n;
		sum.n_members += rows[i]->n_members;
		sum.own_ns += rows[i]->own_ns;
		sum.wait_ns += rows[i]->wait_ns;
		sum.path_ns += rows[i]->path_ns;
	}
	buffer_put_text(text, "<TR><TD ALIGN=\"LEFT\">");
	buffer_put_decimal(text, n - first);
	buffer_put_text(text, " more</TD>");
	put_number(text, true, sum.n);
	put_number(text, are_regions, sum.n_members);
	put_time(text, false, 0);
	if (!are_regions)
		put_time(text, false, 0);
	put_time(text, true, sum.own_ns);
	put_time(text, true, sum.wait_ns);
	put_time(text, true, sum.path_ns);
	buffer_put_text(text, "</TR>");
}

static void put_head(struct buffer *text, enum node_kind kind, const char *const *columns)
{
	buffer_put_text(text, "<TABLE BORDER=\"2\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"3\" BGCOLOR=\"#ffffff\"><TR>");
	for (unsigned i = 0; columns[i] != NULL; i++) {
		buffer_put_text(text, "<TD SIDES=\"B\" BORDER=\"1\" BGCOLOR=\"");
		buffer_put_text(text, dot_colour(kind));
		buffer_put_text(text, i == 0 ? "\" ALIGN=\"LEFT\">" : "\" ALIGN=\"RIGHT\">");
		buffer_put_text(text, columns[i]);
		buffer_put_text(text, "</TD>");
	}
	buffer_put_text(text, "</TR>");
}

void dot_put_table(struct buffer *text, const struct dot_view *shown, uint32_t node)
{
	static const char *const of_regions[] = {"regions without tasks", "regions", "implicit tasks", "mean", "own", "waits",
						 "critical path",         NULL};
	static const char *const of_tasks[] = {"tasks", "count", "mean", "least", "most", "own", "waits", "critical path", NULL};
	const struct fold *fold = shown->fold;
	const struct fold_class **rows = memory_get(fold->n_classes, sizeof *rows, "graph.dot");
	enum node_kind kind = fold->classes[node].kind;
	bool are_regions = kind == NODE_REGION;
	uint32_t n = 0;
	for (uint32_t c = 1; c < fold->n_classes; c++)
		if (shown->as[c] == node && fold->classes[c].kind == kind)
			rows[n++] = &fold->classes[c];
	sort_array(rows, n, by_time);
	uint32_t n_rows = n > ROWS_MAX ? ROWS_MAX : n;
	sort_array(rows, n_rows, by_row);
	put_head(text, kind, are_regions ? of_regions : of_tasks);
	for (uint32_t i = 0; i < n_rows; i++)
		(are_regions ? put_region : put_task)(text, shown, rows[i]);
	if (n_rows < n)
		put_rest(text, rows, n_rows, n, are_regions);
	buffer_put_text(text, "</TABLE>");
	free(rows);
}
