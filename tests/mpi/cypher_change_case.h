/* Runs a query that changes a graph, and compares its rows, its counts, and the rows of a second query that reads the
 * new graph. The expected texts are written by hand. */
#ifndef GEMP_TESTS_CYPHER_CHANGE_CASE_H
#define GEMP_TESTS_CYPHER_CHANGE_CASE_H

#include "core/log.h"
#include "core/memory.h"
#include "core/text.h"
#include "cypher/run.h"
#include "harness/collective.h"
#include "partition/build/builder.h"

#include <string.h>

/* Nodes and edges of two graphs: one without any element, and one with fewer vertices than some runs have ranks. */
typedef enum start_graph { EMPTY, SMALL } start_graph;

enum { NODES = 4, EDGES = 4 };
static const int ends[EDGES][2] = { { 0, 1 }, { 1, 2 }, { 0, 1 }, { 2, 2 } };

static gemp_runtime *context;

static inline gemp_value integer(int64_t value)
{
	return (gemp_value){ .type = GEMP_INTEGER, .integer = value };
}

/* Nodes 0 .. 3 with num = 10 + key; even nodes have the label Even. Edges have weights 0 .. 3; their types are R and S
 * in turn. */
static inline gemp_code add_elements(gemp_builder *builder, size_t num, size_t weight)
{
	const size_t rank = (size_t)test_comm.rank, ranks = (size_t)test_comm.size;
	for (size_t i = rank; i < NODES; i += ranks) {
		const gemp_value key = integer((int64_t)i), value = integer(10 + (int64_t)i);
		GEMP_TRY(gemp_builder_vertex(builder, &key, "Even", i % 2 ? 0 : 4, (gemp_place){ 0, i + 1 }));
		GEMP_TRY(gemp_builder_vertex_value(builder, num, &value));
	}
	for (size_t e = rank; e < EDGES; e += ranks) {
		const gemp_value from = integer(ends[e][0]), to = integer(ends[e][1]), value = integer((int64_t)e);
		GEMP_TRY(gemp_builder_edge(builder, &from, &to, e % 2 ? "S" : "R", 1, (gemp_place){ 0, e + 1 }));
		GEMP_TRY(gemp_builder_edge_value(builder, weight, &value));
	}
	return GEMP_OK;
}

static inline gemp_code make_graph(start_graph start, gemp_shard **out)
{
	GEMP_OWNED_BY(gemp_builder_free_at) gemp_builder *builder = NULL;
	const gemp_builder_options options = { .seed = 7 };
	size_t num, weight;
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_builder_new(&builder, &test_comm, &options));
	if (start == SMALL) {
		GEMP_THEN(gemp_builder_vertex_column(builder, "num", GEMP_INTEGER, &num));
		GEMP_THEN(gemp_builder_edge_column(builder, "weight", GEMP_INTEGER, &weight));
		GEMP_THEN(add_elements(builder, num, weight));
	}
	GEMP_TRY(gemp_comm_agree(&test_comm, code));
	return gemp_builder_finish(builder, out);
}

static inline gemp_code print_result(const gemp_cypher_result *result, gemp_text *out)
{
	const gemp_cypher_table *rows = &result->rows;
	for (size_t r = 0; r < rows->rows; r++)
		for (size_t c = 0; c < rows->width; c++) {
			gemp_text_print(out, "%s", c ? " " : r ? "|" : "");
			GEMP_TRY(
				gemp_datum_json(gemp_cypher_table_row(rows, r)[c], gemp_cypher_search_writer(result->search), out));
		}
	return gemp_text_status(out);
}

static inline gemp_code parse(gemp_cypher_tree *tree, const char *text)
{
	const gemp_source source = { .text = text };
	gemp_code code = gemp_cypher_parse(tree, &source);
	GEMP_THEN(gemp_cypher_check(tree));
	return gemp_comm_agree(&test_comm, code);
}

static inline gemp_code write_in(gemp_runtime *runtime, gemp_shard **graph, const char *text, gemp_text *out)
{
	GEMP_OWNED_BY(gemp_cypher_tree_free) gemp_cypher_tree tree = { 0 };
	GEMP_OWNED_BY(gemp_cypher_result_free) gemp_cypher_result result = { 0 };
	const gemp_prepared_options options = { 0 };
	gemp_cypher_counts n;
	gemp_text_add(out, "", 0);
	GEMP_TRY(parse(&tree, text));
	GEMP_TRY(gemp_cypher_run_writing(&result, runtime, graph, &tree, NULL, &options, NULL, &n));
	gemp_code code = print_result(&result, out);
	gemp_text_print(out, "%s+%d-%d nodes +%d-%d edges %d properties +%d-%d labels", out->size ? " ; " : "",
	                (int)n.nodes_created, (int)n.nodes_deleted, (int)n.relationships_created,
	                (int)n.relationships_deleted, (int)n.properties_set, (int)n.labels_added, (int)n.labels_removed);
	return gemp_comm_agree(&test_comm, code);
}

static inline gemp_code write_graph(gemp_shard **graph, const char *text, gemp_text *out)
{
	return write_in(context, graph, text, out);
}

static inline gemp_code read_graph(gemp_shard *graph, const char *text, gemp_text *out)
{
	GEMP_OWNED_BY(gemp_cypher_tree_free) gemp_cypher_tree tree = { 0 };
	GEMP_OWNED_BY(gemp_cypher_result_free) gemp_cypher_result result = { 0 };
	const gemp_prepared_options options = { 0 };
	gemp_text_add(out, "", 0);
	GEMP_TRY(parse(&tree, text));
	GEMP_TRY(gemp_cypher_run(&result, context, graph, &tree, NULL, &options, NULL));
	return gemp_comm_agree(&test_comm, print_result(&result, out));
}

static inline bool same(int line, const char *text, gemp_code code, const gemp_text *out, const char *expected)
{
	const bool equal = code == GEMP_OK && (test_comm.rank != 0 || strcmp(out->data, expected) == 0);
	if (!equal)
		fprintf(stderr, "line %d: %s\n  gives    %s\n  and not  %s\n", line, text,
		        code == GEMP_OK ? out->data : gemp_message(), expected);
	return equal;
}

/* `result` is the rows and the counts of the query `text`; `rows` are those that `reads` then gives. */
static inline void expect_change(int line, start_graph start, const char *text, const char *result, const char *reads,
                                 const char *rows)
{
	GEMP_OWNED_BY(gemp_shard_free_at) gemp_shard *graph = NULL;
	GEMP_OWNED_BY(gemp_text_free) gemp_text out = { 0 }, read = { 0 };
	assert_all_ok(make_graph(start, &graph));
	gemp_code code = write_graph(&graph, text, &out);
	assert_all(same(line, text, code, &out, result));
	if (!reads)
		return;
	code = read_graph(graph, reads, &read);
	assert_all(same(line, text, code, &read, rows));
}
#define CHANGES(start, text, result, reads, rows) expect_change(__LINE__, start, text, result, reads, rows)

static inline void expect_refusal(int line, start_graph start, const char *text, const char *part)
{
	GEMP_OWNED_BY(gemp_shard_free_at) gemp_shard *graph = NULL;
	GEMP_OWNED_BY(gemp_text_free) gemp_text out = { 0 };
	assert_all_ok(make_graph(start, &graph));
	const gemp_code code = write_graph(&graph, text, &out);
	const bool refused = code == GEMP_EUSAGE && strstr(gemp_message(), part);
	if (!refused)
		fprintf(stderr, "line %d: %s: code %d, %s\n  without '%s'\n", line, text, (int)code, gemp_message(), part);
	assert_all(refused);
}
#define REFUSES(start, text, part) expect_refusal(__LINE__, start, text, part)

static inline int open_context(void **state)
{
	(void)state;
	gemp_budgets none = { 0 };
	gemp_log_set_level(GEMP_QUIET);
	return gemp_runtime_new(&context, &test_comm, NULL, &none) == GEMP_OK ? 0 : -1;
}

static inline int close_context(void **state)
{
	(void)state;
	gemp_runtime_free(context);
	return gemp_memory_blocks() == 0 ? 0 : -1;
}

/* All nodes and relationships, in an order that depends on values alone. */
#define ALL_NODES "MATCH (n) RETURN n, labels(n), properties(n)"
#define ALL_EDGES "MATCH (a)-[r]->(b) RETURN r, properties(r) AS p ORDER BY a, b, type(r), p.weight, p.k"

#endif
