/* Tests indexes of a graph file: random queries have the same answers with and without indexes, and with every number
 * of ranks; a file stays valid; stale indexes are found. */
#include "api_case.h"

#include "api/graph.h"
#include "comm/comm.h"
#include "graph_fixture.h"
#include "harness/limits.h"
#include "io/graph_file/graph_file_write.h"

#include <gemp/index.h>

enum { KEYS = 40, TYPES = 3 };

static const char *const type_name[TYPES] = { "A", "B", "C" };

/* Random edges of three types. Type A has loops and parallel edges, and type B has an edge in the other direction for
 * some edges of A. */
static gemp_graph *random_graph(uint64_t seed, size_t edges)
{
	gemp_graph_builder *builder = NULL;
	gemp_graph *graph = NULL;
	gemp_code code = GEMP_OK;
	int64_t keys[KEYS];
	assert_all_ok(gemp_graph_builder_open(&builder, context, seed));
	for (int64_t k = 0; k < KEYS; k++)
		keys[k] = 3 * k;
	if (test_comm.rank == 0)
		code = gemp_graph_builder_vertices(builder, "Thing", KEYS, keys);
	for (size_t e = 0; e < edges * TYPES && test_comm.rank == 0 && code == GEMP_OK; e++) {
		int64_t ends[2] = { keys[gemp_random_below(&seed, KEYS)], keys[gemp_random_below(&seed, KEYS / 2)] };
		const size_t type = e % TYPES;
		code = gemp_graph_builder_edges(builder, type_name[type], 1, &ends[0], &ends[1], NULL);
		if (type == 0 && code == GEMP_OK && gemp_random_below(&seed, 3) == 0)
			code = gemp_graph_builder_edges(builder, type_name[gemp_random_below(&seed, 2)], 1, &ends[1], &ends[0],
			                                NULL);
	}
	assert_all_ok(gemp_context_agree(context, code));
	assert_all_ok(gemp_graph_builder_finish(builder, &graph));
	return graph;
}

/* Writes the graph, and opens the file. */
static gemp_graph *in_file(gemp_graph *graph, const char *path)
{
	gemp_graph *opened = NULL;
	assert_all_ok(gemp_graph_write(graph, path, NULL, NULL));
	gemp_graph_close(graph);
	assert_all_ok(gemp_graph_open(&opened, context, path));
	return opened;
}

static void add_rows(gemp_graph *graph, const char *const *rows, size_t count)
{
	gemp_index_settings settings;
	gemp_index_settings_init(&settings);
	settings.rows = rows;
	settings.row_count = count;
	assert_all_ok(gemp_graph_index(graph, &settings, NULL));
}

/* The rows of a query as numbers: a sum over all columns and rows in which each row is hashed, and the counts. */
typedef struct answer {
	uint64_t hash, rows, matches;
} answer;

/* A cell as bits. */
static uint64_t number_of(double cell)
{
	uint64_t bits;
	memcpy(&bits, &cell, sizeof bits);
	return isnan(cell) ? 1 : bits;
}

static answer ask(gemp_graph *graph, const char *text, gemp_semantics semantics, gemp_placement place)
{
	gemp_query *query = NULL;
	gemp_columns *columns = NULL;
	gemp_query_result result, counted;
	gemp_query_settings settings;
	answer found = { 0 };
	gemp_query_settings_init(&settings);
	settings.semantics = semantics;
	settings.place = place;
	assert_all_ok(gemp_query_open(&query, graph, text, &settings));
	assert_all_ok(gemp_query_run(query, &columns, &result, NULL));
	assert_all_ok(gemp_query_count(query, &counted, NULL));
	gemp_column_view view[3] = { 0 };
	size_t width = 0;
	while (width < 3 && gemp_columns_at(columns, width, &view[width]))
		width++;
	for (size_t row = 0; row < gemp_columns_rows(columns); row++) {
		uint64_t hash = 1;
		for (size_t k = 0; k < width; k++)
			hash = gemp_mix(hash + number_of(api_cell(&view[k], row)));
		found.hash += hash;
	}
	found.hash = gemp_comm_sum1(&test_comm, found.hash);
	found.rows = result.rows;
	found.matches = counted.matches;
	gemp_columns_close(columns);
	gemp_query_close(query);
	return found;
}

static bool same(answer a, answer b)
{
	return a.hash == b.hash && a.rows == b.rows && a.matches == b.matches;
}

static bool some_loaded(const gemp_graph *graph)
{
	bool loaded = false;
	for (size_t i = 0; i < graph->shard->row_index_count; i++)
		loaded |= graph->shard->row_indexes[i].offsets != NULL;
	return loaded;
}

static const char *const queries[] = {
	"MATCH (a)-->(b) RETURN id(a), id(b)",
	"MATCH (a)-[:A|B]->(b) WHERE id(a) = 9 RETURN id(a), id(b)",
	"MATCH (a)<-[:A|B]-(b)-[:A|B]->(c) RETURN id(a), id(b), id(c)",
	"MATCH (a)-[:B|C]-(b) WHERE id(b) < 30 RETURN id(a), id(b)",
	"MATCH (a)--(b)--(c)--(a) RETURN id(a), id(b), id(c)",
	"MATCH (a)-[:C]-(b)-[:A|B]->(c) RETURN id(a), id(b), id(c)",
	"MATCH (a)-[:C]-(b), (b)-[:A]->(c) WHERE NOT (c)-[:A|B]->(a) RETURN id(a), id(b), id(c)",
	"MATCH (a)-[r:A|B]->(b) WITH a, count(r) AS n RETURN id(a), n",
	"MATCH (a)-[:A|B*1..2]->(b) WHERE id(a) < 20 RETURN id(a), id(b)",
	"MATCH (a) WHERE id(a) < 60 OPTIONAL MATCH (a)-[:B|C]-(b) RETURN id(a), id(b)",
	"MATCH (a)-->(b)-->(c), (a)-[:C]-(c) RETURN id(a), id(b), id(c)",
};

enum { QUERIES = sizeof queries / sizeof *queries };

static const char *const all_rows[] = { "*", "*:either", "A|B", "B|C:either", "C:either" };

/* The same graph is opened twice, since an open graph keeps what it has loaded. Whole rows are read, since only these
 * have indexes. */
static void compare(const char *path, gemp_semantics semantics, gemp_placement place, size_t q)
{
	gemp_graph *graph = NULL;
	TEST_LIMIT(indexes, false);
	assert_all_ok(gemp_graph_open(&graph, context, path));
	const answer without = ask(graph, queries[q], semantics, place);
	assert_all(!some_loaded(graph));
	gemp_graph_close(graph);
	TEST_LIMIT_DEFAULT(indexes);
	TEST_LIMIT(neighbourhood_entries, 0);
	assert_all_ok(gemp_graph_open(&graph, context, path));
	const answer with = ask(graph, queries[q], semantics, place);
	TEST_LIMIT_DEFAULT(neighbourhood_entries);
	if (!same(without, with) && test_comm.rank == 0)
		print_error("%s, semantics %d\n", queries[q], (int)semantics);
	assert_all(same(without, with));
	assert_all(some_loaded(graph));
	gemp_graph_close(graph);
}

static void same_answers(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 2; seed++) {
		char path[256];
		snprintf(path, sizeof path, "%s", test_path_all("indexed.h5"));
		TEST_LIMIT(file_i32_max, seed == 1 ? 20 : INT32_MAX); /* 64-bit pointers and indices */
		gemp_graph *graph = in_file(random_graph(seed, 30 * seed), path);
		add_rows(graph, all_rows, sizeof all_rows / sizeof *all_rows);
		assert_all(graph->shard->row_index_count == 7);
		gemp_graph_close(graph);
		assert_all_ok(gemp_graph_verify(context, path, NULL));
		for (size_t q = 0; q < QUERIES; q++)
			compare(path, strchr(queries[q], '*') ? GEMP_ISO : (gemp_semantics)((q + seed) % 4), GEMP_PLACE_HOST, q);
	}
	TEST_LIMIT_DEFAULT(file_i32_max);
}

static void same_answers_of_devices(void **state)
{
	(void)state;
	char path[256];
	snprintf(path, sizeof path, "%s", test_path_all("indexed.h5"));
	gemp_graph *graph = in_file(random_graph(5, 40), path);
	add_rows(graph, all_rows, sizeof all_rows / sizeof *all_rows);
	gemp_graph_close(graph);
	compare(path, GEMP_ISO, GEMP_PLACE_DEVICE, 4);
	compare(path, GEMP_HOM, GEMP_PLACE_DEVICE, 5);
}

/* VALUES */

static const char *const value_queries[] = {
	"MATCH (a) WHERE a.name = 'Jack' RETURN id(a)",
	"MATCH (a {name: ''})-->(b) RETURN id(a), id(b)",
	"MATCH (a:Film) WHERE a.name = 'a much longer name with spaces' RETURN id(a), a.number",
	"MATCH (a)--(b) WHERE a.name = 'Z' AND b.name = 'J\xc3\xbcrgen' RETURN id(a), id(b)",
	"MATCH (a) WHERE a.name = 'nobody' RETURN id(a)",
	"MATCH (a) WHERE a.name = 'Jack' AND a.name = 'Z' RETURN id(a)",
	"MATCH (a) WHERE a.name = 'Jack' AND a.number < 0 AND NOT a.name = 'Z' RETURN id(a)",
	"MATCH (a) WHERE a.name = 'Jack' OR a.number = 5 RETURN id(a)",
	"MATCH (a)-->(b) WHERE a.number = $n RETURN id(a), id(b)",
	"MATCH (a) WHERE a.number = $n AND a.name = 'Jack' RETURN id(a)",
	"MATCH (a) WHERE a.name IN ['Z', 'nobody', 'Jack', 'Z'] RETURN id(a)",
	"MATCH (a)--(b) WHERE a.number IN [0, $n] AND NOT b.name IN ['Z'] RETURN id(a), id(b)",
};

enum { VALUE_QUERIES = sizeof value_queries / sizeof *value_queries };

/* Collective. Asks with and without indexes. If only an index is needed, no column of names is loaded. */
static void compare_values(const char *path, const char *text, bool lean)
{
	gemp_graph *graph = NULL;
	TEST_LIMIT(indexes, false);
	assert_all_ok(gemp_graph_open(&graph, context, path));
	const answer without = ask(graph, text, GEMP_ISO, GEMP_PLACE_AUTO);
	gemp_graph_close(graph);
	TEST_LIMIT_DEFAULT(indexes);
	for (int near = 0; near < 2; near++) { /* candidates of the whole graph; row by row */
		TEST_LIMIT(neighbourhood_entries, near ? 1 << 16 : 0);
		assert_all_ok(gemp_graph_open(&graph, context, path));
		const answer with = ask(graph, text, GEMP_ISO, GEMP_PLACE_AUTO);
		if (!same(without, with) && test_comm.rank == 0)
			print_error("%s: %llu rows, not %llu\n", text, (unsigned long long)with.rows,
			            (unsigned long long)without.rows);
		assert_all(same(without, with));
		assert_all(!lean || !gemp_column_loaded(gemp_table_find(&graph->shard->attributes, "name")));
		gemp_graph_close(graph);
	}
	TEST_LIMIT_DEFAULT(neighbourhood_entries);
}

static void index_values(gemp_graph *graph)
{
	static const char *const names[] = { "name", "number", "name" };
	gemp_index_settings settings;
	gemp_index_settings_init(&settings);
	settings.values = names;
	settings.value_count = 3;
	assert_all_ok(gemp_graph_index(graph, &settings, NULL));
	assert_all(graph->shard->value_index_count == 2);
}

/* A number that a vertex has takes the place of $n. */
static void ask_values(const char *path, const fixture *made)
{
	char text[256];
	for (size_t q = 0; q < VALUE_QUERIES; q++) {
		const char *parameter = strstr(value_queries[q], "$n");
		const size_t before = parameter ? (size_t)(parameter - value_queries[q]) : strlen(value_queries[q]);
		const fixture_vertex *vertex = &made->vertices[(7 * q + 1) % made->vertex_count];
		snprintf(text, sizeof text, "%.*s", (int)before, value_queries[q]);
		if (parameter)
			snprintf(text + before, sizeof text - before, "%lld%s", (long long)vertex->values[0].integer,
			         parameter + 2);
		compare_values(path, text, q < 2);
	}
}

static void same_answers_by_values(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 2; seed++) {
		char path[256];
		gemp_shard *shard = NULL;
		gemp_graph *graph = NULL;
		const gemp_builder_options options = { .seed = seed };
		fixture made = fixture_new(20 + 100 * seed, 400, seed == 1 ? KEYS_INTEGER : KEYS_STRING, seed);
		snprintf(path, sizeof path, "%s", test_path_all("values.h5"));
		TEST_LIMIT(h5_serial, seed == 2);
		assert_all_ok(fixture_build(&shard, &made, &test_comm, &options, seed));
		TEST_LIMIT(file_version, (int)seed); /* an earlier file gets indexes, too */
		assert_all_ok(gemp_graph_file_write(&test_comm, shard, path, NULL));
		TEST_LIMIT_DEFAULT(file_version);
		gemp_shard_free(shard);
		assert_all_ok(gemp_graph_open(&graph, context, path));
		index_values(graph);
		gemp_graph_close(graph);
		assert_all_ok(gemp_graph_verify(context, path, NULL));
		ask_values(path, &made);
		TEST_LIMIT_DEFAULT(h5_serial);
		fixture_free(&made);
	}
}

static void one_long_value(void **state)
{
	(void)state;
	enum { LONG = 70000 }; /* stored by offsets and bytes */
	static char name[LONG + 1], text[LONG + 64];
	char path[256];
	gemp_shard *shard = NULL;
	gemp_graph *graph = NULL;
	fixture made = fixture_new(12, 0, KEYS_INTEGER, 4);
	memset(name, 'n', LONG);
	for (size_t v = 0; v < made.vertex_count; v++)
		made.vertices[v].values[3] = fixture_string(name);
	snprintf(path, sizeof path, "%s", test_path_all("long.h5"));
	snprintf(text, sizeof text, "MATCH (a) WHERE a.name = '%s' RETURN id(a)", name);
	assert_all_ok(fixture_build(&shard, &made, &test_comm, &(gemp_builder_options){ .seed = 1 }, 1));
	assert_all_ok(gemp_graph_file_write(&test_comm, shard, path, NULL));
	gemp_shard_free(shard);
	assert_all_ok(gemp_graph_open(&graph, context, path));
	index_values(graph);
	gemp_graph_close(graph);
	compare_values(path, text, true);
	fixture_free(&made);
}

/* The graph was opened before its indexes were replaced, which keeps the hash of the file. */
static void replaced_indexes(void **state)
{
	(void)state;
	static const char *const asked[] = { "MATCH (a {name: 'Z'}) RETURN id(a)", "MATCH (a)-->(b) RETURN id(a)" };
	static const char *const rows[] = { "*:in" }, *const values[] = { "number" };
	char path[256];
	gemp_shard *shard = NULL;
	fixture made = fixture_new(40, 80, KEYS_INTEGER, 4);
	snprintf(path, sizeof path, "%s", test_path_all("replaced.h5"));
	assert_all_ok(fixture_build(&shard, &made, &test_comm, &(gemp_builder_options){ .seed = 1 }, 1));
	for (size_t q = 0; q < 4; q++) {
		gemp_graph *graph = NULL, *other = NULL;
		gemp_query *query = NULL;
		gemp_query_result result;
		gemp_index_settings settings;
		gemp_index_settings_init(&settings);
		settings.drop = true;
		settings.rows = rows;
		settings.values = values;
		settings.row_count = settings.value_count = q < 2;
		assert_all_ok(gemp_graph_file_write(&test_comm, shard, path, NULL));
		assert_all_ok(gemp_graph_open(&graph, context, path));
		index_values(graph);
		add_rows(graph, all_rows, 1);
		assert_all_ok(gemp_graph_open(&other, context, path));
		assert_all_ok(gemp_graph_index(other, &settings, NULL));
		gemp_graph_close(other);
		assert_all_ok(gemp_query_open(&query, graph, asked[q % 2], NULL));
		assert_all_code(gemp_query_count(query, &result, NULL), GEMP_EIO);
		gemp_query_close(query);
		gemp_graph_close(graph);
	}
	gemp_shard_free(shard);
	fixture_free(&made);
}

/* MEMORY */

/* Replaces the indexes of a file, and asks a query that uses them. */
static gemp_code index_and_ask(void *path)
{
	static const char *const rows[] = { "*" }, *const values[] = { "name" };
	gemp_graph *graph = NULL;
	gemp_query *query = NULL;
	gemp_query_result result;
	gemp_index_settings settings;
	gemp_query_settings options;
	gemp_index_settings_init(&settings);
	settings.rows = rows;
	settings.values = values;
	settings.row_count = settings.value_count = 1;
	settings.drop = true;
	gemp_query_settings_init(&options);
	options.place = GEMP_PLACE_HOST;
	gemp_code code = gemp_graph_open(&graph, context, path);
	if (code == GEMP_OK)
		code = gemp_graph_index(graph, &settings, NULL);
	if (code == GEMP_OK)
		code = gemp_query_open(&query, graph, "MATCH (a)-->(b) WHERE a.name = 'Jack' RETURN id(a), id(b)", &options);
	if (code == GEMP_OK)
		code = gemp_query_count(query, &result, NULL);
	gemp_query_close(query);
	gemp_graph_close(graph);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 2)
		return;
	char path[256];
	const gemp_builder_options options = { .seed = 3 };
	gemp_shard *shard = NULL;
	fixture made = fixture_new(30, 60, KEYS_INTEGER, 3);
	snprintf(path, sizeof path, "%s", test_path_all("memory.h5"));
	assert_all_ok(fixture_build(&shard, &made, &test_comm, &options, 3));
	assert_all_ok(gemp_graph_file_write(&test_comm, shard, path, NULL));
	gemp_shard_free(shard);
	assert_all_ok(index_and_ask(path));
	assert_all_survive_no_memory(index_and_ask, path);
	assert_all_ok(gemp_graph_verify(context, path, NULL)); /* each failure left a whole file */
	fixture_free(&made);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		API_TEST(same_answers),   API_TEST(same_answers_of_devices), API_TEST(same_answers_by_values),
		API_TEST(one_long_value), API_TEST(replaced_indexes),        API_TEST(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
