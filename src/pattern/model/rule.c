/* The columns of a rule's rows, and the release of rules. Updates refer to columns of RETURN. An engine that needs the
 * ends of a matched edge finds the columns of the ends here. */

#include "pattern/model/rule.h"

#include "core/memory.h"

/* Without WITH, columns refer to the pattern's variables. With WITH, columns refer to the items of WITH. */
static int variable_of(const gemp_rule *rule, const gemp_expr *expr)
{
	const gemp_clause *with = rule->pattern->with;
	return with ? with->items[expr->variable].expr->variable : expr->variable;
}

/* Variables of OPTIONAL MATCH are included. In a row they follow the variables of the pattern. */
void gemp_rule_columns_find(gemp_rule_columns *out, const gemp_rule *rule)
{
	const gemp_clause *result = &rule->pattern->result;
	for (size_t v = 0; v < GEMP_MAX_PATTERN_VERTICES; v++)
		out->vertex[v] = GEMP_NO_COLUMN;
	for (size_t e = 0; e < GEMP_MAX_PATTERN_EDGES; e++)
		out->edge[e] = GEMP_NO_COLUMN;
	for (size_t c = 0; c < result->shown; c++) {
		const gemp_expr *expr = result->items[c].expr;
		if (expr->kind == GEMP_VERTEX && variable_of(rule, expr) < GEMP_MAX_PATTERN_VERTICES)
			out->vertex[variable_of(rule, expr)] = c;
		else if (expr->kind == GEMP_EDGE && variable_of(rule, expr) < GEMP_MAX_PATTERN_EDGES)
			out->edge[variable_of(rule, expr)] = c;
	}
}

/* A row has at most GEMP_MAX_PATTERN_VERTICES vertices, so the test only guards the array. */
static size_t column_of(const gemp_rule_columns *columns, int vertex)
{
	return vertex < GEMP_MAX_PATTERN_VERTICES ? columns->vertex[vertex] : GEMP_NO_COLUMN;
}

/* Returns the number in a row of a vertex of an optional's pattern. */
static int row_vertex(const gemp_optional *o, int vertex)
{
	return vertex < (int)o->pattern->arguments ? o->outer[vertex]
	                                           : o->first_vertex + vertex - (int)o->pattern->arguments;
}

/* The edge's ends may have no column, because a rule with an aggregate keeps only the columns that WITH passes on. */
bool gemp_rule_edge_find(gemp_rule_edge *out, const gemp_rule *rule, const gemp_rule_columns *columns, size_t column)
{
	size_t variable = 0;
	while (variable < GEMP_MAX_PATTERN_EDGES && columns->edge[variable] != column)
		variable++;
	if (variable >= gemp_pattern_row_edges(rule->pattern))
		return false;
	const gemp_pattern_edge *e = gemp_pattern_row_edge(rule->pattern, variable);
	bool optional = variable >= rule->pattern->edge_count;
	const gemp_optional *o = optional ? gemp_pattern_optional_of(rule->pattern, (int)variable, true) : NULL;
	*out = (gemp_rule_edge){ e, optional, column_of(columns, o ? row_vertex(o, e->from) : e->from),
		                     column_of(columns, o ? row_vertex(o, e->to) : e->to) };
	return true;
}

/* Frees only the contents, because rules are elements of an array. */
static void free_rule(gemp_rule *rule)
{
	for (size_t i = 0; i < rule->update_count; i++) {
		gemp_update *update = &rule->updates[i];
		gemp_names_free(update->names, update->name_count);
		if (update->constant && update->literal.type == GEMP_STRING)
			gemp_free((char *)update->literal.string.bytes);
	}
	gemp_free_all(rule->updates, rule->name);
	gemp_pattern_free(rule->pattern);
}

/* Frees a control tree from the leaves up. control may be NULL. */
static void rule_control_free(gemp_control *control)
{
	for (size_t i = 0; control && i < control->count; i++)
		rule_control_free(control->children[i]);
	if (control)
		gemp_free(control->children);
	gemp_free(control);
}

/* The set may be only partly parsed. */
void gemp_rule_set_free(gemp_rule_set *rules)
{
	if (!rules)
		return;
	for (size_t i = 0; i < rules->count; i++)
		free_rule(&rules->rules[i]);
	rule_control_free(rules->control);
	gemp_free_all(rules->rules, rules->file, rules->text, rules);
}

/* Only binding finds out that a value is NULL in every row, so the parser cannot do this. */
void gemp_rule_drop_nulls(gemp_rule *rule)
{
	const gemp_return_item *items = rule->pattern->result.items;
	for (size_t i = 0; i < rule->update_count; i++) {
		gemp_update *u = &rule->updates[i];
		if (u->kind == GEMP_SET_ATTRIBUTE && !u->constant && items[u->column].expr->always_null)
			u->kind = GEMP_REMOVE_ATTRIBUTE;
	}
}
