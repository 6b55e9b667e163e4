/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/launch/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "recorder/launch/variable.h"

void place_part(const char *dir, char part[PATH_MAX])
{
	snprintf(part, PATH_MAX, "%s", dir);
	while (access(part, F_OK) != 0 && errno == ENOENT) {
		char *slash = strrchr(part, '/');
		if (!slash)
			break;
		slash[slash == part] = '\0';
	}
}

int place_error(const char *dir, char part[PATH_MAX])
{
	place_part(dir, part);
	/* A file without a name finds what permissions do not show: quotas, file systems without room for a file, servers. */
	int fd = open(part, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
	else if (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL || errno == ENOENT)
		/* Not every file system has such files. */
		return access(part, W_OK | X_OK) == 0 ? 0 : errno;
	return fd >= 0 ? 0 : errno;
}

bool place_is_in_job(long long rank)
{
	static const char *const names[] = {"SLURM_JOB_ID",   "PBS_JOBID",  "LSB_JOBID",     "COBALT_JOBID",
					    "PJM_JOBID",      "OAR_JOB_ID", "LOADL_STEP_ID", "FLUX_JOB_ID",
					    "PMIX_NAMESPACE", "PALS_APID",  "ALPS_APP_ID",   "PE_HOSTFILE" /* of Grid Engine */};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (variable_is_set(names[i]))
			return true;
	return rank >= 0;
}
