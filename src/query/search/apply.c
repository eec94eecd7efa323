/* A sub-pattern is evaluated for many rows at once, because row by row each row would need a launch of its own. The
 * tuples of outer vertices are made distinct across ranks (correlate.h), the finder extends the tuples, and the
 * extensions of each tuple are counted. */

#include "query/search/apply.h"

#include "core/bitset.h"
#include "core/memory.h"
#include "core/text.h"
#include "match/filter/computed_columns.h"
#include "match/filter/residual.h"
#include "pattern/plan/derive.h"
#include "query/search/extension_counts.h"
#include "query/search/subpattern_table.h"

#include <string.h>

enum { ROWS_AT_ONCE = 1 << 16 }; /* a search starts when some rank has buffered this many rows */

/* One EXISTS { } or COUNT { } of the pattern. The outer vertices are the row's vertices that the sub-pattern also
 * uses. */
typedef struct subpattern {
	gemp_finder *finder; /* NULL if no expression of the purposes reads the sub-pattern, or if there is a table */
	uint64_t *table;     /* [vertices of the graph] count by the id of the outer vertex; NULL: none */
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
	bool values;                              /* clauses read values of sub-patterns */
	bool searches;                            /* some sub-pattern has a finder */
	uint32_t *candidates[GEMP_MAX_PATTERN_VERTICES]; /* see gemp_apply_candidates */
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
static gemp_code new_subpattern(gemp_apply *a, size_t index, const gemp_expr *at, const gemp_finder_options *options,
                                bool tables)
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
	if (tables)
		GEMP_TRY(gemp_subpattern_table(&s->table, a->context, a->graph, a->pattern->subs[index], &inner.match));
	if (s->table)
		return GEMP_OK;
	a->searches = true;
	return gemp_finder_new(&s->finder, a->context, a->graph, a->pattern->subs[index], &inner);
}

/* True if a table answers the condition for every vertex. */
static bool has_table(const gemp_apply *a, const gemp_condition *condition)
{
	const gemp_expr *value;
	return gemp_subpattern_is_test(condition->expr, &value) && a->subs[value->sub].table &&
	       __builtin_popcountll(condition->vertices) == 1 && !condition->edges;
}

/* Local. Removes the candidates of the outer vertex that do not pass the condition. */
static gemp_code narrow(gemp_apply *a, const gemp_expr *condition)
{
	const uint64_t vertices = a->graph->vertex_count;
	const gemp_expr *value;
	gemp_subpattern_is_test(condition, &value);
	const subpattern *s = &a->subs[value->sub];
	uint32_t **bits = &a->candidates[s->outer[0]];
	if (!*bits) {
		GEMP_TRY(GEMP_NEW(*bits, gemp_bits32_words(vertices) + 1));
		gemp_bits32_set_range(*bits, 0, vertices);
	}
	gemp_subpattern_test(condition, s->table, vertices, *bits);
	return GEMP_OK;
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
		if (has_table(a, &pattern->conditions[i])) {
			GEMP_TRY(narrow(a, expr));
			continue;
		}
		if ((expr->kind == GEMP_NOT ? expr->children[0] : expr)->kind == GEMP_EXISTS)
			a->exists_conditions[a->exists_count++] = &pattern->conditions[i];
		else
			a->general[a->general_count++] = &pattern->conditions[i];
	}
	return GEMP_OK;
}

/* Collective. Tables are for rows that start from all vertices: the rows of an inner pattern extend seeds, which may be
 * few, and so may the candidates that the caller gives. */
static gemp_code may_have_tables(bool *tables, const gemp_apply *a, const gemp_finder_options *options)
{
	bool few = a->pattern->arguments || options->match.among_count;
	if (!few)
		GEMP_TRY(gemp_subpattern_rows_are_few(&few, a->context, a->graph, a->pattern, options->match.semantics));
	*tables = !few;
	return GEMP_OK;
}

/* Tables and finders are made in the order of sub-patterns, which is equal on all ranks. */
gemp_code gemp_apply_new(gemp_apply **out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                         const gemp_finder_options *options, unsigned purposes)
{
	GEMP_OWNED_BY(gemp_apply_free_at) gemp_apply *a = NULL;
	bool tables;
	gemp_code code = GEMP_NEW(a, 1);
	if (code == GEMP_OK) {
		*a = (gemp_apply){ .context = context,
			               .graph = graph,
			               .pattern = pattern,
			               .count_loops = gemp_degree_loops(options->match.semantics) };
		code = GEMP_NEW(a->subs, pattern->sub_count);
	}
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	GEMP_TRY(may_have_tables(&tables, a, options));
	for (size_t i = 0; i < pattern->sub_count; i++) {
		const gemp_expr *at = find_use(pattern, i, purposes);
		if (at)
			GEMP_TRY(new_subpattern(a, i, at, options, tables));
		a->values |= find_use(pattern, i, purposes & GEMP_APPLY_CLAUSES) != NULL;
	}
	if (purposes & GEMP_APPLY_CONDITIONS)
		code = sort_conditions(a);
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	*out = a;
	a = NULL;
	return GEMP_OK;
}

const uint32_t *gemp_apply_candidates(const gemp_apply *a, size_t vertex)
{
	return a->candidates[vertex];
}

bool gemp_apply_has_sink(const gemp_apply *a)
{
	return a->exists_count || a->general_count || a->values;
}

static void free_subpattern(subpattern *s)
{
	gemp_finder_free(s->finder);
	gemp_free(s->table);
}

/* The state may be NULL or only partly made. */
void gemp_apply_free(gemp_apply *a)
{
	if (!a)
		return;
	for (size_t i = 0; a->subs && i < a->pattern->sub_count; i++)
		free_subpattern(&a->subs[i]);
	for (size_t v = 0; v < GEMP_MAX_PATTERN_VERTICES; v++)
		gemp_free(a->candidates[v]);
	gemp_free_all(a->subs, a->exists_conditions, a->general, a);
}

/* Only sub-patterns with a search of their own are printed; the plan of the pattern shows the other sub-patterns. */
void gemp_apply_explain(const gemp_apply *a, int depth, gemp_text *out)
{
	for (size_t i = 0; i < a->pattern->sub_count; i++) {
		if (a->subs[i].table)
			gemp_text_print(out, "%*s%s, for all vertices by sums over their edges\n", 2 * depth, "",
			                a->subs[i].exists ? "EXISTS" : "COUNT");
		if (!a->subs[i].finder)
			continue;
		gemp_text_print(out, "%*s%s, for each of %zu given vertices\n", 2 * depth, "",
		                a->subs[i].exists ? "EXISTS" : "COUNT", a->subs[i].width);
		gemp_finder_explain(a->subs[i].finder, depth + 1, out);
	}
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

/* Collective only if some sub-pattern is searched for. */
static gemp_code agree(const gemp_apply *a, gemp_code code)
{
	return a->searches ? gemp_comm_agree(a->context->comm, code) : code;
}

/* Sets counts[row] of the buffered rows from the table. */
static void look_up(const subpattern *s, const gemp_row_store *rows, uint64_t *counts)
{
	const gemp_vertex *outer = rows->vertices + s->outer[0];
	for (size_t row = 0; row < rows->rows; row++) {
		const gemp_vertex v = outer[row * (size_t)rows->vertex_count];
		counts[row] = v == GEMP_NO_VERTEX ? 0 : s->table[v];
	}
}

/* Sets counts[row] of the buffered rows. Collective, unless the sub-pattern has a table or is not read. */
static gemp_code count_rows(gemp_apply *a, subpattern *one, const gemp_row_store *rows, uint64_t *counts)
{
	if (one->table)
		look_up(one, rows, counts);
	else if (one->finder && one->width)
		return gemp_extension_counts(counts, one->finder, a->context, a->graph->vertex_count, rows, one->outer,
		                             one->width);
	else if (one->finder)
		return search_uncorrelated(a, one, rows, counts);
	return GEMP_OK;
}

/* Collective, unless no sub-pattern is searched for: the ranks then have nothing to agree on. A sub-pattern without a
 * finder has a column, too, so that the column's index is the sub-pattern's index. */
static gemp_code fill_sub_column(apply_sink *s, size_t index, gemp_column *column)
{
	gemp_apply *a = s->apply;
	subpattern *one = &a->subs[index];
	GEMP_OWNED uint64_t *counts = NULL;
	GEMP_TRY(agree(a, GEMP_NEW(counts, s->rows.rows)));
	GEMP_TRY(count_rows(a, one, &s->rows, counts));
	return agree(a, set_column(column, one->exists, counts, s->rows.rows));
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

/* Evaluates the sub-patterns for the buffered rows and passes on the rows that fulfil the conditions. Collective,
 * unless no sub-pattern is searched for. */
static gemp_code evaluate_rows(apply_sink *s)
{
	gemp_code code = GEMP_OK;
	size_t count = s->apply->pattern->sub_count;
	gemp_column *columns = NULL;
	GEMP_TRY_DONE(agree(s->apply, GEMP_NEW(columns, count)));
	for (size_t i = 0; i < count; i++)
		GEMP_TRY_DONE(fill_sub_column(s, i, &columns[i]));
	code = agree(s->apply, push_rows(s, columns, count));
done:
	for (size_t i = 0; columns && i < count; i++)
		gemp_column_free(&columns[i]);
	gemp_free(columns);
	return code;
}

/* Buffers the rows until the end of the round, where all ranks search together, unless no search is needed. Values
 * of earlier sub-patterns are dropped, since this sink gives the rows values of its own. */
static gemp_code apply_consume(void *self, const gemp_batch *batch)
{
	apply_sink *s = self;
	gemp_batch rows = *batch;
	rows.values = NULL;
	rows.value_count = 0;
	GEMP_TRY(gemp_row_store_add(&s->rows, &rows, rows.rows));
	return s->apply->searches ? GEMP_OK : evaluate_rows(s);
}

/* Collective. A search starts when some rank has many buffered rows, so that few searches serve many rows. */
static gemp_code apply_end_round(void *self, bool last, bool *enough, bool *again)
{
	apply_sink *s = self;
	uint64_t max_rows = s->rows.rows;
	if (s->apply->searches)
		gemp_comm_max(s->apply->context->comm, &max_rows, 1);
	if (max_rows >= ROWS_AT_ONCE || (last && max_rows))
		GEMP_TRY(evaluate_rows(s));
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
