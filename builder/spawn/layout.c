/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the groups of the graph by construct and path lie when it is drawn, and how its edges run: by Graphviz' library,
 * where Otter was built with it. Without it, or where it fails, groups have their sizes and no places, and who draws them
 * finds places. Called by process.c, for each process, on one thread.
 */
#include "builder/spawn/spawn.h"
#include "builder/support/array.h"

#include <math.h>
#include <string.h>

#define LETTER       6.7F /* width of a letter of the labels, in pixels */
#define MOST_LETTERS 45
#define MARGIN       24.0F
#define SECOND_LINE  160.0F
#define LINE         17.0F

/* A task is as high as its share of the time: by the square root, so that small ones can be seen. */
static void measure(struct spawn *spawn, size_t first)
{
	uint64_t all_ns = 0;
	for (size_t i = first; i < spawn->n_groups; i++)
		all_ns += spawn->groups[i].own_ns;
	for (size_t i = first; i < spawn->n_groups; i++) {
		struct spawn_group *group = &spawn->groups[i];
		bool has_word = group->kind == NODE_REGION || group->kind == NODE_JOIN || group->kind == NODE_UNIT_JOIN ||
				group->kind == NODE_UNIT_WAIT,
		     has_second = group->own_ns != 0 || group->count > 1;
		size_t n = strlen(spawn->frames[group->frame].name) + (has_word ? strlen("begin of ") : 0);
		float share = all_ns != 0 ? (float)group->own_ns / (float)all_ns : 0;
		float width = LETTER * (float)(n < MOST_LETTERS ? n : MOST_LETTERS) + MARGIN;
		group->width = group->own_ns != 0 && width < SECOND_LINE ? SECOND_LINE : width;
		group->height = (has_second ? 2 : 1) * LINE + 8 + 3 * LINE * sqrtf(share);
	}
}

#ifdef OTTER_HAS_GRAPHVIZ
#include <graphviz/gvc.h>
#include <stdio.h>

/* The library keeps some memory until the process ends, which no sanitizer has to tell. */
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

static void put_curve(struct spawn *spawn, const struct spawn_link *link, const struct splines *splines)
{
	for (size_t i = 0; splines != NULL && i < (size_t)splines->size; i++) {
		const struct bezier *bezier = &splines->list[i];
		array_reserve((void **)&spawn->curves, spawn->n_curves + 1, &spawn->curves_capacity, sizeof *spawn->curves);
		array_reserve((void **)&spawn->points, spawn->n_points + (size_t)bezier->size, &spawn->points_capacity,
			      sizeof *spawn->points);
		spawn->curves[spawn->n_curves++] =
			(struct spawn_curve){link->source, link->target, (uint32_t)spawn->n_points, (uint32_t)bezier->size};
		for (size_t j = 0; j < (size_t)bezier->size; j++)
			spawn->points[spawn->n_points++] = (struct spawn_point){(float)bezier->list[j].x, (float)bezier->list[j].y};
	}
}

/* The nodes by group, the edges by link, NULL where an edge of another kind leads there, too. */
static void draw(struct spawn *spawn, size_t first, size_t first_link, Agraph_t *g, Agnode_t **nodes, Agedge_t **edges)
{
	for (size_t i = first; i < spawn->n_groups; i++) {
		char name[24];
		snprintf(name, sizeof name, "%zu", i);
		nodes[i - first] = agnode(g, name, 1);
		set(nodes[i - first], "width", spawn->groups[i].width);
		set(nodes[i - first], "height", spawn->groups[i].height);
	}
	for (size_t i = first_link; i < spawn->n_links; i++) {
		const struct spawn_link *link = &spawn->links[i];
		Agnode_t *source = nodes[link->source - first], *target = nodes[link->target - first];
		edges[i - first_link] = agedge(g, source, target, NULL, 0) == NULL ? agedge(g, source, target, NULL, 1) : NULL;
	}
}

void spawn_lay_out(struct spawn *spawn, size_t first, size_t first_link)
{
	measure(spawn, first);
	agseterr(AGMAX); /* it has nothing to say that would help */
	__lsan_disable();
	GVC_t *context = gvContext();
	Agraph_t *g = agopen("graph", Agstrictdirected, NULL);
	Agnode_t **nodes = memory_zeroed(spawn->n_groups - first + 1, sizeof *nodes, "the layout");
	Agedge_t **edges = memory_zeroed(spawn->n_links - first_link + 1, sizeof *edges, "the layout");
	agattr(g, AGNODE, "shape", "box");
	agattr(g, AGNODE, "fixedsize", "true");
	agattr(g, AGNODE, "label", "");
	agattr(g, AGEDGE, "arrowhead", "none"); /* edges run up to the boxes */
	agattr(g, AGRAPH, "rankdir", "LR");     /* pages are long and not wide */
	agattr(g, AGRAPH, "nodesep", "0.15");
	agattr(g, AGRAPH, "ranksep", "0.5");
	draw(spawn, first, first_link, g, nodes, edges);
	if (gvLayout(context, g, "dot") == 0) {
		for (size_t i = first; i < spawn->n_groups; i++) {
			spawn->groups[i].x = (float)ND_coord(nodes[i - first]).x;
			spawn->groups[i].y = (float)(GD_bb(g).UR.y - ND_coord(nodes[i - first]).y);
			spawn->groups[i].has_place = true;
		}
		size_t first_point = spawn->n_points;
		for (size_t i = first_link; i < spawn->n_links; i++)
			if (edges[i - first_link] != NULL)
				put_curve(spawn, &spawn->links[i], ED_spl(edges[i - first_link]));
		for (size_t i = first_point; i < spawn->n_points; i++)
			spawn->points[i].y = (float)GD_bb(g).UR.y - spawn->points[i].y;
		gvFreeLayout(context, g);
	}
	agclose(g);
	gvFreeContext(context);
	__lsan_enable();
	free(nodes);
	free(edges);
}
#else
void spawn_lay_out(struct spawn *spawn, size_t first, size_t first_link)
{
	(void)first_link;
	measure(spawn, first);
}
#endif
