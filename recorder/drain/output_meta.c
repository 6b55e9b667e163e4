/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Appends to meta.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "common/event.h"
#include "recorder/drain/kept.h"
#include "recorder/drain/output.h"
#include "recorder/session/session.h"
#include "recorder/system/away.h"
#include "recorder/system/sys.h"

struct meta_work {
	struct session *session;
	const char *bytes;
	size_t n_bytes;
	int cause;
};

static void append_to_meta(void *argument)
{
	struct meta_work *work = argument;
	struct file local, *file;
	struct stat status;
	int cause = kept_open(work->session, KEPT_META, O_WRONLY | O_APPEND, &local, &file);
	if (!cause) {
		/* The size is read only where there is a limit: on a shared file system that is a message to its server. */
		bool fits = output_fits_limit(UINT64_MAX) ||
			    (sys_fstat(file->fd, &status) == 0 && output_fits_limit((uint64_t)status.st_size + work->n_bytes));
		cause = fits ? file_write_all(file->fd, (const unsigned char *)work->bytes, work->n_bytes, -1) : loss_cause_limit;
	}
	kept_close(work->session, file, cause);
	work->cause = cause;
}

int output_meta(struct session *session, const char *bytes, size_t n_bytes)
{
	struct meta_work work = {session, bytes, n_bytes, loss_cause_io_error | FILE_LATER};
	away(append_to_meta, &work);
	return work.cause;
}
