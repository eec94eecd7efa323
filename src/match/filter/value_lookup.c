#include "match/filter/value_lookup.h"

#include "core/limits.h"
#include "core/memory.h"

#include <string.h>

/* Conditions are in normal form: literals are on the right, and lists have no NULL. */
int gemp_value_lookup_attribute(const gemp_shard *graph, const gemp_expr *expr)
{
	if (expr->kind != GEMP_EQ && expr->kind != GEMP_IN)
		return GEMP_NO_LOOKUP;
	const gemp_expr *left = expr->children[0];
	if (left->kind != GEMP_ATTRIBUTE || left->of_edge || left->attribute < 0)
		return GEMP_NO_LOOKUP;
	const gemp_type type = graph->attributes.columns[left->attribute].type;
	bool indexed = type == GEMP_STRING || type == GEMP_INTEGER;
	for (size_t i = 1; i < expr->count; i++) {
		const gemp_expr *right = expr->children[i];
		indexed &= right->kind == GEMP_LITERAL && !right->value.null && right->value.type == type;
	}
	return indexed ? left->attribute : GEMP_NO_LOOKUP;
}

int gemp_value_lookup_index(const gemp_shard *graph, const gemp_expr *expr)
{
	const int attribute = gemp_limits_now()->indexes ? gemp_value_lookup_attribute(graph, expr) : GEMP_NO_LOOKUP;
	for (size_t i = 0; attribute != GEMP_NO_LOOKUP && i < graph->value_index_count; i++)
		if (graph->value_indexes[i].attribute == (size_t)attribute &&
		    graph->value_indexes[i].entries >= gemp_limits_now()->value_index_min)
			return (int)i;
	return GEMP_NO_LOOKUP;
}

/* Every rank finds the same ids, so the ranks agree on memory for them only. */
gemp_code gemp_value_lookup_find(gemp_shard *graph, const gemp_comm *comm, int index, const gemp_expr *expr,
                                 gemp_vertex **ids, size_t *count)
{
	size_t capacity = 0;
	*ids = NULL;
	*count = 0;
	for (size_t i = 1; i < expr->count; i++) {
		GEMP_OWNED gemp_vertex *found = NULL;
		size_t more = 0;
		GEMP_TRY(gemp_shard_find_vertices(graph, (size_t)index, &expr->children[i]->value, &found, &more));
		GEMP_TRY(gemp_comm_agree(comm, GEMP_RESERVE(*ids, capacity, *count + more + 1)));
		if (more)
			memcpy(*ids + *count, found, more * sizeof *found);
		*count += more;
	}
	return GEMP_OK;
}
