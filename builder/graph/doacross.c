/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Iterations of a doacross loop that wait for others (OpenMP 5.1 section 2.19.9): `source` ends what an earlier iteration does
 * for later ones, and `sink` waits for that. At the fragment level, as only fragments are as small as that, each is a boundary
 * between two fragments of its implicit task, and an edge leads from the one before the source to the one after the sink.
 *
 * A record has the iteration's number in each dimension of the loop, and not which loop it is of. All members of a team meet
 * the same loops in the same order (section 2.11), so that a loop is known by its team, the number of barriers before it, and
 * its number among the loops since then. LLVM's runtime reports a source before another thread can see it, and a sink after its
 * wait; when that began is not reported. Until the source's record the thread may have waited, so that time does not count as
 * executed, and the path is a lower bound. Each stream collects its own; after the replay one thread matches them.
 */
#include "builder/graph/doacross.h"
#include "builder/support/array.h"

#include <stdlib.h>

#define WHAT "the graph"

void doacross_begin(struct graph *graph)
{
	if (graph->level != GRAPH_FRAGMENT || graph->model->n_events[EVENT_dependences] == 0)
		return;
	graph->doacross = memory_zeroed(1, sizeof *graph->doacross, WHAT);
	graph->doacross->streams = memory_zeroed(graph->n_streams, sizeof *graph->doacross->streams, WHAT);
}

void doacross_free(struct graph *graph)
{
	for (size_t i = 0; graph->doacross != NULL && i < graph->n_streams; i++) {
		free(graph->doacross->streams[i].loops);
		free(graph->doacross->streams[i].sources);
		free(graph->doacross->streams[i].sinks);
		free(graph->doacross->streams[i].numbers);
	}
	if (graph->doacross != NULL) {
		free(graph->doacross->streams);
		free(graph->doacross->waits);
	}
	free(graph->doacross);
	graph->doacross = NULL;
}

/* ---- During the replay ---- */

static struct met_loops *find_loops(const struct doacross_stream *s, uint32_t task)
{
	size_t n = s->n_loops; /* nested regions: the latest one is last */
	while (n > 0 && s->loops[n - 1].task != task)
		n--;
	return n > 0 ? &s->loops[n - 1] : NULL;
}

void doacross_loop(struct graph *graph, const struct point *at)
{
	if (graph->doacross == NULL || task_is_explicit(&graph->model->tasks[at->task]))
		return;
	struct doacross_stream *s = &graph->doacross->streams[graph_stream_row(graph, at)];
	uint32_t phase = graph->tasks[at->task].n_barriers;
	struct met_loops *loops = find_loops(s, at->task);
	if (loops == NULL) {
		array_push(s->loops, s->n_loops, s->loops_capacity, (struct met_loops){.task = at->task});
		loops = &s->loops[s->n_loops - 1];
	}
	loops->n = loops->phase == phase ? loops->n + 1 : 1;
	loops->phase = phase;
}

void doacross_end(struct graph *graph, const struct point *at, uint32_t task)
{
	struct doacross_stream *s = graph->doacross != NULL ? &graph->doacross->streams[graph_stream_row(graph, at)] : NULL;
	struct met_loops *loops = s != NULL ? find_loops(s, task) : NULL;
	if (loops != NULL)
		*loops = s->loops[--s->n_loops];
}

void doacross_note(struct graph *graph, const struct point *at, uint32_t task, const struct dependence *list, size_t n)
{
	bool is_source = n > 0 && list[0].type == dependence_type_source;
	if (graph->doacross == NULL || task != at->task || n == 0 || (!is_source && list[0].type != dependence_type_sink))
		return;
	struct doacross_stream *s = &graph->doacross->streams[graph_stream_row(graph, at)];
	const struct met_loops *loops = find_loops(s, task);
	graph_stop_fragment(graph, at);
	struct doacross_point point = {.region = graph->model->tasks[task].region,
				       .phase = graph->tasks[task].n_barriers,
				       .n = (uint32_t)n,
				       .first = s->n_numbers,
				       .stream = at->stream,
				       .task = task,
				       .before = graph->tasks[task].last,
				       .ticks = at->ticks};
	point.loop = loops != NULL && loops->phase == point.phase ? loops->n : 0;
	for (size_t i = 0; i < n; i++)
		array_push(s->numbers, s->n_numbers, s->numbers_capacity, list[i].variable);
	graph_start_fragment(graph, at, task);
	point.after = graph->tasks[task].last;
	if (is_source)
		array_push(s->sources, s->n_sources, s->sources_capacity, point);
	else
		array_push(s->sinks, s->n_sinks, s->sinks_capacity, point);
}
