#include "pattern/expr.h"

#include "core/memory.h"

#include <ctype.h>
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
	gemp_free(expr);
}

bool gemp_expr_is_literal(const gemp_expr *expr)
{
	return expr->kind == GEMP_LITERAL;
}

/* NULL, booleans, numbers by value (an integer before an equal float), strings. */
static int compare_literals(const gemp_value *a, const gemp_value *b)
{
	static const int rank[] = { [GEMP_BOOLEAN] = 1, [GEMP_INTEGER] = 2, [GEMP_FLOAT] = 2, [GEMP_STRING] = 3 };
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

/* Spaces and punctuation beyond ASCII, as in lexer.l; at is the first byte of a character. */
static bool is_punctuation(const char *at)
{
	const unsigned char *byte = (const unsigned char *)at;
	return (byte[0] == 0xC2 && byte[1] <= 0xA0) || (byte[0] == 0xE2 && byte[1] == 0x80 && byte[2] < 0xB0)
	    || (byte[0] == 0xE3 && byte[1] == 0x80 && byte[2] == 0x80);
}

/* As the grammar reads a word without backquotes; words of the language may follow `.` and `:`. */
static bool is_plain(const char *name)
{
	if (!isalpha((unsigned char)*name) && *name != '_' && !(*name & 0x80))
		return false;
	for (; *name; name++)
		if ((!isalnum((unsigned char)*name) && *name != '_' && !(*name & 0x80)) || is_punctuation(name))
			return false;
	return true;
}

static void print_name(const char *name, gemp_text *out)
{
	if (is_plain(name)) {
		gemp_text_print(out, "%s", name);
		return;
	}
	gemp_text_add(out, "`", 1);
	for (; *name; name++)
		gemp_text_add(out, *name == '`' ? "``" : name, *name == '`' ? 2 : 1);
	gemp_text_add(out, "`", 1);
}

static void print_variable(const gemp_expr *expr, const gemp_pattern *pattern, gemp_text *out)
{
	const char *name = !pattern ? "_" : expr->of_edge ? pattern->edges[expr->variable].name
	                                                  : pattern->vertices[expr->variable].name;
	if (name)
		print_name(name, out);
	else
		gemp_text_print(out, "%c%d", expr->of_edge ? 'e' : 'v', expr->variable);
}

static void print_string(const gemp_value *value, gemp_text *out)
{
	static const char special[] = "\\'\n\t\r\b\f", letters[] = "\\'ntrbf";
	gemp_text_add(out, "'", 1);
	for (size_t i = 0; i < value->string.size; i++) {
		const char *byte = value->string.bytes + i, *found = *byte ? strchr(special, *byte) : NULL;
		if (found)
			gemp_text_print(out, "\\%c", letters[found - special]);
		else
			gemp_text_add(out, byte, 1);
	}
	gemp_text_add(out, "'", 1);
}

static void print_float(const gemp_value *value, gemp_text *out)
{
	size_t before = out->size;
	gemp_value_print(value, out);
	if (!out->failed && !memchr(out->data + before, '.', out->size - before)
	    && !memchr(out->data + before, 'e', out->size - before))
		gemp_text_add(out, ".0", 2);
}

static void print_value(const gemp_value *value, gemp_text *out)
{
	if (value->null)
		gemp_text_add(out, "NULL", 4);
	else if (value->type == GEMP_STRING)
		print_string(value, out);
	else if (value->type == GEMP_FLOAT)
		print_float(value, out);
	else
		gemp_value_print(value, out);
}

static void print_labels(const gemp_expr *expr, const gemp_pattern *pattern, gemp_text *out)
{
	print_variable(expr, pattern, out);
	for (size_t i = 0; i < expr->name_count; i++) {
		gemp_text_add(out, i ? "|" : ":", 1);
		print_name(expr->names[i], out);
	}
}

/* Children with `between` between them; an OR inside of an AND, and any of them inside of a NOT, in parentheses. */
static void print_children(const gemp_expr *expr, const char *between, const gemp_pattern *pattern, gemp_text *out)
{
	for (size_t i = 0; i < expr->count; i++) {
		const gemp_expr *child = expr->children[i];
		bool inside = (child->kind == GEMP_OR || child->kind == GEMP_AND) && child->kind != expr->kind;
		gemp_text_print(out, "%s%s", i ? between : "", inside ? "(" : "");
		gemp_expr_print(child, pattern, out);
		gemp_text_print(out, "%s", inside ? ")" : "");
	}
}

static void print_in(const gemp_expr *expr, const gemp_pattern *pattern, gemp_text *out)
{
	gemp_expr_print(expr->children[0], pattern, out);
	gemp_text_print(out, " IN [");
	for (size_t i = 1; i < expr->count; i++) {
		gemp_text_print(out, "%s", i > 1 ? ", " : "");
		gemp_expr_print(expr->children[i], pattern, out);
	}
	gemp_text_print(out, "]");
}

void gemp_expr_print(const gemp_expr *expr, const gemp_pattern *pattern, gemp_text *out)
{
	static const char *const between[] = {
		[GEMP_EQ] = " = ", [GEMP_NE] = " <> ", [GEMP_LT] = " < ", [GEMP_LE] = " <= ", [GEMP_GT] = " > ", [GEMP_GE] = " >= ",
		[GEMP_CONTAINS] = " CONTAINS ", [GEMP_STARTS_WITH] = " STARTS WITH ", [GEMP_ENDS_WITH] = " ENDS WITH ",
		[GEMP_AND] = " AND ", [GEMP_OR] = " OR ",
	};
	switch (expr->kind) {
	case GEMP_LITERAL:
		print_value(&expr->value, out);
		break;
	case GEMP_VERTEX:
	case GEMP_EDGE:
		print_variable(expr, pattern, out);
		break;
	case GEMP_ATTRIBUTE:
		print_variable(expr, pattern, out);
		gemp_text_add(out, ".", 1);
		print_name(expr->name, out);
		break;
	case GEMP_KEY:
		gemp_text_print(out, "id(");
		print_variable(expr, pattern, out);
		gemp_text_print(out, ")");
		break;
	case GEMP_HAS_LABEL:
		print_labels(expr, pattern, out);
		break;
	case GEMP_IN:
		print_in(expr, pattern, out);
		break;
	case GEMP_IS_NULL:
	case GEMP_IS_NOT_NULL:
		gemp_expr_print(expr->children[0], pattern, out);
		gemp_text_print(out, expr->kind == GEMP_IS_NULL ? " IS NULL" : " IS NOT NULL");
		break;
	case GEMP_NOT:
		gemp_text_print(out, "NOT ");
		print_children(expr, "", pattern, out);
		break;
	case GEMP_COUNT_STAR:
		gemp_text_print(out, "count(*)");
		break;
	default:
		print_children(expr, between[expr->kind], pattern, out);
	}
}

char *gemp_expr_text(const gemp_expr *expr, const gemp_pattern *pattern)
{
	gemp_text text = { 0 };
	gemp_expr_print(expr, pattern, &text);
	if (gemp_text_status(&text) != GEMP_OK)
		gemp_text_free(&text);
	return text.data;
}
