/* Names of a pattern become columns, label sets and relations of a graph. */
#include "core/log.h"
#include "core/memory.h"
#include "pattern/expr.h"
#include "pattern/source.h"

#include <ctype.h>
#include <string.h>

typedef struct binding {
	gemp_pattern *pattern;
	const gemp_graph *graph;
	gemp_source source;
} binding;

/* "unknown WHAT 'NAME'" and what may have been meant. */
static gemp_code unknown(const binding *b, int line, int column, const char *what, const char *name,
                         const char *const *names, size_t count)
{
	enum { LISTED = 12 };
	const char *near = gemp_nearest(name, names, count);
	gemp_text text = { 0 };
	gemp_text_print(&text, "unknown %s '%s'", what, name);
	if (near)
		gemp_text_print(&text, "; did you mean '%s'?", near);
	else
		gemp_text_print(&text, count ? "; the graph has " : "; the graph has none");
	for (size_t i = 0; !near && i < count && i < LISTED; i++)
		gemp_text_print(&text, "%s%s", i ? ", " : "", names[i]);
	if (!near && count > LISTED)
		gemp_text_print(&text, " and %zu more", count - LISTED);
	gemp_code code = gemp_text_status(&text);
	if (code == GEMP_OK)
		code = gemp_source_fail_at(&b->source, line, column, "%s", text.data);
	gemp_text_free(&text);
	return code;
}

static gemp_code unknown_column(const binding *b, const gemp_expr *expr, const char *what, const gemp_table *table)
{
	const char **names;
	gemp_code code = GEMP_NEW(names, table->count);
	if (code != GEMP_OK)
		return code;
	for (size_t i = 0; i < table->count; i++)
		names[i] = table->columns[i].name;
	code = unknown(b, expr->line, expr->column, what, expr->name, names, table->count);
	gemp_free(names);
	return code;
}

static gemp_code bind_label(const binding *b, gemp_expr *expr)
{
	const gemp_graph *graph = b->graph;
	gemp_free(expr->label_sets);
	gemp_code code = GEMP_NEW(expr->label_sets, graph->label_set_count);
	if (code != GEMP_OK)
		return code;
	expr->label_set_count = graph->label_set_count;
	for (size_t i = 0; i < expr->name_count; i++) {
		size_t label = 0;
		while (label < graph->label_count && strcmp(graph->labels[label], expr->names[i]) != 0)
			label++;
		if (label == graph->label_count)
			return unknown(b, expr->line, expr->column, "label", expr->names[i], (const char *const *)graph->labels,
			               graph->label_count);
		for (size_t set = 0; set < graph->label_set_count; set++)
			for (size_t j = 0; j < graph->label_sets[set].count; j++)
				expr->label_sets[set] = expr->label_sets[set] || graph->label_sets[set].labels[j] == label;
	}
	return GEMP_OK;
}

/* Edge attributes are known by name, but neither tested nor returned yet. */
static gemp_code refuse_edge_attribute(const binding *b, const gemp_expr *expr)
{
	const gemp_pattern_edge *edge = &b->pattern->edges[expr->variable];
	const gemp_table *last = &(gemp_table){ 0 };
	for (size_t i = 0; i < b->graph->relation_count; i++) {
		if (!edge->relations[i])
			continue;
		last = &b->graph->relations[i].props;
		if (gemp_table_find(last, expr->name))
			return gemp_source_fail_at(&b->source, expr->line, expr->column,
			                           "the edge attribute '%s' is not supported in queries yet", expr->name);
	}
	return unknown_column(b, expr, "edge attribute", last);
}

static gemp_code bind_attribute(const binding *b, gemp_expr *expr)
{
	if (expr->of_edge)
		return refuse_edge_attribute(b, expr);
	const gemp_column *column = gemp_table_find(&b->graph->attributes, expr->name);
	if (!column)
		return unknown_column(b, expr, "attribute", &b->graph->attributes);
	expr->attribute = (int)(column - b->graph->attributes.columns);
	return GEMP_OK;
}

static gemp_code bind_names(const binding *b, gemp_expr *expr)
{
	gemp_code code = GEMP_OK;
	if (expr->kind == GEMP_HAS_LABEL)
		code = bind_label(b, expr);
	else if (expr->kind == GEMP_ATTRIBUTE)
		code = bind_attribute(b, expr);
	for (size_t i = 0; code == GEMP_OK && i < expr->count; i++)
		code = bind_names(b, expr->children[i]);
	return code;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

/* Where the type stands in the text: the types of an edge share one place. */
static void type_place(const binding *b, const gemp_pattern_edge *edge, const char *type, int *line, int *column)
{
	const char *text = b->source.text;
	int at_line, at_column;
	*line = edge->line;
	*column = edge->column;
	for (const char *at = strstr(text, type); at; at = strstr(at + 1, type)) {
		gemp_source_place(&b->source, (size_t)(at - text), &at_line, &at_column);
		bool behind = at_line > edge->line || (at_line == edge->line && at_column >= edge->column);
		bool whole = (at == text || !is_word(at[-1])) && !is_word(at[strlen(type)]);
		if (behind && whole) {
			*line = at_line;
			*column = at_column;
			return;
		}
	}
}

static gemp_code unknown_type(const binding *b, const gemp_pattern_edge *edge, const char *type)
{
	const char **names;
	gemp_code code = GEMP_NEW(names, b->graph->relation_count);
	if (code != GEMP_OK)
		return code;
	for (size_t i = 0; i < b->graph->relation_count; i++)
		names[i] = b->graph->relations[i].name;
	int line, column;
	type_place(b, edge, type, &line, &column);
	code = unknown(b, line, column, "edge type", type, names, b->graph->relation_count);
	gemp_free(names);
	return code;
}

/* An undirected relation stores each edge once, in one of its two directions. */
static void warn_of_direction(const binding *b, const gemp_pattern_edge *edge)
{
	for (size_t i = 0; edge->direction == GEMP_OUT && i < b->graph->relation_count; i++) {
		if (!edge->relations[i] || b->graph->relations[i].directed)
			continue;
		gemp_warn("%s:%d:%d: %s is undirected; an arrow finds each of its edges in one direction only, the one in which "
		          "it was imported: write -[:%s]-", b->source.file ? b->source.file : "query", edge->line, edge->column,
		          b->graph->relations[i].name, b->graph->relations[i].name);
		return;
	}
}

static gemp_code bind_edge(const binding *b, gemp_pattern_edge *edge)
{
	const gemp_graph *graph = b->graph;
	gemp_free(edge->relations);
	gemp_code code = GEMP_NEW(edge->relations, graph->relation_count);
	if (code != GEMP_OK)
		return code;
	for (size_t i = 0; edge->type_count == 0 && i < graph->relation_count; i++)
		edge->relations[i] = true;
	for (size_t i = 0; i < edge->type_count; i++) {
		const gemp_relation *relation = gemp_graph_relation(graph, edge->types[i]);
		if (!relation)
			return unknown_type(b, edge, edge->types[i]);
		edge->relations[relation - graph->relations] = true;
	}
	warn_of_direction(b, edge);
	return GEMP_OK;
}

/* TYPES: 0 NULL, 1 number, 2 string, 3 boolean. */
static int sort_of(gemp_type type)
{
	return type == GEMP_STRING ? 2 : type == GEMP_BOOLEAN ? 3 : 1;
}

static gemp_type type_of(const binding *b, const gemp_expr *expr)
{
	return expr->kind == GEMP_LITERAL ? expr->value.type
	     : expr->kind == GEMP_KEY ? b->graph->key.type : b->graph->attributes.columns[expr->attribute].type;
}

static bool alike(const binding *b, const gemp_expr *left, const gemp_expr *right)
{
	return sort_of(type_of(b, left)) == sort_of(type_of(b, right));
}

static void warn(const binding *b, const gemp_expr *expr, const char *because)
{
	char *text = gemp_expr_text(expr, b->pattern);
	gemp_warn("%s:%d:%d: %s: %s", b->source.file ? b->source.file : "query", expr->line, expr->column, text ? text : "",
	          because);
	gemp_free(text);
}

/* `slot` becomes "this is not NULL" of the values it compared, all that is left to ask; a key never is. */
static gemp_code ask_for_values(gemp_expr **slot)
{
	gemp_expr *expr = *slot, *all = NULL;
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_expr_new(&all, GEMP_AND, expr->line, expr->column));
	GEMP_TRY(gemp_expr_children(all, 2));
	for (size_t i = 0; i < 2; i++) {
		GEMP_TRY(gemp_expr_new(&all->children[i], GEMP_IS_NOT_NULL, expr->line, expr->column));
		GEMP_TRY(gemp_expr_children(all->children[i], 1));
	}
	for (size_t i = 0; i < 2; i++) {
		all->children[i]->children[0] = expr->children[i];
		expr->children[i] = NULL;
	}
	*slot = all;
	all = expr;
done:
	gemp_expr_free(all);
	return code;
}

static void make_false(gemp_expr *expr)
{
	for (size_t i = 0; i < expr->count; i++)
		gemp_expr_free(expr->children[i]);
	expr->count = 0;
	expr->kind = GEMP_LITERAL;
	expr->value = (gemp_value){ .type = GEMP_BOOLEAN };
}

static gemp_code fold_comparison(const binding *b, gemp_expr **slot)
{
	gemp_expr *expr = *slot;
	if (expr->children[0]->kind == GEMP_VERTEX || alike(b, expr->children[0], expr->children[1]))
		return GEMP_OK;
	if (expr->kind == GEMP_NE) {
		warn(b, expr, "values of different types always differ");
		return ask_for_values(slot);
	}
	warn(b, expr, "values of different types are never equal and have no order, so this is never true");
	make_false(expr);
	return GEMP_OK;
}

static void fold_search(const binding *b, gemp_expr *expr, gemp_expr *whole)
{
	if (type_of(b, expr->children[0]) == GEMP_STRING && type_of(b, expr->children[1]) == GEMP_STRING)
		return;
	warn(b, expr, "only strings are searched, so this is never true");
	make_false(whole);
}

/* Literals of another type leave the list; an empty one has nothing in it, but NULL is not out of it for sure. */
static gemp_code fold_in(const binding *b, gemp_expr **slot, bool negated)
{
	gemp_expr *outer = *slot, *expr = negated ? outer->children[0] : outer;
	size_t same = 0, kept = 1;
	for (size_t i = 1; i < expr->count; i++)
		same += alike(b, expr->children[0], expr->children[i]);
	if (same == expr->count - 1)
		return GEMP_OK;
	warn(b, expr, "values of different types are never equal");
	if (same == 0 && negated) {
		*slot = expr;
		outer->children[0] = NULL;
		gemp_expr_free(outer);
		return ask_for_values(slot);
	}
	if (same == 0) {
		make_false(expr);
		return GEMP_OK;
	}
	for (size_t i = 1; i < expr->count; i++) {
		if (alike(b, expr->children[0], expr->children[i]))
			expr->children[kept++] = expr->children[i];
		else
			gemp_expr_free(expr->children[i]);
	}
	expr->count = kept;
	return GEMP_OK;
}

/* Conditions that compare different types are decided here, so that nobody else needs to know of them. */
static gemp_code fold_types(const binding *b, gemp_expr **slot)
{
	gemp_expr *expr = *slot;
	gemp_code code = GEMP_OK;
	switch (expr->kind) {
	case GEMP_AND:
	case GEMP_OR:
		for (size_t i = 0; code == GEMP_OK && i < expr->count; i++)
			code = fold_types(b, &expr->children[i]);
		return code;
	case GEMP_NOT:
		if (expr->children[0]->kind == GEMP_IN)
			return fold_in(b, slot, true);
		if (expr->children[0]->kind != GEMP_HAS_LABEL)
			fold_search(b, expr->children[0], expr);
		return GEMP_OK;
	case GEMP_IN:
		return fold_in(b, slot, false);
	case GEMP_CONTAINS:
	case GEMP_STARTS_WITH:
	case GEMP_ENDS_WITH:
		fold_search(b, expr, expr);
		return GEMP_OK;
	case GEMP_EQ:
	case GEMP_NE:
	case GEMP_LT:
	case GEMP_LE:
	case GEMP_GT:
	case GEMP_GE:
		return fold_comparison(b, slot);
	default:
		return GEMP_OK;
	}
}

/* The conditions once more from the start: folding and merging may change how they split. */
static gemp_code renew_conditions(const binding *b)
{
	gemp_pattern *pattern = b->pattern;
	gemp_condition *old = pattern->conditions;
	size_t count = pattern->condition_count;
	gemp_code code = GEMP_OK;
	pattern->conditions = NULL;
	pattern->condition_count = 0;
	for (size_t i = 0; i < count; i++) {
		if (code == GEMP_OK)
			code = fold_types(b, &old[i].expr);
		if (code == GEMP_OK)
			code = gemp_pattern_require(pattern, &old[i].expr);
		gemp_expr_free(old[i].expr);
	}
	gemp_free(old);
	return code;
}

gemp_code gemp_pattern_bind(gemp_pattern *pattern, const gemp_graph *graph)
{
	binding b = { pattern, graph, { pattern->file, pattern->text } };
	gemp_code code = GEMP_OK;
	for (size_t e = 0; e < pattern->edge_count; e++)
		GEMP_TRY(bind_edge(&b, &pattern->edges[e]));
	for (size_t i = 0; i < pattern->condition_count; i++)
		GEMP_TRY(bind_names(&b, pattern->conditions[i].expr));
	for (size_t i = 0; i < pattern->result.item_count; i++)
		GEMP_TRY(bind_names(&b, pattern->result.items[i].expr));
	GEMP_TRY(renew_conditions(&b));
	pattern->relation_count = graph->relation_count;
done:
	return code;
}
