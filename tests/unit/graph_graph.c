/* Tests the shard: owners of vertices, and arrays that are loaded on demand. */
#include "graph/graph.h"
#include "core/memory.h"
#include "core/status.h"
#include "graph/column.h"
#include "harness/harness.h"

#include <string.h>

/* Each vertex has the right owner, also if some ranks have no vertices. */
static void test_owner(void **state)
{
	(void)state;
	static const uint64_t uneven[] = { 0, 0, 3, 3, 3, 10, 10 };
	gemp_shard graph = { .ranks = 6, .vertex_count = 10, .bounds = (uint64_t *)uneven };
	for (uint64_t id = 0; id < 10; id++) {
		int owner = gemp_shard_owner(&graph, id);
		assert_in_range(owner, 0, 5);
		assert_true(uneven[owner] <= id && id < uneven[owner + 1]);
	}
}

/* The random partition has the bounds r n / R, and the owner follows from the vertex by a formula. */
static void test_owner_by_formula(void **state)
{
	(void)state;
	for (uint64_t vertices = 1; vertices < 40; vertices++)
		for (uint64_t ranks = 1; ranks < 12; ranks++) {
			uint64_t bounds[13];
			for (uint64_t r = 0; r <= ranks; r++)
				bounds[r] = r * vertices / ranks;
			gemp_shard graph = { .ranks = (int)ranks, .vertex_count = vertices, .bounds = bounds };
			for (uint64_t id = 0; id < vertices; id++)
				assert_int_equal(gemp_shard_owner(&graph, id), ((id + 1) * ranks - 1) / vertices);
		}
}

typedef struct counted {
	int keys, labels, attributes, relations, freed;
	unsigned parts;
} counted;

static gemp_code load_keys(void *self, gemp_shard *graph)
{
	((counted *)self)->keys++;
	gemp_code code = GEMP_NEW(graph->key_ranks, 1);
	return code == GEMP_OK ? gemp_column_reserve(&graph->keys, 0, 0) : code;
}

static gemp_code load_labels(void *self, gemp_shard *graph)
{
	((counted *)self)->labels++;
	return GEMP_NEW(graph->label_set_of, 1);
}

static gemp_code load_attribute(void *self, gemp_shard *graph, size_t column)
{
	((counted *)self)->attributes++;
	return gemp_column_reserve(&graph->attributes.columns[column], 0, 0);
}

static gemp_code load_relation(void *self, gemp_shard *graph, size_t relation, unsigned parts)
{
	((counted *)self)->relations++;
	((counted *)self)->parts = parts;
	graph->relations[relation].loaded |= parts;
	return GEMP_OK;
}

static void note_free(void *self)
{
	((counted *)self)->freed++;
}

static gemp_shard *new_graph(void)
{
	gemp_shard *graph;
	assert_ok(GEMP_NEW(graph, 1));
	assert_ok(GEMP_NEW(graph->relations, 2));
	graph->relation_count = 2;
	for (size_t r = 0; r < 2; r++) {
		graph->relations[r].name = gemp_strdup(r ? "B" : "A");
		graph->relations[r].edge_count = 10 + r;
	}
	assert_ok(gemp_table_add(&graph->attributes, "age", GEMP_INTEGER, NULL));
	return graph;
}

/* Each array is loaded once, and only missing arrays of a relation are requested. */
static void test_loads_what_is_missing(void **state)
{
	(void)state;
	counted seen = { 0 };
	gemp_shard *graph = new_graph();
	graph->loader = (gemp_shard_loader){ &seen,         load_keys, load_labels, load_attribute,
		                                 load_relation, NULL,      note_free,   NULL };
	assert_ok(gemp_shard_load_relation(graph, 1, GEMP_LOAD_OUT));
	assert_ok(gemp_shard_load_relation(graph, 1, GEMP_LOAD_OUT | GEMP_LOAD_PROPS));
	assert_int_equal(seen.parts, GEMP_LOAD_PROPS);
	assert_int_equal(seen.relations, 2);
	assert_int_equal(seen.keys + seen.labels + seen.attributes, 0);
	for (int again = 0; again < 2; again++)
		assert_ok(gemp_shard_load_all(graph));
	assert_int_equal(seen.keys, 1);
	assert_int_equal(seen.labels, 1);
	assert_int_equal(seen.attributes, 1);
	assert_int_equal(seen.relations, 4);
	assert_int_equal(gemp_shard_edges(graph), 21);
	assert_ptr_equal(gemp_shard_relation(graph, "B"), &graph->relations[1]);
	assert_null(gemp_shard_relation(graph, "C"));
	gemp_shard_free(graph);
	assert_int_equal(seen.freed, 1);
	gemp_shard_free(NULL);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void test_without_source(void **state)
{
	(void)state;
	gemp_shard *graph = new_graph();
	assert_code(gemp_shard_load_keys(graph), GEMP_EINTERNAL);
	assert_code(gemp_shard_load_labels(graph), GEMP_EINTERNAL);
	assert_code(gemp_shard_load_attribute(graph, 0), GEMP_EINTERNAL);
	assert_message("age");
	assert_code(gemp_shard_load_relation(graph, 0, GEMP_LOAD_IN), GEMP_EINTERNAL);
	assert_ok(gemp_shard_load_relation(graph, 0, 0));
	gemp_shard_free(graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_owner),
		cmocka_unit_test(test_owner_by_formula),
		cmocka_unit_test(test_loads_what_is_missing),
		cmocka_unit_test(test_without_source),
	};
	return test_main(tests);
}
