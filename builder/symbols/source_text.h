/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Source lines of constructs, for the page and the screen. A dump from elsewhere names any file that it likes, and a page may go to
 * others. So the text is only that of regular files with a suffix of a source language, below the working directory or
 * --source, after links were resolved: what is looked at is the very file that is read. Runs on one thread.
 */
#ifndef OTTER_BUILDER_SYMBOLS_SOURCE_TEXT_H
#define OTTER_BUILDER_SYMBOLS_SOURCE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* Which source lines are shown: of files below the working directory, at their recorded places, and below `directory`. */
struct source_rules {
	bool are_shown;
	const char *directory; /* NULL: none */
};

struct sources {
	struct source_rules rules;
	char *roots[2];       /* the directories below which files are shown: the working directory, --source; NULL: none */
	char *elsewhere;      /* the first file that is not below them; NULL: none */
	uint32_t n_elsewhere; /* how many lines were not shown for that reason */
};

void sources_open(struct sources *sources, struct source_rules rules);
/* The line without blanks around it, to be freed; NULL: there is none, or it may not be shown. line 0: not known. */
char *source_text(struct sources *sources, const char *path, unsigned line);
void sources_close(struct sources *sources);

#endif
