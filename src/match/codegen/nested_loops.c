#include "match/codegen/nested_loops.h"

#include "match/codegen/kernel_text.h"

#include <stdarg.h>
#include <stdio.h>

/* Braces within the line move the depth of the lines that follow; a line that begins with a closing brace stands one
 * level out. */
void gemp_nested_line(gemp_nested_emitter *e, int number, const char *format, ...)
{
	gemp_text line = { 0 };
	va_list arguments;
	va_start(arguments, format);
	gemp_kernel_vprint(&line, number, format, arguments);
	va_end(arguments);
	int depth = e->depth - (line.size && line.data[0] == '}');
	for (size_t i = 0; i < line.size; i++)
		e->depth += (line.data[i] == '{') - (line.data[i] == '}');
	gemp_text_print(e->text, "%.*s%s\n", depth, "\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t",
	                line.size ? line.data : "");
	e->text->failed |= line.failed;
	gemp_text_free(&line);
}

/* WORK SHARING. */
enum { FIRST = 2, LAST = 3 }; /* levels at which parts are cut */

/* May a part of this level's candidates be given to another worker? */
static bool is_shared(int level)
{
	return level == FIRST || level == LAST;
}

/* The deepest level with candidates of its own above the last. */
static int deepest_shared(const gemp_nested_emitter *e)
{
	return e->nested->levels - 2;
}

void gemp_nested_emit_part(gemp_nested_emitter *e)
{
	if (deepest_shared(e) < FIRST)
		return;
	gemp_nested_line(e, FIRST, "const uint low_$ = gemp_shuffle(part.low, 0), high_$ = gemp_shuffle(part.high, 0);");
	if (deepest_shared(e) >= LAST)
		gemp_nested_line(
			e, LAST, "const uint low_$ = gemp_shuffle(part.low_next, 0), high_$ = gemp_shuffle(part.high_next, 0);");
}

/* The candidates of a level that this worker is to look at: [start, stop). */
static void emit_bounds(gemp_nested_emitter *e, int level)
{
	if (!is_shared(level)) {
		gemp_nested_line(e, level, "const uint start_$ = cur_$, stop_$ = end_$;");
		return;
	}
	gemp_nested_line(e, level, "const uint start_$ = cur_$ + min(low_$, end_$ - cur_$);");
	gemp_nested_line(e, level, "uint stop_$ = cur_$ + min(high_$, end_$ - cur_$);");
}

/* Counts the candidates left on a level, and the parts that they make: parts on the deepest shared level have GRAIN
 * candidates at least. */
static void emit_left(gemp_nested_emitter *e, int level, const char *next)
{
	gemp_nested_line(e, level, "const uint left_$ = stop_$ - min(stop_$, (uint)(%s));", next);
	gemp_nested_line(e, level, "const uint parts_$ = left_$%s;", level == deepest_shared(e) ? " / GRAIN" : "");
}

/* Parts are equal; the giving worker keeps one of them and the remainder. */
static void emit_sizes(gemp_nested_emitter *e, int level)
{
	gemp_nested_line(e, level, "const uint size_$ = max(left_$ / (given + 1), 1u);");
	gemp_nested_line(e, level, "const uint until_$ = stop_$ - cur_$ - nth * size_$;");
}

/* Each lane writes the part of one waiting worker. Of an entry's candidates the giving worker keeps the first. */
static void emit_filling(gemp_nested_emitter *e, int level)
{
	gemp_nested_line(e, 0, "if (takers >> lane & 1) {");
	gemp_nested_line(e, 0, "gemp_nested_part part = { entry + which, 0, ~0u, 0, ~0u, 0 };");
	gemp_nested_line(e, 0, "if (todo) {");
	gemp_nested_line(e, 0, "part.entry = entry + gemp_nth_highest(todo, nth);");
	gemp_nested_line(e, 0, "} else if (parts_%d) {", FIRST);
	gemp_nested_line(e, FIRST, "part.low = until_$ - size_$;");
	gemp_nested_line(e, 0, "part.high = until_%d;", FIRST);
	if (level == LAST) {
		gemp_nested_line(e, 0, "} else {");
		gemp_nested_line(e, FIRST, "part.low = next_$ - 1 - cur_$;");
		gemp_nested_line(e, FIRST, "part.high = next_$ - cur_$;");
		gemp_nested_line(e, LAST, "part.low_next = until_$ - size_$;");
		gemp_nested_line(e, 0, "part.high_next = until_%d;", LAST);
	}
	gemp_nested_line(e, 0, "}");
	gemp_nested_line(e, 0, "gemp_fill(parts, place, part);");
	gemp_nested_line(e, 0, "}");
}

/* Removes what was given from the range of the giving worker. */
static void emit_given(gemp_nested_emitter *e, int level)
{
	gemp_nested_line(e, 0, "if (todo)");
	gemp_nested_line(e, 0, "\tfor (uint i = 0; i < given; i++)");
	gemp_nested_line(e, 0, "\t\ttodo &= ~(1u << (31 - clz(todo)));");
	gemp_nested_line(e, 0, level == LAST ? "else if (parts_%d)" : "else", FIRST);
	gemp_nested_line(e, FIRST, "\tstop_$ -= given * size_$;");
	if (level == LAST) {
		gemp_nested_line(e, 0, "else");
		gemp_nested_line(e, LAST, "\tstop_$ -= given * size_$;");
	}
}

/* Gives a part of what is left to workers that wait. `next` is the first candidate of this level that is left. A worker looks
 * for waiting ones no more often than every REST ticks, since a look is an access to global memory. */
static void emit_donation(gemp_nested_emitter *e, int level, const char *next)
{
	gemp_nested_line(e, 0, "if (p.queue && NOW - rested >= REST) { /* looking costs a way to memory */");
	gemp_nested_line(e, 0, "rested = NOW;");
	emit_left(e, FIRST, level == FIRST ? next : "next_2");
	if (level == LAST)
		emit_left(e, LAST, next);
	gemp_nested_line(e, 0, "const uint most = todo ? popcount(todo) : %s;",
	                 level == LAST ? "parts_2 ? parts_2 : parts_3" : "parts_2");
	gemp_nested_line(e, 0, "uint place = 0;");
	gemp_nested_line(
		e, 0,
		"const uint takers = gemp_reserve(GEMP_GROUP_PASS control, parts, p.queue, min(most, (uint)GEMP_LANES), &place);");
	gemp_nested_line(e, 0, "const uint given = popcount(takers), nth = popcount(takers & LANES_BELOW);");
	gemp_nested_line(e, 0, "if (given) {");
	emit_sizes(e, FIRST);
	if (level == LAST)
		emit_sizes(e, LAST);
	emit_filling(e, level);
	emit_given(e, level);
	gemp_nested_line(e, 0, "}");
	gemp_nested_line(e, 0, "}");
}

/* One line for each bound vertex of the set. */
static void compare(gemp_nested_emitter *e, uint64_t with, const char *format, const char *c)
{
	for (int v = 0; v < e->plan->vertex_count; v++)
		if (with >> v & 1)
			gemp_nested_line(e, 0, format, c, v);
}

/* Comparisons of slots have no branch; tests that read memory run only for candidates that passed so far. */
void gemp_nested_emit_tests(gemp_nested_emitter *e, const gemp_nested_filters *f, const char *c, const char *which)
{
	compare(e, f->differ, "pass &= %s != v_%d;", c);
	compare(e, f->same, "pass &= %s == v_%d;", c);
	compare(e, f->less, "pass &= %s < v_%d;", c);
	compare(e, f->greater, "pass &= %s > v_%d;", c);
	if (f->candidates >= 0)
		gemp_nested_line(e, 0, "if (pass) pass = candidate(%d, %s);", f->candidates, c);
	compare(e, f->key_less, "if (pass) pass = key_rank[%s] < key_rank[v_%d];", c);
	compare(e, f->key_max, "if (pass) pass = key_rank[%s] <= key_rank[v_%d];", c);
	compare(e, f->key_greater, "if (pass) pass = key_rank[%s] > key_rank[v_%d];", c);
	compare(e, f->key_min, "if (pass) pass = key_rank[%s] >= key_rank[v_%d];", c);
	for (size_t i = 0; i < f->row_count; i++) {
		const gemp_row_filter *row = &f->rows[i];
		char skip[48] = "";
		if (which && row->source)
			snprintf(skip, sizeof skip, "%s == %zu || ", which, i);
		gemp_nested_line(e, 0, "if (pass) pass = %s%shas(%d, %s, %s);", skip, row->absent ? "!" : "", row->view,
		                 row->from < 0 ? c : gemp_variable_of('v', row->from).text, c);
	}
}

/* RANGES: where candidates come from, [cur, end) of `from`: a list, or of the rows that can give them the shortest. */
typedef struct range {
	int tag;
	gemp_nested_filters tests; /* left to do */
	char which[16];            /* "": there is no choice of rows */
} range;

/* Filters stay in their order, since which_N numbers them. */
static void drop_row(gemp_nested_filters *f, size_t i)
{
	f->row_count--;
	for (; i < f->row_count; i++)
		f->rows[i] = f->rows[i + 1];
}

/* Of several rows that hold all candidates the one of the vertex with the greatest slot is walked, the shortest within
 * a degree class. */
static void choose_row(gemp_nested_emitter *e, range *r, const gemp_nested_filters *f)
{
	uint64_t sources = gemp_nested_filters_sources(f);
	int first = __builtin_ctzll(sources);
	snprintf(r->which, sizeof r->which, "which_%d", r->tag);
	gemp_nested_line(e, 0, "uint %s = %d, least_%d = v_%d;", r->which, first, r->tag, f->rows[first].from);
	gemp_nested_line(e, r->tag, "__global const uint *from_$ = near_%d, *row_$ = begin_%d;", f->rows[first].view,
	                 f->rows[first].view);
	for (sources &= sources - 1; sources; sources &= sources - 1) {
		int i = __builtin_ctzll(sources), v = f->rows[i].from;
		gemp_nested_line(e, 0, "if (v_%d > least_%d) {", v, r->tag);
		gemp_nested_line(e, 0, "%s = %d;", r->which, i);
		gemp_nested_line(e, 0, "least_%d = v_%d;", r->tag, v);
		gemp_nested_line(e, 0, "from_%d = near_%d;", r->tag, f->rows[i].view);
		gemp_nested_line(e, 0, "row_%d = begin_%d;", r->tag, f->rows[i].view);
		gemp_nested_line(e, 0, "}");
	}
	gemp_nested_line(e, r->tag, "uint cur_$ = row_$[least_$], end_$ = row_$[least_$ + 1];");
}

/* A single row needs no choice, and no test for membership in itself. */
static void open_row(gemp_nested_emitter *e, range *r, const gemp_nested_filters *f)
{
	uint64_t sources = gemp_nested_filters_sources(f);
	int only = __builtin_ctzll(sources);
	if (sources & (sources - 1)) {
		choose_row(e, r, f);
		return;
	}
	const gemp_row_filter *row = &f->rows[only];
	gemp_nested_line(e, 0, "__global const uint *from_%d = near_%d;", r->tag, row->view);
	gemp_nested_line(e, r->tag, "uint cur_$ = begin_%d[v_%d], end_$ = begin_%d[v_%d + 1];", row->view, row->from,
	                 row->view, row->from);
	drop_row(&r->tests, (size_t)only);
}

/* Opens the range that gives the candidates, a list or a row, and cuts it by restrictions on slots. together: all
 * lanes of a worker open the same range, and search it together. */
static range open_range(gemp_nested_emitter *e, int tag, int list, const gemp_nested_filters *filters, bool together)
{
	range r = { .tag = tag, .tests = *filters };
	const char *lower = together ? "gemp_lower_together(GEMP_GROUP_PASS " : "gemp_lower(";
	if (list < 0) {
		open_row(e, &r, filters);
	} else {
		gemp_nested_line(e, 0, "__global const uint *from_%d = list_%d;", tag, list);
		gemp_nested_line(e, tag, "uint cur_$ = 0, end_$ = n_%d;", list);
	}
	for (int v = 0; v < e->plan->vertex_count; v++) {
		if (r.tests.less >> v & 1)
			gemp_nested_line(e, tag, "end_$ = %sfrom_$, cur_$, end_$, v_%d);", lower, v);
		if (r.tests.greater >> v & 1)
			gemp_nested_line(e, tag, "cur_$ = %sfrom_$, cur_$, end_$, v_%d + 1);", lower, v);
	}
	r.tests.less = r.tests.greater = 0;
	return r;
}

static void test_range(gemp_nested_emitter *e, const range *r, const char *c)
{
	gemp_nested_emit_tests(e, &r->tests, c, r->which[0] ? r->which : NULL);
}

/* Opens a level's range; what its list has tested already is not tested again. */
static range open_level(gemp_nested_emitter *e, int level, bool together)
{
	gemp_nested_filters all, rest;
	int list = e->nested->list_of[level];
	gemp_nested_filters_of(&all, e->plan, &e->plan->steps[level], gemp_nested_bound(e->plan, level - 1));
	if (list < 0)
		return open_range(e, level, -1, &all, together);
	gemp_nested_filters_minus(&rest, &all, &e->nested->lists[list].filters);
	return open_range(e, level, list, &rest, together);
}

/* LISTS AND MARKS. */
enum { LIST_TAG = 100, MARK_TAG = 200 };

/* Writes down the candidates that pass, in order: each lane's place is the number of passing lanes below it. */
static void emit_list(gemp_nested_emitter *e, int l)
{
	const gemp_nested_set *set = &e->nested->lists[l];
	int tag = LIST_TAG + l;
	gemp_nested_line(e, 0, "uint n_%d = 0;", l);
	gemp_nested_line(e, 0, "{");
	range r = open_range(e, tag, set->base, &set->rest, true);
	gemp_nested_line(e, tag, "for (uint at = cur_$; at < end_$; at += GEMP_LANES) {");
	gemp_nested_line(e, 0, "uint c = 0;");
	gemp_nested_line(e, 0, "int pass = at + lane < end_%d;", tag);
	gemp_nested_line(e, 0, "if (pass) {");
	gemp_nested_line(e, 0, "c = from_%d[at + lane];", tag);
	test_range(e, &r, "c");
	gemp_nested_line(e, 0, "}");
	gemp_nested_line(e, 0, "const uint mask = gemp_ballot(pass);");
	gemp_nested_line(e, 0, "if (pass)");
	gemp_nested_line(e, l, "\tlist_$[n_$ + popcount(mask & LANES_BELOW)] = c;");
	gemp_nested_line(e, 0, "n_%d += popcount(mask);", l);
	gemp_nested_line(e, 0, "}");
	gemp_nested_line(e, 0, "gemp_sync();");
	gemp_nested_line(e, 0, "}");
}

/* Marks the candidates of the last level in the worker's bitmap. */
static void emit_mark(gemp_nested_emitter *e)
{
	const gemp_nested_set *set = &e->nested->marks;
	gemp_nested_line(e, 0, "{");
	range r = open_range(e, MARK_TAG, set->base, &set->rest, true);
	gemp_nested_line(e, r.tag, "for (uint at = cur_$ + lane; at < end_$; at += GEMP_LANES) {");
	gemp_nested_line(e, 0, "const uint c = from_%d[at];", r.tag);
	gemp_nested_line(e, 0, "int pass = c < p.limit;");
	test_range(e, &r, "c");
	gemp_nested_line(e, 0, "if (pass)");
	gemp_nested_line(e, 0, "\tmark(c);");
	gemp_nested_line(e, 0, "}");
	gemp_nested_line(e, 0, "gemp_sync();");
	gemp_nested_line(e, 0, "}");
}

/* Clears the marks by walking the same range, or by zeroing the bitmap where that is shorter. The range is opened
 * again: keeping it would take registers from all loops in between. */
static void emit_wipe(gemp_nested_emitter *e)
{
	const gemp_nested_set *set = &e->nested->marks;
	gemp_nested_line(e, 0, "{");
	gemp_nested_line(e, 0, "gemp_sync();");
	range r = open_range(e, MARK_TAG, set->base, &set->rest, true);
	gemp_nested_line(e, r.tag, "if (end_$ - cur_$ > p.words)");
	gemp_nested_line(e, 0, "\tfor (uint i = lane; i < p.words; i += GEMP_LANES)");
	gemp_nested_line(e, 0, "\t\tbits[i] = 0;");
	gemp_nested_line(e, 0, "else");
	gemp_nested_line(e, r.tag, "\tfor (uint at = cur_$ + lane; at < end_$; at += GEMP_LANES)");
	gemp_nested_line(e, 0, "\t\tunmark(from_%d[at]);", r.tag);
	gemp_nested_line(e, 0, "gemp_sync();");
	gemp_nested_line(e, 0, "}");
}

/* Marks that only the task's first vertex decides about are kept while tasks have the same first vertex, and wiped
 * when it changes; at the end of the kernel those in global memory are wiped, so that they are clean for the next
 * launch. */
void gemp_nested_emit_first_marks(gemp_nested_emitter *e, bool end)
{
	const gemp_nested_set *set = &e->nested->marks;
	int first = e->plan->steps[0].vertex;
	if (e->nested->leaf != GEMP_LEAF_MARKED || set->level > 0)
		return;
	gemp_nested_line(e, 0, "if (marked_for != %s && marked_for != ~0u) {",
	                 end ? "~0u" : gemp_variable_of('v', first).text);
	gemp_nested_line(e, 0, "const uint v_%d = marked_for;", first);
	emit_wipe(e);
	gemp_nested_line(e, 0, "}");
	if (end)
		return;
	gemp_nested_line(e, 0, "if (marked_for != v_%d) {", first);
	gemp_nested_line(e, 0, "marked_for = v_%d;", first);
	emit_mark(e);
	gemp_nested_line(e, 0, "}");
}

/* THE LAST LEVEL. */
/* Which end of the row holds the entries within the bounds, and what bounds them. */
typedef struct walk {
	bool back, bounded;
	const char *within; /* of entry c */
	const char *none;   /* no entry at all: out of bounds, or no vertex */
} walk;

/* Rows ascend, so that a row bounded below is walked from its end, and either walk stops at the bound. */
static walk plan_walk(gemp_nested_emitter *e, const gemp_nested_filters *all, gemp_nested_filters *rest)
{
	gemp_text bound = { 0 };
	uint64_t sides = all->greater ? all->greater : all->less;
	if (!sides)
		return (walk){ false, false, "c != ~0u", "~0u" };
	gemp_kernel_extreme(&bound, sides, all->greater);
	gemp_nested_line(e, 0, "const uint bound = %s;", bound.failed ? "" : bound.data);
	e->text->failed |= bound.failed;
	gemp_text_free(&bound);
	if (all->greater) {
		rest->greater = 0;
		return (walk){ true, true, "c > bound", "0u" };
	}
	rest->less = 0;
	return (walk){ false, true, "c < bound", "~0u" };
}

/* The last level as look-ups in the bitmap: entries of the row of the vertex before. AHEAD entries are loaded before
 * the first of them is tested, to hide the latency of memory. */
static void emit_marked(gemp_nested_emitter *e, const gemp_nested_filters *all)
{
	int level = e->nested->levels - 1, v = e->plan->steps[level - 1].vertex;
	gemp_nested_filters rest;
	size_t i = 0;
	gemp_nested_filters_minus(&rest, all, &e->nested->marks.filters);
	while (rest.rows[i].from != v || !rest.rows[i].source)
		i++;
	int view = rest.rows[i].view;
	drop_row(&rest, i);
	walk w = plan_walk(e, all, &rest);
	gemp_nested_line(e, v, "const uint first = begin_%d[v_$], length = begin_%d[v_$ + 1] - first;", view, view);
	gemp_nested_line(e, 0, "for (uint i = lane %% ROW_LANES; i < length; i += AHEAD * ROW_LANES) {");
	gemp_nested_line(e, 0, "uint ahead[AHEAD];");
	gemp_nested_line(e, 0, "#pragma unroll");
	gemp_nested_line(e, 0, "for (uint k = 0; k < AHEAD; k++) {");
	gemp_nested_line(e, 0, "const uint j = i + k * ROW_LANES;");
	gemp_nested_line(e, 0, "ahead[k] = j < length ? near_%d[first + %s] : %s;", view, w.back ? "length - 1 - j" : "j",
	                 w.none);
	gemp_nested_line(e, 0, "}");
	gemp_nested_line(e, 0, "#pragma unroll");
	gemp_nested_line(e, 0, "for (uint k = 0; k < AHEAD; k++) {");
	gemp_nested_line(e, 0, "const uint c = ahead[k];");
	gemp_nested_line(e, 0, "int pass = %s && marked(c);", w.within);
	if (e->options->folded)
		gemp_nested_emit_tests(e, &e->nested->marks.filters, "c", NULL);
	gemp_nested_emit_tests(e, &rest, "c", NULL);
	gemp_nested_line(e, 0, "n += pass;");
	gemp_nested_line(e, 0, "}");
	if (w.bounded) {
		gemp_nested_line(e, 0, "const uint c = ahead[AHEAD - 1];");
		gemp_nested_line(e, 0, "if (!(%s))", w.within);
		gemp_nested_line(e, 0, "\tbreak;");
	}
	gemp_nested_line(e, 0, "}");
}

/* Searches in a row or a list, or looks entries up in the bitmap; each lane counts what it finds in n. */
void gemp_nested_emit_leaf(gemp_nested_emitter *e)
{
	int level = e->nested->levels - 1;
	gemp_nested_filters all;
	gemp_nested_filters_of(&all, e->plan, &e->plan->steps[level], gemp_nested_bound(e->plan, level - 1));
	if (e->nested->leaf == GEMP_LEAF_MARKED) {
		emit_marked(e, &all);
		return;
	}
	range r = open_level(e, level, false);
	gemp_nested_line(e, r.tag, "for (uint i = cur_$ + lane %% ROW_LANES; i < end_$; i += ROW_LANES) {");
	gemp_nested_line(e, 0, "const uint c = from_%d[i];", r.tag);
	gemp_nested_line(e, 0, "int pass = 1;");
	test_range(e, &r, "c");
	gemp_nested_line(e, 0, "n += pass;");
	gemp_nested_line(e, 0, "}");
}

/* Twins have the same n candidates: the number of ways to choose them is a formula. */
void gemp_nested_emit_sum(gemp_nested_emitter *e)
{
	if (e->nested->twins == 1) {
		gemp_nested_line(e, 0, "found += n;");
		return;
	}
	gemp_nested_line(e, 0, "for (uint d = ROW_LANES / 2; d; d /= 2)");
	gemp_nested_line(e, 0, "\tn += gemp_shuffle(n, lane ^ d);");
	gemp_nested_line(e, 0, "if (lane %% ROW_LANES == 0) {");
	gemp_nested_line(e, 0, "const ulong ways = gemp_choose(n, %d, %d, &over);", e->nested->twins, (int)e->nested->ways);
	gemp_nested_line(e, 0, "found += ways;");
	gemp_nested_line(e, 0, "over |= found < ways;");
	gemp_nested_line(e, 0, "}");
}

/* On the last level but one each row of lanes takes a candidate by itself, and the last level is the work of a row. */
static void emit_rows(gemp_nested_emitter *e, const range *r, int level)
{
	gemp_nested_line(e, level, "for (uint at = start_$; at < stop_$; at += ROWS) {");
	gemp_nested_line(e, 0, "const uint k = at + lane / ROW_LANES;");
	gemp_nested_line(e, 0, "uint n = 0;");
	gemp_nested_line(e, 0, "if (k < stop_%d) {", level);
	gemp_nested_line(e, 0, "const uint v_%d = from_%d[k];", e->plan->steps[level].vertex, level);
	gemp_nested_line(e, 0, "int pass = 1;");
	test_range(e, r, gemp_variable_of('v', e->plan->steps[level].vertex).text);
	gemp_nested_line(e, 0, "if (pass) {");
	gemp_nested_emit_leaf(e);
	gemp_nested_line(e, 0, "}");
	gemp_nested_line(e, 0, "}");
	gemp_nested_emit_sum(e);
	if (is_shared(level)) {
		gemp_nested_line(e, 0, "spent += ROWS;");
		emit_donation(e, level, "at + ROWS");
	}
	gemp_nested_line(e, 0, "}");
}

/* Marks that depend on the level above are set before the loop and wiped after it. */
static void emit_last_but_one(gemp_nested_emitter *e, int level)
{
	range r = open_level(e, level, true);
	bool marked = e->nested->leaf == GEMP_LEAF_MARKED && e->nested->marks.level == level - 1;
	emit_bounds(e, level);
	gemp_nested_line(e, level, "if (start_$ < stop_$) {");
	if (marked)
		emit_mark(e);
	if (!is_shared(level))
		gemp_nested_line(e, level, "spent += stop_$ - start_$;");
	emit_rows(e, &r, level);
	if (marked)
		emit_wipe(e);
	gemp_nested_line(e, 0, "}");
}

/* All lanes test candidates together and then work on those that passed, one after another. */
static void emit_visits(gemp_nested_emitter *e, int level)
{
	range r = open_level(e, level, true);
	emit_bounds(e, level);
	gemp_nested_line(e, level, "for (uint at = start_$; at < stop_$; at += GEMP_LANES) {");
	gemp_nested_line(e, 0, "uint c = 0;");
	gemp_nested_line(e, 0, "int pass = at + lane < stop_%d;", level);
	gemp_nested_line(e, 0, "if (pass) {");
	gemp_nested_line(e, 0, "c = from_%d[at + lane];", level);
	test_range(e, &r, "c");
	gemp_nested_line(e, 0, "}");
	gemp_nested_line(
		e, 0, "for (uint mask = gemp_ballot(pass); mask && at + lowest(mask) < stop_%d; mask &= mask - 1) {", level);
	gemp_nested_line(e, 0, "const uint turn = lowest(mask);");
	gemp_nested_line(e, 0, "const uint v_%d = gemp_shuffle(c, turn);", e->plan->steps[level].vertex);
	if (is_shared(level)) {
		gemp_nested_line(e, 0, "const uint next_%d = at + turn + 1;", level);
		emit_donation(e, level, level == 2 ? "next_2" : "next_3");
	}
	gemp_nested_emit_level(e, level);
	gemp_nested_line(e, 0, "}");
	gemp_nested_line(e, 0, "}");
}

/* Lists and marks that depend on this level's vertex are made before the next level is opened. */
void gemp_nested_emit_level(gemp_nested_emitter *e, int level)
{
	const gemp_nested *n = e->nested;
	for (size_t l = 0; l < n->list_count; l++)
		if (n->lists[l].level == level)
			emit_list(e, (int)l);
	bool marked = n->leaf == GEMP_LEAF_MARKED && n->marks.level == level && level < n->levels - 3;
	if (marked)
		emit_mark(e);
	gemp_nested_line(e, 0, "{");
	if (level == n->levels - 3)
		emit_last_but_one(e, level + 1);
	else
		emit_visits(e, level + 1);
	gemp_nested_line(e, 0, "}");
	if (marked)
		emit_wipe(e);
}
