/* cypher_expr_text: the part of cypher_tree_text that writes patterns and expressions. */
#ifndef GEMP_TESTS_CYPHER_EXPR_TEXT_H
#define GEMP_TESTS_CYPHER_EXPR_TEXT_H

#include "core/text.h"
#include "cypher/syntax/tree.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static inline void tree_expr(gemp_text *out, const gemp_cypher_expr *expr);
static inline void tree_query(gemp_text *out, const gemp_cypher_query *query);

/* NAMES */

static inline bool tree_is_among(const char *name, const char *const *words)
{
	for (; *words; words++)
		if (strcasecmp(name, *words) == 0)
			return true;
	return false;
}

static inline bool tree_is_plain(const char *name, const char *extra)
{
	bool plain = isalpha((unsigned char)*name);
	for (; *name && plain; name++)
		plain = isalnum((unsigned char)*name) || *name == '_' || strchr(extra, *name);
	return plain;
}

static const char *const tree_reserved[] = {
	"match",  "optional",  "where",        "with",
	"return", "distinct",  "order",        "by",
	"asc",    "ascending", "desc",         "skip",
	"limit",  "as",        "and",          "or",
	"xor",    "not",       "in",           "descending",
	"is",     "null",      "true",         "false",
	"starts", "ends",      "set",          "merge",
	"create", "contains",  "delete",       "detach",
	"union",  "all",       "case",         "when",
	"then",   "else",      "end",          "unwind",
	"filter", "remove",    "any",          "none",
	"single", "extract",   "count",        "exists",
	"reduce", "collect",   "shortestpath", "allshortestpaths",
	NULL,
};
static const char *const tree_functions[] = { "all",   "any",    "none",   "single",  "filter", "extract",
	                                          "count", "exists", "reduce", "collect", NULL };

static inline void tree_quoted(gemp_text *out, const char *name)
{
	gemp_text_print(out, "`");
	for (; *name; name++)
		gemp_text_print(out, *name == '`' ? "``" : "%c", *name);
	gemp_text_print(out, "`");
}

static inline void tree_name(gemp_text *out, gemp_cypher_word name)
{
	if (tree_is_plain(name.bytes, "") && !tree_is_among(name.bytes, tree_reserved))
		gemp_text_print(out, "%s", name.bytes);
	else
		tree_quoted(out, name.bytes);
}

/* Functions and procedures. */
static inline void tree_callee(gemp_text *out, gemp_cypher_word name)
{
	bool reserved = tree_is_among(name.bytes, tree_reserved) && !tree_is_among(name.bytes, tree_functions);
	if (tree_is_plain(name.bytes, ".") && !reserved && !strstr(name.bytes, "..") && name.bytes[name.size - 1] != '.')
		gemp_text_print(out, "%s", name.bytes);
	else
		tree_quoted(out, name.bytes);
}

static inline void tree_label_list(gemp_text *out, const gemp_cypher_label *label, const char *between)
{
	for (const char *before = ""; label; label = label->next, before = between) {
		gemp_text_print(out, "%s", before);
		if (label->parts)
			tree_label_list(out, label->parts, label->any ? "|" : "&");
		else
			tree_name(out, label->name);
	}
}

static inline void tree_labels(gemp_text *out, const gemp_cypher_label *label, const char *between)
{
	gemp_text_print(out, label ? ":" : "");
	tree_label_list(out, label, between);
}

/* PATTERNS */

static inline void tree_properties(gemp_text *out, const gemp_cypher_expr *properties, bool space)
{
	if (properties && space)
		gemp_text_print(out, " ");
	if (properties)
		tree_expr(out, properties);
}

static inline void tree_node(gemp_text *out, const gemp_cypher_node *node)
{
	gemp_text_print(out, "(");
	if (node->name.bytes)
		tree_name(out, node->name);
	tree_labels(out, node->labels, ":");
	tree_properties(out, node->properties, node->name.bytes || node->labels);
	gemp_text_print(out, ")");
}

static inline void tree_edge(gemp_text *out, const gemp_cypher_edge *edge)
{
	gemp_text_print(out, "%s-[", edge->left ? "<" : "");
	if (edge->name.bytes)
		tree_name(out, edge->name);
	tree_labels(out, edge->types, "|");
	if (edge->variable && edge->has_max)
		gemp_text_print(out, "*%" PRIu64 "..%" PRIu64, edge->min_hops, edge->max_hops);
	else if (edge->variable)
		gemp_text_print(out, "*%" PRIu64 "..", edge->min_hops);
	tree_properties(out, edge->properties, edge->name.bytes || edge->types || edge->variable);
	gemp_text_print(out, "]-%s", edge->right ? ">" : "");
	tree_node(out, edge->to);
}

static inline void tree_path(gemp_text *out, const gemp_cypher_path *path)
{
	static const char *const kinds[] = { "", "shortestPath(", "allShortestPaths(" };
	if (path->name.bytes) {
		tree_name(out, path->name);
		gemp_text_print(out, " = ");
	}
	gemp_text_print(out, "%s", kinds[path->kind]);
	tree_node(out, path->from);
	for (const gemp_cypher_edge *edge = path->first; edge; edge = edge->next)
		tree_edge(out, edge);
	gemp_text_print(out, "%s", path->kind == GEMP_CY_PATH ? "" : ")");
}

static inline void tree_pattern(gemp_text *out, const gemp_cypher_pattern *pattern)
{
	for (const gemp_cypher_path *path = pattern->first; path; path = path->next) {
		tree_path(out, path);
		gemp_text_print(out, "%s", path->next ? ", " : "");
	}
}

/* EXPRESSIONS */

static inline void tree_literal(gemp_text *out, gemp_datum value)
{
	char number[64];
	switch (value.kind) {
	case GEMP_DATUM_NULL: gemp_text_print(out, "null"); break;
	case GEMP_DATUM_BOOLEAN: gemp_text_print(out, value.truth ? "true" : "false"); break;
	case GEMP_DATUM_INTEGER:
		gemp_text_print(out, value.integer < 0 ? "(%" PRIi64 ")" : "%" PRIi64, value.integer);
		break;
	case GEMP_DATUM_FLOAT:
		snprintf(number, sizeof number, "%.17g", value.real);
		if (!strpbrk(number, ".e"))
			strcat(number, ".0");
		gemp_text_print(out, *number == '-' ? "(%s)" : "%s", number);
		break;
	default:
		gemp_text_print(out, "'");
		for (uint32_t i = 0; i < value.size; i++)
			gemp_text_print(out, strchr("'\\", value.text[i]) ? "\\%c" : "%c", value.text[i]);
		gemp_text_print(out, "'");
	}
}

static inline void tree_list(gemp_text *out, const gemp_cypher_expr *first, const char *between)
{
	for (; first; first = first->next) {
		tree_expr(out, first);
		gemp_text_print(out, "%s", first->next ? between : "");
	}
}

static inline void tree_option(gemp_text *out, const char *before, const gemp_cypher_expr *expr)
{
	if (!expr || expr->kind == GEMP_CY_NONE)
		return;
	gemp_text_print(out, "%s", before);
	tree_expr(out, expr);
}

static inline void tree_operator(gemp_text *out, const gemp_cypher_expr *expr)
{
	static const char *const words[] = {
		[GEMP_CY_OR] = " OR ",
		[GEMP_CY_XOR] = " XOR ",
		[GEMP_CY_AND] = " AND ",
		[GEMP_CY_STARTS_WITH] = " STARTS WITH ",
		[GEMP_CY_ENDS_WITH] = " ENDS WITH ",
		[GEMP_CY_CONTAINS] = " CONTAINS ",
		[GEMP_CY_REGEX] = " =~ ",
		[GEMP_CY_IN] = " IN ",
		[GEMP_CY_ADD] = " + ",
		[GEMP_CY_SUBTRACT] = " - ",
		[GEMP_CY_MULTIPLY] = " * ",
		[GEMP_CY_DIVIDE] = " / ",
		[GEMP_CY_REMAINDER] = " % ",
		[GEMP_CY_POWER] = " ^ ",
		[GEMP_CY_IS_NULL] = " IS NULL",
		[GEMP_CY_IS_NOT_NULL] = " IS NOT NULL",
		[GEMP_CY_NOT] = "NOT ",
		[GEMP_CY_NEGATE] = "-",
		[GEMP_CY_PLUS] = "+",
	};
	bool prefix = expr->kind == GEMP_CY_NOT || expr->kind == GEMP_CY_NEGATE || expr->kind == GEMP_CY_PLUS;
	gemp_text_print(out, "(%s", prefix ? words[expr->kind] : "");
	tree_expr(out, expr->first);
	gemp_text_print(out, "%s", prefix ? "" : words[expr->kind]);
	if (expr->first->next)
		tree_expr(out, expr->first->next);
	gemp_text_print(out, ")");
}

static inline void tree_compare(gemp_text *out, const gemp_cypher_expr *expr)
{
	static const char *const words[] = { "=", "<>", "<", "<=", ">", ">=" };
	size_t i = 0;
	gemp_text_print(out, "(");
	for (const gemp_cypher_expr *operand = expr->first; operand; operand = operand->next) {
		tree_expr(out, operand);
		if (operand->next)
			gemp_text_print(out, " %s ", words[expr->operators[i++]]);
	}
	gemp_text_print(out, ")");
}

static inline void tree_case(gemp_text *out, const gemp_cypher_expr *expr)
{
	gemp_text_print(out, "CASE");
	tree_option(out, " ", expr->first);
	for (const gemp_cypher_expr *part = expr->first->next; part->next; part = part->next->next) {
		tree_option(out, " WHEN ", part);
		tree_option(out, " THEN ", part->next);
	}
	tree_option(out, " ELSE ", expr->last);
	gemp_text_print(out, " END");
}

/* all(), any(), none(), single(), reduce(), and list comprehensions. */
static inline void tree_binding(gemp_text *out, const gemp_cypher_expr *expr)
{
	static const char *const words[] = {
		[GEMP_CY_ALL] = "all(",     [GEMP_CY_ANY] = "any(",       [GEMP_CY_SINGLE] = "single(",
		[GEMP_CY_NO_ONE] = "none(", [GEMP_CY_REDUCE] = "reduce(", [GEMP_CY_LIST_COMPREHENSION] = "["
	};
	const gemp_cypher_expr *second = expr->first->next, *third = second->next;
	gemp_text_print(out, "%s", words[expr->kind]);
	tree_name(out, expr->name);
	if (expr->kind == GEMP_CY_REDUCE) {
		tree_option(out, " = ", expr->first);
		gemp_text_print(out, ", ");
		tree_name(out, expr->name2);
		tree_option(out, " IN ", second);
	} else {
		tree_option(out, " IN ", expr->first);
		tree_option(out, " WHERE ", second);
	}
	tree_option(out, " | ", third);
	gemp_text_print(out, expr->kind == GEMP_CY_LIST_COMPREHENSION ? "]" : ")");
}

static inline void tree_projection(gemp_text *out, const gemp_cypher_expr *expr)
{
	tree_expr(out, expr->first);
	gemp_text_print(out, "{");
	for (const gemp_cypher_expr *part = expr->first->next; part; part = part->next) {
		if (part->kind == GEMP_CY_NONE)
			gemp_text_print(out, ".*");
		else
			tree_expr(out, part);
		gemp_text_print(out, "%s", part->next ? ", " : "");
	}
	gemp_text_print(out, "}");
}

static inline void tree_inner(gemp_text *out, const char *word, const gemp_cypher_query *query)
{
	gemp_text_print(out, "%s { ", word);
	tree_query(out, query);
	gemp_text_print(out, " }");
}

static inline void tree_enclosed(gemp_text *out, const char *before, const gemp_cypher_expr *first, const char *after)
{
	gemp_text_print(out, "%s", before);
	tree_list(out, first, ", ");
	gemp_text_print(out, "%s", after);
}

/* Kinds with brackets of their own. */
static inline void tree_atom(gemp_text *out, const gemp_cypher_expr *expr)
{
	switch (expr->kind) {
	case GEMP_CY_LITERAL: tree_literal(out, expr->value); break;
	case GEMP_CY_VARIABLE: tree_name(out, expr->name); break;
	case GEMP_CY_PARAMETER:
		gemp_text_print(out, isdigit((unsigned char)*expr->name.bytes) ? "$%s" : "$", expr->name.bytes);
		if (!isdigit((unsigned char)*expr->name.bytes))
			tree_name(out, expr->name);
		break;
	case GEMP_CY_LIST: tree_enclosed(out, "[", expr->first, "]"); break;
	case GEMP_CY_MAP: tree_enclosed(out, "{", expr->first, "}"); break;
	case GEMP_CY_ENTRY:
		tree_name(out, expr->name);
		tree_option(out, ": ", expr->first);
		break;
	case GEMP_CY_COUNT_STAR: gemp_text_print(out, "count(*)"); break;
	case GEMP_CY_CALL:
		tree_callee(out, expr->name);
		tree_enclosed(out, expr->distinct ? "(DISTINCT " : "(", expr->first, ")");
		break;
	case GEMP_CY_EXISTS: tree_inner(out, "EXISTS", expr->query); break;
	case GEMP_CY_COUNT: tree_inner(out, "COUNT", expr->query); break;
	case GEMP_CY_COLLECT: tree_inner(out, "COLLECT", expr->query); break;
	case GEMP_CY_PATTERN:
		gemp_text_print(out, "(");
		tree_pattern(out, expr->pattern);
		gemp_text_print(out, ")");
		break;
	case GEMP_CY_PATTERN_COMPREHENSION:
		gemp_text_print(out, "[");
		tree_pattern(out, expr->pattern);
		tree_option(out, " WHERE ", expr->first);
		tree_option(out, " | ", expr->last);
		gemp_text_print(out, "]");
		break;
	default: gemp_text_print(out, "?"); /* GEMP_CY_NONE where none may stand */
	}
}

static inline void tree_expr(gemp_text *out, const gemp_cypher_expr *expr)
{
	switch (expr->kind) {
	case GEMP_CY_PROPERTY:
		if (expr->first)
			tree_expr(out, expr->first);
		gemp_text_print(out, ".");
		tree_name(out, expr->name);
		break;
	case GEMP_CY_INDEX:
		tree_expr(out, expr->first);
		tree_option(out, "[", expr->first->next);
		gemp_text_print(out, "]");
		break;
	case GEMP_CY_SLICE:
		tree_expr(out, expr->first);
		gemp_text_print(out, "[");
		tree_option(out, "", expr->first->next);
		gemp_text_print(out, "..");
		tree_option(out, "", expr->last);
		gemp_text_print(out, "]");
		break;
	case GEMP_CY_HAS_LABELS:
		gemp_text_print(out, "(");
		tree_expr(out, expr->first);
		tree_labels(out, expr->labels, ":");
		gemp_text_print(out, ")");
		break;
	case GEMP_CY_COMPARE: tree_compare(out, expr); break;
	case GEMP_CY_CASE: tree_case(out, expr); break;
	case GEMP_CY_MAP_PROJECTION: tree_projection(out, expr); break;
	case GEMP_CY_LIST_COMPREHENSION:
	case GEMP_CY_ALL:
	case GEMP_CY_ANY:
	case GEMP_CY_SINGLE:
	case GEMP_CY_NO_ONE:
	case GEMP_CY_REDUCE: tree_binding(out, expr); break;
	case GEMP_CY_OR ... GEMP_CY_NOT:
	case GEMP_CY_STARTS_WITH ... GEMP_CY_PLUS: tree_operator(out, expr); break;
	default: tree_atom(out, expr);
	}
}

#endif
