/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The entries of OpenACC, which libomp does not have: each goes on to gcc's own libgomp, which is loaded at the first call of
 * any. Its path is in OTTER_LIBGOMP. What is here knows no parameters: it leaves registers and stack as the caller made them.
 * On other processors than x86-64 there are no such entries.
 */
#ifdef __x86_64__
#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* An entry of libgomp. Each has one, below. */
struct cell {
	void *address; /* NULL: not looked up yet */
	char name[];
};

void *otter_acc_find(struct cell *cell);

/* dlopen() and dlsym() give all threads the same address. */
__attribute__((used)) void *otter_acc_find(struct cell *cell)
{
	const char *path = getenv("OTTER_LIBGOMP");
	char own[PATH_MAX]; /* with two slashes, by which recorder/audit/ knows that libgomp itself is meant */
	bool is_usable = path && *path == '/' && snprintf(own, sizeof own, "/%s", path) < (int)sizeof own;
	void *libgomp = is_usable ? dlopen(own, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND) : NULL;
	void *address = libgomp ? dlsym(libgomp, cell->name) : NULL;
	if (!address) {
		fprintf(stderr, "otter-record: OpenACC's %s is not found in gcc's libgomp (OTTER_LIBGOMP=%s)\n", cell->name,
			path ? path : "");
		exit(127);
	}
	/* Relaxed: each thread stores the same value, of what was mapped before. Partner: the loads of the entries below. */
	__atomic_store_n(&cell->address, address, __ATOMIC_RELAXED);
	return address;
}

/* clang-format off */
__asm__(
	".text\n"
	".macro otter_acc_entry name\n"
	".pushsection .data\n"
	".balign 8\n"
	"otter_acc_cell_\\name:\n"
	"	.quad 0\n"
	"	.asciz \"\\name\"\n"
	".popsection\n"
	".globl \\name\n"
	".type \\name, @function\n"
	"\\name:\n"
	"	endbr64\n"
	"	movq otter_acc_cell_\\name(%rip), %r11\n"
	"	testq %r11, %r11\n"
	"	jz 1f\n"
	"	jmpq *%r11\n"
	"1:	leaq otter_acc_cell_\\name(%rip), %r11\n"
	"	jmp otter_acc_first\n"
	".size \\name, . - \\name\n"
	".endm\n"
	/* Finds the entry of the cell in r11, and goes on to it. rax has how many registers of a variable list are vectors. */
	".type otter_acc_first, @function\n"
	"otter_acc_first:\n"
	"	pushq %rax\n"
	"	pushq %rdi\n"
	"	pushq %rsi\n"
	"	pushq %rdx\n"
	"	pushq %rcx\n"
	"	pushq %r8\n"
	"	pushq %r9\n"
	"	movq %r11, %rdi\n"
	"	call otter_acc_find\n"
	"	movq %rax, %r11\n"
	"	popq %r9\n"
	"	popq %r8\n"
	"	popq %rcx\n"
	"	popq %rdx\n"
	"	popq %rsi\n"
	"	popq %rdi\n"
	"	popq %rax\n"
	"	jmpq *%r11\n"
	".size otter_acc_first, . - otter_acc_first\n"
#define ACC(name) "otter_acc_entry " #name "\n"
#include "recorder/gomp/openacc.def"
);
/* clang-format on */
#endif
