#include "match/emit_leaf.h"

#include "match/filters.h"

#include <stdio.h>

static const gemp_step *leaf_of(const gemp_plan *plan)
{
	return &plan->steps[plan->step_count - 1];
}

/* Can x be the last vertex, as far as its bitmap and the pivot tell? */
static void put_filter(gemp_text *t, const gemp_plan *plan, const char *x)
{
	const gemp_step *leaf = leaf_of(plan);
	gemp_text_print(t, "1");
	if (leaf->candidates) {
		gemp_text_print(t, " && ");
		gemp_emit_candidate(t, plan, leaf->vertex, x);
	}
	if (leaf->greater >> plan->pivot & 1)
		gemp_text_print(t, " && %s > v_%d", x, plan->pivot);
	if (leaf->less >> plan->pivot & 1)
		gemp_text_print(t, " && %s < v_%d", x, plan->pivot);
}

void gemp_emit_table(gemp_text *t, const gemp_plan *plan, bool fill)
{
	int near = leaf_of(plan)->checks[0].view, far = leaf_of(plan)->checks[1].view;
	if (!fill)
		gemp_text_print(t, "\t\tif (filled)\n");
	gemp_text_print(t, "\t\tfor (OFFSET i = begin_%d[v_%d]; i < begin_%d[v_%d + 1]; i++) {\n"
	                "\t\t\tuint x = near_%d[i];\n\t\t\tif (", near, plan->pivot, near, plan->pivot, near);
	put_filter(t, plan, "x");
	/* A loop would make the pivot, or the other end itself, the last vertex. */
	if (leaf_of(plan)->differ)
		gemp_text_print(t, " && x != v_%d", plan->pivot);
	gemp_text_print(t, ")\n\t\t\t\tfor (OFFSET j = begin_%d[x]; j < begin_%d[x + 1]; j++)\n", far, far);
	if (leaf_of(plan)->differ)
		gemp_text_print(t, "\t\t\t\t\tif (near_%d[j] != x)\n", far);
	gemp_text_print(t, "\t\t\t\t\ttable[near_%d[j]]%s;\n\t\t}\n\t\tfilled = %d;\n", far, fill ? "++" : " = 0", fill);
}

/* && does the row of a hold b, by a mark if there is one? */
static void put_look(gemp_text *t, int mark, bool certain, const char *looked, int view, const char *a, const char *b)
{
	if (mark < 0)
		gemp_text_print(t, " && has(%d, %s, %s)", view, a, b);
	else if (certain)
		gemp_text_print(t, " && mark[%s] >> %d & 1", looked, mark);
	else
		gemp_text_print(t, " && (fill_%d ? mark[%s] >> %d & 1 : has(%d, %s, %s))", mark, looked, mark, view, a, b);
}

void gemp_emit_leaf(gemp_text *t, const gemp_plan *plan, const gemp_marks *marks, const char *latest)
{
	const gemp_step *leaf = leaf_of(plan);
	const gemp_check *near = &leaf->checks[0], *far = &leaf->checks[1];
	int last = plan->steps[plan->step_count - 2].vertex, root = plan->pivot, other = leaf->checks[1].from;
	char names[GEMP_MAX_PATTERN_VERTICES][16];
	for (int v = 0; v < plan->vertex_count; v++)
		if (v == last)
			snprintf(names[v], sizeof names[v], "%s", latest);
		else
			snprintf(names[v], sizeof names[v], "v_%d", v);
	gemp_text_print(t, "\t\t\t\tuint w = table[%s];\n", names[other]);
	for (int v = 0; v < plan->vertex_count; v++) {
		if (v == root || v == other || !(leaf->differ >> v & 1))
			continue;
		gemp_text_print(t, "\t\t\t\tif (w");
		gemp_text_print(t, " && ");
		put_filter(t, plan, names[v]);
		bool later = gemp_binding_step(plan, v) > gemp_binding_step(plan, other);
		if (!gemp_leaf_joined(plan, v, root, near->view))
			put_look(t, marks ? marks->leaf_pivot : -1, true, names[v], near->view, names[root], names[v]);
		if (!gemp_leaf_joined(plan, v, other, far->view))
			put_look(t, marks ? marks->leaf[v] : -1, false, names[later ? v : other], far->view, names[other],
			         names[v]);
		gemp_text_print(t, ") w--;\n");
	}
}
