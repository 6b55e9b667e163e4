/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each step takes new memory from the kernel, page by page, and gives it back.
limit: unseen
mended: *
 */
#include "busy.h"

#include <string.h>
#include <sys/mman.h>

#define BYTES (2 << 20)

int main(void)
{
#pragma omp parallel
	{
		char *kept = NULL;
		for (int i = 0; i < 30; i++) {
			char *memory = kept;
			if (memory == NULL)
				memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			memset(memory, i, BYTES);
			if (MENDED)
				kept = memory;
			else
				munmap(memory, BYTES);
		}
	}
	return 0;
}
