/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/launch/image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOTES_BYTES  4096
#define NAMES_BYTES  (1 << 20)
#define SMALL_BYTES  (1 << 20) /* a section that is not larger is kept, whatever it is */
#define PROGRAMS_MAX 64

static bool read_at(const struct elf_image *image, void *bytes, size_t n_bytes, uint64_t offset)
{
	return offset < (uint64_t)image->status.st_size && pread(image->fd, bytes, n_bytes, (off_t)offset) == (ssize_t)n_bytes;
}

/* Sets the id if it is among the notes at `offset`. */
static void find_id(struct elf_image *image, uint64_t offset, uint64_t n_bytes)
{
	unsigned char notes[NOTES_BYTES], id[BUILD_ID_BYTES];
	size_t n = n_bytes < sizeof notes ? (size_t)n_bytes : sizeof notes;
	size_t id_bytes = read_at(image, notes, n, offset) ? build_id_find(notes, n, id) : 0;
	for (size_t i = 0; i < id_bytes; i++)
		sprintf(image->id + 2 * i, "%02x", id[i]);
}

static void read_sections(struct elf_image *image)
{
	size_t n_bytes = image->header.e_shnum * sizeof *image->sections;
	if (!n_bytes || image->header.e_shentsize != sizeof *image->sections || !(image->sections = malloc(n_bytes)))
		return;
	if (read_at(image, image->sections, n_bytes, image->header.e_shoff)) {
		image->n_sections = image->header.e_shnum;
	} else {
		free(image->sections);
		image->sections = NULL;
	}
}

/* It tries the sections first: those of debug files are right where their program headers are not. */
static void read_id(struct elf_image *image)
{
	for (unsigned i = 0; image->sections && i < image->n_sections && !image->id[0]; i++)
		if (image->sections[i].sh_type == SHT_NOTE)
			find_id(image, image->sections[i].sh_offset, image->sections[i].sh_size);
	for (unsigned i = 0; i < image->header.e_phnum && i < PROGRAMS_MAX && !image->id[0]; i++) {
		Elf64_Phdr program;
		if (image->header.e_phentsize == sizeof program &&
		    read_at(image, &program, sizeof program, image->header.e_phoff + i * sizeof program) &&
		    program.p_type == PT_NOTE)
			find_id(image, program.p_offset, program.p_filesz);
	}
}

bool image_open(struct elf_image *image, const char *path)
{
	*image = (struct elf_image){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
	if (image->fd < 0)
		return false;
	if (fstat(image->fd, &image->status) != 0 || !S_ISREG(image->status.st_mode) ||
	    !read_at(image, &image->header, sizeof image->header, 0) || memcmp(image->header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    image->header.e_ident[EI_CLASS] != ELFCLASS64) {
		close(image->fd);
		errno = ENOEXEC;
		return false;
	}
	read_sections(image);
	read_id(image);
	return true;
}

void image_close(struct elf_image *image)
{
	free(image->sections);
	close(image->fd);
}

void image_debug_link(const struct elf_image *image, char name[NAME_MAX + 1])
{
	unsigned names = image->header.e_shstrndx;
	name[0] = '\0';
	if (names >= image->n_sections || image->sections[names].sh_size > NAMES_BYTES)
		return;
	for (unsigned i = 0; i < image->n_sections; i++) {
		const Elf64_Shdr *section = &image->sections[i];
		static const char link[] = ".gnu_debuglink";
		char own[sizeof link];
		if (section->sh_type != SHT_PROGBITS || section->sh_size > NAME_MAX ||
		    !read_at(image, own, sizeof own, image->sections[names].sh_offset + section->sh_name) ||
		    memcmp(own, link, sizeof own) != 0 || !read_at(image, name, (size_t)section->sh_size, section->sh_offset))
			continue;
		name[section->sh_size] = '\0';
		if (strchr(name, '/'))
			name[0] = '\0';
		return;
	}
	name[0] = '\0';
}

/* Is the section kept? Code is, as it shows what a construct calls; so are the names of the functions that it calls. */
static bool is_wanted(const Elf64_Shdr *section)
{
	bool is_data = section->sh_flags & SHF_ALLOC && !(section->sh_flags & SHF_EXECINSTR) && section->sh_type == SHT_PROGBITS;
	return section->sh_type != SHT_NOBITS && section->sh_size && (!is_data || section->sh_size <= SMALL_BYTES);
}

static void add(struct file_range *parts, size_t *n, const struct elf_image *image, uint64_t offset, uint64_t n_bytes)
{
	uint64_t size = (uint64_t)image->status.st_size;
	if (offset < size && n_bytes)
		parts[(*n)++] = (struct file_range){offset, n_bytes < size - offset ? n_bytes : size - offset};
}

size_t image_parts(const struct elf_image *image, struct file_range **parts)
{
	size_t n = 0;
	*parts = image->n_sections ? malloc((image->n_sections + 3) * sizeof **parts) : NULL;
	if (!*parts)
		return 0;
	add(*parts, &n, image, 0, sizeof image->header);
	add(*parts, &n, image, image->header.e_phoff, (uint64_t)image->header.e_phnum * image->header.e_phentsize);
	add(*parts, &n, image, image->header.e_shoff, image->n_sections * sizeof *image->sections);
	for (unsigned i = 0; i < image->n_sections; i++)
		if (is_wanted(&image->sections[i]))
			add(*parts, &n, image, image->sections[i].sh_offset, image->sections[i].sh_size);
	return n;
}
