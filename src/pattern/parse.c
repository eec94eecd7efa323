/* From what the grammar read to a pattern: variables, conditions, what to return. */
#include "core/memory.h"
#include "pattern/build.h"
#include "pattern/expr.h"
#include "pattern/query.h"

#include <stdlib.h>
#include <string.h>

typedef struct element {
	int index; /* -1: none */
	bool of_edge;
} element;

typedef struct builder {
	query *q;
	gemp_pattern *pattern;
	size_t place[GEMP_MAX_PATTERN_VERTICES]; /* byte of each vertex's first appearance */
	element named[GEMP_MAX_PATTERN_VERTICES + GEMP_MAX_PATTERN_EDGES]; /* variables by first appearance */
	size_t named_count;
	gemp_cursor cursor;
} builder;

static const char *name_of(const builder *b, element element)
{
	return element.of_edge ? b->pattern->edges[element.index].name : b->pattern->vertices[element.index].name;
}

static element find(const builder *b, const char *name)
{
	for (size_t i = 0; i < b->named_count; i++)
		if (strcmp(name_of(b, b->named[i]), name) == 0)
			return b->named[i];
	return (element){ -1, false };
}

static gemp_code fail_at(builder *b, size_t at)
{
	return gemp_source_fail(&b->q->source, at, "%s", gemp_message());
}

/* A variable of an expression, or the element that the expression is written in. */
static gemp_code resolve(builder *b, const query_expr *from, element self, gemp_expr *to)
{
	element found = from->variable.bytes ? find(b, from->variable.bytes) : self;
	if (found.index >= 0) {
		to->variable = found.index;
		to->of_edge = found.of_edge;
		return GEMP_OK;
	}
	const char *names[GEMP_MAX_PATTERN_VERTICES + GEMP_MAX_PATTERN_EDGES];
	for (size_t i = 0; i < b->named_count; i++)
		names[i] = name_of(b, b->named[i]);
	const char *near = from->variable.size > 2 ? gemp_nearest(from->variable.bytes, names, b->named_count) : NULL;
	return gemp_source_fail(&b->q->source, from->variable.place.begin, "the variable '%s' is not in MATCH%s%s%s",
	                        from->variable.bytes, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static gemp_code new_expr(builder *b, const query_expr *from, gemp_expr **out)
{
	gemp_source_move(&b->q->source, &b->cursor, from->place.begin);
	return gemp_expr_new(out, from->kind, b->cursor.line, b->cursor.column);
}

static gemp_code copy_literal(const gemp_value *from, gemp_expr *to)
{
	to->value = *from;
	if (from->null || from->type != GEMP_STRING)
		return GEMP_OK;
	to->value.string.bytes = gemp_strndup(from->string.bytes, from->string.size);
	return to->value.string.bytes ? GEMP_OK : GEMP_ENOMEM;
}

/* What stands beside a comparison. elements: a variable alone will do. */
static gemp_code operand(builder *b, const query_expr *from, element self, bool elements, gemp_expr **out)
{
	size_t at = from->place.begin;
	gemp_code code = new_expr(b, from, out);
	if (code != GEMP_OK)
		return code;
	switch (from->kind) {
	case GEMP_LITERAL:
		return copy_literal(&from->value, *out);
	case GEMP_VERTEX:
	case GEMP_KEY:
		GEMP_TRY(resolve(b, from, self, *out));
		if ((*out)->of_edge)
			return gemp_source_fail(&b->q->source, at, "a condition on the edge '%s' itself is not supported yet",
			                        from->variable.bytes);
		if (from->kind == GEMP_VERTEX && !elements)
			return gemp_source_fail(&b->q->source, at, "a vertex has no value of its own; write id(%s) or %s.attribute",
			                        from->variable.bytes, from->variable.bytes);
		return GEMP_OK;
	case GEMP_ATTRIBUTE:
		GEMP_TRY(resolve(b, from, self, *out));
		(*out)->name = gemp_strdup(from->name.bytes);
		return (*out)->name ? GEMP_OK : GEMP_ENOMEM;
	case GEMP_COUNT_STAR:
		return gemp_source_fail(&b->q->source, at, "count(*) stands in RETURN only");
	default:
		return gemp_source_fail(&b->q->source, at, "a condition as a value is not supported yet");
	}
done:
	return code;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted names, each once, owned by the caller; in any case *count of them are there to be freed. */
static gemp_code copy_names(const query_expr *from, char ***out, size_t *count)
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

static bool compares_elements(const query_expr *from)
{
	return (from->kind == GEMP_EQ || from->kind == GEMP_NE) && from->first->kind == GEMP_VERTEX
	    && from->first->next->kind == GEMP_VERTEX;
}

static gemp_code condition(builder *b, const query_expr *from, element self, gemp_expr **out);

static gemp_code children(builder *b, const query_expr *from, element self, gemp_expr *to)
{
	bool junction = from->kind == GEMP_AND || from->kind == GEMP_OR || from->kind == GEMP_NOT;
	bool elements = compares_elements(from) || from->kind == GEMP_IS_NULL || from->kind == GEMP_IS_NOT_NULL;
	size_t count = 0, index = 0;
	for (const query_expr *child = from->first; child; child = child->next)
		count++;
	gemp_code code = gemp_expr_children(to, count);
	for (const query_expr *child = from->first; code == GEMP_OK && child; child = child->next)
		code = junction ? condition(b, child, self, &to->children[index++])
		                : operand(b, child, self, elements, &to->children[index++]);
	return code;
}

static gemp_code label_test(builder *b, const query_expr *from, element self, gemp_expr *to)
{
	gemp_code code = resolve(b, from, self, to);
	if (code != GEMP_OK)
		return code;
	if (to->of_edge)
		return gemp_source_fail(&b->q->source, from->place.begin, "a test of an edge's type in WHERE is not supported yet; "
		                        "write it into the brackets, as -[%s:TYPE]-", from->variable.bytes);
	return copy_names(from, &to->names, &to->name_count);
}

/* Whatever *out is after a failure, the caller frees it. */
static gemp_code condition(builder *b, const query_expr *from, element self, gemp_expr **out)
{
	size_t at = from->place.begin;
	gemp_code code;
	switch (from->kind) {
	case GEMP_VERTEX:
		return gemp_source_fail(&b->q->source, at, "'%s' alone is no condition; compare an attribute of it, as in "
		                        "%s.name = 'x'",
		                        from->variable.bytes, from->variable.bytes);
	case GEMP_LITERAL:
		if (!from->value.null && from->value.type != GEMP_BOOLEAN)
			return gemp_source_fail(&b->q->source, at, "a literal of type %s is no condition", gemp_type_name[from->value.type]);
		return operand(b, from, self, false, out);
	case GEMP_KEY:
		return gemp_source_fail(&b->q->source, at, "id() alone is no condition; compare it");
	case GEMP_ATTRIBUTE:
	case GEMP_COUNT_STAR:
		return operand(b, from, self, false, out);
	case GEMP_HAS_LABEL:
		code = new_expr(b, from, out);
		return code == GEMP_OK ? label_test(b, from, self, *out) : code;
	default:
		code = new_expr(b, from, out);
		return code == GEMP_OK ? children(b, from, self, *out) : code;
	}
}

static gemp_code require(builder *b, const query_expr *from, element self)
{
	if (!from)
		return GEMP_OK;
	gemp_expr *expr = NULL;
	gemp_code code = condition(b, from, self, &expr);
	if (code == GEMP_OK)
		code = gemp_pattern_require(b->pattern, &expr);
	gemp_expr_free(expr);
	return code;
}

static gemp_code add_node(builder *b, const query_node *node, int *index)
{
	const char *name = node->variable.bytes;
	element found = name ? find(b, name) : (element){ -1, false };
	if (found.of_edge)
		return gemp_source_fail(&b->q->source, node->variable.place.begin,
		                        "'%s' is an edge already; a vertex needs another name", name);
	if (found.index < 0) {
		gemp_code code = gemp_pattern_add_vertex(b->pattern, name, &found.index);
		if (code != GEMP_OK)
			return code == GEMP_EUSAGE ? fail_at(b, node->place.begin) : code;
		b->place[found.index] = node->place.begin;
		if (name)
			b->named[b->named_count++] = found;
	}
	*index = found.index;
	return require(b, node->conditions, found);
}

static gemp_code add_edge(builder *b, const query_edge *edge, int from, int to)
{
	const char *name = edge->variable.bytes;
	element found = name ? find(b, name) : (element){ -1, false };
	if (found.index >= 0)
		return gemp_source_fail(&b->q->source, edge->variable.place.begin,
		                        "'%s' is %s already; an edge needs a name of its own", name,
		                        found.of_edge ? "an edge" : "a vertex");
	bool either = edge->left == edge->right;
	gemp_code code = gemp_pattern_add_edge(b->pattern, name, edge->left && !either ? to : from,
	                                       edge->left && !either ? from : to, either ? GEMP_EITHER : GEMP_OUT);
	if (code != GEMP_OK)
		return code == GEMP_EUSAGE ? fail_at(b, edge->place.begin) : code;
	found = (element){ (int)b->pattern->edge_count - 1, true };
	gemp_pattern_edge *added = &b->pattern->edges[found.index];
	gemp_source_place(&b->q->source, edge->place.begin, &added->line, &added->column);
	if (name)
		b->named[b->named_count++] = found;
	if (edge->types) {
		gemp_source_place(&b->q->source, edge->types->place.begin, &added->line, &added->column);
		code = copy_names(edge->types, &added->types, &added->type_count);
	}
	return code == GEMP_OK ? require(b, edge->conditions, found) : code;
}

static gemp_code add_path(builder *b, const query_path *path)
{
	int from, to;
	gemp_code code = GEMP_OK;
	GEMP_TRY(add_node(b, path->from, &from));
	for (const query_edge *edge = path->first; edge; edge = edge->next) {
		GEMP_TRY(add_node(b, edge->to, &to));
		GEMP_TRY(add_edge(b, edge, from, to));
		from = to;
	}
done:
	return code;
}

static gemp_code check_connected(builder *b)
{
	int part[GEMP_MAX_PATTERN_VERTICES], parts = gemp_pattern_parts(b->pattern, part);
	size_t second = 0;
	if (parts == 1)
		return GEMP_OK;
	while (part[second] == 0)
		second++;
	gemp_text text = { 0 };
	gemp_pattern_print_parts(b->pattern, part, parts, &text);
	gemp_code code = gemp_text_status(&text);
	if (code == GEMP_OK)
		code = gemp_source_fail(&b->q->source, b->place[second], "%s", text.data);
	gemp_text_free(&text);
	return code;
}

/* Takes *expr. */
static gemp_code add_return(builder *b, gemp_expr **expr, query_place place, const char *name, size_t size)
{
	for (size_t i = 0; i < b->pattern->result.item_count; i++) {
		const char *other = b->pattern->result.items[i].name;
		if (strlen(other) == size && memcmp(other, name, size) == 0)
			return gemp_source_fail(&b->q->source, place.begin, "two columns are called '%s'; rename one by AS", other);
	}
	return gemp_pattern_add_return(b->pattern, expr, name, size);
}

static gemp_code return_all(builder *b, query_place place)
{
	if (b->named_count == 0)
		return gemp_source_fail(&b->q->source, place.begin, "RETURN * returns all variables, and there are none; "
		                        "name a vertex, as in (a)");
	gemp_code code = GEMP_OK;
	gemp_expr *expr = NULL;
	for (size_t i = 0; i < b->named_count; i++) {
		query_expr from = { .kind = b->named[i].of_edge ? GEMP_EDGE : GEMP_VERTEX, .place = place };
		const char *name = name_of(b, b->named[i]);
		GEMP_TRY(new_expr(b, &from, &expr));
		expr->variable = b->named[i].index;
		expr->of_edge = b->named[i].of_edge;
		GEMP_TRY(add_return(b, &expr, place, name, strlen(name)));
	}
done:
	gemp_expr_free(expr);
	return code;
}

static gemp_code return_item(builder *b, const query_item *item)
{
	const query_expr *from = item->expr;
	query_place place = item->alias.bytes ? item->alias.place : item->place;
	const char *name = item->alias.bytes ? item->alias.bytes : b->q->source.text + item->place.begin;
	size_t size = item->alias.bytes ? item->alias.size : item->place.end - item->place.begin;
	gemp_code code = GEMP_OK;
	gemp_expr *expr = NULL;
	bool counts = from->kind == GEMP_COUNT_STAR, edge = from->kind == GEMP_VERTEX && find(b, from->variable.bytes).of_edge;
	bool plain = counts || from->kind == GEMP_VERTEX || from->kind == GEMP_ATTRIBUTE || from->kind == GEMP_KEY;
	if (!plain)
		return gemp_source_fail(&b->q->source, from->place.begin, "an expression in RETURN is not supported yet; there are "
		                        "variables, attributes, id() and count(*)");
	if (counts && (b->q->items->next || b->pattern->result.item_count))
		return gemp_source_fail(&b->q->source, from->place.begin,
		                        "count(*) beside other columns (grouping) is not supported yet");
	if (counts || edge) {
		GEMP_TRY(new_expr(b, from, &expr));
		if (edge)
			expr->kind = GEMP_EDGE;
		if (edge)
			GEMP_TRY(resolve(b, from, (element){ -1, false }, expr));
	} else {
		GEMP_TRY(operand(b, from, (element){ -1, false }, true, &expr));
	}
	code = add_return(b, &expr, place, name, size);
done:
	gemp_expr_free(expr);
	return code;
}

static gemp_code build(builder *b)
{
	gemp_code code = GEMP_OK;
	for (const query_path *path = b->q->first; path; path = path->next)
		GEMP_TRY(add_path(b, path));
	GEMP_TRY(check_connected(b));
	GEMP_TRY(require(b, b->q->where, (element){ -1, false }));
	for (const query_item *item = b->q->items; item; item = item->next)
		GEMP_TRY(item->expr ? return_item(b, item) : return_all(b, item->place));
	b->pattern->returns_given = b->q->items != NULL;
	if (!b->q->items)
		GEMP_TRY(gemp_pattern_return_vertices(b->pattern));
	b->pattern->result.has_limit = b->q->has_limit;
	b->pattern->result.limit = b->q->limit;
done:
	return code;
}

gemp_code gemp_pattern_parse(gemp_pattern **out, const char *text, const char *file)
{
	query q;
	if (strncmp(text, "\xEF\xBB\xBF", 3) == 0)
		text += 3; /* the byte order mark of some editors */
	gemp_source source = { file, text };
	builder b = { .q = &q, .cursor = { 0, 1, 1 } };
	gemp_code code = GEMP_OK;
	GEMP_TRY(query_parse(&q, &source));
	GEMP_TRY(gemp_pattern_new(&b.pattern, text, file));
	GEMP_TRY(build(&b));
	*out = b.pattern;
	b.pattern = NULL;
done:
	gemp_pattern_free(b.pattern);
	query_free(&q);
	return code;
}
