#include "match/codegen/nested_loops.h"

#include <stdio.h>

/* Writes text; `$` becomes `number`, the number of a level, a list or a range. */
#define PUT(number, ...) gemp_put(e->w, number, __VA_ARGS__)

enum { FIRST = 2, LAST = 3 }; /* the levels whose candidates are divided among workers */

/* True if a worker can give a part of this level's candidates to another worker. */
static bool is_shared(int level)
{
	return level == FIRST || level == LAST;
}

/* The last level but one. It is the deepest level whose candidates can be divided, if it is level 2 or 3. */
static int deepest_shared(const gemp_nested_emitter *e)
{
	return e->nested->levels - 2;
}

/* Declares the ranges of this worker's part. If a part limits a level, each level above has one candidate in it. */
void gemp_nested_put_part(const gemp_nested_emitter *e)
{
	if (deepest_shared(e) >= FIRST)
		PUT(FIRST, "const uint low_$ = gemp_shuffle(part.low, 0), high_$ = gemp_shuffle(part.high, 0);\n");
	if (deepest_shared(e) >= LAST)
		PUT(LAST, "const uint low_$ = gemp_shuffle(part.low_next, 0), high_$ = gemp_shuffle(part.high_next, 0);\n");
}

/* Writes the range [start, stop) of a level's candidates that this worker searches. */
static void put_bounds(const gemp_nested_emitter *e, int level)
{
	if (is_shared(level))
		PUT(level, "const uint start_$ = cur_$ + min(low_$, end_$ - cur_$);\n"
		           "uint stop_$ = cur_$ + min(high_$, end_$ - cur_$);\n");
	else
		PUT(level, "const uint start_$ = cur_$, stop_$ = end_$;\n");
}

/* Declares the number of candidates left on a level, and the number of parts into which these can be divided. A part of
 * the deepest shared level has at least GRAIN candidates. */
static void put_left(const gemp_nested_emitter *e, int level, const char *next)
{
	PUT(level,
	    "const uint left_$ = stop_$ - min(stop_$, (uint)(%s));\n"
	    "const uint parts_$ = left_$%s;\n",
	    next, level == deepest_shared(e) ? " / GRAIN" : "");
}

/* Declares the size of a part. All parts are equal, and the giving worker keeps one part and the remainder. */
static void put_sizes(const gemp_nested_emitter *e, int level)
{
	PUT(level, "const uint size_$ = max(left_$ / (given + 1), 1u);\n"
	           "const uint until_$ = stop_$ - cur_$ - nth * size_$;\n");
}

/* Each lane writes the part of one waiting worker. The giving worker keeps the first candidates of its entry. */
static void put_filling(const gemp_nested_emitter *e, int level)
{
	PUT(FIRST, "if (takers >> lane & 1) {\n"
	           "gemp_nested_part part = { entry + which, 0, ~0u, 0, ~0u, 0 };\n"
	           "if (todo) {\n"
	           "part.entry = entry + gemp_nth_highest(todo, nth);\n"
	           "} else if (parts_$) {\n"
	           "part.low = until_$ - size_$;\n"
	           "part.high = until_$;\n");
	if (level == LAST) {
		PUT(FIRST, "} else {\n"
		           "part.low = next_$ - 1 - cur_$;\n"
		           "part.high = next_$ - cur_$;\n");
		PUT(LAST, "part.low_next = until_$ - size_$;\n"
		          "part.high_next = until_$;\n");
	}
	PUT(0, "}\n"
	       "gemp_fill(parts, place, part);\n"
	       "}\n");
}

/* Removes the given parts from the range of the giving worker. */
static void put_given(const gemp_nested_emitter *e, int level)
{
	PUT(FIRST,
	    "if (todo)\n"
	    "\tfor (uint i = 0; i < given; i++)\n"
	    "\t\ttodo &= ~(1u << (31 - clz(todo)));\n"
	    "%s\n"
	    "\tstop_$ -= given * size_$;\n",
	    level == LAST ? "else if (parts_2)" : "else");
	if (level == LAST)
		PUT(LAST, "else\n\tstop_$ -= given * size_$;\n");
}

/* Gives parts of the remaining candidates to waiting workers. `next` is the first remaining candidate of this level. A
 * worker checks for waiting workers at most once in REST ticks, since the check is an access to global memory. */
static void put_donation(const gemp_nested_emitter *e, int level, const char *next)
{
	PUT(0, "if (p.queue && NOW - rested >= REST) {\n"
	       "rested = NOW;\n");
	put_left(e, FIRST, level == FIRST ? next : "next_2");
	if (level == LAST)
		put_left(e, LAST, next);
	PUT(0,
	    "const uint most = todo ? popcount(todo) : %s;\n"
	    "uint place = 0;\n"
	    "const uint takers = gemp_reserve(GEMP_GROUP_PASS control, parts, p.queue, min(most, (uint)GEMP_LANES), &place);\n"
	    "const uint given = popcount(takers), nth = popcount(takers & LANES_BELOW);\n"
	    "if (given) {\n",
	    level == LAST ? "parts_2 ? parts_2 : parts_3" : "parts_2");
	put_sizes(e, FIRST);
	if (level == LAST)
		put_sizes(e, LAST);
	put_filling(e, level);
	put_given(e, level);
	PUT(0, "}\n}\n");
}

/* Writes one line for each vertex of `with`, a set of bound vertices; c is the candidate. */
static void compare(const gemp_nested_emitter *e, uint64_t with, const char *format, const char *c)
{
	for (; with; with &= with - 1)
		PUT(0, format, c, __builtin_ctzll(with));
}

/* Comparisons of slots need no branch. A test that reads memory runs only if all tests before it passed. */
void gemp_nested_put_tests(const gemp_nested_emitter *e, const gemp_nested_filters *f, const char *c, const char *which)
{
	compare(e, f->differ, "pass &= %s != v_%d;\n", c);
	compare(e, f->same, "pass &= %s == v_%d;\n", c);
	compare(e, f->less, "pass &= %s < v_%d;\n", c);
	compare(e, f->greater, "pass &= %s > v_%d;\n", c);
	if (f->candidates >= 0)
		PUT(f->candidates, "if (pass) pass = candidate($, %s);\n", c);
	compare(e, f->key_less, "if (pass) pass = key_rank[%s] < key_rank[v_%d];\n", c);
	compare(e, f->key_max, "if (pass) pass = key_rank[%s] <= key_rank[v_%d];\n", c);
	compare(e, f->key_greater, "if (pass) pass = key_rank[%s] > key_rank[v_%d];\n", c);
	compare(e, f->key_min, "if (pass) pass = key_rank[%s] >= key_rank[v_%d];\n", c);
	for (size_t i = 0; i < f->row_count; i++) {
		const gemp_row_filter *row = &f->rows[i];
		char skip[48] = "";
		if (which && row->source)
			snprintf(skip, sizeof skip, "%s == %zu || ", which, i);
		PUT(row->view, "if (pass) pass = %s%shas($, %s, %s);\n", skip, row->absent ? "!" : "",
		    row->from < 0 ? c : gemp_variable("v", row->from).text, c);
	}
}

/* A range of candidates: the entries [cur_T, end_T) of from_T, where T is the tag. from_T is a list or a row that
 * contains all candidates. */
typedef struct range {
	int tag;                   /* number in the names of the range's variables */
	gemp_nested_filters tests; /* the tests of a candidate that are still to be written */
	char which[16];            /* the variable that tells which row is walked; "" if only one row is possible */
} range;

/* Removes row i. The other rows keep their order. */
static void drop_row(gemp_nested_filters *f, size_t i)
{
	f->row_count--;
	for (; i < f->row_count; i++)
		f->rows[i] = f->rows[i + 1];
}

/* Of several rows that contain all candidates, the row of the greatest slot is walked: degree classes descend. */
static void choose_row(const gemp_nested_emitter *e, range *r, const gemp_nested_filters *f)
{
	uint64_t sources = gemp_nested_filters_sources(f);
	int first = __builtin_ctzll(sources), view = f->rows[first].view;
	snprintf(r->which, sizeof r->which, "which_%d", r->tag);
	PUT(r->tag,
	    "uint which_$ = %d, least_$ = v_%d;\n"
	    "__global const uint *from_$ = near_%d, *row_$ = begin_%d;\n",
	    first, f->rows[first].from, view, view);
	for (sources &= sources - 1; sources; sources &= sources - 1) {
		int i = __builtin_ctzll(sources), v = f->rows[i].from;
		view = f->rows[i].view;
		PUT(r->tag,
		    "if (v_%d > least_$) {\n"
		    "which_$ = %d;\n"
		    "least_$ = v_%d;\n"
		    "from_$ = near_%d;\n"
		    "row_$ = begin_%d;\n"
		    "}\n",
		    v, i, v, view, view);
	}
	PUT(r->tag, "uint cur_$ = row_$[least_$], end_$ = row_$[least_$ + 1];\n");
}

/* If only one row contains all candidates, the kernel walks it and does not test membership in it. */
static void open_row(const gemp_nested_emitter *e, range *r, const gemp_nested_filters *f)
{
	uint64_t sources = gemp_nested_filters_sources(f);
	int only = __builtin_ctzll(sources);
	if (sources & (sources - 1)) {
		choose_row(e, r, f);
		return;
	}
	const gemp_row_filter *row = &f->rows[only];
	PUT(r->tag,
	    "__global const uint *from_$ = near_%d;\n"
	    "uint cur_$ = begin_%d[v_%d], end_$ = begin_%d[v_%d + 1];\n",
	    row->view, row->view, row->from, row->view, row->from);
	drop_row(&r->tests, (size_t)only);
}

/* Opens the range that gives the candidates (a list, or a row if list < 0), and cuts it by restrictions on slots.
 * `together` is set if all lanes of a worker open the same range; the lanes then search together. */
static range open_range(const gemp_nested_emitter *e, int tag, int list, const gemp_nested_filters *filters,
                        bool together)
{
	range r = { .tag = tag, .tests = *filters };
	const char *lower = together ? "gemp_lower_together(GEMP_GROUP_PASS " : "gemp_lower(";
	if (list < 0)
		open_row(e, &r, filters);
	else
		PUT(tag, "__global const uint *from_$ = list_%d;\nuint cur_$ = 0, end_$ = n_%d;\n", list, list);
	for (int v = 0; v < e->plan->vertex_count; v++) {
		if (r.tests.less >> v & 1)
			PUT(tag, "end_$ = %sfrom_$, cur_$, end_$, v_%d);\n", lower, v);
		if (r.tests.greater >> v & 1)
			PUT(tag, "cur_$ = %sfrom_$, cur_$, end_$, v_%d + 1);\n", lower, v);
	}
	r.tests.less = r.tests.greater = 0;
	return r;
}

/* Writes the tests of candidate c. Membership is not tested in the row that the kernel walks (r->which). */
static void test_range(const gemp_nested_emitter *e, const range *r, const char *c)
{
	gemp_nested_put_tests(e, &r->tests, c, r->which[0] ? r->which : NULL);
}

/* Opens the range of a level. Filters that the level's list has already tested are not tested again. */
static range open_level(const gemp_nested_emitter *e, int level, bool together)
{
	gemp_nested_filters all, rest;
	int list = e->nested->list_of[level];
	gemp_nested_filters_of(&all, e->plan, &e->plan->steps[level], gemp_nested_bound(e->plan, level - 1));
	if (list < 0)
		return open_range(e, level, -1, &all, together);
	gemp_nested_filters_minus(&rest, &all, &e->nested->lists[list].filters);
	return open_range(e, level, list, &rest, together);
}

/* Tests one candidate for each lane of a worker, from position `at` on. c is the candidate of a lane, and `pass` the
 * result of its test. `stop` is the variable of the end of the range. */
static void put_lanes(const gemp_nested_emitter *e, const range *r, const char *stop)
{
	PUT(r->tag,
	    "uint c = 0;\n"
	    "int pass = at + lane < %s_$;\n"
	    "if (pass) {\n"
	    "c = from_$[at + lane];\n",
	    stop);
	test_range(e, r, "c");
	PUT(0, "}\n");
}

enum { LIST_TAG = 100, MARK_TAG = 200 };

/* Fills a list with the candidates that pass, in order. The number of lower lanes that pass gives the place of a lane's
 * candidate. */
static void put_list(const gemp_nested_emitter *e, int l)
{
	const gemp_nested_set *set = &e->nested->lists[l];
	PUT(l, "uint n_$ = 0;\n{\n");
	range r = open_range(e, LIST_TAG + l, set->base, &set->rest, true);
	PUT(r.tag, "for (uint at = cur_$; at < end_$; at += GEMP_LANES) {\n");
	put_lanes(e, &r, "end");
	PUT(l, "const uint mask = gemp_ballot(pass);\n"
	       "if (pass)\n"
	       "\tlist_$[n_$ + popcount(mask & LANES_BELOW)] = c;\n"
	       "n_$ += popcount(mask);\n"
	       "}\n"
	       "gemp_sync();\n"
	       "}\n");
}

/* Marks the candidates of the last level in the worker's bitmap. */
static void put_mark(const gemp_nested_emitter *e)
{
	const gemp_nested_set *set = &e->nested->marks;
	PUT(0, "{\n");
	range r = open_range(e, MARK_TAG, set->base, &set->rest, true);
	PUT(r.tag, "for (uint at = cur_$ + lane; at < end_$; at += GEMP_LANES) {\n"
	           "const uint c = from_$[at];\n"
	           "int pass = c < p.limit;\n");
	test_range(e, &r, "c");
	PUT(0, "if (pass)\n\tmark(c);\n}\ngemp_sync();\n}\n");
}

/* Clears the marks by walking the same range, or zeroes the bitmap if the bitmap is shorter. The range is opened again,
 * because keeping it would take registers in all loops between. */
static void put_wipe(const gemp_nested_emitter *e)
{
	const gemp_nested_set *set = &e->nested->marks;
	PUT(0, "{\ngemp_sync();\n");
	range r = open_range(e, MARK_TAG, set->base, &set->rest, true);
	PUT(r.tag, "if (end_$ - cur_$ > p.words)\n"
	           "\tfor (uint i = lane; i < p.words; i += GEMP_LANES)\n"
	           "\t\tbits[i] = 0;\n"
	           "else\n"
	           "\tfor (uint at = cur_$ + lane; at < end_$; at += GEMP_LANES)\n"
	           "\t\tunmark(from_$[at]);\n"
	           "gemp_sync();\n"
	           "}\n");
}

/* Marks that depend only on the task's first vertex are kept until the first vertex changes. At the end of the kernel
 * the marks in global memory are wiped, so the next launch finds the bitmap clean. */
void gemp_nested_put_first_marks(const gemp_nested_emitter *e, bool end)
{
	int first = e->plan->steps[0].vertex;
	if (e->nested->leaf != GEMP_LEAF_MARKED || e->nested->marks.level > 0)
		return;
	PUT(first,
	    "if (marked_for != %s && marked_for != ~0u) {\n"
	    "const uint v_$ = marked_for;\n",
	    end ? "~0u" : gemp_variable("v", first).text);
	put_wipe(e);
	PUT(0, "}\n");
	if (end)
		return;
	PUT(first, "if (marked_for != v_$) {\nmarked_for = v_$;\n");
	put_mark(e);
	PUT(0, "}\n");
}

/* The direction and the bound of a walk along a row on the last level. */
typedef struct walk {
	bool back, bounded;
	const char *within; /* the condition that entry c is within the bound */
	const char *none;   /* the value that stands for an entry past the row's end; it fails `within` */
} walk;

/* Rows ascend, so a row with a lower bound is walked from its end. A walk in either direction stops at its bound. */
static walk plan_walk(const gemp_nested_emitter *e, const gemp_nested_filters *all, gemp_nested_filters *rest)
{
	if (!all->greater && !all->less)
		return (walk){ false, false, "c != ~0u", "~0u" };
	PUT(0, "const uint bound = %s;\n", gemp_extreme(all->greater ? all->greater : all->less, all->greater).text);
	if (all->greater) {
		rest->greater = 0;
		return (walk){ true, true, "c > bound", "0u" };
	}
	rest->less = 0;
	return (walk){ false, true, "c < bound", "~0u" };
}

/* Writes the last level with marks: the entries of the row of the vertex before are looked up in the bitmap. A lane
 * loads AHEAD entries before it tests the first of them, which hides the latency of memory. */
static void put_marked(const gemp_nested_emitter *e, const gemp_nested_filters *all)
{
	int v = e->plan->steps[e->nested->levels - 2].vertex;
	gemp_nested_filters rest;
	size_t i = 0;
	gemp_nested_filters_minus(&rest, all, &e->nested->marks.filters);
	while (rest.rows[i].from != v || !rest.rows[i].source)
		i++;
	int view = rest.rows[i].view;
	drop_row(&rest, i);
	walk w = plan_walk(e, all, &rest);
	PUT(view,
	    "const uint first = begin_$[v_%d], length = begin_$[v_%d + 1] - first;\n"
	    "for (uint i = lane %% ROW_LANES; i < length; i += AHEAD * ROW_LANES) {\n"
	    "uint ahead[AHEAD];\n"
	    "#pragma unroll\n"
	    "for (uint k = 0; k < AHEAD; k++) {\n"
	    "const uint j = i + k * ROW_LANES;\n"
	    "ahead[k] = j < length ? near_$[first + %s] : %s;\n"
	    "}\n"
	    "#pragma unroll\n"
	    "for (uint k = 0; k < AHEAD; k++) {\n"
	    "const uint c = ahead[k];\n"
	    "int pass = %s && marked(c);\n",
	    v, v, w.back ? "length - 1 - j" : "j", w.none, w.within);
	if (e->options->folded)
		gemp_nested_put_tests(e, &e->nested->marks.filters, "c", NULL);
	gemp_nested_put_tests(e, &rest, "c", NULL);
	PUT(0, "n += pass;\n}\n");
	if (w.bounded)
		PUT(0, "const uint c = ahead[AHEAD - 1];\nif (!(%s))\n\tbreak;\n", w.within);
	PUT(0, "}\n");
}

/* Walks a row or a list and tests each entry, or looks entries up in the bitmap. Each lane adds its matches to n. */
void gemp_nested_put_leaf(const gemp_nested_emitter *e)
{
	int level = e->nested->levels - 1;
	gemp_nested_filters all;
	gemp_nested_filters_of(&all, e->plan, &e->plan->steps[level], gemp_nested_bound(e->plan, level - 1));
	if (e->nested->leaf == GEMP_LEAF_MARKED) {
		put_marked(e, &all);
		return;
	}
	range r = open_level(e, level, false);
	PUT(r.tag, "for (uint i = cur_$ + lane %% ROW_LANES; i < end_$; i += ROW_LANES) {\n"
	           "const uint c = from_$[i];\n"
	           "int pass = 1;\n");
	test_range(e, &r, "c");
	PUT(0, "n += pass;\n}\n");
}

/* Twins share the same n candidates, so a formula gives the number of ways to choose them. */
void gemp_nested_put_sum(const gemp_nested_emitter *e)
{
	if (e->nested->twins == 1)
		PUT(0, "found += n;\n");
	else
		PUT(0,
		    "for (uint d = ROW_LANES / 2; d; d /= 2)\n"
		    "\tn += gemp_shuffle(n, lane ^ d);\n"
		    "if (lane %% ROW_LANES == 0) {\n"
		    "const ulong ways = gemp_choose(n, %d, %d, &over);\n"
		    "found += ways;\n"
		    "over |= found < ways;\n"
		    "}\n",
		    e->nested->twins, (int)e->nested->ways);
}

/* On the last level but one, each group of ROW_LANES lanes takes one candidate and walks the last level together. */
static void put_rows(const gemp_nested_emitter *e, const range *r, int level)
{
	gemp_expression candidate = gemp_variable("v", e->plan->steps[level].vertex);
	PUT(level,
	    "for (uint at = start_$; at < stop_$; at += ROWS) {\n"
	    "const uint k = at + lane / ROW_LANES;\n"
	    "uint n = 0;\n"
	    "if (k < stop_$) {\n"
	    "const uint %s = from_$[k];\n"
	    "int pass = 1;\n",
	    candidate.text);
	test_range(e, r, candidate.text);
	PUT(0, "if (pass) {\n");
	gemp_nested_put_leaf(e);
	PUT(0, "}\n}\n");
	gemp_nested_put_sum(e);
	if (is_shared(level)) {
		PUT(0, "spent += ROWS;\n");
		put_donation(e, level, "at + ROWS");
	}
	PUT(0, "}\n");
}

/* Marks that depend on the vertex of the level above are set before the loop and wiped after it. */
static void put_last_but_one(const gemp_nested_emitter *e, int level)
{
	range r = open_level(e, level, true);
	bool marked = e->nested->leaf == GEMP_LEAF_MARKED && e->nested->marks.level == level - 1;
	put_bounds(e, level);
	PUT(level, "if (start_$ < stop_$) {\n");
	if (marked)
		put_mark(e);
	if (!is_shared(level))
		PUT(level, "spent += stop_$ - start_$;\n");
	put_rows(e, &r, level);
	if (marked)
		put_wipe(e);
	PUT(0, "}\n");
}

/* All lanes test candidates together. Then they work together on each candidate that passed. */
static void put_visits(const gemp_nested_emitter *e, int level)
{
	range r = open_level(e, level, true);
	put_bounds(e, level);
	PUT(level, "for (uint at = start_$; at < stop_$; at += GEMP_LANES) {\n");
	put_lanes(e, &r, "stop");
	PUT(level,
	    "for (uint mask = gemp_ballot(pass); mask && at + lowest(mask) < stop_$; mask &= mask - 1) {\n"
	    "const uint turn = lowest(mask);\n"
	    "const uint v_%d = gemp_shuffle(c, turn);\n",
	    e->plan->steps[level].vertex);
	if (is_shared(level)) {
		PUT(level, "const uint next_$ = at + turn + 1;\n");
		put_donation(e, level, level == 2 ? "next_2" : "next_3");
	}
	gemp_nested_put_level(e, level);
	PUT(0, "}\n}\n");
}

/* Lists and marks that depend on this level's vertex are filled before the next level is opened. */
void gemp_nested_put_level(const gemp_nested_emitter *e, int level)
{
	const gemp_nested *n = e->nested;
	for (size_t l = 0; l < n->list_count; l++)
		if (n->lists[l].level == level)
			put_list(e, (int)l);
	bool marked = n->leaf == GEMP_LEAF_MARKED && n->marks.level == level && level < n->levels - 3;
	if (marked)
		put_mark(e);
	PUT(0, "{\n");
	if (level == n->levels - 3)
		put_last_but_one(e, level + 1);
	else
		put_visits(e, level + 1);
	PUT(0, "}\n");
	if (marked)
		put_wipe(e);
}
