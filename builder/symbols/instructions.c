/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Follows instructions from one call to the next, and reads the few that have an address: see instructions.h. Capstone
 * decodes what lies between two calls. An instruction that a compiler does not put between the return from one call and the
 * arguments of the next one counts as unknown.
 */
#include "builder/symbols/instructions.h"
#include "builder/support/diag.h"

#include <capstone/capstone.h>
#include <dlfcn.h>
#include <elf.h>
#include <pthread.h>
#include <string.h>

#define STEPS_MAX    512 /* instructions on all paths together */
#define BRANCHES_MAX 16  /* paths that are still to be followed */

/* ---- Capstone ---- */

/*
 * Few runs need Capstone, and each start of a program that is linked with it would take a millisecond and five MB for its
 * tables. So it is opened when it is needed first.
 */
#define FUNCTIONS(X) X(cs_open) X(cs_close) X(cs_option) X(cs_malloc) X(cs_free) X(cs_disasm_iter)

static struct {
#define DECLARE(name) __typeof__(name) *name##_;
	FUNCTIONS(DECLARE)
} call;
static bool is_loaded;

static void load_capstone(void)
{
	void *library = dlopen("libcapstone.so.4", RTLD_NOW | RTLD_LOCAL);
	is_loaded = library != NULL;
#define FIND(name) is_loaded = is_loaded && (call.name##_ = (__typeof__(name) *)dlsym(library, #name)) != NULL;
	FUNCTIONS(FIND)
	if (!is_loaded)
		warning("undeferred tasks are not told from waits with dependences by the program's code: %s", dlerror());
}

struct decoder {
	csh capstone;
	cs_insn *instruction; /* the latest */
	unsigned machine;
};

/* false: instructions of this machine cannot be decoded. */
static bool decoder_open(struct decoder *decoder, unsigned machine)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	bool is_x86_64 = machine == EM_X86_64;
	if (!is_x86_64 && machine != EM_AARCH64)
		return false;
	pthread_once(&once, load_capstone);
	decoder->machine = machine;
	if (!is_loaded || call.cs_open_(is_x86_64 ? CS_ARCH_X86 : CS_ARCH_ARM64, is_x86_64 ? CS_MODE_64 : CS_MODE_ARM,
					&decoder->capstone) != CS_ERR_OK)
		return false;
	call.cs_option_(decoder->capstone, CS_OPT_DETAIL, CS_OPT_ON);
	decoder->instruction = call.cs_malloc_(decoder->capstone);
	return true;
}

static void decoder_close(struct decoder *decoder)
{
	call.cs_free_(decoder->instruction, 1);
	call.cs_close_(&decoder->capstone);
}

enum step_kind { STEP_UNKNOWN, STEP_ON, STEP_CALL, STEP_JUMP, STEP_BRANCH, STEP_RETURN };

/* One instruction. */
struct step {
	enum step_kind kind;
	struct transfer transfer; /* of a call, jump or branch; its n_bytes of all */
};

static bool is_in(const cs_insn *instruction, unsigned group)
{
	for (unsigned i = 0; i < instruction->detail->groups_count; i++)
		if (instruction->detail->groups[i] == group)
			return true;
	return false;
}

static struct step x86_64_step(const cs_insn *instruction)
{
	const cs_x86_op *operand = &instruction->detail->x86.operands[0];
	struct step step = {.kind = STEP_ON, .transfer.n_bytes = instruction->size};
	bool is_far = instruction->id == X86_INS_LCALL || instruction->id == X86_INS_LJMP;
	bool is_trap = instruction->id == X86_INS_UD0 || instruction->id == X86_INS_UD2 || instruction->id == X86_INS_SYSCALL;
	if (is_far || is_trap || is_in(instruction, CS_GRP_INT) || is_in(instruction, CS_GRP_IRET) ||
	    is_in(instruction, CS_GRP_PRIVILEGE))
		return (struct step){.kind = STEP_UNKNOWN};
	if (is_in(instruction, CS_GRP_RET))
		step.kind = STEP_RETURN;
	else if (is_in(instruction, CS_GRP_CALL))
		step.kind = STEP_CALL;
	else if (is_in(instruction, CS_GRP_JUMP))
		step.kind = instruction->id == X86_INS_JMP ? STEP_JUMP : STEP_BRANCH;
	else
		return step;
	if (operand->type == X86_OP_IMM) {
		step.transfer.kind = TRANSFER_DIRECT;
		step.transfer.address = (uint64_t)operand->imm;
	} else if (operand->type == X86_OP_MEM && operand->mem.base == X86_REG_RIP && operand->mem.index == X86_REG_INVALID) {
		step.transfer.kind = TRANSFER_BY_SLOT;
		step.transfer.address = instruction->address + instruction->size + (uint64_t)operand->mem.disp;
	}
	return step;
}

static struct step aarch64_step(const cs_insn *instruction)
{
	const cs_arm64 *detail = &instruction->detail->arm64;
	struct step step = {.kind = STEP_ON, .transfer.n_bytes = instruction->size};
	switch (instruction->id) {
	case ARM64_INS_B: step.kind = detail->cc == ARM64_CC_INVALID || detail->cc == ARM64_CC_AL ? STEP_JUMP : STEP_BRANCH; break;
	case ARM64_INS_CBZ:
	case ARM64_INS_CBNZ:
	case ARM64_INS_TBZ:
	case ARM64_INS_TBNZ: step.kind = STEP_BRANCH; break;
	case ARM64_INS_BL:
	case ARM64_INS_BLR: step.kind = STEP_CALL; return step;
	case ARM64_INS_RET: step.kind = STEP_RETURN; return step;
	case ARM64_INS_BR:
	case ARM64_INS_ERET:
	case ARM64_INS_DRPS:
	case ARM64_INS_SVC:
	case ARM64_INS_HVC:
	case ARM64_INS_SMC:
	case ARM64_INS_BRK:
	case ARM64_INS_HLT: step.kind = STEP_UNKNOWN; return step;
	default: return step;
	}
	step.transfer.kind = TRANSFER_DIRECT;
	step.transfer.address = (uint64_t)detail->operands[detail->op_count - 1].imm;
	return step;
}

/* The instruction at `address`, where n bytes are. */
static struct step step_at(const struct decoder *decoder, const unsigned char *bytes, size_t n, uint64_t address)
{
	if (!call.cs_disasm_iter_(decoder->capstone, &bytes, &n, &address, decoder->instruction))
		return (struct step){.kind = STEP_UNKNOWN};
	return decoder->machine == EM_X86_64 ? x86_64_step(decoder->instruction) : aarch64_step(decoder->instruction);
}

/* ---- x86-64 alone ---- */

bool instructions_have_targets(unsigned machine)
{
	return machine == EM_X86_64;
}

/* The signed number of four bytes. */
static int32_t signed_number(const unsigned char *bytes)
{
	int32_t value;
	memcpy(&value, bytes, sizeof value); /* little-endian, as the dumps are */
	return value;
}

/* The slot at a distance of four bytes from the end of an instruction, or the address there. */
static struct transfer transfer_to(enum transfer_kind kind, size_t n_bytes, const unsigned char *distance, uint64_t next)
{
	return (struct transfer){kind, n_bytes, next + (uint64_t)(int64_t)signed_number(distance)};
}

struct transfer instructions_call(const unsigned char *bytes, uint64_t next)
{
	if (bytes[0] == 0xff && bytes[1] == 0x15) /* call *slot(%rip) */
		return transfer_to(TRANSFER_BY_SLOT, 6, bytes + 2, next);
	if (bytes[1] == 0xe8)
		return transfer_to(TRANSFER_DIRECT, 5, bytes + 2, next);
	return (struct transfer){.kind = TRANSFER_UNKNOWN};
}

struct transfer instructions_stub(const unsigned char *bytes, size_t n, uint64_t address)
{
	static const unsigned char endbr64[4] = {0xf3, 0x0f, 0x1e, 0xfa};
	size_t at = n >= sizeof endbr64 && memcmp(bytes, endbr64, sizeof endbr64) == 0 ? sizeof endbr64 : 0;
	size_t n_prefix = at < n && bytes[at] == 0xf2 ? 1 : 0; /* bnd */
	const unsigned char *jump = bytes + at + n_prefix;
	if (n < at + n_prefix + 6 || jump[0] != 0xff || jump[1] != 0x25) /* jmp *slot(%rip) */
		return (struct transfer){.kind = TRANSFER_UNKNOWN};
	return transfer_to(TRANSFER_BY_SLOT, n_prefix + 6, jump + 2, address + at + n_prefix + 6);
}

/* The register that the first byte (REX) and the middle bits of the third one (ModRM) name. */
static unsigned named_register(const unsigned char *bytes)
{
	return (bytes[0] & 4u) << 1 | (bytes[2] >> 3 & 7u);
}

struct load instructions_load(const unsigned char *bytes, size_t n, uint64_t address)
{
	if (n >= 7 && (bytes[0] & 0xfb) == 0x48 && bytes[1] == 0x8d && (bytes[2] & 0xc7) == 0x05)
		return (struct load){7, named_register(bytes), address + 7 + (uint64_t)signed_number(bytes + 3)};
	if (n >= 5 && (bytes[0] == 0xbf || bytes[0] == 0xb8))
		return (struct load){5, bytes[0] == 0xbf ? RDI : RAX, (uint32_t)signed_number(bytes + 1)};
	return (struct load){.to = NO_REGISTER};
}

unsigned instructions_move_to_rdi(const unsigned char *bytes, size_t n)
{
	bool is_move = n >= 3 && (bytes[0] & 0xfb) == 0x48 && bytes[1] == 0x89 && (bytes[2] & 0xc7) == 0xc7;
	return is_move ? named_register(bytes) : NO_REGISTER;
}

/* ---- From one call to the next ---- */

struct code_path {
	size_t at;
	bool is_conditional;
};

static enum code_answer next_call(const struct decoder *decoder, const unsigned char *code, size_t n_bytes, size_t from, size_t to)
{
	struct code_path paths[BRANCHES_MAX] = {{from, false}};
	size_t n_paths = 1;
	for (unsigned n_steps = 0; n_steps < STEPS_MAX; n_steps++) {
		struct code_path *path = &paths[n_paths - 1];
		if (path->at >= n_bytes)
			return CODE_UNKNOWN;
		struct step step = step_at(decoder, code + path->at, n_bytes - path->at, path->at);
		size_t next = path->at + step.transfer.n_bytes;
		bool is_away = step.kind == STEP_JUMP && step.transfer.kind != TRANSFER_DIRECT;
		if (step.kind == STEP_UNKNOWN || is_away)
			return CODE_UNKNOWN;
		path->at = step.kind == STEP_JUMP ? step.transfer.address : next; /* one before the code is beyond its end */
		if (step.kind == STEP_CALL && next == to)
			return path->is_conditional ? CODE_UNKNOWN : CODE_YES;
		if (step.kind == STEP_BRANCH) {
			if (n_paths == BRANCHES_MAX)
				return CODE_UNKNOWN;
			path->is_conditional = true;
			paths[n_paths++] = (struct code_path){step.transfer.address, true};
		}
		if (step.kind == STEP_CALL || step.kind == STEP_RETURN)
			n_paths--;
		if (n_paths == 0)
			return CODE_NO;
	}
	return CODE_UNKNOWN;
}

enum code_answer instructions_next_call(unsigned machine, const unsigned char *code, size_t n_bytes, size_t from, size_t to)
{
	struct decoder decoder;
	if (!decoder_open(&decoder, machine))
		return CODE_UNKNOWN;
	enum code_answer answer = next_call(&decoder, code, n_bytes, from, to);
	decoder_close(&decoder);
	return answer;
}
