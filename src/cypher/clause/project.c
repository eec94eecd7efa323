#include "cypher/clause/project.h"

#include "core/memory.h"
#include "cypher/check/check.h"
#include "cypher/clause/element_order.h"
#include "cypher/clause/group.h"
#include "cypher/clause/order.h"
#include "cypher/clause/row_set.h"

#include <string.h>

typedef struct projection {
	gemp_cypher_engine *engine;
	const gemp_cypher_clause *clause;
	gemp_cypher_table *in;
	size_t slots;
	size_t skip, limit;     /* SIZE_MAX: no limit */
	gemp_cypher_table rows; /* the columns */
	bool keeps_source;      /* ORDER BY or WHERE follow */
	size_t *source;         /* [rows.rows] rows of `in`; NULL: row i, or not kept */
	size_t source_capacity;
} projection;

static void projection_free(projection *p)
{
	gemp_cypher_table_free(&p->rows);
	gemp_free(p->source);
}

/* SKIP AND LIMIT */

static gemp_code find_amount(projection *p, const gemp_cypher_expr *expr, const char *word, size_t *out)
{
	GEMP_OWNED_BY(gemp_cypher_cursor_close) gemp_cypher_cursor cursor = { 0 };
	gemp_datum value;
	if (!expr)
		return GEMP_OK;
	GEMP_TRY(gemp_cypher_cursor_open(&cursor, p->engine, NULL, NULL, p->slots, NULL));
	gemp_cypher_cursor_row(&cursor, 0);
	GEMP_TRY(gemp_cypher_evaluate(&cursor.environment, expr, &value));
	if (value.kind != GEMP_DATUM_INTEGER)
		return gemp_cypher_fail(&cursor.environment, expr, "%s needs an integer, not a value of type %s", word,
		                        gemp_datum_kind_name[value.kind]);
	if (value.integer < 0)
		return gemp_cypher_fail(&cursor.environment, expr, "%s needs a number that is not negative, not %lld", word,
		                        (long long)value.integer);
	*out = (size_t)value.integer;
	return GEMP_OK;
}

/* Keeps rows [skip, skip + limit) of each run of equal origins. Rows are ascending by origin. */
static void cut_rows(const projection *p, gemp_cypher_table *rows)
{
	size_t to = 0;
	if (!rows->origin) {
		gemp_cypher_table_cut(rows, p->skip, p->limit > SIZE_MAX - p->skip ? SIZE_MAX : p->skip + p->limit);
		return;
	}
	for (size_t r = 0, begin = 0; r < rows->rows; r++) {
		if (rows->origin[r] != rows->origin[begin])
			begin = r;
		if (r - begin < p->skip || r - begin - p->skip >= p->limit)
			continue;
		memmove(gemp_cypher_table_row(rows, to), gemp_cypher_table_row(rows, r), rows->width * sizeof *rows->cells);
		rows->origin[to++] = rows->origin[r];
	}
	rows->rows = to;
}

/* COLUMNS */

/* Variables alone are moved within the rows, if they do not become wider. */
static bool passes_variables(const projection *p)
{
	for (const gemp_cypher_item *item = p->clause->items; item; item = item->next)
		if (item->expr->kind != GEMP_CY_VARIABLE)
			return false;
	return !p->clause->distinct && !p->clause->orders && !p->clause->where &&
	       p->clause->width_out <= p->clause->width_in;
}

static gemp_code pass_variables(projection *p)
{
	GEMP_OWNED size_t *from = NULL;
	GEMP_OWNED gemp_datum *cells = NULL;
	const size_t width = (size_t)p->clause->width_out, old_width = p->in->width;
	bool same = width == old_width;
	GEMP_TRY(GEMP_NEW(from, width));
	GEMP_TRY(GEMP_NEW(cells, width));
	for (const gemp_cypher_item *item = p->clause->items; item; item = item->next)
		from[item->slot] = (size_t)item->expr->slot;
	for (size_t c = 0; c < width; c++)
		same &= from[c] == c;
	p->rows = *p->in;
	*p->in = (gemp_cypher_table){ 0 };
	for (size_t r = 0; r < p->rows.rows && !same; r++) {
		for (size_t c = 0; c < width; c++)
			cells[c] = p->rows.cells[r * old_width + from[c]];
		memcpy(p->rows.cells + r * width, cells, width * sizeof *cells);
	}
	p->rows.width = width;
	p->rows.capacity = p->rows.rows; /* of both arrays, whatever the widths */
	return GEMP_OK;
}

static gemp_code keep_source(projection *p, size_t row, size_t source)
{
	if (!p->keeps_source)
		return GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(p->source, p->source_capacity, row + 1));
	p->source[row] = source;
	return GEMP_OK;
}

static gemp_code evaluate_items(const projection *p, const gemp_cypher_cursor *cursor, gemp_datum *cells)
{
	for (const gemp_cypher_item *item = p->clause->items; item; item = item->next)
		GEMP_TRY(gemp_cypher_evaluate(&cursor->environment, item->expr, &cells[item->slot]));
	return GEMP_OK;
}

/* Adds row r to the distinct rows, or else to all rows. */
static gemp_code add_row(projection *p, gemp_cypher_cursor *cursor, size_t r, gemp_cypher_row_set *distinct,
                         gemp_datum *scratch)
{
	const size_t origin = gemp_cypher_table_origin(p->in, r);
	gemp_cypher_cursor_row(cursor, r);
	if (p->clause->distinct) {
		bool added;
		size_t index;
		GEMP_TRY(evaluate_items(p, cursor, scratch));
		GEMP_TRY(gemp_cypher_row_set_add(distinct, scratch, origin, &index, &added));
		return added ? keep_source(p, index, r) : GEMP_OK;
	}
	gemp_datum *cells;
	GEMP_TRY(gemp_cypher_table_add(&p->rows, &cells));
	if (p->rows.with_origin)
		p->rows.origin[p->rows.rows - 1] = origin;
	return evaluate_items(p, cursor, cells);
}

static gemp_code project_rows(projection *p)
{
	GEMP_OWNED_BY(gemp_cypher_cursor_close) gemp_cypher_cursor cursor = { 0 };
	GEMP_OWNED_BY(gemp_cypher_row_set_free) gemp_cypher_row_set distinct = { .copies = true };
	GEMP_OWNED gemp_datum *scratch = NULL;
	const bool is_distinct = p->clause->distinct;
	p->rows.width = distinct.rows.width = (size_t)p->clause->width_out;
	p->rows.with_origin = distinct.rows.with_origin = p->in->with_origin;
	GEMP_TRY(GEMP_NEW(scratch, p->rows.width));
	GEMP_TRY(gemp_cypher_cursor_open(&cursor, p->engine, p->in, NULL, p->slots, is_distinct ? NULL : &p->rows.arena));
	for (const gemp_cypher_item *item = p->clause->items; item; item = item->next)
		GEMP_TRY(gemp_cypher_cursor_expect(&cursor, item->expr));
	if (!is_distinct)
		GEMP_TRY(gemp_cypher_table_reserve(&p->rows, p->in->rows));
	for (size_t begin = 0, end; begin < p->in->rows; begin = end) {
		end = gemp_cypher_block_end(begin, p->in->rows);
		GEMP_TRY(gemp_cypher_engine_check(p->engine, "computing columns", begin));
		GEMP_TRY(gemp_cypher_cursor_block(&cursor, begin, end));
		for (size_t r = begin; r < end; r++)
			GEMP_TRY(add_row(p, &cursor, r, &distinct, scratch));
	}
	if (is_distinct) {
		p->rows = distinct.rows;
		distinct.rows = (gemp_cypher_table){ 0 };
	}
	return GEMP_OK;
}

/* ORDER BY */

static gemp_code evaluate_keys(projection *p, gemp_datum *keys, size_t width, gemp_arena *arena)
{
	GEMP_OWNED_BY(gemp_cypher_cursor_close) gemp_cypher_cursor cursor = { 0 };
	const size_t rows = p->rows.rows;
	GEMP_TRY(gemp_cypher_cursor_open(&cursor, p->engine, p->in, &p->rows, p->slots, arena));
	cursor.source = p->source;
	for (const gemp_cypher_order *order = p->clause->orders; order; order = order->next)
		GEMP_TRY(gemp_cypher_cursor_expect(&cursor, order->expr));
	for (size_t begin = 0, end; begin < rows; begin = end) {
		end = gemp_cypher_block_end(begin, rows);
		GEMP_TRY(gemp_cypher_engine_check(p->engine, "sorting rows", begin));
		GEMP_TRY(gemp_cypher_cursor_block(&cursor, begin, end));
		for (size_t r = begin; r < end; r++) {
			gemp_datum *key = keys + r * width;
			gemp_cypher_cursor_row(&cursor, r);
			for (const gemp_cypher_order *order = p->clause->orders; order; order = order->next)
				GEMP_TRY(gemp_cypher_evaluate(&cursor.environment, order->expr, key++));
		}
	}
	return GEMP_OK;
}

/* Brings the rows into the order, with their origins and sources. */
static gemp_code permute(projection *p, const size_t *order)
{
	const size_t rows = p->rows.rows, width = p->rows.width;
	gemp_datum *cells;
	size_t *source = NULL;
	GEMP_TRY(GEMP_NEW(cells, rows * width + 1));
	for (size_t r = 0; r < rows && width; r++)
		memcpy(cells + r * width, gemp_cypher_table_row(&p->rows, order[r]), width * sizeof *cells);
	gemp_free(p->rows.cells);
	p->rows.cells = cells;
	p->rows.capacity = rows;
	if (!p->clause->where)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(source, rows));
	for (size_t r = 0; r < rows; r++)
		source[r] = p->source ? p->source[order[r]] : order[r];
	gemp_free(p->source);
	p->source = source;
	return GEMP_OK;
}

static gemp_code sort_rows(projection *p)
{
	GEMP_OWNED gemp_datum *keys = NULL;
	GEMP_OWNED bool *descending = NULL;
	GEMP_OWNED size_t *order = NULL;
	GEMP_OWNED_BY(gemp_arena_free) gemp_arena arena = { 0 };
	size_t width = 0;
	for (const gemp_cypher_order *at = p->clause->orders; at; at = at->next)
		GEMP_TRY(GEMP_APPEND(descending, width, &at->descending));
	GEMP_TRY(GEMP_NEW(keys, p->rows.rows * width));
	GEMP_TRY(GEMP_NEW(order, p->rows.rows));
	GEMP_TRY(evaluate_keys(p, keys, width, &arena));
	GEMP_TRY(gemp_cypher_order_elements(p->engine, keys, p->rows.rows * width, &arena));
	GEMP_TRY(gemp_cypher_sort(order, keys, width, descending, p->rows.origin, p->rows.rows));
	return permute(p, order);
}

/* SOURCES follow the rows that SKIP and LIMIT keep. */
static gemp_code cut_result(projection *p)
{
	size_t to = 0;
	if (p->clause->where) {
		if (!p->source) {
			GEMP_TRY(GEMP_NEW(p->source, p->rows.rows));
			for (size_t r = 0; r < p->rows.rows; r++)
				p->source[r] = r;
		}
		for (size_t r = 0, begin = 0; r < p->rows.rows; r++) {
			if (gemp_cypher_table_origin(&p->rows, r) != gemp_cypher_table_origin(&p->rows, begin))
				begin = r;
			if (r - begin >= p->skip && r - begin - p->skip < p->limit)
				p->source[to++] = p->source[r];
		}
	}
	cut_rows(p, &p->rows);
	return GEMP_OK;
}

/* WHERE */

gemp_code gemp_cypher_filter(gemp_cypher_engine *engine, const gemp_cypher_expr *where, size_t slots,
                             const gemp_cypher_table *old, size_t *source, gemp_cypher_table *rows)
{
	GEMP_OWNED_BY(gemp_cypher_cursor_close) gemp_cypher_cursor cursor = { 0 };
	size_t to = 0;
	GEMP_TRY(gemp_cypher_cursor_open(&cursor, engine, old ? old : rows, old ? rows : NULL, slots, NULL));
	cursor.source = source;
	GEMP_TRY(gemp_cypher_cursor_expect(&cursor, where));
	for (size_t begin = 0, end; begin < rows->rows; begin = end) {
		end = gemp_cypher_block_end(begin, rows->rows);
		GEMP_TRY(gemp_cypher_engine_check(engine, "testing conditions", begin));
		GEMP_TRY(gemp_cypher_cursor_block(&cursor, begin, end));
		for (size_t r = begin; r < end; r++) {
			gemp_truth truth;
			gemp_cypher_cursor_row(&cursor, r);
			GEMP_TRY(gemp_cypher_condition(&cursor.environment, where, &truth));
			if (truth != GEMP_IS_TRUE)
				continue;
			if (to != r && rows->width)
				memcpy(gemp_cypher_table_row(rows, to), gemp_cypher_table_row(rows, r),
				       rows->width * sizeof *rows->cells);
			if (rows->origin)
				rows->origin[to] = rows->origin[r];
			if (source)
				source[to] = source[r];
			to++;
		}
	}
	rows->rows = to;
	return GEMP_OK;
}

/* CLAUSE */

static bool has_groups(const gemp_cypher_clause *clause)
{
	return clause->aggregates > 0;
}

/* DISTINCT after groups. Only few groups become equal, so the rows are not copied. */
static gemp_code drop_duplicates(projection *p)
{
	GEMP_OWNED_BY(gemp_cypher_row_set_free) gemp_cypher_row_set distinct = { 0 };
	distinct.rows.width = p->rows.width;
	distinct.rows.with_origin = p->rows.with_origin;
	for (size_t r = 0; r < p->rows.rows; r++) {
		const size_t origin = gemp_cypher_table_origin(&p->rows, r);
		bool added;
		size_t index;
		GEMP_TRY(gemp_cypher_row_set_add(&distinct, gemp_cypher_table_row(&p->rows, r), origin, &index, &added));
		if (added && p->source)
			p->source[index] = p->source[r];
	}
	gemp_arena_join(&distinct.rows.arena, &p->rows.arena);
	gemp_cypher_table_free(&p->rows);
	p->rows = distinct.rows;
	distinct.rows = (gemp_cypher_table){ 0 };
	return GEMP_OK;
}

static gemp_code make_rows(projection *p)
{
	const gemp_cypher_clause *clause = p->clause;
	if (has_groups(clause))
		return gemp_cypher_group(p->engine, clause, p->in, &p->rows, &p->source);
	if (!clause->distinct && !clause->orders && (clause->skip || clause->limit)) {
		cut_rows(p, p->in); /* before columns are computed that nobody sees */
		p->skip = 0;
		p->limit = SIZE_MAX;
	}
	return passes_variables(p) ? pass_variables(p) : project_rows(p);
}

gemp_code gemp_cypher_project(gemp_cypher_engine *engine, const gemp_cypher_clause *clause, gemp_cypher_table *in,
                              gemp_cypher_table *out)
{
	GEMP_OWNED_BY(projection_free)
	projection p = { .engine = engine, .clause = clause, .in = in, .limit = SIZE_MAX };
	p.slots = (size_t)gemp_cypher_clause_slots(clause);
	p.keeps_source = clause->distinct && (clause->orders || clause->where);
	GEMP_TRY(find_amount(&p, clause->skip, "SKIP", &p.skip));
	GEMP_TRY(find_amount(&p, clause->limit, "LIMIT", &p.limit));
	GEMP_TRY(make_rows(&p));
	if (has_groups(clause) && clause->distinct)
		GEMP_TRY(drop_duplicates(&p));
	if (clause->orders)
		GEMP_TRY(sort_rows(&p));
	if (p.skip || p.limit < p.rows.rows)
		GEMP_TRY(cut_result(&p));
	if (clause->where)
		GEMP_TRY(gemp_cypher_filter(engine, clause->where, p.slots, in, p.source, &p.rows));
	*out = p.rows;
	p.rows = (gemp_cypher_table){ 0 };
	if (!has_groups(clause) && !clause->distinct)
		gemp_arena_join(&out->arena, &in->arena);
	return GEMP_OK;
}
