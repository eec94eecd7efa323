/* Imports the real graphs in GEMP_SHARED and compares their sizes with the documented ones. Skipped if the files are
 * missing. */
#include "core/memory.h"
#include "harness/collective.h"

#include "graph/column.h"
#include "graph/graph.h"
#include "io/import/import.h"

#include <stdio.h>
#include <string.h>

/* A graph and its documented sizes. */
typedef struct real_graph {
	const char *name;
	uint64_t vertices, edges;
	bool undirected;
	const char *columns; /* attributes of vertices, each with the first letter of its type */
	const char *relation;
	uint64_t relation_edges;
} real_graph;

static const real_graph graphs[] = {
	{ "movies", 64943, 197508, false, "name:s year:i wikipedia_page:s extract_length:i ", "ACTS_IN", 133280 },
	{ "movies-ttc", 49930, 60626, false, "name:s year:i rating:f movie_type:s ", "ACTS_IN", 60626 },
	{ "wordnet", 266389, 492326, false, "pos:s lexfile:s lemma:s gloss:s ", "SENSE_OF", 206978 },
	{ "railway/size1", 1310, 2381, false, "length:i position:s signal:s ", "connectsTo", 1054 },
	{ "lsqb/example", 28, 72, false, NULL, NULL, 0 },
	{ "packages", 144089, 645533, false, NULL, "DEPENDS", 281474 },
	{ "graphs/wiki-vote", 7115, 100762, true, "orig_id:i ", "VOTE", 100762 },
	{ "translations", 1226317, 2403565, true, "lang:s word:s ", "TRANSLATES", 2403565 },
};

static const char *file_of(const real_graph *real, const char *which)
{
	char name[128];
	snprintf(name, sizeof name, "data/%s/%s.tsv.zst", real->name, which);
	return test_shared(name);
}

static void check_real_graph(const real_graph *real)
{
	const char *vertices = file_of(real, "vertices"), *edges = file_of(real, "edges");
	gemp_shard *graph = NULL;
	char columns[256] = "";
	assert_all(vertices && edges);
	gemp_import_options options = { .vertex_files = &vertices,
		                            .vertex_file_count = 1,
		                            .edge_files = &edges,
		                            .edge_file_count = 1,
		                            .undirected = real->undirected,
		                            .seed = 1 };
	assert_all_ok(gemp_import(&graph, &test_comm, &options));
	assert_all(graph->vertex_count == real->vertices);
	assert_all(gemp_shard_edges(graph) == real->edges);
	for (size_t i = 0; i < graph->attributes.count; i++) {
		const gemp_column *column = &graph->attributes.columns[i];
		snprintf(columns + strlen(columns), sizeof columns - strlen(columns), "%s:%c ", column->name,
		         gemp_type_name[column->type][0]);
	}
	if (real->columns && strcmp(columns, real->columns) != 0)
		fprintf(stderr, "%s: %s\n", real->name, columns);
	assert_all(!real->columns || strcmp(columns, real->columns) == 0);
	const gemp_relation *relation = real->relation ? gemp_shard_relation(graph, real->relation) : NULL;
	assert_all(!real->relation || relation);
	assert_all(!real->relation_edges || relation->edge_count == real->relation_edges);
	gemp_shard_free(graph);
	assert_all(gemp_memory_blocks() == 0);
}

static void real_graphs(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++)
		check_real_graph(&graphs[i]);
}

int main(int argc, char **argv)
{
	if (!file_of(&graphs[0], "vertices"))
		return TEST_SKIPPED;
	const struct CMUnitTest tests[] = { cmocka_unit_test(real_graphs) };
	return test_main_all(argc, argv, tests);
}
