/* Rules and control as the grammar reads them. */
#include "pattern/query.h"

void query_begin_rule(query *q)
{
	q->clause = QUERY_MATCH;
	q->behind = q->updating = false;
	q->optionals = q->last_optional = NULL;
	q->with = NULL;
	q->updates = q->last_update = NULL;
}

void query_end_rule(query *q, query_word name, query_match *match)
{
	query_rule *rule = query_alloc(q, sizeof *rule);
	if (!rule)
		return;
	*rule = (query_rule){ .name = name, .match = match, .optionals = q->optionals, .with = q->with,
		.updates = q->updates };
	if (q->last_rule)
		q->last_rule->next = rule;
	else
		q->rules = rule;
	q->last_rule = rule;
}

query_update *query_new_update(query *q, gemp_update_kind kind, query_word variable, query_place place)
{
	query_update *update = query_alloc(q, sizeof *update);
	if (!update)
		return NULL;
	*update = (query_update){ .kind = kind, .variable = variable, .place = place };
	if (q->last_update)
		q->last_update->next = update;
	else
		q->updates = update;
	q->last_update = update;
	return update;
}

static void adopt(query_control *parent, query_control *child)
{
	if (parent->last)
		parent->last->next = child;
	else
		parent->first = child;
	parent->last = child;
}

query_control *query_new_control(query *q, gemp_control_kind kind, query_control *child, query_place place)
{
	query_control *control = query_alloc(q, sizeof *control);
	if (!control)
		return NULL;
	*control = (query_control){ .kind = kind, .place = place };
	if (child)
		adopt(control, child);
	return control;
}

query_control *query_join_control(query *q, gemp_control_kind kind, query_control *left, query_control *right,
                                  query_place place)
{
	if (!left)
		return right;
	if (left->kind != kind)
		left = query_new_control(q, kind, left, place);
	if (left)
		adopt(left, right);
	return left;
}

/* Does it apply whatever the graph is? */
static bool always_applies(const query_control *control)
{
	bool any = false, all = true;
	for (const query_control *child = control->first; child; child = child->next) {
		bool one = always_applies(child);
		any = any || one;
		all = all && one;
	}
	switch (control->kind) {
	case GEMP_RUN_RULE:
		return false;
	case GEMP_RUN_CHOICE:
		return any;
	case GEMP_RUN_SEQUENCE:
	case GEMP_RUN_TIMES:
		return all;
	default:
		return true;
	}
}

query_control *query_repeat(query *q, query_control *child, uint64_t times, query_place place)
{
	if (times == 0 && always_applies(child)) {
		query_fail(q, place.begin, "this never ends: * repeats what applies, and TRY and * within it always do; write {n} "
		           "for this *, or leave it out");
		return NULL;
	}
	query_control *repeat = query_new_control(q, times ? GEMP_RUN_TIMES : GEMP_RUN_REPEAT, child, place);
	if (repeat)
		repeat->times = times;
	return repeat;
}

void query_run(query *q, query_control *sequence, uint64_t limit, query_place place)
{
	if (!q->run)
		q->run = query_new_control(q, GEMP_RUN_SEQUENCE, NULL, place);
	sequence->limit = limit;
	if (q->run)
		adopt(q->run, sequence);
}
