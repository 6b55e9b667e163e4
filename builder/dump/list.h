/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The listing (--list): every record of a dump as a line of text, just as it is in the dump, without replay. One thread.
 */
#ifndef OTTER_BUILDER_DUMP_LIST_H
#define OTTER_BUILDER_DUMP_LIST_H

#include "builder/dump/reader.h"

#include <stdio.h>

/*
 * Writes one line a record, stream after stream, each in the stream's order:
 *
 *	STREAM SEQUENCE.SLOT TIME KIND field=value ...
 *
 * SLOT counts the records of a segment from 0. TIME is in ns since the process's first time stamp; it is "+" for a
 * continuation record, which belongs to the nearest record above that is not a continuation. Ids are written as
 * STREAM:COUNTER (0 unknown), enumerations and sets of flags by name (flags are joined by "|"; unknown values, or the
 * rest of a set, are numbers), addresses in hexadecimal, ticks as TIME. A kind that this version does not know is
 * "kind_NUMBER" with the record's four words. A line "STREAM gap" shows that segments are missing there. Returns 0, or
 * -1 after an error message.
 */
int list_dump(const struct dump *dump, FILE *out);

#endif
