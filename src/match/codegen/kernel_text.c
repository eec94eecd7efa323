#include "match/codegen/kernel_text.h"

#include "core/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_STATEMENT = 2048 }; /* the capacity in bytes of one gemp_put; the longest text has about 900 */

/* Appends lines, each indented by the number of open braces. A line that begins with a closing brace is indented one
 * level less. */
static void add_lines(gemp_kernel_writer *w, const char *lines)
{
	static const char tabs[] = "\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t";
	for (size_t size; *lines; lines += size) {
		bool begins = !w->text->size || w->text->data[w->text->size - 1] == '\n';
		size = strcspn(lines, "\n");
		if (begins && size)
			gemp_text_print(w->text, "%.*s", w->depth - (*lines == '}'), tabs);
		for (size_t i = 0; i < size; i++)
			w->depth += (lines[i] == '{') - (lines[i] == '}');
		size += lines[size] == '\n';
		gemp_text_add(w->text, lines, size);
	}
}

/* The number replaces `$` in the format, not in the formatted text, because an argument may contain a `$`. */
void gemp_put(gemp_kernel_writer *w, int number, const char *format, ...)
{
	gemp_text numbered = { 0 };
	char lines[MAX_STATEMENT];
	va_list arguments;
	for (const char *at = format, *next; *at; at = next) {
		size_t plain = strcspn(at, "$");
		next = at + plain + (at[plain] == '$');
		gemp_text_add(&numbered, at, plain);
		if (at[plain] == '$')
			gemp_text_print(&numbered, "%d", number);
	}
	va_start(arguments, format);
	int size = numbered.failed ? -1 : vsnprintf(lines, sizeof lines, numbered.size ? numbered.data : "", arguments);
	va_end(arguments);
	GEMP_CHECK(size < MAX_STATEMENT);
	if (size >= 0)
		add_lines(w, lines);
	w->text->failed |= size < 0;
	gemp_text_free(&numbered);
}

/* Generators make each name where they use it, since a statement needs few names. */
gemp_expression gemp_variable(const char *kind, int number)
{
	gemp_expression name;
	snprintf(name.text, sizeof name.text, "%s_%d", kind, number);
	return name;
}

/* OpenCL's max takes two values, so calls are nested: max(v_1, max(v_2, v_5)). */
gemp_expression gemp_extreme(uint64_t vertices, bool greatest)
{
	gemp_expression out = { "" };
	size_t size = 0;
	for (uint64_t left = vertices; left; left &= left - 1)
		size += (size_t)snprintf(out.text + size, sizeof out.text - size, left & (left - 1) ? "%s(v_%d, " : "%.0sv_%d",
		                         greatest ? "max" : "min", __builtin_ctzll(left));
	for (int open = __builtin_popcountll(vertices); open > 1; open--)
		out.text[size++] = ')';
	GEMP_CHECK(size < sizeof out.text);
	return out;
}

/* A pattern vertex of plan->ranges has a range of slots in place of a bitmap. The first two words of the space for a
 * bitmap then hold the first slot and the length of the range. */
void gemp_put_worker(const gemp_match_emitter *m)
{
	size_t counters = gemp_profile_counters(m->plan);
	for (uint64_t left = m->plan->ranges; left; left &= left - 1)
		gemp_put(m->w, __builtin_ctzll(left),
		         "const uint low_$ = candidates[$ * candidate_words], wide_$ = candidates[$ * candidate_words + 1];\n");
	gemp_put(m->w, 0, "__global uint *s = state + (ulong)gemp_worker() * %u;\n(void)s;\n", m->layout->state_words);
	if (m->options->profile)
		gemp_put(m->w, 0, "ulong mine[%zu];\nfor (uint i = 0; i < %zu; i++) mine[i] = 0;\n", counters, counters);
	if (m->plan->two_paths)
		gemp_put(m->w, 0, "__global uint *table = tables + (ulong)gemp_worker() * p.vertices;\nint filled = 0;\n");
}

/* Workers count in private memory and add each count to the counter in global memory once. */
void gemp_put_profile_sum(const gemp_match_emitter *m)
{
	if (m->options->profile)
		gemp_put(m->w, 0, "for (uint i = 0; i < %zu; i++)\n\tif (mine[i])\n\t\tatom_add(&passed[i], mine[i]);\n",
		         gemp_profile_counters(m->plan));
}

/* TESTS */

/* The test that a slot is in the bitmap of a pattern vertex or, for a vertex of plan->ranges, in its range. */
static gemp_expression candidate(const gemp_plan *plan, int vertex, const char *self)
{
	gemp_expression out;
	snprintf(out.text, sizeof out.text, plan->ranges >> vertex & 1 ? "within(%d, %s)" : "candidate(%d, %s)", vertex,
	         self);
	return out;
}

/* Writes one test for each vertex of the set `with`, whose vertices are bound. The format takes the tested vertex and
 * the number of the bound vertex. */
static void put_comparisons(gemp_kernel_writer *w, uint64_t with, const char *guard, const char *format,
                            const char *self, const char *reject)
{
	for (; with; with &= with - 1) {
		gemp_put(w, 0, "if (%s", guard);
		gemp_put(w, 0, format, self, __builtin_ctzll(with));
		gemp_put(w, 0, ") %s\n", reject);
	}
}

/* Comparisons of registers come first. Tests of key ranks and bitmaps load from memory, so they are guarded. */
void gemp_put_vertex_filters(const gemp_match_emitter *m, const gemp_step *step, const char *self,
                             const gemp_rejection *r)
{
	put_comparisons(m->w, step->differ, "", "%s == v_%d", self, r->reject);
	put_comparisons(m->w, step->same, "", "%s != v_%d", self, r->reject);
	put_comparisons(m->w, step->key_less, r->guard, "key_rank[%s] >= key_rank[v_%d]", self, r->reject);
	put_comparisons(m->w, step->key_le, r->guard, "key_rank[%s] > key_rank[v_%d]", self, r->reject);
	put_comparisons(m->w, step->key_greater, r->guard, "key_rank[%s] <= key_rank[v_%d]", self, r->reject);
	put_comparisons(m->w, step->key_ge, r->guard, "key_rank[%s] < key_rank[v_%d]", self, r->reject);
	if (step->candidates && (step->kind != GEMP_SCAN || m->plan->pivot_off))
		gemp_put(m->w, 0, "if (%s!%s) %s\n", r->guard, candidate(m->plan, step->vertex, self).text, r->reject);
}

/* Parallel edges of one relation differ only in their numbers. */
void gemp_put_edge_filters(const gemp_match_emitter *m, const gemp_step *step, const char *edge,
                           const gemp_rejection *r)
{
	for (int f = 0; m->plan->live_edges && f < m->plan->edge_count; f++) {
		if (step->edges_differ >> f & 1)
			gemp_put(m->w, f, "if (%s == e_$) %s\n", edge, r->reject);
		if (step->edge_less >> f & 1)
			gemp_put(m->w, f, "if (%s >= e_$) %s\n", edge, r->reject);
	}
}

/* MARKS */

/* A search in a row costs about as much as this number of lookups in marks. */
enum { LOOKS_FOR_A_SEARCH = 4 };

/* The pivot's row is marked before its first lookup without comparing costs. Marking walks the row once for each pivot,
 * and all candidates below the pivot look the marks up. */
bool gemp_mark_certain(const gemp_plan *plan, const gemp_adjacency_mark *mark)
{
	return mark->step == plan->root && mark->via_step < 0;
}

/* Declares the variables of a mark in the body of the step that binds the mark's vertex. */
void gemp_put_mark_variables(const gemp_match_emitter *m, int s)
{
	int v = m->plan->steps[s].vertex;
	for (int k = 0; k < (int)m->marks.count; k++) {
		const gemp_adjacency_mark *mark = &m->marks.marks[k];
		if (mark->step != s)
			continue;
		gemp_put(m->w, k, "uint fill_$ = 0;\n");
		if (!gemp_mark_certain(m->plan, mark))
			gemp_put(m->w, k, "ulong seen_$ = 0, cost_$ = begin_%d[v_%d + 1] - begin_%d[v_%d];\n", mark->view, v,
			         mark->view, v);
		if (mark->via_step >= 0)
			gemp_put(m->w, k, "uint known_$ = 0;\n");
	}
}

/* Opens a loop over the entries of a row that lie between the slots of bound vertices. If only a lower bound exists,
 * the row is walked from its end, so the loop can stop at the bound. */
static void put_walk(gemp_kernel_writer *w, int view, const char *of, uint64_t above, uint64_t below, const char *at,
                     const char *name)
{
	bool down = above && !below;
	if (down)
		gemp_put(w, view, "for (OFFSET %s = begin_$[%s + 1]; %s-- > begin_$[%s];) {\n", at, of, at, of);
	else
		gemp_put(w, view, "for (OFFSET %s = begin_$[%s]; %s < begin_$[%s + 1]; %s++) {\n", at, of, at, of, at);
	gemp_put(w, view, "const uint %s = near_$[%s];\n", name, at);
	if (above)
		gemp_put(w, 0, "if (%s <= %s) %s;\n", name, gemp_extreme(above, true).text, down ? "break" : "continue");
	if (below)
		gemp_put(w, 0, "if (%s >= %s) break;\n", name, gemp_extreme(below, false).text);
}

/* Opens a loop over the candidates of the vertex between (adjacency_marks.h): the neighbours of the pivot that pass the
 * bounds and the bitmap of that vertex. */
static void put_walk_between(const gemp_match_emitter *m, const gemp_adjacency_mark *mark)
{
	const gemp_step *through = &m->plan->steps[mark->via_step];
	uint64_t pivot = UINT64_C(1) << m->plan->pivot;
	put_walk(m->w, mark->view, gemp_variable("v", m->plan->steps[mark->step].vertex).text, through->greater & pivot,
	         through->less & pivot, "k", "y");
	if (through->candidates)
		gemp_put(m->w, 0, "if (!%s) continue;\n", candidate(m->plan, through->vertex, "y").text);
}

/* Sets or clears bit k of the marks. Clearing walks the same entries as setting, so the kernel need not store which
 * bytes it changed. */
static void put_change(const gemp_match_emitter *m, const gemp_adjacency_mark *mark, int k, bool set)
{
	bool reach = mark->via_step >= 0;
	if (reach)
		put_walk_between(m, mark);
	put_walk(m->w, reach ? mark->via_view : mark->view,
	         reach ? "y" : gemp_variable("v", m->plan->steps[mark->step].vertex).text, mark->above, mark->below,
	         reach ? "l" : "k", "x");
	gemp_put(m->w, 0, "mark[x] %s= %u; }\n", set ? "|" : "&", set ? 1u << k : 255 - (1u << k));
	if (reach)
		gemp_put(m->w, 0, "}\n");
}

/* Clears only marks that were set. When a worker ends, all its bytes are zero, as at its start. */
void gemp_put_mark_clearing(const gemp_match_emitter *m, int s)
{
	for (int k = 0; k < (int)m->marks.count; k++)
		if (m->marks.marks[k].step == s) {
			gemp_put(m->w, k, "if (fill_$) {\n");
			put_change(m, &m->marks.marks[k], k, false);
			gemp_put(m->w, k, "}\n");
		}
}

/* The cost of a reach mark is the sum of the lengths of the rows that setting it walks. Adding up this sum walks the
 * pivot's row, so the sum is computed only after as much work was done without the mark as the pivot's row is long. */
static void put_cost(const gemp_match_emitter *m, const gemp_adjacency_mark *mark, int k)
{
	gemp_put(m->w, k, "if (seen_$ > cost_$ && !known_$) {\ncost_$ = 0; known_$ = 1;\n");
	put_walk_between(m, mark);
	gemp_put(m->w, k, "cost_$ += begin_%d[y + 1] - begin_%d[y]; }\n}\nif (seen_$ > cost_$) {\n", mark->via_view,
	         mark->via_view);
}

/* The rule of ski rental: a mark is set when the work done without it reaches the cost of setting it. The total cost is
 * then at most about twice the cost of the better choice. */
void gemp_put_mark_setting(const gemp_match_emitter *m, int s)
{
	unsigned there, absent;
	gemp_adjacency_marks_of_step(&m->marks, m->plan, s, &there, &absent);
	if (m->plan->two_paths && s + 2 == (int)m->plan->step_count)
		there |= gemp_adjacency_marks_of_leaf(&m->marks);
	for (int k = 0; k < (int)m->marks.count && m->plan->steps[s].kind != GEMP_BIND_EDGE; k++) {
		const gemp_adjacency_mark *mark = &m->marks.marks[k];
		bool certain = gemp_mark_certain(m->plan, mark), reach = mark->via_step >= 0;
		if (!((there | absent) >> k & 1))
			continue;
		if (!certain)
			gemp_put(m->w, k, "seen_$ += z_%d - b_%d;\n", s, s);
		if (mark->first != s)
			continue;
		if (certain)
			gemp_put(m->w, k, "if (!fill_$) {\n");
		else
			gemp_put(m->w, k, "if (!fill_$ && %d * seen_$ > cost_$) {\n", reach ? 1 : LOOKS_FOR_A_SEARCH);
		if (reach)
			put_cost(m, mark, k);
		gemp_put(m->w, k, "fill_$ = 1;\n");
		put_change(m, mark, k, true);
		gemp_put(m->w, k, reach ? "}\n}\n" : "}\n");
	}
}

/* TABLES */

gemp_expression gemp_leaf_fits(const gemp_plan *plan, const char *x)
{
	const gemp_step *leaf = &plan->steps[plan->step_count - 1];
	gemp_expression out;
	snprintf(out.text, sizeof out.text, "1%s%.64s", leaf->candidates ? " && " : "",
	         leaf->candidates ? candidate(plan, leaf->vertex, x).text : "");
	for (int side = 0; side < 2; side++)
		if ((side ? leaf->less : leaf->greater) >> plan->pivot & 1) {
			size_t size = strlen(out.text);
			snprintf(out.text + size, sizeof out.text - size, " && %.64s %c v_%d", x, side ? '<' : '>', plan->pivot);
		}
	return out;
}

/* Fills or clears the table. Both walk the same two-paths. Except at hubs, clearing this way costs less than zeroing a
 * table of all vertices. Loops of the graph are skipped, since they would make the pivot or the other end itself the
 * last vertex. */
void gemp_put_table(const gemp_match_emitter *m, bool fill)
{
	const gemp_step *leaf = &m->plan->steps[m->plan->step_count - 1];
	int near = leaf->checks[0].view, far = leaf->checks[1].view, pivot = m->plan->pivot;
	if (!fill)
		gemp_put(m->w, 0, "if (filled)\n");
	gemp_put(m->w, near, "for (OFFSET i = begin_$[v_%d]; i < begin_$[v_%d + 1]; i++) {\nuint x = near_$[i];\n", pivot,
	         pivot);
	gemp_put(m->w, pivot, leaf->differ ? "if (%s && x != v_$)\n" : "if (%s)\n", gemp_leaf_fits(m->plan, "x").text);
	gemp_put(m->w, far, "for (OFFSET j = begin_$[x]; j < begin_$[x + 1]; j++)\n");
	if (leaf->differ)
		gemp_put(m->w, far, "if (near_$[j] != x)\n");
	gemp_put(m->w, far, "table[near_$[j]]%s;\n}\nfilled = %d;\n", fill ? "++" : " = 0", fill);
}

/* Appends the condition that the row of a contains b. The text looks up a mark if the check has one, and otherwise
 * searches the row. */
static void put_look(gemp_kernel_writer *w, int mark, bool certain, const char *looked, int view, const char *a,
                     const char *b)
{
	if (mark < 0)
		gemp_put(w, 0, " && has(%d, %s, %s)", view, a, b);
	else if (certain)
		gemp_put(w, mark, " && mark[%s] >> $ & 1", looked);
	else
		gemp_put(w, mark, " && (fill_$ ? mark[%s] >> $ & 1 : has(%d, %s, %s))", looked, view, a, b);
}

/* The table also counts a bound vertex as the last vertex if it is adjacent to both ends. This text subtracts such
 * vertices. */
void gemp_put_leaf(const gemp_match_emitter *m, const char *latest)
{
	const gemp_step *leaf = &m->plan->steps[m->plan->step_count - 1];
	const gemp_check *near = &leaf->checks[0], *far = &leaf->checks[1];
	int last = m->plan->steps[m->plan->step_count - 2].vertex, root = m->plan->pivot, other = far->from;
	gemp_expression names[GEMP_MAX_PATTERN_VERTICES];
	for (int v = 0; v < m->plan->vertex_count; v++)
		names[v] = gemp_variable("v", v);
	snprintf(names[last].text, sizeof names[last].text, "%s", latest);
	gemp_put(m->w, 0, "uint w = table[%s];\n", names[other].text);
	for (int v = 0; v < m->plan->vertex_count; v++) {
		if (v == root || v == other || !(leaf->differ >> v & 1))
			continue;
		const char *name = names[v].text;
		bool later = gemp_binding_step(m->plan, v) > gemp_binding_step(m->plan, other);
		gemp_put(m->w, 0, "if (w && %s", gemp_leaf_fits(m->plan, name).text);
		if (!gemp_leaf_joined(m->plan, v, root, near->view))
			put_look(m->w, m->marks.leaf_pivot, true, name, near->view, names[root].text, name);
		if (!gemp_leaf_joined(m->plan, v, other, far->view))
			put_look(m->w, m->marks.leaf[v], false, names[later ? v : other].text, far->view, names[other].text, name);
		gemp_put(m->w, 0, ") w--;\n");
	}
}
