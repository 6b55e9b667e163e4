/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The sink of trace.json. During the replay it hands everything to the slices and to the sweep of the counters; when a process
 * is built, it is appended to the file. Called by run.c on one thread, and by the replay on the thread of each stream.
 */
#include "builder/timeline/chrome.h"
#include "builder/support/array.h"
#include "builder/support/blocks.h"
#include "builder/support/diag.h"
#include "builder/support/file.h"
#include "builder/support/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#define NAME "trace.json"

static int fail(const struct chrome *c)
{
	return error("%s/" NAME ": could not be written whole: %s", c->dir, strerror(errno));
}

static int write_text(const struct chrome *c, struct buffer *text)
{
	bool is_bad = text->n > 0 && fwrite(text->bytes, 1, text->n, c->out) != text->n;
	buffer_free(text);
	return is_bad ? fail(c) : 0;
}

/* ---- What is too large ---- */

static int count_one(void *self, const struct node_view *node)
{
	(void)node;
	++*(uint64_t *)self;
	return 0;
}

static void count(struct chrome *c, const struct graph *graph)
{
	graph_each_node(graph, count_one, &c->n_nodes);
	for (size_t i = 0; i < c->trace->dump.n_streams; i++)
		c->n_slices += c->slices.streams[i].slices.n_records + c->slices.streams[i].states.n_records;
}

/* Moves a part of the file towards its begin. */
static int move_part(int file, const struct chrome_part *part, off_t to)
{
	char bytes[1 << 16];
	for (off_t from = part->begin; from < part->end;) {
		size_t n = part->end - from < (off_t)sizeof bytes ? (size_t)(part->end - from) : sizeof bytes;
		ssize_t n_read = pread(file, bytes, n, from);
		if (n_read <= 0 || pwrite(file, bytes, (size_t)n_read, to) != n_read)
			return -1;
		from += n_read;
		to += n_read;
	}
	return 0;
}

/* Removes all but the heads from the processes that are in the file. */
static int fold(struct chrome *c)
{
	warning(NAME
		": more than %u nodes, or %u slices, which programs that read it can hardly open: it is folded, without single "
		"tasks and states, to the numbers of threads and tasks over time; --perfetto has all of them",
		CHROME_NODES_MAX, CHROME_SLICES_MAX);
	c->is_folded = true;
	if (c->n_heads == 0)
		return 0;
	off_t to = c->heads[0].begin;
	if (fflush(c->out) != 0)
		return fail(c);
	for (size_t i = 0; i < c->n_heads; i++) {
		if (move_part(fileno(c->out), &c->heads[i], to) != 0)
			return fail(c);
		to += c->heads[i].end - c->heads[i].begin;
	}
	return ftruncate(fileno(c->out), to) != 0 || fseeko(c->out, to, SEEK_SET) != 0 ? fail(c) : 0;
}

/* ---- A process ---- */

static void make_names(struct chrome *c)
{
	const struct model *m = c->slices.m;
	c->construct_names = memory_zeroed(m->n_constructs, sizeof *c->construct_names, NAME);
	c->construct_places = memory_zeroed(m->n_constructs, sizeof *c->construct_places, NAME);
	for (uint32_t i = 0; i < m->n_constructs; i++) {
		if (m->constructs[i].label != NULL && m->constructs[i].label[0] != '\0')
			c->construct_names[i] = chrome_json(m->constructs[i].label);
		c->construct_places[i] = chrome_place(&m->constructs[i]);
	}
}

static void forget_process(struct chrome *c)
{
	for (uint32_t i = 0; c->construct_names != NULL && i < c->slices.m->n_constructs; i++) {
		free(c->construct_names[i]);
		free(c->construct_places[i]);
	}
	free(c->construct_names);
	free(c->construct_places);
	c->construct_names = c->construct_places = NULL;
	counters_end(&c->counters);
}

static int write_head(struct chrome *c)
{
	struct buffer text = {NULL, 0, 0};
	off_t begin = ftello(c->out);
	chrome_put_names(c, &text);
	chrome_put_counters(c, &text);
	if (write_text(c, &text) != 0)
		return -1;
	array_push(c->heads, c->n_heads, c->heads_capacity, (struct chrome_part){begin, ftello(c->out)});
	return 0;
}

static int write_slices(struct chrome *c)
{
	struct buffer text = {NULL, 0, 0};
	make_names(c);
	chrome_put_queues(c, &text);
	if (write_text(c, &text) != 0)
		return -1;
	if (blocks_write(c->out, slices_n_chunks(&c->slices), chrome_format_block, c) != 0)
		return fail(c);
	return c->has_failed ? -1 : 0;
}

static int write_process(struct chrome *c, const struct graph *graph)
{
	count(c, graph);
	if (!c->is_folded && (c->n_nodes > CHROME_NODES_MAX || c->n_slices > CHROME_SLICES_MAX) && fold(c) != 0)
		return -1;
	if (write_head(c) != 0)
		return -1;
	if (c->is_folded)
		return 0;
	slices_link(&c->slices, graph);
	return write_slices(c);
}

/* ---- The sink ---- */

static int begin(void *self, const struct trace *trace)
{
	struct chrome *c = self;
	c->trace = trace;
	c->slices.states = &c->states[trace - c->graphs->traces];
	slices_begin(&c->slices, trace);
	return c->slices.beside.begin(c->slices.beside.self, trace);
}

static int end(void *self, const struct trace *trace)
{
	struct chrome *c = self;
	if (c->slices.beside.end(c->slices.beside.self, trace) != 0)
		return -1;
	if (write_process(c, &c->graphs->graphs[trace - c->graphs->traces]) != 0)
		return -1;
	forget_process(c);
	return slices_end(&c->slices);
}

static int close_chrome(void *self)
{
	struct chrome *c = self;
	int rc = 0;
	if (c->out != NULL) {
		fputs("\n]}\n", c->out);
		rc = file_close(c->out, c->dir, NAME);
	}
	forget_process(c);
	slices_close(&c->slices);
	if (c->slices.beside.close != NULL)
		rc |= c->slices.beside.close(c->slices.beside.self);
	free(c->heads);
	free(c);
	return rc;
}

/* The first event is of no process: so each of the others has a comma before it. */
static int begin_file(struct chrome *c)
{
	c->out = file_open_both(c->dir, NAME);
	if (c->out == NULL)
		return -1;
	fprintf(c->out,
		"{\"displayTimeUnit\":\"ns\",\"otherData\":{\"producer\":\"otter-build\",\"begin_realtime_ns\":\"%" PRIu64
		"\"},\n\"traceEvents\":[\n{\"ph\":\"I\",\"s\":\"g\",\"name\":\"begin\",\"pid\":0,\"tid\":0,\"ts\":0}",
		c->first_ns);
	return 0;
}

_Static_assert(offsetof(struct chrome, slices) == 0, "the slices are called with the sink's self");

int chrome_open(struct sink *sink, const struct graphs *graphs, const struct states *states, const char *dir, size_t n_bins,
		const struct trace *traces, size_t n_traces)
{
	struct chrome *c = memory_zeroed(1, sizeof *c, NAME);
	c->graphs = graphs;
	c->states = states;
	c->dir = dir;
	for (size_t i = 0; i < n_traces; i++)
		if (i == 0 || traces[i].dump.first_realtime_ns < c->first_ns)
			c->first_ns = traces[i].dump.first_realtime_ns;
	if (slices_open(&c->slices, dir, NAME) != 0 || counters_open(&c->counters, &c->slices.beside, dir, n_bins) != 0 ||
	    begin_file(c) != 0) {
		close_chrome(c);
		return -1;
	}
	*sink = (struct sink){"chrome", &slices_ops, slices_pass_state, begin, end, close_chrome, c};
	return 0;
}
