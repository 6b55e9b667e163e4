/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where machine code goes from one call to the next. The bytes are those that clang 19 and gcc 12 make for undeferred tasks and waits with
 * dependences, at several levels of optimisation, and a few made up ways through jumps.
 */
#include "builder/symbols/instructions.h"

#include <check.h>
#include <elf.h>

#define ASK(machine, to, ...)                                                                                                      \
	instructions_next_call(machine, (const unsigned char[]){__VA_ARGS__}, sizeof((const unsigned char[]){__VA_ARGS__}), 0, to)

/* mov %r14,%rdi; mov %ebx,%esi; mov %r15,%rdx: arguments. */
#define ARGUMENTS 0x4c, 0x89, 0xf7, 0x89, 0xde, 0x4c, 0x89, 0xfa
#define CALL      0xe8, 0xd4, 0xfc, 0xff, 0xff

START_TEST(calls_follow_each_other)
{
	ck_assert_int_eq(ASK(EM_X86_64, 13, ARGUMENTS, CALL), CODE_YES);
	/* -mcmodel=large: movabs $0x...,%rax; call *(%rbx,%rax,1) */
	ck_assert_int_eq(
		ASK(EM_X86_64, 21, ARGUMENTS, 0x48, 0xb8, 0x88, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x14, 0x03),
		CODE_YES);
	/* -fno-plt: call *0x2fca(%rip) */
	ck_assert_int_eq(ASK(EM_X86_64, 14, ARGUMENTS, 0xff, 0x15, 0xca, 0x2f, 0x00, 0x00), CODE_YES);
	/* -O0: mov 0x20(%rsp),%rdx; movq $0x1,0x40(%rsp); lea -0x9a(%rip),%rdi; movups %xmm0,0x18(%rsp); nopw */
	ck_assert_int_eq(ASK(EM_X86_64, 41, 0x48, 0x8b, 0x54, 0x24, 0x20, 0x48, 0xc7, 0x44, 0x24, 0x40, 1, 0, 0, 0, 0x48, 0x8d,
			     0x3d, 0x66, 0xff, 0xff, 0xff, 0x0f, 0x11, 0x44, 0x24, 0x18, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0,
			     0, CALL),
			 CODE_YES);
	/* jmp over three bytes */
	ck_assert_int_eq(ASK(EM_X86_64, 10, 0xeb, 0x03, 0xcc, 0xcc, 0xcc, CALL), CODE_YES);
}
END_TEST

START_TEST(another_call_comes_first)
{
	ck_assert_int_eq(ASK(EM_X86_64, 18, ARGUMENTS, CALL, CALL), CODE_NO);
	ck_assert_int_eq(ASK(EM_X86_64, 14, ARGUMENTS, 0xc3, CALL), CODE_NO);
	/* test %eax,%eax; je: another call on both ways */
	ck_assert_int_eq(ASK(EM_X86_64, 19, 0x85, 0xc0, 0x74, 0x05, CALL, CALL, CALL), CODE_NO);
}
END_TEST

START_TEST(it_is_not_known)
{
	/* test %eax,%eax; je: on one way */
	ck_assert_int_eq(ASK(EM_X86_64, 14, 0x85, 0xc0, 0x74, 0x05, CALL, CALL), CODE_UNKNOWN);
	ck_assert_int_eq(ASK(EM_X86_64, 7, 0xff, 0xe0, CALL), CODE_UNKNOWN); /* jmp *%rax */
	ck_assert_int_eq(ASK(EM_X86_64, 7, 0x0f, 0x0b, CALL), CODE_UNKNOWN); /* ud2 */
	ck_assert_int_eq(ASK(EM_X86_64, 2, 0xeb, 0xfe), CODE_UNKNOWN);       /* jmp to itself */
	ck_assert_int_eq(ASK(EM_X86_64, 9, ARGUMENTS, 0xe8), CODE_UNKNOWN);
	ck_assert_int_eq(ASK(EM_RISCV, 13, ARGUMENTS, CALL), CODE_UNKNOWN);
}
END_TEST

/* mov x0, x19; mov w1, w20; b/bl/cbz/ret */
#define MOVES 0xe0, 0x03, 0x13, 0xaa, 0xe1, 0x03, 0x14, 0x2a
#define BL    0x10, 0x00, 0x00, 0x94

START_TEST(aarch64)
{
	ck_assert_int_eq(ASK(EM_AARCH64, 12, MOVES, BL), CODE_YES);
	ck_assert_int_eq(ASK(EM_AARCH64, 16, MOVES, BL, BL), CODE_NO);
	ck_assert_int_eq(ASK(EM_AARCH64, 12, 0x02, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x00, BL), CODE_YES); /* b over a word */
	ck_assert_int_eq(ASK(EM_AARCH64, 12, 0x40, 0x00, 0x00, 0x34, BL, BL), CODE_UNKNOWN); /* cbz w0 over a word */
	ck_assert_int_eq(ASK(EM_AARCH64, 8, 0xc0, 0x03, 0x5f, 0xd6, BL), CODE_NO);           /* ret */
	ck_assert_int_eq(ASK(EM_AARCH64, 8, 0x00, 0x02, 0x1f, 0xd6, BL), CODE_UNKNOWN);      /* br x16 */
	ck_assert_int_eq(ASK(EM_AARCH64, 12, MOVES, 0x00, 0x01, 0x3f, 0xd6), CODE_YES);      /* blr x8 */
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("instructions");
	TCase *tests = tcase_create("from call to call");
	tcase_add_test(tests, calls_follow_each_other);
	tcase_add_test(tests, another_call_comes_first);
	tcase_add_test(tests, it_is_not_known);
	tcase_add_test(tests, aarch64);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
