/* Tests chains of MATCH and WITH that run as one search: relationships differ within a MATCH and may be the same
 * between two. Counts are compared with numbers that were counted by hand, and with trials of all edges on random
 * multigraphs with loops. */
#include "query_world.h"

enum { MAX_EDGES = 4 };

/* A chain, and its edges: ends as numbers of vertices, whether the direction counts, and the number of the MATCH. */
typedef struct chain {
	const char *text;
	size_t count;
	struct chain_edge {
		int from, to;
		bool either;
		int match;
	} edges[MAX_EDGES];
} chain;

static const chain chains[] = {
	{ "MATCH (a)-->(b) MATCH (b)-->(c) RETURN id(a)", 2, { { 0, 1, false, 0 }, { 1, 2, false, 1 } } },
	{ "MATCH (a)-->(b) WITH b MATCH (a)-->(b) RETURN id(b)", 2, { { 0, 1, false, 0 }, { 2, 1, false, 1 } } },
	{ "MATCH (a)--(b) WITH a AS b, b AS a MATCH (a)--(b) RETURN id(a)", 2, { { 0, 1, true, 0 }, { 1, 0, true, 1 } } },
	{ "MATCH (a)-->(b)-->(c) WITH c, a MATCH (c)-->(a) RETURN id(a), id(c)",
	  3,
	  { { 0, 1, false, 0 }, { 1, 2, false, 0 }, { 2, 0, false, 1 } } },
	{ "MATCH (a)--(b)-->(c) MATCH (c)--(d), (d)-->(a) RETURN id(a)",
	  4,
	  { { 0, 1, true, 0 }, { 1, 2, false, 0 }, { 2, 3, true, 1 }, { 3, 0, false, 1 } } },
	{ "MATCH (a)-->(a) WITH * MATCH (a)-->(b) WITH b MATCH (b)--(b) RETURN id(b)",
	  3,
	  { { 0, 0, false, 0 }, { 0, 1, false, 1 }, { 1, 1, true, 2 } } },
};

/* The state of trials: images of the edges so far, and of the vertices, or -1. */
typedef struct trial {
	const api_case *c;
	const chain *chain;
	size_t edge[MAX_EDGES];
	int64_t vertex[2 * MAX_EDGES];
} trial;

static uint64_t try_edge(trial t, size_t i);

static uint64_t try_ends(trial t, size_t i, size_t edge, size_t from, size_t to)
{
	const struct chain_edge *e = &t.chain->edges[i];
	if (t.vertex[e->from] >= 0 && t.vertex[e->from] != (int64_t)from)
		return 0;
	t.vertex[e->from] = (int64_t)from;
	if (t.vertex[e->to] >= 0 && t.vertex[e->to] != (int64_t)to)
		return 0;
	t.vertex[e->to] = (int64_t)to;
	for (size_t f = 0; f < i; f++)
		if (t.edge[f] == edge && t.chain->edges[f].match == e->match)
			return 0;
	t.edge[i] = edge;
	return try_edge(t, i + 1);
}

/* Tries every edge of the graph for edge i of the chain, in both directions if the direction does not count. */
static uint64_t try_edge(trial t, size_t i)
{
	uint64_t found = 0;
	if (i == t.chain->count)
		return 1;
	for (size_t edge = 0; edge < t.c->m; edge++) {
		const size_t *end = t.c->end[edge];
		found += try_ends(t, i, edge, end[0], end[1]);
		if (t.chain->edges[i].either && end[0] != end[1])
			found += try_ends(t, i, edge, end[1], end[0]);
	}
	return found;
}

static uint64_t count_by_trial(const api_case *c, const chain *chain)
{
	trial t = { .c = c, .chain = chain };
	memset(t.vertex, -1, sizeof t.vertex);
	return try_edge(t, 0);
}

/* A query that ran clause by clause would not know the number of embeddings. */
static void check_matches(gemp_graph *graph, const char *text, const gemp_query_settings *settings, uint64_t expected)
{
	gemp_query *query = query_new(graph, text, settings);
	gemp_query_result result;
	gemp_columns *columns = NULL;
	assert_all_ok(gemp_query_run(query, &columns, &result, NULL));
	if (result.rows != expected)
		fprintf(stderr, "%s: %" PRIu64 " rows, not %" PRIu64 "\n", text, result.rows, expected);
	assert_all(result.rows == expected && result.embeddings_known && result.embeddings == expected);
	gemp_columns_close(columns);
	assert_all_ok(gemp_query_count(query, &result, NULL));
	assert_all(result.matches == expected);
	gemp_query_close(query);
}

static void loops_and_parallel_edges(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	static const struct {
		gemp_placement place;
		gemp_exchange_mode exchange;
		int64_t replicate;
	} ways[] = { { GEMP_PLACE_HOST, GEMP_EXCHANGE_AUTO, GEMP_REPLICATE_AUTO },
		         { GEMP_PLACE_DEVICE, GEMP_EXCHANGE_AUTO, GEMP_REPLICATE_AUTO },
		         { GEMP_PLACE_DEVICE, GEMP_EXCHANGE_PUSH, 0 },
		         { GEMP_PLACE_DEVICE, GEMP_EXCHANGE_PULL, 0 } };
	for (size_t k = 0, next = 0; k < sizeof ways / sizeof *ways; k++) {
		world w = world_new(4 + gemp_random_below(&random, 6), 14, false, (api_split)(k % API_SPLITS), &random);
		gemp_query_settings settings;
		gemp_query_settings_init(&settings);
		settings.place = ways[k].place;
		settings.exchange = ways[k].exchange;
		settings.replicate = ways[k].replicate;
		/* a device compiles a program for each chain, so each way has two of them */
		const size_t all = sizeof chains / sizeof *chains, count = settings.place == GEMP_PLACE_HOST ? all : 2;
		for (size_t i = 0; i < count; i++, next++)
			check_matches(w.graph, chains[next % all].text, &settings, count_by_trial(w.c, &chains[next % all]));
		world_free(&w);
	}
}

/* The edges are a->b, b->a, a->a and b->c. A walk of two edges may use the loop twice, and a path of one MATCH may
 * not. */
static void counted_by_hand(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t matches;
	} cases[] = {
		{ "MATCH (x)-->(y)-->(z) RETURN id(x)", 5 },
		{ "MATCH (x)-->(y) MATCH (y)-->(z) RETURN id(x)", 6 },
		{ "MATCH (x)--(y), (x)--(y) RETURN id(x)", 4 },
		{ "MATCH (x)--(y) MATCH (x)--(y) RETURN id(x)", 11 },
		{ "MATCH (x)-->(y) WITH y MATCH (x)-->(y) RETURN id(x)", 6 },
		{ "MATCH (x)-->(y) WITH y, id(x) AS k WHERE k < 2 MATCH (y)-->(z) WHERE id(z) = k RETURN k", 2 },
		{ "MATCH (x)-->(y) WITH y MATCH (y)-->(z) WITH z AS x, id(z) AS k WHERE k < 3 RETURN x, k", 5 },
		{ "MATCH (x)-->(y) WITH x, y MATCH (y)-->(z) WHERE EXISTS { (z)-->(x) } RETURN id(x)", 4 },
	};
	uint64_t random = 1;
	api_case *c = api_case_new(3, 4, false, &random);
	gemp_graph *graph = NULL;
	const size_t ends[4][2] = { { 0, 1 }, { 1, 0 }, { 0, 0 }, { 1, 2 } };
	memcpy(c->end, ends, sizeof ends);
	for (int v = 0; v < 3; v++)
		c->key[v] = v + 1;
	assert_all_ok(api_build(&graph, context, c, SPLIT_TURNS));
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		check_matches(graph, cases[i].text, NULL, cases[i].matches);
	gemp_graph_close(graph);
	api_case_free(c);
}

/* Chains that do not mean one search still run, clause by clause: they have no number of embeddings. */
static void other_chains(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"MATCH (a)-->(b) WITH DISTINCT b MATCH (b)-->(c) RETURN id(c)",
		"MATCH (a)-->(b) WITH b, count(*) AS n MATCH (b)-->(c) RETURN n",
		"MATCH (a)-->(b) WITH b ORDER BY id(b) LIMIT 3 MATCH (b)-->(c) RETURN id(c)",
		"MATCH (a)-[r]->(b) WITH r MATCH (c)-[r]->(d) RETURN id(c)",
		"MATCH (a)-->(b) MATCH (c)-->(d) RETURN id(c)",
		"MATCH (a)-->(b) OPTIONAL MATCH (b)-->(c) MATCH (c)-->(d) RETURN id(d)",
		"MATCH (a)-[*1..5]->(b) MATCH (b)-[*1..5]->(c) RETURN id(c)",
		"MATCH (a)-->(b) WITH a, a AS d MATCH (d)-->(c) RETURN id(c)",
	};
	uint64_t random = test_seed_all();
	world w = world_new(6, 9, false, SPLIT_TURNS, &random);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		gemp_query *query = query_new(w.graph, texts[i], NULL);
		gemp_query_result result;
		assert_all_ok(gemp_query_count(query, &result, NULL));
		assert_all(!result.embeddings_known);
		gemp_query_close(query);
	}
	gemp_query *query = NULL;
	gemp_query_settings settings;
	gemp_query_settings_init(&settings);
	settings.semantics = GEMP_ISO;
	assert_all(gemp_query_open(&query, w.graph, "MATCH (a)-->(b) MATCH (b)-->(c) RETURN id(c)", &settings) ==
	           GEMP_EUSAGE);
	world_free(&w);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { API_TEST(loops_and_parallel_edges), API_TEST(counted_by_hand),
		                                API_TEST(other_chains) };
	return test_main_all(argc, argv, tests);
}
