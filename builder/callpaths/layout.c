/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds where the groups of the graph by construct and path lie when it is drawn, and how its edges run: with Graphviz'
 * library, where Otter was built with it. Without it, or where it fails, groups have their sizes and no places, and the
 * code that draws them finds places. Runs on one thread.
 */
#include "builder/callpaths/callpaths.h"
#include "builder/support/array.h"

#include <math.h>
#include <string.h>

#define LETTER       6.7F /* width of a letter of the labels, in pixels */
#define MOST_LETTERS 45
#define MARGIN       24.0F
#define SECOND_LINE  160.0F
#define LINE         17.0F

/* A task is as high as its share of the time: by the square root, so that small ones can be seen. */
static void measure(struct callpaths *callpaths, size_t first)
{
	uint64_t all_ns = 0;
	for (size_t i = first; i < callpaths->n_groups; i++)
		all_ns += callpaths->groups[i].own_ns;
	for (size_t i = first; i < callpaths->n_groups; i++) {
		struct callpath_group *group = &callpaths->groups[i];
		bool has_word = group->kind == NODE_REGION || group->kind == NODE_JOIN || group->kind == NODE_UNIT_JOIN ||
				group->kind == NODE_UNIT_WAIT,
		     has_second = group->own_ns != 0 || group->count > 1;
		size_t n = strlen(callpaths->frames[group->frame].name) + (has_word ? strlen("begin of ") : 0);
		float share = all_ns != 0 ? (float)group->own_ns / (float)all_ns : 0;
		float width = LETTER * (float)(n < MOST_LETTERS ? n : MOST_LETTERS) + MARGIN;
		group->width = group->own_ns != 0 && width < SECOND_LINE ? SECOND_LINE : width;
		group->height = (has_second ? 2 : 1) * LINE + 8 + 3 * LINE * sqrtf(share);
	}
}

#ifdef OTTER_HAS_GRAPHVIZ
#include <graphviz/gvc.h>
#include <stdio.h>

/* The library keeps some memory until the process ends, which a leak sanitizer must not report. */
#if defined __has_feature
#if __has_feature(address_sanitizer)
#define HAS_LEAK_SANITIZER
#endif
#elif defined __SANITIZE_ADDRESS__
#define HAS_LEAK_SANITIZER
#endif
#ifdef HAS_LEAK_SANITIZER
#include <sanitizer/lsan_interface.h>
#else
#define __lsan_disable() (void)0
#define __lsan_enable()  (void)0
#endif

static void set(void *object, const char *name, float pixels)
{
	char value[32];
	snprintf(value, sizeof value, "%.4f", (double)pixels / 72); /* points, of which an inch has 72, are pixels here */
	agsafeset(object, (char *)name, value, "");
}

static void put_curve(struct callpaths *callpaths, const struct callpath_link *link, const struct splines *splines)
{
	for (size_t i = 0; splines != NULL && i < (size_t)splines->size; i++) {
		const struct bezier *bezier = &splines->list[i];
		array_push(
			callpaths->curves, callpaths->n_curves, callpaths->curves_capacity,
			(struct callpath_curve){link->source, link->target, (uint32_t)callpaths->n_points, (uint32_t)bezier->size});
		for (size_t j = 0; j < (size_t)bezier->size; j++)
			array_push(callpaths->points, callpaths->n_points, callpaths->points_capacity,
				   (struct callpath_point){(float)bezier->list[j].x, (float)bezier->list[j].y});
	}
}

/* The nodes by group, the edges by link, NULL where an edge of another kind leads there, too. */
static void draw(struct callpaths *callpaths, size_t first, size_t first_link, Agraph_t *g, Agnode_t **nodes, Agedge_t **edges)
{
	for (size_t i = first; i < callpaths->n_groups; i++) {
		char name[24];
		snprintf(name, sizeof name, "%zu", i);
		nodes[i - first] = agnode(g, name, 1);
		set(nodes[i - first], "width", callpaths->groups[i].width);
		set(nodes[i - first], "height", callpaths->groups[i].height);
	}
	for (size_t i = first_link; i < callpaths->n_links; i++) {
		const struct callpath_link *link = &callpaths->links[i];
		Agnode_t *source = nodes[link->source - first], *target = nodes[link->target - first];
		edges[i - first_link] = agedge(g, source, target, NULL, 0) == NULL ? agedge(g, source, target, NULL, 1) : NULL;
	}
}

void callpath_lay_out(struct callpaths *callpaths, size_t first, size_t first_link)
{
	measure(callpaths, first);
	agseterr(AGMAX); /* its messages would not help the user */
	__lsan_disable();
	GVC_t *context = gvContext();
	Agraph_t *g = agopen("graph", Agstrictdirected, NULL);
	Agnode_t **nodes = memory_zeroed(callpaths->n_groups - first + 1, sizeof *nodes, "the layout");
	Agedge_t **edges = memory_zeroed(callpaths->n_links - first_link + 1, sizeof *edges, "the layout");
	agattr(g, AGNODE, "shape", "box");
	agattr(g, AGNODE, "fixedsize", "true");
	agattr(g, AGNODE, "label", "");
	agattr(g, AGEDGE, "arrowhead", "none"); /* edges run up to the boxes */
	agattr(g, AGRAPH, "rankdir", "LR");     /* pages are long and not wide */
	agattr(g, AGRAPH, "nodesep", "0.15");
	agattr(g, AGRAPH, "ranksep", "0.5");
	draw(callpaths, first, first_link, g, nodes, edges);
	if (gvLayout(context, g, "dot") == 0) {
		for (size_t i = first; i < callpaths->n_groups; i++) {
			callpaths->groups[i].x = (float)ND_coord(nodes[i - first]).x;
			callpaths->groups[i].y = (float)(GD_bb(g).UR.y - ND_coord(nodes[i - first]).y);
			callpaths->groups[i].has_place = true;
		}
		size_t first_point = callpaths->n_points;
		for (size_t i = first_link; i < callpaths->n_links; i++)
			if (edges[i - first_link] != NULL)
				put_curve(callpaths, &callpaths->links[i], ED_spl(edges[i - first_link]));
		for (size_t i = first_point; i < callpaths->n_points; i++)
			callpaths->points[i].y = (float)GD_bb(g).UR.y - callpaths->points[i].y;
		gvFreeLayout(context, g);
	}
	agclose(g);
	gvFreeContext(context);
	__lsan_enable();
	free(nodes);
	free(edges);
}
#else
void callpath_lay_out(struct callpaths *callpaths, size_t first, size_t first_link)
{
	(void)first_link;
	measure(callpaths, first);
}
#endif
