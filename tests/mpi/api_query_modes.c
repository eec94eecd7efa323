/* Tests the modes of a query of the public library other than rows in memory and a plain count. The references are
 * loops over a list of edges. */
#include "api_case.h"

#include <unistd.h>

/* A list of edges, the graph that is built of it, and settings for queries. */
typedef struct world {
	api_case *c;
	gemp_graph *graph;
	gemp_query_settings settings; /* homomorphisms: each combination of edges is a match */
} world;

static world world_new(size_t n, size_t m)
{
	uint64_t random = test_seed_all();
	world w = { .c = api_case_new(n, m, false, &random) };
	assert_all_ok(api_build(&w.graph, context, w.c, SPLIT_TURNS));
	gemp_query_settings_init(&w.settings);
	w.settings.semantics = GEMP_HOM;
	w.settings.distinct_given = true;
	w.settings.distinct = GEMP_BY_NOTHING;
	return w;
}

static void world_free(world *w)
{
	gemp_graph_close(w->graph);
	api_case_free(w->c);
}

static gemp_query *query_new(const world *w, const char *text)
{
	gemp_query *query = NULL;
	assert_all_ok(gemp_query_open(&query, w->graph, text, &w->settings));
	return query;
}

static size_t lines_of(const char *path)
{
	size_t lines = 0;
	FILE *file = fopen(path, "r");
	for (int c; file && (c = fgetc(file)) != EOF;)
		lines += c == '\n';
	if (file)
		fclose(file);
	return lines;
}

/* The number of edge matches that start at a vertex is its out-degree. */
static void counts_by_vertex(void **state)
{
	(void)state;
	world w = world_new(30, 80);
	const api_case *c = w.c;
	const char *path = test_path_all("counts.tsv");
	uint64_t *degree = calloc(c->n, sizeof *degree), rows = 0;
	for (size_t e = 0; e < c->m; e++)
		rows += !degree[c->end[e][0]]++;
	gemp_query_result result;
	gemp_query *query = query_new(&w, "MATCH (a)-[:E]->(b)");
	assert_all_ok(gemp_query_count_per(query, "a", path, &result, NULL));
	assert_all(result.matches == c->m && result.rows == rows && lines_of(path) == rows + 1);
	FILE *file = fopen(path, "r");
	long long key;
	unsigned long long count;
	bool good = file && fscanf(file, "key count") == 0;
	while (good && fscanf(file, "%lld %llu", &key, &count) == 2) {
		size_t v = api_number(c, key);
		good = v < c->n && degree[v] == count;
	}
	assert_all(good);
	fclose(file);
	assert_all_ok(gemp_query_count_per(query, "1", NULL, &result, NULL));
	assert_all(result.matches == c->m);
	assert_all_code(gemp_query_count_per(query, "z", path, &result, NULL), GEMP_EUSAGE);
	gemp_query_close(query);
	free(degree);
	world_free(&w);
}

static void estimates(void **state)
{
	(void)state;
	world w = world_new(30, 80);
	gemp_query_estimate estimate;
	gemp_query *query = query_new(&w, "MATCH (a)-[:E]->(b)");
	assert_all_ok(gemp_query_sample(query, 0.2, 1, &estimate, NULL));
	assert_all(estimate.low <= (double)w.c->m && (double)w.c->m <= estimate.high && estimate.confidence > 0.9);
	gemp_query_close(query);
	query = query_new(&w, "MATCH (a)-[:E]->(b) RETURN a LIMIT 3");
	assert_all_code(gemp_query_sample(query, 0.2, 1, &estimate, NULL), GEMP_EUSAGE);
	gemp_query_close(query);
	world_free(&w);
}

static void motifs(void **state)
{
	(void)state;
	world w = world_new(20, 60);
	const api_case *c = w.c;
	bool *joined = calloc(c->n * c->n, sizeof *joined);
	uint64_t triangles = 0, paths = 0;
	for (size_t e = 0; e < c->m; e++)
		joined[c->end[e][0] * c->n + c->end[e][1]] = joined[c->end[e][1] * c->n + c->end[e][0]] = true;
	for (size_t a = 0; a < c->n; a++)
		for (size_t b = 0; b < c->n; b++)
			for (size_t d = 0; d < b; d++)
				if (a != b && a != d && joined[a * c->n + b] && joined[a * c->n + d]) {
					paths++;
					triangles += joined[b * c->n + d];
				}
	triangles /= 3;
	gemp_motif found[GEMP_MOTIFS_MAX];
	gemp_query_settings settings;
	size_t kinds;
	gemp_query_settings_init(&settings);
	assert_all_ok(gemp_graph_motifs(w.graph, "motifs:3", &settings, found, &kinds, NULL));
	assert_all(kinds == 2 && found[0].count == paths && found[1].count == triangles);
	assert_all(!strcmp(found[1].pattern, "edges:0-1,0-2,1-2") && !strcmp(found[1].name, "triangle"));
	const char *rows = test_path_all("motifs.tsv");
	assert_all_ok(gemp_graph_motifs_write(w.graph, rows, found, kinds));
	assert_all(access(rows, F_OK) == 0);
	assert_all_code(gemp_graph_motifs_write(w.graph, "motifs.txt", found, kinds), GEMP_EUSAGE);
	gemp_motif too_many = found[1];
	too_many.count = UINT64_C(1) << 63;
	assert_all_code(gemp_graph_motifs_write(w.graph, rows, &too_many, 1), GEMP_EDATA);
	settings.semantics = GEMP_INDUCED;
	assert_all_ok(gemp_graph_motifs(w.graph, "motifs:3", &settings, found, &kinds, NULL));
	assert_all(kinds == 2 && found[0].count == paths - 3 * triangles && found[1].count == triangles);
	settings.dry_run = true;
	assert_all_ok(gemp_graph_motifs(w.graph, "motifs:4", &settings, found, &kinds, NULL));
	assert_all(kinds == 0);
	settings.semantics = GEMP_HOM;
	assert_all_code(gemp_graph_motifs(w.graph, "motifs:3", &settings, found, &kinds, NULL), GEMP_EUSAGE);
	assert_all_code(gemp_graph_motifs(w.graph, "triangle", NULL, found, &kinds, NULL), GEMP_EUSAGE);
	free(joined);
	world_free(&w);
}

static void several_queries(void **state)
{
	(void)state;
	world w = world_new(20, 50);
	gemp_query *query = NULL;
	gemp_columns *columns = NULL;
	gemp_report *report = NULL;
	gemp_query_result result;
	uint64_t rows = 0;
	assert_all_ok(gemp_query_open_script(
		&query, w.graph, "MATCH (a)-[:E]->(b) RETURN id(a), id(b);\n\nMATCH (a) WHERE id(a) > $x RETURN id(a);",
		"two.cypher", &w.settings));
	assert_all_ok(gemp_query_bind(query, "x:int=-1000"));
	assert_all_code(gemp_query_bind(query, "x=2"), GEMP_EUSAGE);
	assert_all_code(gemp_query_bind(query, "y"), GEMP_EUSAGE);
	assert_all_code(gemp_query_run(query, &columns, NULL, NULL), GEMP_EUSAGE);
	assert_all(!columns);
	assert_all_ok(gemp_report_open(&report, context, NULL));
	assert_all_ok(gemp_query_write(query, test_path_all("both.tsv"), &result, report));
	assert_all(result.rows == w.c->n && lines_of(test_path_all("both.2.tsv")) == w.c->n + 1);
	assert_all(lines_of(test_path_all("both.1.tsv")) == w.c->m + 1);
	assert_all(test_comm.rank != 0 || (gemp_report_count(report, "queries.0.rows", &rows) && rows == w.c->m));
	gemp_report_close(report);
	gemp_query_close(query);
	world_free(&w);
}

/* The pattern file has two joined vertices with label L0, which the graph does not have. */
static void query_graphs(void **state)
{
	(void)state;
	world w = world_new(20, 50);
	gemp_query *query = NULL;
	gemp_query_result result;
	const char *path = test_path_all("pattern.graph");
	if (test_comm.rank == 0) {
		FILE *file = fopen(path, "w");
		fputs("t 2 1\nv 0 0 1\nv 1 0 1\ne 0 1\n", file);
		fclose(file);
	}
	MPI_Barrier(test_comm.world);
	gemp_query_settings settings;
	gemp_query_settings_init(&settings);
	settings.lenient = true;
	assert_all_ok(gemp_query_open_query_graph(&query, w.graph, path, "L%d", &settings));
	assert_all_ok(gemp_query_count(query, &result, NULL));
	assert_all(result.matches == 0);
	assert_all_code(gemp_query_bind(query, "x=2"), GEMP_EUSAGE);
	gemp_query_close(query);
	query = NULL;
	assert_all_code(gemp_query_open_query_graph(&query, w.graph, test_path_all("none.graph"), "L%d", NULL),
	                GEMP_ENOINPUT);
	assert_all(!query);
	world_free(&w);
}

static void append_text(void *self, const char *text, size_t size)
{
	char *all = self;
	strncat(all, text, size);
}

static void previews_and_covered_subgraphs(void **state)
{
	(void)state;
	world w = world_new(20, 50);
	static char text[1 << 16];
	const char *path = test_path_all("covered.h5");
	gemp_query_result result;
	gemp_report *report = NULL;
	gemp_graph *covered = NULL;
	gemp_report_options options;
	gemp_report_options_init(&options);
	options.text = append_text;
	options.text_self = text;
	text[0] = '\0';
	w.settings.preview = 3;
	w.settings.subgraph = path;
	gemp_query *query = query_new(&w, "MATCH (a)-[:E]->(b) RETURN id(a), id(b)");
	assert_all_ok(gemp_report_open(&report, context, &options));
	assert_all_ok(gemp_query_write(query, NULL, &result, report));
	assert_all(result.rows == w.c->m && (test_comm.rank != 0 || strstr(text, "... (3 of 50 rows")));
	gemp_report_close(report);
	gemp_query_close(query);
	assert_all_ok(gemp_graph_open(&covered, context, path));
	assert_all(gemp_graph_edge_count(covered) == w.c->m);
	gemp_graph_close(covered);
	query = NULL;
	assert_all_ok(gemp_query_open_pattern(&query, w.graph, "triangle", &w.settings));
	assert_all_code(gemp_query_count(query, &result, NULL), GEMP_EUSAGE);
	gemp_query_close(query);
	world_free(&w);
}

/* A run that is stopped and resumed again and again gives the result of an uninterrupted run. */
static void checkpoints(void **state)
{
	(void)state;
	world w = world_new(12, 40);
	const char *folder = test_path_all("kept"), *path = test_path_all("kept.tsv");
	gemp_query_result result;
	gemp_code code = GEMP_STOPPED;
	uint64_t paths = 0;
	for (size_t e = 0; e < w.c->m; e++)
		for (size_t f = 0; f < w.c->m; f++)
			paths += w.c->end[e][1] == w.c->end[f][0];
	w.settings.count_by_search = true;
	w.settings.checkpoint = (gemp_checkpoint_settings){ folder, true, 1e-9 };
	for (int rows = 0; rows < 2; rows++) {
		gemp_query *query = query_new(&w, "MATCH (a)-[:E]->(b)-[:E]->(c) RETURN id(a), id(b), id(c)");
		int jobs = 0;
		do {
			code = rows ? gemp_query_write(query, path, &result, NULL) : gemp_query_count(query, &result, NULL);
			assert_all(code == GEMP_OK || (code == GEMP_STOPPED && access(folder, F_OK) == 0));
		} while (code != GEMP_OK && jobs++ < 12);
		assert_all(code == GEMP_OK && jobs > 0 && access(folder, F_OK) != 0);
		assert_all(result.matches == paths && result.rows == paths && (!rows || lines_of(path) == paths + 1));
		gemp_query_close(query);
	}
	gemp_query *query = query_new(&w, "MATCH (a)-[:E]->(b)-[:E]->(c) RETURN id(a), id(b), id(c)");
	assert_all_code(gemp_query_count(query, &result, NULL), GEMP_STOPPED);
	gemp_query_close(query);
	w.settings.checkpoint.resume = false;
	query = query_new(&w, "MATCH (a)-[:E]->(b)-[:E]->(c) RETURN id(a), id(b), id(c)");
	assert_all_code(gemp_query_count(query, &result, NULL), GEMP_EUSAGE);
	gemp_query_close(query);
	world_free(&w);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		API_TEST(counts_by_vertex), API_TEST(estimates),    API_TEST(motifs),
		API_TEST(several_queries),  API_TEST(query_graphs), API_TEST(previews_and_covered_subgraphs),
		API_TEST(checkpoints),
	};
	return test_main_all(argc, argv, tests);
}
