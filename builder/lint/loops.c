/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops whose chunks are too small: see lint.h.
 */
#include "builder/answer/chunks.h"
#include "builder/lint/lint.h"

void lint_chunks(struct findings *findings, const struct answer *answer)
{
	for (uint32_t c = 1; c < answer->net.graph->model->n_constructs; c++) {
		struct chunks chunks = chunks_of(answer, c);
		if (chunks.n != 0)
			lint_add(findings, LINT_CHUNKS, c, 0, chunks.n, chunks.n);
	}
}
