/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The packets at the begin of a file, and of each process in it, so that a file can be read without another one: clocks,
 * tracks, and the names that events have numbers for. Runs on one thread.
 */
#include "builder/timeline/perfetto.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"

#include <inttypes.h>

void proto_text(struct buffer *message, unsigned field, const char *text)
{
	char *copy = text_utf8(text);
	proto_bytes(message, field, copy, strlen(copy));
	free(copy);
}

static void put_packet(struct buffer *text, struct buffer *packet)
{
	proto_message(text, TRACE_PACKET, packet);
}

static void put_clock(struct buffer *snapshot, unsigned id, uint64_t ns, bool is_incremental)
{
	struct buffer clock = {NULL, 0, 0};
	proto_number(&clock, CLOCK_ID, id);
	proto_number(&clock, CLOCK_TIMESTAMP, ns);
	if (is_incremental)
		proto_number(&clock, CLOCK_IS_INCREMENTAL, 1);
	proto_message(snapshot, SNAPSHOT_CLOCK, &clock);
	buffer_free(&clock);
}

/* Times are those of the real-time clock: it is the one that processes on several hosts have in common. */
void perfetto_put_head(const struct perfetto *p, struct buffer *text)
{
	struct buffer packet = {NULL, 0, 0}, snapshot = {NULL, 0, 0};
	put_clock(&snapshot, CLOCK_REALTIME_ID, p->first_ns, false);
	put_clock(&snapshot, CLOCK_MONOTONIC_ID, p->first_monotonic_ns, false);
	proto_number(&snapshot, SNAPSHOT_PRIMARY, CLOCK_REALTIME_ID);
	proto_message(&packet, PACKET_CLOCK_SNAPSHOT, &snapshot);
	put_packet(text, &packet);
	buffer_free(&packet);
	buffer_free(&snapshot);
}

/* ---- Sequences ---- */

/* The clock of a sequence counts from packet to packet, from the same time in all of them. */
static void put_sequence_clock(const struct perfetto *p, struct buffer *text, uint64_t sequence)
{
	struct buffer packet = {NULL, 0, 0}, snapshot = {NULL, 0, 0};
	put_clock(&snapshot, CLOCK_REALTIME_ID, p->first_ns, false);
	put_clock(&snapshot, CLOCK_OF_SEQUENCE, p->first_ns, true);
	proto_message(&packet, PACKET_CLOCK_SNAPSHOT, &snapshot);
	proto_number(&packet, PACKET_SEQUENCE, sequence);
	put_packet(text, &packet);
	buffer_free(&packet);
	buffer_free(&snapshot);
}

static void intern(struct buffer *data, unsigned field, uint64_t id, const char *name)
{
	struct buffer entry = {NULL, 0, 0};
	proto_number(&entry, INTERNED_ID, id);
	proto_text(&entry, INTERNED_NAME, name);
	proto_message(data, field, &entry);
	buffer_free(&entry);
}

/* Writes the names in `data`, which is empty then, and the default track of events. */
static void put_sequence(const struct perfetto *p, struct buffer *text, uint64_t sequence, uint64_t track, struct buffer *data)
{
	struct buffer packet = {NULL, 0, 0}, defaults = {NULL, 0, 0}, event = {NULL, 0, 0};
	put_sequence_clock(p, text, sequence);
	proto_number(&packet, PACKET_SEQUENCE, sequence);
	proto_number(&packet, PACKET_SEQUENCE_FLAGS, SEQUENCE_CLEARED);
	proto_message(&packet, PACKET_INTERNED_DATA, data);
	proto_number(&event, DEFAULT_TRACK, track);
	proto_number(&defaults, DEFAULTS_TIMESTAMP_CLOCK, CLOCK_OF_SEQUENCE);
	proto_message(&defaults, DEFAULTS_TRACK_EVENT, &event);
	proto_message(&packet, PACKET_DEFAULTS, &defaults);
	put_packet(text, &packet);
	buffer_free(&packet);
	buffer_free(&defaults);
	buffer_free(&event);
}

/* The places of all constructs. */
static void intern_places(const struct model *m, struct buffer *data)
{
	struct buffer place = {NULL, 0, 0};
	for (uint32_t i = 0; i < m->n_constructs; i++) {
		const struct construct *c = &m->constructs[i];
		if (!perfetto_has_place(c))
			continue;
		proto_number(&place, INTERNED_ID, 1 + (uint64_t)i);
		if (c->file != NULL && c->file[0] != '\0')
			proto_text(&place, PLACE_FILE, c->file);
		if (c->function != NULL && c->function[0] != '\0')
			proto_text(&place, PLACE_FUNCTION, c->function);
		if (c->line != 0)
			proto_number(&place, PLACE_LINE, c->line);
		proto_message(data, INTERNED_PLACE, &place);
	}
	buffer_free(&place);
}

static void intern_slices(const struct perfetto *p, struct buffer *data)
{
	const struct model *m = &p->trace->model;
	intern(data, INTERNED_EVENT_NAME, NAME_LOST, "records missing");
	for (unsigned kind = 0; kind < NODE_KINDS; kind++)
		intern(data, INTERNED_EVENT_NAME, NAME_KIND + kind, node_kind_name(kind));
	for (unsigned kind = 0; kind < CONSTRUCT_KINDS; kind++)
		intern(data, INTERNED_CATEGORY, 1 + (uint64_t)kind, construct_kind_name(kind));
	for (uint32_t i = 0; i < m->n_constructs; i++)
		if (perfetto_has_label(&m->constructs[i]))
			intern(data, INTERNED_EVENT_NAME, NAME_CONSTRUCT + (uint64_t)i, m->constructs[i].label);
	intern(data, INTERNED_ANNOTATION_NAME, ANNOTATION_NODE, "node");
	intern(data, INTERNED_ANNOTATION_NAME, ANNOTATION_CUT, "end not recorded");
	intern(data, INTERNED_ANNOTATION_NAME, ANNOTATION_READY, "ready_ns");
	intern_places(m, data);
}

static void intern_states(const struct perfetto *p, struct buffer *data)
{
	const struct model *m = &p->trace->model;
	for (unsigned state = 0; state < STATES; state++)
		intern(data, INTERNED_EVENT_NAME, 1 + state, state_name(state));
	for (uint32_t i = 0; i < m->n_constructs; i++)
		if (perfetto_has_label(&m->constructs[i]))
			intern(data, INTERNED_ANNOTATION_TEXT, 1 + (uint64_t)i, m->constructs[i].label);
	intern(data, INTERNED_ANNOTATION_NAME, ANNOTATION_LABEL, "label");
	intern(data, INTERNED_ANNOTATION_NAME, ANNOTATION_AWAITED, "awaited");
	intern(data, INTERNED_ANNOTATION_NAME, ANNOTATION_CPU, "cpu");
	intern(data, INTERNED_ANNOTATION_NAME, ANNOTATION_NEXT_CPU, "next_cpu");
	intern(data, INTERNED_ANNOTATION_NAME, ANNOTATION_TAKEN_BY, "taken_by");
	intern_places(m, data);
}

/* ---- Tracks ---- */

/* Numbers of tracks: the process's, and below it those of its threads, their states, device queues and counters. */
enum { TRACKS_THREADS = 1 << 28, TRACKS_STATES = 2 << 28, TRACKS_QUEUES = 3 << 28, TRACKS_COUNTERS = 4 << 28 };

static uint64_t track_number(const struct perfetto *p, uint64_t number)
{
	return (uint64_t)(p->trace->process + 1) << 32 | number;
}

static void put_track(struct buffer *text, struct buffer *track)
{
	struct buffer packet = {NULL, 0, 0};
	proto_message(&packet, PACKET_TRACK_DESCRIPTOR, track);
	put_packet(text, &packet);
	buffer_free(&packet);
}

/* Processes of several hosts may have the same process id: its number in the run stands for it. */
static void put_process_track(const struct perfetto *p, struct buffer *text)
{
	const struct meta *meta = &p->trace->dump.meta;
	const char *slash = strrchr(meta->program, '/'), *program = slash != NULL ? slash + 1 : meta->program;
	struct buffer track = {NULL, 0, 0}, process = {NULL, 0, 0};
	char *name = text_format("%s, process %" PRIu32 " (pid %ld on %s)", program, p->trace->process, meta->pid, meta->host);
	proto_number(&track, TRACK_UUID, track_number(p, 0));
	proto_number(&process, PROCESS_PID, p->trace->process + (uint64_t)1);
	for (size_t i = 0; i < meta->n_args; i++)
		proto_text(&process, PROCESS_CMDLINE, meta->args[i]);
	proto_text(&process, PROCESS_NAME, name);
	proto_message(&track, TRACK_PROCESS, &process);
	put_track(text, &track);
	buffer_free(&track);
	buffer_free(&process);
	free(name);
}

/* A thread, and its states in a track below its own. */
static void put_thread_tracks(const struct perfetto *p, struct buffer *text, size_t stream)
{
	struct buffer track = {NULL, 0, 0}, thread = {NULL, 0, 0}, data = {NULL, 0, 0};
	uint32_t number = p->trace->dump.streams[stream].number;
	char *name = text_format(p->trace->model.n_units != 0 ? "stream %" PRIu32 : "thread %" PRIu32, number);
	proto_number(&track, TRACK_UUID, track_number(p, TRACKS_THREADS + stream));
	proto_number(&thread, THREAD_PID, p->trace->process + (uint64_t)1);
	proto_number(&thread, THREAD_TID, (1u << 23) + p->n_threads + stream); /* above all process ids */
	proto_text(&thread, THREAD_NAME, name);
	proto_message(&track, TRACK_THREAD, &thread);
	proto_number(&track, TRACK_PARENT, track_number(p, 0));
	put_track(text, &track);
	proto_number(&track, TRACK_UUID, track_number(p, TRACKS_STATES + stream));
	proto_text(&track, TRACK_NAME, "state");
	proto_number(&track, TRACK_PARENT, track_number(p, TRACKS_THREADS + stream));
	put_track(text, &track);
	intern_slices(p, &data);
	put_sequence(p, text, perfetto_slices_sequence(p, stream), track_number(p, TRACKS_THREADS + stream), &data);
	intern_states(p, &data);
	put_sequence(p, text, perfetto_states_sequence(p, stream), track_number(p, TRACKS_STATES + stream), &data);
	buffer_free(&track);
	buffer_free(&thread);
	buffer_free(&data);
	free(name);
}

static void put_queue_track(const struct perfetto *p, struct buffer *text, size_t queue)
{
	const struct queue *q = &p->trace->model.queues[queue];
	struct buffer track = {NULL, 0, 0}, data = {NULL, 0, 0};
	char *name = text_format("device %" PRId32 " queue %zu", q->device, queue);
	proto_number(&track, TRACK_UUID, track_number(p, TRACKS_QUEUES + queue));
	proto_text(&track, TRACK_NAME, name);
	proto_number(&track, TRACK_PARENT, track_number(p, 0));
	put_track(text, &track);
	put_sequence(p, text, perfetto_queue_sequence(p, queue), track_number(p, TRACKS_QUEUES + queue), &data);
	buffer_free(&track);
	buffer_free(&data);
	free(name);
}

static void put_counter_tracks(const struct perfetto *p, struct buffer *text)
{
	static const struct {
		const char *name, *unit;
	} counters[COUNTERS] = {[COUNTER_RUNNING] = {"running", "threads"},
				[COUNTER_READY] = {"ready", "tasks"},
				[COUNTER_WAITING] = {"waiting", "threads"}};
	struct buffer track = {NULL, 0, 0}, counter = {NULL, 0, 0}, data = {NULL, 0, 0};
	for (unsigned i = 0; i < COUNTERS; i++) {
		proto_number(&track, TRACK_UUID, track_number(p, TRACKS_COUNTERS + (uint64_t)i));
		proto_text(&track, TRACK_NAME, counters[i].name);
		proto_number(&track, TRACK_PARENT, track_number(p, 0));
		proto_text(&counter, COUNTER_UNIT_NAME, counters[i].unit);
		proto_message(&track, TRACK_COUNTER, &counter);
		put_track(text, &track);
	}
	put_sequence(p, text, perfetto_counters_sequence(p), track_number(p, TRACKS_COUNTERS), &data);
	buffer_free(&track);
	buffer_free(&counter);
	buffer_free(&data);
}

void perfetto_put_process(const struct perfetto *p, struct buffer *text)
{
	put_process_track(p, text);
	for (size_t i = 0; i < p->trace->dump.n_streams; i++)
		put_thread_tracks(p, text, i);
	for (uint32_t i = 0; i < p->trace->model.n_queues; i++)
		put_queue_track(p, text, i);
	if (p->counters.n_windows > 0)
		put_counter_tracks(p, text);
}

/* ---- Events ---- */

void perfetto_put_event(struct buffer *text, uint64_t sequence, uint64_t since_ns, struct buffer *event)
{
	char head[8 * VARINT_MAX], *at = head;
	at = varint_put(varint_put(at, PACKET_TIMESTAMP << 3), since_ns);
	at = varint_put(varint_put(at, PACKET_SEQUENCE << 3), sequence);
	at = varint_put(varint_put(at, PACKET_SEQUENCE_FLAGS << 3), SEQUENCE_NEEDS_STATE);
	at = varint_put(varint_put(at, PACKET_TRACK_EVENT << 3 | 2), event->n);
	size_t n_head = (size_t)(at - head);
	char *out = buffer_room(text, 2 * VARINT_MAX + n_head + event->n);
	out = varint_put(varint_put(out, TRACE_PACKET << 3 | 2), n_head + event->n);
	out = text_put(out, head, n_head);
	buffer_end_at(text, text_put(out, event->bytes, event->n));
	event->n = 0;
}

uint64_t perfetto_since(const struct perfetto *p, uint64_t ticks, bool is_first, uint64_t before_ticks, uint64_t before_begin_ticks)
{
	bool is_new = is_first || slices_file(&p->slices, before_begin_ticks) != p->file;
	uint64_t since_ns = is_new ? p->first_ns : perfetto_ns(p, before_ticks), ns = perfetto_ns(p, ticks);
	return ns > since_ns ? ns - since_ns : 0;
}
