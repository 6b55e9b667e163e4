/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bytes that wait in a file: see spill_file.h.
 */
#include "builder/support/spill_file.h"
#include "builder/support/diag.h"
#include "builder/support/memory.h"
#include "builder/support/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failed(const struct spill *spill)
{
	return error("%s/%s: %s", spill->dir, spill->name, strerror(errno));
}

int spill_open(struct spill *spill, const char *dir, const char *name)
{
	*spill = (struct spill){.dir = dir, .name = name};
	char *path = text_format("%s/%s", dir, name);
	spill->file = nameless_open(path);
	free(path);
	return spill->file >= 0 ? 0 : failed(spill);
}

void spill_close(struct spill *spill)
{
	if (spill->dir != NULL && spill->file >= 0)
		close(spill->file);
	spill->dir = NULL;
}

off_t spill_put(struct spill *spill, const void *bytes, size_t n)
{
	off_t place = __atomic_fetch_add(&spill->n_used, (off_t)n, __ATOMIC_RELAXED);
	for (size_t done = 0; done < n;) {
		ssize_t written = pwrite(spill->file, (const char *)bytes + done, n - done, place + (off_t)done);
		if (written <= 0)
			return failed(spill);
		done += (size_t)written;
	}
	return place;
}

int spill_get(const struct spill *spill, off_t place, void *bytes, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t got = pread(spill->file, (char *)bytes + done, n - done, place + (off_t)done);
		if (got <= 0)
			return failed(spill);
		done += (size_t)got;
	}
	return 0;
}

int spill_empty(struct spill *spill)
{
	spill->n_used = 0;
	return ftruncate(spill->file, 0) == 0 ? 0 : failed(spill);
}
