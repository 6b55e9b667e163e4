/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/drain/direct.h"

#include <errno.h>
#include <fcntl.h>

#include "recorder/clock.h"
#include "recorder/drain/file.h"
#include "recorder/drain/hang.h"
#include "recorder/ring/segment.h"
#include "recorder/ring/stream.h"
#include "recorder/session/session.h"
#include "recorder/system/sys.h"

/* The bytes of a write. Smaller writes take more time a byte: 256 KiB take as long as through the page cache. */
#define BATCH_BYTES     (UINT64_C(1) << 20)
#define BATCH_BYTES_MIN (UINT64_C(64) << 10) /* a ring whose batches are smaller is not written directly */

/* Nothing ends a write that the disk has begun, not even SIGKILL, and the process's end waits for it. So a write has at
 * most the bytes that the disk takes in 5 ms, by its rate in the last write. */
#define PIECE_NS        UINT64_C(5000000)
#define PIECE_BYTES_MIN (UINT64_C(128) << 10)

/* To a disk that takes longer for the smallest piece everything is written through the page cache: that costs more time
 * a byte, but such a disk takes few bytes. The next try is after a second, and after twice as long each time (a disk
 * may be fast for some megabytes, and then let a write wait for a tenth of a second). */
#define PAUSE_MIN_NS UINT64_C(1000000000)
#define PAUSE_MAX_NS UINT64_C(64000000000)

bool direct_is_on(const struct session *session)
{
	/* Circular files are read before each write, and OTTER_FULL=drop is for disks that are slower than the program:
	 * there the page cache is needed as a buffer. */
	return !__atomic_load_n(&session->direct.is_off, __ATOMIC_RELAXED) &&
	       !__atomic_load_n(&session->direct.is_paused, __ATOMIC_RELAXED) && !session->config.keeps_newest &&
	       !session->config.drops_when_full;
}

uint32_t direct_batch(const struct session *session, const struct stream *stream)
{
	if (!stream_is_of_events(stream) || !direct_is_on(session))
		return 1;
	/* Relaxed: the owner changes it if the disk is full. */
	uint32_t n_segments = __atomic_load_n(&stream->n_segments, __ATOMIC_RELAXED);
	uint64_t n = BATCH_BYTES >> stream->shift;
	if (n > n_segments / 2)
		n = n_segments / 2;
	return n << stream->shift < BATCH_BYTES_MIN ? 1 : (uint32_t)n;
}

static void refuse(struct session *session)
{
	__atomic_store_n(&session->direct.is_off, true, __ATOMIC_RELAXED); /* threads with a full segment read it */
}

static void pause_direct(struct session *session)
{
	uint64_t pause_ns = session->direct.pause_ns ? session->direct.pause_ns * 2 : PAUSE_MIN_NS;
	session->direct.pause_ns = pause_ns < PAUSE_MAX_NS ? pause_ns : PAUSE_MAX_NS;
	session->direct.resume_ns = sys_clock_ns(CLOCK_MONOTONIC) + session->direct.pause_ns;
	__atomic_store_n(&session->direct.is_paused, true, __ATOMIC_RELAXED);
}

void direct_resume(struct session *session)
{
	if (session->direct.is_paused && sys_clock_ns(CLOCK_MONOTONIC) >= session->direct.resume_ns)
		__atomic_store_n(&session->direct.is_paused, false, __ATOMIC_RELAXED);
}

void direct_learn(struct session *session, uint64_t bytes, uint64_t ns)
{
	if (bytes < PIECE_BYTES_MIN && ns < PIECE_NS)
		return;                                             /* too little to know the rate */
	uint64_t allowed = ns ? bytes * PIECE_NS / ns : UINT64_MAX; /* at most 1 MiB times 5000000: no overflow */
	uint64_t next = session->direct.piece_bytes;
	if (allowed < bytes && allowed < PIECE_BYTES_MIN) {
		pause_direct(session);
		next = PIECE_BYTES_MIN;
	} else if (allowed < next) {
		next = allowed & ~(DIRECT_ALIGN - 1);
	} else if (allowed / 2 >= next) {
		next *= 2; /* it grows by steps */
	}
	session->direct.piece_bytes = next < PIECE_BYTES_MIN ? PIECE_BYTES_MIN : next > BATCH_BYTES ? BATCH_BYTES : next;
}

/* Fills in the parts of memory that are the bytes `from` to `to` of the joined pieces. Returns their number. */
static int put_parts(const struct iovec *pieces, uint64_t from, uint64_t to, struct iovec *parts)
{
	int n = 0;
	for (uint64_t begin = 0; begin < to; begin += pieces++->iov_len) {
		uint64_t end = begin + pieces->iov_len < to ? begin + pieces->iov_len : to;
		uint64_t at = begin > from ? begin : from;
		if (at < end)
			parts[n++] = (struct iovec){(unsigned char *)pieces->iov_base + (at - begin), end - at};
	}
	return n;
}

static bool is_refusal(int error)
{
	return error == EINVAL || error == EOPNOTSUPP || error == ENOTBLK || error == ENOSYS || error == EPERM;
}

int direct_write(struct session *session, int fd, const struct iovec *pieces, uint32_t n, uint64_t offset, bool *is_refused)
{
	struct iovec parts[DIRECT_PIECES];
	uint64_t whole = 0;
	unsigned n_interrupted = 0;
	for (uint32_t i = 0; i < n; i++)
		whole += pieces[i].iov_len;
	if (!session->direct.piece_bytes)
		session->direct.piece_bytes = PIECE_BYTES_MIN;
	/* O_DIRECT is not set when the file is opened: some file systems make the file and then refuse. */
	*is_refused = offset & (DIRECT_ALIGN - 1) || sys_fcntl(fd, F_SETFL, O_DIRECT) != 0;
	if (*is_refused)
		refuse(session);
	for (uint64_t at = 0; at < whole && !*is_refused;) {
		uint64_t to = whole - at > session->direct.piece_bytes ? at + session->direct.piece_bytes : whole;
		int n_parts = put_parts(pieces, at, to, parts);
		uint64_t begin_ns = sys_clock_ns(CLOCK_MONOTONIC);
		bool is_timed = hang_write_begins(session);
		ssize_t n_written = sys_pwritev(fd, parts, n_parts, (off_t)(offset + at));
		hang_write_ends(session, is_timed);
		if (n_written == -EINTR && ++n_interrupted < FILE_INTERRUPTED_MAX)
			continue;
		if (n_written < 0 && !is_refusal((int)-n_written))
			return file_cause((int)-n_written);
		/* After a short write the next one begins at the last multiple of DIRECT_ALIGN. */
		uint64_t n_whole = n_written < 0 ? 0 : (uint64_t)n_written & ~(DIRECT_ALIGN - 1);
		if (n_whole)
			direct_learn(session, n_whole, sys_clock_ns(CLOCK_MONOTONIC) - begin_ns);
		if (n_whole == 0)
			refuse(session);
		at += n_whole;
		*is_refused = n_whole == 0 || (at < whole && session->direct.is_paused);
	}
	return 0;
}
