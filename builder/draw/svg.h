/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Puts a picture for print together: SVG in hundredths of a millimetre, one unit of the picture each. Fonts and lines have
 * sizes that can be read where the picture is printed as wide as it is. Shades are colours that colour-blind readers can
 * distinguish, and each has a pattern of its own, for prints without colours. One thread.
 */
#ifndef OTTER_BUILDER_DRAW_SVG_H
#define OTTER_BUILDER_DRAW_SVG_H

#include "builder/model/state.h"
#include "builder/support/buffer.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- Pdf ---- */

/*
 * Pictures as files: as SVG, as PDF, or both. Called by dot.c and svg.c for what they have drawn; one thread.
 */

enum picture_format { PICTURE_SVG = 1, PICTURE_PDF = 2 };

/* How pictures are written. */
struct picture_place {
	const char *dir;
	unsigned formats; /* enum picture_format, joined by | */
	uint64_t date_ns; /* realtime that a PDF is dated with: the run's begin, so that its bytes are those of the run */
};

/* Writes DIR/NAME.svg and DIR/NAME.pdf, of a picture that is SVG. 0, or -1 with the error printed. */
int picture_write(const struct picture_place *place, const char *name, const char *svg, size_t n_bytes);

#define MM         INT64_C(100) /* units */
#define FONT       247          /* height of text: 7 pt */
#define FONT_SMALL 212          /* 6 pt */
#define HAIRLINE   9            /* width of a line: a quarter of a point */

/* What threads did, as far as pictures distinguish it; in the order in which it is stacked. */
enum shade {
	SHADE_WORK,
	SHADE_RUNTIME,
	SHADE_TASKS, /* waits for tasks: taskwait, taskgroup */
	SHADE_BARRIER,
	SHADE_MUTEX,
	SHADE_DEVICE,
	SHADE_STOPPED, /* preempted or blocked */
	SHADE_IDLE,
	SHADE_UNKNOWN,
	SHADES
};

enum shade shade_of(enum state state);
const char *shade_name(enum shade shade);

struct svg {
	struct buffer text;
	int64_t width, height;
};

/* Begins a picture with its title, a description for readers that cannot see it, and the patterns. */
void svg_begin(struct svg *svg, int64_t width, int64_t height, const char *title, const char *description);
/* Writes it (picture_write): 0, or -1 with the error printed. Frees all in any case. */
int svg_end(struct svg *svg, const struct picture_place *place, const char *name);

void svg_number(struct svg *svg, int64_t number);
void svg_put(struct svg *svg, const char *text);
/* Text whose baseline is at y; `anchor` is start, middle or end. No more than n_max bytes of it. */
void svg_text(struct svg *svg, int64_t x, int64_t y, int64_t size, const char *anchor, const char *text, size_t n_max);
/* The same from bottom to top. */
void svg_text_up(struct svg *svg, int64_t x, int64_t y, int64_t size, const char *text);
void svg_line(struct svg *svg, int64_t x1, int64_t y1, int64_t x2, int64_t y2, int64_t width);
/* Begins a path in a shade; its steps follow ("M1 2h3..."), then svg_path_end. */
void svg_path_begin(struct svg *svg, enum shade shade);
void svg_path_end(struct svg *svg);
/* Steps of a path: a rectangle. */
void svg_rectangle(struct svg *svg, int64_t x, int64_t y, int64_t width, int64_t height);

/* A legend of those shades whose share of the time is not 0, in as many lines as it takes. Returns its height. */
int64_t svg_legend_height(const struct svg *svg, const uint64_t ns[SHADES]);
void svg_legend(struct svg *svg, int64_t y, const uint64_t ns[SHADES]);

/* An axis of time below (x, y), with its unit: from 0 to `ns` over `width`. */
void svg_time_axis(struct svg *svg, int64_t x, int64_t y, int64_t width, uint64_t ns);
/* The distance of ticks (1, 2 or 5 times a power of ten) of which no more than n_max are up to `most`. */
uint64_t svg_tick(uint64_t most, unsigned n_max);

/* ---- Svg graph ---- */

/*
 * The layout of a graph for print: called by dot.c. Apart from dot.h, as graphviz's headers have names that ours have, too.
 */

/* Lays out what was written to `dot`, as the picture graph. 0, or -1 with the error printed. */
int dot_lay_out(FILE *dot, const struct picture_place *place, uint64_t width_mm);

#endif
