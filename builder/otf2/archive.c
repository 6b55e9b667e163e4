/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What all files of this folder share: the errors of OTF2, and the attributes of the next event. One thread.
 */
#include "builder/otf2/archive.h"
#include "builder/support/diag.h"

#include <stdio.h>

static _Thread_local char detail[200]; /* OTF2's latest message */

int archive_failed(struct archive *a, OTF2_ErrorCode code, const char *what)
{
	if (!atomic_exchange_explicit(&a->has_failed, true, memory_order_relaxed))
		error("%s: %s: %s%s%s", a->path, what, OTF2_Error_GetDescription(code), detail[0] ? ": " : "", detail);
	return -1;
}

static OTF2_ErrorCode listen(void *self, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
			     const char *format, va_list arguments)
{
	(void)self;
	(void)file;
	(void)line;
	(void)function;
	if (format != NULL)
		vsnprintf(detail, sizeof detail, format, arguments);
	return code;
}

void archive_listen(struct archive *a)
{
	OTF2_Error_RegisterCallback(a != NULL ? listen : NULL, a);
}

int archive_add_u64(struct archive *a, OTF2_AttributeList *list, uint32_t attribute, uint64_t value)
{
	return archive_check(a, OTF2_AttributeList_AddUint64(list, attribute, value), "adding an attribute");
}

int archive_add_nonzero(struct archive *a, OTF2_AttributeList *list, uint32_t attribute, uint64_t value)
{
	return value != 0 ? archive_add_u64(a, list, attribute, value) : 0;
}

int archive_add_string(struct archive *a, OTF2_AttributeList *list, uint32_t attribute, uint32_t string)
{
	return archive_check(a, OTF2_AttributeList_AddStringRef(list, attribute, string), "adding an attribute");
}
