#include "match/codegen/emit_tests.h"
#include "match/codegen/kernel_text.h"

#include <stdio.h>

/* One line for each bound vertex of the set. */
static void put(gemp_text *t, const gemp_plan *plan, uint64_t with, const char *guard, const char *format,
                const char *self, const char *reject)
{
	for (int v = 0; v < plan->vertex_count; v++)
		if (with >> v & 1) {
			gemp_text_print(t, "\t\t\t\tif (%s", guard);
			gemp_text_print(t, format, self, v);
			gemp_text_print(t, ") %s\n", reject);
		}
}

/* Text that is true for slots `self` which the bitmap of a pattern vertex has, or, of plan->ranges, its range. */
static void gemp_emit_candidate(gemp_text *t, const gemp_plan *plan, int vertex, const char *self)
{
	gemp_text_print(t, plan->ranges >> vertex & 1 ? "within(%d, %s)" : "candidate(%d, %s)", vertex, self);
}

void gemp_emit_ranges(gemp_text *t, const gemp_plan *plan)
{
	for (int v = 0; v < plan->vertex_count; v++)
		if (plan->ranges >> v & 1)
			gemp_kernel_print(
				t, v,
				"\tconst uint low_$ = candidates[$ * candidate_words], wide_$ = candidates[$ * candidate_words + 1];\n");
}

/* Comparisons of registers come first; key ranks and bitmaps cost a load and are guarded. */
void gemp_emit_vertex_filters(gemp_text *t, const gemp_plan *plan, const gemp_step *step, const char *self,
                              const gemp_rejection *r)
{
	put(t, plan, step->differ, "", "%s == v_%d", self, r->reject);
	put(t, plan, step->same, "", "%s != v_%d", self, r->reject);
	put(t, plan, step->key_less, r->guard, "key_rank[%s] >= key_rank[v_%d]", self, r->reject);
	put(t, plan, step->key_le, r->guard, "key_rank[%s] > key_rank[v_%d]", self, r->reject);
	put(t, plan, step->key_greater, r->guard, "key_rank[%s] <= key_rank[v_%d]", self, r->reject);
	put(t, plan, step->key_ge, r->guard, "key_rank[%s] < key_rank[v_%d]", self, r->reject);
	if (step->candidates && (step->kind != GEMP_SCAN || plan->pivot_off)) {
		gemp_text_print(t, "\t\t\t\tif (%s!", r->guard);
		gemp_emit_candidate(t, plan, step->vertex, self);
		gemp_text_print(t, ") %s\n", r->reject);
	}
}

void gemp_emit_edge_filters(gemp_text *t, const gemp_plan *plan, const gemp_step *step, const char *edge,
                            const gemp_rejection *r)
{
	for (int f = 0; plan->live_edges && f < plan->edge_count; f++) {
		if (step->edges_differ >> f & 1)
			gemp_text_print(t, "\t\t\t\tif (%s == e_%d) %s\n", edge, f, r->reject);
		if (step->edge_less >> f & 1)
			gemp_text_print(t, "\t\t\t\tif (%s >= e_%d) %s\n", edge, f, r->reject);
	}
}

/* A search in a row costs about so many looks at marks. */
enum { LOOKS_FOR_A_SEARCH = 4 };

/* A row of the pivot is marked at the first look; other marks are set only once they pay. */
bool gemp_mark_certain(const gemp_plan *plan, const gemp_adjacency_mark *mark)
{
	return mark->step == plan->root && mark->via_step < 0;
}

/* Variables of marks live in the body of the step whose vertex they belong to. */
void gemp_emit_mark_variables(gemp_text *t, const gemp_plan *plan, const gemp_adjacency_marks *marks, int s)
{
	for (size_t m = 0; m < marks->count; m++) {
		const gemp_adjacency_mark *mark = &marks->marks[m];
		int v = plan->steps[s].vertex;
		if (mark->step != s)
			continue;
		gemp_text_print(t, "\t\tuint fill_%zu = 0;\n", m);
		if (!gemp_mark_certain(plan, mark))
			gemp_kernel_print(t, (int)m, "\t\tulong seen_$ = 0, cost_$ = begin_%d[v_%d + 1] - begin_%d[v_%d];\n",
			                  mark->view, v, mark->view, v);
		if (mark->via_step >= 0)
			gemp_text_print(t, "\t\tuint known_%zu = 0;\n", m);
	}
}

/* Opens a loop over the part of a row that lies between bound vertices. A row that is bounded below only is walked
 * from its end, so that the loop can stop at the bound. */
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
		gemp_kernel_extreme(t, above, true);
		gemp_text_print(t, ") %s;\n", down ? "break" : "continue");
	}
	if (below) {
		gemp_text_print(t, "\t\tif (%s >= ", name);
		gemp_kernel_extreme(t, below, false);
		gemp_text_print(t, ") break;\n");
	}
}

/* Walks the vertices between: neighbours of the pivot that may be images of the vertex in question. */
static void emit_between(gemp_text *t, const gemp_plan *plan, const gemp_adjacency_mark *mark)
{
	const gemp_step *through = &plan->steps[mark->via_step];
	uint64_t pivot = UINT64_C(1) << plan->pivot;
	emit_walk(t, mark->view, gemp_variable_of('v', plan->steps[mark->step].vertex).text, through->greater & pivot,
	          through->less & pivot, "k", "y");
	if (through->candidates) {
		gemp_text_print(t, "\t\tif (!");
		gemp_emit_candidate(t, plan, through->vertex, "y");
		gemp_text_print(t, ") continue;\n");
	}
}

/* Sets or clears the bits of mark m; clearing walks the same entries again, so that nothing else need be remembered. */
static void emit_change(gemp_text *t, const gemp_plan *plan, const gemp_adjacency_mark *mark, size_t m, bool set)
{
	unsigned bit = 1u << m;
	if (mark->via_step >= 0) {
		emit_between(t, plan, mark);
		emit_walk(t, mark->via_view, "y", mark->above, mark->below, "l", "x");
	} else
		emit_walk(t, mark->view, gemp_variable_of('v', plan->steps[mark->step].vertex).text, mark->above, mark->below,
		          "k", "x");
	if (set)
		gemp_text_print(t, "\t\tmark[x] |= %u; }\n", bit);
	else
		gemp_text_print(t, "\t\tmark[x] &= %u; }\n", 255 - bit);
	if (mark->via_step >= 0)
		gemp_text_print(t, "\t\t}\n");
}

void gemp_emit_mark_clearing(gemp_text *t, const gemp_plan *plan, const gemp_adjacency_marks *marks, int s)
{
	for (size_t m = 0; m < marks->count; m++)
		if (marks->marks[m].step == s) {
			gemp_text_print(t, "\t\tif (fill_%zu) {\n", m);
			emit_change(t, plan, &marks->marks[m], m, false);
			gemp_text_print(t, "\t\t}\n");
		}
}

/* Setting a mark by way of other rows costs the sum of their lengths, which is added up only when the pivot's own row
 * has been paid for. */
static void emit_cost(gemp_text *t, const gemp_plan *plan, const gemp_adjacency_mark *mark, size_t m)
{
	gemp_kernel_print(t, (int)m, "\t\tif (seen_$ > cost_$ && !known_$) {\n\t\tcost_$ = 0; known_$ = 1;\n");
	emit_between(t, plan, mark);
	gemp_text_print(t, "\t\tcost_%zu += begin_%d[y + 1] - begin_%d[y]; }\n\t\t}\n", m, mark->via_view, mark->via_view);
}

/* The cost rule of ski rental: a mark is set when the work done without it has reached the price of setting it, so that the choice never costs much more than twice the better one. */
void gemp_emit_mark_setting(gemp_text *t, const gemp_plan *plan, const gemp_adjacency_marks *marks, int s)
{
	unsigned there, absent;
	gemp_adjacency_marks_of_step(marks, plan, s, &there, &absent);
	if (plan->two_paths && s + 2 == (int)plan->step_count)
		there |= gemp_adjacency_marks_of_leaf(marks);
	for (size_t m = 0; m < marks->count && plan->steps[s].kind != GEMP_BIND_EDGE; m++) {
		const gemp_adjacency_mark *mark = &marks->marks[m];
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
			gemp_kernel_print(t, (int)m, "\t\tif (!fill_$ && %d * seen_$ > cost_$) {\n",
			                  mark->via_step >= 0 ? 1 : LOOKS_FOR_A_SEARCH);
		if (mark->via_step >= 0) {
			emit_cost(t, plan, mark, m);
			gemp_kernel_print(t, (int)m, "\t\tif (seen_$ > cost_$) {\n");
		}
		gemp_text_print(t, "\t\tfill_%zu = 1;\n", m);
		emit_change(t, plan, mark, m, true);
		gemp_text_print(t, "\t\t}%s\n", mark->via_step >= 0 ? " }" : "");
	}
}

static const gemp_step *leaf_of(const gemp_plan *plan)
{
	return &plan->steps[plan->step_count - 1];
}

/* An expression: can x be the last vertex, as far as its bitmap and the pivot tell? */
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

/* Filling and clearing walk the same two-paths; clearing costs as much as filling and, but for hubs, less than zeroing a table of all vertices. */
void gemp_emit_table(gemp_text *t, const gemp_plan *plan, bool fill)
{
	int near = leaf_of(plan)->checks[0].view, far = leaf_of(plan)->checks[1].view;
	if (!fill)
		gemp_text_print(t, "\t\tif (filled)\n");
	gemp_text_print(t,
	                "\t\tfor (OFFSET i = begin_%d[v_%d]; i < begin_%d[v_%d + 1]; i++) {\n"
	                "\t\t\tuint x = near_%d[i];\n\t\t\tif (",
	                near, plan->pivot, near, plan->pivot, near);
	put_filter(t, plan, "x");
	/* A loop would make the pivot, or the other end itself, the last vertex. */
	if (leaf_of(plan)->differ)
		gemp_text_print(t, " && x != v_%d", plan->pivot);
	gemp_text_print(t, ")\n\t\t\t\tfor (OFFSET j = begin_%d[x]; j < begin_%d[x + 1]; j++)\n", far, far);
	if (leaf_of(plan)->differ)
		gemp_text_print(t, "\t\t\t\t\tif (near_%d[j] != x)\n", far);
	gemp_text_print(t, "\t\t\t\t\ttable[near_%d[j]]%s;\n\t\t}\n\t\tfilled = %d;\n", far, fill ? "++" : " = 0", fill);
}

/* Appends `&& the row of a holds b`, looked up by a mark if there is one. */
static void put_look(gemp_text *t, int mark, bool certain, const char *looked, int view, const char *a, const char *b)
{
	if (mark < 0)
		gemp_text_print(t, " && has(%d, %s, %s)", view, a, b);
	else if (certain)
		gemp_text_print(t, " && mark[%s] >> %d & 1", looked, mark);
	else
		gemp_text_print(t, " && (fill_%d ? mark[%s] >> %d & 1 : has(%d, %s, %s))", mark, looked, mark, view, a, b);
}

/* The table counts bound vertices as last vertices as well, where they are adjacent to both ends; these are
 * subtracted. */
void gemp_emit_leaf(gemp_text *t, const gemp_plan *plan, const gemp_adjacency_marks *marks, const char *latest)
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
