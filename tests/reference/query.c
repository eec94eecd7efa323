/* Reads the text form of queries and conditions (query.h), and writes conditions in their normal form. */
#include "query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	ref_op op;
} operators[] = {
	{ "and", REF_AND },         { "or", REF_OR },
	{ "not", REF_NOT },         { "eq", REF_EQ },
	{ "ne", REF_NE },           { "lt", REF_LT },
	{ "le", REF_LE },           { "gt", REF_GT },
	{ "ge", REF_GE },           { "contains", REF_CONTAINS },
	{ "starts", REF_STARTS },   { "ends", REF_ENDS },
	{ "in", REF_IN },           { "isnull", REF_ISNULL },
	{ "notnull", REF_NOTNULL }, { "label", REF_LABEL },
};

static const char *operator_name(ref_op op)
{
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
		if (operators[i].op == op)
			return operators[i].name;
	return "?";
}

static void skip(char **cursor)
{
	while (**cursor == ' ')
		++*cursor;
}

static char *word(char **cursor)
{
	skip(cursor);
	size_t length = strcspn(*cursor, " ()");
	char *text = strndup(*cursor, length);
	*cursor += length;
	return text;
}

static ref_expr *new_expr(ref_op op)
{
	ref_expr *expr = ref_alloc(1, sizeof *expr);
	expr->op = op;
	return expr;
}

static void add_child(ref_expr *expr, ref_expr *child)
{
	expr->children = realloc(expr->children, (expr->count + 1) * sizeof *expr->children);
	if (!expr->children)
		ref_die("out of memory");
	expr->children[expr->count++] = child;
}

static int find_point(const ref_query *query, const char *name)
{
	for (int v = 0; v < query->vertex_count; v++)
		if (strcmp(query->variables[v], name) == 0)
			return v;
	for (int e = 0; e < query->edge_count; e++)
		if (strcmp(query->variables[REF_MAX_VERTICES + e], name) == 0)
			return REF_MAX_VERTICES + e;
	ref_die("query %s: no variable '%s'", query->name, name);
}

static ref_expr *parse_word(const ref_query *query, char **cursor)
{
	ref_expr *expr = new_expr(REF_LITERAL);
	char *text = word(cursor), *end, *dot;
	if (strcmp(text, "null") == 0)
		return expr;
	if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
		expr->value = (ref_value){ .kind = REF_BOOLEAN, .integer = *text == 't' };
		return expr;
	}
	expr->value = (ref_value){ .kind = REF_INTEGER, .integer = strtoll(text, &end, 10) };
	if (*text && !*end)
		return expr;
	expr->value = (ref_value){ .kind = REF_FLOAT, .real = strtod(text, &end) };
	if (*text && !*end)
		return expr;
	if ((dot = strchr(text, '.')) != NULL) {
		*dot = '\0';
		expr->name = dot + 1;
	}
	expr->op = expr->name ? REF_ATTRIBUTE : REF_ELEMENT;
	expr->variable = find_point(query, text);
	return expr;
}

static ref_expr *parse_expr(const ref_query *query, char **cursor, bool name_of_label)
{
	skip(cursor);
	if (**cursor == '"' || (name_of_label && **cursor != '(')) {
		ref_expr *expr = new_expr(REF_LITERAL);
		bool quoted = **cursor == '"';
		size_t length = quoted ? strcspn(++*cursor, "\"") : strcspn(*cursor, " )");
		expr->value = (ref_value){ .kind = REF_STRING, .text = strndup(*cursor, length) };
		*cursor += length + quoted;
		return expr;
	}
	if (**cursor != '(')
		return parse_word(query, cursor);
	++*cursor;
	char *name = word(cursor);
	ref_expr *expr = NULL;
	for (size_t i = 0; i < sizeof operators / sizeof *operators && !expr; i++)
		if (strcmp(operators[i].name, name) == 0)
			expr = new_expr(operators[i].op);
	if (!expr)
		ref_die("query %s: no operator '%s'", query->name, name);
	free(name);
	for (skip(cursor); **cursor && **cursor != ')'; skip(cursor))
		add_child(expr, parse_expr(query, cursor, expr->op == REF_LABEL && expr->count > 0));
	if (**cursor == ')')
		++*cursor;
	return expr;
}

static void add_condition(ref_query *query, ref_expr *expr)
{
	if (expr->op == REF_AND) {
		for (size_t i = 0; i < expr->count; i++)
			add_condition(query, expr->children[i]);
		return;
	}
	if (query->condition_count == REF_MAX_CONDITIONS)
		ref_die("query %s: too many conditions", query->name);
	query->conditions[query->condition_count++] = expr;
}

static void parse_vertex(ref_query *query, char **cursor)
{
	if (query->vertex_count == REF_MAX_VERTICES)
		ref_die("query %s: too many vertices", query->name);
	int vertex = query->vertex_count++;
	query->variables[vertex] = word(cursor);
	char *labels = word(cursor), *save = NULL;
	if (!*labels)
		return;
	ref_expr *expr = new_expr(REF_LABEL), *element = new_expr(REF_ELEMENT);
	element->variable = vertex;
	add_child(expr, element);
	for (char *one = strtok_r(labels, "|", &save); one; one = strtok_r(NULL, "|", &save)) {
		ref_expr *literal = new_expr(REF_LITERAL);
		literal->value = (ref_value){ .kind = REF_STRING, .text = one };
		add_child(expr, literal);
	}
	add_condition(query, expr);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void parse_edge(ref_query *query, char **cursor)
{
	if (query->edge_count == REF_MAX_EDGES)
		ref_die("query %s: too many edges", query->name);
	char *name = word(cursor);
	ref_query_edge *edge = &query->edges[query->edge_count];
	edge->from = find_point(query, word(cursor));
	edge->to = find_point(query, word(cursor));
	query->variables[REF_MAX_VERTICES + query->edge_count++] = name;
	char *direction = word(cursor), *types = word(cursor), *save = NULL;
	if (strcmp(direction, "out") != 0 && strcmp(direction, "either") != 0)
		ref_die("query %s: edge %s: direction '%s'", query->name, name, direction);
	edge->either = *direction == 'e';
	edge->types = ref_alloc(strlen(types) + 1, sizeof *edge->types);
	for (char *one = strtok_r(types, "|", &save); one; one = strtok_r(NULL, "|", &save))
		edge->types[edge->type_count++] = one;
	qsort(edge->types, edge->type_count, sizeof *edge->types, by_text);
}

static void parse_line(ref_query *query, char *line)
{
	char *kind = word(&line);
	if (strcmp(kind, "query") == 0) {
		skip(&line);
		snprintf(query->name, sizeof query->name, "%s", line);
	} else if (strcmp(kind, "simple") == 0) {
		query->simple = true;
	} else if (strcmp(kind, "vertex") == 0) {
		parse_vertex(query, &line);
	} else if (strcmp(kind, "edge") == 0) {
		parse_edge(query, &line);
	} else if (strcmp(kind, "where") == 0) {
		add_condition(query, parse_expr(query, &line, false));
	} else if (strcmp(kind, "return") == 0) {
		for (skip(&line); *line; skip(&line)) {
			if (query->return_count == REF_MAX_RETURNS)
				ref_die("query %s: too many items of RETURN", query->name);
			query->returns[query->return_count++] = parse_expr(query, &line, false);
		}
	} else if (*kind) {
		ref_die("query %s: no line '%s'", query->name, kind);
	}
	free(kind);
}

ref_query *ref_query_next(char **cursor)
{
	ref_query *query = NULL;
	while (**cursor) {
		char *line = *cursor, *end = strchr(line, '\n');
		*cursor = end ? end + 1 : line + strlen(line);
		if (end)
			*end = '\0';
		if (strcmp(line, "end") == 0)
			break;
		if (!query && *line)
			query = ref_alloc(1, sizeof *query);
		if (query)
			parse_line(query, line);
	}
	return query;
}

uint64_t ref_expr_points(const ref_expr *expr)
{
	uint64_t points = 0;
	if (expr->op == REF_ELEMENT || expr->op == REF_ATTRIBUTE)
		points = UINT64_C(1) << expr->variable;
	for (size_t i = 0; i < expr->count; i++)
		points |= ref_expr_points(expr->children[i]);
	return points;
}

static char *value_text(ref_value value)
{
	char *text = NULL;
	int length = value.kind == REF_NULL      ? asprintf(&text, "null")
	             : value.kind == REF_BOOLEAN ? asprintf(&text, "b%d", (int)value.integer)
	             : value.kind == REF_INTEGER ? asprintf(&text, "%lld", (long long)value.integer)
	             : value.kind == REF_FLOAT   ? asprintf(&text, "%.17gf", value.real)
	                                         : asprintf(&text, "\"%s\"", value.text);
	if (length < 0)
		ref_die("out of memory");
	return text;
}

/* True if the order of the operands has no meaning. */
static bool is_set(ref_op op)
{
	return op == REF_AND || op == REF_OR || op == REF_EQ || op == REF_NE;
}

static ref_op negated(ref_op op)
{
	static const ref_op pairs[][2] = {
		{ REF_EQ, REF_NE }, { REF_LT, REF_GE }, { REF_GT, REF_LE }, { REF_ISNULL, REF_NOTNULL }
	};
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		for (size_t side = 0; side < 2; side++)
			if (pairs[i][side] == op)
				return pairs[i][1 - side];
	return op == REF_AND ? REF_OR : op == REF_OR ? REF_AND : op;
}

static char *normal_text(const ref_query *query, const ref_expr *expr, const int *map, bool negative)
{
	if (expr->op == REF_NOT)
		return normal_text(query, expr->children[0], map, !negative);
	char *text = NULL;
	if (expr->op == REF_LITERAL)
		return value_text(expr->value);
	if (expr->op == REF_ELEMENT || expr->op == REF_ATTRIBUTE) {
		if (asprintf(&text, "%s#%d.%s", negative ? "not " : "", map[expr->variable], expr->name ? expr->name : "") < 0)
			ref_die("out of memory");
		return text;
	}
	ref_op op = negative ? negated(expr->op) : expr->op;
	bool still = negative && op == expr->op, spread = op == REF_AND || op == REF_OR;
	bool swapped = op == REF_GT || op == REF_GE;
	char **parts = ref_alloc(expr->count, sizeof *parts);
	for (size_t i = 0; i < expr->count; i++) {
		size_t from = swapped ? expr->count - 1 - i : i;
		parts[i] = normal_text(query, expr->children[from], map, negative && spread);
	}
	if (swapped)
		op = op == REF_GT ? REF_LT : REF_LE;
	size_t first = is_set(op) ? 0 : 1;
	if (is_set(op) || op == REF_IN || op == REF_LABEL)
		qsort(parts + first, expr->count - first, sizeof *parts, by_text);
	size_t size = 32;
	for (size_t i = 0; i < expr->count; i++)
		size += strlen(parts[i]) + 1;
	text = ref_alloc(size, 1);
	char *end = text + sprintf(text, "(%s%s", still ? "not-" : "", operator_name(op));
	for (size_t i = 0; i < expr->count; i++) {
		end += sprintf(end, " %s", parts[i]);
		free(parts[i]);
	}
	sprintf(end, ")");
	free(parts);
	return text;
}

char *ref_expr_text(const ref_query *query, const ref_expr *expr, const int *map)
{
	return normal_text(query, expr, map, false);
}
