/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names Argobots' units: a run of a unit is (team of all threads, rank of the thread that created it, number among the
 * units that this thread created). Called by otf2.c for each process, and for every event of units. One thread.
 */
#include "builder/otf2/intern.h"
#include "builder/otf2/unit_keys.h"
#include "builder/support/memory.h"

#include <stdlib.h>

bool unit_is_left_out(const struct process *p, uint32_t unit)
{
	const struct work_unit *u = &p->model->units[unit];
	return unit == 0 || u->kind == UNIT_EXTERNAL || u->kind == UNIT_ROOT || u->state & UNIT_CONTRADICTORY;
}

uint32_t unit_creating_stream(const struct work_unit *u)
{
	return u->state & UNIT_CREATED || !(u->state & UNIT_STARTED) ? u->create_stream : u->run_stream;
}

bool unit_is_thread(const struct process *p, uint32_t unit)
{
	const struct work_unit *u = &p->model->units[unit];
	unsigned wanted = UNIT_CREATED | UNIT_STARTED;
	return u->kind == UNIT_SCHEDULER && u->depth == 0 && (u->state & (wanted | UNIT_MIGRATED)) == wanted &&
	       u->run_stream != u->create_stream && !unit_is_left_out(p, unit);
}

enum region_kind unit_region_kind(const struct process *p, uint32_t unit)
{
	switch (p->model->units[unit].kind) {
	case UNIT_SCHEDULER: return REGION_SCHEDULER;
	case UNIT_TASKLET: return REGION_TASKLET;
	case UNIT_PRIMARY: return REGION_UNIT_PRIMARY;
	default: return REGION_UNIT;
	}
}

void unit_note(struct process *p, const struct location *l, uint64_t time, uint32_t unit)
{
	p->units[unit].last_time = time;
	p->units[unit].written_on = l->stream + 1;
}

void unit_keys_begin(struct archive *a)
{
	struct process *p = &a->now;
	const struct model *m = p->model;
	if (m->n_units == 0)
		return;
	uint32_t *streams = memory_get(p->def->n_locations, sizeof *streams, "the units");
	uint32_t *n_created = memory_zeroed(p->def->n_locations, sizeof *n_created, "the units");
	p->units = memory_zeroed(m->n_units, sizeof *p->units, "the units");
	for (uint32_t i = 0; i < p->def->n_locations; i++)
		streams[i] = i;
	p->units_comm = intern_comm(a, UNSET, streams, p->def->n_locations);
	for (uint32_t unit = 1; unit < m->n_units; unit++)
		p->units[unit].generation = ++n_created[unit_creating_stream(&m->units[unit])];
	a->comms[p->units_comm].is_of_units = a->has_units = true;
	free(streams);
	free(n_created);
}

void unit_keys_end(struct archive *a)
{
	struct process *p = &a->now;
	for (uint32_t unit = 1; unit < p->model->n_units; unit++) {
		unsigned bits = p->units[unit].bits;
		a->has_holes |= (p->model->units[unit].state & UNIT_CONTRADICTORY) != 0;
		a->has_holes |= bits & UNIT_BIT_CREATED && !(bits & UNIT_BIT_COMPLETED);
	}
}

void unit_keys_free(struct process *p)
{
	for (uint32_t unit = 0; p->units != NULL && unit < p->model->n_units; unit++)
		free(p->units[unit].open);
	free(p->units);
	p->units = NULL;
}
