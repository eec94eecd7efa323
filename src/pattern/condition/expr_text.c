/* The printer writes parentheses only where the grammar needs them, and the name of an element only if the name is
 * referred to. Parsing the text must give an equal expression, because texts are compared to find automorphisms. */

#include "pattern/condition/expr_text.h"

#include <ctype.h>
#include <string.h>

/* True if the character at `at` is a space or punctuation beyond ASCII, as lexer.l defines them. A name with such a
 * character needs backquotes. */
static bool is_punctuation(const char *at)
{
	const unsigned char *byte = (const unsigned char *)at;
	return (byte[0] == 0xC2 && byte[1] <= 0xA0) || (byte[0] == 0xE2 && byte[1] == 0x80 && byte[2] < 0xB0) ||
	       (byte[0] == 0xE3 && byte[1] == 0x80 && byte[2] == 0x80);
}

/* True if the lexer reads the name as one word. Reserved words need no backquotes, because they are allowed after `.`
 * and `:`. */
static bool is_plain(const char *name)
{
	if (!isalpha((unsigned char)*name) && *name != '_' && !(*name & 0x80))
		return false;
	for (; *name; name++)
		if ((!isalnum((unsigned char)*name) && *name != '_' && !(*name & 0x80)) || is_punctuation(name))
			return false;
	return true;
}

/* A backquote within a name is doubled, as the lexer reads it. */
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

/* The pattern whose names an expression uses, and the text to append to. */
typedef struct printer {
	const gemp_pattern *pattern; /* NULL: every variable is printed as `_` */
	bool after;                  /* the expression belongs to a clause after WITH, so variables are items of WITH */
	gemp_text *out;
} printer;

static void print_expr(const printer *p, const gemp_expr *expr);

/* Anonymous elements are printed by their number: v0, e1. */
static void print_variable(const printer *p, const gemp_expr *expr)
{
	const char *name = !p->pattern ? "_"
	                   : p->after  ? p->pattern->with->items[expr->variable].name
	                               : gemp_pattern_row_name(p->pattern, expr->variable, expr->of_edge);
	if (name)
		print_name(name, p->out);
	else
		gemp_text_print(p->out, "%c%d", expr->of_edge ? 'e' : 'v', expr->variable);
}

/* Without the WITH clause the names of its columns are unknown, so the column's number is printed. */
static void print_column(const printer *p, const gemp_expr *expr)
{
	if (p->pattern && p->after)
		print_name(p->pattern->with->items[expr->item].name, p->out);
	else
		gemp_text_print(p->out, "column %zu", expr->item + 1);
}

/* Escapes the characters that the lexer's strings escape, so that the text can be parsed again. */
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

/* Numbers and booleans have the same text as in files. */
static void print_value(const gemp_value *value, gemp_text *out)
{
	if (value->null)
		gemp_text_add(out, "NULL", 4);
	else if (value->type == GEMP_STRING)
		print_string(value, out);
	else
		gemp_value_print(value, out);
}

/* Prints types as :A|B. */
static void print_types(char *const *names, size_t count, gemp_text *out)
{
	for (size_t i = 0; i < count; i++) {
		gemp_text_add(out, i ? "|" : ":", 1);
		print_name(names[i], out);
	}
}

/* Prints labels as a:X|Y, which the parser reads back. */
static void print_labels(const printer *p, const gemp_expr *expr)
{
	print_variable(p, expr);
	print_types(expr->names, expr->name_count, p->out);
}

/* The binding strength of operators, from OR (0) to leaves (8). An operand with a lower strength is put in
 * parentheses. */
static int precedence(gemp_expr_kind kind)
{
	switch (kind) {
	case GEMP_OR: return 0;
	case GEMP_XOR: return 1;
	case GEMP_AND: return 2;
	case GEMP_NOT: return 3;
	case GEMP_ADD:
	case GEMP_SUBTRACT: return 5;
	case GEMP_MULTIPLY ... GEMP_REMAINDER: return 6;
	case GEMP_NEGATE: return 7;
	default: return kind >= GEMP_EQ && kind <= GEMP_IS_NOT_NULL ? 4 : 8;
	}
}

/* A negative literal has the binding strength of a unary minus. */
static bool is_negative(const gemp_expr *expr)
{
	const gemp_value *value = &expr->value;
	bool integer = value->type == GEMP_INTEGER && value->integer < 0;
	bool real = value->type == GEMP_FLOAT && value->real < 0;
	return expr->kind == GEMP_LITERAL && !value->null && (integer || real);
}

/* True if the text could be read as a path, as `(x) - -(y)`. Such an operand keeps its parentheses. */
static bool looks_like_path(const gemp_expr *expr, int min_precedence)
{
	return expr->kind == GEMP_NEGATE && min_precedence > 5 && precedence(expr->children[0]->kind) < 8;
}

/* Prints the operand, in parentheses if its binding strength is below min_precedence. */
static void print_operand(const printer *p, const gemp_expr *expr, int min_precedence)
{
	int own = is_negative(expr) ? 7 : precedence(expr->kind);
	bool inside = own < min_precedence || looks_like_path(expr, min_precedence);
	gemp_text_print(p->out, "%s", inside ? "(" : "");
	print_expr(p, expr);
	gemp_text_print(p->out, "%s", inside ? ")" : "");
}

/* In AND and OR, operands of the same kind need no parentheses. In other operators, a right operand of the same kind
 * does. */
static void print_children(const printer *p, const gemp_expr *expr, const char *separator)
{
	int own = precedence(expr->kind);
	bool junction = expr->kind == GEMP_AND || expr->kind == GEMP_OR;
	for (size_t i = 0; i < expr->count; i++) {
		const gemp_expr *child = expr->children[i];
		bool other = junction && (child->kind == GEMP_AND || child->kind == GEMP_OR) && child->kind != expr->kind;
		gemp_text_print(p->out, "%s", i ? separator : "");
		print_operand(p, child, other ? 9 : own + (junction || i == 0 ? own == 4 : 1));
	}
}

/* Prints the children from index `from` on, separated by commas. */
static void print_list(const printer *p, const gemp_expr *expr, size_t from)
{
	for (size_t i = from; i < expr->count; i++) {
		gemp_text_print(p->out, "%s", i > from ? ", " : "");
		print_expr(p, expr->children[i]);
	}
}

/* Aggregates may have DISTINCT inside the parentheses. */
static void print_call(const printer *p, const char *name, const gemp_expr *expr)
{
	gemp_text_print(p->out, "%s(%s", name, expr->distinct ? "DISTINCT " : "");
	if (expr->count)
		print_list(p, expr, 0);
	else
		print_variable(p, expr);
	gemp_text_print(p->out, ")");
}

/* Binding has turned COUNT { } into a degree. The text is that of the query. */
static void print_degree(const printer *p, const gemp_expr *expr)
{
	gemp_text_print(p->out, "COUNT { (");
	print_variable(p, expr);
	gemp_text_print(p->out, ")%s[", expr->direction == 1 ? "<-" : "-");
	print_types(expr->names, expr->name_count, p->out);
	gemp_text_print(p->out, "]%s() }", expr->direction == 0 ? "->" : "-");
}

/* A vertex needs no name if it is anonymous, is no argument, has no conditions, and is an end of a single edge only. */
static bool is_printed(const gemp_pattern *pattern, int vertex)
{
	int edges = 0;
	for (size_t e = 0; e < pattern->edge_count; e++)
		edges += (pattern->edges[e].from == vertex) + (pattern->edges[e].to == vertex);
	for (size_t i = 0; i < pattern->condition_count; i++)
		if (pattern->conditions[i].vertices >> vertex & 1)
			return true;
	return edges != 1 || pattern->vertices[vertex].name || vertex < (int)pattern->arguments;
}

/* Prints only the name of the vertex. Its labels are printed with the conditions. */
static void print_vertex(const printer *p, int vertex)
{
	const gemp_expr self = { .kind = GEMP_VERTEX, .variable = vertex };
	gemp_text_add(p->out, "(", 1);
	if (is_printed(p->pattern, vertex))
		print_variable(p, &self);
	gemp_text_add(p->out, ")", 1);
}

/* The name of an edge is printed only if something refers to it. */
static void print_edge(const printer *p, size_t index)
{
	const gemp_pattern_edge *edge = &p->pattern->edges[index];
	const gemp_expr self = { .kind = GEMP_EDGE, .variable = (int)index, .of_edge = true };
	print_vertex(p, edge->from);
	gemp_text_add(p->out, "-[", 2);
	for (size_t i = 0; i < p->pattern->condition_count; i++)
		if (p->pattern->conditions[i].edges >> index & 1 || edge->name) {
			print_variable(p, &self);
			break;
		}
	print_types(edge->types, edge->type_count, p->out);
	if (edge->path)
		gemp_text_print(p->out, "*%u..%u", edge->min_hops, edge->max_hops);
	gemp_text_print(p->out, "]-%s", edge->direction == GEMP_OUT ? ">" : "");
	print_vertex(p, edge->to);
}

/* Prints the edges of a pattern, then the vertices without edges, then the conditions. */
static void print_pattern(const printer *p)
{
	const gemp_pattern *pattern = p->pattern;
	const char *separator = "";
	for (size_t e = 0; e < pattern->edge_count; e++, separator = ", ") {
		gemp_text_print(p->out, "%s", separator);
		print_edge(p, e);
	}
	for (int v = 0; v < (int)pattern->vertex_count; v++) {
		bool joined = false;
		for (size_t e = 0; e < pattern->edge_count; e++)
			joined = joined || pattern->edges[e].from == v || pattern->edges[e].to == v;
		if (joined || pattern->vertices[v].repeatable)
			continue;
		gemp_text_print(p->out, "%s", separator);
		print_vertex(p, v);
		separator = ", ";
	}
	for (size_t i = 0; i < pattern->condition_count; i++) {
		gemp_text_print(p->out, i ? " AND " : " WHERE ");
		print_operand(p, pattern->conditions[i].expr, precedence(GEMP_AND));
	}
}

/* An inner pattern is printed with its own names. Without an outer pattern, the braces stay empty. */
static void print_sub(const printer *p, const gemp_expr *expr)
{
	gemp_text_print(p->out, "%s { ", expr->kind == GEMP_EXISTS ? "EXISTS" : "COUNT");
	if (p->pattern)
		print_pattern(&(printer){ .pattern = p->pattern->subs[expr->sub], .out = p->out });
	gemp_text_print(p->out, " }");
}

/* The text of a binary operator, with its spaces; NULL for other kinds. */
static const char *operator_text(gemp_expr_kind kind)
{
	static const char *const separator[] = {
		[GEMP_EQ] = " = ",
		[GEMP_NE] = " <> ",
		[GEMP_LT] = " < ",
		[GEMP_LE] = " <= ",
		[GEMP_GT] = " > ",
		[GEMP_GE] = " >= ",
		[GEMP_CONTAINS] = " CONTAINS ",
		[GEMP_STARTS_WITH] = " STARTS WITH ",
		[GEMP_ENDS_WITH] = " ENDS WITH ",
		[GEMP_MATCHES] = " =~ ",
		[GEMP_ADD] = " + ",
		[GEMP_SUBTRACT] = " - ",
		[GEMP_MULTIPLY] = " * ",
		[GEMP_DIVIDE] = " / ",
		[GEMP_REMAINDER] = " % ",
		[GEMP_AND] = " AND ",
		[GEMP_OR] = " OR ",
		[GEMP_XOR] = " XOR ",
	};
	return (size_t)kind < sizeof separator / sizeof *separator ? separator[kind] : NULL;
}

/* One case for each kind that is neither a function nor a binary operator. */
static void print_expr(const printer *p, const gemp_expr *expr)
{
	switch (expr->kind) {
	case GEMP_LITERAL: print_value(&expr->value, p->out); break;
	case GEMP_VERTEX:
	case GEMP_EDGE: print_variable(p, expr); break;
	case GEMP_COLUMN: print_column(p, expr); break;
	case GEMP_ATTRIBUTE:
		print_variable(p, expr);
		gemp_text_add(p->out, ".", 1);
		print_name(expr->name, p->out);
		break;
	case GEMP_HAS_LABEL: print_labels(p, expr); break;
	case GEMP_DEGREE: print_degree(p, expr); break;
	case GEMP_EXISTS:
	case GEMP_COUNT_OF: print_sub(p, expr); break;
	case GEMP_IN:
		print_operand(p, expr->children[0], 5);
		gemp_text_print(p->out, " IN [");
		print_list(p, expr, 1);
		gemp_text_print(p->out, "]");
		break;
	case GEMP_IS_NULL:
	case GEMP_IS_NOT_NULL:
		print_operand(p, expr->children[0], 5);
		gemp_text_print(p->out, expr->kind == GEMP_IS_NULL ? " IS NULL" : " IS NOT NULL");
		break;
	case GEMP_NOT:
		gemp_text_print(p->out, "NOT ");
		print_operand(p, expr->children[0], 4);
		break;
	case GEMP_NEGATE:
		gemp_text_print(p->out, "-");
		print_operand(p, expr->children[0], 8);
		break;
	case GEMP_COUNT_STAR: gemp_text_print(p->out, "count(*)"); break;
	default:
		if (gemp_function_name(expr->kind))
			print_call(p, gemp_function_name(expr->kind), expr);
		else
			print_children(p, expr, operator_text(expr->kind));
	}
}

/* The variables are those of the pattern's rows. */
void gemp_expr_print(const gemp_expr *expr, const gemp_pattern *pattern, gemp_text *out)
{
	print_expr(&(printer){ .pattern = pattern, .out = out }, expr);
}

/* Returns NULL when out of memory. */
char *gemp_expr_text(const gemp_expr *expr, const gemp_pattern *pattern, bool after)
{
	gemp_text text = { 0 };
	print_expr(&(printer){ .pattern = pattern, .after = after, .out = &text }, expr);
	if (gemp_text_status(&text) != GEMP_OK)
		gemp_text_free(&text);
	return text.data;
}
