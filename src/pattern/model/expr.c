#include "pattern/model/expr.h"

#include "pattern/model/string_function.h"

#include <math.h>
#include <string.h>

gemp_code gemp_expr_new(gemp_expr **out, gemp_expr_kind kind, int line, int column)
{
	gemp_code code = GEMP_NEW(*out, 1);
	if (code == GEMP_OK)
		**out = (gemp_expr){ .kind = kind, .line = line, .column = column, .variable = -1, .attribute = -1 };
	return code;
}

gemp_code gemp_expr_children(gemp_expr *expr, size_t count)
{
	gemp_code code = GEMP_NEW(expr->children, count);
	if (code == GEMP_OK)
		expr->count = count;
	return code;
}

void gemp_expr_free(gemp_expr *expr)
{
	if (!expr)
		return;
	for (size_t i = 0; i < expr->count; i++)
		gemp_expr_free(expr->children[i]);
	for (size_t i = 0; expr->names && i < expr->name_count; i++)
		gemp_free(expr->names[i]);
	if (expr->kind == GEMP_LITERAL && !expr->value.null && expr->value.type == GEMP_STRING)
		gemp_free((char *)expr->value.string.bytes);
	gemp_free(expr->children);
	gemp_free(expr->names);
	gemp_free(expr->name);
	gemp_free(expr->label_sets);
	gemp_free(expr->relations);
	gemp_regex_free(expr->regex);
	gemp_free(expr);
}

bool gemp_expr_is_literal(const gemp_expr *expr)
{
	return expr->kind == GEMP_LITERAL;
}

/* NULL, booleans, numbers by value (an integer before an equal float), strings. */
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

static int compare_names(const gemp_expr *a, const gemp_expr *b)
{
	for (size_t i = 0; i < a->name_count && i < b->name_count; i++) {
		int order = strcmp(a->names[i], b->names[i]);
		if (order)
			return order;
	}
	return (a->name_count > b->name_count) - (a->name_count < b->name_count);
}

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

void gemp_expr_uses(const gemp_expr *expr, uint64_t *vertices, uint64_t *edges)
{
	if (expr->variable >= 0)
		*(expr->of_edge ? edges : vertices) |= (uint64_t)1 << expr->variable;
	for (size_t i = 0; i < expr->count; i++)
		gemp_expr_uses(expr->children[i], vertices, edges);
}

static gemp_code copy_texts(gemp_expr *to, const gemp_expr *from)
{
	gemp_code code = GEMP_OK;
	if (from->name && !(to->name = gemp_strdup(from->name)))
		return GEMP_ENOMEM;
	if (from->names)
		GEMP_TRY(GEMP_NEW(to->names, from->name_count));
	for (; from->names && to->name_count < from->name_count; to->name_count++)
		if (!(to->names[to->name_count] = gemp_strdup(from->names[to->name_count])))
			return GEMP_ENOMEM;
	if (from->kind == GEMP_LITERAL && !from->value.null && from->value.type == GEMP_STRING) {
		to->value.string.bytes = gemp_strndup(from->value.string.bytes, from->value.string.size);
		if (!to->value.string.bytes)
			return GEMP_ENOMEM;
	}
done:
	return code;
}

static gemp_code copy_binding(gemp_expr *to, const gemp_expr *from, size_t relations)
{
	gemp_code code = GEMP_OK;
	to->regex = gemp_regex_share(from->regex);
	if (from->label_sets) {
		GEMP_TRY(GEMP_NEW(to->label_sets, from->label_set_count));
		memcpy(to->label_sets, from->label_sets, from->label_set_count * sizeof *to->label_sets);
		to->label_set_count = from->label_set_count;
	}
	if (from->relations) {
		GEMP_TRY(GEMP_NEW(to->relations, relations));
		memcpy(to->relations, from->relations, relations * sizeof *to->relations);
		to->relation_count = relations;
	}
done:
	return code;
}

gemp_code gemp_expr_copy(gemp_expr **out, const gemp_expr *from)
{
	gemp_code code = GEMP_OK;
	gemp_expr *to = NULL;
	GEMP_TRY(gemp_expr_new(&to, from->kind, from->line, from->column));
	to->variable = from->variable;
	to->of_edge = from->of_edge;
	to->attribute = from->attribute;
	to->type = from->type;
	to->item = from->item;
	to->sub = from->sub;
	to->distinct = from->distinct;
	to->direction = from->direction;
	if (from->kind == GEMP_LITERAL && (from->value.null || from->value.type != GEMP_STRING))
		to->value = from->value;
	else if (from->kind == GEMP_LITERAL)
		to->value = (gemp_value){ .type = GEMP_STRING, .string = { NULL, from->value.string.size } };
	GEMP_TRY(copy_texts(to, from));
	GEMP_TRY(copy_binding(to, from, from->relation_count));
	GEMP_TRY(gemp_expr_children(to, from->count));
	for (size_t i = 0; i < from->count; i++)
		GEMP_TRY(gemp_expr_copy(&to->children[i], from->children[i]));
	*out = to;
	to = NULL;
done:
	gemp_expr_free(to);
	return code;
}

gemp_code gemp_expr_flatten(gemp_expr *expr)
{
	size_t count = 0, used = 0;
	for (size_t i = 0; i < expr->count; i++)
		count += expr->children[i]->kind == expr->kind ? expr->children[i]->count : 1;
	if (count == expr->count)
		return GEMP_OK;
	gemp_expr **flat;
	gemp_code code = GEMP_NEW(flat, count);
	if (code != GEMP_OK)
		return code;
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

bool gemp_expr_is_aggregate(const gemp_expr *expr)
{
	switch (expr->kind) {
	case GEMP_COUNT_STAR:
	case GEMP_COUNT:
	case GEMP_SUM:
	case GEMP_MIN:
	case GEMP_MAX:
	case GEMP_AVG:
	case GEMP_COLLECT: return true;
	default: return false;
	}
}

bool gemp_expr_has_aggregate(const gemp_expr *expr)
{
	bool has = gemp_expr_is_aggregate(expr);
	for (size_t i = 0; i < expr->count && !has; i++)
		has = gemp_expr_has_aggregate(expr->children[i]);
	return has;
}
