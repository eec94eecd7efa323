#include "match/codegen/nested_loops.h"

#include <stdarg.h>
#include <stdio.h>

void gemp_emit_line(gemp_nested_emitter *e, const char *format, ...)
{
	char line[512];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	gemp_text_print(e->text, "%.*s%s\n", e->depth, "\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t", line);
}

/* TESTS. */
static void compare(gemp_nested_emitter *e, uint64_t with, const char *format, const char *c)
{
	for (int v = 0; v < e->plan->vertex_count; v++)
		if (with >> v & 1)
			gemp_emit_line(e, format, c, v);
}

void gemp_nested_emit_tests(gemp_nested_emitter *e, const gemp_nested_filters *f, const char *c, const char *which)
{
	compare(e, f->differ, "pass &= %s != v_%d;", c);
	compare(e, f->same, "pass &= %s == v_%d;", c);
	compare(e, f->less, "pass &= %s < v_%d;", c);
	compare(e, f->greater, "pass &= %s > v_%d;", c);
	if (f->candidates >= 0)
		gemp_emit_line(e, "if (pass) pass = candidate(%d, %s);", f->candidates, c);
	compare(e, f->key_less, "if (pass) pass = key_rank[%s] < key_rank[v_%d];", c);
	compare(e, f->key_max, "if (pass) pass = key_rank[%s] <= key_rank[v_%d];", c);
	compare(e, f->key_greater, "if (pass) pass = key_rank[%s] > key_rank[v_%d];", c);
	compare(e, f->key_min, "if (pass) pass = key_rank[%s] >= key_rank[v_%d];", c);
	for (size_t i = 0; i < f->row_count; i++) {
		const gemp_row_filter *row = &f->rows[i];
		char from[16], skip[48] = "";
		if (which && row->source)
			snprintf(skip, sizeof skip, "%s == %zu || ", which, i);
		gemp_emit_line(e, "if (pass) pass = %s%shas(%d, %s, %s);", skip, row->absent ? "!" : "", row->view,
		               row->from < 0 ? c : gemp_nested_vertex_name(from, row->from), c);
	}
}

/* RANGES: where candidates come from, [cur, end) of `from`: a list, or of the rows that can give them the shortest. */
typedef struct range {
	int tag;
	gemp_nested_filters tests; /* left to do */
	char which[16];            /* "": there is no choice of rows */
} range;

static void drop_row(gemp_nested_filters *f, size_t i)
{
	f->row_count--;
	for (; i < f->row_count; i++)
		f->rows[i] = f->rows[i + 1];
}

static void choose_row(gemp_nested_emitter *e, range *r, const gemp_nested_filters *f)
{
	uint64_t sources = gemp_nested_filters_sources(f);
	int first = __builtin_ctzll(sources);
	snprintf(r->which, sizeof r->which, "which_%d", r->tag);
	gemp_emit_line(e, "uint %s = %d, least_%d = v_%d;", r->which, first, r->tag, f->rows[first].from);
	gemp_emit_line(e, "__global const uint *from_%d = near_%d, *row_%d = begin_%d;", r->tag, f->rows[first].view,
	               r->tag, f->rows[first].view);
	for (sources &= sources - 1; sources; sources &= sources - 1) {
		int i = __builtin_ctzll(sources), v = f->rows[i].from;
		gemp_emit_line(e, "if (v_%d > least_%d) {", v, r->tag);
		gemp_emit_line(e, "\t%s = %d;", r->which, i);
		gemp_emit_line(e, "\tleast_%d = v_%d;", r->tag, v);
		gemp_emit_line(e, "\tfrom_%d = near_%d;", r->tag, f->rows[i].view);
		gemp_emit_line(e, "\trow_%d = begin_%d;", r->tag, f->rows[i].view);
		gemp_emit_line(e, "}");
	}
	gemp_emit_line(e, "uint cur_%d = row_%d[least_%d], end_%d = row_%d[least_%d + 1];", r->tag, r->tag, r->tag, r->tag,
	               r->tag, r->tag);
}

static void open_row(gemp_nested_emitter *e, range *r, const gemp_nested_filters *f)
{
	uint64_t sources = gemp_nested_filters_sources(f);
	int only = __builtin_ctzll(sources);
	if (sources & (sources - 1)) {
		choose_row(e, r, f);
		return;
	}
	const gemp_row_filter *row = &f->rows[only];
	gemp_emit_line(e, "__global const uint *from_%d = near_%d;", r->tag, row->view);
	gemp_emit_line(e, "uint cur_%d = begin_%d[v_%d], end_%d = begin_%d[v_%d + 1];", r->tag, row->view, row->from,
	               r->tag, row->view, row->from);
	drop_row(&r->tests, (size_t)only);
}

/* together: all lanes of a worker open the same. */
static range open_range(gemp_nested_emitter *e, int tag, int list, const gemp_nested_filters *filters, bool together)
{
	range r = { .tag = tag, .tests = *filters };
	const char *lower = together ? "gemp_lower_together(GEMP_GROUP_PASS " : "gemp_lower(";
	if (list < 0) {
		open_row(e, &r, filters);
	} else {
		gemp_emit_line(e, "__global const uint *from_%d = list_%d;", tag, list);
		gemp_emit_line(e, "uint cur_%d = 0, end_%d = n_%d;", tag, tag, list);
	}
	for (int v = 0; v < e->plan->vertex_count; v++) {
		if (r.tests.less >> v & 1)
			gemp_emit_line(e, "end_%d = %sfrom_%d, cur_%d, end_%d, v_%d);", tag, lower, tag, tag, tag, v);
		if (r.tests.greater >> v & 1)
			gemp_emit_line(e, "cur_%d = %sfrom_%d, cur_%d, end_%d, v_%d + 1);", tag, lower, tag, tag, tag, v);
	}
	r.tests.less = r.tests.greater = 0;
	return r;
}

static void test_range(gemp_nested_emitter *e, const range *r, const char *c)
{
	gemp_nested_emit_tests(e, &r->tests, c, r->which[0] ? r->which : NULL);
}

/* What a level's candidates are asked beyond its list. */
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

static void emit_list(gemp_nested_emitter *e, int l)
{
	const gemp_nested_set *set = &e->nested->lists[l];
	int tag = LIST_TAG + l;
	gemp_emit_line(e, "uint n_%d = 0;", l);
	gemp_emit_line(e, "{");
	e->depth++;
	range r = open_range(e, tag, set->base, &set->rest, true);
	gemp_emit_line(e, "for (uint at = cur_%d; at < end_%d; at += GEMP_LANES) {", tag, tag);
	e->depth++;
	gemp_emit_line(e, "uint c = 0;");
	gemp_emit_line(e, "int pass = at + lane < end_%d;", tag);
	gemp_emit_line(e, "if (pass) {");
	e->depth++;
	gemp_emit_line(e, "c = from_%d[at + lane];", tag);
	test_range(e, &r, "c");
	e->depth--;
	gemp_emit_line(e, "}");
	gemp_emit_line(e, "const uint mask = gemp_ballot(pass);");
	gemp_emit_line(e, "if (pass)");
	gemp_emit_line(e, "\tlist_%d[n_%d + popcount(mask & LANES_BELOW)] = c;", l, l);
	gemp_emit_line(e, "n_%d += popcount(mask);", l);
	e->depth--;
	gemp_emit_line(e, "}");
	gemp_emit_line(e, "gemp_sync();");
	e->depth--;
	gemp_emit_line(e, "}");
}

static void emit_mark(gemp_nested_emitter *e)
{
	const gemp_nested_set *set = &e->nested->marks;
	gemp_emit_line(e, "{");
	e->depth++;
	range r = open_range(e, MARK_TAG, set->base, &set->rest, true);
	gemp_emit_line(e, "for (uint at = cur_%d + lane; at < end_%d; at += GEMP_LANES) {", r.tag, r.tag);
	e->depth++;
	gemp_emit_line(e, "const uint c = from_%d[at];", r.tag);
	gemp_emit_line(e, "int pass = c < p.limit;");
	test_range(e, &r, "c");
	gemp_emit_line(e, "if (pass)");
	gemp_emit_line(e, "\tmark(c);");
	e->depth--;
	gemp_emit_line(e, "}");
	gemp_emit_line(e, "gemp_sync();");
	e->depth--;
	gemp_emit_line(e, "}");
}

/* The range is found again: kept, it would take registers from all that comes between. */
static void emit_wipe(gemp_nested_emitter *e)
{
	const gemp_nested_set *set = &e->nested->marks;
	gemp_emit_line(e, "{");
	e->depth++;
	gemp_emit_line(e, "gemp_sync();");
	range r = open_range(e, MARK_TAG, set->base, &set->rest, true);
	gemp_emit_line(e, "if (end_%d - cur_%d > p.words)", r.tag, r.tag);
	gemp_emit_line(e, "\tfor (uint i = lane; i < p.words; i += GEMP_LANES)");
	gemp_emit_line(e, "\t\tbits[i] = 0;");
	gemp_emit_line(e, "else");
	gemp_emit_line(e, "\tfor (uint at = cur_%d + lane; at < end_%d; at += GEMP_LANES)", r.tag, r.tag);
	gemp_emit_line(e, "\t\tunmark(from_%d[at]);", r.tag);
	gemp_emit_line(e, "gemp_sync();");
	e->depth--;
	gemp_emit_line(e, "}");
}

void gemp_nested_emit_first_marks(gemp_nested_emitter *e, bool end)
{
	const gemp_nested_set *set = &e->nested->marks;
	int first = e->plan->steps[0].vertex;
	if (e->nested->leaf != GEMP_LEAF_MARKED || set->level > 0)
		return;
	gemp_emit_line(e, "if (marked_for != %s && marked_for != ~0u) {",
	               end ? "~0u" : gemp_nested_vertex_name((char[16]){ 0 }, first));
	e->depth++;
	gemp_emit_line(e, "const uint v_%d = marked_for;", first);
	emit_wipe(e);
	e->depth--;
	gemp_emit_line(e, "}");
	if (end)
		return;
	gemp_emit_line(e, "if (marked_for != v_%d) {", first);
	e->depth++;
	gemp_emit_line(e, "marked_for = v_%d;", first);
	emit_mark(e);
	e->depth--;
	gemp_emit_line(e, "}");
}

/* THE LAST LEVEL. */
static void extreme(gemp_nested_emitter *e, uint64_t of, const char *function, char *out, size_t room)
{
	size_t at = 0;
	int last = 63 - __builtin_clzll(of), open = 0;
	for (int v = 0; v < e->plan->vertex_count; v++) {
		if (!(of >> v & 1))
			continue;
		at += (size_t)snprintf(out + at, room - at, v == last ? "v_%.0s%d" : "%s(v_%d, ", function, v);
		open += v != last;
	}
	while (open--)
		at += (size_t)snprintf(out + at, room - at, ")");
}

/* Which end of the row holds the entries within the bounds, and what bounds them. */
typedef struct walk {
	bool back, bounded;
	const char *within; /* of entry c */
	const char *none;   /* no entry at all: out of bounds, or no vertex */
} walk;

static walk plan_walk(gemp_nested_emitter *e, const gemp_nested_filters *all, gemp_nested_filters *rest)
{
	char bound[256];
	uint64_t sides = all->greater ? all->greater : all->less;
	if (!sides)
		return (walk){ false, false, "c != ~0u", "~0u" };
	extreme(e, sides, all->greater ? "max" : "min", bound, sizeof bound);
	gemp_emit_line(e, "const uint bound = %s;", bound);
	if (all->greater) {
		rest->greater = 0;
		return (walk){ true, true, "c > bound", "0u" };
	}
	rest->less = 0;
	return (walk){ false, true, "c < bound", "~0u" };
}

/* The row of the vertex before. Several entries are on their way at a time. */
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
	gemp_emit_line(e, "const uint first = begin_%d[v_%d], length = begin_%d[v_%d + 1] - first;", view, v, view, v);
	gemp_emit_line(e, "for (uint i = lane %% ROW_LANES; i < length; i += AHEAD * ROW_LANES) {");
	e->depth++;
	gemp_emit_line(e, "uint ahead[AHEAD];");
	gemp_emit_line(e, "#pragma unroll");
	gemp_emit_line(e, "for (uint k = 0; k < AHEAD; k++) {");
	gemp_emit_line(e, "\tconst uint j = i + k * ROW_LANES;");
	gemp_emit_line(e, "\tahead[k] = j < length ? near_%d[first + %s] : %s;", view, w.back ? "length - 1 - j" : "j",
	               w.none);
	gemp_emit_line(e, "}");
	gemp_emit_line(e, "#pragma unroll");
	gemp_emit_line(e, "for (uint k = 0; k < AHEAD; k++) {");
	e->depth++;
	gemp_emit_line(e, "const uint c = ahead[k];");
	gemp_emit_line(e, "int pass = %s && marked(c);", w.within);
	if (e->options->folded)
		gemp_nested_emit_tests(e, &e->nested->marks.filters, "c", NULL);
	gemp_nested_emit_tests(e, &rest, "c", NULL);
	gemp_emit_line(e, "n += pass;");
	e->depth--;
	gemp_emit_line(e, "}");
	if (w.bounded) {
		gemp_emit_line(e, "const uint c = ahead[AHEAD - 1];");
		gemp_emit_line(e, "if (!(%s))", w.within);
		gemp_emit_line(e, "\tbreak;");
	}
	e->depth--;
	gemp_emit_line(e, "}");
}

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
	gemp_emit_line(e, "for (uint i = cur_%d + lane %% ROW_LANES; i < end_%d; i += ROW_LANES) {", r.tag, r.tag);
	e->depth++;
	gemp_emit_line(e, "const uint c = from_%d[i];", r.tag);
	gemp_emit_line(e, "int pass = 1;");
	test_range(e, &r, "c");
	gemp_emit_line(e, "n += pass;");
	e->depth--;
	gemp_emit_line(e, "}");
}

void gemp_nested_emit_sum(gemp_nested_emitter *e)
{
	if (e->nested->twins == 1) {
		gemp_emit_line(e, "found += n;");
		return;
	}
	gemp_emit_line(e, "for (uint d = ROW_LANES / 2; d; d /= 2)");
	gemp_emit_line(e, "\tn += gemp_shuffle(n, lane ^ d);");
	gemp_emit_line(e, "if (lane %% ROW_LANES == 0) {");
	gemp_emit_line(e, "\tconst ulong ways = gemp_choose(n, %d, %d, &over);", e->nested->twins, (int)e->nested->ways);
	gemp_emit_line(e, "\tfound += ways;");
	gemp_emit_line(e, "\tover |= found < ways;");
	gemp_emit_line(e, "}");
}

/* LEVELS. Rows of lanes take candidates of the last level but one by themselves. */
static void emit_rows(gemp_nested_emitter *e, const range *r, int level)
{
	gemp_emit_line(e, "for (uint at = start_%d; at < stop_%d; at += ROWS) {", level, level);
	e->depth++;
	gemp_emit_line(e, "const uint k = at + lane / ROW_LANES;");
	gemp_emit_line(e, "uint n = 0;");
	gemp_emit_line(e, "if (k < stop_%d) {", level);
	e->depth++;
	gemp_emit_line(e, "const uint v_%d = from_%d[k];", e->plan->steps[level].vertex, level);
	gemp_emit_line(e, "int pass = 1;");
	char name[16];
	test_range(e, r, gemp_nested_vertex_name(name, e->plan->steps[level].vertex));
	gemp_emit_line(e, "if (pass) {");
	e->depth++;
	gemp_nested_emit_leaf(e);
	e->depth--;
	gemp_emit_line(e, "}");
	e->depth--;
	gemp_emit_line(e, "}");
	gemp_nested_emit_sum(e);
	if (gemp_nested_shares_level(level)) {
		gemp_emit_line(e, "spent += ROWS;");
		gemp_nested_emit_donation(e, level, "at + ROWS");
	}
	e->depth--;
	gemp_emit_line(e, "}");
}

static void emit_last_but_one(gemp_nested_emitter *e, int level)
{
	range r = open_level(e, level, true);
	bool marked = e->nested->leaf == GEMP_LEAF_MARKED && e->nested->marks.level == level - 1;
	gemp_nested_emit_bounds(e, level);
	gemp_emit_line(e, "if (start_%d < stop_%d) {", level, level);
	e->depth++;
	if (marked)
		emit_mark(e);
	if (!gemp_nested_shares_level(level))
		gemp_emit_line(e, "spent += stop_%d - start_%d;", level, level);
	emit_rows(e, &r, level);
	if (marked)
		emit_wipe(e);
	e->depth--;
	gemp_emit_line(e, "}");
}

static void emit_visits(gemp_nested_emitter *e, int level)
{
	range r = open_level(e, level, true);
	gemp_nested_emit_bounds(e, level);
	gemp_emit_line(e, "for (uint at = start_%d; at < stop_%d; at += GEMP_LANES) {", level, level);
	e->depth++;
	gemp_emit_line(e, "uint c = 0;");
	gemp_emit_line(e, "int pass = at + lane < stop_%d;", level);
	gemp_emit_line(e, "if (pass) {");
	e->depth++;
	gemp_emit_line(e, "c = from_%d[at + lane];", level);
	test_range(e, &r, "c");
	e->depth--;
	gemp_emit_line(e, "}");
	gemp_emit_line(e, "for (uint mask = gemp_ballot(pass); mask && at + lowest(mask) < stop_%d; mask &= mask - 1) {",
	               level);
	e->depth++;
	gemp_emit_line(e, "const uint turn = lowest(mask);");
	gemp_emit_line(e, "const uint v_%d = gemp_shuffle(c, turn);", e->plan->steps[level].vertex);
	if (gemp_nested_shares_level(level)) {
		gemp_emit_line(e, "const uint next_%d = at + turn + 1;", level);
		gemp_nested_emit_donation(e, level, level == 2 ? "next_2" : "next_3");
	}
	gemp_nested_emit_level(e, level);
	e->depth--;
	gemp_emit_line(e, "}");
	e->depth--;
	gemp_emit_line(e, "}");
}

void gemp_nested_emit_level(gemp_nested_emitter *e, int level)
{
	const gemp_nested *n = e->nested;
	for (size_t l = 0; l < n->list_count; l++)
		if (n->lists[l].level == level)
			emit_list(e, (int)l);
	bool marked = n->leaf == GEMP_LEAF_MARKED && n->marks.level == level && level < n->levels - 3;
	if (marked)
		emit_mark(e);
	gemp_emit_line(e, "{");
	e->depth++;
	if (level == n->levels - 3)
		emit_last_but_one(e, level + 1);
	else
		emit_visits(e, level + 1);
	e->depth--;
	gemp_emit_line(e, "}");
	if (marked)
		emit_wipe(e);
}
