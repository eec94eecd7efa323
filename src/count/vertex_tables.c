#include "count/vertex_tables.h"

#include "core/bitset.h"
#include "core/search.h"
#include "core/status.h"
#include "core/threads.h"

#include <stdatomic.h>

/* PASSES OVER ROWS */

typedef struct table_pass {
	uint64_t *table;
	const gemp_shard *graph;
	const gemp_view_lists *lists;
	gemp_vertex_factor factor;
	_Atomic bool overflow;
} table_pass;

/* The sum of the factor over ids[count]. Only sums of values can exceed 64 bits. */
static bool sum_entries(const gemp_vertex_factor *factor, const gemp_vertex *ids, uint64_t count, uint64_t *sum)
{
	bool over = false;
	if (!factor->bits && !factor->values)
		*sum += count;
	else if (!factor->values)
		for (uint64_t i = 0; i < count; i++)
			*sum += gemp_bits32_test(factor->bits, ids[i]);
	else if (!factor->bits)
		for (uint64_t i = 0; i < count; i++)
			over |= __builtin_add_overflow(*sum, factor->values[ids[i]], sum);
	else
		for (uint64_t i = 0; i < count; i++)
			if (gemp_bits32_test(factor->bits, ids[i]))
				over |= __builtin_add_overflow(*sum, factor->values[ids[i]], sum);
	return over;
}

/* Row v of one list: entries [0, low) and [high, size). Loops that the view does not take from this list are between
 * the ids below and above the vertex's own, since rows ascend. */
typedef struct row_part {
	const gemp_vertex *entries;
	size_t low, high, size;
} row_part;

static inline row_part row_of(const gemp_view_list *list, const gemp_shard *graph, size_t v)
{
	const uint64_t begin = list->offsets[v], self = graph->first_vertex + v;
	row_part row = { .entries = list->neighbours + begin, .size = list->offsets[v + 1] - begin };
	row.low = row.high = row.size;
	if (!list->drops_loops)
		return row;
	row.low = row.high = gemp_lower_bound_u32(row.entries, row.size, self);
	while (row.high < row.size && row.entries[row.high] == self)
		row.high++;
	return row;
}

/* The sum over row v of one list. */
static bool sum_row(const table_pass *pass, const gemp_view_list *list, size_t v, uint64_t *sum)
{
	const row_part row = row_of(list, pass->graph, v);
	const bool over = sum_entries(&pass->factor, row.entries, row.low, sum);
	return sum_entries(&pass->factor, row.entries + row.high, row.size - row.high, sum) || over;
}

static void multiply_rows(void *context, size_t begin, size_t end)
{
	table_pass *pass = context;
	bool over = false;
	for (size_t v = begin; v < end; v++) {
		uint64_t sum = 0;
		if (!pass->table[v])
			continue;
		for (size_t k = 0; k < pass->lists->count; k++)
			over |= sum_row(pass, &pass->lists->list[k], v, &sum);
		over |= __builtin_mul_overflow(pass->table[v], sum, &pass->table[v]);
	}
	if (over)
		atomic_store_explicit(&pass->overflow, true, memory_order_relaxed);
}

/* The most frequent pass: the degrees in a single list are read without its neighbours. */
static void multiply_degrees(void *context, size_t begin, size_t end)
{
	table_pass *pass = context;
	const uint64_t *offsets = pass->lists->list[0].offsets;
	bool over = false;
	for (size_t v = begin; v < end; v++)
		over |= __builtin_mul_overflow(pass->table[v], offsets[v + 1] - offsets[v], &pass->table[v]);
	if (over)
		atomic_store_explicit(&pass->overflow, true, memory_order_relaxed);
}

/* The same for sums of values over a single list. Most rows of a type are empty, since its edges begin at vertices of
 * one label. */
static void multiply_values(void *context, size_t begin, size_t end)
{
	table_pass *pass = context;
	const gemp_view_list *list = &pass->lists->list[0];
	const uint64_t *values = pass->factor.values;
	bool over = false;
	for (size_t v = begin; v < end; v++) {
		const uint64_t first = list->offsets[v], last = list->offsets[v + 1];
		uint64_t sum = 0;
		if (first == last || !pass->table[v]) {
			pass->table[v] = 0;
			continue;
		}
		for (uint64_t i = first; i < last; i++)
			over |= __builtin_add_overflow(sum, values[list->neighbours[i]], &sum);
		over |= __builtin_mul_overflow(pass->table[v], sum, &pass->table[v]);
	}
	if (over)
		atomic_store_explicit(&pass->overflow, true, memory_order_relaxed);
}

gemp_code gemp_vertex_table_multiply(uint64_t *table, const gemp_shard *graph, const gemp_view_lists *lists,
                                     const gemp_vertex_factor *factor)
{
	table_pass pass = { .table = table, .graph = graph, .lists = lists, .factor = *factor };
	const bool single = lists->count == 1 && !lists->list[0].drops_loops && !factor->bits;
	gemp_for_elements(graph->rows,
	                  !single          ? multiply_rows
	                  : factor->values ? multiply_values
	                                   : multiply_degrees,
	                  &pass);
	return pass.overflow ? gemp_fail(GEMP_EDATA, "a vertex has more than 2^64 - 1 matches") : GEMP_OK;
}

/* TABLES */

typedef struct table_start {
	uint64_t *table;
	const uint32_t *bits;
	uint64_t first;
} table_start;

static void start_rows(void *context, size_t begin, size_t end)
{
	const table_start *start = context;
	for (size_t v = begin; v < end; v++)
		start->table[v] = !start->bits || gemp_bits32_test(start->bits, start->first + v);
}

gemp_code gemp_vertex_table_new(uint64_t **out, const gemp_shard *graph, const uint32_t *bits)
{
	GEMP_TRY(GEMP_NEW(*out, graph->rows));
	gemp_for_elements(graph->rows, start_rows, &(table_start){ *out, bits, graph->first_vertex });
	return GEMP_OK;
}

/* With one rank the own vertices are all vertices. */
gemp_code gemp_vertex_table_gather(uint64_t **table, const gemp_comm *comm, const gemp_shard *graph)
{
	GEMP_OWNED size_t *begin = NULL;
	void *all = NULL;
	if (comm->size == 1)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_allgather(comm, GEMP_OK, *table, graph->rows * sizeof **table, &all, &begin));
	gemp_free(*table);
	*table = all;
	return GEMP_OK;
}

/* Each chunk adds the sum of its rows. */
typedef struct table_total {
	const uint64_t *table;
	unsigned __int128 sums[GEMP_MAX_RANGES];
} table_total;

static void sum_range(void *context, size_t range, size_t begin, size_t end)
{
	table_total *total = context;
	unsigned __int128 sum = 0;
	for (size_t v = begin; v < end; v++)
		sum += total->table[v];
	total->sums[range] = sum;
}

unsigned __int128 gemp_vertex_table_sum(const uint64_t *table, size_t rows)
{
	table_total total = { .table = table };
	unsigned __int128 sum = 0;
	gemp_for_ranges(rows, sum_range, &total);
	for (size_t r = 0; r < gemp_range_count(rows); r++)
		sum += total.sums[r];
	return sum;
}

/* TREES */

/* Collective. The rows from the parent's image to the child's. */
static gemp_code load_rows(gemp_view_lists *lists, gemp_shard *graph, const gemp_tree_vertex *vertices, size_t child)
{
	const gemp_tree_vertex *vertex = &vertices[child];
	GEMP_CHECK(vertex->parent >= 0 && (size_t)vertex->parent < child && !vertex->key.simple);
	GEMP_TRY(gemp_view_load(graph, &vertex->key));
	return gemp_view_lists_new(lists, graph, &vertex->key);
}

/* Collective. Multiplies the parent's table by the sums over the child's, which is gathered first. A child without
 * children of its own has no table. */
static gemp_code fold_child(uint64_t **tables, const gemp_comm *comm, gemp_shard *graph,
                            const gemp_tree_vertex *vertices, size_t child)
{
	GEMP_OWNED_BY(gemp_view_lists_free) gemp_view_lists lists = { 0 };
	const gemp_tree_vertex *vertex = &vertices[child];
	gemp_vertex_factor factor = { .bits = vertex->bits };
	gemp_code code = load_rows(&lists, graph, vertices, child);
	uint64_t **parent = &tables[vertex->parent];
	if (code == GEMP_OK && !*parent)
		code = gemp_vertex_table_new(parent, graph, vertices[vertex->parent].bits);
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (tables[child]) {
		GEMP_TRY(gemp_vertex_table_gather(&tables[child], comm, graph));
		factor = (gemp_vertex_factor){ .values = tables[child] }; /* 0 at vertices that are no candidates */
	}
	code = gemp_vertex_table_multiply(*parent, graph, &lists, &factor);
	gemp_free(tables[child]);
	tables[child] = NULL;
	return gemp_comm_agree(comm, code);
}

gemp_code gemp_tree_table(uint64_t **table, const gemp_comm *comm, gemp_shard *graph, const gemp_tree_vertex *vertices,
                          size_t count)
{
	GEMP_OWNED uint64_t **tables = NULL;
	gemp_code code = GEMP_NEW(tables, count);
	*table = NULL;
	if (code == GEMP_OK)
		code = gemp_vertex_table_new(&tables[0], graph, vertices[0].bits);
	code = gemp_comm_agree(comm, code);
	for (size_t child = count; child-- > 1 && code == GEMP_OK;)
		code = fold_child(tables, comm, graph, vertices, child);
	if (code == GEMP_OK) {
		*table = tables[0];
		tables[0] = NULL;
	}
	for (size_t v = 0; tables && v < count; v++)
		gemp_free(tables[v]);
	return code;
}

/* FOLDS
 *
 * Values are carried along the path from their vertex to the root. The table of a vertex on the path has the numbers of
 * homomorphisms of its other children's subtrees, as for trees without values. */

typedef struct carrying {
	uint64_t *carried;       /* [graph->rows] of the path's vertex */
	const uint64_t *numbers; /* [graph->rows] of the other children; NULL: 1 at candidates */
	const uint32_t *bits;    /* candidates; NULL: any vertex */
	const uint64_t *values;  /* [vertices] of the path's child */
	const gemp_shard *graph;
	const gemp_view_lists *lists;
} carrying;

static inline uint64_t fold_entries(gemp_fold_kind kind, const uint64_t *values, const gemp_vertex *ids, uint64_t count,
                                    uint64_t folded)
{
	for (uint64_t i = 0; i < count; i++) {
		const uint64_t value = values[ids[i]];
		folded = kind == GEMP_FOLD_SUM   ? folded + value
		         : kind == GEMP_FOLD_MAX ? gemp_max(folded, value)
		                                 : folded | value;
	}
	return folded;
}

/* Folds the values of the child's images into the vertices of the path that are candidates. */
static inline void carry_kind(const carrying *c, gemp_fold_kind kind, size_t begin, size_t end)
{
	for (size_t v = begin; v < end; v++) {
		uint64_t folded = 0;
		if (c->numbers ? !c->numbers[v] : c->bits && !gemp_bits32_test(c->bits, c->graph->first_vertex + v))
			continue;
		for (size_t k = 0; k < c->lists->count; k++) {
			const row_part row = row_of(&c->lists->list[k], c->graph, v);
			folded = fold_entries(kind, c->values, row.entries, row.low, folded);
			folded = fold_entries(kind, c->values, row.entries + row.high, row.size - row.high, folded);
		}
		c->carried[v] = folded;
	}
}

/* A loop for each kind, so that the kind is not tested for each entry. */
static void carry_sums(void *context, size_t begin, size_t end)
{
	carry_kind(context, GEMP_FOLD_SUM, begin, end);
}

static void carry_maxima(void *context, size_t begin, size_t end)
{
	carry_kind(context, GEMP_FOLD_MAX, begin, end);
}

static void carry_unions(void *context, size_t begin, size_t end)
{
	carry_kind(context, GEMP_FOLD_UNION, begin, end);
}

/* Each homomorphism of the other subtrees has the value. */
static void repeat_sums(void *context, size_t begin, size_t end)
{
	const carrying *c = context;
	for (size_t v = begin; v < end; v++)
		c->carried[v] *= c->numbers[v];
}

static void drop_values(void *context, size_t begin, size_t end)
{
	const carrying *c = context;
	for (size_t v = begin; v < end; v++)
		c->carried[v] = c->numbers[v] ? c->carried[v] : 0;
}

/* Collective. Replaces the values of tree vertex `child` by those of its parent's images. */
static gemp_code carry(carrying *c, uint64_t **values, const gemp_comm *comm, gemp_shard *graph,
                       const gemp_tree_vertex *vertices, size_t child, gemp_fold_kind kind)
{
	static gemp_elements_body *const carry_of[] = {
		[GEMP_FOLD_SUM] = carry_sums, [GEMP_FOLD_MAX] = carry_maxima, [GEMP_FOLD_UNION] = carry_unions
	};
	GEMP_OWNED_BY(gemp_view_lists_free) gemp_view_lists lists = { 0 };
	GEMP_OWNED uint64_t *carried = NULL;
	gemp_code code = load_rows(&lists, graph, vertices, child);
	GEMP_THEN(GEMP_NEW(carried, graph->rows));
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_vertex_table_gather(values, comm, graph));
	c->carried = carried;
	c->values = *values;
	c->lists = &lists;
	gemp_for_elements(graph->rows, carry_of[kind], c);
	gemp_free(*values);
	*values = carried;
	carried = NULL;
	return GEMP_OK;
}

/* Collective. The subtrees beside the path come first. */
static gemp_code carry_values(uint64_t **tables, const gemp_comm *comm, gemp_shard *graph,
                              const gemp_tree_vertex *vertices, size_t count, gemp_tree_fold *fold)
{
	carrying c = { .graph = graph };
	uint64_t path = 0;
	for (int v = (int)fold->at; v >= 0; v = vertices[v].parent)
		path |= UINT64_C(1) << v;
	for (size_t child = count; child-- > 1;)
		if (!(path >> child & 1))
			GEMP_TRY(fold_child(tables, comm, graph, vertices, child));
	for (int v = (int)fold->at; v >= 0; v = vertices[v].parent) {
		c.carried = fold->values;
		c.numbers = tables[v];
		if (c.numbers)
			gemp_for_elements(graph->rows, fold->kind == GEMP_FOLD_SUM ? repeat_sums : drop_values, &c);
		if (v == 0)
			break;
		c.numbers = tables[vertices[v].parent];
		c.bits = vertices[vertices[v].parent].bits;
		GEMP_TRY(carry(&c, &fold->values, comm, graph, vertices, (size_t)v, fold->kind));
	}
	return GEMP_OK;
}

gemp_code gemp_tree_table_fold(uint64_t **table, const gemp_comm *comm, gemp_shard *graph,
                               const gemp_tree_vertex *vertices, size_t count, gemp_tree_fold *fold)
{
	GEMP_OWNED uint64_t **tables = NULL;
	gemp_code code = gemp_comm_agree(comm, GEMP_NEW(tables, count));
	GEMP_CHECK(fold->at < count);
	GEMP_THEN(carry_values(tables, comm, graph, vertices, count, fold));
	*table = code == GEMP_OK ? fold->values : NULL;
	if (code != GEMP_OK)
		gemp_free(fold->values);
	fold->values = NULL;
	for (size_t v = 0; tables && v < count; v++)
		gemp_free(tables[v]);
	return code;
}
