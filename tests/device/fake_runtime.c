/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/device/fake_runtime.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ompt_callback_t runtime_callbacks[64];
_Thread_local ompt_data_t runtime_initial_task;
static _Thread_local ompt_data_t thread_data, initial_region;
static ompt_start_tool_result_t *tool;
static ompt_data_t tool_data;

static ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback)
{
	runtime_callbacks[event] = callback;
	return ompt_set_always;
}

static int get_task_info(int level, int *flags, ompt_data_t **task, ompt_frame_t **frame, ompt_data_t **region, int *thread_num)
{
	if (level != 0)
		return 0;
	*flags = ompt_task_initial;
	*task = &runtime_initial_task;
	*frame = NULL;
	*region = &initial_region;
	*thread_num = 0;
	return 2;
}

static ompt_interface_fn_t lookup(const char *name)
{
	if (strcmp(name, "ompt_set_callback") == 0)
		return (ompt_interface_fn_t)(void *)set_callback;
	if (strcmp(name, "ompt_get_task_info") == 0)
		return (ompt_interface_fn_t)(void *)get_task_info;
	return NULL;
}

void runtime_start(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	ompt_start_tool_result_t *(*start_tool)(unsigned, const char *) = NULL;
	if (library != NULL)
		*(void **)&start_tool = dlsym(library, "ompt_start_tool");
	tool = start_tool != NULL ? start_tool(202011, "Played OpenMP runtime 5.1") : NULL;
	if (tool == NULL || !tool->initialize(lookup, 0, &tool_data)) {
		fprintf(stderr, "driver: %s is no tool, or does not want to be: %s\n", path, library == NULL ? dlerror() : "");
		exit(1);
	}
	runtime_begin_root();
}

void runtime_begin_root(void)
{
	TELL(thread_begin, ompt_thread_initial, &thread_data);
	TELL(implicit_task, ompt_scope_begin, &initial_region, &runtime_initial_task, 1, 1, ompt_task_initial);
}

void runtime_end_root(void)
{
	TELL(implicit_task, ompt_scope_end, NULL, &runtime_initial_task, 0, 1, ompt_task_initial);
	TELL(thread_end, &thread_data);
}

void runtime_announce_devices(void)
{
	for (int i = 0; i < N_DEVICES; i++)
		TELL(device_initialize, i, i == 0 ? "amdgcn-amd-amdhsa gfx90a" : "", fake_handle(i), fake_lookup, NULL);
}

void runtime_retire_devices(void)
{
	for (int i = 0; i < N_DEVICES; i++)
		TELL(device_finalize, i);
	fake.is_gone = true;
}

void runtime_finish(void)
{
	runtime_end_root();
	tool->finalize(&tool_data);
}
