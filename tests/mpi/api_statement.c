/* Tests the statements that an open graph keeps: the same text with other values of parameters, other settings and
 * after changes of the graph must give what a graph gives that keeps nothing. */
#include "api_case.h"

#include "api/graph.h"
#include "graph/kept.h"
#include "graph_fixture.h"

/* The rows of a query, or the code of its failure. */
typedef struct answer {
	gemp_code code;
	uint64_t hash, rows, matches;
} answer;

static bool is_same(const answer *a, const answer *b)
{
	return a->code == b->code && a->hash == b->hash && a->rows == b->rows && a->matches == b->matches;
}

static answer run(gemp_query *query)
{
	gemp_columns *columns = NULL;
	gemp_query_result result = { 0 };
	answer found = { .code = gemp_query_run(query, &columns, &result, NULL) };
	if (found.code == GEMP_OK)
		found = (answer){ GEMP_OK, gemp_comm_sum1(&test_comm, api_rows_hash(columns)), result.rows, result.matches };
	gemp_columns_close(columns);
	return found;
}

static answer ask(gemp_graph *graph, const char *text, const gemp_query_settings *settings)
{
	gemp_query *query = NULL;
	const gemp_code code = gemp_query_open(&query, graph, text, settings);
	const answer found = code == GEMP_OK ? run(query) : (answer){ .code = code };
	gemp_query_close(query);
	return found;
}

static answer ask_anew(gemp_graph *graph, const char *text, const gemp_query_settings *settings)
{
	gemp_kept_clear(graph->shard->kept);
	const answer found = ask(graph, text, settings);
	gemp_kept_clear(graph->shard->kept);
	return found;
}

/* Small numbers and few names, so that conditions have some matches. */
static gemp_graph *make_graph(uint64_t seed)
{
	gemp_shard *shard = NULL;
	gemp_graph *graph = NULL;
	uint64_t random = seed;
	const gemp_builder_options options = { .seed = seed };
	fixture made = fixture_new(80, 500, KEYS_INTEGER, seed);
	for (size_t v = 0; v < made.vertex_count; v++)
		made.vertices[v].values[0].integer = (int64_t)gemp_random_below(&random, 4);
	assert_all_ok(fixture_build(&shard, &made, &test_comm, &options, seed));
	fixture_free(&made);
	assert_all_ok(gemp_graph_of_shard(&graph, context, shard, "statements"));
	return graph;
}

static void update(gemp_graph *graph, const char *text)
{
	gemp_query *query = NULL;
	assert_all_ok(gemp_query_open(&query, graph, text, NULL));
	assert_all_ok(gemp_query_update(query, NULL, NULL, NULL, NULL));
	gemp_query_close(query);
}

/* A value of the parameter $x: integers, floats, booleans and texts, some of which look alike. */
static gemp_code bind(gemp_query *query, size_t value)
{
	switch (value) {
	case 0: return gemp_query_bind_integer(query, "x", 1);
	case 1: return gemp_query_bind_integer(query, "x", 2);
	case 2: return gemp_query_bind_real(query, "x", 1);
	case 3: return gemp_query_bind_real(query, "x", 1.5);
	case 4: return gemp_query_bind_text(query, "x", "Jack");
	case 5: return gemp_query_bind_text(query, "x", "Z");
	case 6: return gemp_query_bind_text(query, "x", "1");
	default: return gemp_query_bind_boolean(query, "x", true);
	}
}
static const char *const literals[] = { "1", "2", "1.0", "1.5", "'Jack'", "'Z'", "'1'", "true" };
enum { VALUES = sizeof literals / sizeof *literals };

/* %s: the parameter, or its value as a literal. */
static const char *const shapes[] = {
	"MATCH (a)-->(b) WHERE a.number = %s RETURN id(a) AS a, id(b) AS b",
	"MATCH (a)-->(b) WHERE a.name = %s RETURN id(a) AS a, b.number AS n",
	"MATCH (a)-->(b)<--(c) WHERE a.number >= %s AND b.number < 3 RETURN id(a) AS a, count(*) AS n",
	"MATCH (a {number: %s})-->(b) RETURN b.name AS name, b.number + 1 AS n",
	"MATCH (a)-->(b) WHERE COUNT { (b)-->(c) WHERE c.number = %s } > 0 RETURN id(a) AS a, id(b) AS b",
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Random values in one open query, and in queries that are opened for one run. */
static void follows_its_parameters(void **state)
{
	(void)state;
	uint64_t random = test_seed_all(), rows = 0;
	gemp_graph *graph = make_graph(3), *other = make_graph(3);
	for (size_t s = 0; s < SHAPES; s++) {
		char text[256], literal[256];
		gemp_query *stays = NULL;
		snprintf(text, sizeof text, shapes[s], "$x");
		assert_all_ok(gemp_query_open(&stays, graph, text, NULL));
		for (int i = 0; i < 24; i++) {
			const size_t value = gemp_random_below(&random, VALUES);
			gemp_query *query = stays;
			snprintf(literal, sizeof literal, shapes[s], literals[value]);
			if (i % 3 == 0)
				assert_all_ok(gemp_query_open(&query, graph, text, NULL));
			assert_all_ok(bind(query, value));
			const answer found = run(query), again = run(query), expected = ask_anew(other, literal, NULL);
			if (!is_same(&found, &expected) && test_comm.rank == 0)
				print_error("%s: code %d, %llu rows; not %d, %llu\n", literal, (int)found.code,
				            (unsigned long long)found.rows, (int)expected.code, (unsigned long long)expected.rows);
			assert_all(is_same(&found, &expected) && is_same(&again, &expected));
			rows += found.rows;
			if (query != stays)
				gemp_query_close(query);
		}
		gemp_query_close(stays);
	}
	assert_all(rows > 100);
	gemp_graph_close(other);
	gemp_graph_close(graph);
}

/* A parameter that the text lacks, and a parameter without a value, are refused also if the statement is kept. */
static void refuses_wrong_parameters(void **state)
{
	(void)state;
	static const char with[] = "MATCH (a) WHERE a.number = $x RETURN id(a)", without[] = "MATCH (a)-->(b) RETURN id(a)";
	gemp_graph *graph = make_graph(4);
	gemp_query *query = NULL;
	for (int i = 0; i < 2; i++) {
		assert_all_ok(gemp_query_open(&query, graph, with, NULL));
		assert_all(run(query).code == GEMP_EUSAGE);
		assert_all_ok(gemp_query_bind_integer(query, "x", 1));
		assert_all(run(query).code == GEMP_OK);
		assert_all_ok(gemp_query_bind_integer(query, "nobody", 1));
		assert_all(run(query).code == GEMP_EUSAGE);
		gemp_query_close(query);
		assert_all_ok(gemp_query_open(&query, graph, without, NULL));
		assert_all(run(query).code == GEMP_OK);
		assert_all_ok(gemp_query_bind_integer(query, "x", 1));
		assert_all(run(query).code == GEMP_EUSAGE);
		gemp_query_close(query);
	}
	gemp_graph_close(graph);
}

/* One text with all settings on which its rows depend, in random order. */
static void follows_its_settings(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"MATCH (a)-->(b)-->(c) WHERE a.number = 1 RETURN id(a), id(c)",
		"MATCH (a)--(b)--(c) WHERE b.number = 2 RETURN DISTINCT a.name",
		"MATCH (a)-->(b)-->(c) WHERE a.nothing = 1 RETURN id(a)", /* an attribute that the graph lacks */
		"MATCH (a)-->(b) WITH a, count(*) AS n WHERE n > 2 RETURN a.name, sum(n)",
		"MATCH (a:Film) UNWIND [1, 2] AS i RETURN a.number + i AS n", /* runs clause by clause */
	};
	uint64_t random = test_seed_all(), failures = 0;
	gemp_graph *graph = make_graph(5), *other = make_graph(5);
	for (int i = 0; i < 100; i++) {
		const char *text = texts[gemp_random_below(&random, sizeof texts / sizeof *texts)];
		gemp_query_settings settings;
		gemp_query_settings_init(&settings);
		settings.semantics = (gemp_semantics[]){ GEMP_EDGE_ISO, GEMP_HOM, GEMP_ISO }[gemp_random_below(&random, 3)];
		settings.distinct = gemp_random_below(&random, 3) ? GEMP_BY_NOTHING : GEMP_BY_VERTICES;
		settings.lenient = gemp_random_below(&random, 2);
		settings.first_vertex_pivot = gemp_random_below(&random, 2);
		const answer found = ask(graph, text, &settings), expected = ask_anew(other, text, &settings);
		assert_all(is_same(&found, &expected));
		failures += found.code != GEMP_OK;
	}
	assert_all(failures > 5 && failures < 80);
	gemp_graph_close(other);
	gemp_graph_close(graph);
}

/* Texts that become right, wrong, or right in another way, since the graph gets attributes, labels and types. */
static void follows_the_schema(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"MATCH (a)-->(b) WHERE b.number = 1 RETURN id(a) AS a, b.name AS name",
		"MATCH (a) WHERE a.aa = 1 RETURN id(a) AS a",
		"MATCH (a:New)-->(b) RETURN id(a) AS a, id(b) AS b",
		"MATCH (a)-[:BESIDE]->(b) RETURN id(a) AS a, id(b) AS b",
		"MATCH (a)-[:KNOWS]->(b) RETURN id(a) AS a, b.number AS n",
	};
	static const char *const updates[] = {
		"MATCH (a:Film) WHERE a.number = 1 SET a.aa = 1",
		"MATCH (a:Film) WHERE a.number = 2 SET a:New",
		"MATCH (a)-[:KNOWS]->(b) WHERE a.number = 3 CREATE (a)-[:BESIDE]->(b)",
		"MATCH (a) WHERE a.number = 0 DETACH DELETE a",
	};
	enum { TEXTS = sizeof texts / sizeof *texts, UPDATES = sizeof updates / sizeof *updates };
	gemp_graph *graph = make_graph(6);
	gemp_query *open = NULL;
	size_t changed = 0;
	assert_all_ok(gemp_query_open(&open, graph, texts[0], NULL));
	for (size_t u = 0; u <= UPDATES; u++) {
		answer before[TEXTS];
		for (size_t t = 0; t < TEXTS; t++) {
			before[t] = ask(graph, texts[t], NULL);
			const answer again = ask(graph, texts[t], NULL);
			assert_all(is_same(&before[t], &again));
		}
		for (size_t t = 0; t < TEXTS; t++) {
			const answer expected = ask_anew(graph, texts[t], NULL);
			assert_all(is_same(&before[t], &expected));
			ask(graph, texts[t], NULL); /* kept when the graph changes */
		}
		const answer stays = run(open);
		assert_all(is_same(&stays, &before[0]));
		if (u == UPDATES)
			break;
		update(graph, updates[u]);
		for (size_t t = 0; t < TEXTS; t++) {
			const answer after = ask(graph, texts[t], NULL);
			changed += !is_same(&after, &before[t]);
		}
	}
	assert_all(changed >= 6);
	gemp_query_close(open);
	gemp_graph_close(graph);
}

/* Statements do not pile up, and queries with the same text that are open at the same time do not disturb each
 * other. */
static void keeps_few(void **state)
{
	(void)state;
	enum { TEXTS = 200 };
	gemp_graph *graph = make_graph(7);
	gemp_query *first = NULL, *second = NULL;
	for (int i = 0; i < TEXTS; i++) {
		char text[64];
		snprintf(text, sizeof text, "MATCH (a) WHERE a.number = %d RETURN id(a)", i);
		const answer found = ask(graph, text, NULL), again = ask(graph, text, NULL);
		assert_all(found.code == GEMP_OK && is_same(&found, &again));
	}
	const gemp_kept_figures figures = gemp_kept_look(graph->shard->kept);
	assert_all(figures.objects > 10 && figures.objects < TEXTS / 2 && figures.found >= TEXTS);
	const char *text = "MATCH (a)-->(b) WHERE a.number = $x RETURN id(b)";
	assert_all_ok(gemp_query_open(&first, graph, text, NULL));
	assert_all_ok(gemp_query_open(&second, graph, text, NULL));
	for (int i = 0; i < 6; i++) {
		assert_all_ok(gemp_query_bind_integer(first, "x", i % 3));
		assert_all_ok(gemp_query_bind_integer(second, "x", i % 2));
		const answer one = run(first), two = run(second);
		assert_all(one.code == GEMP_OK && two.code == GEMP_OK && (i % 3 != i % 2 || is_same(&one, &two)));
	}
	gemp_query_close(first);
	gemp_query_close(second);
	gemp_graph_close(graph);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		API_TEST(follows_its_parameters),
		API_TEST(refuses_wrong_parameters),
		API_TEST(follows_its_settings),
		API_TEST(follows_the_schema),
		API_TEST(keeps_few),
	};
	return test_main_all(argc, argv, tests);
}
