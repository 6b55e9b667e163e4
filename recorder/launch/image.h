/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads an executable, a library or a file of debug information that the launcher keeps: its build id, the name of its
 * separate debug file, and the parts of it from which names and lines are read. Any file may have the name of one that
 * was mapped: nothing in it is trusted.
 */
#ifndef OTTER_RECORDER_LAUNCH_IMAGE_H
#define OTTER_RECORDER_LAUNCH_IMAGE_H

#include <elf.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "recorder/build_id.h"

#define IMAGE_ID_CHARS (2 * BUILD_ID_BYTES + 1) /* a build id in hexadecimal */

struct elf_image {
	int fd;
	struct stat status;
	Elf64_Ehdr header;
	Elf64_Shdr *sections; /* n_sections; NULL: it has none */
	unsigned n_sections;
	char id[IMAGE_ID_CHARS]; /* "" unknown */
};

/* A range of bytes of the file. */
struct file_range {
	uint64_t offset, n_bytes;
};

/* Opens the file. False, with errno: it cannot be read, or is not an ELF file of 64 bits. */
bool image_open(struct elf_image *image, const char *path);
void image_close(struct elf_image *image);

/* Puts the name of the separate debug file, "" if the file names none. */
void image_debug_link(const struct elf_image *image, char name[NAME_MAX + 1]);

/* Finds the ranges of the file from which names, lines and calls are read: all but large data of the program. Returns
 * their number; the caller frees them. 0: the file has no sections, or there is no memory. */
size_t image_parts(const struct elf_image *image, struct file_range **parts);

#endif
