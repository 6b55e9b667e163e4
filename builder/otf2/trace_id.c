/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Replaces the archive's identifier. OTF2 makes one up from the time and the process when it creates an archive, and has no
 * function to choose another one. It is the one thing in the archive that differs from run to run, and it is in the anchor
 * file alone. So its eight bytes are replaced after the archive has been closed: they are found by the identifier that
 * OTF2's reader reports, and the reader has to report the new one afterwards. One thread.
 */
#include "builder/otf2/mapping.h"
#include "builder/otf2/intern.h"
#include "builder/support/diag.h"
#include "builder/support/memory.h"

#include <errno.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_number(uint64_t hash, uint64_t number)
{
	for (unsigned i = 0; i < 64; i += 8)
		hash = hash_on(hash, number >> i & 0xff);
	return hash;
}

static uint64_t hash_dump(uint64_t hash, const struct dump *dump)
{
	const struct meta *meta = &dump->meta;
	hash = hash_on(hash_text(hash, meta->host), '\n');
	hash = hash_on(hash_text(hash, meta->boot_id), '\n');
	hash = hash_number(hash, (uint64_t)meta->pid);
	hash = hash_number(hash, meta->pid_start);
	hash = hash_number(hash, meta->start.ticks);
	hash = hash_number(hash, meta->start.monotonic_ns);
	hash = hash_number(hash, meta->start.realtime_ns);
	for (size_t i = 0; i < dump->n_streams; i++) {
		hash = hash_number(hash, dump->streams[i].number);
		hash = hash_number(hash, dump->streams[i].n_records);
	}
	return hash_number(hash, dump->n_lost);
}

uint64_t trace_id_of(const struct trace *traces, size_t n_traces)
{
	uint64_t hash = HASH_BEGIN;
	for (size_t i = 0; i < n_traces; i++)
		hash = hash_dump(hash, &traces[i].dump);
	return hash;
}

static int read_id(const char *anchor, uint64_t *id)
{
	OTF2_Reader *reader = OTF2_Reader_Open(anchor);
	OTF2_ErrorCode code = reader != NULL ? OTF2_Reader_GetTraceId(reader, id) : OTF2_ERROR_INVALID;
	if (reader != NULL)
		OTF2_Reader_Close(reader);
	return code == OTF2_SUCCESS ? 0 : error("%s: reading its trace identifier: %s", anchor, OTF2_Error_GetDescription(code));
}

/* Where the eight bytes are, if they are there once; else -1. OTF2 writes in the byte order of the machine. */
static long find_id(const char *bytes, size_t n_bytes, uint64_t id)
{
	const char *first = memmem(bytes, n_bytes, &id, sizeof id);
	if (first == NULL)
		return -1;
	size_t offset = (size_t)(first - bytes);
	return memmem(first + 1, n_bytes - offset - 1, &id, sizeof id) == NULL ? (long)offset : -1;
}

static char *read_all(FILE *file, size_t *n_bytes)
{
	long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
	char *bytes = memory_get(size >= 0 ? (size_t)size : 0, 1, "the archive's anchor file");
	rewind(file);
	if (size >= 0 && (*n_bytes = fread(bytes, 1, (size_t)size, file)) == (size_t)size)
		return bytes;
	free(bytes);
	return NULL;
}

static int replace(FILE *file, const char *anchor, uint64_t old, uint64_t id)
{
	size_t n_bytes = 0;
	char *bytes = read_all(file, &n_bytes);
	if (bytes == NULL)
		return error("%s: cannot be read: %s", anchor, strerror(errno));
	long offset = find_id(bytes, n_bytes, old);
	free(bytes);
	if (offset < 0)
		return error("%s: its trace identifier %016llx has to be at exactly one place in it, and is not", anchor,
			     (unsigned long long)old);
	return fseek(file, offset, SEEK_SET) == 0 && fwrite(&id, sizeof id, 1, file) == 1
		       ? 0
		       : error("%s: cannot be written: %s", anchor, strerror(errno));
}

int trace_id_set(const char *anchor, uint64_t id)
{
	uint64_t found;
	if (read_id(anchor, &found) != 0)
		return -1;
	FILE *file = fopen(anchor, "r+be");
	if (file == NULL)
		return error("%s: cannot be opened: %s", anchor, strerror(errno));
	int rc = replace(file, anchor, found, id);
	if (fclose(file) != 0 && rc == 0)
		rc = error("%s: cannot be written: %s", anchor, strerror(errno));
	if (rc != 0 || read_id(anchor, &found) != 0)
		return -1;
	return found == id ? 0 : error("%s: OTF2 reads another trace identifier than was written", anchor);
}
