/* Tests queries of the public library against loops over a list of edges, and the errors of queries and their
 * parameters. */
#include "query_world.h"

static int by_number(const void *a, const void *b)
{
	const double *x = a, *y = b;
	for (int i = 0; i < 4; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

/* Paths u -> v -> w. Parallel edges give several matches. */
static void two_hops(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	const gemp_query_settings settings = homomorphisms();
	for (int k = 0; k < 4; k++) {
		world w = world_new(6 + gemp_random_below(&random, 20), 40, false, (api_split)(k % API_SPLITS), &random);
		const api_case *c = w.c;
		double(*expected)[4] = calloc(c->m * c->m + 1, sizeof *expected);
		size_t count = 0, found_count;
		for (size_t e = 0; e < c->m; e++)
			for (size_t f = 0; f < c->m; f++)
				if (c->end[e][1] == c->end[f][0]) {
					expected[count][0] = (double)c->key[c->end[e][0]];
					expected[count][1] = (double)c->key[c->end[e][1]];
					expected[count++][2] = (double)c->key[c->end[f][1]];
				}
		qsort(expected, count, sizeof *expected, by_number);
		gemp_query *query = query_new(w.graph, "MATCH (a)-[:E]->(b)-[:E]->(c) RETURN id(a), id(b), id(c)", &settings);
		for (int again = 0; again < 3; again++) {
			gemp_columns *columns = NULL;
			gemp_query_result result;
			assert_all_ok(gemp_query_run(query, &columns, &result, NULL));
			double(*found)[4] = rows_of(columns, &found_count);
			qsort(found, found_count, sizeof *found, by_number);
			if (found_count != count)
				fprintf(stderr, "%zu rows, not %zu\n", found_count, count);
			assert_all(found_count == count && result.rows == count && result.complete);
			assert_all(memcmp(found, expected, count * sizeof *found) == 0);
			free(found);
			gemp_columns_close(columns);
			assert_all_ok(gemp_query_count(query, &result, NULL));
			assert_all(result.embeddings_known && result.embeddings == count && result.matches == count);
			assert_all(result.rows == count && result.complete);
		}
		gemp_query_close(query);
		free(expected);
		world_free(&w);
	}
}

static void triangles(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	for (int k = 0; k < 4; k++) {
		world w = world_new(5 + gemp_random_below(&random, 20), 70, false, (api_split)(k % API_SPLITS), &random);
		const api_case *c = w.c;
		bool *joined = calloc(c->n * c->n, sizeof *joined);
		uint64_t simple = 0, directed = 0, trails = 0;
		for (size_t e = 0; e < c->m; e++)
			joined[c->end[e][0] * c->n + c->end[e][1]] = joined[c->end[e][1] * c->n + c->end[e][0]] = true;
		for (size_t a = 0; a < c->n; a++)
			for (size_t b = 0; b < a; b++)
				for (size_t d = 0; d < b; d++)
					simple += joined[a * c->n + b] && joined[b * c->n + d] && joined[a * c->n + d];
		for (size_t e = 0; e < c->m; e++)
			for (size_t f = 0; f < c->m; f++)
				for (size_t g = 0; g < c->m && c->end[e][1] == c->end[f][0]; g++) {
					size_t x = c->end[e][0], y = c->end[f][0], z = c->end[g][0];
					bool round = c->end[f][1] == z && c->end[g][1] == x;
					directed += round && x != y && y != z && x != z;
					trails += round && e != f && f != g && e != g;
				}
		gemp_query *query = NULL;
		gemp_query_result result;
		gemp_columns *columns = NULL;
		assert_all_ok(gemp_query_open_pattern(&query, w.graph, "triangle", NULL));
		assert_all_ok(gemp_query_count(query, &result, NULL));
		assert_all(result.matches == simple);
		assert_all_ok(gemp_query_count(query, &result, NULL));
		assert_all(result.matches == simple);
		/* may fail, because the query was opened for counts only */
		gemp_code code = gemp_query_run(query, &columns, &result, NULL);
		assert_all(code == GEMP_OK || (!columns && *gemp_message()));
		assert_all(code != GEMP_OK || result.matches == simple);
		gemp_columns_close(columns);
		gemp_query_close(query);
		gemp_query_settings subgraphs;
		gemp_query_settings_init(&subgraphs);
		subgraphs.semantics = GEMP_ISO;
		subgraphs.distinct = GEMP_BY_ORBIT;
		query = query_new(w.graph, "MATCH (a)-->(b)-->(c)-->(a)", &subgraphs);
		assert_all_ok(gemp_query_count(query, &result, NULL));
		assert_all(result.embeddings_known && result.embeddings == directed && result.matches == directed / 3);
		gemp_query_close(query);
		query = query_new(w.graph, "MATCH (a)-->(b)-->(c)-->(a) RETURN count(*) AS n", &subgraphs);
		assert_all_ok(gemp_query_run(query, &columns, &result, NULL));
		size_t count;
		double(*found)[4] = rows_of(columns, &count);
		assert_all(count == 1 && result.rows == 1 && found[0][0] == (double)directed);
		free(found);
		gemp_columns_close(columns);
		gemp_query_close(query);
		/* by default the edges of a match of a text are distinct, and each embedding is a match */
		query = query_new(w.graph, "MATCH (a)-->(b)-->(c)-->(a)", NULL);
		assert_all_ok(gemp_query_count(query, &result, NULL));
		assert_all(result.embeddings_known && result.matches == trails && result.embeddings == trails);
		gemp_query_close(query);
		free(joined);
		world_free(&w);
	}
}

static void values_bound_again(void **state)
{
	(void)state;
	uint64_t random = 23;
	world w = world_new(30, 60, true, SPLIT_LAST_EMPTY, &random);
	const api_case *c = w.c;
	gemp_query *query = query_new(w.graph, "MATCH (a)-[r:E]->(b) WHERE r.weight >= $least RETURN count(*) AS n", NULL);
	gemp_query_result result;
	size_t count;
	for (int again = 0; again < 6; again++) {
		gemp_columns *columns = NULL;
		double least = again * 2.25, expected = 0;
		for (size_t e = 0; e < c->m; e++)
			expected += c->weight[e] >= least; /* also a loop: by default the vertices of a match may be the same */
		assert_all_ok(gemp_query_bind_text(query, "least", "for a while"));
		if (again % 2)
			assert_all_ok(gemp_query_bind_integer(query, "least", -4));
		assert_all_ok(gemp_query_bind_real(query, "least", least));
		assert_all_ok(gemp_query_run(query, &columns, &result, NULL));
		double(*found)[4] = rows_of(columns, &count);
		assert_all(count == 1 && found[0][0] == expected);
		free(found);
		gemp_columns_close(columns);
	}
	gemp_query_close(query);
	query = query_new(w.graph, "MATCH (a) WHERE id(a) = $key OR ($odd AND a:Odd) RETURN id(a) ORDER BY id(a) LIMIT $n",
	                  NULL);
	gemp_columns *columns = (gemp_columns *)&w;
	assert_all_code(gemp_query_run(query, &columns, NULL, NULL), GEMP_EUSAGE); /* no parameter is bound */
	assert_all(!columns && strstr(gemp_message(), "1:"));
	assert_all_ok(gemp_query_bind_integer(query, "key", c->key[3]));
	assert_all_ok(gemp_query_bind_boolean(query, "odd", false));
	assert_all_ok(gemp_query_bind_integer(query, "n", 4));
	assert_all_ok(gemp_query_run(query, &columns, &result, NULL));
	double(*found)[4] = rows_of(columns, &count);
	assert_all(count == 1 && found[0][0] == (double)c->key[3]);
	free(found);
	gemp_columns_close(columns);
	assert_all_ok(gemp_query_bind_boolean(query, "odd", true));
	assert_all_ok(gemp_query_run(query, &columns, &result, NULL));
	found = rows_of(columns, &count);
	assert_all(count == 4);
	for (size_t i = 0; i < 4; i++)
		assert_all(found[i][0] == (double)c->key[2 * i + 1]);
	free(found);
	gemp_columns_close(columns);
	assert_all_ok(gemp_query_bind_integer(query, "n", -1));
	assert_all_code(gemp_query_run(query, &columns, NULL, NULL), GEMP_EUSAGE);
	assert_all_ok(gemp_query_bind_text(query, "n", "4"));
	assert_all_code(gemp_query_run(query, &columns, NULL, NULL), GEMP_EUSAGE);
	assert_all_ok(gemp_query_bind_integer(query, "n", 0));
	assert_all_ok(gemp_query_run(query, &columns, &result, NULL));
	assert_all(gemp_columns_rows(columns) == 0 && result.rows == 0);
	gemp_columns_close(columns);
	assert_all_ok(gemp_query_bind_integer(query, "nobody", 0));
	assert_all_code(gemp_query_run(query, &columns, NULL, NULL), GEMP_EUSAGE);
	assert_all(strstr(gemp_message(), "$nobody") != NULL);
	gemp_query_close(query);
	world_free(&w);
}

/* A run clause by clause changes the tree of the text, so the next one must not execute the same tree. */
static void clauses_run_again(void **state)
{
	(void)state;
	uint64_t random = 29;
	world w = world_new(20, 40, true, SPLIT_LAST_EMPTY, &random);
	gemp_query *query = query_new(
		w.graph, "UNWIND range(1, $n) AS i MATCH (a) WHERE i > 1 WITH i, count(a) AS k RETURN i, k ORDER BY i", NULL);
	for (int n = 5; n >= 2; n--) {
		gemp_columns *columns = NULL;
		size_t count;
		assert_all_ok(gemp_query_bind_integer(query, "n", n));
		assert_all_ok(gemp_query_run(query, &columns, NULL, NULL));
		double(*found)[4] = rows_of(columns, &count);
		assert_all(count == (size_t)n - 1);
		for (size_t i = 0; i < count; i++)
			assert_all(found[i][0] == (double)i + 2 && found[i][1] == 20);
		free(found);
		gemp_columns_close(columns);
	}
	gemp_query_close(query);
	world_free(&w);
}

static void wrong_texts(void **state)
{
	(void)state;
	uint64_t random = 29;
	world w = world_new(10, 20, false, SPLIT_TURNS, &random);
	static const struct {
		const char *text, *place;
	} cases[] = {
		{ "MATCH (a)-->(b) RETURN a.", "1:" },
		{ "MATCH (a)\nWHERE a.x ==  3 RETURN a", "2:" },
		{ "", "" },
		{ "MATCH (a)-[:E]->(b)\n\n  RETRUN a", "3:3" },
		{ "CREATE (a", "1:" },
	};
	size_t before = gemp_memory_blocks();
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gemp_query *query = (gemp_query *)&w;
		assert_all_code(gemp_query_open(&query, w.graph, cases[i].text, NULL), GEMP_EUSAGE);
		assert_all(!query && strstr(gemp_message(), cases[i].place));
	}
	gemp_query *query = (gemp_query *)&w;
	assert_all_code(gemp_query_open_pattern(&query, w.graph, "heptadecagonish", NULL), GEMP_EUSAGE);
	assert_all(!query);
	/* Whether the graph has a label is known only when the query runs. */
	gemp_columns *columns = NULL;
	gemp_query_result result;
	query = query_new(w.graph, "MATCH (a:Nobody)-->(b) RETURN b", NULL);
	assert_all_code(gemp_query_run(query, &columns, NULL, NULL), GEMP_EUSAGE);
	assert_all(strstr(gemp_message(), "Nobody") != NULL);
	gemp_query_close(query);
	gemp_query_settings settings;
	gemp_query_settings_init(&settings);
	settings.lenient = true;
	query = query_new(w.graph, "MATCH (a:Nobody)-->(b) RETURN b", &settings);
	assert_all_ok(gemp_query_run(query, &columns, &result, NULL));
	assert_all(result.rows == 0 && gemp_columns_count(columns) == 1);
	gemp_columns_close(columns);
	gemp_query_close(query);
	gemp_query_close(NULL);
	settings.lenient = false;
	settings.semantics = (gemp_semantics)9;
	query = NULL;
	assert_all_code(gemp_query_open(&query, w.graph, "MATCH (a)-->(b) RETURN b", &settings), GEMP_EUSAGE);
	assert_all(!query);
	gemp_query_settings_init(&settings);
	settings.distinct = (gemp_distinct)-2;
	assert_all_code(gemp_query_open(&query, w.graph, "MATCH (a)-->(b) RETURN b", &settings), GEMP_EUSAGE);
	assert_all(!query);
	(void)before;
	world_free(&w);
	gemp_context_close(context);
	context = NULL;
	assert_all(gemp_memory_blocks() == 0);
}

/* Rows are sorted within a rank and from rank to rank, whatever the limit is. */
static void order_and_limits(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	world w = world_new(40, 120, true, SPLIT_TURNS, &random);
	const api_case *c = w.c;
	gemp_query_settings settings = homomorphisms();
	static const uint64_t limits[] = { UINT64_MAX, 1000, 17, 1, 0 };
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		gemp_columns *columns = NULL;
		gemp_query_result result;
		size_t count;
		settings.limit = limits[i];
		size_t expected = c->m < limits[i] ? c->m : (size_t)limits[i];
		gemp_query *query = query_new(
			w.graph,
			"MATCH (a)-[r:E]->(b) RETURN r.weight AS weight, id(a) AS a, id(b) AS b ORDER BY weight DESC, a, b",
			&settings);
		assert_all_ok(gemp_query_run(query, &columns, &result, NULL));
		double(*found)[4] = rows_of(columns, &count);
		if (count != expected || result.rows != expected || result.complete != (expected == c->m))
			fprintf(stderr, "limit %llu of sorted rows: %zu rows, reported %llu, %s\n", (unsigned long long)limits[i],
			        count, (unsigned long long)result.rows, result.complete ? "complete" : "incomplete");
		assert_all(count == expected && result.rows == expected && result.complete == (expected == c->m));
		bool good = true;
		for (size_t row = 1; good && row < count; row++)
			good = found[row][0] < found[row - 1][0] ||
			       (found[row][0] == found[row - 1][0] &&
			        (found[row][1] > found[row - 1][1] ||
			         (found[row][1] == found[row - 1][1] && found[row][2] >= found[row - 1][2])));
		assert_all(good);
		free(found);
		gemp_columns_close(columns);
		gemp_query_close(query);
		query = query_new(w.graph, "MATCH (a)-[r:E]->(b) RETURN id(a), id(b)", &settings);
		assert_all_ok(gemp_query_run(query, &columns, &result, NULL));
		found = rows_of(columns, &count);
		if (count != expected || result.rows != expected || result.complete != (expected == c->m))
			fprintf(stderr, "limit %llu: %zu rows, reported %llu, %s\n", (unsigned long long)limits[i], count,
			        (unsigned long long)result.rows, result.complete ? "complete" : "incomplete");
		assert_all(count == expected && result.rows == expected && result.complete == (expected == c->m));
		free(found);
		gemp_columns_close(columns);
		gemp_query_close(query);
		query = query_new(w.graph, "MATCH (a)-[r:E]->(b) RETURN id(a), id(b) SKIP 3 LIMIT 5", &settings);
		expected = expected < 5 ? expected : 5;
		assert_all_ok(gemp_query_run(query, &columns, &result, NULL));
		found = rows_of(columns, &count);
		assert_all(count == expected && result.rows == expected && !result.complete);
		free(found);
		gemp_columns_close(columns);
		gemp_query_close(query);
	}
	world_free(&w);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		API_TEST(two_hops),          API_TEST(triangles),   API_TEST(values_bound_again),
		API_TEST(clauses_run_again), API_TEST(wrong_texts), API_TEST(order_and_limits),
	};
	return test_main_all(argc, argv, tests);
}
