/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Closes all descriptors over and over while its other thread makes tasks, and each time writes to files of its own, which get the numbers that
 * somebody else may have had a moment ago:
 *
 *     closes DIRECTORY     not a byte in the files but the program's
 *
 * Both threads have made so many tasks before that neither opens anything for its ring any more.
 */
#include "tests/omp/check.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define ROUNDS      150
#define FILES       8
#define FIRST_TASKS 3000

static const char line[] = "the program's own line\n";

static void own_files(const char *directory, int round)
{
	int fds[FILES];
	char path[4096], back[sizeof line];
	for (int fd = 3; fd < 64; fd++)
		close(fd);
	for (int i = 0; i < FILES; i++) {
		snprintf(path, sizeof path, "%s/%d", directory, i);
		fds[i] = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
		CHECK(fds[i] >= 3);
		CHECK(write(fds[i], line, sizeof line - 1) == (ssize_t)(sizeof line - 1));
	}
	usleep(round % 2 ? 0 : 200);
	for (int i = 0; i < FILES; i++) {
		struct stat status;
		CHECK(fstat(fds[i], &status) == 0 && status.st_size == (off_t)(sizeof line - 1));
		CHECK(pread(fds[i], back, sizeof back, 0) == (ssize_t)(sizeof line - 1) &&
		      memcmp(back, line, sizeof line - 1) == 0);
	}
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	int n_run = 0, has_ended = 0;
#pragma omp parallel num_threads(2)
	{
		for (int i = 0; i < FIRST_TASKS; i++) {
#pragma omp task shared(n_run)
			add(&n_run, 1);
		}
#pragma omp barrier
		if (omp_get_thread_num() == 0) {
			for (int i = 0; i < ROUNDS; i++)
				own_files(argv[1], i);
			set_flag(&has_ended);
		} else {
			for (int is_over = 0; !is_over;) {
				for (int i = 0; i < 100; i++) {
#pragma omp task shared(n_run)
					add(&n_run, 1);
				}
#pragma omp taskwait
				usleep(200);
#pragma omp atomic read
				is_over = has_ended;
			}
		}
	}
	printf("%s\n", n_run > 0 ? "its own" : "no tasks");
	return 0;
}
