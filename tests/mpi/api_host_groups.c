/* Tests groups that the walkers of the host count for each pivot (match/interpret/group_walk.h): a query must have the
 * same rows, in the same order, as without them, on random multigraphs and under all semantics. Counters of 32 bits are
 * carried over after a few matches; rows come in rounds of a few. */
#include "harness/limits.h"
#include "query_world.h"

static const struct {
	const char *text;
	bool grouped; /* groups are counted if the plan begins at one of their vertices */
} queries[] = {
	{ "MATCH (a)-->(b) RETURN a, count(*) AS n", true },
	{ "MATCH (a)-->(b)-->(c) RETURN a, count(*) AS n", true },
	{ "MATCH (a)-->(b)<--(c) WITH a, c, count(b) AS n WHERE id(a) < 20 RETURN id(a), id(c), n", true },
	{ "MATCH (a)-->(b)<--(c) WHERE id(a) < id(c) WITH a, c, count(b) AS n RETURN id(a), id(c), n ORDER BY n DESC LIMIT 5",
	  true },
	{ "MATCH (a)-->(b)<--(c) WHERE id(c) <= id(a) WITH a, c, count(*) AS n WHERE n >= 3 RETURN id(a), id(c), n", true },
	{ "MATCH (a)-->(b)<--(c)-->(d) WHERE a <> d WITH a, c, count(*) AS n WHERE n > 2 RETURN id(a), id(c), n", true },
	{ "MATCH (a)-->(b)-->(c)-->(d) WHERE id(b) % 3 > 0 AND id(d) > 2 RETURN a, b, count(*) AS n", true },
	{ "MATCH (a)-->(b)-->(c)-->(d) WITH DISTINCT a, d RETURN id(a), count(d) AS n", true },
	{ "MATCH (a)-->(b), (b)--(c), (d)-->(b) RETURN a, d, count(*) AS n ORDER BY n DESC, id(a), id(d) LIMIT 7", true },
	{ "MATCH (a)-->(b)-->(c) RETURN id(a) % 3 AS r, sum(id(c)) AS s, count(*) AS n, avg(id(c)) AS m", true },
	{ "MATCH (a)-->(b)-->(c) WITH id(a) % 4 AS r, count(*) AS n WHERE n > 30 RETURN r, n ORDER BY n DESC LIMIT 2",
	  true },
	{ "MATCH (a)-->(b)-->(a) RETURN a, count(*) AS n", false },
	{ "MATCH (a)-[r]->(b) WITH a, count(r) AS n RETURN id(a), n", false },
	{ "MATCH (a)-[r]->(b)<--(c) RETURN a, c, count(r) + 1 AS n ORDER BY n DESC, id(a), id(c) LIMIT 3", false },
	{ "MATCH (a)-->(b)-->(c) RETURN a, b, c, count(*) AS n", false },
	{ "MATCH (a)-->(b)<--(c) WHERE id(a) + id(b) > id(c) RETURN a, count(*) AS n", false },
};
enum { QUERIES = sizeof queries / sizeof *queries };

typedef struct table {
	double (*rows)[4];
	size_t count;
} table;

static table answer(gemp_graph *graph, const char *text, const gemp_query_settings *settings, bool *grouped)
{
	gemp_query *query = query_new(graph, text, settings);
	gemp_columns *columns = NULL;
	gemp_query_result result;
	char *plan = NULL;
	table t;
	assert_all_ok(gemp_query_plan(query, &plan));
	*grouped = strstr(plan, "groups: counted by the host") != NULL;
	gemp_text_release(plan);
	assert_all_ok(gemp_query_run(query, &columns, &result, NULL));
	t.rows = rows_of(columns, &t.count);
	gemp_columns_close(columns);
	gemp_query_close(query);
	return t;
}

/* The ways in which rows are counted and delivered. */
static const struct {
	gemp_placement place;
	uint64_t counter_max, result_buffer;
} ways[] = { { GEMP_PLACE_AUTO, UINT32_MAX, 0 }, { GEMP_PLACE_HOST, 2, 0 }, { GEMP_PLACE_HOST, 5, 3 } };
enum { WAYS = sizeof ways / sizeof *ways };

static bool check(const world *w, size_t q, size_t way, gemp_semantics semantics)
{
	gemp_query_settings settings;
	gemp_context_options options;
	bool grouped;
	gemp_query_settings_init(&settings);
	settings.semantics = semantics;
	settings.place = GEMP_PLACE_HOST;
	TEST_LIMIT(group_walk, 0);
	const table expected = answer(w->graph, queries[q].text, &settings, &grouped);
	assert_all(!grouped);
	settings.place = ways[way].place;
	gemp_context_options_init(&options);
	options.result_buffer = ways[way].place == GEMP_PLACE_HOST ? ways[way].result_buffer : 0;
	assert_all_ok(gemp_context_configure(context, &options));
	TEST_LIMIT(group_walk, 1);
	TEST_LIMIT(group_counter_max, ways[way].counter_max);
	const table found = answer(w->graph, queries[q].text, &settings, &grouped);
	TEST_LIMIT_DEFAULT(group_walk);
	TEST_LIMIT_DEFAULT(group_counter_max);
	assert_all(queries[q].grouped || !grouped);
	if (found.count != expected.count || memcmp(found.rows, expected.rows, found.count * sizeof *found.rows) != 0)
		fprintf(stderr, "%s, way %zu, semantics %d: %zu rows, not %zu\n", queries[q].text, way, (int)semantics,
		        found.count, expected.count);
	assert_all(found.count == expected.count);
	assert_all(memcmp(found.rows, expected.rows, found.count * sizeof *found.rows) == 0);
	free(expected.rows);
	free(found.rows);
	return grouped;
}

static void groups_are_those_of_rows(void **state)
{
	(void)state;
	static const gemp_semantics all[] = { GEMP_EDGE_ISO, GEMP_HOM, GEMP_ISO };
	uint64_t random = test_seed_all();
	size_t grouped = 0, checks = 0;
	for (size_t round = 0; round < 6; round++) {
		/* many edges have a parallel one in the first worlds, and few or none in the last ones */
		const size_t n = 5 + gemp_random_below(&random, 12) + 40 * (round / 3);
		world w = world_new(n, 60, false, (api_split)(round % API_SPLITS), &random);
		for (size_t q = 0; q < QUERIES; q++, checks++)
			grouped += check(&w, q, checks % WAYS, all[(round + q) % 3]);
		world_free(&w);
	}
	printf("%zu of %zu queries counted groups\n", grouped, checks);
	assert_all(grouped > checks / 4);
}

static gemp_code run_once(void *argument)
{
	gemp_query_settings settings;
	gemp_query_settings_init(&settings);
	settings.semantics = GEMP_HOM;
	settings.place = GEMP_PLACE_HOST;
	return query_run_once(argument,
	                      "MATCH (a)-->(b)<--(c) WITH a, c, count(b) AS n RETURN a, c, n "
	                      "ORDER BY n DESC LIMIT 3",
	                      &settings);
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 2) /* lets each request for memory of each rank fail, which is slow on many ranks */
		return;
	uint64_t random = test_seed_all();
	world w = world_new(8, 20, false, SPLIT_TURNS, &random);
	TEST_LIMIT(group_walk, 1);
	TEST_LIMIT(group_counter_max, 3);
	assert_all_ok(run_once(w.graph)); /* makes rows that stay with the graph */
	assert_all_survive_no_memory(run_once, w.graph);
	TEST_LIMIT_DEFAULT(group_walk);
	TEST_LIMIT_DEFAULT(group_counter_max);
	world_free(&w);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { API_TEST(groups_are_those_of_rows), API_TEST(memory_may_run_out) };
	return test_main_all(argc, argv, tests);
}
