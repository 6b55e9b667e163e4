/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The streams of a session by their numbers. stream_make.c adds streams; any thread reads the table by
 * session_stream().
 */
#ifndef OTTER_RECORDER_STREAM_TABLE_H
#define OTTER_RECORDER_STREAM_TABLE_H

#include <stdalign.h>
#include <stdint.h>

#include "common/event.h"
#include "recorder/compiler.h"

struct stream;

struct stream_table {
	alignas(CACHE_LINE_BYTES) uint32_t n;      /* numbers that have been given */
	alignas(CACHE_LINE_BYTES) uint32_t n_free; /* a hint: how many streams have no owner */
	uint32_t spare_number;                     /* of a stream that could not be made, plus 1; 0: none */
	uint64_t retry_ns;                         /* a ring could not be made: none is tried before that time */
	uint32_t n_at_end;                         /* numbers that had been given when the session ended */
	alignas(CACHE_LINE_BYTES) struct stream *by_number[ID_STREAM_MAX + 1];
};

#endif
