#include "match/emit_marks.h"

#include "match/filters.h"

#include <stdio.h>

/* A search in a row costs about so many looks at marks. */
enum { LOOKS_FOR_A_SEARCH = 4 };

bool gemp_mark_certain(const gemp_plan *plan, const gemp_mark *mark)
{
	return mark->step == plan->root && mark->through < 0;
}

void gemp_emit_extreme(gemp_text *t, uint64_t vertices, bool greatest)
{
	for (uint64_t left = vertices; left; left &= left - 1) {
		int v = __builtin_ctzll(left);
		if (left & (left - 1))
			gemp_text_print(t, "%s(v_%d, ", greatest ? "max" : "min", v);
		else
			gemp_text_print(t, "v_%d", v);
	}
	for (int open = __builtin_popcountll(vertices); open > 1; open--)
		gemp_text_print(t, ")");
}

void gemp_emit_mark_variables(gemp_text *t, const gemp_plan *plan, const gemp_marks *marks, int s)
{
	for (size_t m = 0; m < marks->count; m++) {
		const gemp_mark *mark = &marks->marks[m];
		int v = plan->steps[s].vertex;
		if (mark->step != s)
			continue;
		gemp_text_print(t, "\t\tuint fill_%zu = 0;\n", m);
		if (!gemp_mark_certain(plan, mark))
			gemp_text_print(t, "\t\tulong seen_%zu = 0, cost_%zu = begin_%d[v_%d + 1] - begin_%d[v_%d];\n", m, m,
			                mark->view, v, mark->view, v);
		if (mark->through >= 0)
			gemp_text_print(t, "\t\tuint known_%zu = 0;\n", m);
	}
}

/* Opens a loop over the part of a row between bound vertices; closed by "}". */
static void emit_walk(gemp_text *t, int view, const char *of, uint64_t above, uint64_t below, const char *at,
                      const char *name)
{
	bool down = above && !below;
	if (down)
		gemp_text_print(t, "\t\tfor (OFFSET %s = begin_%d[%s + 1]; %s-- > begin_%d[%s];) {\n", at, view, of, at, view,
		                of);
	else
		gemp_text_print(t, "\t\tfor (OFFSET %s = begin_%d[%s]; %s < begin_%d[%s + 1]; %s++) {\n", at, view, of, at,
		                view, of, at);
	gemp_text_print(t, "\t\tconst uint %s = near_%d[%s];\n", name, view, at);
	if (above) {
		gemp_text_print(t, "\t\tif (%s <= ", name);
		gemp_emit_extreme(t, above, true);
		gemp_text_print(t, ") %s;\n", down ? "break" : "continue");
	}
	if (below) {
		gemp_text_print(t, "\t\tif (%s >= ", name);
		gemp_emit_extreme(t, below, false);
		gemp_text_print(t, ") break;\n");
	}
}

static const char *of_vertex(const gemp_plan *plan, int s, char name[16])
{
	snprintf(name, 16, "v_%d", plan->steps[s].vertex);
	return name;
}

/* The vertices between: in the pivot's row, and not ruled out. */
static void emit_between(gemp_text *t, const gemp_plan *plan, const gemp_mark *mark)
{
	const gemp_step *through = &plan->steps[mark->through];
	uint64_t pivot = UINT64_C(1) << plan->pivot;
	char name[16];
	emit_walk(t, mark->view, of_vertex(plan, mark->step, name), through->greater & pivot, through->less & pivot, "k",
	          "y");
	if (through->candidates) {
		gemp_text_print(t, "\t\tif (!");
		gemp_emit_candidate(t, plan, through->vertex, "y");
		gemp_text_print(t, ") continue;\n");
	}
}

static void emit_change(gemp_text *t, const gemp_plan *plan, const gemp_mark *mark, size_t m, bool set)
{
	char name[16];
	unsigned bit = 1u << m;
	if (mark->through >= 0) {
		emit_between(t, plan, mark);
		emit_walk(t, mark->far, "y", mark->above, mark->below, "l", "x");
	} else
		emit_walk(t, mark->view, of_vertex(plan, mark->step, name), mark->above, mark->below, "k", "x");
	if (set)
		gemp_text_print(t, "\t\tmark[x] |= %u; }\n", bit);
	else
		gemp_text_print(t, "\t\tmark[x] &= %u; }\n", 255 - bit);
	if (mark->through >= 0)
		gemp_text_print(t, "\t\t}\n");
}

void gemp_emit_mark_clearing(gemp_text *t, const gemp_plan *plan, const gemp_marks *marks, int s)
{
	for (size_t m = 0; m < marks->count; m++)
		if (marks->marks[m].step == s) {
			gemp_text_print(t, "\t\tif (fill_%zu) {\n", m);
			emit_change(t, plan, &marks->marks[m], m, false);
			gemp_text_print(t, "\t\t}\n");
		}
}

/* How long the rows of the vertices between are is only added up when the pivot's own row is paid for. */
static void emit_cost(gemp_text *t, const gemp_plan *plan, const gemp_mark *mark, size_t m)
{
	gemp_text_print(t, "\t\tif (seen_%zu > cost_%zu && !known_%zu) {\n\t\tcost_%zu = 0; known_%zu = 1;\n", m, m, m, m,
	                m);
	emit_between(t, plan, mark);
	gemp_text_print(t, "\t\tcost_%zu += begin_%d[y + 1] - begin_%d[y]; }\n\t\t}\n", m, mark->far, mark->far);
}

void gemp_emit_mark_setting(gemp_text *t, const gemp_plan *plan, const gemp_marks *marks, int s)
{
	unsigned there, absent;
	gemp_marks_of_step(marks, plan, s, &there, &absent);
	if (plan->two_paths && s + 2 == (int)plan->step_count)
		there |= gemp_marks_of_leaf(marks);
	for (size_t m = 0; m < marks->count && plan->steps[s].kind != GEMP_BIND_EDGE; m++) {
		const gemp_mark *mark = &marks->marks[m];
		if (!((there | absent) >> m & 1))
			continue;
		bool certain = gemp_mark_certain(plan, mark);
		if (!certain)
			gemp_text_print(t, "\t\tseen_%zu += z_%d - b_%d;\n", m, s, s);
		if (mark->first != s)
			continue;
		if (certain)
			gemp_text_print(t, "\t\tif (!fill_%zu) {\n", m);
		else
			gemp_text_print(t, "\t\tif (!fill_%zu && %d * seen_%zu > cost_%zu) {\n", m,
			                mark->through >= 0 ? 1 : LOOKS_FOR_A_SEARCH, m, m);
		if (mark->through >= 0) {
			emit_cost(t, plan, mark, m);
			gemp_text_print(t, "\t\tif (seen_%zu > cost_%zu) {\n", m, m);
		}
		gemp_text_print(t, "\t\tfill_%zu = 1;\n", m);
		emit_change(t, plan, mark, m, true);
		gemp_text_print(t, "\t\t}%s\n", mark->through >= 0 ? " }" : "");
	}
}
