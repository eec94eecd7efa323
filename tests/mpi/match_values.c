/* Tests values of vertices and edges that are requested from their owners, against a random graph that every rank knows
 * (made_graph.h). */
#include "made_graph.h"

#include "core/status.h"
#include "core/types.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "match/filter/element_values.h"

static void random_ids(gemp_vertex *ids, size_t count, uint64_t seed, uint32_t below)
{
	for (size_t i = 0; i < count; i++)
		ids[i] = (gemp_vertex)gemp_random_below(&seed, below);
}

static void values_of_vertices(void **state)
{
	(void)state;
	static const int column[] = { MADE_SIZE,      GEMP_FETCH_KEY_RANK,  MADE_NAME,
		                          GEMP_FETCH_KEY, GEMP_FETCH_LABEL_SET, MADE_GOOD };
	enum { COLUMNS = sizeof column / sizeof *column };
	uint64_t seed = test_seed_all();
	made_graph *made = made_graph_new(seed);
	for (size_t most = 0; most < 400; most = 3 * most + 1) {
		gemp_vertex ids[400], *found;
		size_t count = test_comm.rank == 1 ? 0 : most, found_count;
		gemp_column out[COLUMNS];
		random_ids(ids, count, seed + (uint64_t)test_comm.rank, MADE_VERTICES);
		assert_all_ok(
			gemp_fetch_values(&made->context, &made->graph, ids, count, column, COLUMNS, &found, &found_count, out));
		bool right = found_count <= count && (found_count > 0) == (count > 0);
		for (size_t i = 1; i < found_count; i++)
			right &= found[i - 1] < found[i];
		for (size_t i = 0; i < count; i++) {
			size_t at = gemp_fetch_index(found, found_count, ids[i]);
			right &= at < found_count && found[at] == ids[i];
		}
		for (size_t i = 0; i < found_count; i++)
			for (size_t c = 0; c < COLUMNS; c++) {
				char room[64];
				gemp_value expected = { .type = GEMP_INTEGER };
				if (column[c] >= 0)
					expected = made_value(made, column[c], found[i], room);
				else
					expected.integer = column[c] == GEMP_FETCH_KEY        ? made_key(made, found[i])
					                   : column[c] == GEMP_FETCH_KEY_RANK ? made->key_rank[found[i]]
					                                                      : made_label_set(made, found[i]);
				right &= out[c].rows == found_count && made_same(gemp_column_get(&out[c], i), expected);
			}
		assert_all(right);
		gemp_free(found);
		for (size_t c = 0; c < COLUMNS; c++)
			gemp_column_free(&out[c]);
	}
	made_graph_free(made);
}

static void ids_are_sorted(void **state)
{
	(void)state;
	enum { MAX_IDS = 100000 };
	uint64_t seed = test_seed_all();
	gemp_vertex *ids;
	assert_all_ok(GEMP_NEW(ids, MAX_IDS));
	for (size_t n = 0; n <= MAX_IDS; n = n < 130 ? n + 1 : n * 9) {
		size_t count = n;
		random_ids(ids, n, seed + n, n % 2 ? 50 : UINT32_MAX);
		if (n > 2)
			ids[1] = UINT32_MAX - 1;
		assert_all_ok(gemp_sort_distinct(ids, &count));
		bool right = count <= n && (n == 0 || count > 0) && (n % 2 == 0 || count <= 51);
		for (size_t i = 1; i < count; i++)
			right &= ids[i - 1] < ids[i];
		assert_all(right);
	}
	gemp_free(ids);
}

static bool right_edge(const made_graph *made, const gemp_edge_values *values, size_t i)
{
	int k = (int)(values->edges[i] / MADE_EDGES), j = (int)(values->edges[i] % MADE_EDGES);
	const made_edge *edge = &made->edges[k][j];
	const gemp_edge_ends *ends = &values->ends[i];
	uint32_t parallel = 0;
	while (j > 0 && edge[-1 - (int)parallel].source == edge->source && edge[-1 - (int)parallel].target == edge->target)
		if (++parallel == (uint32_t)j)
			break;
	gemp_value weight = { .type = GEMP_INTEGER, .null = k == 1 || edge->weight % 2, .integer = edge->weight };
	char text[32];
	gemp_value cost = { .type = GEMP_STRING, .null = k == 0 || edge->weight % 2, .string = { .bytes = text } };
	cost.string.size = (size_t)snprintf(text, sizeof text, "c%d", (int)edge->weight);
	return ends->relation == (uint32_t)k && ends->source == edge->source && ends->target == edge->target &&
	       ends->parallel == parallel && made_same(gemp_column_get(&values->columns[0], i), cost) &&
	       made_same(gemp_column_get(&values->columns[1], i), weight) && gemp_column_get(&values->columns[2], i).null;
}

static void values_of_edges(void **state)
{
	(void)state;
	static const char *const names[] = { "cost", "weight", "nothing" };
	uint64_t seed = test_seed_all();
	made_graph *made = made_graph_new(seed);
	for (size_t count = 0; count < 3000; count = 4 * count + 1) {
		gemp_edge edges[3000];
		gemp_edge_values values;
		uint64_t random = seed + (uint64_t)test_comm.rank;
		size_t mine = test_comm.rank == 2 ? 0 : count;
		for (size_t i = 0; i < mine; i++)
			edges[i] = gemp_random_below(&random, MADE_RELATIONS * MADE_EDGES);
		assert_all_ok(gemp_fetch_edges(&values, &made->context, &made->graph, edges, mine, names, 3));
		bool right = values.column_count == 3;
		for (size_t i = 0; i < mine; i++)
			right &= values.edges[gemp_edge_values_index(&values, edges[i])] == edges[i];
		for (size_t i = 0; i < values.count; i++)
			right &= right_edge(made, &values, i) && (i == 0 || values.edges[i - 1] < values.edges[i]);
		assert_all(right);
		gemp_edge_values_free(&values);
	}
	made_graph_free(made);
}

static void types_of_edge_attributes(void **state)
{
	(void)state;
	made_graph *made = made_graph_new(1);
	gemp_column *column;
	assert_all(gemp_shard_edge_attribute_type(&made->graph, "weight") == GEMP_INTEGER);
	assert_all_ok(gemp_table_add(&made->graph.relations[1].props, "weight", GEMP_FLOAT, &column));
	assert_all(gemp_shard_edge_attribute_type(&made->graph, "weight") == GEMP_FLOAT);
	column->type = GEMP_BOOLEAN;
	assert_all(gemp_shard_edge_attribute_type(&made->graph, "weight") == GEMP_STRING);
	assert_all(gemp_shard_edge_attribute_type(&made->graph, "nothing") == GEMP_STRING);
	made_graph_free(made);
}

static gemp_code fetch_all(void *argument)
{
	made_graph *made = argument;
	static const int column[] = { MADE_NAME, GEMP_FETCH_KEY, GEMP_FETCH_LABEL_SET };
	gemp_vertex ids[200], *found;
	size_t found_count;
	gemp_column out[3];
	random_ids(ids, 200, 7, MADE_VERTICES);
	gemp_code code = gemp_fetch_values(&made->context, &made->graph, ids, 200, column, 3, &found, &found_count, out);
	if (code != GEMP_OK)
		return code;
	gemp_free(found);
	for (int c = 0; c < 3; c++)
		gemp_column_free(&out[c]);
	return GEMP_OK;
}

static gemp_code fetch_all_edges(void *argument)
{
	made_graph *made = argument;
	static const char *const names[] = { "cost", "weight" };
	gemp_edge edges[] = { 0, 3, MADE_EDGES, 2 * MADE_EDGES - 1 };
	gemp_edge_values values;
	gemp_code code = gemp_fetch_edges(&values, &made->context, &made->graph, edges, 4, names, 2);
	if (code == GEMP_OK)
		gemp_edge_values_free(&values);
	return code;
}

/* A column from which no value is requested is not loaded. Here loading it would fail. */
static void unused_columns_are_not_loaded(void **state)
{
	(void)state;
	made_graph *made = made_graph_new(3);
	gemp_column *ages = &made->graph.attributes.columns[MADE_AGE], kept = *ages, out[2];
	static const int column[] = { MADE_AGE, GEMP_FETCH_KEY };
	gemp_vertex id = 5, *found;
	size_t found_count, last = test_comm.rank == test_comm.size - 1;
	*ages = (gemp_column){ .name = kept.name, .type = kept.type };
	assert_all_ok(gemp_fetch_values(&made->context, &made->graph, &id, 0, column, 2, &found, &found_count, out));
	assert_all(found_count == 0 && out[0].rows == 0 && out[0].type == GEMP_INTEGER && out[1].rows == 0);
	gemp_free(found);
	gemp_column_free(&out[0]);
	gemp_column_free(&out[1]);
	assert_all_code(gemp_fetch_values(&made->context, &made->graph, &id, last, column, 2, &found, &found_count, out),
	                GEMP_EINTERNAL);
	*ages = kept;
	made_graph_free(made);
	assert_all(gemp_memory_blocks() == 0);
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 4)
		return; /* lets each request for memory fail, which is slow and tests nothing new on more ranks */
	made_graph *made = made_graph_new(5);
	assert_all_survive_no_memory(fetch_all, made);
	assert_all_survive_no_memory(fetch_all_edges, made);
	made_graph_free(made);
	assert_all(gemp_memory_blocks() == 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_of_vertices),
		cmocka_unit_test(ids_are_sorted),
		cmocka_unit_test(values_of_edges),
		cmocka_unit_test(types_of_edge_attributes),
		cmocka_unit_test(unused_columns_are_not_loaded),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
