/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Text inside of XML, and of DOT's labels that are like HTML. Used by the files of this folder, on any thread.
 */
#ifndef OTTER_BUILDER_PICTURE_XML_H
#define OTTER_BUILDER_PICTURE_XML_H

#include "builder/support/buffer.h"

/* At most so many bytes of a label are in a picture, where it is not drawn node by node. */
#define DOT_LABEL_MAX 160

/* Appends the text as valid UTF-8 in which nothing is markup; of a longer one its begin, and "...". */
void xml_put(struct buffer *out, const char *text, size_t n_max);

#endif
