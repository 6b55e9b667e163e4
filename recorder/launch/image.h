/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the launcher has to know of an executable, a library or a file of debug information that it keeps: its build id,
 * the name of its separate debug file, and which parts of it names and lines come from. Called by keep.c and copy.c, in
 * the launcher's one thread. Any file may have the name of one that was mapped: nothing in it is trusted.
 */
#ifndef OTTER_RECORDER_LAUNCH_IMAGE_H
#define OTTER_RECORDER_LAUNCH_IMAGE_H

#include <elf.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define IMAGE_ID_CHARS 129 /* a build id in hexadecimal */

struct image {
	int fd;
	struct stat status;
	Elf64_Ehdr header;
	Elf64_Shdr *sections; /* n_sections; NULL: it has none */
	unsigned n_sections;
	char id[IMAGE_ID_CHARS]; /* "" unknown */
};

/* A stretch of the file. */
struct stretch {
	uint64_t offset, n_bytes;
};

/* Opens the file. False, with errno: it cannot be read, or is not an ELF file of 64 bits. */
bool image_open(struct image *image, const char *path);
void image_close(struct image *image);

/* The name of the separate debug file, "" if the file names none. */
void image_debug_link(const struct image *image, char name[NAME_MAX + 1]);

/* All of the file that names, lines and calls are read from, and how many stretches that are; the caller frees them. What
 * is left out is large data of the program. 0: it has no sections, or there is no memory. */
size_t image_parts(const struct image *image, struct stretch **parts);

#endif
