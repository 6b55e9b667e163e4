/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/meta_process.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recorder/config.h"
#include "recorder/proc.h"
#include "recorder/text.h"

#define ARGUMENTS_BYTES (256 << 10)

void meta_put_process(struct text *text, const struct config *config)
{
	char bytes[4096];
	text_line_number(text, "pid", (uint64_t)getpid());
	proc_read("/proc/self/stat", bytes, sizeof bytes);
	/* Field 22, counted after the command's name, which may contain anything. */
	char *p = strrchr(bytes, ')');
	for (int field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	if (p) {
		p[1 + strcspn(p + 1, " ")] = '\0';
		text_line(text, "pid_start", p + 1);
	}
	text_line_number(text, "ppid", (uint64_t)getppid());
	char host[256] = "";
	gethostname(host, sizeof host - 1);
	text_line(text, "host", host);
	proc_read("/proc/sys/kernel/random/boot_id", bytes, sizeof bytes);
	bytes[strcspn(bytes, "\n")] = '\0';
	text_line(text, "boot_id", bytes);
	if (config->rank >= 0)
		text_line_number(text, "rank", (uint64_t)config->rank);
	text_line(text, "run", config->run);
	ssize_t n = readlink("/proc/self/exe", bytes, sizeof bytes - 1);
	bytes[n > 0 ? n : 0] = '\0';
	text_line(text, "program", bytes);
	n = getcwd(bytes, sizeof bytes) ? 0 : -1;
	if (n == 0)
		text_line(text, "cwd", bytes);
}

bool meta_put_arguments(struct text *text)
{
	char *bytes = mmap(NULL, ARGUMENTS_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (bytes == MAP_FAILED)
		return false;
	size_t n_bytes = proc_read("/proc/self/cmdline", bytes, ARGUMENTS_BYTES);
	for (size_t i = 0; i < n_bytes; i += strlen(bytes + i) + 1)
		text_line(text, "arg", bytes + i);
	munmap(bytes, ARGUMENTS_BYTES);
	return n_bytes < ARGUMENTS_BYTES - 1;
}

void meta_put_environment(struct text *text)
{
	static const char *const prefixes[] = {"OMP_", "KMP_", "LIBOMP_", "OTTER_"};
	for (char **variable = environ; variable && *variable; variable++)
		for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
			if (strncmp(*variable, prefixes[i], strlen(prefixes[i])) == 0)
				text_line(text, "env", *variable);
}
