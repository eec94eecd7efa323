/* Tests what an open graph keeps between queries. Random queries in random order on one open graph must give the same
 * rows as each of them gives on a graph that has just been opened: with little memory for kept results, after one rank
 * has lost them, and after updates. */
#include "api_case.h"

#include "api/graph.h"
#include "comm/comm.h"
#include "graph/kept.h"
#include "graph_fixture.h"
#include "io/graph_file/graph_file_write.h"

#include <gemp/index.h>

/* %d: a small number. */
static const char *const shapes[] = {
	"MATCH (a)-[:KNOWS]->(b)-[:ACTS_IN]->(c) WHERE a.number < %d RETURN id(a), id(b), id(c)",
	"MATCH (x:Person)-[:KNOWS]->(y)-[:ACTS_IN]->(z) WHERE x.number < %d RETURN id(x), id(y), id(z)",
	"MATCH (a)-->(b)-->(c)-->(a) WHERE b.number = %d RETURN id(a), id(b), id(c)",
	"MATCH (a)-->(b)-->(c), (a)-->(c) WHERE NOT b.number = %d AND a.name = 'Jack' RETURN id(a), id(b), id(c)",
	"MATCH (a)-->(b)-->(c)-[:KNOWS]-(d) WHERE a.number > %d AND a.ratio < 0.5 RETURN id(a), id(d)",
	"MATCH (a:Film)--(b)--(c:Person) WHERE a.number <> %d RETURN id(a), id(b), id(c)",
	"MATCH (a)-->(b)<--(c) WHERE id(a) < id(c) AND b.number = %d RETURN id(a), count(*) AS n",
	"MATCH (a)-->(b)<--(c) WHERE NOT (a)-->(c) AND b.number = %d RETURN id(a), id(c)",
	"MATCH (a)-->(b)<--(c) WHERE NOT (c)-->(a) AND b.number = %d RETURN id(a), id(c)",
	"MATCH (a)-->(b)-->(c) WHERE a.number IN [%d, 7] AND COUNT { (b)-->() } > 2 RETURN id(c), b.name",
	"MATCH (a)-->(b)-->(c) WHERE a.name STARTS WITH 'J' AND COUNT { (b)--() } > %d RETURN id(c), count(*) AS n",
	"MATCH (a)-[r]->(b)-[s]->(c) WHERE a.number >= %d RETURN type(r), type(s), count(*) AS n",
	"MATCH (a)-->(b) WHERE a.number + b.number = %d RETURN id(a), id(b)",
	"MATCH (a)-->(b) WHERE 1 / a.number > %d RETURN id(a), id(b)",
	"MATCH (a:Person) WHERE a.number = %d OPTIONAL MATCH (a)-[:KNOWS]->(b)-->(c) RETURN id(a), id(b), id(c)",
	"MATCH (a)-->(b) WHERE a.number = %d AND EXISTS { (b)-->(c:Film)-->(d) } RETURN id(a), id(b)",
	"MATCH (a)-->(b)-->(c)-->(d) WHERE a.number = %d AND a.name = 'Z' RETURN count(*)",
	"MATCH (a) WHERE COUNT { (a)-->(b:Film) WHERE b.number < %d } > 1 AND a.name = 'Z' RETURN id(a), a.number",
	"MATCH (a)-->(b)-->(c) WHERE EXISTS { (a)<--(d:Film) WHERE d.number < %d } AND a.number > 2 RETURN id(a), id(c)",
	"MATCH (a)-->(b)-->(c) WHERE EXISTS { (a)<--(d) WHERE d.number < %d } AND a.number > 2 RETURN id(a), id(c)",
	"MATCH (a) WHERE a.number = %d OR a.name = 'Z' RETURN id(a), labels(a)",
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static const char *const updates[] = {
	"MATCH (a:Film) WHERE a.number < 4 SET a.number = a.number + 3",
	"MATCH (a:Person) WHERE a.name = 'Jack' SET a:Film",
	"MATCH (a:Person)-[:KNOWS]->(b) WHERE a.number = 2 CREATE (a)-[:ACTS_IN]->(b)",
	"MATCH (a)-[r:KNOWS]->(b) WHERE a.number = 5 DELETE r",
};
enum { UPDATES = sizeof updates / sizeof *updates };

typedef struct answer {
	gemp_code code;
	uint64_t hash, rows;
} answer;

static answer ask(gemp_graph *graph, const char *text, gemp_semantics semantics)
{
	gemp_query *query = NULL;
	gemp_columns *columns = NULL;
	gemp_query_settings settings;
	gemp_query_result result = { 0 };
	gemp_query_settings_init(&settings);
	settings.semantics = semantics;
	assert_all_ok(gemp_query_open(&query, graph, text, &settings));
	answer found = { .code = gemp_query_run(query, &columns, &result, NULL) };
	if (found.code == GEMP_OK)
		found = (answer){ GEMP_OK, gemp_comm_sum1(&test_comm, api_rows_hash(columns)), result.rows };
	gemp_columns_close(columns);
	gemp_query_close(query);
	return found;
}

static void update(gemp_graph *graph, const char *text)
{
	gemp_query *query = NULL;
	assert_all_ok(gemp_query_open(&query, graph, text, NULL));
	assert_all_ok(gemp_query_update(query, NULL, NULL, NULL, NULL));
	gemp_query_close(query);
}

/* A random graph in a file. Numbers are below 9. Every other graph has indexes of values. */
static void make_file(const char *path, uint64_t seed, uint64_t *random)
{
	static const char *const names[] = { "name", "number" };
	gemp_shard *shard = NULL;
	gemp_graph *graph = NULL;
	gemp_index_settings settings;
	const gemp_builder_options options = { .seed = seed };
	fixture made = fixture_new(150, 1500, seed % 2 ? KEYS_INTEGER : KEYS_STRING, seed);
	for (size_t v = 0; v < made.vertex_count; v++)
		made.vertices[v].values[0].integer = (int64_t)gemp_random_below(random, 9);
	assert_all_ok(fixture_build(&shard, &made, &test_comm, &options, seed));
	assert_all_ok(gemp_graph_file_write(&test_comm, shard, path, NULL));
	gemp_shard_free(shard);
	fixture_free(&made);
	if (seed % 2)
		return;
	gemp_index_settings_init(&settings);
	settings.values = names;
	settings.value_count = 2;
	assert_all_ok(gemp_graph_open(&graph, context, path));
	assert_all_ok(gemp_graph_index(graph, &settings, NULL));
	gemp_graph_close(graph);
}

/* Compares one random query. Returns the number of kept results that it used. */
static uint64_t compare(gemp_graph *open, const char *path, uint64_t *random)
{
	static const gemp_semantics semantics[] = { GEMP_EDGE_ISO, GEMP_HOM, GEMP_ISO };
	gemp_graph *fresh = NULL;
	char text[512];
	const char *shape = shapes[gemp_random_below(random, SHAPES)];
	snprintf(text, sizeof text, shape, (int)gemp_random_below(random, 3)); /* few numbers, so that queries come again */
	const gemp_semantics sense = semantics[gemp_random_below(random, 3)];
	const uint64_t before = gemp_kept_look(open->shard->kept).found;
	assert_all_ok(gemp_graph_open(&fresh, context, path));
	const answer expected = ask(fresh, text, sense);
	const answer found = ask(open, text, sense);
	gemp_graph_close(fresh);
	const bool same = found.code == expected.code && found.hash == expected.hash && found.rows == expected.rows;
	if (!same && test_comm.rank == 0)
		print_error("%s, semantics %d: code %d and %llu rows, not code %d and %llu rows\n", text, (int)sense,
		            (int)found.code, (unsigned long long)found.rows, (int)expected.code,
		            (unsigned long long)expected.rows);
	assert_all(same);
	return gemp_kept_look(open->shard->kept).found - before;
}

/* Replaces the store by one with little memory. */
static void keep_little(gemp_shard *shard)
{
	gemp_kept_free(shard->kept);
	shard->kept = NULL;
	assert_all_ok(gemp_kept_new(&shard->kept, 12000));
}

static void same_rows_as_a_fresh_graph(void **state)
{
	(void)state;
	uint64_t random = test_seed_all(), used = 0;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		char path[256], changed[256];
		gemp_graph *open = NULL;
		snprintf(path, sizeof path, "%s", test_path_all("kept.h5"));
		snprintf(changed, sizeof changed, "%s", test_path_all("changed.h5"));
		make_file(path, seed, &random);
		assert_all_ok(gemp_graph_open(&open, context, path));
		if (seed == 3)
			keep_little(open->shard);
		for (int q = 0; q < 20 + 40 / test_comm.size; q++) {
			if (test_comm.rank == test_comm.size - 1 && gemp_random_below(&random, 8) == 0)
				gemp_kept_clear(open->shard->kept); /* as after a shortage of memory on one rank */
			else if (test_comm.rank != test_comm.size - 1)
				gemp_random_below(&random, 8);
			used += compare(open, path, &random);
		}
		update(open, updates[gemp_random_below(&random, UPDATES)]);
		assert_all_ok(gemp_graph_write(open, changed, NULL, NULL));
		for (int q = 0; q < 4 + 16 / test_comm.size; q++)
			used += compare(open, changed, &random);
		gemp_graph_close(open);
	}
	if (used <= 30)
		print_error("only %llu results were used again\n", (unsigned long long)used);
	assert_all(used > 30);
}

/* A query that stays open sees what an update between its runs has changed. */
static void open_queries_see_updates(void **state)
{
	(void)state;
	static const char text[] =
		"MATCH (a)-->(b) WHERE COUNT { (b)-->() } > 1 RETURN id(a) AS a, id(b) AS b, a.number AS n";
	uint64_t random = test_seed_all();
	char path[256];
	gemp_graph *graph = NULL;
	gemp_query *query = NULL;
	snprintf(path, sizeof path, "%s", test_path_all("stays.h5"));
	make_file(path, 1, &random);
	assert_all_ok(gemp_graph_open(&graph, context, path));
	assert_all_ok(gemp_query_open(&query, graph, text, NULL));
	for (size_t u = 0; u < UPDATES; u++) {
		gemp_columns *columns = NULL;
		update(graph, updates[u]);
		assert_all_ok(gemp_query_run(query, &columns, NULL, NULL));
		const uint64_t found = gemp_comm_sum1(&test_comm, api_rows_hash(columns));
		gemp_columns_close(columns);
		const answer anew = ask(graph, text, GEMP_EDGE_ISO);
		assert_all(anew.code == GEMP_OK && anew.rows > 0 && found == anew.hash);
	}
	gemp_query_close(query);
	gemp_graph_close(graph);
}

/* The second run of a query computes nothing anew. */
static void repeated_queries_use_what_is_kept(void **state)
{
	(void)state;
	static const char text[] =
		"MATCH (a:Person)-->(b)-->(c) WHERE a.number < 5 AND COUNT { (b)-->() } > 2 RETURN id(a), id(c)";
	uint64_t random = 1;
	char path[256];
	gemp_graph *graph = NULL;
	snprintf(path, sizeof path, "%s", test_path_all("again.h5"));
	make_file(path, 1, &random);
	assert_all_ok(gemp_graph_open(&graph, context, path));
	const answer first = ask(graph, text, GEMP_HOM);
	const gemp_kept_figures once = gemp_kept_look(graph->shard->kept);
	const answer second = ask(graph, text, GEMP_HOM);
	const gemp_kept_figures twice = gemp_kept_look(graph->shard->kept);
	assert_all(once.entries >= 3 && twice.entries == once.entries && twice.bytes == once.bytes);
	assert_all(twice.missed == once.missed && twice.found >= once.found + 3);
	assert_all(first.hash == second.hash && first.rows == second.rows && first.rows > 0);
	gemp_graph_close(graph);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		API_TEST(same_rows_as_a_fresh_graph),
		API_TEST(open_queries_see_updates),
		API_TEST(repeated_queries_use_what_is_kept),
	};
	return test_main_all(argc, argv, tests);
}
