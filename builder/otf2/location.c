/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A location's writer, its time stamps, and the stack of its open regions. Runs on one thread at a time for each location.
 */
#include "builder/otf2/archive.h"
#include "builder/otf2/intern.h"
#include "builder/otf2/location.h"
#include "builder/otf2/events.h"
#include "builder/support/array.h"

#include <stdlib.h>

static int switch_measurement(struct archive *a, struct location *l, uint64_t time, bool is_on)
{
	l->is_on = is_on;
	if (archive_check(a, WRITE_EVENT(l, MeasurementOnOff, NULL, time, is_on ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF),
			  "writing MeasurementOnOff") != 0)
		return -1;
	return is_on ? state_metric_write(a, l, time) : 0;
}

static void write_until(struct archive *a, struct location *l, uint64_t time)
{
	if (l->has_sample)
		sample_metric_write(a, l, time); /* a failure is remembered in the archive, and closing that fails */
	location_flush(a, l, time);              /* likewise */
	if (time > l->last_time)
		l->last_time = time;
}

void location_catch_up(struct archive *a, struct location *l, uint64_t time)
{
	while (time >= l->next_due) {
		write_until(a, l, l->next_due);
		holds_release_late(a, l); /* likewise */
	}
	write_until(a, l, time);
	if (!l->is_on) {
		l->is_on_early = true;
		switch_measurement(a, l, time, true); /* likewise */
	}
}

int location_measurement(struct archive *a, struct location *l, uint64_t ticks, bool is_on)
{
	if (is_on && l->is_on_early && switch_measurement(a, l, l->last_time, false) != 0)
		return -1;
	l->is_on_early = false;
	if (l->is_on == is_on)
		return 0;
	uint64_t time = clock_stamp(&a->now, ticks);
	if (time < l->last_time)
		time = l->last_time;
	if (sample_metric_write(a, l, time) != 0 || location_flush(a, l, time) != 0)
		return -1;
	l->has_flush = false; /* what is left of it is not measured */
	l->last_time = time;
	return switch_measurement(a, l, time, is_on);
}

/* An event must fit into a chunk of 256 KiB: longer command lines are cut at the end. */
#define ARGUMENTS_MAX (16 << 10)

static int program_begin(struct archive *a, struct location *l)
{
	const struct meta *meta = &a->now.def->dump->meta;
	uint32_t *args = memory_get(meta->n_args, sizeof *args, "the arguments");
	uint32_t name = intern_string(&l->interned, meta->program);
	size_t n_args = meta->n_args > 0 ? meta->n_args - 1 : 0; /* without argv[0] */
	if (n_args > ARGUMENTS_MAX)
		n_args = ARGUMENTS_MAX;
	for (size_t i = 0; i < n_args; i++)
		args[i] = intern_string(&l->interned, meta->args[i + 1]);
	l->last_time = a->now.first_time;
	int rc = archive_add_u64(a, l->attributes, ATTRIBUTE_PROCESS_ID, (uint64_t)meta->pid);
	if (rc == 0)
		rc = archive_check(
			a, OTF2_EvtWriter_ProgramBegin(l->writer, l->attributes, l->last_time, name, (uint32_t)n_args, args),
			"writing ProgramBegin");
	free(args);
	return rc;
}

int location_open(struct archive *a, uint32_t stream)
{
	struct location *l = &a->now.locations[stream];
	if (l->writer != NULL)
		return 0;
	uint64_t id = (uint64_t)stream << 32 | a->now.def->process;
	l->writer = OTF2_Archive_GetEvtWriter(a->otf2, id);
	if (l->writer == NULL)
		return archive_failed(a, OTF2_ERROR_INVALID, "opening a location");
	l->attributes = OTF2_AttributeList_New();
	if (l->attributes == NULL)
		memory_fail(0, "OTF2's attributes");
	sample_metric_begin(a, l, stream);
	return stream == 0 ? program_begin(a, l) : 0;
}

void location_free(struct location *l)
{
	if (l->attributes != NULL)
		OTF2_AttributeList_Delete(l->attributes);
	cursor_end(&l->samples);
	free(l->open);
	free(l->holds);
	map_free(&l->hold_of);
	free(l->forks);
	l->attributes = NULL;
	l->open = NULL;
	l->holds = NULL;
	l->forks = NULL;
	l->n_open = l->n_holds = l->n_forks = 0;
	l->open_capacity = l->holds_capacity = l->forks_capacity = 0;
}

int location_end(struct archive *a, uint32_t stream)
{
	struct location *l = &a->now.locations[stream];
	int rc = __atomic_load_n(&a->has_failed, __ATOMIC_RELAXED) ? -1 : 0;
	if (rc == 0)
		rc = sample_metric_write(a, l, UINT64_MAX);
	if (rc == 0)
		rc = location_flush(a, l, UINT64_MAX);
	if (rc == 0 && l->is_on_early)
		rc = switch_measurement(a, l, l->last_time, false);
	if (rc == 0 && stream == 0) {
		l->last_time = a->now.last_time;
		rc = archive_check(a, OTF2_EvtWriter_ProgramEnd(l->writer, NULL, l->last_time, OTF2_UNDEFINED_INT64),
				   "writing ProgramEnd");
	}
	struct location_def *def = &a->locations[a->now.def->first_location + stream];
	if (rc == 0)
		rc = archive_check(a, OTF2_EvtWriter_GetNumberOfEvents(l->writer, &def->n_events), "counting events");
	if (archive_check(a, OTF2_Archive_CloseEvtWriter(a->otf2, l->writer), "closing a location") != 0)
		rc = -1;
	l->writer = NULL;
	l->is_finished = true;
	location_free(l);
	return rc;
}

bool location_owns(const struct location *l, uint32_t task)
{
	uint32_t i = l->n_open;
	while (i > 0 && l->open[i - 1].owner != task)
		i--;
	return i > 0;
}

int location_parameter(struct archive *a, struct location *l, uint64_t time, uint32_t parameter, uint64_t value)
{
	return archive_check(a, WRITE_EVENT(l, ParameterUnsignedInt, NULL, time, parameter, value), "writing a parameter");
}
