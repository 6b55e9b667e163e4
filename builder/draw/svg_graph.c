/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph.svg and graph.pdf: what graph.dot says, laid out by graphviz's library, not wider and higher than a page. One
 * thread, as the library is for one.
 */
#include "builder/draw/svg.h"
#include "builder/support/diag.h"

#include <errno.h>
#include <gvc.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_MM UINT64_C(240) /* the height of a page */

/* The library prints errors to stderr, and a message about each font that it does not find. */
static int keep_quiet(char *text)
{
	(void)text;
	return 0;
}

/* Writes hundredths of a millimetre as an attribute's value. */
static void put_millimetres(FILE *out, const char *name, uint64_t hundredths)
{
	fprintf(out, " %s=\"%" PRIu64 ".%02umm\"", name, hundredths / 100, (unsigned)(hundredths % 100));
}

/*
 * Writes the picture in its size on paper. The library gives the size in whole points, and its own way to fit a page cuts
 * off what it rounds, so only the size is changed: the content is scaled with it.
 */
static void write_fitting(FILE *out, const char *svg, uint64_t width_mm)
{
	static const char begin[] = "<svg width=\"";
	const char *at = strstr(svg, begin);
	unsigned long width_pt, height_pt;
	int n = 0;
	if (at == NULL || sscanf(at + strlen(begin), "%lupt\" height=\"%lupt\"%n", &width_pt, &height_pt, &n) != 2 || n == 0 ||
	    width_pt == 0 || height_pt == 0) {
		fputs(svg, out);
		return;
	}
	uint64_t width = (uint64_t)width_pt * 2540 / 72, height = (uint64_t)height_pt * 2540 / 72; /* hundredths of a millimetre */
	if (width > width_mm * 100) {
		height = height * width_mm * 100 / width;
		width = width_mm * 100;
	}
	if (height > PAGE_MM * 100) {
		width = width * PAGE_MM * 100 / height;
		height = PAGE_MM * 100;
	}
	fwrite(svg, 1, (size_t)(at - svg), out);
	fputs("<svg", out);
	put_millimetres(out, "width", width);
	put_millimetres(out, "height", height);
	fputs(at + strlen(begin) + n, out);
}

static int write_picture(const struct picture_place *place, const char *svg, uint64_t width_mm)
{
	char *text = NULL;
	size_t n_bytes;
	FILE *out = open_memstream(&text, &n_bytes);
	if (out == NULL)
		return error("%s: graph: %s", place->dir, strerror(errno));
	write_fitting(out, svg, width_mm);
	int rc = fclose(out) == 0 ? picture_write(place, "graph", text, n_bytes)
				  : error("%s: graph: %s", place->dir, strerror(errno));
	free(text);
	return rc;
}

static int lay_out(GVC_t *library, Agraph_t *graph, const struct picture_place *place, uint64_t width_mm)
{
	char *svg = NULL;
	unsigned n_bytes;
	if (gvLayout(library, graph, "dot") != 0)
		return error("%s: graphviz cannot lay out the graph", place->dir);
	bool is_good = gvRenderData(library, graph, "svg", &svg, &n_bytes) == 0 && svg != NULL;
	gvFreeLayout(library, graph);
	if (!is_good)
		return error("%s: graphviz cannot draw the graph", place->dir);
	int rc = write_picture(place, svg, width_mm);
	gvFreeRenderData(svg);
	return rc;
}

int dot_lay_out(FILE *dot, const struct picture_place *place, uint64_t width_mm)
{
	agseterrf(keep_quiet);
	rewind(dot);
	GVC_t *library = gvContext();
	Agraph_t *graph = library != NULL ? agread(dot, NULL) : NULL;
	int rc = graph != NULL ? lay_out(library, graph, place, width_mm) : error("%s: graphviz cannot read the graph", place->dir);
	if (graph != NULL)
		agclose(graph);
	if (library != NULL)
		gvFreeContext(library);
	return rc;
}
