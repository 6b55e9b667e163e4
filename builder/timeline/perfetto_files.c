/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A process that does not fit into one file is cut in time: each file has what begins in its time, of all threads. To keep
 * each file below its limit, everything is formatted once only to measure its length.
 */
#include "builder/timeline/perfetto.h"
#include "builder/support/array.h"

#include <stdlib.h>

/* The first ticks of a bin. */
static uint64_t begin_of(const struct measured *m, size_t bin)
{
	uint64_t length = m->last_ticks - m->first_ticks + 1;
	return m->first_ticks + (uint64_t)(((unsigned __int128)length * bin + MEASURED_BINS - 1) / MEASURED_BINS);
}

#define SLICE_BYTES   128 /* the most bytes of a slice, without its flows */
#define FLOW_BYTES    20  /* of both ends */
#define COUNTER_BYTES 48

/* An upper bound for the bytes of the process, without the packets at its begin. */
static uint64_t most_bytes(const struct perfetto *p)
{
	const struct slices *slices = &p->slices;
	uint64_t n_slices = slices->m->n_activities, n_flows = slices->n_items + slices->graph->n_edges;
	for (size_t i = 0; i < p->trace->dump.n_streams; i++) {
		n_slices += slices->streams[i].slices.n_records + slices->streams[i].states.n_records;
		n_flows += slices->streams[i].n_waits;
	}
	n_flows += slices->first_arrival[p->trace->dump.n_streams] + slices->n_releases;
	return n_slices * SLICE_BYTES + n_flows * FLOW_BYTES + (p->counters.n_windows + 1) * COUNTERS * COUNTER_BYTES;
}

static int measure_all(struct perfetto *p)
{
	size_t n_blocks = slices_n_chunks(&p->slices);
#pragma omp parallel for schedule(dynamic, 1)
	for (size_t i = 0; i < n_blocks; i++) {
		struct buffer text = {NULL, 0, 0};
		perfetto_format_block(p, i, &text);
		buffer_free(&text);
	}
	const struct model *m = &p->trace->model;
	for (uint32_t i = 0; i < m->n_activities; i++)
		perfetto_measure(p, m->activities[i].begin_ticks,
				 SLICE_BYTES + strlen(m->activities[i].name != NULL ? m->activities[i].name : ""));
	for (size_t i = 0; i < p->counters.n_windows; i++)
		perfetto_measure(p, p->counters.bounds[i], (size_t)COUNTERS * COUNTER_BYTES);
	return p->has_failed ? -1 : 0;
}

/* Cuts where the next bin would make the file too large. A bin that is too large alone stays whole. */
static void cut(const struct measured *measured, uint64_t head_bytes, uint64_t limit_bytes, uint64_t **cuts, size_t *n_cuts)
{
	size_t capacity = 0;
	uint64_t n_bytes = head_bytes;
	for (size_t i = 0; i < MEASURED_BINS; i++) {
		if (n_bytes + measured->bytes[i] > limit_bytes && n_bytes > head_bytes) {
			array_push(*cuts, *n_cuts, capacity, begin_of(measured, i));
			n_bytes = head_bytes;
		}
		n_bytes += measured->bytes[i];
	}
}

int perfetto_plan(struct perfetto *p, uint64_t file_bytes, uint64_t **cuts, size_t *n_cuts, bool *needs_new)
{
	const struct model *m = &p->trace->model;
	struct buffer head = {NULL, 0, 0};
	perfetto_put_head(p, &head);
	uint64_t clock_bytes = head.n;
	perfetto_put_process(p, &head);
	uint64_t head_bytes = head.n, most = most_bytes(p);
	buffer_free(&head);
	*cuts = NULL;
	*n_cuts = 0;
	*needs_new = false;
	if (file_bytes + head_bytes + most <= p->limit_bytes)
		return 0;
	p->measured = memory_zeroed(1, sizeof *p->measured, "files");
	p->measured->first_ticks = m->first_ticks;
	p->measured->last_ticks = m->last_ticks;
	int rc = measure_all(p);
	uint64_t n_bytes = head_bytes;
	for (size_t i = 0; i < MEASURED_BINS; i++)
		n_bytes += p->measured->bytes[i];
	*needs_new = file_bytes > clock_bytes && file_bytes + n_bytes > p->limit_bytes;
	if (rc == 0 && n_bytes > p->limit_bytes)
		cut(p->measured, head_bytes, p->limit_bytes, cuts, n_cuts);
	free(p->measured);
	p->measured = NULL;
	return rc;
}
