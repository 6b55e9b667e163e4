/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The end of the process where memory is out. A file of its own, so that the linker can put another function in its
 * place: the fuzzers do.
 */
#include "builder/support/memory.h"
#include "builder/support/output.h"

#include <unistd.h>

void memory_fail(size_t n_bytes, const char *what)
{
	/*
	 * Several threads may come here at once. The first one holds the output's lock until the process has ended, and
	 * alone prints.
	 */
	output_abandon();
	char text[512];
	int n = n_bytes != 0 ? snprintf(text, sizeof text, "otter-build: out of memory (%zu bytes for %s)\n", n_bytes, what)
			     : snprintf(text, sizeof text, "otter-build: out of memory (%s)\n", what);
	size_t n_text = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
	/* No function of stdio, as it may allocate memory. No exit(), as other threads still run. */
	if (write(STDERR_FILENO, text, n_text) < 0)
		_exit(output_abandon_status);
	_exit(output_abandon_status);
}
