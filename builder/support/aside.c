/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bytes that wait in a file: see aside.h.
 */
#include "builder/support/aside.h"
#include "builder/support/diag.h"
#include "builder/support/memory.h"
#include "builder/support/nameless.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failed(const struct aside *aside)
{
	return error("%s/%s: %s", aside->dir, aside->name, strerror(errno));
}

int aside_open(struct aside *aside, const char *dir, const char *name)
{
	*aside = (struct aside){.dir = dir, .name = name};
	char *path = text_format("%s/%s", dir, name);
	aside->file = nameless_open(path);
	free(path);
	return aside->file >= 0 ? 0 : failed(aside);
}

void aside_close(struct aside *aside)
{
	if (aside->dir != NULL && aside->file >= 0)
		close(aside->file);
	aside->dir = NULL;
}

off_t aside_put(struct aside *aside, const void *bytes, size_t n)
{
	off_t place = atomic_fetch_add_explicit(&aside->n_used, (off_t)n, memory_order_relaxed);
	for (size_t done = 0; done < n;) {
		ssize_t written = pwrite(aside->file, (const char *)bytes + done, n - done, place + (off_t)done);
		if (written <= 0)
			return failed(aside);
		done += (size_t)written;
	}
	return place;
}

int aside_get(const struct aside *aside, off_t place, void *bytes, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t got = pread(aside->file, (char *)bytes + done, n - done, place + (off_t)done);
		if (got <= 0)
			return failed(aside);
		done += (size_t)got;
	}
	return 0;
}

int aside_empty(struct aside *aside)
{
	aside->n_used = 0;
	return ftruncate(aside->file, 0) == 0 ? 0 : failed(aside);
}
