/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tool interface. Everything is reported before others can see it.
 */
#include "tests/argobots/standin.h"

typedef void callback(void *unit, void *xstream, uint64_t event, void *context, void *user);

static bool has_tool;
static struct tool {
	callback *function;
	uint64_t events;
	void *user;
} tool;

void tool_reset(bool is_there)
{
	has_tool = is_there;
	tool = (struct tool){0};
}

void report(enum event event, struct unit *unit, struct xstream *xstream, struct context context)
{
	if (tool.function && tool.events & event)
		tool.function(unit, xstream ? xstream : XSTREAM_NULL, event, &context, tool.user);
}

int ABT_tool_register_thread_callback(callback *function, uint64_t events, void *user)
{
	if (!has_tool)
		return ABT_ERR_FEATURE_NA;
	tool = (struct tool){function, events, user};
	return ABT_SUCCESS;
}

/* As the library: any kind is answered for any event, with nothing where nothing is known. */
int ABT_tool_query_thread(void *context, uint64_t event, int kind, void *value)
{
	const struct context *c = context;
	(void)event;
	switch (kind) {
	case QUERY_POOL: *(void **)value = c->pool ? c->pool : POOL_NULL; break;
	case QUERY_DEPTH: *(int *)value = c->depth; break;
	case QUERY_CALLER_TYPE: *(int *)value = c->caller != NULL; break;
	case QUERY_CALLER: *(void **)value = c->caller; break;
	case QUERY_SYNC_TYPE: *(int *)value = c->sync; break;
	case QUERY_SYNC_OBJECT: *(void **)value = c->object; break;
	default: return ABT_ERR_FEATURE_NA;
	}
	return ABT_SUCCESS;
}
