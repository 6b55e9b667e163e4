/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/launch/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BLOCK_BYTES (128 << 10)

/* For file systems that cannot copy by themselves. */
static bool copy_bytes(int from, int to, uint64_t offset, uint64_t n_bytes)
{
	static char block[BLOCK_BYTES];
	while (n_bytes) {
		ssize_t n = pread(from, block, n_bytes < sizeof block ? (size_t)n_bytes : sizeof block, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n ? errno : ESTALE;
			return false;
		}
		for (ssize_t done = 0, m; done < n; done += m)
			if ((m = pwrite(to, block + done, (size_t)(n - done), (off_t)offset + done)) <= 0)
				return false;
		offset += (uint64_t)n;
		n_bytes -= (uint64_t)n;
	}
	return true;
}

static bool copy_range(int from, int to, struct file_range stretch)
{
	off_t in = (off_t)stretch.offset, out = in, end = in + (off_t)stretch.n_bytes;
	while (in < end) {
		ssize_t n = copy_file_range(from, &in, to, &out, (size_t)(end - in), 0);
		if (n < 0 && (errno == ENOSPC || errno == EDQUOT))
			return false;
		if (n <= 0)
			return copy_bytes(from, to, (uint64_t)in, (uint64_t)(end - in));
	}
	return true;
}

static bool fill(const struct elf_image *image, const struct file_range *parts, size_t n_parts, int to)
{
	struct file_range all = {0, (uint64_t)image->status.st_size};
	struct stat now;
	bool is_good = true;
	if (n_parts || ioctl(to, FICLONE, image->fd) != 0) {
		is_good = ftruncate(to, image->status.st_size) == 0;
		for (size_t i = 0; i < n_parts && is_good; i++)
			is_good = copy_range(image->fd, to, parts[i]);
		if (!n_parts && is_good)
			is_good = copy_range(image->fd, to, all);
	}
	if (is_good &&
	    (fstat(image->fd, &now) != 0 || now.st_size != image->status.st_size ||
	     now.st_mtim.tv_sec != image->status.st_mtim.tv_sec || now.st_mtim.tv_nsec != image->status.st_mtim.tv_nsec)) {
		errno = ESTALE;
		is_good = false;
	}
	return is_good;
}

int copy_image(const struct elf_image *image, const struct file_range *parts, size_t n_parts, int dir, const char *name,
	       mode_t mode)
{
	char new_name[NAME_MAX + 1];
	snprintf(new_name, sizeof new_name, "%s.new", name);
	int to = openat(dir, new_name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
	if (to < 0)
		return -1;
	bool is_good = fill(image, parts, n_parts, to);
	int why = errno;
	if (close(to) != 0 && is_good) {
		why = errno;
		is_good = false;
	}
	if (is_good && renameat(dir, new_name, dir, name) != 0) {
		why = errno;
		is_good = false;
	}
	if (!is_good)
		unlinkat(dir, new_name, 0);
	errno = why;
	return is_good ? 0 : -1;
}
