/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Attaches the recorder to an Argobots program: by LD_PRELOAD, these functions are found before the library's. The
 * first ABT_init registers the callback, the last ABT_finalize ends it, and the library may be initialised again.
 * Argobots has one callback only, so a callback that the program or another tool registers is kept here and called by
 * ours. Another tool may be loaded after this library, wrap ABT_init, too, and register its callback within ours.
 * Nothing happens in a process that never calls ABT_init. The program calls these functions, on any of its threads.
 *
 * If the library is linked statically, the program is linked with --wrap for the three functions (docs/otter.7).
 */
#include "recorder/abt/abt.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "recorder/guard.h"
#include "recorder/ring/record.h"
#include "recorder/session/meta.h"
#include "recorder/session/session_life.h"
#include "recorder/text.h"

/* The three functions that the program calls, under their own names and under those that --wrap gives them. In this
 * file they have other names: the program may define the former itself, where the library is linked statically. */
#define ENTRY(name, inner)                                                                                                         \
	__attribute__((visibility("default"))) __typeof__(inner) ABT_##name __attribute__((alias(#inner)));                        \
	__attribute__((visibility("default"))) __typeof__(inner) __wrap_ABT_##name __attribute__((alias(#inner)))

static int on_init(int argc, char **argv);
static int on_finalize(void);
static int on_register(abt_callback *function, uint64_t events, void *user);

/* The program may call any of the three first. */
static void find_library(void)
{
	static const struct abt_library own = {.init = on_init, .finalize = on_finalize, .register_callback = on_register};
	if (!abt.init)
		abt_find(&own);
}

static bool is_initialized(void)
{
	return abt.initialized && abt.initialized() == ABT_SUCCESS;
}

/* ---- From ABT_init to ABT_finalize ---- */

static void put_runtime(struct session *session, int result)
{
	char bytes[256];
	struct text text;
	text_init(&text, bytes, sizeof bytes);
	text_line(&text, "argobots", result == ABT_SUCCESS ? "recorded" : "no tool interface");
	text_line_number(&text, "argobots_code", (uint64_t)(uintptr_t)abt.init);
	meta_runtime(session, META_ARGOBOTS, &text);
	if (result == ABT_ERR_FEATURE_NA)
		meta_note(session,
			  "Argobots was built without its tool interface (--enable-tool): its work units are not recorded");
	else if (result != ABT_SUCCESS)
		meta_note(session, "Argobots has no tool interface (it is older than 1.1): its work units are not recorded");
}

/*
 * ABT_init is in the library, or in another tool that wraps it. A callback that is registered meanwhile is the library's until
 * ours takes its place, and is called by ours then. Only the thread that is in ABT_init may register one: a plain variable.
 */
static bool is_in_init;

/* The library has just been initialised, and no unit has been created yet. */
static void begin_recording(void)
{
	uint64_t time = clock_ticks();
	struct session *session = session_get();
	if (!session)
		return;
	/* RELAXED: this thread has stored it, if another tool has registered a callback in on_init. */
	abt_callback *ours = __atomic_load_n(&abt_chain, __ATOMIC_RELAXED) ? on_unit_event_chained : on_unit_event;
	int result = abt.register_callback && abt.query ? abt.register_callback(ours, ABT_EVENTS, NULL) : -1;
	put_runtime(session, result);
	abt_handle unit = NULL;
	abt_handle xstream = NULL;
	if (abt.self_unit)
		abt.self_unit(&unit);
	if (abt.self_xstream)
		abt.self_xstream(&xstream);
	if (result == ABT_SUCCESS)
		record_one_slow(time, record_head(EVENT_unit_begin, 0, 0), abt_address(unit), abt_address(xstream));
	if (tls_stream != STREAM_NONE && tls_stream != STREAM_CHANGING)
		stream_forget_units(tls_stream); /* those of the library's last initialisation */
}

static int on_init(int argc, char **argv)
{
	find_library();
	if (!abt.init)
		return ABT_ERR_FEATURE_NA; /* there is no Argobots to call */
	bool was_initialized = is_initialized();
	if (!was_initialized)
		/* K1, as in on_register: the library has forgotten the callbacks of its last life. */
		__atomic_store_n(&abt_chain, NULL, __ATOMIC_RELEASE);
	is_in_init = !was_initialized;
	int result = abt.init(argc, argv);
	is_in_init = false;
	if (result == ABT_SUCCESS && !was_initialized) {
		struct guard guard = guard_enter();
		/* As ompt_start_tool() does, not in a set-user-id program. */
		if (!getauxval(AT_SECURE) && session_start())
			begin_recording();
		guard_leave(guard);
	}
	return result;
}

static int on_finalize(void)
{
	find_library();
	uint64_t time = clock_ticks();
	int result = abt.finalize ? abt.finalize() : ABT_ERR_FEATURE_NA;
	if (result == ABT_SUCCESS && !is_initialized() && session_get())
		record_one_slow(time, record_head(EVENT_unit_end, 0, 0), 0, 0);
	return result;
}

/* Registers the callback of the program or of another tool, which is called after ours until the library is finalised. If
 * nothing is recorded, it is registered with the library itself. */
static int on_register(abt_callback *function, uint64_t events, void *user)
{
	find_library();
	if (!abt.register_callback)
		return ABT_ERR_FEATURE_NA;
	if (!session_get() && !is_in_init)
		return abt.register_callback(function, events, user);
	struct abt_chain *chain = function ? malloc(sizeof *chain) : NULL;
	if (function && !chain)
		return abt.register_callback(function, events, user); /* without memory only the program's callback is called */
	/* We return what the library returns: it may have no tool interface at all. */
	int result = is_in_init ? abt.register_callback(function, events, user)
				: abt.register_callback(chain ? on_unit_event_chained : on_unit_event, ABT_EVENTS, NULL);
	if (result != ABT_SUCCESS) {
		free(chain);
		return result;
	}
	if (chain)
		*chain = (struct abt_chain){function, events, user};
	/* K1: The description of the callback is stored before the pointer to it. Pairs with K2 in
	 * on_unit_event_chained. The previous one is not freed: a callback may be using it. */
	__atomic_store_n(&abt_chain, chain, __ATOMIC_RELEASE);
	return result;
}

ENTRY(init, on_init);
ENTRY(finalize, on_finalize);
ENTRY(tool_register_thread_callback, on_register);
