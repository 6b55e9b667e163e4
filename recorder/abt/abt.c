/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/abt/abt.h"

#include <dlfcn.h>

#include "recorder/guard.h"

#define LIBRARY "libabt.so.1"

struct abt_library abt;
const struct abt_chain *abt_chain;

/* Finds a function of the library: after this library in the loader's order, in the program itself (linked statically),
 * or in a library that a plugin has loaded with local symbols. `own` is our function of the same name, or NULL; it is
 * not the library's. */
static void *find(const char *name, const void *own)
{
	void *found = dlsym(RTLD_NEXT, name);
	if (!found || found == own)
		found = dlsym(RTLD_DEFAULT, name);
	if (found && found != own)
		return found;
	void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
	return library ? dlsym(library, name) : NULL;
}

/* dlsym returns functions as void *, as POSIX allows. ISO C has no conversion back from a function, hence the integer. */
#define FIND(member, name) (*(void **)&abt.member = find(name, (const void *)(uintptr_t)own->member))

void abt_find(const struct abt_library *own)
{
	struct guard guard = guard_enter();
	FIND(initialized, "ABT_initialized");
	FIND(query, "ABT_tool_query_thread");
	FIND(self_unit, "ABT_self_get_thread");
	FIND(self_xstream, "ABT_xstream_self");
	FIND(rank, "ABT_xstream_get_rank");
	FIND(last_xstream, "ABT_thread_get_last_xstream");
	FIND(function, "ABT_thread_get_thread_func");
	FIND(stack_bytes, "ABT_thread_get_stacksize");
	FIND(register_callback, "ABT_tool_register_thread_callback");
	FIND(finalize, "ABT_finalize");
	/* The last one: a thread that finds it set finds the others set. */
	FIND(init, "ABT_init");
	guard_leave(guard);
}
