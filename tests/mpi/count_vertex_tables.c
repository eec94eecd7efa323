/* Compares tables of random tree patterns on random multigraphs with loops, parallel and reciprocal edges with a
 * recursion over the list of edges. */
#include "harness/collective.h"

#include "core/bitset.h"
#include "count/vertex_tables.h"
#include "graph_fixture.h"

enum { MAX_TREE = 6, MAX_RELATIONS = 3 };

typedef struct tree_case {
	gemp_shard *distributed, *whole; /* one graph, split and on each rank */
	gemp_tree_vertex vertices[MAX_TREE];
	bool relations[MAX_TREE][MAX_RELATIONS];
	uint32_t *bits[MAX_TREE]; /* NULL: any vertex */
	size_t count;
} tree_case;

static gemp_comm alone;

static int open_comm(void **state)
{
	(void)state;
	gemp_comm_new(&alone, MPI_COMM_SELF);
	return 0;
}

static int close_comm(void **state)
{
	(void)state;
	gemp_comm_free(&alone);
	return gemp_memory_blocks() == 0 ? 0 : -1;
}

static uint64_t matches_at(const tree_case *t, size_t p, gemp_vertex v);

/* The matches of the subtree of p over all edges that lead from v to an image of p. */
static uint64_t matches_over_edges(const tree_case *t, size_t p, gemp_vertex v)
{
	const gemp_view_key *key = &t->vertices[p].key;
	uint64_t sum = 0;
	for (size_t k = 0; k < t->whole->relation_count; k++) {
		const gemp_relation *relation = &t->whole->relations[k];
		for (gemp_vertex u = 0; key->relations[k] && u < t->whole->vertex_count; u++)
			for (uint64_t i = relation->out_offsets[u]; i < relation->out_offsets[u + 1]; i++) {
				const gemp_vertex w = relation->out_targets[i];
				if (u == v && key->direction != GEMP_VIEW_IN)
					sum += matches_at(t, p, w);
				if (w == v && key->direction != GEMP_VIEW_OUT && (u != v || key->direction == GEMP_VIEW_IN))
					sum += matches_at(t, p, u);
			}
	}
	return sum;
}

static uint64_t matches_at(const tree_case *t, size_t p, gemp_vertex v)
{
	uint64_t product = !t->bits[p] || gemp_bits32_test(t->bits[p], v);
	for (size_t child = p + 1; child < t->count && product; child++)
		if (t->vertices[child].parent == (int)p)
			product *= matches_over_edges(t, child, v);
	return product;
}

static void random_tree(tree_case *t, uint64_t *random)
{
	const size_t words = gemp_bits32_words(t->whole->vertex_count) + 1;
	t->count = 1 + gemp_random_below(random, MAX_TREE);
	for (size_t p = 0; p < t->count; p++) {
		gemp_tree_vertex *vertex = &t->vertices[p];
		for (size_t k = 0; k < MAX_RELATIONS; k++)
			t->relations[p][k] = gemp_random_below(random, 2);
		*vertex = (gemp_tree_vertex){ .parent = p ? (int)gemp_random_below(random, p) : -1 };
		vertex->key.relations = t->relations[p];
		vertex->key.direction = (gemp_view_direction)gemp_random_below(random, 3);
		t->bits[p] = gemp_random_below(random, 2) ? gemp_calloc(words, sizeof **t->bits) : NULL;
		for (uint64_t v = 0; t->bits[p] && v < t->whole->vertex_count; v++)
			if (gemp_random_below(random, 3))
				gemp_bits32_set(t->bits[p], v);
		vertex->bits = t->bits[p];
	}
}

static void check_tree(tree_case *t)
{
	GEMP_OWNED uint64_t *table = NULL;
	const gemp_shard *graph = t->distributed;
	bool right = true;
	unsigned __int128 sum = 0;
	assert_all_ok(gemp_tree_table(&table, &test_comm, t->distributed, t->vertices, t->count));
	for (size_t v = 0; v < graph->rows; v++) {
		const uint64_t expected = matches_at(t, 0, (gemp_vertex)(graph->first_vertex + v));
		right &= table[v] == expected;
		sum += expected;
	}
	assert_all(right);
	assert_all(gemp_vertex_table_sum(table, graph->rows) == sum);
}

/* FOLDS */

/* What the values of tree vertex `at` become over all homomorphisms of the subtree of p with v as the image of p. */
static uint64_t folded_at(const tree_case *t, size_t p, gemp_vertex v, const gemp_tree_fold *fold,
                          const uint64_t *values);

static uint64_t put_together(gemp_fold_kind kind, uint64_t a, uint64_t b)
{
	return kind == GEMP_FOLD_SUM ? a + b : kind == GEMP_FOLD_MAX ? gemp_max(a, b) : a | b;
}

static uint64_t folded_over_edges(const tree_case *t, size_t p, gemp_vertex v, const gemp_tree_fold *fold,
                                  const uint64_t *values)
{
	const gemp_view_key *key = &t->vertices[p].key;
	uint64_t folded = 0;
	for (size_t k = 0; k < t->whole->relation_count; k++) {
		const gemp_relation *relation = &t->whole->relations[k];
		for (gemp_vertex u = 0; key->relations[k] && u < t->whole->vertex_count; u++)
			for (uint64_t i = relation->out_offsets[u]; i < relation->out_offsets[u + 1]; i++) {
				const gemp_vertex w = relation->out_targets[i];
				if (u == v && key->direction != GEMP_VIEW_IN)
					folded = put_together(fold->kind, folded, folded_at(t, p, w, fold, values));
				if (w == v && key->direction != GEMP_VIEW_OUT && (u != v || key->direction == GEMP_VIEW_IN))
					folded = put_together(fold->kind, folded, folded_at(t, p, u, fold, values));
			}
	}
	return folded;
}

static bool is_above(const tree_case *t, size_t p, size_t at)
{
	int v = (int)at;
	while (v > (int)p)
		v = t->vertices[v].parent;
	return v == (int)p;
}

static uint64_t folded_at(const tree_case *t, size_t p, gemp_vertex v, const gemp_tree_fold *fold,
                          const uint64_t *values)
{
	uint64_t others = !t->bits[p] || gemp_bits32_test(t->bits[p], v), folded = p == fold->at ? values[v] : 0;
	for (size_t child = p + 1; child < t->count; child++) {
		if (t->vertices[child].parent != (int)p)
			continue;
		if (is_above(t, child, fold->at))
			folded = folded_over_edges(t, child, v, fold, values);
		else
			others *= matches_over_edges(t, child, v);
	}
	return fold->kind == GEMP_FOLD_SUM ? folded * others : others ? folded : 0;
}

/* Values are 0 at vertices that are no candidates, and at some others. */
static void check_fold(tree_case *t, uint64_t *random)
{
	const gemp_shard *graph = t->distributed;
	gemp_tree_fold fold = { .at = gemp_random_below(random, t->count),
		                    .kind = (gemp_fold_kind)gemp_random_below(random, 3) };
	GEMP_OWNED uint64_t *values = NULL, *table = NULL;
	bool right = true;
	assert_all_ok(GEMP_NEW(values, graph->vertex_count));
	for (uint64_t v = 0; v < graph->vertex_count; v++) {
		const uint64_t value = gemp_random_below(random, 4) ? gemp_random(random) : 0;
		values[v] = !t->bits[fold.at] || gemp_bits32_test(t->bits[fold.at], v) ? value : 0;
	}
	assert_all_ok(GEMP_COPY(fold.values, values + graph->first_vertex, graph->rows));
	assert_all_ok(gemp_tree_table_fold(&table, &test_comm, t->distributed, t->vertices, t->count, &fold));
	for (size_t v = 0; v < graph->rows; v++)
		right &= table[v] == folded_at(t, 0, (gemp_vertex)(graph->first_vertex + v), &fold, values);
	assert_all(right && !fold.values);
}

static void random_trees(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	for (size_t i = 0; i < 6; i++) {
		tree_case t = { 0 };
		const uint64_t seed = gemp_random(&random);
		fixture made = fixture_new(i ? 23 + 20 * i : 1, 40 + 30 * i, KEYS_INTEGER, seed);
		gemp_builder_options options = { .seed = seed, .undirected = i == 2 };
		assert_all_ok(fixture_build(&t.distributed, &made, &test_comm, &options, seed));
		assert_all_ok(fixture_build(&t.whole, &made, &alone, &options, seed));
		fixture_free(&made);
		for (size_t k = 0; k < 12; k++) {
			random_tree(&t, &random);
			check_tree(&t);
			check_fold(&t, &random);
			for (size_t p = 0; p < t.count; p++)
				gemp_free(t.bits[p]);
		}
		gemp_shard_free(t.distributed);
		gemp_shard_free(t.whole);
	}
}

/* A vertex with 70,000 loops has 70,000^4 > 2^64 stars of four edges. */
static void numbers_beyond_64_bits(void **state)
{
	(void)state;
	GEMP_OWNED uint64_t *table = NULL;
	bool relations[1] = { true };
	gemp_tree_vertex star[5] = { { .parent = -1 } };
	gemp_builder *builder = NULL;
	gemp_shard *graph = NULL;
	uint32_t file;
	const gemp_value key = { .type = GEMP_INTEGER, .integer = 7 };
	gemp_code code = gemp_builder_new(&builder, &test_comm, &(gemp_builder_options){ .seed = 1 });
	assert_all_ok(code);
	assert_all_ok(gemp_builder_file(builder, "made", &file));
	if (test_comm.rank == 0)
		code = gemp_builder_vertex(builder, &key, "", 0, (gemp_place){ file, 1 });
	for (uint64_t i = 0; i < 70000 && test_comm.rank == 0 && code == GEMP_OK; i++)
		code = gemp_builder_edge(builder, &key, &key, "LOOP", 4, (gemp_place){ file, i });
	assert_all_ok(code);
	assert_all_ok(gemp_builder_finish(builder, &graph));
	gemp_builder_free(builder);
	for (int leaf = 1; leaf < 5; leaf++)
		star[leaf].key.relations = relations;
	assert_all_ok(gemp_tree_table(&table, &test_comm, graph, star, 4));
	assert_all(!graph->rows || table[0] == UINT64_C(70000) * 70000 * 70000);
	gemp_free(table);
	assert_all_code(gemp_tree_table(&table, &test_comm, graph, star, 5), GEMP_EDATA);
	star[4].parent = 3; /* the numbers of a leaf's neighbours are added up */
	star[3].parent = 2;
	star[2].parent = 1;
	assert_all_code(gemp_tree_table(&table, &test_comm, graph, star, 5), GEMP_EDATA);
	gemp_shard_free(graph);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(random_trees, open_comm, close_comm),
		cmocka_unit_test_setup_teardown(numbers_beyond_64_bits, open_comm, close_comm),
	};
	return test_main_all(argc, argv, tests);
}
