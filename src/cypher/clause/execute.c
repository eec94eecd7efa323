#include "cypher/clause/execute.h"

#include "core/memory.h"
#include "cypher/change/apply.h"
#include "cypher/check/check.h"
#include "cypher/clause/inner.h"
#include "cypher/clause/procedure.h"
#include "cypher/clause/project.h"
#include "cypher/clause/row_set.h"
#include "cypher/clause/update.h"
#include "cypher/syntax/tree_walk.h"

#include <string.h>
#include <strings.h>

/* Rows of a clause that found those of `in` by number have the origins of these rows, if any. */
static void inherit_origins(const gemp_cypher_table *in, gemp_cypher_table *out)
{
	if (in->with_origin) {
		for (size_t r = 0; r < out->rows; r++)
			out->origin[r] = in->origin[out->origin[r]];
	} else {
		gemp_free(out->origin);
		out->origin = NULL;
		out->with_origin = false;
	}
}

/* MATCH */

/* Gives each row of `in` without a match a row with NULL in the new slots. */
static gemp_code restore_rows(const gemp_cypher_table *in, gemp_cypher_table *out)
{
	GEMP_OWNED_BY(gemp_cypher_table_free) gemp_cypher_table all = { .width = out->width, .with_origin = true };
	size_t at = 0;
	GEMP_TRY(gemp_cypher_table_reserve(&all, gemp_max(in->rows, out->rows)));
	for (size_t r = 0; r < in->rows; r++) {
		const bool missing = at == out->rows || out->origin[at] != r;
		do {
			gemp_datum *cells;
			const gemp_cypher_table *from = missing ? in : out;
			GEMP_TRY(gemp_cypher_table_add(&all, &cells));
			all.origin[all.rows - 1] = r;
			if (from->width)
				memcpy(cells, gemp_cypher_table_row(from, missing ? r : at), from->width * sizeof *cells);
			at += !missing;
		} while (!missing && at < out->rows && out->origin[at] == r);
	}
	gemp_arena_join(&all.arena, &out->arena);
	gemp_cypher_table_free(out);
	*out = all;
	all = (gemp_cypher_table){ 0 };
	return GEMP_OK;
}

/* True if the clause only counts rows: RETURN count(*). */
static bool counts_rows(const gemp_cypher_clause *clause)
{
	if (!clause || (clause->kind != GEMP_CY_WITH && clause->kind != GEMP_CY_RETURN) || !clause->items)
		return false;
	for (const gemp_cypher_item *item = clause->items; item; item = item->next)
		if (item->expr->kind != GEMP_CY_COUNT_STAR)
			return false;
	return !clause->where && !clause->orders;
}

/* The terms of WHERE that hold patterns or queries are clause->expr (run.c splits them off). They are tested after the
 * search, for all rows together. */
static gemp_code execute_match(gemp_cypher_engine *engine, const gemp_cypher_clause *clause, gemp_cypher_table *in,
                               gemp_cypher_table *out)
{
	GEMP_OWNED_BY(gemp_arena_free) gemp_arena scratch = { 0 };
	gemp_cypher_environment environment = engine->environment;
	const gemp_cypher_expr *later = clause->expr;
	const bool restores = later && clause->optional;
	out->width = counts_rows(clause->next) && !later ? 0 : (size_t)clause->width_out;
	out->with_origin = in->with_origin || restores;
	environment.arena = &scratch;
	environment.slots = (size_t)gemp_cypher_clause_slots(clause);
	if (in->rows)
		GEMP_TRY(engine->match(engine->search, clause->pattern, clause->where, clause->optional && !later, &environment,
		                       in, out));
	engine->unmatched |= in->rows && !out->rows;
	if (later)
		GEMP_TRY(gemp_cypher_filter(engine, later, environment.slots, NULL, NULL, out));
	if (restores)
		GEMP_TRY(restore_rows(in, out));
	if (out->with_origin)
		inherit_origins(in, out);
	gemp_arena_join(&out->arena, &in->arena);
	return GEMP_OK;
}

/* UNWIND */

enum { CHECKED_ROWS = 1 << 16 }; /* after so many rows of long lists the memory is checked */

static gemp_code unwind_row(const gemp_cypher_engine *engine, const gemp_cypher_clause *clause,
                            const gemp_cypher_table *in, size_t r, gemp_datum value, gemp_cypher_table *out)
{
	const bool is_list = value.kind == GEMP_DATUM_LIST;
	const size_t count = is_list ? value.size : !gemp_datum_is_null(value);
	for (size_t i = 0; i < count; i++) {
		gemp_datum *cells;
		if (out->rows % CHECKED_ROWS == 0)
			GEMP_TRY(gemp_cypher_engine_check(engine, "unwinding lists", out->rows));
		GEMP_TRY(gemp_cypher_table_add(out, &cells));
		if (out->with_origin)
			out->origin[out->rows - 1] = in->origin[r];
		if (in->width)
			memcpy(cells, gemp_cypher_table_row(in, r), in->width * sizeof *cells);
		cells[clause->slot] = is_list ? value.items[i] : value;
	}
	return GEMP_OK;
}

static gemp_code execute_unwind(gemp_cypher_engine *engine, const gemp_cypher_clause *clause, gemp_cypher_table *in,
                                gemp_cypher_table *out)
{
	GEMP_OWNED_BY(gemp_cypher_cursor_close) gemp_cypher_cursor cursor = { 0 };
	const size_t slots = (size_t)gemp_cypher_clause_slots(clause);
	out->width = (size_t)clause->width_out;
	out->with_origin = in->with_origin;
	GEMP_TRY(gemp_cypher_cursor_open(&cursor, engine, in, NULL, slots, &out->arena));
	GEMP_TRY(gemp_cypher_cursor_expect(&cursor, clause->expr));
	for (size_t begin = 0, end; begin < in->rows; begin = end) {
		end = gemp_cypher_block_end(begin, in->rows);
		GEMP_TRY(gemp_cypher_engine_check(engine, "unwinding lists", out->rows));
		GEMP_TRY(gemp_cypher_cursor_block(&cursor, begin, end));
		for (size_t r = begin; r < end; r++) {
			gemp_datum value;
			gemp_cypher_cursor_row(&cursor, r);
			GEMP_TRY(gemp_cypher_evaluate(&cursor.environment, clause->expr, &value));
			GEMP_TRY(unwind_row(engine, clause, in, r, value, out));
		}
	}
	gemp_arena_join(&out->arena, &in->arena);
	return GEMP_OK;
}

/* CALL { ... } */

static bool writes(const gemp_cypher_query *query)
{
	for (const gemp_cypher_part *part = query->first; part; part = part->next)
		for (const gemp_cypher_clause *clause = part->first; clause; clause = clause->next)
			if (gemp_cypher_clause_updates(clause) || (clause->kind == GEMP_CY_CALL_SUBQUERY && writes(clause->query)))
				return true;
	return false;
}

/* Runs the query for the rows [first, first + count) of `in`, and adds its rows to `out`. */
static gemp_code call_rows(gemp_cypher_engine *engine, const gemp_cypher_clause *clause, const gemp_cypher_table *in,
                           size_t first, size_t count, gemp_cypher_table *out)
{
	GEMP_OWNED_BY(gemp_cypher_table_free) gemp_cypher_table start = { 0 }, found = { 0 };
	const size_t width = (size_t)clause->query->width_in, begin = (size_t)clause->width_in;
	start.width = width;
	start.with_origin = true;
	GEMP_TRY(gemp_cypher_table_reserve(&start, count));
	for (size_t r = 0; r < count; r++) {
		gemp_datum *cells;
		GEMP_TRY(gemp_cypher_table_add(&start, &cells));
		start.origin[r] = r;
		if (width)
			memcpy(cells, gemp_cypher_table_row(in, first + r), width * sizeof *cells);
	}
	GEMP_TRY(gemp_cypher_execute(engine, clause->query, &start, &found));
	GEMP_TRY(gemp_cypher_table_reserve(out, out->rows + found.rows));
	for (size_t r = 0; r < found.rows; r++) {
		const size_t from = first + found.origin[r];
		gemp_datum *cells;
		GEMP_TRY(gemp_cypher_table_add(out, &cells));
		out->origin[out->rows - 1] = from;
		memcpy(cells, gemp_cypher_table_row(in, from), begin * sizeof *cells);
		memcpy(cells + begin, gemp_cypher_table_row(&found, r), (out->width - begin) * sizeof *cells);
	}
	gemp_arena_join(&out->arena, &found.arena);
	return GEMP_OK;
}

/* A query that changes the graph runs row by row, since each row sees what the rows before it have changed. */
static gemp_code execute_subquery(gemp_cypher_engine *engine, const gemp_cypher_clause *clause, gemp_cypher_table *in,
                                  gemp_cypher_table *out)
{
	gemp_cypher_live_table live = { .table = out, .outer = engine->tables };
	const size_t rows = in->rows, step = engine->change && writes(clause->query) ? 1 : rows;
	gemp_code code = GEMP_OK;
	out->width = (size_t)clause->width_out;
	out->with_origin = true;
	engine->tables = &live;
	for (size_t r = 0; r < rows && code == GEMP_OK; r += step)
		code = call_rows(engine, clause, in, r, step, out);
	engine->tables = live.outer;
	GEMP_TRY(code);
	inherit_origins(in, out);
	gemp_arena_join(&out->arena, &in->arena);
	return GEMP_OK;
}

/* FOREACH */

static gemp_code execute_clauses(gemp_cypher_engine *engine, const gemp_cypher_clause *first, gemp_cypher_table *rows);

static gemp_code execute_row(gemp_cypher_engine *engine, const gemp_cypher_clause *body, const gemp_cypher_table *rows,
                             size_t r)
{
	GEMP_OWNED_BY(gemp_cypher_table_free)
	gemp_cypher_table one = { .width = rows->width, .with_origin = rows->with_origin };
	gemp_datum *cells;
	GEMP_TRY(gemp_cypher_table_add(&one, &cells));
	memcpy(cells, gemp_cypher_table_row(rows, r), rows->width * sizeof *cells);
	if (one.with_origin)
		one.origin[0] = rows->origin[r];
	return execute_clauses(engine, body, &one);
}

/* A body of several clauses runs row by row, since each row sees what all clauses have changed for the rows before it.
 * A single clause takes its rows in their order anyway. */
static gemp_code execute_body(gemp_cypher_engine *engine, const gemp_cypher_clause *body, gemp_cypher_table *rows)
{
	gemp_cypher_live_table live = { .table = rows, .outer = engine->tables };
	gemp_code code = GEMP_OK;
	if (!body->next)
		return execute_clauses(engine, body, rows);
	engine->tables = &live;
	for (size_t r = 0; r < rows->rows && code == GEMP_OK; r++)
		code = execute_row(engine, body, rows, r);
	engine->tables = live.outer;
	return code;
}

/* The body runs on the rows that UNWIND would make, which then are dropped. */
static gemp_code execute_foreach(gemp_cypher_engine *engine, const gemp_cypher_clause *clause, gemp_cypher_table *in,
                                 gemp_cypher_table *out)
{
	GEMP_OWNED_BY(gemp_cypher_table_free) gemp_cypher_table rows = { 0 };
	GEMP_OWNED_BY(gemp_arena_free) gemp_arena values = { 0 };
	gemp_cypher_clause unwind = *clause;
	unwind.width_out = clause->slot + 1;
	gemp_arena_join(&values, &in->arena); /* stays here while UNWIND takes the arena */
	GEMP_TRY(execute_unwind(engine, &unwind, in, &rows));
	gemp_arena_join(&in->arena, &values);
	GEMP_TRY(execute_body(engine, clause->body, &rows));
	gemp_arena_join(&in->arena, &rows.arena);
	*out = *in;
	*in = (gemp_cypher_table){ 0 };
	return GEMP_OK;
}

/* CLAUSES */

static gemp_code find_pattern(void *self, const gemp_cypher_pattern *pattern, const gemp_cypher_expr *where)
{
	(void)where;
	*(bool *)self |= !pattern->creates || pattern->merges;
	return GEMP_OK;
}

/* Created relationships have no id() before they are in the graph. */
static gemp_code find_id(void *self, const gemp_cypher_expr *expr)
{
	*(bool *)self |= expr->kind == GEMP_CY_CALL &&
	                 (strcasecmp(expr->name.bytes, "id") == 0 || strcasecmp(expr->name.bytes, "elementId") == 0);
	return GEMP_OK;
}

/* A clause that searches the graph needs the changes of all clauses before it. */
static gemp_code apply_changes(gemp_cypher_engine *engine, const gemp_cypher_clause *clause)
{
	bool searches = clause->kind == GEMP_CY_CALL_PROCEDURE;
	if (!engine->change || engine->answers)
		return GEMP_OK;
	GEMP_TRY(gemp_cypher_clause_walk(clause, find_pattern, find_id, &searches));
	return searches ? engine->apply(engine) : GEMP_OK;
}

/* `in` and `out` are the same query's tables before and after the clause. */
static gemp_code execute_clause(gemp_cypher_engine *engine, const gemp_cypher_clause *clause, gemp_cypher_table *in,
                                gemp_cypher_table *out)
{
	switch (clause->kind) {
	case GEMP_CY_MATCH: return execute_match(engine, clause, in, out);
	case GEMP_CY_UNWIND: return execute_unwind(engine, clause, in, out);
	case GEMP_CY_WITH:
	case GEMP_CY_RETURN: return gemp_cypher_project(engine, clause, in, out);
	case GEMP_CY_CALL_SUBQUERY: return execute_subquery(engine, clause, in, out);
	case GEMP_CY_CALL_PROCEDURE: return gemp_cypher_call_procedure(engine, clause, in, out);
	case GEMP_CY_CREATE: return gemp_cypher_create(engine, clause, in, out);
	case GEMP_CY_MERGE: return gemp_cypher_merge(engine, clause, in, out);
	case GEMP_CY_SET:
	case GEMP_CY_REMOVE: return gemp_cypher_set(engine, clause, in, out);
	case GEMP_CY_DELETE: return gemp_cypher_delete(engine, clause, in, out);
	case GEMP_CY_FOREACH: return execute_foreach(engine, clause, in, out);
	}
	return gemp_fail(GEMP_EINTERNAL, "an unknown clause");
}

static gemp_code execute_clauses(gemp_cypher_engine *engine, const gemp_cypher_clause *first, gemp_cypher_table *rows)
{
	for (const gemp_cypher_clause *clause = first; clause; clause = clause->next) {
		GEMP_OWNED_BY(gemp_cypher_table_free) gemp_cypher_table next = { 0 }, old = *rows;
		gemp_cypher_live_table live = { .table = &old, .outer = engine->tables };
		*rows = (gemp_cypher_table){ 0 };
		gemp_cypher_engine_next_clause(engine);
		engine->tables = &live;
		engine->depth++;
		gemp_code code = apply_changes(engine, clause);
		GEMP_THEN(execute_clause(engine, clause, &old, &next));
		engine->depth--;
		GEMP_THEN(gemp_cypher_engine_check(engine, "executing clauses", next.rows));
		engine->tables = live.outer;
		GEMP_TRY(gemp_cypher_engine_place(engine, clause, code));
		*rows = next;
		next = (gemp_cypher_table){ 0 };
	}
	return GEMP_OK;
}

/* UNION */

static gemp_code copy_rows(const gemp_cypher_table *in, gemp_cypher_table *out)
{
	out->width = in->width;
	out->with_origin = in->with_origin;
	GEMP_TRY(gemp_cypher_table_reserve(out, in->rows));
	if (in->rows && in->width)
		memcpy(out->cells, in->cells, in->rows * in->width * sizeof *in->cells);
	if (in->rows && in->origin)
		memcpy(out->origin, in->origin, in->rows * sizeof *in->origin);
	out->rows = in->rows;
	return GEMP_OK;
}

static gemp_code take_row(const gemp_cypher_table *from, size_t row, gemp_cypher_row_set *distinct,
                          gemp_cypher_table *out)
{
	gemp_datum *cells = gemp_cypher_table_row(from, row), *to;
	const size_t origin = gemp_cypher_table_origin(from, row);
	if (distinct) {
		size_t index;
		bool added;
		return gemp_cypher_row_set_add(distinct, cells, origin, &index, &added);
	}
	GEMP_TRY(gemp_cypher_table_add(out, &to));
	if (out->with_origin)
		out->origin[out->rows - 1] = origin;
	if (out->width)
		memcpy(to, cells, out->width * sizeof *to);
	return GEMP_OK;
}

/* Appends the rows of `more`, those of each origin behind the rows of `rows` that have it. */
static gemp_code unite(gemp_cypher_table *rows, gemp_cypher_table *more, bool all)
{
	GEMP_OWNED_BY(gemp_cypher_row_set_free) gemp_cypher_row_set distinct = { 0 };
	GEMP_OWNED_BY(gemp_cypher_table_free) gemp_cypher_table sum = { .width = rows->width };
	sum.with_origin = rows->with_origin;
	distinct.rows.width = rows->width;
	distinct.rows.with_origin = rows->with_origin;
	if (all)
		GEMP_TRY(gemp_cypher_table_reserve(&sum, rows->rows + more->rows));
	for (size_t a = 0, b = 0; a < rows->rows || b < more->rows;) {
		const bool first = b == more->rows ||
		                   (a < rows->rows && gemp_cypher_table_origin(rows, a) <= gemp_cypher_table_origin(more, b));
		GEMP_TRY(take_row(first ? rows : more, first ? a++ : b++, all ? NULL : &distinct, &sum));
	}
	gemp_cypher_table *result = all ? &sum : &distinct.rows;
	gemp_arena_join(&result->arena, &rows->arena);
	gemp_arena_join(&result->arena, &more->arena);
	gemp_cypher_table_free(rows);
	*rows = *result;
	*result = (gemp_cypher_table){ 0 };
	return GEMP_OK;
}

gemp_code gemp_cypher_execute(gemp_cypher_engine *engine, const gemp_cypher_query *query, gemp_cypher_table *in,
                              gemp_cypher_table *out)
{
	GEMP_OWNED_BY(gemp_cypher_table_free) gemp_cypher_table rows = { 0 };
	const size_t outer_rows = engine->outer_rows;
	gemp_cypher_live_table outer = { .table = in, .outer = engine->tables }, earlier = { &rows, &outer };
	gemp_code code = GEMP_OK;
	engine->tables = &earlier;
	engine->outer_rows = in->with_origin ? in->rows : 1;
	for (const gemp_cypher_part *part = query->first; part && code == GEMP_OK; part = part->next) {
		GEMP_OWNED_BY(gemp_cypher_table_free) gemp_cypher_table more = { 0 };
		if (part->next) {
			code = copy_rows(in, &more);
		} else {
			more = *in;
			*in = (gemp_cypher_table){ 0 };
		}
		GEMP_THEN(execute_clauses(engine, part->first, &more));
		if (code == GEMP_OK && part != query->first) {
			code = unite(&rows, &more, part->all);
		} else if (code == GEMP_OK) {
			rows = more;
			more = (gemp_cypher_table){ 0 };
		}
	}
	engine->outer_rows = outer_rows;
	engine->tables = outer.outer;
	*out = rows;
	rows = (gemp_cypher_table){ 0 };
	return code;
}

void gemp_cypher_execute_install(gemp_cypher_engine *engine)
{
	gemp_cypher_inner_install(engine);
	engine->execute = gemp_cypher_execute;
}
