/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `error at(execution)`: the program's own messages, as libgomp prints them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/gomp/libomp.h"

#define LENGTH_UNKNOWN ((size_t)-1) /* the text ends in a null byte */

static void put(const char *severity, const char *message, size_t length)
{
	if (message && length == LENGTH_UNKNOWN)
		length = strlen(message);
	fprintf(stderr, "\nlibgomp: %serror directive encountered", severity);
	if (message) {
		fputs(": ", stderr);
		fwrite(message, 1, length, stderr);
	}
	fputc('\n', stderr);
}

ENTRY void GOMP_warning(const char *message, size_t length);
ENTRY void GOMP_warning(const char *message, size_t length)
{
	put("", message, length);
}

ENTRY void GOMP_error(const char *message, size_t length);
ENTRY void GOMP_error(const char *message, size_t length)
{
	put("fatal error: ", message, length);
	exit(EXIT_FAILURE);
}
