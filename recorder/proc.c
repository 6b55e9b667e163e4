/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/proc.h"

#include <fcntl.h>
#include <unistd.h>

size_t proc_read(const char *path, char *text, size_t n_bytes)
{
	size_t n_read = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	for (ssize_t n = 1; fd >= 0 && n > 0 && n_read<n_bytes - 1; n_read += n> 0 ? (size_t)n : 0)
		n = read(fd, text + n_read, n_bytes - 1 - n_read);
	if (fd >= 0)
		close(fd);
	text[n_read] = '\0';
	return n_read;
}
