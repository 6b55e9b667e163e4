/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The listing: every record of a dump as a line of text, as it stands there, without replay. What golden tests compare.
 */
#ifndef OTTER_BUILDER_DUMP_LIST_H
#define OTTER_BUILDER_DUMP_LIST_H

#include "builder/dump/reader.h"

#include <stdio.h>

/*
 * One record a line, stream after stream, in the stream's order:
 *
 *	STREAM SEQUENCE.SLOT TIME KIND field=value ...
 *
 * SLOT counts the records of a segment from 0. TIME is in ns since the process's first time stamp, "+" for a continuation record,
 * which belongs to the nearest record above that is none. Ids are STREAM:COUNTER (0 unknown), enumerations and flag sets by
 * name (flags joined by "|", an unknown value or rest as a number), addresses hexadecimal, ticks as TIME. A kind that this
 * version does not know is "kind_NUMBER" with its four words. Where segments are missing a line "STREAM gap" stands. 0, or -1.
 */
int list_dump(const struct dump *dump, FILE *out);

#endif
