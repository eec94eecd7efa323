/* Tests queries that begin with few vertices and read only the rows of the graph file that they need. Each random query
 * on a random graph must give the same rows as when it reads the whole file, with every number of ranks. */
#include "api_case.h"

#include "api/graph.h"
#include "comm/comm.h"
#include "core/types.h"
#include "graph_fixture.h"
#include "harness/limits.h"
#include "io/graph_file/graph_file_write.h"

#include <gemp/index.h>
#include <unistd.h>

/* %s: a condition on a. */
static const char *const shapes[] = {
	"MATCH (a) WHERE %s RETURN id(a), a.name, a.ratio, labels(a)",
	"MATCH (a)-[r]->(b) WHERE %s RETURN id(a), id(b), type(r), r.weight",
	"MATCH (a)<-[r:KNOWS|ACTS_IN]-(b) WHERE %s RETURN id(b), r.note, b.name",
	"MATCH (a)-[:KNOWS]-(b)-[:ACTS_IN]->(c) WHERE %s RETURN id(a), id(b), id(c)",
	"MATCH (a)-->(b)-->(c)-->(a) WHERE %s RETURN id(a), id(b), id(c)",
	"MATCH (a)--(b) WHERE %s AND NOT (b)-[:KNOWS]->(a) RETURN id(a), id(b)",
	"MATCH (a)--(b) WHERE %s AND EXISTS { (b)-->(c) WHERE c.number > 3 } RETURN id(a), id(b)",
	"MATCH (a)-->(b) WHERE %s RETURN id(b), COUNT { (b)--() } AS d, COUNT { (b)-[:KNOWS]->() } AS k",
	"MATCH (a)-->(b) WHERE %s AND COUNT { (a)-->() } > 2 RETURN id(b), COUNT { (b)--(c) WHERE c.number < 5 } AS d",
	"MATCH (a) WHERE %s OPTIONAL MATCH (a)-[:KNOWS]->(b)-->(c) RETURN id(a), id(b), c.name",
	"MATCH (a)-[:KNOWS*1..3]->(b) WHERE %s RETURN id(a), id(b)",
	"MATCH (a)-[*0..2]-(b) WHERE %s RETURN id(b), count(*) AS n",
	"MATCH (a)-->(b) WHERE %s WITH b, count(a) AS n WHERE n > 1 RETURN b.name, n ORDER BY n DESC, b.name LIMIT 5",
	"MATCH (a)-->(b) WHERE %s AND b.name = 'Jack' RETURN id(a), id(b)",
	"MATCH (a)-->(b), (c) WHERE %s AND c.name = 'Z' RETURN id(a), id(b), id(c)",
	"MATCH (a)--(b) WHERE %s AND id(a) < id(b) RETURN id(a), id(b)",
	"MATCH (a)--(b:Film)--(c) WHERE %s RETURN DISTINCT id(c) ORDER BY id(c) LIMIT 7",
	"MATCH (a) WHERE %s RETURN count(*)",
};

/* $n: a number of the graph, $k: a key. */
static const char *const conditions[] = {
	"a.name = 'Jack'",
	"a.name IN ['Z', 'nobody', '', 'Z']",
	"a.name STARTS WITH 'J\xc3\xbc'",
	"a.name STARTS WITH ''",
	"a.name > 'J' AND a.name <= 'Jack'",
	"a.name = 'nobody'",
	"a.number = $n",
	"a.number < $n",
	"a.number >= 3 AND a.number < 6 AND a.ratio > 0.25",
	"a.number > 2.5 AND a.name = 'Z'",
	"a.number IN [1, $n, 99]",
	"a.ratio <= 0.25",
	"a.ratio > 0.75",
	"id(a) = $k",
	"id(a) IN [$k]",
	"id(a) = $k AND a.name = 'Jack'",
};

enum { SHAPES = sizeof shapes / sizeof *shapes, CONDITIONS = sizeof conditions / sizeof *conditions };

/* Writes a condition with a number and a key of the graph. */
static void print_condition(char *out, size_t size, const char *text, const fixture *made, uint64_t *random)
{
	const fixture_vertex *vertex = &made->vertices[gemp_random_below(random, made->vertex_count)];
	size_t at = 0;
	for (; *text && at + 1 < size; text++) {
		if (text[0] == '$' && text[1] == 'n')
			at += (size_t)snprintf(out + at, size - at, "%lld", (long long)gemp_random_below(random, 9));
		else if (text[0] == '$' && vertex->key.type == GEMP_INTEGER)
			at += (size_t)snprintf(out + at, size - at, "%lld", (long long)vertex->key.integer);
		else if (text[0] == '$')
			at += (size_t)snprintf(out + at, size - at, "'%s'", vertex->key_text);
		else
			out[at++] = *text;
		text += *text == '$';
	}
	out[at] = '\0';
}

/* Rows of all ranks, as a sum of hashes. */
typedef struct answer {
	uint64_t hash, rows, matches;
	bool near; /* the plan names a neighbourhood */
} answer;

static answer ask(gemp_graph *graph, const char *text, gemp_semantics semantics)
{
	gemp_query *query = NULL;
	gemp_columns *columns = NULL;
	gemp_query_result result, counted;
	gemp_query_settings settings;
	char *plan = NULL;
	answer found = { 0 };
	gemp_query_settings_init(&settings);
	settings.semantics = semantics;
	assert_all_ok(gemp_query_open(&query, graph, text, &settings));
	assert_all_ok(gemp_query_run(query, &columns, &result, NULL));
	assert_all_ok(gemp_query_count(query, &counted, NULL));
	assert_all_ok(gemp_query_plan(query, &plan));
	found.near = strstr(plan, "neighbourhood: ") != NULL;
	gemp_text_release(plan);
	found.hash = gemp_comm_sum1(&test_comm, api_rows_hash(columns));
	found.rows = result.rows;
	found.matches = counted.matches;
	gemp_columns_close(columns);
	gemp_query_close(query);
	return found;
}

/* A random graph in a file with indexes. */
static void make_file(const char *path, fixture *made, uint64_t seed)
{
	static const char *const names[] = { "name", "number", "ratio" };
	gemp_shard *shard = NULL;
	gemp_graph *graph = NULL;
	gemp_index_settings settings;
	const gemp_builder_options options = { .seed = seed, .undirected = seed % 3 == 0 };
	uint64_t random = seed;
	*made = fixture_new(30 + 40 * seed, 100 + 40 * seed, seed % 2 ? KEYS_INTEGER : KEYS_STRING, seed);
	for (size_t v = 0; v < made->vertex_count; v++)
		made->vertices[v].values[0].integer = (int64_t)gemp_random_below(&random, 9);
	assert_all_ok(fixture_build(&shard, made, &test_comm, &options, seed));
	assert_all_ok(gemp_graph_file_write(&test_comm, shard, path, NULL));
	gemp_shard_free(shard);
	gemp_index_settings_init(&settings);
	settings.values = names;
	settings.value_count = 3;
	settings.compressed = seed == 4;
	assert_all_ok(gemp_graph_open(&graph, context, path));
	assert_all_ok(gemp_graph_index(graph, &settings, NULL));
	assert_all(graph->shard->value_index_count == 3);
	gemp_graph_close(graph);
	assert_all_ok(gemp_graph_verify(context, path, NULL));
}

/* The graph that reads rows stays open for all queries; the other one has all arrays after some. */
static void same_rows_as_without(void **state)
{
	(void)state;
	static const gemp_semantics semantics[] = { GEMP_EDGE_ISO, GEMP_HOM, GEMP_ISO };
	size_t near = 0, asked = 0;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		char path[256], condition[256], text[512];
		gemp_graph *whole = NULL, *rows = NULL;
		fixture made;
		uint64_t random = 100 + seed;
		snprintf(path, sizeof path, "%s", test_path_all("neighbourhood.h5"));
		TEST_LIMIT(file_i32_max, seed == 2 ? 20 : INT32_MAX); /* 64-bit pointers and indices */
		TEST_LIMIT(file_compressed_min, 16);
		TEST_LIMIT(h5_serial, seed == 2);
		TEST_LIMIT(file_blocks, (size_t)1 << 3 * seed);
		make_file(path, &made, seed);
		assert_all_ok(gemp_graph_open(&whole, context, path));
		assert_all_ok(gemp_graph_open(&rows, context, path));
		for (size_t q = 0; q < SHAPES; q++) {
			print_condition(condition, sizeof condition, conditions[gemp_random_below(&random, CONDITIONS)], &made,
			                &random);
			snprintf(text, sizeof text, shapes[q], condition);
			const gemp_semantics sense = strstr(text, "*") ? GEMP_EDGE_ISO : semantics[gemp_random_below(&random, 3)];
			TEST_LIMIT(indexes, false);
			const answer expected = ask(whole, text, sense);
			TEST_LIMIT_DEFAULT(indexes);
			TEST_LIMIT(neighbourhood_entries, gemp_random_below(&random, 8) ? 1 << 16 : 20);
			const answer found = ask(rows, text, sense);
			TEST_LIMIT_DEFAULT(neighbourhood_entries);
			const bool same = found.hash == expected.hash && found.rows == expected.rows &&
			                  found.matches == expected.matches && !expected.near;
			if (!same && test_comm.rank == 0)
				print_error("seed %llu, semantics %d, %llu rows, not %llu: %s\n", (unsigned long long)seed, (int)sense,
				            (unsigned long long)found.rows, (unsigned long long)expected.rows, text);
			assert_all(same);
			near += found.near;
			asked++;
		}
		gemp_graph_close(whole);
		gemp_graph_close(rows);
		fixture_free(&made);
		TEST_LIMIT_DEFAULT(file_i32_max);
		TEST_LIMIT_DEFAULT(file_compressed_min);
		TEST_LIMIT_DEFAULT(h5_serial);
		TEST_LIMIT_DEFAULT(file_blocks);
	}
	if (near * 3 < asked * 2 && test_comm.rank == 0)
		print_error("only %zu of %zu queries read rows alone\n", near, asked);
	assert_all(near * 3 >= asked * 2);
}

/* LIMIT */

typedef struct row_list {
	uint64_t *hashes; /* [count] of the rows of all ranks, ascending */
	size_t count;
	bool complete;
	bool near; /* no array of the graph was loaded */
} row_list;

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static row_list list_rows(gemp_graph *graph, const char *text)
{
	enum { MAX_COLUMNS = 8 };
	gemp_query *query = NULL;
	gemp_columns *columns = NULL;
	gemp_query_result result;
	gemp_column_view view[MAX_COLUMNS] = { 0 };
	row_list list = { 0 };
	size_t width = 0, *begin = NULL;
	void *all = NULL;
	assert_all_ok(gemp_query_open(&query, graph, text, NULL));
	assert_all_ok(gemp_query_run(query, &columns, &result, NULL));
	list.near = !gemp_column_loaded(&graph->shard->keys);
	for (size_t r = 0; r < graph->shard->relation_count; r++)
		list.near &= graph->shard->relations[r].loaded == 0;
	list.complete = result.complete;
	while (width < MAX_COLUMNS && gemp_columns_at(columns, width, &view[width]))
		width++;
	const size_t rows = gemp_columns_rows(columns);
	uint64_t *mine = calloc(rows + 1, sizeof *mine);
	for (size_t row = 0; row < rows; row++)
		for (size_t k = 0; k < width; k++)
			mine[row] = api_cell_hash(&view[k], row, mine[row]);
	assert_all_ok(gemp_comm_allgather(&test_comm, GEMP_OK, mine, rows * sizeof *mine, &all, &begin));
	list.count = begin[test_comm.size] / sizeof *list.hashes;
	list.hashes = all;
	qsort(list.hashes, list.count, sizeof *list.hashes, compare_numbers);
	free(mine);
	gemp_free(begin);
	gemp_columns_close(columns);
	gemp_query_close(query);
	return list;
}

/* Each row of the shorter list is in the longer one, as often. */
static bool are_among(const row_list *some, const row_list *all)
{
	size_t i = 0;
	for (size_t j = 0; i < some->count && j < all->count; j++)
		i += some->hashes[i] == all->hashes[j];
	return i == some->count;
}

/* Queries with LIMIT that search near few vertices give rows of the whole answer, and say whether there are more. */
static void limited_rows_are_rows(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"MATCH (a)-->(b) RETURN id(a), id(b), b.name",
		"MATCH (a)-[:KNOWS]-(b)--(c) RETURN id(a), id(b), id(c)",
		"MATCH (a)-[r]->(b) WHERE a.number > 3 RETURN id(a), type(r), r.weight",
		"MATCH (a)-->(b)-->(c)-->(a) RETURN id(a), id(b), id(c)",
		"MATCH (a) WHERE a.number < 5 RETURN id(a), a.ratio",
		"MATCH (a)--(b) WHERE NOT (b)-[:KNOWS]->(a) RETURN id(a), id(b)",
		"MATCH (a)-->(b) RETURN id(a), COUNT { (a)--() } AS d",
		"MATCH (a)-[:KNOWS*1..2]->(b) RETURN id(a), id(b)",
	};
	size_t near = 0;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		char path[256], text[512];
		gemp_graph *graph = NULL;
		fixture made;
		uint64_t random = 300 + seed;
		snprintf(path, sizeof path, "%s", test_path_all("limited.h5"));
		make_file(path, &made, seed);
		assert_all_ok(gemp_graph_open(&graph, context, path));
		const uint64_t entries = gemp_shard_edges(graph->shard) / 8;
		for (size_t q = 0; q < sizeof texts / sizeof *texts; q++) {
			TEST_LIMIT(indexes, false);
			const row_list all = list_rows(graph, texts[q]);
			TEST_LIMIT_DEFAULT(indexes);
			for (int i = 0; i < 4; i++) {
				const uint64_t limit = i == 3 ? all.count : 1 + gemp_random_below(&random, 6);
				snprintf(text, sizeof text, "%s LIMIT %llu", texts[q], (unsigned long long)limit);
				gemp_graph *part = NULL;
				assert_all_ok(gemp_graph_open(&part, context, path));
				TEST_LIMIT(neighbourhood_entries, entries);
				const row_list some = list_rows(part, text);
				TEST_LIMIT_DEFAULT(neighbourhood_entries);
				gemp_graph_close(part);
				const bool right = some.count == gemp_min(limit, all.count) && are_among(&some, &all) &&
				                   (!some.near || !some.complete);
				if (!right && test_comm.rank == 0)
					print_error("seed %llu, %zu of %zu rows: %s\n", (unsigned long long)seed, some.count, all.count,
					            text);
				assert_all(right);
				near += some.near;
				gemp_free(some.hashes);
			}
			gemp_free(all.hashes);
		}
		gemp_graph_close(graph);
		fixture_free(&made);
	}
	if (test_comm.rank == 0)
		print_message("%zu queries searched near few vertices\n", near);
	assert_all(near > 10);
}

/* What a query reads of an open graph: no array of it. */
static void reads_no_array(void **state)
{
	(void)state;
	char path[256];
	gemp_graph *graph = NULL;
	fixture made;
	snprintf(path, sizeof path, "%s", test_path_all("lean.h5"));
	make_file(path, &made, 1);
	assert_all_ok(gemp_graph_open(&graph, context, path));
	const answer found = ask(graph, "MATCH (a {name: 'Jack'})-->(b) RETURN id(a), id(b), b.number", GEMP_EDGE_ISO);
	assert_all(found.near && found.rows > 0);
	bool loaded = graph->shard->label_set_of || gemp_column_loaded(&graph->shard->keys);
	for (size_t c = 0; c < graph->shard->attributes.count; c++)
		loaded |= gemp_column_loaded(&graph->shard->attributes.columns[c]);
	for (size_t r = 0; r < graph->shard->relation_count; r++)
		loaded |= graph->shard->relations[r].loaded != 0;
	assert_all(!loaded);
	gemp_graph_close(graph);
	fixture_free(&made);
}

/* A key that the file lacks, beside a condition that an index answers. The context keeps what the first query needs. */
static void absent_keys_leave_no_memory(void **state)
{
	(void)state;
	const char *text = "MATCH (a)-->(b)--(c) WHERE id(b) IN [-12345, -12346] AND a.number < 9 RETURN id(a), id(c)";
	char path[256];
	size_t blocks = 0;
	fixture made;
	snprintf(path, sizeof path, "%s", test_path_all("absent.h5"));
	make_file(path, &made, 1);
	for (int time = 0; time < 2; time++) {
		gemp_graph *graph = NULL;
		assert_all_ok(gemp_graph_open(&graph, context, path));
		const answer found = ask(graph, text, GEMP_EDGE_ISO);
		assert_all(found.near && found.rows == 0);
		gemp_graph_close(graph);
		assert_all(time == 0 || gemp_memory_blocks() == blocks);
		blocks = gemp_memory_blocks();
	}
	fixture_free(&made);
}

/* Writes bytes [0, size) of the file `from` into the file `path`, which stays the same file. Size 0: all bytes. */
static void copy_over(const char *path, const char *from, size_t size)
{
	char bytes[4096];
	size_t got, left = size ? size : SIZE_MAX;
	gemp_comm_sum1(&test_comm, 0);
	if (test_comm.rank == 0) {
		FILE *source = fopen(from, "rb"), *target = fopen(path, "wb"); /* the same inode */
		assert_true(source && target);
		for (; left && (got = fread(bytes, 1, gemp_min(left, sizeof bytes), source)) > 0; left -= got)
			assert_true(fwrite(bytes, 1, got, target) == got);
		assert_true(fclose(source) == 0 && fclose(target) == 0);
	}
	gemp_comm_sum1(&test_comm, 0);
}

/* The file one.h5 of a graph; another graph, other.h5; and the first graph with other indexes, indexed.h5. */
static void make_files(const char *one, const char *other, const char *indexed, char *key, size_t size)
{
	static const char *const names[] = { "ratio", "name" };
	const char *const paths[] = { other, indexed, one };
	gemp_index_settings settings;
	gemp_graph *graph = NULL;
	fixture made;
	for (int i = 0; i < 3; i++) {
		make_file(paths[i], &made, i == 0 ? 3 : 1);
		snprintf(key, size, "%lld", (long long)made.vertices[0].key.integer);
		fixture_free(&made);
	}
	gemp_index_settings_init(&settings);
	settings.drop = true;
	assert_all_ok(gemp_graph_open(&graph, context, indexed));
	assert_all_ok(gemp_graph_index(graph, &settings, NULL));
	settings.drop = false;
	settings.values = names;
	settings.value_count = 2;
	assert_all_ok(gemp_graph_index(graph, &settings, NULL));
	gemp_graph_close(graph);
}

/* While a graph is open, its file is cut, or becomes another graph or the same one with other indexes. A query fails
 * then, or gives the rows of the graph that was opened. Rows are read one by one again if all is as before. */
static void changed_file_gives_no_other_rows(void **state)
{
	(void)state;
	enum { CUT, OTHER, INDEXED, COPIED, CHANGES };
	static const gemp_code codes[2][CHANGES] = { { GEMP_EDATA, GEMP_EIO, GEMP_EIO, GEMP_OK },
		                                         { GEMP_EDATA, GEMP_EIO, GEMP_OK, GEMP_OK } };
	char path[256], from[CHANGES][256], key[32], texts[2][128];
	snprintf(path, sizeof path, "%s", test_path_all("live.h5"));
	snprintf(from[CUT], sizeof *from, "%s", test_path_all("one.h5"));
	snprintf(from[OTHER], sizeof *from, "%s", test_path_all("other.h5"));
	snprintf(from[INDEXED], sizeof *from, "%s", test_path_all("indexed.h5"));
	snprintf(from[COPIED], sizeof *from, "%s", from[CUT]);
	make_files(from[CUT], from[OTHER], from[INDEXED], key, sizeof key);
	snprintf(texts[0], sizeof *texts, "MATCH (a {name: 'Jack'})-->(b) RETURN id(a), id(b), b.name");
	snprintf(texts[1], sizeof *texts, "MATCH (a)--(b) WHERE id(a) = %s RETURN id(b), b.name", key);
	for (int q = 0; q < 2; q++)
		for (int change = 0; change < CHANGES; change++) {
			gemp_graph *graph = NULL;
			gemp_query *query = NULL;
			gemp_columns *columns = NULL;
			copy_over(path, from[CUT], 0);
			assert_all_ok(gemp_graph_open(&graph, context, path));
			const answer before = ask(graph, texts[q], GEMP_EDGE_ISO);
			assert_all(before.near && before.rows > 0);
			usleep(20000); /* the clock of files may tick every 10 ms */
			copy_over(path, from[change], change == CUT ? 4096 : 0);
			assert_all_ok(gemp_query_open(&query, graph, texts[q], NULL));
			assert_all_code(gemp_query_run(query, &columns, NULL, NULL), codes[q][change]);
			assert_all((columns != NULL) == (codes[q][change] == GEMP_OK));
			assert_all(!columns || gemp_comm_sum1(&test_comm, api_rows_hash(columns)) == before.hash);
			assert_all(change != COPIED || ask(graph, texts[q], GEMP_EDGE_ISO).near);
			gemp_columns_close(columns);
			gemp_query_close(query);
			gemp_graph_close(graph);
		}
}

static gemp_code ask_once(void *path)
{
	gemp_graph *graph = NULL;
	gemp_query *query = NULL;
	gemp_columns *columns = NULL;
	gemp_query_result result;
	gemp_code code = gemp_graph_open(&graph, context, path);
	if (code == GEMP_OK)
		code = gemp_query_open(&query, graph,
		                       "MATCH (a)-[r:KNOWS]->(b) WHERE a.name STARTS WITH 'J' AND NOT (b)-->(a) "
		                       "OPTIONAL MATCH (b)-[:ACTS_IN*1..2]->(c) RETURN id(a), b.name, r.note, id(c)",
		                       NULL);
	if (code == GEMP_OK)
		code = gemp_query_run(query, &columns, &result, NULL);
	gemp_columns_close(columns);
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
	fixture made;
	snprintf(path, sizeof path, "%s", test_path_all("memory.h5"));
	make_file(path, &made, 1);
	assert_all_ok(ask_once(path));
	assert_all_survive_no_memory(ask_once, path);
	fixture_free(&made);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		API_TEST(same_rows_as_without),
		API_TEST(limited_rows_are_rows),
		API_TEST(reads_no_array),
		API_TEST(absent_keys_leave_no_memory),
		API_TEST(changed_file_gives_no_other_rows),
		API_TEST(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
