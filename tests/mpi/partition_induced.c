/* Tests induced subgraphs against the whole graph, which every rank has. */
#include "core/memory.h"
#include "graph_fixture.h"

#include "comm/comm.h"
#include "core/random.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "partition/derived/induced.h"

enum { CASES = 16 };

/* A graph that is distributed over the ranks, and the same graph whole on each rank. */
typedef struct case_graph {
	gemp_shard *distributed, *whole;
} case_graph;

static gemp_comm alone;

static void graph_new(case_graph *g, size_t vertices, size_t edges, bool undirected, uint64_t seed)
{
	fixture made = fixture_new(vertices, edges, KEYS_INTEGER, seed);
	gemp_builder_options options = { .seed = seed, .undirected = undirected };
	assert_all_ok(fixture_build(&g->distributed, &made, &test_comm, &options, seed));
	assert_all_ok(fixture_build(&g->whole, &made, &alone, &options, seed));
	fixture_free(&made);
}

static bool is_kept(const uint32_t *bits, uint64_t id)
{
	return bits[id / 32] >> id % 32 & 1;
}

static bool equal_values(const gemp_column *a, size_t i, const gemp_column *b, size_t k)
{
	gemp_value x = gemp_column_get(a, i), y = gemp_column_get(b, k);
	bool comparable;
	if (x.null || y.null)
		return x.null == y.null;
	return x.type == y.type && gemp_value_compare(&x, &y, &comparable) == 0 && comparable;
}

static bool equal_rows(const gemp_table *a, size_t i, const gemp_table *b, size_t k)
{
	bool equal = a->count == b->count;
	for (size_t c = 0; equal && c < a->count; c++)
		equal = equal_values(&a->columns[c], i, &b->columns[c], k);
	return equal;
}

/* Does the row hold exactly the kept entries of the row in the whole graph, in the same order? */
static bool row_is_right(const gemp_induced *i, const gemp_shard *whole, const uint32_t *bits, size_t r, size_t row)
{
	const gemp_relation *has = &i->graph->relations[r], *all = &whole->relations[r];
	size_t old = i->vertex[i->graph->first_vertex + row];
	uint64_t at = has->out_offsets[row], in = has->in_offsets[row];
	bool right = true;
	for (uint64_t e = all->out_offsets[old]; right && e < all->out_offsets[old + 1]; e++)
		if (is_kept(bits, all->out_targets[e])) {
			right = at < has->out_offsets[row + 1] && i->vertex[has->out_targets[at]] == all->out_targets[e] &&
			        i->edge[r][at] == e && equal_rows(&has->props, at, &all->props, e);
			at++;
		}
	for (uint64_t e = all->in_offsets[old]; right && e < all->in_offsets[old + 1]; e++)
		if (is_kept(bits, all->in_sources[e]))
			right = in < has->in_offsets[row + 1] && i->vertex[has->in_sources[in++]] == all->in_sources[e];
	return right && at == has->out_offsets[row + 1] && in == has->in_offsets[row + 1];
}

static bool vertex_is_right(const gemp_induced *i, const gemp_shard *whole, size_t row)
{
	const gemp_shard *g = i->graph;
	size_t old = i->vertex[g->first_vertex + row];
	return equal_values(&g->keys, row, &whole->keys, old) && g->key_ranks[row] == whole->key_ranks[old] &&
	       g->label_set_of[row] == whole->label_set_of[old] && equal_rows(&g->attributes, row, &whole->attributes, old);
}

static uint64_t count_edges(const gemp_shard *whole, const uint32_t *bits, size_t r)
{
	uint64_t edges = 0;
	for (size_t v = 0; v < whole->vertex_count; v++)
		for (uint64_t e = whole->relations[r].out_offsets[v]; e < whole->relations[r].out_offsets[v + 1]; e++)
			edges += is_kept(bits, v) && is_kept(bits, whole->relations[r].out_targets[e]);
	return edges;
}

static void check(const case_graph *g, const uint32_t *bits, const bool *wanted)
{
	gemp_induced i;
	uint64_t kept = 0;
	bool right = true;
	assert_all_ok(gemp_induced_new(&i, &test_comm, g->distributed, bits, wanted));
	for (uint64_t id = 0; id < g->whole->vertex_count; id++)
		if (is_kept(bits, id))
			right &= i.vertex[kept++] == id;
	assert_all(right && i.graph->vertex_count == kept && i.graph->bounds[i.graph->ranks] == kept);
	for (size_t row = 0; row < i.graph->rows; row++) {
		right &= gemp_shard_owner(g->distributed, i.vertex[i.graph->first_vertex + row]) == test_comm.rank;
		right &= vertex_is_right(&i, g->whole, row);
	}
	for (size_t r = 0; r < i.graph->relation_count; r++) {
		right &= strcmp(i.graph->relations[r].name, g->whole->relations[r].name) == 0;
		right &= i.graph->relations[r].edge_count == (wanted[r] ? count_edges(g->whole, bits, r) : 0);
		assert_all_ok(gemp_shard_load_relation(i.graph, r, GEMP_LOAD_ALL));
		for (size_t row = 0; row < i.graph->rows && wanted[r]; row++)
			right &= row_is_right(&i, g->whole, bits, r, row);
	}
	assert_all(right);
	gemp_induced_free(&i);
}

static void random_induced_graphs(void **state)
{
	(void)state;
	uint64_t seed = 77;
	gemp_comm_new(&alone, MPI_COMM_SELF);
	for (size_t i = 0; i < CASES; i++) {
		case_graph g;
		bool wanted[8] = { false };
		print_message("case %zu, seed %llu\n", i, (unsigned long long)seed);
		graph_new(&g, 1 + gemp_random_below(&seed, 90), gemp_random_below(&seed, 300), i % 5 == 4, seed);
		uint32_t *bits = calloc(g.whole->vertex_count / 32 + 1, sizeof *bits);
		uint64_t share = i == 0 ? 0 : i == 1 ? 4 : gemp_random_below(&seed, 5);
		for (uint64_t id = 0; id < g.whole->vertex_count; id++)
			if (gemp_random_below(&seed, 4) < share)
				bits[id / 32] |= UINT32_C(1) << id % 32;
		for (size_t r = 0; r < 8; r++)
			wanted[r] = gemp_random_below(&seed, 4) > 0;
		assert_true(g.whole->relation_count <= 8);
		check(&g, bits, wanted);
		free(bits);
		gemp_shard_free(g.distributed);
		gemp_shard_free(g.whole);
	}
	gemp_comm_free(&alone);
	assert_all(gemp_memory_blocks() == 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_induced_graphs),
	};
	return test_main_all(argc, argv, tests);
}
