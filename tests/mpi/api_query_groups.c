/* Tests rows that devices group: the columns of queries with WITH, aggregates, DISTINCT, ORDER BY and LIMIT must be
 * those that the host finds, which has no groups of devices, on random multigraphs. Tables are large enough, grow,
 * or are full after a few groups; result buffers have few rows; partial matches or rows travel; threads of the host
 * search before the device begins. */
#include "harness/limits.h"
#include "query_world.h"

#include <gemp/rules.h>

static const struct {
	const char *text;
	bool grouped; /* the plan says that the device makes groups */
} queries[] = {
	{ "MATCH (a)-->(b)-->(c) RETURN a, count(*) AS n", true },
	{ "MATCH (a)-->(b)<--(c) RETURN a, c, count(b) AS n ORDER BY n DESC LIMIT 5", true },
	{ "MATCH (a)-->(b)<--(c) WITH a, c, count(*) AS n WHERE n >= 3 RETURN id(a), id(c), n", true },
	{ "MATCH (a)-->(b)-->(c) WITH c, count(*) AS n WHERE n > 1 RETURN c, n ORDER BY n DESC, c SKIP 2 LIMIT 4", true },
	{ "MATCH (a)-->(b)-->(c) WITH id(b) AS k, count(*) AS n WHERE n = 4 AND k > 2 RETURN k, n", true },
	{ "MATCH (a)-->(b)-->(c) RETURN DISTINCT a, c", true },
	{ "MATCH (a)-->(b)-->(c) RETURN sum(id(a)) AS s, min(id(c)) AS l, avg(id(c)) AS m, count(DISTINCT a) AS n", true },
	{ "MATCH (a)-->(b)-->(c) WITH a, c RETURN id(a) % 3 AS r, count(*) AS n, max(id(c)) AS x", true },
	{ "MATCH (a)-->(b)-->(c) WITH a, b, c, count(*) AS n ORDER BY n DESC LIMIT 3 RETURN id(a), id(b), id(c), n", true },
	{ "MATCH (a)-->(b)<--(c) WITH a, c, count(b) AS n, sum(id(b)) AS s WHERE n >= 3 RETURN id(a), id(c), n, s", true },
	{ "MATCH (a)-->(b)-->(c) RETURN b, count(*) AS n, max(id(a)) AS x, min(id(c)) AS y ORDER BY n DESC LIMIT 2", true },
	{ "MATCH (a)-[*1..2]->(b) RETURN a, count(*) AS n", false },
	{ "MATCH (a)-->(b), (c)-->(c) RETURN b, count(*) AS n", false },
	{ "MATCH (a)-->(b) WHERE COUNT { (b)-->()-->(c) } > 2 RETURN a, count(*) AS n", false },
	{ "MATCH (a)-->(b)-->(c) RETURN a, b, c, count(*) AS n", false },
	{ "MATCH (a)-[e]->(b)-->(c) RETURN id(a), count(DISTINCT e) AS n", false },
	{ "MATCH (a)-[e]->(b)-->(c) RETURN id(a), count(e) AS n", false },
};
enum { QUERIES = sizeof queries / sizeof *queries };

typedef struct table {
	double (*rows)[4];
	size_t count;
} table;

static int by_number(const void *a, const void *b)
{
	const double *x = a, *y = b;
	for (int i = 0; i < 4; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

/* The rows in order if the query orders them, and sorted otherwise. */
static table answer(gemp_graph *graph, const char *text, const gemp_query_settings *settings, bool *grouped)
{
	gemp_query *query = query_new(graph, text, settings);
	gemp_columns *columns = NULL;
	gemp_query_result result;
	char *plan = NULL;
	table t;
	assert_all_ok(gemp_query_plan(query, &plan));
	*grouped = strstr(plan, "groups: made on the device") != NULL;
	gemp_text_release(plan);
	assert_all_ok(gemp_query_run(query, &columns, &result, NULL));
	t.rows = rows_of(columns, &t.count);
	const char *order = strstr(text, "ORDER BY");
	if (!order || strstr(text, "WITH a, b"))
		qsort(t.rows, t.count, sizeof *t.rows, by_number);
	gemp_columns_close(columns);
	gemp_query_close(query);
	return t;
}

/* The ways in which a device groups rows. */
static const struct {
	size_t slots, max;
	uint64_t result_buffer;
	gemp_exchange_mode exchange;
	int64_t replicate;
	int early;
} ways[] = { { 1 << 10, 1 << 10, 0, GEMP_EXCHANGE_AUTO, GEMP_REPLICATE_AUTO, 0 },
	         { 4, 1 << 10, 7, GEMP_EXCHANGE_AUTO, GEMP_REPLICATE_AUTO, 3 },
	         { 4, 8, 0, GEMP_EXCHANGE_AUTO, GEMP_REPLICATE_ALL, 0 },
	         { 8, 64, 0, GEMP_EXCHANGE_PUSH, 0, 0 },
	         { 8, 64, 0, GEMP_EXCHANGE_PULL, 0, 0 } };
enum { WAYS = sizeof ways / sizeof *ways };

static void check(const world *w, size_t q, size_t way)
{
	gemp_query_settings settings;
	bool grouped;
	gemp_query_settings_init(&settings);
	settings.place = GEMP_PLACE_HOST;
	const table expected = answer(w->graph, queries[q].text, &settings, &grouped);
	assert_all(!grouped);
	settings.place = GEMP_PLACE_DEVICE;
	settings.exchange = ways[way].exchange;
	settings.replicate = ways[way].replicate;
	gemp_context_options options;
	gemp_context_options_init(&options);
	options.result_buffer = ways[way].result_buffer;
	assert_all_ok(gemp_context_configure(context, &options));
	TEST_LIMIT(device_group_slots, ways[way].slots);
	TEST_LIMIT(device_group_max, ways[way].max);
	TEST_LIMIT(early_pivots, ways[way].early);
	const table found = answer(w->graph, queries[q].text, &settings, &grouped);
	TEST_LIMIT_DEFAULT(device_group_slots);
	TEST_LIMIT_DEFAULT(device_group_max);
	TEST_LIMIT_DEFAULT(early_pivots);
	assert_all(grouped == queries[q].grouped);
	if (found.count != expected.count || memcmp(found.rows, expected.rows, found.count * sizeof *found.rows) != 0)
		fprintf(stderr, "%s, way %zu: %zu rows, not %zu\n", queries[q].text, way, found.count, expected.count);
	assert_all(found.count == expected.count);
	assert_all(memcmp(found.rows, expected.rows, found.count * sizeof *found.rows) == 0);
	free(expected.rows);
	free(found.rows);
}

/* A device compiles a program for each query, so the first way has all of them, and the others have three. */
static void devices_group_as_the_host(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	for (size_t way = 0, q = 0; way < WAYS; way++) {
		world w = world_new(5 + gemp_random_below(&random, 12), 60, false, (api_split)(way % API_SPLITS), &random);
		for (size_t i = 0; i < (way == 0 ? QUERIES : 3); i++, q++)
			check(&w, q % QUERIES, way);
		world_free(&w);
	}
}

/* A device that groups rows takes searches that are small for threads of the host, unless they are very small. */
static void devices_take_small_searches_with_groups(void **state)
{
	(void)state;
	static const char text[] = "MATCH (a)-->(m)<--(b) RETURN a, b, count(m) AS n ORDER BY n DESC LIMIT 3";
	uint64_t random = test_seed_all();
	world w = world_new(9, 60, false, SPLIT_TURNS, &random);
	gemp_query_settings settings;
	bool grouped;
	gemp_query_settings_init(&settings);
	TEST_LIMIT(early_pivots, 0);
	settings.place = GEMP_PLACE_DEVICE; /* opens the device */
	free(answer(w.graph, text, &settings, &grouped).rows);
	settings.place = GEMP_PLACE_AUTO;
	TEST_LIMIT(device_group_slots, 64);
	free(answer(w.graph, text, &settings, &grouped).rows);
	assert_all(!grouped);
	TEST_LIMIT(interpret_work, 1 << 10);
	free(answer(w.graph, text, &settings, &grouped).rows);
	assert_all(grouped);
	TEST_LIMIT_DEFAULT(device_group_slots);
	free(answer(w.graph, text, &settings, &grouped).rows);
	assert_all(!grouped);
	TEST_LIMIT_DEFAULT(interpret_work);
	TEST_LIMIT_DEFAULT(early_pivots);
	world_free(&w);
}

/* Rules that group once and twice: the second rule needs the mean of the rows that it groups. */
static const char rules_text[] =
	"RULE pair MATCH (a)-[:E]->(m)<-[:E]-(b) WHERE id(a) < id(b) WITH a, b, count(m) AS n WHERE n >= 2 "
	"CREATE (c:C {n: n}), (c)-[:P]->(a), (c)-[:Q]->(b)\n"
	"RULE mean MATCH (a)-[:E]->(m)<-[:E]-(b) WHERE id(a) < id(b) WITH a, b, count(m) AS n, avg(id(m)) AS y WHERE n >= 2 "
	"CREATE (d:D {n: n, y: y}), (d)-[:P]->(a), (d)-[:Q]->(b)\n"
	"RUN pair; mean";

static uint64_t rewrite(uint64_t random, uint64_t *applied)
{
	world w = world_new(12, 70, false, SPLIT_TURNS, &random);
	gemp_rules *rules;
	gemp_rules_result result;
	assert_all_ok(gemp_rules_open(&rules, context, rules_text, NULL));
	assert_all_ok(gemp_rules_run(rules, w.graph, NULL, &result, NULL));
	const uint64_t hash = gemp_graph_hash(w.graph);
	*applied = result.applied;
	gemp_rules_close(rules);
	world_free(&w);
	return hash;
}

static void rules_group_as_on_the_host(void **state)
{
	(void)state;
	const uint64_t random = test_seed_all();
	static const size_t most[] = { 1 << 10, 4 };
	uint64_t applied[2];
	const uint64_t expected = rewrite(random, &applied[0]);
	assert_all(applied[0] > 4);
	for (int i = 0; i < 2; i++) {
		TEST_LIMIT(interpret_work, 0); /* devices search */
		TEST_LIMIT(early_pivots, 0);
		TEST_LIMIT(device_group_slots, 4);
		TEST_LIMIT(device_group_max, most[i]);
		const uint64_t found = rewrite(random, &applied[1]);
		TEST_LIMIT_DEFAULT(interpret_work);
		TEST_LIMIT_DEFAULT(early_pivots);
		TEST_LIMIT_DEFAULT(device_group_slots);
		TEST_LIMIT_DEFAULT(device_group_max);
		assert_all(found == expected && applied[1] == applied[0]);
	}
}

static gemp_code run_once(void *argument)
{
	gemp_query_settings settings;
	gemp_query_settings_init(&settings);
	settings.place = GEMP_PLACE_DEVICE;
	return query_run_once(argument,
	                      "MATCH (a)-->(b)<--(c) WITH a, c, count(b) AS n, sum(id(b)) AS s WHERE n > 1 "
	                      "RETURN a, c, n, s ORDER BY n DESC LIMIT 3",
	                      &settings);
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 2) /* lets each request for memory of each rank fail, which is slow on many ranks */
		return;
	uint64_t random = test_seed_all();
	world w = world_new(8, 20, false, SPLIT_TURNS, &random);
	TEST_LIMIT(device_group_slots, 4);
	TEST_LIMIT(device_group_max, 1 << 10);
	TEST_LIMIT(early_pivots, 0);
	assert_all_ok(run_once(w.graph)); /* opens devices, which stay open */
	assert_all_survive_no_memory(run_once, w.graph);
	TEST_LIMIT_DEFAULT(device_group_slots);
	TEST_LIMIT_DEFAULT(device_group_max);
	TEST_LIMIT_DEFAULT(early_pivots);
	world_free(&w);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { API_TEST(devices_group_as_the_host), API_TEST(rules_group_as_on_the_host),
		                                API_TEST(devices_take_small_searches_with_groups),
		                                API_TEST(memory_may_run_out) };
	return test_main_all(argc, argv, tests);
}
