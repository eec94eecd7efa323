#include "match/filter/value_lookup.h"

#include "core/limits.h"

/* Conditions are in normal form: the literal is on the right. */
int gemp_value_lookup_attribute(const gemp_shard *graph, const gemp_expr *expr)
{
	if (expr->kind != GEMP_EQ)
		return GEMP_NO_LOOKUP;
	const gemp_expr *left = expr->children[0], *right = expr->children[1];
	if (left->kind != GEMP_ATTRIBUTE || left->of_edge || left->attribute < 0 || right->kind != GEMP_LITERAL)
		return GEMP_NO_LOOKUP;
	const gemp_type type = graph->attributes.columns[left->attribute].type;
	const bool indexed = type == GEMP_STRING || type == GEMP_INTEGER;
	return indexed && !right->value.null && right->value.type == type ? left->attribute : GEMP_NO_LOOKUP;
}

int gemp_value_lookup_index(const gemp_shard *graph, const gemp_expr *expr)
{
	const int attribute = gemp_limits_now()->indexes ? gemp_value_lookup_attribute(graph, expr) : GEMP_NO_LOOKUP;
	for (size_t i = 0; attribute != GEMP_NO_LOOKUP && i < graph->value_index_count; i++)
		if (graph->value_indexes[i].attribute == (size_t)attribute)
			return (int)i;
	return GEMP_NO_LOOKUP;
}

gemp_code gemp_value_lookup_find(gemp_shard *graph, int index, const gemp_expr *expr, gemp_vertex **ids, size_t *count)
{
	return gemp_shard_find_vertices(graph, (size_t)index, &expr->children[1]->value, ids, count);
}
