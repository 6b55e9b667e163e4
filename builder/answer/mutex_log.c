/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The events of a thread's mutexes: see mutex_log.h.
 */
#include "builder/answer/mutex_log.h"
#include "builder/support/array.h"

/* The mutex's number, which is given to it if it is new. */
static uint32_t number_of(struct mutex_log *log, uint64_t wait_id)
{
	if (log->n_mutexes > 0 && log->wait_ids[log->latest] == wait_id)
		return log->latest;
	uint32_t *number = map_put(&log->number_of, wait_id);
	if (*number == 0) {
		array_reserve((void **)&log->wait_ids, log->n_mutexes + (size_t)1, &log->capacity, sizeof *log->wait_ids);
		log->wait_ids[log->n_mutexes++] = wait_id;
		*number = log->n_mutexes;
	}
	return log->latest = *number - 1;
}

int mutex_log_put(struct mutex_log *log, struct aside *aside, enum turn_event event, uint64_t wait_id, uint32_t construct,
		  uint64_t ticks)
{
	uint64_t value = (uint64_t)number_of(log, wait_id) * TURN_EVENTS + event;
	char *at = log_begin(&log->log, 3 * LOG_NUMBER_MAX);
	at = log_change(at, value, log->log.value);
	at = log_number(at, ticks - log->log.ticks);
	at = log_number(at, construct);
	log->log.value = value;
	return log_end(&log->log, aside, at, ticks, ticks);
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
		reader->at = log_read(log, reader->aside, reader->chunk++, &reader->room, &reader->end);
		if (reader->at == NULL)
			return -1;
	}
	reader->value = log_take_change(&reader->at, reader->value);
	reader->next_ticks += log_take_number(&reader->at);
	reader->construct = (uint32_t)log_take_number(&reader->at);
	return 0;
}

int mutex_reader_open(struct mutex_reader *reader, const struct mutex_log *log, const struct aside *aside)
{
	*reader = (struct mutex_reader){.log = log, .aside = aside};
	return mutex_reader_next(reader);
}

void mutex_reader_close(struct mutex_reader *reader)
{
	buffer_free(&reader->room);
}
