#include "query/clause/clause.h"

#include "query/rows/lookup.h"

bool gemp_clause_wants_embeddings(const gemp_pattern *pattern)
{
	return pattern->with || pattern->result.grouped || pattern->result.distinct;
}

/* Elements of the pattern itself are always present; elements of OPTIONAL MATCH are numbered behind them and may
 * be missing. */
static bool is_never_null(const gemp_pattern *pattern, const gemp_expr *expr)
{
	return (expr->kind == GEMP_VERTEX && expr->variable < (int)pattern->vertex_count) ||
	       (expr->kind == GEMP_EDGE && expr->variable < (int)pattern->edge_count);
}

/* True if the expression has the same value for all matches once their number is known: count(*), or count of an
 * element that is never NULL, or an expression of such counts and literals. */
static bool only_counts(const gemp_pattern *pattern, const gemp_expr *expr)
{
	if (expr->kind == GEMP_COUNT_STAR)
		return true;
	if (expr->kind == GEMP_COUNT)
		return !expr->distinct && is_never_null(pattern, expr->children[0]);
	if (gemp_expr_is_aggregate(expr) || expr->variable >= 0 || expr->kind == GEMP_EXISTS || expr->kind == GEMP_COUNT_OF)
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

/* ORDER BY and SKIP need all rows; a LIMIT alone does not. */
bool gemp_clause_streams(const gemp_pattern *pattern)
{
	return !gemp_clause_wants_embeddings(pattern) && !pattern->result.order_count && !pattern->result.has_skip;
}

/* Bits of the edges that the expression uses, itself or an attribute of them. */
static uint64_t edges_of(const gemp_expr *expr)
{
	bool of_edge = expr->variable >= 0 && (expr->of_edge || expr->kind == GEMP_EDGE);
	uint64_t edges = of_edge ? UINT64_C(1) << expr->variable : 0;
	for (size_t i = 0; i < expr->count; i++)
		edges |= edges_of(expr->children[i]);
	return edges;
}

/* Clauses behind the first read items of the first, so looking at the first is enough. */
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
		.vertices = gemp_pattern_row_vertices(pattern),
		.edges = gemp_pattern_row_edges(pattern),
	};
	for (size_t i = 0; i < clause->item_count; i++)
		gemp_lookup_uses(&map, clause->items[i].expr, used);
}

/* Aggregates do not nest, so the search ends at each. */
static gemp_code find_aggregates(gemp_grouping *r, const gemp_expr *expr)
{
	if (gemp_expr_is_aggregate(expr)) {
		GEMP_PROPAGATE(GEMP_RESERVE(r->aggregates, r->aggregate_capacity, r->aggregate_count + 1));
		r->aggregates[r->aggregate_count++] = expr;
		return GEMP_OK;
	}
	for (size_t i = 0; i < expr->count; i++)
		GEMP_PROPAGATE(find_aggregates(r, expr->children[i]));
	return GEMP_OK;
}

/* Items without an aggregate are the keys by which rows are grouped. */
gemp_code gemp_grouping_begin(gemp_grouping *r, const gemp_clause *clause)
{
	GEMP_PROPAGATE(GEMP_NEW(r->keys, clause->item_count));
	for (size_t i = 0; i < clause->item_count; i++)
		if (gemp_expr_has_aggregate(clause->items[i].expr))
			GEMP_PROPAGATE(find_aggregates(r, clause->items[i].expr));
		else
			r->keys[r->key_count++] = clause->items[i].expr;
	return GEMP_OK;
}

void gemp_grouping_free(gemp_grouping *r)
{
	for (size_t i = 0; i < r->made_count; i++)
		gemp_free(r->made[i]);
	gemp_free_all(r->made, r->keys, r->aggregates);
	*r = (gemp_grouping){ 0 };
}

/* MAKING */

/* New nodes share children with the original tree, so they are freed one by one from a list and not as trees. */
static gemp_code keep_allocation(gemp_grouping *r, void *block)
{
	gemp_code code = GEMP_RESERVE(r->made, r->made_capacity, r->made_count + 1);
	if (code == GEMP_OK)
		r->made[r->made_count++] = block;
	else
		gemp_free(block);
	return code;
}

/* A node like expr that shares all its pointers. */
static gemp_code copy_node(gemp_grouping *r, const gemp_expr *expr, gemp_expr **out)
{
	GEMP_PROPAGATE(GEMP_NEW(*out, 1));
	**out = *expr;
	return keep_allocation(r, *out);
}

/* A key that is an element keeps its kind, so that attributes can still be read of it. */
static gemp_code make_column(gemp_grouping *r, const gemp_frame *columns, const gemp_expr *expr, size_t item,
                             const gemp_expr **out)
{
	gemp_expr *node;
	GEMP_PROPAGATE(copy_node(r, expr, &node));
	bool element = expr->kind == GEMP_VERTEX || expr->kind == GEMP_EDGE;
	node->count = 0;
	node->variable = element ? (int)item : -1;
	node->kind = element ? expr->kind : GEMP_COLUMN;
	node->item = item;
	node->type = columns->columns[item].values.type;
	*out = node;
	return GEMP_OK;
}

/* Items and subpatterns must be equal at every node, too. */
static bool is_same_expr(const gemp_expr *a, const gemp_expr *b)
{
	bool equal = a->item == b->item && a->sub == b->sub && gemp_expr_compare(a, b) == 0;
	for (size_t i = 0; i < a->count && equal; i++)
		equal = is_same_expr(a->children[i], b->children[i]);
	return equal;
}

/* Keys are compared structurally; their number is small. */
static size_t find_key(const gemp_grouping *r, const gemp_expr *expr)
{
	size_t k = 0;
	while (k < r->key_count && !is_same_expr(r->keys[k], expr))
		k++;
	return k;
}

/* The key that is the vertex or edge to which expr refers; key_count if there is none. */
static size_t find_element(const gemp_grouping *r, const gemp_expr *expr)
{
	gemp_expr_kind kind = expr->of_edge ? GEMP_EDGE : GEMP_VERTEX;
	size_t k = 0;
	while (k < r->key_count && (r->keys[k]->kind != kind || r->keys[k]->variable != expr->variable))
		k++;
	return k;
}

static gemp_code not_grouped(const gemp_expr *expr)
{
	return gemp_fail(GEMP_EUSAGE,
	                 "query:%d:%d: what stands beside an aggregate must be a column too, so that rows are "
	                 "grouped by it; give it to WITH or RETURN as one",
	                 expr->line, expr->column);
}

/* The node is copied, since the clause's own tree must stay as it is. */
static gemp_code rewrite_children(gemp_grouping *r, const gemp_frame *columns, const gemp_expr *expr,
                                  const gemp_expr **out)
{
	gemp_expr *node;
	const gemp_expr **children;
	GEMP_PROPAGATE(copy_node(r, expr, &node));
	GEMP_PROPAGATE(GEMP_NEW(children, expr->count));
	GEMP_PROPAGATE(keep_allocation(r, children));
	for (size_t i = 0; i < expr->count; i++)
		GEMP_PROPAGATE(gemp_grouping_item(r, columns, expr->children[i], &children[i]));
	node->children = (gemp_expr **)children;
	*out = node;
	return GEMP_OK;
}

/* A key or an aggregate becomes a column; an attribute of a grouped vertex stays an attribute of the key; everything
 * else is rewritten below. */
gemp_code gemp_grouping_item(gemp_grouping *r, const gemp_frame *columns, const gemp_expr *expr, const gemp_expr **out)
{
	size_t key = find_key(r, expr), element = find_element(r, expr);
	gemp_expr *node;
	*out = expr;
	if (expr->kind == GEMP_LITERAL)
		return GEMP_OK;
	for (size_t i = 0; i < r->aggregate_count; i++)
		if (r->aggregates[i] == expr)
			return make_column(r, columns, expr, r->key_count + i, out);
	if (key < r->key_count)
		return make_column(r, columns, expr, key, out);
	if (expr->kind == GEMP_EXISTS || expr->kind == GEMP_COUNT_OF || expr->kind == GEMP_COLUMN)
		return not_grouped(expr);
	if (expr->variable < 0)
		return rewrite_children(r, columns, expr, out);
	if (element == r->key_count)
		return not_grouped(expr);
	gemp_code code = copy_node(r, expr, &node);
	if (code == GEMP_OK) {
		node->variable = (int)element;
		*out = node;
	}
	return code;
}
