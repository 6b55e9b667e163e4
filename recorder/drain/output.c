/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/drain/output.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "common/event.h"
#include "recorder/drain/direct.h"
#include "recorder/drain/file.h"
#include "recorder/drain/hang.h"
#include "recorder/drain/kept.h"
#include "recorder/drain/output_shared.h"
#include "recorder/drain/packer.h"
#include "recorder/ring/stream.h"
#include "recorder/session/session.h"
#include "recorder/session/session_turn.h"
#include "recorder/system/away.h"
#include "recorder/system/sys.h"

#define RETRY_NS 10000000 /* between two tries to write what cannot be written now */

/* Counts the records of the segment that is about to be overwritten at `offset`, unless it is the same segment. Not
 * inlined, so that its copy of the header is not on the stack during other writes. */
static NOINLINE void count_overwritten(struct session *session, int fd, off_t offset, const struct segment_header *next)
{
	struct segment_header old;
	if (sys_pread(fd, &old, sizeof old, offset) != (ssize_t)sizeof old || old.magic != SEGMENT_MAGIC ||
	    old.sequence == next->sequence)
		return;
	uint64_t used = (uint32_t)old.closed & ~SEGMENT_SEALED;
	__atomic_fetch_add(&session->written.n_overwritten, (used - sizeof old) / sizeof(struct record), __ATOMIC_RELAXED);
}

/* Makes sure that there is room for a segment at `offset`. On ext4 more room is reserved at once where a file grows: a
 * write into it takes two thirds of the time of a write that has to allocate its blocks. At most half of the file's
 * size is reserved, so that small files stay small. Returns 0, or the cause. */
static int claim_space(struct session *session, int fd, struct output_file *file, uint64_t offset, uint32_t used_bytes)
{
	if (offset + used_bytes <= file->reserved)
		return 0;
	int cause = budget_take(session, fd, used_bytes);
	/* The segments that are written at the end are not full: what is reserved between them would only be taken from others. */
	if (__atomic_load_n(&session->is_ended, __ATOMIC_RELAXED))
		return cause;
	uint64_t ahead = offset / 2 < AHEAD_BYTES ? offset / 2 : AHEAD_BYTES;
	ahead &= ~((UINT64_C(1) << session->shift) - 1);
	uint64_t most = session->budget.most_bytes;
	bool is_allowed = !most || __atomic_load_n(&session->written.n_bytes, __ATOMIC_RELAXED) + ahead <= most;
	if (!cause && ahead && session->budget.is_ext4 && !session->config.keeps_newest && is_allowed &&
	    budget_has(session, fd, ahead) && sys_fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)ahead) == 0)
		file->reserved = offset + ahead;
	return cause;
}

static int flags_of(const struct output_file *known, int access)
{
	return access | (known->exists ? 0 : O_CREAT | O_EXCL);
}

/* Writes a segment, or packed ones, into a file that is open. */
static int write_opened(struct session *session, int fd, struct output_file *known, uint64_t offset,
			const struct segment_header *header, uint32_t used_bytes, bool is_circular)
{
	known->exists = true;
	int cause = claim_space(session, fd, known, offset, used_bytes);
	if (!cause && is_circular)
		count_overwritten(session, fd, (off_t)offset, header);
	return cause ? cause : file_write_all(fd, (const unsigned char *)header, used_bytes, (off_t)offset);
}

/* The same into a file of one stream's. */
static int write_bytes(struct session *session, struct file *file, struct output_file *known, uint64_t offset,
		       const struct segment_header *header, uint32_t used_bytes)
{
	bool is_circular = session->config.keeps_newest;
	if (!output_fits_limit(offset + used_bytes))
		return loss_cause_limit;
	bool is_timed = hang_write_begins(session);
	int cause = file_open(file, flags_of(known, is_circular ? O_RDWR : O_WRONLY));
	if (!cause)
		cause = write_opened(session, file->fd, known, offset, header, used_bytes, is_circular);
	hang_write_ends(session, is_timed);
	return cause;
}

/* The same into a file of all streams, which the calling thread may have kept open. */
static int write_kept(struct session *session, enum kept_file which, struct output_file *known, uint64_t offset,
		      const struct segment_header *header, uint32_t used_bytes)
{
	struct file local, *file;
	if (!output_fits_limit(offset + used_bytes))
		return loss_cause_limit;
	bool is_timed = hang_write_begins(session);
	int cause = kept_open(session, which, flags_of(known, O_WRONLY), &local, &file);
	if (!cause)
		cause = write_opened(session, file->fd, known, offset, header, used_bytes, false);
	kept_close(session, file, cause);
	hang_write_ends(session, is_timed);
	return cause;
}

/* Writes a segment to drain.seg, which the calling thread has taken. */
static int write_shared(struct session *session, const struct segment_header *header, uint32_t used_bytes)
{
	struct output_file *known = &session->drain.file;
	int cause = write_kept(session, KEPT_SEGMENTS, known, known->n_places << session->shift, header, used_bytes);
	if (!cause)
		known->n_places++;
	return cause;
}

/* Takes the bytes out of what the process may write. Circular files get their share of the limit by their number of
 * places. */
static int reserve(struct session *session, uint64_t bytes)
{
	uint64_t most = session->budget.most_bytes;
	uint64_t after = __atomic_add_fetch(&session->written.n_bytes, bytes, __ATOMIC_RELAXED);
	if (!most || after <= most)
		return 0;
	__atomic_store_n(&session->budget.is_half_taken, !session->config.has_limit, __ATOMIC_RELAXED);
	return loss_cause_limit;
}

/* Gives the bytes back if the write is to be tried again. */
static int give_back_if_later(struct session *session, uint64_t bytes, int cause)
{
	if (cause & FILE_LATER)
		__atomic_sub_fetch(&session->written.n_bytes, bytes, __ATOMIC_RELAXED);
	return cause;
}

/* Returns the number of places in a circular file. The stream of switches has an eighth of the limit. Another stream's
 * share of the rest is one processor's; with samples there are two streams, which share it equally. Half of a share is for
 * each of a stream's two files. */
static uint64_t circular_places(const struct session *session, uint32_t number)
{
	uint64_t limit = session->config.limit_bytes, of_switches = limit / 8;
	unsigned n_files = session->samples.signal ? 4 : 2;
	uint64_t bytes = number == ID_STREAM_SWITCHES ? of_switches / 2 : (limit - of_switches) / session->n_processors / n_files;
	uint64_t n_places = bytes >> session->shift;
	return n_places > 2 ? n_places : 2;
}

static uint64_t circular_offset(const struct session *session, const struct segment_header *header)
{
	return header->sequence % circular_places(session, header->stream) << session->shift;
}

uint64_t output_first_kept(const struct session *session, uint32_t number, uint64_t last)
{
	uint64_t n_places = session->config.keeps_newest ? circular_places(session, number) : last;
	return last > n_places ? last - n_places + 1 : 1;
}

static int write_drained(struct stream *stream, const struct segment_header *header, uint32_t used_bytes)
{
	struct session *session = stream->session;
	struct file file;
	int cause = reserve(session, used_bytes);
	if (cause)
		return cause;
	if (session->config.keeps_newest) {
		cause = file_name(&file, session, &session->dir, header->stream, ".dseg");
		if (!cause)
			cause = write_bytes(session, &file, &stream->drain_file, circular_offset(session, header), header,
					    used_bytes);
		file_close(&file);
	} else if (output_take_shared_patiently(session)) {
		cause = write_shared(session, header, used_bytes);
		output_leave_shared(session);
	} else {
		cause = loss_cause_io_error | FILE_LATER;
	}
	return give_back_if_later(session, used_bytes, cause);
}

/* Writes a segment to drain.seg. Returns -1 if another thread has it, or if it may not grow any more (RLIMIT_FSIZE). */
static int try_shared(struct session *session, const struct segment_header *header, uint32_t used_bytes)
{
	bool is_sealing = output_is_sealing(session);
	if (!is_sealing && !output_take_shared(session))
		return -1;
	bool fits = output_fits_limit((session->drain.file.n_places + 1) << session->shift);
	int cause = fits ? write_shared(session, header, used_bytes) : -1;
	if (!is_sealing)
		output_leave_shared(session);
	return cause;
}

static int write_own(struct stream *stream, const struct segment_header *header, uint32_t used_bytes, bool is_sealed)
{
	struct session *session = stream->session;
	struct file file;
	int cause = output_may_share(stream, is_sealed) ? try_shared(session, header, used_bytes) : -1;
	if (cause >= 0)
		return cause;
	uint64_t offset = session->config.keeps_newest ? circular_offset(session, header) : stream->file.n_places << session->shift;
	cause = file_name(&file, session, &session->dir, stream->number, ".seg");
	if (!cause)
		cause = write_bytes(session, &file, &stream->file, offset, header, used_bytes);
	file_close(&file);
	if (!cause)
		stream->file.n_places++;
	return cause;
}

static int write_own_in_budget(struct stream *stream, const struct segment_header *header, uint32_t used_bytes)
{
	int cause = reserve(stream->session, used_bytes);
	return cause ? cause : give_back_if_later(stream->session, used_bytes, write_own(stream, header, used_bytes, false));
}

int output_segment(struct stream *stream, uint32_t index, bool is_drain_thread)
{
	const struct segment_header *header = stream_segment(stream, index);
	uint64_t sequence = header->sequence;
	uint32_t used_bytes = stream_segment_used(stream, index);
	int cause = is_drain_thread ? write_drained(stream, header, used_bytes) : write_own_in_budget(stream, header, used_bytes);
	/* W1: The segment is in the file before it is noted as written. Pairs with W2 in next_unwritten, by which
	 * stream_seal writes again what is not noted. */
	if (cause == 0)
		__atomic_store_n(&stream->written[index], sequence, __ATOMIC_RELEASE);
	return cause;
}

/* Returns how many of the segments form one piece: all but the last of a piece are full. */
static uint32_t count_joined(struct stream *stream, const uint32_t *indices, uint32_t n)
{
	uint32_t joined = 1;
	while (joined < n && stream_segment_used(stream, indices[joined - 1]) == UINT32_C(1) << stream->shift)
		joined++;
	return joined;
}

/* Writes pieces directly into a file of the drain thread's. `bytes`: how many of their bytes count. `*is_refused`: they
 * have to be written through the page cache. */
static int write_directly(struct session *session, struct output_file *known, const char *name, uint64_t offset,
			  const struct iovec *pieces, uint32_t n, uint64_t bytes, bool *is_refused)
{
	struct file file;
	int cause = reserve(session, bytes);
	if (cause)
		return cause;
	bool is_timed = hang_write_begins(session); /* each write is timed by itself */
	cause = file_name(&file, session, &session->dir, FILE_NO_NUMBER, name);
	if (!cause)
		cause = file_open(&file, flags_of(known, O_WRONLY));
	hang_write_ends(session, is_timed);
	if (!cause) {
		known->exists = true;
		cause = budget_take(session, file.fd, bytes); /* nothing is reserved: a direct write gains nothing by it */
	}
	if (!cause && !output_fits_limit(offset + direct_bytes(bytes)))
		cause = loss_cause_limit;
	if (!cause)
		cause = direct_write(session, file.fd, pieces, n, offset, is_refused);
	file_close(&file);
	if (cause || *is_refused)
		__atomic_sub_fetch(&session->written.n_bytes, bytes, __ATOMIC_RELAXED);
	return cause;
}

/* Writes segments of which all but the last are full directly into drain.seg. */
static int write_joined(struct stream *stream, const uint32_t *indices, uint32_t n, bool *is_refused)
{
	struct session *session = stream->session;
	struct iovec pieces[DIRECT_PIECES];
	uint64_t bytes = 0, sequences[DIRECT_PIECES];
	for (uint32_t i = 0; i < n; i++) {
		uint32_t used = stream_segment_used(stream, indices[i]);
		pieces[i] = (struct iovec){stream_segment(stream, indices[i]), direct_bytes(used)};
		sequences[i] = stream_segment(stream, indices[i])->sequence;
		bytes += used;
	}
	struct output_file *known = &session->drain.file;
	if (!output_take_shared_patiently(session))
		return loss_cause_io_error | FILE_LATER;
	int cause = write_directly(session, known, "/drain.seg", known->n_places << session->shift, pieces, n, bytes, is_refused);
	if (!cause && !*is_refused)
		known->n_places += n;
	output_leave_shared(session);
	if (cause || *is_refused)
		return cause;
	for (uint32_t i = 0; i < n; i++) /* W1, as in output_segment */
		__atomic_store_n(&stream->written[indices[i]], sequences[i], __ATOMIC_RELEASE);
	return 0;
}

static int write_batch(struct stream *stream, const uint32_t *indices, uint32_t *n)
{
	uint32_t done = 0;
	int cause = 0;
	direct_resume(stream->session);
	while (done < *n && !cause) {
		uint32_t joined = count_joined(stream, indices + done, *n - done);
		bool is_refused = direct_batch(stream->session, stream) == 1;
		if (!is_refused)
			cause = write_joined(stream, indices + done, joined, &is_refused);
		if (is_refused) {
			joined = 1;
			cause = output_segment(stream, indices[done], true);
		}
		done += cause ? 0 : joined;
	}
	*n = done;
	return cause;
}

struct batch_work {
	struct stream *stream;
	const uint32_t *indices;
	uint32_t n;
	int cause;
};

static void write_batch_away(void *argument)
{
	struct batch_work *work = argument;
	work->cause = write_batch(work->stream, work->indices, &work->n);
}

int output_batch(struct stream *stream, const uint32_t *indices, uint32_t *n)
{
	struct batch_work work = {stream, indices, *n, -1};
	away(write_batch_away, &work);
	*n = work.cause < 0 ? 0 : work.n;
	return work.cause < 0 ? loss_cause_io_error | FILE_LATER : work.cause;
}

bool output_waits_to_retry(struct session *session)
{
	if (session_stopped(session) || __atomic_load_n(&session->drain.must_end, __ATOMIC_RELAXED))
		return false;
	sys_sleep(RETRY_NS);
	return true;
}

static int write_part(struct session *session, struct packer *packer, uint32_t part, enum output_by by)
{
	/* A stream that has no file of packed segments yet gets none for what is left at its end. */
	bool is_drains = by == OUTPUT_BY_DRAIN || packer->number == FILE_NO_NUMBER ||
			 (by == OUTPUT_SEALED && !packer->file.exists && output_is_sealing_packed(session));
	bool is_refused = true;
	struct output_file *known = is_drains ? &session->drain_pack.file : &packer->file;
	const unsigned char *bytes = packer->bytes + (size_t)part * packer->part_bytes;
	uint32_t used = packer->used[part];
	uint64_t offset = known->n_places * PACKER_ALIGN;
	int cause = 0;
	struct file file;
	if (by == OUTPUT_BY_DRAIN && direct_is_on(session)) {
		struct iovec piece = {(void *)(uintptr_t)bytes, direct_bytes(used)};
		is_refused = false;
		cause = write_directly(session, known, "/drain.pseg", offset, &piece, 1, used, &is_refused);
	}
	if (is_refused) {
		cause = by == OUTPUT_SEALED ? 0 : reserve(session, used);
		if (cause)
			return cause;
		const struct segment_header *header = (const struct segment_header *)(const void *)bytes;
		if (is_drains) {
			cause = write_kept(session, KEPT_PACKED, known, offset, header, used);
		} else {
			cause = file_name(&file, session, &session->dir, packer->number, ".pseg");
			if (!cause)
				cause = write_bytes(session, &file, known, offset, header, used);
			file_close(&file);
		}
		if (by != OUTPUT_SEALED)
			cause = give_back_if_later(session, used, cause);
	}
	if (!cause)
		known->n_places += direct_bytes(used) / PACKER_ALIGN;
	return cause;
}

struct part_work {
	struct session *session;
	struct packer *packer;
	uint32_t part;
	enum output_by by;
	int cause;
};

static void write_part_away(void *argument)
{
	struct part_work *work = argument;
	work->cause = write_part(work->session, work->packer, work->part, work->by);
}

int output_part(struct session *session, struct packer *packer, uint32_t part, enum output_by by)
{
	struct part_work work = {session, packer, part, by, loss_cause_io_error | FILE_LATER};
	away(write_part_away, &work);
	return work.cause;
}

int output_sealed(struct stream *stream, const struct segment_header *header, uint32_t used_bytes)
{
	return write_own(stream, header, used_bytes, true);
}
