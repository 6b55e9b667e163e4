/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes graph.dot for graphviz, as a sink that draws each process when it is built. There are three drawings: a small run
 * node by node, a larger one folded (fold.h) process by process, and one of many processes with all of them folded
 * together. The choice is known after the last process: until then, each drawing that is still possible is kept. Called
 * by outputs.c; one thread but for the states.
 */
#include "builder/draw/dot.h"
#include "builder/draw/files.h"
#include "builder/draw/svg.h"
#include "builder/support/diag.h"
#include "builder/support/file.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WHAT "graph.dot"

struct drawing {
	FILE *out;
	const char *dir;
	struct drawn_from from;
	struct graph_pictures pictures;
	struct drawn *drawn;
	uint64_t max_nodes;
	struct waits waits; /* of the current process */
	struct labels labels;
	struct fold all;         /* processes together */
	uint64_t n_nodes;        /* of the processes so far */
	uint64_t n_shown;        /* of these, folded each by itself */
	bool is_together;        /* all are drawn as one */
	struct buffer processes; /* folded each by itself, while these are not too many */
};

/* Writes the text; nothing if it is empty. */
static void put_text(FILE *out, const struct buffer *text)
{
	if (text->n > 0)
		fwrite(text->bytes, 1, text->n, out);
}

/* The largest number of nodes with which the graph is drawn node by node. */
static uint64_t max_whole(const struct drawing *d)
{
	return d->max_nodes / 5 * 2 + d->max_nodes % 5 * 2 / 5;
}

static bool is_whole(const struct drawing *d)
{
	return d->n_nodes <= max_whole(d);
}

static bool is_each(const struct drawing *d)
{
	return d->from.graphs->n == 1 || d->n_shown <= d->max_nodes;
}

static void put_name(struct buffer *text, const char *name)
{
	text_dot(text, name);
}

static void put_head(const struct drawing *d)
{
	struct buffer text = {NULL, 0, 0};
	buffer_put_text(&text,
			"digraph otter {\n  graph [rankdir=TB,fontname=\"Helvetica\",labelloc=t,nslimit=1,nslimit1=1,label=\"");
	put_name(&text, d->from.graphs->traces[0].dump.name);
	if (!is_whole(d)) {
		buffer_put_text(&text, "\\n");
		buffer_put_decimal(&text, d->n_nodes);
		buffer_put_text(&text, " nodes drawn by source construct as ");
		buffer_put_decimal(&text, d->n_shown);
		if (d->is_together) {
			buffer_put_text(&text, ", ");
			buffer_put_decimal(&text, d->from.graphs->n);
			buffer_put_text(&text, " processes together");
		}
		buffer_put_text(&text, "\\nown: what was executed; waits: in synchronisations, for mutexes and devices");
	}
	buffer_put_text(&text, "\"];\n  node [style=filled,fontname=\"Helvetica\",fontsize=10];\n"
			       "  edge [fontname=\"Helvetica\",fontsize=8];\n");
	put_text(d->out, &text);
	buffer_free(&text);
}

static void put_cluster(struct buffer *text, const struct drawing *d, size_t i)
{
	if (d->from.graphs->n == 1)
		return;
	buffer_put_text(text, " subgraph cluster_");
	buffer_put_decimal(text, i);
	buffer_put_text(text, " {\n  label=\"");
	put_name(text, d->from.graphs->traces[i].dump.name);
	buffer_put_text(text, "\";\n");
}

static void put_cluster_end(struct buffer *text, const struct drawing *d)
{
	if (d->from.graphs->n > 1)
		buffer_put_text(text, " }\n");
}

static void draw_whole(struct drawing *d, size_t i, const struct fold_source *source)
{
	struct buffer text = {NULL, 0, 0};
	put_cluster(&text, d, i);
	put_text(d->out, &text);
	dot_draw_whole(d->out, source, source->graph->before.n_nodes, d->n_nodes);
	text.n = 0;
	put_cluster_end(&text, d);
	put_text(d->out, &text);
	buffer_free(&text);
}

/* Adds the process to those that are drawn each by itself. */
static void draw_process(struct drawing *d, size_t i, const struct fold *fold)
{
	char prefix[TEXT_DECIMAL_MAX + 2] = "p";
	struct dot_view shown;
	*text_decimal(prefix + 1, d->from.graphs->traces[i].process) = '\0';
	shown_make(&shown, fold, &d->labels, d->max_nodes);
	shown.prefix = prefix;
	d->n_shown += shown.n_nodes;
	if (is_each(d)) {
		put_cluster(&d->processes, d, i);
		dot_put_fold(&d->processes, &shown);
		put_cluster_end(&d->processes, d);
	} else {
		d->processes.n = 0;
	}
	shown_free(&shown);
}

static struct fold_source source_of(const struct drawing *d, size_t i)
{
	const struct graph *graph = &d->from.graphs->graphs[i];
	const struct answer *answer = d->from.answer;
	return (struct fold_source){.trace = &d->from.graphs->traces[i],
				    .graph = graph,
				    .path_graph = graph->level == GRAPH_FRAGMENT ? graph
						  : answer != NULL               ? answer->net.graph
										 : NULL,
				    .answer = answer != NULL && answer->is_made ? answer : NULL,
				    .wait_ticks = d->waits.ticks};
}

static int begin(void *self, const struct trace *trace)
{
	struct drawing *d = self;
	waits_begin(&d->waits, trace, &d->from.states[trace - d->from.graphs->traces]);
	return 0;
}

static int pass_state(void *self, uint32_t stream, enum state from, uint64_t since_ticks, enum state to, uint64_t ticks)
{
	struct drawing *d = self;
	(void)to;
	return waits_pass_state(&d->waits, stream, from, since_ticks, ticks);
}

/* What was drawn whole is dropped when there are too many nodes. */
static int add_process(void *self, const struct trace *trace)
{
	struct drawing *d = self;
	size_t i = (size_t)(trace - d->from.graphs->traces);
	bool was_whole = is_whole(d);
	struct fold_source source = source_of(d, i);
	struct fold fold = {0};
	fold_process(&fold, &d->labels, &source);
	d->n_nodes += fold.n_nodes;
	if (was_whole && is_whole(d))
		draw_whole(d, i, &source);
	draw_process(d, i, &fold);
	if (d->from.graphs->n > 1)
		fold_add(&d->all, &fold);
	fold_free(&fold);
	waits_free(&d->waits);
	if (was_whole && !is_whole(d)) {
		rewind(d->out);
		if (ftruncate(fileno(d->out), 0) != 0)
			return error("%s/graph.dot: %s", d->dir, strerror(errno));
	}
	return 0;
}

static void draw_folded(struct drawing *d)
{
	struct dot_view shown;
	if (!is_each(d)) {
		shown_make(&shown, &d->all, &d->labels, d->max_nodes);
		dot_put_fold(&d->processes, &shown);
		d->n_shown = shown.n_nodes;
		d->is_together = true;
		shown_free(&shown);
	}
	put_head(d);
	put_text(d->out, &d->processes);
}

static int close_drawing(void *self)
{
	struct drawing *d = self;
	if (!is_whole(d))
		draw_folded(d);
	fputs("}\n", d->out);
	*d->drawn = (struct drawn){d->n_nodes, is_whole(d) ? d->n_nodes : d->n_shown, !is_whole(d)};
	const struct picture_place place = {d->dir, d->pictures.formats, d->pictures.date_ns};
	int rc = place.formats != 0 && fflush(d->out) == 0 ? dot_lay_out(d->out, &place, d->pictures.width_mm) : 0;
	rc |= file_close(d->out, d->dir, "graph.dot");
	fold_free(&d->all);
	labels_free(&d->labels);
	waits_free(&d->waits);
	buffer_free(&d->processes);
	free(d);
	return rc;
}

/* graph.dot, or a file without a name where only pictures are wanted. */
static FILE *open_text(const char *dir, bool has_name)
{
	if (has_name)
		return file_open_both(dir, WHAT);
	char *path = text_format("%s/%s", dir, WHAT);
	int fd = nameless_open(path);
	FILE *out = fd >= 0 ? fdopen(fd, "w+") : NULL;
	if (out == NULL)
		error("%s: cannot be written: %s", path, strerror(errno));
	free(path);
	return out;
}

int sink_dot_open(struct sink *sink, const struct drawn_from *from, const char *dir, uint64_t max_nodes,
		  const struct graph_pictures *pictures, struct drawn *drawn)
{
	FILE *out = open_text(dir, pictures->has_dot);
	if (out == NULL)
		return -1;
	struct drawing *d = memory_zeroed(1, sizeof *d, WHAT);
	*d = (struct drawing){.out = out, .dir = dir, .from = *from, .max_nodes = max_nodes, .pictures = *pictures, .drawn = drawn};
	put_head(d);
	*sink = (struct sink){"dot", NULL, pass_state, begin, add_process, close_drawing, d};
	return 0;
}

/* ---- Waits ---- */

/*
 * Adds up how long each task waited: see dot.h.
 */

void waits_begin(struct waits *waits, const struct trace *trace, const struct states *states)
{
	*waits = (struct waits){trace, states, memory_zeroed(trace->model.n_tasks + (size_t)1, sizeof *waits->ticks, "pictures"),
				memory_zeroed(trace->dump.n_streams + (size_t)1, sizeof *waits->streams, "pictures")};
}

int waits_pass_state(struct waits *waits, uint32_t stream, enum state from, uint64_t since_ticks, uint64_t ticks)
{
	const struct window *window = &waits->trace->model.window;
	struct waits_stream *s = &waits->streams[stream];
	if (from >= STATE_WAIT_BARRIER && from <= STATE_WAIT_TARGET_UPDATE && window_meets(window, since_ticks, ticks))
		waits->ticks[s->task] += window_clip(window, ticks) - window_clip(window, since_ticks);
	s->task = states_current(waits->states, stream);
	return 0;
}

void waits_free(struct waits *waits)
{
	free(waits->ticks);
	free(waits->streams);
	*waits = (struct waits){0};
}
