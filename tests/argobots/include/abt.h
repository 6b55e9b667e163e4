/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What bench/argobots/units.c calls of Argobots, for compiling it with the stand-in (standin.h): the names and types of the library's own header.
 */
#ifndef OTTER_TESTS_ARGOBOTS_INCLUDE_ABT_H
#define OTTER_TESTS_ARGOBOTS_INCLUDE_ABT_H

#include <stddef.h>
#include <stdint.h>

#define ABT_SUCCESS               0
#define ABT_THREAD_ATTR_NULL      NULL
#define ABT_TOOL_EVENT_THREAD_ALL UINT64_MAX

typedef void *ABT_thread, *ABT_xstream, *ABT_pool, *ABT_eventual, *ABT_mutex, *ABT_tool_context, *ABT_thread_attr;
typedef void (*ABT_tool_thread_callback_fn)(ABT_thread unit, ABT_xstream xstream, uint64_t event, ABT_tool_context context,
					    void *user);

int ABT_init(int argc, char **argv);
int ABT_finalize(void);
int ABT_xstream_self(ABT_xstream *xstream);
int ABT_xstream_get_main_pools(ABT_xstream xstream, int n_pools, ABT_pool *pools);
int ABT_thread_create(ABT_pool pool, void (*function)(void *), void *argument, ABT_thread_attr attributes, ABT_thread *unit);
int ABT_thread_free(ABT_thread *unit);
int ABT_thread_yield(void);
int ABT_task_create(ABT_pool pool, void (*function)(void *), void *argument, ABT_thread *unit);
int ABT_eventual_create(int n_bytes, ABT_eventual *eventual);
int ABT_eventual_free(ABT_eventual *eventual);
int ABT_eventual_reset(ABT_eventual eventual);
int ABT_eventual_set(ABT_eventual eventual, void *value, int n_bytes);
int ABT_eventual_wait(ABT_eventual eventual, void **value);
int ABT_mutex_create(ABT_mutex *mutex);
int ABT_mutex_free(ABT_mutex *mutex);
int ABT_mutex_lock(ABT_mutex mutex);
int ABT_mutex_unlock(ABT_mutex mutex);
int ABT_tool_register_thread_callback(ABT_tool_thread_callback_fn function, uint64_t events, void *user);

#endif
