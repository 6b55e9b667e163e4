/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/maps.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recorder/clock.h"
#include "recorder/output.h"
#include "recorder/session.h"
#include "recorder/text.h"

#define INPUT_BYTES    (256 << 10)          /* of /proc/self/maps at a time */
#define TEXT_BYTES     (256 << 10)          /* of lines that are written at once */
#define LINE_BYTES_MAX (4 * PATH_MAX + 256) /* of a mapping, with every byte of its path escaped */
#define NOTES_BYTES    1024                 /* build ids come first; the stack may be a user-level thread's */
#define BUILD_ID_BYTES 64
#define HEADERS_MAX    64

/* Finds the build id among a file's notes. Returns its length, 0 if there is none. */
static size_t find_in_notes(const unsigned char *notes, size_t n_bytes, unsigned char id[BUILD_ID_BYTES])
{
	size_t at = 0;
	while (n_bytes - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		memcpy(&note, notes + at, sizeof note);
		size_t name_bytes = ((size_t)note.n_namesz + 3) & ~(size_t)3;
		size_t id_bytes = ((size_t)note.n_descsz + 3) & ~(size_t)3;
		at += sizeof note;
		if (name_bytes > n_bytes - at || id_bytes > n_bytes - at - name_bytes)
			return 0;
		bool is_id = note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(notes + at, "GNU", 4) == 0;
		if (is_id && note.n_descsz <= BUILD_ID_BYTES) {
			memcpy(id, notes + at + name_bytes, note.n_descsz);
			return note.n_descsz;
		}
		at += name_bytes + id_bytes;
	}
	return 0;
}

static size_t read_build_id(const char *path, unsigned char id[BUILD_ID_BYTES])
{
	Elf64_Ehdr file;
	Elf64_Phdr header;
	unsigned char notes[NOTES_BYTES];
	size_t id_bytes = 0;
	/* Opened without blocking: a fifo may have replaced the file since it was mapped. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return 0;
	if (pread(fd, &file, sizeof file, 0) == (ssize_t)sizeof file && memcmp(file.e_ident, ELFMAG, SELFMAG) == 0 &&
	    file.e_ident[EI_CLASS] == ELFCLASS64 && file.e_phentsize == sizeof header) {
		for (unsigned i = 0; i < file.e_phnum && i < HEADERS_MAX && !id_bytes; i++) {
			off_t at = (off_t)(file.e_phoff + i * sizeof header);
			if (pread(fd, &header, sizeof header, at) != (ssize_t)sizeof header || header.p_type != PT_NOTE)
				continue;
			size_t wanted = header.p_filesz < sizeof notes ? header.p_filesz : sizeof notes;
			ssize_t n = pread(fd, notes, wanted, (off_t)header.p_offset);
			if (n > 0)
				id_bytes = find_in_notes(notes, (size_t)n, id);
		}
	}
	close(fd);
	return id_bytes;
}

/* A line of /proc/self/maps has start-end, permissions, offset, device, inode, path. Only executable mappings of files
 * are used. */
struct mapping {
	uint64_t start, end, offset;
	const char *path;
};

static bool parse_line(char *line, struct mapping *mapping)
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

static uint64_t hash(uint64_t state, const void *bytes, size_t n_bytes)
{
	const unsigned char *p = bytes;
	for (size_t i = 0; i < n_bytes; i++)
		state = (state ^ p[i]) * UINT64_C(1099511628211);
	return state;
}

static void put_mapping(struct text *text, const struct mapping *mapping)
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

/* What has been put so far is written, and the text is empty again. */
static void flush(struct session *session, struct text *text)
{
	if (text->n_bytes)
		output_meta(session, text->bytes, text->n_bytes);
	text_init(text, text->bytes, text->capacity);
}

/* Takes the lines of `bytes`, which ends with a newline and a null: hashes the mappings, and puts them if there is a
 * text. */
static uint64_t take_lines(struct session *session, char *bytes, uint64_t sum, struct text *text)
{
	for (char *line = bytes, *end; (end = strchr(line, '\n')); line = end + 1) {
		struct mapping mapping;
		*end = '\0';
		if (!parse_line(line, &mapping))
			continue;
		sum = hash(sum, line, (size_t)(end - line));
		if (!text)
			continue;
		if (text->capacity - text->n_bytes < LINE_BYTES_MAX)
			flush(session, text);
		put_mapping(text, &mapping);
	}
	return sum;
}

/* Goes through /proc/self/maps, however long it is, with INPUT_BYTES of `input`. Returns a hash of the mappings, 0 if
 * they cannot be read. */
static uint64_t walk(struct session *session, char *input, struct text *text)
{
	uint64_t sum = UINT64_C(14695981039346656037);
	size_t n_bytes = 0;
	ssize_t n;
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	while ((n = read(fd, input + n_bytes, INPUT_BYTES - 1 - n_bytes)) > 0) {
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
	close(fd);
	return sum;
}

void maps_write_if_changed(struct session *session)
{
	char *bytes = mmap(NULL, INPUT_BYTES + TEXT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (bytes == MAP_FAILED)
		return;
	uint64_t sum = walk(session, bytes, NULL);
	if (sum && sum != __atomic_load_n(&session->maps_hash, __ATOMIC_RELAXED)) {
		struct text text;
		text_init(&text, bytes + INPUT_BYTES, TEXT_BYTES);
		text_line_number(&text, "maps_at", clock_ticks());
		walk(session, bytes, &text);
		flush(session, &text);
		__atomic_store_n(&session->maps_hash, sum, __ATOMIC_RELAXED);
	}
	munmap(bytes, INPUT_BYTES + TEXT_BYTES);
}
