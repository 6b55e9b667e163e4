/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The names of the runtimes' entry points, and what compilers do at their calls: see code.h.
 */
#include "builder/symbols/code.h"

#include <string.h>

static bool has_any(const char *text, const char *const *words)
{
	for (; *words != NULL; words++)
		if (strstr(text, *words) != NULL)
			return true;
	return false;
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

bool entry_point_reports(const char *callee, enum construct_kind kind)
{
	static const char *const parallel[] = {"fork_call", "parallel", NULL};
	static const char *const loop[] = {"static_init", "dispatch", "loop", "sections", "doacross", NULL};
	static const char *const target[] = {"__tgt_", "target", NULL};
	bool is_end = has_any(callee, WORDS("_end", "unset", "_next"));
	if (strncmp(callee, "__kmpc_", 7) != 0 && strncmp(callee, "GOMP_", 5) != 0 && strncmp(callee, "omp_", 4) != 0 &&
	    strncmp(callee, "__tgt_", 6) != 0)
		return false;
	switch (kind) {
	case CONSTRUCT_PARALLEL: return has_any(callee, parallel) && !is_end;
	case CONSTRUCT_TEAMS: return has_any(callee, WORDS("teams"));
	case CONSTRUCT_TASK: return has_any(callee, WORDS("omp_task", "GOMP_task", "taskloop")) && !has_any(callee, WORDS("group"));
	case CONSTRUCT_TASKWAIT: return has_any(callee, WORDS("taskwait", "wait_deps", "GOMP_task")) || has_any(callee, target);
	case CONSTRUCT_TASKGROUP: return has_any(callee, WORDS("taskgroup", "taskloop", "reduction")) && !is_end;
	case CONSTRUCT_BARRIER:
		return has_any(callee, WORDS("barrier", "reduce", "copyprivate", "single", "cancel", "_end", "scope")) ||
		       has_any(callee, loop) || has_any(callee, parallel);
	case CONSTRUCT_REDUCTION: return has_any(callee, WORDS("reduc", "barrier", "critical", "atomic", "_end"));
	case CONSTRUCT_LOOP:
	case CONSTRUCT_SECTIONS:
	case CONSTRUCT_DISTRIBUTE: return has_any(callee, loop) && !is_end;
	case CONSTRUCT_SINGLE:
	case CONSTRUCT_WORKSHARE: return has_any(callee, WORDS("single", "workshare")) && !is_end;
	case CONSTRUCT_TASKLOOP: return has_any(callee, WORDS("taskloop"));
	case CONSTRUCT_SCOPE: return has_any(callee, WORDS("scope"));
	case CONSTRUCT_MASKED: return has_any(callee, WORDS("masked", "master")) && !is_end;
	case CONSTRUCT_CRITICAL: return has_any(callee, WORDS("critical", "reduce")) && !is_end;
	case CONSTRUCT_ORDERED: return has_any(callee, WORDS("ordered")) && !is_end;
	case CONSTRUCT_ATOMIC: return has_any(callee, WORDS("atomic", "reduce")) && !is_end;
	case CONSTRUCT_LOCK: return has_any(callee, WORDS("lock")) && !is_end;
	case CONSTRUCT_FLUSH: return has_any(callee, WORDS("flush"));
	case CONSTRUCT_TARGET:
	default: return has_any(callee, target) || has_any(callee, WORDS("omp_task", "GOMP_task"));
	}
}

bool entry_point_has_line(const char *callee, const char *producer)
{
	/* Before an update under the runtime's lock gcc 12 writes the line of the statement before; its front end for C++ does not. */
	bool is_known = strncmp(callee, "GOMP_atomic", 11) == 0 && strncmp(producer, "GNU C++", 7) == 0;
	return is_known || strcmp(callee, "GOMP_taskwait") == 0 || strncmp(callee, "GOMP_critical", 13) == 0;
}

bool entry_point_has_flangs_line(const char *callee)
{
	static const char *const has[] = {"__kmpc_single", "__kmpc_taskgroup", "__kmpc_masked", "__kmpc_master", NULL};
	return strncmp(callee, "omp_", 4) == 0 || has_any(callee, has);
}
