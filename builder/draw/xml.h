/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Text inside of XML, and of DOT's labels that are like HTML. Runs on any thread.
 */
#ifndef OTTER_BUILDER_DRAW_XML_H
#define OTTER_BUILDER_DRAW_XML_H

#include "builder/support/buffer.h"

/* The most bytes of a label in a picture that is not drawn node by node. */
#define DOT_LABEL_MAX 160

/* Appends the text as valid UTF-8 in which nothing is markup; a longer one is cut and ends with "...". */
void xml_put(struct buffer *out, const char *text, size_t n_max);

#endif
