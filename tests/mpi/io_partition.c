/* Tests graphs whose ids are ordered by partitions. The order must be right, must not depend on the number of ranks,
 * and can be undone. */
#include "comm/comm.h"
#include "core/log.h"
#include "core/search.h"
#include "core/status.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "io/graph_file/graph_file_read.h"
#include "io/graph_file/graph_file_verify.h"
#include "io/graph_file/graph_file_write.h"
#include "mpi/graph_fixture.h"
#include "partition/cut/partitioner.h"
#include "partition/derived/renumber.h"

#include "core/memory.h"

static gemp_comm self;

static gemp_shard *build(const fixture *made, const gemp_comm *comm, uint64_t order, bool undirected)
{
	gemp_shard *graph = NULL;
	gemp_builder_options options = { .seed = 9, .undirected = undirected };
	test_assert_code(fixture_build(&graph, made, comm, &options, order), GEMP_OK, "build", __FILE__, __LINE__);
	return graph;
}

/* Returns by_key[k] for each vertex of this rank, where k is the rank of the vertex's key. */
static uint32_t *by_row(const gemp_shard *graph, const uint32_t *by_key)
{
	uint32_t *part = calloc(graph->rows + 1, sizeof *part);
	for (size_t v = 0; v < graph->rows; v++)
		part[v] = by_key[graph->key_ranks[v]];
	return part;
}

static gemp_shard *renumber(const gemp_comm *comm, gemp_shard *graph, const uint32_t *by_key, uint64_t parts)
{
	gemp_shard *out = NULL;
	uint32_t *part = by_row(graph, by_key);
	gemp_code code = gemp_shard_renumber(&out, comm, graph, part, parts, "block");
	free(part);
	test_assert_code(code, GEMP_OK, "renumber", __FILE__, __LINE__);
	return out;
}

/* Returns the id of each key rank. `whole` is a graph of one rank. */
static uint32_t *ids_by_key(const gemp_shard *whole)
{
	uint32_t *id = calloc(whole->vertex_count + 1, sizeof *id);
	for (size_t v = 0; v < whole->rows; v++)
		id[whole->key_ranks[v]] = (uint32_t)v;
	return id;
}

static bool in_order(const gemp_shard *before, const gemp_shard *after, const uint32_t *by_key, uint64_t parts)
{
	uint32_t *old = ids_by_key(before);
	bool right = after->partition.count == parts && strcmp(after->partition.method, "block") == 0;
	for (size_t v = 0; v < after->rows; v++) {
		uint32_t key = after->key_ranks[v];
		size_t range = gemp_range_find(after->partition.bounds, parts, v);
		right = right && range == by_key[key];
		if (v && by_key[after->key_ranks[v - 1]] == range)
			right = right && old[after->key_ranks[v - 1]] < old[key];
	}
	free(old);
	return right;
}

static void check_round_trip(const fixture *made, uint64_t parts, uint64_t seed, bool undirected)
{
	gemp_shard *graph = build(made, &test_comm, seed, undirected), *whole = build(made, &self, seed, undirected);
	uint32_t *by_key = calloc(whole->vertex_count + 1, sizeof *by_key), *home = ids_by_key(whole);
	for (uint64_t v = 0; v < whole->vertex_count; v++)
		by_key[v] = (uint32_t)gemp_random_below(&seed, parts);
	gemp_shard *cut = renumber(&test_comm, graph, by_key, parts), *alone = renumber(&self, whole, by_key, parts);
	assert_all(in_order(whole, alone, by_key, parts));
	assert_all(same_graph(cut, alone));
	for (int r = 0; r < cut->ranks && parts % (uint64_t)cut->ranks == 0; r++)
		assert_all(cut->bounds[r] == cut->partition.bounds[(uint64_t)r * (parts / (uint64_t)cut->ranks)]);
	gemp_shard *back = whole->vertex_count ? renumber(&test_comm, cut, home, whole->vertex_count) : NULL;
	assert_all(!back || same_graph(back, whole));
	assert_all(!back || back->hash == whole->hash);
	gemp_shard *const all[] = { graph, whole, cut, alone, back };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		gemp_shard_free(all[i]);
	free(by_key);
	free(home);
}

static void test_round_trips(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	static const size_t sizes[][3] = { { 0, 0, 2 }, { 1, 3, 1 }, { 3, 20, 8 }, { 60, 200, 4 }, { 200, 500, 24 } };
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		fixture made = fixture_new(sizes[i][0], sizes[i][1], (fixture_keys)(i % 3), seed + i);
		check_round_trip(&made, sizes[i][2], seed + i, i % 2);
		fixture_free(&made);
	}
	assert_all(gemp_memory_blocks() == 0);
}

/* The file keeps the partitions, and the ranks that open it own whole partitions. */
static void test_file_keeps_partitions(void **state)
{
	(void)state;
	fixture made = fixture_new(90, 300, KEYS_MIXED, 5);
	gemp_shard *graph = build(&made, &test_comm, 3, false), *whole = build(&made, &self, 3, false), *read = NULL;
	uint32_t *by_key = calloc(90, sizeof *by_key);
	for (uint32_t v = 0; v < 90; v++)
		by_key[v] = v * v % 97 % 8; /* the partitions have different sizes */
	gemp_shard *cut = renumber(&test_comm, graph, by_key, 8), *alone = renumber(&self, whole, by_key, 8);
	char path[256];
	snprintf(path, sizeof path, "%s", test_path_all("cut.h5"));
	assert_all_ok(gemp_graph_file_write(&test_comm, cut, path, NULL));
	assert_all_ok(gemp_graph_file_verify(&test_comm, path, false));
	assert_all_ok(gemp_graph_file_open(&read, &test_comm, path, false));
	assert_all(read->partition.count == 8 && strcmp(read->partition.method, "block") == 0);
	assert_all(memcmp(read->bounds, cut->bounds, ((size_t)cut->ranks + 1) * sizeof *cut->bounds) == 0);
	assert_all_ok(gemp_shard_load_all(read));
	assert_all(same_graph(read, alone));
	gemp_shard *const all[] = { graph, whole, cut, alone, read };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		gemp_shard_free(all[i]);
	free(by_key);
	fixture_free(&made);
	assert_all(gemp_memory_blocks() == 0);
}

/* Random and block partitions do not depend on the number of ranks, and blocks follow the keys. The measured sizes must
 * add up to the size of the graph. */
static void check_parts(const fixture *made, gemp_partitioner method, uint64_t parts)
{
	gemp_shard *graph = build(made, &test_comm, 3, true), *whole = build(made, &self, 3, true);
	uint32_t *part = calloc(graph->rows + 1, sizeof *part), *all = calloc(whole->rows + 1, sizeof *all);
	gemp_part_size *sizes = calloc(parts, sizeof *sizes), *expected = calloc(parts, sizeof *sizes);
	uint64_t sum[4] = { 0 };
	assert_all_ok(gemp_partition_choose(&test_comm, graph, method, parts, part));
	assert_all_ok(gemp_partition_choose(&self, whole, method, parts, all));
	assert_all_ok(gemp_partition_measure(&test_comm, graph, part, parts, sizes));
	if (method != GEMP_PARTITION_PTSCOTCH) {
		assert_all(memcmp(part, all + graph->first_vertex, graph->rows * sizeof *part) == 0);
		assert_all_ok(gemp_partition_measure(&self, whole, all, parts, expected));
		assert_all(memcmp(sizes, expected, parts * sizeof *sizes) == 0);
	}
	for (uint64_t p = 0; p < parts; p++) {
		sum[0] += sizes[p].vertices;
		sum[1] += sizes[p].edges_out;
		sum[2] += sizes[p].edges_in;
		sum[3] += sizes[p].inside;
	}
	uint64_t edges = gemp_shard_edges(whole);
	assert_all(sum[0] == whole->vertex_count && sum[1] == edges && sum[2] == edges && sum[3] <= edges);
	assert_all(parts > 1 || sum[3] == edges);
	if (method == GEMP_PARTITION_BLOCK) {
		uint32_t *id = ids_by_key(whole);
		for (uint64_t k = 1; k < whole->vertex_count; k++)
			assert_all(all[id[k - 1]] <= all[id[k]]);
		free(id);
	}
	gemp_shard_free(graph);
	gemp_shard_free(whole);
	free(part);
	free(all);
	free(sizes);
	free(expected);
}

static void test_partitioners(void **state)
{
	(void)state;
	fixture made = fixture_new(80, 240, KEYS_MIXED, 11), empty = fixture_new(0, 0, KEYS_INTEGER, 1);
	for (uint64_t parts = 1; parts <= 8; parts += parts / 2 + 1) {
		check_parts(&made, GEMP_PARTITION_RANDOM, parts);
		check_parts(&made, GEMP_PARTITION_BLOCK, parts);
	}
	check_parts(&empty, GEMP_PARTITION_RANDOM, 3);
	check_parts(&empty, GEMP_PARTITION_BLOCK, 3);
	fixture_free(&made);
	fixture_free(&empty);
	assert_all(gemp_memory_blocks() == 0);
}

/* PT-Scotch must separate two cliques that one edge joins. The keys of the cliques alternate, so a cut into blocks
 * would not find this cut. */
static void test_ptscotch(void **state)
{
	(void)state;
	enum { SIZE = 40 };
	gemp_builder *builder = NULL;
	gemp_shard *graph = NULL;
	gemp_part_size sizes[2];
	uint32_t file;
	assert_all_ok(gemp_builder_new(
		&builder, &test_comm, &(gemp_builder_options){ .seed = 1, .undirected = true, .vertices_from_edges = true }));
	assert_all_ok(gemp_builder_file(builder, "cliques", &file));
	gemp_code code = GEMP_OK;
	for (int64_t a = 0; a < 2 * SIZE && test_comm.rank == 0; a++)
		for (int64_t b = a + 1; b < 2 * SIZE; b++)
			if ((a + b) % 2 == 0 || (a == 0 && b == 1))
				code |= gemp_builder_edge(builder, &(gemp_value){ .type = GEMP_INTEGER, .integer = a },
				                          &(gemp_value){ .type = GEMP_INTEGER, .integer = b }, NULL, 0,
				                          (gemp_place){ 1, 1 });
	assert_all_ok(code);
	assert_all_ok(gemp_builder_finish(builder, &graph));
	uint32_t *part = calloc(graph->rows + 1, sizeof *part);
	code = gemp_partition_choose(&test_comm, graph, GEMP_PARTITION_PTSCOTCH, 2, part);
	if (code == GEMP_EUSAGE) {
		print_message("built without PT-Scotch: it says so\n");
	} else {
		assert_all_ok(code);
		assert_all_ok(gemp_partition_measure(&test_comm, graph, part, 2, sizes));
		assert_all(sizes[0].vertices == SIZE && sizes[1].vertices == SIZE);
		assert_all(sizes[0].inside + sizes[1].inside + 1 == gemp_shard_edges(graph));
	}
	free(part);
	gemp_shard_free(graph);
	gemp_builder_free(builder);
	assert_all(gemp_memory_blocks() == 0);
}

static gemp_code partition_once(void *graph_)
{
	gemp_shard *graph = graph_, *out = NULL;
	static uint32_t part[16];
	for (uint32_t v = 0; v < 16; v++)
		part[v] = v % 3;
	gemp_code code = gemp_shard_renumber(&out, &test_comm, graph, part, 3, "block");
	gemp_shard_free(out);
	return code;
}

static void test_without_memory(void **state)
{
	(void)state;
	fixture made = fixture_new(12, 24, KEYS_STRING, 2);
	gemp_shard *graph = build(&made, &test_comm, 1, false);
	if (test_comm.size <= 3)
		assert_all_survive_no_memory(partition_once, graph);
	gemp_shard_free(graph);
	fixture_free(&made);
	assert_all(gemp_memory_blocks() == 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trips),    cmocka_unit_test(test_file_keeps_partitions),
		cmocka_unit_test(test_partitioners),   cmocka_unit_test(test_ptscotch),
		cmocka_unit_test(test_without_memory),
	};
	MPI_Init(&argc, &argv);
	gemp_log_set_level(GEMP_QUIET);
	gemp_comm_new(&self, MPI_COMM_SELF);
	return test_main_all(argc, argv, tests);
}
