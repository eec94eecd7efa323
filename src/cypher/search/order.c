/* Rows are sorted by radix sorts over the ranks of their vertices' keys, the last vertex first, because each of these
 * sorts is stable. Rows with equal vertices have different relationships. These are few as a rule, and are compared
 * one by one: relationships by type, by the ranks of their ends and by number, trails from their beginning on. */

#include "cypher/search/order.h"

#include "core/memory.h"
#include "primitive/sort.h"

#include <stdlib.h>

/* The comparison of rows with equal vertices. The ends of relationships and the ranks of vertices on trails are in the
 * store before it begins, so comparisons do not fail. */
typedef struct comparison {
	gemp_cypher_answer *answer;
	gemp_code code;
} comparison;

/* VERTICES */

/* Vertices of the row before the pattern are the same in all rows that extend it. */
static gemp_code meet_vertices(const gemp_cypher_answer *a)
{
	for (size_t v = 0; v < a->plan->vertex_count; v++)
		for (size_t row = 0; row < a->frame.rows && !a->plan->vertices[v].given; row++)
			GEMP_TRY(gemp_cypher_store_add_vertex(
				&a->search->store, (gemp_vertex)gemp_cypher_frame_row(&a->frame, row)[gemp_cypher_vertex_cell(v)]));
	return GEMP_OK;
}

/* A key holds a number of 32 bits, or the number of the extended row. */
static gemp_code sort_by(gemp_cypher_answer *a, size_t *order, uint64_t *keys)
{
	const gemp_sort sort = { .key = GEMP_KEY_U64, .value_size = sizeof *order };
	return gemp_sort_host(&sort, keys, order, a->frame.rows);
}

static gemp_code sort_by_vertex(gemp_cypher_answer *a, size_t vertex, size_t *order, uint64_t *keys)
{
	for (size_t i = 0; i < a->frame.rows; i++) {
		const uint64_t id = gemp_cypher_frame_row(&a->frame, order[i])[gemp_cypher_vertex_cell(vertex)];
		uint32_t rank;
		GEMP_TRY(gemp_cypher_store_rank(&a->search->store, (gemp_vertex)id, &rank));
		keys[i] = rank;
	}
	return sort_by(a, order, keys);
}

/* Later steps may not keep the order of the rows that they extend. */
static gemp_code sort_by_origin(gemp_cypher_answer *a, size_t *order, uint64_t *keys)
{
	bool sorted = true;
	for (size_t i = 0; i < a->frame.rows; i++) {
		keys[i] = gemp_cypher_frame_row(&a->frame, order[i])[0];
		sorted = sorted && (i == 0 || keys[i - 1] <= keys[i]);
	}
	return sorted ? GEMP_OK : sort_by(a, order, keys);
}

static gemp_code sort_by_vertices(gemp_cypher_answer *a, size_t *order)
{
	GEMP_OWNED uint64_t *keys = NULL;
	GEMP_TRY(GEMP_NEW(keys, a->frame.rows));
	GEMP_TRY(meet_vertices(a));
	for (size_t v = a->plan->vertex_count; v-- > 0;)
		if (!a->plan->vertices[v].given)
			GEMP_TRY(sort_by_vertex(a, v, order, keys));
	return sort_by_origin(a, order, keys);
}

/* RELATIONSHIPS */

static int compare_numbers(uint64_t x, uint64_t y)
{
	return (x > y) - (x < y);
}

static int compare_edges(comparison *c, gemp_edge x, gemp_edge y)
{
	gemp_cypher_store *s = &c->answer->search->store;
	gemp_cypher_ends ends[2] = { { 0 } };
	uint32_t ranks[4] = { 0 };
	if (x == y)
		return 0;
	int order = compare_numbers(gemp_cypher_store_relation(s, x), gemp_cypher_store_relation(s, y));
	gemp_code code = gemp_cypher_store_ends(s, x, &ends[0]);
	GEMP_THEN(gemp_cypher_store_ends(s, y, &ends[1]));
	for (int i = 0; i < 2; i++) {
		GEMP_THEN(gemp_cypher_store_rank(s, ends[i].source, &ranks[i]));
		GEMP_THEN(gemp_cypher_store_rank(s, ends[i].target, &ranks[2 + i]));
	}
	if (code != GEMP_OK)
		c->code = code;
	if (order == 0)
		order = compare_numbers(ranks[0], ranks[1]);
	if (order == 0)
		order = compare_numbers(ranks[2], ranks[3]);
	return order ? order : compare_numbers(x, y);
}

/* The edges of two trails of equal length are compared from their beginning on. */
static int compare_trails(comparison *c, const gemp_cypher_trail *x, const gemp_cypher_trail *y)
{
	const gemp_cypher_trail *trails = c->answer->trails.trails;
	if (x->length != y->length || x->length == 0)
		return compare_numbers(x->length, y->length);
	const int order = compare_trails(c, &trails[x->parent], &trails[y->parent]);
	return order ? order : compare_edges(c, x->edge, y->edge);
}

static int compare_rows(const void *a, const void *b, void *context)
{
	comparison *c = context;
	const gemp_cypher_answer *answer = c->answer;
	const gemp_cypher_match_plan *plan = answer->plan;
	const uint64_t *x = gemp_cypher_frame_row(&answer->frame, *(const size_t *)a);
	const uint64_t *y = gemp_cypher_frame_row(&answer->frame, *(const size_t *)b);
	const gemp_cypher_trail *trails = answer->trails.trails;
	int order = 0;
	for (size_t h = 0; h < plan->hop_count && order == 0; h++) {
		const uint64_t i = x[gemp_cypher_hop_cell(plan, h)], j = y[gemp_cypher_hop_cell(plan, h)];
		order = gemp_cypher_hop_has_trail(&plan->hops[h]) ? compare_trails(c, &trails[i], &trails[j])
		                                                  : compare_edges(c, i, j);
	}
	return order ? order : compare_numbers(*(const size_t *)a, *(const size_t *)b);
}

static bool same_vertices(const gemp_cypher_answer *a, size_t i, size_t j)
{
	const uint64_t *x = gemp_cypher_frame_row(&a->frame, i), *y = gemp_cypher_frame_row(&a->frame, j);
	for (size_t cell = 0; cell <= a->plan->vertex_count; cell++)
		if (x[cell] != y[cell])
			return false;
	return true;
}

/* Meets the relationships of a row, so that the ends of all rows with equal vertices are fetched together. */
static gemp_code meet_hops(const gemp_cypher_answer *a, size_t row)
{
	const uint64_t *cells = gemp_cypher_frame_row(&a->frame, row);
	gemp_cypher_store *s = &a->search->store;
	for (size_t h = 0; h < a->plan->hop_count; h++) {
		const uint64_t cell = cells[gemp_cypher_hop_cell(a->plan, h)];
		const gemp_cypher_trail *trails = a->trails.trails;
		if (!gemp_cypher_hop_has_trail(&a->plan->hops[h]))
			GEMP_TRY(gemp_cypher_store_add_edge(s, cell));
		else
			for (const gemp_cypher_trail *t = &trails[cell]; t->length; t = &trails[t->parent])
				GEMP_TRY(gemp_cypher_store_add_edge(s, t->edge));
	}
	return GEMP_OK;
}

/* Calls meet_hops for the rows of each run of rows with equal vertices, or sorts these runs. */
static gemp_code visit_runs(gemp_cypher_answer *a, size_t *order, bool sorts)
{
	comparison c = { .answer = a };
	for (size_t begin = 0, end; begin < a->frame.rows; begin = end) {
		for (end = begin + 1; end < a->frame.rows && same_vertices(a, order[begin], order[end]);)
			end++;
		if (end - begin > 1 && sorts)
			qsort_r(order + begin, end - begin, sizeof *order, compare_rows, &c);
		for (size_t i = begin; i < end && end - begin > 1 && !sorts; i++)
			GEMP_TRY(meet_hops(a, order[i]));
	}
	return c.code;
}

gemp_code gemp_cypher_order_rows(gemp_cypher_answer *answer, size_t **out)
{
	GEMP_OWNED size_t *order = NULL;
	GEMP_TRY(GEMP_NEW(order, answer->frame.rows));
	for (size_t i = 0; i < answer->frame.rows; i++)
		order[i] = i;
	if (answer->frame.rows > 1) {
		GEMP_TRY(sort_by_vertices(answer, order));
		GEMP_TRY(visit_runs(answer, order, false));
		GEMP_TRY(visit_runs(answer, order, true));
	}
	*out = order;
	order = NULL;
	return GEMP_OK;
}
