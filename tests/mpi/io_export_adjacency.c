/* Tests the export of graphs as adjacency text. The text must give the same graph when it is imported, for any number
 * of ranks and any number of edges in a round. Lines of small graphs are compared with the lines that they must have,
 * and keys that the text cannot hold are errors. */
#include "harness/limits.h"
#include "import_case.h"

#include "core/status.h"
#include "graph/graph.h"
#include "io/export/export.h"

static gemp_shard *import_edges(const char *path, bool undirected)
{
	gemp_shard *graph = NULL;
	assert_all_ok(gemp_import(
		&graph, &test_comm,
		&(gemp_import_options){ .seed = 1, .edge_files = &path, .edge_file_count = 1, .undirected = undirected }));
	return graph;
}

/* Imports a graph from tables of vertices and edges; either may be NULL. */
static gemp_shard *import_tables(const char *vertices, const char *edges, bool undirected)
{
	gemp_shard *graph = NULL;
	const char *paths[2] = { vertices ? write_text_file("v.csv", vertices) : NULL,
		                     edges ? write_text_file("e.csv", edges) : NULL };
	assert_all_ok(gemp_import(&graph, &test_comm,
	                          &(gemp_import_options){ .seed = 1,
	                                                  .vertex_files = &paths[0],
	                                                  .vertex_file_count = vertices != NULL,
	                                                  .edge_files = &paths[1],
	                                                  .edge_file_count = edges != NULL,
	                                                  .undirected = undirected }));
	return graph;
}

static gemp_code export_graph(gemp_shard *graph, const char *type, gemp_export_files *files)
{
	gemp_export_options options = { .format = GEMP_EXPORT_AUTO, .path = test_path_all("x.adj"), .type = type };
	assert_all_ok(gemp_export_choose(&options.format, options.path));
	assert_all(options.format == GEMP_EXPORT_ADJACENCY);
	return gemp_export(&test_comm, graph, &options, files);
}

/* Checks that the exported graph is imported unchanged; frees the graph. */
static void check_round_trip(gemp_shard *graph, bool undirected)
{
	gemp_export_files files;
	assert_all_ok(export_graph(graph, NULL, &files));
	assert_all(files.vertices == NULL);
	gemp_shard *again = import_edges(files.edges, undirected);
	assert_all(again->hash == graph->hash && again->vertex_count == graph->vertex_count);
	gemp_shard_free(again);
	gemp_shard_free(graph);
	gemp_export_files_free(&files);
}

static void round_trips(void **state)
{
	(void)state;
	static const size_t chunks[] = { 1, 2, 1 << 16 };
	const size_t blocks = gemp_memory_blocks();
	for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
		TEST_LIMIT(export_chunk, chunks[i]);
		check_round_trip(
			import_tables("id\n1\n2\n3\n5\n9\n-4\n", "src,dst\n1,2\n1,2\n1,1\n3,1\n5,3\n5,1\n5,2\n5,5\n", false),
			false);
		check_round_trip(import_tables("id\nx\ny z\na b\nc#d\n-\n>\n7\n007\n",
		                               "src,dst\na b,c#d\na b,x\nx,a b\nx,-\n-,>\n>,7\n>,007\n", false),
		                 false);
		check_round_trip(import_tables(NULL, "src,dst\n1,2\n2,3\n3,3\n3,1\n", true), true);
		check_round_trip(import_tables("id\nx\n", NULL, false), false);
	}
	TEST_LIMIT_DEFAULT(export_chunk);
	assert_all(gemp_memory_blocks() == blocks);
}

/* Rank 0 checks that each of these lines is in the file once, and no other line. */
static void check_lines(const char *path, const char *const *lines, size_t count)
{
	bool right = true;
	if (test_comm.rank == 0) {
		char line[256];
		size_t seen = 0;
		FILE *file = fopen(path, "r");
		while (file && fgets(line, sizeof line, file)) {
			size_t at = 0;
			line[strcspn(line, "\n")] = 0;
			while (at < count && strcmp(line, lines[at]) != 0)
				at++;
			right = right && at < count;
			seen++;
		}
		right = right && file && seen == count;
		if (file)
			fclose(file);
	}
	assert_all(right);
}

static void the_text_lists_neighbours(void **state)
{
	(void)state;
	gemp_export_files files;
	static const char *const all[] = { "dora", "cy", "ann -> bob, bob, bob", "bob -> ann" };
	static const char *const knows[] = { "dora", "cy", "bob", "ann -> bob, bob" };
	gemp_shard *graph = import_tables("id\ndora\ncy\nann\nbob\n", "src,dst\nann,bob\nbob,ann\nann,bob\nann,bob\n",
	                                  false);
	assert_all_ok(export_graph(graph, NULL, &files));
	check_lines(files.edges, all, sizeof all / sizeof *all);
	gemp_export_files_free(&files);
	gemp_shard_free(graph);
	graph = import_tables("id\ndora\ncy\nann\nbob\n",
	                      "src,dst,type\nann,bob,KNOWS\nbob,cy,LIKES\nann,bob,KNOWS\nann,cy,LIKES\n", false);
	assert_all_ok(export_graph(graph, "KNOWS", &files));
	check_lines(files.edges, knows, sizeof knows / sizeof *knows);
	gemp_export_files_free(&files);
	gemp_shard_free(graph);
}

static void unsuitable_keys_are_rejected(void **state)
{
	(void)state;
	static const struct {
		const char *vertices, *edges, *part;
	} bad[] = {
		{ "id:string\n7\n8\n", NULL, "look like integers" },
		{ NULL, "src:string,dst:string\n1,2\n", "look like integers" },
		{ "id\n\"a,b\"\n", NULL, "vertex a,b: the key" },
		{ NULL, "src,dst\na,b\nc->d,c->d\n", "edge c->d -[:" },
		{ NULL, "src,dst\na,\"b,c\"\n\"b,c\",a\n", "a comma" },
		{ "id\n#x\n", NULL, "begins with #" },
		{ "id\n\xef\xbb\xbfx\n", NULL, "a byte order mark" },
		{ "id\n\" x\"\n", NULL, "blanks" },
		{ "id\n\"x\ny\"\n", NULL, "a line end" },
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		gemp_shard *graph = import_tables(bad[i].vertices, bad[i].edges, false);
		assert_all_code(export_graph(graph, NULL, NULL), GEMP_EDATA);
		if (!strstr(gemp_message(), bad[i].part))
			fprintf(stderr, "no '%s' in: %s\n", bad[i].part, gemp_message());
		assert_all(strstr(gemp_message(), bad[i].part) != NULL);
		gemp_shard_free(graph);
	}
}

static gemp_code export_once(void *graph)
{
	return export_graph(graph, NULL, NULL);
}

static void memory_may_run_out(void **state)
{
	(void)state;
	gemp_shard *graph = import_tables("id\nx\na\nb\nc\n", "src,dst\na,b\nb,a\na,c\n", false);
	if (test_comm.size <= 3)
		assert_all_survive_no_memory(export_once, graph);
	gemp_shard_free(graph);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trips),
		cmocka_unit_test(the_text_lists_neighbours),
		cmocka_unit_test(unsuitable_keys_are_rejected),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
