/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens the files that a process had mapped, with libelf, and finds bytes in them: see module.h.
 */
#include "builder/symbols/module.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Kept ---- */

/*
 * Reads DUMP/binaries: see module.h. A dump may come from anywhere: build ids that are no hexadecimal numbers name no file.
 */

#define ID_CHARS_MAX 128

static bool is_id(const char *text)
{
	size_t n = strlen(text);
	return n > 0 && n <= ID_CHARS_MAX && strspn(text, "0123456789abcdef") == n;
}

static int open_in(const char *dump, const char *name, struct stat *status)
{
	char *path = text_format("%s/binaries/%s", dump, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	free(path);
	if (fd >= 0 && (fstat(fd, status) != 0 || !S_ISREG(status->st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/*
 * The line of the list with this word and build id, and with this path at its end unless that is NULL: what comes after the
 * build id. NULL: none. The caller frees it.
 */
static char *find_line(const char *dump, const char *word, const char *build_id, const char *at_end)
{
	struct stat status;
	int fd = open_in(dump, "list", &status);
	FILE *list = fd >= 0 ? fdopen(fd, "r") : NULL;
	char *start = text_format("%s %s ", word, build_id), *line = NULL, *found = NULL;
	size_t capacity = 0, n_start = strlen(start);
	while (list != NULL && found == NULL && getline(&line, &capacity, list) > 0) {
		line[strcspn(line, "\n")] = '\0';
		const char *path = strncmp(line, start, n_start) == 0 ? strchr(line + n_start, ' ') : NULL;
		if (path != NULL && (at_end == NULL || strcmp(path + 1, at_end) == 0))
			found = text_copy(line + n_start);
	}
	free(line);
	free(start);
	if (list != NULL)
		fclose(list);
	else if (fd >= 0)
		close(fd);
	return found;
}

int kept_open(const char *dump, const char *build_id, enum kept_sort sort, bool *is_damaged)
{
	struct stat status;
	*is_damaged = false;
	char *line =
		dump != NULL && is_id(build_id) ? find_line(dump, sort == KEPT_DEBUG ? "debug" : "kept", build_id, NULL) : NULL;
	if (line == NULL)
		return -1;
	char *name = text_format("%s%s", build_id, sort == KEPT_DEBUG ? ".debug" : "");
	int fd = open_in(dump, name, &status);
	*is_damaged = fd < 0 || (uint64_t)status.st_size != strtoull(line, NULL, 10);
	free(name);
	free(line);
	if (!*is_damaged)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

char *kept_reason(const char *dump, const char *build_id, const char *path)
{
	static const char *const words[][2] = {
		{"gone", "it was gone at the end of the recording"},
		{"changed", "it had changed before the end of the recording"},
		{"no-room", "there was no room for it"},
		{"too-large", "it was too large"},
		{"no-build-id", "it has no build id"},
		{"of-the-system", "it is a library of the system, or Otter's own"},
		{"cannot-be-read", "it could not be read"},
		{"cannot-be-written", "the copy could not be written"},
	};
	const char *id = *build_id == '\0' ? "-" : build_id;
	char *line = dump != NULL ? find_line(dump, "left", id, path) : NULL, *reason = NULL;
	for (size_t i = 0; line != NULL && i < sizeof words / sizeof words[0]; i++)
		if (strncmp(line, words[i][0], strcspn(line, " ")) == 0 && words[i][0][strcspn(line, " ")] == '\0')
			reason = text_copy(words[i][1]);
	free(line);
	return reason != NULL ? reason : text_copy("");
}

/* Does the file have the build id that was recorded? Notes the one that it has. */
static bool has_build_id(struct module *module)
{
	const void *id;
	ssize_t n = dwelf_elf_gnu_build_id(module->elf, &id);
	for (ssize_t i = 0; i < n && 2 * (size_t)i + 3 <= sizeof module->found_id; i++)
		snprintf(module->found_id + 2 * i, 3, "%02x", ((const unsigned char *)id)[i]);
	return *module->build_id == '\0' || strcmp(module->found_id, module->build_id) == 0;
}

static void read_segments(struct module *module)
{
	size_t n;
	if (elf_getphdrnum(module->elf, &n) != 0)
		return;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr header;
		if (gelf_getphdr(module->elf, (int)i, &header) == NULL || header.p_type != PT_LOAD)
			continue;
		array_append(
			module->segments, module->n_segments,
			(struct loaded){header.p_vaddr, header.p_offset, header.p_filesz, header.p_memsz, header.p_flags & PF_X});
	}
}

/* Reads the open file and sets all that is known of it; returns its state. */
static enum module_state read_file_of(struct module *module)
{
	struct stat status;
	GElf_Ehdr header;
	if (fstat(module->fd, &status) != 0 || !S_ISREG(status.st_mode))
		return MODULE_NO_FILE;
	elf_version(EV_CURRENT);
	module->elf = elf_begin(module->fd, ELF_C_READ_MMAP, NULL);
	if (module->elf == NULL || elf_kind(module->elf) != ELF_K_ELF || gelf_getehdr(module->elf, &header) == NULL)
		return MODULE_IS_NOT_ELF;
	if (!has_build_id(module))
		return MODULE_HAS_CHANGED;
	module->machine = header.e_machine;
	module->bytes = (const unsigned char *)elf_rawfile(module->elf, &module->n_bytes);
	if (module->bytes == NULL)
		module->n_bytes = 0;
	read_segments(module);
	return MODULE_IS_USABLE;
}

static enum module_state open_path(struct module *module)
{
	if (*module->path != '/')
		return MODULE_NO_FILE;
	module->fd = open(module->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (module->fd >= 0)
		return read_file_of(module);
	module->error = errno;
	return MODULE_CANNOT_BE_READ;
}

static void close_file(struct module *module)
{
	elf_end(module->elf);
	if (module->fd >= 0)
		close(module->fd);
	free(module->segments);
}

/* Takes the dump's copy in place of the file, if there is one. Its build id is compared as the file's is. */
static bool take_kept(struct module *module)
{
	struct module kept = {.path = module->path, .build_id = module->build_id, .dump = module->dump, .is_kept = true};
	bool is_damaged;
	kept.fd = kept_open(module->dump, module->build_id, KEPT_BINARY, &is_damaged);
	module->is_kept_damaged = module->is_kept_damaged || is_damaged;
	if (kept.fd < 0)
		return false;
	kept.state = read_file_of(&kept);
	if (kept.state != MODULE_IS_USABLE) {
		close_file(&kept);
		module->is_kept_damaged = true;
		return false;
	}
	close_file(module);
	*module = kept;
	return true;
}

static struct module *module_open(const struct meta_map *map, const char *dump)
{
	struct module *module = memory_zeroed(1, sizeof *module, "a module");
	*module = (struct module){.path = text_copy(map->path), .build_id = text_copy(map->build_id), .fd = -1};
	module->dump = dump != NULL ? text_copy(dump) : NULL;
	module->state = open_path(module);
	if (module->state != MODULE_IS_USABLE)
		take_kept(module);
	return module;
}

static void module_close(struct module *module)
{
	close_file(module);
	free(module->path);
	free(module->build_id);
	free(module->dump);
	free(module);
}

const struct module *modules_find(struct modules *modules, uint64_t address, uint64_t *offset)
{
	const struct meta_map *map = meta_find_map(modules->meta, address);
	if (map == NULL)
		return NULL;
	*offset = address - map->start + map->offset;
	for (size_t i = 0; i < modules->n; i++)
		if (strcmp(modules->rows[i]->path, map->path) == 0 && strcmp(modules->rows[i]->build_id, map->build_id) == 0)
			return modules->rows[i];
	array_append(modules->rows, modules->n, module_open(map, modules->meta->dir));
	return modules->rows[modules->n - 1];
}

void modules_close(struct modules *modules)
{
	for (size_t i = 0; i < modules->n; i++)
		module_close(modules->rows[i]);
	free(modules->rows);
	*modules = (struct modules){0};
}

bool module_address(const struct module *module, uint64_t offset, uint64_t *address)
{
	for (size_t i = 0; i < module->n_segments; i++) {
		const struct loaded *segment = &module->segments[i];
		if (segment->is_code && offset >= segment->offset && offset - segment->offset < segment->n_bytes) {
			*address = offset - segment->offset + segment->address;
			return true;
		}
	}
	return false;
}

bool module_has(const struct module *module, uint64_t address)
{
	for (size_t i = 0; i < module->n_segments; i++)
		if (address >= module->segments[i].address &&
		    address - module->segments[i].address < module->segments[i].n_memory_bytes)
			return true;
	return false;
}

const unsigned char *module_bytes(const struct module *module, uint64_t address, size_t *n)
{
	for (size_t i = 0; i < module->n_segments; i++) {
		const struct loaded *segment = &module->segments[i];
		uint64_t at = address - segment->address;
		if (address < segment->address || at >= segment->n_bytes || segment->offset > module->n_bytes ||
		    segment->n_bytes > module->n_bytes - segment->offset)
			continue;
		*n = segment->n_bytes - at;
		return module->bytes + segment->offset + at;
	}
	return NULL;
}
