#include "query/clause/pipeline.h"

#include "core/memory.h"
#include "graph/column_bulk.h"
#include "query/clause/group.h"
#include "query/clause/group_items.h"
#include "query/clause/projection.h"
#include "query/clause/sorting.h"

#include <string.h>

/* PROPERTIES OF CLAUSES */

/* WITH and DISTINCT merge rows, and aggregates count rows. The search must therefore give every embedding, instead of
 * one match for each orbit. */
bool gemp_clause_wants_embeddings(const gemp_pattern *pattern)
{
	return pattern->with || pattern->result.grouped || pattern->result.distinct;
}

/* Elements of the pattern itself are always present. Elements of OPTIONAL MATCH have higher numbers and may be
 * missing. */
static bool is_never_null(const gemp_pattern *pattern, const gemp_expr *expr)
{
	return (expr->kind == GEMP_VERTEX && expr->variable < (int)pattern->vertex_count) ||
	       (expr->kind == GEMP_EDGE && expr->variable < (int)pattern->edge_count);
}

bool gemp_clause_counts_rows(const gemp_pattern *pattern, const gemp_expr *expr)
{
	return expr->kind == GEMP_COUNT_STAR ||
	       (expr->kind == GEMP_COUNT && !expr->distinct && is_never_null(pattern, expr->children[0]));
}

/* True if the number of matches determines the value of the expression. Such expressions are count(*), the count of an
 * element that is never NULL, and expressions over such counts and literals. */
static bool only_counts(const gemp_pattern *pattern, const gemp_expr *expr)
{
	if (gemp_clause_counts_rows(pattern, expr))
		return true;
	if (gemp_expr_is_aggregate(expr) || expr->variable >= 0 || expr->kind == GEMP_EXISTS || expr->kind == GEMP_COUNT_OF)
		return false;
	for (size_t i = 0; i < expr->count; i++)
		if (!only_counts(pattern, expr->children[i]))
			return false;
	return true;
}

/* Later clauses read only the items of the first clause, so the first clause alone decides. */
bool gemp_clause_only_counts(const gemp_pattern *pattern)
{
	const gemp_clause *clause = gemp_pattern_first_clause(pattern);
	for (size_t i = 0; i < clause->item_count; i++)
		if (!only_counts(pattern, clause->items[i].expr))
			return false;
	return clause->grouped;
}

/* False if a clause merges, sorts or skips rows. A LIMIT does not matter. */
bool gemp_clause_streams(const gemp_pattern *pattern)
{
	return !gemp_clause_wants_embeddings(pattern) && !pattern->result.order_count && !pattern->result.has_skip;
}

/* The set of edges that the expression reads, either an edge itself or an attribute of the edge. */
static uint64_t edges_of(const gemp_expr *expr)
{
	bool of_edge = expr->variable >= 0 && (expr->of_edge || expr->kind == GEMP_EDGE);
	uint64_t edges = of_edge ? UINT64_C(1) << expr->variable : 0;
	for (size_t i = 0; i < expr->count; i++)
		edges |= edges_of(expr->children[i]);
	return edges;
}

/* Later clauses read only the items of the first clause, so the first clause alone decides. */
uint64_t gemp_clause_edges(const gemp_pattern *pattern)
{
	const gemp_clause *clause = gemp_pattern_first_clause(pattern);
	uint64_t edges = 0;
	for (size_t i = 0; i < clause->item_count; i++)
		edges |= edges_of(clause->items[i].expr);
	return edges;
}

/* Groups and sorted rows need all rows anyway. Other rows are taken in blocks, which stay in the cache from stage to
 * stage and use the same memory: 1.5 million rows of three columns to TSV took 0.9 instead of 1.25 CPU seconds on two
 * cores (2026-11-30), and 180 MiB instead of 410. */
enum { STREAMED_ROWS = 1 << 16 };

enum {
	CLAUSES = 2,
	STAGES = 6 * CLAUSES + 1
}; /* six stages of each clause: keys and arguments, groups, items, DISTINCT, order, WHERE; one more is the output */

/* The chain of stages, and the state from which it is built. */
struct gemp_pipeline {
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_pattern *pattern;
	gemp_frame_map match, items; /* map variables to elements of a match, and to items of the previous clause */
	size_t stage_count;
	gemp_row_stage stages[STAGES]; /* each stage pushes into the next; the last stage is the output */
	gemp_group_items rewrites[CLAUSES];
	const gemp_folded_groups *folded; /* borrowed; NULL: rows are matches */
	gemp_frame source;                /* the rows of matches, with the columns of folded arguments */
	bool *used;                       /* [source.count] columns that the first clause reads */
	gemp_frame columns;               /* while the chain is built: the columns of the last stage so far */
	size_t block_rows;                /* max number of rows of a rank that the stages take at a time */
	bool left_out;
};

/* STAGES */

/* Returns the stage that follows the stage being made. Its address is known before it is made, because stages are an
 * array. */
static gemp_row_stage *next_of(gemp_pipeline *p)
{
	return &p->stages[p->stage_count + 1];
}

/* Takes the columns of the stage that was just made, and counts the stage. */
static void set_output_columns(gemp_pipeline *p, gemp_frame *columns)
{
	gemp_frame_free(&p->columns);
	p->columns = *columns;
	p->stage_count++;
}

/* Collective. Adds a stage that evaluates items. Its columns become the input of the next stage. */
static gemp_code add_items(gemp_pipeline *p, const gemp_frame_map *map, const gemp_projection_item *items, size_t count)
{
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame columns = { 0 };
	GEMP_TRY(gemp_comm_agree(p->context->comm, gemp_projection_columns(&columns, p->graph, items, count)));
	GEMP_TRY(gemp_projection_new(&p->stages[p->stage_count], p->context, p->graph, map, items, count, next_of(p)));
	set_output_columns(p, &columns);
	columns = (gemp_frame){ 0 };
	return GEMP_OK;
}

/* Collective. Adds a stage of groups. In its input, the arguments of the aggregates follow the keys; count(*) has no
 * argument. */
static gemp_code add_group(gemp_pipeline *p, size_t key_count, const gemp_group_items *rewrite)
{
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame columns = { 0 };
	GEMP_OWNED int *arguments = NULL;
	int next = (int)key_count;
	size_t count = rewrite ? rewrite->aggregate_count : 0;
	GEMP_TRY(gemp_comm_agree(p->context->comm, GEMP_NEW(arguments, count)));
	for (size_t i = 0; i < count; i++)
		arguments[i] = rewrite->arguments[i] ? next++ : GEMP_NO_ARGUMENT;
	const gemp_group_options options = { .input = &p->columns,
		                                 .key_count = key_count,
		                                 .aggregate_count = count,
		                                 .aggregates = rewrite ? rewrite->made : NULL,
		                                 .arguments = arguments,
		                                 .next = next_of(p) };
	GEMP_TRY(gemp_comm_agree(p->context->comm, gemp_group_columns(&columns, &options)));
	GEMP_TRY(gemp_group_new(&p->stages[p->stage_count], p->context, p->graph, &options));
	set_output_columns(p, &columns);
	columns = (gemp_frame){ 0 };
	return GEMP_OK;
}

/* Collective. Adds three stages: keys and arguments, groups, and the items as expressions over both. */
static gemp_code add_grouping(gemp_pipeline *p, const gemp_frame_map *map, const gemp_clause *clause,
                              gemp_group_items *rewrite)
{
	GEMP_OWNED gemp_projection_item *items = NULL;
	size_t count = 0;
	gemp_code code = gemp_group_items_new(rewrite, clause);
	if (p->folded && map == &p->match)
		GEMP_THEN(gemp_group_items_fold(rewrite, p->folded, p->source.count - p->folded->argument_count));
	GEMP_THEN(GEMP_NEW(items, rewrite->key_count + rewrite->aggregate_count + clause->item_count));
	GEMP_TRY(gemp_comm_agree(p->context->comm, code));
	for (size_t k = 0; k < rewrite->key_count; k++)
		items[count++] = (gemp_projection_item){ rewrite->keys[k], "" };
	for (size_t i = 0; i < rewrite->aggregate_count; i++)
		if (rewrite->arguments[i])
			items[count++] = (gemp_projection_item){ rewrite->arguments[i], "" };
	GEMP_TRY(add_items(p, map, items, count));
	GEMP_TRY(add_group(p, rewrite->key_count, rewrite));
	for (size_t i = 0; i < clause->item_count && code == GEMP_OK; i++) {
		items[i].name = clause->items[i].name;
		code = gemp_group_items_rewrite(rewrite, &p->columns, clause->items[i].expr, &items[i].expr);
	}
	GEMP_TRY(gemp_comm_agree(p->context->comm, code));
	return add_items(p, &p->items, items, clause->item_count);
}

/* Collective. Adds a stage that evaluates the items of a clause without aggregates. */
static gemp_code add_plain(gemp_pipeline *p, const gemp_frame_map *map, const gemp_clause *clause)
{
	GEMP_OWNED gemp_projection_item *items = NULL;
	GEMP_TRY(gemp_comm_agree(p->context->comm, GEMP_NEW(items, clause->item_count)));
	for (size_t i = 0; i < clause->item_count; i++)
		items[i] = (gemp_projection_item){ clause->items[i].expr, clause->items[i].name };
	return add_items(p, map, items, clause->item_count);
}

/* Collective. Adds a stage for ORDER BY, SKIP and LIMIT if the clause has any of them. */
static gemp_code add_order(gemp_pipeline *p, const gemp_clause *clause)
{
	gemp_code code = GEMP_OK;
	uint64_t skip = clause->has_skip ? clause->skip : 0, limit = clause->has_limit ? clause->limit : UINT64_MAX;
	const gemp_sorting_options options = { .input = &p->columns,
		                                   .order_count = clause->order_count,
		                                   .orders = clause->orders,
		                                   .skip = skip,
		                                   .limit = limit,
		                                   .next = next_of(p) };
	if (clause->order_count)
		code = gemp_sorting_new(&p->stages[p->stage_count], p->context, p->graph, &options);
	else if (clause->has_skip || clause->has_limit)
		code = gemp_limit_new(&p->stages[p->stage_count], p->context, skip, limit, &p->left_out, next_of(p));
	else
		return GEMP_OK;
	p->stage_count += code == GEMP_OK;
	return code;
}

/* Collective. DISTINCT may group by all items, because the hidden items of ORDER BY depend on the shown items and so do
 * not split a group. */
static gemp_code add_clause(gemp_pipeline *p, const gemp_frame_map *map, const gemp_clause *clause,
                            gemp_group_items *rewrite)
{
	if (clause->grouped)
		GEMP_TRY(add_grouping(p, map, clause, rewrite));
	else
		GEMP_TRY(add_plain(p, map, clause));
	if (clause->distinct && !(p->folded && p->folded->distinct && map == &p->match))
		GEMP_TRY(add_group(p, clause->item_count, NULL));
	GEMP_TRY(add_order(p, clause));
	if (clause->where) {
		GEMP_TRY(gemp_projection_where(&p->stages[p->stage_count], p->context, p->graph, &p->items, clause->where,
		                               next_of(p)));
		p->stage_count++;
	}
	return GEMP_OK;
}

/* SOURCE */

/* The columns of the source are the vertices, the edges, and the values of sub-patterns, in the order of
 * gemp_frame_map. */
static gemp_code set_up_source(gemp_pipeline *p)
{
	const gemp_pattern *pattern = p->pattern;
	const size_t vertices = p->match.vertices, edges = p->match.edges, values = edges + vertices + pattern->sub_count;
	const size_t folded = p->folded ? p->folded->argument_count : 0;
	GEMP_TRY(gemp_frame_init(&p->source, values + folded));
	GEMP_TRY(GEMP_NEW(p->used, p->source.count));
	for (size_t c = 0; c < p->source.count; c++)
		GEMP_TRY(gemp_frame_set(&p->source, c,
		                        c < vertices           ? GEMP_CELL_VERTEX
		                        : c < vertices + edges ? GEMP_CELL_EDGE
		                                               : GEMP_CELL_VALUE,
		                        "", GEMP_INTEGER));
	for (size_t i = 0; i < folded; i++)
		GEMP_TRY(gemp_frame_set(&p->source, values + i, GEMP_CELL_VALUE, "", p->folded->arguments[i].values.type));
	const gemp_clause *clause = gemp_pattern_first_clause(pattern);
	for (size_t i = 0; i < clause->item_count; i++)
		if (!p->folded || !gemp_expr_has_aggregate(clause->items[i].expr))
			gemp_lookup_uses(&p->match, clause->items[i].expr, p->used);
	return GEMP_OK;
}

/* Copies one column of vertices or edges from rows to a column of the frame. A missing vertex is GEMP_NO_VERTEX (32
 * bits) in rows and GEMP_NO_ELEMENT (64 bits) in frames. */
static gemp_code fill_elements(gemp_frame_column *out, const gemp_row_store *rows, size_t column, size_t vertices)
{
	GEMP_TRY(GEMP_RESERVE(out->elements, out->capacity, rows->rows));
	for (size_t row = 0; row < rows->rows && column >= vertices; row++)
		out->elements[row] = rows->edges[row * (size_t)rows->edge_count + column - vertices];
	for (size_t row = 0; row < rows->rows && column < vertices; row++) {
		gemp_vertex vertex = rows->vertices[row * (size_t)rows->vertex_count + column];
		out->elements[row] = vertex == GEMP_NO_VERTEX ? GEMP_NO_ELEMENT : vertex;
	}
	return GEMP_OK;
}

/* Values are copied, because the stages may change the frame. */
static gemp_code fill_values(gemp_frame_column *out, const gemp_column *from)
{
	out->values.type = from->type;
	return gemp_column_append(&out->values, from);
}

/* Fills only the columns that some clause reads. The other columns have no elements. */
static gemp_code fill_source(gemp_pipeline *p, const gemp_row_store *rows, const uint64_t *multiplicity)
{
	gemp_frame *source = &p->source;
	size_t vertices = p->match.vertices, elements = vertices + p->match.edges;
	gemp_frame_clear(source);
	for (size_t c = 0; c < source->count && rows->rows; c++)
		if (p->used[c])
			GEMP_TRY(c < elements ? fill_elements(&source->columns[c], rows, c, vertices)
			                      : fill_values(&source->columns[c], &rows->values[c - elements]));
	if (multiplicity && rows->rows) {
		GEMP_TRY(GEMP_RESERVE(source->multiplicity, source->multiplicity_capacity, rows->rows));
		memcpy(source->multiplicity, multiplicity, rows->rows * sizeof *multiplicity);
	}
	source->rows = rows->rows;
	return GEMP_OK;
}

/* Copies a number of each row to the elements of a column. */
static gemp_code copy_numbers(gemp_frame_column *out, const gemp_vertex *vertices, size_t rows)
{
	GEMP_TRY(GEMP_RESERVE(out->elements, out->capacity, rows));
	for (size_t row = 0; row < rows; row++)
		out->elements[row] = vertices[row];
	return GEMP_OK;
}

static gemp_code fill_folded(gemp_pipeline *p)
{
	const gemp_folded_groups *groups = p->folded;
	gemp_frame *source = &p->source;
	const size_t first = source->count - groups->argument_count;
	gemp_frame_clear(source);
	if (!groups->rows)
		return GEMP_OK;
	for (size_t c = 0; c < first; c++)
		if (p->used[c])
			GEMP_TRY(copy_numbers(&source->columns[c], groups->vertices, groups->rows));
	for (size_t i = 0; i < groups->argument_count; i++) {
		GEMP_TRY(gemp_column_append(&source->columns[first + i].values, &groups->arguments[i].values));
		source->columns[first + i].folded = groups->arguments[i].times;
	}
	GEMP_TRY(GEMP_RESERVE(source->multiplicity, source->multiplicity_capacity, groups->rows));
	memcpy(source->multiplicity, groups->times, groups->rows * sizeof *groups->times);
	source->rows = groups->rows;
	return GEMP_OK;
}

gemp_code gemp_pipeline_push_folded(gemp_pipeline *p, bool *enough)
{
	GEMP_TRY(gemp_comm_agree(p->context->comm, fill_folded(p)));
	return p->stages[0].push(p->stages[0].self, &p->source, true, enough);
}

/* The same on all ranks. Stages copy the columns of a block a few times, so a block has a part of the budget. */
static size_t max_block_rows(const gemp_pipeline *p)
{
	enum { PART = 8, MIN_ROWS = 1 << 12 };
	const size_t most = gemp_clause_streams(p->pattern) ? STREAMED_ROWS : SIZE_MAX;
	const size_t budget = p->context->budgets.host_memory, columns = (size_t)(p->match.vertices + p->match.edges);
	if (p->pattern->sub_count) /* rows with values cannot be cut */
		return SIZE_MAX;
	return budget ? gemp_min(most, gemp_max(budget / PART / sizeof(uint64_t) / gemp_max(columns, 1), MIN_ROWS)) : most;
}

/* The pipeline owns the frame and fills it anew for each block. Stages may take its columns. All ranks push as many
 * blocks as the rank with the most rows, but at least one. */
gemp_code gemp_pipeline_push(gemp_pipeline *p, const gemp_row_store *rows, const uint64_t *multiplicity, bool last,
                             bool *enough)
{
	uint64_t most = rows->rows;
	gemp_comm_max(p->context->comm, &most, 1);
	for (uint64_t first = 0, end = 0; (first == 0 || first < most) && !*enough; first = end) {
		end = most - first > p->block_rows ? first + p->block_rows : gemp_max(most, 1);
		const size_t from = (size_t)gemp_min(first, rows->rows), to = (size_t)gemp_min(end, rows->rows);
		const gemp_row_store block = gemp_row_store_part(rows, from, to - from);
		const uint64_t *times = multiplicity ? multiplicity + from : NULL;
		GEMP_TRY(gemp_comm_agree(p->context->comm, fill_source(p, &block, times)));
		GEMP_TRY(p->stages[0].push(p->stages[0].self, &p->source, last && end >= most, enough));
	}
	return GEMP_OK;
}

/* The limit stage sets left_out equally on all ranks. */
bool gemp_pipeline_truncated(const gemp_pipeline *p)
{
	return p->left_out;
}

/* Sub-patterns are evaluated for matches, so only the items of the first clause may read them. */
static gemp_code check_subs(const gemp_pattern *pattern)
{
	bool has_sub = pattern->with && pattern->with->where && gemp_expr_has_subpattern(pattern->with->where);
	for (size_t i = 0; i < pattern->result.item_count && pattern->with; i++)
		has_sub |= gemp_expr_has_subpattern(pattern->result.items[i].expr);
	return has_sub ? gemp_fail(GEMP_EUSAGE,
	                           "EXISTS and COUNT { } cannot stand behind WITH; give their result to WITH as a column")
	               : GEMP_OK;
}

/* The output stage is borrowed, so its function `free` is not copied. */
gemp_code gemp_pipeline_new_folded(gemp_pipeline **out, gemp_runtime *context, gemp_shard *graph,
                                   const gemp_pattern *pattern, const gemp_folded_groups *folded, bool count_loops,
                                   gemp_row_stage *output)
{
	GEMP_OWNED_BY(gemp_pipeline_free_at) gemp_pipeline *p = NULL;
	gemp_code code = GEMP_NEW(p, 1);
	if (code == GEMP_OK) {
		p->context = context;
		p->graph = graph;
		p->pattern = pattern;
		p->folded = folded;
		p->match = (gemp_frame_map){ .vertices = gemp_pattern_row_vertices(pattern),
			                         .edges = gemp_pattern_row_edges(pattern),
			                         .count_loops = count_loops };
		p->items = (gemp_frame_map){ .items = true, .count_loops = count_loops };
		p->block_rows = max_block_rows(p);
		code = check_subs(pattern);
	}
	GEMP_THEN(set_up_source(p));
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	if (pattern->with)
		GEMP_TRY(add_clause(p, &p->match, pattern->with, &p->rewrites[0]));
	GEMP_TRY(add_clause(p, pattern->with ? &p->items : &p->match, &pattern->result, &p->rewrites[1]));
	p->stages[p->stage_count] = (gemp_row_stage){ .self = output->self, .push = output->push };
	*out = p;
	p = NULL;
	return GEMP_OK;
}

gemp_code gemp_pipeline_new(gemp_pipeline **out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                            bool count_loops, gemp_row_stage *output)
{
	return gemp_pipeline_new_folded(out, context, graph, pattern, NULL, count_loops, output);
}

/* The caller owns the output stage, which is not among the first stage_count stages. */
void gemp_pipeline_free(gemp_pipeline *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->stage_count; i++)
		gemp_row_stage_free(&p->stages[i]);
	for (size_t i = 0; i < CLAUSES; i++)
		gemp_group_items_free(&p->rewrites[i]);
	gemp_frame_free(&p->source);
	gemp_frame_free(&p->columns);
	gemp_free_all(p->used, p);
}
