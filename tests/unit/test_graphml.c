/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The graph by construct in GraphML (builder/graphml/fold.c), as graphs with more than a million nodes are written: each node
 * says how many it is, and each edge how many.
 */
#include "builder/graphml/graphml.h"
#include "tests/unit/replay_fixture.h"

#include <check.h>
#include <libxml/xmlwriter.h>
#include <string.h>

/* The folded graph of two processes that are alike, as text. */
static xmlBufferPtr write_folded(void)
{
	xmlBufferPtr text = xmlBufferCreate();
	xmlTextWriterPtr out = xmlNewTextWriterMemory(text, 0);
	struct folds *folds = folds_make();
	folds_add(folds, &replay_trace, &replay_graph);
	folds_add(folds, &replay_trace, &replay_graph);
	folds_write(folds, out);
	xmlTextWriterEndDocument(out);
	xmlFreeTextWriter(out);
	folds_free(folds);
	return text;
}

static unsigned n_of(const char *text, const char *wanted)
{
	unsigned n = 0;
	for (const char *at = text; (at = strstr(at, wanted)) != NULL; at += strlen(wanted))
		n++;
	return n;
}

/* Of three tasks of one construct there is one node for each process, with count 3; so it is with the edges to them. */
START_TEST(tasks_of_a_construct_are_one_node)
{
	uint64_t me = replay_begin_program(1);
	for (uint64_t i = 0; i < 3; i++)
		replay_put(0, EVENT_task_create, task_flags_explicit, 3 + i, me, 0x3000);
	replay_end_program();
	replay_build(GRAPH_TASK);
	xmlBufferPtr text = write_folded();
	const char *xml = (const char *)xmlBufferContent(text);
	const char *const node =
		"<data key=\"n_label\">task@0x3000</data><data key=\"n_process\">0</data><data key=\"n_count\">3</data>";
	ck_assert_uint_eq(n_of(xml, node), 2);
	ck_assert_uint_eq(n_of(xml, "<data key=\"e_kind\">create</data><data key=\"e_count\">3</data>"), 2);
	ck_assert_uint_eq(n_of(xml, "<data key=\"e_kind\">barrier</data><data key=\"e_count\">3</data>"), 2);
	ck_assert_uint_eq(n_of(xml, "<node "), 10);
	ck_assert_uint_eq(n_of(xml, "<edge "), 10);
	xmlBufferFree(text);
	replay_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("graphml");
	TCase *folded = tcase_create("folded");
	tcase_add_checked_fixture(folded, replay_setup, replay_teardown);
	tcase_add_test(folded, tasks_of_a_construct_are_one_node);
	suite_add_tcase(suite, folded);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed != 0;
}
