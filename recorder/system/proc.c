/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/system/proc.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/system/away.h"
#include "recorder/system/sys.h"

struct reading {
	const char *path;
	char *text;
	size_t n_bytes, n_read;
};

static void read_file(void *argument)
{
	struct reading *reading = argument;
	int fd = sys_open(reading->path, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return;
	ssize_t n = 1;
	while (n > 0 && reading->n_read < reading->n_bytes - 1) {
		n = sys_read(fd, reading->text + reading->n_read, reading->n_bytes - 1 - reading->n_read);
		reading->n_read += n > 0 ? (size_t)n : 0;
	}
	sys_close(fd);
}

size_t proc_read(const char *path, char *text, size_t n_bytes)
{
	struct reading reading = {path, text, n_bytes, 0};
	away(read_file, &reading);
	text[reading.n_read] = '\0';
	return reading.n_read;
}

uint32_t proc_n_processors(void)
{
	char text[512]; /* "0-3,8": ranges and numbers */
	uint64_t n = 0;
	proc_read("/sys/devices/system/cpu/online", text, sizeof text);
	for (char *at = text; *at >= '0' && *at <= '9';) {
		uint64_t first = strtoull(at, &at, 10), last = *at == '-' ? strtoull(at + 1, &at, 10) : first;
		n += last >= first ? last - first + 1 : 0;
		at += *at == ',';
	}
	return n <= UINT32_MAX ? (uint32_t)n : 0;
}

char *proc_stat_field(char *stat, unsigned field)
{
	char *space = strrchr(stat, ')'); /* ends the second field, the command's name, which may contain anything */
	for (unsigned i = 2; space && i < field; i++)
		space = strchr(space + 1, ' ');
	return space ? space + 1 : NULL;
}
