/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/launch/keep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "recorder/drain/disk_budget.h"
#include "recorder/launch/copy.h"
#include "recorder/launch/image.h"
#include "recorder/launch/survey_meta.h"

#define WHOLE_BYTES_MAX (UINT64_C(64) << 20) /* of a larger file only its parts are kept */
#define RUN_BYTES_MAX   (UINT64_C(1) << 30)  /* kept of one launch */
#define FILES_MAX       1024                 /* of a dump */

/* A file that this launch has kept. */
struct kept_file {
	char name[IMAGE_ID_CHARS + 8]; /* below binaries/ */
	size_t dump;                   /* the first that has it */
	uint64_t n_bytes;
	bool is_whole;
};

struct keeper {
	const struct survey_list *list;
	struct kept_file *kept;
	size_t n_kept;
	uint64_t n_bytes;
};

/* A file of a dump's maps. */
struct mapped {
	char id[IMAGE_ID_CHARS]; /* "-" unknown */
	const char *shown;       /* its path as meta has it */
	char *path;
	bool is_wanted;
};

/* One dump. */
struct keeping {
	struct keeper *keeper;
	size_t dump;
	int place; /* DUMP/binaries */
	mode_t mode;
	FILE *out;
	uint64_t left_free;
	uint64_t limit_bytes; /* that this process may write; UINT64_MAX: no limit */
	uint64_t used_bytes;
	uint64_t codes[2]; /* addresses in the runtimes' code; 0 none */
	char program[PATH_MAX];
	struct mapped *mapped;
	size_t n_mapped;
};

static bool begins(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static bool is_of_system(const char *path)
{
	return begins(path, "/lib/") || begins(path, "/lib64/") || begins(path, "/usr/lib/") || begins(path, "/usr/lib64/");
}

/* Hexadecimal digits only: it becomes the name of a file. */
static bool is_id(const char *text)
{
	size_t n = strspn(text, "0123456789abcdef");
	return n > 0 && n < IMAGE_ID_CHARS && text[n] == '\0';
}

static void take_map(struct keeping *k, char *value)
{
	uint64_t start, end;
	char id[IMAGE_ID_CHARS];
	int at = 0;
	if (sscanf(value, "%" SCNx64 " %" SCNx64 " %*x %128s %n", &start, &end, id, &at) < 3 || !at || (!is_id(id) && id[0] != '-'))
		return;
	const char *shown = value + at;
	char *path = strdup(shown);
	if (!path)
		return;
	survey_unescape(path);
	const char *slash = strrchr(path, '/');
	bool is_recorder = slash && begins(slash, "/libotter-");
	bool is_runtime = (k->codes[0] >= start && k->codes[0] < end) || (k->codes[1] >= start && k->codes[1] < end);
	bool is_wanted = !is_recorder && (is_runtime || !is_of_system(path) || strcmp(path, k->program) == 0);
	for (size_t i = 0; i < k->n_mapped; i++)
		if (strcmp(k->mapped[i].id, id) == 0 && strcmp(k->mapped[i].path, path) == 0) {
			k->mapped[i].is_wanted |= is_wanted;
			free(path);
			return;
		}
	struct mapped *more = k->n_mapped < FILES_MAX ? realloc(k->mapped, (k->n_mapped + 1) * sizeof *more) : NULL;
	if (!more) {
		free(path);
		return;
	}
	k->mapped = more;
	more[k->n_mapped] = (struct mapped){.shown = shown, .path = path, .is_wanted = is_wanted};
	strcpy(more[k->n_mapped++].id, id);
}

/* Reads a dump's meta. The text stays as long as `mapped` does. Lines of maps may precede those of the runtimes. */
static void take_meta(struct keeping *k, char *text)
{
	char *rest = text, *key, *value;
	size_t n_maps = 0, n = 0;
	char **maps = NULL;
	while (survey_next_line(&rest, &key, &value)) {
		if (strcmp(key, "program") == 0)
			snprintf(k->program, sizeof k->program, "%s", survey_unescape(value));
		else if (strcmp(key, "runtime_code") == 0)
			k->codes[0] = strtoull(value, NULL, 10);
		else if (strcmp(key, "argobots_code") == 0)
			k->codes[1] = strtoull(value, NULL, 10);
		else if (strcmp(key, "left_free") == 0)
			k->left_free = strtoull(value, NULL, 10);
		else if (strcmp(key, "setting") == 0 && begins(value, "limit ") && value[6] != '-')
			k->limit_bytes = strtoull(value + 6, NULL, 10);
		else if (strcmp(key, "map") == 0) {
			if (n == n_maps) {
				char **more = realloc(maps, (n_maps = 2 * n_maps + 64) * sizeof *more);
				if (!more)
					break;
				maps = more;
			}
			maps[n++] = value;
		}
	}
	for (size_t i = 0; i < n; i++)
		take_map(k, maps[i]);
	free(maps);
}

/* May `n_bytes` more be written? */
static bool has_room(const struct keeping *k, uint64_t n_bytes)
{
	struct statfs fs;
	if (k->keeper->n_bytes + n_bytes > RUN_BYTES_MAX || k->used_bytes + n_bytes > k->limit_bytes || fstatfs(k->place, &fs) != 0)
		return false;
	return fs.f_blocks == 0 || budget_free(&fs) >= k->left_free + n_bytes;
}

/* Returns the file if an earlier dump of this launch has it, and makes a link to it. NULL: none has it. */
static const struct kept_file *find_kept(const struct keeping *k, const char *name)
{
	const struct keeper *keeper = k->keeper;
	for (size_t i = 0; i < keeper->n_kept; i++) {
		const struct kept_file *kept = &keeper->kept[i];
		char path[PATH_MAX + 256];
		if (strcmp(kept->name, name) != 0)
			continue;
		snprintf(path, sizeof path, "%s/binaries/%s", keeper->list->surveys[kept->dump].path, name);
		if (kept->dump == k->dump || linkat(AT_FDCWD, path, k->place, name, 0) == 0)
			return kept;
	}
	return NULL;
}

/* Copies an open file to `name`. Returns NULL, or why it was not kept. */
static const char *keep_image(struct keeping *k, const struct elf_image *image, const char *name, struct kept_file *kept)
{
	struct file_range *parts = NULL;
	size_t n_parts = 0;
	uint64_t n_bytes = (uint64_t)image->status.st_size;
	kept->is_whole = n_bytes <= WHOLE_BYTES_MAX;
	kept->n_bytes = n_bytes;
	if (!kept->is_whole) {
		n_parts = image_parts(image, &parts);
		n_bytes = 0;
		for (size_t i = 0; i < n_parts; i++)
			n_bytes += parts[i].n_bytes;
	}
	const char *why = !kept->is_whole && !n_parts ? "too-large" : has_room(k, n_bytes) ? NULL : "no-room";
	if (!why && copy_image(image, parts, n_parts, k->place, name, k->mode & 0666) != 0)
		why = errno == ENOSPC || errno == EDQUOT ? "no-room" : errno == ESTALE ? "changed" : "cannot-be-written";
	free(parts);
	if (why)
		return why;
	k->used_bytes += n_bytes;
	k->keeper->n_bytes += n_bytes;
	struct kept_file *more = realloc(k->keeper->kept, (k->keeper->n_kept + 1) * sizeof *more);
	if (more) {
		k->keeper->kept = more;
		kept->dump = k->dump;
		snprintf(kept->name, sizeof kept->name, "%s", name);
		more[k->keeper->n_kept++] = *kept;
	}
	return NULL;
}

static void put_kept(struct keeping *k, const char *word, const char *id, const struct kept_file *kept, const char *path)
{
	fprintf(k->out, "%s %s %" PRIu64 " %s %s\n", word, id, kept->n_bytes, kept->is_whole ? "whole" : "parts", path);
}

/* Opens the separate debug file at a path if it is that of the build id. */
static bool open_debug(struct elf_image *debug, const char *path, const char *id)
{
	if (!image_open(debug, path))
		return false;
	if (strcmp(debug->id, id) == 0)
		return true;
	image_close(debug);
	return false;
}

/* Keeps the separate debug file, if it is in one of the places where debuggers search. */
static void keep_debug(struct keeping *k, const struct mapped *mapped, const struct elf_image *image)
{
	char link[NAME_MAX + 1], paths[4][2 * PATH_MAX + NAME_MAX], name[IMAGE_ID_CHARS + 8];
	const char *slash = strrchr(mapped->path, '/');
	int n_dir = slash ? (int)(slash - mapped->path) : 0;
	struct elf_image debug;
	struct kept_file kept;
	image_debug_link(image, link);
	snprintf(name, sizeof name, "%s.debug", mapped->id);
	snprintf(paths[0], sizeof paths[0], "/usr/lib/debug/.build-id/%.2s/%s.debug", mapped->id, mapped->id + 2);
	snprintf(paths[1], sizeof paths[1], "%.*s/%s", n_dir, mapped->path, link);
	snprintf(paths[2], sizeof paths[2], "%.*s/.debug/%s", n_dir, mapped->path, link);
	snprintf(paths[3], sizeof paths[3], "/usr/lib/debug%.*s/%s", n_dir, mapped->path, link);
	const struct kept_file *before = find_kept(k, name);
	for (unsigned i = 0; i < (link[0] ? 4 : 1); i++) {
		if (!open_debug(&debug, paths[i], mapped->id))
			continue;
		const char *why = before ? NULL : keep_image(k, &debug, name, &kept);
		image_close(&debug);
		if (why)
			fprintf(k->out, "left %s %s %s\n", mapped->id, why, paths[i]);
		else
			put_kept(k, "debug", mapped->id, before ? before : &kept, paths[i]);
		return;
	}
}

/* Keeps one file. Returns NULL, or a word why it is not. */
static const char *keep_file(struct keeping *k, const struct mapped *mapped)
{
	struct elf_image image;
	struct kept_file kept;
	if (mapped->id[0] == '-')
		return "no-build-id";
	if (!mapped->is_wanted)
		return "of-the-system";
	if (!image_open(&image, mapped->path))
		return errno == ENOENT || errno == ENOTDIR ? "gone" : errno == ENOEXEC ? "changed" : "cannot-be-read";
	const char *why = strcmp(image.id, mapped->id) == 0 ? NULL : "changed";
	const struct kept_file *before = why ? NULL : find_kept(k, mapped->id);
	if (!why && !before)
		why = keep_image(k, &image, mapped->id, &kept);
	if (!why) {
		put_kept(k, "kept", mapped->id, before ? before : &kept, mapped->shown);
		keep_debug(k, mapped, &image);
	}
	image_close(&image);
	return why;
}

/* Opens DUMP/binaries and the list in it, which are new. */
static bool begin(struct keeping *k, const char *path)
{
	struct stat status;
	int dump = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int list = -1;
	k->place = -1;
	if (dump >= 0 && fstat(dump, &status) == 0 && mkdirat(dump, "binaries", status.st_mode & 0777) == 0)
		k->place = openat(dump, "binaries", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dump >= 0)
		close(dump);
	if (k->place >= 0) {
		k->mode = status.st_mode;
		list = openat(k->place, "list", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, status.st_mode & 0666);
	}
	k->out = list >= 0 ? fdopen(list, "w") : NULL;
	if (list >= 0 && !k->out)
		close(list);
	return k->out;
}

/* Copies all files of the list, and closes the list. */
static void keep_all(struct keeping *k)
{
	fputs("otter-binaries 1\n", k->out);
	for (size_t i = 0; i < k->n_mapped; i++) {
		const char *why = keep_file(k, &k->mapped[i]); // NOLINT(clang-analyzer-unix.Malloc): keep_of_dump() frees the list
		if (why)
			fprintf(k->out, "left %s %s %s\n", k->mapped[i].id, why, k->mapped[i].shown);
	}
	fclose(k->out);
}

static void keep_of_dump(struct keeper *keeper, size_t dump)
{
	const struct survey *survey = &keeper->list->surveys[dump];
	struct keeping k = {.keeper = keeper,
			    .dump = dump,
			    .limit_bytes = UINT64_MAX,
			    .left_free = BUDGET_LEFT_MIN,
			    .used_bytes = survey->n_bytes};
	char path[PATH_MAX + 8];
	snprintf(path, sizeof path, "%s/meta", survey->path);
	char *text = survey_read_whole(path);
	if (text)
		take_meta(&k, text);
	if (k.n_mapped && begin(&k, survey->path))
		keep_all(&k);
	if (k.n_mapped && k.place >= 0)
		close(k.place);
	for (size_t i = 0; i < k.n_mapped; i++)
		free(k.mapped[i].path);
	free(k.mapped);
	free(text);
}

void keep_binaries(const struct survey_list *list)
{
	struct keeper keeper = {.list = list};
	for (size_t i = 0; i < list->n_surveys; i++)
		keep_of_dump(&keeper, i);
	free(keeper.kept);
}
