/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Searches a process for findings, in the order in which their inputs become available; and for loops whose chunks are too
 * small: see findings.h.
 */
#include "builder/answer/answer.h"
#include "builder/findings/findings.h"

static void find_chunks(struct findings *findings, const struct answer *answer)
{
	for (uint32_t c = 1; c < answer->net.graph->model->n_constructs; c++) {
		struct chunks chunks = chunks_of(answer, c);
		if (chunks.n != 0)
			findings_add(findings, FINDING_CHUNKS, c, 0, chunks.n, chunks.n);
	}
}

void findings_begin(struct findings *findings, const struct net *net)
{
	*findings = (struct findings){0};
	findings_waits(findings, net);
	findings_regions(findings, net);
}

void findings_make(struct findings *findings, const struct net *net, const struct findings_track *track)
{
	findings_creation(findings, net);
	findings_implied(findings, net);
	findings_variables(findings, net, track);
}

void findings_finish(struct findings *findings, const struct answer *answer)
{
	if (!answer->is_made) {
		findings_free(findings);
		return;
	}
	find_chunks(findings, answer);
	findings_sort(findings);
	findings->is_made = true;
}
