#include "pattern/expr.h"

#include "core/memory.h"
#include "pattern/text_function.h"

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

/* How tightly an expression holds together; what is looser stands in parentheses. */
static int tightness(gemp_expr_kind kind)
{
	switch (kind) {
	case GEMP_OR:
		return 0;
	case GEMP_XOR:
		return 1;
	case GEMP_AND:
		return 2;
	case GEMP_NOT:
		return 3;
	case GEMP_ADD:
	case GEMP_SUBTRACT:
		return 5;
	case GEMP_MULTIPLY:
	case GEMP_DIVIDE:
	case GEMP_REMAINDER:
		return 6;
	case GEMP_NEGATE:
		return 7;
	default:
		return kind >= GEMP_EQ && kind <= GEMP_IS_NOT_NULL ? 4 : 8;
	}
}

static void print_operand(const gemp_expr *expr, int least, const gemp_pattern *pattern, gemp_text *out)
{
	bool inside = tightness(expr->kind) < least;
	gemp_text_print(out, "%s", inside ? "(" : "");
	gemp_expr_print(expr, pattern, out);
	gemp_text_print(out, "%s", inside ? ")" : "");
}

static void print_children(const gemp_expr *expr, const char *between, const gemp_pattern *pattern, gemp_text *out)
{
	int own = tightness(expr->kind);
	bool junction = expr->kind == GEMP_AND || expr->kind == GEMP_OR;
	for (size_t i = 0; i < expr->count; i++) {
		const gemp_expr *child = expr->children[i];
		bool other = junction && (child->kind == GEMP_AND || child->kind == GEMP_OR) && child->kind != expr->kind;
		gemp_text_print(out, "%s", i ? between : "");
		print_operand(child, other ? 9 : own + (junction || i == 0 ? own == 4 : 1), pattern, out);
	}
}

static void print_list(const gemp_expr *expr, size_t from, const gemp_pattern *pattern, gemp_text *out)
{
	for (size_t i = from; i < expr->count; i++) {
		gemp_text_print(out, "%s", i > from ? ", " : "");
		gemp_expr_print(expr->children[i], pattern, out);
	}
}

static void print_call(const char *name, const gemp_expr *expr, const gemp_pattern *pattern, gemp_text *out)
{
	gemp_text_print(out, "%s(%s", name, expr->distinct ? "DISTINCT " : "");
	if (expr->count)
		print_list(expr, 0, pattern, out);
	else
		print_variable(expr, pattern, out);
	gemp_text_print(out, ")");
}

static void print_degree(const gemp_expr *expr, const gemp_pattern *pattern, gemp_text *out)
{
	gemp_text_print(out, "COUNT { (");
	print_variable(expr, pattern, out);
	gemp_text_print(out, ")%s[", expr->direction == 1 ? "<-" : "-");
	for (size_t i = 0; i < expr->name_count; i++) {
		gemp_text_add(out, i ? "|" : ":", 1);
		print_name(expr->names[i], out);
	}
	gemp_text_print(out, "]%s() }", expr->direction == 0 ? "->" : "-");
}

/* Of the sub-pattern its vertices outside and its number: where two are compared as texts, they are told apart. */
static void print_sub(const gemp_expr *expr, const gemp_pattern *pattern, gemp_text *out)
{
	gemp_text_print(out, "%s { #%zu of (", expr->kind == GEMP_EXISTS ? "EXISTS" : "COUNT", expr->sub + 1);
	print_list(expr, 0, pattern, out);
	gemp_text_print(out, ") }");
}

static const char *function_name(gemp_expr_kind kind)
{
	static const char *const names[] = {
		[GEMP_KEY] = "id", [GEMP_LABELS] = "labels", [GEMP_TYPE] = "type", [GEMP_LOWER] = "toLower", [GEMP_UPPER] = "toUpper",
		[GEMP_SIZE] = "size", [GEMP_COUNT] = "count", [GEMP_SUM] = "sum", [GEMP_MIN] = "min", [GEMP_MAX] = "max",
		[GEMP_AVG] = "avg", [GEMP_COLLECT] = "collect",
	};
	return (size_t)kind < sizeof names / sizeof *names ? names[kind] : NULL;
}

static const char *operator_text(gemp_expr_kind kind)
{
	static const char *const between[] = {
		[GEMP_EQ] = " = ", [GEMP_NE] = " <> ", [GEMP_LT] = " < ", [GEMP_LE] = " <= ", [GEMP_GT] = " > ", [GEMP_GE] = " >= ",
		[GEMP_CONTAINS] = " CONTAINS ", [GEMP_STARTS_WITH] = " STARTS WITH ", [GEMP_ENDS_WITH] = " ENDS WITH ",
		[GEMP_MATCHES] = " =~ ", [GEMP_ADD] = " + ", [GEMP_SUBTRACT] = " - ", [GEMP_MULTIPLY] = " * ", [GEMP_DIVIDE] = " / ",
		[GEMP_REMAINDER] = " % ", [GEMP_AND] = " AND ", [GEMP_OR] = " OR ", [GEMP_XOR] = " XOR ",
	};
	return (size_t)kind < sizeof between / sizeof *between ? between[kind] : NULL;
}

void gemp_expr_print(const gemp_expr *expr, const gemp_pattern *pattern, gemp_text *out)
{
	switch (expr->kind) {
	case GEMP_LITERAL:
		print_value(&expr->value, out);
		break;
	case GEMP_VERTEX:
	case GEMP_EDGE:
		print_variable(expr, pattern, out);
		break;
	case GEMP_COLUMN:
		gemp_text_print(out, "column %zu", expr->item + 1);
		break;
	case GEMP_ATTRIBUTE:
		print_variable(expr, pattern, out);
		gemp_text_add(out, ".", 1);
		print_name(expr->name, out);
		break;
	case GEMP_HAS_LABEL:
		print_labels(expr, pattern, out);
		break;
	case GEMP_DEGREE:
		print_degree(expr, pattern, out);
		break;
	case GEMP_EXISTS:
	case GEMP_COUNT_OF:
		print_sub(expr, pattern, out);
		break;
	case GEMP_IN:
		print_operand(expr->children[0], 5, pattern, out);
		gemp_text_print(out, " IN [");
		print_list(expr, 1, pattern, out);
		gemp_text_print(out, "]");
		break;
	case GEMP_IS_NULL:
	case GEMP_IS_NOT_NULL:
		print_operand(expr->children[0], 5, pattern, out);
		gemp_text_print(out, expr->kind == GEMP_IS_NULL ? " IS NULL" : " IS NOT NULL");
		break;
	case GEMP_NOT:
		gemp_text_print(out, "NOT ");
		print_operand(expr->children[0], 4, pattern, out);
		break;
	case GEMP_NEGATE:
		gemp_text_print(out, "-");
		print_operand(expr->children[0], 8, pattern, out);
		break;
	case GEMP_COUNT_STAR:
		gemp_text_print(out, "count(*)");
		break;
	default:
		if (function_name(expr->kind))
			print_call(function_name(expr->kind), expr, pattern, out);
		else
			print_children(expr, operator_text(expr->kind), pattern, out);
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
