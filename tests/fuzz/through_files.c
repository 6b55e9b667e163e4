/* SPDX-License-Identifier: BSD-3-Clause
 *
 * otter-build as a function: from a dump on disk to all outputs on disk. See through.h.
 */
#include "tests/fuzz/through.h"
#include "builder/run/outputs.h"
#include "builder/run/run.h"
#include "tests/fuzz/contract.h"
#include "tests/fuzz/image.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

static void remove_tree(const char *path)
{
	nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void remove_root(void)
{
	remove_tree(root);
}

static void make_root(void)
{
	if (*root != '\0')
		return;
	snprintf(root, sizeof root, "%s/otter-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	if (mkdtemp(root) == NULL)
		abort();
	atexit(remove_root);
}

static void put_dump(const struct image *image, const char *dir)
{
	char path[256];
	if (mkdir(dir, 0700) != 0)
		abort();
	for (size_t i = 0; i < image->n_files; i++) {
		const struct image_file *file = &image->files[i];
		snprintf(path, sizeof path, "%s/%s", dir, file->name);
		int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		if (fd < 0 || write(fd, file->bytes, file->n_bytes) != (ssize_t)file->n_bytes || close(fd) != 0)
			abort();
	}
}

/* An archive, a drawing, the tables, the summary: nothing is missing, nothing else is there. */
static void check_output(const char *dir)
{
	static const char *const files[] = {"traces.otf2", "traces.def", "graph.dot",     "constructs.csv",
					    "nodes.csv",   "edges.csv",  "exclusive.csv", "summary.json"};
	char path[256];
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, files[i]);
		PROMISED(access(path, R_OK) == 0, "every output is there");
	}
}

void through_files(const uint8_t *data, size_t n_bytes)
{
	static struct image image;
	char dump[128], output[128];
	make_root();
	snprintf(dump, sizeof dump, "%s/p-host-1.otter", root);
	snprintf(output, sizeof output, "%s/out", root);
	image_make(&image, data, n_bytes);
	put_dump(&image, dump);
	const char *dumps[] = {dump};
	struct options options = {
		.dumps = dumps,
		.n_dumps = 1,
		.output = output,
		.level = image.level,
		.max_nodes = image.max_nodes,
		.asked = output_options_default() | BY_LIST | BY_FOLDED | BY_SPEEDSCOPE |
			 (image.level == GRAPH_TASK ? (unsigned)BY_CANONICAL : 0u),
	};
	struct dump whole;
	bool is_readable = dump_open(&whole, dump) == 0;
	if (is_readable)
		dump_close(&whole);
	int status = run(&options);
	PROMISED(status == EXIT_GOOD || status == EXIT_INCOMPLETE || (status == EXIT_FAILED && !is_readable),
		 "whatever can be read is built");
	if (status != EXIT_FAILED)
		check_output(output);
	else
		PROMISED(access(output, F_OK) != 0, "a failure leaves nothing");
	remove_tree(dump);
	remove_tree(output);
}
