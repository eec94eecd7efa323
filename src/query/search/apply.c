/* A sub-pattern is evaluated for many rows at once, because row by row each row would need a launch of its own. The
 * tuples of outer vertices are made distinct across ranks (correlate.h), the finder extends the tuples, and the
 * extensions of each tuple are counted. */

#include "query/search/apply.h"

#include "core/memory.h"
#include "core/text.h"
#include "match/filter/computed_columns.h"
#include "match/filter/residual.h"
#include "pattern/plan/derive.h"
#include "query/search/correlate.h"

#include <string.h>

enum { ROWS_AT_ONCE = 1 << 16 }; /* a search starts when some rank has buffered this many rows */

/* One EXISTS { } or COUNT { } of the pattern. The outer vertices are the row's vertices that the sub-pattern also
 * uses. */
typedef struct subpattern {
	gemp_finder *finder; /* NULL if no expression of the purposes reads the sub-pattern */
	bool exists;
	size_t width;
	int outer[GEMP_MAX_PATTERN_VERTICES]; /* [width] indices of the outer vertices in a row */
	bool known;                           /* used if width is 0: true once `constant` is computed */
	uint64_t constant;                    /* used if width is 0: the count, which is the same for all rows */
} subpattern;

/* The sub-patterns with their finders, and the conditions that read sub-patterns. */
struct gemp_apply {
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_pattern *pattern;
	subpattern *subs; /* [pattern->sub_count] */
	size_t exists_count, general_count;
	const gemp_condition **exists_conditions; /* [exists_count] conditions that consist of EXISTS or NOT EXISTS */
	const gemp_condition **general;           /* [general_count] the other conditions with sub-patterns */
	bool count_loops;                         /* whether degrees in the general conditions count loops */
};

/* The rows of one run that wait for a search. */
typedef struct apply_sink {
	gemp_apply *apply;
	gemp_row_store rows;
	gemp_sink residual; /* tests the general conditions; self is NULL if there are no general conditions */
	gemp_sink *next;
} apply_sink;

/* Returns the EXISTS or COUNT of sub-pattern `index` within an expression, or NULL if the expression has none. */
static const gemp_expr *find_sub(const gemp_expr *expr, size_t index)
{
	const gemp_expr *found = gemp_expr_is_subpattern(expr) && expr->sub == index ? expr : NULL;
	for (size_t i = 0; i < expr->count && !found; i++)
		found = find_sub(expr->children[i], index);
	return found;
}

/* Returns the expression that reads sub-pattern `index` for one of the purposes, or NULL. Only the first clause can
 * read sub-patterns, so the search ends with the first clause. */
static const gemp_expr *find_use(const gemp_pattern *pattern, size_t index, unsigned purposes)
{
	const gemp_clause *clause = gemp_pattern_first_clause(pattern);
	const gemp_expr *found = NULL;
	for (size_t i = 0; purposes & GEMP_APPLY_CONDITIONS && i < pattern->condition_count && !found; i++)
		if (gemp_pattern_needs_search(pattern, pattern->conditions[i].expr))
			found = find_sub(pattern->conditions[i].expr, index);
	for (size_t i = 0; purposes & GEMP_APPLY_CLAUSES && i < clause->item_count && !found; i++)
		found = find_sub(clause->items[i].expr, index);
	return found;
}

/* A sub-pattern that a plan tests itself, such as a single edge, needs no search. */
bool gemp_apply_needed(const gemp_pattern *pattern, unsigned purposes)
{
	for (size_t i = 0; i < pattern->sub_count; i++)
		if (find_use(pattern, i, purposes))
			return true;
	return false;
}

/* Collective. EXISTS needs only the first extension of each tuple, unless the sub-pattern has conditions that are
 * tested after the search. */
static gemp_code new_subpattern(gemp_apply *a, size_t index, const gemp_expr *at, const gemp_finder_options *options)
{
	subpattern *s = &a->subs[index];
	gemp_finder_options inner = gemp_finder_inner(options);
	s->exists = at->kind == GEMP_EXISTS;
	s->width = at->count;
	for (size_t i = 0; i < at->count; i++)
		s->outer[i] = at->children[i]->variable;
	inner.edges = false;
	inner.match.listed = true;
	inner.match.first_only = s->exists && !gemp_apply_needed(a->pattern->subs[index], GEMP_APPLY_CONDITIONS);
	inner.match.limit = UINT64_MAX;
	inner.match.symmetry = NULL;
	inner.match.wanted_edges = 0;
	inner.match.edges = false;
	return gemp_finder_new(&s->finder, a->context, a->graph, a->pattern->subs[index], &inner);
}

/* A condition that consists of EXISTS or NOT EXISTS reads one boolean a row. The other conditions are evaluated by a
 * residual filter. */
static gemp_code sort_conditions(gemp_apply *a)
{
	const gemp_pattern *pattern = a->pattern;
	GEMP_TRY(GEMP_NEW(a->exists_conditions, pattern->condition_count));
	GEMP_TRY(GEMP_NEW(a->general, pattern->condition_count));
	for (size_t i = 0; i < pattern->condition_count; i++) {
		const gemp_expr *expr = pattern->conditions[i].expr;
		if (!gemp_pattern_needs_search(pattern, expr))
			continue;
		if ((expr->kind == GEMP_NOT ? expr->children[0] : expr)->kind == GEMP_EXISTS)
			a->exists_conditions[a->exists_count++] = &pattern->conditions[i];
		else
			a->general[a->general_count++] = &pattern->conditions[i];
	}
	return GEMP_OK;
}

/* Finders are made in the order of sub-patterns, which is equal on all ranks. */
gemp_code gemp_apply_new(gemp_apply **out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                         const gemp_finder_options *options, unsigned purposes)
{
	GEMP_OWNED_BY(gemp_apply_free_at) gemp_apply *a = NULL;
	gemp_code code = GEMP_NEW(a, 1);
	if (code == GEMP_OK) {
		*a = (gemp_apply){ .context = context,
			               .graph = graph,
			               .pattern = pattern,
			               .count_loops = gemp_degree_loops(options->match.semantics) };
		code = GEMP_NEW(a->subs, pattern->sub_count);
	}
	if (code == GEMP_OK && purposes & GEMP_APPLY_CONDITIONS)
		code = sort_conditions(a);
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	for (size_t i = 0; i < pattern->sub_count; i++) {
		const gemp_expr *at = find_use(pattern, i, purposes);
		if (at)
			GEMP_TRY(new_subpattern(a, i, at, options));
	}
	*out = a;
	a = NULL;
	return GEMP_OK;
}

/* The state may be NULL or only partly made. */
void gemp_apply_free(gemp_apply *a)
{
	if (!a)
		return;
	for (size_t i = 0; a->subs && i < a->pattern->sub_count; i++)
		gemp_finder_free(a->subs[i].finder);
	gemp_free_all(a->subs, a->exists_conditions, a->general, a);
}

/* Only sub-patterns with a search of their own are printed; the plan of the pattern shows the other sub-patterns. */
void gemp_apply_explain(const gemp_apply *a, int depth, gemp_text *out)
{
	for (size_t i = 0; i < a->pattern->sub_count; i++) {
		if (!a->subs[i].finder)
			continue;
		gemp_text_print(out, "%*s%s, for each of %zu given vertices\n", 2 * depth, "",
		                a->subs[i].exists ? "EXISTS" : "COUNT", a->subs[i].width);
		gemp_finder_explain(a->subs[i].finder, depth + 1, out);
	}
}

/* The number of extensions of each tuple that a search has found. A single rank finds extensions of its seeds alone,
 * so their numbers serve. Of several ranks, the rank on which the search for a seed ends finds the match, so a rank
 * numbers the tuples that it meets. */
typedef struct tuple_counter {
	const gemp_tuple_index *index;
	gemp_tuple_index *met; /* index; NULL if index has all tuples already */
	size_t capacity;
	uint64_t *counts; /* [capacity] by the tuple's number */
} tuple_counter;

/* Local. Adds the rows of a batch to the counts of their tuples. */
static gemp_code counter_consume(void *self, const gemp_batch *batch)
{
	tuple_counter *c = self;
	for (size_t row = 0; row < batch->rows; row++) {
		const gemp_vertex *tuple = batch->vertices + row * (size_t)batch->vertex_count;
		size_t number;
		if (c->met) {
			GEMP_TRY(GEMP_RESERVE(c->counts, c->capacity, c->met->count + 1));
			c->counts[c->met->count] = 0;
			GEMP_TRY(gemp_tuple_index_add(c->met, tuple, &number));
		} else {
			number = gemp_tuple_index_find(c->index, tuple);
			GEMP_CHECK(number < c->capacity);
		}
		c->counts[number] += batch->multiplicity ? batch->multiplicity[row] : 1;
	}
	return GEMP_OK;
}

/* A record is a tuple with its count, as it is sent to the tuple's owner: the vertices, then the two words of the
 * count. */
static void make_records(const tuple_counter *c, const gemp_correlate *correlation, uint32_t *records, int *owner)
{
	const size_t width = c->index->width;
	for (size_t i = 0; i < c->index->count; i++) {
		uint32_t *record = records + i * (width + 2);
		memcpy(record, c->index->tuples + i * width, width * sizeof *record);
		memcpy(record + width, &c->counts[i], sizeof c->counts[i]);
		owner[i] = gemp_correlate_owner(correlation, record);
	}
}

/* Collective. Adds the counts of all ranks to the counts of the seeds on their owners. */
static gemp_code send_counts_to_owners(gemp_runtime *context, const tuple_counter *c, const gemp_correlate *correlation,
                                       uint64_t *seed_counts)
{
	GEMP_OWNED int *owner = NULL;
	GEMP_OWNED uint32_t *records = NULL;
	GEMP_OWNED void *received = NULL;
	GEMP_OWNED size_t *begin = NULL;
	const size_t width = c->index->width, words = width + 2;
	gemp_code code = GEMP_NEW(owner, c->index->count);
	GEMP_THEN(GEMP_NEW(records, c->index->count * words));
	if (code == GEMP_OK)
		make_records(c, correlation, records, owner);
	GEMP_TRY(gemp_exchange_records(context->comm, code, records, c->index->count, words * sizeof *records, owner,
	                               &received, &begin, &context->traffic));
	for (size_t i = 0; i < begin[context->comm->size]; i++) {
		const uint32_t *record = (const uint32_t *)received + i * words;
		uint64_t count;
		memcpy(&count, record + width, sizeof count);
		seed_counts[gemp_correlate_seed(correlation, record)] += count;
	}
	return GEMP_OK;
}

/* Collective. Sets seed_counts[] of the own seeds to the numbers of their extensions. */
static gemp_code count_extensions(gemp_apply *a, subpattern *s, const gemp_correlate *correlation,
                                  uint64_t *seed_counts)
{
	const gemp_tuple_index *seeds = &correlation->seeds;
	GEMP_OWNED_BY(gemp_tuple_index_free) gemp_tuple_index met = { 0 };
	const bool single = a->context->comm->size == 1;
	tuple_counter c = { .index = seeds, .counts = seed_counts, .capacity = seeds->count };
	gemp_sink sink = { .self = &c, .consume = counter_consume, .end_round = gemp_sink_keep_collecting };
	if (single)
		return gemp_finder_run(s->finder, seeds->tuples, seeds->count, &sink, NULL);
	c = (tuple_counter){ .index = &met, .met = &met };
	GEMP_TRY(
		gemp_comm_agree(a->context->comm, gemp_tuple_index_init(&met, s->width, a->graph->vertex_count, seeds->count)));
	gemp_code code = gemp_finder_run(s->finder, seeds->tuples, seeds->count, &sink, NULL);
	GEMP_THEN(send_counts_to_owners(a->context, &c, correlation, seed_counts));
	gemp_free(c.counts);
	return code;
}

/* Collective. Sets counts[row] for the buffered rows: makes tuples distinct, searches for their extensions, and returns
 * the counts to the rows. */
static gemp_code search_subpattern(gemp_apply *a, subpattern *s, const gemp_row_store *rows, uint64_t *counts)
{
	GEMP_OWNED_BY(gemp_correlate_free) gemp_correlate correlation = { 0 };
	GEMP_OWNED uint64_t *seed_counts = NULL, *answers = NULL;
	gemp_code code = gemp_correlate_new(&correlation, a->context, a->graph->vertex_count, rows, s->outer, s->width);
	GEMP_THEN(GEMP_NEW(seed_counts, correlation.seeds.count));
	GEMP_THEN(GEMP_NEW(answers, correlation.tuple_count));
	GEMP_TRY(gemp_comm_agree(a->context->comm, code));
	GEMP_TRY(count_extensions(a, s, &correlation, seed_counts));
	GEMP_TRY(gemp_correlate_reply(&correlation, seed_counts, answers, &a->context->traffic));
	for (size_t row = 0; row < rows->rows; row++)
		counts[row] = correlation.row_tuple[row] == SIZE_MAX ? 0 : answers[correlation.row_tuple[row]];
	return GEMP_OK;
}

/* Collective. A sub-pattern without outer vertices has the same count for all rows and keeps the count for the whole
 * run. */
static gemp_code search_uncorrelated(gemp_apply *a, subpattern *s, const gemp_row_store *rows, uint64_t *counts)
{
	gemp_count_sink tally = { .vertices = a->graph->vertex_count };
	gemp_sink sink = gemp_count_sink_of(&tally);
	if (!s->known) {
		GEMP_TRY(gemp_finder_run(s->finder, NULL, 0, &sink, NULL));
		s->constant = gemp_comm_sum1(a->context->comm, tally.rows);
		s->known = true;
	}
	for (size_t row = 0; row < rows->rows; row++)
		counts[row] = s->constant;
	return GEMP_OK;
}

/* THE SINK */

/* EXISTS makes a column of booleans, COUNT a column of integers. */
static gemp_code set_column(gemp_column *column, bool exists, const uint64_t *counts, size_t rows)
{
	GEMP_TRY(gemp_column_init(column, exists ? "EXISTS" : "COUNT", exists ? GEMP_BOOLEAN : GEMP_INTEGER));
	GEMP_TRY(gemp_column_reserve(column, rows, 0));
	for (size_t row = 0; row < rows && exists; row++)
		column->booleans[row] = counts[row] != 0;
	if (rows && !exists)
		memcpy(column->integers, counts, rows * sizeof *counts);
	column->rows = rows;
	return GEMP_OK;
}

/* Collective. A sub-pattern without a finder has a column, too, so that the column's index is the sub-pattern's
 * index. */
static gemp_code fill_sub_column(apply_sink *s, size_t index, gemp_column *column)
{
	gemp_apply *a = s->apply;
	subpattern *one = &a->subs[index];
	GEMP_OWNED uint64_t *counts = NULL;
	GEMP_TRY(gemp_comm_agree(a->context->comm, GEMP_NEW(counts, s->rows.rows)));
	if (one->finder && one->width)
		GEMP_TRY(search_subpattern(a, one, &s->rows, counts));
	else if (one->finder)
		GEMP_TRY(search_uncorrelated(a, one, &s->rows, counts));
	return gemp_comm_agree(a->context->comm, set_column(column, one->exists, counts, s->rows.rows));
}

/* Sets keep[row] to 0 where a condition EXISTS or NOT EXISTS is false. */
static void test_exists(const apply_sink *s, const gemp_column *columns, uint8_t *keep)
{
	const gemp_apply *a = s->apply;
	memset(keep, 1, s->rows.rows);
	for (size_t i = 0; i < a->exists_count; i++) {
		const gemp_expr *expr = a->exists_conditions[i]->expr;
		bool negated = expr->kind == GEMP_NOT;
		const uint8_t *truth = columns[(negated ? expr->children[0] : expr)->sub].booleans;
		for (size_t row = 0; row < s->rows.rows; row++)
			keep[row] &= (uint8_t)((truth[row] != 0) != negated);
	}
}

/* Local. Passes on the rows that fulfil the EXISTS and NOT EXISTS conditions, with the values of their sub-patterns.
 * The store borrows the columns, so that its values move up with the rows. */
static gemp_code push_rows(apply_sink *s, gemp_column *columns, size_t count)
{
	GEMP_OWNED uint8_t *keep = NULL;
	GEMP_TRY(GEMP_NEW(keep, s->rows.rows));
	test_exists(s, columns, keep);
	s->rows.values = columns;
	s->rows.value_count = count;
	if (s->apply->exists_count)
		gemp_row_store_keep(&s->rows, keep);
	const gemp_code code = gemp_row_store_pass(&s->rows, s->residual.self ? &s->residual : s->next);
	s->rows.values = NULL;
	s->rows.value_count = 0;
	return code;
}

/* Collective. Evaluates the sub-patterns for the buffered rows and passes on the rows that fulfil the conditions. */
static gemp_code search_and_filter(apply_sink *s)
{
	gemp_code code = GEMP_OK;
	size_t count = s->apply->pattern->sub_count;
	gemp_column *columns = NULL;
	GEMP_TRY_DONE(gemp_comm_agree(s->apply->context->comm, GEMP_NEW(columns, count)));
	for (size_t i = 0; i < count; i++)
		GEMP_TRY_DONE(fill_sub_column(s, i, &columns[i]));
	code = gemp_comm_agree(s->apply->context->comm, push_rows(s, columns, count));
done:
	for (size_t i = 0; columns && i < count; i++)
		gemp_column_free(&columns[i]);
	gemp_free(columns);
	return code;
}

/* Buffers the rows until the end of the round, where all ranks search together. Values of earlier sub-patterns are
 * dropped, since this sink gives the rows values of its own. */
static gemp_code apply_consume(void *self, const gemp_batch *batch)
{
	apply_sink *s = self;
	gemp_batch rows = *batch;
	rows.values = NULL;
	rows.value_count = 0;
	return gemp_row_store_add(&s->rows, &rows, rows.rows);
}

/* Collective. A search starts when some rank has many buffered rows, so that few searches serve many rows. */
static gemp_code apply_end_round(void *self, bool last, bool *enough, bool *again)
{
	apply_sink *s = self;
	uint64_t max_rows = s->rows.rows;
	gemp_comm_max(s->apply->context->comm, &max_rows, 1);
	if (max_rows >= ROWS_AT_ONCE || (last && max_rows))
		GEMP_TRY(search_and_filter(s));
	gemp_sink *to = s->residual.self ? &s->residual : s->next;
	return to->end_round(to->self, last, enough, again);
}

/* The caller owns the next sink, so the next sink is not freed here. */
static void apply_sink_free(void *self)
{
	apply_sink *s = self;
	if (!s)
		return;
	gemp_sink_free(&s->residual);
	gemp_row_store_free(&s->rows);
	gemp_free(s);
}

GEMP_RELEASE(apply_sink_free, apply_sink *)

/* General conditions are tested by a residual filter between this sink and the next. */
gemp_code gemp_apply_sink(gemp_sink *out, gemp_apply *a, gemp_sink *next)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(apply_sink_free_at) apply_sink *s = NULL;
	GEMP_TRY(gemp_comm_agree(a->context->comm, GEMP_NEW(s, 1)));
	s->apply = a;
	s->next = next;
	if (a->general_count)
		code = gemp_residual_new(&s->residual, a->context, a->graph, a->general, a->general_count, NULL, a->count_loops,
		                         next);
	GEMP_TRY(gemp_comm_agree(a->context->comm, code));
	*out = (gemp_sink){ .self = s, .consume = apply_consume, .end_round = apply_end_round, .free = apply_sink_free };
	s = NULL;
	return GEMP_OK;
}
