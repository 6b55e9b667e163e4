/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Strings from a dump, on their way into a text format: quoted so that nothing in them ends a field or a file early.
 */
#ifndef OTTER_BUILDER_SUPPORT_TEXT_H
#define OTTER_BUILDER_SUPPORT_TEXT_H

#include <stdio.h>

/* The inside of a DOT string between double quotes. */
void text_dot(FILE *out, const char *text);

/* A copy that is valid UTF-8 without control characters: bytes that are not appear as \xHH. To be freed; NULL when memory is out. */
char *text_utf8(const char *text);

#endif
