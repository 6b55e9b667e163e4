/* SPDX-License-Identifier: BSD-3-Clause
 *
 * write_dump DIRECTORY: writes a dump with the records on stdin, one a line: stream, ticks (ns), number of the kind, flags,
 * value, a and b, as numbers in decimal or, with 0x, hexadecimal. A stream's records come in its order; stream 511 is that of
 * switches. tests/answers.py writes dumps of runs with it that never were.
 */
#include "tests/unit/dump_writer.h"

#include <inttypes.h>
#include <stdio.h>

static struct dump_writer writer;

int main(int argc, char **argv)
{
	uint32_t stream;
	unsigned kind, flags;
	uint64_t ticks, value, a, b;
	int n;
	if (argc != 2) {
		fprintf(stderr, "usage: write_dump DIRECTORY <RECORDS\n");
		return 2;
	}
	dump_writer_init(&writer, argv[1]);
	while ((n = scanf("%" SCNu32 " %" SCNu64 " %u %u %" SCNi64 " %" SCNi64 " %" SCNi64, &stream, &ticks, &kind, &flags,
			  (int64_t *)&value, (int64_t *)&a, (int64_t *)&b)) == 7) {
		if (stream >= WRITER_STREAMS) {
			fprintf(stderr, "write_dump: stream %" PRIu32 "\n", stream);
			return 2;
		}
		dump_writer_record(&writer, stream, ticks, kind, flags, value, a, b);
	}
	dump_writer_finish(&writer);
	return n == EOF ? 0 : 2;
}
