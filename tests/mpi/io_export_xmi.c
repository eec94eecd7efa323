/* Tests the export of graphs as EMF models. An exported model must give the same graph when it is imported, for any
 * number of ranks. Graphs that cannot be models are errors. */
#include "import_case.h"

#include "core/status.h"
#include "graph/graph.h"
#include "io/export/export.h"

static gemp_shard *import_graph(const gemp_import_options *options)
{
	gemp_shard *graph = NULL;
	assert_all_ok(gemp_import(&graph, &test_comm, options));
	return graph;
}

/* Imports a graph from tables of vertices and edges; either may be NULL. */
static gemp_shard *import_tables(const char *vertices, const char *edges)
{
	const char *paths[2] = { vertices ? write_text_file("v.csv", vertices) : NULL,
		                     edges ? write_text_file("e.csv", edges) : NULL };
	return import_graph(&(gemp_import_options){ .seed = 1,
	                                            .vertex_files = &paths[0],
	                                            .vertex_file_count = vertices != NULL,
	                                            .edge_files = &paths[1],
	                                            .edge_file_count = edges != NULL });
}

static gemp_code export_graph(gemp_shard *graph, gemp_export_files *files)
{
	gemp_export_options options = { .format = GEMP_EXPORT_AUTO, .path = test_path_all("x.xmi") };
	assert_all_ok(gemp_export_choose(&options.format, options.path));
	return gemp_export(&test_comm, graph, &options, files);
}

/* Checks that the exported graph is imported unchanged; frees the graph. */
static void check_round_trip(gemp_shard *graph)
{
	gemp_export_files files;
	assert_all_ok(export_graph(graph, &files));
	gemp_import_options options = { .seed = 1, .edge_file_count = 1, .metamodel = files.vertices };
	options.edge_files = (const char *const *)&files.edges;
	gemp_shard *again = import_graph(&options);
	assert_all(again->hash == graph->hash && again->vertex_count == graph->vertex_count);
	gemp_shard_free(again);
	gemp_shard_free(graph);
	gemp_export_files_free(&files);
}

static void round_trips(void **state)
{
	(void)state;
	size_t blocks = gemp_memory_blocks();
	check_round_trip(
		import_tables("id,type,n:int,x:float,b:bool,s:string\n1,,1,0.5,true,a\n2,A,,,,\n3,B;A,-7,inf,false,\"\"\n"
	                  "4,B,,,,\" a\t<&>\"\"\n'\"\n",
	                  "src,dst,type,order:int\n1,2,T,0\n1,2,T,2\n1,1,T,1\n3,1,T,0\n4,3,U,\n4,2,U,\n"));
	check_round_trip(import_tables("id:string\n7\n007\na b\n#\n//@a.0\n/\na:b\nc#d\n",
	                               "src,dst\n7,007\n7,/\n7,//@a.0\n7,a:b\n/,a b\n"
	                               "/,7\n#,#\na:b,c#d\n"));
	check_round_trip(import_tables("id,type\nx,A\n", NULL));
	assert_all(gemp_memory_blocks() == blocks);
}

static void unsuitable_graphs_are_rejected(void **state)
{
	(void)state;
	static const struct {
		const char *vertices, *edges, *part;
	} bad[] = {
		{ NULL, "src,dst,w:int\n1,2,3\n", "attribute 'w'" },
		{ NULL, "src,dst,order:float\n1,2,0.0\n", "attribute 'order'" },
		{ NULL, "src,dst,order:int\n1,2,1\n", "orders 0, 1" },
		{ NULL, "src,dst,order:int\n1,2,0\n1,3,0\n", "orders 0, 1" },
		{ NULL, "src,dst,order:int\n1,2,0\n3,1,\n", "orders 0, 1" },
		{ NULL, "src,dst,type\n1,2,a b\n", "type of edges 'a b'" },
		{ "id,type\n1,2A\n", NULL, "label '2A'" },
		{ "id,type\n1,A_\n", NULL, "label 'A_'" },
		{ "id,type\n1,A_B\n2,A;B\n", NULL, "both 'A_B'" },
		{ "id,a b\n1,1\n", NULL, "attribute 'a b'" },
		{ "id,a\n1,1\n", "src,dst,type\n1,1,a\n", "one feature" },
		{ "id,a\n1,\x01\n", NULL, "control character" },
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		gemp_shard *graph = import_tables(bad[i].vertices, bad[i].edges);
		assert_all_code(export_graph(graph, NULL), GEMP_EDATA);
		if (!strstr(gemp_message(), bad[i].part))
			fprintf(stderr, "no '%s' in: %s\n", bad[i].part, gemp_message());
		assert_all(strstr(gemp_message(), bad[i].part) != NULL);
		gemp_shard_free(graph);
	}
	const char *edges = write_text_file("u.txt", "1 2\n");
	gemp_shard *graph = import_graph(
		&(gemp_import_options){ .seed = 1, .edge_files = &edges, .edge_file_count = 1, .undirected = true });
	assert_all_code(export_graph(graph, NULL), GEMP_EDATA);
	assert_all(strstr(gemp_message(), "undirected") != NULL);
	gemp_shard_free(graph);
}

static gemp_code export_once(void *graph)
{
	return export_graph(graph, NULL);
}

static void memory_may_run_out(void **state)
{
	(void)state;
	gemp_shard *graph = import_tables("id,type,n:int\n1,,1\n2,A,\n", "src,dst,order:int\n1,2,0\n");
	if (test_comm.size <= 3)
		assert_all_survive_no_memory(export_once, graph);
	gemp_shard_free(graph);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trips),
		cmocka_unit_test(unsuitable_graphs_are_rejected),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
