/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Redirects stderr into a file, and reads it back; said.h describes the use.
 */
#include "tests/unit/said.h"

#include <check.h>
#include <string.h>
#include <unistd.h>

struct said said_begin(void)
{
	struct said said = {tmpfile(), dup(2)};
	ck_assert(said.log != NULL && said.before >= 0);
	dup2(fileno(said.log), 2);
	return said;
}

void said_end(struct said said, char *text, size_t n_bytes)
{
	dup2(said.before, 2);
	close(said.before);
	rewind(said.log);
	text[fread(text, 1, n_bytes - 1, said.log)] = '\0';
	fclose(said.log);
}

void said_assert(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part) != NULL, "expected \"%s\" in: %s", part, text);
}
