/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/omp/context.h"

#include <omp-tools.h>

#include "recorder/omp/callbacks.h"

static ompt_get_task_info_t get_task_info;
static ompt_get_state_t get_state;

void context_find(context_lookup *lookup)
{
	get_task_info = (ompt_get_task_info_t)(void *)lookup("ompt_get_task_info");
	get_state = (ompt_get_state_t)(void *)lookup("ompt_get_state");
}

struct stream_context context_query(void)
{
	int flags, thread_num;
	ompt_data_t *task = NULL;
	ompt_data_t *region = NULL;
	ompt_frame_t *frame;
	if (!get_task_info || !get_task_info(0, &flags, &task, &frame, &region, &thread_num))
		return (struct stream_context){0, 0};
	return (struct stream_context){id_of(task), id_of(region)};
}

unsigned state_query(uint64_t *wait_id)
{
	ompt_wait_id_t id = 0;
	int state = get_state ? get_state(&id) : ompt_state_undefined;
	*wait_id = id;
	return (unsigned)state;
}
