/* Tests what a graph file implies without storing it: keys in arithmetic progression, and arrays of equal elements. */
#include "io/graph_file/graph_file_verify.h"
#include "mpi/graph_file_case.h"

#include "partition/build/builder.h"
#include "partition/build/content_hash.h"

#include <hdf5.h>

/* A random graph whose ids are its keys. The ranks add blocks of vertices and edges. */
static gemp_shard *ordered_graph(const gemp_comm *comm, size_t vertices, uint64_t seed)
{
	const gemp_builder_options options = { .seed = 1, .undirected = seed % 2, .ordered_keys = vertices };
	const gemp_block_range mine = gemp_comm_block(comm, vertices), edges = gemp_comm_block(comm, 3 * vertices);
	gemp_builder *builder = NULL;
	gemp_shard *graph = NULL;
	test_assert_code(gemp_builder_new(&builder, comm, &options), GEMP_OK, "new", __FILE__, __LINE__);
	for (uint64_t v = mine.begin; v < mine.end; v++) {
		const gemp_value key = { .type = GEMP_INTEGER, .integer = (int64_t)v };
		assert_ok(gemp_builder_vertex(builder, &key, v % 3 ? "A" : "B", 1, (gemp_place){ 0, v + 1 }));
	}
	for (uint64_t e = edges.begin; e < edges.end; e++) {
		uint64_t random = seed + e;
		const int64_t ends[2] = { (int64_t)gemp_random_below(&random, vertices),
			                      (int64_t)gemp_random_below(&random, vertices) };
		assert_ok(gemp_builder_integer_edges(builder, ends, 1, "E", 1, (gemp_place){ 0, e + 1 }, false));
	}
	test_assert_code(gemp_builder_finish(builder, &graph), GEMP_OK, "finish", __FILE__, __LINE__);
	gemp_builder_free(builder);
	for (size_t row = 0; row < graph->rows; row++)
		assert_true(graph->keys.integers[row] == (int64_t)(graph->first_vertex + row) &&
		            graph->key_ranks[row] == graph->first_vertex + row);
	return graph;
}

/* Gives vertex v the key first + v * step, and one vertex another key if `other` is a vertex. */
static void set_progression(const gemp_comm *comm, gemp_shard *graph, int64_t first, int64_t step, uint64_t other)
{
	for (size_t row = 0; row < graph->rows; row++) {
		uint64_t v = graph->first_vertex + row;
		graph->keys.integers[row] = (int64_t)((uint64_t)first + v * (uint64_t)step);
		graph->key_ranks[row] = (uint32_t)(step > 0 ? v : graph->vertex_count - 1 - v);
		if (v == other) /* between its neighbours, so that the order of keys stays */
			graph->keys.integers[row] += step > 0 ? 1 : -1;
	}
	test_assert_code(gemp_shard_content_hash(comm, graph, &graph->hash), GEMP_OK, "hash", __FILE__, __LINE__);
}

/* Whether a rank's part has the keys and ranks of the whole graph. */
static bool same_keys(const gemp_shard *part, const gemp_shard *whole)
{
	const uint64_t first = part->first_vertex;
	return part->vertex_count == whole->vertex_count && part->hash == whole->hash && part->keys.rows == part->rows &&
	       memcmp(part->keys.integers, whole->keys.integers + first, part->rows * sizeof *part->keys.integers) == 0 &&
	       memcmp(part->key_ranks, whole->key_ranks + first, part->rows * sizeof *part->key_ranks) == 0;
}

/* Whether the file has the name below /nodes. Rank 0 looks. */
static bool file_has(const char *path, const char *name)
{
	int there = 0;
	MPI_Barrier(test_comm.world);
	if (test_comm.rank == 0) {
		hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
		there = H5Lexists(file, name, H5P_DEFAULT) > 0;
		H5Fclose(file);
	}
	MPI_Bcast(&there, 1, MPI_INT, 0, test_comm.world);
	return there;
}

/* The file has neither keys nor ranks if the keys are a progression, and holds the same graph in both cases. */
static void check_progression(size_t vertices, int64_t first, int64_t step, uint64_t other, uint64_t seed)
{
	char path[256], alone[256];
	gemp_shard *graph = ordered_graph(&test_comm, vertices, seed), *whole = ordered_graph(&self, vertices, seed), *read;
	snprintf(path, sizeof path, "%s", test_path_all("implied.h5"));
	snprintf(alone, sizeof alone, "%s", test_path_all("alone.h5"));
	set_progression(&test_comm, graph, first, step, other);
	set_progression(&self, whole, first, step, other);
	assert_all(graph->hash == whole->hash);
	assert_all_ok(gemp_graph_file_write(&test_comm, graph, path, &provenance));
	bool implied = other >= vertices && vertices >= gemp_limits_now()->file_implied_min;
	assert_all(file_has(path, "/nodes/_id") == !implied && (!implied || !file_has(path, "/nodes/_rank")));
	if (test_comm.rank == 0) {
		assert_ok(gemp_graph_file_write(&self, whole, alone, &provenance));
		assert_true(same_bytes(path, alone));
	}
	assert_all_ok(gemp_graph_file_verify(&test_comm, path, false));
	assert_all_ok(gemp_graph_file_open(&read, &test_comm, path, false));
	assert_all_ok(gemp_shard_load_all(read));
	assert_all(same_keys(read, whole) && same_keys(graph, whole));
	gemp_shard_free(read);
	gemp_shard_free(graph);
	gemp_shard_free(whole);
}

static void test_progressions(void **state)
{
	(void)state;
	static const int64_t firsts[] = { 0, -7, 5, INT64_MIN, INT64_MAX - 60000, 1 };
	static const int64_t steps[] = { 1, 3, -2, INT64_C(1) << 40, 2, -1 };
	static const size_t sizes[] = { 1, 2, 3, 40, 300 };
	uint64_t seed = test_seed_all(), random = seed;
	TEST_LIMIT(file_implied_min, 1);
	for (size_t i = 0; i < 12; i++) {
		size_t vertices = sizes[gemp_random_below(&random, 5)], k = i % 6;
		bool other = vertices > 3 && steps[k] != 1 && steps[k] != -1 && gemp_random_below(&random, 3) == 0;
		int64_t first = k == 3 ? INT64_MIN : firsts[k];
		TEST_LIMIT(file_compressed, i % 4 == 1);
		check_progression(vertices, first, steps[k], other ? 1 + gemp_random_below(&random, vertices - 1) : UINT64_MAX,
		                  seed + i);
	}
	TEST_LIMIT_DEFAULT(file_compressed);
	TEST_LIMIT_DEFAULT(file_implied_min);
	check_progression(60, 0, 1, UINT64_MAX, seed);
	assert_all(gemp_memory_blocks() == 0);
}

/* Rank 0 replaces the two numbers of the progression when all ranks have closed the file. */
static void put_progression(const char *path, int64_t first, int64_t step)
{
	MPI_Barrier(test_comm.world);
	if (test_comm.rank == 0) {
		hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
		hid_t nodes = H5Gopen2(file, "/nodes", H5P_DEFAULT);
		hid_t attribute = H5Aopen(nodes, "gemp-key-progression", H5P_DEFAULT);
		assert_true(H5Awrite(attribute, H5T_NATIVE_INT64, (int64_t[]){ first, step }) >= 0);
		H5Aclose(attribute);
		H5Gclose(nodes);
		H5Fclose(file);
	}
	MPI_Barrier(test_comm.world);
}

static void test_damaged_progressions(void **state)
{
	(void)state;
	static const int64_t bad[][2] = {
		{ 0, 0 }, { INT64_MAX, 1 }, { INT64_MIN + 3, -1 }, { 0, INT64_MAX }, { -1, INT64_MIN }
	};
	char path[256];
	uint64_t seed = test_seed_all();
	snprintf(path, sizeof path, "%s", test_path_all("bad.h5"));
	TEST_LIMIT(file_implied_min, 1);
	gemp_shard *graph = ordered_graph(&test_comm, 50, seed);
	assert_all_ok(gemp_graph_file_write(&test_comm, graph, path, &provenance));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		gemp_shard *read = NULL;
		put_progression(path, bad[i][0], bad[i][1]);
		assert_all_code(gemp_graph_file_verify(&test_comm, path, true), GEMP_EDATA);
		assert_message("bad.h5: '/nodes' has an attribute gemp-key-progression");
		assert_message("; make the file again");
		assert_all_ok(gemp_graph_file_open(&read, &test_comm, path, true));
		assert_all_code(gemp_shard_load_keys(read), GEMP_EDATA);
		gemp_shard_free(read);
	}
	put_progression(path, 1, 1); /* other keys: only the hash of the graph tells */
	assert_all_code(gemp_graph_file_verify(&test_comm, path, true), GEMP_EDATA);
	put_progression(path, 0, 1);
	assert_all_ok(gemp_graph_file_verify(&test_comm, path, true));
	gemp_shard_free(graph);
	TEST_LIMIT_DEFAULT(file_implied_min);
	assert_all(gemp_memory_blocks() == 0);
}

/* A fixture whose attributes have the same value everywhere, or everywhere but in one element. */
static fixture constant_fixture(size_t vertices, size_t edges, bool strings, uint64_t other, uint64_t seed)
{
	fixture made = fixture_new(vertices, edges, strings ? KEYS_STRING : KEYS_INTEGER, seed);
	for (int c = 0; c < FIXTURE_COLUMNS; c++)
		for (size_t v = 1; v < made.vertex_count; v++)
			if (v != other)
				made.vertices[v].values[c] = made.vertices[0].values[c];
	for (int c = 0; c < FIXTURE_PROPS; c++)
		for (size_t e = 1; e < made.edge_count; e++)
			if (e != other)
				made.edges[e].values[c] = made.edges[0].values[c];
	return made;
}

static void test_constants(void **state)
{
	(void)state;
	static const size_t sizes[][2] = { { 0, 0 }, { 1, 0 }, { 2, 5 }, { 30, 60 }, { 200, 400 } };
	uint64_t seed = test_seed_all(), random = seed;
	for (size_t i = 0; i < 10; i++) {
		const size_t *size = sizes[i % 5];
		fixture made = constant_fixture(size[0], size[1], i >= 5,
		                                gemp_random_below(&random, 3) ? UINT64_MAX : size[0] / 2, seed + i);
		TEST_LIMIT(file_implied_min, 1 + gemp_random_below(&random, 20));
		TEST_LIMIT(file_compressed, i % 3 == 0);
		TEST_LIMIT(file_compressed_min, 10);
		round_trip(&made, seed + i, i % 2);
		fixture_free(&made);
	}
	TEST_LIMIT_DEFAULT(file_compressed_min);
	TEST_LIMIT_DEFAULT(file_compressed);
	TEST_LIMIT_DEFAULT(file_implied_min);
	assert_all(gemp_memory_blocks() == 0);
}

/* The checksum of an array of equal elements detects another element. */
static void test_damaged_constant(void **state)
{
	(void)state;
	char path[256];
	gemp_shard *read = NULL;
	snprintf(path, sizeof path, "%s", test_path_all("equal.h5"));
	TEST_LIMIT(file_implied_min, 1);
	gemp_shard *graph = ordered_graph(&test_comm, 40, 1);
	gemp_column *column = NULL;
	assert_all_ok(gemp_table_add(&graph->attributes, "age", GEMP_INTEGER, &column));
	for (size_t row = 0; row < graph->rows; row++)
		assert_ok(gemp_column_add(column, &(gemp_value){ .type = GEMP_INTEGER, .integer = 1234567 }));
	assert_all_ok(gemp_shard_content_hash(&test_comm, graph, &graph->hash));
	assert_all_ok(gemp_graph_file_write(&test_comm, graph, path, &provenance));
	assert_all_ok(gemp_graph_file_verify(&test_comm, path, false));
	MPI_Barrier(test_comm.world);
	if (test_comm.rank == 0) {
		size_t size = 0;
		char *bytes = read_file(path, &size);
		const int64_t value = 1234567;
		size_t found = 0;
		for (char *at = bytes; (at = memmem(at, (size_t)(bytes + size - at), &value, sizeof value)); found++)
			at[1] ^= 4; /* older libraries look for the fill value in another message */
		assert_true(found > 0);
		write_file(path, bytes, size);
		free(bytes);
	}
	MPI_Barrier(test_comm.world);
	assert_all_code(gemp_graph_file_verify(&test_comm, path, true), GEMP_EDATA);
	assert_message("'nodes/age' is damaged");
	assert_all_ok(gemp_graph_file_open(&read, &test_comm, path, true));
	assert_all_code(gemp_shard_load_attribute(read, 0), GEMP_EDATA);
	assert_message("'/nodes/age' is damaged");
	gemp_shard_free(read);
	gemp_shard_free(graph);
	TEST_LIMIT_DEFAULT(file_implied_min);
	assert_all(gemp_memory_blocks() == 0);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	gemp_log_set_level(GEMP_QUIET);
	gemp_comm_new(&self, MPI_COMM_SELF);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_progressions),
		cmocka_unit_test(test_damaged_progressions),
		cmocka_unit_test(test_constants),
		cmocka_unit_test(test_damaged_constant),
	};
	return test_main_all(argc, argv, tests);
}
