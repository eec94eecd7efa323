/* Tests Euler circuits and paths of the public library. Each edge is used once and begins where the edge before ends.
 * Whether a walk exists must agree with degrees and a plain search for components. */
#include "face_case.h"

#include "gemp/euler.h"

enum { VERTICES = 30 };

/* The properties of a graph that a plain loop over all edges finds. */
typedef struct expected {
	uint64_t unbalanced, components;
	bool path;
} expected;

static int64_t root_of(int64_t *parent, int64_t vertex)
{
	while (parent[vertex] != vertex)
		vertex = parent[vertex];
	return vertex;
}

static expected expect(const face_edges *edges, bool undirected)
{
	expected e = { 0 };
	int64_t parent[VERTICES], out[VERTICES] = { 0 }, in[VERTICES] = { 0 };
	uint64_t more = 0, less = 0, other = 0;
	for (int64_t v = 0; v < VERTICES; v++)
		parent[v] = v;
	for (size_t i = 0; i < edges->count; i++) {
		out[edges->source[i]]++;
		in[edges->target[i]]++;
		parent[root_of(parent, edges->source[i])] = root_of(parent, edges->target[i]);
	}
	for (int64_t v = 0; v < VERTICES; v++) {
		e.components += out[v] + in[v] > 0 && parent[v] == v;
		e.unbalanced += undirected ? (uint64_t)(out[v] + in[v]) % 2 : out[v] != in[v];
		more += out[v] == in[v] + 1;
		less += in[v] == out[v] + 1;
		other += out[v] > in[v] + 1 || in[v] > out[v] + 1;
	}
	e.path = e.components == 1 && (undirected ? e.unbalanced == 2 : more == 1 && less == 1 && other == 0);
	return e;
}

/* One row of the resulting columns. */
typedef struct step {
	int64_t place, source, target, edge;
	char type[8];
} step;

static step *gather_steps(const gemp_columns *columns, size_t *count)
{
	gemp_column_view place, source, type, edge, target;
	assert_all(gemp_columns_count(columns) == 5 && gemp_columns_find(columns, "place", &place) &&
	           gemp_columns_find(columns, "source", &source) && gemp_columns_find(columns, "type", &type) &&
	           gemp_columns_find(columns, "edge", &edge) && gemp_columns_find(columns, "target", &target));
	step *own = calloc(place.rows + 1, sizeof *own);
	for (size_t i = 0; i < place.rows; i++) {
		own[i] = (step){ place.integers[i], source.integers[i], target.integers[i], edge.integers[i], "" };
		memcpy(own[i].type, type.bytes + type.offsets[i], type.offsets[i + 1] - type.offsets[i]);
	}
	assert_all(gemp_columns_rows(columns) == place.rows && target.rows == place.rows && type.rows == place.rows);
	step *all = face_gather(own, place.rows * sizeof *own, count);
	*count /= sizeof *all;
	free(own);
	return all;
}

/* Does the walk use each edge of the lists once, and does each step begin where the step before ends? */
static bool is_walk(const step *steps, size_t count, const face_edges *lists, size_t list_count, bool circuit,
                    bool undirected)
{
	size_t edges = 0, used = 0;
	for (size_t l = 0; l < list_count; l++) {
		bool *taken = calloc(lists[l].count + 1, sizeof *taken), *numbers = calloc(lists[l].count + 1, sizeof *numbers);
		edges += lists[l].count;
		for (size_t i = 0; i < count; i++) {
			if (strcmp(steps[i].type, lists[l].type) != 0)
				continue;
			size_t e = 0;
			while (e < lists[l].count &&
			       (taken[e] ||
			        !((lists[l].source[e] == steps[i].source && lists[l].target[e] == steps[i].target) ||
			          (undirected && lists[l].source[e] == steps[i].target && lists[l].target[e] == steps[i].source))))
				e++;
			if (e == lists[l].count || steps[i].edge < 0 || (size_t)steps[i].edge >= lists[l].count ||
			    numbers[steps[i].edge])
				break;
			taken[e] = numbers[steps[i].edge] = true;
			used++;
		}
		free(taken);
		free(numbers);
	}
	bool good = used == count && edges == count;
	for (size_t i = 0; i < count; i++)
		good = good && steps[i].place == (int64_t)i && (i == 0 || steps[i].source == steps[i - 1].target);
	return good && (count == 0 || (steps[0].source == steps[count - 1].target) == circuit);
}

/* Adds a closed walk of `steps` edges among the vertices first .. first + width - 1. */
static void add_walk(face_edges *edges, int64_t first, uint64_t width, size_t steps, uint64_t *random)
{
	const int64_t start = first + (int64_t)gemp_random_below(random, width);
	int64_t at = start;
	for (size_t i = 0; i < steps; i++) {
		const int64_t to = i + 1 == steps ? start : first + (int64_t)gemp_random_below(random, width);
		face_edges_add(edges, at, to);
		at = to;
	}
}

static face_edges merged(const face_edges *lists, size_t count)
{
	face_edges all = { 0 };
	for (size_t l = 0; l < count; l++)
		for (size_t i = 0; i < lists[l].count; i++)
			face_edges_add(&all, lists[l].source[i], lists[l].target[i]);
	return all;
}

static gemp_code walk(gemp_columns **columns, gemp_graph *graph, const gemp_edge_selection *edges, bool path,
                      gemp_euler_outcome *outcome)
{
	gemp_euler_settings settings;
	gemp_euler_settings_init(&settings);
	settings.path = path;
	return gemp_graph_euler(columns, graph, edges, &settings, outcome, NULL);
}

static void check(gemp_graph *graph, const face_edges *lists, size_t list_count, bool undirected, bool may_be_path)
{
	gemp_columns *columns;
	gemp_euler_outcome outcome;
	gemp_edge_selection selection;
	const char *types[2] = { lists[0].type, lists[list_count - 1].type };
	face_edges all = merged(lists, list_count);
	const expected e = expect(&all, undirected);
	const bool circuit = e.unbalanced == 0 && e.components <= 1, found = circuit || (may_be_path && e.path);
	gemp_edge_selection_init(&selection);
	selection.edge_types = types;
	selection.edge_type_count = list_count;
	assert_all_ok(walk(&columns, graph, list_count == 2 ? NULL : &selection, may_be_path, &outcome));
	assert_all(outcome.kind == (circuit ? GEMP_EULER_CIRCUIT : found ? GEMP_EULER_PATH : GEMP_EULER_NONE));
	assert_all(outcome.components == e.components && outcome.unbalanced == e.unbalanced && outcome.has_path == e.path);
	assert_all(outcome.edges == (found ? all.count : 0) && (columns != NULL) == found);
	if (found) {
		size_t count;
		step *steps = gather_steps(columns, &count);
		assert_all(is_walk(steps, count, lists, list_count, circuit, undirected));
		free(steps);
	}
	gemp_columns_close(columns);
	face_edges_free(&all);
}

/* Two closed walks, which may have vertices in common, and up to three extra edges. One extra edge turns a circuit into
 * a path. */
static void directed_edges(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	for (int round = 0; round < 12; round++) {
		face_edges lists[2] = { { .type = "A" }, { .type = "B" } };
		add_walk(&lists[0], 0, VERTICES / 2, 2 + 20 * (size_t)round, &random);
		add_walk(&lists[1], round % 3 == 2 ? VERTICES / 2 : 0, VERTICES / 2, 60, &random);
		for (int i = 0; i < round % 4; i++)
			face_edges_add(&lists[1], i * i, 2 * i * i + 1);
		gemp_graph *graph = face_graph(VERTICES, "N", lists, 2);
		for (int path = 0; path < 2; path++) {
			check(graph, lists, 2, false, path);
			check(graph, lists, 1, false, path);
			check(graph, lists + 1, 1, false, path);
		}
		gemp_graph_close(graph);
		face_edges_free(&lists[0]);
		face_edges_free(&lists[1]);
	}
}

/* There are so many edges that a single rank opens its device. The tuning key euler.host_below decides whether the
 * device is used. */
static void many_edges(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	gemp_columns *columns;
	gemp_euler_outcome outcome;
	face_edges list = { .type = "A" };
	size_t count, edges = 20000;
	add_walk(&list, 0, VERTICES, edges, &random);
	gemp_graph *graph = face_graph(VERTICES, "N", &list, 1);
	assert_all_ok(walk(&columns, graph, NULL, false, &outcome));
	assert_all(outcome.kind == GEMP_EULER_CIRCUIT && outcome.edges == edges);
	step *steps = gather_steps(columns, &count);
	assert_all(count == edges && is_walk(steps, count, &list, 1, true, false));
	free(steps);
	gemp_columns_close(columns);
	gemp_graph_close(graph);
	face_edges_free(&list);
}

/* The graph is imported from a file, because only an import makes undirected edges. */
static void undirected_edges(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	const char *path = test_path_all("undirected.tsv");
	for (int round = 0; round < 6; round++) {
		face_edges list = { .type = "E" };
		add_walk(&list, 0, VERTICES, 5 + 10 * (size_t)round, &random);
		for (int i = 0; i < round % 3; i++)
			face_edges_add(&list, i, i + 7);
		if (test_comm.rank == 0) {
			FILE *file = fopen(path, "w");
			fprintf(file, "src\tdst\n");
			for (size_t i = 0; i < list.count; i++)
				fprintf(file, "%lld\t%lld\n", (long long)list.source[i], (long long)list.target[i]);
			fclose(file);
		}
		GEMP_MPI(MPI_Barrier(test_comm.world));
		gemp_import_settings settings;
		gemp_graph *graph;
		gemp_import_settings_init(&settings);
		settings.edge_files = &path;
		settings.edge_file_count = 1;
		settings.undirected = true;
		assert_all_ok(gemp_graph_import(&graph, api, &settings));
		check(graph, &list, 1, true, false);
		check(graph, &list, 1, true, true);
		gemp_graph_close(graph);
		face_edges_free(&list);
	}
}

static void special_graphs(void **state)
{
	(void)state;
	gemp_columns *columns;
	gemp_euler_outcome outcome;
	gemp_edge_selection selection;
	static const char *const none[] = { "C" };
	face_edges list = { .type = "A" };
	face_edges_add(&list, 0, 1);
	gemp_graph *graph = face_graph(VERTICES, "N", &list, 1);
	gemp_edge_selection_init(&selection);
	selection.edge_types = none;
	selection.edge_type_count = 1;
	assert_all_fails(walk(&columns, graph, &selection, false, &outcome), GEMP_EUSAGE,
	                 "relation C: graph in memory has no edges of this type; `gemp-mpi info` lists its types");
	assert_all(columns == NULL);
	gemp_graph_close(graph);
	graph = face_graph(VERTICES, "N", &list, 0); /* without edges the circuit is empty */
	assert_all_ok(walk(&columns, graph, NULL, false, &outcome));
	assert_all(outcome.kind == GEMP_EULER_CIRCUIT && outcome.edges == 0 && outcome.components == 0);
	assert_all(gemp_columns_rows(columns) == 0 && gemp_columns_count(columns) == 5);
	gemp_columns_close(columns);
	gemp_graph_close(graph);
	face_edges_free(&list);
}

/* MEMORY */

static gemp_code walk_once(void *graph)
{
	gemp_columns *columns;
	gemp_euler_outcome outcome;
	gemp_code code = walk(&columns, graph, NULL, true, &outcome);
	gemp_columns_close(columns);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	face_edges list = { .type = "A" };
	for (int64_t v = 0; v < 4; v++)
		face_edges_add(&list, v, v + 1);
	gemp_graph *graph = face_graph(5, "N", &list, 1);
	assert_all_ok(walk_once(graph)); /* the first run loads parts of the graph, which stay */
	if (test_comm.size <= 3)         /* hundreds of runs would take minutes with eight ranks on two cores */
		assert_all_survive_no_memory(walk_once, graph);
	gemp_graph_close(graph);
	face_edges_free(&list);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_api),         cmocka_unit_test(directed_edges), cmocka_unit_test(many_edges),
		cmocka_unit_test(undirected_edges), cmocka_unit_test(special_graphs), cmocka_unit_test(memory_may_run_out),
		cmocka_unit_test(close_api),
	};
	return test_main_all(argc, argv, tests);
}
