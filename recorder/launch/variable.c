/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/launch/variable.h"

#include <stdio.h>
#include <stdlib.h>

bool variable_set(const char *name, const char *value)
{
	return setenv(name, value, 1) == 0;
}

bool variable_is_set(const char *name)
{
	const char *value = getenv(name);
	return value && *value;
}

static bool set_both(const char *name, const char *first, const char *second)
{
	char *both;
	if (asprintf(&both, "%s:%s", first, second) < 0)
		return false;
	bool is_set = variable_set(name, both);
	free(both);
	return is_set;
}

bool variable_prepend(const char *name, const char *value)
{
	return variable_is_set(name) ? set_both(name, value, getenv(name)) : variable_set(name, value);
}

bool variable_append(const char *name, const char *value)
{
	return variable_is_set(name) ? set_both(name, getenv(name), value) : variable_set(name, value);
}
