#include "count/plan.h"

#include "core/memory.h"
#include "core/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gemp_count_plan_free(gemp_count_plan *plan)
{
	if (!plan)
		return;
	for (size_t i = 0; i < GEMP_MAX_SUMS; i++) {
		gemp_free_all(plan->sums[i].expression, plan->sums[i].polynomial);
	}
	for (size_t k = 0; k < GEMP_MAX_VERTEX_TABLES; k++)
		gemp_free(plan->tables[k].expression);
	gemp_free(plan);
}

bool gemp_count_plan_is_valid(const gemp_count_plan *plan)
{
	bool valid = plan->sum_count <= GEMP_MAX_SUMS && plan->table_count >= 1 &&
	             plan->table_count <= GEMP_MAX_VERTEX_TABLES && plan->divisor > 0;
	for (size_t k = 1; k < plan->table_count && valid; k++)
		valid = plan->tables[k].expression != NULL;
	return valid && (plan->support || !plan->ordered_support);
}

/* FOR PEOPLE */
/* Names as --explain prints them. */
static const char *gemp_sum_name(gemp_sum_kind kind)
{
	static const char *const names[] = {
		[GEMP_SUM_VERTICES] = "Vertices",   [GEMP_SUM_EDGES] = "Edges",          [GEMP_SUM_TRIANGLES] = "Triangles",
		[GEMP_SUM_WEDGES] = "Wedges",       [GEMP_SUM_PAIRS] = "Pairs",          [GEMP_SUM_NEIGHBOURS] = "Neighbours",
		[GEMP_SUM_JOINED] = "JoinedWedges", [GEMP_SUM_PATH_PAIRS] = "PathPairs", [GEMP_SUM_CLIQUES] = "Cliques",
	};
	return names[kind];
}

/* The first line is the formula, then follow the expression of each sum and the inputs that the expressions
 * mention. */
void gemp_count_plan_print(const gemp_count_plan *plan, gemp_text *out)
{
	gemp_text_print(out, "counted without enumerating: (");
	for (size_t i = 0; i < plan->sum_count; i++) {
		const gemp_sum *sum = &plan->sums[i];
		long long factor = (long long)sum->factor;
		gemp_text_print(out, "%s", factor < 0 ? (i ? " - " : "-") : i ? " + " : "");
		if (factor != 1 && factor != -1)
			gemp_text_print(out, "%lld ", factor < 0 ? -factor : factor);
		gemp_text_print(out, "%s%.0d", gemp_sum_name(sum->kind), sum->clique);
	}
	gemp_text_print(out, ") / %llu\n", (unsigned long long)plan->divisor);
	for (size_t i = 0; i < plan->sum_count; i++) {
		const gemp_sum *sum = &plan->sums[i];
		gemp_text_print(out, "  %-20s ", gemp_sum_name(sum->kind));
		if (sum->leaves)
			gemp_text_print(out, "V0_0 choose %d\n", sum->leaves);
		else
			gemp_text_print(out, "%s\n", sum->expression ? sum->expression : "1");
	}
	for (size_t k = 1; k < plan->table_count; k++)
		gemp_text_print(out, "  V%zu_0                 sum over neighbours: %s\n", k, plan->tables[k].expression);
	if (plan->support)
		gemp_text_print(out, "  t                    triangles on each edge\n");
	if (plan->ordered_support)
		gemp_text_print(out, "  u                    triangles on each edge whose third vertex comes after vertex 0\n");
}

/* Wedges and neighbourhoods have programs of their own. */
bool gemp_sum_is_direct(const gemp_sum *sum)
{
	return sum->kind <= GEMP_SUM_TRIANGLES || sum->kind == GEMP_SUM_CLIQUES;
}

/* A sum that counts vertices or edges one by one is a number that the graph knows. */
bool gemp_sum_has_kernel(const gemp_sum *sum)
{
	bool ones = !sum->expression && (sum->kind == GEMP_SUM_VERTICES || sum->kind == GEMP_SUM_EDGES);
	return gemp_sum_is_direct(sum) && !ones && !sum->leaves;
}
