/* Tests graphs of the public library: built from arrays, generated, imported, written and read again. */
#include "api_case.h"

#include <gemp/file.h>

#include <unistd.h>

static void builders(void **state)
{
	(void)state;
	gemp_graph_builder *builder = NULL;
	gemp_graph *graph = (gemp_graph *)&builder;
	const int64_t keys[] = { INT64_MIN, -1, 0, INT64_MAX }, other[] = { 5, 5, 0, INT64_MIN };
	const double weights[] = { 1, -2.5, NAN, INFINITY };
	bool first = test_comm.rank == 0, last = test_comm.rank == test_comm.size - 1;
	gemp_graph_builder_close(NULL);
	/* A builder without vertices and edges. */
	assert_all_ok(gemp_graph_builder_open(&builder, context, 1));
	assert_all_ok(gemp_graph_builder_finish(builder, &graph));
	assert_all(gemp_graph_vertex_count(graph) == 0 && gemp_graph_edge_count(graph) == 0);
	gemp_graph_close(graph);
	/* A builder that is closed before it is finished. */
	assert_all_ok(gemp_graph_builder_open(&builder, context, 1));
	assert_all_ok(first ? gemp_graph_builder_edges(builder, "E", 4, keys, other, weights) : GEMP_OK);
	gemp_graph_builder_close(builder);
	/* Extreme keys, calls without elements, and several types. Only one rank adds weights, and only to one type. */
	assert_all_ok(gemp_graph_builder_open(&builder, context, 1));
	gemp_code code = gemp_graph_builder_edges(builder, "E", 0, NULL, NULL, NULL);
	if (first && code == GEMP_OK)
		code = gemp_graph_builder_edges(builder, "E", 4, keys, other, NULL);
	if (last && code == GEMP_OK)
		code = gemp_graph_builder_edges(builder, "Weighted", 2, keys, other, weights);
	if (last && code == GEMP_OK)
		code = gemp_graph_builder_vertices(builder, NULL, 0, NULL);
	if (last && code == GEMP_OK)
		code = gemp_graph_builder_vertices(builder, "A;B", 2, keys);
	assert_all_ok(code);
	assert_all_ok(gemp_graph_builder_finish(builder, &graph));
	assert_all(gemp_graph_vertex_count(graph) == 5 && gemp_graph_edge_count(graph) == 6);
	gemp_query *query = NULL;
	gemp_query_result result;
	gemp_columns *columns = NULL;
	assert_all_ok(gemp_query_open(&query, graph, "MATCH (a:A:B) RETURN a", NULL));
	assert_all_ok(gemp_query_run(query, &columns, &result, NULL));
	assert_all(result.rows == 2);
	gemp_columns_close(columns);
	gemp_query_close(query);
	assert_all_ok(gemp_query_open(&query, graph, "MATCH ()-[r:E]->() WHERE r.weight > 0 RETURN r", NULL));
	assert_all_code(gemp_query_run(query, &columns, &result, NULL), GEMP_EUSAGE); /* edges of type E have no weight */
	gemp_query_close(query);
	gemp_edge_selection edges;
	gemp_edge_selection_init(&edges);
	edges.weight = "weight";
	columns = (gemp_columns *)&builder;
	/* type E has no weight, and the other type has a negative one */
	assert_all(api_sssp(&columns, graph, &edges, "0") != GEMP_OK && !columns);
	assert_all_ok(gemp_graph_degrees(&columns, graph, &edges, NULL, NULL));
	gemp_columns_close(columns);
	gemp_graph_close(graph);
	/* The same vertex is added twice. */
	assert_all_ok(gemp_graph_builder_open(&builder, context, 1));
	code = first ? gemp_graph_builder_vertices(builder, "A", 3, keys) : GEMP_OK;
	if (last && code == GEMP_OK)
		code = gemp_graph_builder_vertices(builder, "A", 1, keys);
	assert_all_ok(code);
	graph = (gemp_graph *)&builder;
	assert_all_code(gemp_graph_builder_finish(builder, &graph), GEMP_EDATA);
	assert_all(!graph && strstr(gemp_message(), "-9223372036854775808"));
}

/* If only some edges of a type have a weight, the weight of the other edges is NULL. */
static void weights_of_some(void **state)
{
	(void)state;
	gemp_graph_builder *builder = NULL;
	gemp_graph *graph = NULL;
	gemp_query *query = NULL;
	gemp_columns *columns = NULL;
	gemp_query_result result;
	const int64_t source[] = { 1, 2, 3 }, target[] = { 2, 3, 4 };
	const double weights[] = { 1, 2, 3 };
	assert_all_ok(gemp_graph_builder_open(&builder, context, 1));
	gemp_code code = GEMP_OK;
	if (test_comm.rank == 0) {
		code = gemp_graph_builder_edges(builder, "E", 3, source, target, NULL);
		if (code == GEMP_OK)
			code = gemp_graph_builder_edges(builder, "E", 3, source, target, weights);
		if (code == GEMP_OK)
			code = gemp_graph_builder_edges(builder, "E", 3, target, source, NULL);
	}
	assert_all_ok(code);
	assert_all_ok(gemp_graph_builder_finish(builder, &graph));
	assert_all(gemp_graph_edge_count(graph) == 9);
	assert_all_ok(gemp_query_open(&query, graph, "MATCH ()-[r:E]->() WHERE r.weight IS NULL RETURN r", NULL));
	assert_all_ok(gemp_query_run(query, &columns, &result, NULL));
	assert_all(result.rows == 6);
	gemp_columns_close(columns);
	gemp_query_close(query);
	assert_all_ok(
		gemp_query_open(&query, graph, "MATCH ()-[r:E]->() RETURN sum(r.weight) AS s, count(r.weight) AS n", NULL));
	assert_all_ok(gemp_query_run(query, &columns, &result, NULL));
	gemp_column_view s, n;
	assert_all(gemp_columns_find(columns, "s", &s) && gemp_columns_find(columns, "n", &n) && n.rows == s.rows);
	assert_all(s.rows == 0 || (s.floats[0] == 6 && n.integers[0] == 3));
	gemp_columns_close(columns);
	gemp_query_close(query);
	gemp_graph_close(graph);
}

static void hashes(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	for (int k = 0; k < 3; k++) {
		api_case *c = api_case_new(k ? 25 : 1, k ? 80 : 2, k == 2, &random);
		uint64_t hash[API_SPLITS + 2];
		for (int split = 0; split < API_SPLITS; split++) {
			gemp_graph *graph = NULL;
			assert_all_ok(api_build(&graph, context, c, (api_split)split));
			hash[split] = gemp_graph_hash(graph);
			const char *path = test_path_all("made.h5");
			assert_all_ok(gemp_graph_write(graph, path, NULL, NULL));
			gemp_graph_close(graph);
			graph = NULL;
			assert_all_ok(gemp_graph_open(&graph, context, path));
			assert_all(gemp_graph_hash(graph) == hash[0] && hash[split] == hash[0]);
			assert_all(gemp_graph_vertex_count(graph) == c->n && gemp_graph_edge_count(graph) == c->m);
			gemp_columns *keys = NULL;
			gemp_column_view key;
			assert_all_ok(gemp_graph_keys(&keys, graph));
			assert_all(gemp_columns_count(keys) == 1 && gemp_columns_find(keys, "key", &key));
			size_t total;
			double *own = calloc(key.rows + 1, sizeof *own);
			for (size_t row = 0; row < key.rows; row++)
				own[row] = (double)key.integers[row];
			double *all = api_gather(test_comm.world, own, key.rows, &total);
			bool good = total == c->n;
			for (size_t i = 0; good && i < total; i++)
				good = api_number(c, (int64_t)all[i]) < c->n;
			assert_all(good);
			free(own);
			free(all);
			gemp_columns_close(keys);
			gemp_graph_close(graph);
		}
		gemp_context *alone = NULL;
		gemp_graph *graph = NULL;
		assert_all_ok(gemp_context_open(&alone, MPI_COMM_SELF, NULL));
		assert_all_ok(api_build(&graph, alone, c, SPLIT_TURNS));
		assert_all(gemp_graph_hash(graph) == hash[0]);
		gemp_graph_close(graph);
		gemp_context_close(alone);
		api_case_free(c);
	}
}

static void invalid_files_and_settings(void **state)
{
	(void)state;
	uint64_t random = 3;
	api_case *c = api_case_new(10, 20, true, &random);
	gemp_graph *graph = NULL, *none = (gemp_graph *)&random;
	gemp_write_settings settings;
	gemp_write_settings_init(&settings);
	settings.command = "a command";
	settings.weight = "nothing";
	assert_all_ok(api_build(&graph, context, c, SPLIT_TURNS));
	size_t before = gemp_memory_blocks();
	assert_all_code(gemp_graph_open(&none, context, test_path_all("missing.h5")), GEMP_ENOINPUT);
	assert_all(!none && strstr(gemp_message(), "missing.h5"));
	const char *text = test_path_all("text.h5");
	if (test_comm.rank == 0) {
		FILE *file = fopen(text, "w");
		fputs("this is no HDF5\n", file);
		fclose(file);
	}
	MPI_Barrier(test_comm.world);
	none = (gemp_graph *)&random;
	gemp_code code = gemp_graph_open(&none, context, text);
	assert_all(code != GEMP_OK && !none && strstr(gemp_message(), "text.h5"));
	none = (gemp_graph *)&random;
	assert_all(gemp_graph_open(&none, context, "/") != GEMP_OK && !none);
	assert_all(gemp_graph_open(&none, context, "") != GEMP_OK && !none);
	code = gemp_graph_write(graph, test_path_all("no/folder/g.h5"), NULL, NULL);
	assert_all(code == GEMP_EIO || code == GEMP_ENOINPUT);
	assert_all(gemp_graph_write(graph, test_path_all("g.h5"), &settings, NULL) == GEMP_EUSAGE);
	assert_all(access(test_path_all("g.h5"), F_OK) != 0);
	settings.weight = "weight";
	assert_all_ok(gemp_graph_write(graph, test_path_all("g.h5"), &settings, NULL));
	static const char *const names[] = { "g.edges.tsv", "g.vertices.csv", "g.jsonl", "g.graphml", "g.dot", "g.mtx" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *path = test_path_all(names[i]);
		static const char *const given[] = { "g.tsv", "g.csv" };
		code = gemp_graph_export(graph, i < 2 ? test_path_all(given[i]) : path, NULL, NULL);
		if (code != GEMP_OK && test_comm.rank == 0)
			fprintf(stderr, "%s: %s\n", path, gemp_message());
		assert_all(code == GEMP_OK && access(path, R_OK) == 0);
	}
	assert_all_code(gemp_graph_export(graph, test_path_all("g.xyz"), NULL, NULL), GEMP_EUSAGE);
	gemp_export_settings how;
	gemp_export_settings_init(&how);
	how.type = "Nobody";
	assert_all_code(gemp_graph_export(graph, test_path_all("t.tsv"), &how, NULL), GEMP_EUSAGE);
	how.type = NULL;
	how.weight = "nothing";
	assert_all_code(gemp_graph_export(graph, test_path_all("t.mtx"), &how, NULL), GEMP_EUSAGE);
	assert_all_code(gemp_graph_export(graph, test_path_all("t.tsv"), &how, NULL),
	                GEMP_EUSAGE); /* a weight is only for matrix formats */
	assert_all(access(test_path_all("t.tsv"), F_OK) != 0 && access(test_path_all("t.mtx"), F_OK) != 0);
	assert_all(gemp_graph_export(graph, test_path_all("no/folder/g.tsv"), NULL, NULL) == GEMP_EIO);
	assert_all(gemp_memory_blocks() == before);
	gemp_graph_close(graph);
	api_case_free(c);
}

static void imports(void **state)
{
	(void)state;
	gemp_import_settings settings;
	gemp_graph *graph = NULL;
	const char *path = test_path_all("edges.tsv"), *missing = test_path_all("none.tsv");
	if (test_comm.rank == 0) {
		FILE *file = fopen(path, "w");
		fputs("src\tdst\ttype\tname\na\tb\tT\tx\nb\tc\tT\t\na\ta\tU\ty\n", file);
		fclose(file);
	}
	MPI_Barrier(test_comm.world);
	gemp_import_settings_init(&settings);
	graph = (gemp_graph *)&settings;
	assert_all_code(gemp_graph_import(&graph, context, &settings), GEMP_EUSAGE); /* no files are named */
	assert_all(!graph);
	settings.edge_files = &missing;
	settings.edge_file_count = 1;
	assert_all_code(gemp_graph_import(&graph, context, &settings), GEMP_ENOINPUT);
	settings.edge_files = &path;
	settings.format = "gobbledygook";
	graph = (gemp_graph *)&settings;
	assert_all_code(gemp_graph_import(&graph, context, &settings), GEMP_EUSAGE);
	assert_all(!graph);
	settings.format = NULL;
	gemp_code code = gemp_graph_import(&graph, context, &settings);
	if (code != GEMP_OK && test_comm.rank == 0)
		fprintf(stderr, "%s\n", gemp_message());
	assert_all(code == GEMP_OK && gemp_graph_vertex_count(graph) == 3 && gemp_graph_edge_count(graph) == 3);
	gemp_columns *columns = NULL;
	gemp_column_view view;
	assert_all_ok(gemp_graph_keys(&columns, graph)); /* keys are texts here */
	assert_all(gemp_columns_find(columns, "key", &view) && view.type == GEMP_STRING);
	bool good = true;
	for (size_t row = 0; row < view.rows; row++)
		good = good && view.offsets[row + 1] - view.offsets[row] == 1 && strchr("abc", view.bytes[view.offsets[row]]);
	assert_all(good);
	gemp_columns_close(columns);
	assert_all_ok(api_bfs(&columns, graph, NULL, "a"));
	assert_all(gemp_columns_find(columns, "parent", &view) && view.type == GEMP_STRING);
	gemp_columns_close(columns);
	assert_all_ok(gemp_graph_components(&columns, graph, NULL, NULL, NULL, NULL));
	assert_all(gemp_columns_find(columns, "component", &view) && view.type == GEMP_STRING);
	for (size_t row = 0; row < view.rows; row++)
		good = good && view.offsets[row + 1] - view.offsets[row] == 1 && view.bytes[view.offsets[row]] == 'a';
	assert_all(good);
	gemp_columns_close(columns);
	gemp_graph_close(graph);
	settings.undirected = true;
	settings.size = offsetof(gemp_import_settings, merge_parallel);
	gemp_import_settings *older = malloc(settings.size);
	memcpy(older, &settings, settings.size);
	assert_all_ok(gemp_graph_import(&graph, context, older));
	free(older);
	/* an undirected edge counts in the in-degree and in the out-degree */
	assert_all_ok(gemp_graph_degrees(&columns, graph, NULL, NULL, NULL));
	gemp_column_view in, out;
	uint64_t sum[2] = { 0, 0 };
	assert_all(gemp_columns_find(columns, "in", &in) && gemp_columns_find(columns, "out", &out));
	for (size_t row = 0; row < in.rows; row++) {
		good = good && in.integers[row] == out.integers[row];
		sum[0] += (uint64_t)in.integers[row];
	}
	MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_UINT64_T, MPI_SUM, test_comm.world);
	if (!good || sum[0] != 5)
		fprintf(stderr, "degrees without direction: sum %llu\n", (unsigned long long)sum[0]);
	assert_all(good && sum[0] == 5); /* a loop counts once */
	gemp_columns_close(columns);
	gemp_graph_close(graph);
}

static void generators(void **state)
{
	(void)state;
	const char *name = NULL, *endings = NULL, *summary = NULL;
	size_t count = 0;
	while (gemp_import_format_at(count, &name, &endings, &summary))
		count++;
	assert_all(count > 3 && name && endings && summary && !gemp_import_format_at(SIZE_MAX, &name, &endings, &summary));
	const gemp_generator *all = gemp_generators(&count);
	assert_all(count > 3);
	gemp_graph *graph = (gemp_graph *)&count;
	assert_all_code(gemp_graph_generate(&graph, context, "nothing of the kind", NULL, 0, 1, 1), GEMP_EUSAGE);
	assert_all(!graph);
	char form[64], value[64];
	for (size_t p = 0; p < all->parameter_count; p++) {
		gemp_parameter_form(form, sizeof form, &all->parameters[p]);
		gemp_parameter_default(value, sizeof value, &all->parameters[p]);
		assert_all(*form && *value);
	}
	const gemp_generator_parameter wrong = { "no such thing", "7", "run.conf:3" };
	graph = (gemp_graph *)&count;
	assert_all_code(gemp_graph_generate(&graph, context, all->name, &wrong, 1, 1, 1), GEMP_EUSAGE);
	assert_all(!graph && strstr(gemp_message(), "run.conf:3: generate"));
}

static uint64_t report_count(const gemp_report *report, const char *path)
{
	uint64_t count = UINT64_MAX;
	gemp_report_count(report, path, &count);
	MPI_Bcast(&count, 1, MPI_UINT64_T, 0, test_comm.world);
	return count;
}

static void reports(void **state)
{
	(void)state;
	uint64_t random = 21;
	api_case *c = api_case_new(30, 90, true, &random);
	gemp_graph *graph = NULL, *parts = NULL;
	gemp_report *report = NULL;
	gemp_partition_settings settings;
	const char *path = test_path_all("parts.h5");
	assert_all_ok(gemp_report_open(&report, context, NULL));
	assert_all_ok(api_build(&graph, context, c, SPLIT_TURNS));
	assert_all_ok(gemp_graph_describe(graph, true, report));
	assert_all(report_count(report, "graph.vertices") == c->n && report_count(report, "graph.edges") == c->m);
	assert_all(report_count(report, "schema.relations.E.edges") == c->m);
	assert_all(report_count(report, "degrees.max") > 0);
	double mean = 0;
	assert_all(gemp_report_real(report, "degrees.avg", &mean) == (test_comm.rank == 0));
	assert_all(test_comm.rank > 0 || (mean > 0 && mean <= (double)(2 * c->m)));
	gemp_partition_settings_init(&settings);
	settings.parts = UINT64_MAX;
	assert_all_code(gemp_graph_partition(&parts, graph, &settings, NULL), GEMP_EUSAGE);
	settings.parts = 3;
	settings.method = GEMP_PARTITION_BLOCK;
	assert_all_ok(gemp_graph_partition(NULL, graph, &settings, NULL));
	assert_all_ok(gemp_graph_partition(&parts, graph, &settings, report));
	uint64_t vertices = 0;
	for (int p = 0; p < 3; p++) {
		char field[32];
		snprintf(field, sizeof field, "parts.%d.vertices", p);
		vertices += report_count(report, field);
	}
	assert_all(vertices == c->n && report_count(report, "parts.3.vertices") == UINT64_MAX);
	assert_all_ok(gemp_graph_write(parts, path, NULL, report));
	assert_all(report_count(report, "bytes") > 0);
	gemp_graph_close(parts);
	gemp_graph_close(graph);
	assert_all_ok(gemp_graph_open(&graph, context, path)); /* the file keeps the three partitions */
	assert_all_ok(gemp_graph_partition(NULL, graph, NULL, report));
	assert_all(report_count(report, "parts.2.begin") < c->n && report_count(report, "parts.3.begin") == UINT64_MAX);
	gemp_graph_close(graph);
	assert_all_ok(gemp_graph_verify(context, path, report));
	assert_all_ok(gemp_graph_verify(context, path, NULL));
	assert_all_code(gemp_graph_verify(context, test_path_all("missing.h5"), report), GEMP_ENOINPUT);
	assert_all_ok(gemp_context_devices(context, report));
	assert_all(report_count(report, "assignment.0.rank") == 0);
	assert_all(!gemp_report_is_complete(report));
	gemp_report_close(report);
	api_case_free(c);
}

static void small_files(void **state)
{
	(void)state;
	char *text = (char *)state;
	const char *path = test_path_all("small.txt");
	assert_all_code(gemp_file_may_write("output", "/nowhere/small.txt"), GEMP_EIO);
	assert_all_ok(gemp_file_may_write("output", path));
	assert_all_code(gemp_file_may_write_rows(context, "output", test_path_all("rows.png")), GEMP_EUSAGE);
	assert_all_code(gemp_file_may_write_rows(context, "output", "/nowhere/rows.tsv"), GEMP_EIO);
	assert_all_ok(gemp_file_may_write_rows(context, "output", test_path_all("rows.h5")));
	assert_all_code(gemp_file_read_text(&text, context, "input", path), GEMP_ENOINPUT);
	assert_all(!text);
	assert_all_ok(test_comm.rank ? GEMP_OK : gemp_file_replace(path, "two\nlines\n", 10));
	assert_all_ok(gemp_file_read_text(&text, context, "input", path));
	assert_all(strcmp(text, "two\nlines\n") == 0);
	gemp_text_release(text);
}

/* Counts the bytes of the report's lines. With `brief` no detail line, marked here by '!', may arrive. */
static void take_lines(void *self, const char *text, size_t size)
{
	*(size_t *)self += size;
	assert_true(memchr(text, '!', size) == NULL);
}

static void report_lines(void **state)
{
	(void)state;
	size_t bytes = 0;
	gemp_report *report = NULL;
	gemp_report_options how;
	gemp_report_options_init(&how);
	how.text = take_lines;
	how.text_self = &bytes;
	how.brief = true;
	assert_all_ok(gemp_report_open(&report, context, &how));
	gemp_report_trace_begin(report);
	gemp_report_print(report, "%d line\n", 1);
	gemp_report_detail(report, "nobody reads this!\n");
	assert_all(bytes == (test_comm.rank ? 0 : 7));
	assert_all_ok(gemp_report_trace_write(report, test_path_all("trace.json")));
	assert_all(report_count(report, "trace.dropped") == 0);
	gemp_report_close(report);
}

static gemp_code build_and_close(void *argument)
{
	gemp_graph *graph = NULL;
	gemp_columns *keys = NULL;
	gemp_code code = api_build(&graph, context, argument, SPLIT_TURNS);
	if (code == GEMP_OK)
		code = gemp_graph_keys(&keys, graph);
	gemp_columns_close(keys);
	gemp_graph_close(graph);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 3)
		return;
	uint64_t random = 9;
	api_case *c = api_case_new(6, 9, true, &random);
	assert_all_survive_no_memory(build_and_close, c);
	api_case_free(c);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		API_TEST(builders),     API_TEST(weights_of_some),    API_TEST(hashes),  API_TEST(invalid_files_and_settings),
		API_TEST(imports),      API_TEST(generators),         API_TEST(reports), API_TEST(small_files),
		API_TEST(report_lines), API_TEST(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
