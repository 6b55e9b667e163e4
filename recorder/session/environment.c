/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/session/environment.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Not getenv(), which programs and preloaded libraries replace. */
const char *environment_value(const char *name)
{
	size_t length = strlen(name);
	for (char **variable = environ; variable && *variable; variable++)
		if (strncmp(*variable, name, length) == 0 && (*variable)[length] == '=')
			return (*variable)[length + 1] ? *variable + length + 1 : NULL;
	return NULL;
}

int64_t environment_rank(void)
{
	static const char *const names[] = {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = environment_value(names[i]);
		if (!value)
			continue;
		/* Slurm sets its variables for every batch script; there is a rank only if there are several tasks. */
		const char *n_tasks = strcmp(names[i], "SLURM_PROCID") == 0 ? environment_value("SLURM_NTASKS") : "2";
		if (!n_tasks || strtol(n_tasks, NULL, 10) <= 1)
			continue;
		char *end;
		long long rank = strtoll(value, &end, 10);
		if (*end == '\0' && rank >= 0)
			return rank;
	}
	return -1;
}

bool environment_run(char *out, size_t capacity)
{
	/* The name that a launcher of ranks gives its job is tried before the name that a batch system gives its script. A second
	 * variable is needed where the first names the script. */
	static const struct {
		const char *name, *part;
	} sources[] = {{"OTTER_RUN", NULL},   {"PMIX_NAMESPACE", NULL}, {"PALS_APID", NULL},
		       {"ALPS_APP_ID", NULL}, {"FLUX_JOB_ID", NULL},    {"SLURM_JOB_ID", "SLURM_STEP_ID"},
		       {"PBS_JOBID", NULL},   {"LSB_JOBID", NULL},      {"COBALT_JOBID", NULL},
		       {"PJM_JOBID", NULL},   {"OAR_JOB_ID", NULL},     {"LOADL_STEP_ID", NULL}};
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
		const char *value = environment_value(sources[i].name),
			   *part = sources[i].part ? environment_value(sources[i].part) : "";
		if (!value || !part)
			continue;
		if (strlen(sources[i].name) + strlen(value) + strlen(part) + sizeof " ." > capacity)
			return false;
		char *end = stpcpy(stpcpy(stpcpy(out, sources[i].name), " "), value);
		if (*part)
			strcpy(stpcpy(end, "."), part);
		return true;
	}
	return false;
}
