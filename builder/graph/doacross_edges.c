/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Matches the sinks of doacross loops with their sources when the replay is over: see doacross.c. On one thread.
 */
#include "builder/graph/doacross.h"
#include "builder/support/array.h"
#include "builder/support/hash.h"

#include <stdlib.h>
#include <string.h>

static void renumber(struct doacross_point *points, size_t n, const uint32_t *numbers, uint32_t n_tasks)
{
	for (size_t i = 0; i < n; i++) {
		points[i].before = points[i].before < n_tasks ? points[i].before : numbers[points[i].before - n_tasks];
		points[i].after = points[i].after < n_tasks ? points[i].after : numbers[points[i].after - n_tasks];
	}
}

void doacross_renumber(struct graph *graph, const uint32_t *numbers)
{
	for (size_t i = 0; graph->doacross != NULL && i < graph->n_streams; i++) {
		struct doacross_stream *s = &graph->doacross->streams[i];
		renumber(s->sources, s->n_sources, numbers, graph->model->n_tasks);
		renumber(s->sinks, s->n_sinks, numbers, graph->model->n_tasks);
	}
}

/* Sources of all streams by their iteration: a list for each hash. */
struct posted {
	const struct doacross *doacross;
	struct map latest; /* hash -> number of the latest source, from 1 */
	struct numbered_source {
		const struct doacross_point *point;
		uint32_t before; /* number of the one before it with the same hash */
	} * all;
	size_t n, capacity;
};

static const uint64_t *numbers_of(const struct doacross *d, const struct doacross_point *point)
{
	return &d->streams[point->stream].numbers[point->first];
}

static uint64_t hash_of(const struct doacross *d, const struct doacross_point *point)
{
	uint64_t hash = hash_mix(hash_mix(point->loop, point->phase), point->region);
	for (uint32_t i = 0; i < point->n; i++)
		hash = hash_mix(hash, numbers_of(d, point)[i]);
	return hash;
}

static bool is_same(const struct doacross *d, const struct doacross_point *a, const struct doacross_point *b)
{
	return a->region == b->region && a->phase == b->phase && a->loop == b->loop && a->n == b->n &&
	       memcmp(numbers_of(d, a), numbers_of(d, b), a->n * sizeof(uint64_t)) == 0;
}

static void post_all(struct posted *p, size_t n_streams)
{
	for (size_t i = 0; i < n_streams; i++)
		for (size_t k = 0; k < p->doacross->streams[i].n_sources; k++) {
			const struct doacross_point *source = &p->doacross->streams[i].sources[k];
			uint32_t *latest = map_put(&p->latest, hash_of(p->doacross, source));
			array_push(p->all, p->n, p->capacity, (struct numbered_source){source, *latest});
			*latest = (uint32_t)p->n;
		}
}

static const struct doacross_point *find_source(const struct posted *p, const struct doacross_point *sink)
{
	const uint32_t *latest = map_get(&p->latest, hash_of(p->doacross, sink));
	uint32_t number = latest != NULL ? *latest : 0;
	while (number != 0 && !is_same(p->doacross, p->all[number - 1].point, sink))
		number = p->all[number - 1].before;
	return number != 0 ? p->all[number - 1].point : NULL;
}

static uint64_t *busy_of(const struct graph *graph, uint32_t node)
{
	struct node *inner = graph_inner_node(graph, node);
	return inner != NULL ? &inner->busy_ticks : &graph->first_fragments[node].busy_ticks;
}

#define SOON 10

/* A thread that waits goes on at once when the source comes. So the sink's record, which is made after the wait, follows soon. */
static bool has_waited(const struct doacross_point *sink, const struct doacross_point *source, uint64_t begin_ticks)
{
	return sink->ticks <= source->ticks || sink->ticks - source->ticks < (source->ticks - begin_ticks) / SOON;
}

/* The sink's thread may have waited in its fragment before, until the other iteration came to its source. */
static void take_wait(struct graph *graph, const struct doacross_point *sink, const struct doacross_point *source)
{
	const struct node *inner = graph_inner_node(graph, sink->before);
	uint64_t begin = inner != NULL ? inner->begin_ticks : graph->model->tasks[sink->before].start_ticks;
	if (source->ticks <= begin || !has_waited(sink, source, begin) || (inner != NULL && inner->kind != NODE_FRAGMENT))
		return;
	uint64_t end = source->ticks < sink->ticks ? source->ticks : sink->ticks;
	uint64_t *busy = busy_of(graph, sink->before);
	*busy -= *busy < end - begin ? *busy : end - begin;
	struct doacross *d = graph->doacross;
	array_push(d->waits, d->n_waits, d->waits_capacity,
		   (struct sink_wait){source->before, sink->after, sink->task, sink->stream, begin, end});
}

void doacross_add_edges(struct graph *graph)
{
	struct doacross *d = graph->doacross;
	struct posted posted = {.doacross = d};
	if (d == NULL)
		return;
	post_all(&posted, graph->n_streams);
	for (size_t i = 0; i < graph->n_streams; i++)
		for (size_t k = 0; k < d->streams[i].n_sinks; k++) {
			const struct doacross_point *sink = &d->streams[i].sinks[k], *source = find_source(&posted, sink);
			const struct point at = {.stream = sink->stream, .ticks = sink->ticks};
			d->has_unmatched |= source == NULL;
			if (source == NULL || source->task == sink->task) /* its own sequence orders these */
				continue;
			struct edge edge = {source->before, sink->after, EDGE_DOACROSS, false, 0, 0, 0};
			graph_add_edge(graph, &at, &edge);
			take_wait(graph, sink, source);
		}
	map_free(&posted.latest);
	free(posted.all);
}

const struct sink_wait *graph_sink_waits(const struct graph *graph, size_t *n)
{
	*n = graph->doacross != NULL ? graph->doacross->n_waits : 0;
	return graph->doacross != NULL ? graph->doacross->waits : NULL;
}

unsigned doacross_reasons(const struct graph *graph)
{
	const struct doacross *d = graph->doacross;
	return (d != NULL && d->n_waits > 0 ? PATH_SINK_WAITS : 0u) | (d != NULL && d->has_unmatched ? PATH_SOURCES : 0u);
}
