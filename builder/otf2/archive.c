/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What all files of this folder share: the errors of OTF2, and the attributes of the next event. One thread.
 */
#include "builder/otf2/archive.h"
#include "builder/support/diag.h"

#include <stdio.h>

int archive_failed(struct archive *a, OTF2_ErrorCode code, const char *what)
{
	if (!a->has_failed)
		error("%s: %s: %s%s%s", a->path, what, OTF2_Error_GetDescription(code), a->detail[0] ? ": " : "", a->detail);
	a->has_failed = true;
	return -1;
}

static OTF2_ErrorCode listen(void *self, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
			     const char *format, va_list arguments)
{
	struct archive *a = self;
	(void)file;
	(void)line;
	(void)function;
	if (a != NULL && format != NULL)
		vsnprintf(a->detail, sizeof a->detail, format, arguments);
	return code;
}

void archive_listen(struct archive *a)
{
	OTF2_Error_RegisterCallback(a != NULL ? listen : NULL, a);
}

int archive_add_u64(struct archive *a, uint32_t attribute, uint64_t value)
{
	return archive_check(a, OTF2_AttributeList_AddUint64(a->attributes, attribute, value), "adding an attribute");
}

int archive_add_nonzero(struct archive *a, uint32_t attribute, uint64_t value)
{
	return value != 0 ? archive_add_u64(a, attribute, value) : 0;
}

int archive_add_string(struct archive *a, uint32_t attribute, uint32_t string)
{
	return archive_check(a, OTF2_AttributeList_AddStringRef(a->attributes, attribute, string), "adding an attribute");
}
