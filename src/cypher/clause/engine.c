#include "cypher/clause/engine.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "cypher/check/check.h"

#include <string.h>

/* Elements and answers of so many rows are fetched together: enough that a search costs little beside its rows, and
 * few enough that the lists of a pattern comprehension need not all be in memory before the first is used. */
enum { BLOCK_ROWS = 1 << 17 };

gemp_code gemp_cypher_engine_check(const gemp_cypher_engine *engine, const char *task, size_t rows)
{
	const size_t live = gemp_memory_live();
	gemp_progress(engine->task[0] ? engine->task : task, rows, 0, 0);
	if (!engine->budget || live <= engine->budget)
		return GEMP_OK;
	return gemp_fail(
		GEMP_ENOMEM,
		"the query holds %s rows and %s, more than the %s of --host-memory; add conditions or LIMIT before "
		"this clause, or raise --host-memory",
		gemp_grouped(rows).text, gemp_shown_bytes(live).text, gemp_shown_bytes(engine->budget).text);
}

void gemp_cypher_engine_next_clause(gemp_cypher_engine *engine)
{
	if (engine->depth == 0 && engine->clause_count)
		snprintf(engine->task, sizeof engine->task, "clause %zu of %zu, rows so far", ++engine->clause_number,
		         engine->clause_count);
}

/* True for "query:1:20: ..." and "FILE:1:20: ...". */
static bool has_place(const gemp_source *source, const char *message)
{
	const char *file = source->file ? source->file : "query";
	int line, column;
	return strncmp(message, file, strlen(file)) == 0 && sscanf(message + strlen(file), ":%d:%d:", &line, &column) == 2;
}

gemp_code gemp_cypher_engine_place(gemp_cypher_engine *engine, const gemp_cypher_clause *clause, gemp_code code)
{
	const gemp_source *source = engine->environment.source;
	const char *message = gemp_message();
	if (code != GEMP_ENOMEM || engine->placed)
		return code;
	engine->placed = true;
	if (gemp_memory_limited(message))
		gemp_source_fail(
			source, clause->place.begin,
			"this clause would hold more than the %s of --host-memory; add conditions or LIMIT before it, or "
			"raise --host-memory",
			gemp_shown_bytes(engine->budget).text);
	else if (!has_place(source, message))
		gemp_source_fail(source, clause->place.begin, "%s", message);
	return code;
}

/* CURSORS */

gemp_code gemp_cypher_cursor_open(gemp_cypher_cursor *cursor, gemp_cypher_engine *engine, const gemp_cypher_table *old,
                                  const gemp_cypher_table *columns, size_t slots, gemp_arena *arena)
{
	*cursor = (gemp_cypher_cursor){ .engine = engine, .outer = engine->cursor, .old = old, .columns = columns };
	cursor->environment = engine->environment;
	cursor->temporary = !arena;
	cursor->environment.arena = arena;
	cursor->environment.slots = slots;
	engine->cursor = cursor;
	return GEMP_NEW(cursor->environment.row, slots + 1);
}

static void drop_answers(gemp_cypher_cursor *cursor)
{
	for (size_t i = 0; cursor->answers && i < cursor->inner_count; i++) {
		gemp_free(cursor->answers[i]);
		cursor->answers[i] = NULL;
	}
}

void gemp_cypher_cursor_close(gemp_cypher_cursor *cursor)
{
	if (!cursor->engine)
		return;
	drop_answers(cursor);
	gemp_free_all(cursor->answers, cursor->inner, cursor->environment.row);
	gemp_arena_free(&cursor->scratch);
	gemp_arena_free(&cursor->answers_arena);
	cursor->engine->cursor = cursor->outer;
	*cursor = (gemp_cypher_cursor){ 0 };
}

static bool is_inner(const gemp_cypher_expr *expr)
{
	switch (expr->kind) {
	case GEMP_CY_PATTERN:
	case GEMP_CY_PATTERN_COMPREHENSION:
	case GEMP_CY_EXISTS:
	case GEMP_CY_COUNT:
	case GEMP_CY_COLLECT: return true;
	default: return false;
	}
}

/* The number of first children that cannot depend on variables which the expression itself brings. */
static size_t independent_children(const gemp_cypher_expr *expr)
{
	switch (expr->kind) {
	case GEMP_CY_LIST_COMPREHENSION:
	case GEMP_CY_ALL:
	case GEMP_CY_ANY:
	case GEMP_CY_SINGLE:
	case GEMP_CY_NO_ONE: return 1;
	case GEMP_CY_REDUCE: return 2;
	default: return expr->count;
	}
}

/* Variables, constants and operators of them read no element of the graph. */
static bool may_read_elements(const gemp_cypher_expr *expr)
{
	switch (expr->kind) {
	case GEMP_CY_PROPERTY:
	case GEMP_CY_INDEX:
	case GEMP_CY_HAS_LABELS:
	case GEMP_CY_CALL:
	case GEMP_CY_MAP_PROJECTION: return true;
	default: return false;
	}
}

static gemp_code expect(gemp_cypher_cursor *cursor, const gemp_cypher_expr *expr, bool depends)
{
	size_t independent = independent_children(expr), child = 0;
	if (is_inner(expr)) {
		if (depends)
			return GEMP_OK;
		GEMP_TRY(GEMP_APPEND(cursor->inner, cursor->inner_count, &expr));
		return GEMP_OK;
	}
	if (gemp_cypher_calls_aggregate(expr))
		return GEMP_OK;
	cursor->reads_elements |= may_read_elements(expr);
	for (const gemp_cypher_expr *at = expr->first; at; at = at->next, child++)
		GEMP_TRY(expect(cursor, at, depends || child >= independent));
	return GEMP_OK;
}

gemp_code gemp_cypher_cursor_expect(gemp_cypher_cursor *cursor, const gemp_cypher_expr *expr)
{
	return expr ? expect(cursor, expr, false) : GEMP_OK;
}

size_t gemp_cypher_block_end(size_t begin, size_t rows)
{
	return rows - begin > BLOCK_ROWS ? begin + BLOCK_ROWS : rows;
}

void gemp_cypher_cursor_row(gemp_cypher_cursor *cursor, size_t row)
{
	const gemp_cypher_table *old = cursor->old, *columns = cursor->columns;
	gemp_datum *cells = cursor->environment.row;
	const size_t from = cursor->source ? cursor->source[row] : row;
	cursor->row = row;
	if (cursor->temporary) {
		gemp_arena_reset(&cursor->scratch);
		cursor->environment.arena = &cursor->scratch;
	}
	if (old && from == SIZE_MAX)
		memset(cells, 0, old->width * sizeof *cells);
	else if (old && old->width)
		memcpy(cells, gemp_cypher_table_row(old, from), old->width * sizeof *cells);
	if (columns && columns->width)
		memcpy(cells + (old ? old->width : 0), gemp_cypher_table_row(columns, row), columns->width * sizeof *cells);
}

/* Copies the rows of the block with all slots; the origins are 0, 1, ... */
static gemp_code copy_block(gemp_cypher_cursor *cursor, gemp_cypher_table *out)
{
	const size_t rows = cursor->end - cursor->begin;
	gemp_datum *cells;
	out->width = cursor->environment.slots;
	out->with_origin = true;
	GEMP_TRY(gemp_cypher_table_reserve(out, rows));
	for (size_t r = 0; r < rows; r++) {
		GEMP_TRY(gemp_cypher_table_add(out, &cells));
		gemp_cypher_cursor_row(cursor, cursor->begin + r);
		memcpy(cells, cursor->environment.row, out->width * sizeof *cells);
		out->origin[r] = r;
	}
	return GEMP_OK;
}

static gemp_code load_block(gemp_cypher_cursor *cursor, const gemp_cypher_table *rows)
{
	gemp_cypher_engine *engine = cursor->engine;
	return cursor->reads_elements && engine->load ? engine->load(engine->search, rows) : GEMP_OK;
}

/* A block of one row is not answered in advance, since its expressions may not need the answer. */
gemp_code gemp_cypher_cursor_block(gemp_cypher_cursor *cursor, size_t begin, size_t end)
{
	GEMP_OWNED_BY(gemp_cypher_table_free) gemp_cypher_table rows = { 0 };
	gemp_cypher_engine *engine = cursor->engine;
	cursor->begin = begin;
	cursor->end = end;
	drop_answers(cursor);
	if (!cursor->inner_count && !cursor->source && !cursor->columns && cursor->old) {
		const gemp_cypher_table view = { .rows = end - begin,
			                             .width = cursor->old->width,
			                             .cells = gemp_cypher_table_row(cursor->old, begin) };
		return load_block(cursor, &view);
	}
	if (!cursor->inner_count && !cursor->reads_elements)
		return GEMP_OK;
	GEMP_TRY(copy_block(cursor, &rows));
	GEMP_TRY(load_block(cursor, &rows));
	if (end - begin < 2)
		return GEMP_OK;
	if (cursor->temporary) { /* after the copy, which has made rows current */
		gemp_arena_reset(&cursor->answers_arena);
		cursor->environment.arena = &cursor->answers_arena;
	}
	if (!cursor->answers && cursor->inner_count)
		GEMP_TRY(GEMP_NEW(cursor->answers, cursor->inner_count));
	for (size_t i = 0; i < cursor->inner_count; i++) {
		GEMP_TRY(GEMP_NEW(cursor->answers[i], end - begin));
		gemp_cypher_environment environment = cursor->environment;
		GEMP_TRY(engine->answer(engine, &environment, cursor->inner[i], &rows, cursor->answers[i]));
	}
	return GEMP_OK;
}

const gemp_datum *gemp_cypher_cursor_answer(const gemp_cypher_engine *engine,
                                            const gemp_cypher_environment *environment, const gemp_cypher_expr *expr)
{
	const gemp_cypher_cursor *cursor = engine->cursor;
	if (!cursor || !cursor->answers || environment->row != cursor->environment.row)
		return NULL;
	for (size_t i = 0; i < cursor->inner_count; i++)
		if (cursor->inner[i] == expr)
			return cursor->answers[i] ? &cursor->answers[i][cursor->row - cursor->begin] : NULL;
	return NULL;
}
