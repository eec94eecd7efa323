/* Shared by tests of WITH and RETURN: random clauses over random rows of a graph that every rank knows (made_graph.h),
 * and the output of a pipeline for them. */
#ifndef GEMP_TESTS_QUERY_CASE_H
#define GEMP_TESTS_QUERY_CASE_H

#include "made_graph.h"

#include "comm/comm.h"
#include "core/status.h"
#include "core/text.h"
#include "core/types.h"
#include "graph/batch.h"
#include "graph/column.h"
#include "io/rows/row_text.h"
#include "pattern/bind/bind.h"
#include "pattern/model/expr.h"
#include "pattern/model/pattern.h"
#include "pattern/semantic/parse.h"
#include "query/clause/pipeline.h"
#include "query/clause/projection.h"
#include "query/output/output_columns.h"
#include "query/rows/frame.h"

enum { MAX_ROWS = 300, ROUNDS = 3, VERTICES = 3, EDGES = 2, MAX_ITEMS = 8 };

/* A match: its vertices and edges, its multiplicity, and the round and the rank that pass it on. */
typedef struct input_row {
	gemp_vertex vertices[VERTICES];
	gemp_edge edges[EDGES];
	uint64_t times;
	int round, rank;
} input_row;

/* Random matches of a pattern in a graph that every rank knows. */
typedef struct input_rows {
	made_graph *made;
	gemp_pattern *pattern;
	size_t rows;
	bool counted; /* rows have multiplicities */
	input_row row[MAX_ROWS];
} input_rows;

/* CLAUSES */

static const char *const attribute_name[MADE_ATTRIBUTES] = { "name", "age", "size", "good" };
static const gemp_type attribute_type[MADE_ATTRIBUTES] = { GEMP_STRING, GEMP_INTEGER, GEMP_FLOAT, GEMP_BOOLEAN };

static inline gemp_expr *node(gemp_expr_kind kind, gemp_type type)
{
	gemp_expr *expr;
	assert_ok(gemp_expr_new(&expr, kind, 1, 1));
	expr->type = type;
	return expr;
}

static inline gemp_expr *element(int variable, bool edge)
{
	gemp_expr *expr = node(edge ? GEMP_EDGE : GEMP_VERTEX, GEMP_STRING);
	expr->variable = variable;
	expr->of_edge = edge;
	return expr;
}

static inline gemp_expr *attribute(int variable, int which)
{
	gemp_expr *expr = node(GEMP_ATTRIBUTE, attribute_type[which]);
	expr->variable = variable;
	expr->attribute = which;
	expr->name = gemp_strdup(attribute_name[which]);
	return expr;
}

static inline gemp_expr *key_of(int vertex)
{
	gemp_expr *key = node(GEMP_KEY, GEMP_INTEGER);
	key->variable = vertex;
	return key;
}

static inline gemp_expr *plus(gemp_expr *value, int64_t number)
{
	gemp_expr *expr = node(GEMP_ADD, GEMP_INTEGER);
	assert_ok(gemp_expr_children(expr, 2));
	expr->children[0] = value;
	expr->children[1] = node(GEMP_LITERAL, GEMP_INTEGER);
	expr->children[1]->value = (gemp_value){ .type = GEMP_INTEGER, .integer = number };
	return expr;
}

/* Makes an expression for the number of edges of some relations that begin at a vertex. */
static inline gemp_expr *degree_of(int vertex, bool likes, bool owes)
{
	gemp_expr *expr = node(GEMP_DEGREE, GEMP_INTEGER);
	expr->variable = vertex;
	assert_ok(GEMP_NEW(expr->relations, MADE_RELATIONS));
	expr->relations[0] = likes;
	expr->relations[1] = owes;
	return expr;
}

static inline gemp_vertex largest_key(const made_graph *made)
{
	gemp_vertex id = 0;
	while (made->key_rank[id] != MADE_VERTICES - 1)
		id++;
	return id;
}

static inline gemp_expr *edge_attribute(int variable)
{
	gemp_expr *expr = node(GEMP_ATTRIBUTE, GEMP_INTEGER);
	expr->variable = variable;
	expr->of_edge = true;
	expr->name = gemp_strdup("weight");
	return expr;
}

static inline gemp_expr *parent(gemp_expr_kind kind, gemp_type type, gemp_expr *child)
{
	gemp_expr *expr = node(kind, type);
	assert_ok(gemp_expr_children(expr, 1));
	expr->children[0] = child;
	return expr;
}

/* The names that a clause may use: variables of the match, or items of WITH. */
typedef struct source {
	size_t vertex_count, edge_count, value_count;
	int vertices[MAX_ITEMS], edges[MAX_ITEMS], values[MAX_ITEMS];
	gemp_type types[MAX_ITEMS];
} source;

static const source of_match = { 3, 2, 0, { 0, 1, 2 }, { 0, 1 }, { 0 }, { 0 } };

static inline gemp_expr *random_value(const source *from, uint64_t *seed)
{
	uint64_t what = gemp_random_below(seed, 11);
	if (from->value_count && (what < 6 || !from->vertex_count)) {
		size_t i = gemp_random_below(seed, from->value_count);
		gemp_expr *expr = node(GEMP_COLUMN, from->types[i]);
		expr->item = (size_t)from->values[i];
		return expr;
	}
	if (from->edge_count && (what == 6 || !from->vertex_count))
		return edge_attribute(from->edges[gemp_random_below(seed, from->edge_count)]);
	if (!from->vertex_count)
		return node(GEMP_COUNT_STAR, GEMP_INTEGER);
	int vertex = from->vertices[gemp_random_below(seed, from->vertex_count)];
	if (what == 7) {
		return key_of(vertex);
	}
	if (what == 9)
		return plus(attribute(vertex, MADE_AGE), (int64_t)gemp_random_below(seed, 9));
	if (what == 8)
		return degree_of(vertex, gemp_random_below(seed, 2), true);
	return attribute(vertex, (int)gemp_random_below(seed, MADE_ATTRIBUTES));
}

static inline gemp_expr *random_plain(const source *from, uint64_t *seed)
{
	uint64_t what = gemp_random_below(seed, 6);
	if (what == 0 && from->edge_count)
		return element(from->edges[gemp_random_below(seed, from->edge_count)], true);
	if (what < 3 && from->vertex_count)
		return element(from->vertices[gemp_random_below(seed, from->vertex_count)], false);
	return random_value(from, seed);
}

static inline gemp_expr *random_aggregate(const source *from, uint64_t *seed)
{
	gemp_expr *child = gemp_random_below(seed, 2) ? random_plain(from, seed) : random_value(from, seed);
	bool number = child->kind != GEMP_VERTEX && child->kind != GEMP_EDGE &&
	              (child->type == GEMP_INTEGER || child->type == GEMP_FLOAT);
	bool value = child->kind != GEMP_VERTEX && child->kind != GEMP_EDGE;
	static const gemp_expr_kind kinds[] = { GEMP_COUNT, GEMP_COLLECT, GEMP_MIN, GEMP_MAX, GEMP_SUM, GEMP_AVG };
	gemp_expr_kind kind = kinds[gemp_random_below(seed, number ? 6 : value ? 4 : 2)];
	if (kind == GEMP_COLLECT && value && child->type == GEMP_LIST)
		kind = GEMP_COUNT;
	if (child->kind == GEMP_COUNT_STAR)
		return child;
	gemp_type type = kind == GEMP_COUNT     ? GEMP_INTEGER
	                 : kind == GEMP_COLLECT ? GEMP_LIST
	                 : kind == GEMP_AVG     ? GEMP_FLOAT
	                                        : child->type;
	gemp_expr *expr = parent(kind, type, child);
	expr->distinct = gemp_random_below(seed, 3) == 0;
	return type == GEMP_INTEGER && gemp_random_below(seed, 3) == 0 ? plus(expr, 5) : expr;
}

/* Returns the aggregate if the expression is an aggregate or the sum of an aggregate and a number, otherwise NULL. */
static inline const gemp_expr *aggregate_of(const gemp_expr *expr)
{
	const gemp_expr *inner = expr->kind == GEMP_ADD ? expr->children[0] : expr;
	return inner->kind >= GEMP_COUNT_STAR ? inner : NULL;
}

static inline bool is_aggregate(const gemp_expr *expr)
{
	return aggregate_of(expr) != NULL;
}

static inline void random_clause(gemp_clause *clause, const source *from, uint64_t *seed)
{
	*clause = (gemp_clause){ .item_count = 1 + gemp_random_below(seed, 4) };
	uint64_t kind = gemp_random_below(seed, 3); /* 0: no aggregates, 1: both, 2: only aggregates */
	clause->shown = clause->item_count;
	assert_ok(GEMP_NEW(clause->items, clause->item_count));
	for (size_t i = 0; i < clause->item_count; i++) {
		char name[32];
		bool aggregate = kind == 2 || (kind == 1 && gemp_random_below(seed, 2));
		clause->items[i].expr = aggregate ? random_aggregate(from, seed) : random_plain(from, seed);
		clause->grouped |= is_aggregate(clause->items[i].expr);
		snprintf(name, sizeof name, "c%zu", i);
		clause->items[i].name = gemp_strdup(name);
	}
	clause->distinct = gemp_random_below(seed, 3) == 0;
	if (gemp_random_below(seed, 2)) {
		clause->order_count = 1 + gemp_random_below(seed, 2);
		assert_ok(GEMP_NEW(clause->orders, clause->order_count));
		for (size_t i = 0; i < clause->order_count; i++)
			clause->orders[i] = (gemp_sort_item){ .item = gemp_random_below(seed, clause->item_count),
				                                  .descending = gemp_random_below(seed, 2) };
		if (!clause->distinct && clause->item_count > 1 && gemp_random_below(seed, 2))
			clause->shown--;
		clause->has_skip = gemp_random_below(seed, 3) == 0;
		clause->skip = clause->has_skip ? gemp_random_below(seed, 20) : 0;
		clause->has_limit = gemp_random_below(seed, 2);
		clause->limit = clause->has_limit ? gemp_random_below(seed, 40) : 0;
	}
}

static inline source items_of(const gemp_clause *clause)
{
	source from = { 0 };
	for (size_t i = 0; i < clause->shown; i++) {
		const gemp_expr *expr = clause->items[i].expr;
		if (expr->kind == GEMP_VERTEX) {
			from.vertices[from.vertex_count++] = (int)i;
		} else if (expr->kind == GEMP_EDGE) {
			from.edges[from.edge_count++] = (int)i;
		} else {
			from.types[from.value_count] = expr->type;
			from.values[from.value_count++] = (int)i;
		}
	}
	return from;
}

static inline void clause_clear(gemp_clause *clause)
{
	for (size_t i = 0; i < clause->item_count; i++) {
		gemp_expr_free(clause->items[i].expr);
		gemp_free(clause->items[i].name);
	}
	gemp_expr_free(clause->where);
	gemp_free(clause->items);
	gemp_free(clause->orders);
	*clause = (gemp_clause){ 0 };
}

static inline void clauses_clear(gemp_pattern *pattern)
{
	if (pattern->with)
		clause_clear(pattern->with);
	gemp_free(pattern->with);
	pattern->with = NULL;
	clause_clear(&pattern->result);
}

static inline void draw_clauses(input_rows *g, uint64_t *seed)
{
	gemp_pattern *pattern = g->pattern;
	source from = of_match;
	clauses_clear(pattern);
	if (gemp_random_below(seed, 2)) {
		assert_ok(GEMP_NEW(pattern->with, 1));
		random_clause(pattern->with, &from, seed);
		from = items_of(pattern->with);
		if (gemp_random_below(seed, 2))
			pattern->with->where = parent(GEMP_IS_NOT_NULL, GEMP_BOOLEAN, random_value(&from, seed));
		if (pattern->with->where && pattern->with->where->children[0]->kind == GEMP_COUNT_STAR) {
			gemp_expr_free(pattern->with->where);
			pattern->with->where = NULL;
		}
	}
	random_clause(&pattern->result, &from, seed);
}

static inline input_rows *input_rows_new(uint64_t seed, size_t rows)
{
	input_rows *g;
	assert_all_ok(GEMP_NEW(g, 1));
	g->made = made_graph_new(seed);
	g->rows = rows;
	g->counted = gemp_random_below(&seed, 2);
	assert_all_ok(gemp_pattern_parse(&g->pattern, "MATCH (a)-[r]->(b)<-[s]-(c) RETURN a", NULL));
	assert_all_ok(gemp_pattern_bind(g->pattern, &g->made->graph));
	uint64_t few = 1 + gemp_random_below(&seed, MADE_VERTICES);
	for (size_t i = 0; i < rows; i++) {
		input_row *row = &g->row[i];
		for (int v = 0; v < VERTICES; v++)
			row->vertices[v] = (gemp_vertex)gemp_random_below(&seed, few);
		for (int e = 0; e < EDGES; e++)
			row->edges[e] = gemp_random_below(&seed, MADE_RELATIONS * MADE_EDGES);
		if (gemp_random_below(&seed, 5) == 0) { /* as after an OPTIONAL MATCH without a match */
			row->vertices[2] = GEMP_NO_VERTEX;
			row->edges[1] = GEMP_NO_EDGE;
		}
		row->times = g->counted ? 1 + gemp_random_below(&seed, 3) : 1;
		row->round = (int)gemp_random_below(&seed, ROUNDS);
		row->rank = (int)gemp_random_below(&seed, (uint64_t)test_comm.size);
		if (row->rank == 2)
			row->rank = 0; /* rank 2 finds no rows */
	}
	draw_clauses(g, &seed);
	return g;
}

static inline void input_rows_free(input_rows *g)
{
	gemp_pattern_free(g->pattern);
	made_graph_free(g->made);
	gemp_free(g);
}

/* RESULTS */

/* Collects the rows that leave a pipeline. */
typedef struct output {
	const input_rows *g;
	gemp_text text; /* rows of all ranks in the order in which the pipeline passed them on */
	bool over;
	bool left_out;
} output;

static inline void print_value(gemp_text *out, gemp_value value)
{
	gemp_value_print(&value, out);
}

static inline gemp_code output_push(void *self, gemp_frame *frame, bool last, bool *enough)
{
	gemp_code code = GEMP_OK;
	output *o = self;
	size_t shown = o->g->pattern->result.shown, *begin = NULL;
	const gemp_projected *columns;
	GEMP_OWNED_BY(gemp_output_columns_free_at) gemp_output_columns *made = NULL;
	gemp_text mine = { 0 };
	void *all = NULL;
	GEMP_CHECK(!o->over);
	GEMP_TRY_DONE(gemp_comm_agree(&test_comm, gemp_frame_expand(frame, UINT64_MAX)));
	code = gemp_output_columns_new(&made, &o->g->made->context, &o->g->made->graph, o->g->pattern);
	GEMP_TRY_DONE(gemp_comm_agree(&test_comm, code));
	GEMP_TRY_DONE(gemp_output_columns_fill(made, frame, &columns));
	for (size_t row = 0; row < frame->rows; row++)
		for (size_t c = 0; c < shown; c++) {
			print_value(&mine, gemp_projected_value(&columns[c], row));
			if (columns[c].edge && !gemp_projected_value(&columns[c], row).null) {
				gemp_text_print(&mine, ":");
				print_value(&mine, gemp_column_get(&columns[c].source, row));
				gemp_text_print(&mine, "->");
				print_value(&mine, gemp_column_get(&columns[c].target, row));
			}
			gemp_text_print(&mine, c + 1 < shown ? "\t|" : "\1");
		}
	GEMP_TRY_DONE(gemp_comm_agree(&test_comm, gemp_text_status(&mine)));
	GEMP_TRY_DONE(gemp_comm_allgather(&test_comm, GEMP_OK, mine.data, mine.size, &all, &begin));
	gemp_text_add(&o->text, all, begin[test_comm.size]);
	code = gemp_comm_agree(&test_comm, gemp_text_status(&o->text));
	o->over = last;
	(void)enough;
done:
	gemp_text_free(&mine);
	gemp_free(all);
	gemp_free(begin);
	return code;
}

static inline gemp_code run(const input_rows *g, output *o)
{
	gemp_code code = GEMP_OK;
	gemp_pipeline *pipeline = NULL;
	gemp_row_store store = { 0 };
	uint64_t times[MAX_ROWS];
	bool enough = false;
	*o = (output){ .g = g };
	GEMP_TRY_DONE(gemp_pipeline_new(&pipeline, &g->made->context, &g->made->graph, g->pattern, true,
	                                &(gemp_row_stage){ .self = o, .push = output_push }));
	for (int round = 0; round < ROUNDS && !enough; round++) {
		gemp_row_store_clear(&store);
		for (size_t i = 0; i < g->rows && code == GEMP_OK; i++)
			if (g->row[i].round == round && g->row[i].rank == test_comm.rank) {
				times[store.rows] = g->row[i].times;
				code = gemp_row_store_add(&store,
				                          &(gemp_batch){ .rows = 1,
				                                         .vertex_count = VERTICES,
				                                         .edge_count = EDGES,
				                                         .vertices = g->row[i].vertices,
				                                         .edges = g->row[i].edges },
				                          1);
			}
		GEMP_TRY_DONE(gemp_comm_agree(&test_comm, code));
		GEMP_TRY_DONE(gemp_pipeline_push(pipeline, &store, g->counted ? times : NULL, round + 1 == ROUNDS, &enough));
	}
	GEMP_CHECK(o->over);
	o->left_out = gemp_pipeline_truncated(pipeline);
done:
	gemp_pipeline_free(pipeline);
	gemp_row_store_free(&store);
	return code;
}

#endif
