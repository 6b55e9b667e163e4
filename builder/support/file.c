/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens and closes files of the output directory.
 */
#include "builder/support/file.h"
#include "builder/support/diag.h"
#include "builder/support/memory.h"

#include <errno.h>
#include <string.h>

FILE *file_open(const char *dir, const char *name)
{
	char *path = text_format("%s/%s", dir, name);
	FILE *file = fopen(path, "wex");
	if (file == NULL)
		error("%s: cannot be written: %s", path, strerror(errno));
	free(path);
	return file;
}

int file_close(FILE *file, const char *dir, const char *name)
{
	int is_bad = ferror(file);
	if (fclose(file) != 0 || is_bad)
		return error("%s/%s: could not be written whole: %s", dir, name, strerror(errno));
	return 0;
}
