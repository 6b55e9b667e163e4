/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The longest time for which a thread of a recording waited while it wrote or packed its own segments: the longest
 * buffer_flush record of a dump, packed or not. bench/harness.py runs it after each recording whose meta counts any.
 *
 *   stalls DUMP    prints `longest_stall_ticks=N`, 0 if there was none
 */
#include "builder/dump/reader.h"
#include "common/event.h"

#include <inttypes.h>
#include <stdio.h>

static uint64_t longest_of(const struct stream *stream, struct unpacked *room)
{
	uint64_t longest_ticks = 0;
	for (size_t i = 0; i < stream->n_segments; i++) {
		const struct segment *s = &stream->segments[i];
		const struct record *records = segment_records(s, room);
		for (uint32_t j = 0; j < s->n_records; j++) {
			if (record_kind(&records[j]) == EVENT_buffer_flush && records[j].a - records[j].time > longest_ticks)
				longest_ticks = records[j].a - records[j].time;
		}
		segment_release(s);
	}
	return longest_ticks;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: stalls DUMP\n");
		return 2;
	}
	struct dump dump;
	if (dump_open(&dump, argv[1]) != 0)
		return 1;
	struct unpacked room = {0};
	uint64_t longest_ticks = 0;
	for (size_t i = 0; i < dump.n_streams; i++) {
		uint64_t ticks = longest_of(&dump.streams[i], &room);
		longest_ticks = ticks > longest_ticks ? ticks : longest_ticks;
	}
	unpacked_free(&room);
	dump_close(&dump);
	printf("longest_stall_ticks=%" PRIu64 "\n", longest_ticks);
	return 0;
}
