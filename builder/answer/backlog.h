/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Units of Argobots that do not run while an execution stream has nothing to do (backlog.c).
 */
#ifndef OTTER_BUILDER_ANSWER_BACKLOG_H
#define OTTER_BUILDER_ANSWER_BACKLOG_H

#include "builder/answer/net.h"

/* Why they do not run. One that waits for a mutex counts before those that nobody has taken yet, which may need it, too. */
enum backlog_sort { BACKLOG_NONE, BACKLOG_QUEUED, BACKLOG_EXCLUDED, BACKLOGS };

struct backlog;

struct backlog *backlog_make(const struct net *net);
void backlog_free(struct backlog *backlog);

/* When that changes next. */
uint64_t backlog_next_ticks(const struct backlog *backlog);
/* Goes on to then. */
void backlog_pass(struct backlog *backlog, uint64_t ticks);
/* What there is now, and the construct of the unit that goes on first. NULL in `backlog`: there is nothing. */
enum backlog_sort backlog_now(const struct backlog *backlog, uint32_t *construct);

#endif
