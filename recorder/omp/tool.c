/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The life of the OMPT tool: the runtime starts it, initializes it (which registers the callbacks) and finalizes it;
 * the library's destructor does the last if the runtime does not. Each may run on any thread, and start and initialize
 * may run again (omp_pause_hard, dlclose).
 */
#include <omp-tools.h>
#include <sys/auxv.h>

#include "recorder/guard.h"
#include "recorder/omp/callbacks.h"
#include "recorder/omp/context.h"
#include "recorder/session/config.h"
#include "recorder/session/meta.h"
#include "recorder/session/session_life.h"
#include "recorder/text.h"

#define RUNTIME_LINES_BYTES 8192
#define ENUMERATED_MAX      64 /* a runtime's enumeration may never end */

/* Read by `strings` and by the launcher's --version. */
__attribute__((used)) static const char version_string[] = "otter-recorder " OTTER_VERSION_STRING " format " FORMAT_VERSION_STRING;

static const struct {
	ompt_callbacks_t number;
	int group; /* enum event_group; -1: registered in any case */
	ompt_callback_t function;
	const char *name;
	bool is_older; /* an older form of the previous row, for runtimes without that one */
} callbacks[] = {
#define CALLBACK_FORM(callback, group, is_older)                                                                                   \
	{                                                                                                                          \
		ompt_callback_##callback, group, (ompt_callback_t)(void *)on_##callback, #callback, is_older                       \
	}
#define CALLBACK(callback, group)       CALLBACK_FORM(callback, group, false)
#define OLDER_CALLBACK(callback, group) CALLBACK_FORM(callback, group, true)
	CALLBACK(thread_begin, GROUP_thread),
	CALLBACK(thread_end, GROUP_thread),
	CALLBACK(parallel_begin, GROUP_parallel),
	CALLBACK(parallel_end, GROUP_parallel),
	CALLBACK(implicit_task, GROUP_implicit_task),
	CALLBACK(task_create, GROUP_task),
	CALLBACK(task_schedule, GROUP_task),
	CALLBACK(dependences, GROUP_dependences),
	CALLBACK(task_dependence, GROUP_dependences),
	CALLBACK(sync_region, GROUP_sync_region),
	CALLBACK(sync_region_wait, GROUP_sync_region_wait),
	CALLBACK(reduction, GROUP_reduction),
	CALLBACK(work, GROUP_work),
	CALLBACK(dispatch, GROUP_dispatch),
	CALLBACK(masked, GROUP_masked),
	CALLBACK(mutex_acquire, GROUP_mutex),
	CALLBACK(mutex_acquired, GROUP_mutex),
	CALLBACK(mutex_released, GROUP_mutex),
	CALLBACK(nest_lock, GROUP_mutex),
	CALLBACK(lock_init, GROUP_lock_init),
	CALLBACK(lock_destroy, GROUP_lock_init),
	CALLBACK(flush, GROUP_flush),
	CALLBACK(cancel, GROUP_cancel),
	CALLBACK(error, GROUP_error),
	CALLBACK(target_emi, GROUP_target),
	OLDER_CALLBACK(target, GROUP_target),
	CALLBACK(target_data_op_emi, GROUP_target),
	OLDER_CALLBACK(target_data_op, GROUP_target),
	CALLBACK(target_submit_emi, GROUP_target),
	OLDER_CALLBACK(target_submit, GROUP_target),
	CALLBACK(target_map_emi, GROUP_target),
	OLDER_CALLBACK(target_map, GROUP_target),
	CALLBACK(device_initialize, GROUP_target),
	CALLBACK(device_finalize, GROUP_target),
	CALLBACK(device_load, GROUP_target),
	CALLBACK(device_unload, GROUP_target),
	CALLBACK(control_tool, -1),
};

/* Is this group selected? -1: it is in any case. */
static bool is_selected(const struct config *config, int group)
{
	return group < 0 || config->groups >> group & 1;
}

/* Returns the function to register for a row of the table. NULL: none. */
static ompt_callback_t function_of(const struct config *config, size_t row)
{
	if (is_selected(config, callbacks[row].group))
		return callbacks[row].function;
	if (callbacks[row].number == ompt_callback_sync_region_wait && is_selected(config, GROUP_sync_region))
		return (ompt_callback_t)(void *)on_taskgroup_wait;
	if (callbacks[row].number == ompt_callback_dispatch && is_selected(config, GROUP_work))
		return (ompt_callback_t)(void *)on_chunk;
	return NULL;
}

static const char *runtime_version;
static unsigned omp_version;

static void put_named(struct text *text, const char *key, int number, const char *name)
{
	text_word(text, key);
	text_number(text, (unsigned)number);
	text_value(text, name ? name : "");
	text_end(text);
}

/* Puts the runtime's states and implementations of mutexes, its own ones included. */
static void put_enumerations(struct text *text, ompt_function_lookup_t lookup)
{
	ompt_enumerate_states_t next_state = (ompt_enumerate_states_t)(void *)lookup("ompt_enumerate_states");
	ompt_enumerate_mutex_impls_t next_impl = (ompt_enumerate_mutex_impls_t)(void *)lookup("ompt_enumerate_mutex_impls");
	const char *name = NULL;
	int state = ompt_state_undefined;
	for (int n = 0; next_state && n < ENUMERATED_MAX && next_state(state, &state, &name); n++)
		put_named(text, "state", state, name);
	int impl = ompt_mutex_impl_none;
	for (int n = 0; next_impl && n < ENUMERATED_MAX && next_impl(impl, &impl, &name); n++)
		put_named(text, "mutex_impl", impl, name);
}

static void put_runtime(struct text *text, ompt_function_lookup_t lookup)
{
	text_line(text, "runtime", runtime_version ? runtime_version : "unknown");
	text_line_number(text, "omp_version", omp_version);
	/* By this address the builder knows which code, and so which return addresses, are the runtime's. (`lookup`
	 * itself may be another tool's.) */
	ompt_interface_fn_t entry_point = lookup("ompt_get_task_info");
	if (entry_point)
		text_line_number(text, "runtime_code", (uint64_t)(uintptr_t)entry_point);
}

static int initialize(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *tool_data)
{
	struct session *session = session_get();
	ompt_set_callback_t set_callback = (ompt_set_callback_t)(void *)lookup("ompt_set_callback");
	(void)initial_device;
	(void)tool_data;
	if (!session || !set_callback)
		return 0;
	session->is_awaiting_finalize = true;
	context_find(lookup);
	char bytes[RUNTIME_LINES_BYTES];
	struct text text;
	text_init(&text, bytes, sizeof bytes);
	put_runtime(&text, lookup);
	put_enumerations(&text, lookup);
	ompt_set_result_t result = ompt_set_error;
	for (size_t i = 0; i < sizeof callbacks / sizeof *callbacks; i++) {
		ompt_callback_t function = function_of(&session->config, i);
		if (!function) {
			if (callbacks[i].number == ompt_callback_sync_region)
				set_callback(callbacks[i].number, (ompt_callback_t)(void *)on_sync_region_unrecorded);
			continue;
		}
		bool is_superseded = callbacks[i].is_older && result >= ompt_set_sometimes;
		if (is_superseded)
			continue;
		result = set_callback(callbacks[i].number, function);
		text_word(&text, "callback");
		text_word(&text, callbacks[i].name);
		text_number(&text, (unsigned)result);
		text_end(&text);
	}
	struct guard guard = guard_enter();
	meta_runtime(session, META_OPENMP, &text);
	guard_leave(guard);
	return 1;
}

static void finalize(ompt_data_t *tool_data)
{
	(void)tool_data;
	struct session *session = session_get();
	if (session)
		session->is_awaiting_finalize = false;
	session_end("finalize");
}

__attribute__((destructor)) static void destroy(void)
{
	if (!session_is_over())
		session_end("destructor");
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
	static ompt_start_tool_result_t result = {initialize, finalize, {0}};
	/* The user who started a set-user-id program would choose where its owner's files go. */
	if (getauxval(AT_SECURE))
		return NULL;
	struct guard guard = guard_enter();
	omp_version = version;
	runtime_version = runtime;
	bool has_session = session_start();
	guard_leave(guard);
	return has_session ? &result : NULL;
}
