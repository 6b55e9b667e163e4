/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What limits the run, for programs: the object `answer` of summary.json.
 */
#include "builder/summary/answer.h"
#include "builder/support/text.h"

#include <jansson.h>
#include <stdlib.h>

/* As it is on the screen. */
static json_t *json_sentence(const struct answer_row *row)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	if (out == NULL)
		return json_null();
	answer_print_what(row, out);
	char *valid = fclose(out) == 0 ? text_utf8(text) : text_utf8("");
	json_t *sentence = json_string(valid);
	free(valid);
	free(text);
	return sentence;
}

static json_t *json_row(const struct answer_row *row)
{
	json_t *why = json_pack("{s:I, s:I, s:b}", "blamed_ns", (json_int_t)row->blamed_ns, "saved_ns", (json_int_t)row->saved_ns,
				"simulated", (int)row->is_simulated);
	if (cause_sort_name(row->sort) != NULL)
		json_object_set_new(why, "sort", json_string(cause_sort_name(row->sort)));
	if (row->limit == LIMIT_CHAIN) {
		json_object_set_new(why, "dependent", place_json(&row->other));
		json_object_set_new(why, "all_dependences_ns", json_integer((json_int_t)row->all_ns));
	}
	if (row->limit == LIMIT_GRAIN) {
		json_object_set_new(why, "own_ns", json_integer((json_int_t)row->own_ns));
		if (row->whole_ns > row->own_ns)
			json_object_set_new(why, "recorder_ns", json_integer((json_int_t)(row->whole_ns - row->own_ns)));
		json_object_set_new(why, "cost_ns", json_integer((json_int_t)row->price_ns));
	}
	if (row->n != 0)
		json_object_set_new(why, row->limit == LIMIT_PREEMPTION ? "processors" : "count", json_integer((json_int_t)row->n));
	return json_pack("{s:s, s:o, s:o, s:f, s:f, s:o}", "limit", limit_name(row->limit), "sentence", json_sentence(row),
			 "construct", place_json(&row->construct), "loss_share", row->loss_share, "possible_speedup", row->speedup,
			 "why", why);
}

static json_t *json_rows(const struct answer_summary *s)
{
	json_t *others = json_array();
	for (unsigned i = 0; i < s->n_others; i++)
		json_array_append_new(others, json_row(&s->others[i]));
	return others;
}

static json_t *json_constructs(const struct answer_summary *s)
{
	json_t *rows = json_array();
	for (unsigned i = 0; i < s->n_constructs; i++) {
		const struct answer_construct *c = &s->constructs[i];
		json_array_append_new(rows, json_pack("{s:o, s:I, s:I, s:f, s:f}", "construct", place_json(&c->place), "count",
						      (json_int_t)c->count, "own_ns", (json_int_t)c->own_ns, "path_share",
						      c->path_share, "blame_share", c->blame_share));
	}
	return rows;
}

static json_t *json_waits(const struct answer_summary *s)
{
	json_t *rows = json_array();
	for (unsigned i = 0; i < s->n_waits; i++) {
		const struct answer_wait *w = &s->waits[i];
		json_array_append_new(rows, json_pack("{s:o, s:I, s:I, s:I, s:o, s:f}", "construct", place_json(&w->place), "count",
						      (json_int_t)w->count, "total_ns", (json_int_t)w->total_ns, "longest_ns",
						      (json_int_t)w->longest_ns, "for",
						      w->culprit.label[0] != '\0' ? place_json(&w->culprit) : json_null(),
						      "for_share", w->culprit_share));
	}
	return rows;
}

static json_t *json_account(const struct answer_summary *s)
{
	json_t *account = json_object();
	for (unsigned i = 0; i < SPENTS; i++)
		json_object_set_new(account, spent_name(i), json_integer((json_int_t)s->spent_ns[i]));
	json_object_set_new(account, "creating", json_integer((json_int_t)s->creating_ns));
	json_object_set_new(account, "handing_out", json_integer((json_int_t)s->handing_ns));
	return account;
}

json_t *summary_json_answer(const struct answer_summary *s)
{
	const struct efficiency *e = &s->efficiency;
	json_t *object = json_row(&s->limit);
	json_object_update_new(
		object, json_pack("{s:o, s:I, s:I, s:I, s:o, s:{s:f,s:f,s:f,s:f,s:f}, s:I, s:I, s:I, s:I, s:o, s:o}", "others",
				  json_rows(s), "process", (json_int_t)s->process, "threads", (json_int_t)s->n_threads, "wall_ns",
				  (json_int_t)s->wall_ns, "account_ns", json_account(s), "efficiency", "total", e->total,
				  "load_balance", e->load_balance, "serialisation", e->serialisation, "runtime", e->runtime,
				  "on_processor", e->on_processor, "work_ns", (json_int_t)s->work_ns, "span_ns",
				  (json_int_t)s->span_ns, "exclusion_ns", (json_int_t)s->exclusion_ns, "simulated_ns",
				  (json_int_t)s->simulated_ns, "constructs", json_constructs(s), "waits", json_waits(s)));
	if (s->n_processors != 0)
		json_object_set_new(object, "processors", json_integer((json_int_t)s->n_processors));
	json_object_set_new(object, "what_if", summary_json_what_if(&s->what_if));
	json_object_set_new(object, "speedups", summary_json_speedups(&s->what_if));
	json_object_set_new(object, "lint", summary_json_lint(&s->lint));
	return object;
}
