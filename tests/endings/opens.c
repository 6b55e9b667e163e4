/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program without OpenMP that loads a library with it, uses it, and may unload it, several times:
 *
 *     opens LIBRARY TIMES close|keep
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	if (argc != 4)
		return 99;
	for (int i = 0; i < atoi(argv[2]); i++) {
		void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
		int (*work)(int) = NULL;
		if (library != NULL)
			*(void **)&work = dlsym(library, "work");
		if (work == NULL) {
			fprintf(stderr, "%s\n", dlerror());
			return 98;
		}
		printf("%d\n", work(5 + i));
		if (strcmp(argv[3], "close") == 0)
			dlclose(library);
	}
	return 0;
}
