#include "query/clause/pipeline.h"

#include "query/clause/clause.h"
#include "query/clause/group.h"
#include "query/clause/order_limit.h"
#include "query/clause/projection.h"

#include <string.h>

enum {
	CLAUSES = 2,
	STAGES = 6 * CLAUSES + 1
}; /* keys and arguments, groups, items, DISTINCT, order, where; the output */

struct gemp_pipeline {
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_pattern *pattern;
	gemp_frame_map match, items; /* meaning of variables: elements of a match, or items of the clause before */
	size_t stage_count;
	gemp_row_stage stages[STAGES]; /* each pushes into the next; the last is the output's */
	gemp_grouping rewrites[CLAUSES];
	gemp_frame source;  /* the rows of matches */
	bool *used;         /* [source.count] columns that the first clause reads */
	gemp_frame columns; /* columns of the last stage so far, while the chain is built */
	bool left_out;
};

/* STAGES */

/* The stage behind the one being made. Its place is known before it exists, since stages are an array. */
static gemp_row_stage *next_of(gemp_pipeline *p)
{
	return &p->stages[p->stage_count + 1];
}

/* Takes the columns of the stage just made, and counts the stage. */
static void set_output_columns(gemp_pipeline *p, gemp_frame *columns)
{
	gemp_frame_free(&p->columns);
	p->columns = *columns;
	p->stage_count++;
}

/* Collective. A stage that evaluates items; its columns become the input of the next stage. */
static gemp_code add_items(gemp_pipeline *p, const gemp_frame_map *map, const gemp_projection_item *items, size_t count)
{
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame columns = { 0 };
	GEMP_PROPAGATE(gemp_comm_agree(p->context->comm, gemp_projection_columns(&columns, p->graph, items, count)));
	GEMP_PROPAGATE(
		gemp_projection_new(&p->stages[p->stage_count], p->context, p->graph, map, items, count, next_of(p)));
	set_output_columns(p, &columns);
	columns = (gemp_frame){ 0 };
	return GEMP_OK;
}

/* Collective. Arguments of aggregates stand behind the keys, in order; count(*) has none. */
static gemp_code add_group(gemp_pipeline *p, size_t key_count, const gemp_grouping *rewrite)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame columns = { 0 };
	GEMP_OWNED int *arguments = NULL;
	int next = (int)key_count;
	size_t count = rewrite ? rewrite->aggregate_count : 0;
	code = GEMP_NEW(arguments, count);
	GEMP_PROPAGATE(gemp_comm_agree(p->context->comm, code));
	for (size_t i = 0; i < count; i++)
		arguments[i] = rewrite->aggregates[i]->count ? next++ : GEMP_NO_ARGUMENT;
	const gemp_group_options options = {
		.input = &p->columns,
		.key_count = key_count,
		.aggregate_count = count,
		.aggregates = rewrite ? rewrite->aggregates : NULL,
		.arguments = arguments,
		.next = next_of(p),
	};
	GEMP_PROPAGATE(gemp_comm_agree(p->context->comm, gemp_group_columns(&columns, &options)));
	GEMP_PROPAGATE(gemp_group_new(&p->stages[p->stage_count], p->context, p->graph, &options));
	set_output_columns(p, &columns);
	columns = (gemp_frame){ 0 };
	return GEMP_OK;
}

/* Collective. Three stages: keys and arguments, groups, and the items as expressions of both. */
static gemp_code add_grouping(gemp_pipeline *p, const gemp_frame_map *map, const gemp_clause *clause,
                              gemp_grouping *rewrite)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED gemp_projection_item *items = NULL;
	size_t count = 0;
	code = gemp_grouping_begin(rewrite, clause);
	GEMP_THEN(GEMP_NEW(items, rewrite->key_count + rewrite->aggregate_count + clause->item_count));
	GEMP_PROPAGATE(gemp_comm_agree(p->context->comm, code));
	for (size_t k = 0; k < rewrite->key_count; k++)
		items[count++] = (gemp_projection_item){ rewrite->keys[k], "" };
	for (size_t i = 0; i < rewrite->aggregate_count; i++)
		if (rewrite->aggregates[i]->count)
			items[count++] = (gemp_projection_item){ rewrite->aggregates[i]->children[0], "" };
	GEMP_PROPAGATE(add_items(p, map, items, count));
	GEMP_PROPAGATE(add_group(p, rewrite->key_count, rewrite));
	for (size_t i = 0; i < clause->item_count && code == GEMP_OK; i++) {
		items[i].name = clause->items[i].name;
		code = gemp_grouping_item(rewrite, &p->columns, clause->items[i].expr, &items[i].expr);
	}
	GEMP_PROPAGATE(gemp_comm_agree(p->context->comm, code));
	return add_items(p, &p->items, items, clause->item_count);
}

/* Collective. A clause without aggregates evaluates its items and no more. */
static gemp_code add_plain(gemp_pipeline *p, const gemp_frame_map *map, const gemp_clause *clause)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED gemp_projection_item *items = NULL;
	code = GEMP_NEW(items, clause->item_count);
	GEMP_PROPAGATE(gemp_comm_agree(p->context->comm, code));
	for (size_t i = 0; i < clause->item_count; i++)
		items[i] = (gemp_projection_item){ clause->items[i].expr, clause->items[i].name };
	return add_items(p, map, items, clause->item_count);
}

/* Collective. A clause with neither ORDER BY, SKIP nor LIMIT has no such stage. */
static gemp_code add_order(gemp_pipeline *p, const gemp_clause *clause)
{
	gemp_code code = GEMP_OK;
	uint64_t skip = clause->has_skip ? clause->skip : 0, limit = clause->has_limit ? clause->limit : UINT64_MAX;
	const gemp_sorting_options options = {
		.input = &p->columns,
		.order_count = clause->order_count,
		.orders = clause->orders,
		.skip = skip,
		.limit = limit,
		.next = next_of(p),
	};
	if (clause->order_count)
		code = gemp_sorting_new(&p->stages[p->stage_count], p->context, p->graph, &options);
	else if (clause->has_skip || clause->has_limit)
		code = gemp_limit_new(&p->stages[p->stage_count], p->context, skip, limit, &p->left_out, next_of(p));
	else
		return GEMP_OK;
	p->stage_count += code == GEMP_OK;
	return code;
}

/* Collective. Hidden items of ORDER BY depend on the shown ones and distinguish no more rows, so DISTINCT may
 * group by all items. */
static gemp_code add_clause(gemp_pipeline *p, const gemp_frame_map *map, const gemp_clause *clause,
                            gemp_grouping *rewrite)
{
	if (clause->grouped)
		GEMP_PROPAGATE(add_grouping(p, map, clause, rewrite));
	else
		GEMP_PROPAGATE(add_plain(p, map, clause));
	if (clause->distinct) /* the hidden items hang on the shown ones, and tell no more rows apart */
		GEMP_PROPAGATE(add_group(p, clause->item_count, NULL));
	GEMP_PROPAGATE(add_order(p, clause));
	if (clause->where) {
		GEMP_PROPAGATE(gemp_projection_where(&p->stages[p->stage_count], p->context, p->graph, &p->items, clause->where,
		                                     next_of(p)));
		p->stage_count++;
	}
	return GEMP_OK;
}

/* SOURCE */

/* Columns of the source: vertices, edges, then the values of subpatterns, as gemp_frame_map numbers them. */
static gemp_code set_up_source(gemp_pipeline *p)
{
	const gemp_pattern *pattern = p->pattern;
	size_t vertices = p->match.vertices, edges = p->match.edges;
	GEMP_PROPAGATE(gemp_frame_init(&p->source, vertices + edges + pattern->sub_count));
	GEMP_PROPAGATE(GEMP_NEW(p->used, p->source.count));
	for (size_t c = 0; c < p->source.count; c++)
		GEMP_PROPAGATE(gemp_frame_set(&p->source, c,
		                              c < vertices           ? GEMP_CELL_VERTEX
		                              : c < vertices + edges ? GEMP_CELL_EDGE
		                                                     : GEMP_CELL_VALUE,
		                              "", GEMP_INTEGER));
	gemp_clause_uses(pattern, p->used);
	return GEMP_OK;
}

/* Missing vertices have another mark in rows (32 bits) than in frames (64 bits). */
static uint64_t element_at(const gemp_row_store *rows, size_t row, size_t column, size_t vertices)
{
	if (column >= vertices)
		return rows->edges[row * (size_t)rows->edge_count + column - vertices];
	gemp_vertex vertex = rows->vertices[row * (size_t)rows->vertex_count + column];
	return vertex == GEMP_NO_VERTEX ? GEMP_NO_ELEMENT : vertex;
}

static gemp_code fill_elements(gemp_frame_column *out, const gemp_row_store *rows, size_t column, size_t vertices)
{
	GEMP_PROPAGATE(GEMP_RESERVE(out->elements, out->capacity, rows->rows));
	for (size_t row = 0; row < rows->rows; row++)
		out->elements[row] = element_at(rows, row, column, vertices);
	return GEMP_OK;
}

/* Values are copied, since the frame may change them. */
static gemp_code fill_values(gemp_frame_column *out, const gemp_column *from)
{
	out->values.type = from->type;
	for (size_t row = 0; row < from->rows; row++) {
		gemp_value value = gemp_column_get(from, row);
		GEMP_PROPAGATE(gemp_column_add(&out->values, &value));
	}
	return GEMP_OK;
}

/* Only columns that some clause reads are filled; the others keep no elements. */
static gemp_code fill_source(gemp_pipeline *p, const gemp_row_store *rows, const uint64_t *multiplicity)
{
	gemp_frame *source = &p->source;
	size_t vertices = p->match.vertices, elements = vertices + p->match.edges;
	gemp_frame_clear(source);
	for (size_t c = 0; c < source->count && rows->rows; c++)
		if (p->used[c])
			GEMP_PROPAGATE(c < elements ? fill_elements(&source->columns[c], rows, c, vertices)
			                            : fill_values(&source->columns[c], &rows->values[c - elements]));
	if (multiplicity && rows->rows) {
		GEMP_PROPAGATE(GEMP_RESERVE(source->multiplicity, source->multiplicity_capacity, rows->rows));
		memcpy(source->multiplicity, multiplicity, rows->rows * sizeof *multiplicity);
	}
	source->rows = rows->rows;
	return GEMP_OK;
}

gemp_code gemp_pipeline_push(gemp_pipeline *p, const gemp_row_store *rows, const uint64_t *multiplicity, bool last,
                             bool *enough)
{
	GEMP_PROPAGATE(gemp_comm_agree(p->context->comm, fill_source(p, rows, multiplicity)));
	return p->stages[0].push(p->stages[0].self, &p->source, last, enough);
}

bool gemp_pipeline_truncated(const gemp_pipeline *p)
{
	return p->left_out;
}

/* Subpatterns are evaluated for matches, hence before WITH only. */
static gemp_code check_subs(const gemp_pattern *pattern)
{
	bool asks = pattern->with && pattern->with->where && gemp_expr_has_subpattern(pattern->with->where);
	for (size_t i = 0; i < pattern->result.item_count && pattern->with; i++)
		asks |= gemp_expr_has_subpattern(pattern->result.items[i].expr);
	return asks ? gemp_fail(GEMP_EUSAGE,
	                        "EXISTS and COUNT { } cannot stand behind WITH; give their result to WITH as a column")
	            : GEMP_OK;
}

/* The output stage is borrowed: its free is left out. */
gemp_code gemp_pipeline_new(gemp_pipeline **out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                            bool count_loops, gemp_row_stage *output)
{
	gemp_code code = GEMP_OK;
	gemp_pipeline *p;
	code = GEMP_NEW(p, 1);
	if (code == GEMP_OK) {
		p->context = context;
		p->graph = graph;
		p->pattern = pattern;
		p->match = (gemp_frame_map){ .vertices = gemp_pattern_row_vertices(pattern),
			                         .edges = gemp_pattern_row_edges(pattern),
			                         .count_loops = count_loops };
		p->items = (gemp_frame_map){ .items = true, .count_loops = count_loops };
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
done:
	gemp_pipeline_free(p);
	return code;
}

void gemp_pipeline_free(gemp_pipeline *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->stage_count; i++)
		gemp_row_stage_free(&p->stages[i]);
	for (size_t i = 0; i < CLAUSES; i++)
		gemp_grouping_free(&p->rewrites[i]);
	gemp_frame_free(&p->source);
	gemp_frame_free(&p->columns);
	gemp_free_all(p->used, p);
}
