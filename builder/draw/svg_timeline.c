/* SPDX-License-Identifier: BSD-3-Clause
 *
 * timeline.svg: a row for each thread, or, where there are many, for each process; in each column the shares of what it
 * did, one above the other. What is the same in columns side by side is one rectangle. One thread.
 */
#include "builder/draw/profile.h"
#include "builder/draw/xml.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define TOP         480
#define AXIS        780
#define PLOT_HEIGHT (180 * MM) /* at most */

struct timeline_rows {
	struct svg svg;
	const struct profile *profile;
	int64_t left, right, height, gap;
};

static int64_t column_x(const struct timeline_rows *r, size_t column)
{
	return r->left + (r->right - r->left) * (int64_t)column / (int64_t)r->profile->n_columns;
}

/* The heights between which a shade is in a column, in units above the row's foot. */
struct extent {
	int64_t from, to;
};

/* A full row is as long as all its threads together could have done something. */
static struct extent extent_of(const struct timeline_rows *r, const struct profile_row *row, uint64_t full_ns, size_t column,
			       unsigned shade)
{
	uint64_t below = 0, up_to;
	for (unsigned i = 0; i < shade; i++)
		below += row->ns[column * SHADES + i];
	up_to = below + row->ns[column * SHADES + shade];
	full_ns = full_ns > 0 ? full_ns : 1;
	int64_t height = r->height;
	struct extent e = {(int64_t)(((unsigned __int128)below * (uint64_t)height + full_ns / 2) / full_ns),
			   (int64_t)(((unsigned __int128)up_to * (uint64_t)height + full_ns / 2) / full_ns)};
	e.from = e.from < height ? e.from : height;
	e.to = e.to < height ? e.to : height;
	return e;
}

/* How much all threads of a row could do in a column: those of a process that are there at the same time. */
static uint64_t full_ns(const struct profile *p, const struct profile_row *row)
{
	uint64_t column_ns = p->length_ns / p->n_columns, most = column_ns;
	for (size_t c = 0; c < p->n_columns && p->is_folded; c++) {
		uint64_t sum = 0;
		for (unsigned i = 0; i < SHADES; i++)
			sum += row->ns[c * SHADES + i];
		most = sum > most ? sum : most;
	}
	return most;
}

static void put_shade(struct timeline_rows *r, const struct profile_row *row, int64_t foot, unsigned shade)
{
	const struct profile *p = r->profile;
	uint64_t full = full_ns(p, row);
	svg_path_begin(&r->svg, shade);
	for (size_t c = 0, next; c < p->n_columns; c = next) {
		struct extent e = extent_of(r, row, full, c, shade);
		for (next = c + 1; next < p->n_columns; next++) {
			struct extent other = extent_of(r, row, full, next, shade);
			if (other.from != e.from || other.to != e.to)
				break;
		}
		if (e.to > e.from)
			svg_rectangle(&r->svg, column_x(r, c), foot - e.to, column_x(r, next) - column_x(r, c), e.to - e.from);
	}
	svg_put(&r->svg, "\" data-ns=\"");
	buffer_put_decimal(&r->svg.text, row->total_ns[shade]);
	svg_path_end(&r->svg);
}

static void put_row(struct timeline_rows *r, size_t i)
{
	const struct profile_row *row = &r->profile->rows[i];
	int64_t foot = TOP + (int64_t)(i + 1) * (r->height + r->gap);
	size_t every = (size_t)((FONT + r->height + r->gap) / (r->height + r->gap)); /* names that there is room for */
	if (i % every == 0)
		svg_text(&r->svg, r->left - 80, foot - (r->height - FONT_SMALL * 7 / 10) / 2, FONT_SMALL, "end", row->name, 24);
	svg_put(&r->svg, "<g data-row=\"");
	xml_put(&r->svg.text, row->name, DOT_LABEL_MAX);
	svg_put(&r->svg, "\">\n");
	for (unsigned shade = 0; shade < SHADES; shade++)
		if (row->total_ns[shade] != 0)
			put_shade(r, row, foot, shade);
	svg_put(&r->svg, "</g>\n");
}

int svg_timeline(const struct profile *p)
{
	struct timeline_rows r = {.profile = p, .svg = {.width = p->width}};
	uint64_t total_ns[SHADES] = {0};
	for (size_t i = 0; i < p->n_rows; i++)
		for (unsigned j = 0; j < SHADES; j++)
			total_ns[j] += p->rows[i].total_ns[j];
	int64_t n = p->n_rows != 0 ? (int64_t)p->n_rows : 1, pitch = PLOT_HEIGHT / n;
	pitch = pitch > 5 * MM ? 5 * MM : pitch;
	r.gap = pitch / 6;
	r.height = pitch - r.gap;
	r.left = p->width < 120 * MM ? 14 * MM : 20 * MM;
	r.right = p->width - 4 * MM;
	int64_t axis_y = TOP + n * pitch + r.gap, legend_y = axis_y + AXIS;
	svg_begin(&r.svg, p->width, legend_y + svg_legend_height(&r.svg, total_ns) + 100, p->title,
		  "What each thread did over time. In each column the height of a shade is the share of the time.");
	svg_text(&r.svg, r.left, FONT + 100, FONT, "start", p->title, p->width < 120 * MM ? 48 : 110);
	for (size_t i = 0; i < p->n_rows; i++)
		put_row(&r, i);
	svg_time_axis(&r.svg, r.left, axis_y, r.right - r.left, p->length_ns);
	svg_legend(&r.svg, legend_y, total_ns);
	return svg_end(&r.svg, &p->place, "timeline");
}
