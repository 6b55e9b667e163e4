/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Machine code, as far as it tells where control goes: calls, jumps, returns. For x86-64 and aarch64. It knows nothing
 * of files. Called by code.c; any thread.
 */
#ifndef OTTER_BUILDER_MODEL_INSTRUCTIONS_H
#define OTTER_BUILDER_MODEL_INSTRUCTIONS_H

#include <stddef.h>

enum code_answer { CODE_UNKNOWN, CODE_YES, CODE_NO };

/*
 * `code` has n_bytes of instructions for `machine` (EM_X86_64 or EM_AARCH64). If control is at offset `from`: is the
 * next call the one that returns to offset `to`? CODE_YES: on the only way. CODE_NO: on no way. CODE_UNKNOWN: a
 * condition decides, or an instruction that is not known comes first.
 */
enum code_answer instructions_next_call(unsigned machine, const unsigned char *code, size_t n_bytes, size_t from, size_t to);

#endif
