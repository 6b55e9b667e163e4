/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which constructs are the same place of the source, although they have different code addresses: copies of the code, or
 * several calls in a line. Called by builder/spawn/ and builder/answer/ when constructs have their lines; one thread.
 */
#include "builder/model/tables.h"
#include "builder/support/memory.h"

#include <stdlib.h>
#include <string.h>

#define WHAT "the constructs"

struct named {
	const struct construct *construct;
	uint32_t row;
};

static int by_place(const void *left, const void *right)
{
	const struct named *l = left, *r = right;
	int order = (int)l->construct->kind - (int)r->construct->kind;
	order = order != 0 ? order
			   : (int)(l->construct->line > r->construct->line) - (int)(l->construct->line < r->construct->line);
	order = order != 0 ? order : strcmp(l->construct->file, r->construct->file);
	return order != 0 ? order : strcmp(l->construct->function, r->construct->function);
}

static int by_place_and_row(const void *left, const void *right)
{
	int order = by_place(left, right);
	return order != 0 ? order : (((const struct named *)left)->row < ((const struct named *)right)->row ? -1 : 1);
}

uint32_t *model_same_constructs(const struct model *m)
{
	uint32_t *same = memory_zeroed(m->n_constructs, sizeof *same, WHAT), n = 0;
	struct named *named = memory_get(m->n_constructs, sizeof *named, WHAT);
	for (uint32_t c = 0; c < m->n_constructs; c++) {
		same[c] = c;
		if (m->constructs[c].line != 0)
			named[n++] = (struct named){&m->constructs[c], c};
	}
	qsort(named, n, sizeof *named, by_place_and_row);
	for (uint32_t i = 1; i < n; i++)
		if (by_place(&named[i - 1], &named[i]) == 0)
			same[named[i].row] = same[named[i - 1].row];
	free(named);
	return same;
}
