#include "query/clause.h"

#include "query/lookup.h"
#include "query/rewrite.h"

bool gemp_clause_wants_embeddings(const gemp_pattern *pattern)
{
	return pattern->with || pattern->result.grouped || pattern->result.distinct;
}

/* Vertices and edges of OPTIONAL MATCH stand behind the others. */
static bool is_never_null(const gemp_pattern *pattern, const gemp_expr *expr)
{
	return (expr->kind == GEMP_VERTEX && expr->variable < (int)pattern->vertex_count) ||
	       (expr->kind == GEMP_EDGE && expr->variable < (int)pattern->edge_count);
}

static bool only_counts(const gemp_pattern *pattern, const gemp_expr *expr)
{
	if (expr->kind == GEMP_COUNT_STAR)
		return true;
	if (expr->kind == GEMP_COUNT)
		return !expr->distinct && is_never_null(pattern, expr->children[0]);
	if (gemp_is_aggregate(expr) || expr->variable >= 0 || expr->kind == GEMP_EXISTS || expr->kind == GEMP_COUNT_OF)
		return false;
	bool only = true;
	for (size_t i = 0; i < expr->count && only; i++)
		only = only_counts(pattern, expr->children[i]);
	return only;
}

bool gemp_clause_only_counts(const gemp_pattern *pattern)
{
	const gemp_clause *clause = gemp_pattern_first_clause(pattern);
	bool only = clause->grouped;
	for (size_t i = 0; i < clause->item_count && only; i++)
		only = only_counts(pattern, clause->items[i].expr);
	return only;
}

bool gemp_clause_streams(const gemp_pattern *pattern)
{
	return !gemp_clause_wants_embeddings(pattern) && !pattern->result.order_count && !pattern->result.has_skip;
}

static uint64_t edges_of(const gemp_expr *expr)
{
	bool of_edge = expr->variable >= 0 && (expr->of_edge || expr->kind == GEMP_EDGE);
	uint64_t edges = of_edge ? UINT64_C(1) << expr->variable : 0;
	for (size_t i = 0; i < expr->count; i++)
		edges |= edges_of(expr->children[i]);
	return edges;
}

uint64_t gemp_clause_edges(const gemp_pattern *pattern)
{
	const gemp_clause *clause = gemp_pattern_first_clause(pattern);
	uint64_t edges = 0;
	for (size_t i = 0; i < clause->item_count; i++)
		edges |= edges_of(clause->items[i].expr);
	return edges;
}

void gemp_clause_uses(const gemp_pattern *pattern, bool *used)
{
	const gemp_clause *clause = gemp_pattern_first_clause(pattern);
	const gemp_frame_map map = {
		.vertices = gemp_pattern_row_vertices(pattern), .edges = gemp_pattern_row_edges(pattern),
	};
	for (size_t i = 0; i < clause->item_count; i++)
		gemp_lookup_uses(&map, clause->items[i].expr, used);
}
