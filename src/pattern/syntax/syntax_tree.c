/* The arena of the tree, and expressions. Forms that later steps need not know are rewritten here: chains of
 * comparisons, IN with expressions, signs of literals, and parameters. The weight of a tree counts its parts as they
 * are after all rewriting.
 */

#include "pattern/syntax/syntax_tree.h"

#include "core/memory.h"

#include <stdarg.h>
#include <string.h>
#include <strings.h>

enum { BLOCK = 4096 };

struct gemp_ast_block {
	struct gemp_ast_block *next;
	_Alignas(16) char bytes[];
};

/* Blocks are zeroed and freed together. Alignment 16 is enough for every node. */
void *gemp_ast_alloc(gemp_ast *q, size_t size)
{
	size = (size + 15) / 16 * 16;
	if (size > q->left) {
		size_t capacity = size > BLOCK ? size : BLOCK;
		struct gemp_ast_block *block = gemp_calloc(1, sizeof *block + capacity);
		if (!block) {
			if (q->code == GEMP_OK)
				q->code = GEMP_ENOMEM;
			return NULL;
		}
		block->next = q->blocks;
		q->blocks = block;
		q->at = block->bytes;
		q->left = capacity;
	}
	void *memory = q->at;
	q->at += size;
	q->left -= size;
	return memory;
}

/* The newest block comes first. */
void gemp_ast_free(gemp_ast *q)
{
	while (q->blocks) {
		struct gemp_ast_block *next = q->blocks->next;
		gemp_free(q->blocks);
		q->blocks = next;
	}
}

/* The arena is zeroed, so the copy ends in a 0. */
gemp_ast_word gemp_ast_copy(gemp_ast *q, const char *bytes, size_t size, gemp_ast_place place)
{
	gemp_ast_word word = { .bytes = gemp_ast_alloc(q, size + 1), .size = size, .place = place };
	if (word.bytes)
		memcpy(word.bytes, bytes, size);
	return word;
}

/* Records only the first failure: the parser may continue and would then report consequences of this failure. */
void gemp_ast_fail(gemp_ast *q, size_t at, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	if (q->code == GEMP_OK)
		q->code = gemp_source_vfail(&q->source, at, format, arguments);
	va_end(arguments);
}

/* `what` may have a hint behind a semicolon, which follows "is not supported". */
void gemp_ast_refuse(gemp_ast *q, size_t at, const char *what)
{
	const char *hint = strchr(what, ';'); /* "what; hint" */
	size_t length = hint ? (size_t)(hint - what) : strlen(what);
	gemp_ast_fail(q, at, "%.*s is not supported%s", (int)length, what, hint ? hint : "");
}

/* Returns NULL after a failure, whose code is in q->code. */
void *gemp_ast_put(gemp_ast *q, const void *node, size_t size)
{
	void *copy = gemp_ast_alloc(q, size);
	if (copy)
		memcpy(copy, node, size);
	return copy;
}

/* A leaf weighs 1 and has depth 0. */
gemp_ast_expr *gemp_ast_leaf(gemp_ast *q, gemp_expr_kind kind, gemp_ast_place place)
{
	return GEMP_AST_NODE(q, gemp_ast_expr, .kind = kind, .place = place, .weight = 1);
}

/* The model knows which kinds are aggregates. */
bool gemp_ast_is_aggregate(const gemp_ast_expr *expr)
{
	return gemp_expr_is_aggregate(&(gemp_expr){ .kind = expr->kind });
}

/* Appends a child. XOR is written out by AND and OR later, so its children count twice in the weight. */
void gemp_ast_adopt(gemp_ast *q, gemp_ast_expr *parent, gemp_ast_expr *child)
{
	GEMP_LIST_APPEND(parent->first, parent->last, child);
	parent->weight += (parent->kind == GEMP_XOR ? 2 : 1) * child->weight;
	if (parent->depth <= child->depth)
		parent->depth = child->depth + 1;
	if (parent->depth > GEMP_AST_MAX_DEPTH)
		gemp_ast_fail(q, child->place.begin, "this expression is nested more than %d deep", GEMP_AST_MAX_DEPTH);
	if (parent->weight > GEMP_AST_MAX_WEIGHT)
		gemp_ast_fail(q, parent->place.begin,
		              "this expression has more than %d parts when XOR, chains of comparisons and lists "
		              "of expressions are written out",
		              GEMP_AST_MAX_WEIGHT);
}

/* NULL after a failure, so that the grammar's actions can stop at once. */
static gemp_ast_expr *checked(const gemp_ast *q, gemp_ast_expr *expr)
{
	return q->code == GEMP_OK ? expr : NULL;
}

/* right is NULL for an operator with one operand. */
gemp_ast_expr *gemp_ast_binary(gemp_ast *q, gemp_expr_kind kind, gemp_ast_expr *left, gemp_ast_expr *right,
                               gemp_ast_place place)
{
	gemp_ast_expr *expr = gemp_ast_leaf(q, kind, place);
	if (!expr)
		return NULL;
	gemp_ast_adopt(q, expr, left);
	if (right)
		gemp_ast_adopt(q, expr, right);
	return checked(q, expr);
}

/* Appends to a chain of the same operator instead of nesting it, so that long chains stay flat. */
gemp_ast_expr *gemp_ast_join(gemp_ast *q, gemp_expr_kind kind, gemp_ast_expr *left, gemp_ast_expr *right,
                             gemp_ast_place place)
{
	if (left->kind != kind)
		return gemp_ast_binary(q, kind, left, right, place);
	gemp_ast_adopt(q, left, right);
	left->place = place;
	return checked(q, left);
}

/* Deep copy within the arena; subpatterns are shared, since analysis does not change them. */
static gemp_ast_expr *clone(gemp_ast *q, const gemp_ast_expr *from)
{
	gemp_ast_expr *to = gemp_ast_put(q, from, sizeof *to);
	if (!to)
		return NULL;
	to->first = to->last = to->next = NULL;
	for (const gemp_ast_expr *child = from->first; child; child = child->next) {
		gemp_ast_expr *copy = clone(q, child);
		if (!copy)
			return NULL;
		GEMP_LIST_APPEND(to->first, to->last, copy);
	}
	return to;
}

/* Copies the operand that a chain or a list repeats. The operand's weight is bounded, so that the cost of a long chain
 * stays linear. */
static gemp_ast_expr *copy_repeated(gemp_ast *q, const gemp_ast_expr *from, const char *where)
{
	if (from->weight > GEMP_AST_MAX_COPIED)
		gemp_ast_fail(q, from->place.begin, "this expression is too long to stand %s; write it out by AND and OR",
		              where);
	return q->code == GEMP_OK ? clone(q, from) : NULL;
}

/* a < b < c becomes a < b AND b < c, as in openCypher. */
gemp_ast_expr *gemp_ast_chain(gemp_ast *q, gemp_ast_expr *chain, const gemp_ast_expr *last, gemp_expr_kind kind,
                              gemp_ast_expr *right, gemp_ast_place place)
{
	gemp_ast_expr *left = copy_repeated(q, last, "within a chain of comparisons");
	gemp_ast_expr *next = left ? gemp_ast_binary(q, kind, left, right, place) : NULL;
	return next ? gemp_ast_join(q, GEMP_AND, chain, next, place) : NULL;
}

/* A list of literals stays a list. If the list has other expressions, IN becomes a disjunction of equalities. */
gemp_ast_expr *gemp_ast_in(gemp_ast *q, gemp_ast_expr *left, gemp_ast_expr *list, gemp_ast_place place)
{
	bool literals = true;
	for (gemp_ast_expr *element = list ? list->first : NULL; element; element = element->next)
		literals = literals && element->kind == GEMP_LITERAL;
	gemp_ast_expr *in = gemp_ast_leaf(q, literals ? GEMP_IN : GEMP_OR, place), *next;
	if (in && literals)
		gemp_ast_adopt(q, in, left);
	for (gemp_ast_expr *element = list ? list->first : NULL; in && element; element = next) {
		next = element->next;
		gemp_ast_expr *copy = literals ? NULL : copy_repeated(q, left, "before IN with expressions in its list");
		gemp_ast_expr *one = literals ? element : copy ? gemp_ast_binary(q, GEMP_EQ, copy, element, place) : NULL;
		if (!one)
			return NULL;
		gemp_ast_adopt(q, in, one);
		if (q->code != GEMP_OK)
			return NULL;
	}
	return in;
}

/* 'X' IN labels(v) is a label test, which needs no list. */
gemp_ast_expr *gemp_ast_in_labels(gemp_ast *q, const gemp_ast_expr *left, gemp_ast_expr *labels, gemp_ast_place place)
{
	bool name = left->kind == GEMP_LITERAL && !left->value.null && left->value.type == GEMP_STRING;
	if (labels->kind != GEMP_LABELS)
		gemp_ast_refuse(q, labels->place.begin, "IN something else than a list in brackets or labels(v)");
	else if (!name)
		gemp_ast_refuse(q, left->place.begin, "something else than a string before IN labels()");
	gemp_ast_expr *test = q->code == GEMP_OK ? gemp_ast_leaf(q, GEMP_HAS_LABEL, place) : NULL;
	gemp_ast_word word = { (char *)left->value.string.bytes, left->value.string.size, left->place };
	gemp_ast_expr *label = test ? gemp_ast_string(q, word) : NULL;
	if (!label)
		return NULL;
	test->variable = labels->variable;
	test->bare = true;
	gemp_ast_adopt(q, test, label);
	return checked(q, test);
}

/* Literals differ in their values only. */
gemp_ast_expr *gemp_ast_literal(gemp_ast *q, gemp_value value, gemp_ast_place place)
{
	gemp_ast_expr *expr = gemp_ast_leaf(q, GEMP_LITERAL, place);
	if (expr)
		expr->value = value;
	return expr;
}

/* The magnitude 2^63 is allowed here. Analysis refuses it if no minus stands before it. */
gemp_ast_expr *gemp_ast_integer(gemp_ast *q, uint64_t magnitude, gemp_ast_place place)
{
	if (magnitude > (uint64_t)INT64_MAX + 1)
		gemp_ast_fail(q, place.begin, "this integer is beyond the range of 64 bits");
	gemp_value value = { .type = GEMP_INTEGER, .integer = (int64_t)magnitude };
	gemp_ast_expr *expr = q->code == GEMP_OK ? gemp_ast_literal(q, value, place) : NULL;
	if (expr)
		expr->beyond = magnitude > INT64_MAX;
	return expr;
}

/* -9223372036854775808 is a literal although its magnitude is not: the sign is folded in here. */
gemp_ast_expr *gemp_ast_negative(gemp_ast *q, gemp_ast_expr *operand, gemp_ast_place place)
{
	gemp_value *value = &operand->value;
	bool literal = operand->kind == GEMP_LITERAL && !value->null;
	bool number = literal && (value->type == GEMP_INTEGER || value->type == GEMP_FLOAT);
	if (!number || (value->type == GEMP_INTEGER && value->integer == INT64_MIN && !operand->beyond))
		return gemp_ast_binary(q, GEMP_NEGATE, operand, NULL, place);
	if (value->type == GEMP_FLOAT)
		value->real = -value->real;
	else
		value->integer = (int64_t)(0 - (uint64_t)value->integer);
	operand->beyond = false;
	operand->place = place;
	return operand;
}

gemp_ast_expr *gemp_ast_string(gemp_ast *q, gemp_ast_word word)
{
	return gemp_ast_literal(q, (gemp_value){ .type = GEMP_STRING, .string = { word.bytes, word.size } }, word.place);
}

/* The grammar admits only integers and parameters here, so only parameters need the test. */
void gemp_ast_check_amount(gemp_ast *q, const gemp_ast_expr *parameter)
{
	if (parameter && (parameter->value.null || parameter->value.type != GEMP_INTEGER || parameter->value.integer < 0))
		gemp_ast_fail(q, parameter->place.begin, "SKIP and LIMIT take an integer from 0 on");
}

/* In an expression the grammar reads the labels before it can combine them with their variable. */
void gemp_ast_set_variable(gemp_ast_expr *expr, gemp_ast_word variable)
{
	if (expr->kind == GEMP_HAS_LABEL)
		expr->variable = variable;
	else
		for (gemp_ast_expr *child = expr->first; child; child = child->next)
			gemp_ast_set_variable(child, variable);
}

/* FUNCTIONS AND PARAMETERS */

/* Functions of openCypher and SQL that the language does not have, with the expression to write instead. */
static const struct {
	const char *name, *remedy;
} unsupported_functions[] = {
	{ "elementId", "id(v) is the key of a vertex" },
	{ "lower", "write toLower()" },
	{ "upper", "write toUpper()" },
	{ "char_length", "write size()" },
	{ "character_length", "write size()" },
	{ "degree", "write COUNT { (v)--() }" },
	{ "isEmpty", "write size(s) = 0" },
	{ "shortestPath", "a path has a greatest length, as in -[:T*1..5]->" },
	{ "allShortestPaths", "a path has a greatest length, as in -[:T*1..5]->" },
};

/* The name is checked before the argument is read, so that the error points to the name. */
void gemp_ast_check_callee(gemp_ast *q, gemp_ast_word name)
{
	if (gemp_function_find(name.bytes))
		return;
	for (size_t i = 0; i < sizeof unsupported_functions / sizeof *unsupported_functions; i++)
		if (strcasecmp(unsupported_functions[i].name, name.bytes) == 0) {
			gemp_ast_fail(q, name.place.begin, "the function %s() is not supported; %s", name.bytes,
			              unsupported_functions[i].remedy);
			return;
		}
	gemp_ast_fail(q, name.place.begin,
	              "the function %.60s() is not supported; there are id, labels, type, toLower, toUpper, "
	              "size and the aggregates count, sum, min, max, avg, collect",
	              name.bytes);
}

/* count(*), the only function with a star. */
static gemp_ast_expr *count_rows(gemp_ast *q, gemp_ast_word name, bool distinct, gemp_ast_place place)
{
	const gemp_function *function = gemp_function_find(name.bytes);
	if (function->kind != GEMP_COUNT)
		gemp_ast_fail(q, place.begin, "%s(*) has no meaning; only count(*) has", function->name);
	else if (distinct)
		gemp_ast_fail(q, place.begin, "count(DISTINCT *) has no meaning; count(DISTINCT a) counts different vertices");
	return q->code == GEMP_OK ? gemp_ast_leaf(q, GEMP_COUNT_STAR, place) : NULL;
}

/* gemp_ast_check_callee has run before, so the function exists. */
gemp_ast_expr *gemp_ast_call(gemp_ast *q, gemp_ast_word name, bool distinct, gemp_ast_expr *argument,
                             gemp_ast_place place)
{
	const gemp_function *function = gemp_function_find(name.bytes);
	if (!argument)
		return count_rows(q, name, distinct, place);
	if (distinct && !function->aggregate)
		gemp_ast_fail(q, place.begin, "DISTINCT stands in aggregates only, and %s() is none", function->name);
	else if (function->of_variable && argument->kind != GEMP_VERTEX)
		gemp_ast_fail(q, place.begin, "%s() takes a variable, as in %s(%c)", function->name, function->name,
		              function->kind == GEMP_TYPE ? 'r' : 'a');
	else if (function->kind == GEMP_SIZE && argument->kind == GEMP_EXISTS && argument->bare)
		gemp_ast_refuse(q, place.begin, "size() of a path; write COUNT { } around the path");
	gemp_ast_expr *expr = q->code == GEMP_OK ? gemp_ast_leaf(q, function->kind, place) : NULL;
	if (!expr)
		return NULL;
	expr->distinct = distinct;
	if (function->of_variable)
		expr->variable = argument->variable;
	else
		gemp_ast_adopt(q, expr, argument);
	return checked(q, expr);
}

/* A parameter becomes a literal at once: no later step knows parameters. */
gemp_ast_expr *gemp_ast_parameter(gemp_ast *q, gemp_ast_word name, gemp_ast_place place)
{
	for (size_t i = 0; i < q->parameter_count; i++)
		if (strcmp(q->parameters[i].name, name.bytes) == 0) {
			q->used[i] = true;
			return gemp_ast_literal(q, q->parameters[i].value, place);
		}
	if (q->parameters_later) {
		q->has_parameters = true;
		return gemp_ast_literal(q, (gemp_value){ .type = GEMP_INTEGER }, place);
	}
	gemp_ast_fail(q, place.begin, "the parameter $%s has no value; give it one, as '%s=VALUE'", name.bytes, name.bytes);
	return NULL;
}
