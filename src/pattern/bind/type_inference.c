/* Types are inferred from the leaves up, and each kind of node states which operands it needs. The second part folds
 * comparisons that can never be true because of their types: the query stays valid, with a warning. The last part
 * compiles regular expressions and finds the place of an error within a string literal. */

#include "pattern/bind/type_inference.h"

#include "core/log.h"
#include "pattern/condition/evaluate.h"
#include "pattern/condition/expr_text.h"
#include "pattern/model/string_function.h"

#include <stdlib.h>
#include <string.h>

/* An expression that is always NULL is compatible with every type, so each of these predicates accepts it. */
static bool is_text(const gemp_expr *expr)
{
	return expr->always_null || expr->type == GEMP_STRING;
}

static bool is_number(const gemp_expr *expr)
{
	return expr->always_null || expr->type == GEMP_INTEGER || expr->type == GEMP_FLOAT;
}

/* True for a boolean, and for an expression that is NULL in every row. */
static bool is_boolean(const gemp_expr *expr)
{
	return expr->always_null || expr->type == GEMP_BOOLEAN;
}

/* True for the operators that search for a string in another string. */
static bool is_search(gemp_expr_kind kind)
{
	return kind == GEMP_CONTAINS || kind == GEMP_STARTS_WITH || kind == GEMP_ENDS_WITH;
}

/* The name of a type in messages, with its article. A vertex or an edge is named by its kind, because it has no type of
 * its own. */
static const char *type_name(const gemp_expr *expr)
{
	static const char *const names[] = { [GEMP_STRING] = "a string",
		                                 [GEMP_INTEGER] = "an integer",
		                                 [GEMP_FLOAT] = "a float",
		                                 [GEMP_BOOLEAN] = "a boolean",
		                                 [GEMP_LIST] = "a list" };
	return expr->kind == GEMP_VERTEX ? "a vertex" : expr->kind == GEMP_EDGE ? "an edge" : names[expr->type];
}

/* The message is, for example, "toLower(a.born): this is an integer, and a string is needed". */
static gemp_code wrong_type(const gemp_binding *b, const gemp_expr *expr, const gemp_expr *operand, const char *needed)
{
	GEMP_OWNED char *text = gemp_expr_text(expr, b->pattern, b->with);
	if (!text)
		return GEMP_ENOMEM;
	return gemp_source_fail_at(&b->source, operand->line, operand->column, "%s: this is %s, and %s is needed", text,
	                           type_name(operand), needed);
}

/* openCypher joins strings with numbers and booleans, and an operation on NULL is NULL for every other operand. */
static bool has_value(const gemp_expr *expr)
{
	bool null = false;
	for (size_t i = 0; i < expr->count; i++)
		null |= expr->children[i]->always_null;
	return null || (expr->kind == GEMP_ADD && expr->type == GEMP_STRING);
}

/* Refuses the first operand of a wrong type. A vertex or an edge has no type of its own and is always refused. */
static gemp_code require_type(const gemp_binding *b, const gemp_expr *expr, bool (*fits)(const gemp_expr *),
                              const char *needed)
{
	for (size_t i = 0; i < expr->count; i++)
		if (gemp_expr_is_element(expr->children[i]) || !fits(expr->children[i])) {
			b->whole->mixed_types = has_value(expr);
			return wrong_type(b, expr, expr->children[i], needed);
		}
	return GEMP_OK;
}

/* An operation on literals fails for every row or for no row, so it is tried when the pattern is bound. The message
 * then has a place. */
static gemp_code try_literals(const gemp_binding *b, const gemp_expr *expr)
{
	GEMP_OWNED_BY(gemp_arena_free) gemp_arena scratch = { 0 };
	gemp_value value;
	if (!gemp_expr_has_literals_only(expr))
		return GEMP_OK;
	gemp_code code = gemp_expr_compute(expr, &expr->children[0]->value,
	                                   expr->count > 1 ? &expr->children[1]->value : NULL, &scratch, &value);
	if (code != GEMP_EDATA)
		return code;
	GEMP_OWNED char *why = gemp_strdup(gemp_message());
	return why ? gemp_source_fail_at(&b->source, expr->line, expr->column, "%s", why) : GEMP_ENOMEM;
}

/* A sum with a string operand is a concatenation. Otherwise one float operand makes the result a float. */
static gemp_code type_arithmetic(const gemp_binding *b, gemp_expr *expr)
{
	bool texts = false, real = false;
	for (size_t i = 0; i < expr->count; i++) {
		const gemp_expr *child = expr->children[i];
		texts = texts || (expr->kind == GEMP_ADD && !child->always_null && child->type == GEMP_STRING);
		real = real || (!child->always_null && child->type == GEMP_FLOAT);
	}
	expr->type = texts ? GEMP_STRING : real ? GEMP_FLOAT : GEMP_INTEGER;
	GEMP_TRY(texts ? require_type(b, expr, is_text, "a string beside a string")
	               : require_type(b, expr, is_number, "a number"));
	return try_literals(b, expr);
}

/* min and max have the type of their argument. A sum of integers is an integer. */
static gemp_code type_aggregate(const gemp_binding *b, gemp_expr *expr)
{
	const gemp_expr *of = expr->children[0];
	switch (expr->kind) {
	case GEMP_COUNT: expr->type = GEMP_INTEGER; return GEMP_OK;
	case GEMP_COLLECT: expr->type = GEMP_LIST; return GEMP_OK;
	case GEMP_SUM:
		expr->type = of->type == GEMP_FLOAT ? GEMP_FLOAT : GEMP_INTEGER;
		return require_type(b, expr, is_number, "a number");
	case GEMP_AVG: expr->type = GEMP_FLOAT; return require_type(b, expr, is_number, "a number");
	default: /* min, max */
		expr->type = of->type;
		return gemp_expr_is_element(of) || of->type == GEMP_LIST ? wrong_type(b, expr, of, "a value with an order")
		                                                         : GEMP_OK;
	}
}

/* size() takes strings and lists. The other functions take strings only. */
static gemp_code type_function(const gemp_binding *b, gemp_expr *expr)
{
	const gemp_expr *of = expr->children[0];
	expr->type = expr->kind == GEMP_SIZE ? GEMP_INTEGER : GEMP_STRING;
	if (expr->kind == GEMP_SIZE && of->type == GEMP_LIST)
		return GEMP_OK;
	return require_type(b, expr, is_text, expr->kind == GEMP_SIZE ? "a string or a list" : "a string");
}

/* An attribute that no vertex has (--lenient) is NULL in every row, so any type is right. */
static gemp_type type_of_attribute(const gemp_binding *b, const gemp_expr *expr)
{
	if (expr->of_edge)
		return gemp_shard_edge_attribute_type(b->graph, expr->name);
	return expr->attribute >= 0 ? b->graph->attributes.columns[expr->attribute].type : GEMP_STRING;
}

/* Values of JSON have types of their own in every row, and the types of a search are those of columns. */
static gemp_code refuse_json(const gemp_binding *b, const gemp_expr *expr)
{
	if (expr->type != GEMP_LIST)
		return GEMP_OK;
	return gemp_source_fail_at(
		&b->source, expr->line, expr->column,
		"attribute '%s' holds JSON, which only a query of openCypher that runs clause by clause reads", expr->name);
}

/* Returns the type of a node from the types of its children. Later steps read expr->type and do not infer types
 * again. */
static gemp_code type_of(const gemp_binding *b, gemp_expr *expr)
{
	switch (expr->kind) {
	case GEMP_LITERAL: expr->type = expr->value.type; return GEMP_OK;
	case GEMP_VERTEX:
	case GEMP_EDGE:
	case GEMP_TYPE: expr->type = GEMP_STRING; return GEMP_OK;
	case GEMP_COLUMN: expr->type = b->with->items[expr->item].expr->type; return GEMP_OK;
	case GEMP_ATTRIBUTE: expr->type = type_of_attribute(b, expr); return refuse_json(b, expr);
	case GEMP_KEY: expr->type = b->graph->keys.type; return GEMP_OK;
	case GEMP_LABELS: expr->type = GEMP_LIST; return GEMP_OK;
	case GEMP_DEGREE:
	case GEMP_COUNT_OF:
	case GEMP_COUNT_STAR: expr->type = GEMP_INTEGER; return GEMP_OK;
	case GEMP_ADD ... GEMP_NEGATE: return type_arithmetic(b, expr);
	case GEMP_LOWER ... GEMP_SIZE: return type_function(b, expr);
	case GEMP_COUNT ... GEMP_COLLECT: return type_aggregate(b, expr);
	case GEMP_AND ... GEMP_NOT: expr->type = GEMP_BOOLEAN; return require_type(b, expr, is_boolean, "a condition");
	case GEMP_MATCHES: expr->type = GEMP_BOOLEAN; return require_type(b, expr, is_text, "a string");
	default: expr->type = GEMP_BOOLEAN; return GEMP_OK;
	}
}

/* A vertex or an edge by itself is not a condition, although its type is string. */
gemp_code gemp_bind_condition(const gemp_binding *b, const gemp_expr *expr)
{
	return gemp_expr_is_element(expr) || !is_boolean(expr) ? wrong_type(b, expr, expr, "a condition") : GEMP_OK;
}

/* True if the expression is NULL in every row: the literal NULL; a column of WITH that is always NULL; and arithmetic,
 * min or max over operands that are all NULL. */
static bool is_always_null(const gemp_binding *b, const gemp_expr *expr)
{
	switch (expr->kind) {
	case GEMP_LITERAL: return expr->value.null;
	case GEMP_COLUMN: return b->with->items[expr->item].expr->always_null;
	case GEMP_ADD ... GEMP_NEGATE:
	case GEMP_MIN:
	case GEMP_MAX:
		for (size_t i = 0; i < expr->count; i++)
			if (!expr->children[i]->always_null)
				return false;
		return true;
	default: return false;
	}
}

/* Types are set from the leaves up, because the type of an operation follows from the types of its operands. */
gemp_code gemp_bind_types(const gemp_binding *b, gemp_expr *expr)
{
	for (size_t i = 0; i < expr->count; i++)
		GEMP_TRY(gemp_bind_types(b, expr->children[i]));
	expr->always_null = is_always_null(b, expr);
	return type_of(b, expr);
}

/* The class is 1 for numbers, 2 for strings, 3 for booleans, 4 for lists. Only values of one class can be equal or have
 * an order. */
static int type_class(gemp_type type)
{
	return type == GEMP_STRING ? 2 : type == GEMP_BOOLEAN ? 3 : type == GEMP_LIST ? 4 : 1;
}

/* NULL is comparable with every class. The comparison is unknown, but it is not a mistake of the user. */
static bool same_class(const gemp_expr *left, const gemp_expr *right)
{
	return left->always_null || right->always_null || type_class(left->type) == type_class(right->type);
}

/* The query stays valid, so the user gets a warning with a place instead of an error. */
static void warn_folded(const gemp_binding *b, const gemp_expr *expr, const char *because)
{
	GEMP_OWNED char *text = gemp_expr_text(expr, b->pattern, b->with);
	gemp_warn("%s:%d:%d: %s: %s", b->source.file ? b->source.file : "query", expr->line, expr->column, text ? text : "",
	          because);
}

/* The comparison becomes a test that both of its values are not NULL. */
static gemp_code make_null_test(gemp_expr **slot)
{
	gemp_expr *expr = *slot;
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *all = NULL;
	GEMP_TRY(gemp_expr_new_operator(&all, GEMP_AND, 2, expr->line, expr->column));
	for (size_t i = 0; i < 2; i++)
		GEMP_TRY(gemp_expr_new_operator(&all->children[i], GEMP_IS_NOT_NULL, 1, expr->line, expr->column));
	for (size_t i = 0; i < 2; i++) {
		all->children[i]->children[0] = expr->children[i];
		expr->children[i] = NULL;
	}
	*slot = all;
	all = expr;
	return GEMP_OK;
}

/* The normal form has made the condition `a.x` into a comparison of a.x with a literal at the same place. */
static bool is_bare_condition(const gemp_expr *expr)
{
	const gemp_expr *one = expr->children[0], *other = expr->children[1];
	return expr->kind == GEMP_EQ && one->line == other->line && one->column == other->column;
}

/* Values of different classes are never equal, so every comparison but `<>` becomes false. `<>` is unknown if one of
 * the values is NULL, so it becomes a test that both are not NULL. */
static gemp_code fold_comparison(const gemp_binding *b, gemp_expr **slot)
{
	gemp_expr *expr = *slot;
	if (gemp_expr_is_element(expr->children[0]) || same_class(expr->children[0], expr->children[1]))
		return GEMP_OK;
	if (is_bare_condition(expr) && !b->lenient)
		return wrong_type(b, expr->children[0], expr->children[0], "a condition");
	if (expr->kind == GEMP_NE) {
		warn_folded(b, expr, "values of different types always differ");
		return make_null_test(slot);
	}
	warn_folded(b, expr, "values of different types are never equal and have no order, so this is never true");
	gemp_expr_set_literal(expr, (gemp_value){ .type = GEMP_BOOLEAN });
	return GEMP_OK;
}

/* `whole` is the condition that becomes false: the string search itself, or the NOT above it. */
static void fold_search(const gemp_binding *b, gemp_expr *expr, gemp_expr *whole)
{
	if (is_text(expr->children[0]) && is_text(expr->children[1]))
		return;
	warn_folded(b, expr, "only strings are searched, so this is never true");
	gemp_expr_set_literal(whole, (gemp_value){ .type = GEMP_BOOLEAN });
}

/* Removes literals of another class from the list. IN with an empty list is false. NOT IN with an empty list is true
 * for every value but NULL. */
static gemp_code fold_in(const gemp_binding *b, gemp_expr **slot, bool negated)
{
	gemp_expr *outer = *slot, *expr = negated ? outer->children[0] : outer;
	size_t same = 0, kept = 1;
	for (size_t i = 1; i < expr->count; i++)
		same += same_class(expr->children[0], expr->children[i]);
	if (same == expr->count - 1)
		return GEMP_OK;
	warn_folded(b, expr, "values of different types are never equal");
	if (same == 0 && negated) {
		*slot = expr;
		outer->children[0] = NULL;
		gemp_expr_free(outer);
		return make_null_test(slot);
	}
	if (same == 0) {
		gemp_expr_set_literal(expr, (gemp_value){ .type = GEMP_BOOLEAN });
		return GEMP_OK;
	}
	for (size_t i = 1; i < expr->count; i++) {
		if (same_class(expr->children[0], expr->children[i]))
			expr->children[kept++] = expr->children[i];
		else
			gemp_expr_free(expr->children[i]);
	}
	expr->count = kept;
	return GEMP_OK;
}

/* Decides conditions that compare different types, so that later steps compare values of one type only. */
gemp_code gemp_bind_fold(const gemp_binding *b, gemp_expr **slot)
{
	gemp_expr *expr = *slot;
	switch (expr->kind) {
	case GEMP_AND ... GEMP_XOR:
		for (size_t i = 0; i < expr->count; i++)
			GEMP_TRY(gemp_bind_fold(b, &expr->children[i]));
		return GEMP_OK;
	case GEMP_NOT:
		if (expr->children[0]->kind == GEMP_IN)
			return fold_in(b, slot, true);
		if (!is_search(expr->children[0]->kind))
			return gemp_bind_fold(b, &expr->children[0]);
		fold_search(b, expr->children[0], expr);
		return GEMP_OK;
	case GEMP_IN: return fold_in(b, slot, false);
	case GEMP_CONTAINS ... GEMP_ENDS_WITH: fold_search(b, expr, expr); return GEMP_OK;
	case GEMP_EQ ... GEMP_GE: return fold_comparison(b, slot);
	default: return GEMP_OK;
	}
}

/* Sets *length to the length of an escape sequence in the text, and returns the number of bytes of its value. \uXXXX
 * and \UXXXXXXXX are taken as one character of UTF-8 each, also in a surrogate pair; all other escapes are one byte. */
static size_t escape(const char *at, size_t *length)
{
	char digits[9] = "";
	*length = at[1] == 'u' ? 6 : at[1] == 'U' ? 10 : 2;
	if (*length == 2)
		return 1;
	strncpy(digits, at + 2, *length - 2);
	unsigned long character = strtoul(digits, NULL, 16);
	return character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
}

/* Returns the position in the text of byte `at` of a string literal whose quote is at `begin`. The two differ because
 * of escapes. A parameter has only the place of its name. */
static size_t literal_offset(const char *text, size_t begin, size_t at)
{
	size_t position = begin + 1;
	if (text[begin] != '\'' && text[begin] != '"')
		return begin;
	while (at > 0 && text[position] && text[position] != text[begin]) {
		size_t length = 1, bytes = text[position] == '\\' ? escape(text + position, &length) : 1;
		position += length;
		at -= bytes < at ? bytes : at;
	}
	return position;
}

/* A regular expression is compiled once, when the pattern is bound. An error message points to the wrong character. */
gemp_code gemp_bind_regex(const gemp_binding *b, gemp_expr *expr)
{
	const gemp_expr *literal = expr->children[1];
	char why[160];
	size_t at = 0;
	if (literal->kind != GEMP_LITERAL || literal->value.null || literal->value.type != GEMP_STRING)
		return GEMP_OK; /* type_of refuses this operand */
	gemp_regex_free(expr->regex);
	expr->regex = NULL;
	gemp_code code = gemp_regex_new(&expr->regex, &literal->value, why, sizeof why, &at);
	if (code != GEMP_EUSAGE)
		return code;
	size_t begin = gemp_source_offset(&b->source, literal->line, literal->column);
	return gemp_source_fail(&b->source, literal_offset(b->source.text, begin, at),
	                        "this is no regular expression: %s, at byte %zu of it", why, at);
}
