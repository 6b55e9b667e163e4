/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decodes instructions, and follows them from one call to the next: see instructions.h. Of most of x86-64's only the
 * lengths are decoded, by the encoding of Intel's manual (volume 2, chapter 2 and appendix A); what a compiler does not
 * put between the return from one call and the arguments of the next one is an unknown instruction here.
 */
#include "builder/model/instructions.h"

#include <elf.h>
#include <string.h>

#define STEPS_MAX    512 /* instructions on all ways together */
#define BRANCHES_MAX 16  /* ways that are still to be followed */

enum step_kind { STEP_UNKNOWN, STEP_ON, STEP_CALL, STEP_JUMP, STEP_BRANCH, STEP_RETURN };

/* One instruction. */
struct step {
	enum step_kind kind;
	size_t length;
	enum transfer_kind target; /* of a call, jump or branch */
	int64_t distance;          /* of its target, or of the slot that has its target's address, from its end */
};

static const struct step unknown = {.kind = STEP_UNKNOWN};

static int64_t signed_number(const unsigned char *bytes, unsigned n_bytes)
{
	uint32_t value = 0;
	memcpy(&value, bytes, n_bytes); /* little-endian, as the dumps are */
	return n_bytes == 1 ? (int8_t)value : (int32_t)value;
}

/* ---- x86-64 ---- */

/* The bytes of ModRM, SIB and displacement; 0: they do not fit. */
static size_t operand_length(const unsigned char *at, size_t n_left)
{
	if (n_left < 2)
		return n_left;
	unsigned mod = at[0] >> 6, rm = at[0] & 7;
	size_t length = mod != 3 && rm == 4 ? 2 : 1;
	if (mod == 1)
		return length + 1;
	bool has_disp32 = mod == 2 || (mod == 0 && (rm == 5 || (rm == 4 && (at[1] & 7) == 5)));
	return length + (has_disp32 ? 4 : 0);
}

/* An instruction with operands and an immediate value of so many bytes. */
static struct step plain(const unsigned char *at, size_t n_left, size_t n_before, size_t n_immediate)
{
	size_t length = n_before < n_left ? operand_length(at + n_before, n_left - n_before) : 0;
	if (length == 0)
		return unknown;
	return (struct step){.kind = STEP_ON, .length = n_before + length + n_immediate};
}

static struct step without_operands(size_t length)
{
	return (struct step){.kind = STEP_ON, .length = length};
}

static struct step transfer(enum step_kind kind, const unsigned char *at, size_t n_left, size_t n_before, unsigned n_distance)
{
	if (n_before + n_distance > n_left)
		return unknown;
	return (struct step){kind, n_before + n_distance, TRANSFER_DIRECT, signed_number(at + n_before, n_distance)};
}

/* Opcodes after 0f. n: bytes before the opcode's second byte, that one included. */
static struct step two_byte_step(const unsigned char *at, size_t n_left, size_t n)
{
	unsigned opcode = at[n - 1];
	if (opcode >= 0x80 && opcode <= 0x8f)
		return transfer(STEP_BRANCH, at, n_left, n, 4);
	if (opcode == 0x38)
		return plain(at, n_left, n + 1, 0);
	if (opcode == 0x3a)
		return plain(at, n_left, n + 1, 1);
	if (opcode >= 0xc8 && opcode <= 0xcf) /* bswap */
		return without_operands(n);
	bool has_immediate = (opcode >= 0x70 && opcode <= 0x73) || opcode == 0xa4 || opcode == 0xac || opcode == 0xba ||
			     opcode == 0xc2 || (opcode >= 0xc4 && opcode <= 0xc6);
	bool is_plain = (opcode >= 0x10 && opcode <= 0x1f) || (opcode >= 0x28 && opcode <= 0x2f) ||
			(opcode >= 0x40 && opcode <= 0x76) || (opcode >= 0x7c && opcode <= 0x7f) ||
			(opcode >= 0x90 && opcode <= 0x9f) || opcode == 0xa3 || opcode == 0xa5 || opcode == 0xab ||
			(opcode >= 0xad && opcode <= 0xc7) || opcode >= 0xd0;
	return is_plain || has_immediate ? plain(at, n_left, n, has_immediate) : unknown;
}

/* Group 5: calls, jumps and others, by the middle bits of ModRM. */
static struct step group_step(const unsigned char *at, size_t n_left, size_t n)
{
	struct step step = plain(at, n_left, n, 0);
	unsigned which = n < n_left ? at[n] >> 3 & 7 : 7;
	if (step.kind == STEP_UNKNOWN || which == 3 || which == 5 || which == 7)
		return unknown;
	if (which != 2 && which != 4)
		return step;
	step.kind = which == 2 ? STEP_CALL : STEP_JUMP;
	if ((at[n] & 0xc7) == 0x05 && step.length <= n_left) { /* the slot is told from the instruction's end */
		step.target = TRANSFER_BY_SLOT;
		step.distance = signed_number(at + n + 1, 4);
	}
	return step;
}

struct prefixes {
	bool is_short; /* 66: immediate values of 16 bits */
	bool is_wide;  /* REX.W */
};

/* n: bytes before the opcode and the opcode. */
static struct step one_byte_step(const unsigned char *at, size_t n_left, size_t n, struct prefixes prefixes)
{
	unsigned opcode = at[n - 1];
	size_t n_immediate = prefixes.is_short ? 2 : 4;
	bool is_test = n < n_left && (at[n] >> 3 & 7) < 2; /* group 3: test has an immediate value */
	if (opcode < 0x40)
		return (opcode & 7) < 4    ? plain(at, n_left, n, 0)
		       : (opcode & 7) == 4 ? without_operands(n + 1)
		       : (opcode & 7) == 5 ? without_operands(n + n_immediate)
					   : unknown;
	if (opcode >= 0x50 && opcode <= 0x5f)
		return without_operands(n);
	if (opcode >= 0x70 && opcode <= 0x7f)
		return transfer(STEP_BRANCH, at, n_left, n, 1);
	if ((opcode >= 0x84 && opcode <= 0x8b) || opcode == 0x63 || opcode == 0x8d || (opcode >= 0xd0 && opcode <= 0xd3) ||
	    opcode == 0xfe)
		return plain(at, n_left, n, 0);
	if (opcode >= 0x90 && opcode <= 0x99)
		return without_operands(n);
	if (opcode >= 0xb0 && opcode <= 0xb7)
		return without_operands(n + 1);
	if (opcode >= 0xb8 && opcode <= 0xbf)
		return without_operands(n + (prefixes.is_wide ? 8 : n_immediate));
	switch (opcode) {
	case 0x68: return without_operands(n + n_immediate);
	case 0x6a: return without_operands(n + 1);
	case 0x69:
	case 0x81:
	case 0xc7: return plain(at, n_left, n, n_immediate);
	case 0x6b:
	case 0x80:
	case 0x83:
	case 0xc0:
	case 0xc1:
	case 0xc6: return plain(at, n_left, n, 1);
	case 0xa8: return without_operands(n + 1);
	case 0xa9: return without_operands(n + n_immediate);
	case 0xf6: return plain(at, n_left, n, is_test ? 1 : 0);
	case 0xf7: return plain(at, n_left, n, is_test ? n_immediate : 0);
	case 0xe8: return transfer(STEP_CALL, at, n_left, n, 4);
	case 0xe9: return transfer(STEP_JUMP, at, n_left, n, 4);
	case 0xeb: return transfer(STEP_JUMP, at, n_left, n, 1);
	case 0xc2:
	case 0xc3: return (struct step){.kind = STEP_RETURN, .length = n};
	case 0xff: return group_step(at, n_left, n);
	default: return unknown;
	}
}

static bool is_prefix(unsigned byte)
{
	return byte == 0x66 || byte == 0x67 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e || byte == 0x3e || byte == 0x64 ||
	       byte == 0x65;
}

static struct step x86_64_step(const unsigned char *at, size_t n_left)
{
	struct prefixes prefixes = {false, false};
	size_t n = 0;
	for (; n < n_left && is_prefix(at[n]); n++)
		prefixes.is_short = prefixes.is_short || at[n] == 0x66;
	if (n < n_left && (at[n] & 0xf0) == 0x40)
		prefixes.is_wide = at[n++] & 8;
	if (n + 1 >= n_left) /* a lone byte at the end is no use */
		return n < n_left && at[n] == 0xc3 ? (struct step){.kind = STEP_RETURN, .length = n + 1} : unknown;
	if (at[n] == 0x0f)
		return two_byte_step(at, n_left, n + 2);
	if (at[n] == 0xc5 && n + 2 < n_left) /* VEX of two bytes */
		return two_byte_step(at, n_left, n + 3);
	if (at[n] == 0xc4 && n + 3 < n_left) /* VEX of three bytes: the map decides on an immediate value */
		return (at[n + 1] & 0x1f) == 1 ? two_byte_step(at, n_left, n + 4)
					       : plain(at, n_left, n + 4, (at[n + 1] & 0x1f) == 3);
	return one_byte_step(at, n_left, n + 1, prefixes);
}

bool instructions_have_targets(unsigned machine)
{
	return machine == EM_X86_64;
}

static struct transfer transfer_of(const struct step *step, uint64_t next)
{
	return (struct transfer){step->target, step->length, next + (uint64_t)step->distance};
}

struct transfer instructions_call(const unsigned char *bytes, uint64_t next)
{
	struct step slot = x86_64_step(bytes, INSTRUCTIONS_CALL_BYTES);
	if (slot.kind == STEP_CALL && slot.target == TRANSFER_BY_SLOT)
		return transfer_of(&slot, next);
	struct step direct = x86_64_step(bytes + 1, INSTRUCTIONS_CALL_BYTES - 1);
	if (direct.kind == STEP_CALL && direct.target == TRANSFER_DIRECT)
		return transfer_of(&direct, next);
	return (struct transfer){.kind = TRANSFER_UNKNOWN};
}

struct transfer instructions_stub(const unsigned char *bytes, size_t n, uint64_t address)
{
	static const unsigned char endbr64[4] = {0xf3, 0x0f, 0x1e, 0xfa};
	size_t at = n >= sizeof endbr64 && memcmp(bytes, endbr64, sizeof endbr64) == 0 ? sizeof endbr64 : 0;
	struct step jump = x86_64_step(bytes + at, n - at);
	if (jump.kind == STEP_JUMP && jump.target == TRANSFER_BY_SLOT)
		return transfer_of(&jump, address + at + jump.length);
	return (struct transfer){.kind = TRANSFER_UNKNOWN};
}

/* The register that the first byte (REX) and the middle bits of the third one (ModRM) name. */
static unsigned named_register(const unsigned char *bytes)
{
	return (bytes[0] & 4u) << 1 | (bytes[2] >> 3 & 7u);
}

struct load instructions_load(const unsigned char *bytes, size_t n, uint64_t address)
{
	if (n >= 7 && (bytes[0] & 0xfb) == 0x48 && bytes[1] == 0x8d && (bytes[2] & 0xc7) == 0x05)
		return (struct load){7, named_register(bytes), address + 7 + (uint64_t)signed_number(bytes + 3, 4)};
	if (n >= 5 && (bytes[0] == 0xbf || bytes[0] == 0xb8))
		return (struct load){5, bytes[0] == 0xbf ? RDI : RAX, (uint32_t)signed_number(bytes + 1, 4)};
	return (struct load){.to = NO_REGISTER};
}

unsigned instructions_move_to_rdi(const unsigned char *bytes, size_t n)
{
	bool is_move = n >= 3 && (bytes[0] & 0xfb) == 0x48 && bytes[1] == 0x89 && (bytes[2] & 0xc7) == 0xc7;
	return is_move ? named_register(bytes) : NO_REGISTER;
}

/* ---- aarch64 ---- */

/* The signed number of n_bits from bit `low` on, which counts instructions, in bytes. */
static int64_t distance_of(uint32_t word, unsigned low, unsigned n_bits)
{
	int64_t value = word >> low & ((UINT32_C(1) << n_bits) - 1);
	if (value >> (n_bits - 1))
		value -= INT64_C(1) << n_bits;
	return 4 * value - 4;
}

static struct step aarch64_step(const unsigned char *at, size_t n_left)
{
	uint32_t word;
	if (n_left < sizeof word)
		return unknown;
	memcpy(&word, at, sizeof word);
	if (word >> 26 == 0x05)
		return (struct step){STEP_JUMP, 4, TRANSFER_DIRECT, distance_of(word, 0, 26)};
	if (word >> 26 == 0x25 || (word & 0xfffffc1f) == 0xd63f0000) /* bl, blr */
		return (struct step){.kind = STEP_CALL, .length = 4};
	if ((word & 0xff000010) == 0x54000000 || (word & 0x7e000000) == 0x34000000) /* b.cond, cbz, cbnz */
		return (struct step){STEP_BRANCH, 4, TRANSFER_DIRECT, distance_of(word, 5, 19)};
	if ((word & 0x7e000000) == 0x36000000) /* tbz, tbnz */
		return (struct step){STEP_BRANCH, 4, TRANSFER_DIRECT, distance_of(word, 5, 14)};
	if ((word & 0xfffffc1f) == 0xd65f0000)
		return (struct step){.kind = STEP_RETURN, .length = 4};
	if (word >> 25 == 0x6b || (word & 0xfc000000) == 0xd4000000 || word == 0) /* other branches, exceptions */
		return unknown;
	return (struct step){.kind = STEP_ON, .length = 4};
}

/* ---- The way from one call to the next ---- */

struct way {
	size_t at;
	bool is_conditional;
};

enum code_answer instructions_next_call(unsigned machine, const unsigned char *code, size_t n_bytes, size_t from, size_t to)
{
	struct way ways[BRANCHES_MAX] = {{from, false}};
	size_t n_ways = 1;
	if (machine != EM_X86_64 && machine != EM_AARCH64)
		return CODE_UNKNOWN;
	for (unsigned n_steps = 0; n_steps < STEPS_MAX; n_steps++) {
		struct way *way = &ways[n_ways - 1];
		if (way->at >= n_bytes)
			return CODE_UNKNOWN;
		struct step step = machine == EM_X86_64 ? x86_64_step(code + way->at, n_bytes - way->at)
							: aarch64_step(code + way->at, n_bytes - way->at);
		size_t next = way->at + step.length;
		bool is_away = step.kind == STEP_JUMP && step.target != TRANSFER_DIRECT;
		if (step.kind == STEP_UNKNOWN || is_away || next > n_bytes)
			return CODE_UNKNOWN;
		way->at = step.kind == STEP_JUMP ? next + (size_t)step.distance : next; /* a negative one wraps round */
		if (step.kind == STEP_CALL && next == to)
			return way->is_conditional ? CODE_UNKNOWN : CODE_YES;
		if (step.kind == STEP_BRANCH) {
			if (n_ways == BRANCHES_MAX)
				return CODE_UNKNOWN;
			way->is_conditional = true;
			ways[n_ways++] = (struct way){next + (size_t)step.distance, true};
		}
		if (step.kind == STEP_CALL || step.kind == STEP_RETURN)
			n_ways--;
		if (n_ways == 0)
			return CODE_NO;
	}
	return CODE_UNKNOWN;
}
