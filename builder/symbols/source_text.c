/* SPDX-License-Identifier: BSD-3-Clause */
#include "builder/symbols/source_text.h"
#include "builder/support/memory.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_BYTES 240 /* of a source line */

void sources_open(struct sources *sources, struct source_rules rules)
{
	*sources = (struct sources){.rules = rules};
	if (!rules.are_shown)
		return;
	sources->roots[0] = realpath(".", NULL);
	sources->roots[1] = rules.directory != NULL ? realpath(rules.directory, NULL) : NULL;
}

void sources_close(struct sources *sources)
{
	free(sources->roots[0]);
	free(sources->roots[1]);
	free(sources->elsewhere);
	*sources = (struct sources){0};
}

static bool has_source_suffix(const char *path)
{
	static const char *const suffixes[] = {"c",   "h",   "i",   "C",   "H",   "cc",  "cp",  "cpp", "cxx", "c++",
					       "ii",  "hh",  "hp",  "hpp", "hxx", "h++", "inc", "inl", "ipp", "tcc",
					       "tpp", "txx", "ixx", "cu",  "cuh", "hip", "cl",  "m",   "mm",  "f",
					       "F",   "for", "FOR", "ftn", "FTN", "fpp", "FPP", "f77", "F77", "f90",
					       "F90", "f95", "F95", "f03", "F03", "f08", "F08", "f18", "F18"};
	const char *dot = strrchr(path, '.');
	if (dot == NULL || strchr(dot, '/') != NULL)
		return false;
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
		if (strcmp(dot + 1, suffixes[i]) == 0)
			return true;
	return false;
}

static bool is_below(const char *path, const char *root)
{
	size_t n = root != NULL ? strlen(root) : 0;
	if (n == 1) /* the root of the file system */
		return true;
	return n > 0 && strncmp(path, root, n) == 0 && path[n] == '/';
}

/* The file, or NULL: it is not there, or its text may not be shown. The first one that is only elsewhere is left in *elsewhere. */
static FILE *open_file(const struct sources *sources, const char *path, char **elsewhere)
{
	char name[40], real[PATH_MAX];
	struct stat status;
	FILE *file = NULL;
	int place = open(path, O_PATH | O_CLOEXEC); /* which opens no device and no pipe */
	if (place < 0)
		return NULL;
	snprintf(name, sizeof name, "/proc/self/fd/%d", place);
	ssize_t n = readlink(name, real, sizeof real - 1);
	if (n > 0 && fstat(place, &status) == 0 && S_ISREG(status.st_mode)) {
		real[n] = '\0';
		if (!has_source_suffix(real))
			;
		else if (is_below(real, sources->roots[0]) || is_below(real, sources->roots[1]))
			file = fopen(name, "re");
		else if (*elsewhere == NULL)
			*elsewhere = text_copy(real);
	}
	close(place);
	return file;
}

/* The file at its recorded place, or below --source with as much of its recorded path as is there. */
static FILE *find_file(const struct sources *sources, const char *path, char **elsewhere)
{
	FILE *file = open_file(sources, path, elsewhere);
	while (file == NULL && sources->rules.directory != NULL) {
		char *other = text_format("%s/%s", sources->rules.directory, path[0] == '/' ? path + 1 : path);
		file = open_file(sources, other, elsewhere);
		free(other);
		path = strchr(path[0] == '/' ? path + 1 : path, '/');
		if (path == NULL)
			break;
	}
	return file;
}

char *source_text(struct sources *sources, const char *path, unsigned line)
{
	if (!sources->rules.are_shown || line == 0 || path[0] == '\0')
		return NULL;
	char *elsewhere = NULL;
	FILE *file = find_file(sources, path, &elsewhere);
	if (file == NULL && elsewhere != NULL) {
		sources->n_elsewhere++;
		if (sources->elsewhere == NULL) {
			sources->elsewhere = elsewhere;
			elsewhere = NULL;
		}
	}
	free(elsewhere);
	char text[LINE_BYTES] = "";
	for (unsigned at = 1; file != NULL && at <= line;) {
		if (fgets(text, sizeof text, file) == NULL) {
			text[0] = '\0';
			break;
		}
		bool is_whole = strchr(text, '\n') != NULL;
		if (at == line)
			break;
		at += is_whole;
	}
	if (file != NULL)
		(void)fclose(file);
	text[strcspn(text, "\r\n")] = '\0';
	const char *begin = text + strspn(text, " \t");
	return *begin != '\0' ? text_copy(begin) : NULL;
}
