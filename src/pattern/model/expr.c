/* Trees of expressions: construction, copies, a total order, and the table of functions. Binding and folding change
 * nodes in place, because the parent of a node holds a pointer to it. */

#include "pattern/model/expr.h"

#include "pattern/model/string_function.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* -1 means that the variable, or the column of the graph, is not set. */
gemp_code gemp_expr_new(gemp_expr **out, gemp_expr_kind kind, int line, int column)
{
	GEMP_TRY(GEMP_NEW(*out, 1));
	**out = (gemp_expr){ .kind = kind, .line = line, .column = column, .variable = -1, .attribute = -1 };
	return GEMP_OK;
}

gemp_code gemp_expr_children(gemp_expr *expr, size_t count)
{
	GEMP_TRY(GEMP_NEW(expr->children, count));
	expr->count = count;
	return GEMP_OK;
}

gemp_code gemp_expr_new_operator(gemp_expr **out, gemp_expr_kind kind, size_t count, int line, int column)
{
	GEMP_TRY(gemp_expr_new(out, kind, line, column));
	return gemp_expr_children(*out, count);
}

/* variable is the element's number among the vertices or the edges of a row. */
gemp_code gemp_expr_new_element(gemp_expr **out, int variable, bool edge, int line, int column)
{
	GEMP_TRY(gemp_expr_new(out, edge ? GEMP_EDGE : GEMP_VERTEX, line, column));
	(*out)->variable = variable;
	(*out)->of_edge = edge;
	return GEMP_OK;
}

/* The type is set before binding, so that literals can be folded. */
gemp_code gemp_expr_new_literal(gemp_expr **out, gemp_value value, int line, int column)
{
	GEMP_TRY(gemp_expr_new(out, GEMP_LITERAL, line, column));
	(*out)->value = value;
	(*out)->type = value.type;
	return GEMP_OK;
}

/* names may be NULL. */
void gemp_names_free(char **names, size_t count)
{
	for (size_t i = 0; names && i < count; i++)
		gemp_free(names[i]);
	gemp_free(names);
}

/* At any time *count names are valid, so the list can be freed after a failure. */
gemp_code gemp_names_copy(char ***out, size_t *count, char *const *names, size_t name_count)
{
	GEMP_TRY(GEMP_NEW(*out, name_count));
	for (*count = 0; *count < name_count; ++*count)
		if (!((*out)[*count] = gemp_strdup(names[*count])))
			return GEMP_ENOMEM;
	return GEMP_OK;
}

/* Only a string literal owns memory within its value. Nodes of other kinds do not use the value. */
static bool owns_bytes(const gemp_expr *expr)
{
	return expr->kind == GEMP_LITERAL && !expr->value.null && expr->value.type == GEMP_STRING;
}

/* Frees everything that the node owns, but not the node, so that the node can become another expression in place. */
static void free_contents(gemp_expr *expr)
{
	for (size_t i = 0; i < expr->count; i++)
		gemp_expr_free(expr->children[i]);
	if (owns_bytes(expr))
		gemp_free((char *)expr->value.string.bytes);
	gemp_names_free(expr->names, expr->name_count);
	gemp_free_all(expr->children, expr->name, expr->label_sets, expr->relations);
	gemp_regex_free(expr->regex);
}

void gemp_expr_free(gemp_expr *expr)
{
	if (expr)
		free_contents(expr);
	gemp_free(expr);
}

/* The node keeps its place in the text for messages. All its other members are freed. */
void gemp_expr_set_literal(gemp_expr *expr, gemp_value value)
{
	free_contents(expr);
	*expr = (gemp_expr){
		.kind = GEMP_LITERAL, .line = expr->line, .column = expr->column, .variable = -1, .attribute = -1
	};
	expr->value = value;
	expr->type = value.type;
}

/* NULL is a literal, too. */
bool gemp_expr_is_literal(const gemp_expr *expr)
{
	return expr->kind == GEMP_LITERAL;
}

/* True also for a node without children. */
bool gemp_expr_has_literals_only(const gemp_expr *expr)
{
	for (size_t i = 0; i < expr->count; i++)
		if (!gemp_expr_is_literal(expr->children[i]))
			return false;
	return true;
}

bool gemp_expr_is_element(const gemp_expr *expr)
{
	return expr->kind == GEMP_VERTEX || expr->kind == GEMP_EDGE;
}

bool gemp_expr_is_boolean(const gemp_expr *expr, bool truth)
{
	const gemp_value *value = &expr->value;
	return gemp_expr_is_literal(expr) && value->type == GEMP_BOOLEAN && !value->null && value->truth == truth;
}

/* The order of literals: NULL, booleans, numbers by value (an integer before an equal float), strings, lists. */
static int compare_literals(const gemp_value *a, const gemp_value *b)
{
	static const int rank[] = {
		[GEMP_BOOLEAN] = 1, [GEMP_INTEGER] = 2, [GEMP_FLOAT] = 2, [GEMP_STRING] = 3, [GEMP_LIST] = 4
	};
	int left = a->null ? 0 : rank[a->type], right = b->null ? 0 : rank[b->type];
	if (left != right || left == 0)
		return left - right;
	bool comparable;
	int order = gemp_value_compare(a, b, &comparable);
	return order ? order : (a->type == GEMP_FLOAT) - (b->type == GEMP_FLOAT);
}

/* Lists of names are sorted, so equal sets of names compare equal. */
static int compare_names(const gemp_expr *a, const gemp_expr *b)
{
	for (size_t i = 0; i < a->name_count && i < b->name_count; i++) {
		int order = strcmp(a->names[i], b->names[i]);
		if (order)
			return order;
	}
	return (a->name_count > b->name_count) - (a->name_count < b->name_count);
}

/* Expressions are ordered by kind first, so that sorting makes equal operators neighbours. Places in the text and bound
 * fields are not compared. */
int gemp_expr_compare(const gemp_expr *a, const gemp_expr *b)
{
	if (a->kind != b->kind)
		return (int)a->kind - (int)b->kind;
	if (a->of_edge != b->of_edge)
		return (int)a->of_edge - (int)b->of_edge;
	if (a->variable != b->variable)
		return a->variable - b->variable;
	if (a->item != b->item || a->sub != b->sub)
		return a->item < b->item || (a->item == b->item && a->sub < b->sub) ? -1 : 1;
	if (a->distinct != b->distinct || a->direction != b->direction)
		return a->distinct != b->distinct ? (int)a->distinct - (int)b->distinct : a->direction - b->direction;
	int order = a->name ? strcmp(a->name, b->name) : compare_names(a, b);
	if (order == 0 && a->kind == GEMP_LITERAL)
		order = compare_literals(&a->value, &b->value);
	for (size_t i = 0; order == 0 && i < a->count && i < b->count; i++)
		order = gemp_expr_compare(a->children[i], b->children[i]);
	return order ? order : (a->count > b->count) - (a->count < b->count);
}

/* A pattern has at most 64 edges and 32 vertices, so a set of edges or of vertices fits into a word. */
void gemp_expr_uses(const gemp_expr *expr, uint64_t *vertices, uint64_t *edges)
{
	if (expr->variable >= 0)
		*(expr->of_edge ? edges : vertices) |= (uint64_t)1 << expr->variable;
	for (size_t i = 0; i < expr->count; i++)
		gemp_expr_uses(expr->children[i], vertices, edges);
}

/* Copies all members, and then replaces each pointer by a copy of its block. The pointers are NULL until then, so a
 * failure frees only blocks of the copy. */
gemp_code gemp_expr_copy(gemp_expr **out, const gemp_expr *from)
{
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *to = NULL;
	GEMP_TRY(gemp_expr_new(&to, from->kind, from->line, from->column));
	*to = *from;
	to->name = NULL;
	to->names = NULL;
	to->regex = gemp_regex_share(from->regex);
	to->relations = to->label_sets = NULL;
	to->children = NULL;
	to->name_count = to->count = 0;
	if (owns_bytes(from))
		to->value.string.bytes = NULL;
	if (from->name && !(to->name = gemp_strdup(from->name)))
		return GEMP_ENOMEM;
	if (owns_bytes(from) && !(to->value.string.bytes = gemp_strndup(from->value.string.bytes, from->value.string.size)))
		return GEMP_ENOMEM;
	if (from->names)
		GEMP_TRY(gemp_names_copy(&to->names, &to->name_count, from->names, from->name_count));
	if (from->label_sets)
		GEMP_TRY(GEMP_COPY(to->label_sets, from->label_sets, from->label_set_count));
	if (from->relations)
		GEMP_TRY(GEMP_COPY(to->relations, from->relations, from->relation_count));
	GEMP_TRY(gemp_expr_children(to, from->count));
	for (size_t i = 0; i < from->count; i++)
		GEMP_TRY(gemp_expr_copy(&to->children[i], from->children[i]));
	*out = to;
	to = NULL;
	return GEMP_OK;
}

/* Children of a child of the same kind move up by one level. The child is freed without its children. */
gemp_code gemp_expr_flatten(gemp_expr *expr)
{
	size_t count = 0, used = 0;
	for (size_t i = 0; i < expr->count; i++)
		count += expr->children[i]->kind == expr->kind ? expr->children[i]->count : 1;
	if (count == expr->count)
		return GEMP_OK;
	gemp_expr **flat;
	GEMP_TRY(GEMP_NEW(flat, count));
	for (size_t i = 0; i < expr->count; i++) {
		gemp_expr *child = expr->children[i];
		if (child->kind != expr->kind) {
			flat[used++] = child;
			continue;
		}
		for (size_t j = 0; j < child->count; j++)
			flat[used++] = child->children[j];
		child->count = 0;
		gemp_expr_free(child);
	}
	gemp_free(expr->children);
	expr->children = flat;
	expr->count = count;
	return GEMP_OK;
}

/* The name count has two entries. A search by name finds the first entry; a search by kind finds either. */
static const gemp_function functions[] = {
	{ "id", GEMP_KEY, true, false },          { "labels", GEMP_LABELS, true, false },
	{ "type", GEMP_TYPE, true, false },       { "toLower", GEMP_LOWER, false, false },
	{ "toUpper", GEMP_UPPER, false, false },  { "size", GEMP_SIZE, false, false },
	{ "count", GEMP_COUNT, false, true },     { "count", GEMP_COUNT_STAR, false, true },
	{ "sum", GEMP_SUM, false, true },         { "min", GEMP_MIN, false, true },
	{ "max", GEMP_MAX, false, true },         { "avg", GEMP_AVG, false, true },
	{ "collect", GEMP_COLLECT, false, true },
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* openCypher ignores the case of function names. */
const gemp_function *gemp_function_find(const char *name)
{
	for (size_t i = 0; i < FUNCTIONS; i++)
		if (strcasecmp(functions[i].name, name) == 0)
			return &functions[i];
	return NULL;
}

/* The name as the language writes it, for messages and column names. */
const char *gemp_function_name(gemp_expr_kind kind)
{
	for (size_t i = 0; i < FUNCTIONS; i++)
		if (functions[i].kind == kind)
			return functions[i].name;
	return NULL;
}

/* The kinds of aggregates are contiguous in the enumeration. */
bool gemp_expr_is_aggregate(const gemp_expr *expr)
{
	return expr->kind >= GEMP_COUNT_STAR && expr->kind <= GEMP_COLLECT;
}

/* EXISTS and COUNT { } have a pattern of their own, whose arguments are the children. */
bool gemp_expr_is_subpattern(const gemp_expr *expr)
{
	return expr->kind == GEMP_EXISTS || expr->kind == GEMP_COUNT_OF;
}

/* True if the test holds for the expression or for some expression within it. */
static bool holds_within(const gemp_expr *expr, bool (*test)(const gemp_expr *expr))
{
	bool found = test(expr);
	for (size_t i = 0; i < expr->count && !found; i++)
		found = holds_within(expr->children[i], test);
	return found;
}

bool gemp_expr_has_subpattern(const gemp_expr *expr)
{
	return holds_within(expr, gemp_expr_is_subpattern);
}

bool gemp_expr_has_aggregate(const gemp_expr *expr)
{
	return holds_within(expr, gemp_expr_is_aggregate);
}
