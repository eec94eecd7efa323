/* Only conditions between values of one stored type are lowered, so that binding neither folds them nor warns: an
 * integer property is compared with integers, a float property with numbers, a string property with strings. */

#include "cypher/search/lower.h"

#include "core/memory.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* Integers of at most this size are floats, too. */
static const int64_t exact_float = INT64_C(1) << 53;

static gemp_code lower(const gemp_cypher_lowering *l, const gemp_cypher_expr *expr, gemp_expr **out);

/* CONSTANTS */

bool gemp_cypher_constant(const gemp_datum *parameters, const gemp_cypher_expr *expr, gemp_datum *out)
{
	if (expr->kind == GEMP_CY_LITERAL && !expr->beyond)
		*out = expr->value;
	else if (expr->kind == GEMP_CY_PARAMETER && parameters && expr->slot >= 0)
		*out = parameters[expr->slot];
	else if (expr->kind == GEMP_CY_NEGATE && expr->first->kind == GEMP_CY_LITERAL && !expr->first->beyond &&
	         gemp_datum_is_number(expr->first->value))
		*out = expr->first->value.kind == GEMP_DATUM_INTEGER ? gemp_datum_integer(-expr->first->value.integer)
		                                                     : gemp_datum_float(-expr->first->value.real);
	else
		return false;
	return true;
}

/* Returns false if a comparison of the stored type with the constant means something else in a search. */
static bool convert(gemp_datum from, gemp_type type, gemp_value *out)
{
	*out = (gemp_value){ .type = type };
	switch (type) {
	case GEMP_BOOLEAN: out->truth = from.truth; return from.kind == GEMP_DATUM_BOOLEAN;
	case GEMP_INTEGER: out->integer = from.integer; return from.kind == GEMP_DATUM_INTEGER;
	case GEMP_STRING: out->string = (gemp_string){ from.text, from.size }; return from.kind == GEMP_DATUM_STRING;
	case GEMP_FLOAT:
		if (from.kind == GEMP_DATUM_INTEGER && from.integer >= -exact_float && from.integer <= exact_float)
			out->real = (double)from.integer;
		else if (from.kind == GEMP_DATUM_FLOAT && !isnan(from.real))
			out->real = from.real;
		else
			return false;
		return true;
	default: return false;
	}
}

static void place_of(const gemp_cypher_lowering *l, const gemp_cypher_expr *expr, int *line, int *column)
{
	gemp_source_place(l->source, expr->place.begin, line, column);
}

/* Strings are copied, since the literal owns its bytes. */
static gemp_code new_literal(const gemp_cypher_lowering *l, const gemp_cypher_expr *at, gemp_value value,
                             gemp_expr **out)
{
	int line, column;
	place_of(l, at, &line, &column);
	if (value.type == GEMP_STRING) {
		value.string.bytes = gemp_strndup(value.string.bytes, value.string.size);
		if (!value.string.bytes)
			return GEMP_ENOMEM;
	}
	gemp_code code = gemp_expr_new_literal(out, value, line, column);
	if (code != GEMP_OK && value.type == GEMP_STRING && !*out)
		gemp_free((char *)value.string.bytes);
	return code;
}

/* ATTRIBUTES */

/* Relations may store one attribute with several types; then a search is not asked to compare it. */
static bool edge_attribute_type(const gemp_shard *graph, const char *name, gemp_type *type)
{
	bool known = false;
	for (size_t k = 0; k < graph->relation_count; k++) {
		const gemp_column *column = gemp_table_find(&graph->relations[k].props, name);
		if (!column)
			continue;
		if (known && column->type != *type)
			return false;
		*type = column->type;
		known = true;
	}
	return known;
}

static bool attribute_type(const gemp_shard *graph, bool edge, const char *name, gemp_type *type)
{
	if (edge)
		return edge_attribute_type(graph, name, type);
	const gemp_column *column = gemp_table_find(&graph->attributes, name);
	if (column)
		*type = column->type;
	return column != NULL;
}

static gemp_code new_attribute(const gemp_cypher_lowering *l, int variable, bool edge, const gemp_cypher_expr *at,
                               const char *name, gemp_expr **out)
{
	int line, column;
	place_of(l, at, &line, &column);
	GEMP_TRY(gemp_expr_new(out, at->kind == GEMP_CY_CALL ? GEMP_KEY : GEMP_ATTRIBUTE, line, column));
	(*out)->variable = variable;
	(*out)->of_edge = edge;
	if (at->kind == GEMP_CY_CALL)
		return GEMP_OK;
	(*out)->name = gemp_strdup(name);
	return (*out)->name ? GEMP_OK : GEMP_ENOMEM;
}

/* True for id(variable) of a node of the search. */
static bool is_key(const gemp_cypher_lowering *l, const gemp_cypher_expr *expr, int *variable, bool *edge,
                   gemp_type *type)
{
	*type = l->graph->keys.type;
	return expr->kind == GEMP_CY_CALL && expr->count == 1 && strcasecmp(expr->name.bytes, "id") == 0 &&
	       expr->first->kind == GEMP_CY_VARIABLE && l->element(l->self, expr->first->slot, variable, edge) && !*edge;
}

/* True for variable.name if the variable is an element of the search and the graph has the attribute, but not as JSON,
 * which a search does not compare; and for the key of a node. */
static bool is_attribute(const gemp_cypher_lowering *l, const gemp_cypher_expr *expr, int *variable, bool *edge,
                         gemp_type *type)
{
	if (is_key(l, expr, variable, edge, type))
		return true;
	return expr->kind == GEMP_CY_PROPERTY && expr->first && expr->first->kind == GEMP_CY_VARIABLE &&
	       l->element(l->self, expr->first->slot, variable, edge) &&
	       attribute_type(l->graph, *edge, expr->name.bytes, type) && *type != GEMP_LIST;
}

/* OPERATORS */

/* Makes `left kind right`, and takes both operands. */
static gemp_code new_binary(const gemp_cypher_lowering *l, const gemp_cypher_expr *at, gemp_expr_kind kind,
                            gemp_expr **left, gemp_expr **right, gemp_expr **out)
{
	int line, column;
	place_of(l, at, &line, &column);
	GEMP_TRY(gemp_expr_new_operator(out, kind, 2, line, column));
	(*out)->children[0] = *left;
	(*out)->children[1] = *right;
	*left = *right = NULL;
	return GEMP_OK;
}

/* Replaces a tree that is not complete by NULL, which means that the condition is left to the rows. */
static gemp_code give_up(gemp_expr **out)
{
	gemp_expr_free(*out);
	*out = NULL;
	return GEMP_OK;
}

static const gemp_expr_kind compare_kind[] = { [GEMP_CY_EQ] = GEMP_EQ, [GEMP_CY_NE] = GEMP_NE, [GEMP_CY_LT] = GEMP_LT,
	                                           [GEMP_CY_LE] = GEMP_LE, [GEMP_CY_GT] = GEMP_GT, [GEMP_CY_GE] = GEMP_GE };
/* a op b is b mirrored[op] a. */
static const gemp_cypher_operator mirrored[] = {
	[GEMP_CY_EQ] = GEMP_CY_EQ, [GEMP_CY_NE] = GEMP_CY_NE, [GEMP_CY_LT] = GEMP_CY_GT,
	[GEMP_CY_LE] = GEMP_CY_GE, [GEMP_CY_GT] = GEMP_CY_LT, [GEMP_CY_GE] = GEMP_CY_LE
};

/* Booleans have an order in openCypher, but searches only test their equality. */
static bool has_order(gemp_type type, gemp_expr_kind kind)
{
	return type != GEMP_BOOLEAN || kind == GEMP_EQ || kind == GEMP_NE;
}

static gemp_code lower_attributes(const gemp_cypher_lowering *l, const gemp_cypher_expr *at, gemp_expr_kind kind,
                                  const gemp_cypher_expr *a, const gemp_cypher_expr *b, gemp_expr **out)
{
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *left = NULL;
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *right = NULL;
	int u, v;
	bool u_edge, v_edge;
	gemp_type s, t;
	if (!is_attribute(l, a, &u, &u_edge, &s) || !is_attribute(l, b, &v, &v_edge, &t) || s != t || !has_order(s, kind))
		return GEMP_OK;
	GEMP_TRY(new_attribute(l, u, u_edge, a, a->name.bytes, &left));
	GEMP_TRY(new_attribute(l, v, v_edge, b, b->name.bytes, &right));
	return new_binary(l, at, kind, &left, &right, out);
}

/* Nodes, and relationships, have only = and <>. */
static gemp_code lower_elements(const gemp_cypher_lowering *l, const gemp_cypher_expr *at, gemp_expr_kind kind,
                                const gemp_cypher_expr *a, const gemp_cypher_expr *b, gemp_expr **out)
{
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *left = NULL;
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *right = NULL;
	int u, v, line, column;
	bool u_edge, v_edge;
	place_of(l, at, &line, &column);
	if ((kind != GEMP_EQ && kind != GEMP_NE) || !l->element(l->self, a->slot, &u, &u_edge) ||
	    !l->element(l->self, b->slot, &v, &v_edge) || u_edge || v_edge || u == v)
		return GEMP_OK;
	GEMP_TRY(gemp_expr_new_element(&left, u, false, line, column));
	GEMP_TRY(gemp_expr_new_element(&right, v, false, line, column));
	return new_binary(l, at, kind, &left, &right, out);
}

static gemp_code lower_constant(const gemp_cypher_lowering *l, const gemp_cypher_expr *at, gemp_expr_kind kind,
                                const gemp_cypher_expr *a, gemp_datum constant, gemp_expr **out)
{
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *left = NULL;
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *right = NULL;
	int variable;
	bool edge;
	gemp_type type;
	gemp_value value;
	if (!is_attribute(l, a, &variable, &edge, &type) || !has_order(type, kind) || !convert(constant, type, &value))
		return GEMP_OK;
	GEMP_TRY(new_attribute(l, variable, edge, a, a->name.bytes, &left));
	GEMP_TRY(new_literal(l, at, value, &right));
	return new_binary(l, at, kind, &left, &right, out);
}

static gemp_code lower_pair(const gemp_cypher_lowering *l, const gemp_cypher_expr *at, const gemp_cypher_expr *a,
                            gemp_cypher_operator operator, const gemp_cypher_expr * b, gemp_expr **out)
{
	gemp_datum constant;
	if (a->kind == GEMP_CY_VARIABLE && b->kind == GEMP_CY_VARIABLE)
		return lower_elements(l, at, compare_kind[operator], a, b, out);
	if (gemp_cypher_constant(l->parameters, b, &constant))
		return lower_constant(l, at, compare_kind[operator], a, constant, out);
	if (gemp_cypher_constant(l->parameters, a, &constant))
		return lower_constant(l, at, compare_kind[mirrored[operator]], b, constant, out);
	return lower_attributes(l, at, compare_kind[operator], a, b, out);
}

/* a < b <= c is a < b AND b <= c. */
static gemp_code lower_comparison(const gemp_cypher_lowering *l, const gemp_cypher_expr *expr, gemp_expr **out)
{
	const gemp_cypher_expr *a = expr->first;
	int line, column;
	if (expr->count == 2)
		return lower_pair(l, expr, a, expr->operators[0], a->next, out);
	place_of(l, expr, &line, &column);
	GEMP_TRY(gemp_expr_new_operator(out, GEMP_AND, expr->count - 1, line, column));
	for (size_t i = 0; i + 1 < expr->count; i++, a = a->next) {
		GEMP_TRY(lower_pair(l, expr, a, expr->operators[i], a->next, &(*out)->children[i]));
		if (!(*out)->children[i])
			return give_up(out);
	}
	return GEMP_OK;
}

static gemp_code lower_junction(const gemp_cypher_lowering *l, const gemp_cypher_expr *expr, gemp_expr_kind kind,
                                gemp_expr **out)
{
	int line, column;
	size_t i = 0;
	place_of(l, expr, &line, &column);
	GEMP_TRY(gemp_expr_new_operator(out, kind, expr->count, line, column));
	for (const gemp_cypher_expr *child = expr->first; child; child = child->next, i++) {
		GEMP_TRY(lower(l, child, &(*out)->children[i]));
		if (!(*out)->children[i])
			return give_up(out);
	}
	return GEMP_OK;
}

static gemp_code lower_null_test(const gemp_cypher_lowering *l, const gemp_cypher_expr *expr, gemp_expr_kind kind,
                                 gemp_expr **out)
{
	int variable, line, column;
	bool edge;
	gemp_type type;
	if (expr->first->kind != GEMP_CY_PROPERTY || !is_attribute(l, expr->first, &variable, &edge, &type))
		return GEMP_OK;
	place_of(l, expr, &line, &column);
	GEMP_TRY(gemp_expr_new_operator(out, kind, 1, line, column));
	return new_attribute(l, variable, edge, expr->first, expr->first->name.bytes, &(*out)->children[0]);
}

static gemp_code lower_text(const gemp_cypher_lowering *l, const gemp_cypher_expr *expr, gemp_expr_kind kind,
                            gemp_expr **out)
{
	gemp_datum constant;
	if (!gemp_cypher_constant(l->parameters, expr->first->next, &constant) || constant.kind != GEMP_DATUM_STRING)
		return GEMP_OK;
	return lower_constant(l, expr, kind, expr->first, constant, out);
}

/* Element i of a list of constants. */
static bool list_item(const gemp_cypher_lowering *l, const gemp_cypher_expr *list, const gemp_cypher_expr *item,
                      size_t i, gemp_datum *out)
{
	if (list->kind == GEMP_CY_LIST)
		return gemp_cypher_constant(l->parameters, item, out);
	*out = l->parameters[list->slot].items[i];
	return true;
}

/* A list with NULL has unknown answers, which NOT would show, so such a list is not lowered. */
static gemp_code lower_in(const gemp_cypher_lowering *l, const gemp_cypher_expr *expr, gemp_expr **out)
{
	const gemp_cypher_expr *list = expr->first->next, *item = list->first;
	bool parameter = list->kind == GEMP_CY_PARAMETER && l->parameters &&
	                 l->parameters[list->slot].kind == GEMP_DATUM_LIST;
	size_t count = parameter ? l->parameters[list->slot].size : list->count;
	int variable, line, column;
	bool edge;
	gemp_type type;
	if ((list->kind != GEMP_CY_LIST && !parameter) || count == 0 ||
	    !is_attribute(l, expr->first, &variable, &edge, &type))
		return GEMP_OK;
	place_of(l, expr, &line, &column);
	GEMP_TRY(gemp_expr_new_operator(out, GEMP_IN, count + 1, line, column));
	GEMP_TRY(new_attribute(l, variable, edge, expr->first, expr->first->name.bytes, &(*out)->children[0]));
	for (size_t i = 0; i < count; i++, item = item ? item->next : NULL) {
		gemp_datum constant;
		gemp_value value;
		if (!list_item(l, list, item, i, &constant) || !convert(constant, type, &value))
			return give_up(out);
		GEMP_TRY(new_literal(l, expr, value, &(*out)->children[i + 1]));
	}
	return GEMP_OK;
}

/* LABELS */

static bool graph_has_label(const gemp_shard *graph, const char *label)
{
	for (size_t i = 0; i < graph->label_count; i++)
		if (strcmp(graph->labels[i], label) == 0)
			return true;
	return false;
}

/* A part that no vertex can have is left out of an alternative, and makes a conjunction impossible. */
static gemp_code lower_group(const gemp_cypher_lowering *l, int variable, const gemp_cypher_label *parts, bool any,
                             gemp_expr **out)
{
	int line, column;
	size_t count = 0, known = 0;
	const gemp_cypher_label *first = parts;
	while (first->parts)
		first = first->parts;
	gemp_source_place(l->source, first->name.place.begin, &line, &column);
	for (const gemp_cypher_label *label = parts; label; label = label->next)
		count++;
	GEMP_TRY(gemp_expr_new_operator(out, any ? GEMP_OR : GEMP_AND, count, line, column));
	for (const gemp_cypher_label *label = parts; label; label = label->next) {
		GEMP_TRY(gemp_cypher_lower_label(l, variable, label, &(*out)->children[known]));
		known += (*out)->children[known] != NULL;
	}
	if (known == 0 || (!any && known < count))
		return give_up(out);
	(*out)->count = known;
	return GEMP_OK;
}

gemp_code gemp_cypher_lower_label(const gemp_cypher_lowering *l, int variable, const gemp_cypher_label *label,
                                  gemp_expr **out)
{
	int line, column;
	char *name = (char *)label->name.bytes;
	*out = NULL;
	if (label->parts)
		return lower_group(l, variable, label->parts, label->any, out);
	if (!graph_has_label(l->graph, name))
		return GEMP_OK;
	gemp_source_place(l->source, label->name.place.begin, &line, &column);
	GEMP_TRY(gemp_expr_new(out, GEMP_HAS_LABEL, line, column));
	(*out)->variable = variable;
	return gemp_names_copy(&(*out)->names, &(*out)->name_count, &name, 1);
}

static gemp_code lower_labels(const gemp_cypher_lowering *l, const gemp_cypher_expr *expr, gemp_expr **out)
{
	int variable;
	bool edge;
	if (expr->first->kind != GEMP_CY_VARIABLE || !l->element(l->self, expr->first->slot, &variable, &edge) || edge)
		return GEMP_OK;
	return lower_group(l, variable, expr->labels, false, out);
}

/* CONDITIONS */

static gemp_code lower(const gemp_cypher_lowering *l, const gemp_cypher_expr *expr, gemp_expr **out)
{
	switch (expr->kind) {
	case GEMP_CY_OR: return lower_junction(l, expr, GEMP_OR, out);
	case GEMP_CY_XOR: return expr->count == 2 ? lower_junction(l, expr, GEMP_XOR, out) : GEMP_OK;
	case GEMP_CY_AND: return lower_junction(l, expr, GEMP_AND, out);
	case GEMP_CY_NOT: return lower_junction(l, expr, GEMP_NOT, out);
	case GEMP_CY_COMPARE: return lower_comparison(l, expr, out);
	case GEMP_CY_STARTS_WITH: return lower_text(l, expr, GEMP_STARTS_WITH, out);
	case GEMP_CY_ENDS_WITH: return lower_text(l, expr, GEMP_ENDS_WITH, out);
	case GEMP_CY_CONTAINS: return lower_text(l, expr, GEMP_CONTAINS, out);
	case GEMP_CY_IN: return lower_in(l, expr, out);
	case GEMP_CY_IS_NULL: return lower_null_test(l, expr, GEMP_IS_NULL, out);
	case GEMP_CY_IS_NOT_NULL: return lower_null_test(l, expr, GEMP_IS_NOT_NULL, out);
	case GEMP_CY_HAS_LABELS: return lower_labels(l, expr, out);
	default: return GEMP_OK;
	}
}

gemp_code gemp_cypher_lower(const gemp_cypher_lowering *l, const gemp_cypher_expr *condition, gemp_expr **out)
{
	*out = NULL;
	return lower(l, condition, out);
}

gemp_code gemp_cypher_lower_entry(const gemp_cypher_lowering *l, int variable, bool edge, const gemp_cypher_expr *entry,
                                  gemp_expr **out)
{
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *left = NULL;
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *right = NULL;
	gemp_datum constant;
	gemp_type type;
	gemp_value value;
	*out = NULL;
	if (!gemp_cypher_constant(l->parameters, entry->first, &constant) ||
	    !attribute_type(l->graph, edge, entry->name.bytes, &type) || !convert(constant, type, &value))
		return GEMP_OK;
	GEMP_TRY(new_attribute(l, variable, edge, entry, entry->name.bytes, &left));
	GEMP_TRY(new_literal(l, entry, value, &right));
	return new_binary(l, entry, GEMP_EQ, &left, &right, out);
}
