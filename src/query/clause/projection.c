/* Items and WHERE share one stage, projection_stage, and differ in the function that takes the rows. */

#include "query/clause/projection.h"

#include "core/loop_failure.h"
#include "core/threads.h"
#include "graph/column_bulk.h"
#include "query/clause/aggregate.h"

#include <string.h>

enum { CHUNK_ROWS = 1 << 12 }; /* rows that a thread evaluates at a time */

/* ITEMS */

/* Vertices and edges stay elements until the output, so that later clauses can read their attributes. */
gemp_cell_kind gemp_projection_cell(const gemp_expr *expr)
{
	return expr->kind == GEMP_VERTEX ? GEMP_CELL_VERTEX : expr->kind == GEMP_EDGE ? GEMP_CELL_EDGE : GEMP_CELL_VALUE;
}

/* An attribute that no vertex has is NULL in every row, so any type is right. */
static gemp_type attribute_type(const gemp_shard *graph, const gemp_expr *expr)
{
	if (expr->of_edge)
		return gemp_shard_edge_attribute_type(graph, expr->name);
	return expr->attribute >= 0 ? graph->attributes.columns[expr->attribute].type : GEMP_STRING;
}

/* An element has the type of its final form: a vertex is written as its key, an edge as a string. */
gemp_type gemp_projection_type(const gemp_shard *graph, const gemp_expr *expr)
{
	switch (expr->kind) {
	case GEMP_VERTEX:
	case GEMP_KEY: return graph->keys.type;
	case GEMP_EDGE:
	case GEMP_TYPE: return GEMP_STRING;
	case GEMP_ATTRIBUTE: return attribute_type(graph, expr);
	case GEMP_LITERAL: return expr->value.type;
	case GEMP_COUNT_STAR ... GEMP_COLLECT:
		return gemp_aggregate_type(expr, expr->count ? gemp_projection_type(graph, expr->children[0]) : GEMP_INTEGER);
	default: return expr->type;
	}
}

/* A column has the name of its item. The hidden items of ORDER BY have empty names. */
gemp_code gemp_projection_columns(gemp_frame *out, const gemp_shard *graph, const gemp_projection_item *items,
                                  size_t count)
{
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame made = { 0 };
	GEMP_TRY(gemp_frame_init(&made, count));
	for (size_t i = 0; i < count; i++)
		GEMP_TRY(gemp_frame_set(&made, i, gemp_projection_cell(items[i].expr), items[i].name,
		                        gemp_projection_type(graph, items[i].expr)));
	*out = made;
	made = (gemp_frame){ 0 };
	return GEMP_OK;
}

/* EVALUATION */

/* A stage of items or of WHERE. The frame `out` is reused for every push. */
typedef struct projection_stage {
	gemp_runtime *context;
	gemp_row_stage *next;
	gemp_lookup *lookup;
	gemp_frame_map map;
	size_t count;
	gemp_projection_item *items; /* [count]; a WHERE stage has its condition as the only item */
	gemp_frame out;
} projection_stage;

/* Adds a value. An integer in a column of floats becomes a float. Type inference excludes every other mismatch. */
static gemp_code add_value(gemp_column *column, gemp_value value)
{
	if (!value.null && value.type == GEMP_INTEGER && column->type == GEMP_FLOAT)
		value = (gemp_value){ .type = GEMP_FLOAT, .real = (double)value.integer };
	if (!value.null && value.type != column->type)
		return gemp_fail(GEMP_EINTERNAL, "column '%s' is to hold values of type %s, and got one of type %s",
		                 column->name, gemp_type_name[column->type], gemp_type_name[value.type]);
	return gemp_column_add(column, &value);
}

/* A column keeps its dictionary. Values are copied one by one only if integers have to become floats. */
static gemp_code copy_cells(gemp_frame_column *out, const gemp_frame_column *from, size_t rows)
{
	if (out->kind != GEMP_CELL_VALUE) {
		GEMP_TRY(GEMP_RESERVE(out->elements, out->capacity, rows));
		gemp_parallel_copy(out->elements, from->elements, rows * sizeof *out->elements);
		return GEMP_OK;
	}
	if (from->dictionary && from->dictionary->type == out->values.type) {
		GEMP_TRY(GEMP_RESERVE(out->index, out->index_capacity, rows));
		gemp_parallel_copy(out->index, from->index, rows * sizeof *out->index);
		out->dictionary = from->dictionary;
		return GEMP_OK;
	}
	out->folded = from->folded;
	if (rows && !from->dictionary && from->values.type == out->values.type)
		return gemp_column_append(&out->values, &from->values);
	for (size_t row = 0; row < rows; row++)
		GEMP_TRY(add_value(&out->values, gemp_frame_value(from, row)));
	return GEMP_OK;
}

/* One item, whose rows the threads evaluate. */
typedef struct item_task {
	const projection_stage *stage;
	const gemp_expr *expr;
	gemp_column *chunks; /* [chunks] values of each chunk of rows */
	uint32_t *index;     /* [rows] rows of the dictionary */
	gemp_loop_failure failure;
} item_task;

static void find_rows(void *context, size_t chunk, size_t begin, size_t end)
{
	const item_task *t = context;
	(void)chunk;
	gemp_lookup_rows(t->stage->lookup, t->expr, begin, end - begin, t->index + begin);
}

/* The values of an attribute or a key are rows of a column, which becomes the dictionary. Sets *done if the item is
 * one. */
static gemp_code find_dictionary(const projection_stage *e, const gemp_expr *expr, size_t rows, gemp_frame_column *out,
                                 bool *done)
{
	item_task t = { .stage = e, .expr = expr };
	const gemp_column *dictionary = gemp_lookup_rows(e->lookup, expr, 0, 0, NULL);
	*done = dictionary && dictionary->type == out->values.type && rows;
	if (!*done)
		return GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(out->index, out->index_capacity, rows));
	t.index = out->index;
	gemp_for_chunks(rows, CHUNK_ROWS, find_rows, &t);
	out->dictionary = dictionary;
	return GEMP_OK;
}

static gemp_code evaluate_rows(const item_task *t, gemp_column *out, size_t begin, size_t end)
{
	GEMP_OWNED_BY(gemp_arena_free) gemp_arena scratch = { 0 };
	gemp_lookup_reader reader;
	gemp_lookup_reader_init(&reader, t->stage->lookup);
	for (reader.row = begin; reader.row < end; reader.row++) {
		gemp_value value;
		gemp_arena_reset(&scratch);
		GEMP_TRY(gemp_expr_value(t->expr, &reader.scope, &scratch, &value));
		GEMP_TRY(add_value(out, value));
	}
	return GEMP_OK;
}

static void evaluate_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	item_task *t = context;
	if (!gemp_loop_failed(&t->failure))
		gemp_loop_record(&t->failure, evaluate_rows(t, &t->chunks[chunk], begin, end));
}

/* A compiled regular expression has memory for one match at a time (gemp_regex). */
static bool one_thread_only(const gemp_expr *expr)
{
	bool found = expr->kind == GEMP_MATCHES;
	for (size_t i = 0; i < expr->count && !found; i++)
		found = one_thread_only(expr->children[i]);
	return found;
}

/* Threads evaluate chunks of rows into columns of their own, which are then joined. */
static gemp_code evaluate_chunks(item_task *t, gemp_column *out, size_t rows)
{
	const size_t chunks = (rows + CHUNK_ROWS - 1) / CHUNK_ROWS;
	gemp_code code = GEMP_NEW(t->chunks, chunks);
	for (size_t i = 0; i < chunks; i++)
		GEMP_THEN(gemp_column_init(&t->chunks[i], out->name ? out->name : "", out->type));
	if (code == GEMP_OK) {
		gemp_for_chunks(rows, CHUNK_ROWS, evaluate_chunk, t);
		code = gemp_loop_status(&t->failure);
	}
	for (size_t i = 0; t->chunks && i < chunks; i++) {
		GEMP_THEN(gemp_column_append(out, &t->chunks[i]));
		gemp_column_free(&t->chunks[i]);
	}
	gemp_free(t->chunks);
	return code;
}

/* An item that is only a column is copied without evaluation. */
static gemp_code evaluate_item(projection_stage *e, size_t i, const gemp_frame *frame)
{
	item_task t = { .stage = e, .expr = e->items[i].expr };
	gemp_frame_column *out = &e->out.columns[i];
	size_t source_column;
	bool done;
	if (gemp_frame_map_column(&e->map, t.expr, &source_column))
		return copy_cells(out, &frame->columns[source_column], frame->rows);
	GEMP_TRY(find_dictionary(e, t.expr, frame->rows, out, &done));
	if (done)
		return GEMP_OK;
	if (frame->rows <= CHUNK_ROWS || one_thread_only(t.expr))
		return evaluate_rows(&t, &out->values, 0, frame->rows);
	return evaluate_chunks(&t, &out->values, frame->rows);
}

/* Multiplicities move to the new frame instead of being copied. */
static gemp_code evaluate_items(projection_stage *e, gemp_frame *frame)
{
	gemp_frame_clear(&e->out);
	for (size_t i = 0; i < e->count; i++)
		GEMP_TRY(evaluate_item(e, i, frame));
	e->out.rows = frame->rows;
	e->out.multiplicity = frame->multiplicity;
	e->out.multiplicity_capacity = frame->multiplicity_capacity;
	frame->multiplicity = NULL;
	frame->multiplicity_capacity = 0;
	return GEMP_OK;
}

/* Collective. Fetches the attributes that the items read, evaluates the items, and passes the frame on. The fetched
 * values may be dictionaries of its columns, so they are kept until the push ends. */
static gemp_code items_push(void *self, gemp_frame *frame, bool last, bool *enough)
{
	projection_stage *e = self;
	const double t = gemp_now(), before = gemp_timers_sum(&e->context->timers);
	GEMP_TRY(gemp_lookup_fetch(e->lookup, frame));
	gemp_code code = evaluate_items(e, frame);
	gemp_timers_add_rest(&e->context->timers, GEMP_PHASE_ATTRIBUTES, t, before);
	GEMP_TRY(gemp_comm_agree(e->context->comm, code));
	code = e->next->push(e->next->self, &e->out, last, enough);
	gemp_frame_clear(&e->out);
	gemp_lookup_forget(e->lookup);
	return code;
}

/* Picks the rows for which the condition is true. A condition that is NULL (unknown) counts as false. */
static gemp_code select_rows(projection_stage *e, const gemp_frame *frame, uint64_t *picked, size_t *count)
{
	GEMP_OWNED_BY(gemp_arena_free) gemp_arena scratch = { 0 };
	gemp_lookup_reader reader;
	gemp_lookup_reader_init(&reader, e->lookup);
	*count = 0;
	for (; reader.row < frame->rows; reader.row++) {
		bool truth;
		gemp_arena_reset(&scratch);
		GEMP_TRY(gemp_expr_test(e->items[0].expr, &reader.scope, &scratch, &truth));
		if (truth)
			picked[(*count)++] = reader.row;
	}
	return GEMP_OK;
}

/* Collective. The output frame is made anew for each push, because gemp_frame_pick makes a new frame. */
static gemp_code where_push(void *self, gemp_frame *frame, bool last, bool *enough)
{
	projection_stage *e = self;
	GEMP_OWNED uint64_t *picked = NULL;
	size_t count;
	const double t = gemp_now(), before = gemp_timers_sum(&e->context->timers);
	GEMP_TRY(gemp_lookup_fetch(e->lookup, frame));
	gemp_frame_free(&e->out);
	gemp_code code = GEMP_NEW(picked, frame->rows);
	GEMP_THEN(select_rows(e, frame, picked, &count));
	GEMP_THEN(gemp_frame_pick(&e->out, frame, picked, count));
	gemp_timers_add_rest(&e->context->timers, GEMP_PHASE_ATTRIBUTES, t, before);
	GEMP_TRY(gemp_comm_agree(e->context->comm, code));
	gemp_lookup_forget(e->lookup);
	return e->next->push(e->next->self, &e->out, last, enough);
}

/* The stage may be only partly set up. */
static void projection_free(void *self)
{
	projection_stage *e = self;
	if (!e)
		return;
	gemp_lookup_free(e->lookup);
	gemp_frame_free(&e->out);
	gemp_free_all(e->items, e);
}

GEMP_RELEASE(projection_free, projection_stage *)

/* The lookup reads from the expressions which attributes must be fetched. */
static gemp_code set_up(projection_stage *e, gemp_shard *graph, const gemp_projection_item *items, size_t count)
{
	GEMP_OWNED const gemp_expr **exprs = NULL;
	GEMP_TRY(GEMP_COPY(e->items, items, count));
	GEMP_TRY(GEMP_NEW(exprs, count));
	e->count = count;
	for (size_t i = 0; i < count; i++)
		exprs[i] = items[i].expr;
	GEMP_TRY(gemp_projection_columns(&e->out, graph, items, count));
	return gemp_lookup_new(&e->lookup, e->context, graph, &e->map, exprs, count);
}

/* Collective. The columns of the output frame are made once, and each push fills them again. In a WHERE stage the
 * columns of its input replace them. */
gemp_code gemp_projection_new(gemp_row_stage *out, gemp_runtime *context, gemp_shard *graph, const gemp_frame_map *map,
                              const gemp_projection_item *items, size_t count, gemp_row_stage *next)
{
	GEMP_OWNED_BY(projection_free_at) projection_stage *e = NULL;
	gemp_code code = GEMP_NEW(e, 1);
	if (code == GEMP_OK) {
		e->context = context;
		e->map = *map;
		e->next = next;
		code = set_up(e, graph, items, count);
	}
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	*out = (gemp_row_stage){ .self = e, .push = items_push, .free = projection_free };
	e = NULL;
	return GEMP_OK;
}

/* The condition is the only item of the stage. */
gemp_code gemp_projection_where(gemp_row_stage *out, gemp_runtime *context, gemp_shard *graph,
                                const gemp_frame_map *map, const gemp_expr *condition, gemp_row_stage *next)
{
	const gemp_projection_item item = { condition, "" };
	GEMP_TRY(gemp_projection_new(out, context, graph, map, &item, 1, next));
	out->push = where_push;
	return GEMP_OK;
}

/* SKIP AND LIMIT */

/* The sum saturates at UINT64_MAX, which means that there is no limit. */
uint64_t gemp_limit_end(uint64_t skip, uint64_t limit)
{
	return limit > UINT64_MAX - skip ? UINT64_MAX : skip + limit;
}

/* An exclusive scan numbers the rows in rank order. first and end are clipped to this rank's rows. */
void gemp_limit_rows(const gemp_comm *comm, size_t rows, uint64_t skip, uint64_t limit, size_t *first, size_t *end)
{
	uint64_t before = gemp_comm_exscan(comm, rows), stop = gemp_limit_end(skip, limit);
	*first = before >= skip ? 0 : skip - before < rows ? (size_t)(skip - before) : rows;
	*end = before >= stop ? 0 : stop - before < rows ? (size_t)(stop - before) : rows;
	*end = *end < *first ? *first : *end;
}

/* The counters are equal on all ranks, so all ranks reach the limit in the same call. */
typedef struct limit_stage {
	gemp_runtime *context;
	gemp_row_stage *next;
	uint64_t skip, limit; /* number of rows still to skip, and of rows still to pass */
	bool *some_left_out;
	bool ended;
} limit_stage;

/* Collective. SKIP and LIMIT count the rows of all ranks, in rank order. A sum over the ranks shows whether the limit
 * is reached. */
static gemp_code limit_push(void *self, gemp_frame *frame, bool last, bool *enough)
{
	limit_stage *c = self;
	const gemp_comm *comm = c->context->comm;
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame cut = { 0 };
	size_t first, end;
	if (c->ended)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(comm, gemp_frame_expand(frame, gemp_limit_end(c->skip, c->limit))));
	uint64_t all = gemp_comm_sum1(comm, frame->rows);
	gemp_limit_rows(comm, frame->rows, c->skip, c->limit, &first, &end);
	uint64_t skipped = all < c->skip ? all : c->skip, left = all - skipped;
	bool reached = c->limit < UINT64_MAX && left >= c->limit;
	*c->some_left_out |= skipped > 0 || left > c->limit || (reached && !last);
	c->skip -= skipped;
	c->limit -= c->limit == UINT64_MAX ? 0 : left < c->limit ? left : c->limit;
	GEMP_TRY(gemp_comm_agree(comm, gemp_frame_slice(&cut, frame, first, end - first)));
	GEMP_TRY(c->next->push(c->next->self, &cut, last || reached, enough));
	c->ended = last || reached || *enough;
	*enough |= reached;
	return GEMP_OK;
}

/* The stage owns no memory beside itself, so gemp_free is its function `free`. */
gemp_code gemp_limit_new(gemp_row_stage *out, gemp_runtime *context, uint64_t skip, uint64_t limit, bool *some_left_out,
                         gemp_row_stage *next)
{
	GEMP_OWNED limit_stage *c = NULL;
	GEMP_TRY(gemp_comm_agree(context->comm, GEMP_NEW(c, 1)));
	*c = (limit_stage){ context, next, skip, limit, some_left_out, false };
	*out = (gemp_row_stage){ .self = c, .push = limit_push, .free = gemp_free };
	c = NULL;
	return GEMP_OK;
}
