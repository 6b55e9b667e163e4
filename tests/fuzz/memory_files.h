/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A directory that is in memory alone, in the way of the builder's calls: the linker leads open, mmap, readdir and the like here (--wrap), and
 * what does not concern that directory goes on to the system. A mapping is a heap block of exactly the file's size, so that
 * AddressSanitizer sees a read beyond the file's end, which the page of a real mapping hides.
 */
#ifndef OTTER_TESTS_FUZZ_MEMORY_FILES_H
#define OTTER_TESTS_FUZZ_MEMORY_FILES_H

#include "tests/fuzz/image.h"

#define MEMORY_ROOT "/otter-fuzz"
#define MEMORY_DUMP MEMORY_ROOT "/p-host-1.otter"

/* From now on MEMORY_DUMP has the image's files; NULL: there is no such directory. */
void memory_files_show(const struct image *image);

/* Everything that was opened and mapped has been given back. */
bool memory_files_are_closed(void);

#endif
