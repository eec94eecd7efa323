/* Rank 0 reads the index, and the other ranks get the vertices from it: a lookup takes some tens of reads of single
 * values, which each rank would repeat. */

#include "match/filter/value_lookup.h"

#include "core/limits.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

/* Whether a literal can be looked up among values of the type: numbers compare with numbers. */
static bool is_comparable(const gemp_expr *literal, gemp_type type)
{
	const gemp_value *value = &literal->value;
	if (literal->kind != GEMP_LITERAL || value->null || (value->type == GEMP_FLOAT && isnan(value->real)))
		return false;
	const bool number = value->type == GEMP_INTEGER || value->type == GEMP_FLOAT;
	return type == GEMP_STRING ? value->type == GEMP_STRING : number;
}

/* Conditions are in normal form: literals are on the right, and lists have no NULL. */
int gemp_value_lookup_attribute(const gemp_shard *graph, const gemp_expr *expr)
{
	if (expr->kind != GEMP_EQ && expr->kind != GEMP_IN && !(expr->kind >= GEMP_LT && expr->kind <= GEMP_GE) &&
	    expr->kind != GEMP_STARTS_WITH)
		return GEMP_NO_LOOKUP;
	const gemp_expr *left = expr->children[0];
	if (left->kind != GEMP_ATTRIBUTE || left->of_edge || left->attribute < 0)
		return GEMP_NO_LOOKUP;
	const gemp_type type = graph->attributes.columns[left->attribute].type;
	bool indexed = gemp_value_index_takes(type) && (expr->kind != GEMP_STARTS_WITH || type == GEMP_STRING);
	for (size_t i = 1; i < expr->count; i++)
		indexed = indexed && is_comparable(expr->children[i], type);
	return indexed ? left->attribute : GEMP_NO_LOOKUP;
}

int gemp_value_lookup_index(const gemp_shard *graph, const gemp_expr *expr)
{
	const bool usable = gemp_limits_now()->indexes && graph->loader.points;
	const int attribute = usable ? gemp_value_lookup_attribute(graph, expr) : GEMP_NO_LOOKUP;
	for (size_t i = 0; attribute != GEMP_NO_LOOKUP && i < graph->value_index_count; i++)
		if (graph->value_indexes[i].attribute == (size_t)attribute)
			return (int)i;
	return GEMP_NO_LOOKUP;
}

size_t gemp_value_lookup_span_count(const gemp_expr *expr)
{
	return expr->kind == GEMP_IN ? expr->count - 1 : 1;
}

gemp_code gemp_value_lookup_spans(const gemp_point_reader *points, int index, const gemp_expr *expr,
                                  gemp_value_span *spans)
{
	const gemp_expr_kind kind = expr->kind;
	const bool from_start = kind == GEMP_LT || kind == GEMP_LE, to_end = kind == GEMP_GT || kind == GEMP_GE;
	const gemp_bound first = kind == GEMP_GT ? GEMP_BOUND_UP_TO : GEMP_BOUND_LESS;
	const gemp_bound last = kind == GEMP_LT            ? GEMP_BOUND_LESS
	                        : kind == GEMP_STARTS_WITH ? GEMP_BOUND_PREFIX
	                                                   : GEMP_BOUND_UP_TO;
	for (size_t i = 0; i < gemp_value_lookup_span_count(expr); i++) {
		const gemp_value *value = &expr->children[i + 1]->value;
		spans[i] = (gemp_value_span){ 0, UINT64_MAX };
		if (!from_start)
			GEMP_TRY(points->position(points->self, (size_t)index, first, value, 0, &spans[i].begin));
		if (!to_end)
			GEMP_TRY(points->position(points->self, (size_t)index, last, value, spans[i].begin, &spans[i].end));
	}
	return GEMP_OK;
}

/* Local. Reads the vertices of a condition. */
static gemp_code read_vertices(const gemp_shard *graph, int index, const gemp_expr *expr, gemp_vertex **ids,
                               size_t *count)
{
	const gemp_point_reader *points = graph->loader.points;
	const size_t span_count = gemp_value_lookup_span_count(expr);
	GEMP_OWNED gemp_value_span *spans = NULL;
	size_t capacity = 0;
	GEMP_TRY(GEMP_NEW(spans, span_count));
	GEMP_TRY(gemp_value_lookup_spans(points, index, expr, spans));
	for (size_t i = 0; i < span_count; i++) {
		const uint64_t end = gemp_min(spans[i].end, graph->value_indexes[index].entries);
		const size_t some = end > spans[i].begin ? (size_t)(end - spans[i].begin) : 0;
		GEMP_TRY(GEMP_RESERVE(*ids, capacity, *count + some + 1));
		GEMP_TRY(points->entries(points->self, (size_t)index, spans[i].begin, some, *ids + *count));
		*count += some;
	}
	return GEMP_OK;
}

static gemp_code look_up(const gemp_shard *graph, int index, const gemp_expr *expr, gemp_vertex **ids, size_t *count)
{
	const gemp_point_reader *points = graph->loader.points;
	bool same;
	GEMP_TRY(points->begin(points->self, &same));
	const gemp_code code =
		same ? read_vertices(graph, index, expr, ids, count)
			 : gemp_fail(GEMP_EIO,
	                     "the file of the graph was replaced or written while it was in use; run this command again");
	points->end(points->self);
	return code;
}

gemp_code gemp_value_lookup_find(gemp_shard *graph, const gemp_comm *comm, int index, const gemp_expr *expr,
                                 gemp_vertex **ids, size_t *count)
{
	*ids = NULL;
	*count = 0;
	GEMP_TRY(gemp_comm_agree(comm, comm->rank == 0 ? look_up(graph, index, expr, ids, count) : GEMP_OK));
	void *bytes = *ids;
	size_t size = *count * sizeof **ids;
	const gemp_code code = gemp_comm_broadcast(comm, &bytes, &size);
	*ids = bytes;
	*count = size / sizeof **ids;
	return code;
}
