/* Expressions of a query: what stands where, and what its names are. */
#include "core/memory.h"
#include "pattern/expr.h"
#include "pattern/parse.h"

#include <stdlib.h>
#include <string.h>

gemp_code parse_new_expr(parse *p, gemp_expr_kind kind, size_t at, gemp_expr **out)
{
	parse_move(p, at);
	return gemp_expr_new(out, kind, p->cursor.line, p->cursor.column);
}

bool parse_is_aggregate(gemp_expr_kind kind)
{
	return kind == GEMP_COUNT_STAR || kind == GEMP_COUNT || kind == GEMP_SUM || kind == GEMP_MIN || kind == GEMP_MAX
	    || kind == GEMP_AVG || kind == GEMP_COLLECT;
}

static const char *function_name(gemp_expr_kind kind)
{
	static const char *const names[] = { [GEMP_KEY] = "id", [GEMP_LABELS] = "labels", [GEMP_TYPE] = "type",
		[GEMP_LOWER] = "toLower", [GEMP_UPPER] = "toUpper", [GEMP_SIZE] = "size", [GEMP_COUNT_STAR] = "count",
		[GEMP_COUNT] = "count", [GEMP_SUM] = "sum", [GEMP_MIN] = "min", [GEMP_MAX] = "max", [GEMP_AVG] = "avg",
		[GEMP_COLLECT] = "collect" };
	return names[kind];
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

gemp_code parse_names(const query_expr *from, char ***out, size_t *count)
{
	size_t total = 0;
	for (const query_expr *name = from->first; name; name = name->next)
		total++;
	gemp_code code = GEMP_NEW(*out, total);
	if (code != GEMP_OK)
		return code;
	for (const query_expr *name = from->first; name; name = name->next) {
		char *copy = gemp_strdup(name->value.string.bytes);
		if (!copy)
			return GEMP_ENOMEM;
		(*out)[(*count)++] = copy;
	}
	qsort(*out, *count, sizeof **out, by_name);
	size_t kept = 1;
	for (size_t i = 1; i < *count; i++) {
		if (strcmp((*out)[kept - 1], (*out)[i]) == 0)
			gemp_free((*out)[i]);
		else
			(*out)[kept++] = (*out)[i];
	}
	*count = kept;
	return GEMP_OK;
}

static gemp_code copy_literal(parse *p, const query_expr *from, gemp_expr *to)
{
	if (from->beyond)
		return parse_fail(p, from->place.begin, "this integer is beyond the range of 64 bits");
	if (from->value.null || from->value.type != GEMP_STRING) {
		to->value = from->value;
		return GEMP_OK;
	}
	char *bytes = gemp_strndup(from->value.string.bytes, from->value.string.size);
	if (!bytes)
		return GEMP_ENOMEM;
	to->value = from->value;
	to->value.string.bytes = bytes;
	return GEMP_OK;
}

bool parse_has_aggregate(const gemp_expr *expr)
{
	bool found = parse_is_aggregate(expr->kind);
	for (size_t i = 0; !found && i < expr->count; i++)
		found = parse_has_aggregate(expr->children[i]);
	return found;
}

static bool is_element(const gemp_expr *expr)
{
	return expr->kind == GEMP_VERTEX || expr->kind == GEMP_EDGE;
}

/* The column that a name of ORDER BY stands for, NULL: none. */
static const gemp_expr *column(const parse_context *context, query_word word)
{
	for (size_t i = 0; context->columns && word.bytes && i < context->columns->shown; i++)
		if (strcmp(context->columns->items[i].name, word.bytes) == 0)
			return context->columns->items[i].expr;
	return NULL;
}

/* A variable of an expression, or the element that the expression is written in. */
static gemp_code resolve(parse *p, const parse_context *context, query_word word, parse_name *out)
{
	const gemp_expr *named = column(context, word);
	const parse_name *found = context->self;
	gemp_code code = GEMP_OK;
	if (named && is_element(named)) {
		*out = (parse_name){ word.bytes, named->of_edge ? PARSE_EDGE : PARSE_VERTEX, named->variable };
		return GEMP_OK;
	}
	if (word.bytes)
		code = parse_resolve(p, context->scope, word, &found);
	if (code == GEMP_OK)
		*out = *found;
	return code;
}

/* A column's value once more. */
static gemp_code copy_column(parse *p, const parse_context *context, const query_expr *from, const gemp_expr *named,
                             gemp_expr **out)
{
	if (parse_has_aggregate(named) && context->no_aggregates)
		return parse_fail(p, from->place.begin, "'%s' is an aggregate, which %s", from->variable.bytes,
		                  context->no_aggregates);
	return gemp_expr_copy(out, named);
}

/* The vertex or edge that something is asked of. */
static gemp_code element(parse *p, const parse_context *context, const query_expr *from, gemp_expr *to)
{
	parse_name found;
	gemp_code code = resolve(p, context, from->variable, &found);
	if (code != GEMP_OK)
		return code;
	const char *name = found.name ? found.name : "";
	if (found.sort == PARSE_VALUE || found.sort == PARSE_LIST)
		return parse_fail(p, from->place.begin, "'%s' is a value and has neither attributes nor labels; pass its vertex on "
		                  "by WITH", name);
	to->variable = found.index;
	to->of_edge = found.sort == PARSE_EDGE;
	if (to->of_edge && from->kind == GEMP_KEY)
		return parse_fail(p, from->place.begin, "an edge has no id; compare the edges themselves, as in r <> s");
	if (to->of_edge && from->kind == GEMP_LABELS)
		return parse_fail(p, from->place.begin, "an edge has no labels; write type(%s)", name);
	if (!to->of_edge && from->kind == GEMP_TYPE)
		return parse_fail(p, from->place.begin, "a vertex has no type; write labels(%s) or %s:Label", name, name);
	return GEMP_OK;
}

static gemp_code variable(parse *p, const parse_context *context, const query_expr *from, parse_wanted wanted,
                          gemp_expr *to)
{
	parse_name found;
	const char *name = from->variable.bytes;
	gemp_code code = resolve(p, context, from->variable, &found);
	if (code != GEMP_OK)
		return code;
	bool is_element = found.sort == PARSE_VERTEX || found.sort == PARSE_EDGE;
	if (is_element && wanted == PARSE_CONDITION)
		return parse_fail(p, from->place.begin, "'%s' alone is no condition; compare an attribute of it, as in %s.name = 'x'",
		                  name, name);
	if (is_element && (wanted == PARSE_PLAIN || wanted == PARSE_SIZED))
		return found.sort == PARSE_EDGE
		     ? parse_fail(p, from->place.begin, "an edge has no value of its own; write type(%s) or %s.attribute", name, name)
		     : parse_fail(p, from->place.begin, "a vertex has no value of its own; write id(%s) or %s.attribute", name, name);
	if (found.sort == PARSE_LIST && wanted != PARSE_ANY && wanted != PARSE_SIZED)
		return parse_fail(p, from->place.begin, "'%s' is a list; there are size() of it, and the list itself in WITH and "
		                  "RETURN", name);
	if (is_element) {
		to->kind = found.sort == PARSE_EDGE ? GEMP_EDGE : GEMP_VERTEX;
		to->variable = found.index;
		to->of_edge = found.sort == PARSE_EDGE;
	} else {
		to->kind = GEMP_COLUMN;
		to->item = (size_t)found.index;
	}
	return GEMP_OK;
}

/* An edge's type is one of the names: type(r) IN [...]. */
static gemp_code type_test(parse *p, const query_expr *from, gemp_expr *to)
{
	size_t count = 1;
	gemp_code code = GEMP_OK;
	for (const query_expr *name = from->first; name; name = name->next)
		count++;
	to->kind = GEMP_IN;
	GEMP_TRY(gemp_expr_children(to, count));
	GEMP_TRY(parse_new_expr(p, GEMP_TYPE, from->place.begin, &to->children[0]));
	to->children[0]->variable = to->variable;
	to->children[0]->of_edge = true;
	to->variable = -1;
	to->of_edge = false;
	count = 1;
	for (const query_expr *name = from->first; name; name = name->next) {
		GEMP_TRY(parse_new_expr(p, GEMP_LITERAL, name->place.begin, &to->children[count]));
		GEMP_TRY(copy_literal(p, name, to->children[count++]));
	}
done:
	return code;
}

static gemp_code label_test(parse *p, const parse_context *context, const query_expr *from, gemp_expr *to)
{
	gemp_code code = element(p, context, from, to);
	if (code != GEMP_OK)
		return code;
	if (to->of_edge && from->bare)
		return parse_fail(p, from->place.begin, "an edge has no labels; write type(%s)", from->variable.bytes);
	return to->of_edge ? type_test(p, from, to) : parse_names(from, &to->names, &to->name_count);
}

static gemp_code add_sub(gemp_pattern *pattern, gemp_pattern *sub)
{
	gemp_pattern **more = gemp_realloc(pattern->subs, pattern->sub_count + 1, sizeof *more);
	if (!more)
		return GEMP_ENOMEM;
	pattern->subs = more;
	more[pattern->sub_count++] = sub;
	return GEMP_OK;
}

static gemp_code pattern(parse *p, const parse_context *context, const query_expr *from, gemp_expr *to)
{
	gemp_pattern *sub = NULL, *into = context->scope->pattern;
	int outer[GEMP_MAX_PATTERN_VERTICES];
	parse_scope names;
	gemp_code code = GEMP_OK;
	if (!into)
		return parse_fail(p, from->place.begin, "a pattern behind WITH is not supported; ask for it in WITH, as in "
		                  "WITH a, COUNT { (a)--() } AS n");
	GEMP_TRY(parse_inner(p, context->scope, from->match, from->bare, &sub, outer, &names));
	GEMP_TRY(gemp_expr_children(to, sub->given));
	for (size_t i = 0; i < sub->given; i++) {
		GEMP_TRY(parse_new_expr(p, GEMP_VERTEX, from->place.begin, &to->children[i]));
		to->children[i]->variable = outer[i];
	}
	GEMP_TRY(add_sub(into, sub));
	to->sub = into->sub_count - 1;
	return GEMP_OK;
done:
	gemp_pattern_free(sub);
	return code;
}

static bool is_junction(gemp_expr_kind kind)
{
	return kind == GEMP_AND || kind == GEMP_OR || kind == GEMP_XOR || kind == GEMP_NOT;
}

/* The children are what their parent needs. */
static gemp_code check_children(parse *p, const query_expr *from, const gemp_expr *to)
{
	const gemp_expr *left = to->children[0], *right = to->count > 1 ? to->children[1] : NULL;
	bool element = is_element(left) || (right && is_element(right));
	if (to->kind == GEMP_MATCHES && right->kind != GEMP_LITERAL)
		return parse_fail(p, from->last->place.begin, "a regular expression that is no literal is not supported; =~ takes a "
		                  "string or a parameter");
	if ((to->kind != GEMP_EQ && to->kind != GEMP_NE) || !element)
		return GEMP_OK;
	const query_expr *one = is_element(left) ? from->first : from->last;
	const query_expr *other = is_element(left) ? from->last : from->first;
	if (other->kind == GEMP_LITERAL && other->value.null)
		return parse_fail(p, one->place.begin, "a comparison with NULL is never true; write %s IS NULL", one->variable.bytes);
	if (!is_element(left) || !is_element(right))
		return left->kind == GEMP_EDGE || (right && right->kind == GEMP_EDGE)
		     ? parse_fail(p, one->place.begin, "an edge has no value of its own; write type(%s) or %s.attribute",
		                  one->variable.bytes, one->variable.bytes)
		     : parse_fail(p, one->place.begin, "a vertex has no value of its own; write id(%s) or %s.attribute",
		                  one->variable.bytes, one->variable.bytes);
	if (left->of_edge != right->of_edge)
		return parse_fail(p, from->place.begin, "a vertex and an edge are never the same");
	return GEMP_OK;
}

static gemp_code children(parse *p, const parse_context *context, const query_expr *from, gemp_expr *to)
{
	bool compares = from->kind == GEMP_EQ || from->kind == GEMP_NE || from->kind == GEMP_IS_NULL
	             || from->kind == GEMP_IS_NOT_NULL || from->kind == GEMP_COUNT || from->kind == GEMP_COLLECT;
	parse_wanted wanted = is_junction(from->kind) ? PARSE_CONDITION : compares ? PARSE_ELEMENT
	                    : from->kind == GEMP_SIZE ? PARSE_SIZED : PARSE_PLAIN;
	size_t count = 0, index = 0;
	for (const query_expr *child = from->first; child; child = child->next)
		count++;
	gemp_code code = gemp_expr_children(to, count);
	for (const query_expr *child = from->first; code == GEMP_OK && child; child = child->next)
		code = parse_expr(p, context, child, wanted, &to->children[index++]);
	return code == GEMP_OK ? check_children(p, from, to) : code;
}

static gemp_code aggregate(parse *p, const parse_context *context, const query_expr *from, gemp_expr *to)
{
	if (context->no_aggregates)
		return parse_fail(p, from->place.begin, "%s(%s) %s", function_name(from->kind),
		                  from->kind == GEMP_COUNT_STAR ? "*" : "", context->no_aggregates);
	parse_context inside = *context;
	inside.no_aggregates = "within another aggregate has no meaning; count first, by WITH";
	to->distinct = from->distinct;
	return from->kind == GEMP_COUNT_STAR ? GEMP_OK : children(p, &inside, from, to);
}

/* What can never be true or false. */
static gemp_code check_condition(parse *p, const query_expr *from)
{
	size_t at = from->place.begin;
	switch (from->kind) {
	case GEMP_LITERAL:
		return from->value.null || from->value.type == GEMP_BOOLEAN ? GEMP_OK
		     : parse_fail(p, at, "a literal of type %s is no condition", gemp_type_name[from->value.type]);
	case GEMP_KEY:
	case GEMP_LABELS:
	case GEMP_TYPE:
	case GEMP_LOWER:
	case GEMP_UPPER:
	case GEMP_SIZE:
	case GEMP_SUM:
	case GEMP_AVG:
	case GEMP_COUNT:
	case GEMP_COUNT_STAR:
	case GEMP_COLLECT:
		return parse_fail(p, at, "%s() alone is no condition; compare it", function_name(from->kind));
	case GEMP_COUNT_OF:
		return parse_fail(p, at, "COUNT { } alone is no condition; compare it, or write EXISTS { }");
	case GEMP_ADD:
	case GEMP_SUBTRACT:
	case GEMP_MULTIPLY:
	case GEMP_DIVIDE:
	case GEMP_REMAINDER:
	case GEMP_NEGATE:
		return parse_fail(p, at, "a sum or product alone is no condition; compare it");
	default:
		return GEMP_OK;
	}
}

static gemp_code attribute(parse *p, const parse_context *context, const query_expr *from, gemp_expr *to)
{
	gemp_code code = element(p, context, from, to);
	if (code != GEMP_OK)
		return code;
	to->name = gemp_strdup(from->name.bytes);
	return to->name ? GEMP_OK : GEMP_ENOMEM;
}

static gemp_code fill(parse *p, const parse_context *context, const query_expr *from, parse_wanted wanted,
                      gemp_expr *to)
{
	switch (from->kind) {
	case GEMP_LITERAL:
		return copy_literal(p, from, to);
	case GEMP_VERTEX:
		return variable(p, context, from, wanted, to);
	case GEMP_ATTRIBUTE:
		return attribute(p, context, from, to);
	case GEMP_KEY:
	case GEMP_TYPE:
	case GEMP_LABELS:
		return element(p, context, from, to);
	case GEMP_HAS_LABEL:
		return label_test(p, context, from, to);
	case GEMP_EXISTS:
	case GEMP_COUNT_OF:
		return pattern(p, context, from, to);
	default:
		return parse_is_aggregate(from->kind) ? aggregate(p, context, from, to) : children(p, context, from, to);
	}
}

gemp_code parse_expr(parse *p, const parse_context *context, const query_expr *from, parse_wanted wanted,
                     gemp_expr **out)
{
	const gemp_expr *named = from->kind == GEMP_VERTEX ? column(context, from->variable) : NULL;
	if (named && !is_element(named))
		return copy_column(p, context, from, named, out);
	bool list = from->kind == GEMP_LABELS || from->kind == GEMP_COLLECT;
	gemp_code code = GEMP_OK;
	if (wanted == PARSE_CONDITION && (context->no_aggregates == NULL || !parse_is_aggregate(from->kind)))
		GEMP_TRY(check_condition(p, from));
	if (list && wanted != PARSE_ANY && wanted != PARSE_SIZED && !(from->kind == GEMP_COLLECT && context->no_aggregates))
		return parse_fail(p, from->place.begin, "%s() gives a list; there are size() of it, and the list itself in WITH and "
		                  "RETURN%s",
		                  function_name(from->kind), from->kind == GEMP_LABELS ? ", and a:Label tests a label" : "");
	GEMP_TRY(parse_new_expr(p, from->kind, from->place.begin, out));
	code = fill(p, context, from, wanted, *out);
done:
	return code;
}
