/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is known of all dumps of a run once they are built: are they complete, what was repaired, and, for --strict, why
 * nothing is written. Called by run.c.
 */
#include "builder/job.h"

struct verdict judge(const struct job *job)
{
	struct verdict v = {.is_complete = true, .repairs = job->repairs};
	for (size_t i = 0; i < job->n_open; i++) {
		const struct dump *dump = &job->traces[i].dump;
		if (job->traces[i].model.notes != NULL)
			tally_add_all(&v.repairs, &job->traces[i].model.notes->repairs);
		tally_add_all(&v.repairs, &job->graphs[i].repairs); /* none where no graph was built */
		tally_add_all(&v.damage, &dump->damage);
		v.n_lost += dump->n_lost;
		v.is_complete = v.is_complete && dump->is_complete;
		v.is_snapshot = v.is_snapshot || dump->is_snapshot;
	}
	v.is_good = v.is_complete && !v.is_snapshot && tally_total(&v.repairs) == 0;
	return v;
}

/* "3 scope_without_end, 1 time_out_of_order", as far as it fits. */
static void name_rows(char *text, size_t n_bytes, const struct tally *tally)
{
	size_t used = 0;
	for (unsigned i = 0; i < tally->n_rows && used < n_bytes; i++)
		used += (size_t)snprintf(text + used, n_bytes - used, "%s%llu %s", i > 0 ? ", " : "",
					 (unsigned long long)tally->rows[i].count, tally->rows[i].name);
}

int refuse(const struct job *job, const struct verdict *v)
{
	char repairs[1024] = "none", damage[1024] = "none";
	name_rows(repairs, sizeof repairs, &v->repairs);
	name_rows(damage, sizeof damage, &v->damage);
	error("%s: refused by --strict: %s; damage: %s; repairs: %s; %llu records lost", job->options->dumps[0],
	      v->is_snapshot   ? "its process is still running"
	      : v->is_complete ? "it has all its records"
			       : "it is incomplete",
	      damage, repairs, (unsigned long long)v->n_lost);
	return EXIT_REFUSED;
}
