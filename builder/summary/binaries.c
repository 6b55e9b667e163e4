/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tells from which binaries the names and lines of constructs come, for summary.json (docs/tables.md).
 */
#include "builder/model/module.h"
#include "builder/model/symbols.h"
#include "builder/summary/summary.h"
#include "builder/support/text.h"

#include <jansson.h>
#include <stdlib.h>

struct json_t *summary_json_binaries(const struct symbols *symbols)
{
	json_t *array = NULL;
	const struct module *module;
	for (size_t i = 0; (module = symbols_module(symbols, i)) != NULL; i++) {
		const char *from = module->state != MODULE_IS_USABLE ? "nothing" : module->is_kept ? "dump" : "path";
		char *path = text_utf8(module->path), *build_id = text_utf8(module->build_id);
		if (array == NULL)
			array = json_array();
		json_array_append_new(array, json_pack("{s:s, s:s, s:s}", "path", path, "build_id", build_id, "from", from));
		free(path);
		free(build_id);
	}
	return array;
}
