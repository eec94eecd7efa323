/* Tests the builder against a naive reference of one process, and against itself on one rank. */
#include "comm/comm.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/status.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "mpi/graph_fixture.h"
#include "partition/build/builder.h"
#include "partition/build/builder_state.h"
#include "partition/build/rows_by_target.h"

/* A key as bytes, encoded here independently of the library. An integer is its kind and 8 bytes with the sign bit
 * inverted, most significant byte first. A string is its kind and its bytes. */
typedef struct reference_key {
	unsigned char bytes[FIXTURE_TEXT + 1];
	size_t size;
	uint64_t hash;
	size_t vertex;
} reference_key;

static void encode(const gemp_value *key, reference_key *out)
{
	out->bytes[0] = key->type == GEMP_INTEGER ? 1 : 2;
	if (key->type == GEMP_INTEGER) {
		uint64_t number = (uint64_t)key->integer ^ UINT64_C(0x8000000000000000);
		for (int i = 0; i < 8; i++)
			out->bytes[1 + i] = (unsigned char)(number >> (56 - 8 * i));
		out->size = 9;
	} else {
		memcpy(out->bytes + 1, key->string.bytes, key->string.size);
		out->size = 1 + key->string.size;
	}
}

static int by_key(const void *a, const void *b)
{
	const reference_key *left = a, *right = b;
	size_t common = left->size < right->size ? left->size : right->size;
	int order = memcmp(left->bytes, right->bytes, common);
	return order ? order : (left->size > right->size) - (left->size < right->size);
}

static int by_hash(const void *a, const void *b)
{
	const reference_key *left = a, *right = b;
	if (left->hash != right->hash)
		return left->hash < right->hash ? -1 : 1;
	return by_key(a, b);
}

/* The numbers that the builder must give to the vertices of a fixture. */
typedef struct reference {
	const fixture *made;
	size_t *vertex_of; /* [vertices] fixture index of each id */
	size_t *id_of;     /* [vertices] id of each fixture index */
	size_t *rank_of;   /* [vertices] key rank of each fixture index */
} reference;

static reference reference_new(const fixture *made, uint64_t seed)
{
	size_t count = made->vertex_count;
	reference made_of = { made, calloc(count + 1, sizeof(size_t)), calloc(count + 1, sizeof(size_t)),
		                  calloc(count + 1, sizeof(size_t)) };
	reference_key *keys = calloc(count + 1, sizeof *keys);
	for (size_t v = 0; v < count; v++) {
		encode(&made->vertices[v].key, &keys[v]);
		keys[v].hash = gemp_hash(keys[v].bytes, keys[v].size, seed);
		keys[v].vertex = v;
	}
	qsort(keys, count, sizeof *keys, by_key);
	for (size_t i = 0; i < count; i++)
		made_of.rank_of[keys[i].vertex] = i;
	qsort(keys, count, sizeof *keys, by_hash);
	for (size_t i = 0; i < count; i++) {
		made_of.vertex_of[i] = keys[i].vertex;
		made_of.id_of[keys[i].vertex] = i;
	}
	free(keys);
	return made_of;
}

static void reference_free(reference *of)
{
	free(of->vertex_of);
	free(of->id_of);
	free(of->rank_of);
}

/* Is the set of labels the set in the text? */
static bool same_labels(const gemp_shard *graph, uint32_t set, const char *text)
{
	size_t expected = 0;
	char copy[64], *rest = NULL;
	snprintf(copy, sizeof copy, "%s", text);
	for (char *name = strtok_r(copy, ";", &rest); name; name = strtok_r(NULL, ";", &rest), expected++) {
		bool found = false;
		for (size_t l = 0; l < graph->label_sets[set].count; l++)
			found |= strcmp(graph->labels[graph->label_sets[set].labels[l]], name) == 0;
		if (!found)
			return false;
	}
	return expected == graph->label_sets[set].count;
}

static bool key_is_right(const gemp_shard *graph, size_t row, const gemp_value *expected)
{
	gemp_value key = gemp_column_get(&graph->keys, row);
	if (key.type == expected->type)
		return same_value(key, *expected);
	char text[32];
	snprintf(text, sizeof text, "%lld", (long long)expected->integer);
	return key.type == GEMP_STRING && same_value(key, fixture_string(text));
}

static bool vertices_are_right(const gemp_shard *graph, const reference *of)
{
	bool right = graph->vertex_count == of->made->vertex_count;
	for (size_t row = 0; right && row < graph->rows; row++) {
		size_t index = of->vertex_of[graph->first_vertex + row];
		const fixture_vertex *vertex = &of->made->vertices[index];
		right = key_is_right(graph, row, &vertex->key) && graph->key_ranks[row] == of->rank_of[index] &&
		        same_labels(graph, graph->label_set_of[row], vertex->labels);
		for (size_t c = 0; right && c < FIXTURE_COLUMNS; c++)
			right = same_value(gemp_column_get(&graph->attributes.columns[c], row), vertex->values[c]);
	}
	return right;
}

static const reference *sorting;

static int by_value(const gemp_value *a, const gemp_value *b)
{
	bool comparable;
	if (a->null || b->null)
		return (int)b->null - (int)a->null;
	return gemp_value_compare(a, b, &comparable);
}

static int by_ends(const void *a_, const void *b_)
{
	const fixture_edge *a = *(fixture_edge *const *)a_, *b = *(fixture_edge *const *)b_;
	size_t left[2] = { sorting->id_of[a->source], sorting->id_of[a->target] };
	size_t right[2] = { sorting->id_of[b->source], sorting->id_of[b->target] };
	for (int i = 0; i < 2; i++)
		if (left[i] != right[i])
			return left[i] < right[i] ? -1 : 1;
	int order = by_value(&a->values[0], &b->values[0]);
	return order ? order : by_value(&a->values[1], &b->values[1]);
}

/* Compares this rank's edges of the relation and their columns with the sorted list; *right becomes false if they
 * differ. Returns the number of edges that the relation must have. */
static size_t relation_is_right(const gemp_shard *graph, const gemp_relation *relation, const reference *of,
                                bool *right)
{
	fixture_edge **edges = calloc(of->made->edge_count + 1, sizeof *edges);
	size_t count = 0;
	for (size_t e = 0; e < of->made->edge_count; e++)
		if (strcmp(of->made->edges[e].type, relation->name) == 0)
			edges[count++] = &of->made->edges[e];
	sorting = of;
	qsort(edges, count, sizeof *edges, by_ends);
	size_t own = 0, in = 0;
	bool multigraph = false;
	for (size_t e = 0; e < count; e++) {
		size_t source = of->id_of[edges[e]->source], target = of->id_of[edges[e]->target];
		multigraph |= e && source == of->id_of[edges[e - 1]->source] && target == of->id_of[edges[e - 1]->target];
		if (target >= graph->first_vertex && target < graph->first_vertex + graph->rows) {
			bool found = false;
			uint64_t end = relation->in_offsets[target - graph->first_vertex + 1];
			for (uint64_t i = relation->in_offsets[target - graph->first_vertex]; i < end; i++)
				found |= relation->in_sources[i] == source && relation->in_edges[i] == e;
			*right = *right && found;
			in++;
		}
		if (source < graph->first_vertex || source >= graph->first_vertex + graph->rows)
			continue;
		*right = *right && e == relation->first_edge + own && relation->out_targets[own] == target &&
		         own >= relation->out_offsets[source - graph->first_vertex] &&
		         own < relation->out_offsets[source - graph->first_vertex + 1];
		for (size_t c = 0; *right && c < FIXTURE_PROPS; c++) {
			const gemp_column *column = gemp_table_find(&relation->props, fixture_prop[c]);
			*right = column ? same_value(gemp_column_get(column, own), edges[e]->values[c]) : edges[e]->values[c].null;
		}
		own++;
	}
	*right = *right && relation->edge_count == count && relation->out_offsets[graph->rows] == own &&
	         relation->in_offsets[graph->rows] == in && relation->multigraph == multigraph;
	free(edges);
	return count;
}

static bool edges_are_right(const gemp_shard *graph, const reference *of)
{
	bool right = true;
	size_t edges = 0;
	for (size_t r = 0; right && r < graph->relation_count; r++) {
		edges += relation_is_right(graph, &graph->relations[r], of, &right);
		right = right && (r == 0 || strcmp(graph->relations[r - 1].name, graph->relations[r].name) < 0);
	}
	return right && edges == of->made->edge_count;
}

static void test_against_reference(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	gemp_comm self;
	gemp_comm_new(&self, MPI_COMM_SELF);
	static const size_t sizes[][2] = { { 0, 0 }, { 1, 0 }, { 1, 3 }, { 2, 40 }, { 40, 60 }, { 300, 900 } };
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (fixture_keys keys = KEYS_INTEGER; keys <= KEYS_MIXED; keys++) {
			fixture made = fixture_new(sizes[i][0], sizes[i][1], keys, seed + i);
			gemp_builder_options options = { .seed = seed % 5, .batch = i % 2 ? 100 : 0 };
			reference of = reference_new(&made, options.seed);
			gemp_shard *graph, *again, *alone;
			assert_all_ok(fixture_build(&graph, &made, &test_comm, &options, seed + 1));
			assert_all_ok(fixture_build(&again, &made, &test_comm, &options, seed + 2));
			assert_all_ok(fixture_build(&alone, &made, &self, &options, seed + 3));
			assert_all(vertices_are_right(graph, &of));
			assert_all(edges_are_right(graph, &of));
			assert_all(same_graph(graph, alone));
			assert_all(same_graph(again, alone));
			gemp_shard_free(graph);
			gemp_shard_free(again);
			gemp_shard_free(alone);
			reference_free(&of);
			fixture_free(&made);
		}
	assert_all(gemp_memory_blocks() == 0);
	gemp_comm_free(&self);
}

static gemp_code build_small(void *argument)
{
	gemp_shard *graph;
	gemp_builder_options options = { .seed = 1, .undirected = true, .merge_parallel = true };
	gemp_code code = fixture_build(&graph, argument, &test_comm, &options, 7);
	gemp_shard_free(graph);
	return code;
}

static void test_without_memory(void **state)
{
	(void)state;
	fixture made = fixture_new(9, 14, KEYS_MIXED, 11);
	if (test_comm.size <= 3)
		assert_all_survive_no_memory(build_small, &made);
	else
		assert_all_ok(build_small(&made));
	fixture_free(&made);
}

static gemp_code build_faulty(const fixture *made, uint64_t limit)
{
	gemp_shard *graph = NULL;
	gemp_builder_options options = { .seed = 1, .vertex_limit = limit };
	gemp_code code = fixture_build(&graph, made, &test_comm, &options, 3);
	assert_null(graph);
	return code;
}

static void test_duplicate(void **state)
{
	(void)state;
	fixture made = fixture_new(30, 10, KEYS_INTEGER, 5);
	made.vertices[20].key = made.vertices[4].key;
	made.vertices[25].key = made.vertices[6].key;
	assert_all_code(build_faulty(&made, 0), GEMP_EDATA);
	assert_message("vertices.tsv:22: vertex '3995012' was already given at vertices.tsv:6");
	assert_message("(and 1 more like this)");
	fixture_free(&made);
}

static void test_unknown_end(void **state)
{
	(void)state;
	fixture made = fixture_new(30, 10, KEYS_STRING, 5);
	made.edges[3].target = 29;
	made.edges[3].source = 2;
	for (int e = 0; e < 3; e++)
		made.edges[e].source = made.edges[e].target = 1;
	made.vertex_count = 29;
	assert_all_code(build_faulty(&made, 0), GEMP_EDATA);
	assert_message("edges.tsv:5: the edge's target 'a rather long common prefix of 29' is not among the vertices");
	fixture_free(&made);
}

static void test_limit(void **state)
{
	(void)state;
	fixture made = fixture_new(30, 10, KEYS_STRING, 5);
	assert_all_code(build_faulty(&made, 29), GEMP_EDATA);
	assert_message("30 vertices");
	assert_message("at most 29");
	fixture_free(&made);
}

/* Builds a graph from a few edges, which the ranks add in turn; no vertices are added. */
static gemp_shard *from_edges(const gemp_builder_options *options, const char *const (*edges)[2], size_t count)
{
	gemp_builder *builder;
	gemp_shard *graph;
	assert_all_ok(gemp_builder_new(&builder, &test_comm, options));
	gemp_code code = GEMP_OK;
	for (size_t e = 0; e < count && code == GEMP_OK; e++) {
		gemp_value source = fixture_string(edges[e][0]), target = fixture_string(edges[e][1]);
		if ((int)e % test_comm.size == test_comm.rank)
			code = gemp_builder_edge(builder, &source, &target, "", 0, (gemp_place){ 0, e });
	}
	assert_all_ok(code);
	assert_all_ok(gemp_builder_finish(builder, &graph));
	gemp_builder_free(builder);
	return graph;
}

static void test_vertices_from_edges(void **state)
{
	(void)state;
	static const char *const edges[][2] = { { "a", "b" }, { "b", "c" }, { "c", "a" },
		                                    { "b", "a" }, { "a", "b" }, { "c", "c" } };
	gemp_builder_options options = {
		.seed = 1, .vertices_from_edges = true, .default_label = "Node", .undirected = true
	};
	gemp_shard *graph = from_edges(&options, edges, 6);
	assert_all(graph->vertex_count == 3 && graph->label_count == 1 && strcmp(graph->labels[0], "Node") == 0);
	assert_all(graph->relation_count == 1 && strcmp(graph->relations[0].name, "E") == 0);
	assert_all(graph->relations[0].edge_count == 6 && graph->relations[0].multigraph && !graph->relations[0].directed);
	gemp_shard_free(graph);
	options.merge_parallel = true;
	graph = from_edges(&options, edges, 6);
	assert_all(graph->relations[0].edge_count == 4 && !graph->relations[0].multigraph);
	gemp_shard_free(graph);
	options.undirected = false;
	graph = from_edges(&options, edges, 6);
	assert_all(graph->relations[0].edge_count == 5 && !graph->relations[0].multigraph);
	gemp_shard_free(graph);
}

/* Reciprocal edges between two vertices are counted as one pair, however many there are. Loops are not counted. */
static void test_reciprocal(void **state)
{
	(void)state;
	static const char *const edges[][2] = { { "a", "b" }, { "b", "a" }, { "a", "b" }, { "b", "a" },
		                                    { "c", "a" }, { "c", "c" }, { "c", "d" }, { "d", "c" } };
	gemp_builder_options options = { .seed = 1, .vertices_from_edges = true };
	gemp_shard *graph = from_edges(&options, edges, 8);
	const gemp_relation *relation = &graph->relations[0];
	uint8_t marked[8] = { 0 };
	uint64_t pairs = gemp_rows_by_target_reciprocal(graph, relation, marked), marks = 0;
	for (uint64_t e = 0; e < relation->out_offsets[graph->rows]; e++)
		marks += marked[e];
	assert_all(gemp_comm_sum1(&test_comm, pairs) == 2);
	assert_all(gemp_comm_sum1(&test_comm, marks) == 3);
	gemp_shard_free(graph);
}

/* A repeated label counts once, and an empty label is ignored. */
static void test_label_text(void **state)
{
	(void)state;
	gemp_builder *builder;
	gemp_shard *graph;
	static const char *const texts[] = { "B;A;;B", "A;B", ";", "" };
	assert_all_ok(gemp_builder_new(&builder, &test_comm, &(gemp_builder_options){ .seed = 1 }));
	gemp_code code = GEMP_OK;
	for (int i = 0; i < 4 && code == GEMP_OK; i++) {
		gemp_value key = { .type = GEMP_INTEGER, .integer = i };
		if (i % test_comm.size == test_comm.rank)
			code = gemp_builder_vertex(builder, &key, texts[i], strlen(texts[i]), (gemp_place){ 0, 1 });
	}
	assert_all_ok(code);
	assert_all_ok(gemp_builder_finish(builder, &graph));
	assert_all(graph->label_count == 2 && graph->label_set_count == 2);
	assert_all(graph->label_sets[0].count == 0 && graph->label_sets[0].vertex_count == 2);
	assert_all(graph->label_sets[1].count == 2 && graph->label_sets[1].vertex_count == 2);
	gemp_shard_free(graph);
	gemp_builder_free(builder);
}

static void test_integer_as_string(void **state)
{
	(void)state;
	gemp_builder *builder;
	gemp_shard *graph;
	assert_all_ok(gemp_builder_new(&builder, &test_comm, &(gemp_builder_options){ .seed = 1 }));
	gemp_value seven = { .type = GEMP_INTEGER, .integer = 7 }, text = fixture_string("7"),
			   other = fixture_string("007");
	gemp_code code = GEMP_OK;
	if (test_comm.rank == 0)
		code = gemp_builder_vertex(builder, &text, "", 0, (gemp_place){ 0, 1 });
	if (code == GEMP_OK && test_comm.rank == test_comm.size - 1)
		code = gemp_builder_vertex(builder, &other, "", 0, (gemp_place){ 0, 2 });
	if (code == GEMP_OK && test_comm.rank == 0)
		code = gemp_builder_edge(builder, &seven, &other, "", 0, (gemp_place){ 0, 3 });
	if (code == GEMP_OK && test_comm.rank == 0) /* the part's ends are coded now */
		code = gemp_builder_integer_edges(builder, (const int64_t[]){ 7, 7, 7, 7 }, 2, "E", 1, (gemp_place){ 0, 4 },
		                                  true);
	assert_all_ok(code);
	assert_all_ok(gemp_builder_finish(builder, &graph));
	assert_all(graph->vertex_count == 2 && graph->relations[0].edge_count == 3 && graph->keys.type == GEMP_STRING);
	gemp_shard_free(graph);
	gemp_builder_free(builder);
}

int main(int argc, char **argv)
{
	gemp_log_set_level(GEMP_QUIET); /* hides warnings about reciprocal edges */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_reference),   cmocka_unit_test(test_duplicate),
		cmocka_unit_test(test_unknown_end),         cmocka_unit_test(test_limit),
		cmocka_unit_test(test_vertices_from_edges), cmocka_unit_test(test_integer_as_string),
		cmocka_unit_test(test_reciprocal),          cmocka_unit_test(test_label_text),
		cmocka_unit_test(test_without_memory),
	};
	return test_main_all(argc, argv, tests);
}
