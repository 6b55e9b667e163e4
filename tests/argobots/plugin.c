/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads a program as a plugin, whose library nobody else sees, and calls its main function.
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	int (*run)(int, char **);
	*(void **)&run = plugin ? dlsym(plugin, "plugin_main") : NULL;
	if (!run) {
		fprintf(stderr, "%s\n", dlerror());
		return 9;
	}
	return run(argc - 1, argv + 1);
}
