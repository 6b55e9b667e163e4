/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/drain/packer.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "common/pack.h"
#include "recorder/drain/file.h"
#include "recorder/ring/nocow.h"
#include "recorder/session/meta.h"
#include "recorder/session/session.h"
#include "recorder/system/away.h"
#include "recorder/system/sys.h"

/* The drain thread's part has the bytes of one direct write, but not more than some segments, and not less than one. A
 * stream's two parts are a little smaller than two segments: with the ring they take less than 2.5 MiB. */
#define DRAIN_BYTES    (UINT32_C(1) << 20)
#define DRAIN_SEGMENTS 4

static uint32_t part_bytes(uint32_t segment_bytes, uint32_t n_parts)
{
	if (n_parts == 1 && segment_bytes * DRAIN_SEGMENTS < DRAIN_BYTES)
		return segment_bytes * DRAIN_SEGMENTS;
	if (n_parts == 1)
		return segment_bytes > DRAIN_BYTES ? segment_bytes : DRAIN_BYTES;
	uint32_t bytes = (segment_bytes - segment_bytes / 16) & ~((uint32_t)PACKER_ALIGN - 1);
	return bytes ? bytes : (uint32_t)PACKER_ALIGN;
}

size_t packer_space(uint32_t segment_bytes, uint32_t n_parts)
{
	return (size_t)part_bytes(segment_bytes, n_parts) * n_parts + sizeof(struct pack_memory);
}

bool packer_init(struct packer *packer, void *space, uint32_t number, uint32_t segment_bytes, uint32_t n_parts)
{
	packer->bytes = space;
	packer->number = number;
	packer->part_bytes = part_bytes(segment_bytes, n_parts);
	packer->n_parts = n_parts;
	packer->open = PACKER_NONE;
	void *memory = packer->bytes + packer_bytes(packer);
	if (sys_mprotect(memory, sizeof(struct pack_memory), PROT_READ | PROT_WRITE) != 0)
		return false;
	packer->memory = memory;
	return true;
}

static int name(struct file *file, struct session *session, const struct packer *packer)
{
	bool is_drains = packer->number == FILE_NO_NUMBER;
	return file_name(file, session, &session->ring_dir, packer->number, is_drains ? "/drain.pbuf" : ".pbuf");
}

struct map_work {
	struct session *session;
	struct packer *packer;
	int cause;
};

static void make_and_map(void *argument)
{
	struct map_work *work = argument;
	struct session *session = work->session;
	struct packer *packer = work->packer;
	struct file file;
	size_t bytes = packer_bytes(packer);
	bool has_all;
	int cause = name(&file, session, packer);
	if (!cause)
		cause = file_open(&file, O_RDWR | O_CREAT | O_EXCL);
	bool exists = !cause;
	if (!cause)
		cause = nocow_set(file.fd) ? output_ring(session, file.fd, bytes, bytes, &has_all) : loss_cause_io_error;
	if (!cause) {
		file.mapping_bytes = bytes;
		signal_fence();
		file.mapping = packer->bytes;
		signal_fence();
		if (!sys_mmap(packer->bytes, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file.fd, 0))
			cause = loss_cause_no_stream;
	}
	if (!cause) { /* for the reasons given in stream_make.c */
		sys_madvise(packer->bytes, bytes, MADV_DONTFORK);
		sys_madvise(packer->bytes, bytes, MADV_RANDOM);
		packer->is_mapped = true;
	} else if (exists) {
		file_remove(&file);
	}
	file_close(&file);
	work->cause = cause;
}

/* Makes the file with all its room, and maps it. Returns 0, or the cause. */
static int map(struct session *session, struct packer *packer)
{
	struct map_work work = {session, packer, loss_cause_io_error | FILE_LATER};
	if (!output_fits_limit(packer_bytes(packer)))
		return loss_cause_limit;
	away(make_and_map, &work);
	return work.cause;
}

bool packer_is_empty(const struct packer *packer, uint32_t part)
{
	/* Q4: The flag saying that the part is empty is read before the part is filled. Pairs with Q3 in packer_give_back. */
	return __atomic_load_n(&packer->state[part], __ATOMIC_ACQUIRE) == PACKER_EMPTY;
}

bool packer_open(struct session *session, struct packer *packer)
{
	if (!packer->memory)
		return false;
	if (!packer->is_mapped) {
		int cause = map(session, packer);
		if (cause && !(cause & FILE_LATER)) {
			packer->memory = NULL;
			meta_note_once(session, META_ONCE_PACKING,
				       "OTTER_PACK: no room for a packing buffer: what would be packed there is written as it is");
		}
		if (cause)
			return false;
	}
	for (uint32_t i = 0; i < packer->n_parts; i++) {
		if (!packer_is_empty(packer, i))
			continue;
		packer->open = i;
		packer->used[i] = 0;
		return true;
	}
	return false;
}

bool packer_add(struct packer *packer, const struct segment_header *segment)
{
	/* A copy, as the header may change: in a child that a handler has forked in the middle of this, the segment's
	 * memory is replaced and empty; and the thread that seals the stream may mark the segment at the same time. */
	const struct segment_header header = *segment;
	uint32_t *used = &packer->used[packer->open];
	uint32_t room = packer->part_bytes - *used, closed = (uint32_t)header.closed & ~SEGMENT_SEALED;
	if (header.closed != segment_closed((uint32_t)header.closed) || closed < sizeof header)
		return false;
	/* A try that fails takes as long as one that succeeds. */
	if (*used && room < packer->last_bytes + packer->last_bytes / 8)
		return false;
	/* Until this is complete, its checksum is wrong, and a reader takes the segment itself, which is used again
	 * only later. */
	unsigned char *to = packer->bytes + (size_t)packer->open * packer->part_bytes + *used;
	size_t n_bytes = pack_segment_within(packer->memory, &header, (const struct record *)(segment + 1), to, room);
	if (n_bytes == 0)
		return false;
	packer->last_bytes = (uint32_t)n_bytes;
	*used += (uint32_t)n_bytes;
	return true;
}

void packer_close(struct packer *packer)
{
	uint32_t part = packer->open, used = packer->used[part];
	uint32_t whole = (used + (uint32_t)PACKER_ALIGN - 1) & ~((uint32_t)PACKER_ALIGN - 1);
	memset(packer->bytes + (size_t)part * packer->part_bytes + used, 0, whole - used);
	packer->open = PACKER_NONE;
	/* Q1: The part's bytes and their number are stored before the flag saying that it is closed. Pairs with Q2 in
	 * packer_take_part. */
	__atomic_store_n(&packer->state[part], used ? PACKER_FULL : PACKER_EMPTY, __ATOMIC_RELEASE);
}

bool packer_take_part(struct packer *packer, uint32_t part)
{
	uint32_t full = PACKER_FULL;
	/* Q2: The flag saying that the part is closed is read before its bytes. Pairs with Q1 in packer_close. */
	return __atomic_load_n(&packer->state[part], __ATOMIC_RELAXED) == PACKER_FULL &&
	       __atomic_compare_exchange_n(&packer->state[part], &full, PACKER_TAKEN, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

bool packer_take(struct packer *packer, uint32_t *part)
{
	for (*part = 0; *part < packer->n_parts; ++*part)
		if (packer_take_part(packer, *part))
			return true;
	return false;
}

bool packer_has(const struct packer *packer)
{
	for (uint32_t i = 0; i < packer->n_parts; i++)
		if (__atomic_load_n(&packer->state[i], __ATOMIC_RELAXED) == PACKER_FULL)
			return true;
	return false;
}

void packer_give_back(struct packer *packer, uint32_t part, bool is_written)
{
	/* Q3: All reads of the part are ordered before the flag saying that it is empty. Pairs with Q4 in packer_is_empty. */
	__atomic_store_n(&packer->state[part], is_written ? PACKER_EMPTY : PACKER_FULL, __ATOMIC_RELEASE);
}

void packer_remove(struct session *session, struct packer *packer)
{
	struct file file;
	if (!packer->is_mapped)
		return;
	if (name(&file, session, packer) == 0)
		file_remove(&file);
	file_close(&file);
	packer->is_mapped = false; /* the memory stays as it is, until another file takes its place */
}
