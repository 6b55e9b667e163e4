/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The events of trace.json: an object a line. Times are microseconds with three digits after the point, so that nothing of
 * a nanosecond is lost; they are put together here, as there are millions, and names go through jansson. Runs on several
 * threads, the rest on one.
 */
#include "builder/timeline/chrome.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

char *chrome_json(const char *text)
{
	char *valid = text_utf8(text != NULL ? text : "");
	json_t *string = json_string(valid);
	char *json = string != NULL ? json_dumps(string, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;
	if (json == NULL)
		memory_fail(0, "trace.json");
	json_decref(string);
	free(valid);
	return json;
}

/* ---- Pieces ---- */

/* Rows of a process: one for its counters, two for each thread, one for each queue of a device. */
static uint64_t task_row(size_t stream)
{
	return 1 + 2 * (uint64_t)stream;
}

static uint64_t state_row(size_t stream)
{
	return 2 + 2 * (uint64_t)stream;
}

static uint64_t queue_row(const struct chrome *c, size_t queue)
{
	return 1 + 2 * (uint64_t)c->trace->dump.n_streams + queue;
}

/* Since the begin of the run. Clocks of processes may differ, so that one begins before the first. */
static uint64_t since(const struct chrome *c, uint64_t ticks)
{
	uint64_t ns = c->trace->dump.first_realtime_ns + dump_ns(&c->trace->dump, ticks);
	return ns > c->first_ns ? ns - c->first_ns : 0;
}

static void put_number(struct buffer *text, const char *name, uint64_t number)
{
	buffer_put_text(text, name);
	buffer_put_decimal(text, number);
}

static void put_us(struct buffer *text, const char *name, uint64_t ns)
{
	put_number(text, name, ns / 1000);
	const char fraction[] = {'.', (char)('0' + ns / 100 % 10), (char)('0' + ns / 10 % 10), (char)('0' + ns % 10)};
	buffer_put(text, fraction, sizeof fraction);
}

/* Begins an event, up to its time; the caller adds the rest and closes the brace. */
static void begin_event(const struct chrome *c, struct buffer *text, const char *phase, uint64_t row, uint64_t ns)
{
	buffer_put_text(text, ",\n{\"ph\":\"");
	buffer_put_text(text, phase);
	put_number(text, "\",\"pid\":", c->trace->process + (uint64_t)1);
	put_number(text, ",\"tid\":", row);
	put_us(text, ",\"ts\":", ns);
}

static void put_json_name(struct buffer *text, const char *json)
{
	buffer_put_text(text, ",\"name\":");
	buffer_put_text(text, json);
}

static void put_word(struct buffer *text, const char *name, const char *word)
{
	buffer_put_text(text, name);
	buffer_put_text(text, "\"");
	buffer_put_text(text, word);
	buffer_put_text(text, "\"");
}

/* ---- Names ---- */

static void put_json(struct buffer *text, const char *name, const char *value)
{
	if (value == NULL || value[0] == '\0')
		return;
	char *json = chrome_json(value);
	buffer_put_text(text, name);
	buffer_put_text(text, json);
	free(json);
}

char *chrome_place(const struct construct *construct)
{
	struct buffer text = {NULL, 0, 0};
	if (construct->kind != CONSTRUCT_UNKNOWN)
		put_word(&text, ",\"kind\":", construct_kind_name(construct->kind));
	put_json(&text, ",\"file\":", construct->file);
	if (construct->line != 0)
		put_number(&text, ",\"line\":", construct->line);
	put_json(&text, ",\"function\":", construct->function);
	buffer_put(&text, "", 1);
	return text.bytes;
}

static void put_name(const struct chrome *c, struct buffer *text, const char *what, uint64_t row, char *name)
{
	char *json = chrome_json(name);
	begin_event(c, text, "M", row, 0);
	put_word(text, ",\"name\":", what);
	buffer_put_text(text, ",\"args\":{\"name\":");
	buffer_put_text(text, json);
	buffer_put_text(text, "}}");
	free(json);
	free(name);
}

static void put_order(const struct chrome *c, struct buffer *text, const char *what, uint64_t row, uint64_t order)
{
	begin_event(c, text, "M", row, 0);
	put_word(text, ",\"name\":", what);
	put_number(text, ",\"args\":{\"sort_index\":", order);
	buffer_put_text(text, "}}");
}

static void put_row_name(const struct chrome *c, struct buffer *text, uint64_t row, char *name)
{
	put_name(c, text, "thread_name", row, name);
	put_order(c, text, "thread_sort_index", row, row);
}

void chrome_put_names(const struct chrome *c, struct buffer *text)
{
	const struct meta *meta = &c->trace->dump.meta;
	const struct model *m = &c->trace->model;
	const char *slash = strrchr(meta->program, '/'), *program = slash != NULL ? slash + 1 : meta->program;
	put_name(c, text, "process_name", 0,
		 text_format("%s, process %" PRIu32 " (pid %ld on %s)", program, c->trace->process, meta->pid, meta->host));
	put_order(c, text, "process_sort_index", 0, c->trace->process);
	for (size_t i = 0; i < c->trace->dump.n_streams; i++) {
		const char *what = m->n_units != 0 ? "stream" : "thread";
		uint32_t number = c->trace->dump.streams[i].number;
		put_row_name(c, text, task_row(i), text_format("%s %" PRIu32, what, number));
		put_row_name(c, text, state_row(i), text_format("%s %" PRIu32 ", state", what, number));
	}
	for (uint32_t i = 0; i < m->n_queues; i++)
		put_row_name(c, text, queue_row(c, i), text_format("device %" PRId32 " queue %" PRIu32, m->queues[i].device, i));
}

/* At the end of the last window nothing runs. */
void chrome_put_counters(const struct chrome *c, struct buffer *text)
{
	static const char *const names[COUNTERS] = {
		[COUNTER_RUNNING] = "running", [COUNTER_READY] = "ready", [COUNTER_WAITING] = "waiting"};
	const struct counters *counters = &c->counters;
	for (size_t i = 0; i <= counters->n_windows && counters->n_windows > 0; i++)
		for (unsigned counter = 0; counter < COUNTERS; counter++) {
			char value[64];
			snprintf(value, sizeof value, "%.9g", i < counters->n_windows ? counters->values[counter][i] : 0.0);
			begin_event(c, text, "C", 0, since(c, counters->bounds[i]));
			put_word(text, ",\"name\":", names[counter]);
			buffer_put_text(text, counter == COUNTER_READY ? ",\"args\":{\"tasks\":" : ",\"args\":{\"threads\":");
			buffer_put_text(text, value);
			buffer_put_text(text, "}}");
		}
}

/* ---- Slices ---- */

struct chrome_formatting {
	struct chrome *c;
	struct buffer *text;
};

static void put_item_name(const struct chrome *c, struct buffer *text, uint32_t item)
{
	const char *json = item != ITEM_LOST ? c->construct_names[slices_construct(&c->slices, item)] : NULL;
	if (json != NULL)
		put_json_name(text, json);
	else
		put_word(text, ",\"name\":", slices_name(&c->slices, item));
}

/* One end of each flow, at a time within the slice. */
static void put_flows(const struct chrome *c, struct buffer *text, const char *phase, uint64_t row, uint64_t ns,
		      const uint64_t *ids, size_t n)
{
	static const char *const kinds[] = {
		[FLOW_CREATE] = "create", [FLOW_DEPEND] = "depend", [FLOW_WAKE] = "wake", [FLOW_RELEASE] = "release"};
	for (size_t i = 0; i < n; i++) {
		begin_event(c, text, phase, row, ns);
		put_word(text, ",\"cat\":", kinds[ids[i] & 3]);
		put_word(text, ",\"name\":", kinds[ids[i] & 3]);
		buffer_put_text(text, ",\"id\":\"0x");
		buffer_put_hex(text, ids[i]);
		buffer_put_text(text, *phase == 'f' ? "\",\"bp\":\"e\"}" : "\"}");
	}
}

/* Makes what follows `begin`, arguments with a comma before each, the event's arguments. */
static void enclose_arguments(struct buffer *text, size_t begin)
{
	static const char head[] = ",\"args\":{";
	if (text->n == begin)
		return;
	buffer_room(text, sizeof head);
	memmove(text->bytes + begin + sizeof head - 1, text->bytes + begin + 1, text->n - begin - 1);
	memcpy(text->bytes + begin, head, sizeof head - 1);
	text->n += sizeof head - 2;
	buffer_put_text(text, "}");
}

static void put_arguments(const struct chrome *c, struct buffer *text, const struct slice *slice)
{
	uint64_t ready_ns, node = slice->item == ITEM_LOST ? 0 : slices_node(&c->slices, slice->item);
	size_t begin = text->n;
	if (node != 0)
		put_number(text, ",\"node\":", node);
	buffer_put_text(text, c->construct_places[slices_construct(&c->slices, slice->item)]);
	if (slices_ready_ns(&c->slices, slice, &ready_ns))
		put_number(text, ",\"ready_ns\":", ready_ns);
	if (slice->is_cut)
		buffer_put_text(text, ",\"end not recorded\":true");
	enclose_arguments(text, begin);
}

static void put_label(const struct chrome *c, struct buffer *text, const char *name, uint32_t construct)
{
	if (construct == 0 || c->construct_names[construct] == NULL)
		return;
	buffer_put_text(text, name);
	buffer_put_text(text, c->construct_names[construct]);
}

/* Where a thread waits, and what for; which processor it has lost, and which one it got then. */
static void put_state_arguments(const struct chrome *c, struct buffer *text, const struct state_slice *slice)
{
	size_t begin = text->n;
	put_label(c, text, ",\"label\":", slice->construct);
	buffer_put_text(text, c->construct_places[slice->construct]);
	put_label(c, text, ",\"awaited\":", slice->awaited);
	if (slice->off != NULL)
		put_number(text, ",\"cpu\":", slice->off->cpu);
	if (slice->off != NULL && slice->has_next_cpu)
		put_number(text, ",\"next_cpu\":", slice->off->next_cpu);
	if (slice->taken_by != NO_STREAM)
		put_number(text, ",\"taken_by\":", c->trace->dump.streams[slice->taken_by].number);
	enclose_arguments(text, begin);
}

/*
 * Flows begin and end where their slice begins: readers attach only events within a slice to it, and the next slice may
 * begin where one ends.
 */
static void show_slice(void *self, const struct slice *slice)
{
	const struct chrome_formatting *f = self;
	const struct chrome *c = f->c;
	struct buffer *text = f->text;
	uint64_t row = task_row(slice->stream), begin_ns = since(c, slice->begin_ticks), ns = since(c, slice->ticks);
	if (slice->piece == SLICE_END) {
		begin_event(c, text, "E", row, ns);
		buffer_put_text(text, "}");
		return;
	}
	if (slice->piece == SLICE_MORE) {
		put_flows(c, text, "s", row, ns, slice->starts, slice->n_starts);
		return;
	}
	begin_event(c, text, slice->piece == SLICE_WHOLE ? "X" : "B", row, begin_ns);
	if (slice->piece == SLICE_WHOLE)
		put_us(text, ",\"dur\":", ns - begin_ns);
	put_item_name(c, text, slice->item);
	put_word(text, ",\"cat\":", slice->item == ITEM_LOST ? "lost" : node_kind_name(slices_kind(&c->slices, slice->item)));
	put_arguments(c, text, slice);
	buffer_put_text(text, "}");
	put_flows(c, text, "s", row, begin_ns, slice->starts, slice->n_starts);
	put_flows(c, text, "f", row, begin_ns, slice->ends, slice->n_ends);
}

static void show_state(void *self, const struct state_slice *slice)
{
	const struct chrome_formatting *f = self;
	uint64_t begin_ns = since(f->c, slice->begin_ticks);
	begin_event(f->c, f->text, "X", state_row(slice->stream), begin_ns);
	put_us(f->text, ",\"dur\":", since(f->c, slice->end_ticks) - begin_ns);
	put_word(f->text, ",\"name\":", state_name(slice->state));
	buffer_put_text(f->text, ",\"cat\":\"state\"");
	put_state_arguments(f->c, f->text, slice);
	buffer_put_text(f->text, "}");
}

void chrome_format_block(void *self, size_t block, struct buffer *text)
{
	struct chrome *c = self;
	struct chrome_formatting f = {c, text};
	struct slices_chunk at = slices_chunk(&c->slices, block);
	int rc = at.has_states ? slices_read_states(&c->slices, at.stream, at.chunk, show_state, &f)
			       : slices_read(&c->slices, at.stream, at.chunk, show_slice, &f);
	if (rc != 0)
		__atomic_store_n(&c->has_failed, true, __ATOMIC_RELAXED); /* read when all blocks are written */
}

/* ---- Devices ---- */

void chrome_put_queues(const struct chrome *c, struct buffer *text)
{
	const struct model *m = &c->trace->model;
	for (uint32_t i = 0; i < m->n_queues; i++)
		for (uint32_t j = 0; j < m->queues[i].n; j++) {
			const struct activity *a = &m->activities[m->queues[i].first + j];
			if (a->end_ticks < a->begin_ticks)
				continue;
			char *json = chrome_json(slices_activity_name(m, a));
			uint64_t begin_ns = since(c, a->begin_ticks);
			begin_event(c, text, "X", queue_row(c, i), begin_ns);
			put_us(text, ",\"dur\":", since(c, a->end_ticks) - begin_ns);
			put_json_name(text, json);
			buffer_put_text(text, ",\"cat\":\"device\"}");
			free(json);
		}
}
