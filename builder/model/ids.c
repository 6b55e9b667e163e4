/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Determines which ids have rows, and finds rows by id (ids.h). One thread.
 */
#include "builder/model/ids.h"
#include "builder/support/array.h"
#include "builder/model/tables.h"
#include "builder/support/lower_bound.h"
#include "builder/support/sort.h"

#include <string.h>

#define COUNTER_BITS 44

size_t model_stream_row(const struct dump *dump, uint32_t number)
{
	size_t low = lower_bound(i, 0, dump->n_streams, dump->streams[i].number < number);
	return low < dump->n_streams && dump->streams[low].number == number ? low : dump->n_streams;
}

/* A stream has rows for all its ids unless it gave far more ids than it has records. */
static bool is_dense(uint64_t n_ids, const struct stream *s)
{
	return n_ids <= 4 * s->n_records + 64;
}

/* ---- The ids that records name ---- */

/* Which fields of a kind of records are ids. */
struct id_fields {
	bool is_known;
	unsigned n;
	struct {
		const struct event_field *field;
		bool is_region;
	} fields[4];
};

struct id_lists {
	const struct dump *dump;
	const struct id_rows *rows[2]; /* [0]: of tasks, [1]: of regions; the same for `lists` */
	struct list {
		uint64_t *keys;
		size_t n, capacity;
	} lists[2];
	struct id_fields kinds[EVENT_KIND_LIMIT];
};

static const struct id_fields *fields_of(struct id_lists *names, unsigned kind)
{
	struct id_fields *known = &names->kinds[kind];
	unsigned n = 0;
	const struct event_field *fields = known->is_known ? NULL : event_fields(kind, &n);
	known->is_known = true;
	for (unsigned i = 0; i < n && known->n < 4; i++) {
		bool is_task = strcmp(fields[i].type, "TASK") == 0 || strcmp(fields[i].type, "OWN_TASK") == 0;
		bool is_region = strcmp(fields[i].type, "REGION") == 0 || strcmp(fields[i].type, "OWN_REGION") == 0;
		if (is_task || is_region) {
			known->fields[known->n].field = &fields[i];
			known->fields[known->n++].is_region = is_region;
		}
	}
	return known;
}

/* Keeps an id that a record names, if its stream gave it and is not dense. */
static void name(struct id_lists *names, bool is_region, uint64_t id)
{
	const struct dump *dump = names->dump;
	struct list *list = &names->lists[is_region];
	uint64_t counter = id_counter(id), key = (uint64_t)id_stream(id) << COUNTER_BITS | counter;
	if (counter == 0 || (list->n > 0 && list->keys[list->n - 1] == key))
		return;
	size_t row = model_id_row(dump, id);
	if (row == dump->n_streams || names->rows[is_region]->n_dense[row] > 0 ||
	    counter > (is_region ? dump->streams[row].max_region : dump->streams[row].max_task))
		return;
	array_push(list->keys, list->n, list->capacity, key);
}

/* Keeps all ids that a stream's records and segment headers name. */
static void name_all(struct id_lists *names, const struct stream *s)
{
	struct cursor c;
	cursor_init(&c, s);
	for (const struct record *r; (r = cursor_peek(&c)) != NULL; c.index++) {
		const struct segment_header *h = cursor_header(&c);
		if (c.index == 0) {
			name(names, false, h->task);
			name(names, true, h->region);
		}
		const struct id_fields *fields = fields_of(names, record_kind(r));
		for (unsigned i = 0; i < fields->n; i++)
			name(names, fields->fields[i].is_region, event_field_get(fields->fields[i].field, r, s->number));
	}
}

/* Hands the list over to the rows, sorted, with each key once. */
static void take_list(struct id_rows *rows, struct list *list, const struct dump *dump)
{
	size_t n = 0, at = 0;
	rows->named = list->keys;
	rows->first = memory_zeroed(dump->n_streams + 1, sizeof *rows->first, "the ids that records name");
	sort_array(list->keys, list->n, by_u64);
	for (size_t i = 0; i < list->n; i++)
		if (i == 0 || list->keys[i] != list->keys[n - 1])
			list->keys[n++] = list->keys[i];
	for (size_t s = 0; s < dump->n_streams; s++) {
		rows->first[s] = at;
		while (at < n && rows->named[at] >> COUNTER_BITS == dump->streams[s].number)
			at++;
	}
	rows->first[dump->n_streams] = n;
}

static void find_named(struct id_rows *tasks, struct id_rows *regions, const struct dump *dump)
{
	struct id_lists *names = memory_zeroed(1, sizeof *names, "the ids that records name");
	names->dump = dump;
	names->rows[0] = tasks;
	names->rows[1] = regions;
	for (size_t i = 0; i < dump->n_streams; i++)
		name_all(names, &dump->streams[i]);
	take_list(tasks, &names->lists[0], dump);
	take_list(regions, &names->lists[1], dump);
	free(names);
}

/* ---- Rows ---- */

static void allocate(struct id_rows *rows, const struct dump *dump)
{
	size_t n = dump->n_streams;
	*rows = (struct id_rows){.base = memory_zeroed(n + 1, sizeof *rows->base, "the rows of ids"),
				 .n_dense = memory_zeroed(n + 1, sizeof *rows->n_dense, "the rows of ids")};
}

/* Sets the bases. 0, or -1 after an error message: there are more ids than row numbers. */
static int number(struct id_rows *rows, const struct dump *dump)
{
	uint64_t base = 0;
	for (size_t s = 0; s < dump->n_streams; s++) {
		rows->base[s] = (uint32_t)base;
		base += rows->n_dense[s] + (rows->first != NULL ? rows->first[s + 1] - rows->first[s] : 0);
		if (base >= UINT32_MAX)
			return error("%s: more than %u tasks or regions in one process", dump->path, UINT32_MAX);
	}
	rows->base[dump->n_streams] = (uint32_t)base;
	return 0;
}

int id_rows_find(struct id_rows *tasks, struct id_rows *regions, const struct dump *dump)
{
	bool is_all_dense = true;
	allocate(tasks, dump);
	allocate(regions, dump);
	for (size_t s = 0; s < dump->n_streams; s++) {
		const struct stream *stream = &dump->streams[s];
		tasks->n_dense[s] = is_dense(stream->max_task, stream) ? stream->max_task : 0;
		regions->n_dense[s] = is_dense(stream->max_region, stream) ? stream->max_region : 0;
		is_all_dense = is_all_dense && tasks->n_dense[s] == stream->max_task && regions->n_dense[s] == stream->max_region;
	}
	if (!is_all_dense)
		find_named(tasks, regions, dump);
	return number(tasks, dump) != 0 || number(regions, dump) != 0 ? -1 : 0;
}

void id_rows_free(struct id_rows *rows)
{
	free(rows->base);
	free(rows->n_dense);
	free(rows->named);
	free(rows->first);
	*rows = (struct id_rows){0};
}

uint32_t id_rows_named(const struct id_rows *rows, size_t stream, uint64_t counter)
{
	size_t low = rows->first[stream], high = rows->first[stream + 1];
	if (low == high)
		return 0;
	uint64_t key = rows->named[low] >> COUNTER_BITS << COUNTER_BITS | counter;
	low = lower_bound(i, low, high, rows->named[i] < key);
	return low < high && rows->named[low] == key ? rows->base[stream] + (uint32_t)(low - rows->first[stream]) + 1 : 0;
}

void id_rows_origin(const struct id_rows *rows, size_t n_streams, uint32_t row, uint32_t *stream_row_out, uint32_t *number)
{
	/* Finds the last stream whose base is smaller than the row: bases ascend, and counters begin at 1. */
	size_t low = lower_bound(i, 0, n_streams, rows->base[i] < row);
	*stream_row_out = low ? (uint32_t)(low - 1) : 0;
	*number = low ? row - rows->base[low - 1] : 0;
}

/* ---- Operations by id, and devices by number ---- */

/*
 * Keys of target regions have this bit: a runtime that assigns ids itself may use one number for a region and for an operation.
 */
#define TARGET_KEY (UINT64_C(1) << 63)

static uint32_t find(const struct model *m, uint64_t key)
{
	const uint32_t *row = map_get(&m->operation_rows, key);
	return row != NULL ? *row : 0;
}

uint32_t model_operation(const struct model *m, uint64_t id)
{
	return id != 0 ? find(m, id & ~TARGET_KEY) : 0;
}

uint32_t model_target(const struct model *m, uint64_t id)
{
	return id != 0 ? find(m, id | TARGET_KEY) : 0;
}

void model_name_operation(struct model *m, uint32_t row)
{
	const struct operation *o = &m->operations[row];
	*map_put(&m->operation_rows, o->type == OPERATION_TARGET ? o->id | TARGET_KEY : o->id & ~TARGET_KEY) = row;
}

void model_name_kernels(struct model *m)
{
	for (uint32_t i = 1; i < m->n_activities; i++) {
		struct activity *a = &m->activities[i];
		const struct operation *o = a->operation != 0 ? &m->operations[a->operation] : NULL;
		if (a->type != ACTIVITY_KERNEL || o == NULL || o->type != OPERATION_SUBMIT)
			continue;
		a->construct = model_construct(m, CONSTRUCT_KERNEL, m->constructs[o->construct].codeptr);
	}
}

const struct device *model_device(const struct model *m, int32_t number)
{
	for (size_t i = 0; i < m->n_devices; i++)
		if (m->devices[i].number == number)
			return &m->devices[i];
	return NULL;
}

/* If no device is known at all, no operation used one, and only the sign of the number decides. */
bool model_is_device(const struct model *m, int32_t number)
{
	return number >= 0 && (m->n_devices == 0 || model_device(m, number) != NULL);
}

int32_t model_normal_device(const struct model *m, int32_t number)
{
	return model_is_device(m, number) ? number : DEVICE_HOST;
}
