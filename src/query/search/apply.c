#include "query/search/apply.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/text.h"
#include "match/distinct/class_table.h"
#include "match/filter/computed_columns.h"
#include "match/filter/residual.h"
#include "pattern/plan/derive.h"
#include "query/search/correlate.h"

#include <string.h>

enum { ROWS_AT_ONCE = 1 << 16 }; /* on some rank: then the sub-patterns are searched for */

typedef struct sub {
	gemp_finder *finder; /* NULL: not asked for */
	bool exists;
	size_t width;
	int outer[GEMP_MAX_PATTERN_VERTICES];
	bool known; /* width 0: the same for all rows */
	uint64_t constant;
} sub;

struct gemp_apply {
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_pattern *pattern;
	sub *subs; /* [pattern->sub_count] */
	size_t plain_count, general_count;
	const gemp_condition **plain;   /* just [NOT] EXISTS */
	const gemp_condition **general; /* other conditions with sub-patterns */
	bool count_loops;               /* in degrees that these ask for */
};

typedef struct apply_sink {
	gemp_apply *apply;
	gemp_row_store rows;
	gemp_sink residual; /* of the general conditions; no self: there are none */
	gemp_sink *next;
} apply_sink;

/* WHAT IS ASKED */
static const gemp_expr *find_sub(const gemp_expr *expr, size_t index)
{
	const gemp_expr *found = NULL;
	if ((expr->kind == GEMP_EXISTS || expr->kind == GEMP_COUNT_OF) && expr->sub == index)
		return expr;
	for (size_t i = 0; i < expr->count && !found; i++)
		found = find_sub(expr->children[i], index);
	return found;
}

static const gemp_expr *find_sub_in_clause(const gemp_pattern *pattern, size_t index)
{
	const gemp_clause *clause = gemp_pattern_first_clause(pattern);
	const gemp_expr *found = NULL;
	for (size_t i = 0; i < clause->item_count && !found; i++)
		found = find_sub(clause->items[i].expr, index);
	return found;
}

/* Where a sub-pattern stands that somebody needs to know of. */
static const gemp_expr *find_use(const gemp_pattern *pattern, size_t index, unsigned whom)
{
	const gemp_expr *found = NULL;
	for (size_t i = 0; whom & GEMP_APPLY_CONDITIONS && i < pattern->condition_count && !found; i++)
		if (gemp_pattern_needs_search(pattern, pattern->conditions[i].expr))
			found = find_sub(pattern->conditions[i].expr, index);
	return !found && whom & GEMP_APPLY_CLAUSES ? find_sub_in_clause(pattern, index) : found;
}

bool gemp_apply_needed(const gemp_pattern *pattern, unsigned whom)
{
	for (size_t i = 0; i < pattern->sub_count; i++)
		if (find_use(pattern, i, whom))
			return true;
	return false;
}

static gemp_code open_sub(gemp_apply *a, size_t index, const gemp_expr *at, const gemp_finder_options *options)
{
	sub *s = &a->subs[index];
	gemp_finder_options inner = *options;
	s->exists = at->kind == GEMP_EXISTS;
	s->width = at->count;
	for (size_t i = 0; i < at->count; i++)
		s->outer[i] = at->children[i]->variable;
	inner.edges = inner.values = false;
	inner.match.distinct = GEMP_BY_NOTHING;
	inner.match.among = NULL;
	inner.match.semantics = options->match.semantics == GEMP_INDUCED ? GEMP_ISO : options->match.semantics;
	inner.match.listed = true;
	inner.match.first_only = s->exists && !gemp_apply_needed(a->pattern->subs[index], GEMP_APPLY_CONDITIONS);
	inner.match.limit = UINT64_MAX;
	inner.match.symmetry = NULL;
	inner.match.wanted_edges = 0;
	inner.match.edges = false;
	return gemp_finder_new(&s->finder, a->context, a->graph, a->pattern->subs[index], &inner);
}

static gemp_code sort_conditions(gemp_apply *a)
{
	const gemp_pattern *pattern = a->pattern;
	GEMP_PROPAGATE(GEMP_NEW(a->plain, pattern->condition_count));
	GEMP_PROPAGATE(GEMP_NEW(a->general, pattern->condition_count));
	for (size_t i = 0; i < pattern->condition_count; i++) {
		const gemp_expr *expr = pattern->conditions[i].expr;
		if (!gemp_pattern_needs_search(pattern, expr))
			continue;
		if ((expr->kind == GEMP_NOT ? expr->children[0] : expr)->kind == GEMP_EXISTS)
			a->plain[a->plain_count++] = &pattern->conditions[i];
		else
			a->general[a->general_count++] = &pattern->conditions[i];
	}
	return GEMP_OK;
}

gemp_code gemp_apply_new(gemp_apply **out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                         const gemp_finder_options *options, unsigned whom)
{
	gemp_code code = GEMP_OK;
	gemp_apply *a = NULL;
	code = GEMP_NEW(a, 1);
	if (code == GEMP_OK) {
		*a = (gemp_apply){ .context = context,
			               .graph = graph,
			               .pattern = pattern,
			               .count_loops = gemp_degree_loops(options->match.semantics) };
		code = GEMP_NEW(a->subs, pattern->sub_count);
	}
	if (code == GEMP_OK && whom & GEMP_APPLY_CONDITIONS)
		code = sort_conditions(a);
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	for (size_t i = 0; i < pattern->sub_count; i++) {
		const gemp_expr *at = find_use(pattern, i, whom);
		if (at)
			GEMP_TRY(open_sub(a, i, at, options));
	}
	*out = a;
	a = NULL;
done:
	gemp_apply_free(a);
	return code;
}

void gemp_apply_free(gemp_apply *a)
{
	if (!a)
		return;
	for (size_t i = 0; a->subs && i < a->pattern->sub_count; i++)
		gemp_finder_free(a->subs[i].finder);
	gemp_free_all(a->subs, a->plain, a->general, a);
}

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

/* COUNTING what extends each tuple: a record is a tuple and its number, as two words. */
typedef struct counter {
	size_t width;
	gemp_class_table table;
} counter;

static gemp_code counter_take(void *self, const gemp_batch *batch)
{
	counter *c = self;
	uint32_t record[GEMP_MAX_PATTERN_VERTICES + 2] = { 0 }, *found;
	for (size_t row = 0; row < batch->rows; row++) {
		bool added;
		uint64_t count;
		memcpy(record, batch->vertices + row * (size_t)batch->vertex_count, c->width * sizeof *record);
		GEMP_PROPAGATE(
			gemp_class_table_add(&c->table, record, gemp_hash(record, c->width * sizeof *record, 0), &found, &added));
		GEMP_CHECK(found);
		memcpy(&count, found + c->width, sizeof count);
		count++;
		memcpy(found + c->width, &count, sizeof count);
	}
	return GEMP_OK;
}

static void counter_open(counter *c, size_t width)
{
	*c = (counter){ .width = width };
	gemp_class_table_init(&c->table, width + 2, width, SIZE_MAX / 2);
}

/* Collective. Counts go to the ranks that answer for their tuples. */
static gemp_code return_counts(gemp_runtime *context, const counter *c, const gemp_correlate *asked, uint64_t *of_seed)
{
	gemp_code code = GEMP_OK;
	int *owner = NULL;
	uint32_t *records = NULL;
	void *came = NULL;
	size_t words = c->width + 2, *begin = NULL;
	code = GEMP_NEW(owner, c->table.count);
	GEMP_THEN(GEMP_NEW(records, c->table.count * words));
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	for (size_t i = 0; i < c->table.count; i++) {
		memcpy(records + i * words, gemp_class_table_record(&c->table, i), words * sizeof *records);
		owner[i] = gemp_correlate_owner(asked, records + i * words);
	}
	GEMP_TRY(gemp_exchange_records(context->comm, records, c->table.count, words * sizeof(uint32_t), owner, &came,
	                               &begin, &context->traffic));
	for (size_t i = 0; i < begin[context->comm->size]; i++) {
		const uint32_t *record = (const uint32_t *)came + i * words;
		uint64_t count;
		memcpy(&count, record + c->width, sizeof count);
		of_seed[gemp_correlate_seed(asked, record)] += count;
	}
done:
	gemp_free_all(begin, came, records, owner);
	return code;
}

/* Collective. found[rows]: how often the sub-pattern extends each row. */
static gemp_code search_subpattern(gemp_apply *a, sub *s, const gemp_row_store *rows, uint64_t *found)
{
	gemp_code code = GEMP_OK;
	gemp_correlate asked = { 0 };
	counter c = { 0 };
	gemp_sink sink = { .self = &c, .consume = counter_take, .end_round = gemp_sink_keep_collecting };
	uint64_t *of_seed = NULL, *answers = NULL;
	GEMP_TRY(gemp_correlate_new(&asked, a->context, rows, s->outer, s->width));
	counter_open(&c, s->width);
	code = GEMP_NEW(of_seed, asked.seed_count);
	GEMP_THEN(GEMP_NEW(answers, asked.tuple_count));
	GEMP_TRY(gemp_comm_agree(a->context->comm, code));
	GEMP_TRY(gemp_finder_run(s->finder, asked.seed, asked.seed_count, &sink, NULL));
	GEMP_TRY(return_counts(a->context, &c, &asked, of_seed));
	GEMP_TRY(gemp_correlate_reply(&asked, of_seed, answers, &a->context->traffic));
	for (size_t row = 0; row < rows->rows; row++)
		found[row] = asked.row_tuple[row] == SIZE_MAX ? 0 : answers[asked.row_tuple[row]];
done:
	gemp_free_all(of_seed, answers);
	gemp_class_table_free(&c.table);
	gemp_correlate_free(&asked);
	return code;
}

/* Collective. A sub-pattern that shares no vertex gives the same for all rows. */
static gemp_code search_uncorrelated(gemp_apply *a, sub *s, const gemp_row_store *rows, uint64_t *found)
{
	gemp_count_sink tally = { .vertices = a->graph->vertex_count };
	gemp_sink sink = gemp_count_sink_of(&tally);
	if (!s->known) {
		GEMP_PROPAGATE(gemp_finder_run(s->finder, NULL, 0, &sink, NULL));
		s->constant = gemp_comm_sum1(a->context->comm, tally.rows);
		s->known = true;
	}
	for (size_t row = 0; row < rows->rows; row++)
		found[row] = s->constant;
	return GEMP_OK;
}

/* THE SINK */
static gemp_code set_column(gemp_column *column, bool exists, const uint64_t *found, size_t rows)
{
	gemp_code code = gemp_column_init(column, exists ? "EXISTS" : "COUNT", exists ? GEMP_BOOLEAN : GEMP_INTEGER);
	GEMP_THEN(gemp_column_reserve(column, rows, 0));
	for (size_t row = 0; code == GEMP_OK && row < rows; row++) {
		gemp_value value = { .type = column->type };
		if (exists)
			value.truth = found[row] != 0;
		else
			value.integer = (int64_t)found[row];
		code = gemp_column_add(column, &value);
	}
	return code;
}

/* A sub-pattern that nobody asks for has a column all the same, so that columns are by index. */
static gemp_code fill_sub_column(apply_sink *s, size_t index, gemp_column *column)
{
	gemp_code code = GEMP_OK;
	gemp_apply *a = s->apply;
	sub *one = &a->subs[index];
	uint64_t *found = NULL;
	code = GEMP_NEW(found, s->rows.rows);
	GEMP_TRY(gemp_comm_agree(a->context->comm, code));
	if (one->finder && one->width)
		GEMP_TRY(search_subpattern(a, one, &s->rows, found));
	else if (one->finder)
		GEMP_TRY(search_uncorrelated(a, one, &s->rows, found));
	code = gemp_comm_agree(a->context->comm, set_column(column, one->exists, found, s->rows.rows));
done:
	gemp_free(found);
	return code;
}

static void test_plain(const apply_sink *s, const gemp_column *columns, uint8_t *keep)
{
	const gemp_apply *a = s->apply;
	memset(keep, 1, s->rows.rows);
	for (size_t i = 0; i < a->plain_count; i++) {
		const gemp_expr *expr = a->plain[i]->expr;
		bool negated = expr->kind == GEMP_NOT;
		const uint8_t *truth = columns[(negated ? expr->children[0] : expr)->sub].booleans;
		for (size_t row = 0; row < s->rows.rows; row++)
			keep[row] &= (uint8_t)((truth[row] != 0) != negated);
	}
}

/* Local. The rows that pass the plain conditions, with their values. */
static gemp_code push_rows(apply_sink *s, gemp_column *columns, size_t count)
{
	gemp_code code = GEMP_OK;
	uint8_t *keep = NULL;
	gemp_row_store passed = { 0 };
	GEMP_TRY(GEMP_NEW(keep, s->rows.rows));
	test_plain(s, columns, keep);
	gemp_batch batch = gemp_row_store_batch(&s->rows);
	batch.value_count = count;
	batch.values = columns;
	GEMP_TRY(gemp_row_store_add(&passed, &batch, batch.rows));
	gemp_row_store_keep(&passed, keep);
	batch = gemp_row_store_batch(&passed);
	gemp_sink *to = s->residual.self ? &s->residual : s->next;
	if (batch.rows)
		code = to->consume(to->self, &batch);
done:
	gemp_row_store_free(&passed);
	gemp_free(keep);
	return code;
}

/* Collective. */
static gemp_code flush(apply_sink *s)
{
	gemp_code code = GEMP_OK;
	size_t count = s->apply->pattern->sub_count;
	gemp_column *columns = NULL;
	code = GEMP_NEW(columns, count);
	GEMP_TRY(gemp_comm_agree(s->apply->context->comm, code));
	for (size_t i = 0; i < count; i++)
		GEMP_TRY(fill_sub_column(s, i, &columns[i]));
	code = gemp_comm_agree(s->apply->context->comm, push_rows(s, columns, count));
	gemp_row_store_clear(&s->rows);
done:
	for (size_t i = 0; columns && i < count; i++)
		gemp_column_free(&columns[i]);
	gemp_free(columns);
	return code;
}

static gemp_code apply_take(void *self, const gemp_batch *batch)
{
	apply_sink *s = self;
	return gemp_row_store_add(&s->rows, batch, batch->rows);
}

static gemp_code apply_end_round(void *self, bool last, bool *enough, bool *again)
{
	apply_sink *s = self;
	uint64_t most = s->rows.rows;
	gemp_comm_max(s->apply->context->comm, &most, 1);
	if (most >= ROWS_AT_ONCE || (last && most))
		GEMP_PROPAGATE(flush(s));
	gemp_sink *to = s->residual.self ? &s->residual : s->next;
	return to->end_round(to->self, last, enough, again);
}

static void apply_sink_free(void *self)
{
	apply_sink *s = self;
	if (!s)
		return;
	gemp_sink_free(&s->residual);
	gemp_row_store_free(&s->rows);
	gemp_free(s);
}

gemp_code gemp_apply_sink(gemp_sink *out, gemp_apply *a, gemp_sink *next)
{
	gemp_code code = GEMP_OK;
	apply_sink *s = NULL;
	code = GEMP_NEW(s, 1);
	GEMP_TRY(gemp_comm_agree(a->context->comm, code));
	s->apply = a;
	s->next = next;
	if (a->general_count)
		code = gemp_residual_new(&s->residual, a->context, a->graph, a->general, a->general_count, NULL, a->count_loops,
		                         next);
	GEMP_TRY(gemp_comm_agree(a->context->comm, code));
	*out = (gemp_sink){ .self = s, .consume = apply_take, .end_round = apply_end_round, .free = apply_sink_free };
	s = NULL;
done:
	apply_sink_free(s);
	return code;
}
