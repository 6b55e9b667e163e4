/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How the recorder comes into an Argobots program: by LD_PRELOAD it stands before the library. The first ABT_init registers the callback, the last
 * ABT_finalize ends a life, and the library may be initialised again. There is place for one callback only, so what the program itself registers
 * is kept here and called from ours. Nothing happens in a process that never calls ABT_init.
 *
 * Where the library is linked statically, the program is linked with --wrap for the three functions (docs/otter.7).
 */
#include "recorder/abt.h"

#include <stdbool.h>
#include <stdlib.h>

#include "recorder/guard.h"
#include "recorder/meta.h"
#include "recorder/record.h"
#include "recorder/session_life.h"
#include "recorder/text.h"

/* The three that the program calls, under their own names and under those that --wrap gives them. In here they have other names: the program may
 * define the former itself, where the library is linked statically. */
#define ENTRY(name, inner)                                                                                                         \
	__attribute__((visibility("default"))) __typeof__(inner) ABT_##name __attribute__((alias(#inner)));                        \
	__attribute__((visibility("default"))) __typeof__(inner) __wrap_ABT_##name __attribute__((alias(#inner)))

static int on_init(int argc, char **argv);
static int on_finalize(void);
static int on_register(abt_callback *function, uint64_t events, void *user);

/* With the first of its functions that is called. */
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

/* ---- A life of it ---- */

static void tell(struct session *session, int result)
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

/* The library is there, and nobody has created a unit yet. */
static void begin_life(void)
{
	uint64_t time = clock_ticks();
	struct session *session = session_get();
	if (!session)
		return;
	__atomic_store_n(&abt_chain, NULL, __ATOMIC_RELEASE); /* K1, too: the library has forgotten it as well */
	int result = abt.register_callback && abt.query ? abt.register_callback(on_unit_event, ABT_EVENTS, NULL) : -1;
	tell(session, result);
	abt_handle unit = NULL;
	abt_handle xstream = NULL;
	if (abt.self_unit)
		abt.self_unit(&unit);
	if (abt.self_xstream)
		abt.self_xstream(&xstream);
	if (result == ABT_SUCCESS)
		record_one_slow(time, record_head(EVENT_unit_begin, 0, 0), abt_address(unit), abt_address(xstream));
	if (tls_stream->unit) /* of the last life */
		tls_stream->unit = NULL;
}

static int on_init(int argc, char **argv)
{
	find_library();
	if (!abt.init)
		return ABT_ERR_FEATURE_NA; /* a program that has no Argobots would not have come this far */
	bool was_initialized = is_initialized();
	int result = abt.init(argc, argv);
	if (result == ABT_SUCCESS && !was_initialized) {
		struct guard guard = guard_enter();
		if (session_start())
			begin_life();
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

/* The program's own callback: behind ours, for as long as the library is initialised. Without a recording it goes straight to the library. */
static int on_register(abt_callback *function, uint64_t events, void *user)
{
	find_library();
	if (!abt.register_callback)
		return ABT_ERR_FEATURE_NA;
	if (!session_get())
		return abt.register_callback(function, events, user);
	struct abt_chain *chain = function ? malloc(sizeof *chain) : NULL;
	if (function && !chain)
		return abt.register_callback(function, events, user); /* rather the program's than ours */
	/* The library's answer is ours: whether it has a tool interface at all. */
	int result = abt.register_callback(chain ? on_unit_event_chained : on_unit_event, ABT_EVENTS, NULL);
	if (result != ABT_SUCCESS) {
		free(chain);
		return result;
	}
	if (chain)
		*chain = (struct abt_chain){function, events, user};
	/* K1: what it is before the pointer to it; pairs with K2 in on_unit_event. The one before it stays: a callback may be using it. */
	__atomic_store_n(&abt_chain, chain, __ATOMIC_RELEASE);
	return result;
}

ENTRY(init, on_init);
ENTRY(finalize, on_finalize);
ENTRY(tool_register_thread_callback, on_register);
