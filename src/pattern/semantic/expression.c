/* Each function turns one kind of node of the syntax tree into a node of the model, resolves its names, and refuses the
 * node where it has no meaning. `wanted` says what the parent of a node admits (a condition, a value, an element), so
 * an error points to the operand and not to the operator. */

#include "pattern/semantic/expression.h"

#include "core/memory.h"
#include "core/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Records line and column of every GEMP_SEMA_MARK-th byte. Places are looked up in any order, and without marks each
 * look-up would scan the text from its start. */
gemp_code gemp_sema_set_marks(gemp_sema *p)
{
	size_t count = strlen(p->q->source.text) / GEMP_SEMA_MARK + 1;
	gemp_cursor cursor = { 0, 1, 1 };
	p->marks = gemp_ast_alloc(p->q, count * sizeof *p->marks);
	for (size_t i = 0; p->marks && i < count; i++) {
		gemp_source_move(&p->q->source, &cursor, i * GEMP_SEMA_MARK);
		p->marks[i] = cursor;
	}
	p->cursor = (gemp_cursor){ 0, 1, 1 };
	return p->marks ? GEMP_OK : GEMP_ENOMEM;
}

/* Moves forward from the cursor if the place is near behind it, otherwise from the closest mark before the place. */
void gemp_sema_move(gemp_sema *p, size_t at)
{
	if (at < p->cursor.at || at - p->cursor.at > GEMP_SEMA_MARK)
		p->cursor = p->marks[at / GEMP_SEMA_MARK];
	gemp_source_move(&p->q->source, &p->cursor, at);
}

/* Functions of the model fail without a place, because they know none. Here their message gets a place. */
gemp_code gemp_sema_fail_here(gemp_sema *p, size_t at, gemp_code code)
{
	return code == GEMP_EUSAGE ? gemp_sema_fail(p, at, "%s", gemp_message()) : code;
}

/* For EXISTS and COUNT. The inner pattern becomes a sub-pattern of the scope's pattern, and the arguments of the inner
 * pattern become children of the expression. */
static gemp_code resolve_subpattern(gemp_sema *p, const gemp_sema_context *context, const gemp_ast_expr *from,
                                    gemp_expr *to)
{
	GEMP_OWNED_BY(gemp_pattern_free_at) gemp_pattern *sub = NULL;
	gemp_pattern *into = context->scope->pattern;
	int outer[GEMP_MAX_PATTERN_VERTICES];
	gemp_sema_scope names;
	if (!into)
		return gemp_sema_fail(p, from->place.begin,
		                      "a pattern behind WITH is not supported; ask for it in WITH, as in "
		                      "WITH a, COUNT { (a)--() } AS n");
	GEMP_TRY(gemp_sema_inner(p, context->scope, from->match, from->bare, &sub, outer, &names));
	GEMP_TRY(gemp_expr_children(to, sub->arguments));
	gemp_sema_move(p, from->place.begin);
	for (size_t i = 0; i < sub->arguments; i++)
		GEMP_TRY(gemp_expr_new_element(&to->children[i], outer[i], false, p->cursor.line, p->cursor.column));
	to->sub = into->sub_count;
	GEMP_TRY(GEMP_APPEND(into->subs, into->sub_count, &sub));
	sub = NULL;
	return GEMP_OK;
}

/* The names lie in the arena of the syntax tree, so scopes need not be freed. */
gemp_code gemp_sema_new_scope(gemp_sema *p, gemp_pattern *pattern, size_t capacity, gemp_sema_scope *out)
{
	*out = (gemp_sema_scope){ .pattern = pattern, .names = gemp_ast_alloc(p->q, capacity * sizeof *out->names) };
	return out->names ? GEMP_OK : GEMP_ENOMEM;
}

/* A scope has at most 96 names of elements, or 1000 items of a WITH, so a linear search is enough. */
const gemp_sema_name *gemp_sema_find(const gemp_sema_scope *scope, const char *name)
{
	for (size_t i = 0; i < scope->count; i++)
		if (strcmp(scope->names[i].name, name) == 0)
			return &scope->names[i];
	return NULL;
}

/* The scope was made with sufficient capacity. */
void gemp_sema_add_name(gemp_sema_scope *scope, const char *name, gemp_sema_kind sort, int index)
{
	scope->names[scope->count++] = (gemp_sema_name){ .name = name, .sort = sort, .index = index };
}

/* Names of one or two letters are too short for a useful suggestion. */
static gemp_code unknown_variable(gemp_sema *p, const gemp_sema_scope *scope, gemp_ast_word word)
{
	const char **names = gemp_ast_alloc(p->q, (scope->count + 1) * sizeof *names);
	if (!names)
		return GEMP_ENOMEM;
	for (size_t i = 0; i < scope->count; i++)
		names[i] = scope->names[i].name;
	const char *near = word.size > 2 ? gemp_text_nearest(word.bytes, names, scope->count) : NULL;
	return gemp_sema_fail(p, word.place.begin, "the variable '%s' is not in %s%s%s%s", word.bytes,
	                      scope->pattern ? "MATCH" : "WITH", near ? "; did you mean '" : "", near ? near : "",
	                      near ? "'?" : "");
}

/* An unknown name is an error at its place. */
gemp_code gemp_sema_resolve(gemp_sema *p, const gemp_sema_scope *scope, gemp_ast_word word, const gemp_sema_name **out)
{
	*out = gemp_sema_find(scope, word.bytes);
	return *out ? GEMP_OK : unknown_variable(p, scope, word);
}

/* The node keeps its place for messages of binding. */
gemp_code gemp_sema_new_expr(gemp_sema *p, gemp_expr_kind kind, size_t at, gemp_expr **out)
{
	gemp_sema_move(p, at);
	return gemp_expr_new(out, kind, p->cursor.line, p->cursor.column);
}

/* For qsort. The order is bytewise in every locale. */
static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorting makes repeated names neighbours. All but the first of them are freed. */
void gemp_sema_sort_names(char **names, size_t *count)
{
	size_t kept = 0;
	if (*count)
		qsort(names, *count, sizeof *names, by_name);
	for (size_t i = 0; i < *count; i++) {
		if (kept && strcmp(names[kept - 1], names[i]) == 0)
			gemp_free(names[i]);
		else
			names[kept++] = names[i];
	}
	*count = kept;
}

/* Sorted names without repetitions can be compared as lists. */
gemp_code gemp_sema_names(const gemp_ast_expr *from, char ***out, size_t *count)
{
	size_t total = 0;
	for (const gemp_ast_expr *name = from->first; name; name = name->next)
		total++;
	GEMP_TRY(GEMP_NEW(*out, total));
	for (const gemp_ast_expr *name = from->first; name; name = name->next) {
		char *copy = gemp_strdup(name->value.string.bytes);
		if (!copy)
			return GEMP_ENOMEM;
		(*out)[(*count)++] = copy;
	}
	gemp_sema_sort_names(*out, count);
	return GEMP_OK;
}

/* The integer 2^63 is legal only after a minus. The syntax tree has then folded both into -2^63. */
static gemp_code copy_literal(gemp_sema *p, const gemp_ast_expr *from, gemp_expr *to)
{
	if (from->beyond)
		return gemp_sema_fail(p, from->place.begin, "this integer is beyond the range of 64 bits");
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

/* The column to which ORDER BY refers by this name; NULL if there is none. */
static const gemp_expr *find_order_column(const gemp_sema_context *context, gemp_ast_word word)
{
	for (size_t i = 0; context->columns && word.bytes && i < context->columns->shown; i++)
		if (strcmp(context->columns->items[i].name, word.bytes) == 0)
			return context->columns->items[i].expr;
	return NULL;
}

/* Resolves a variable. Without a variable, the element that contains the expression is meant. */
static gemp_code resolve(gemp_sema *p, const gemp_sema_context *context, gemp_ast_word word, gemp_sema_name *out)
{
	const gemp_expr *named = find_order_column(context, word);
	const gemp_sema_name *found = context->self;
	if (named && gemp_expr_is_element(named)) {
		*out = (gemp_sema_name){ .name = word.bytes,
			                     .sort = named->of_edge ? GEMP_SEMA_EDGE : GEMP_SEMA_VERTEX,
			                     .index = named->variable };
		return GEMP_OK;
	}
	if (word.bytes)
		GEMP_TRY(gemp_sema_resolve(p, context->scope, word, &found));
	*out = *found;
	return GEMP_OK;
}

/* The name of a column in ORDER BY becomes a copy of the column's expression. add_order later finds that both are
 * equal. */
static gemp_code copy_column(gemp_sema *p, const gemp_sema_context *context, const gemp_ast_expr *from,
                             const gemp_expr *named, gemp_expr **out)
{
	if (gemp_expr_has_aggregate(named) && context->no_aggregates)
		return gemp_sema_fail(p, from->place.begin, "'%s' is an aggregate, which %s", from->variable.bytes,
		                      context->no_aggregates);
	return gemp_expr_copy(out, named);
}

/* Resolves the vertex or edge whose attribute, key, labels or type is read. Errors name a suitable function. */
static gemp_code resolve_element(gemp_sema *p, const gemp_sema_context *context, const gemp_ast_expr *from,
                                 gemp_expr *to)
{
	gemp_sema_name found;
	GEMP_TRY(resolve(p, context, from->variable, &found));
	const char *name = found.name ? found.name : "";
	if (found.sort == GEMP_SEMA_VALUE || found.sort == GEMP_SEMA_LIST)
		return gemp_sema_fail(p, from->place.begin,
		                      "'%s' is a value and has neither attributes nor labels; pass its vertex on "
		                      "by WITH",
		                      name);
	to->variable = found.index;
	to->of_edge = found.sort == GEMP_SEMA_EDGE;
	if (to->of_edge && from->kind == GEMP_KEY)
		return gemp_sema_fail(p, from->place.begin, "an edge has no id; compare the edges themselves, as in r <> s");
	if (to->of_edge && from->kind == GEMP_LABELS)
		return gemp_sema_fail(p, from->place.begin, "an edge has no labels; write type(%s)", name);
	if (!to->of_edge && from->kind == GEMP_TYPE)
		return gemp_sema_fail(p, from->place.begin, "a vertex has no type; write labels(%s) or %s:Label", name, name);
	return GEMP_OK;
}

/* Elements have attributes, but are not values themselves. */
static gemp_code no_value(gemp_sema *p, size_t at, bool edge, const char *name)
{
	if (edge)
		return gemp_sema_fail(p, at, "an edge has no value of its own; write type(%s) or %s.attribute", name, name);
	return gemp_sema_fail(p, at, "a vertex has no value of its own; write id(%s) or %s.attribute", name, name);
}

/* Resolves a variable that stands alone. `wanted` decides whether an element or a list is allowed here. */
static gemp_code resolve_variable(gemp_sema *p, const gemp_sema_context *context, const gemp_ast_expr *from,
                                  gemp_sema_wanted wanted, gemp_expr *to)
{
	gemp_sema_name found;
	const char *name = from->variable.bytes;
	GEMP_TRY(resolve(p, context, from->variable, &found));
	bool is_element = found.sort == GEMP_SEMA_VERTEX || found.sort == GEMP_SEMA_EDGE;
	if (is_element && wanted == GEMP_SEMA_CONDITION)
		return gemp_sema_fail(p, from->place.begin,
		                      "'%s' alone is no condition; compare an attribute of it, as in %s.name = 'x'", name,
		                      name);
	if (is_element && (wanted == GEMP_SEMA_PLAIN || wanted == GEMP_SEMA_SIZED))
		return no_value(p, from->place.begin, found.sort == GEMP_SEMA_EDGE, name);
	if (found.sort == GEMP_SEMA_LIST && wanted != GEMP_SEMA_ANY && wanted != GEMP_SEMA_SIZED)
		return gemp_sema_fail(p, from->place.begin,
		                      "'%s' is a list; there are size() of it, and the list itself in WITH and "
		                      "RETURN",
		                      name);
	if (is_element) {
		to->kind = found.sort == GEMP_SEMA_EDGE ? GEMP_EDGE : GEMP_VERTEX;
		to->variable = found.index;
		to->of_edge = found.sort == GEMP_SEMA_EDGE;
	} else {
		to->kind = GEMP_COLUMN;
		to->item = (size_t)found.index;
	}
	return GEMP_OK;
}

/* The type of an edge must be one of the names. The test becomes type(r) IN [...], an expression that later steps
 * know. */
static gemp_code type_test(gemp_sema *p, const gemp_ast_expr *from, gemp_expr *to)
{
	size_t count = 1;
	for (const gemp_ast_expr *name = from->first; name; name = name->next)
		count++;
	to->kind = GEMP_IN;
	GEMP_TRY(gemp_expr_children(to, count));
	GEMP_TRY(gemp_sema_new_expr(p, GEMP_TYPE, from->place.begin, &to->children[0]));
	to->children[0]->variable = to->variable;
	to->children[0]->of_edge = true;
	to->variable = -1;
	to->of_edge = false;
	count = 1;
	for (const gemp_ast_expr *name = from->first; name; name = name->next) {
		GEMP_TRY(gemp_sema_new_expr(p, GEMP_LITERAL, name->place.begin, &to->children[count]));
		GEMP_TRY(copy_literal(p, name, to->children[count++]));
	}
	return GEMP_OK;
}

/* a:X tests the labels of a vertex or the type of an edge. A test of a type becomes type(r) IN [...]. */
static gemp_code label_test(gemp_sema *p, const gemp_sema_context *context, const gemp_ast_expr *from, gemp_expr *to)
{
	GEMP_TRY(resolve_element(p, context, from, to));
	if (to->of_edge && from->bare)
		return gemp_sema_fail(p, from->place.begin, "an edge has no labels; write type(%s)", from->variable.bytes);
	return to->of_edge ? type_test(p, from, to) : gemp_sema_names(from, &to->names, &to->name_count);
}

/* Operators whose operands are conditions. */
static bool is_junction(gemp_expr_kind kind)
{
	return kind == GEMP_AND || kind == GEMP_OR || kind == GEMP_XOR || kind == GEMP_NOT;
}

/* = and <> of elements compare identity, so both sides must be vertices or both must be edges. A regular expression
 * must be a literal. */
static gemp_code check_children(gemp_sema *p, const gemp_ast_expr *from, const gemp_expr *to)
{
	const gemp_expr *left = to->children[0], *right = to->count > 1 ? to->children[1] : NULL;
	bool elements = gemp_expr_is_element(left) || (right && gemp_expr_is_element(right));
	if (to->kind == GEMP_MATCHES && right->kind != GEMP_LITERAL)
		return gemp_sema_fail(p, from->last->place.begin,
		                      "a regular expression that is no literal is not supported; =~ takes a "
		                      "string or a parameter");
	if ((to->kind != GEMP_EQ && to->kind != GEMP_NE) || !elements)
		return GEMP_OK;
	const gemp_ast_expr *one = gemp_expr_is_element(left) ? from->first : from->last;
	const gemp_ast_expr *other = gemp_expr_is_element(left) ? from->last : from->first;
	if (other->kind == GEMP_LITERAL && other->value.null)
		return gemp_sema_fail(p, one->place.begin, "a comparison with NULL is never true; write %s IS NULL",
		                      one->variable.bytes);
	if (!gemp_expr_is_element(left) || !gemp_expr_is_element(right))
		return no_value(p, one->place.begin, left->kind == GEMP_EDGE || right->kind == GEMP_EDGE, one->variable.bytes);
	if (left->of_edge != right->of_edge)
		return gemp_sema_fail(p, from->place.begin, "a vertex and an edge are never the same");
	return GEMP_OK;
}

/* Each operator admits certain operands. Each operand is analysed with `wanted`, so that errors point at the
 * operand. */
static gemp_code resolve_children(gemp_sema *p, const gemp_sema_context *context, const gemp_ast_expr *from,
                                  gemp_expr *to)
{
	bool compares = from->kind == GEMP_EQ || from->kind == GEMP_NE || from->kind == GEMP_IS_NULL ||
	                from->kind == GEMP_IS_NOT_NULL || from->kind == GEMP_COUNT || from->kind == GEMP_COLLECT;
	gemp_sema_wanted wanted = is_junction(from->kind)   ? GEMP_SEMA_CONDITION
	                          : compares                ? GEMP_SEMA_ELEMENT
	                          : from->kind == GEMP_SIZE ? GEMP_SEMA_SIZED
	                                                    : GEMP_SEMA_PLAIN;
	size_t count = 0, index = 0;
	for (const gemp_ast_expr *child = from->first; child; child = child->next)
		count++;
	GEMP_TRY(gemp_expr_children(to, count));
	for (const gemp_ast_expr *child = from->first; child; child = child->next)
		GEMP_TRY(gemp_sema_expr(p, context, child, wanted, &to->children[index++]));
	return check_children(p, from, to);
}

/* Aggregates stand only in WITH, RETURN and their ORDER BY, and not within each other. */
static gemp_code resolve_aggregate(gemp_sema *p, const gemp_sema_context *context, const gemp_ast_expr *from,
                                   gemp_expr *to)
{
	if (context->no_aggregates)
		return gemp_sema_fail(p, from->place.begin, "%s(%s) %s", gemp_function_name(from->kind),
		                      from->kind == GEMP_COUNT_STAR ? "*" : "", context->no_aggregates);
	gemp_sema_context inside = *context;
	inside.no_aggregates = "within another aggregate has no meaning; count first, by WITH";
	to->distinct = from->distinct;
	return from->kind == GEMP_COUNT_STAR ? GEMP_OK : resolve_children(p, &inside, from, to);
}

/* Refuses expressions whose kind shows that they are never true or false. */
static gemp_code check_condition(gemp_sema *p, const gemp_ast_expr *from)
{
	size_t at = from->place.begin;
	switch (from->kind) {
	case GEMP_LITERAL:
		return from->value.null || from->value.type == GEMP_BOOLEAN
		           ? GEMP_OK
		           : gemp_sema_fail(p, at, "a literal of type %s is no condition", gemp_type_name[from->value.type]);
	case GEMP_KEY ... GEMP_TYPE:
	case GEMP_LOWER ... GEMP_SIZE:
	case GEMP_SUM:
	case GEMP_AVG:
	case GEMP_COUNT:
	case GEMP_COUNT_STAR:
	case GEMP_COLLECT:
		return gemp_sema_fail(p, at, "%s() alone is no condition; compare it", gemp_function_name(from->kind));
	case GEMP_COUNT_OF:
		return gemp_sema_fail(p, at, "COUNT { } alone is no condition; compare it, or write EXISTS { }");
	case GEMP_ADD ... GEMP_NEGATE: return gemp_sema_fail(p, at, "a sum or product alone is no condition; compare it");
	default: return GEMP_OK;
	}
}

/* Whether an attribute exists is known only when the pattern is bound to a graph. */
static gemp_code resolve_attribute(gemp_sema *p, const gemp_sema_context *context, const gemp_ast_expr *from,
                                   gemp_expr *to)
{
	GEMP_TRY(resolve_element(p, context, from, to));
	to->name = gemp_strdup(from->name.bytes);
	return to->name ? GEMP_OK : GEMP_ENOMEM;
}

/* The node has its kind and place already. This function adds the operands. */
static gemp_code fill_expr(gemp_sema *p, const gemp_sema_context *context, const gemp_ast_expr *from,
                           gemp_sema_wanted wanted, gemp_expr *to)
{
	switch (from->kind) {
	case GEMP_LITERAL: return copy_literal(p, from, to);
	case GEMP_VERTEX: return resolve_variable(p, context, from, wanted, to);
	case GEMP_ATTRIBUTE: return resolve_attribute(p, context, from, to);
	case GEMP_KEY:
	case GEMP_TYPE:
	case GEMP_LABELS: return resolve_element(p, context, from, to);
	case GEMP_HAS_LABEL: return label_test(p, context, from, to);
	case GEMP_EXISTS:
	case GEMP_COUNT_OF: return resolve_subpattern(p, context, from, to);
	default:
		return gemp_ast_is_aggregate(from) ? resolve_aggregate(p, context, from, to)
		                                   : resolve_children(p, context, from, to);
	}
}

/* A name of ORDER BY that is a column stands for the column's expression, and so does a name that WITH has given to an
 * expression, if one search goes on behind this WITH. All other expressions are analysed by kind. */
gemp_code gemp_sema_expr(gemp_sema *p, const gemp_sema_context *context, const gemp_ast_expr *from,
                         gemp_sema_wanted wanted, gemp_expr **out)
{
	const gemp_expr *named = from->kind == GEMP_VERTEX ? find_order_column(context, from->variable) : NULL;
	if (named && !gemp_expr_is_element(named))
		return copy_column(p, context, from, named, out);
	const gemp_sema_name *passed = from->kind == GEMP_VERTEX && !named
	                                   ? gemp_sema_find(context->scope, from->variable.bytes)
	                                   : NULL;
	if (passed && passed->value) {
		const gemp_sema_context before = { .scope = passed->value_scope, .no_aggregates = context->no_aggregates };
		return gemp_sema_expr(p, &before, passed->value, wanted, out);
	}
	bool list = from->kind == GEMP_LABELS || from->kind == GEMP_COLLECT;
	if (wanted == GEMP_SEMA_CONDITION && (context->no_aggregates == NULL || !gemp_ast_is_aggregate(from)))
		GEMP_TRY(check_condition(p, from));
	if (list && wanted != GEMP_SEMA_ANY && wanted != GEMP_SEMA_SIZED &&
	    !(from->kind == GEMP_COLLECT && context->no_aggregates))
		return gemp_sema_fail(p, from->place.begin,
		                      "%s() gives a list; there are size() of it, and the list itself in WITH and "
		                      "RETURN%s",
		                      gemp_function_name(from->kind),
		                      from->kind == GEMP_LABELS ? ", and a:Label tests a label" : "");
	GEMP_TRY(gemp_sema_new_expr(p, from->kind, from->place.begin, out));
	return fill_expr(p, context, from, wanted, *out);
}
