/* Tests the results of queries of the public library: types of columns, files, reports and plans, and failures for lack
 * of memory. */
#include "query_world.h"

#include <unistd.h>

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
	MPI_Allreduce(MPI_IN_PLACE, &out, 1, MPI_UINT64_T, MPI_SUM, test_comm.world);
	assert_all(out == c->m);
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
		API_TEST(types),
		API_TEST(empty_results),
		API_TEST(output_files),
		API_TEST(counts_are_rows),
		API_TEST(reports_for_people),
		API_TEST(plans_and_reports),
		API_TEST(older_struct_of_settings),
		API_TEST(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
