#include "query/search/fold_tables.h"

#include "core/bitset.h"
#include "core/threads.h"
#include "query/rows/frame.h"

/* TREES */

typedef struct rooted_tree {
	size_t count;
	gemp_tree_vertex vertices[GEMP_MAX_PATTERN_VERTICES];
	int at[GEMP_MAX_PATTERN_VERTICES]; /* place of each pattern vertex */
} rooted_tree;

static void find_tree(rooted_tree *tree, const gemp_fold_source *s, int root)
{
	GEMP_CHECK(gemp_pattern_tree(s->pattern, root, tree->vertices, tree->at));
	tree->count = s->pattern->vertex_count;
	for (size_t v = 0; v < tree->count; v++)
		tree->vertices[tree->at[v]].bits = s->implied >> v & 1 ? NULL : s->candidates.bits[v];
}

gemp_code gemp_fold_matches(uint64_t **table, const gemp_fold_source *s, int root)
{
	rooted_tree tree;
	find_tree(&tree, s, root);
	return gemp_tree_table(table, s->context->comm, s->graph, tree.vertices, tree.count);
}

/* Collective. Takes *values, of own images of `from`. */
static gemp_code fold(uint64_t **table, const gemp_fold_source *s, int root, int from, gemp_fold_kind kind,
                      uint64_t **values)
{
	rooted_tree tree;
	find_tree(&tree, s, root);
	gemp_tree_fold fold = { .at = (size_t)tree.at[from], .kind = kind, .values = *values };
	*values = NULL;
	return gemp_tree_table_fold(table, s->context->comm, s->graph, tree.vertices, tree.count, &fold);
}

/* VALUES OF A COLUMN */

void gemp_fold_table_free(gemp_fold_table *table)
{
	gemp_free_all(table->values, table->times);
	*table = (gemp_fold_table){ 0 };
}

typedef struct column_task {
	const gemp_column *column;
	const uint32_t *bits; /* candidates; NULL: all */
	uint64_t first;
	gemp_expr_kind kind;
	uint64_t *values;
	uint64_t largest[GEMP_MAX_RANGES]; /* absolute value */
	bool unfit[GEMP_MAX_RANGES];       /* some value has the number of none */
} column_task;

static uint64_t number_of(const column_task *t, size_t row, uint64_t *largest, bool *unfit)
{
	if (t->kind == GEMP_COUNT)
		return 1;
	if (t->kind == GEMP_SUM || t->kind == GEMP_AVG) {
		const int64_t integer = t->column->integers[row];
		*largest = gemp_max(*largest, integer < 0 ? -(uint64_t)integer : (uint64_t)integer);
		return (uint64_t)integer;
	}
	uint64_t bits = 0;
	if (t->column->type == GEMP_INTEGER) {
		bits = (uint64_t)t->column->integers[row] ^ UINT64_C(1) << 63; /* as gemp_order_bits, without a value */
	} else {
		const gemp_value value = gemp_column_get(t->column, row);
		bits = gemp_order_bits(&value);
	}
	const uint64_t number = t->kind == GEMP_MIN ? ~bits : bits;
	*unfit |= number == 0;
	return number;
}

static void read_range(void *context, size_t range, size_t begin, size_t end)
{
	column_task *t = context;
	const uint8_t *null = t->column->null;
	uint64_t largest = 0;
	bool unfit = false;
	for (size_t row = begin; row < end; row++)
		if (!(null && null[row]) && (!t->bits || gemp_bits32_test(t->bits, t->first + row)))
			t->values[row] = number_of(t, row, &largest, &unfit);
	t->largest[range] = largest;
	t->unfit[range] = unfit;
}

/* Collective. The numbers of own candidates. Sums are folded modulo 2^64, which is exact if the sum of all matches fits
 * into 64 bits. */
static gemp_code read_column(uint64_t **out, const gemp_fold_source *s, const gemp_fold_argument *argument,
                             const gemp_column *column, gemp_expr_kind kind, uint64_t matches, bool *fits)
{
	column_task t = {
		.column = column, .bits = s->candidates.bits[argument->vertex], .first = s->graph->first_vertex, .kind = kind
	};
	uint64_t largest[2] = { 0 }, product;
	GEMP_TRY(gemp_comm_agree(s->context->comm, GEMP_NEW(*out, s->graph->rows)));
	t.values = *out;
	gemp_for_ranges(s->graph->rows, read_range, &t);
	for (size_t r = 0; r < gemp_range_count(s->graph->rows); r++) {
		largest[0] = gemp_max(largest[0], t.largest[r]);
		largest[1] |= t.unfit[r];
	}
	gemp_comm_max(s->context->comm, largest, 2);
	*fits &= !__builtin_mul_overflow(largest[0], matches, &product) && product <= INT64_MAX && !largest[1];
	return GEMP_OK;
}

/* Collective. Loads the column. */
static gemp_code find_column(const gemp_column **out, const gemp_fold_source *s, const gemp_expr *expr)
{
	if (expr->kind == GEMP_KEY) {
		*out = &s->graph->keys;
		return gemp_shard_load_keys(s->graph);
	}
	*out = &s->graph->attributes.columns[expr->attribute];
	return gemp_shard_load_attribute(s->graph, (size_t)expr->attribute);
}

/* Collective. Folds the numbers of the column. */
static gemp_code fold_column(uint64_t **table, const gemp_fold_source *s, int root, const gemp_fold_argument *argument,
                             const gemp_column *column, gemp_expr_kind kind, uint64_t matches, bool *fits)
{
	const gemp_fold_kind how = kind == GEMP_MIN || kind == GEMP_MAX ? GEMP_FOLD_MAX : GEMP_FOLD_SUM;
	GEMP_OWNED uint64_t *values = NULL;
	GEMP_TRY(read_column(&values, s, argument, column, kind, matches, fits));
	return *fits ? fold(table, s, root, argument->vertex, how, &values) : GEMP_OK;
}

gemp_code gemp_fold_argument_table(gemp_fold_table *out, const gemp_fold_source *s, int root,
                                   const gemp_fold_argument *argument, uint64_t matches, bool *fits)
{
	const gemp_column *column;
	const gemp_expr_kind kind = argument->kind;
	GEMP_TRY(find_column(&column, s, argument->expr));
	if (kind != GEMP_COUNT)
		GEMP_TRY(fold_column(&out->values, s, root, argument, column, kind, matches, fits));
	/* the sum of no values is 0, however many matches have none */
	if ((kind == GEMP_COUNT || kind == GEMP_AVG) && *fits && gemp_comm_sum1(s->context->comm, column->null != NULL))
		GEMP_TRY(fold_column(&out->times, s, root, argument, column, GEMP_COUNT, matches, fits));
	return GEMP_OK;
}

/* DISTINCT VERTICES */

typedef struct bits_task {
	const uint64_t *numbers; /* of own vertices; NULL: candidates */
	const uint32_t *candidates, *unit;
	uint64_t first;
	uint64_t low; /* the unit of bit 0 */
	uint64_t *bits;
	uint64_t (*counts)[64]; /* [ranges] */
	uint64_t *table;
} bits_task;

static void set_bits(void *context, size_t begin, size_t end)
{
	const bits_task *t = context;
	for (size_t v = begin; v < end; v++) {
		const bool used = t->numbers ? t->numbers[v] > 0
		                             : !t->candidates || gemp_bits32_test(t->candidates, t->first + v);
		const uint64_t bit = t->unit[v] - t->low; /* wraps around below */
		t->bits[v] = used && bit < 64 ? UINT64_C(1) << bit : 0;
	}
}

/* Collective. The unions of the bits of own images of `from`, by the image of `root`. */
static gemp_code unite(uint64_t **table, const gemp_fold_source *s, int root, int from, bits_task *t)
{
	GEMP_OWNED uint64_t *bits = NULL;
	GEMP_TRY(gemp_comm_agree(s->context->comm, GEMP_NEW(bits, s->graph->rows)));
	t->bits = bits;
	gemp_for_elements(s->graph->rows, set_bits, t);
	return fold(table, s, root, from, GEMP_FOLD_UNION, &bits);
}

static void count_bits(void *context, size_t range, size_t begin, size_t end)
{
	const bits_task *t = context;
	uint64_t *counts = t->counts[range];
	for (size_t v = begin; v < end; v++)
		for (uint64_t left = t->bits[v]; left; left &= left - 1)
			counts[__builtin_ctzll(left)]++;
}

gemp_code gemp_fold_distinct_in_units(uint64_t **counts, const gemp_fold_source *s, int key, int other,
                                      const uint64_t *numbers, const uint32_t *unit, size_t units)
{
	const size_t rows = s->graph->rows, ranges = gemp_range_count(rows);
	GEMP_OWNED void *parts = gemp_calloc(ranges + 1, sizeof(uint64_t[64]));
	bits_task t = { .numbers = numbers, .unit = unit, .first = s->graph->first_vertex, .counts = parts };
	gemp_code code = parts ? GEMP_NEW(*counts, gemp_fold_unit_passes(units) * 64) : GEMP_ENOMEM;
	GEMP_TRY(gemp_comm_agree(s->context->comm, code));
	for (; t.low < units; t.low += 64) {
		GEMP_OWNED uint64_t *united = NULL;
		GEMP_TRY(unite(&united, s, other, key, &t));
		t.bits = united;
		gemp_for_ranges(rows, count_bits, &t);
		for (size_t r = 0; r < ranges; r++)
			for (size_t bit = 0; bit < 64; bit++) {
				(*counts)[t.low + bit] += t.counts[r][bit];
				t.counts[r][bit] = 0;
			}
	}
	gemp_comm_sum_long(s->context->comm, *counts, units);
	return GEMP_OK;
}

static void add_bits(void *context, size_t begin, size_t end)
{
	const bits_task *t = context;
	for (size_t v = begin; v < end; v++)
		t->table[v] += (uint64_t)__builtin_popcountll(t->bits[v]);
}

/* Collective. Numbers the candidates of a vertex, of all ranks. The numbers of other vertices mean nothing. */
static gemp_code number_candidates(uint32_t **unit, const gemp_fold_source *s, int vertex)
{
	uint64_t own = 0;
	GEMP_TRY(gemp_comm_agree(s->context->comm, GEMP_NEW(*unit, s->graph->rows)));
	for (size_t v = 0; v < s->graph->rows; v++)
		own += gemp_candidates_has(&s->candidates, vertex, s->graph->first_vertex + v);
	uint64_t number = gemp_comm_exscan(s->context->comm, own);
	for (size_t v = 0; v < s->graph->rows; v++) {
		(*unit)[v] = (uint32_t)number;
		number += gemp_candidates_has(&s->candidates, vertex, s->graph->first_vertex + v);
	}
	return GEMP_OK;
}

/* Collective. The images of `key` have bits. */
static gemp_code count_by_key(uint64_t *table, const gemp_fold_source *s, int key, int other, const uint64_t *numbers)
{
	GEMP_OWNED uint32_t *unit = NULL;
	GEMP_OWNED uint64_t *counts = NULL;
	GEMP_TRY(number_candidates(&unit, s, key));
	GEMP_TRY(gemp_fold_distinct_in_units(&counts, s, key, other, numbers, unit, s->candidates.count[key]));
	for (size_t v = 0; v < s->graph->rows; v++)
		if (numbers[v])
			table[v] = counts[unit[v]];
	return GEMP_OK;
}

/* Collective. The images of `other` have bits. */
static gemp_code count_by_other(uint64_t *table, const gemp_fold_source *s, int key, int other)
{
	GEMP_OWNED uint32_t *unit = NULL;
	GEMP_TRY(number_candidates(&unit, s, other));
	bits_task t = {
		.candidates = s->candidates.bits[other], .unit = unit, .first = s->graph->first_vertex, .table = table
	};
	for (; t.low < s->candidates.count[other]; t.low += 64) {
		GEMP_OWNED uint64_t *united = NULL;
		GEMP_TRY(unite(&united, s, key, other, &t));
		t.bits = united;
		gemp_for_elements(s->graph->rows, add_bits, &t);
	}
	return GEMP_OK;
}

gemp_code gemp_fold_distinct_by_vertex(uint64_t **table, const gemp_fold_source *s, int key, int other,
                                       const uint64_t *numbers)
{
	GEMP_TRY(gemp_comm_agree(s->context->comm, GEMP_NEW(*table, s->graph->rows)));
	return s->candidates.count[key] <= s->candidates.count[other] ? count_by_key(*table, s, key, other, numbers)
	                                                              : count_by_other(*table, s, key, other);
}

uint64_t gemp_fold_unit_passes(uint64_t units)
{
	return (units + 63) / 64;
}

uint64_t gemp_fold_vertex_passes(const gemp_fold_source *s, int key, int other)
{
	return gemp_fold_unit_passes(gemp_min(s->candidates.count[key], s->candidates.count[other]));
}
