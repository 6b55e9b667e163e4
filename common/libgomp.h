/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gcc's OpenMP runtime by the names of its files: for the launcher, its auditing library, and the builder.
 */
#ifndef OTTER_COMMON_LIBGOMP_H
#define OTTER_COMMON_LIBGOMP_H

#include <stdbool.h>
#include <string.h>

/* Is the file a libgomp, gcc's own or a copy under another name (libgomp-HASH.so.1)? Its plugins are not. */
static inline bool libgomp_is_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	return strncmp(base, "libgomp", 7) == 0 && (base[7] == '.' || base[7] == '-') && strstr(base, ".so") &&
	       !strstr(base, "plugin");
}

/* Is it the launcher's library of that name, which needs LLVM's runtime (recorder/gomp/)? */
static inline bool libgomp_is_stand_in(const char *path)
{
	static const char end[] = "/otter/libgomp.so.1";
	size_t n = strlen(path);
	return n >= sizeof end - 1 && strcmp(path + n - (sizeof end - 1), end) == 0;
}

#endif
