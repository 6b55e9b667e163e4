/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The words for a process's threads and tasks: see paradigm.h. One thread.
 */
#include "builder/model/paradigm.h"
#include "builder/model/tables.h"

const struct nouns *model_nouns(const struct model *model)
{
	static const struct nouns openmp = {false, "thread", "a thread", "threads", "tasks"};
	const struct paradigm *p = model->tasking;
	const struct nouns *own = p != NULL && p->nouns != NULL ? p->nouns(model) : NULL;
	return own != NULL ? own : &openmp;
}
