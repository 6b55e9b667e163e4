/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/output.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/event.h"
#include "recorder/direct.h"
#include "recorder/file.h"
#include "recorder/packer.h"
#include "recorder/session.h"
#include "recorder/stream.h"

#define ZEROS_BYTES 16384
#define ZEROS_PARTS 16 /* in one call: they lie on the stack, which may be small */

bool output_fits_limit(uint64_t bytes)
{
	struct rlimit limit;
	return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

static int write_all(int fd, const unsigned char *bytes, size_t n_bytes, off_t offset)
{
	unsigned n_interrupted = 0;
	while (n_bytes) {
		ssize_t n = offset < 0 ? write(fd, bytes, n_bytes) : pwrite(fd, bytes, n_bytes, offset);
		if (n < 0 && errno == EINTR && ++n_interrupted < FILE_INTERRUPTED_MAX)
			continue;
		if (n <= 0)
			return n < 0 ? file_cause(errno) : loss_cause_io_error;
		bytes += n;
		n_bytes -= (size_t)n;
		if (offset >= 0)
			offset += n;
	}
	return 0;
}

int output_zeros(int fd, uint64_t offset, uint64_t bytes)
{
	static const unsigned char zeros[ZEROS_BYTES];
	struct iovec parts[ZEROS_PARTS];
	unsigned n_interrupted = 0;
	if (!output_fits_limit(offset + bytes))
		return loss_cause_limit;
	for (unsigned i = 0; i < ZEROS_PARTS; i++)
		parts[i] = (struct iovec){(void *)(uintptr_t)zeros, sizeof zeros};
	while (bytes) {
		/* The last part may be written only partly; the next call goes on from there, with any of the zeros. */
		uint64_t n_parts = (bytes - 1) / sizeof zeros + 1;
		if (n_parts > ZEROS_PARTS)
			n_parts = ZEROS_PARTS;
		uint64_t rest = bytes - (n_parts - 1) * sizeof zeros;
		parts[n_parts - 1].iov_len = rest < sizeof zeros ? (size_t)rest : sizeof zeros;
		ssize_t n = pwritev(fd, parts, (int)n_parts, (off_t)offset);
		if (n < 0 && errno == EINTR && ++n_interrupted < FILE_INTERRUPTED_MAX)
			continue;
		if (n <= 0)
			return n < 0 ? file_cause(errno) : loss_cause_io_error;
		offset += (uint64_t)n;
		bytes -= (uint64_t)n;
	}
	return 0;
}

int output_ring(const struct session *session, int fd, uint64_t bytes, uint64_t first, bool *has_all)
{
	struct statfs fs;
	/* Other file systems may not write over zeros in place, or may not store zeros at all: they reserve room in
	 * their own way. */
	*has_all = fstatfs(fd, &fs) != 0 || fs.f_type != EXT4_SUPER_MAGIC;
	if (!output_fits_limit(bytes))
		return loss_cause_limit;
	if (!room_has_for_ring(session, fd, bytes))
		return loss_cause_no_space;
	if (*has_all) {
		int error;
		unsigned n = 0;
		do
			error = posix_fallocate(fd, 0, (off_t)bytes);
		while (error == EINTR && ++n < FILE_INTERRUPTED_MAX); /* any signal interrupts it on a tmpfs */
		return error ? file_cause(error) : 0;
	}
	int cause = output_zeros(fd, 0, first);
	for (unsigned n = 0; !cause && ftruncate(fd, (off_t)bytes) != 0;)
		if (errno != EINTR || ++n == FILE_INTERRUPTED_MAX)
			cause = file_cause(errno);
	return cause;
}

/* Counts the records of the segment that is about to be overwritten at `offset`, unless it is the same segment. */
static void count_overwritten(struct session *session, int fd, off_t offset, const struct segment_header *next)
{
	struct segment_header old;
	if (pread(fd, &old, sizeof old, offset) != (ssize_t)sizeof old || old.magic != SEGMENT_MAGIC ||
	    old.sequence == next->sequence)
		return;
	uint64_t used = (uint32_t)old.closed & ~SEGMENT_SEALED;
	__atomic_fetch_add(&session->n_overwritten, (used - sizeof old) / sizeof(struct record), __ATOMIC_RELAXED);
}

/* Makes sure that there is room for a segment at `offset`. On ext4 more room is reserved at once where a file grows: a
 * write into it takes two thirds of the time of a write that has to find its blocks (docs/design.md). At most half of
 * the file's size is reserved, so that small files stay small. Returns 0, or the cause. */
static int claim_space(struct session *session, int fd, struct output_file *file, uint64_t offset, uint32_t used_bytes)
{
	if (offset + used_bytes <= file->reserved)
		return 0;
	int cause = room_take(session, fd, used_bytes);
	uint64_t ahead = offset / 2 < AHEAD_BYTES ? offset / 2 : AHEAD_BYTES;
	ahead &= ~((UINT64_C(1) << session->shift) - 1);
	uint64_t most = session->room.most_bytes;
	bool is_allowed = !most || __atomic_load_n(&session->n_bytes, __ATOMIC_RELAXED) + ahead <= most;
	if (!cause && ahead && session->room.is_ext4 && !session->config.keeps_newest && is_allowed &&
	    room_has(session, fd, ahead) && fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)ahead) == 0)
		file->reserved = offset + ahead;
	return cause;
}

/* Writes a segment, or packed ones. */
static int write_bytes(struct session *session, struct file *file, struct output_file *known, uint64_t offset,
		       const struct segment_header *header, uint32_t used_bytes)
{
	if (!output_fits_limit(offset + used_bytes))
		return loss_cause_limit;
	int cause = file_open(file, (session->config.keeps_newest ? O_RDWR : O_WRONLY) | (known->exists ? 0 : O_CREAT | O_EXCL));
	if (cause)
		return cause;
	known->exists = true;
	cause = claim_space(session, file->fd, known, offset, used_bytes);
	if (!cause && session->config.keeps_newest)
		count_overwritten(session, file->fd, (off_t)offset, header);
	if (!cause)
		cause = write_all(file->fd, (const unsigned char *)header, used_bytes, (off_t)offset);
	return cause;
}

/* Takes the bytes out of what the process may write. Circular files get their share of the limit by their number of
 * places. */
static int reserve(struct session *session, uint64_t bytes)
{
	uint64_t most = session->room.most_bytes;
	uint64_t after = __atomic_add_fetch(&session->n_bytes, bytes, __ATOMIC_RELAXED);
	if (!most || after <= most)
		return 0;
	__atomic_store_n(&session->room.is_half_taken, !session->config.has_limit, __ATOMIC_RELAXED);
	return loss_cause_limit;
}

/* Gives the bytes back if the write is to be tried again. */
static int give_back_if_later(struct session *session, uint64_t bytes, int cause)
{
	if (cause & FILE_LATER)
		__atomic_sub_fetch(&session->n_bytes, bytes, __ATOMIC_RELAXED);
	return cause;
}

/* Returns the number of places in a circular file. The stream of switches has an eighth of the limit. Another stream's
 * share of the rest is one processor's; with samples there are two streams, which share it equally. Half of a share is for
 * each of a stream's two files. */
static uint64_t circular_places(const struct session *session, uint32_t number)
{
	uint64_t limit = session->config.limit_bytes, of_switches = limit / 8;
	unsigned n_files = session->sample_signal ? 4 : 2;
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
	bool is_circular = session->config.keeps_newest;
	struct output_file *known = is_circular ? &stream->drain_file : &session->drain_file;
	int cause = reserve(session, used_bytes);
	if (cause)
		return cause;
	uint64_t offset = is_circular ? circular_offset(session, header) : known->n_places << session->shift;
	cause = is_circular ? file_name(&file, session, session->dir, header->stream, ".dseg")
			    : file_name(&file, session, session->dir, FILE_NO_NUMBER, "/drain.seg");
	if (!cause)
		cause = write_bytes(session, &file, known, offset, header, used_bytes);
	file_close(&file);
	if (!cause)
		known->n_places++;
	return give_back_if_later(session, used_bytes, cause);
}

static int write_own(struct stream *stream, const struct segment_header *header, uint32_t used_bytes)
{
	struct session *session = stream->session;
	struct file file;
	uint64_t offset = session->config.keeps_newest ? circular_offset(session, header) : stream->file.n_places << session->shift;
	int cause = file_name(&file, session, session->dir, stream->number, ".seg");
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
	return cause ? cause : give_back_if_later(stream->session, used_bytes, write_own(stream, header, used_bytes));
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

/* How many of the segments form one piece: all but the last of a piece are full. */
static uint32_t count_joined(struct stream *stream, const uint32_t *indices, uint32_t n)
{
	uint32_t joined = 1;
	while (joined < n && stream_segment_used(stream, indices[joined - 1]) == UINT32_C(1) << stream->shift)
		joined++;
	return joined;
}

/* Writes pieces directly into a file of the drain thread's. `bytes`: how many of their bytes count. `*is_refused`: they have
 * to be written in the other way. */
static int write_directly(struct session *session, struct output_file *known, const char *name, uint64_t offset,
			  const struct iovec *pieces, uint32_t n, uint64_t bytes, bool *is_refused)
{
	struct file file;
	int cause = reserve(session, bytes);
	if (cause)
		return cause;
	cause = file_name(&file, session, session->dir, FILE_NO_NUMBER, name);
	if (!cause)
		cause = file_open(&file, O_WRONLY | (known->exists ? 0 : O_CREAT | O_EXCL));
	if (!cause) {
		known->exists = true;
		cause = room_take(session, file.fd, bytes); /* nothing is reserved: a direct write gains nothing by it */
	}
	if (!cause && !output_fits_limit(offset + direct_bytes(bytes)))
		cause = loss_cause_limit;
	if (!cause)
		cause = direct_write(session, file.fd, pieces, n, offset, is_refused);
	file_close(&file);
	if (cause || *is_refused)
		__atomic_sub_fetch(&session->n_bytes, bytes, __ATOMIC_RELAXED);
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
	struct output_file *known = &session->drain_file;
	int cause = write_directly(session, known, "/drain.seg", known->n_places << session->shift, pieces, n, bytes, is_refused);
	if (cause || *is_refused)
		return cause;
	known->n_places += n;
	for (uint32_t i = 0; i < n; i++) /* W1, as in output_segment */
		__atomic_store_n(&stream->written[indices[i]], sequences[i], __ATOMIC_RELEASE);
	return 0;
}

int output_batch(struct stream *stream, const uint32_t *indices, uint32_t *n)
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

int output_part(struct session *session, struct packer *packer, uint32_t part, enum output_by by)
{
	bool is_drains = by == OUTPUT_BY_DRAIN || packer->number == FILE_NO_NUMBER, is_refused = true;
	struct output_file *known = is_drains ? &session->pack_file : &packer->file;
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
		cause = is_drains ? file_name(&file, session, session->dir, FILE_NO_NUMBER, "/drain.pseg")
				  : file_name(&file, session, session->dir, packer->number, ".pseg");
		if (!cause)
			cause = write_bytes(session, &file, known, offset, (const struct segment_header *)(const void *)bytes,
					    used);
		file_close(&file);
		if (by != OUTPUT_SEALED)
			cause = give_back_if_later(session, used, cause);
	}
	if (!cause)
		known->n_places += direct_bytes(used) / PACKER_ALIGN;
	return cause;
}

int output_sealed(struct stream *stream, const struct segment_header *header, uint32_t used_bytes)
{
	return write_own(stream, header, used_bytes);
}

int output_meta(const struct session *session, const char *bytes, size_t n_bytes)
{
	struct file file;
	struct stat status;
	int cause = file_name(&file, session, session->dir, FILE_NO_NUMBER, "/meta");
	if (!cause)
		cause = file_open(&file, O_WRONLY | O_APPEND);
	if (!cause) {
		bool fits = output_fits_limit(fstat(file.fd, &status) == 0 ? (uint64_t)status.st_size + n_bytes : UINT64_MAX);
		cause = fits ? write_all(file.fd, (const unsigned char *)bytes, n_bytes, -1) : loss_cause_limit;
	}
	file_close(&file);
	return cause;
}
