/* Tests the subgraph of all matches. All elements of a graph give the graph itself; some elements give these elements
 * and the ends of their edges. A limit applies to the rows of all ranks together. */
#include "harness/collective.h"

#include "comm/comm.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/status.h"
#include "core/types.h"
#include "generate/generate.h"
#include "graph/batch.h"
#include "graph/graph.h"
#include "io/graph_file/graph_file_read.h"
#include "io/graph_file/graph_file_write.h"
#include "partition/derived/subgraph.h"
#include "partition/runtime.h"
#include "query/output/subgraph_sink.h"

#include <stdlib.h>
#include <unistd.h>

static gemp_shard *movie_graph(void)
{
	gemp_shard *graph;
	gemp_generate_options options;
	assert_all_ok(gemp_generate_init(&options, "movies"));
	assert_all_ok(gemp_generate_set(&options, "films", "60"));
	assert_all_ok(gemp_generate_set(&options, "people", "90"));
	assert_all_ok(gemp_generate(&graph, &test_comm, &options));
	return graph;
}

/* Does rank r request element i? */
static bool requests(uint64_t seed, int r, uint64_t i, uint64_t one_in)
{
	return gemp_mix(seed ^ gemp_mix(i * 64 + (uint64_t)r)) % one_in == 0;
}

static bool any_requests(uint64_t seed, uint64_t i, uint64_t one_in)
{
	bool any = false;
	for (int r = 0; r < test_comm.size; r++)
		any |= requests(seed, r, i, one_in);
	return any;
}

/* Collective. Returns the two ends of each edge, by edge number; the caller frees them. */
static gemp_vertex *all_ends(gemp_shard *graph)
{
	gemp_vertex *ends = calloc(2 * gemp_shard_edges(graph), sizeof *ends);
	uint64_t number = 0;
	for (size_t r = 0; r < graph->relation_count; r++) {
		const gemp_relation *relation = &graph->relations[r];
		for (size_t v = 0; v < graph->rows; v++)
			for (uint64_t e = relation->out_offsets[v]; e < relation->out_offsets[v + 1]; e++) {
				ends[2 * (number + relation->first_edge + e)] = (gemp_vertex)(graph->first_vertex + v);
				ends[2 * (number + relation->first_edge + e) + 1] = relation->out_targets[e];
			}
		number += relation->edge_count;
	}
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, ends, (int)(2 * number), MPI_UINT32_T, MPI_MAX, test_comm.world));
	return ends;
}

static void check_some(gemp_shard *graph, const gemp_vertex *ends, uint64_t seed, uint64_t one_in)
{
	gemp_subgraph wanted;
	gemp_shard *some = NULL;
	uint64_t vertices = 0, edges = 0, all = gemp_shard_edges(graph);
	bool *expected = calloc(graph->vertex_count, sizeof *expected);
	assert_all_ok(gemp_subgraph_new(&wanted, graph));
	for (uint64_t v = 0; v < graph->vertex_count; v++) {
		expected[v] = any_requests(seed, v, one_in);
		if (requests(seed, test_comm.rank, v, one_in))
			assert_ok(gemp_page_bits_add(&wanted.vertices, v));
	}
	for (uint64_t e = 0; e < all; e++) {
		if (requests(~seed, test_comm.rank, e, one_in))
			assert_ok(gemp_page_bits_add(&wanted.edges, e));
		if (!any_requests(~seed, e, one_in))
			continue;
		edges++;
		expected[ends[2 * e]] = expected[ends[2 * e + 1]] = true;
	}
	for (uint64_t v = 0; v < graph->vertex_count; v++)
		vertices += expected[v];
	assert_all_ok(gemp_subgraph_make(&some, &test_comm, graph, &wanted));
	assert_all(some->vertex_count == vertices);
	assert_all(gemp_shard_edges(some) == edges);
	assert_all(some->hash == graph->hash || vertices < graph->vertex_count || edges < all);
	gemp_shard_free(some);
	gemp_subgraph_free(&wanted);
	free(expected);
}

static void random_subgraphs(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	gemp_shard *graph = movie_graph();
	gemp_vertex *ends = all_ends(graph);
	check_some(graph, ends, seed, 1); /* everything */
	check_some(graph, ends, seed, 3);
	check_some(graph, ends, seed, 40);
	check_some(graph, ends, seed, UINT64_MAX); /* nothing */
	free(ends);
	gemp_shard_free(graph);
	assert_all(gemp_memory_blocks() == 0);
}

/* Each rank passes `rows` edges, one in each row. The second vertex and the second edge of a row are missing, as after
 * OPTIONAL MATCH. */
static void pass_edges(gemp_sink *sink, size_t rows)
{
	gemp_edge edges[2];
	gemp_vertex vertices[2] = { 0, GEMP_NO_VERTEX };
	for (size_t row = 0; row < rows; row++) {
		edges[0] = (gemp_edge)((size_t)test_comm.rank * rows + row);
		edges[1] = GEMP_NO_EDGE;
		const gemp_batch batch = {
			.rows = 1, .vertex_count = 2, .edge_count = 2, .vertices = vertices, .edges = edges
		};
		assert_ok(sink->consume(sink->self, &batch));
	}
}

static void limited_rows(void **state)
{
	(void)state;
	gemp_shard *graph = movie_graph(), *again;
	gemp_runtime context = { .comm = &test_comm };
	gemp_sink sink;
	bool enough = false, more = false;
	uint64_t vertices, edges;
	const char *path = test_path_all("part.h5");
	const gemp_provenance provenance = { .command = "test", .version = "1" };
	gemp_subgraph_sink_options options = { .path = path, .provenance = &provenance, .limit = 5 };
	assert_all_ok(gemp_subgraph_sink_new(&sink, &context, graph, &options));
	pass_edges(&sink, 3);
	assert_all_ok(sink.end_round(sink.self, false, &enough, &more));
	assert_all(enough == (test_comm.size > 1));
	pass_edges(&sink, 3);
	assert_all_ok(sink.end_round(sink.self, true, &enough, &more));
	gemp_subgraph_sink_size(&sink, &vertices, &edges);
	assert_all(edges == (test_comm.size > 1 ? 5 : 3));
	sink.free(sink.self);
	assert_all_ok(gemp_graph_file_open(&again, &test_comm, path, false));
	assert_all(again->vertex_count == vertices && gemp_shard_edges(again) == edges);
	gemp_shard_free(again);
	gemp_shard_free(graph);
	assert_all(gemp_memory_blocks() == 0);
}

static void every_output_format(void **state)
{
	(void)state;
	static const char *const names[] = { "a.dot", "a.graphml", "a.jsonl", "a.mtx", "a.h5" };
	gemp_shard *graph = movie_graph();
	gemp_runtime context = { .comm = &test_comm };
	const gemp_provenance provenance = { .command = "test", .version = "1" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		gemp_sink sink;
		bool enough = false, more = false;
		const char *path = test_path_all(names[i]);
		gemp_subgraph_sink_options options = { .path = path, .provenance = &provenance, .limit = UINT64_MAX };
		assert_all_ok(gemp_subgraph_sink_new(&sink, &context, graph, &options));
		pass_edges(&sink, 4);
		assert_all(access(path, F_OK) != 0);
		assert_all_ok(sink.end_round(sink.self, true, &enough, &more));
		assert_all(access(path, F_OK) == 0);
		sink.free(sink.self);
	}
	gemp_sink sink;
	gemp_subgraph_sink_options options = { .path = "x.png", .limit = UINT64_MAX };
	assert_all_code(gemp_subgraph_sink_new(&sink, &context, graph, &options), GEMP_EUSAGE);
	options.path = "/no/such/folder/x.dot";
	assert_all_code(gemp_subgraph_sink_new(&sink, &context, graph, &options), GEMP_EIO);
	gemp_shard_free(graph);
	assert_all(gemp_memory_blocks() == 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_subgraphs),
		cmocka_unit_test(limited_rows),
		cmocka_unit_test(every_output_format),
	};
	return test_main_all(argc, argv, tests);
}
