/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What limits the run, for programs: the object `answer` of summary.json.
 */
#include "builder/summary/answer.h"
#include "builder/support/text.h"

#include <jansson.h>
#include <stdlib.h>

/* As it is on the screen. */
static json_t *json_text(const struct answer_row *row, void (*print)(const struct answer_row *row, FILE *out))
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	if (out == NULL)
		return json_null();
	print(row, out);
	char *valid = fclose(out) == 0 ? text_utf8(text) : text_utf8("");
	json_t *string = json_string(valid);
	free(valid);
	free(text);
	return string;
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
		json_object_set_new(why, "lost_ns", json_integer((json_int_t)(row->n != 0 ? row->blamed_ns / row->n : 0)));
	}
	if (row->is_gain_unknown)
		json_object_set_new(why, "gain_known", json_false());
	if (row->sort == CAUSE_HOT) {
		if (row->own_ns != 0 || !row->is_of_units) /* Argobots does not tell it */
			json_object_set_new(why, "held_ns", json_integer((json_int_t)row->own_ns));
		json_object_set_new(why, "waited_ns", json_integer((json_int_t)row->price_ns));
	}
	if (row->limit == LIMIT_BINDING)
		json_object_set_new(why, "processors", json_integer((json_int_t)row->n_processors));
	if (row->n != 0)
		json_object_set_new(why, row->limit == LIMIT_PREEMPTION ? "processors" : "count", json_integer((json_int_t)row->n));
	return json_pack("{s:s, s:o, s:o, s:o, s:f, s:f, s:b, s:o}", "limit", limit_name(row->limit), "sentence",
			 json_text(row, answer_print_what), "try", json_text(row, answer_print_try), "construct",
			 place_json(&row->construct), "loss_share", row->loss_share, "possible_speedup", row->speedup,
			 "lower_bound", (int)row->is_lower_bound, "why", why);
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

/* Beside the constructs of the list: with it shares of the path, and of the loss, add up to 1. */
static json_t *json_rest(const struct answer_summary *s)
{
	json_t *rest = json_object();
	struct answer_rest rows[ANSWER_RESTS];
	answer_find_rest(s, s->n_constructs, rows);
	for (unsigned i = 0; i < ANSWER_RESTS; i++)
		json_object_set_new(rest, answer_rest_name(i),
				    json_pack("{s:I, s:f, s:f}", "constructs", (json_int_t)rows[i].n, "path_share",
					      rows[i].path_share, "blame_share", rows[i].blame_share));
	return rest;
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

static json_t *json_stuck(const struct answer_summary *s)
{
	json_t *threads = json_array();
	for (unsigned i = 0; i < s->n_stuck; i++) {
		const struct answer_stuck *t = &s->stuck[i];
		json_t *thread = json_pack("{s:I, s:b, s:o}", "thread", (json_int_t)t->thread, "waits", (int)t->waits, "construct",
					   place_json(&t->place));
		if (t->is_for_holder) {
			json_object_set_new(thread, "holder", json_integer((json_int_t)t->holder));
			json_object_set_new(thread, "holder_construct", place_json(&t->holder_place));
		}
		json_array_append_new(threads, thread);
	}
	return json_pack("{s:I, s:o}", "since_ns", (json_int_t)s->hang_since_ns, "threads", threads);
}

json_t *summary_json_answer(const struct answer_summary *s)
{
	const struct efficiency *e = &s->efficiency;
	json_t *object = json_row(&s->limit);
	json_object_update_new(
		object, json_pack("{s:o, s:I, s:I, s:I, s:o, s:{s:f,s:f,s:f,s:f,s:f,s:f,s:f}, s:I, s:I, s:I, s:I, s:I, s:o, s:o}",
				  "others", json_rows(s), "process", (json_int_t)s->process, "threads", (json_int_t)s->n_threads,
				  "wall_ns", (json_int_t)s->wall_ns, "account_ns", json_account(s), "efficiency", "total", e->total,
				  "load_balance", e->load_balance, "serialisation", e->waits * e->idling, "waits", e->waits,
				  "idling", e->idling, "runtime", e->runtime, "on_processor", e->on_processor, "work_ns",
				  (json_int_t)s->work_ns, "span_ns", (json_int_t)s->span_ns, "exclusion_ns",
				  (json_int_t)s->exclusion_ns, "serial_ns", (json_int_t)s->serial_ns, "simulated_ns",
				  (json_int_t)s->simulated_ns, "constructs", json_constructs(s), "waits", json_waits(s)));
	static const char *const endings[] = {"unknown", "exited", "killed", "finalized", "running"};
	json_object_set_new(object, "ended",
			    json_pack("{s:s, s:I, s:b}", "how", endings[s->ending], "status", (json_int_t)s->end_status,
				      "from_start", (int)s->is_whole));
	if (s->limit.limit == LIMIT_HANG)
		json_object_set_new(object, "hang", json_stuck(s));
	if (s->n_processors != 0)
		json_object_set_new(object, "processors", json_integer((json_int_t)s->n_processors));
	if (s->recorder_start_ns != 0)
		json_object_set_new(object, "recorder_start_ns", json_integer((json_int_t)s->recorder_start_ns));
	const struct nouns *own = s->nouns;
	if (own->is_own)
		json_object_set_new(object, "nouns",
				    json_pack("{s:s, s:s, s:s, s:s}", "thread", own->thread, "a_thread", own->a_thread, "threads",
					      own->threads, "tasks", own->tasks));
	json_object_set_new(object, "rest", json_rest(s));
	json_object_set_new(object, "blocked_ns", json_integer((json_int_t)s->blocked_ns));
	json_object_set_new(object, "what_if", summary_json_what_if(&s->what_if));
	json_object_set_new(object, "speedups", summary_json_speedups(&s->what_if));
	json_object_set_new(object, "lint", summary_json_findings(&s->lint));
	return object;
}
