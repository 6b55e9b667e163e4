/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Declares the parts of Argobots that the recorder uses: the tool interface and a few queries, so that neither headers
 * nor the library are needed to build it. Handles are pointers or small numbers (ABT_*_NULL); their types do not matter
 * here. The binary interface is the same in Argobots 1.1 and 1.2.
 */
#ifndef OTTER_RECORDER_ABT_H
#define OTTER_RECORDER_ABT_H

#include <stddef.h>
#include <stdint.h>

#include "recorder/compiler.h"

typedef void *abt_handle;
typedef void abt_callback(abt_handle unit, abt_handle xstream, uint64_t event, abt_handle context, void *user);

#define ABT_SUCCESS        0
#define ABT_ERR_FEATURE_NA 51

/* A null handle is NULL, or a small number where the library checks its arguments. */
#define ABT_NULL_LAST 0xff

/* ABT_TOOL_EVENT_THREAD_* */
enum abt_event {
	ABT_CREATE = 1 << 0,
	ABT_JOIN = 1 << 1,
	ABT_FREE = 1 << 2,
	ABT_REVIVE = 1 << 3,
	ABT_RUN = 1 << 4,
	ABT_FINISH = 1 << 5,
	ABT_CANCEL = 1 << 6,
	ABT_YIELD = 1 << 7,
	ABT_SUSPEND = 1 << 8,
	ABT_RESUME = 1 << 9
};
#define ABT_EVENTS UINT64_C(0xfff) /* ALL in the tool interface: it has bits that no version uses yet */

/* ABT_tool_query_kind */
enum abt_query {
	ABT_QUERY_POOL,
	ABT_QUERY_DEPTH,
	ABT_QUERY_CALLER_TYPE,
	ABT_QUERY_CALLER,
	ABT_QUERY_SYNC_TYPE,
	ABT_QUERY_SYNC_OBJECT
};

/* The library's functions, found when ABT_init is called. Functions that only add detail to a record may be NULL. */
struct abt_library {
	int (*init)(int argc, char **argv);
	int (*finalize)(void);
	int (*initialized)(void);
	int (*register_callback)(abt_callback *function, uint64_t events, void *user);
	int (*query)(abt_handle context, uint64_t event, enum abt_query kind, void *value);
	int (*self_unit)(abt_handle *unit);
	int (*self_xstream)(abt_handle *xstream);
	int (*rank)(abt_handle xstream, int *rank);
	int (*last_xstream)(abt_handle unit, abt_handle *xstream);
	int (*function)(abt_handle unit, void (**function)(void *));
	int (*stack_bytes)(abt_handle unit, size_t *bytes);
};
extern HIDDEN struct abt_library abt;

/* Finds the library's functions, on the thread that calls ABT_init. `own` has our functions that have the same names as
 * the library's, and NULL everywhere else. */
void abt_find(const struct abt_library *own);

/* The callback that the program or another tool registered: it is called for each of its events, after the event has been
 * recorded. */
struct abt_chain {
	abt_callback *function;
	uint64_t events;
	void *user;
};
extern HIDDEN const struct abt_chain *abt_chain; /* NULL: there is none. What it points to is never changed or freed */

/* The two callbacks that are registered for all events (callbacks_unit.c): the second one while the program has
 * registered a callback of its own. They run on the stack of the current unit, which has 16 KiB by default. */
abt_callback on_unit_event, on_unit_event_chained;

/* Returns the address that a record has for a handle: 0 for a null handle. */
static inline uint64_t abt_address(abt_handle handle)
{
	return (uintptr_t)handle > ABT_NULL_LAST ? (uint64_t)(uintptr_t)handle : 0;
}

#endif
