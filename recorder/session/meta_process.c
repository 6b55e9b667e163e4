/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/session/meta_process.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recorder/kernel/processor_time.h"
#include "recorder/session/config.h"
#include "recorder/system/proc.h"
#include "recorder/system/sys.h"
#include "recorder/text.h"

#define ARGUMENTS_BYTES (256 << 10)

#define NS_PER_S UINT64_C(1000000000)

/* Writes when the process began, from its start time in clock ticks since the boot, and what its first thread has done since.
 * A suspended machine's CLOCK_BOOTTIME goes on, and CLOCK_MONOTONIC does not: the difference of now is taken for both. */
static void put_start(struct text *text, const char *pid_start)
{
	uint64_t ticks_per_s = getauxval(AT_CLKTCK), ticks = strtoull(pid_start, NULL, 10);
	if (ticks_per_s == 0 || ticks_per_s > NS_PER_S)
		return;
	uint64_t step_ns = NS_PER_S / ticks_per_s, boot_ns = sys_clock_ns(CLOCK_BOOTTIME), now_ns = sys_clock_ns(CLOCK_MONOTONIC);
	uint64_t age_ns = boot_ns - ticks * step_ns;
	if (ticks == 0 || age_ns > now_ns)
		return;
	text_word(text, "process_start");
	text_number(text, now_ns - age_ns);
	text_number(text, step_ns);
	text_end(text);
	uint64_t running_ns, waiting_ns;
	if (!processor_time_of((uint64_t)sys_getpid(), &running_ns, &waiting_ns))
		return;
	text_word(text, "first_thread");
	text_number(text, running_ns);
	text_number(text, waiting_ns);
	text_end(text);
}

void meta_put_process(struct text *text, const struct config *config, bool is_later)
{
	char bytes[4096];
	text_line_number(text, "pid", (uint64_t)sys_getpid());
	proc_read("/proc/self/stat", bytes, sizeof bytes);
	char *start = proc_stat_field(bytes, 22);
	if (start) {
		start[strcspn(start, " ")] = '\0';
		text_line(text, "pid_start", start);
		if (!is_later) /* else the process's start is that of the earlier program */
			put_start(text, start);
	}
	text_line_number(text, "ppid", (uint64_t)sys_getppid());
	char host[256] = "";
	sys_hostname(host, sizeof host);
	text_line(text, "host", host);
	proc_read("/proc/sys/kernel/random/boot_id", bytes, sizeof bytes);
	bytes[strcspn(bytes, "\n")] = '\0';
	text_line(text, "boot_id", bytes);
	if (config->rank >= 0)
		text_line_number(text, "rank", (uint64_t)config->rank);
	text_line(text, "run", config->run);
	ssize_t n = sys_readlink("/proc/thread-self/exe", bytes, sizeof bytes - 1);
	bytes[n > 0 ? n : 0] = '\0';
	text_line(text, "program", bytes);
	if (sys_getcwd(bytes, sizeof bytes))
		text_line(text, "cwd", bytes);
}

bool meta_put_arguments(struct text *text)
{
	char *bytes = sys_mmap(NULL, ARGUMENTS_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!bytes)
		return false;
	size_t n_bytes = proc_read("/proc/thread-self/cmdline", bytes, ARGUMENTS_BYTES);
	for (size_t i = 0; i < n_bytes; i += strlen(bytes + i) + 1)
		text_line(text, "arg", bytes + i);
	sys_munmap(bytes, ARGUMENTS_BYTES);
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
