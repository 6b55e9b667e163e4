/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the build id among the notes of an ELF file, on any thread.
 */
#ifndef OTTER_RECORDER_BUILD_ID_H
#define OTTER_RECORDER_BUILD_ID_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define BUILD_ID_BYTES 64 /* the longest one that is taken; linkers make 16 or 20 bytes */

/* Finds the build id in `n_bytes` of notes, of which no byte is trusted. Returns its length, 0 if there is none. */
static inline size_t build_id_find(const unsigned char *notes, size_t n_bytes, unsigned char id[BUILD_ID_BYTES])
{
	size_t at = 0;
	while (n_bytes - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		memcpy(&note, notes + at, sizeof note);
		size_t name_bytes = ((size_t)note.n_namesz + 3) & ~(size_t)3;
		size_t id_bytes = ((size_t)note.n_descsz + 3) & ~(size_t)3;
		at += sizeof note;
		if (name_bytes > n_bytes - at || id_bytes > n_bytes - at - name_bytes)
			return 0;
		bool is_id = note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(notes + at, "GNU", 4) == 0;
		if (is_id && note.n_descsz <= BUILD_ID_BYTES) {
			memcpy(id, notes + at + name_bytes, note.n_descsz);
			return note.n_descsz;
		}
		at += name_bytes + id_bytes;
	}
	return 0;
}

#endif
