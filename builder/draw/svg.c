/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pieces of pictures for print: see svg.h.
 */
#include "builder/draw/svg.h"
#include "builder/draw/xml.h"
#include "builder/support/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* After Okabe and Ito; the patterns differ in direction and density, so that they survive a copier. */
static const struct {
	const char *name, *colour, *pattern;
} shades[SHADES] = {
	[SHADE_WORK] = {"work", "#0072b2", ""},
	[SHADE_RUNTIME] = {"runtime", "#999999", ""},
	[SHADE_TASKS] = {"waits for tasks", "#e69f00", "M0 60L60 0"},
	[SHADE_BARRIER] = {"waits at barriers", "#f0e442", "M0 30H60"},
	[SHADE_MUTEX] = {"waits for mutexes", "#d55e00", "M0 60L60 0M0 0L60 60"},
	[SHADE_DEVICE] = {"waits for devices", "#cc79a7", "M30 0V60"},
	[SHADE_STOPPED] = {"preempted or blocked", "#222222", ""},
	[SHADE_IDLE] = {"idle", "#eeeeee", ""},
	[SHADE_UNKNOWN] = {"unknown", "#ffffff", "M15 15h9M45 45h9"},
};

enum shade shade_of(enum state state)
{
	if (state <= STATE_WORK_REDUCTION)
		return SHADE_WORK;
	if (state <= STATE_WAIT_BARRIER_TEAMS)
		return SHADE_BARRIER;
	if (state <= STATE_WAIT_TASKGROUP)
		return SHADE_TASKS;
	if (state <= STATE_WAIT_ORDERED)
		return SHADE_MUTEX;
	if (state <= STATE_WAIT_TARGET_UPDATE)
		return SHADE_DEVICE;
	switch (state) {
	case STATE_IDLE: return SHADE_IDLE;
	case STATE_OVERHEAD: return SHADE_RUNTIME;
	case STATE_PREEMPTED:
	case STATE_BLOCKED: return SHADE_STOPPED;
	default: return SHADE_UNKNOWN;
	}
}

const char *shade_name(enum shade shade)
{
	return shades[shade].name;
}

void svg_put(struct svg *svg, const char *text)
{
	buffer_put_text(&svg->text, text);
}

void svg_number(struct svg *svg, int64_t number)
{
	if (number < 0)
		svg_put(svg, "-");
	buffer_put_decimal(&svg->text, (uint64_t)(number < 0 ? -number : number));
}

static void put_attribute(struct svg *svg, const char *name, int64_t number)
{
	svg_put(svg, " ");
	svg_put(svg, name);
	svg_put(svg, "=\"");
	svg_number(svg, number);
	svg_put(svg, "\"");
}

static void put_millimetres(struct svg *svg, const char *name, int64_t units)
{
	svg_put(svg, " ");
	svg_put(svg, name);
	svg_put(svg, "=\"");
	svg_number(svg, units / MM);
	svg_put(svg, ".");
	svg_number(svg, units % MM / 10);
	svg_number(svg, units % 10);
	svg_put(svg, "mm\"");
}

static void put_patterns(struct svg *svg)
{
	svg_put(svg, "<defs>\n");
	for (unsigned i = 0; i < SHADES; i++) {
		svg_put(svg, "<pattern id=\"s");
		svg_number(svg, i);
		svg_put(svg, "\" width=\"60\" height=\"60\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 0h60v60h-60z\" fill=\"");
		svg_put(svg, shades[i].colour);
		svg_put(svg, "\"/>");
		if (*shades[i].pattern != '\0') {
			svg_put(svg, "<path d=\"");
			svg_put(svg, shades[i].pattern);
			svg_put(svg, "\" stroke=\"#000\" stroke-width=\"6\" fill=\"none\"/>");
		}
		svg_put(svg, "</pattern>\n");
	}
	svg_put(svg, "</defs>\n");
}

void svg_begin(struct svg *svg, int64_t width, int64_t height, const char *title, const char *description)
{
	*svg = (struct svg){.width = width, .height = height};
	svg_put(svg, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"");
	put_millimetres(svg, "width", width);
	put_millimetres(svg, "height", height);
	svg_put(svg, " viewBox=\"0 0 ");
	svg_number(svg, width);
	svg_put(svg, " ");
	svg_number(svg, height);
	svg_put(svg, "\" role=\"img\" font-family=\"Helvetica,Arial,sans-serif\">\n<title>");
	xml_put(&svg->text, title, DOT_LABEL_MAX);
	svg_put(svg, "</title>\n<desc>");
	xml_put(&svg->text, description, SIZE_MAX);
	svg_put(svg, "</desc>\n");
	put_patterns(svg);
	svg_put(svg, "<path fill=\"#fff\" d=\"");
	svg_rectangle(svg, 0, 0, width, height);
	svg_put(svg, "\"/>\n");
}

int svg_end(struct svg *svg, const struct picture_place *place, const char *name)
{
	svg_put(svg, "</svg>\n");
	int rc = picture_write(place, name, svg->text.bytes, svg->text.n);
	buffer_free(&svg->text);
	return rc;
}

static void put_text(struct svg *svg, int64_t size, const char *anchor, const char *text, size_t n_max)
{
	put_attribute(svg, "font-size", size);
	svg_put(svg, " text-anchor=\"");
	svg_put(svg, anchor);
	svg_put(svg, "\">");
	xml_put(&svg->text, text, n_max);
	svg_put(svg, "</text>\n");
}

void svg_text(struct svg *svg, int64_t x, int64_t y, int64_t size, const char *anchor, const char *text, size_t n_max)
{
	svg_put(svg, "<text");
	put_attribute(svg, "x", x);
	put_attribute(svg, "y", y);
	put_text(svg, size, anchor, text, n_max);
}

void svg_text_up(struct svg *svg, int64_t x, int64_t y, int64_t size, const char *text)
{
	svg_put(svg, "<text transform=\"translate(");
	svg_number(svg, x);
	svg_put(svg, " ");
	svg_number(svg, y);
	svg_put(svg, ") rotate(-90)\"");
	put_text(svg, size, "middle", text, DOT_LABEL_MAX);
}

void svg_line(struct svg *svg, int64_t x1, int64_t y1, int64_t x2, int64_t y2, int64_t width)
{
	svg_put(svg, "<line stroke=\"#000\"");
	put_attribute(svg, "stroke-width", width);
	put_attribute(svg, "x1", x1);
	put_attribute(svg, "y1", y1);
	put_attribute(svg, "x2", x2);
	put_attribute(svg, "y2", y2);
	svg_put(svg, "/>\n");
}

void svg_path_begin(struct svg *svg, enum shade shade)
{
	svg_put(svg, "<path class=\"");
	svg_put(svg, shades[shade].name);
	svg_put(svg, "\" fill=\"");
	if (*shades[shade].pattern != '\0') {
		svg_put(svg, "url(#s");
		svg_number(svg, shade);
		svg_put(svg, ")");
	} else {
		svg_put(svg, shades[shade].colour);
	}
	svg_put(svg, "\" d=\"");
}

void svg_path_end(struct svg *svg)
{
	svg_put(svg, "\"/>\n");
}

void svg_rectangle(struct svg *svg, int64_t x, int64_t y, int64_t width, int64_t height)
{
	svg_put(svg, "M");
	svg_number(svg, x);
	svg_put(svg, " ");
	svg_number(svg, y);
	svg_put(svg, "h");
	svg_number(svg, width);
	svg_put(svg, "v");
	svg_number(svg, height);
	svg_put(svg, "h");
	svg_number(svg, -width);
	svg_put(svg, "z");
}

/* ---- The legend ---- */

#define LEGEND_LINE 340
#define LEGEND_BOX  260

static int64_t entry_width(enum shade shade)
{
	return LEGEND_BOX + 80 + (int64_t)(strlen(shades[shade].name) + 7) * FONT * 62 / 100;
}

/* Goes through the entries: draws them from y on, or, with y < 0, does not. Returns the height. */
static int64_t go_through_legend(struct svg *svg, int64_t y, const uint64_t ns[SHADES])
{
	int64_t x = 2 * MM, left = x, height = LEGEND_LINE;
	uint64_t total_ns = 0;
	for (unsigned i = 0; i < SHADES; i++)
		total_ns += ns[i];
	for (enum shade i = 0; i < SHADES; i++) {
		if (ns[i] == 0)
			continue;
		if (x > left && x + entry_width(i) > svg->width) {
			x = left;
			height += LEGEND_LINE;
		}
		if (y >= 0) {
			char share[64];
			uint64_t tenths = (uint64_t)((unsigned __int128)ns[i] * 1000 / total_ns);
			int64_t at = y + height - LEGEND_LINE;
			snprintf(share, sizeof share, "%s %u.%u %%", shades[i].name, (unsigned)(tenths / 10),
				 (unsigned)(tenths % 10));
			svg_path_begin(svg, i);
			svg_rectangle(svg, x, at, LEGEND_BOX, LEGEND_BOX);
			svg_put(svg, "\" stroke=\"#000\" stroke-width=\"9");
			svg_path_end(svg);
			svg_text(svg, x + LEGEND_BOX + 60, at + LEGEND_BOX - 40, FONT, "start", share, sizeof share);
		}
		x += entry_width(i);
	}
	return height;
}

int64_t svg_legend_height(const struct svg *svg, const uint64_t ns[SHADES])
{
	struct svg measured = {.width = svg->width};
	return go_through_legend(&measured, -1, ns);
}

void svg_legend(struct svg *svg, int64_t y, const uint64_t ns[SHADES])
{
	go_through_legend(svg, y, ns);
}

/* ---- Axes ---- */

uint64_t svg_tick(uint64_t most, unsigned n_max)
{
	static const unsigned steps[] = {1, 2, 5};
	uint64_t power = 1;
	for (unsigned i = 0;; i++) {
		uint64_t tick = power * steps[i % 3];
		if (most / tick <= n_max || power > UINT64_MAX / 100)
			return tick;
		power *= i % 3 == 2 ? 10 : 1;
	}
}

void svg_time_axis(struct svg *svg, int64_t x, int64_t y, int64_t width, uint64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = {{1000000000, "time in s"}, {1000000, "time in ms"}, {1000, "time in \xc2\xb5s"}, {1, "time in ns"}};
	unsigned unit = 0;
	while (unit < 3 && ns < 5 * units[unit].ns)
		unit++;
	unsigned n_max = (unsigned)(width / (15 * MM));
	uint64_t tick = svg_tick(ns, n_max > 2 ? n_max : 2);
	svg_line(svg, x, y, x + width, y, HAIRLINE);
	for (uint64_t at = 0; at <= ns; at += tick) {
		char number[32];
		int64_t here = x + (ns != 0 ? (int64_t)((unsigned __int128)at * (uint64_t)width / ns) : 0);
		snprintf(number, sizeof number, "%.*f", at % units[unit].ns != 0 || tick % units[unit].ns != 0 ? 1 : 0,
			 (double)at / (double)units[unit].ns);
		svg_line(svg, here, y, here, y + 80, HAIRLINE);
		svg_text(svg, here, y + 90 + FONT_SMALL, FONT_SMALL, "middle", number, sizeof number);
		if (ns == 0)
			break;
	}
	svg_text(svg, x + width / 2, y + 130 + FONT_SMALL + FONT, FONT, "middle", units[unit].name, DOT_LABEL_MAX);
}

/* ---- Xml ---- */

/*
 * Quotes text for XML: see xml.h.
 */

void xml_put(struct buffer *out, const char *text, size_t n_max)
{
	char *valid = text_utf8(text);
	size_t n = strlen(valid), end = n > n_max ? n_max : n;
	while (end < n && end > 0 && ((unsigned char)valid[end] & 0xc0) == 0x80) /* in the midst of a character */
		end--;
	for (size_t i = 0; i < end; i++) {
		switch (valid[i]) {
		case '&': buffer_put_text(out, "&amp;"); break;
		case '<': buffer_put_text(out, "&lt;"); break;
		case '>': buffer_put_text(out, "&gt;"); break;
		case '"': buffer_put_text(out, "&quot;"); break;
		case '\'': buffer_put_text(out, "&#39;"); break;
		default: buffer_put(out, &valid[i], 1);
		}
	}
	if (end < n)
		buffer_put_text(out, "...");
	free(valid);
}
