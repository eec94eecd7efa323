/* Clauses and queries of the tree, and which clauses may follow each other. */

#include "cypher/syntax/build.h"
#include "cypher/syntax/tree_walk.h"

#include "core/status.h"

static const char *clause_name(const gemp_cypher_clause *clause)
{
	static const char *const names[] = { "MATCH", "UNWIND", "WITH",   "RETURN", "CREATE",  "MERGE",
		                                 "SET",   "REMOVE", "DELETE", "CALL",   "FOREACH", "CALL" };
	return clause->optional ? "OPTIONAL MATCH" : names[clause->kind];
}

static bool projects(const gemp_cypher_clause *clause)
{
	return clause->kind == GEMP_CY_WITH || clause->kind == GEMP_CY_RETURN;
}

gemp_cypher_clause *gemp_cy_clause(gemp_cypher_builder *b, gemp_cypher_clause_kind kind, gemp_cypher_place place)
{
	return GEMP_CY_NODE(b, gemp_cypher_clause, .kind = kind, .place = place, .slot = GEMP_CY_NO_SLOT);
}

gemp_cypher_item *gemp_cy_items(gemp_cypher_builder *b, gemp_cypher_expr *list)
{
	gemp_cypher_item *first = NULL, *last = NULL;
	gemp_cypher_expr *next;
	for (gemp_cypher_expr *expr = list ? list->first : NULL; expr; expr = next) {
		next = expr->next;
		expr->next = NULL;
		gemp_cypher_item *item = gemp_cy_item(b, expr, (gemp_cypher_word){ 0 }, expr->place);
		if (!item)
			return NULL;
		GEMP_LIST_APPEND(first, last, item);
	}
	return first;
}

gemp_cypher_item *gemp_cy_item(gemp_cypher_builder *b, gemp_cypher_expr *expr, gemp_cypher_word alias,
                               gemp_cypher_place place)
{
	return GEMP_CY_NODE(b, gemp_cypher_item, .place = place, .expr = expr, .alias = alias, .named = alias.bytes,
	                    .slot = GEMP_CY_NO_SLOT);
}

/* The name of a column without AS is that of its variable, or else the text of its expression. */
gemp_cypher_clause *gemp_cy_project(gemp_cypher_builder *b, gemp_cypher_clause *clause, gemp_cypher_clause_kind kind,
                                    gemp_cypher_place place)
{
	clause->kind = kind;
	clause->place = place;
	for (gemp_cypher_item *item = clause->items; item && b->code == GEMP_OK; item = item->next) {
		if (item->named)
			continue;
		if (item->expr->kind == GEMP_CY_VARIABLE)
			item->alias = item->expr->name;
		else if (kind == GEMP_CY_RETURN)
			item->alias = gemp_cy_text(b, item->place);
		else
			gemp_cy_fail(b, item->place.end, "an expression in WITH needs a name; write AS and a name here");
	}
	return b->code == GEMP_OK ? clause : NULL;
}

/* Returns the kind of an update by what its target is, or fails. */
static gemp_cypher_update_kind kind_of_update(gemp_cypher_builder *b, gemp_cypher_update_kind kind,
                                              const gemp_cypher_expr *target)
{
	bool variable = target->kind == GEMP_CY_VARIABLE, property = target->kind == GEMP_CY_PROPERTY;
	if (target->kind == GEMP_CY_HAS_LABELS)
		return kind == GEMP_CY_REMOVE_PROPERTY ? GEMP_CY_REMOVE_LABELS : GEMP_CY_SET_LABELS;
	if (kind == GEMP_CY_SET_PROPERTY && variable)
		return GEMP_CY_SET_ALL;
	if (kind == GEMP_CY_ADD_ALL && !variable)
		gemp_cy_fail(b, target->place.begin, "SET += takes a variable, as in SET a += {x: 1}");
	else if (kind == GEMP_CY_SET_PROPERTY && !property)
		gemp_cy_fail(b, target->place.begin, "SET takes a property, a variable or labels, as in SET a.x = 1, b:Label");
	else if (kind == GEMP_CY_REMOVE_PROPERTY && !property)
		gemp_cy_fail(b, target->place.begin, "REMOVE takes a property or labels, as in REMOVE a.x, b:Label");
	return kind;
}

gemp_cypher_update *gemp_cy_update(gemp_cypher_builder *b, gemp_cypher_update_kind kind, gemp_cypher_expr *target,
                                   gemp_cypher_expr *value, gemp_cypher_place place)
{
	kind = kind_of_update(b, kind, target);
	bool labels = target->kind == GEMP_CY_HAS_LABELS;
	for (const gemp_cypher_label *label = target->labels; label; label = label->next)
		if (label->parts)
			gemp_cy_fail(b, target->place.begin, "SET and REMOVE take a list of labels, as in a:A:B");
	gemp_cypher_update *update = GEMP_CY_NODE(b, gemp_cypher_update, .kind = kind, .place = place, .value = value,
	                                          .target = labels ? target->first : target, .labels = target->labels);
	return b->code == GEMP_OK ? update : NULL;
}

gemp_cypher_part *gemp_cy_append(gemp_cypher_builder *b, gemp_cypher_part *part, gemp_cypher_clause *clause)
{
	if (!part)
		part = GEMP_CY_NODE(b, gemp_cypher_part, .all = false);
	if (!part)
		return NULL;
	const gemp_cypher_clause *last = part->last;
	if (last && last->kind == GEMP_CY_RETURN)
		gemp_cy_fail(b, clause->place.begin,
		             "%s stands behind RETURN, which ends a query; write WITH instead of RETURN", clause_name(clause));
	else if (last && gemp_cypher_clause_updates(last) && !gemp_cypher_clause_updates(clause) && !projects(clause))
		gemp_cy_fail(b, clause->place.begin, "WITH is missing between %s and %s, as in %s ... WITH * %s",
		             clause_name(last), clause_name(clause), clause_name(last), clause_name(clause));
	GEMP_LIST_APPEND(part->first, part->last, clause);
	b->tree->writes = b->tree->writes || gemp_cypher_clause_updates(clause);
	return b->code == GEMP_OK ? part : NULL;
}

gemp_cypher_query *gemp_cy_union(gemp_cypher_builder *b, gemp_cypher_query *query, bool all, gemp_cypher_part *part,
                                 gemp_cypher_place place)
{
	if (!query)
		query = GEMP_CY_NODE(b, gemp_cypher_query, .place = place);
	if (!query)
		return NULL;
	if (query->first != query->last && query->last->all != all) {
		gemp_cy_fail(b, part->first->place.begin, "UNION and UNION ALL are mixed here; write one of them throughout");
		return NULL;
	}
	part->all = all;
	GEMP_LIST_APPEND(query->first, query->last, part);
	query->place = place;
	return query;
}

/* A procedure without parentheses, and YIELD *, stand in a query that is nothing but a CALL. */
static void check_procedure(gemp_cypher_builder *b, const gemp_cypher_clause *call)
{
	if (!call->has_arguments)
		gemp_cy_fail(b, call->place.begin, "a procedure within a query needs parentheses, as in CALL %.60s()",
		             call->name.bytes);
	else if (call->all)
		gemp_cy_fail(b, call->place.begin, "YIELD * within a query is not supported; name the columns");
}

static void check_end(gemp_cypher_builder *b, const gemp_cypher_clause *last, gemp_cypher_context context)
{
	bool predicate = context == GEMP_CY_PREDICATE && last->kind != GEMP_CY_WITH;
	if (last->kind == GEMP_CY_RETURN || predicate || gemp_cypher_clause_updates(last))
		return;
	gemp_cy_fail(b, last->place.end, "RETURN is missing: after %s it says what the rows are", clause_name(last));
}

gemp_cypher_query *gemp_cy_finish(gemp_cypher_builder *b, gemp_cypher_query *query, gemp_cypher_context context)
{
	const gemp_cypher_clause *first = query->first->first;
	bool alone = context == GEMP_CY_WHOLE && first->kind == GEMP_CY_CALL_PROCEDURE && !first->next;
	if (alone && query->first == query->last)
		return query;
	for (const gemp_cypher_part *part = query->first; part; part = part->next) {
		for (const gemp_cypher_clause *clause = part->first; clause; clause = clause->next) {
			if (clause->kind == GEMP_CY_CALL_PROCEDURE)
				check_procedure(b, clause);
			if (gemp_cypher_clause_updates(clause) && (context == GEMP_CY_PREDICATE || context == GEMP_CY_COLLECTION))
				gemp_cy_fail(b, clause->place.begin, "%s may not stand in EXISTS, COUNT or COLLECT, which only read",
				             clause_name(clause));
		}
		check_end(b, part->last, context);
	}
	return b->code == GEMP_OK ? query : NULL;
}

gemp_cypher_query *gemp_cy_match_query(gemp_cypher_builder *b, gemp_cypher_pattern *pattern, gemp_cypher_expr *where,
                                       gemp_cypher_place place)
{
	gemp_cypher_clause *match = gemp_cy_clause(b, GEMP_CY_MATCH, place);
	if (!match)
		return NULL;
	match->pattern = pattern;
	match->where = where;
	gemp_cypher_part *part = gemp_cy_append(b, NULL, match);
	return part ? gemp_cy_union(b, NULL, false, part, place) : NULL;
}

bool gemp_cy_enter(gemp_cypher_builder *b, gemp_cypher_place place)
{
	b->deepest = 0;
	if (++b->nested > GEMP_CY_MAX_NESTED)
		gemp_cy_fail(b, place.begin, "clauses are nested more than %d deep here", GEMP_CY_MAX_NESTED);
	return b->code == GEMP_OK;
}

void gemp_cy_leave(gemp_cypher_builder *b, unsigned outer_deepest)
{
	b->nested--;
	if (b->deepest < outer_deepest)
		b->deepest = outer_deepest;
}

void gemp_cy_on(gemp_cypher_clause *merge, const gemp_cypher_clause *set, bool on_create)
{
	gemp_cypher_update *next;
	for (gemp_cypher_update *update = set->updates; update; update = next) {
		next = update->next;
		update->on_create = on_create;
		update->on_match = !on_create;
		GEMP_LIST_APPEND(merge->updates, merge->last_update, update);
	}
}
