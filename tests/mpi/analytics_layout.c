/* Tests layouts that are cut by target: each arc is stored once, at the owner of its target. Checks the order of
 * vertices, degrees and ghosts, and that values which cannot be weights are rejected. */
#include "analytics/layout/device_layout.h"
#include "analytics/layout/layout.h"
#include "comm/comm.h"
#include "comm/exchange.h"
#include "core/status.h"
#include "core/threads.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "harness/collective.h"
#include "harness/gas_case.h"
#include "harness/limits.h"

static int compare_arcs(const void *a, const void *b)
{
	const gas_arc *x = a, *y = b;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return (x->cost > y->cost) - (x->cost < y->cost);
}

static double weight_of(const gemp_layout *layout, const gemp_layout_rows *rows, uint64_t e)
{
	switch (layout->weights) {
	case GEMP_LAYOUT_U8: return ((const uint8_t *)rows->weight)[e];
	case GEMP_LAYOUT_U16: return ((const uint16_t *)rows->weight)[e];
	case GEMP_LAYOUT_U32: return ((const uint32_t *)rows->weight)[e];
	case GEMP_LAYOUT_U64: return (double)((const uint64_t *)rows->weight)[e];
	case GEMP_LAYOUT_F32: return (double)((const float *)rows->weight)[e];
	case GEMP_LAYOUT_F64: return ((const double *)rows->weight)[e];
	default: return 0;
	}
}

/* Appends the rows of a layout as arcs between vertex numbers of the case. by_source: rows belong to sources, otherwise
 * to targets. Returns false if a row does not ascend or has ends outside of [least, end). */
static bool list_rows(const gas_case *c, const gemp_layout *layout, const gemp_layout_rows *rows, bool by_source,
                      uint32_t least, uint32_t end, gas_arc *arcs, size_t *count)
{
	bool right = rows->begin[0] == 0;
	for (uint32_t row = 0; row < rows->rows; row++)
		for (uint64_t e = rows->begin[row]; e < rows->begin[row + 1]; e++) {
			uint32_t a = c->number[layout->id[row]], other = rows->end[e];
			if (other < least || other >= end || (e > rows->begin[row] && rows->end[e - 1] > other))
				return false;
			uint32_t b = c->number[layout->id[other]];
			arcs[(*count)++] = (gas_arc){ by_source ? a : b, by_source ? b : a, 0, weight_of(layout, rows, e) };
		}
	return right;
}

/* Collective. Are the arcs of all ranks together those of the reference? */
static bool same_arcs(const gas_arc *own, size_t count, const gas_arc *reference, size_t expected)
{
	void *all = NULL;
	size_t *begin = NULL;
	if (gemp_comm_allgather(&test_comm, GEMP_OK, own, count * sizeof *own, &all, &begin) != GEMP_OK)
		return false;
	size_t total = begin[test_comm.size] / sizeof *own;
	gas_arc *arcs = all;
	bool same = total == expected;
	if (total)
		qsort(arcs, total, sizeof *arcs, compare_arcs);
	for (size_t i = 0; same && i < total; i++)
		same = arcs[i].from == reference[i].from && arcs[i].to == reference[i].to && arcs[i].cost == reference[i].cost;
	gemp_free(all);
	gemp_free(begin);
	return same;
}

/* Own vertices must be ordered by degree and key, ghosts by owner and in the order in which the owner sends them. */
static const char *wrong_order(const gas_case *c, const gemp_layout *layout, const uint64_t *degree)
{
	const gemp_layout_links *links = &layout->links;
	for (uint32_t v = 0; v < layout->own; v++) {
		uint32_t n = c->number[layout->id[v]];
		if (layout->local[layout->id[v] - c->graph->first_vertex] != v)
			return "local";
		if (v) {
			uint32_t before = c->number[layout->id[v - 1]];
			if (degree[before] < degree[n] || (degree[before] == degree[n] && before >= n))
				return "order";
		}
	}
	for (uint32_t v = 0; v < layout->known; v++)
		if (layout->key_rank[v] != c->number[layout->id[v]])
			return "key rank";
	if (links->ghost_begin[0] != layout->own || links->ghost_begin[test_comm.size] != layout->known)
		return "ghosts' begin";
	for (int r = 0; r < test_comm.size; r++)
		for (uint32_t g = links->ghost_begin[r]; g < links->ghost_begin[r + 1]; g++)
			if (r == test_comm.rank || gemp_shard_owner(c->graph, layout->id[g]) != r)
				return "owner of a ghost";
	return NULL;
}

/* Collective. Is the list of vertices that each rank sends to another rank equal to the list of ghosts there? */
static bool links_match_ghosts(const gemp_layout *layout)
{
	size_t ranks = (size_t)test_comm.size, sizes[2][64] = { 0 }, capacity = 0;
	const gemp_layout_links *links = &layout->links;
	void *received = NULL;
	uint32_t *ids = gemp_calloc(links->send_begin[ranks], sizeof *ids);
	bool right = true;
	for (uint64_t i = 0; i < links->send_begin[ranks]; i++)
		ids[i] = layout->id[links->send[i]];
	for (size_t r = 0; r < ranks; r++) {
		sizes[0][r] = (links->send_begin[r + 1] - links->send_begin[r]) * sizeof *ids;
		for (uint64_t i = links->send_begin[r] + 1; i < links->send_begin[r + 1]; i++)
			right &= links->send[i - 1] < links->send[i];
	}
	assert_all_ok(gemp_exchange(&test_comm, GEMP_OK, ids, sizes[0], &received, &capacity, sizes[1], NULL));
	for (size_t r = 0; r < ranks; r++)
		right &= sizes[1][r] == (links->ghost_begin[r + 1] - links->ghost_begin[r]) * sizeof *ids;
	right = right && memcmp(received, layout->id + layout->own, (layout->known - layout->own) * sizeof *ids) == 0;
	gemp_free(received);
	gemp_free(ids);
	return right;
}

/* A graph, options of a layout, and the relations that the options choose. */
typedef struct trial {
	gas_case *c;
	gemp_layout_options options;
	bool chosen[GAS_CASE_TYPES];
} trial;

static void random_options(trial *t, uint64_t *random, bool *relations)
{
	static const char *const weights[] = { NULL, "weight", "cost" };
	t->options = (gemp_layout_options){ .direction = (gemp_edge_direction)gemp_random_below(random, 3),
		                                .weight = weights[gemp_random_below(random, 3)],
		                                .wanted = (gemp_layout_weight_kind)gemp_random_below(random, 3),
		                                .parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT | GEMP_LAYOUT_OUT_WEIGHT };
	bool all = gemp_random_below(random, 2);
	for (int k = 0; k < GAS_CASE_TYPES; k++)
		t->chosen[k] = all || gemp_random_below(random, 2);
	gas_case_relations(t->c, t->chosen, relations);
	t->options.relations = all ? NULL : relations;
}

/* Sets the cost of the arc to the weight that the layout must store for it. */
static void set_stored_weight(gas_arc *arc, const gemp_layout_options *options)
{
	double weight = !options->weight ? 0 : options->weight[0] == 'w' ? (double)arc->weight : arc->cost;
	arc->cost = options->wanted == GEMP_LAYOUT_SINGLE ? (double)(float)weight : weight;
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-5 * (1 + fabs(b));
}

/* Collective. Compares the layout with the reference. Returns the name of the first error, or NULL. */
static const char *wrong_layout(const trial *t, const gemp_layout *layout)
{
	const gas_case *c = t->c;
	const char *wrong = NULL;
	size_t count = 0, own = 0;
	gas_arc *arcs = gas_case_arcs(c, t->chosen, t->options.direction, &count), *mine = calloc(count + 1, sizeof *mine);
	uint64_t *degree = calloc(c->n, sizeof *degree), *leaving = calloc(c->n, sizeof *leaving);
	double *sum = calloc(c->n, sizeof *sum);
	for (size_t i = 0; i < count; i++) {
		set_stored_weight(&arcs[i], &t->options);
		degree[arcs[i].from]++;
		degree[arcs[i].to]++;
		leaving[arcs[i].from]++;
		sum[arcs[i].from] += arcs[i].cost;
	}
	if (count)
		qsort(arcs, count, sizeof *arcs, compare_arcs);
	wrong = wrong_order(c, layout, degree);
	for (uint32_t v = 0; v < layout->own && !wrong; v++) {
		uint32_t n = c->number[layout->id[v]];
		if (layout->out_degree[v] != leaving[n])
			wrong = "out degree";
		else if (t->options.weight && !near(layout->out_weight[v], sum[n]))
			wrong = "out weight";
	}
	uint64_t edges = gemp_layout_row_edges(&layout->in) + gemp_layout_row_edges(&layout->in_ghost);
	if (gemp_layout_row_edges(&layout->out) != edges)
		wrong = "edges by source";
	if (layout->edges != count || edges > count)
		wrong = "number of edges";
	if (!wrong && !list_rows(c, layout, &layout->in, false, 0, layout->own, mine, &own))
		wrong = "rows of own sources";
	if (!wrong && !list_rows(c, layout, &layout->in_ghost, false, layout->own, layout->known, mine, &own))
		wrong = "rows of ghosts";
	if (!same_arcs(mine, own, arcs, count) && !wrong)
		wrong = "edges by target";
	own = 0;
	if (!wrong && !list_rows(c, layout, &layout->out, true, 0, layout->own, mine, &own))
		wrong = "rows by source";
	if (!same_arcs(mine, own, arcs, count) && !wrong)
		wrong = "edges by source";
	if (!links_match_ghosts(layout) && !wrong)
		wrong = "links";
	free(arcs);
	free(mine);
	free(degree);
	free(leaving);
	free(sum);
	return wrong;
}

/* Removes the rows by target, and the loader that would make them again. */
static void drop_rows_by_target(gemp_shard *graph)
{
	for (size_t k = 0; k < graph->relation_count; k++) {
		gemp_relation *relation = &graph->relations[k];
		gemp_free(relation->in_offsets);
		gemp_free(relation->in_sources);
		gemp_free(relation->in_edges);
		relation->in_offsets = NULL;
		relation->in_sources = NULL;
		relation->in_edges = NULL;
		relation->loaded &= GEMP_LOAD_OUT | GEMP_LOAD_PROPS;
	}
	if (graph->loader.free)
		graph->loader.free(graph->loader.self);
	graph->loader = (gemp_shard_loader){ 0 };
}

static void random_graphs(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	for (int i = 0; i < 48; i++) {
		uint64_t begun = seed + (uint64_t)i, random = begun;
		gas_case c;
		gemp_layout layout;
		bool relations[GAS_CASE_TYPES];
		assert_all_ok(gas_case_new(&c, &test_comm, i % GAS_SHAPES, begun, i % 5 == 4 ? 20 : 1));
		trial t = { .c = &c };
		random_options(&t, &random, relations);
		if (i % 4 == 1 && begun % 3 != 1 && t.options.direction != GEMP_AGAINST)
			drop_rows_by_target(c.graph); /* this layout must not need the rows by target */
		else
			for (size_t r = 0; r < c.graph->relation_count; r++) /* a loader may have merged rows */
				c.graph->relations[r].merged = gemp_random_below(&random, 2);
		TEST_LIMIT(layout_round, i % 3 ? gemp_limits_default.layout_round : 1 + gemp_random_below(&random, 4000));
		TEST_LIMIT(shared_min, i % 2 ? 1 : gemp_limits_default.shared_min);
		gemp_threads_limit(i % 2 ? 1 : 3);
		assert_all_ok(gemp_layout_new(&layout, &test_comm, c.graph, &t.options));
		const char *wrong = wrong_layout(&t, &layout);
		if (wrong)
			print_error("%s: %s\n", c.name, wrong);
		assert_all(!wrong);
		gemp_layout_free(&layout);
		gas_case_free(&c);
	}
	TEST_LIMIT_DEFAULT(layout_round);
	TEST_LIMIT_DEFAULT(shared_min);
	gemp_threads_limit(0);
	assert_all(gemp_memory_blocks() == 0);
}

/* The check must detect an edge whose end was changed on rank 0. */
static void check_detects_errors(void **state)
{
	(void)state;
	gas_case c;
	gemp_layout layout;
	trial t = { .c = &c, .chosen = { true, true, true }, .options = { .parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT } };
	assert_all_ok(gas_case_new(&c, &test_comm, 1, 4, 20));
	assert_all_ok(gemp_layout_new(&layout, &test_comm, c.graph, &t.options));
	assert_all(!wrong_layout(&t, &layout));
	if (test_comm.rank == 0) {
		uint32_t *end = layout.in.end[0] != layout.in.end[layout.in.begin[layout.own] - 1] ? layout.in.end : NULL;
		if (end)
			end[0] = end[0] ? end[0] - 1 : 1;
	}
	int wrong = wrong_layout(&t, &layout) != NULL;
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, test_comm.world));
	assert_all(wrong);
	gemp_layout_free(&layout);
	gas_case_free(&c);
}

/* A layout has exactly the requested parts. */
static void requested_parts(void **state)
{
	(void)state;
	gas_case c;
	assert_all_ok(gas_case_new(&c, &test_comm, 2, 9, 2));
	for (unsigned part = 0; part < 8; part++) {
		gemp_layout layout;
		gemp_layout_options options = { .parts = part, .weight = "cost", .direction = part % 3 };
		assert_all_ok(gemp_layout_new(&layout, &test_comm, c.graph, &options));
		assert_all(!layout.in.begin == !(part & GEMP_LAYOUT_IN) && !layout.in_ghost.begin == !(part & GEMP_LAYOUT_IN));
		assert_all(!layout.out.begin == !(part & GEMP_LAYOUT_OUT));
		assert_all(!layout.out_weight == !(part & GEMP_LAYOUT_OUT_WEIGHT));
		gemp_layout_free(&layout);
	}
	gas_case_free(&c);
	assert_all(gemp_memory_blocks() == 0);
}

static void empty_graphs(void **state)
{
	(void)state;
	gas_case c = { 0 };
	gemp_layout layout;
	gemp_layout_options options = { .parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT | GEMP_LAYOUT_OUT_WEIGHT,
		                            .weight = "weight" };
	assert_all_ok(gas_case_build(&c, &test_comm, 1));
	assert_all_ok(gemp_layout_new(&layout, &test_comm, c.graph, &options));
	assert_all(layout.vertices == 0 && layout.edges == 0 && layout.own == 0 && layout.known == 0);
	assert_all(layout.in.begin[0] == 0 && layout.in_ghost.begin[0] == 0 && layout.out.begin[0] == 0);
	gemp_layout_free(&layout);
	gas_case_free(&c);
	assert_all(gemp_memory_blocks() == 0);
}

static void types_of_weights(void **state)
{
	(void)state;
	assert_all(!gemp_layout_wide(0) && !gemp_layout_wide(0xffff0000u) && gemp_layout_wide(0xffff0001u) &&
	           gemp_layout_wide(1ull << 40));
	static const int64_t greatest[] = { UINT8_MAX,  UINT8_MAX + 1,           UINT16_MAX, UINT16_MAX + 1,
		                                UINT32_MAX, (int64_t)UINT32_MAX + 1, INT64_MAX };
	static const gemp_layout_weights kept[] = { GEMP_LAYOUT_U8,  GEMP_LAYOUT_U16, GEMP_LAYOUT_U16, GEMP_LAYOUT_U32,
		                                        GEMP_LAYOUT_U32, GEMP_LAYOUT_U64, GEMP_LAYOUT_U64 };
	for (int i = 0; i < 7; i++) {
		gas_case c = { .n = 5 };
		gemp_layout layout;
		uint64_t random = 1;
		gas_case_edge(&c, &random, 0, 1);
		gas_case_edge(&c, &random, 1, 2);
		c.edges[0].type = c.edges[1].type = 0;
		c.edges[1].weight = greatest[i];
		assert_all_ok(gas_case_build(&c, &test_comm, 1));
		gemp_layout_options options = { .parts = GEMP_LAYOUT_IN, .weight = "weight" };
		assert_all_ok(gemp_layout_new(&layout, &test_comm, c.graph, &options));
		assert_all(layout.weights == kept[i]);
		assert_all(layout.max_integer == (uint64_t)greatest[i] && layout.max_weight == (double)greatest[i]);
		assert_all(layout.min_weight == (double)c.edges[0].weight);
		bool there = true; /* stays true on ranks that do not own the edge's target */
		for (uint32_t v = 0; v < layout.own; v++)
			if (c.number[layout.id[v]] == 2)
				there = layout.in.begin[v + 1] > layout.in.begin[v]
				            ? weight_of(&layout, &layout.in, layout.in.begin[v]) == (double)greatest[i]
				            : weight_of(&layout, &layout.in_ghost, layout.in_ghost.begin[v]) == (double)greatest[i];
		assert_all(there);
		gemp_layout_free(&layout);
		gas_case_free(&c);
	}
}

static void wrong_weights_are_rejected(void **state)
{
	(void)state;
	gas_case c = { .n = 9 };
	gemp_layout layout;
	uint64_t random = 1;
	for (uint32_t v = 0; v < 8; v++) {
		gas_case_edge(&c, &random, v, v + 1);
		c.edges[v].type = v == 7;
	}
	c.edges[3].weight = -7;
	c.edges[5].cost = INFINITY;
	assert_all_ok(gas_case_build(&c, &test_comm, 1));
	gemp_layout_options options = { .parts = GEMP_LAYOUT_IN, .weight = "weight" };
	assert_all_code(gemp_layout_new(&layout, &test_comm, c.graph, &options), GEMP_EDATA);
	assert_all(strstr(gemp_message(), "'1' to '8' of type 'A' has 'weight' -7"));
	options.wanted = GEMP_LAYOUT_DOUBLE;
	options.not_negative = true;
	assert_all_code(gemp_layout_new(&layout, &test_comm, c.graph, &options), GEMP_EDATA);
	assert_all(strstr(gemp_message(), "'weight' -7; weights are not negative here"));
	options.not_negative = false;
	assert_all_ok(gemp_layout_new(&layout, &test_comm, c.graph, &options));
	assert_all(layout.min_weight == -7);
	gemp_layout_free(&layout);
	options = (gemp_layout_options){ .parts = GEMP_LAYOUT_IN, .weight = "cost" };
	assert_all_code(gemp_layout_new(&layout, &test_comm, c.graph, &options), GEMP_EDATA);
	assert_all(strstr(gemp_message(), "'15' to '22' of type 'A' has 'cost' inf"));
	options.wanted = GEMP_LAYOUT_DOUBLE;
	assert_all_code(gemp_layout_new(&layout, &test_comm, c.graph, &options), GEMP_EDATA);
	assert_all(strstr(gemp_message(), "has 'cost' inf; weights are finite"));
	options.weight = "price";
	assert_all_code(gemp_layout_new(&layout, &test_comm, c.graph, &options), GEMP_EDATA);
	assert_all(strstr(gemp_message(), "type 'A' have no attribute 'price'"));
	for (size_t k = 0; k < c.graph->relation_count; k++) {
		gemp_column *weight = gemp_table_find(&c.graph->relations[k].props, "cost");
		weight->null = gemp_calloc(weight->rows, 1);
		for (size_t e = 0; e < weight->rows; e++)
			weight->null[e] = k == 1;
		for (size_t e = 0; e < weight->rows; e++)
			weight->floats[e] = isinf(weight->floats[e]) ? -1e39 : weight->floats[e];
	}
	options = (gemp_layout_options){ .parts = GEMP_LAYOUT_IN, .weight = "cost", .wanted = GEMP_LAYOUT_DOUBLE };
	assert_all_code(gemp_layout_new(&layout, &test_comm, c.graph, &options), GEMP_EDATA);
	assert_all(strstr(gemp_message(), "'29' to '36' of type 'B' has no 'cost'"));
	options.wanted = GEMP_LAYOUT_SINGLE;
	assert_all_code(gemp_layout_new(&layout, &test_comm, c.graph, &options), GEMP_EDATA);
	assert_all(strstr(gemp_message(), "'15' to '22' of type 'A' has 'cost' -1e+39; single precision reaches"));
	for (size_t k = 0; k < c.graph->relation_count; k++) {
		gemp_column *weight = gemp_table_find(&c.graph->relations[k].props, "cost");
		for (size_t e = 0; e < weight->rows; e++)
			weight->floats[e] = weight->floats[e] < 0 ? 1e-38 : weight->floats[e];
	}
	assert_all_code(gemp_layout_new(&layout, &test_comm, c.graph, &options), GEMP_EDATA);
	assert_all(strstr(gemp_message(), "'15' to '22' of type 'A' has 'cost' 1e-38; single precision reaches"));
	gas_case_free(&c);
	assert_all(gemp_memory_blocks() == 0);
}

static gemp_code make(void *argument)
{
	const trial *t = argument;
	gemp_layout layout;
	gemp_code code = gemp_layout_new(&layout, &test_comm, t->c->graph, &t->options);
	if (code == GEMP_OK)
		gemp_layout_free(&layout);
	return code;
}

/* Weights are requested in one round, in many rounds, and read from shared memory. */
static void memory_may_run_out(void **state)
{
	(void)state;
	for (int way = 0; way < 3; way++) {
		gas_case c;
		trial t = { .c = &c,
			        .options = { .parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT | GEMP_LAYOUT_OUT_WEIGHT,
			                     .weight = "weight" } };
		TEST_LIMIT(layout_round, way == 1 ? 40 : gemp_limits_default.layout_round);
		TEST_LIMIT(shared_min, way == 2 ? 1 : gemp_limits_default.shared_min);
		assert_all_ok(gas_case_new(&c, &test_comm, 2, 4, 1));
		assert_all_survive_no_memory(make, &t);
		gas_case_free(&c);
	}
	TEST_LIMIT_DEFAULT(shared_min);
	TEST_LIMIT_DEFAULT(layout_round);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_graphs),      cmocka_unit_test(check_detects_errors),
		cmocka_unit_test(requested_parts),    cmocka_unit_test(empty_graphs),
		cmocka_unit_test(types_of_weights),   cmocka_unit_test(wrong_weights_are_rejected),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
