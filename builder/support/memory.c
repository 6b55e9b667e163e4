/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What happens where memory is out, and texts that are allocated.
 */
#include "builder/support/memory.h"
#include "builder/support/diag.h"
#include "builder/support/output.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

void memory_fail(size_t n_bytes, const char *what)
{
	/* Several threads may come here at once. The first one holds the output's lock until the process has ended, and alone prints. */
	output_abandon();
	char text[256];
	int n = n_bytes != 0 ? snprintf(text, sizeof text, "otter-build: out of memory (%zu bytes for %s)\n", n_bytes, what)
			     : snprintf(text, sizeof text, "otter-build: out of memory (%s)\n", what);
	size_t n_text = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
	/* No function of stdio: it may want memory. No exit(): other threads are at work. */
	if (write(STDERR_FILENO, text, n_text) < 0)
		_exit(EXIT_FAILED);
	_exit(EXIT_FAILED);
}

char *text_copy(const char *text)
{
	size_t n_bytes = strlen(text) + 1;
	return memcpy(memory_get(n_bytes, 1, "a text"), text, n_bytes);
}

char *text_format(const char *format, ...)
{
	char *text;
	va_list args;
	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		memory_fail(0, "a text");
	va_end(args);
	return text;
}

FILE *memory_open_stream(char **text, size_t *n_bytes, const char *what)
{
	FILE *stream = open_memstream(text, n_bytes);
	if (stream == NULL)
		memory_fail(0, what);
	return stream;
}

void memory_close_stream(FILE *stream, const char *what)
{
	int has_failed = ferror(stream);
	if (fclose(stream) != 0 || has_failed)
		memory_fail(0, what);
}
