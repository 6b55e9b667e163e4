/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that treats descriptors as its own, in the middle of being recorded (faults.py runs it).
 *
 *     descriptors close FILE      closes 3 to 1023 as daemons do, opens FILE, which gets a number that somebody else may have had, and
 *                                 leaves the working directory
 *     descriptors exhaust FILE    leaves itself no descriptor to open for a while
 *
 * Either way FILE must hold exactly the 1000 lines that the program writes, and 44000 tasks run.
 */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>

#define LINES 1000
static const char line[] = "the program's own line\n";

static void tasks(int count)
{
	int n = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < count; i++)
#pragma omp task shared(n)
		add(&n, 1);
	CHECK(n == count);
}

int main(int argc, char **argv)
{
	struct rlimit limit;
	CHECK(argc == 3);
	tasks(4000);
	int fd = -1;
	if (strcmp(argv[1], "close") == 0) {
		for (int i = 3; i < 1024; i++)
			close(i);
		fd = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0600);
		CHECK(chdir("/") == 0);
	} else {
		fd = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0600);
		CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
		struct rlimit none = {3, limit.rlim_max};
		CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
		CHECK(open("/dev/null", O_RDONLY) == -1 && errno == EMFILE);
	}
	CHECK(fd >= 3);
	for (int i = 0; i < LINES; i++) {
		if (i % 100 == 0)
			tasks(2000);
		CHECK(write(fd, line, sizeof line - 1) == (ssize_t)(sizeof line - 1));
	}
	tasks(20000);
	if (strcmp(argv[1], "exhaust") == 0)
		CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	CHECK(close(fd) == 0);
	printf("44000 tasks\n");
	return 0;
}
