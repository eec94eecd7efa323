#include "match/phases.h"

#include "core/memory.h"
#include "match/degrees.h"

#include <stdio.h>

static uint64_t count_kind(const gemp_expr *expr, gemp_expr_kind kind)
{
	uint64_t found = expr->kind == kind;
	for (size_t i = 0; i < expr->count; i++)
		found += count_kind(expr->children[i], kind);
	return found;
}

uint64_t gemp_mentions(const gemp_expr *expr)
{
	return count_kind(expr, GEMP_ATTRIBUTE) + count_kind(expr, GEMP_KEY);
}

/* a <> b: the search itself keeps vertices apart. */
static bool keeps_apart(const gemp_expr *expr)
{
	return expr->kind == GEMP_NE && expr->count == 2 && expr->children[0]->kind == GEMP_VERTEX &&
	       expr->children[1]->kind == GEMP_VERTEX && expr->children[0]->variable != expr->children[1]->variable;
}

static void keep_apart(gemp_condition_phases *out, const gemp_expr *expr)
{
	int a = expr->children[0]->variable, b = expr->children[1]->variable;
	out->unequal[a] |= UINT64_C(1) << b;
	out->unequal[b] |= UINT64_C(1) << a;
}

static bool asks_sub_patterns(const gemp_expr *expr)
{
	return count_kind(expr, GEMP_EXISTS) || count_kind(expr, GEMP_COUNT_OF);
}

static bool on_one_vertex(const gemp_condition *condition)
{
	return __builtin_popcountll(condition->vertices) == 1 && !condition->edges &&
	       !asks_sub_patterns(condition->expr);
}

/* Ids are where a search starts from, and labels cost nothing. */
static gemp_phase_choice choose(const gemp_condition *condition, gemp_when when)
{
	bool reads = gemp_mentions(condition->expr) > 0, ids = reads && !count_kind(condition->expr, GEMP_ATTRIBUTE);
	const char *reason = !reads ? "reads no attribute" : when == GEMP_AUTO ? "ids are what a search starts from"
	                   : when == GEMP_BEFORE ? "--attributes before" : "--attributes after";
	gemp_phase_choice choice = { .condition = condition, .before = !reads || when != GEMP_AFTER,
	                             .open = reads && !ids && when == GEMP_AUTO };
	snprintf(choice.reason, sizeof choice.reason, "%s", choice.open ? "not chosen yet" : reason);
	return choice;
}

/* Certain ones first. */
static void add_before(gemp_condition_phases *out, const gemp_phase_choice *choice)
{
	size_t place = out->before_count++;
	if (!choice->open) {
		out->before[place] = out->before[out->certain];
		place = out->certain++;
	}
	out->before[place] = choice->condition;
}

static void add(gemp_condition_phases *out, const gemp_condition *condition, gemp_when when)
{
	if (keeps_apart(condition->expr)) {
		keep_apart(out, condition->expr);
	} else if (!on_one_vertex(condition)) {
		out->after[out->after_count++] = condition;
	} else {
		gemp_phase_choice *choice = &out->choices[out->choice_count++];
		*choice = choose(condition, when);
		if (choice->before)
			add_before(out, choice);
		else
			out->after[out->after_count++] = condition;
	}
}

gemp_code gemp_phases_new(gemp_condition_phases *out, const gemp_pattern *pattern, const gemp_match_options *options)
{
	gemp_code code = GEMP_OK;
	*out = (gemp_condition_phases){ .count_loops = gemp_degree_loops(options->semantics) };
	GEMP_TRY(GEMP_NEW(out->before, pattern->condition_count));
	GEMP_TRY(GEMP_NEW(out->after, pattern->condition_count));
	GEMP_TRY(GEMP_NEW(out->choices, pattern->condition_count));
	for (size_t i = 0; i < pattern->condition_count; i++) {
		out->mentions += gemp_mentions(pattern->conditions[i].expr);
		add(out, &pattern->conditions[i], options->attributes);
	}
done:
	if (code != GEMP_OK)
		gemp_phases_free(out);
	return code;
}

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

gemp_phase_choice *gemp_phases_choice(gemp_condition_phases *phases, const gemp_condition *condition)
{
	size_t i = 0;
	while (phases->choices[i].condition != condition)
		i++;
	return &phases->choices[i];
}

void gemp_phases_free(gemp_condition_phases *phases)
{
	gemp_free(phases->before);
	gemp_free(phases->after);
	gemp_free(phases->choices);
	*phases = (gemp_condition_phases){ 0 };
}
