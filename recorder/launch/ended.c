/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/launch/ended.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/launch/survey_meta.h"

/* Is the last line of the meta whole? What is appended to a cut line would become a part of it. */
static bool has_whole_lines(const char *path)
{
	struct stat st;
	char last = 0;
	int fd = survey_open(path, &st);
	if (fd < 0)
		return false;
	bool is_read = st.st_size > 0 && pread(fd, &last, 1, st.st_size - 1) == 1;
	close(fd);
	return is_read && last == '\n';
}

/* Appends a line to the meta of a dump. */
static void append(const struct survey *survey, const char *line)
{
	char path[PATH_MAX + 8];
	snprintf(path, sizeof path, "%s/meta", survey->path);
	if (!has_whole_lines(path))
		return;
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return;
	ssize_t written = write(fd, line, strlen(line)); /* where this fails, the builder knows the start and end less exactly */
	(void)written;
	close(fd);
}

void ended_note(const struct survey_list *list, const struct child *child)
{
	/* A program that is recorded may execute another one that is: each has a dump. */
	const struct survey *first = NULL, *last = NULL;
	for (size_t i = 0; i < list->n_surveys; i++)
		if (list->surveys[i].pid == child->pid && !list->surveys[i].is_running) {
			last = &list->surveys[i];
			first = first ? first : last;
		}
	if (!last)
		return;
	char line[128];
	snprintf(line, sizeof line, "process_start %" PRIu64 " 0\n", child->start_ns);
	append(first, line);
	bool is_killed = WIFSIGNALED(child->wait_status);
	snprintf(line, sizeof line, "process_end %" PRIu64 " %s %d\n", child->end_ns, is_killed ? "killed" : "exited",
		 is_killed ? WTERMSIG(child->wait_status) : WEXITSTATUS(child->wait_status));
	append(last, line);
}
