/* What tests of graph files share: files as bytes, and the round trip of a graph through a file. */
#ifndef GEMP_TESTS_GRAPH_FILE_CASE_H
#define GEMP_TESTS_GRAPH_FILE_CASE_H

#include "comm/comm.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/status.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "harness/limits.h"
#include "io/graph_file/graph_file_read.h"
#include "io/graph_file/graph_file_verify.h"
#include "io/graph_file/graph_file_write.h"
#include "mpi/graph_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gemp_comm self; /* of this rank alone; set by main */

static inline char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	if (!file)
		return NULL;
	fseek(file, 0, SEEK_END);
	*size = (size_t)ftell(file);
	rewind(file);
	char *bytes = malloc(*size + 1);
	bool whole = fread(bytes, 1, *size, file) == *size;
	fclose(file);
	return whole ? bytes : NULL;
}

static inline void write_file(const char *path, const char *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

/* Flips one bit of the byte at an offset of a file. */
static inline void flip(const char *path, uint64_t at)
{
	FILE *file = fopen(path, "r+b");
	assert_non_null(file);
	fseek(file, (long)at, SEEK_SET);
	int byte = fgetc(file);
	fseek(file, (long)at, SEEK_SET);
	fputc(byte ^ 4, file);
	fclose(file);
}

/* Compares the bytes of two files. Called by rank 0 only. */
static inline bool same_bytes(const char *a, const char *b)
{
	size_t sizes[2] = { 0, 0 };
	char *bytes[2] = { read_file(a, &sizes[0]), read_file(b, &sizes[1]) };
	bool same = bytes[0] && bytes[1] && sizes[0] == sizes[1] && memcmp(bytes[0], bytes[1], sizes[0]) == 0;
	free(bytes[0]);
	free(bytes[1]);
	return same;
}

static const gemp_provenance provenance = { .command = "test",
	                                        .version = "0",
	                                        .input_count = 2,
	                                        .inputs = (const char *const[]){ "a.tsv", "b.tsv" },
	                                        .input_hashes = (const uint64_t[]){ 1, 2 } };

/* Every second order makes the merged rows of symmetric relations alone. */
static inline gemp_shard *build(const fixture *made, const gemp_comm *comm, uint64_t order, bool undirected)
{
	gemp_shard *graph = NULL;
	gemp_builder_options options = { .seed = 9, .undirected = undirected, .merged_rows = order % 2 };
	test_assert_code(fixture_build(&graph, made, comm, &options, order), GEMP_OK, "build", __FILE__, __LINE__);
	return graph;
}

/* The merged rows of each vertex are its sources but itself, and its targets, sorted. `graph` has one rank's part. */
static inline bool merged_rows_are_right(const gemp_shard *graph, const gemp_relation *relation)
{
	bool right = relation->either_offsets[0] == 0;
	for (size_t v = 0; v < graph->rows && right; v++) {
		gemp_vertex self = (gemp_vertex)(graph->first_vertex + v);
		uint64_t from = relation->either_offsets[v], count = relation->either_offsets[v + 1] - from, found = 0;
		for (uint64_t e = from; e < from + count; e++) {
			gemp_vertex other = relation->either_neighbours[e];
			right &= e == from || other >= relation->either_neighbours[e - 1];
			if (e > from && other == relation->either_neighbours[e - 1])
				continue;
			uint64_t copies = 0, named = 0;
			for (uint64_t i = from; i < from + count; i++)
				copies += relation->either_neighbours[i] == other;
			for (uint64_t i = relation->out_offsets[v]; i < relation->out_offsets[v + 1]; i++)
				named += relation->out_targets[i] == other;
			for (uint64_t i = relation->in_offsets[v]; i < relation->in_offsets[v + 1] && other != self; i++)
				named += relation->in_sources[i] == other;
			right &= copies == named;
			found += copies;
		}
		right &= found == count;
		uint64_t loops = 0;
		for (uint64_t i = relation->in_offsets[v]; i < relation->in_offsets[v + 1]; i++)
			loops += relation->in_sources[i] == self;
		right &= count + loops == relation->out_offsets[v + 1] - relation->out_offsets[v] +
		                              relation->in_offsets[v + 1] - relation->in_offsets[v];
	}
	return right;
}

/* Merged rows are loaded alone, after the rows by source, or with everything. */
static inline void check_merged_rows(const char *path, unsigned first)
{
	gemp_shard *graph = NULL;
	assert_all_ok(gemp_graph_file_open(&graph, &test_comm, path, false));
	for (size_t r = 0; r < graph->relation_count; r++) {
		gemp_relation *relation = &graph->relations[r];
		assert_all_ok(gemp_shard_load_relation(graph, r, first));
		assert_all_ok(gemp_shard_load_relation(graph, r, GEMP_LOAD_EITHER));
		assert_all(relation->loaded == (first | GEMP_LOAD_EITHER));
		assert_all(!relation->out_targets == !(first & GEMP_LOAD_OUT) && !relation->in_edges);
		assert_all_ok(gemp_shard_load_relation(graph, r, GEMP_LOAD_ALL));
		assert_all(merged_rows_are_right(graph, relation));
	}
	gemp_shard_free(graph);
}

static inline void round_trip(const fixture *made, uint64_t order, bool undirected)
{
	char path[256], alone[256];
	snprintf(path, sizeof path, "%s", test_path_all("together.h5"));
	snprintf(alone, sizeof alone, "%s", test_path_all("alone.h5"));
	gemp_shard *graph = build(made, &test_comm, order, undirected), *whole = build(made, &self, order + 1, undirected);
	assert_all_ok(gemp_graph_file_write(&test_comm, graph, path, &provenance));
	assert_all_ok(test_comm.rank == 0 ? gemp_graph_file_write(&self, whole, alone, &provenance) : GEMP_OK);
	assert_all(test_comm.rank != 0 || same_bytes(path, alone));
	gemp_shard_free(graph);
	assert_all_ok(gemp_graph_file_open(&graph, &test_comm, path, false));
	assert_all(graph->first_vertex == graph->vertex_count * (uint64_t)test_comm.rank / (uint64_t)test_comm.size);
	assert_all(!gemp_column_loaded(&graph->keys) && !graph->label_set_of);
	for (size_t r = 0; r < graph->relation_count; r++)
		assert_all(graph->relations[r].loaded == 0 && !graph->relations[r].out_targets);
	for (size_t c = graph->attributes.count; c-- > 0;)
		assert_all_ok(gemp_shard_load_attribute(graph, c));
	for (size_t r = 0; r < graph->relation_count; r++) {
		assert_all_ok(gemp_shard_load_relation(graph, r, r % 2 ? GEMP_LOAD_PROPS : GEMP_LOAD_IN));
		assert_all(graph->relations[r].loaded == (r % 2 ? GEMP_LOAD_PROPS : GEMP_LOAD_IN));
	}
	assert_all_ok(gemp_shard_load_all(graph));
	assert_ok(gemp_shard_load_all(whole));
	assert_all(same_graph(graph, whole));
	assert_all_ok(gemp_graph_file_write(&test_comm, graph, path, &provenance));
	assert_all(test_comm.rank != 0 || same_bytes(path, alone));
	assert_all_ok(gemp_graph_file_verify(&test_comm, path, false));
	gemp_shard_free(graph);
	for (size_t r = 0; r < whole->relation_count && test_comm.rank == 0;
	     r++) { /* `whole` has a communicator of one rank */
		assert_ok(gemp_shard_load_relation(whole, r, GEMP_LOAD_EITHER));
		assert_true(merged_rows_are_right(whole, &whole->relations[r]));
	}
	gemp_shard_free(whole);
	check_merged_rows(path, 0);
	check_merged_rows(path, order % 2 ? GEMP_LOAD_OUT : GEMP_LOAD_IN);
}

#endif
