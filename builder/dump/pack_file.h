/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes a file of packed segments out of a file of segments. Runs on one thread.
 */
#ifndef OTTER_BUILDER_DUMP_PACK_FILE_H
#define OTTER_BUILDER_DUMP_PACK_FILE_H

#include <stdint.h>

enum pack_result {
	PACK_WRITTEN, /* everything is in the new file, which is on the disk */
	PACK_DAMAGED, /* the file is damaged, and nothing was written */
	PACK_FAILED   /* the error was printed, and the new file is gone */
};

/*
 * Packs the segments of the file `from` into the new file `to`, after those of the file `before`, which may be absent.
 * What is in `before` already is not packed again. Then reads `to` and compares it with `from`, record by record.
 */
enum pack_result pack_file(const char *from, const char *before, const char *to, uint32_t segment_bytes);

#endif
