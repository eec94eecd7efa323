/* Tests that pivots of samples, which are drawn by blocks of vertices, are those of a walk over all vertices, and that
 * the order of vertices is the order of slots. */
#include "match_case.h"

#include "core/bitset.h"
#include "core/random.h"
#include "match/planner/sample_pivots.h"

enum { VERTICES = 3000, EDGES = 7000, DRAWS = 40, PAIRS = 500 };

/* Expects the pivots of a walk over all own vertices, one after the other. */
typedef struct walk {
	const gemp_candidates *candidates;
	const gemp_shard *graph;
	const uint64_t *degree; /* [graph->rows] */
	int vertex;
	bool all;
	double stride, next, sum;
	size_t at; /* row of the next candidate that has not been added to the sum */
	size_t taken, wrong;
	gemp_vertex last; /* candidate whose draws are not over */
	double last_size;
} walk;

/* Moves to the next candidate. Returns false after the last one. */
static bool next_candidate(walk *w)
{
	for (; w->at < w->graph->rows; w->at++) {
		w->last = (gemp_vertex)(w->graph->first_vertex + w->at);
		if (!gemp_candidates_has(w->candidates, w->vertex, w->last))
			continue;
		w->last_size = 1 + (double)w->degree[w->at++];
		w->sum += w->last_size;
		return true;
	}
	return false;
}

static gemp_code take(void *self, gemp_vertex id, double weight)
{
	walk *w = self;
	if (w->all) {
		w->wrong += !next_candidate(w) || id != w->last || weight != 1;
	} else {
		while (w->next >= w->sum && next_candidate(w))
			;
		w->wrong += w->next >= w->sum || id != w->last || weight != w->stride / w->last_size;
		w->next += w->stride;
	}
	w->taken++;
	return GEMP_OK;
}

/* The walk has no draw left, either. */
static bool is_over(walk *w)
{
	if (w->all)
		return !next_candidate(w);
	while (w->next >= w->sum)
		if (!next_candidate(w))
			return true;
	return false;
}

static void check_draw(gemp_sample_pivots *pivots, const case_graph *g, const uint64_t *degree, uint64_t *random)
{
	const gemp_shard *graph = g->distributed;
	const double unit = gemp_random_unit(random);
	const size_t wanted = 1 + gemp_random_below(random, gemp_random_below(random, 2) ? 20 : 2 * VERTICES);
	walk w = {
		.candidates = pivots->candidates, .graph = graph, .degree = degree, .vertex = (int)gemp_random_below(random, 3)
	};
	uint64_t expected = 0, count;
	double total = 0;
	for (size_t v = 0; v < graph->rows; v++)
		if (gemp_candidates_has(w.candidates, w.vertex, graph->first_vertex + v)) {
			expected++;
			total += 1 + (double)degree[v];
		}
	w.all = expected <= wanted;
	w.stride = total / (double)wanted;
	w.next = w.stride * unit;
	assert_all_ok(gemp_sample_pivots_draw(pivots, w.vertex, wanted, unit, take, &w, &count));
	assert_int_equal(count, expected);
	assert_int_equal(w.wrong, 0);
	assert_true(is_over(&w));
	assert_true(w.all || w.taken + 1 >= wanted);
}

/* Candidates of vertex 0 are dense, those of vertex 1 few or none. Vertex 2 has no bitmap. */
static void random_candidates(gemp_candidates *out, uint64_t vertices, uint64_t *random)
{
	const uint64_t rare = gemp_random_below(random, 6);
	*out = (gemp_candidates){ .words = gemp_bits32_words(vertices) };
	assert_all_ok(GEMP_NEW(out->bits[0], out->words + 1));
	assert_all_ok(GEMP_NEW(out->bits[1], out->words + 1));
	for (uint64_t v = 0; v < vertices; v++)
		if (gemp_random_below(random, 4))
			gemp_bits32_set(out->bits[0], v);
	for (uint64_t i = 0; i < rare; i++)
		gemp_bits32_set(out->bits[1], gemp_random_below(random, vertices));
}

static void draws_and_order(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	for (int graphs = 0; graphs < 4; graphs++) {
		case_graph g;
		gemp_candidates candidates;
		gemp_sample_pivots pivots;
		static const question asked = { .text = "MATCH (a)-[:KNOWS]->(b)-[:ACTS_IN]-(c) RETURN a" };
		graph_new(&g, graphs ? VERTICES : 2, graphs ? EDGES : 3, graphs == 2, gemp_random(&random));
		gemp_pattern *pattern = parse_question(&asked, g.distributed);
		if (!pattern) {
			graph_free(&g);
			continue;
		}
		const gemp_view_key key = { pattern->edges[0].relations, GEMP_VIEW_EITHER, false, false };
		bool *relations = pattern->edges[0].relations;
		for (size_t r = 0; r < pattern->relation_count; r++)
			relations[r] |= pattern->edges[1].relations[r];
		uint64_t *degree = calloc(g.whole->vertex_count, sizeof *degree);
		gemp_view_degrees(g.whole, &key, degree);
		random_candidates(&candidates, g.whole->vertex_count, &random);
		assert_all_ok(gemp_sample_pivots_new(&pivots, context, g.distributed, pattern, &candidates));
		for (int i = 0; i < DRAWS; i++)
			check_draw(&pivots, &g, degree + g.distributed->first_vertex, &random);
		for (int i = 0; i < PAIRS; i++) {
			gemp_vertex a = (gemp_vertex)gemp_random_below(&random, g.whole->vertex_count);
			gemp_vertex b = (gemp_vertex)gemp_random_below(&random, g.whole->vertex_count);
			unsigned x = gemp_degree_class(degree[a]), y = gemp_degree_class(degree[b]);
			assert_int_equal(gemp_sample_pivots_before(&pivots, a, b), x != y ? x > y : a < b);
		}
		gemp_sample_pivots_free(&pivots);
		gemp_candidates_free(&candidates);
		gemp_pattern_free(pattern);
		free(degree);
		graph_free(&g);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(draws_and_order, open_context, close_context),
	};
	return test_main_all(argc, argv, tests);
}
