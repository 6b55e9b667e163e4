/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two metrics of each location: its thread state, and samples of it.
 *
 * Samples are a metric beside the derived state: each is the value of an instant and holds no
 * longer. They are in streams of their own and are put between the events by time: before an event, all samples that are
 * not later are written. Runs on one thread at a time for each location.
 */
#include "builder/otf2/archive.h"
#include "builder/otf2/intern.h"
#include "builder/otf2/location.h"
#include "builder/support/memory.h"
#include "builder/otf2/events.h"
#include "builder/model/state.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

void sample_metric_begin(struct archive *a, struct location *l, uint32_t stream)
{
	const struct dump *dump = a->now.def->dump;
	const struct stream *samples = stream < dump->n_streams ? samples_of(dump, dump->streams[stream].number) : NULL;
	if (samples == NULL)
		return;
	cursor_init(&l->samples, samples);
	l->has_sample = sample_next(dump, &l->samples, &l->sample);
}

/* A state without a name cannot be distinguished from a damaged one. */
static unsigned named_state(const struct meta *meta, unsigned state)
{
	return sample_state_is_named(meta, state) ? state : thread_state_undefined;
}

int sample_metric_write(struct archive *a, struct location *l, uint64_t until)
{
	const struct dump *dump = a->now.def->dump;
	OTF2_Type type = OTF2_TYPE_UINT64;
	int rc = 0;
	for (; rc == 0 && l->has_sample; l->has_sample = sample_next(dump, &l->samples, &l->sample)) {
		uint64_t time = clock_stamp(&a->now, l->sample.ticks);
		if (time > until)
			break;
		if (!l->is_on)
			continue;
		if (time < l->last_time)
			time = l->last_time;
		if (location_flush(a, l, time) != 0)
			return -1;
		l->last_time = time;
		l->has_samples = true;
		OTF2_MetricValue value = {.unsigned_int = named_state(&dump->meta, l->sample.state)};
		rc = archive_check(a, WRITE_EVENT(l, Metric, NULL, time, METRIC_SAMPLE, 1, &type, &value), "writing a sample");
	}
	return rc;
}

/*
 * " NUMBER=NAME" for each state that the runtimes of these processes add to OMPT's. Readers of the description end a
 * name at a space.
 */
static void put_own_states(const struct archive *a, FILE *out)
{
	for (size_t i = 0; i < a->n_processes; i++) {
		const struct meta *meta = &a->processes[i].dump->meta;
		bool is_first = true; /* the processes of a run have one runtime, whose states are listed once */
		for (size_t j = 0; j < i && is_first; j++)
			is_first = a->processes[j].dump->meta.n_states == 0;
		for (size_t j = 0; is_first && j < meta->n_states; j++) {
			if (meta->states[j].number < THREAD_STATE_OWN_FIRST || meta->states[j].name[0] == '\0')
				continue;
			fprintf(out, " %u=", (unsigned)meta->states[j].number);
			for (const char *p = meta->states[j].name; *p != '\0'; p++)
				fputc(isalnum((unsigned char)*p) ? *p : '_', out);
		}
	}
}

uint32_t sample_metric_names(struct archive *a)
{
	char *text = NULL;
	size_t n_bytes = 0;
	FILE *out = memory_open_stream(&text, &n_bytes, "the names of states");
	const char *separator = "";
	for (unsigned state = 0; state < THREAD_STATE_OWN_FIRST; state++) {
		const char *name = event_enum_name("thread_state", state);
		if (name != NULL) {
			fprintf(out, "%s%u=%s", separator, state, name);
			separator = " ";
		}
	}
	put_own_states(a, out);
	memory_close_stream(out, "the names of states");
	uint32_t string = intern_string(&a->interned, text);
	free(text);
	return string;
}

/* ---- Thread states ---- */

/*
 * Thread states as a metric of each location: a value holds until the next one. OTF2 has no names for values, so the
 * metric's description lists them. Called for each change of a state (events.c), where measurement is turned on
 * (location.c), and by defs.c. Runs on one thread at a time for each location.
 */

int state_metric_write(struct archive *a, struct location *l, uint64_t time)
{
	if (l->state == l->state_written || l->is_muted)
		return 0;
	l->state_written = l->state;
	l->has_states = true;
	OTF2_Type type = OTF2_TYPE_UINT64;
	OTF2_MetricValue value = {.unsigned_int = l->state};
	return archive_check(a, WRITE_EVENT(l, Metric, NULL, time, METRIC_STATE, 1, &type, &value), "writing a thread state");
}

uint32_t state_metric_names(struct archive *a)
{
	char text[1024] = "";
	for (unsigned i = 0, n = 0; i < STATES && n < sizeof text; i++)
		n += (unsigned)snprintf(text + n, sizeof text - n, "%s%u=%s", i > 0 ? " " : "", state_number(i), state_name(i));
	return intern_string(&a->interned, text);
}
