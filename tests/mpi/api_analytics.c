/* Tests the analytics of the public library against plain loops over a list of edges. */
#include "api_case.h"

static const gemp_edge_direction directions[] = { GEMP_ALONG, GEMP_AGAINST, GEMP_EITHER_WAY };

/* An arc that results from an edge and a direction. The list of arcs has a capacity of 2 * m + 1; a loop is one arc. */
typedef struct arc {
	size_t from, to;
	double weight;
} arc;

static arc *arcs_of(const api_case *c, gemp_edge_direction direction, size_t *count)
{
	arc *arcs = calloc(2 * c->m + 1, sizeof *arcs);
	*count = 0;
	for (size_t e = 0; e < c->m; e++) {
		size_t u = c->end[e][0], v = c->end[e][1];
		if (direction != GEMP_AGAINST)
			arcs[(*count)++] = (arc){ u, v, c->weight[e] };
		if (direction == GEMP_AGAINST || (direction == GEMP_EITHER_WAY && u != v))
			arcs[(*count)++] = (arc){ v, u, c->weight[e] };
	}
	return arcs;
}

/* The Bellman-Ford algorithm. unit: every arc weighs 1. */
static double *distances(const api_case *c, const arc *arcs, size_t count, size_t source, bool unit)
{
	double *d = calloc(c->n + 1, sizeof *d);
	for (size_t v = 0; v < c->n; v++)
		d[v] = v == source ? 0 : INFINITY;
	for (size_t round = 0; round < c->n; round++)
		for (size_t i = 0; i < count; i++) {
			double through = d[arcs[i].from] + (unit ? 1 : arcs[i].weight);
			if (through < d[arcs[i].to])
				d[arcs[i].to] = through;
		}
	return d;
}

static bool check_tree(const api_case *c, const arc *arcs, size_t count, size_t source, bool unit, const double *found,
                       const double *parent)
{
	double *d = distances(c, arcs, count, source, unit);
	bool good = found && parent;
	for (size_t v = 0; good && v < c->n; v++) {
		double least = NAN;
		for (size_t i = 0; i < count; i++)
			if (arcs[i].to == v && v != source && isfinite(d[v]) &&
			    d[arcs[i].from] + (unit ? 1 : arcs[i].weight) == d[v] && !((double)c->key[arcs[i].from] >= least))
				least = (double)c->key[arcs[i].from];
		good = api_same(found[v], isfinite(d[v]) ? d[v] : NAN) && api_same(parent[v], least);
		if (!good)
			fprintf(stderr, "vertex %zu: %g by %g, not %g by %g\n", v, found[v], parent[v], d[v], least);
	}
	free(d);
	return good;
}

static gemp_analysis_settings rank_settings(double damping, double tolerance, uint32_t max_iterations)
{
	gemp_analysis_settings settings;
	gemp_analysis_settings_init(&settings);
	settings.damping = damping;
	settings.tolerance = tolerance;
	settings.max_iterations = max_iterations;
	return settings;
}

static gemp_code rank_once(gemp_graph *graph, const gemp_edge_selection *edges, double damping, double tolerance,
                           uint32_t max_iterations, gemp_columns **columns)
{
	const gemp_analysis_settings settings = rank_settings(damping, tolerance, max_iterations);
	return gemp_graph_pagerank(columns, graph, edges, &settings, NULL);
}

static void search(const api_case *c, gemp_graph *graph, gemp_edge_direction direction, const char *weight)
{
	gemp_edge_selection edges;
	size_t count;
	arc *arcs = arcs_of(c, direction, &count);
	gemp_edge_selection_init(&edges);
	edges.direction = direction;
	for (size_t source = 0; source < c->n; source += 1 + c->n / 3) {
		char name[32];
		gemp_columns *columns = NULL;
		snprintf(name, sizeof name, "%lld", (long long)c->key[source]);
		edges.weight = NULL;
		assert_all_ok(api_bfs(&columns, graph, &edges, name));
		double *level = api_by_vertex(context, graph, c, columns, "level");
		double *parent = api_by_vertex(context, graph, c, columns, "parent");
		assert_all(check_tree(c, arcs, count, source, true, level, parent));
		free(level);
		free(parent);
		gemp_columns_close(columns);
		edges.weight = weight;
		assert_all_ok(api_sssp(&columns, graph, &edges, name));
		level = api_by_vertex(context, graph, c, columns, "distance");
		parent = api_by_vertex(context, graph, c, columns, "predecessor");
		assert_all(check_tree(c, arcs, count, source, !weight, level, parent));
		free(level);
		free(parent);
		gemp_columns_close(columns);
	}
	free(arcs);
}

static double *plain_pagerank(const api_case *c, const arc *arcs, size_t count, bool unit, double damping)
{
	double *rank = calloc(c->n + 1, sizeof *rank), *next = calloc(c->n + 1, sizeof *next);
	double *out = calloc(c->n + 1, sizeof *out);
	for (size_t i = 0; i < count; i++)
		out[arcs[i].from] += unit ? 1 : arcs[i].weight;
	for (size_t v = 0; v < c->n; v++)
		rank[v] = 1 / (double)c->n;
	for (int round = 0; round < 300; round++) {
		double dangling = 0;
		for (size_t v = 0; v < c->n; v++)
			dangling += out[v] > 0 ? 0 : rank[v];
		for (size_t v = 0; v < c->n; v++)
			next[v] = (1 - damping + damping * dangling) / (double)c->n;
		for (size_t i = 0; i < count; i++)
			next[arcs[i].to] += damping * rank[arcs[i].from] * (unit ? 1 : arcs[i].weight) / out[arcs[i].from];
		memcpy(rank, next, c->n * sizeof *rank);
	}
	free(next);
	free(out);
	return rank;
}

static void check_dense(const api_case *c, gemp_graph *graph, gemp_edge_direction direction, const char *weight)
{
	gemp_edge_selection edges;
	gemp_columns *columns = NULL, *keys = NULL;
	gemp_column_view key;
	size_t count;
	uint64_t iterations = 0;
	gemp_report *report = NULL;
	gemp_analysis_settings settings = rank_settings(.85, 0, 300);
	arc *arcs = arcs_of(c, direction, &count);
	gemp_edge_selection_init(&edges);
	edges.direction = direction;
	edges.weight = weight;
	assert_all_ok(gemp_report_open(&report, context, NULL));
	assert_all_ok(gemp_graph_pagerank(&columns, graph, &edges, &settings, report));
	assert_all(test_comm.rank > 0 ||
	           (gemp_report_count(report, "iterations", &iterations) && (iterations > 0 || c->n == 0)));
	gemp_report_close(report);
	double *expected = plain_pagerank(c, arcs, count, !weight, .85);
	double *found = api_by_vertex(context, graph, c, columns, "rank");
	bool good = found != NULL;
	for (size_t v = 0; good && v < c->n; v++)
		if (!(good = api_same(found[v], expected[v])))
			fprintf(stderr, "vertex %zu of %zu, direction %d, %s: %.12g, not %.12g\n", v, c->n, (int)direction,
			        weight ? weight : "plain", found[v], expected[v]);
	assert_all(good);
	free(found);
	free(expected);
	gemp_columns_close(columns);

	assert_all_ok(gemp_graph_keys(&keys, graph));
	assert_all(gemp_columns_find(keys, "key", &key));
	double *x = calloc(key.rows + 1, sizeof *x), *y = calloc(c->n + 1, sizeof *y);
	for (size_t row = 0; row < key.rows; row++)
		x[row] = 1 + (double)(key.integers[row] % 7) / 8;
	for (size_t i = 0; i < count; i++)
		y[arcs[i].to] += (weight ? arcs[i].weight : 1) * (1 + (double)(c->key[arcs[i].from] % 7) / 8);
	settings.x = x;
	assert_all_ok(gemp_graph_spmv(&columns, graph, &edges, &settings, NULL));
	found = api_by_vertex(context, graph, c, columns, "y");
	good = found != NULL;
	for (size_t v = 0; good && v < c->n; v++)
		if (!(good = api_same(found[v], y[v])))
			fprintf(stderr, "vertex %zu of %zu, direction %d, %s: %.12g, not %.12g\n", v, c->n, (int)direction,
			        weight ? weight : "plain", found[v], y[v]);
	assert_all(good);
	free(found);
	free(x);
	free(y);
	free(arcs);
	gemp_columns_close(keys);
	gemp_columns_close(columns);
}

static void check_components(const api_case *c, gemp_graph *graph)
{
	gemp_columns *columns = NULL;
	uint64_t count = 99, expected_count = 0;
	size_t *label = calloc(c->n + 1, sizeof *label);
	double *in = calloc(c->n + 1, sizeof *in), *out = calloc(c->n + 1, sizeof *out);
	for (size_t v = 0; v < c->n; v++)
		label[v] = v;
	for (size_t round = 0; round < c->n; round++)
		for (size_t e = 0; e < c->m; e++) {
			size_t u = c->end[e][0], v = c->end[e][1], least = label[u] < label[v] ? label[u] : label[v];
			label[u] = label[v] = least;
		}
	for (size_t v = 0; v < c->n; v++)
		expected_count += label[v] == v;
	for (size_t e = 0; e < c->m; e++) {
		out[c->end[e][0]]++;
		in[c->end[e][1]]++;
	}
	assert_all_ok(gemp_graph_components(&columns, graph, NULL, NULL, &count, NULL));
	assert_all(count == expected_count);
	double *found = api_by_vertex(context, graph, c, columns, "component");
	bool good = found != NULL;
	for (size_t v = 0; good && v < c->n; v++)
		good = found[v] == (double)c->key[label[v]];
	assert_all(good);
	free(found);
	gemp_columns_close(columns);
	assert_all_ok(gemp_graph_degrees(&columns, graph, NULL, NULL, NULL));
	double *found_in = api_by_vertex(context, graph, c, columns, "in");
	double *found_out = api_by_vertex(context, graph, c, columns, "out");
	good = found_in && found_out;
	for (size_t v = 0; good && v < c->n; v++)
		good = found_in[v] == in[v] && found_out[v] == out[v];
	assert_all(good);
	free(found_in);
	free(found_out);
	gemp_columns_close(columns);
	free(label);
	free(in);
	free(out);
}

static void random_graphs(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	for (size_t k = 0; k < 6; k++) {
		gemp_graph *graph = NULL;
		bool weighted = k % 2;
		size_t n = k == 0 ? 0 : k == 1 ? 1 : k == 2 ? 2 : 5 + gemp_random_below(&random, 40);
		api_case *c = api_case_new(n, gemp_random_below(&random, 3 * n + 1), weighted, &random);
		if (weighted && !c->m && n) { /* the attribute exists only if at least one edge has it */
			c->m = 1;
			c->end = realloc(c->end, 2 * sizeof *c->end);
			c->weight = realloc(c->weight, 2 * sizeof *c->weight);
			c->end[0][0] = c->end[0][1] = 0;
			c->weight[0] = 2.5;
		}
		assert_all_ok(api_build(&graph, context, c, (api_split)(k % API_SPLITS)));
		assert_all(gemp_graph_vertex_count(graph) == c->n && gemp_graph_edge_count(graph) == c->m);
		for (size_t d = 0; d < sizeof directions / sizeof *directions; d++) {
			search(c, graph, directions[d], weighted ? "weight" : NULL);
			check_dense(c, graph, directions[d], weighted ? "weight" : NULL);
		}
		check_components(c, graph);
		gemp_graph_close(graph);
		api_case_free(c);
	}
	assert_all(true);
}

static void wrong_arguments(void **state)
{
	(void)state;
	uint64_t random = 5;
	gemp_graph *graph = NULL;
	gemp_columns *columns = (gemp_columns *)&random;
	gemp_edge_selection edges;
	const char *types[] = { "E", "Nothing" };
	api_case *c = api_case_new(9, 20, false, &random);
	char key[32];
	snprintf(key, sizeof key, "%lld", (long long)c->key[0]);
	assert_all_ok(api_build(&graph, context, c, SPLIT_TURNS));
	assert_all_ok(api_bfs(&columns, graph, NULL, key)); /* this call opens the device, which stays open */
	gemp_columns_close(columns);
	size_t before = gemp_memory_blocks();
	static const char *const unknown[] = { "100000", "", "x", "99999999999999999999999", "-9223372036854775808" };
	for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
		columns = (gemp_columns *)&random;
		assert_all(api_bfs(&columns, graph, NULL, unknown[i]) != GEMP_OK && !columns);
		columns = (gemp_columns *)&random;
		assert_all(api_sssp(&columns, graph, NULL, unknown[i]) != GEMP_OK && !columns);
	}
	assert_all_code(gemp_graph_bfs(&columns, graph, NULL, NULL, NULL), GEMP_EUSAGE);
	assert_all(strcmp(gemp_message(), "bfs starts from one source; got 0") == 0);
	gemp_edge_selection_init(&edges);
	edges.edge_types = types;
	edges.edge_type_count = 2;
	assert_all_code(api_bfs(&columns, graph, &edges, key), GEMP_EUSAGE);
	assert_all(strstr(gemp_message(), "Nothing") != NULL);
	assert_all_code(gemp_graph_components(&columns, graph, &edges, NULL, NULL, NULL), GEMP_EUSAGE);
	assert_all_code(gemp_graph_degrees(&columns, graph, &edges, NULL, NULL), GEMP_EUSAGE);
	assert_all_code(rank_once(graph, &edges, .85, 0, 5, &columns), GEMP_EUSAGE);
	edges.edge_type_count = 1;
	assert_all_ok(gemp_graph_degrees(&columns, graph, &edges, NULL, NULL));
	gemp_columns_close(columns);
	edges.direction = (gemp_edge_direction)7;
	assert_all_code(api_bfs(&columns, graph, &edges, key), GEMP_EUSAGE);
	assert_all(!columns);
	gemp_edge_selection_init(&edges);
	edges.weight = "weight"; /* no edge has a weight, so the relation has no such attribute */
	columns = (gemp_columns *)&random;
	assert_all(api_sssp(&columns, graph, &edges, key) != GEMP_OK && !columns);
	assert_all(strstr(gemp_message(), "weight") != NULL);
	assert_all(rank_once(graph, &edges, .85, 0, 5, &columns) != GEMP_OK);
	static const double wrong[] = { 1, -.1, 2, NAN, INFINITY };
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		assert_all_code(rank_once(graph, NULL, wrong[i], 0, 5, &columns), GEMP_EUSAGE);
		assert_all(!columns);
	}
	assert_all_code(rank_once(graph, NULL, .85, -1, 5, &columns), GEMP_EUSAGE);
	assert_all_code(rank_once(graph, NULL, .85, NAN, 5, &columns), GEMP_EUSAGE);
	assert_all_ok(rank_once(graph, NULL, 0, 0, 1, &columns));
	gemp_columns_close(columns);
	assert_all(gemp_memory_blocks() == before);
	gemp_columns_close(NULL);
	gemp_graph_close(NULL);
	gemp_graph_close(graph);
	api_case_free(c);
}

/* A program may be compiled with an older struct that has fewer members. The library must not read beyond its
 * `size`. */
static void older_struct_of_selection(void **state)
{
	(void)state;
	uint64_t random = 11;
	gemp_graph *graph = NULL;
	gemp_columns *columns = NULL;
	api_case *c = api_case_new(20, 50, false, &random);
	gemp_edge_selection *older = malloc(offsetof(gemp_edge_selection, direction));
	gemp_edge_selection whole;
	gemp_edge_selection_init(&whole);
	whole.size = offsetof(gemp_edge_selection, direction);
	memcpy(older, &whole, whole.size);
	assert_all_ok(api_build(&graph, context, c, SPLIT_TURNS));
	assert_all_ok(rank_once(graph, older, .85, 0, 10, &columns));
	gemp_columns_close(columns);
	whole.weight = "there is none such";
	assert_all_ok(rank_once(graph, &whole, .85, 0, 10, &columns));
	gemp_columns_close(columns);
	assert_all_ok(gemp_graph_degrees(&columns, graph, older, NULL, NULL));
	gemp_columns_close(columns);
	free(older);
	gemp_graph_close(graph);
	api_case_free(c);
}

static gemp_code run_everything(void *argument)
{
	gemp_graph *graph = argument;
	gemp_columns *columns[6] = { NULL };
	gemp_analysis_settings settings = rank_settings(.85, 0, 3);
	gemp_code code = api_bfs(&columns[0], graph, NULL, "1");
	const double x[64] = { 1 };
	settings.x = x;
	gemp_edge_selection edges;
	gemp_edge_selection_init(&edges);
	edges.weight = "weight";
	if (code == GEMP_OK)
		code = api_sssp(&columns[1], graph, &edges, "1");
	if (code == GEMP_OK)
		code = gemp_graph_pagerank(&columns[2], graph, &edges, &settings, NULL);
	if (code == GEMP_OK)
		code = gemp_graph_spmv(&columns[3], graph, NULL, &settings, NULL);
	if (code == GEMP_OK)
		code = gemp_graph_components(&columns[4], graph, NULL, NULL, NULL, NULL);
	if (code == GEMP_OK)
		code = gemp_graph_degrees(&columns[5], graph, NULL, NULL, NULL);
	for (size_t i = 0; i < 6; i++)
		gemp_columns_close(columns[i]);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 3)
		return;
	uint64_t random = 17;
	gemp_graph *graph = NULL;
	api_case *c = api_case_new(12, 30, true, &random);
	c->key[0] = 1;
	for (size_t v = 1; v < c->n; v++)
		c->key[v] = (int64_t)v + 1;
	assert_all_ok(api_build(&graph, context, c, SPLIT_TURNS));
	assert_all_ok(run_everything(graph)); /* this run opens the device and builds the kernels */
	assert_all_survive_no_memory(run_everything, graph);
	gemp_graph_close(graph);
	api_case_free(c);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		API_TEST(random_graphs),
		API_TEST(wrong_arguments),
		API_TEST(older_struct_of_selection),
		API_TEST(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
