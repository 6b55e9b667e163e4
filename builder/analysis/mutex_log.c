/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The events of a thread's mutexes: see track.h.
 */
#include "builder/analysis/track.h"
#include "builder/support/array.h"

/* The mutex's number, which is given to it if it is new. */
static uint32_t number_of(struct mutex_log *log, uint64_t wait_id)
{
	if (log->n_mutexes > 0 && log->wait_ids[log->latest] == wait_id)
		return log->latest;
	uint32_t *number = map_put(&log->number_of, wait_id);
	array_push_new(log->wait_ids, log->n_mutexes, log->capacity, number, wait_id);
	return log->latest = *number - 1;
}

int mutex_log_put(struct mutex_log *log, struct spill *spill, enum turn_event event, uint64_t wait_id, uint32_t construct,
		  uint64_t ticks)
{
	uint64_t value = (uint64_t)number_of(log, wait_id) * TURN_EVENTS + event;
	char *at = log_begin(&log->log, 3 * VARINT_MAX);
	at = varint_put_change(at, value, log->log.value);
	at = varint_put(at, ticks - log->log.ticks);
	at = varint_put(at, construct);
	log->log.value = value;
	return log_end(&log->log, spill, at, ticks, ticks);
}

void mutex_log_free(struct mutex_log *log)
{
	log_free(&log->log);
	map_free(&log->number_of);
	free(log->wait_ids);
}

int mutex_reader_next(struct mutex_reader *reader)
{
	const struct log *log = &reader->log->log;
	if (reader->at == reader->end) {
		if (reader->chunk == log->n_chunks) {
			reader->next_ticks = UINT64_MAX;
			return 0;
		}
		reader->value = 0; /* each chunk begins at 0 */
		reader->at = log_read(log, reader->spill, reader->chunk++, &reader->room, &reader->end);
		if (reader->at == NULL)
			return -1;
	}
	reader->value = varint_take_change(&reader->at, reader->value);
	reader->next_ticks += varint_take(&reader->at);
	reader->construct = (uint32_t)varint_take(&reader->at);
	return 0;
}

int mutex_reader_open(struct mutex_reader *reader, const struct mutex_log *log, const struct spill *spill)
{
	*reader = (struct mutex_reader){.log = log, .spill = spill};
	return mutex_reader_next(reader);
}

void mutex_reader_close(struct mutex_reader *reader)
{
	buffer_free(&reader->room);
}
