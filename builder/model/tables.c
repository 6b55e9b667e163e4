/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The functions of the tables: they find rows by id and constructs by place, and own the memory. One thread.
 */
#include "builder/model/tables.h"
#include "builder/support/array.h"

#include <stdlib.h>
#include <string.h>

struct private_tables {
	struct map aliases;            /* row of a task -> row of the task that it stands for */
	struct map closing_barriers;   /* row of an implicit task -> number of its closing barrier */
	struct map reduction_barriers; /* codeptr -> any value */
	struct map missing_roots;      /* stream << 32 | n -> row of the task */
	size_t tasks_capacity, regions_capacity;
};

/* A list of copied strings, which only model_free() walks. */
struct model_string {
	struct model_string *next;
	char text[];
};

const char *model_keep(struct model *m, const char *text)
{
	size_t n_bytes = strlen(text) + 1;
	struct model_string *string = memory_get(sizeof *string + n_bytes, 1, "a text");
	memcpy(string->text, text, n_bytes);
	string->next = m->strings;
	m->strings = string;
	return string->text;
}

void model_sum_notes(const struct model *m)
{
	for (size_t i = 0; i < m->dump->n_streams; i++) {
		struct notes *notes = &m->stream_notes[i];
		tally_add_all(&m->notes->quirks, &notes->quirks);
		tally_add_all(&m->notes->repairs, &notes->repairs);
		notes->quirks.n_rows = notes->repairs.n_rows = 0;
	}
}

uint32_t model_alias(const struct model *m, uint32_t row)
{
	const struct private_tables *private = m->private_tables;
	const uint32_t *of = map_get(&private->aliases, row);
	return of != NULL ? *of : row;
}

void model_set_alias(struct model *m, uint32_t row, uint32_t of)
{
	struct private_tables *private = m->private_tables;
	if (row == 0)
		return;
	*map_put(&private->aliases, row) = of;
	m->n_aliases++;
}

uint32_t model_closing_barrier(const struct model *m, uint32_t task)
{
	const struct private_tables *private = m->private_tables;
	const uint32_t *number = map_get(&private->closing_barriers, task);
	return number != NULL ? *number : 0;
}

void model_set_closing_barrier(struct model *m, uint32_t task, uint32_t number)
{
	struct private_tables *private = m->private_tables;
	if (task != 0)
		*map_put(&private->closing_barriers, task) = number;
}

bool model_is_reduction_barrier(const struct model *m, uint64_t codeptr)
{
	const struct private_tables *private = m->private_tables;
	return codeptr != 0 && map_get(&private->reduction_barriers, codeptr) != NULL;
}

void model_set_reduction_barrier(struct model *m, uint64_t codeptr)
{
	struct private_tables *private = m->private_tables;
	if (codeptr != 0)
		map_put(&private->reduction_barriers, codeptr);
}

uint32_t model_missing_root(const struct model *m, uint32_t stream, uint32_t n)
{
	const struct private_tables *private = m->private_tables;
	const uint32_t *row = map_get(&private->missing_roots, (uint64_t)stream << 32 | n);
	return row != NULL ? *row : 0;
}

uint32_t model_add_root(struct model *m, uint32_t stream, uint32_t n)
{
	struct private_tables *private = m->private_tables;
	if (m->n_tasks == UINT32_MAX || m->n_regions == UINT32_MAX)
		return 0;
	array_push(m->tasks, m->n_tasks, private->tasks_capacity,
		   (struct task){.region = m->n_regions, .flags = task_flags_initial});
	array_push(m->regions, m->n_regions, private->regions_capacity,
		   (struct region){.actual = 1, .join_ticks = UINT64_MAX, .end_ticks = UINT64_MAX});
	return *map_put(&private->missing_roots, (uint64_t)stream << 32 | n) = m->n_tasks - 1;
}

/* KMP_TASKING=0, as the environment had it when the recorder began. */
static bool is_immediate(const struct meta *meta)
{
	static const char name[] = "KMP_TASKING=";
	for (size_t i = 0; i < meta->n_environment; i++) {
		const char *value = meta->environment[i] + sizeof name - 1;
		char *end;
		if (strncmp(meta->environment[i], name, sizeof name - 1) == 0)
			return strtol(value, &end, 10) == 0 && end != value;
	}
	return false;
}

int model_allocate(struct model *m, const struct dump *dump)
{
	bool is_libomp = strncmp(dump->meta.runtime, "LLVM OMP", 8) == 0;
	*m = (struct model){.dump = dump, .is_libomp = is_libomp, .is_immediate = is_libomp && is_immediate(&dump->meta)};
	struct private_tables *private = memory_zeroed(1, sizeof *private, "the tables");
	m->private_tables = private;
	m->stream_notes = memory_zeroed(dump->n_streams + 1, sizeof *m->stream_notes, "the tables");
	m->notes = &m->stream_notes[dump->n_streams];
	m->has_helper_thread = memory_zeroed(dump->n_streams, sizeof *m->has_helper_thread, "the tables");
	m->operation_base = memory_zeroed(dump->n_streams + 1, sizeof *m->operation_base, "the operations");
	if (id_rows_find(&m->task_rows, &m->region_rows, dump) != 0)
		return -1;
	m->n_tasks = m->n_task_ids = m->task_rows.base[dump->n_streams] + 1;
	m->n_regions = m->region_rows.base[dump->n_streams] + 1;
	private->tasks_capacity = m->n_tasks;
	private->regions_capacity = m->n_regions;
	m->tasks = memory_zeroed(m->n_tasks, sizeof *m->tasks, "the tasks");
	m->regions = memory_zeroed(m->n_regions, sizeof *m->regions, "the regions");
	for (uint32_t r = 0; r < m->n_regions; r++)
		m->regions[r].join_ticks = m->regions[r].end_ticks = UINT64_MAX;
	model_constructs_begin(m);
	return 0;
}

void model_free(struct model *m)
{
	struct private_tables *private = m->private_tables;
	if (private != NULL) {
		map_free(&private->aliases);
		map_free(&private->closing_barriers);
		map_free(&private->missing_roots);
		map_free(&private->reduction_barriers);
	}
	free(private);
	switches_free(&m->switches);
	free(m->stream_notes);
	for (size_t i = 0; m->lock_orders != NULL && i < m->dump->n_streams; i++)
		free(m->lock_orders[i]);
	free(m->lock_orders);
	map_free(&m->lock_rows);
	map_free(&m->late_releases);
	free(m->late_ticks);
	free(m->delays);
	free(m->excluded);
	free(m->early_ends);
	arrivals_free(&m->arrivals);
	for (struct model_string *string = m->strings, *next; string != NULL; string = next) {
		next = string->next;
		free(string);
	}
	model_constructs_end(m);
	free(m->tasks);
	free(m->implicit);
	free(m->has_helper_thread);
	free(m->regions);
	free(m->teams);
	free(m->team_members);
	id_rows_free(&m->task_rows);
	id_rows_free(&m->region_rows);
	free(m->operations);
	free(m->operation_base);
	free(m->devices);
	free(m->activities);
	free(m->queues);
	free(m->units);
	map_free(&m->operation_rows);
	*m = (struct model){0};
}
