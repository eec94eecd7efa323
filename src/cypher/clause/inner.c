#include "cypher/clause/inner.h"

#include "core/memory.h"

#include <string.h>

/* Rows of a pattern: those of `in`, extended by the variables of the pattern. The rows share the elements of `in`. */
static gemp_code match(gemp_cypher_engine *engine, const gemp_cypher_environment *environment,
                       const gemp_cypher_expr *expr, const gemp_cypher_expr *where, const gemp_cypher_table *in,
                       gemp_cypher_table *out)
{
	GEMP_OWNED_BY(gemp_arena_free) gemp_arena scratch = { 0 };
	gemp_cypher_environment conditions = *environment;
	conditions.row = NULL;
	conditions.arena = &scratch;
	out->width = environment->slots;
	out->with_origin = true;
	return engine->match(engine->search, expr->pattern, where, false, &conditions, in, out);
}

static gemp_code answer_pattern(gemp_cypher_engine *engine, const gemp_cypher_environment *environment,
                                const gemp_cypher_expr *expr, const gemp_cypher_table *in, gemp_datum *values)
{
	GEMP_OWNED_BY(gemp_cypher_table_free) gemp_cypher_table found = { 0 };
	GEMP_TRY(match(engine, environment, expr, NULL, in, &found));
	for (size_t r = 0; r < in->rows; r++)
		values[r] = gemp_datum_boolean(false);
	for (size_t r = 0; r < found.rows; r++)
		values[found.origin[r]].truth = true;
	return GEMP_OK;
}

/* Makes one list of each run of values with equal origins. */
static gemp_code make_lists(const gemp_cypher_table *found, gemp_arena *arena, size_t slot, gemp_datum *values,
                            size_t rows)
{
	GEMP_OWNED gemp_datum *items = NULL;
	size_t at = 0, capacity = 0;
	for (size_t r = 0; r < rows; r++) {
		size_t count = 0;
		for (; at < found->rows && found->origin[at] == r; at++) {
			GEMP_TRY(GEMP_RESERVE(items, capacity, count + 1));
			items[count++] = gemp_cypher_table_row(found, at)[slot];
		}
		GEMP_TRY(gemp_datum_list(&values[r], arena, items, count));
	}
	return GEMP_OK;
}

/* The result of the comprehension for each row that the pattern finds, in a table of one column. */
static gemp_code evaluate_results(gemp_cypher_engine *engine, const gemp_cypher_environment *environment,
                                  const gemp_cypher_expr *result, const gemp_cypher_table *found,
                                  gemp_cypher_table *results)
{
	GEMP_OWNED_BY(gemp_cypher_cursor_close) gemp_cypher_cursor cursor = { 0 };
	results->width = 1;
	results->with_origin = true;
	GEMP_TRY(gemp_cypher_table_reserve(results, found->rows));
	GEMP_TRY(gemp_cypher_cursor_open(&cursor, engine, found, NULL, environment->slots, environment->arena));
	GEMP_TRY(gemp_cypher_cursor_expect(&cursor, result));
	for (size_t begin = 0, end; begin < found->rows; begin = end) {
		end = gemp_cypher_block_end(begin, found->rows);
		GEMP_TRY(gemp_cypher_cursor_block(&cursor, begin, end));
		for (size_t r = begin; r < end; r++) {
			gemp_datum *cell;
			GEMP_TRY(gemp_cypher_table_add(results, &cell));
			results->origin[r] = found->origin[r];
			gemp_cypher_cursor_row(&cursor, r);
			GEMP_TRY(gemp_cypher_evaluate(&cursor.environment, result, cell));
		}
	}
	return GEMP_OK;
}

static gemp_code answer_comprehension(gemp_cypher_engine *engine, const gemp_cypher_environment *environment,
                                      const gemp_cypher_expr *expr, const gemp_cypher_table *in, gemp_datum *values)
{
	GEMP_OWNED_BY(gemp_cypher_table_free) gemp_cypher_table found = { 0 }, results = { 0 };
	const gemp_cypher_expr *condition = expr->first, *result = condition->next;
	GEMP_TRY(match(engine, environment, expr, condition->kind == GEMP_CY_NONE ? NULL : condition, in, &found));
	GEMP_TRY(evaluate_results(engine, environment, result, &found, &results));
	GEMP_TRY(make_lists(&results, environment->arena, 0, values, in->rows));
	gemp_arena_join(environment->arena, &found.arena); /* paths lie there */
	return GEMP_OK;
}

/* The inner query sees the first slots of the row. */
static gemp_code narrow(const gemp_cypher_table *in, size_t width, gemp_cypher_table *out)
{
	out->width = width;
	out->with_origin = true;
	GEMP_TRY(gemp_cypher_table_reserve(out, in->rows));
	for (size_t r = 0; r < in->rows; r++) {
		gemp_datum *cells;
		GEMP_TRY(gemp_cypher_table_add(out, &cells));
		out->origin[r] = r;
		if (width)
			memcpy(cells, gemp_cypher_table_row(in, r), gemp_min(width, in->width) * sizeof *cells);
	}
	return GEMP_OK;
}

static gemp_code answer_query(gemp_cypher_engine *engine, const gemp_cypher_environment *environment,
                              const gemp_cypher_expr *expr, const gemp_cypher_table *in, gemp_datum *values)
{
	GEMP_OWNED_BY(gemp_cypher_table_free) gemp_cypher_table start = { 0 }, found = { 0 };
	GEMP_TRY(narrow(in, (size_t)expr->query->width_in, &start));
	const bool answers = engine->answers;
	engine->answers = true;
	const gemp_code code = engine->execute(engine, expr->query, &start, &found);
	engine->answers = answers;
	GEMP_TRY(code);
	if (expr->kind == GEMP_CY_COLLECT) {
		GEMP_TRY(make_lists(&found, environment->arena, 0, values, in->rows));
		gemp_arena_join(environment->arena, &found.arena);
		return GEMP_OK;
	}
	for (size_t r = 0; r < in->rows; r++)
		values[r] = expr->kind == GEMP_CY_COUNT ? gemp_datum_integer(0) : gemp_datum_boolean(false);
	for (size_t r = 0; r < found.rows; r++)
		if (expr->kind == GEMP_CY_COUNT)
			values[found.origin[r]].integer++;
		else
			values[found.origin[r]].truth = true;
	return GEMP_OK;
}

static gemp_code answer(gemp_cypher_engine *engine, const gemp_cypher_environment *environment,
                        const gemp_cypher_expr *expr, gemp_cypher_table *in, gemp_datum *values)
{
	switch (expr->kind) {
	case GEMP_CY_PATTERN: return answer_pattern(engine, environment, expr, in, values);
	case GEMP_CY_PATTERN_COMPREHENSION: return answer_comprehension(engine, environment, expr, in, values);
	default: return answer_query(engine, environment, expr, in, values);
	}
}

/* The evaluator's way here. The row may be that of a cursor, or one that a search or a comprehension has filled. */
static gemp_code answer_row(void *self, const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                            gemp_datum *out)
{
	gemp_cypher_engine *engine = self;
	const gemp_datum *known = gemp_cypher_cursor_answer(engine, environment, expr);
	size_t origin = 0;
	gemp_cypher_table in = { .rows = 1, .width = environment->slots, .cells = environment->row, .origin = &origin };
	if (known) {
		*out = *known;
		return GEMP_OK;
	}
	return answer(engine, environment, expr, &in, out);
}

void gemp_cypher_inner_install(gemp_cypher_engine *engine)
{
	engine->answer = answer;
	engine->environment.inner_self = engine;
	engine->environment.inner = answer_row;
}
