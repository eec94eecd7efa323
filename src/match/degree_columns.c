#include "match/degree_columns.h"

#include "core/memory.h"

#include <string.h>

size_t gemp_degree_columns_find(const gemp_degree_columns *d, const gemp_expr *expr)
{
	size_t i = 0;
	while (i < d->count && (d->of[i]->direction != expr->direction ||
	                        memcmp(d->of[i]->relations, expr->relations, d->relation_count) != 0))
		i++;
	return i;
}

gemp_code gemp_degree_columns_note(gemp_degree_columns *d, const gemp_expr *expr)
{
	gemp_code code = GEMP_OK;
	if (expr->kind == GEMP_DEGREE && gemp_degree_columns_find(d, expr) == d->count) {
		GEMP_TRY(GEMP_RESERVE(d->of, d->capacity, d->count + 1));
		d->of[d->count++] = expr;
	}
	for (size_t i = 0; i < expr->count; i++)
		GEMP_TRY(gemp_degree_columns_note(d, expr->children[i]));
done:
	return code;
}

gemp_code gemp_degree_columns_fill(gemp_degree_columns *d, gemp_context *context, gemp_graph *graph,
                                   bool count_loops)
{
	gemp_code code = GEMP_OK;
	if (d->count == 0)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(context->comm, GEMP_NEW(d->columns, d->count)));
	for (size_t i = 0; i < d->count; i++)
		GEMP_TRY(gemp_degrees(context, graph, d->of[i]->relations, d->of[i]->direction, count_loops,
		                      &d->columns[i]));
done:
	return code;
}

void gemp_degree_columns_free(gemp_degree_columns *d)
{
	for (size_t i = 0; d->columns && i < d->count; i++)
		gemp_column_free(&d->columns[i]);
	gemp_free(d->columns);
	gemp_free(d->of);
	*d = (gemp_degree_columns){ 0 };
}
