/* cypher_tree_text: writes a syntax tree as openCypher, with parentheses around every operator, so that its structure
 * is visible. The text is a query again: reading it gives the same tree, apart from places, and with names for all
 * columns. */
#ifndef GEMP_TESTS_CYPHER_TREE_TEXT_H
#define GEMP_TESTS_CYPHER_TREE_TEXT_H

#include "cypher_expr_text.h"
#include "harness/harness.h"

static inline void tree_items(gemp_text *out, const gemp_cypher_clause *clause, bool named)
{
	if (clause->all)
		gemp_text_print(out, clause->items ? "*, " : "*");
	for (const gemp_cypher_item *item = clause->items; item; item = item->next) {
		tree_expr(out, item->expr);
		gemp_text_print(out, named ? " AS " : "");
		if (named)
			tree_name(out, item->alias);
		gemp_text_print(out, item->next ? ", " : "");
	}
}

static inline void tree_projecting(gemp_text *out, const gemp_cypher_clause *clause)
{
	gemp_text_print(out, "%s %s", clause->kind == GEMP_CY_WITH ? "WITH" : "RETURN",
	                clause->distinct ? "DISTINCT " : "");
	tree_items(out, clause, true);
	for (const gemp_cypher_order *order = clause->orders; order; order = order->next) {
		tree_option(out, order == clause->orders ? " ORDER BY " : ", ", order->expr);
		gemp_text_print(out, order->descending ? " DESC" : "");
	}
	tree_option(out, " SKIP ", clause->skip);
	tree_option(out, " LIMIT ", clause->limit);
}

static inline void tree_updates(gemp_text *out, const gemp_cypher_clause *clause)
{
	bool merge = clause->kind == GEMP_CY_MERGE;
	for (const gemp_cypher_update *update = clause->updates; update; update = update->next) {
		if (merge)
			gemp_text_print(out, update->on_create ? " ON CREATE SET " : update->on_match ? " ON MATCH SET " : "?");
		tree_expr(out, update->target);
		tree_labels(out, update->labels, ":");
		tree_option(out, update->kind == GEMP_CY_ADD_ALL ? " += " : " = ", update->value);
		gemp_text_print(out, !merge && update->next ? ", " : "");
	}
}

static inline void tree_call(gemp_text *out, const gemp_cypher_clause *clause)
{
	gemp_text_print(out, "CALL ");
	tree_callee(out, clause->name);
	gemp_text_print(out, clause->has_arguments ? "(" : "");
	for (const gemp_cypher_item *item = clause->items; item; item = item->next) {
		tree_expr(out, item->expr);
		gemp_text_print(out, item->next ? ", " : "");
	}
	gemp_text_print(out, clause->has_arguments ? ")" : "");
	gemp_text_print(out, clause->all ? " YIELD *" : clause->yields ? " YIELD " : "");
	for (const gemp_cypher_item *item = clause->yields; item; item = item->next) {
		tree_expr(out, item->expr);
		gemp_text_print(out, " AS ");
		tree_name(out, item->alias);
		gemp_text_print(out, item->next ? ", " : "");
	}
}

static inline void tree_clause(gemp_text *out, const gemp_cypher_clause *clause);

static inline void tree_clauses(gemp_text *out, const gemp_cypher_clause *clause)
{
	for (; clause; clause = clause->next) {
		tree_clause(out, clause);
		gemp_text_print(out, clause->next ? " " : "");
	}
}

static inline void tree_writing(gemp_text *out, const gemp_cypher_clause *clause)
{
	switch (clause->kind) {
	case GEMP_CY_CREATE:
		gemp_text_print(out, "CREATE ");
		tree_pattern(out, clause->pattern);
		break;
	case GEMP_CY_MERGE:
		gemp_text_print(out, "MERGE ");
		tree_pattern(out, clause->pattern);
		tree_updates(out, clause);
		break;
	case GEMP_CY_SET:
		gemp_text_print(out, "SET ");
		tree_updates(out, clause);
		break;
	case GEMP_CY_REMOVE:
		gemp_text_print(out, "REMOVE ");
		tree_updates(out, clause);
		break;
	case GEMP_CY_DELETE:
		gemp_text_print(out, clause->detach ? "DETACH DELETE " : "DELETE ");
		tree_items(out, clause, false);
		break;
	default:
		gemp_text_print(out, "FOREACH (");
		tree_name(out, clause->name);
		tree_option(out, " IN ", clause->expr);
		gemp_text_print(out, " | ");
		tree_clauses(out, clause->body);
		gemp_text_print(out, ")");
	}
}

static inline void tree_clause(gemp_text *out, const gemp_cypher_clause *clause)
{
	switch (clause->kind) {
	case GEMP_CY_MATCH:
		gemp_text_print(out, clause->optional ? "OPTIONAL MATCH " : "MATCH ");
		tree_pattern(out, clause->pattern);
		break;
	case GEMP_CY_UNWIND:
		tree_option(out, "UNWIND ", clause->expr);
		gemp_text_print(out, " AS ");
		tree_name(out, clause->name);
		break;
	case GEMP_CY_WITH:
	case GEMP_CY_RETURN: tree_projecting(out, clause); break;
	case GEMP_CY_CALL_PROCEDURE: tree_call(out, clause); break;
	case GEMP_CY_CALL_SUBQUERY: tree_inner(out, "CALL", clause->query); break;
	default: tree_writing(out, clause);
	}
	tree_option(out, " WHERE ", clause->where);
}

static inline void tree_query(gemp_text *out, const gemp_cypher_query *query)
{
	for (const gemp_cypher_part *part = query->first; part; part = part->next) {
		if (part != query->first)
			gemp_text_print(out, part->all ? " UNION ALL " : " UNION ");
		tree_clauses(out, part->first);
	}
}

/* Reads `query`; text gets the tree as a text. */
static inline gemp_code tree_read(const char *query, gemp_text *text)
{
	gemp_cypher_tree tree;
	gemp_code code = gemp_cypher_parse(&tree, &(gemp_source){ .text = query });
	gemp_text_clear(text);
	if (code == GEMP_OK)
		tree_query(text, tree.query);
	gemp_cypher_tree_free(&tree);
	return code;
}

/* Reads `query`, and its text again, which must stay the same. */
static inline gemp_code tree_read_twice(const char *query, gemp_text *text)
{
	gemp_text again = { 0 };
	gemp_code code = tree_read(query, text);
	if (code == GEMP_OK && tree_read(text->data, &again) != GEMP_OK)
		fail_msg("%s\nwas read as %s\nwhich is refused: %s", query, text->data, gemp_message());
	if (code == GEMP_OK && strcmp(text->data, again.data) != 0)
		fail_msg("%s\nwas read as %s\nand then as %s", query, text->data, again.data);
	gemp_text_free(&again);
	return code;
}

#endif
