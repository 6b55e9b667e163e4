/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Packing dumps in place (--pack). At any moment each segment of the dump is in a file that the reader knows, on the
 * disk: the packed file is whole, compared and synced before it gets its name, meta says that there may be packed
 * segments before one gets its name, and only then the file that it replaces goes. So a kill or a full disk loses
 * nothing; what is left of an earlier attempt is removed by the next one.
 */
#include "builder/commands/command.h"
#include "builder/dump/pack_file.h"
#include "builder/dump/reader.h"
#include "builder/run/job.h"
#include "builder/support/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The suffix of a file until it is whole. */
#define NEW ".new"

struct packing {
	const char *path; /* of the dump */
	int directory;    /* open, and locked against others that pack it */
	struct meta meta;
	bool says_packed; /* meta has the version of packed dumps */
	bool is_damaged;  /* a file stays as it is */
};

static bool ends_in(const char *name, const char *ending)
{
	size_t n = strlen(name), n_ending = strlen(ending);
	return n >= n_ending && strcmp(name + n - n_ending, ending) == 0;
}

/* "NNNNN.seg", "NNNNN.dseg" or "drain.seg": what the reader takes for a file of segments. */
static int is_segments(const struct dirent *entry)
{
	const char *name = entry->d_name;
	size_t n = strspn(name, "0123456789");
	return strcmp(name, "drain.seg") == 0 ||
	       (n >= 5 && n <= 9 && (strcmp(name + n, ".seg") == 0 || strcmp(name + n, ".dseg") == 0));
}

/* The number of bytes in the files of a directory. */
static uint64_t bytes_of(int directory)
{
	uint64_t n_bytes = 0;
	struct stat st;
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	for (const struct dirent *entry; d != NULL && (entry = readdir(d)) != NULL;)
		if (fstatat(directory, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
			n_bytes += (uint64_t)st.st_size;
	if (d != NULL)
		closedir(d);
	return n_bytes;
}

/* Removes what a killed attempt has left. */
static void remove_new(int directory)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	for (const struct dirent *entry; d != NULL && (entry = readdir(d)) != NULL;)
		if (ends_in(entry->d_name, ".pseg" NEW) || strcmp(entry->d_name, "meta" NEW) == 0)
			unlinkat(directory, entry->d_name, 0);
	if (d != NULL)
		closedir(d);
}

static bool copy_rest(FILE *in, FILE *out)
{
	char bytes[65536];
	size_t n;
	while ((n = fread(bytes, 1, sizeof bytes, in)) > 0)
		if (fwrite(bytes, 1, n, out) != n)
			return false;
	return !ferror(in);
}

/* Writes meta once more, with the version of packed dumps in its first line. */
static bool write_meta(const struct packing *p, FILE *in, FILE *out)
{
	struct stat st;
	for (int c; (c = fgetc(in)) != '\n';)
		if (c == EOF)
			return false;
	return fprintf(out, "otter-dump %d %d\n", FORMAT_MAJOR, FORMAT_MINOR) > 0 && copy_rest(in, out) && fflush(out) == 0 &&
	       fstat(fileno(in), &st) == 0 && fchmod(fileno(out), st.st_mode & 07777) == 0 &&
	       (fchown(fileno(out), st.st_uid, st.st_gid) == 0 || errno == EPERM) && fsync(fileno(out)) == 0 &&
	       fsync(p->directory) == 0;
}

/* From now on a builder that does not know packed segments refuses the dump. 0, or -1 with the error printed. */
static int say_packed(struct packing *p)
{
	if (p->says_packed)
		return 0;
	int from = openat(p->directory, "meta", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	int to = openat(p->directory, "meta" NEW, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	FILE *in = from >= 0 ? fdopen(from, "r") : NULL, *out = to >= 0 ? fdopen(to, "w") : NULL;
	bool is_good = in != NULL && out != NULL && write_meta(p, in, out);
	int why = errno;
	if (in != NULL)
		fclose(in);
	if (out != NULL && fclose(out) != 0 && is_good) {
		is_good = false;
		why = errno;
	}
	if (is_good && renameat(p->directory, "meta" NEW, p->directory, "meta") != 0) {
		is_good = false;
		why = errno;
	}
	if (!is_good) {
		unlinkat(p->directory, "meta" NEW, 0);
		return error("%s/meta: cannot be written: %s", p->path, strerror(why));
	}
	p->says_packed = true;
	return fsync(p->directory) == 0 ? 0 : error("%s: %s", p->path, strerror(errno));
}

/* Gives the packed file its name, and removes the one that it replaces. 0, or -1 with the error printed. */
static int replace(struct packing *p, const char *name, const char *packed, const char *new_file)
{
	if (say_packed(p) != 0)
		return -1;
	if (rename(new_file, packed) != 0 || fsync(p->directory) != 0)
		return error("%s: cannot be renamed: %s", new_file, strerror(errno));
	if (unlinkat(p->directory, name, 0) != 0)
		return error("%s/%s: cannot be removed: %s", p->path, name, strerror(errno));
	return 0;
}

/* Packs one file of segments. 0, or -1 with the error printed. */
static int pack_one(struct packing *p, const char *name)
{
	int n = (int)strcspn(name, ".");
	char *from = text_format("%s/%s", p->path, name);
	char *packed = text_format("%s/%.*s.pseg", p->path, n, name);
	char *new_file = text_format("%s" NEW, packed);
	int rc = -1;
	switch (pack_file(from, packed, new_file, p->meta.segment_bytes)) {
	case PACK_WRITTEN: rc = replace(p, name, packed, new_file); break;
	case PACK_DAMAGED:
		warning("%s: it is damaged, and stays as it is", from);
		p->is_damaged = true;
		rc = 0;
		break;
	case PACK_FAILED: break;
	}
	if (rc != 0)
		unlink(new_file);
	free(new_file);
	free(packed);
	free(from);
	return rc;
}

static int pack_files(struct packing *p)
{
	struct dirent **entries;
	int n = scandir(p->path, &entries, is_segments, alphasort), rc = 0;
	if (n < 0)
		return error("%s: %s", p->path, strerror(errno));
	for (int i = 0; i < n; i++) {
		if (rc == 0)
			rc = pack_one(p, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	if (rc == 0 && fsync(p->directory) != 0)
		rc = error("%s: %s", p->path, strerror(errno));
	return rc;
}

/* May it be packed now? 0, or -1 with the error printed. */
static int check(struct packing *p)
{
	if (meta_read(&p->meta, p->path) != 0)
		return -1;
	if (p->meta.is_empty)
		return error("%s/meta: has no whole first line: the size of segments is not known", p->path);
	if (dump_process_runs(&p->meta))
		return error("%s: its process still runs, and may write to it", p->path);
	if (flock(p->directory, LOCK_EX | LOCK_NB) != 0)
		return errno == EWOULDBLOCK ? error("%s: another otter-build packs it", p->path)
					    : error("%s: cannot be locked: %s", p->path, strerror(errno));
	p->says_packed = p->meta.major == FORMAT_MAJOR;
	return 0;
}

/* Returns the exit status. */
static int pack_dump(const char *path, bool is_quiet)
{
	struct packing p = {.path = path, .directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
	if (p.directory < 0) {
		error("%s: %s", path, strerror(errno));
		return EXIT_FAILED;
	}
	int rc = check(&p);
	if (rc == 0) {
		remove_new(p.directory);
		uint64_t n_before = bytes_of(p.directory);
		rc = pack_files(&p);
		uint64_t n_after = bytes_of(p.directory);
		if (!is_quiet)
			printf("%s: %llu bytes before, %llu bytes now\n", path, (unsigned long long)n_before,
			       (unsigned long long)n_after);
	}
	close(p.directory);
	meta_free(&p.meta);
	return rc != 0 ? EXIT_FAILED : p.is_damaged ? EXIT_INCOMPLETE : EXIT_GOOD;
}

int pack(const struct command_line *line)
{
	const struct options *options = &line->options;
	struct job job = {.options = options};
	int status = EXIT_GOOD;
	for (size_t i = 0; i < options->n_dumps; i++)
		if (find_dumps(&job, options->dumps[i]) != 0)
			status = EXIT_FAILED;
	for (size_t i = 0; i < job.n_paths; i++) {
		int of_dump = pack_dump(job.paths[i], options->is_quiet);
		if (of_dump == EXIT_FAILED || status == EXIT_GOOD)
			status = of_dump;
		free(job.paths[i]);
	}
	free(job.paths);
	return status;
}

/* ---- Options ---- */

#define OPTION_PACK 1280

static const struct argp_option pack_options[] = {
	{"pack", OPTION_PACK, 0, 0, "build nothing: make the dumps themselves smaller, without a loss", GROUP},
	{0},
};

/* Packing writes nothing but the dumps, and builds nothing. */
static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct command_line *line = state->input;
	const struct options *o = &line->options;
	(void)value;
	switch (key) {
	case OPTION_PACK: command_set(line, pack, state); break;
	case ARGP_KEY_END:
		if (line->command == pack &&
		    (line->build_option != NULL || o->asked != 0 || o->output != NULL || o->is_strict || o->is_forced))
			argp_error(state, "--pack builds nothing: it goes with dumps and --quiet only");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const struct argp pack_argp = {.options = pack_options, .parser = parse_option};
