/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the time in which a location's thread wrote a segment itself. Runs on one thread at a time for each location.
 */
#include "builder/otf2/archive.h"
#include "builder/otf2/location.h"
#include "builder/otf2/events.h"

int location_flush(struct archive *a, struct location *l, uint64_t until)
{
	/* An event that must come after another one may have a later time than its record. */
	uint64_t begin = l->flush_begin > l->last_time ? l->flush_begin : l->last_time;
	uint64_t end = l->flush_end < until ? l->flush_end : until;
	if (!l->has_flush)
		return 0;
	l->has_flush = end < l->flush_end;
	l->flush_begin = end;
	if (end <= begin && l->has_flush)
		return 0;
	return archive_check(a, WRITE_EVENT(l, BufferFlush, NULL, begin, end > begin ? end : begin), "writing BufferFlush");
}
