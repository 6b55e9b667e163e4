/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/launch/libraries.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/launch/elf.h"

const char *libraries_base(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

bool libraries_loader(char loader[PATH_MAX])
{
	struct elf elf;
	elf_open(&elf, "/proc/self/exe");
	const char *path = elf_interpreter(&elf);
	if (path)
		snprintf(loader, PATH_MAX, "%s", path);
	elf_close(&elf);
	return path != NULL;
}

bool libraries_begin(struct libraries *libraries, const char *program, const char *search, const char *preload)
{
	char loader[PATH_MAX];
	char self[PATH_MAX];
	int pipe_fd[2];
	if (!program) {
		ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
		self[n > 0 ? n : 0] = '\0';
		program = self;
	}
	if (!libraries_loader(loader) || pipe2(pipe_fd, O_CLOEXEC) != 0)
		return false;
	libraries->pid = fork();
	if (libraries->pid == 0) {
		int null = open("/dev/null", O_RDWR);
		dup2(null, STDIN_FILENO);
		dup2(pipe_fd[1], STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		if (search)
			setenv("LD_LIBRARY_PATH", search, 1);
		/* By this variable, as ldd does it: with --list the loader ends at the first library that it does not find. */
		setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
		if (preload)
			execl(loader, loader, "--preload", preload, program, (char *)NULL);
		else
			execl(loader, loader, program, (char *)NULL);
		_exit(127);
	}
	close(pipe_fd[1]);
	libraries->list = libraries->pid < 0 ? NULL : fdopen(pipe_fd[0], "r");
	if (!libraries->list)
		close(pipe_fd[0]);
	return libraries->list != NULL;
}

/* A line is "\tNAME => PATH (0xADDRESS)", "\tPATH (0xADDRESS)" or "\tNAME => not found". */
bool libraries_next(struct libraries *libraries)
{
	char line[2 * PATH_MAX];
	while (fgets(line, sizeof line, libraries->list)) {
		char *name = line + strspn(line, " \t");
		char *address = strrchr(name, '(');
		if (address && address > name)
			address[-1] = '\0';
		name[strcspn(name, "\n")] = '\0';
		char *arrow = strstr(name, " => ");
		const char *where = arrow ? arrow + 4 : name;
		if (arrow)
			*arrow = '\0';
		if (strcmp(where, "not found") == 0)
			where = "";
		if (*name && strcmp(name, "statically linked") != 0) {
			snprintf(libraries->name, PATH_MAX, "%s", name);
			snprintf(libraries->path, PATH_MAX, "%s", where);
			return true;
		}
	}
	return false;
}

bool libraries_end(struct libraries *libraries)
{
	fclose(libraries->list);
	int status;
	return waitpid(libraries->pid, &status, 0) == libraries->pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
