#include "match/phases.h"

#include "core/memory.h"

static uint64_t mentions(const gemp_expr *expr)
{
	uint64_t found = expr->kind == GEMP_ATTRIBUTE || expr->kind == GEMP_KEY;
	for (size_t i = 0; i < expr->count; i++)
		found += mentions(expr->children[i]);
	return found;
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

gemp_code gemp_phases_new(gemp_condition_phases *out, const gemp_pattern *pattern, const gemp_match_options *options)
{
	gemp_code code = GEMP_OK;
	*out = (gemp_condition_phases){ 0 };
	GEMP_TRY(GEMP_NEW(out->before, pattern->condition_count));
	GEMP_TRY(GEMP_NEW(out->after, pattern->condition_count));
	for (size_t i = 0; i < pattern->condition_count; i++) {
		const gemp_condition *condition = &pattern->conditions[i];
		uint64_t values = mentions(condition->expr);
		bool one_vertex = __builtin_popcountll(condition->vertices) == 1 && !condition->edges;
		out->mentions += values;
		if (keeps_apart(condition->expr))
			keep_apart(out, condition->expr);
		else if (one_vertex && (!values || options->attributes != GEMP_AFTER))
			out->before[out->before_count++] = condition;
		else
			out->after[out->after_count++] = condition;
	}
done:
	if (code != GEMP_OK)
		gemp_phases_free(out);
	return code;
}

void gemp_phases_free(gemp_condition_phases *phases)
{
	gemp_free(phases->before);
	gemp_free(phases->after);
	*phases = (gemp_condition_phases){ 0 };
}
