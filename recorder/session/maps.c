/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/session/maps.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/format.h"
#include "recorder/build_id.h"
#include "recorder/clock.h"
#include "recorder/drain/output.h"
#include "recorder/session/session.h"
#include "recorder/system/away.h"
#include "recorder/system/sys.h"
#include "recorder/text.h"

#define INPUT_BYTES    (256 << 10)          /* of /proc/thread-self/maps at a time */
#define TEXT_BYTES     (256 << 10)          /* of lines that are written at once */
#define LINE_BYTES_MAX (4 * PATH_MAX + 256) /* of a mapping, with every byte of its path escaped */
#define NOTES_BYTES    1024                 /* build ids are among the first; the stack may be a user-level thread's */
#define HEADERS_MAX    64

static size_t read_build_id(const char *path, unsigned char id[BUILD_ID_BYTES])
{
	Elf64_Ehdr file;
	Elf64_Phdr header;
	unsigned char notes[NOTES_BYTES];
	size_t id_bytes = 0;
	/* Opening must not block: a fifo may have replaced the file since it was mapped. */
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
	if (fd < 0)
		return 0;
	if (sys_pread(fd, &file, sizeof file, 0) == (ssize_t)sizeof file && memcmp(file.e_ident, ELFMAG, SELFMAG) == 0 &&
	    file.e_ident[EI_CLASS] == ELFCLASS64 && file.e_phentsize == sizeof header) {
		for (unsigned i = 0; i < file.e_phnum && i < HEADERS_MAX && !id_bytes; i++) {
			off_t at = (off_t)(file.e_phoff + i * sizeof header);
			if (sys_pread(fd, &header, sizeof header, at) != (ssize_t)sizeof header || header.p_type != PT_NOTE)
				continue;
			size_t wanted = header.p_filesz < sizeof notes ? header.p_filesz : sizeof notes;
			ssize_t n = sys_pread(fd, notes, wanted, (off_t)header.p_offset);
			if (n > 0)
				id_bytes = build_id_find(notes, (size_t)n, id);
		}
	}
	sys_close(fd);
	return id_bytes;
}

/* A line of maps has start-end, permissions, offset, device, inode, path. Only executable mappings of files
 * are used. */
struct code_mapping {
	uint64_t start, end, offset;
	const char *path;
};

static bool parse_line(char *line, struct code_mapping *mapping)
{
	char *p;
	mapping->start = strtoull(line, &p, 16);
	if (*p++ != '-')
		return false;
	mapping->end = strtoull(p, &p, 16);
	if (*p++ != ' ' || strlen(p) < 5 || p[2] != 'x')
		return false;
	mapping->offset = strtoull(p + 5, &p, 16);
	mapping->path = strchr(p, '/');
	return mapping->path;
}

static void put_mapping(struct text *text, const struct code_mapping *mapping)
{
	unsigned char id[BUILD_ID_BYTES];
	size_t id_bytes = read_build_id(mapping->path, id);
	text_word(text, "map");
	text_hex(text, mapping->start);
	text_hex(text, mapping->end);
	text_hex(text, mapping->offset);
	if (id_bytes)
		text_bytes_hex(text, id, id_bytes);
	else
		text_word(text, "-");
	text_value(text, mapping->path);
	text_end(text);
}

/* Writes the text and empties it. */
static void flush(struct session *session, struct text *text)
{
	if (text->n_bytes)
		output_meta(session, text->bytes, text->n_bytes);
	text_init(text, text->bytes, text->capacity);
}

/* Parses the lines of `bytes`, which ends with a newline and a null: adds the mappings to the checksum, and puts them if
 * there is a text. */
static uint32_t take_lines(struct session *session, char *bytes, uint32_t sum, struct text *text)
{
	for (char *line = bytes, *end; (end = strchr(line, '\n')); line = end + 1) {
		struct code_mapping mapping;
		*end = '\0';
		if (!parse_line(line, &mapping))
			continue;
		sum = checksum(sum, line, (size_t)(end - line));
		if (!text)
			continue;
		if (text->capacity - text->n_bytes < LINE_BYTES_MAX)
			flush(session, text);
		put_mapping(text, &mapping);
	}
	return sum;
}

/* Reads /proc/thread-self/maps, of any length, into INPUT_BYTES of `input`: /proc/self/maps is empty once the main thread has
 * exited. Returns a checksum of the mappings, 0 if they cannot be read. */
static uint32_t read_maps(struct session *session, char *input, struct text *text)
{
	uint32_t sum = CHECKSUM_START;
	size_t n_bytes = 0;
	ssize_t n;
	int fd = sys_open("/proc/thread-self/maps", O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return 0;
	while ((n = sys_read(fd, input + n_bytes, INPUT_BYTES - 1 - n_bytes)) > 0) {
		n_bytes += (size_t)n;
		char *rest = memrchr(input, '\n', n_bytes);
		if (!rest)
			continue;
		size_t rest_bytes = n_bytes - (size_t)(++rest - input);
		char first = *rest;
		*rest = '\0';
		sum = take_lines(session, input, sum, text);
		*rest = first;
		memmove(input, rest, rest_bytes);
		n_bytes = rest_bytes;
	}
	sys_close(fd);
	return sum;
}

static void write_if_changed(void *argument)
{
	struct session *session = argument;
	char *bytes = sys_mmap(NULL, INPUT_BYTES + TEXT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!bytes)
		return;
	uint32_t sum = read_maps(session, bytes, NULL);
	if (sum && sum != __atomic_load_n(&session->maps.checksum, __ATOMIC_RELAXED)) {
		struct text text;
		text_init(&text, bytes + INPUT_BYTES, TEXT_BYTES);
		text_line_number(&text, "maps_at", clock_ticks());
		read_maps(session, bytes, &text);
		flush(session, &text);
		__atomic_store_n(&session->maps.checksum, sum, __ATOMIC_RELAXED);
	}
	sys_munmap(bytes, INPUT_BYTES + TEXT_BYTES);
}

void maps_write_if_changed(struct session *session)
{
	away(write_if_changed, session);
}
