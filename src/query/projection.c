#include "query/projection.h"

#include "core/memory.h"
#include "match/edge_values.h"
#include "match/values.h"

#include <string.h>

/* A column of vertices' values: who asks for it, and what came this turn. */
typedef struct vertex_column {
	int column;          /* as gemp_fetch takes it */
	uint64_t variables;
	gemp_vertex *found;  /* [found_count] */
	size_t found_count;
	gemp_column values;
} vertex_column;

struct gemp_projection {
	gemp_context *context;
	gemp_graph *graph;
	const gemp_pattern *pattern;
	size_t column_count;
	vertex_column *columns;  /* [column_count] keys first */
	uint64_t edges;          /* pattern edges asked for */
	size_t name_count;
	const char **names;      /* [name_count] of edge attributes; borrowed from the pattern */
	gemp_edge_values edge_values; /* this turn */
};

static vertex_column *find_column(const gemp_projection *p, int column)
{
	vertex_column *found = p->columns;
	while (found->column != column)
		found++;
	return found;
}

static void need_column(gemp_projection *p, int column, int variable)
{
	size_t c = 0;
	while (c < p->column_count && p->columns[c].column != column)
		c++;
	p->columns[c].column = column;
	p->columns[c].variables |= variable < 0 ? 0 : UINT64_C(1) << variable;
	p->column_count += c == p->column_count;
}

static size_t find_name(const gemp_projection *p, const char *name)
{
	size_t i = 0;
	while (i < p->name_count && strcmp(p->names[i], name) != 0)
		i++;
	return i;
}

static bool is_edge(const gemp_expr *expr)
{
	return expr->kind == GEMP_EDGE || expr->of_edge;
}

static void find_needs(gemp_projection *p)
{
	need_column(p, GEMP_FETCH_KEY, -1);
	for (size_t i = 0; i < p->pattern->result.item_count; i++) {
		const gemp_expr *expr = p->pattern->result.items[i].expr;
		if (expr->kind == GEMP_COUNT_STAR)
			continue;
		if (is_edge(expr)) {
			p->edges |= UINT64_C(1) << expr->variable;
			if (expr->kind == GEMP_ATTRIBUTE && find_name(p, expr->name) == p->name_count)
				p->names[p->name_count++] = expr->name;
		} else if (expr->kind != GEMP_ATTRIBUTE) {
			need_column(p, GEMP_FETCH_KEY, expr->variable);
		} else if (expr->attribute >= 0) {
			need_column(p, expr->attribute, expr->variable);
		}
	}
}

gemp_code gemp_projection_new(gemp_projection **out, gemp_context *context, gemp_graph *graph,
                              const gemp_pattern *pattern)
{
	gemp_projection *p;
	gemp_code code = GEMP_NEW(p, 1);
	if (code == GEMP_OK) {
		p->context = context;
		p->graph = graph;
		p->pattern = pattern;
		code = GEMP_NEW(p->columns, pattern->result.item_count + 1);
	}
	if (code == GEMP_OK)
		code = GEMP_NEW(p->names, pattern->result.item_count);
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	find_needs(p);
	GEMP_TRY(gemp_graph_need_keys(graph));
	*out = p;
	p = NULL;
done:
	gemp_projection_free(p);
	return code;
}

static void forget_values(gemp_projection *p)
{
	for (size_t c = 0; p->columns && c < p->column_count; c++) {
		gemp_column_free(&p->columns[c].values);
		gemp_free(p->columns[c].found);
		p->columns[c].found = NULL;
	}
	gemp_edge_values_free(&p->edge_values);
}

void gemp_projection_free(gemp_projection *p)
{
	if (!p)
		return;
	forget_values(p);
	gemp_free(p->columns);
	gemp_free(p->names);
	gemp_free(p);
}

/* FETCHING */

/* Collective. */
static gemp_code fetch_edges(gemp_projection *p, const gemp_row_store *rows)
{
	gemp_code code = GEMP_OK;
	gemp_edge *edges = NULL;
	size_t n = 0, width = (size_t)rows->edge_count;
	GEMP_CHECK(rows->rows == 0 || width > (size_t)(63 - __builtin_clzll(p->edges)));
	code = GEMP_NEW(edges, rows->rows * (size_t)__builtin_popcountll(p->edges));
	GEMP_TRY(gemp_comm_agree(p->context->comm, code));
	for (size_t row = 0; row < rows->rows; row++)
		for (uint64_t left = p->edges; left; left &= left - 1)
			edges[n++] = rows->edges[row * width + (size_t)__builtin_ctzll(left)];
	code = gemp_fetch_edges(&p->edge_values, p->context, p->graph, edges, n, p->names, p->name_count);
done:
	gemp_free(edges);
	return code;
}

/* Collective. Keys are wanted of the ends of edges too. */
static gemp_code fetch_column(gemp_projection *p, vertex_column *wanted, const gemp_row_store *rows)
{
	gemp_code code = GEMP_OK;
	gemp_vertex *ids = NULL;
	size_t n = 0, width = (size_t)rows->vertex_count;
	size_t ends = wanted->column == GEMP_FETCH_KEY ? p->edge_values.count : 0;
	code = GEMP_NEW(ids, rows->rows * (size_t)__builtin_popcountll(wanted->variables) + 2 * ends);
	GEMP_TRY(gemp_comm_agree(p->context->comm, code));
	for (size_t row = 0; row < rows->rows; row++)
		for (uint64_t left = wanted->variables; left; left &= left - 1)
			ids[n++] = rows->vertices[row * width + (size_t)__builtin_ctzll(left)];
	for (size_t i = 0; i < ends; i++) {
		ids[n++] = p->edge_values.ends[i].source;
		ids[n++] = p->edge_values.ends[i].target;
	}
	code = gemp_fetch(p->context, p->graph, ids, n, &wanted->column, 1, &wanted->found, &wanted->found_count,
	                  &wanted->values);
done:
	gemp_free(ids);
	return code;
}

/* COLUMNS */

static gemp_type item_type(const gemp_graph *graph, const gemp_expr *expr)
{
	if (expr->kind == GEMP_COUNT_STAR)
		return GEMP_INTEGER;
	if (expr->kind == GEMP_EDGE)
		return GEMP_STRING;
	if (expr->kind != GEMP_ATTRIBUTE)
		return graph->key.type;
	if (expr->of_edge)
		return gemp_edge_attribute_type(graph, expr->name);
	return expr->attribute >= 0 ? graph->attributes.columns[expr->attribute].type : GEMP_STRING;
}

gemp_code gemp_project_none(const gemp_graph *graph, const gemp_pattern *pattern, gemp_projected *out)
{
	gemp_code code = GEMP_OK;
	memset(out, 0, pattern->result.item_count * sizeof *out);
	for (size_t i = 0; i < pattern->result.item_count; i++) {
		const gemp_return_item *item = &pattern->result.items[i];
		out[i].name = item->name;
		out[i].edge = item->expr->kind == GEMP_EDGE;
		GEMP_TRY(gemp_column_init(&out[i].value, item->name, item_type(graph, item->expr)));
		if (!out[i].edge)
			continue;
		GEMP_TRY(gemp_column_init(&out[i].source, item->name, graph->key.type));
		GEMP_TRY(gemp_column_init(&out[i].target, item->name, graph->key.type));
	}
done:
	if (code != GEMP_OK)
		gemp_projected_free(out, pattern->result.item_count);
	return code;
}

gemp_code gemp_project_count(const gemp_graph *graph, const gemp_pattern *pattern, uint64_t count, gemp_projected *out)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_project_none(graph, pattern, out));
	for (size_t i = 0; i < pattern->result.item_count && code == GEMP_OK; i++)
		code = gemp_column_add(&out[i].value, &(gemp_value){ .type = GEMP_INTEGER, .integer = (int64_t)count });
	if (code != GEMP_OK)
		gemp_projected_free(out, pattern->result.item_count);
done:
	return code;
}

void gemp_projected_free(gemp_projected *columns, size_t count)
{
	for (size_t i = 0; columns && i < count; i++) {
		gemp_column_free(&columns[i].value);
		gemp_column_free(&columns[i].source);
		gemp_column_free(&columns[i].target);
	}
}

/* The values of one pattern vertex in all rows. */
static gemp_code pick_vertices(gemp_column *out, const vertex_column *from, const gemp_row_store *rows, int variable,
                               uint64_t *picked)
{
	for (size_t row = 0; row < rows->rows; row++)
		picked[row] = gemp_fetch_index(from->found, from->found_count,
		                               rows->vertices[row * (size_t)rows->vertex_count + (size_t)variable]);
	gemp_column_free(out);
	return gemp_column_pick(out, &from->values, picked, rows->rows);
}

static gemp_code pick_ends(const gemp_projection *p, gemp_projected *out, const uint64_t *edge, uint64_t *picked, size_t rows)
{
	gemp_code code = GEMP_OK;
	const vertex_column *keys = p->columns;
	const gemp_edge_ends *ends = p->edge_values.ends;
	for (size_t row = 0; row < rows; row++) {
		const char *type = p->graph->relations[ends[edge[row]].relation].name;
		gemp_value value = { .type = GEMP_STRING, .string = { type, strlen(type) } };
		GEMP_TRY(gemp_column_add(&out->value, &value));
	}
	for (size_t row = 0; row < rows; row++)
		picked[row] = gemp_fetch_index(keys->found, keys->found_count, ends[edge[row]].source);
	gemp_column_free(&out->source);
	GEMP_TRY(gemp_column_pick(&out->source, &keys->values, picked, rows));
	for (size_t row = 0; row < rows; row++)
		picked[row] = gemp_fetch_index(keys->found, keys->found_count, ends[edge[row]].target);
	gemp_column_free(&out->target);
	GEMP_TRY(gemp_column_pick(&out->target, &keys->values, picked, rows));
done:
	return code;
}

static gemp_code pick_edges(const gemp_projection *p, gemp_projected *out, const gemp_expr *expr, const gemp_row_store *rows,
                            uint64_t *picked)
{
	gemp_code code = GEMP_OK;
	uint64_t *edge = NULL;
	GEMP_TRY(GEMP_NEW(edge, rows->rows));
	for (size_t row = 0; row < rows->rows; row++)
		edge[row] = gemp_edge_values_index(&p->edge_values,
		                                   rows->edges[row * (size_t)rows->edge_count + (size_t)expr->variable]);
	if (expr->kind == GEMP_EDGE) {
		code = pick_ends(p, out, edge, picked, rows->rows);
	} else {
		gemp_column_free(&out->value);
		code = gemp_column_pick(&out->value, &p->edge_values.columns[find_name(p, expr->name)], edge, rows->rows);
	}
done:
	gemp_free(edge);
	return code;
}

static gemp_code add_nulls(gemp_column *out, size_t rows)
{
	gemp_code code = GEMP_OK;
	for (size_t row = 0; row < rows && code == GEMP_OK; row++)
		code = gemp_column_add(out, &(gemp_value){ .type = out->type, .null = true });
	return code;
}

static gemp_code pick_item(const gemp_projection *p, gemp_projected *out, const gemp_expr *expr, const gemp_row_store *rows,
                           uint64_t *picked)
{
	if (is_edge(expr))
		return pick_edges(p, out, expr, rows, picked);
	if (expr->kind == GEMP_COUNT_STAR || (expr->kind == GEMP_ATTRIBUTE && expr->attribute < 0))
		return add_nulls(&out->value, rows->rows);
	int column = expr->kind == GEMP_ATTRIBUTE ? expr->attribute : GEMP_FETCH_KEY;
	return pick_vertices(&out->value, find_column(p, column), rows, expr->variable, picked);
}

gemp_code gemp_project(gemp_projection *p, const gemp_row_store *rows, gemp_projected *out)
{
	gemp_code code = GEMP_OK;
	const gemp_pattern *pattern = p->pattern;
	uint64_t *picked = NULL;
	bool made = false;
	if (p->edges)
		GEMP_TRY(fetch_edges(p, rows));
	for (size_t c = 0; c < p->column_count; c++)
		GEMP_TRY(fetch_column(p, &p->columns[c], rows));
	code = GEMP_NEW(picked, rows->rows);
	if (code == GEMP_OK)
		code = gemp_project_none(p->graph, pattern, out);
	made = code == GEMP_OK;
	for (size_t i = 0; i < pattern->result.item_count && code == GEMP_OK && rows->rows; i++)
		code = pick_item(p, &out[i], pattern->result.items[i].expr, rows, picked);
	code = gemp_comm_agree(p->context->comm, code);
done:
	if (code != GEMP_OK && made)
		gemp_projected_free(out, pattern->result.item_count);
	gemp_free(picked);
	forget_values(p);
	return code;
}
