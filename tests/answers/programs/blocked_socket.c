/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In a loop each thread has a connection to a server, which takes its time to answer.
limit: blocked @loop 1.5 2
mended: none
 */
#include "busy.h"

#include <sys/socket.h>

static int connect_server(void)
{
	int ends[2];
	char byte;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		_exit(1);
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (read(ends[1], &byte, 1) == 1) {
			asleep(400);
			(void)!write(ends[1], &byte, 1);
		}
	}
	return ends[0];
}

int main(void)
{
	int server[8];
	char byte = 0;
	for (int i = 0; i < 8; i++)
		server[i] = connect_server();
#pragma omp parallel for schedule(static) private(byte) /* @loop */
	for (int i = 0; i < 60; i++) {
		int own = server[omp_get_thread_num() % 8];
		if (!MENDED && write(own, &byte, 1) == 1)
			(void)!read(own, &byte, 1);
		busy(600);
	}
	return 0;
}
