/* Tests undirected edges without attributes, which a graph file has as one symmetric matrix, and files of version 1. */
#include "io/graph_file/graph_file_verify.h"
#include "mpi/graph_file_case.h"

#include <hdf5.h>

/* Random bare edges: undirected, they are a symmetric matrix. */
static fixture bare_fixture(size_t vertices, size_t edges, fixture_keys keys, uint64_t seed)
{
	fixture made = fixture_new(vertices, edges, keys, seed);
	for (size_t e = 0; e < made.edge_count; e++)
		for (int c = 0; c < FIXTURE_PROPS; c++)
			made.edges[e].values[c].null = true;
	return made;
}

static const size_t bare_sizes[][2] = { { 0, 0 }, { 1, 0 }, { 1, 3 }, { 3, 20 }, { 60, 90 }, { 400, 900 } };

static void test_symmetric(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	for (size_t i = 0; i < sizeof bare_sizes / sizeof *bare_sizes; i++) {
		fixture made = bare_fixture(bare_sizes[i][0], bare_sizes[i][1], (fixture_keys)(i % 3), seed + i);
		round_trip(&made, seed + i, true);
		TEST_LIMIT(file_i32_max, i % 2 ? 10 : gemp_limits_default.file_i32_max);
		round_trip(&made, seed + i, i % 2);
		TEST_LIMIT_DEFAULT(file_i32_max);
		fixture_free(&made);
	}
	assert_all(gemp_memory_blocks() == 0);
}

/* All rows and numbers of two relations of this rank. */
static bool same_arrays(const gemp_shard *graph, const gemp_relation *a, const gemp_relation *b)
{
	const size_t rows = graph->rows, offsets = (rows + 1) * sizeof(uint64_t);
	if (a->edge_count != b->edge_count || a->first_edge != b->first_edge || a->multigraph != b->multigraph ||
	    a->props.rows != b->props.rows || memcmp(a->out_offsets, b->out_offsets, offsets) != 0 ||
	    memcmp(a->in_offsets, b->in_offsets, offsets) != 0 ||
	    memcmp(a->either_offsets, b->either_offsets, offsets) != 0)
		return false;
	return memcmp(a->out_targets, b->out_targets, a->out_offsets[rows] * sizeof(gemp_vertex)) == 0 &&
	       memcmp(a->in_sources, b->in_sources, a->in_offsets[rows] * sizeof(gemp_vertex)) == 0 &&
	       memcmp(a->in_edges, b->in_edges, a->in_offsets[rows] * sizeof(gemp_edge)) == 0 &&
	       memcmp(a->either_neighbours, b->either_neighbours, a->either_offsets[rows] * sizeof(gemp_vertex)) == 0;
}

/* Merged rows that the builder makes of edges are those that it makes of rows by source and by target. Buckets and
 * rounds are small, so that an edge has ends in different ones. */
static void test_merged_rows(void **state)
{
	(void)state;
	const uint64_t seed = test_seed_all();
	for (size_t i = 0; i < 4 * (sizeof bare_sizes / sizeof *bare_sizes); i++) {
		const size_t *size = bare_sizes[i / 4];
		fixture made = bare_fixture(size[0], size[1], (fixture_keys)(i % 3), seed + i);
		for (size_t e = 0; e < made.edge_count && i % 2; e++)
			made.edges[e].type = "KNOWS"; /* a single relation travels without headers */
		gemp_shard *graph = NULL, *merged = NULL;
		gemp_builder_options options = { .seed = 9, .undirected = true, .merge_parallel = i / 2 % 2, .batch = 200 };
		TEST_LIMIT(rows_bucket, 1 + (seed + i) % 20);
		assert_all_ok(fixture_build(&graph, &made, &test_comm, &options, seed));
		options.merged_rows = true;
		assert_all_ok(fixture_build(&merged, &made, &test_comm, &options, seed + i));
		assert_all(merged->hash == graph->hash && merged->relation_count == graph->relation_count);
		for (size_t r = 0; r < graph->relation_count; r++) {
			gemp_relation *relation = &merged->relations[r];
			assert_all(relation->loaded == (GEMP_LOAD_EITHER | GEMP_LOAD_PROPS) && !relation->out_targets);
			assert_all_ok(gemp_shard_load_relation(merged, r, i % 2 ? GEMP_LOAD_IN : GEMP_LOAD_OUT));
			assert_all(relation->loaded ==
			           (GEMP_LOAD_EITHER | GEMP_LOAD_PROPS | (i % 2 ? GEMP_LOAD_IN : GEMP_LOAD_OUT)));
			assert_all_ok(gemp_shard_load_relation(merged, r, GEMP_LOAD_ALL));
			assert_all_ok(gemp_shard_load_relation(graph, r, GEMP_LOAD_EITHER));
			assert_all(same_arrays(graph, &graph->relations[r], relation));
		}
		gemp_shard_free(graph);
		gemp_shard_free(merged);
		fixture_free(&made);
	}
	TEST_LIMIT_DEFAULT(rows_bucket);
	assert_all(gemp_memory_blocks() == 0);
}

/* Both graphs have the same merged rows: the ids of vertices depend on their keys alone. */
static bool same_merged_rows(gemp_shard *a, gemp_shard *b)
{
	bool same = a->relation_count == b->relation_count && a->rows == b->rows;
	for (size_t r = 0; r < a->relation_count && same; r++) {
		const gemp_relation *x = &a->relations[r], *y = &b->relations[r];
		assert_all_ok(gemp_shard_load_relation(a, r, GEMP_LOAD_EITHER));
		assert_all_ok(gemp_shard_load_relation(b, r, GEMP_LOAD_EITHER));
		same = x->edge_count == y->edge_count &&
		       memcmp(x->either_offsets, y->either_offsets, (a->rows + 1) * sizeof *x->either_offsets) == 0 &&
		       memcmp(x->either_neighbours, y->either_neighbours,
		              x->either_offsets[a->rows] * sizeof *x->either_neighbours) == 0;
	}
	return same;
}

/* A file of version 1 has the same graph as one of version 2, and becomes this file if it is written again. */
static void check_version_1(const fixture *made, uint64_t order, bool undirected, bool bare)
{
	char old[256], new[256], again[256];
	gemp_shard *graph = NULL, *other = NULL;
	snprintf(old, sizeof old, "%s", test_path_all("old.h5"));
	snprintf(new, sizeof new, "%s", test_path_all("new.h5"));
	snprintf(again, sizeof again, "%s", test_path_all("again.h5"));
	TEST_LIMIT(file_version, 1);
	graph = build(made, &test_comm, order, undirected);
	assert_all_ok(gemp_graph_file_write(&test_comm, graph, old, &provenance));
	gemp_shard_free(graph);
	TEST_LIMIT_DEFAULT(file_version);
	assert_all_ok(gemp_graph_file_verify(&test_comm, old, false));
	graph = build(made, &test_comm, order + 1, undirected);
	assert_all_ok(gemp_graph_file_write(&test_comm, graph, new, &provenance));
	gemp_shard_free(graph);
	assert_all_ok(gemp_graph_file_open(&graph, &test_comm, new, false));
	assert_all_ok(gemp_graph_file_open(&other, &test_comm, old, false));
	for (size_t r = 0; r < graph->relation_count && bare; r++)
		assert_all(graph->relations[r].merged == undirected && !other->relations[r].merged);
	assert_all(same_merged_rows(graph, other));
	assert_all_ok(gemp_graph_file_write(&test_comm, other, again, &provenance));
	assert_all(test_comm.rank != 0 || same_bytes(new, again));
	gemp_shard_free(graph);
	gemp_shard_free(other);
}

static void test_version_1(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	for (size_t i = 0; i < sizeof bare_sizes / sizeof *bare_sizes; i++)
		for (int attributes = 0; attributes < 2; attributes++) {
			fixture made = attributes
			                   ? fixture_new(bare_sizes[i][0], bare_sizes[i][1], (fixture_keys)(i % 3), seed + i)
			                   : bare_fixture(bare_sizes[i][0], bare_sizes[i][1], (fixture_keys)(i % 3), seed + i);
			check_version_1(&made, seed + i, !attributes || i % 2, !attributes);
			fixture_free(&made);
		}
	assert_all(gemp_memory_blocks() == 0);
}

/* The place of a byte of the first chunk of the indices; rank 0 alone finds it. */
static uint64_t byte_of_chunk(const char *path, uint64_t *random)
{
	hsize_t first = 0, bytes = 0;
	haddr_t place = 0;
	unsigned mask = 0;
	if (test_comm.rank != 0)
		return 0;
	hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
	hid_t indices = H5Dopen2(file, "/edges/KNOWS/csr/indices", H5P_DEFAULT);
	assert_true(H5Dget_chunk_info_by_coord(indices, &first, &mask, &place, &bytes) >= 0 && bytes > 0);
	H5Dclose(indices);
	H5Fclose(file);
	return place + gemp_random_below(random, bytes);
}

/* Compressed files hold the same graphs, are the same for all numbers of ranks, and damage is found. */
static void test_compressed(void **state)
{
	(void)state;
	char path[256];
	uint64_t seed = test_seed_all(), random = seed;
	TEST_LIMIT(file_compressed, true);
	for (size_t i = 0; i < sizeof bare_sizes / sizeof *bare_sizes; i++)
		for (int attributes = 0; attributes < 2; attributes++) {
			fixture made = attributes
			                   ? fixture_new(bare_sizes[i][0], bare_sizes[i][1], (fixture_keys)(i % 3), seed + i)
			                   : bare_fixture(bare_sizes[i][0], bare_sizes[i][1], (fixture_keys)(i % 3), seed + i);
			TEST_LIMIT(file_compressed_min, i % 2 ? 1 : 20);
			round_trip(&made, seed + i, !attributes);
			fixture_free(&made);
		}
	fixture made = bare_fixture(300, 4000, KEYS_INTEGER, seed);
	gemp_shard *graph = build(&made, &test_comm, seed, true);
	snprintf(path, sizeof path, "%s", test_path_all("packed.h5"));
	assert_all_ok(gemp_graph_file_write(&test_comm, graph, path, &provenance));
	int found = 0; /* a few bits of a frame of Zstandard, such as the size of its window, do not change what it holds */
	for (int i = 0; i < 6; i++) {
		uint64_t at = byte_of_chunk(path, &random);
		if (test_comm.rank == 0)
			flip(path, at);
		const gemp_code code = gemp_graph_file_verify(&test_comm, path, true);
		assert_all_code(gemp_graph_file_verify(&test_comm, path, false), GEMP_EDATA);
		assert_all(code == GEMP_EDATA || code == GEMP_OK);
		found += code == GEMP_EDATA;
		if (test_comm.rank == 0)
			flip(path, at);
	}
	assert_all(found >= 4);
	assert_all_ok(gemp_graph_file_verify(&test_comm, path, false));
	gemp_shard_free(graph);
	fixture_free(&made);
	TEST_LIMIT_DEFAULT(file_compressed_min);
	TEST_LIMIT_DEFAULT(file_compressed);
	assert_all(gemp_memory_blocks() == 0);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	gemp_log_set_level(GEMP_QUIET);
	gemp_comm_new(&self, MPI_COMM_SELF);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symmetric),
		cmocka_unit_test(test_merged_rows),
		cmocka_unit_test(test_version_1),
		cmocka_unit_test(test_compressed),
	};
	return test_main_all(argc, argv, tests);
}
