/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See file.h.
 */
#include "builder/support/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int nameless_open(const char *name)
{
	char path[PATH_MAX + sizeof NAMELESS_MARK + 6];
	snprintf(path, sizeof path, "%s" NAMELESS_MARK "XXXXXX", name);
	int file = mkostemp(path, O_CLOEXEC), why = errno;
	if (file >= 0)
		unlink(path);
	errno = why;
	return file;
}
