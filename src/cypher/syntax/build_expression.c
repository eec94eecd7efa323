/* Expressions and patterns of the tree, and the memory and failures of the builder. */

#include "cypher/syntax/build.h"

#include "core/status.h"

#include <stdarg.h>
#include <string.h>
#include <strings.h>

/* Records only the first failure: the parser may reduce some rules before it stops. */
void gemp_cy_fail(gemp_cypher_builder *b, size_t at, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	if (b->code == GEMP_OK)
		b->code = gemp_source_vfail(&b->tree->source, at, format, arguments);
	va_end(arguments);
}

/* `what` may have a hint behind a semicolon, which follows "is not supported". */
void gemp_cy_refuse(gemp_cypher_builder *b, size_t at, const char *what)
{
	const char *hint = strchr(what, ';'); /* "what; hint" */
	size_t length = hint ? (size_t)(hint - what) : strlen(what);
	gemp_cy_fail(b, at, "%.*s is not supported%s", (int)length, what, hint ? hint : "");
}

void *gemp_cy_alloc(gemp_cypher_builder *b, size_t size)
{
	void *memory = gemp_arena_alloc(&b->tree->arena, size);
	if (!memory && b->code == GEMP_OK)
		b->code = GEMP_ENOMEM;
	return memory;
}

void *gemp_cy_put(gemp_cypher_builder *b, const void *node, size_t size)
{
	void *copy = gemp_cy_alloc(b, size);
	return copy ? memcpy(copy, node, size) : NULL;
}

/* The word has no bytes after a failure. */
gemp_cypher_word gemp_cy_word(gemp_cypher_builder *b, const char *bytes, size_t size, gemp_cypher_place place)
{
	char *copy = gemp_cy_alloc(b, size + 1);
	if (!copy)
		return (gemp_cypher_word){ .place = place };
	memcpy(copy, bytes, size);
	return (gemp_cypher_word){ copy, size, place };
}

gemp_cypher_word gemp_cy_text(gemp_cypher_builder *b, gemp_cypher_place place)
{
	return gemp_cy_word(b, b->tree->source.text + place.begin, place.end - place.begin, place);
}

gemp_cypher_word gemp_cy_join(gemp_cypher_builder *b, gemp_cypher_word space, gemp_cypher_word name,
                              gemp_cypher_place place)
{
	size_t size = space.size + 1 + name.size;
	char *bytes = gemp_cy_alloc(b, size + 1);
	if (!bytes)
		return (gemp_cypher_word){ 0 };
	memcpy(bytes, space.bytes, space.size);
	bytes[space.size] = '.';
	memcpy(bytes + space.size + 1, name.bytes, name.size);
	return (gemp_cypher_word){ bytes, size, place };
}

/* NULL after a failure, so that the grammar's actions can stop at once. */
static gemp_cypher_expr *checked(const gemp_cypher_builder *b, gemp_cypher_expr *expr)
{
	return b->code == GEMP_OK ? expr : NULL;
}

gemp_cypher_expr *gemp_cy_expr(gemp_cypher_builder *b, gemp_cypher_kind kind, gemp_cypher_place place)
{
	return GEMP_CY_NODE(b, gemp_cypher_expr, .kind = kind, .place = place, .slot = GEMP_CY_NO_SLOT,
	                    .slot2 = GEMP_CY_NO_SLOT, .aggregate = -1);
}

/* Raises the depth of a node above that of a part of it. */
static void deepen(gemp_cypher_builder *b, gemp_cypher_expr *expr, unsigned depth)
{
	if (expr->depth <= depth)
		expr->depth = depth + 1;
	if (b->deepest < expr->depth)
		b->deepest = expr->depth;
	if (expr->depth > GEMP_CY_MAX_DEPTH)
		gemp_cy_fail(b, expr->place.begin, "this expression is nested more than %d deep", GEMP_CY_MAX_DEPTH);
}

gemp_cypher_expr *gemp_cy_in_range(gemp_cypher_builder *b, gemp_cypher_expr *expr)
{
	if (expr->beyond)
		gemp_cy_fail(b, expr->place.begin, "this integer is beyond the range of 64 bits");
	return checked(b, expr);
}

gemp_cypher_expr *gemp_cy_adopt(gemp_cypher_builder *b, gemp_cypher_expr *parent, gemp_cypher_expr *child)
{
	if (!gemp_cy_in_range(b, child))
		return NULL;
	GEMP_LIST_APPEND(parent->first, parent->last, child);
	parent->count++;
	deepen(b, parent, child->depth);
	return checked(b, parent);
}

gemp_cypher_expr *gemp_cy_binary(gemp_cypher_builder *b, gemp_cypher_kind kind, gemp_cypher_expr *left,
                                 gemp_cypher_expr *right, gemp_cypher_place place)
{
	gemp_cypher_expr *expr = gemp_cy_expr(b, kind, place);
	if (expr)
		expr = gemp_cy_adopt(b, expr, left);
	return expr && right ? gemp_cy_adopt(b, expr, right) : expr;
}

gemp_cypher_expr *gemp_cy_named(gemp_cypher_builder *b, gemp_cypher_kind kind, gemp_cypher_word name,
                                gemp_cypher_expr *child, gemp_cypher_place place)
{
	gemp_cypher_expr *expr = gemp_cy_expr(b, kind, place);
	if (!expr)
		return NULL;
	expr->name = name;
	return child ? gemp_cy_adopt(b, expr, child) : expr;
}

gemp_cypher_expr *gemp_cy_ternary(gemp_cypher_builder *b, gemp_cypher_kind kind, gemp_cypher_expr *const children[3],
                                  gemp_cypher_place place)
{
	gemp_cypher_expr *expr = gemp_cy_expr(b, kind, place);
	for (size_t i = 0; expr && i < 3; i++) {
		gemp_cypher_expr *child = children[i] ? children[i] : gemp_cy_expr(b, GEMP_CY_NONE, place);
		expr = child ? gemp_cy_adopt(b, expr, child) : NULL;
	}
	return expr;
}

/* operators[] doubles in size whenever its length is a power of two. */
gemp_cypher_expr *gemp_cy_compare(gemp_cypher_builder *b, gemp_cypher_expr *left, bool is_chain,
                                  gemp_cypher_operator operator, gemp_cypher_expr * right, gemp_cypher_place place)
{
	gemp_cypher_expr *chain = is_chain ? left : gemp_cy_binary(b, GEMP_CY_COMPARE, left, NULL, place);
	if (!chain)
		return NULL;
	size_t used = chain->count - 1;
	if ((used & (used - 1)) == 0) {
		uint8_t *larger = gemp_cy_alloc(b, used ? 2 * used : 1);
		if (!larger)
			return NULL;
		if (used)
			memcpy(larger, chain->operators, used);
		chain->operators = larger;
	}
	chain->operators[used] = (uint8_t) operator;
	chain->place = place;
	return gemp_cy_adopt(b, chain, right);
}

gemp_cypher_expr *gemp_cy_literal(gemp_cypher_builder *b, gemp_datum value, gemp_cypher_place place)
{
	gemp_cypher_expr *expr = gemp_cy_expr(b, GEMP_CY_LITERAL, place);
	if (expr)
		expr->value = value;
	return expr;
}

/* 2^63 is allowed until it is known whether a minus stands before it. */
gemp_cypher_expr *gemp_cy_integer(gemp_cypher_builder *b, uint64_t magnitude, gemp_cypher_place place)
{
	if (magnitude > (uint64_t)INT64_MAX + 1)
		gemp_cy_fail(b, place.begin, "this integer is beyond the range of 64 bits");
	gemp_cypher_expr *expr = gemp_cy_literal(b, gemp_datum_integer((int64_t)magnitude), place);
	if (expr)
		expr->beyond = magnitude > INT64_MAX;
	return checked(b, expr);
}

/* -9223372036854775808 is a literal although its magnitude is none, so the sign becomes part of the literal. */
gemp_cypher_expr *gemp_cy_negative(gemp_cypher_builder *b, gemp_cypher_expr *operand, gemp_cypher_place place)
{
	gemp_datum *value = &operand->value;
	bool number = operand->kind == GEMP_CY_LITERAL && gemp_datum_is_number(*value);
	if (!number || (value->kind == GEMP_DATUM_INTEGER && value->integer == INT64_MIN && !operand->beyond))
		return gemp_cy_binary(b, GEMP_CY_NEGATE, operand, NULL, place);
	if (value->kind == GEMP_DATUM_FLOAT)
		value->real = -value->real;
	else
		value->integer = (int64_t)(0 - (uint64_t)value->integer);
	operand->beyond = false;
	operand->place = place;
	return operand;
}

/* Each name gets one index, however often it occurs. */
gemp_cypher_expr *gemp_cy_parameter(gemp_cypher_builder *b, gemp_cypher_word name, gemp_cypher_place place)
{
	gemp_cypher_tree *tree = b->tree;
	size_t index = 0;
	while (index < tree->parameter_count && strcmp(tree->parameters[index].bytes, name.bytes) != 0)
		index++;
	if (index == GEMP_CY_MAX_PARAMETERS)
		gemp_cy_fail(b, place.begin, "a query has at most %d different parameters; pass a list or a map instead",
		             GEMP_CY_MAX_PARAMETERS);
	if (!tree->parameters)
		tree->parameters = gemp_cy_alloc(b, GEMP_CY_MAX_PARAMETERS * sizeof *tree->parameters);
	if (b->code != GEMP_OK)
		return NULL;
	if (index == tree->parameter_count)
		tree->parameters[tree->parameter_count++] = name;
	gemp_cypher_expr *expr = gemp_cy_named(b, GEMP_CY_PARAMETER, name, NULL, place);
	if (expr)
		expr->slot = (int)index;
	return expr;
}

/* Returns the name of a function with its namespaces. */
static gemp_cypher_word callee_name(gemp_cypher_builder *b, const gemp_cypher_expr *callee)
{
	if (callee->kind == GEMP_CY_VARIABLE)
		return callee->name;
	if (callee->kind == GEMP_CY_PROPERTY) {
		gemp_cypher_word space = callee_name(b, callee->first);
		return space.bytes ? gemp_cy_join(b, space, callee->name, callee->place) : space;
	}
	gemp_cy_fail(b, callee->place.begin, "a function has a name, as in date.truncate('month', d)");
	return (gemp_cypher_word){ 0 };
}

/* The list of the arguments becomes the call. */
gemp_cypher_expr *gemp_cy_call(gemp_cypher_builder *b, const gemp_cypher_expr *callee, bool distinct,
                               gemp_cypher_expr *arguments, gemp_cypher_place place)
{
	gemp_cypher_word name = callee_name(b, callee);
	gemp_cypher_expr *call = arguments ? arguments : gemp_cy_expr(b, GEMP_CY_CALL, place);
	if (!name.bytes || !call)
		return NULL;
	call->kind = GEMP_CY_CALL;
	call->place = place;
	call->name = name;
	call->distinct = distinct;
	return call;
}

gemp_cypher_expr *gemp_cy_count_star(gemp_cypher_builder *b, const gemp_cypher_expr *callee, gemp_cypher_place place)
{
	gemp_cypher_word name = callee_name(b, callee);
	if (name.bytes && strcasecmp(name.bytes, "count") != 0)
		gemp_cy_fail(b, place.begin, "%.60s(*) has no meaning; only count(*) has", name.bytes);
	return b->code == GEMP_OK ? gemp_cy_expr(b, GEMP_CY_COUNT_STAR, place) : NULL;
}

gemp_cypher_expr *gemp_cy_quantifier(gemp_cypher_builder *b, gemp_cypher_word word, gemp_cypher_word variable,
                                     gemp_cypher_expr *list, gemp_cypher_expr *condition, gemp_cypher_place place)
{
	gemp_cypher_kind kind = strcasecmp(word.bytes, "all") == 0      ? GEMP_CY_ALL
	                        : strcasecmp(word.bytes, "any") == 0    ? GEMP_CY_ANY
	                        : strcasecmp(word.bytes, "single") == 0 ? GEMP_CY_SINGLE
	                                                                : GEMP_CY_NO_ONE;
	gemp_cypher_expr *expr = gemp_cy_binary(b, kind, list, condition, place);
	if (expr)
		expr->name = variable;
	return expr;
}

gemp_cypher_label *gemp_cy_label(gemp_cypher_builder *b, gemp_cypher_word name)
{
	return GEMP_CY_NODE(b, gemp_cypher_label, .name = name);
}

gemp_cypher_label *gemp_cy_label_group(gemp_cypher_builder *b, bool any, gemp_cypher_label *left,
                                       gemp_cypher_label *right)
{
	gemp_cypher_label *last = left->parts;
	if (left->name.bytes || left->any != any) {
		left->next = right;
		return GEMP_CY_NODE(b, gemp_cypher_label, .any = any, .parts = left);
	}
	while (last->next)
		last = last->next;
	last->next = right;
	return left;
}

/* b->deepest counts the expressions within the braces; the expression around them is deeper. */
gemp_cypher_expr *gemp_cy_inner(gemp_cypher_builder *b, gemp_cypher_kind kind, gemp_cypher_query *query,
                                unsigned outer_deepest, gemp_cypher_place place)
{
	gemp_cypher_expr *expr = gemp_cy_expr(b, kind, place);
	if (!expr)
		return NULL;
	expr->query = query;
	deepen(b, expr, b->deepest);
	gemp_cy_leave(b, outer_deepest);
	return checked(b, expr);
}

/* PATTERNS */

gemp_cypher_node *gemp_cy_node(gemp_cypher_builder *b, gemp_cypher_word name, gemp_cypher_label *labels,
                               gemp_cypher_expr *properties, gemp_cypher_place place)
{
	return GEMP_CY_NODE(b, gemp_cypher_node, .place = place, .name = name, .slot = GEMP_CY_NO_SLOT, .labels = labels,
	                    .properties = properties);
}

gemp_cypher_edge *gemp_cy_edge(gemp_cypher_builder *b, gemp_cypher_word name, gemp_cypher_label *types,
                               const gemp_cypher_hops *hops, gemp_cypher_expr *properties)
{
	gemp_cypher_hops one = { 1, 1, true };
	const gemp_cypher_hops *length = hops ? hops : &one;
	return GEMP_CY_NODE(b, gemp_cypher_edge, .name = name, .slot = GEMP_CY_NO_SLOT, .types = types,
	                    .properties = properties, .variable = hops != NULL, .has_max = length->has_max,
	                    .min_hops = length->min_hops, .max_hops = length->max_hops);
}

gemp_cypher_path *gemp_cy_path(gemp_cypher_builder *b, gemp_cypher_node *from)
{
	return GEMP_CY_NODE(b, gemp_cypher_path, .place = from->place, .slot = GEMP_CY_NO_SLOT, .from = from);
}

gemp_cypher_path *gemp_cy_extend(gemp_cypher_path *path, gemp_cypher_edge *edge, gemp_cypher_node *to)
{
	edge->to = to;
	GEMP_LIST_APPEND(path->first, path->last, edge);
	path->edges++;
	path->place.end = to->place.end;
	return path;
}

gemp_cypher_pattern *gemp_cy_pattern(gemp_cypher_builder *b, gemp_cypher_pattern *pattern, gemp_cypher_path *path,
                                     gemp_cypher_place place)
{
	if (!pattern)
		pattern = GEMP_CY_NODE(b, gemp_cypher_pattern, .place = place);
	if (!pattern)
		return NULL;
	GEMP_LIST_APPEND(pattern->first, pattern->last, path);
	pattern->place = place;
	return pattern;
}

/* The expressions of the maps count for the depth. */
gemp_cypher_expr *gemp_cy_pattern_expr(gemp_cypher_builder *b, gemp_cypher_kind kind, gemp_cypher_path *path,
                                       gemp_cypher_place place)
{
	gemp_cypher_expr *expr = gemp_cy_expr(b, kind, place);
	gemp_cypher_pattern *pattern = gemp_cy_pattern(b, NULL, path, path->place);
	if (!expr || !pattern)
		return NULL;
	expr->pattern = pattern;
	if (path->from->properties)
		deepen(b, expr, path->from->properties->depth);
	for (const gemp_cypher_edge *edge = path->first; edge; edge = edge->next) {
		if (edge->properties)
			deepen(b, expr, edge->properties->depth);
		if (edge->to->properties)
			deepen(b, expr, edge->to->properties->depth);
	}
	return checked(b, expr);
}

gemp_cypher_expr *gemp_cy_path_list(gemp_cypher_builder *b, gemp_cypher_path *path, gemp_cypher_expr *condition,
                                    gemp_cypher_expr *result, gemp_cypher_place place)
{
	gemp_cypher_expr *expr = gemp_cy_pattern_expr(b, GEMP_CY_PATTERN_COMPREHENSION, path, place);
	if (expr && !condition)
		condition = gemp_cy_expr(b, GEMP_CY_NONE, place);
	if (!expr || !condition || !gemp_cy_adopt(b, expr, condition))
		return NULL;
	return gemp_cy_adopt(b, expr, result);
}
