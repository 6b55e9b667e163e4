/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/drain/kept.h"

#include <sys/resource.h>

#include "recorder/ring/stream.h"
#include "recorder/session/session.h"
#include "recorder/system/away.h"
#include "recorder/system/sys.h"

/* With fewer descriptors the files that are open meanwhile might have none left. */
#define DESCRIPTORS_MIN 8

static bool keeps(const struct session *session)
{
	/* Relaxed: a thread looks for its own mark. */
	return __atomic_load_n(&session->kept.owner, __ATOMIC_RELAXED) == stream_self();
}

bool kept_begin(struct session *session)
{
	struct kept *kept = &session->kept;
	struct rlimit limit;
	uintptr_t none = 0;
	if (!away_has_own_table() || sys_getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < DESCRIPTORS_MIN)
		return false;
	/* Y2: The flag saying that no thread keeps files is read before what the last one has left. Pairs with Y1 in kept_end. */
	if (!__atomic_compare_exchange_n(&kept->owner, &none, stream_self(), false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return false;
	kept->is_checked = false;
	for (unsigned i = 0; i < KEPT_FILES; i++)
		kept->files[i] = (struct file){.fd = -1};
	return true;
}

void kept_end(struct session *session)
{
	if (!keeps(session))
		return;
	for (unsigned i = 0; i < KEPT_FILES; i++)
		if (session->kept.files[i].fd >= 0)
			file_close(&session->kept.files[i]);
	/* Y1: The files are closed before the flag saying that no thread keeps any. Pairs with Y2 in kept_begin. */
	__atomic_store_n(&session->kept.owner, 0, __ATOMIC_RELEASE);
}

void kept_note_checked(struct session *session)
{
	if (keeps(session))
		session->kept.is_checked = true;
}

int kept_open(struct session *session, enum kept_file which, int flags, struct file *local, struct file **file)
{
	static const char *const names[] = {"/drain.seg", "/drain.pseg", "/meta"};
	struct kept *kept = keeps(session) ? &session->kept : NULL;
	*file = kept ? &kept->files[which] : local;
	if (kept && (*file)->fd >= 0)
		return 0;
	int cause = file_name(*file, session, &session->dir, FILE_NO_NUMBER, names[which]);
	if (!cause && !(kept && kept->is_checked))
		cause = file_check_directory(*file);
	if (cause)
		return cause;
	if (kept)
		kept->is_checked = true;
	return file_open_checked(*file, flags);
}

void kept_close(struct session *session, struct file *file, int cause)
{
	if (cause || !keeps(session))
		file_close(file);
}
