/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What machine code shows about control flow and addresses: calls, jumps, returns, loads of addresses. Where control goes
 * next is known for x86-64 and aarch64, what a call calls and what is loaded for x86-64 only. Files are not used here.
 * Any thread.
 */
#ifndef OTTER_BUILDER_SYMBOLS_INSTRUCTIONS_H
#define OTTER_BUILDER_SYMBOLS_INSTRUCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum code_answer { CODE_UNKNOWN, CODE_YES, CODE_NO };

/*
 * `code` has n_bytes of instructions for `machine` (EM_X86_64 or EM_AARCH64). If control is at offset `from`: is the next call
 * the one that returns to offset `to`? CODE_YES: on the only path. CODE_NO: on no path. CODE_UNKNOWN: a condition decides, or
 * an instruction that is not known comes first.
 */
enum code_answer instructions_next_call(unsigned machine, const unsigned char *code, size_t n_bytes, size_t from, size_t to);

/* ---- x86-64 alone ---- */

/* Do the functions below know the instructions of this machine? */
bool instructions_have_targets(unsigned machine);

/* Where an instruction transfers control to: `address`, or to the address in the slot at `address`. */
enum transfer_kind { TRANSFER_UNKNOWN, TRANSFER_DIRECT, TRANSFER_BY_SLOT };

struct transfer {
	enum transfer_kind kind;
	size_t n_bytes; /* of the instruction */
	uint64_t address;
};

/* The most bytes of a call instruction that contains its target. */
#define INSTRUCTIONS_CALL_BYTES 6

/* The call that ends with these INSTRUCTIONS_CALL_BYTES bytes, before address `next`; unknown: it is none. */
struct transfer instructions_call(const unsigned char *bytes, uint64_t next);

/* The jump of a stub of the procedure linkage table at `address`, where n bytes are; unknown: this is no stub. */
struct transfer instructions_stub(const unsigned char *bytes, size_t n, uint64_t address);

/* Registers by their numbers in instructions. */
enum { RAX = 0, RBX = 3, RBP = 5, RDI = 7, R12 = 12, NO_REGISTER = 16 };

/* An instruction that loads an address into a register. */
struct load {
	size_t n_bytes; /* of the instruction */
	unsigned to;    /* NO_REGISTER: it is something else */
	uint64_t value;
};

/* The load at `address`, where n bytes are: lea value(%rip), %register, or mov $value, %edi or %eax. */
struct load instructions_load(const unsigned char *bytes, size_t n, uint64_t address);

/* The register that the first of n bytes move into the first argument's, %rdi; NO_REGISTER: they do something else. */
unsigned instructions_move_to_rdi(const unsigned char *bytes, size_t n);

#endif
