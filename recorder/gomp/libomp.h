/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LLVM's entries that the alias library calls. They are bound to the version VERSION, which libomp gives each of its
 * names: an entry of the same name that is defined here, with a version of libgomp's, is another one. They are weak, as an older
 * runtime lacks some, which a program may never call.
 */
#ifndef OTTER_RECORDER_GOMP_LIBOMP_H
#define OTTER_RECORDER_GOMP_LIBOMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Declares llvm_NAME, which is libomp's NAME. */
#define LLVM(type, name, ...)                                                                                                      \
	extern __attribute__((weak)) type llvm_##name(__VA_ARGS__);                                                                \
	__asm__(".symver llvm_" #name ", " #name "@VERSION")

/* The same with the list of parameters in brackets. */
#define LLVM_PLAIN(type, name, parameters)                                                                                         \
	extern __attribute__((weak)) type llvm_##name parameters;                                                                  \
	__asm__(".symver llvm_" #name ", " #name "@VERSION")

/* The entries of this library, which libgomp's callers see. */
#define ENTRY __attribute__((visibility("default")))

#endif
