/* Tests the drawing of a graph with a spanning forest: the same text for any number of ranks, and the same code on all
 * ranks if memory runs out. tests/cli/components.py checks the content. */
#include "import_case.h"

#include "graph/graph.h"
#include "io/picture/graph_drawing.h"

static gemp_shard *graph_of_edges(const char *edges)
{
	gemp_shard *graph = NULL;
	const char *path = write_text_file("e.csv", edges);
	assert_all_ok(gemp_import(&graph, &test_comm,
	                          &(gemp_import_options){ .seed = 1, .edge_files = &path, .edge_file_count = 1 }));
	return graph;
}

/* Collective. Draws a path of three vertices and an edge outside the forest. Each edge comes from another rank, if
 * there are several. */
static gemp_code draw_path(void *graph)
{
	static const gemp_forest_edge edges[] = { { 0, 1, 1, 1 }, { 1, 2, 1, 0 }, { 2, 0, 0, 1 } };
	gemp_forest_edge own[3];
	size_t count = 0;
	for (int e = 0; e < 3; e++)
		if (e * test_comm.size / 3 == test_comm.rank)
			own[count++] = edges[e];
	return gemp_forest_drawing_write(&test_comm, graph, own, count, test_path_all("g.dot"));
}

static void the_text_does_not_depend_on_ranks(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"tooltip=\"in 1, out 1\", fillcolor=\"",
		"tooltip=\"in 2, out 1\", fillcolor=\"#59acff;0.5:#ffd2a5\"];",
		"tooltip=\"in 1, out 2\", fillcolor=\"#a5d2ff;0.5:#ffac59\"];",
		"\tv0 -> v1 [color=red, penwidth=2.5];\n\tv1 -> v2 [color=red, penwidth=2.5, dir=none];\n"
		"\tv2 -> v0 [color=\"#999999\"];\n}\n",
	};
	gemp_shard *graph = graph_of_edges("src,dst\na,b\nb,c\nc,a\n");
	const char *path = test_path_all("g.dot");
	bool right = true;
	assert_all_ok(draw_path(graph));
	if (test_comm.rank == 0) {
		char text[2000] = "";
		FILE *file = fopen(path, "r");
		right = file && fread(text, 1, sizeof text - 1, file) > 0;
		for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
			if (!strstr(text, lines[i])) {
				fprintf(stderr, "no '%s' in:\n%s", lines[i], text);
				right = false;
			}
		if (file)
			fclose(file);
	}
	assert_all(right);
	gemp_shard_free(graph);
}

static void large_graphs_are_rejected(void **state)
{
	(void)state;
	assert_all_ok(gemp_drawing_check("x.dot", GEMP_DRAWING_MAX, GEMP_DRAWING_MAX));
	assert_all_code(gemp_drawing_check("x.dot", GEMP_DRAWING_MAX + 1, 0), GEMP_EDATA);
	assert_all_code(gemp_drawing_check("x.dot", 1, GEMP_DRAWING_MAX + 1), GEMP_EDATA);
}

static void memory_may_run_out(void **state)
{
	(void)state;
	gemp_shard *graph = graph_of_edges("src,dst\na,b\nb,c\nc,a\n");
	if (test_comm.size <= 3)
		assert_all_survive_no_memory(draw_path, graph);
	gemp_shard_free(graph);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_text_does_not_depend_on_ranks),
		cmocka_unit_test(large_graphs_are_rejected),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
