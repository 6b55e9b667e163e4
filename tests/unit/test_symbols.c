/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Labels of code addresses. The tests look up addresses of their own program, which must be compiled with -g.
 */
#include "builder/symbols/symbols.h"

#include <check.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The return address of a call, and the line of the call. */
struct call {
	uint64_t codeptr;
	unsigned line;
};

static struct call latest;
static volatile int sink;

/* Its name in the symbol table is like that of an entry point by which a runtime reports tasks. */
static void note(unsigned line) __asm__("__kmpc_omp_task_stand_in");

__attribute__((noinline)) static void note(unsigned line)
{
	latest = (struct call){(uint64_t)(uintptr_t)__builtin_return_address(0), line};
	sink++; /* so that no call is a tail call */
}

__attribute__((always_inline)) static inline void inlined_caller(void)
{
	note(__LINE__);
	sink++;
}

__attribute__((noinline)) static void plain_caller(void)
{
	note(__LINE__);
	sink++;
}

/* The same, by a name that no entry point has: as where the call of the runtime is a jump from this function's end. */
__attribute__((noinline)) static void note_elsewhere(unsigned line)
{
	latest = (struct call){(uint64_t)(uintptr_t)__builtin_return_address(0), line};
	sink += 2;
}

__attribute__((noinline)) static void caller_of_a_caller(void)
{
	note_elsewhere(__LINE__);
	sink++;
}

__attribute__((noinline)) static void outer_caller(void)
{
	inlined_caller();
	sink++;
}

static char own_path[4096];
static char own_id[256];
static struct meta_map own_maps[64];
static size_t n_own_maps;
static struct symbols *symbols;

/* The build id as a recorder finds it, in the notes of the loaded program. */
static int find_own_id(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size, (void)data;
	for (int i = 0; i < info->dlpi_phnum && *own_id == '\0'; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		if (header->p_type != PT_NOTE)
			continue;
		const unsigned char *at = (const unsigned char *)(info->dlpi_addr + header->p_vaddr), *end = at + header->p_memsz;
		while (end - at >= 16) {
			const ElfW(Nhdr) *note_header = (const ElfW(Nhdr) *)(const void *)at;
			if (note_header->n_type == NT_GNU_BUILD_ID && memcmp(at + 12, "GNU", 4) == 0)
				for (unsigned k = 0; k < note_header->n_descsz && k < 100; k++)
					sprintf(own_id + 2 * k, "%02x", at[16 + k]);
			at += 12 + ((note_header->n_namesz + 3) & ~3u) + ((note_header->n_descsz + 3) & ~3u);
		}
	}
	return 1; /* stop: the program itself comes first */
}

static void find_own_maps(void)
{
	if (readlink("/proc/self/exe", own_path, sizeof own_path - 1) <= 0)
		exit(99);
	dl_iterate_phdr(find_own_id, NULL);
	FILE *f = fopen("/proc/self/maps", "r");
	char line[8192], rights[8], path[4096];
	unsigned long long start, end, offset;
	while (fgets(line, sizeof line, f) != NULL)
		if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %4095s", &start, &end, rights, &offset, path) == 5 &&
		    rights[2] == 'x' && strcmp(path, own_path) == 0)
			own_maps[n_own_maps++] = (struct meta_map){start, end, offset, own_id, own_path};
	fclose(f);
	if (n_own_maps == 0)
		exit(99);
}

/* Resolves a model with one construct and the given maps; all by one struct symbols, like the processes of a run. */
static struct construct resolve_kind(enum construct_kind kind, uint64_t codeptr, struct meta_map *maps, size_t n_maps,
				     struct model *model)
{
	static struct dump dump;
	dump = (struct dump){.path = (char *)"test",
			     .meta = {.maps = maps, .n_maps = n_maps, .runtime = (char *)"", .program = (char *)""}};
	ck_assert_int_eq(meta_index_maps(&dump.meta), 0);
	ck_assert_int_eq(model_allocate(model, &dump), 0);
	uint32_t row = model_construct(model, kind, codeptr);
	symbols_resolve(symbols, model);
	free(dump.meta.pieces);
	free(dump.meta.piece_maps);
	return model->constructs[row];
}

static struct construct resolve(uint64_t codeptr, struct meta_map *maps, size_t n_maps, struct model *model)
{
	return resolve_kind(CONSTRUCT_TASK, codeptr, maps, n_maps, model);
}

START_TEST(a_label_is_file_and_line_of_the_call)
{
	struct model model;
	char expected[64];
	plain_caller();
	struct construct c = resolve(latest.codeptr, own_maps, n_own_maps, &model);
	snprintf(expected, sizeof expected, "task@test_symbols.c:%u", latest.line);
	ck_assert_str_eq(c.label, expected);
	ck_assert_str_eq(c.function, "plain_caller");
	ck_assert_uint_eq(c.line, latest.line);
	ck_assert(c.file[0] == '/' && strstr(c.file, "/tests/unit/test_symbols.c") != NULL);
	model_free(&model);
}
END_TEST

START_TEST(an_address_after_another_call_gives_no_line)
{
	struct model model;
	caller_of_a_caller();
	struct construct c = resolve(latest.codeptr, own_maps, n_own_maps, &model);
	ck_assert_str_eq(c.label, "task");
	ck_assert_uint_eq(c.line, 0);
	ck_assert_str_eq(c.file, "");
	ck_assert_str_eq(c.function, "");
	model_free(&model);
}
END_TEST

START_TEST(processes_that_have_a_binary_elsewhere_share_its_names)
{
	struct model first, second;
	struct meta_map moved[64];
	plain_caller();
	struct construct c = resolve(latest.codeptr, own_maps, n_own_maps, &first);
	memcpy(moved, own_maps, sizeof moved);
	for (size_t i = 0; i < n_own_maps; i++) {
		moved[i].start += 0x10000000;
		moved[i].end += 0x10000000;
		moved[i].path = text_copy(own_path);
	}
	for (unsigned i = 0; i < 2; i++) { /* the first process may be gone, with its own names of the binary */
		struct construct other = resolve(latest.codeptr + 0x10000000, moved, n_own_maps, &second);
		ck_assert_str_eq(other.label, c.label);
		ck_assert_str_eq(other.file, c.file);
		ck_assert_str_eq(other.function, "plain_caller");
		ck_assert_uint_eq(other.line, latest.line);
		model_free(&second);
		for (size_t k = 0; i == 0 && k < n_own_maps; k++) {
			free(moved[k].path);
			moved[k].path = own_path;
		}
	}
	model_free(&first);
}
END_TEST

START_TEST(the_innermost_inlined_function_counts)
{
	struct model model;
	outer_caller();
	struct construct c = resolve(latest.codeptr, own_maps, n_own_maps, &model);
	ck_assert_str_eq(c.function, "inlined_caller");
	ck_assert_uint_eq(c.line, latest.line);
	model_free(&model);
}
END_TEST

enum { WORK_LINE = __LINE__ + 1 };
__attribute__((noinline)) static void work_function(void *unused)
{
	(void)unused;
	sink++;
}

START_TEST(a_unit_has_the_line_of_its_functions_name)
{
	struct model model;
	work_function(NULL);
	struct construct c = resolve_kind(CONSTRUCT_UNIT, (uint64_t)(uintptr_t)work_function, own_maps, n_own_maps, &model);
	ck_assert_str_eq(c.label, "unit@work_function");
	ck_assert_str_eq(c.function, "work_function");
	ck_assert_uint_eq(c.line, WORK_LINE);
	model_free(&model);
}
END_TEST

START_TEST(a_rebuilt_binary_gives_no_lines_and_a_label_without_addresses_of_the_run)
{
	struct model model;
	struct meta_map changed = own_maps[0], moved = own_maps[0];
	changed.build_id = moved.build_id = (char *)"00112233";
	uint64_t in_file = 0x123;
	struct construct c = resolve(changed.start + in_file, &changed, 1, &model);
	char label[256];
	snprintf(label, sizeof label, "%s", c.label);
	ck_assert_uint_eq(c.line, 0);
	ck_assert_str_eq(c.file, "");
	ck_assert(strncmp(label, "task@test_symbols+0x", 20) == 0);
	model_free(&model);

	moved.start += 0x10000000;
	moved.end += 0x10000000;
	c = resolve(moved.start + in_file, &moved, 1, &model);
	ck_assert_str_eq(c.label, label);
	model_free(&model);
}
END_TEST

START_TEST(what_lies_in_no_map_keeps_its_address)
{
	struct model model;
	struct construct c = resolve(0x1234, own_maps, n_own_maps, &model);
	ck_assert_str_eq(c.label, "task@0x1234");
	model_free(&model);
	c = resolve(0, own_maps, n_own_maps, &model);
	ck_assert_str_eq(c.label, "task");
	model_free(&model);
}
END_TEST

START_TEST(a_binary_that_is_gone_gives_module_and_offset)
{
	struct model model;
	struct meta_map gone = {0x1000, 0x2000, 0x3000, (char *)"", (char *)"/nowhere/lib gone.so (deleted)"};
	struct construct c = resolve(0x1010, &gone, 1, &model);
	ck_assert_str_eq(c.label, "task@lib gone.so+0x3010");
	model_free(&model);
}
END_TEST

START_TEST(every_construct_kind_has_a_word_of_its_own)
{
	for (unsigned i = 0; i < CONSTRUCT_KINDS; i++)
		for (unsigned k = 0; k < i; k++)
			ck_assert_str_ne(construct_kind_name((enum construct_kind)i), construct_kind_name((enum construct_kind)k));
	ck_assert_str_eq(construct_kind_name((enum construct_kind)1000), "unknown");
}
END_TEST

int main(void)
{
	find_own_maps();
	symbols = symbols_open();
	diag_quiet();
	Suite *suite = suite_create("symbols");
	TCase *c = tcase_create("symbols");
	tcase_add_test(c, a_label_is_file_and_line_of_the_call);
	tcase_add_test(c, an_address_after_another_call_gives_no_line);
	tcase_add_test(c, processes_that_have_a_binary_elsewhere_share_its_names);
	tcase_add_test(c, the_innermost_inlined_function_counts);
	tcase_add_test(c, a_unit_has_the_line_of_its_functions_name);
	tcase_add_test(c, a_rebuilt_binary_gives_no_lines_and_a_label_without_addresses_of_the_run);
	tcase_add_test(c, what_lies_in_no_map_keeps_its_address);
	tcase_add_test(c, a_binary_that_is_gone_gives_module_and_offset);
	tcase_add_test(c, every_construct_kind_has_a_word_of_its_own);
	suite_add_tcase(suite, c);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	symbols_close(symbols);
	return n_failed == 0 ? 0 : 1;
}
