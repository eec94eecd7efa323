#include "cypher/clause/group.h"

#include "core/memory.h"
#include "cypher/check/check.h"
#include "cypher/clause/accumulate.h"

#include <string.h>

typedef struct grouping {
	gemp_cypher_engine *engine;
	const gemp_cypher_clause *clause;
	const gemp_cypher_table *in;
	const gemp_cypher_item **keys; /* [key_count] the columns without aggregates */
	size_t key_count;
	gemp_cypher_row_set groups; /* rows of keys */
	gemp_datum *key;            /* [key_count] of the current row */
	size_t count;               /* groups */
	size_t *source;             /* [count] */
	size_t source_capacity;
	gemp_cypher_aggregate *aggregates; /* [aggregate_count] by their numbers */
	size_t aggregate_count;
	gemp_datum *results; /* [aggregate_count] */
	gemp_cypher_cursor cursor;
	gemp_arena arena; /* of the values that aggregates keep */
} grouping;

static void grouping_free(grouping *g)
{
	gemp_cypher_cursor_close(&g->cursor);
	for (size_t i = 0; g->aggregates && i < g->aggregate_count; i++)
		gemp_cypher_aggregate_free(&g->aggregates[i]);
	gemp_free_all(g->keys, g->key, g->source, g->aggregates, g->results);
	gemp_cypher_row_set_free(&g->groups);
	gemp_arena_free(&g->arena);
}

/* SETUP */

static gemp_code find_aggregates(grouping *g, const gemp_cypher_expr *expr)
{
	if (gemp_cypher_calls_aggregate(expr)) {
		GEMP_CHECK(expr->aggregate >= 0 && (size_t)expr->aggregate < g->aggregate_count);
		for (const gemp_cypher_expr *argument = expr->first; argument; argument = argument->next)
			GEMP_TRY(gemp_cypher_cursor_expect(&g->cursor, argument));
		gemp_cypher_aggregate *aggregate = &g->aggregates[expr->aggregate];
		GEMP_TRY(gemp_cypher_aggregate_init(aggregate, g->engine, expr));
		/* min and max compare elements by their keys, which are fetched for a block of rows */
		if (aggregate->kind == GEMP_CYPHER_MIN || aggregate->kind == GEMP_CYPHER_MAX)
			g->cursor.reads_elements |= expr->first->kind != GEMP_CY_PROPERTY;
		return GEMP_OK;
	}
	for (const gemp_cypher_expr *child = expr->first; child; child = child->next)
		GEMP_TRY(find_aggregates(g, child));
	return GEMP_OK;
}

static gemp_code setup(grouping *g)
{
	const gemp_cypher_clause *clause = g->clause;
	const size_t slots = (size_t)gemp_cypher_clause_slots(clause);
	g->aggregate_count = clause->aggregates;
	GEMP_TRY(GEMP_NEW(g->aggregates, g->aggregate_count));
	GEMP_TRY(GEMP_NEW(g->results, g->aggregate_count));
	GEMP_TRY(gemp_cypher_cursor_open(&g->cursor, g->engine, g->in, NULL, slots, NULL));
	for (const gemp_cypher_item *item = clause->items; item; item = item->next)
		if (gemp_cypher_has_aggregate(item->expr)) {
			GEMP_TRY(find_aggregates(g, item->expr));
		} else {
			GEMP_TRY(GEMP_APPEND(g->keys, g->key_count, &item));
			GEMP_TRY(gemp_cypher_cursor_expect(&g->cursor, item->expr));
		}
	g->groups.rows.width = g->key_count;
	g->groups.rows.with_origin = g->in->with_origin;
	g->groups.copies = true;
	return GEMP_NEW(g->key, g->key_count);
}

/* ROWS */

static gemp_code add_group(grouping *g, size_t row)
{
	GEMP_TRY(GEMP_RESERVE(g->source, g->source_capacity, g->count + 1));
	g->source[g->count++] = row;
	return GEMP_OK;
}

static gemp_code find_group(grouping *g, size_t row, size_t *group)
{
	const size_t origin = gemp_cypher_table_origin(g->in, row);
	bool added;
	if (g->key_count == 0) {
		*group = origin;
		if (g->source[origin] == SIZE_MAX)
			g->source[origin] = row;
		return GEMP_OK;
	}
	for (size_t k = 0; k < g->key_count; k++)
		GEMP_TRY(gemp_cypher_evaluate(&g->cursor.environment, g->keys[k]->expr, &g->key[k]));
	GEMP_TRY(gemp_cypher_row_set_add(&g->groups, g->key, origin, group, &added));
	return added ? add_group(g, row) : GEMP_OK;
}

/* count(*) alone needs no rows. */
static gemp_code count_rows(grouping *g)
{
	for (size_t begin = 0, end; begin < g->in->rows; begin = end) {
		const size_t origin = gemp_cypher_table_origin(g->in, begin);
		end = g->in->origin ? begin + 1 : g->in->rows;
		while (end < g->in->rows && g->in->origin[end] == origin)
			end++;
		for (size_t i = 0; i < g->aggregate_count; i++)
			GEMP_TRY(gemp_cypher_aggregate_count(&g->aggregates[i], origin, end - begin));
	}
	return GEMP_OK;
}

static gemp_code add_row(grouping *g, size_t row)
{
	size_t group;
	gemp_cypher_cursor_row(&g->cursor, row);
	GEMP_TRY(find_group(g, row, &group));
	for (size_t i = 0; i < g->aggregate_count; i++)
		GEMP_TRY(gemp_cypher_aggregate_add(&g->aggregates[i], &g->cursor.environment, group, &g->arena));
	return GEMP_OK;
}

static gemp_code add_rows(grouping *g)
{
	for (size_t begin = 0, end; begin < g->in->rows; begin = end) {
		end = gemp_cypher_block_end(begin, g->in->rows);
		GEMP_TRY(gemp_cypher_engine_check(g->engine, "grouping rows", begin));
		GEMP_TRY(gemp_cypher_cursor_block(&g->cursor, begin, end));
		for (size_t r = begin; r < end; r++)
			GEMP_TRY(add_row(g, r));
	}
	return GEMP_OK;
}

static gemp_code accumulate(grouping *g)
{
	bool counts_only = g->key_count == 0;
	if (g->key_count == 0)
		for (size_t i = 0; i < g->engine->outer_rows; i++)
			GEMP_TRY(add_group(g, SIZE_MAX));
	for (size_t i = 0; i < g->aggregate_count; i++)
		counts_only &= g->aggregates[i].kind == GEMP_CYPHER_COUNT_STAR;
	return counts_only ? count_rows(g) : add_rows(g);
}

/* RESULTS */

/* The keys of a group are those of its first row. Aggregates are evaluated beside that row. */
static gemp_code finish_group(grouping *g, gemp_cypher_cursor *cursor, size_t group, gemp_datum *cells)
{
	size_t key = 0;
	gemp_cypher_cursor_row(cursor, group);
	for (size_t i = 0; i < g->aggregate_count; i++)
		GEMP_TRY(gemp_cypher_aggregate_finish(&g->aggregates[i], &cursor->environment, group, &g->results[i]));
	for (const gemp_cypher_item *item = g->clause->items; item; item = item->next) {
		gemp_datum *cell = &cells[item->slot];
		if (key < g->key_count && g->keys[key] == item) {
			*cell = gemp_cypher_table_row(&g->groups.rows, group)[key++];
			continue;
		}
		GEMP_TRY(gemp_cypher_evaluate(&cursor->environment, item->expr, cell));
		if (item->expr->aggregate < 0)
			GEMP_TRY(gemp_datum_copy(cell, cursor->environment.arena, *cell));
	}
	return GEMP_OK;
}

/* Values beside the aggregates are copied, since they may lie in the arena of `in`. */
static gemp_code finish(grouping *g, gemp_cypher_table *out)
{
	GEMP_OWNED_BY(gemp_cypher_cursor_close) gemp_cypher_cursor cursor = { 0 };
	const size_t slots = g->cursor.environment.slots;
	out->width = (size_t)g->clause->width_out;
	out->with_origin = g->in->with_origin;
	GEMP_TRY(gemp_cypher_table_reserve(out, g->count));
	GEMP_TRY(gemp_cypher_cursor_open(&cursor, g->engine, g->in, NULL, slots, &out->arena));
	cursor.source = g->source;
	cursor.environment.aggregates = g->results;
	for (const gemp_cypher_item *item = g->clause->items; item; item = item->next)
		if (gemp_cypher_has_aggregate(item->expr))
			GEMP_TRY(gemp_cypher_cursor_expect(&cursor, item->expr));
	for (size_t begin = 0, end; begin < g->count; begin = end) {
		end = gemp_cypher_block_end(begin, g->count);
		GEMP_TRY(gemp_cypher_engine_check(g->engine, "groups", begin));
		GEMP_TRY(gemp_cypher_cursor_block(&cursor, begin, end));
		for (size_t group = begin; group < end; group++) {
			gemp_datum *cells;
			GEMP_TRY(gemp_cypher_table_add(out, &cells));
			if (out->with_origin)
				out->origin[group] = g->key_count ? gemp_cypher_table_origin(&g->groups.rows, group) : group;
			GEMP_TRY(finish_group(g, &cursor, group, cells));
		}
	}
	gemp_arena_join(&out->arena, &g->arena);
	gemp_arena_join(&out->arena, &g->groups.rows.arena);
	return GEMP_OK;
}

gemp_code gemp_cypher_group(gemp_cypher_engine *engine, const gemp_cypher_clause *clause, const gemp_cypher_table *in,
                            gemp_cypher_table *out, size_t **source)
{
	GEMP_OWNED_BY(grouping_free) grouping g = { .engine = engine, .clause = clause, .in = in };
	GEMP_TRY(setup(&g));
	GEMP_TRY(accumulate(&g));
	GEMP_TRY(finish(&g, out));
	*source = g.source;
	g.source = NULL;
	return GEMP_OK;
}
