/* The tables and walks of an elimination. All ranks run the same steps, since the steps are collective: a rank makes
 * the numbers of its own vertices, and gathers those that others read. */
#include "count/elimination.h"

#include "core/bitset.h"
#include "core/search.h"
#include "core/status.h"
#include "core/threads.h"

static gemp_code find_values(gemp_elimination *e, int product);

static gemp_view_key key_of(const gemp_elimination *e, const gemp_fold_edge *edge)
{
	return (gemp_view_key){ .relations = gemp_type_set(e->types, edge->types), .direction = edge->direction };
}

/* CANDIDATES */

/* The candidates of a product; NULL: any vertex. Several classes are intersected once. */
static gemp_code find_bits(const gemp_elimination *e, gemp_fold_product *p, const uint32_t **bits)
{
	const size_t words = gemp_bits32_words(e->graph->vertex_count);
	*bits = p->bits;
	if (!p->candidates || p->bits)
		return GEMP_OK;
	*bits = e->classes.bits[__builtin_ctzll(p->candidates)];
	if (!(p->candidates & (p->candidates - 1)))
		return GEMP_OK;
	GEMP_TRY(GEMP_COPY(p->bits, *bits, words));
	for (uint64_t left = p->candidates; left; left &= left - 1)
		for (size_t w = 0; w < words; w++)
			p->bits[w] &= e->classes.bits[__builtin_ctzll(left)][w];
	*bits = p->bits;
	return GEMP_OK;
}

/* Collective. A product without folds and weights has no values. */
static gemp_code find_factor(gemp_elimination *e, int product, gemp_vertex_factor *factor)
{
	gemp_fold_product *p = &e->products[product];
	*factor = (gemp_vertex_factor){ 0 };
	if (p->fold_count || p->weights) {
		GEMP_TRY(find_values(e, product));
		factor->values = e->products[product].values;
		return GEMP_OK;
	}
	return gemp_comm_agree(e->context->comm, find_bits(e, p, &factor->bits));
}

/* ROWS OF ALL VERTICES */

/* With a single rank and a single list the rows are read in place. */
static bool is_in_place(const gemp_elimination *e, const gemp_view_key *key, gemp_core_rows *rows)
{
	GEMP_OWNED_BY(gemp_view_lists_free) gemp_view_lists lists = { 0 };
	if (e->context->comm->size > 1 || gemp_view_lists_new(&lists, e->graph, key) != GEMP_OK || lists.count != 1)
		return false;
	*rows = (gemp_core_rows){ lists.list[0].offsets, lists.list[0].neighbours };
	return !lists.list[0].drops_loops;
}

/* Collective. */
static gemp_code find_rows(gemp_elimination *e, const gemp_fold_edge *edge, gemp_core_rows *rows)
{
	gemp_elimination_rows found = { .types = edge->types, .direction = edge->direction };
	const gemp_view_key key = key_of(e, edge);
	for (size_t i = 0; i < e->row_count; i++)
		if (e->rows[i].types == edge->types && e->rows[i].direction == edge->direction) {
			*rows = e->rows[i].rows;
			return GEMP_OK;
		}
	GEMP_TRY(gemp_comm_agree(e->context->comm, GEMP_RESERVE(e->rows, e->row_capacity, e->row_count + 1)));
	GEMP_TRY(gemp_view_load(e->graph, &key));
	if (!is_in_place(e, &key, &found.rows)) {
		GEMP_TRY(gemp_resident_on_host(&found.copy, e->context, e->graph, &key, 1, true));
		found.rows = (gemp_core_rows){ found.copy->views[0].begin, found.copy->views[0].neighbours };
	}
	e->rows[e->row_count++] = found;
	*rows = found.rows;
	return GEMP_OK;
}

/* FOLDS */

typedef struct loop_pass {
	uint64_t *table;
	const gemp_shard *graph;
	const gemp_view_lists *lists;
	bool exists;
} loop_pass;

/* Numbers of loops are at most those of edges, and a product of the two may exceed 64 bits; the overflow is noted in
 * the last element. */
static uint64_t loops_at(const loop_pass *pass, size_t v)
{
	const uint64_t self = pass->graph->first_vertex + v;
	uint64_t loops = 0;
	for (size_t k = 0; k < pass->lists->count; k++) {
		const gemp_view_list *list = &pass->lists->list[k];
		const size_t size = (size_t)(list->offsets[v + 1] - list->offsets[v]);
		const gemp_vertex *row = list->neighbours + list->offsets[v];
		for (size_t i = list->drops_loops ? size : gemp_lower_bound_u32(row, size, self); i < size && row[i] == self;
		     i++)
			loops++;
	}
	return pass->exists ? loops > 0 : loops;
}

/* Local. Multiplies the table by the number of loops of each vertex. */
static gemp_code multiply_loops(const gemp_elimination *e, uint64_t *table, const gemp_fold_edge *edge)
{
	GEMP_OWNED_BY(gemp_view_lists_free) gemp_view_lists lists = { 0 };
	const gemp_view_key key = key_of(e, edge);
	GEMP_TRY(gemp_view_lists_new(&lists, e->graph, &key));
	const loop_pass pass = { table, e->graph, &lists, edge->exists };
	for (size_t v = 0; v < e->graph->rows; v++)
		if (table[v] && __builtin_mul_overflow(table[v], loops_at(&pass, v), &table[v]))
			return gemp_fail(GEMP_EDATA, "a vertex has more than 2^64 - 1 matches");
	return GEMP_OK;
}

/* Collective. Several edges to one vertex are a walk from each vertex to the common entries of their rows. */
static gemp_code multiply_walk(gemp_elimination *e, uint64_t *table, const gemp_fold *fold)
{
	gemp_core_walk walk = { .graph = e->graph, .count = 2 };
	gemp_core_vertex *vertex = &walk.vertices[1];
	GEMP_TRY(find_factor(e, fold->child, &vertex->factor));
	for (int k = 0; k < fold->edge_count; k++) {
		gemp_core_check *check = &vertex->checks[vertex->check_count++];
		check->exists = fold->edges[k].exists;
		GEMP_TRY(find_rows(e, &fold->edges[k], &check->rows));
	}
	return gemp_comm_agree(e->context->comm, gemp_core_walk_table(&walk, table));
}

/* Collective. */
static gemp_code multiply_rows(gemp_elimination *e, uint64_t *table, const gemp_fold *fold)
{
	GEMP_OWNED_BY(gemp_view_lists_free) gemp_view_lists lists = { 0 };
	const gemp_view_key key = key_of(e, &fold->edges[0]);
	gemp_vertex_factor factor;
	GEMP_TRY(find_factor(e, fold->child, &factor));
	GEMP_TRY(gemp_view_load(e->graph, &key));
	gemp_code code = gemp_view_lists_new(&lists, e->graph, &key);
	if (code == GEMP_OK)
		code = gemp_vertex_table_multiply(table, e->graph, &lists, &factor);
	return gemp_comm_agree(e->context->comm, code);
}

/* Collective. */
static gemp_code multiply_fold(gemp_elimination *e, uint64_t *table, const gemp_fold *fold)
{
	if (fold->child >= 0)
		return fold->edge_count == 1 && !fold->edges[0].exists ? multiply_rows(e, table, fold)
		                                                       : multiply_walk(e, table, fold);
	for (int k = 0; k < fold->edge_count; k++) {
		const gemp_view_key key = key_of(e, &fold->edges[k]);
		GEMP_TRY(gemp_view_load(e->graph, &key));
		GEMP_TRY(gemp_comm_agree(e->context->comm, multiply_loops(e, table, &fold->edges[k])));
	}
	return GEMP_OK;
}

/* Is a fold so inexpensive that several products rather repeat it than keep a table? */
static bool reads_degrees(const gemp_elimination *e, const gemp_fold *fold)
{
	const gemp_fold_product *child = fold->child >= 0 ? &e->products[fold->child] : NULL;
	return child && fold->edge_count == 1 && !fold->edges[0].exists && !child->candidates && !child->weights &&
	       !child->fold_count && fold->edges[0].direction != GEMP_VIEW_EITHER;
}

static gemp_code multiply_table(uint64_t *table, const uint64_t *by, size_t rows)
{
	bool over = false;
	for (size_t v = 0; v < rows; v++)
		over |= __builtin_mul_overflow(table[v], by[v], &table[v]);
	return over ? gemp_fail(GEMP_EDATA, "a vertex has more than 2^64 - 1 matches") : GEMP_OK;
}

/* Collective. Multiplies the table by a fold, whose own table is made once if several products use it. */
static gemp_code apply_fold(gemp_elimination *e, uint64_t *table, int index)
{
	gemp_fold *fold = &e->folds[index];
	const gemp_comm *comm = e->context->comm;
	if (fold->uses < 2 || reads_degrees(e, fold))
		return multiply_fold(e, table, fold);
	if (!fold->table) {
		GEMP_TRY(gemp_comm_agree(comm, gemp_vertex_table_new(&fold->table, e->graph, NULL)));
		GEMP_TRY(multiply_fold(e, fold->table, fold));
	}
	return gemp_comm_agree(comm, multiply_table(table, fold->table, e->graph->rows));
}

/* Collective. *table becomes the product at each own vertex. */
static gemp_code make_table(gemp_elimination *e, int product, uint64_t **table)
{
	gemp_fold_product *p = &e->products[product];
	const uint32_t *bits = NULL;
	gemp_code code = find_bits(e, p, &bits);
	if (code == GEMP_OK)
		code = gemp_vertex_table_new(table, e->graph, bits);
	for (uint64_t left = p->weights; left && code == GEMP_OK; left &= left - 1)
		code = multiply_table(*table, e->weights[__builtin_ctzll(left)], e->graph->rows);
	GEMP_TRY(gemp_comm_agree(e->context->comm, code));
	for (int k = 0; k < p->fold_count; k++)
		GEMP_TRY(apply_fold(e, *table, p->folds[k]));
	return GEMP_OK;
}

/* Collective. Makes the values of a product with folds for all vertices. */
static gemp_code find_values(gemp_elimination *e, int product)
{
	GEMP_OWNED uint64_t *table = NULL;
	if (e->products[product].values)
		return GEMP_OK;
	GEMP_TRY(make_table(e, product, &table));
	GEMP_TRY(gemp_vertex_table_gather(&table, e->context->comm, e->graph));
	e->products[product].values = table;
	table = NULL;
	return GEMP_OK;
}

/* SUMS */

/* Collective. *sum becomes the sum over this rank's vertices. */
static gemp_code sum_tree(gemp_elimination *e, int product, unsigned __int128 *sum)
{
	GEMP_OWNED uint64_t *table = NULL;
	GEMP_TRY(make_table(e, product, &table));
	*sum = gemp_vertex_table_sum(table, e->graph->rows);
	return GEMP_OK;
}

/* Collective. Finds the factors of the core's vertices from `first` on, and the rows that join them. */
static gemp_code find_walk(gemp_elimination *e, const gemp_elimination_sum *term, int first, gemp_core_walk *walk)
{
	*walk = (gemp_core_walk){ .graph = e->graph, .count = (size_t)term->count };
	for (int v = first; v < term->count; v++) {
		gemp_core_vertex *vertex = &walk->vertices[v];
		GEMP_TRY(find_factor(e, term->products[v], &vertex->factor));
		for (size_t k = 0; k < term->check_count[v]; k++) {
			gemp_core_check *check = &vertex->checks[vertex->check_count++];
			check->from = term->checks[v][k].from;
			check->exists = term->checks[v][k].edge.exists;
			GEMP_TRY(find_rows(e, &term->checks[v][k].edge, &check->rows));
		}
	}
	return GEMP_OK;
}

/* Collective. */
static gemp_code sum_core(gemp_elimination *e, const gemp_elimination_sum *term, unsigned __int128 *sum)
{
	gemp_core_walk walk;
	GEMP_TRY(find_walk(e, term, 0, &walk));
	return gemp_comm_agree(e->context->comm, gemp_core_walk_sum(&walk, sum));
}

/* Collective. Adds the totals of the ranks modulo 2^128, as four sums of 32-bit digits, which cannot overflow 64
 * bits. */
static __int128 add_ranks(const gemp_comm *comm, __int128 own)
{
	uint64_t digits[4];
	unsigned __int128 sum = 0;
	for (int i = 0; i < 4; i++)
		digits[i] = (uint32_t)((unsigned __int128)own >> 32 * i);
	gemp_comm_sum(comm, digits, 4);
	for (int i = 0; i < 4; i++)
		sum += (unsigned __int128)digits[i] << 32 * i;
	return (__int128)sum;
}

gemp_code gemp_elimination_run(gemp_elimination *e, int target, uint64_t divisor, uint64_t *count)
{
	__int128 total = 0;
	bool over = false;
	for (size_t i = 0; i < e->sum_count; i++) {
		const gemp_elimination_sum *term = &e->sums[i];
		unsigned __int128 sum = 0;
		__int128 product;
		if (term->target != target)
			continue;
		GEMP_TRY(term->count == 1 ? sum_tree(e, term->products[0], &sum) : sum_core(e, term, &sum));
		over |= sum >> 126 != 0;
		over |= __builtin_mul_overflow((__int128)sum, (__int128)term->factor, &product);
		over |= __builtin_add_overflow(total, product, &total);
	}
	over |= total > (__int128)1 << 96 ||
	        total < -((__int128)1 << 96); /* the ranks' totals must add up within 127 bits */
	GEMP_TRY(
		gemp_comm_agree(e->context->comm, over ? gemp_fail(GEMP_EDATA, "the sums have more than 96 bits") : GEMP_OK));
	total = add_ranks(e->context->comm, total);
	if (total < 0 || total % divisor != 0)
		return gemp_fail(GEMP_EINTERNAL,
		                 "the sums of an elimination do not add up to a multiple of %llu; count-by "
		                 "enumerate does without them",
		                 (unsigned long long)divisor);
	total /= divisor;
	*count = (uint64_t)total;
	return total > (__int128)UINT64_MAX ? gemp_fail(GEMP_EDATA, "there are 2^64 matches or more") : GEMP_OK;
}

/* TABLES */

/* Collective. What the matches of one term contribute, by the image of its root. */
static gemp_code make_term_table(gemp_elimination *e, const gemp_elimination_sum *term, uint64_t **table)
{
	gemp_core_walk walk;
	GEMP_TRY(make_table(e, term->products[0], table));
	if (term->count == 1)
		return GEMP_OK;
	GEMP_TRY(find_walk(e, term, 1, &walk)); /* the table has the root's factor */
	return gemp_comm_agree(e->context->comm, gemp_core_walk_table(&walk, *table));
}

/* Local. Adds the table, multiplied by `factor`, to the sum. */
static gemp_code add_table(uint64_t *sum, const uint64_t *table, uint64_t factor, size_t rows)
{
	bool over = false;
	uint64_t product;
	for (size_t v = 0; v < rows; v++) {
		over |= __builtin_mul_overflow(table[v], factor, &product);
		over |= __builtin_add_overflow(sum[v], product, &sum[v]);
	}
	return over ? gemp_fail(GEMP_EDATA, "a vertex has more than 2^64 - 1 matches") : GEMP_OK;
}

/* Local. plus[v] becomes (plus[v] - minus[v]) / divisor. */
static gemp_code finish_table(uint64_t *plus, const uint64_t *minus, uint64_t divisor, size_t rows)
{
	bool right = true;
	for (size_t v = 0; v < rows; v++) {
		right &= plus[v] >= minus[v] && (plus[v] - minus[v]) % divisor == 0;
		plus[v] = (plus[v] - minus[v]) / divisor;
	}
	return right ? GEMP_OK
	             : gemp_fail(GEMP_EINTERNAL,
	                         "the sums of an elimination do not add up to a multiple of %llu; count-by enumerate does "
	                         "without them",
	                         (unsigned long long)divisor);
}

/* Terms of negative factor are added up by themselves, so that no number is negative on the way. Mostly there is a
 * single term, whose table is the result. */
gemp_code gemp_elimination_table(gemp_elimination *e, int target, uint64_t divisor, uint64_t **table)
{
	GEMP_OWNED uint64_t *plus = NULL, *minus = NULL, *one = NULL;
	const size_t rows = e->graph->rows;
	const gemp_comm *comm = e->context->comm;
	if (e->sum_count == 1 && e->sums[0].target == target && e->sums[0].factor == 1 && divisor == 1)
		return make_term_table(e, &e->sums[0], table);
	GEMP_TRY(gemp_comm_agree(comm, gemp_new_all(GEMP_ARRAY(plus, rows), GEMP_ARRAY(minus, rows))));
	for (size_t i = 0; i < e->sum_count; i++) {
		const int64_t factor = e->sums[i].factor;
		if (e->sums[i].target != target)
			continue;
		GEMP_TRY(make_term_table(e, &e->sums[i], &one));
		GEMP_TRY(gemp_comm_agree(
			comm, add_table(factor < 0 ? minus : plus, one, (uint64_t)(factor < 0 ? -factor : factor), rows)));
		gemp_free(one);
		one = NULL;
	}
	GEMP_TRY(gemp_comm_agree(comm, finish_table(plus, minus, divisor, rows)));
	*table = plus;
	plus = NULL;
	return GEMP_OK;
}
