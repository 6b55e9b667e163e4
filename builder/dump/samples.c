/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads and counts the samples of a dump.
 */
#include "builder/dump/samples.h"

#include "builder/support/array.h"
#include "builder/support/lower_bound.h"

#include <stdlib.h>
#include <string.h>

const struct stream *samples_of(const struct dump *dump, uint32_t number)
{
	size_t low = lower_bound(i, 0, dump->n_samples, dump->samples[i].number < (number | ID_STREAM_SAMPLES));
	bool is_there = low < dump->n_samples && dump->samples[low].number == (number | ID_STREAM_SAMPLES);
	return is_there ? &dump->samples[low] : NULL;
}

/* The reader leaves whole groups only: if a sample announces a wait id, the record with it follows. */
bool sample_next(const struct dump *dump, struct cursor *c, struct sample *sample)
{
	const struct record *r;
	while ((r = cursor_next(c)) != NULL) {
		if (record_kind(r) != EVENT_sample || r->time < dump->window_ticks)
			continue;
		*sample = (struct sample){
			.ticks = r->time, .task = r->a, .region = r->b, .state = low32(record_value(r)), .missed = record_flags(r)};
		if (high32(record_value(r)) & sample_flags_has_wait_id && (r = cursor_peek(c)) != NULL &&
		    record_kind(r) == EVENT_sample_wait)
			sample->wait_id = cursor_next(c)->a;
		return true;
	}
	return false;
}

static const char *find_name(const struct meta *meta, unsigned state)
{
	const char *name = event_enum_name("thread_state", state);
	for (size_t i = 0; name == NULL && i < meta->n_states; i++)
		if (meta->states[i].number == state && meta->states[i].name[0] != '\0')
			name = meta->states[i].name;
	return name;
}

const char *sample_state_name(const struct meta *meta, unsigned state)
{
	const char *name = find_name(meta, state);
	return name != NULL ? name : "unknown";
}

bool sample_state_is_named(const struct meta *meta, unsigned state)
{
	return find_name(meta, state) != NULL;
}

/* The row of a state, which is added if it is new. */
static struct sample_count *row_of(struct sample_counts *counts, unsigned state)
{
	size_t at = 0;
	while (at < counts->n_rows && counts->rows[at].state < state)
		at++;
	if (at < counts->n_rows && counts->rows[at].state == state)
		return &counts->rows[at];
	array_reserve(counts->rows, counts->n_rows + 1, counts->capacity);
	memmove(counts->rows + at + 1, counts->rows + at, (counts->n_rows - at) * sizeof *counts->rows);
	counts->n_rows++;
	counts->rows[at] = (struct sample_count){.state = state};
	return &counts->rows[at];
}

static void add(struct sample_counts *counts, unsigned state, uint64_t n_samples, uint64_t n_expirations)
{
	struct sample_count *row = row_of(counts, state);
	row->n_samples += n_samples;
	row->n_expirations += n_expirations;
	counts->n_samples += n_samples;
	counts->n_expirations += n_expirations;
}

/* A damaged dump may have as many states as samples: all that come after the first 256 are counted as one. */
#define STATES_MAX 256

int samples_count(struct sample_counts *counts, const struct dump *dump, const struct stream *samples)
{
	struct cursor c;
	struct sample sample;
	cursor_init(&c, samples);
	while (sample_next(dump, &c, &sample))
		add(counts, counts->n_rows < STATES_MAX ? sample.state : UINT32_MAX, 1, 1 + (uint64_t)sample.missed);
	for (unsigned i = 0; i < LOSS_CAUSES; i++)
		counts->n_lost += samples->lost[i];
	return 0;
}

int samples_add(struct sample_counts *counts, const struct sample_counts *more)
{
	for (size_t i = 0; i < more->n_rows; i++)
		add(counts, more->rows[i].state, more->rows[i].n_samples, more->rows[i].n_expirations);
	counts->n_lost += more->n_lost;
	return 0;
}

void samples_free(struct sample_counts *counts)
{
	free(counts->rows);
	*counts = (struct sample_counts){0};
}
