/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See contract.h.
 */
#include "tests/fuzz/contract.h"
#include "builder/argobots/events.h"

#include <stdio.h>
#include <stdlib.h>

struct contract {
	const struct model *model;
	uint64_t *last_ticks; /* by stream */
	bool *has_begun;
	struct open_scope {
		uint32_t task, stream; /* in which it was entered */
		enum scope_type type;
		unsigned kind;
		uint32_t number;
	} * scopes; /* all that are open, in the order of entering */
	size_t n_scopes, capacity;
	int *n_implicits, *n_regions; /* by stream */
	/* Units: who is current, by stream, and 1 + the stream that a unit is on, by row. */
	uint32_t *unit;
	uint32_t *unit_stream;
	unsigned char *is_told; /* by row: its creation */
};

_Noreturn void contract_broken(const char *what)
{
	fprintf(stderr, "not as promised: %s\n", what);
	abort();
}

/* The builder ends the process cleanly where memory is out; an input that makes it ask for so much is a find. */
_Noreturn void __wrap_memory_fail(size_t n_bytes, const char *what);

void __wrap_memory_fail(size_t n_bytes, const char *what)
{
	fprintf(stderr, "%zu bytes for %s\n", n_bytes, what);
	contract_broken("memory is enough");
}

static void *allocate(size_t n, size_t bytes)
{
	void *block = calloc(n + 1, bytes);
	if (block == NULL)
		abort();
	return block;
}

struct contract *contract_begin(const struct model *model)
{
	struct contract *c = allocate(1, sizeof *c);
	size_t n = model->dump->n_streams;
	*c = (struct contract){.model = model,
			       .last_ticks = allocate(n, sizeof *c->last_ticks),
			       .has_begun = allocate(n, sizeof *c->has_begun),
			       .n_implicits = allocate(n, sizeof *c->n_implicits),
			       .n_regions = allocate(n, sizeof *c->n_regions),
			       .unit = allocate(n, sizeof *c->unit),
			       .unit_stream = allocate(model->n_units, sizeof *c->unit_stream),
			       .is_told = allocate(model->n_units, 1)};
	return c;
}

void contract_end(struct contract *c, bool is_whole)
{
	PROMISED(!is_whole || c->n_scopes == 0, "a scope is left once");
	for (size_t i = 0; i < c->model->dump->n_streams && is_whole; i++)
		PROMISED(c->n_implicits[i] == 0, "implicit tasks end");
	for (uint32_t row = 1; row < c->model->n_units && is_whole; row++)
		PROMISED(c->unit_stream[row] == 0, "units stop");
	free(c->unit);
	free(c->unit_stream);
	free(c->is_told);
	free(c->last_ticks);
	free(c->has_begun);
	free(c->n_implicits);
	free(c->n_regions);
	free(c->scopes);
	free(c);
}

static struct contract *check_point(void *self, const struct point *at)
{
	struct contract *c = self;
	PROMISED(at->stream < c->model->dump->n_streams && at->task < c->model->n_tasks, "rows of tables");
	PROMISED(at->ticks >= c->last_ticks[at->stream], "times of a stream do not decrease");
	c->last_ticks[at->stream] = at->ticks;
	PROMISED(at->unit == c->unit[at->stream], "the current unit is what unit_switch said");
	return c;
}

static bool is_unit(const struct contract *c, uint32_t row)
{
	return row == 0 || (row < c->model->n_units && c->model->units[row].kind != UNIT_ROOT);
}

static int unit_life(void *self, const struct point *at, uint32_t life, bool is_begin)
{
	(void)life;
	(void)is_begin;
	check_point(self, at);
	return 0;
}

static int unit_create(void *self, const struct point *at, uint32_t unit, uint32_t creator)
{
	struct contract *c = check_point(self, at);
	PROMISED(unit != 0 && is_unit(c, unit) && is_unit(c, creator), "rows of units");
	PROMISED(!c->is_told[unit], "a row is created once");
	PROMISED(c->model->units[unit].creator == creator, "who created a unit is in the table");
	c->is_told[unit] = 1;
	return 0;
}

static int unit_revive(void *self, const struct point *at, uint32_t unit, uint32_t creator)
{
	struct contract *c = self;
	PROMISED(unit != 0 && is_unit(c, unit) && c->model->units[unit].before != 0, "who is revived has run before");
	return unit_create(self, at, unit, creator);
}

static int unit_switch(void *self, const struct point *at, const struct unit_switch *change)
{
	struct contract *c = check_point(self, at);
	uint32_t here = at->stream + 1;
	PROMISED(is_unit(c, change->prior) && is_unit(c, change->next), "rows of units");
	if (change->reason <= UNIT_RUN) {
		PROMISED(change->prior == at->unit && change->next != 0, "a unit runs above the current one");
		PROMISED(c->unit_stream[change->next] == 0, "a unit runs on one stream at a time");
		c->unit_stream[change->next] = here;
		c->unit[at->stream] = change->next;
	} else if (change->reason == UNIT_CANCEL && c->unit_stream[change->prior] == 0) {
		PROMISED(change->next == at->unit, "who does not run is cancelled without a switch");
	} else {
		PROMISED(change->prior == at->unit && c->unit_stream[change->prior] == here, "the current unit stops");
		c->unit_stream[change->prior] = 0;
		c->unit[at->stream] = change->next;
	}
	return 0;
}

static int unit_poll(void *self, const struct point *at, uint32_t unit, const struct unit_wait *wait, uint64_t count, bool was_look)
{
	struct contract *c = check_point(self, at);
	(void)wait;
	(void)count;
	(void)was_look;
	PROMISED(unit != 0 && unit == at->unit && is_unit(c, unit), "who polls is current");
	return 0;
}

static int unit_resume(void *self, const struct point *at, uint32_t unit, uint32_t waker, const struct unit_wait *wait)
{
	struct contract *c = check_point(self, at);
	(void)wait;
	PROMISED(unit != 0 && is_unit(c, unit) && is_unit(c, waker), "rows of units");
	return 0;
}

static int unit_join(void *self, const struct point *at, uint32_t unit, uint32_t joiner, bool is_first, bool was_look)
{
	struct contract *c = check_point(self, at);
	(void)is_first;
	(void)was_look;
	PROMISED(unit != 0 && is_unit(c, unit) && is_unit(c, joiner), "rows of units");
	return 0;
}

static int unit_free(void *self, const struct point *at, uint32_t unit, uint32_t by)
{
	struct contract *c = check_point(self, at);
	PROMISED(unit != 0 && is_unit(c, unit) && is_unit(c, by), "rows of units");
	return 0;
}

static const struct unit_ops unit_contract_ops = {
	.unit_life = unit_life,
	.unit_create = unit_create,
	.unit_revive = unit_revive,
	.unit_switch = unit_switch,
	.unit_poll = unit_poll,
	.unit_resume = unit_resume,
	.unit_join = unit_join,
	.unit_free = unit_free,
};

static const void *const own_contract_ops[N_PARADIGMS] = {[PARADIGM_argobots] = &unit_contract_ops};

static int stream_begin(void *self, const struct point *at)
{
	struct contract *c = check_point(self, at);
	PROMISED(!c->has_begun[at->stream], "a stream begins once");
	c->has_begun[at->stream] = true;
	return 0;
}

static int stream_end(void *self, const struct point *at)
{
	check_point(self, at);
	return 0;
}

static int region_begin(void *self, const struct point *at, uint32_t region)
{
	struct contract *c = check_point(self, at);
	PROMISED(region < c->model->n_regions, "rows of regions");
	c->n_regions[at->stream]++;
	return 0;
}

static int region_end(void *self, const struct point *at, uint32_t region)
{
	struct contract *c = check_point(self, at);
	PROMISED(region < c->model->n_regions, "rows of regions");
	PROMISED(c->n_regions[at->stream]-- > 0, "a region begins before it ends");
	return 0;
}

static int implicit_begin(void *self, const struct point *at, uint32_t task)
{
	struct contract *c = check_point(self, at);
	PROMISED(task < c->model->n_tasks, "rows of tasks");
	c->n_implicits[at->stream]++;
	return 0;
}

static int implicit_end(void *self, const struct point *at, uint32_t task)
{
	struct contract *c = check_point(self, at);
	PROMISED(task < c->model->n_tasks, "rows of tasks");
	PROMISED(c->n_implicits[at->stream]-- > 0, "an implicit task begins before it ends");
	return 0;
}

static int task_create(void *self, const struct point *at, uint32_t task)
{
	struct contract *c = check_point(self, at);
	PROMISED(task < c->model->n_tasks, "rows of tasks");
	return 0;
}

static int dependences(void *self, const struct point *at, uint32_t task, const struct dependence *list, size_t n)
{
	struct contract *c = check_point(self, at);
	PROMISED(task < c->model->n_tasks, "rows of tasks");
	volatile uint64_t sum = 0; /* reads them all */
	for (size_t i = 0; i < n; i++)
		sum += list[i].variable + list[i].type;
	return 0;
}

static int task_dependence(void *self, const struct point *at, uint32_t source, uint32_t sink)
{
	struct contract *c = check_point(self, at);
	PROMISED(source < c->model->n_tasks && sink < c->model->n_tasks, "rows of tasks");
	return 0;
}

static int task_switch(void *self, const struct point *at, uint32_t prior, uint32_t next, unsigned status)
{
	struct contract *c = check_point(self, at);
	(void)status;
	PROMISED(prior < c->model->n_tasks && next < c->model->n_tasks, "rows of tasks");
	return 0;
}

static int scope_enter(void *self, const struct point *at, struct scope *scope)
{
	struct contract *c = check_point(self, at);
	PROMISED(scope->construct < c->model->n_constructs, "rows of constructs");
	for (size_t i = 0; i < c->n_scopes; i++)
		PROMISED(c->scopes[i].number != scope->number, "open scopes have different numbers");
	if (c->n_scopes == c->capacity) {
		c->capacity = c->capacity != 0 ? 2 * c->capacity : 64;
		c->scopes = reallocarray(c->scopes, c->capacity, sizeof *c->scopes);
		if (c->scopes == NULL)
			abort();
	}
	c->scopes[c->n_scopes++] = (struct open_scope){at->task, at->stream, scope->type, scope->kind, scope->number};
	return 0;
}

static int scope_leave(void *self, const struct point *at, struct scope *scope)
{
	struct contract *c = check_point(self, at);
	size_t n = c->n_scopes;
	while (n > 0 && c->scopes[n - 1].number != scope->number)
		n--;
	PROMISED(n > 0, "a scope is entered before it is left, and keeps its number");
	const struct open_scope *left = &c->scopes[n - 1];
	PROMISED(left->task == at->task && (at->task != 0 || left->stream == at->stream), "a scope is left in its task");
	PROMISED(left->type == scope->type && left->kind == scope->kind, "a scope stays what it is");
	/* Records that contradict each other may have a task on two streams at once. Then its scopes nest on each of them. */
	for (size_t i = n; i < c->n_scopes; i++)
		PROMISED(c->scopes[i].task != at->task || c->scopes[i].stream != left->stream ||
				 (at->task != 0 && !c->model->is_sure && left->stream != at->stream),
			 "scopes nest within a task");
	if (c->model->is_sure && at->task != 0)
		for (size_t i = n; i < c->n_scopes; i++)
			PROMISED(c->scopes[i].task != at->task, "scopes nest within a task that moves");
	for (; n < c->n_scopes; n++)
		c->scopes[n - 1] = c->scopes[n];
	c->n_scopes--;
	return 0;
}

static int mutex(void *self, const struct point *at, const struct mutex *m)
{
	struct contract *c = check_point(self, at);
	PROMISED(m->construct < c->model->n_constructs, "rows of constructs");
	return 0;
}

static int cancel(void *self, const struct point *at, uint32_t task, unsigned flags)
{
	struct contract *c = check_point(self, at);
	(void)flags;
	PROMISED(task < c->model->n_tasks, "rows of tasks");
	return 0;
}

static int flush(void *self, const struct point *at, uint32_t construct)
{
	struct contract *c = check_point(self, at);
	PROMISED(construct < c->model->n_constructs, "rows of constructs");
	return 0;
}

static int control_tool(void *self, const struct point *at, uint64_t command, uint64_t modifier)
{
	(void)command;
	(void)modifier;
	check_point(self, at);
	return 0;
}

static int dispatch(void *self, const struct point *at, unsigned kind, uint64_t start, uint64_t iterations)
{
	(void)kind;
	(void)start;
	(void)iterations;
	check_point(self, at);
	return 0;
}

static int thread_attach(void *self, const struct point *at, uint64_t tid)
{
	(void)tid;
	check_point(self, at);
	return 0;
}

static int buffer_flush(void *self, const struct point *at, uint64_t end_ticks)
{
	check_point(self, at);
	PROMISED(end_ticks >= at->ticks, "a flush ends behind its begin");
	return 0;
}

static int measurement(void *self, const struct point *at, bool is_on)
{
	(void)is_on;
	check_point(self, at);
	return 0;
}

const struct replay_ops contract_ops = {
	.stream_begin = stream_begin,
	.stream_end = stream_end,
	.region_begin = region_begin,
	.region_end = region_end,
	.implicit_begin = implicit_begin,
	.implicit_end = implicit_end,
	.task_create = task_create,
	.dependences = dependences,
	.task_dependence = task_dependence,
	.task_switch = task_switch,
	.scope_enter = scope_enter,
	.scope_leave = scope_leave,
	.mutex = mutex,
	.cancel = cancel,
	.flush = flush,
	.control_tool = control_tool,
	.dispatch = dispatch,
	.thread_attach = thread_attach,
	.buffer_flush = buffer_flush,
	.measurement = measurement,
	.own = own_contract_ops,
};
