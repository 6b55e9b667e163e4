/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Room in the files of rings and packing buffers, and what the process may write.
 */
#include "recorder/drain/output.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/vfs.h>

#include "common/event.h"
#include "recorder/drain/disk_budget.h"
#include "recorder/drain/file.h"
#include "recorder/session/session.h"
#include "recorder/system/sys.h"

#define ZEROS_BYTES 16384
#define ZEROS_PARTS 16 /* in one call: they lie on the stack, which may be small */

bool output_fits_limit(uint64_t bytes)
{
	struct rlimit limit;
	return sys_getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
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
		/* The last part may be written only partly; the next call continues there, with any of the zeros. */
		uint64_t n_parts = (bytes - 1) / sizeof zeros + 1;
		if (n_parts > ZEROS_PARTS)
			n_parts = ZEROS_PARTS;
		uint64_t rest = bytes - (n_parts - 1) * sizeof zeros;
		parts[n_parts - 1].iov_len = rest < sizeof zeros ? (size_t)rest : sizeof zeros;
		ssize_t n = sys_pwritev(fd, parts, (int)n_parts, (off_t)offset);
		if (n == -EINTR && ++n_interrupted < FILE_INTERRUPTED_MAX)
			continue;
		if (n <= 0)
			return n < 0 ? file_cause((int)-n) : loss_cause_io_error;
		offset += (uint64_t)n;
		bytes -= (uint64_t)n;
	}
	return 0;
}

/* Gives the whole file its blocks. */
static int reserve(int fd, uint64_t bytes)
{
	int result;
	unsigned n = 0;
	do
		result = sys_fallocate(fd, 0, 0, (off_t)bytes);
	while (result == -EINTR && ++n < FILE_INTERRUPTED_MAX); /* any signal interrupts it on a tmpfs */
	/* A file system without fallocate has blocks for what was written. */
	if (result == -EOPNOTSUPP || result == -ENOSYS)
		return output_zeros(fd, 0, bytes);
	return result ? file_cause(-result) : 0;
}

/* Gives the file its length, and only its beginning blocks. */
static int fill_first(int fd, uint64_t bytes, uint64_t first)
{
	int cause = output_zeros(fd, 0, first), result = 0;
	unsigned n = 0;
	if (cause)
		return cause;
	do
		result = sys_ftruncate(fd, (off_t)bytes);
	while (result == -EINTR && ++n < FILE_INTERRUPTED_MAX);
	return result ? file_cause(-result) : 0;
}

int output_ring(const struct session *session, int fd, uint64_t bytes, uint64_t first, bool *has_all)
{
	struct statfs fs;
	/* Other file systems may not write over zeros in place, or may not store zeros at all: there fallocate reserves room. */
	*has_all = sys_fstatfs(fd, &fs) != 0 || fs.f_type != EXT4_SUPER_MAGIC;
	if (!output_fits_limit(bytes))
		return loss_cause_limit;
	if (!budget_has_for_ring(session, fd, bytes))
		return loss_cause_no_space;
	return *has_all ? reserve(fd, bytes) : fill_first(fd, bytes, first);
}
