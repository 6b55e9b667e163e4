/* SPDX-License-Identifier: BSD-3-Clause
 *
 * parallelism.svg: how many threads did what, over time, one shade above the other, and below it how many tasks were ready
 * and not begun. One thread.
 */
#include "builder/draw/profile.h"
#include "builder/draw/xml.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define TOP          480
#define AXIS         780
#define HEIGHT       (40 * MM)
#define READY_HEIGHT (12 * MM)
#define READY_GAP    (3 * MM)

struct area {
	struct svg svg;
	const struct profile *profile;
	int64_t left, right;
	uint64_t *ns; /* by column and shade: of all rows */
};

static int64_t column_x(const struct area *a, size_t column)
{
	return a->left + (a->right - a->left) * (int64_t)column / (int64_t)a->profile->n_columns;
}

/* The height of ns in a column; `full` ns have the height of the axis. */
static int64_t height_of(const struct area *a, uint64_t ns, uint64_t full, int64_t height)
{
	const struct profile *p = a->profile;
	unsigned __int128 all = (unsigned __int128)p->length_ns * full;
	return all != 0 ? (int64_t)(((unsigned __int128)ns * p->n_columns * (uint64_t)height + all / 2) / all) : 0;
}

static void put_axis(struct area *a, int64_t foot, int64_t height, uint64_t most, const char *what)
{
	unsigned n_ticks = (unsigned)(height / (4 * MM));
	uint64_t tick = svg_tick(most, n_ticks > 1 ? n_ticks : 1);
	svg_line(&a->svg, a->left, foot, a->left, foot - height, HAIRLINE);
	for (uint64_t at = 0; at <= most; at += tick) {
		char number[32];
		int64_t y = foot - (int64_t)((unsigned __int128)at * (uint64_t)height / most);
		*text_decimal(number, at) = '\0';
		svg_line(&a->svg, a->left - 80, y, a->left, y, HAIRLINE);
		svg_text(&a->svg, a->left - 120, y + FONT_SMALL / 3, FONT_SMALL, "end", number, sizeof number);
	}
	svg_text_up(&a->svg, 100 + FONT, foot - height / 2, FONT, what);
}

/* The outline of what lies between two heights of each column. */
static void put_band(struct area *a, int64_t foot, const int64_t *below, const int64_t *above)
{
	size_t n = a->profile->n_columns;
	svg_put(&a->svg, "M");
	svg_number(&a->svg, a->left);
	svg_put(&a->svg, " ");
	svg_number(&a->svg, foot - below[0]);
	for (size_t c = 0; c < n; c++) {
		if (c > 0 && above[c] == above[c - 1])
			continue;
		svg_put(&a->svg, "H");
		svg_number(&a->svg, column_x(a, c));
		svg_put(&a->svg, "V");
		svg_number(&a->svg, foot - above[c]);
	}
	for (size_t c = n; c-- > 0;) {
		if (c + 1 < n && below[c] == below[c + 1])
			continue;
		svg_put(&a->svg, "H");
		svg_number(&a->svg, column_x(a, c + 1));
		svg_put(&a->svg, "V");
		svg_number(&a->svg, foot - below[c]);
	}
	svg_put(&a->svg, "z");
}

static void put_threads(struct area *a, int64_t foot, const uint64_t total_ns[SHADES])
{
	const struct profile *p = a->profile;
	uint64_t *ns = memory_zeroed(p->n_columns, sizeof *ns, "pictures");
	int64_t *below = memory_zeroed(p->n_columns, sizeof *below, "pictures");
	int64_t *above = memory_zeroed(p->n_columns, sizeof *above, "pictures");
	for (unsigned shade = 0; shade < SHADES; shade++) {
		for (size_t c = 0; c < p->n_columns; c++) {
			ns[c] += a->ns[c * SHADES + shade];
			above[c] = height_of(a, ns[c], p->n_threads, HEIGHT);
		}
		if (total_ns[shade] != 0) {
			svg_path_begin(&a->svg, shade);
			put_band(a, foot, below, above);
			svg_put(&a->svg, "\" data-ns=\"");
			buffer_put_decimal(&a->svg.text, total_ns[shade]);
			svg_path_end(&a->svg);
		}
		for (size_t c = 0; c < p->n_columns; c++)
			below[c] = above[c];
	}
	free(ns);
	free(below);
	free(above);
	put_axis(a, foot, HEIGHT, p->n_threads != 0 ? p->n_threads : 1, "threads");
}

static void put_ready(struct area *a, int64_t foot)
{
	const struct profile *p = a->profile;
	uint64_t most_ns = 0, column_ns = p->length_ns / p->n_columns;
	for (size_t c = 0; c < p->n_columns; c++)
		most_ns = p->ready_ns[c] > most_ns ? p->ready_ns[c] : most_ns;
	uint64_t most = column_ns != 0 ? most_ns / column_ns + 1 : 1;
	int64_t *nothing = memory_zeroed(p->n_columns, sizeof *nothing, "pictures");
	int64_t *heights = memory_zeroed(p->n_columns, sizeof *heights, "pictures");
	for (size_t c = 0; c < p->n_columns; c++)
		heights[c] = height_of(a, p->ready_ns[c], most, READY_HEIGHT);
	svg_put(&a->svg, "<path class=\"ready\" fill=\"#bbbbbb\" stroke=\"#000\" stroke-width=\"9\" d=\"");
	put_band(a, foot, nothing, heights);
	svg_path_end(&a->svg);
	free(nothing);
	free(heights);
	put_axis(a, foot, READY_HEIGHT, most, "ready tasks");
}

int svg_parallelism(const struct profile *p)
{
	struct area a = {.profile = p, .svg = {.width = p->width}, .left = 13 * MM, .right = p->width - 4 * MM};
	uint64_t total_ns[SHADES] = {0};
	bool has_ready = false;
	a.ns = memory_zeroed(p->n_columns * SHADES, sizeof *a.ns, "pictures");
	for (size_t i = 0; i < p->n_rows; i++) {
		for (unsigned j = 0; j < SHADES; j++)
			total_ns[j] += p->rows[i].total_ns[j];
		for (size_t j = 0; j < p->n_columns * SHADES; j++)
			a.ns[j] += p->rows[i].ns[j];
	}
	for (size_t c = 0; c < p->n_columns; c++)
		has_ready = has_ready || p->ready_ns[c] != 0;
	int64_t foot = TOP + HEIGHT, axis_y = foot + (has_ready ? READY_GAP + READY_HEIGHT : 0), legend_y = axis_y + AXIS;
	svg_begin(&a.svg, p->width, legend_y + svg_legend_height(&a.svg, total_ns) + 100, p->title,
		  "How many threads did what over time, and how many tasks were ready and not begun.");
	svg_text(&a.svg, a.left, FONT + 100, FONT, "start", p->title, p->width < 120 * MM ? 48 : 110);
	put_threads(&a, foot, total_ns);
	svg_line(&a.svg, a.left, foot, a.right, foot, HAIRLINE);
	if (has_ready)
		put_ready(&a, axis_y);
	svg_time_axis(&a.svg, a.left, axis_y, a.right - a.left, p->length_ns);
	svg_legend(&a.svg, legend_y, total_ns);
	free(a.ns);
	return svg_end(&a.svg, &p->place, "parallelism");
}
