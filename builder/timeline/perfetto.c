/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The sink of trace.pftrace. During the replay it hands everything to the slices and to the sweep of the counters; when a process
 * is built, it is appended to the file, or to files of its own. Called by run.c on one thread, and by the replay on the thread
 * of each stream.
 */
#include "builder/timeline/perfetto.h"
#include "builder/support/blocks.h"
#include "builder/support/file.h"
#include "builder/support/memory.h"

#include <errno.h>
#include <stdlib.h>

/* ---- Files ---- */

static int close_file(struct perfetto *p)
{
	int rc = p->out != NULL ? file_close(p->out, p->dir, p->name) : 0;
	free(p->name);
	p->out = NULL;
	p->name = NULL;
	return rc;
}

static int write_text(const struct perfetto *p, struct buffer *text)
{
	bool is_bad = text->n > 0 && fwrite(text->bytes, 1, text->n, p->out) != text->n;
	buffer_free(text);
	return is_bad ? error("%s/%s: could not be written whole: %s", p->dir, p->name, strerror(errno)) : 0;
}

static int open_file(struct perfetto *p)
{
	struct buffer text = {NULL, 0, 0};
	p->n_files++;
	p->name = p->n_files == 1 ? text_copy("trace.pftrace") : text_format("trace.%u.pftrace", p->n_files);
	p->out = file_open(p->dir, p->name);
	if (p->out == NULL)
		return -1;
	perfetto_put_head(p, &text);
	return write_text(p, &text);
}

bool perfetto_is_file(const char *name)
{
	if (strncmp(name, "trace.", 6) != 0)
		return false;
	size_t n_digits = strspn(name + 6, "0123456789");
	return n_digits > 0 && name[6] != '0' && strcmp(name + 6 + n_digits, ".pftrace") == 0;
}

static int next_file(struct perfetto *p)
{
	return close_file(p) != 0 ? -1 : open_file(p);
}

/* What of the process belongs into this file. */
static int write_part(struct perfetto *p)
{
	struct buffer text = {NULL, 0, 0};
	perfetto_put_process(p, &text);
	perfetto_put_counters(p, &text);
	perfetto_put_queues(p, &text);
	if (write_text(p, &text) != 0)
		return -1;
	if (blocks_write(p->out, slices_n_chunks(&p->slices), perfetto_format_block, p) != 0)
		return error("%s/%s: could not be written whole: %s", p->dir, p->name, strerror(errno));
	return p->has_failed ? -1 : 0;
}

static int write_process(struct perfetto *p)
{
	uint64_t *cuts;
	size_t n_cuts;
	bool needs_new;
	int rc = perfetto_plan(p, (uint64_t)ftello(p->out), &cuts, &n_cuts, &needs_new);
	if (rc == 0 && needs_new)
		rc = next_file(p);
	if (rc == 0 && n_cuts > 0)
		rc = slices_divide(&p->slices, cuts, n_cuts);
	for (p->file = 0; p->file <= n_cuts && rc == 0; p->file++) {
		if (p->file > 0)
			rc = next_file(p);
		if (rc == 0)
			rc = write_part(p);
	}
	p->file = 0;
	free(cuts);
	return rc;
}

/* ---- The sink ---- */

static int begin(void *self, const struct trace *trace)
{
	struct perfetto *p = self;
	p->trace = trace;
	p->slices.states = &p->states[trace - p->graphs->traces];
	slices_begin(&p->slices, trace);
	return p->slices.beside.begin(p->slices.beside.self, trace);
}

static int end(void *self, const struct trace *trace)
{
	struct perfetto *p = self;
	if (p->slices.beside.end(p->slices.beside.self, trace) != 0)
		return -1;
	slices_link(&p->slices, &p->graphs->graphs[trace - p->graphs->traces]);
	if (write_process(p) != 0)
		return -1;
	p->n_sequences = perfetto_counters_sequence(p);
	p->n_threads += trace->dump.n_streams;
	counters_end(&p->counters);
	return slices_end(&p->slices);
}

static int close_perfetto(void *self)
{
	struct perfetto *p = self;
	int rc = close_file(p);
	counters_end(&p->counters);
	slices_close(&p->slices);
	if (p->slices.beside.close != NULL)
		rc |= p->slices.beside.close(p->slices.beside.self);
	free(p);
	return rc;
}

_Static_assert(offsetof(struct perfetto, slices) == 0, "the slices are called with the sink's self");

int perfetto_open(struct sink *sink, const struct graphs *graphs, const struct states *states, const char *dir,
		  uint64_t limit_bytes, size_t n_bins, const struct trace *traces, size_t n_traces)
{
	struct perfetto *p = memory_zeroed(1, sizeof *p, "trace.pftrace");
	p->graphs = graphs;
	p->states = states;
	p->dir = dir;
	p->limit_bytes = limit_bytes;
	for (size_t i = 0; i < n_traces; i++)
		if (i == 0 || traces[i].dump.first_realtime_ns < p->first_ns) {
			p->first_ns = traces[i].dump.first_realtime_ns;
			p->first_monotonic_ns = traces[i].dump.first_monotonic_ns;
		}
	if (slices_open(&p->slices, dir, "trace.pftrace") != 0 ||
	    counters_open(&p->counters, &p->slices.beside, p->dir, n_bins) != 0 || open_file(p) != 0) {
		close_perfetto(p);
		return -1;
	}
	*sink = (struct sink){"perfetto", &slices_ops, slices_pass_state, begin, end, close_perfetto, p};
	return 0;
}
