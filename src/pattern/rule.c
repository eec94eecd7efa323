#include "pattern/rule.h"

#include "core/memory.h"
#include "pattern/bind.h"
#include "pattern/build.h"
#include "pattern/expr.h"
#include "pattern/rule_build.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void free_rule(gemp_rule *rule)
{
	for (size_t i = 0; i < rule->update_count; i++) {
		gemp_update *update = &rule->updates[i];
		for (size_t n = 0; n < update->name_count; n++)
			gemp_free(update->names[n]);
		gemp_free(update->names);
		if (update->constant && update->literal.type == GEMP_STRING)
			gemp_free((char *)update->literal.string.bytes);
	}
	gemp_free(rule->updates);
	gemp_free(rule->name);
	gemp_pattern_free(rule->pattern);
}

void gemp_rules_free(gemp_rules *rules)
{
	if (!rules)
		return;
	for (size_t i = 0; i < rules->count; i++)
		free_rule(&rules->rules[i]);
	rule_free_control(rules->control);
	gemp_free(rules->rules);
	gemp_free(rules->file);
	gemp_free(rules->text);
	gemp_free(rules);
}

/* A vertex or edge of the row that is in no column becomes one of `clause`, as its item *at. */
static gemp_code carry(gemp_clause *clause, int variable, bool edge, size_t *at)
{
	gemp_code code = GEMP_OK;
	gemp_expr *expr = NULL;
	char name[32], *copy = NULL;
	for (size_t i = 0; i < *at; i++) {
		const gemp_expr *item = clause->items[i].expr;
		if (item->kind == (edge ? GEMP_EDGE : GEMP_VERTEX) && item->variable == variable)
			return GEMP_OK;
	}
	GEMP_TRY(gemp_expr_new(&expr, edge ? GEMP_EDGE : GEMP_VERTEX, 0, 0));
	expr->variable = variable;
	expr->of_edge = edge;
	snprintf(name, sizeof name, "%s %d", edge ? "edge" : "vertex", variable);
	copy = gemp_strdup(name);
	gemp_return_item *more = copy ? gemp_realloc(clause->items, clause->item_count + 1, sizeof *more) : NULL;
	if (!more) {
		code = GEMP_ENOMEM;
		goto done;
	}
	clause->items = more;
	memmove(more + *at + 1, more + *at, (clause->item_count - *at) * sizeof *more);
	more[*at] = (gemp_return_item){ .expr = expr, .name = copy };
	for (size_t i = 0; i < clause->order_count; i++)
		clause->orders[i].item += clause->orders[i].item >= *at;
	clause->item_count++;
	clause->shown = ++*at;
	return GEMP_OK;
done:
	gemp_free(copy);
	gemp_expr_free(expr);
	return code;
}

/* Edge e of the row. */
static const gemp_pattern_edge *row_edge(const gemp_pattern *pattern, size_t e)
{
	if (e < pattern->edge_count)
		return &pattern->edges[e];
	const gemp_optional *part = pattern->optionals + pattern->optional_count - 1;
	while ((size_t)part->first_edge > e)
		part--;
	return &part->pattern->edges[e - (size_t)part->first_edge];
}

/* All vertices and edges of the match, behind the shown items of the first clause. */
static gemp_code carry_all(gemp_pattern *pattern, gemp_clause *clause)
{
	gemp_code code = GEMP_OK;
	size_t at = clause->shown, vertices = gemp_pattern_row_vertices(pattern), edges = gemp_pattern_row_edges(pattern);
	for (size_t v = 0; v < vertices; v++)
		GEMP_TRY(carry(clause, (int)v, false, &at));
	for (size_t e = 0; e < edges; e++)
		if (!row_edge(pattern, e)->path)
			GEMP_TRY(carry(clause, (int)e, true, &at));
done:
	return code;
}

/* The elements that WITH passes on. */
static gemp_code carry_passed(gemp_pattern *pattern)
{
	gemp_code code = GEMP_OK;
	size_t at = pattern->result.shown;
	for (size_t i = 0; i < pattern->with->shown; i++) {
		const gemp_expr *item = pattern->with->items[i].expr;
		if (item->kind == GEMP_VERTEX || item->kind == GEMP_EDGE)
			GEMP_TRY(carry(&pattern->result, (int)i, item->of_edge, &at));
	}
done:
	return code;
}

/* A clause has a column, also where the updates need none. */
static gemp_code need_column(parse *p, gemp_pattern *pattern)
{
	gemp_expr *expr = NULL;
	gemp_code code = pattern->result.item_count > 0 ? GEMP_OK : parse_new_expr(p, GEMP_COLUMN, 0, &expr);
	if (expr)
		code = gemp_pattern_add_return(pattern, &expr, "column", strlen("column"));
	gemp_expr_free(expr);
	return code;
}

static gemp_code build_rule(parse *p, const query_rule *from, gemp_rule *rule)
{
	parse_scope row;
	gemp_code code = GEMP_OK;
	rule_build b = { .p = p, .row = &row, .rule = rule };
	parse_move(p, from->name.place.begin);
	*rule = (gemp_rule){ .line = p->cursor.line, .column = p->cursor.column };
	p->patterns = 0;
	rule->name = gemp_strdup(from->name.bytes);
	if (!rule->name)
		return GEMP_ENOMEM;
	GEMP_TRY(gemp_pattern_new(&rule->pattern, p->q->source.text, p->q->source.file));
	gemp_pattern *pattern = rule->pattern;
	GEMP_TRY(parse_row(p, pattern, from->match, from->optionals, from->with, &row));
	pattern->returns_given = true;
	pattern->told = pattern->with ? pattern->with->shown : 0;
	rule->carries = !pattern->with || (!pattern->with->grouped && !pattern->with->distinct);
	if (pattern->with && rule->carries)
		GEMP_TRY(carry_all(pattern, pattern->with));
	GEMP_TRY(rule_updates(&b, from->updates));
	rule->needed = pattern->result.shown;
	if (pattern->with) {
		GEMP_TRY(carry_passed(pattern));
	} else {
		pattern->told = rule->needed;
		GEMP_TRY(carry_all(pattern, &pattern->result));
	}
	code = need_column(p, pattern);
done:
	return code;
}

static gemp_code check_name(parse *p, const gemp_rules *rules, const query_rule *from)
{
	for (size_t i = 0; i < rules->count; i++)
		if (strcmp(rules->rules[i].name, from->name.bytes) == 0)
			return parse_fail(p, from->name.place.begin, "there is a rule '%s' already, in line %d; give this one another name",
			                  from->name.bytes, rules->rules[i].line);
	return GEMP_OK;
}

static gemp_code build(parse *p, gemp_rules *rules)
{
	gemp_code code = GEMP_OK;
	size_t capacity = 0;
	if (!p->q->rules)
		return parse_fail(p, 0, "there is no rule; write one, as in RULE name MATCH (a) SET a.x = 1");
	for (const query_rule *from = p->q->rules; from; from = from->next) {
		GEMP_TRY(check_name(p, rules, from));
		GEMP_TRY(GEMP_RESERVE(rules->rules, capacity, rules->count + 1));
		GEMP_TRY(build_rule(p, from, &rules->rules[rules->count++]));
	}
	code = rule_control(p, rules);
done:
	return code;
}

gemp_code gemp_rules_parse(gemp_rules **out, const char *text, const char *file, const gemp_query_parameter *parameters,
                           size_t parameter_count)
{
	query q = { 0 };
	parse p = { .q = &q };
	gemp_rules *rules = NULL;
	bool *used = NULL;
	gemp_code code = GEMP_OK;
	if (strncmp(text, "\xEF\xBB\xBF", 3) == 0)
		text += 3; /* the byte order mark of some editors */
	gemp_source source = { file ? file : "rules", text };
	GEMP_TRY(GEMP_NEW(used, parameter_count));
	GEMP_TRY(GEMP_NEW(rules, 1));
	rules->text = gemp_strdup(text);
	rules->file = gemp_strdup(source.file);
	if (!rules->text || !rules->file) {
		code = GEMP_ENOMEM;
		goto done;
	}
	GEMP_TRY(query_parse_rules(&q, &source, parameters, parameter_count, used));
	GEMP_TRY(parse_set_marks(&p));
	GEMP_TRY(build(&p, rules));
	GEMP_TRY(query_check_parameters(parameters, parameter_count, used));
	*out = rules;
	rules = NULL;
done:
	gemp_rules_free(rules);
	gemp_free(used);
	query_free(&q);
	return code;
}

static bool gives(const gemp_update *update, gemp_named what)
{
	switch (update->kind) {
	case GEMP_CREATE_VERTEX:
	case GEMP_ADD_LABELS:
		return what == GEMP_A_LABEL;
	case GEMP_CREATE_EDGE:
	case GEMP_SET_TYPE:
		return what == GEMP_A_TYPE;
	case GEMP_SET_ATTRIBUTE:
		return what == (update->element.edge ? GEMP_AN_EDGE_ATTRIBUTE : GEMP_AN_ATTRIBUTE);
	default:
		return false;
	}
}

bool gemp_rules_give(const gemp_rules *rules, gemp_named what, const char *name)
{
	for (size_t i = 0; i < rules->count; i++)
		for (size_t u = 0; u < rules->rules[i].update_count; u++) {
			const gemp_update *update = &rules->rules[i].updates[u];
			for (size_t n = 0; gives(update, what) && n < update->name_count; n++)
				if (strcmp(update->names[n], name) == 0)
					return true;
		}
	return false;
}

gemp_code gemp_rules_bind(gemp_rules *rules, const gemp_graph *graph, bool lenient)
{
	gemp_code code = GEMP_OK;
	for (size_t i = 0; code == GEMP_OK && i < rules->count; i++) {
		gemp_binding b = { .pattern = rules->rules[i].pattern, .graph = graph, .lenient = lenient, .rules = rules };
		b.source = (gemp_source){ rules->file, rules->text };
		code = gemp_bind_pattern(&b);
	}
	return code;
}

void gemp_rule_settle(gemp_rule *rule)
{
	const gemp_return_item *items = rule->pattern->result.items;
	for (size_t i = 0; i < rule->update_count; i++) {
		gemp_update *u = &rule->updates[i];
		if (u->kind == GEMP_SET_ATTRIBUTE && !u->constant && items[u->column].expr->nothing)
			u->kind = GEMP_REMOVE_ATTRIBUTE;
	}
}

gemp_code gemp_rules_fail(const gemp_rules *rules, int line, int column, const char *format, ...)
{
	char message[1024];
	gemp_source source = { rules->file, rules->text };
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	return gemp_source_fail_at(&source, line, column, "%s", message);
}
