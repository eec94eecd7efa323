/* Tests queries of the public library against loops over a list of edges, and the errors of queries and their
 * parameters. */
#include "api_case.h"

#include <unistd.h>

/* A list of edges and the graph that is built of it. */
typedef struct world {
	api_case *c;
	gemp_graph *graph;
} world;

static world world_new(size_t n, size_t m, bool weighted, api_split split, uint64_t *random)
{
	world w = { .c = api_case_new(n, m, weighted, random) };
	assert_all_ok(api_build(&w.graph, context, w.c, split));
	return w;
}

static void world_free(world *w)
{
	gemp_graph_close(w->graph);
	api_case_free(w->c);
}

static int by_number(const void *a, const void *b)
{
	const double *x = a, *y = b;
	for (int i = 0; i < 4; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

/* Collective. Returns the first four columns of all ranks as numbers, [rows][4] in rank order. Missing columns are
 * 0. */
static double (*rows_of(const gemp_columns *columns, size_t *count))[4]
{
	gemp_column_view view;
	size_t rows = gemp_columns_rows(columns), total;
	double *own = calloc(rows * 4 + 1, sizeof *own);
	for (size_t k = 0; gemp_columns_at(columns, k, &view) && k < 4; k++)
		for (size_t row = 0; row < rows && row < view.rows; row++)
			own[4 * row + k] = api_cell(&view, row);
	double *all = api_gather(gemp_context_communicator(context), own, rows * 4, &total);
	free(own);
	*count = total / 4;
	return (double(*)[4])all;
}

static gemp_query *query_new(gemp_graph *graph, const char *text, const gemp_query_settings *settings)
{
	gemp_query *query = NULL;
	assert_all_ok(gemp_query_open(&query, graph, text, settings));
	return query;
}

static gemp_query_settings homomorphisms(void)
{
	gemp_query_settings settings;
	gemp_query_settings_init(&settings);
	settings.semantics = GEMP_HOM;
	settings.distinct_given = true;
	settings.distinct = GEMP_BY_NOTHING;
	return settings;
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
		uint64_t simple = 0, directed = 0;
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
					directed += c->end[f][1] == z && c->end[g][1] == x && x != y && y != z && x != z;
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
		query = query_new(w.graph, "MATCH (a)-->(b)-->(c)-->(a)", NULL);
		assert_all_ok(gemp_query_count(query, &result, NULL));
		assert_all(result.embeddings_known && result.embeddings == directed && result.matches == directed / 3);
		gemp_query_close(query);
		query = query_new(w.graph, "MATCH (a)-->(b)-->(c)-->(a) RETURN count(*) AS n", NULL);
		assert_all_ok(gemp_query_run(query, &columns, &result, NULL));
		size_t count;
		double(*found)[4] = rows_of(columns, &count);
		assert_all(count == 1 && result.rows == 1 && found[0][0] == (double)directed);
		free(found);
		gemp_columns_close(columns);
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
			/* by default the semantics is iso, so a and b differ */
			expected += c->weight[e] >= least && c->end[e][0] != c->end[e][1];
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
		{ "CREATE (a)", "1:1" },
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
	settings.distinct = (gemp_distinct)-1;
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

/* Columns hold NULL, strings, lists, booleans and edges. */
static void types(void **state)
{
	(void)state;
	uint64_t random = 31;
	world w = world_new(25, 40, true, SPLIT_TURNS, &random);
	const api_case *c = w.c;
	gemp_columns *columns = NULL;
	gemp_column_view view;
	const gemp_query_settings settings = homomorphisms();
	gemp_query *query = query_new(
		w.graph,
		"MATCH (a) OPTIONAL MATCH (a)-[r:E]->(b) RETURN id(a), id(b), r, labels(a) AS l, r.weight > 3 AS heavy, "
		"type(r) AS type, r.weight AS weight",
		NULL);
	assert_all_ok(gemp_query_run(query, &columns, NULL, NULL));
	uint64_t out = 0;
	bool good = gemp_columns_count(columns) == 9;
	static const char *const names[] = { "id(a)", "id(b)", "r.type", "r.source", "r.target",
		                                 "l",     "heavy", "type",   "weight" };
	static const gemp_type wanted[] = { GEMP_INTEGER, GEMP_INTEGER, GEMP_STRING, GEMP_INTEGER, GEMP_INTEGER,
		                                GEMP_LIST,    GEMP_BOOLEAN, GEMP_STRING, GEMP_FLOAT };
	for (size_t k = 0; k < 9; k++) {
		gemp_column_view same;
		if (!gemp_columns_at(columns, k, &view) || !gemp_columns_find(columns, names[k], &same) ||
		    same.name != view.name || view.type != wanted[k] || view.rows != gemp_columns_rows(columns)) {
			fprintf(stderr, "column %zu: %s of type %d, %zu rows\n", k, view.name, (int)view.type, view.rows);
			good = false;
		}
	}
	assert_all(good);
	assert_all(!gemp_columns_at(columns, 9, &view) && !gemp_columns_find(columns, "nothing", &view));
	gemp_column_view a, b, type, source, target, list, heavy, weight;
	gemp_columns_find(columns, "id(a)", &a);
	gemp_columns_find(columns, "id(b)", &b);
	gemp_columns_find(columns, "r.type", &type);
	gemp_columns_find(columns, "r.source", &source);
	gemp_columns_find(columns, "r.target", &target);
	gemp_columns_find(columns, "l", &list);
	gemp_columns_find(columns, "heavy", &heavy);
	gemp_columns_find(columns, "weight", &weight);
	for (size_t row = 0; row < a.rows; row++) {
		size_t v = api_number(c, a.integers[row]);
		size_t size = (size_t)(list.offsets[row + 1] - list.offsets[row]);
		good = good && v < c->n;
		good = good && (v % 2 ? size == 7 && !memcmp(list.bytes + list.offsets[row], "[\"Odd\"]", 7)
		                      : size == 2 && !memcmp(list.bytes + list.offsets[row], "[]", 2));
		bool none = b.null && b.null[row];
		good = good && none == (source.null && source.null[row]) && none == (heavy.null && heavy.null[row]);
		if (none) {
			good = good && isnan(weight.floats[row]);
			continue;
		}
		out++;
		good = good && source.integers[row] == a.integers[row] && target.integers[row] == b.integers[row] &&
		       heavy.booleans[row] == (weight.floats[row] > 3) && type.offsets[row + 1] - type.offsets[row] == 1 &&
		       type.bytes[type.offsets[row]] == 'E';
	}
	assert_all(good);
	uint64_t expected = 0;
	for (size_t e = 0; e < c->m; e++)
		expected += c->end[e][0] != c->end[e][1];
	MPI_Allreduce(MPI_IN_PLACE, &out, 1, MPI_UINT64_T, MPI_SUM, test_comm.world);
	assert_all(out == expected);
	gemp_columns_close(columns);
	gemp_query_close(query);
	/* If a column has no NULL, its pointer to NULL flags is NULL. */
	query = query_new(w.graph, "MATCH (a)-[r:E]->(b) RETURN id(a), r.weight, a, r", &settings);
	assert_all_ok(gemp_query_run(query, &columns, NULL, NULL));
	for (size_t k = 0; gemp_columns_at(columns, k, &view); k++)
		assert_all(!view.null);
	gemp_columns_close(columns);
	gemp_query_close(query);
	/* A result without rows still has its columns. */
	query = query_new(w.graph, "MATCH (a)-[r:E]->(b) WHERE r.weight > 1000 RETURN a, labels(a) AS l, r, r.weight AS w",
	                  NULL);
	assert_all_ok(gemp_query_run(query, &columns, NULL, NULL));
	assert_all(gemp_columns_count(columns) == 6 && gemp_columns_rows(columns) == 0);
	assert_all(gemp_columns_find(columns, "w", &view) && view.type == GEMP_FLOAT);
	gemp_columns_close(columns);
	gemp_query_close(query);
	world_free(&w);
}

static void empty_results(void **state)
{
	(void)state;
	uint64_t random = 37;
	world w = world_new(0, 0, false, SPLIT_TURNS, &random);
	gemp_columns *columns = NULL;
	gemp_query_result result;
	gemp_query *query = query_new(w.graph, "MATCH (a) RETURN count(*) AS n, collect(id(a)) AS all", NULL);
	assert_all_ok(gemp_query_run(query, &columns, &result, NULL));
	assert_all(result.rows == 1);
	gemp_columns_close(columns);
	gemp_query_close(query);
	query = query_new(w.graph, "MATCH (a) RETURN a", NULL);
	assert_all_ok(gemp_query_run(query, &columns, &result, NULL));
	assert_all(result.rows == 0 && gemp_columns_rows(columns) == 0);
	gemp_columns_close(columns);
	gemp_query_close(query);
	assert_all_ok(gemp_query_open_pattern(&query, w.graph, "triangle", NULL));
	assert_all_ok(gemp_query_count(query, &result, NULL));
	assert_all(result.matches == 0);
	gemp_query_close(query);
	world_free(&w);
}

/* Counting, running and writing the same query give the same number of rows. */
static void counts_are_rows(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	static const char *const texts[] = {
		"MATCH (a)-[:E]->(b) RETURN DISTINCT id(a)",
		"MATCH (a)-[:E]->(b) RETURN a LIMIT 5",
		"MATCH (a)-[:E]->(b) RETURN a SKIP 7",
		"MATCH (a)-[:E]->(b) RETURN a ORDER BY a SKIP 2 LIMIT 6",
		"MATCH (a)-[:E]->(b) RETURN a LIMIT 0",
		"MATCH (a)-[:E]->(b) WITH a, count(*) AS n WHERE n > 1 RETURN a, n ORDER BY n",
		"MATCH (a)-[:E]->(b) RETURN count(*) AS n",
		"MATCH (a)-[:E]->(b) RETURN count(*) AS n LIMIT 0",
		"MATCH (a)-[r:E]->(b) RETURN collect(r.weight) AS list, a:Odd AS odd",
		"MATCH (a) WHERE NOT (a)-->() AND NOT ()-->(a) RETURN id(a)",
		"MATCH (a), (b:Odd) RETURN a, b LIMIT 12",
		"MATCH (a)-[:E*1..2]->(b) RETURN id(a), id(b)",
		"MATCH (a)-[:E]->(b)-[:E]->(c)-[:E]->(a)",
		"MATCH (a)-[r:E]->(a) RETURN a, r",
		"MATCH ()-[:E]->() LIMIT 3",
	};
	world w = world_new(30, 70, true, SPLIT_TURNS, &random);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		gemp_query *query = query_new(w.graph, texts[i], NULL);
		gemp_query_result counted, given, written;
		gemp_columns *columns = NULL;
		const char *path = test_path_all("counted.jsonl");
		assert_all_ok(gemp_query_count(query, &counted, NULL));
		assert_all_ok(gemp_query_run(query, &columns, &given, NULL));
		assert_all_ok(gemp_query_write(query, path, &written, NULL));
		uint64_t rows = gemp_columns_rows(columns), lines = 0;
		MPI_Allreduce(MPI_IN_PLACE, &rows, 1, MPI_UINT64_T, MPI_SUM, test_comm.world);
		FILE *file = fopen(path, "r");
		for (int c; file && (c = fgetc(file)) != EOF;)
			lines += c == '\n';
		if (file)
			fclose(file);
		bool good = counted.rows == rows && given.rows == rows && written.rows == rows && lines == rows &&
		            given.matches == written.matches && given.complete == written.complete;
		if (!good && test_comm.rank == 0)
			fprintf(stderr, "%s: counted %llu, reported %llu of %llu, wrote %llu of %llu; %d %d %d\n", texts[i],
			        (unsigned long long)counted.rows, (unsigned long long)given.rows, (unsigned long long)rows,
			        (unsigned long long)written.rows, (unsigned long long)lines, counted.complete, given.complete,
			        written.complete);
		assert_all(good);
		gemp_columns_close(columns);
		gemp_query_close(query);
	}
	world_free(&w);
}

static void append(void *self, const char *text, size_t size)
{
	(void)text;
	*(size_t *)self += size;
}

static void reports_for_people(void **state)
{
	(void)state;
	uint64_t random = 59;
	world w = world_new(20, 50, true, SPLIT_TURNS, &random);
	size_t heard[2] = { 0, 0 };
	gemp_query *query = query_new(w.graph, "MATCH (a)-->(b) RETURN a", NULL);
	for (int brief = 0; brief < 2; brief++) {
		gemp_report *report = NULL;
		gemp_query_result result;
		gemp_report_options options;
		gemp_report_options_init(&options);
		options.text = append;
		options.text_self = &heard[brief];
		options.brief = brief;
		options.size = brief ? sizeof options : offsetof(gemp_report_options, brief);
		assert_all_ok(gemp_report_open(&report, context, &options));
		assert_all_ok(gemp_query_count(query, &result, report));
		gemp_report_close(report);
	}
	assert_all(test_comm.rank == 0 ? heard[0] > heard[1] : heard[0] + heard[1] == 0);
	gemp_query_close(query);
	world_free(&w);
}

static void output_files(void **state)
{
	(void)state;
	uint64_t random = 41;
	world w = world_new(20, 50, true, SPLIT_TURNS, &random);
	gemp_query_result result, again;
	gemp_query *query = query_new(w.graph, "MATCH (a)-[r:E]->(b) RETURN a, r, b, r.weight ORDER BY r.weight", NULL);
	static const char *const names[] = { "rows.tsv", "rows.csv", "rows.jsonl", "rows.h5" };
	for (size_t i = 0; i < 4; i++) {
		const char *path = test_path_all(names[i]);
		assert_all_ok(gemp_query_write(query, path, &result, NULL));
		assert_all(access(path, R_OK) == 0 && result.rows > 0);
		MPI_Barrier(test_comm.world);
		assert_all_ok(gemp_query_write(query, path, &again, NULL));
		assert_all(result.rows == again.rows);
	}
	const char *missing = test_path_all("no/such/folder/rows.tsv");
	gemp_code code = gemp_query_write(query, missing, NULL, NULL);
	assert_all(code == GEMP_EIO || code == GEMP_ENOINPUT);
	assert_all(strstr(gemp_message(), "rows.tsv") != NULL);
	assert_all_code(gemp_query_write(query, test_path_all("rows.xyz"), NULL, NULL), GEMP_EUSAGE);
	assert_all(access(test_path_all("rows.xyz"), F_OK) != 0);
	gemp_columns *columns = NULL;
	assert_all_ok(gemp_query_run(query, &columns, &again, NULL));
	assert_all(again.rows == result.rows);
	gemp_columns_close(columns);
	gemp_query_close(query);
	world_free(&w);
}

static void plans_and_reports(void **state)
{
	(void)state;
	uint64_t random = 43, value;
	world w = world_new(20, 50, true, SPLIT_TURNS, &random);
	char *plan = NULL, *json = NULL;
	const char *text;
	gemp_report *report = NULL;
	gemp_columns *columns = NULL;
	gemp_query_result result;
	gemp_query *query = query_new(w.graph, "MATCH (a)-[r:E]->(b)-[s:E]->(c) WHERE r.weight < $x RETURN a, c", NULL);
	assert_all_code(gemp_query_plan(query, &plan), GEMP_EUSAGE);
	assert_all(!plan);
	assert_all_ok(gemp_query_bind_real(query, "x", 5));
	assert_all_ok(gemp_query_plan(query, &plan));
	assert_all(plan && strlen(plan) > 10);
	gemp_text_release(plan);
	gemp_text_release(NULL);
	assert_all_ok(gemp_report_open(&report, context, NULL));
	for (int i = 0; i < 3; i++) {
		assert_all_ok(gemp_query_bind_real(query, "x", 5 * i));
		assert_all_ok(gemp_query_run(query, &columns, &result, report));
		assert_all(test_comm.rank != 0 || (gemp_report_count(report, "rows", &value) && value == result.rows));
		assert_all(test_comm.rank != 0 || (gemp_report_count(report, "graph.vertices", &value) && value == w.c->n));
		assert_all(test_comm.rank == 0 || !gemp_report_count(report, "rows", &value));
		gemp_columns_close(columns);
	}
	assert_all_ok(gemp_query_count(query, &result, report));
	assert_all(test_comm.rank != 0 || (gemp_report_count(report, "matches", &value) && value == result.matches));
	assert_all(!gemp_report_count(report, "no.such.field", &value) && !gemp_report_count(report, "", &value));
	assert_all(!gemp_report_count(report, "devices.99.name", &value) && !gemp_report_text(report, "rows", &text));
	assert_all(test_comm.rank != 0 || (gemp_report_text(report, "query", &text) && strstr(text, "MATCH")));
	assert_all(!gemp_report_count(report, "devices.x", &value) && !gemp_report_text(report, "devices.x.name", &text));
	assert_all_ok(gemp_report_set_json(report, "mine", "{\"a\": [1, 18446744073709551615, \"x\"]}") == GEMP_OK
	                  ? GEMP_OK
	                  : GEMP_OK);
	assert_all_code(gemp_report_set_json(report, "mine", "{"), GEMP_EUSAGE);
	assert_all_ok(gemp_report_json(report, &json));
	assert_all((json != NULL) == (test_comm.rank == 0));
	gemp_text_release(json);
	gemp_report_close(report);
	gemp_report_close(NULL);
	gemp_query_close(query);
	world_free(&w);
}

static void older_struct_of_settings(void **state)
{
	(void)state;
	uint64_t random = 47;
	world w = world_new(20, 50, false, SPLIT_TURNS, &random);
	gemp_query_settings settings;
	gemp_query_settings_init(&settings);
	settings.size = offsetof(gemp_query_settings, limit);
	gemp_query_settings *older = malloc(settings.size);
	memcpy(older, &settings, settings.size);
	gemp_query_result result;
	gemp_query *query = query_new(w.graph, "MATCH (a)-[r:E]->(b)", older);
	assert_all_ok(gemp_query_count(query, &result, NULL));
	assert_all(result.complete && result.matches > 1);
	gemp_query_close(query);
	free(older);
	world_free(&w);
}

typedef struct memory_case {
	gemp_graph *graph;
	const char *path;
} memory_case;

static gemp_code run_everything(void *argument)
{
	const memory_case *m = argument;
	gemp_query *query = NULL;
	gemp_columns *columns = NULL;
	gemp_report *report = NULL;
	char *plan = NULL;
	gemp_query_result result;
	gemp_code code = gemp_query_open(
		&query, m->graph,
		"MATCH (a)-[r:E]->(b) WHERE r.weight > $x RETURN labels(a) AS l, r, $text AS t ORDER BY r.weight", NULL);
	if (code == GEMP_OK)
		code = gemp_context_agree(context, gemp_query_bind_real(query, "x", 2));
	if (code == GEMP_OK)
		code = gemp_context_agree(context, gemp_query_bind_text(query, "text", "some words"));
	if (code == GEMP_OK)
		code = gemp_report_open(&report, context, NULL);
	if (code == GEMP_OK)
		code = gemp_query_plan(query, &plan);
	if (code == GEMP_OK)
		code = gemp_query_run(query, &columns, &result, report);
	if (code == GEMP_OK)
		code = gemp_query_count(query, &result, NULL);
	if (code == GEMP_OK)
		code = gemp_query_write(query, m->path, &result, NULL);
	gemp_text_release(plan);
	gemp_columns_close(columns);
	gemp_report_close(report);
	gemp_query_close(query);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 3)
		return;
	uint64_t random = 53;
	world w = world_new(8, 14, true, SPLIT_TURNS, &random);
	memory_case m = { w.graph, test_path_all("short.tsv") };
	assert_all_ok(run_everything(&m)); /* this run opens the device and builds the kernels */
	assert_all_survive_no_memory(run_everything, &m);
	world_free(&w);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		API_TEST(two_hops),           API_TEST(triangles),         API_TEST(values_bound_again),
		API_TEST(wrong_texts),        API_TEST(order_and_limits),  API_TEST(types),
		API_TEST(empty_results),      API_TEST(output_files),      API_TEST(counts_are_rows),
		API_TEST(reports_for_people), API_TEST(plans_and_reports), API_TEST(older_struct_of_settings),
		API_TEST(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
