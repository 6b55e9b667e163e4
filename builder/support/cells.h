/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How wide text is on a terminal. A character takes no cell, one, or two; an escape sequence takes none. Texts are UTF-8: a byte that
 * is no part of a character takes one cell. Any thread.
 */
#ifndef OTTER_BUILDER_SUPPORT_CELLS_H
#define OTTER_BUILDER_SUPPORT_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The character, or the escape sequence, at `text`, which is not at its end: its number of bytes, and its cells. */
size_t cells_next(const char *text, unsigned *cells);
size_t cells_of(const char *text);
/* How many bytes of the text, or of its end, fit into that many cells: whole characters. */
size_t cells_begin(const char *text, size_t cells);
size_t cells_end(const char *text, size_t cells);

/* ---- Terminals ---- */

/* The columns to write in: those of a terminal, from 60 to 200; else 80. */
unsigned terminal_columns(FILE *out);
/* Is it a terminal, and NO_COLOR not set? */
bool terminal_is_coloured(FILE *out);

#endif
