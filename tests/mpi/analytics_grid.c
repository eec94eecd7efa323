/* Tests layouts on a grid of ranks. Each arc must be stored once, on the rank in the grid row of the target's owner and
 * the grid column of the source's owner. Sums for rows of other ranks must reach the owners of the rows. All other
 * members must equal those of a layout that is cut by target. */
#include "analytics/layout/layout.h"
#include "comm/exchange.h"
#include "core/status.h"
#include "core/types.h"
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

static int owner_of(const gas_case *c, uint32_t number)
{
	for (uint32_t id = 0; id < c->n; id++)
		if (c->number[id] == number)
			return gemp_shard_owner(c->graph, id);
	return -1;
}

/* Keeps the arcs of the reference that this rank must store, and returns their number. */
static size_t keep_own_arcs(const gas_case *c, const gemp_layout *layout, gas_arc *arcs, size_t count)
{
	int *owner = malloc((c->n + 1) * sizeof *owner), columns = layout->grid.columns;
	size_t chosen = 0;
	for (uint32_t v = 0; v < c->n; v++)
		owner[v] = owner_of(c, v);
	for (size_t i = 0; i < count; i++)
		if (owner[arcs[i].to] / columns == test_comm.rank / columns &&
		    owner[arcs[i].from] % columns == test_comm.rank % columns)
			arcs[chosen++] = arcs[i];
	free(owner);
	return chosen;
}

static double weight_at(const gemp_layout *layout, const gemp_layout_rows *rows, uint64_t e)
{
	switch (layout->weights) {
	case GEMP_LAYOUT_UNWEIGHTED: return 1;
	case GEMP_LAYOUT_U8: return ((const uint8_t *)rows->weight)[e];
	case GEMP_LAYOUT_F32: return ((const float *)rows->weight)[e];
	case GEMP_LAYOUT_F64: return ((const double *)rows->weight)[e];
	default: return -1;
	}
}

/* For each sum that arrives, sets ids[] to the vertex whose row gathers it. Returns false unless each arriving sum is
 * gathered exactly once, with weight 1. */
static bool ids_of_sums(const gemp_layout *layout, gemp_vertex *ids)
{
	const gemp_layout_rows *rows = &layout->in_sums;
	uint32_t sums = gemp_layout_values(layout) - layout->known;
	memset(ids, 0xff, sums * sizeof *ids);
	for (uint32_t v = 0; v < rows->rows; v++)
		for (uint64_t e = rows->begin[v]; e < rows->begin[v + 1]; e++) {
			uint32_t place = rows->end[e] - layout->known;
			if (place >= sums || ids[place] != GEMP_NO_VERTEX || weight_at(layout, rows, e) != 1)
				return false;
			ids[place] = layout->id[v];
		}
	return gemp_layout_row_edges(rows) == sums && rows->rows == layout->own;
}

/* Collective. Sets *out to the ids of the rows of other ranks for which this rank computes sums, in the order of
 * in_other. The owners of the rows send the ids in the order in which they receive the sums. The caller frees *out.
 * Returns false if the layouts of two ranks do not agree. */
static bool ids_of_others(const gemp_layout *layout, gemp_vertex **out)
{
	size_t columns = (size_t)layout->grid.columns, first = (size_t)test_comm.rank / columns * columns;
	size_t sizes[2][64] = { 0 }, capacity = 0, others = layout->in_other.rows;
	const gemp_layout_links *sums = &layout->sums;
	gemp_vertex *ids = gemp_calloc(gemp_layout_values(layout) - layout->known, sizeof *ids),
				*row = gemp_calloc(others, sizeof *row);
	void *received = NULL;
	bool right = ids_of_sums(layout, ids) && sums->ghost_begin[0] == layout->known &&
	             sums->send_begin[columns] == others;
	for (size_t c = 0; c < columns; c++)
		sizes[0][first + c] = (sums->ghost_begin[c + 1] - sums->ghost_begin[c]) * sizeof *ids;
	assert_all_ok(gemp_exchange(&test_comm, GEMP_OK, ids, sizes[0], &received, &capacity, sizes[1], NULL));
	for (size_t c = 0; c < columns; c++)
		right &= sizes[1][first + c] == (sums->send_begin[c + 1] - sums->send_begin[c]) * sizeof *ids;
	for (uint64_t i = 0; right && i < others; i++)
		row[sums->send[i]] = ((gemp_vertex *)received)[i];
	gemp_free(received);
	gemp_free(ids);
	*out = row;
	return right;
}

/* Does each row of another rank have edges and an owner in this grid row? Are these rows ordered by owner and sent in
 * this order? */
static bool others_in_order(const gas_case *c, const gemp_layout *layout, const gemp_vertex *id)
{
	int columns = layout->grid.columns, last = -1;
	for (uint32_t row = 0; row < layout->in_other.rows; row++) {
		int owner = gemp_shard_owner(c->graph, id[row]);
		if (owner == test_comm.rank || owner / columns != test_comm.rank / columns || owner < last)
			return false;
		const uint64_t *begin = layout->sums.send_begin + owner % columns;
		if (layout->sums.send[row] != row || row < begin[0] || row >= begin[1])
			return false;
		if (layout->in_other.begin[row + 1] == layout->in_other.begin[row])
			return false;
		last = owner;
	}
	return true;
}

static bool list_rows(const gas_case *c, const gemp_layout *layout, const gemp_layout_rows *rows, const gemp_vertex *id,
                      uint32_t least, uint32_t end, gas_arc *arcs, size_t *count)
{
	for (uint32_t row = 0; row < rows->rows; row++)
		for (uint64_t e = rows->begin[row]; e < rows->begin[row + 1]; e++) {
			uint32_t from = rows->end[e];
			if (from < least || from >= end || (e > rows->begin[row] && rows->end[e - 1] > from))
				return false;
			arcs[(*count)++] = (gas_arc){ c->number[layout->id[from]], c->number[id[row]], 0,
				                          weight_at(layout, rows, e) };
		}
	return true;
}

/* Collective. Compares the arcs of the layout with the reference. Returns the name of the first error, or NULL. */
static const char *wrong_arcs(const gas_case *c, const gemp_layout *layout, const gemp_layout_options *options)
{
	const char *wrong = NULL;
	size_t count, own = 0;
	gemp_vertex *id = NULL;
	gas_arc *arcs = gas_case_arcs(c, NULL, options->direction, &count), *mine = malloc((count + 1) * sizeof *mine);
	for (size_t i = 0; i < count; i++) {
		double weight = !options->weight ? 1 : options->weight[0] == 'w' ? (double)arcs[i].weight : arcs[i].cost;
		arcs[i].cost = options->wanted == GEMP_LAYOUT_SINGLE ? (double)(float)weight : weight;
	}
	if (layout->edges != count)
		wrong = "number of edges";
	count = keep_own_arcs(c, layout, arcs, count);
	if (!ids_of_others(layout, &id))
		wrong = "places of sums";
	else if (!others_in_order(c, layout, id))
		wrong = "order of others' rows";
	else if (gemp_layout_row_edges(&layout->in) + gemp_layout_row_edges(&layout->in_ghost) +
	             gemp_layout_row_edges(&layout->in_other) !=
	         count)
		wrong = "edges of this rank";
	else if (!list_rows(c, layout, &layout->in, layout->id, 0, layout->own, mine, &own) ||
	         !list_rows(c, layout, &layout->in_ghost, layout->id, layout->own, layout->known, mine, &own) ||
	         !list_rows(c, layout, &layout->in_other, id, 0, layout->known, mine, &own))
		wrong = "rows";
	qsort(arcs, count, sizeof *arcs, compare_arcs);
	qsort(mine, own, sizeof *mine, compare_arcs);
	for (size_t i = 0; i < count && !wrong; i++)
		if (compare_arcs(&arcs[i], &mine[i]) != 0)
			wrong = "edges";
	gemp_free(id);
	free(arcs);
	free(mine);
	return wrong;
}

/* Compares the members that do not depend on the cut. Returns the name of the first difference, or NULL. */
static const char *wrong_vertices(const gas_case *c, const gemp_layout *grid, const gemp_layout *plain)
{
	if (grid->own != plain->own || grid->edges != plain->edges || grid->weights != plain->weights)
		return "size";
	for (uint32_t v = 0; v < grid->own; v++) {
		if (grid->id[v] != plain->id[v] || grid->key_rank[v] != plain->key_rank[v] || grid->local[v] != plain->local[v])
			return "order";
		if (grid->out_degree[v] != plain->out_degree[v])
			return "out degree";
		if (grid->out_weight &&
		    fabs(grid->out_weight[v] - plain->out_weight[v]) > 1e-5 * (1 + fabs(plain->out_weight[v])))
			return "out weight";
	}
	for (uint32_t g = grid->own; g < grid->known; g++)
		if ((gemp_shard_owner(c->graph, grid->id[g]) - test_comm.rank) % grid->grid.columns != 0)
			return "owner of a ghost";
	return NULL;
}

/* Collective. Checks the layout on a grid. A layout by target is the reference for the members that do not depend on
 * the cut. */
static void check(const gas_case *c, gemp_layout_options options)
{
	gemp_layout grid, plain;
	options.parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT_WEIGHT;
	options.cut = GEMP_LAYOUT_BY_TARGET;
	assert_all_ok(gemp_layout_new(&plain, &test_comm, c->graph, &options));
	options.cut = GEMP_LAYOUT_ON_GRID;
	assert_all_ok(gemp_layout_new(&grid, &test_comm, c->graph, &options));
	const char *wrong = wrong_vertices(c, &grid, &plain), *arcs = NULL;
	if (grid.grid.columns > 1)
		arcs = wrong_arcs(c, &grid, &options);
	else if (grid.in.rows != plain.in.rows || grid.known != plain.known || grid.in_other.begin || grid.in_sums.begin ||
	         grid.sums.send || memcmp(grid.in.begin, plain.in.begin, (plain.own + 1) * sizeof *plain.in.begin) ||
	         memcmp(grid.in.end, plain.in.end, gemp_layout_row_edges(&plain.in) * sizeof *plain.in.end) ||
	         memcmp(grid.in_ghost.end, plain.in_ghost.end,
	                gemp_layout_row_edges(&plain.in_ghost) * sizeof *plain.in_ghost.end))
		arcs = "cut in one column";
	wrong = wrong ? wrong : arcs;
	if (wrong)
		print_error("%s: %s\n", c->name, wrong);
	assert_all(!wrong);
	gemp_layout_free(&grid);
	gemp_layout_free(&plain);
}

static void random_graphs(void **state)
{
	static const char *const weights[] = { NULL, "weight", "cost" };
	uint64_t seed = test_seed_all();
	(void)state;
	for (int i = 0; i < 3 * GAS_SHAPES; i++) {
		gas_case c;
		TEST_LIMIT(layout_round, i % 3 ? gemp_limits_default.layout_round : 100);
		assert_all_ok(gas_case_new(&c, &test_comm, i % GAS_SHAPES, seed + (uint64_t)i, i % 4 == 3 ? 10 : 1));
		check(&c, (gemp_layout_options){ .direction = (gemp_edge_direction)(i % 3),
		                                 .weight = weights[(i + i / 3) % 3],
		                                 .wanted = (gemp_layout_weight_kind)(i / 2 % 3) });
		gas_case_free(&c);
	}
	TEST_LIMIT_DEFAULT(layout_round);
	assert_all(gemp_memory_blocks() == 0);
}

static void shapes_of_the_grid(void **state)
{
	static const struct {
		int ranks, rows, columns;
	} grids[] = { { 1, 1, 1 }, { 2, 2, 1 },  { 3, 3, 1 },  { 4, 2, 2 },  { 6, 3, 2 },  { 7, 7, 1 },
		          { 8, 4, 2 }, { 12, 4, 3 }, { 16, 4, 4 }, { 64, 8, 8 }, { 96, 12, 8 } };
	(void)state;
	for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
		gemp_layout_grid grid = gemp_layout_grid_of(grids[i].ranks);
		assert_all(grid.rows == grids[i].rows && grid.columns == grids[i].columns);
	}
}

static void graphs_without_edges(void **state)
{
	(void)state;
	gas_case c = { 0 };
	assert_all_ok(gas_case_build(&c, &test_comm, 1));
	check(&c, (gemp_layout_options){ .weight = "weight" });
	gas_case_free(&c);
	assert_all(gemp_memory_blocks() == 0);
}

/* The check must detect an edge and a sum that were moved elsewhere. */
static void check_detects_errors(void **state)
{
	(void)state;
	gas_case c;
	gemp_layout layout;
	const gemp_layout_options options = { .parts = GEMP_LAYOUT_IN, .cut = GEMP_LAYOUT_ON_GRID };
	assert_all_ok(gas_case_new(&c, &test_comm, 1, 4, 10));
	assert_all_ok(gemp_layout_new(&layout, &test_comm, c.graph, &options));
	for (int what = 0; what < 2 && layout.grid.columns > 1; what++) {
		uint32_t *end = what ? layout.in_other.end : layout.in_sums.end, was = *end;
		assert_all(!wrong_arcs(&c, &layout, &options));
		*end = !what ? layout.in_sums.end[layout.in_sums.begin[layout.own] - 1] : was ? was - 1 : 1;
		assert_all(wrong_arcs(&c, &layout, &options) != NULL);
		*end = was;
	}
	gemp_layout_free(&layout);
	gas_case_free(&c);
}

static gemp_code make(void *argument)
{
	const gas_case *c = argument;
	gemp_layout layout;
	const gemp_layout_options options = { .parts = GEMP_LAYOUT_IN, .weight = "weight", .cut = GEMP_LAYOUT_ON_GRID };
	gemp_code code = gemp_layout_new(&layout, &test_comm, c->graph, &options);
	if (code == GEMP_OK)
		gemp_layout_free(&layout);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	gas_case c;
	assert_all_ok(gas_case_new(&c, &test_comm, 2, 4, 1));
	assert_all_survive_no_memory(make, &c);
	gas_case_free(&c);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes_of_the_grid),   cmocka_unit_test(random_graphs),
		cmocka_unit_test(graphs_without_edges), cmocka_unit_test(check_detects_errors),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
