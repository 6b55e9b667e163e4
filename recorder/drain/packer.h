/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A packing buffer: memory that is mapped from a file of the dump (NNNNN.pbuf, drain.pbuf), in which packed segments
 * are collected until there are enough to be written at once. The buffer survives the process, so a segment of a ring
 * is used again as soon as its packed copy is here.
 *
 * A buffer has parts. The thread that packs fills one of them, and closes it when the next segment has no room there. A
 * closed part is written by the first thread that takes it, the drain thread or the thread that packs, and then it is
 * empty again. No thread waits. A stream's buffer has two parts, the drain thread's has one.
 *
 * One thread at a time packs: a stream's owner, or the thread that has the drain thread's buffer (drain_pack.h). Any
 * thread may take a part that is closed.
 */
#ifndef OTTER_RECORDER_PACKER_H
#define OTTER_RECORDER_PACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/format.h"
#include "recorder/drain/output.h"

struct session;
struct pack_memory;

#define PACKER_PARTS 2
#define PACKER_ALIGN UINT64_C(4096) /* parts begin and end at multiples of this: so can be written past the page cache */
#define PACKER_NONE  UINT32_MAX

/* The state of a part. */
enum packer_state {
	PACKER_EMPTY, /* or being filled */
	PACKER_FULL,  /* closed, and to be written */
	PACKER_TAKEN  /* a thread writes it */
};

struct packer {
	unsigned char *bytes;       /* where the buffer is mapped, or will be */
	struct pack_memory *memory; /* private memory that packing needs; NULL: nothing is packed here */
	uint32_t number;            /* of the stream, or FILE_NO_NUMBER */
	uint32_t part_bytes;
	uint32_t n_parts;
	bool is_mapped;
	uint32_t open;                /* the part that is being filled, or PACKER_NONE */
	uint32_t last_bytes;          /* of the segment that was packed last */
	uint32_t used[PACKER_PARTS];  /* bytes that are used in a part */
	uint32_t state[PACKER_PARTS]; /* enum packer_state */
	struct output_file file;      /* NNNNN.pseg, where a stream's owner writes its parts */
};

/* Returns how much address space a stream's packer takes, or the drain thread's: packer_init() gets as much, with no
 * access. */
size_t packer_space(uint32_t segment_bytes, uint32_t n_parts);

/* Describes the buffer; the file is made when it is needed. False: there is no memory for it. */
bool packer_init(struct packer *packer, void *space, uint32_t number, uint32_t segment_bytes, uint32_t n_parts);

/* Returns how many bytes are mapped, or will be, from `bytes` on. */
static inline size_t packer_bytes(const struct packer *packer)
{
	return (size_t)packer->part_bytes * packer->n_parts;
}

/* Opens an empty part, and makes the file before the first one. False: there is no part that is empty. */
bool packer_open(struct session *session, struct packer *packer);

/* Packs a closed segment into the open part. False: it has no room there. */
bool packer_add(struct packer *packer, const struct segment_header *segment);

/* Is nothing in the open part yet? */
static inline bool packer_is_fresh(const struct packer *packer)
{
	return packer->used[packer->open] == 0;
}

/* Closes the open part. */
void packer_close(struct packer *packer);

/* Takes a closed part. Returns false if there is none. */
bool packer_take(struct packer *packer, uint32_t *part);

/* The same for a certain part. Returns false if it is not closed. */
bool packer_take_part(struct packer *packer, uint32_t part);

/* Is the part empty? For the thread that packs. */
bool packer_is_empty(const struct packer *packer, uint32_t part);

/* Is there a closed part? */
bool packer_has(const struct packer *packer);

/* Gives a part back: it is in a file, or else it has to be written later. */
void packer_give_back(struct packer *packer, uint32_t part, bool is_written);

/* Removes the file of the buffer. */
void packer_remove(struct session *session, struct packer *packer);

#endif
