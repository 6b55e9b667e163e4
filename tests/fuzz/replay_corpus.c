/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The corpus without the fuzzer: every input of the files named goes through the builder both ways. A file holds inputs one behind the other,
 * each ended by a unit of zeros (corpus.units), or one alone. A bad one ends the program where it stands, having said which it is.
 */
#include "tests/fuzz/image.h"
#include "tests/fuzz/through.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint8_t *read_file(const char *path, size_t *n_bytes)
{
	FILE *f = fopen(path, "re");
	uint8_t *bytes = malloc(1 << 20);
	if (f == NULL || bytes == NULL) {
		perror(path);
		exit(1);
	}
	*n_bytes = fread(bytes, 1, 1 << 20, f);
	fclose(f);
	return bytes;
}

/* How long the input is that stands at `at`. */
static size_t input_bytes(const uint8_t *at, size_t n_bytes)
{
	size_t n = 0;
	while (n + sizeof(struct unit) <= n_bytes && at[n] != 0)
		n += sizeof(struct unit);
	return n;
}

int main(int argc, char **argv)
{
	FILE *report = fdopen(dup(STDOUT_FILENO), "w");
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC); /* the builder prints the listing there */
	if (report == NULL || nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0)
		return 1;
	for (int i = 1; i < argc; i++) {
		size_t n_bytes, n_inputs = 0;
		uint8_t *bytes = read_file(argv[i], &n_bytes);
		for (size_t at = 0; at < n_bytes; at += sizeof(struct unit)) {
			size_t n = input_bytes(bytes + at, n_bytes - at);
			fprintf(stderr, "%s: input at byte %zu\n", argv[i], at);
			through_memory(bytes + at, n);
			through_files(bytes + at, n);
			at += n;
			n_inputs++;
		}
		free(bytes);
		fprintf(report, "ok %s: %zu inputs through the builder\n",
			strrchr(argv[i], '/') != NULL ? strrchr(argv[i], '/') + 1 : argv[i], n_inputs);
	}
	return fclose(report) == 0 ? 0 : 1;
}
