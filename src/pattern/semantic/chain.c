/* The clauses of a query in their order. One search has MATCH, OPTIONAL MATCHes and a WITH. A chain of MATCH and WITH
 * is one search, too, if each WITH before the last MATCH only passes variables on: such a WITH renames and hides names,
 * keeps every row, and its WHERE is a condition of the pattern. A name that it gives to an expression stands for this
 * expression from then on. All other chains are refused here. They run clause by clause. */

#include "pattern/semantic/expression.h"

#include "core/memory.h"

/* Refuses chains that one search may refuse later, or for which it may be slower than clause by clause. Paths of
 * variable length make a search for each combination of their lengths, whose patterns have the limits of one search;
 * clause by clause each MATCH has these limits of its own. If the pattern falls into parts, one search finds all
 * matches of each part first, and refuses to combine too many. */
static gemp_code check_chain(gemp_sema *p, const gemp_pattern *pattern, size_t at)
{
	enum { MAX_COMBINATIONS = 16 };
	int part[GEMP_MAX_PATTERN_VERTICES];
	uint64_t vertices = pattern->vertex_count, edges = pattern->edge_count, combinations = 1;
	for (size_t e = 0; e < pattern->edge_count; e++) {
		const gemp_pattern_edge *edge = &pattern->edges[e];
		vertices += edge->max_hops - 1;
		edges += edge->max_hops - 1;
		if (combinations <= MAX_COMBINATIONS)
			combinations *= edge->max_hops - edge->min_hops + 1;
	}
	if (vertices > GEMP_MAX_PATTERN_VERTICES || edges > GEMP_MAX_PATTERN_EDGES || combinations > MAX_COMBINATIONS)
		return gemp_sema_fail(p, at, "so long a chain of paths of variable length is not supported");
	if (gemp_pattern_components(pattern, part) > 1)
		return gemp_sema_fail(p, at, "a chain of MATCH whose paths fall into parts is not supported");
	return GEMP_OK;
}

/* A second MATCH may share vertices with the first, and its edges may be edges of the first. A row of OPTIONAL MATCH
 * may lack vertices, so no pattern goes on from it. */
static gemp_code add_match(gemp_sema *p, gemp_sema_scope *row, const gemp_ast_match *match)
{
	if (row->pattern->optional_count)
		return gemp_sema_fail(p, match->place.begin, "MATCH behind OPTIONAL MATCH is not supported");
	row->match++;
	return gemp_sema_match(p, row, match);
}

/* An expression that names one value of one element, or none. Replacing its name by it can neither fail where the WITH
 * would not nor grow. */
static bool can_replace_name(const gemp_ast_expr *expr)
{
	return expr->kind == GEMP_ATTRIBUTE || expr->kind == GEMP_KEY || expr->kind == GEMP_TYPE ||
	       expr->kind == GEMP_LITERAL;
}

/* An element has one name, so that a pattern within the query gets it as one argument. */
static gemp_code add_name(gemp_sema *p, gemp_sema_scope *to, const gemp_sema_name *name, size_t at)
{
	for (size_t i = 0; i < to->count; i++)
		if (!name->value && !to->names[i].value && to->names[i].sort == name->sort && to->names[i].index == name->index)
			return gemp_sema_fail(p, at, "two names for one element are not supported before MATCH");
	to->names[to->count++] = *name;
	return GEMP_OK;
}

/* Adds the name of an item to the scope behind WITH. */
static gemp_code pass_item(gemp_sema *p, gemp_sema_scope *from, const gemp_ast_item *item, gemp_sema_scope *to)
{
	const gemp_ast_expr *expr = item->expr;
	const gemp_sema_name *found;
	gemp_sema_name name = { .sort = GEMP_SEMA_VALUE, .value = expr, .value_scope = from };
	if (expr->kind == GEMP_VERTEX) {
		GEMP_TRY(gemp_sema_resolve(p, from, expr->variable, &found));
		name = *found;
	}
	name.name = item->alias.bytes ? item->alias.bytes : expr->variable.bytes;
	return add_name(p, to, &name, item->place.begin);
}

/* True if WITH keeps every row, or those for which a condition of the pattern holds, and only gives names. A row may
 * lack what OPTIONAL MATCH adds, so a condition behind it is none of the pattern. */
static bool only_passes_on(const gemp_pattern *pattern, const gemp_ast_projection *with)
{
	if (with->distinct || with->orders || with->skip || with->limit || (with->where && pattern->optional_count))
		return false;
	for (const gemp_ast_item *item = with->items; item; item = item->next)
		if (item->expr && item->expr->kind != GEMP_VERTEX && !(can_replace_name(item->expr) && item->alias.bytes))
			return false;
	return true;
}

/* The scope before WITH is kept, since names behind it may stand for expressions of it. */
static gemp_code pass_on(gemp_sema *p, gemp_sema_scope *row, const gemp_ast_projection *with)
{
	gemp_sema_scope *from = GEMP_AST_NODE(p->q, gemp_sema_scope, .pattern = row->pattern, .match = row->match,
	                                      .count = row->count, .names = row->names);
	size_t count = row->count + GEMP_SEMA_MAX_NAMES;
	if (!only_passes_on(row->pattern, with))
		return gemp_sema_fail(p, with->place.begin,
		                      "a WITH before another clause that does more than pass variables on is not supported");
	for (const gemp_ast_item *item = with->items; item; item = item->next)
		count++;
	if (!from)
		return GEMP_ENOMEM;
	GEMP_TRY(gemp_sema_new_scope(p, row->pattern, count, row));
	row->match = from->match;
	for (const gemp_ast_item *item = with->items; item; item = item->next)
		if (item->expr)
			GEMP_TRY(pass_item(p, from, item, row));
		else
			for (size_t i = 0; i < from->count; i++)
				GEMP_TRY(add_name(p, row, &from->names[i], item->place.begin));
	return gemp_sema_require(p, row, NULL, with->where);
}

/* The last WITH may group, sort and cut rows, since only RETURN or updates follow it. Its names are columns. */
static gemp_code add_last_with(gemp_sema *p, gemp_sema_scope *row, const gemp_ast_projection *with)
{
	gemp_sema_scope passed;
	gemp_pattern *pattern = row->pattern;
	GEMP_TRY(GEMP_NEW(pattern->with, 1));
	GEMP_TRY(gemp_sema_clause(p, row, with, true, pattern->with, &passed));
	*row = passed;
	return GEMP_OK;
}

/* In a chain the last WITH may only pass variables on, too; then its condition is tested during the search. Without a
 * chain its columns decide which embeddings are one match, so it stays a clause. */
static bool is_last_with(const gemp_pattern *pattern, const gemp_ast_part *part)
{
	return !part->match && !part->next && !(pattern->chained && only_passes_on(pattern, part->with));
}

gemp_code gemp_sema_row(gemp_sema *p, gemp_pattern *pattern, const gemp_ast_match *match, const gemp_ast_part *parts,
                        gemp_sema_scope *row)
{
	GEMP_TRY(gemp_sema_new_scope(p, pattern, GEMP_SEMA_MAX_NAMES, row));
	GEMP_TRY(gemp_sema_match(p, row, match));
	for (; parts; parts = parts->next)
		if (parts->optional) {
			GEMP_TRY(gemp_sema_optional(p, row, parts->match));
		} else if (is_last_with(pattern, parts)) {
			GEMP_TRY(add_last_with(p, row, parts->with));
		} else {
			GEMP_TRY(parts->match ? add_match(p, row, parts->match) : pass_on(p, row, parts->with));
			pattern->chained = true;
		}
	return pattern->chained ? check_chain(p, pattern, match->place.begin) : GEMP_OK;
}
