/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What building could cost at least: steps of otter-build's work without all that makes its answers right. bench/run
 * (part builder) runs them beside otter-build, on the same dump, and docs/benchmarks.md compares. On as many threads as
 * OMP_NUM_THREADS says; streams are shared out, one after the other.
 *
 *   limits words DUMP          reads each word of each record, and adds them up; of a packed dump: unpacks them
 *   limits pack DUMP           packs each segment, and writes none; of a dump that is not packed
 *   limits tables DUMP         otter-build's own first pass alone: all tables, no replay, no output
 *   limits sketch DUMP         one pass that fills tables of tasks and regions, keeps a stack of scopes for each thread
 *                              and adds up thread states; it knows no quirk, no dependence and no task that moves
 *   limits writer RECORDS DIR  OTF2's writer, fed with constants: as many events as an archive of a Fibonacci with so
 *                              many records has, one location a thread
 *
 * It prints `records=N` and a figure that depends on all that was read, so that no compiler leaves anything out.
 */
#include "builder/dump/reader.h"
#include "builder/gather/gather.h"
#include "common/pack.h"

#include <inttypes.h>
#include <omp.h>
#include <otf2/OTF2_OpenMP_Locks.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *zeroed(size_t n, size_t n_bytes)
{
	void *memory = calloc(n, n_bytes);
	if (memory == NULL)
		abort();
	return memory;
}

/* ---- words ---- */

static uint64_t add_words(const struct stream *stream)
{
	uint64_t sum = 0;
	struct unpacked room = {0};
	for (size_t i = 0; i < stream->n_segments; i++) {
		const struct segment *s = &stream->segments[i];
		const struct record *records = segment_records(s, &room);
		for (uint32_t j = 0; j < s->n_records; j++)
			sum += records[j].time ^ records[j].head ^ records[j].a ^ records[j].b;
		segment_release(s);
	}
	unpacked_free(&room);
	return sum;
}

/* ---- pack ---- */

/* The bytes that the stream has when it is packed. The recorder's segments are whole: their headers lie before the records. */
static uint64_t pack_stream(const struct stream *stream)
{
	uint64_t n_bytes = 0;
	struct pack_memory *memory = zeroed(1, sizeof *memory);
	unsigned char *room = zeroed(1, PACKED_BYTES_MAX(SEGMENT_BYTES_MAX / sizeof(struct record)));
	for (size_t i = 0; i < stream->n_segments; i++) {
		const struct segment *s = &stream->segments[i];
		if (s->records != NULL && s->n_skipped == 0 && s->header->closed != 0)
			n_bytes += pack_segment(memory, (const struct segment_header *)(const void *)s->records - 1, room);
		segment_release(s);
	}
	free(room);
	free(memory);
	return n_bytes;
}

/* ---- sketch ---- */

enum { WORK, WAIT, OVERHEAD, IDLE, N_STATES };

struct made { /* what the creator knows */
	uint64_t ticks;
	uint32_t parent;
	uint16_t construct, flags;
};

struct ran { /* what the thread that runs it knows */
	uint64_t begin_ticks, end_ticks, busy_ticks;
	uint32_t stream;
	uint8_t state;
};

struct place {
	uint64_t enter_ticks;
	uint32_t task;
	uint16_t construct;
	uint8_t around;
	uint8_t is_body; /* of a task or an implicit task, and no construct in it */
};

struct tables {
	const struct dump *dump;
	uint32_t *task_base, *region_base; /* by row of dump.streams */
	struct made *made;
	struct ran *ran;
	uint64_t *joins; /* by region */
};

#define CONSTRUCTS 1024 /* a power of two */

struct sketch {
	const struct tables *tables;
	uint32_t stream, task;
	uint64_t task_id, since_ticks, task_ticks;
	uint64_t states[N_STATES], constructs[CONSTRUCTS], construct_ticks[CONSTRUCTS];
	unsigned state;
	struct place *stack;
	size_t n_stack, capacity;
};

static uint32_t row_of(const struct sketch *s, uint64_t id)
{
	const struct dump *dump = s->tables->dump;
	uint32_t number = id_stream(id);
	if (id == 0 || number >= dump->n_streams || dump->streams[number].number != number)
		return 0;
	return id_counter(id) <= dump->streams[number].max_task ? s->tables->task_base[number] + (uint32_t)id_counter(id) : 0;
}

static uint16_t construct_of(struct sketch *s, uint64_t codeptr, unsigned kind)
{
	uint64_t key = codeptr << 8 | kind;
	size_t i = key * UINT64_C(0x9e3779b97f4a7c15) >> 54;
	while (s->constructs[i] != key && s->constructs[i] != 0)
		i = (i + 1) % CONSTRUCTS;
	s->constructs[i] = key;
	return (uint16_t)i;
}

static void pass(struct sketch *s, unsigned state, uint64_t ticks)
{
	s->states[s->state] += ticks - s->since_ticks;
	s->since_ticks = ticks;
	s->state = state;
}

static void enter(struct sketch *s, uint64_t ticks, uint32_t task, uint16_t construct, bool is_body, unsigned state)
{
	if (s->n_stack == s->capacity) {
		s->capacity = s->capacity * 2 + 64;
		s->stack = realloc(s->stack, s->capacity * sizeof *s->stack);
		if (s->stack == NULL)
			abort();
	}
	s->stack[s->n_stack++] = (struct place){ticks, task, construct, (uint8_t)s->state, is_body};
	pass(s, state, ticks);
}

/* Leaves the innermost place of the current task, and all above it. */
static void leave(struct sketch *s, uint64_t ticks, bool is_body)
{
	size_t n = s->n_stack;
	while (n > 0 && (s->stack[n - 1].task != s->task || s->stack[n - 1].is_body != is_body))
		n--;
	if (n == 0)
		return;
	const struct place *place = &s->stack[n - 1];
	s->construct_ticks[place->construct] += ticks - place->enter_ticks;
	pass(s, place->around, ticks);
	s->n_stack = n - 1;
}

static void switch_to(struct sketch *s, uint32_t task, uint64_t id, uint64_t ticks)
{
	s->tables->ran[s->task].busy_ticks += ticks - s->task_ticks;
	s->task = task;
	s->task_id = id;
	s->task_ticks = ticks;
}

static void create(struct sketch *s, const struct record *r)
{
	uint32_t row = row_of(s, id_make(s->stream, record_value(r)));
	if (row != 0)
		s->tables->made[row] = (struct made){r->time, r->a == s->task_id ? s->task : row_of(s, r->a),
						     construct_of(s, record_create_codeptr(r), EVENT_task_create),
						     (uint16_t)record_create_flags(r)};
}

static void schedule(struct sketch *s, const struct record *r)
{
	unsigned status = record_flags(r);
	uint32_t next = row_of(s, r->b);
	if (next == 0)
		return;
	struct ran *prior = &s->tables->ran[s->task], *ran = &s->tables->ran[next];
	bool is_over = status == task_status_complete || status == task_status_cancel || status == task_status_detach;
	if (is_over) {
		prior->end_ticks = r->time;
		leave(s, r->time, true);
	} else {
		prior->state = (uint8_t)s->state;
	}
	switch_to(s, next, r->b, r->time);
	if (ran->begin_ticks == 0) {
		ran->begin_ticks = r->time;
		ran->stream = s->stream;
		enter(s, r->time, next, s->tables->made[next].construct, true, WORK);
	} else {
		pass(s, ran->state, r->time);
	}
}

static void implicit_begin(struct sketch *s, const struct record *r)
{
	uint64_t id = id_make(s->stream, record_value(r));
	uint32_t row = row_of(s, id);
	switch_to(s, row, id, r->time);
	s->tables->ran[row] = (struct ran){.begin_ticks = r->time, .stream = s->stream};
	enter(s, r->time, row, 0, true, WORK);
}

static void take(struct sketch *s, const struct record *r)
{
	unsigned kind = record_kind(r);
	switch (kind) {
	case EVENT_task_create: create(s, r); break;
	case EVENT_task_schedule: schedule(s, r); break;
	case EVENT_sync_region_begin: enter(s, r->time, s->task, construct_of(s, r->b, kind), false, WAIT); break;
	case EVENT_mutex_acquire: enter(s, r->time, s->task, construct_of(s, r->b, kind), false, WAIT); break;
	case EVENT_mutex_acquired: pass(s, WORK, r->time); break;
	case EVENT_work_begin: enter(s, r->time, s->task, construct_of(s, r->b, kind), false, WORK); break;
	case EVENT_sync_region_end:
	case EVENT_work_end:
	case EVENT_mutex_released: leave(s, r->time, false); break;
	case EVENT_implicit_task_begin: implicit_begin(s, r); break;
	case EVENT_implicit_task_end:
		s->tables->ran[s->task].end_ticks = r->time;
		leave(s, r->time, true);
		switch_to(s, 0, 0, r->time);
		break;
	case EVENT_parallel_begin: pass(s, OVERHEAD, r->time); break;
	case EVENT_parallel_end: {
		uint64_t region = s->tables->region_base[s->stream] + record_value(r);
		s->tables->joins[region] = r->time;
		switch_to(s, row_of(s, r->a), r->a, r->time);
		pass(s, WORK, r->time);
		break;
	}
	default: break;
	}
}

static uint64_t sketch_stream(const struct tables *tables, uint32_t row)
{
	struct sketch *s = zeroed(1, sizeof *s);
	s->tables = tables;
	s->stream = row;
	s->state = IDLE;
	const struct stream *stream = &tables->dump->streams[row];
	uint64_t last_ticks = 0;
	struct unpacked room = {0};
	for (size_t i = 0; i < stream->n_segments; i++) {
		const struct segment *segment = &stream->segments[i];
		const struct record *records = segment_records(segment, &room);
		for (uint32_t j = 0; j < segment->n_records; j++) {
			if (record_is_continuation(&records[j]))
				continue;
			struct record r = records[j];
			last_ticks = r.time = r.time < last_ticks ? last_ticks : r.time; /* times never decrease */
			if (s->since_ticks == 0)
				s->since_ticks = s->task_ticks = r.time;
			take(s, &r);
		}
		segment_release(segment);
	}
	unpacked_free(&room);
	uint64_t sum = 0;
	for (size_t i = 0; i < N_STATES; i++)
		sum += s->states[i];
	free(s->stack);
	free(s);
	return sum;
}

static struct tables make_tables(const struct dump *dump)
{
	struct tables t = {.dump = dump};
	uint64_t n_tasks = 0, n_regions = 0;
	t.task_base = zeroed(dump->n_streams + 1, sizeof *t.task_base);
	t.region_base = zeroed(dump->n_streams + 1, sizeof *t.region_base);
	for (size_t i = 0; i < dump->n_streams; i++) {
		t.task_base[i] = (uint32_t)n_tasks;
		t.region_base[i] = (uint32_t)n_regions;
		n_tasks += dump->streams[i].max_task;
		n_regions += dump->streams[i].max_region;
	}
	t.made = zeroed(n_tasks + 1, sizeof *t.made);
	t.ran = zeroed(n_tasks + 1, sizeof *t.ran);
	t.joins = zeroed(n_regions + 1, sizeof *t.joins);
	return t;
}

/* ---- By stream ---- */

static uint64_t each_stream(const struct dump *dump, bool is_sketch, bool is_pack)
{
	struct tables tables = {0};
	uint64_t sum = 0;
	if (is_sketch)
		tables = make_tables(dump);
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum)
	for (uint32_t i = 0; i < dump->n_streams; i++)
		sum += is_sketch ? sketch_stream(&tables, i)
		       : is_pack ? pack_stream(&dump->streams[i])
				 : add_words(&dump->streams[i]);
	return sum; /* the tables live until the process ends, as the outputs of otter-build would need them */
}

static int read_dump(const char *what, const char *path)
{
	struct dump dump;
	struct model model = {0};
	if (dump_open(&dump, path) != 0)
		return 1;
	uint64_t sum = 0;
	if (strcmp(what, "tables") != 0)
		sum = each_stream(&dump, strcmp(what, "sketch") == 0, strcmp(what, "pack") == 0);
	else if (model_gather(&model, &dump, false) != 0)
		return 1;
	printf("records=%" PRIu64 " %s=%" PRIu64 "\n", dump.n_records, strcmp(what, "pack") == 0 ? "bytes" : "sum",
	       sum + model.n_tasks);
	return 0;
}

/* ---- writer ---- */

/* A location's buffer: two chunks, which it has for itself. */
struct chunks {
	unsigned n_used, n_made;
	void *chunks[2];
};

static OTF2_FlushType flush(void *self, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool is_final)
{
	(void)self, (void)type, (void)location, (void)caller, (void)is_final;
	return OTF2_FLUSH;
}

static void *get_chunk(void *self, OTF2_FileType type, OTF2_LocationRef location, void **buffer, uint64_t n_bytes)
{
	(void)self, (void)type, (void)location;
	if (*buffer == NULL)
		*buffer = zeroed(1, sizeof(struct chunks));
	struct chunks *c = *buffer;
	if (c->n_used == 2)
		return NULL;
	if (c->n_used == c->n_made)
		c->chunks[c->n_made++] = zeroed(1, n_bytes);
	return c->chunks[c->n_used++];
}

static void give_back(void *self, OTF2_FileType type, OTF2_LocationRef location, void **buffer, bool is_final)
{
	(void)self, (void)type, (void)location, (void)is_final;
	if (*buffer != NULL)
		((struct chunks *)*buffer)->n_used = 0;
}

/* A Fibonacci: four records, and nine events, for two tasks in three; a taskwait every second one. */
static uint64_t write_location(OTF2_EvtWriter *w, uint64_t n_tasks)
{
	uint64_t ticks = UINT64_C(1) << 40, n = 0;
	for (uint32_t i = 1; i <= n_tasks; i++) {
		ticks += 26;
		n += OTF2_EvtWriter_Enter(w, NULL, ticks, 4) == OTF2_SUCCESS;
		n += OTF2_EvtWriter_ThreadTaskCreate(w, NULL, ticks, 1, 0, i) == OTF2_SUCCESS;
		n += OTF2_EvtWriter_Leave(w, NULL, ticks, 4) == OTF2_SUCCESS;
		ticks += 130;
		n += OTF2_EvtWriter_ThreadTaskSwitch(w, NULL, ticks, 1, 0, i) == OTF2_SUCCESS;
		n += OTF2_EvtWriter_Enter(w, NULL, ticks, 3) == OTF2_SUCCESS;
		if (i % 2 != 0) {
			n += OTF2_EvtWriter_Enter(w, NULL, ticks += 130, 6) == OTF2_SUCCESS;
			n += OTF2_EvtWriter_Leave(w, NULL, ticks += 26, 6) == OTF2_SUCCESS;
		}
		n += OTF2_EvtWriter_Leave(w, NULL, ticks, 3) == OTF2_SUCCESS;
		n += OTF2_EvtWriter_ThreadTaskComplete(w, NULL, ticks, 1, 0, i) == OTF2_SUCCESS;
		n += OTF2_EvtWriter_ThreadTaskSwitch(w, NULL, ticks, 1, 0, i - 1) == OTF2_SUCCESS;
	}
	return n;
}

static int write_constants(uint64_t n_records, const char *directory)
{
	static const OTF2_FlushCallbacks flushes = {flush, NULL};
	static const OTF2_MemoryCallbacks memory = {get_chunk, give_back};
	enum { CHUNK_BYTES = 256 << 10, DEFINITIONS_BYTES = 4 << 20 };
	OTF2_Archive *archive = OTF2_Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE, CHUNK_BYTES, DEFINITIONS_BYTES,
						  OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	if (archive == NULL)
		return 1;
	OTF2_Archive_SetFlushCallbacks(archive, &flushes, NULL);
	OTF2_Archive_SetMemoryCallbacks(archive, &memory, NULL);
	OTF2_Archive_SetSerialCollectiveCallbacks(archive);
	OTF2_OpenMP_Archive_SetLockingCallbacks(archive);
	OTF2_Archive_OpenEvtFiles(archive);
	uint64_t n_events = 0, n_locations = (uint64_t)omp_get_max_threads(), n_tasks = n_records / 4 / n_locations;
#pragma omp parallel for reduction(+ : n_events)
	for (uint64_t i = 0; i < n_locations; i++) {
		OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(archive, i);
		n_events += write_location(w, n_tasks);
		OTF2_Archive_CloseEvtWriter(archive, w);
	}
	OTF2_Archive_CloseEvtFiles(archive);
	bool is_closed = OTF2_Archive_Close(archive) == OTF2_SUCCESS;
	printf("records=%" PRIu64 " events=%" PRIu64 "\n", n_tasks * n_locations * 4, n_events);
	return is_closed ? 0 : 1;
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "writer") == 0)
		return write_constants(strtoull(argv[2], NULL, 10), argv[3]);
	bool is_known = argc == 3 && (strcmp(argv[1], "words") == 0 || strcmp(argv[1], "pack") == 0 ||
				      strcmp(argv[1], "tables") == 0 || strcmp(argv[1], "sketch") == 0);
	if (!is_known) {
		fprintf(stderr, "usage: limits words|pack|tables|sketch DUMP, or limits writer RECORDS DIR\n");
		return 2;
	}
	return read_dump(argv[1], argv[2]);
}
