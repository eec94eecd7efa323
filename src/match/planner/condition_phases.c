#include "match/planner/condition_phases.h"

#include "match/filter/computed_columns.h"
#include "partition/build/dictionary.h"
#include "pattern/plan/derive.h"

#include <stdio.h>
#include <string.h>

/* Counts the expressions of one kind in a tree. */
static uint64_t count_kind(const gemp_expr *expr, gemp_expr_kind kind)
{
	uint64_t found = expr->kind == kind;
	for (size_t i = 0; i < expr->count; i++)
		found += count_kind(expr->children[i], kind);
	return found;
}

uint64_t gemp_phases_mentions(const gemp_expr *expr)
{
	return count_kind(expr, GEMP_ATTRIBUTE) + count_kind(expr, GEMP_KEY);
}

/* True if the expression compares values of this kind that belong to two different vertices. */
static bool compares_vertices(const gemp_expr *expr, gemp_expr_kind kind)
{
	return expr->count == 2 && expr->children[0]->kind == kind && expr->children[1]->kind == kind &&
	       expr->children[0]->variable != expr->children[1]->variable && !expr->children[0]->of_edge &&
	       !expr->children[1]->of_edge;
}

/* Sets the bit of each of the two compared vertices in the mask of the other vertex, since either may be bound
 * first. */
static void note_pair(uint64_t *masks, const gemp_expr *expr)
{
	int a = expr->children[0]->variable, b = expr->children[1]->variable;
	masks[a] |= UINT64_C(1) << b;
	masks[b] |= UINT64_C(1) << a;
}

/* Conditions on labels and degrees are always tested before the search. Conditions on ids are, too, unless under
 * --attributes after, because the search then starts from few vertices. Only conditions that read attributes are open,
 * and only under --attributes auto. */
static gemp_phase_choice initial_choice(const gemp_condition *condition, gemp_condition_phase when)
{
	bool reads = gemp_phases_mentions(condition->expr) > 0, ids = reads && !count_kind(condition->expr, GEMP_ATTRIBUTE);
	const char *reason = !reads                           ? "reads no attribute"
	                     : when == GEMP_CONDITIONS_AUTO   ? "ids are what a search starts from"
	                     : when == GEMP_CONDITIONS_BEFORE ? "attributes before"
	                                                      : "attributes after";
	gemp_phase_choice choice = { .condition = condition,
		                         .before = !reads || when != GEMP_CONDITIONS_AFTER,
		                         .open = reads && !ids && when == GEMP_CONDITIONS_AUTO };
	snprintf(choice.reason, sizeof choice.reason, "%s", choice.open ? "not chosen yet" : reason);
	return choice;
}

/* In the array `before`, conditions that are not open precede the open conditions. */
static void add_before(gemp_condition_phases *out, const gemp_phase_choice *choice)
{
	size_t place = out->before_count++;
	if (!choice->open) {
		out->before[place] = out->before[out->certain];
		place = out->certain++;
	}
	out->before[place] = choice->condition;
}

/* A condition on several elements or with a sub-query is tested after the search. The exception is a <> b, which the
 * search tests when it binds the second vertex. */
static void add(gemp_condition_phases *out, const gemp_condition *condition, gemp_condition_phase when)
{
	if (condition->expr->kind == GEMP_NE && compares_vertices(condition->expr, GEMP_VERTEX)) {
		note_pair(out->unequal, condition->expr);
	} else if (__builtin_popcountll(condition->vertices) != 1 || condition->edges ||
	           count_kind(condition->expr, GEMP_EXISTS) || count_kind(condition->expr, GEMP_COUNT_OF)) {
		out->after[out->after_count++] = condition;
	} else {
		gemp_phase_choice *choice = &out->choices[out->choice_count++];
		*choice = initial_choice(condition, when);
		if (choice->before)
			add_before(out, choice);
		else
			out->after[out->after_count++] = condition;
	}
}

/* Each array has a place for every condition, since one phase may take all of them. */
gemp_code gemp_phases_new(gemp_condition_phases *out, const gemp_pattern *pattern, const gemp_match_options *options)
{
	gemp_code code = GEMP_OK;
	*out = (gemp_condition_phases){ .count_loops = gemp_degree_loops(options->semantics) };
	GEMP_TRY_DONE(GEMP_NEW(out->before, pattern->condition_count));
	GEMP_TRY_DONE(GEMP_NEW(out->after, pattern->condition_count));
	GEMP_TRY_DONE(GEMP_NEW(out->choices, pattern->condition_count));
	for (size_t i = 0; i < pattern->condition_count; i++) {
		out->mentions += gemp_phases_mentions(pattern->conditions[i].expr);
		add(out, &pattern->conditions[i], options->attributes);
	}
done:
	if (code != GEMP_OK)
		gemp_phases_free(out);
	return code;
}

/* The other conditions keep their order. */
void gemp_phases_defer(gemp_condition_phases *phases, gemp_phase_choice *choice)
{
	size_t i = 0;
	GEMP_CHECK(choice->before);
	while (phases->before[i] != choice->condition)
		i++;
	phases->certain -= i < phases->certain;
	for (phases->before_count--; i < phases->before_count; i++)
		phases->before[i] = phases->before[i + 1];
	phases->after[phases->after_count++] = choice->condition;
	choice->before = false;
}

void gemp_phases_free(gemp_condition_phases *phases)
{
	gemp_free_all(phases->before, phases->after, phases->choices);
	*phases = (gemp_condition_phases){ 0 };
}

/* Keys are unique, so two keys are equal if and only if the vertices are the same. */
static bool is_equality(const gemp_expr *expr)
{
	return (expr->kind == GEMP_EQ || expr->kind == GEMP_NE) &&
	       (compares_vertices(expr, GEMP_KEY) || compares_vertices(expr, GEMP_VERTEX));
}

/* Key ranks have the order of the keys, so the search compares numbers. */
static bool is_order(const gemp_expr *expr)
{
	bool order = expr->kind == GEMP_LT || expr->kind == GEMP_LE || expr->kind == GEMP_GT || expr->kind == GEMP_GE;
	return order && compares_vertices(expr, GEMP_KEY);
}

/* Stores a > b as b < a. */
static void add_order(gemp_vertex_tests *tests, const gemp_expr *expr)
{
	bool turned = expr->kind == GEMP_GT || expr->kind == GEMP_GE;
	bool strict = expr->kind == GEMP_LT || expr->kind == GEMP_GT;
	int less = expr->children[turned]->variable, greater = expr->children[!turned]->variable;
	uint64_t *masks = strict ? tests->key_less : tests->key_le;
	masks[less] |= UINT64_C(1) << greater;
}

/* The search tests [NOT] EXISTS of one edge between bound vertices by a lookup in a row. */
static void add_edge(gemp_pushdown *p, const gemp_pattern *pattern, const gemp_expr *expr)
{
	const gemp_expr *exists = expr->kind == GEMP_NOT ? expr->children[0] : expr;
	const gemp_pattern_edge *edge = &pattern->subs[exists->sub]->edges[0];
	p->edge_tests[p->edge_test_count++] = (gemp_edge_test){
		.from = exists->children[edge->from]->variable,
		.to = exists->children[edge->to]->variable,
		.relations = edge->relations,
		.either = edge->direction == GEMP_EITHER,
		.absent = expr->kind == GEMP_NOT,
	};
}

/* Adds the condition to the tests of the search. Returns false if the search has no such test. */
static bool push_down(gemp_pushdown *p, const gemp_pattern *pattern, const gemp_expr *expr)
{
	if (is_equality(expr))
		note_pair(expr->kind == GEMP_EQ ? p->tests.equal : p->tests.unequal, expr);
	else if (p->key_rank && is_order(expr))
		add_order(&p->tests, expr);
	else if (gemp_pattern_is_edge_test(pattern, expr))
		add_edge(p, pattern, expr);
	else
		return false;
	return true;
}

/* The remaining conditions keep the order of the query text. */
static void push_down_all(gemp_pushdown *p, const gemp_pattern *pattern, const gemp_condition **list, size_t *count)
{
	size_t kept = 0;
	for (size_t i = 0; i < *count; i++)
		if (push_down(p, pattern, list[i]->expr))
			p->conditions++;
		else
			list[kept++] = list[i];
	*count = kept;
}

/* True if key ranks have the order in which conditions compare keys. Ranks order numbers by value and strings bytewise.
 * In a graph with numbers and strings as keys the orders differ: conditions compare all keys as strings, but ranks put
 * numbers first. */
static bool ranked_as_compared(const gemp_shard *graph)
{
	int64_t integer;
	for (size_t row = 0; graph->keys.type == GEMP_STRING && row < graph->rows; row++) {
		gemp_value key = gemp_column_get(&graph->keys, row);
		if (gemp_canonical_integer(key.string.bytes, key.string.size, &integer))
			return false;
	}
	return true;
}

/* Collective. Gathers the key ranks of all vertices on every rank. They take 4 bytes a vertex, and only patterns that
 * compare keys need them. */
static gemp_code gather_ranks(gemp_pushdown *p, gemp_runtime *context, gemp_shard *graph)
{
	void *all = NULL;
	GEMP_OWNED size_t *begin = NULL;
	GEMP_TRY(gemp_shard_load_keys(graph));
	if (gemp_comm_sum1(context->comm, !ranked_as_compared(graph)))
		return GEMP_OK;
	GEMP_TRY(gemp_comm_allgather(context->comm, GEMP_OK, graph->key_ranks, graph->rows * sizeof *graph->key_ranks, &all,
	                             &begin));
	p->key_rank = all;
	return GEMP_OK;
}

/* A condition that becomes a test of the search is removed from `after`, so it is not tested again. */
gemp_code gemp_pushdown_new(gemp_pushdown *out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                            gemp_condition_phases *phases)
{
	gemp_code code = GEMP_OK;
	bool orders = false;
	*out = (gemp_pushdown){ 0 };
	memcpy(out->tests.unequal, phases->unequal, sizeof out->tests.unequal);
	for (size_t i = 0; i < phases->after_count; i++)
		orders |= is_order(phases->after[i]->expr);
	GEMP_TRY_DONE(gemp_comm_agree(context->comm, GEMP_NEW(out->edge_tests, pattern->condition_count)));
	if (orders)
		GEMP_TRY_DONE(gather_ranks(out, context, graph));
	push_down_all(out, pattern, phases->after, &phases->after_count);
done:
	if (code != GEMP_OK)
		gemp_pushdown_free(out);
	return code;
}

void gemp_pushdown_free(gemp_pushdown *p)
{
	gemp_free_all(p->edge_tests, p->key_rank);
	*p = (gemp_pushdown){ 0 };
}
