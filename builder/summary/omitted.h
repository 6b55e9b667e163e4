/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files that are written by default, but were left out as they would be large: what the user is told of them. bounds.c
 * finds them; one thread.
 */
#ifndef OTTER_BUILDER_SUMMARY_OMITTED_H
#define OTTER_BUILDER_SUMMARY_OMITTED_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define OMITTED_MAX 8

struct omitted {
	struct omitted_file {
		const char *file, *option; /* its first name; what asks for it, without "--" */
		const char *what;          /* what is counted: "nodes" */
		uint64_t count, n_bytes;   /* n_bytes: about how large the file would be; 0: not measured */
	} files[OMITTED_MAX];
	size_t n;
};

/* The file is left out, which has so many rows by now; n_bytes more than was said before. Texts are constant. */
void omitted_set(struct omitted *omitted, const char *file, const char *option, const char *what, uint64_t count, uint64_t n_bytes);

void summary_print_omitted(const struct omitted *omitted, FILE *out);
struct json_t;
struct json_t *summary_json_omitted(const struct omitted *omitted);

#endif
