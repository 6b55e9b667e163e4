/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Slices, states, and what ran on devices, as events. Chunks are formatted in any order: each begins where the one before
 * it has ended. Runs on several threads, the rest on one.
 */
#include "builder/timeline/perfetto.h"

#include <stdlib.h>

struct perfetto_formatting {
	struct perfetto *p;
	struct buffer *text;
	struct buffer event, annotation;
};

static uint64_t name_of(const struct slices *slices, uint32_t item)
{
	uint32_t construct = slices_construct(slices, item);
	if (item == ITEM_LOST)
		return NAME_LOST;
	return perfetto_has_label(&slices->m->constructs[construct]) ? NAME_CONSTRUCT + (uint64_t)construct
								     : NAME_KIND + (uint64_t)slices_kind(slices, item);
}

static void put_flows(struct buffer *event, unsigned field, const uint64_t *ids, size_t n)
{
	for (size_t i = 0; i < n; i++)
		proto_fixed(event, field, ids[i]);
}

static void put_annotation(struct perfetto_formatting *f, unsigned name, unsigned field, uint64_t value)
{
	proto_number(&f->annotation, ANNOTATION_NAME_ID, name);
	proto_number(&f->annotation, field, value);
	proto_message(&f->event, EVENT_ANNOTATION, &f->annotation);
}

/* Where the construct is in the source. */
static void put_place(struct perfetto_formatting *f, uint32_t construct)
{
	if (perfetto_has_place(&f->p->trace->model.constructs[construct]))
		proto_number(&f->event, EVENT_PLACE_ID, 1 + (uint64_t)construct);
}

static void put_label(struct perfetto_formatting *f, unsigned name, uint32_t construct)
{
	if (construct != 0 && perfetto_has_label(&f->p->trace->model.constructs[construct]))
		put_annotation(f, name, ANNOTATION_TEXT_ID, 1 + (uint64_t)construct);
}

static void put_begin(struct perfetto_formatting *f, const struct slice *slice, uint64_t since_ns)
{
	struct perfetto *p = f->p;
	uint32_t construct = slices_construct(&p->slices, slice->item);
	uint64_t ready_ns, node = slice->item == ITEM_LOST ? 0 : slices_node(&p->slices, slice->item);
	proto_number(&f->event, EVENT_TYPE, TYPE_BEGIN);
	proto_number(&f->event, EVENT_NAME_ID, name_of(&p->slices, slice->item));
	if (construct != 0)
		proto_number(&f->event, EVENT_CATEGORY_ID, 1 + (uint64_t)p->trace->model.constructs[construct].kind);
	put_place(f, construct);
	if (node != 0)
		put_annotation(f, ANNOTATION_NODE, ANNOTATION_NUMBER, node);
	if (slice->is_cut)
		put_annotation(f, ANNOTATION_CUT, ANNOTATION_BOOL, 1);
	if (slices_ready_ns(&p->slices, slice, &ready_ns))
		put_annotation(f, ANNOTATION_READY, ANNOTATION_NUMBER, ready_ns);
	put_flows(&f->event, EVENT_FLOW, slice->starts, slice->n_starts);
	put_flows(&f->event, EVENT_FLOW_END, slice->ends, slice->n_ends);
	perfetto_put_event(f->text, perfetto_slices_sequence(p, slice->stream), since_ns, &f->event);
}

static void put_end(struct perfetto_formatting *f, uint64_t sequence, uint64_t since_ns)
{
	proto_number(&f->event, EVENT_TYPE, TYPE_END);
	perfetto_put_event(f->text, sequence, since_ns, &f->event);
}

static void show_slice(void *self, const struct slice *slice)
{
	struct perfetto_formatting *f = self;
	struct perfetto *p = f->p;
	size_t n_before = f->text->n;
	if (p->measured == NULL && slices_file(&p->slices, slice->begin_ticks) != p->file)
		return;
	bool is_begin = slice->piece == SLICE_WHOLE || slice->piece == SLICE_BEGIN;
	uint64_t since_ns = perfetto_since(p, is_begin ? slice->begin_ticks : slice->ticks, slice->is_first, slice->before_ticks,
					   slice->before_begin_ticks);
	uint64_t sequence = perfetto_slices_sequence(p, slice->stream);
	if (is_begin)
		put_begin(f, slice, since_ns);
	if (slice->piece == SLICE_MORE) {
		proto_number(&f->event, EVENT_TYPE, TYPE_INSTANT);
		proto_text(&f->event, EVENT_NAME, "creates more");
		put_flows(&f->event, EVENT_FLOW, slice->starts, slice->n_starts);
		perfetto_put_event(f->text, sequence, since_ns, &f->event);
	}
	if (slice->piece == SLICE_WHOLE)
		put_end(f, sequence, perfetto_ns(p, slice->ticks) - perfetto_ns(p, slice->begin_ticks));
	if (slice->piece == SLICE_END)
		put_end(f, sequence, since_ns);
	perfetto_measure(p, slice->begin_ticks, f->text->n - n_before);
}

/* Where a thread waits, and what for; which processor it has lost, and which one it got then. */
static void put_state_arguments(struct perfetto_formatting *f, const struct state_slice *slice)
{
	put_place(f, slice->construct);
	put_label(f, ANNOTATION_LABEL, slice->construct);
	put_label(f, ANNOTATION_AWAITED, slice->awaited);
	if (slice->off != NULL)
		put_annotation(f, ANNOTATION_CPU, ANNOTATION_NUMBER, slice->off->cpu);
	if (slice->off != NULL && slice->has_next_cpu)
		put_annotation(f, ANNOTATION_NEXT_CPU, ANNOTATION_NUMBER, slice->off->next_cpu);
	if (slice->taken_by != NO_STREAM)
		put_annotation(f, ANNOTATION_TAKEN_BY, ANNOTATION_NUMBER, f->p->trace->dump.streams[slice->taken_by].number);
}

static void show_state(void *self, const struct state_slice *slice)
{
	struct perfetto_formatting *f = self;
	struct perfetto *p = f->p;
	size_t n_before = f->text->n;
	if (p->measured == NULL && slices_file(&p->slices, slice->begin_ticks) != p->file)
		return;
	uint64_t sequence = perfetto_states_sequence(p, slice->stream);
	proto_number(&f->event, EVENT_TYPE, TYPE_BEGIN);
	proto_number(&f->event, EVENT_NAME_ID, 1 + (uint64_t)slice->state);
	put_state_arguments(f, slice);
	perfetto_put_event(f->text, sequence,
			   perfetto_since(p, slice->begin_ticks, slice->is_first, slice->before_ticks, slice->before_begin_ticks),
			   &f->event);
	put_end(f, sequence, perfetto_ns(p, slice->end_ticks) - perfetto_ns(p, slice->begin_ticks));
	perfetto_measure(p, slice->begin_ticks, f->text->n - n_before);
}

/* Is all of the chunk outside of this file? */
static bool is_elsewhere(const struct perfetto *p, const struct log *log, size_t chunk)
{
	if (p->measured != NULL || p->slices.n_cuts == 0)
		return false;
	bool has_next = chunk + 1 < log->n_chunks;
	return (has_next && slices_file(&p->slices, log->chunks[chunk + 1].begin_ticks) < p->file) ||
	       (!log->chunks[chunk].is_first && slices_file(&p->slices, log->chunks[chunk].begin_ticks) > p->file);
}

void perfetto_format_block(void *self, size_t block, struct buffer *text)
{
	struct perfetto *p = self;
	struct perfetto_formatting f = {.p = p, .text = text};
	struct slices_chunk at = slices_chunk(&p->slices, block);
	const struct slice_stream *stream = &p->slices.streams[at.stream];
	if (is_elsewhere(p, at.has_states ? &stream->states : &stream->slices, at.chunk))
		return;
	int rc = at.has_states ? slices_read_states(&p->slices, at.stream, at.chunk, show_state, &f)
			       : slices_read(&p->slices, at.stream, at.chunk, show_slice, &f);
	if (rc != 0)
		__atomic_store_n(&p->has_failed, true, __ATOMIC_RELAXED); /* read when all blocks are written */
	buffer_free(&f.event);
	buffer_free(&f.annotation);
}

/* ---- Devices ---- */

static void put_queue(const struct perfetto *p, struct buffer *text, uint32_t queue)
{
	const struct model *m = &p->trace->model;
	struct buffer event = {NULL, 0, 0};
	uint64_t last_ns = p->first_ns, sequence = perfetto_queue_sequence(p, queue);
	for (uint32_t i = 0; i < m->queues[queue].n; i++) {
		const struct activity *a = &m->activities[m->queues[queue].first + i];
		uint64_t begin_ns = perfetto_ns(p, a->begin_ticks), end_ns = perfetto_ns(p, a->end_ticks);
		if (slices_file(&p->slices, a->begin_ticks) != p->file || begin_ns < last_ns || end_ns < begin_ns)
			continue;
		proto_number(&event, EVENT_TYPE, TYPE_BEGIN);
		proto_text(&event, EVENT_NAME, slices_activity_name(m, a));
		perfetto_put_event(text, sequence, begin_ns - last_ns, &event);
		proto_number(&event, EVENT_TYPE, TYPE_END);
		perfetto_put_event(text, sequence, end_ns - begin_ns, &event);
		last_ns = end_ns;
	}
	buffer_free(&event);
}

void perfetto_put_queues(const struct perfetto *p, struct buffer *text)
{
	for (uint32_t i = 0; i < p->trace->model.n_queues; i++)
		put_queue(p, text, i);
}

/* ---- Perfetto counters ---- */

/*
 * The counters over time (slices/counters.h) as events. Called by perfetto.c on one thread.
 */

static void put_value(const struct perfetto *p, struct buffer *text, unsigned counter, uint64_t since_ns, double value)
{
	struct buffer event = {NULL, 0, 0};
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	proto_number(&event, EVENT_TYPE, TYPE_COUNTER);
	proto_number(&event, EVENT_TRACK, (uint64_t)(p->trace->process + 1) << 32 | ((UINT64_C(4) << 28) + counter));
	proto_fixed(&event, EVENT_DOUBLE_VALUE, bits);
	perfetto_put_event(text, perfetto_counters_sequence(p), since_ns, &event);
	buffer_free(&event);
}

/* At the end of the last window nothing runs. */
void perfetto_put_counters(const struct perfetto *p, struct buffer *text)
{
	uint64_t last_ns = p->first_ns;
	for (size_t i = 0; i <= p->counters.n_windows && p->counters.n_windows > 0; i++) {
		if (slices_file(&p->slices, p->counters.bounds[i]) != p->file)
			continue;
		uint64_t ns = perfetto_ns(p, p->counters.bounds[i]);
		for (unsigned counter = 0; counter < COUNTERS; counter++) {
			put_value(p, text, counter, ns - last_ns, i < p->counters.n_windows ? p->counters.values[counter][i] : 0);
			last_ns = ns;
		}
	}
}
