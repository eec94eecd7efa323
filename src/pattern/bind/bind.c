/* Binding walks over a pattern, its inner patterns and its clauses. Labels, types and attributes become tables and
 * columns of the graph, a COUNT or EXISTS of one edge becomes a degree, types are inferred, and conditions are brought
 * into normal form again. An unknown name is an error with suggestions. Under --lenient it is a warning. */

#include "pattern/bind/bind.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/text.h"
#include "pattern/bind/type_inference.h"
#include "pattern/bind/unknown_name.h"
#include "pattern/condition/normal_form.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static gemp_code bind_pattern(gemp_binding *b);

/* True if an update creates or sets names of this kind. Rules may use such names although the graph does not have them
 * yet. */
static bool introduces(const gemp_update *update, gemp_name_kind what)
{
	switch (update->kind) {
	case GEMP_CREATE_VERTEX:
	case GEMP_ADD_LABELS: return what == GEMP_NAME_LABEL;
	case GEMP_CREATE_EDGE:
	case GEMP_SET_TYPE: return what == GEMP_NAME_TYPE;
	case GEMP_SET_ATTRIBUTE: return what == (update->element.edge ? GEMP_NAME_EDGE_ATTRIBUTE : GEMP_NAME_ATTRIBUTE);
	default: return false;
	}
}

/* True if some update of the rules introduces this name. */
static bool rules_introduce(const gemp_rule_set *rules, gemp_name_kind what, const char *name)
{
	for (size_t i = 0; i < rules->count; i++)
		for (size_t u = 0; u < rules->rules[i].update_count; u++) {
			const gemp_update *update = &rules->rules[i].updates[u];
			for (size_t n = 0; introduces(update, what) && n < update->name_count; n++)
				if (strcmp(update->names[n], name) == 0)
					return true;
		}
	return false;
}

/* A name that the rules introduce gives no message. */
static gemp_code unknown_name(const gemp_binding *b, int line, int column, gemp_name_kind what, const char *name,
                              const char *const *names, size_t count)
{
	if (b->rules && rules_introduce(b->rules, what, name))
		return GEMP_OK;
	return gemp_unknown_name(&(gemp_name_place){ &b->source, line, column }, what, name, names, count, b->lenient);
}

/* Bytes beyond ASCII belong to names, as in the lexer. */
static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

/* Finds the place of one type in the text, because the syntax tree stores a single place for all types of an edge. If
 * the type is not found, the place of the edge is used. */
static void type_place(const gemp_binding *b, const gemp_pattern_edge *edge, const char *type, int *line, int *column)
{
	const char *text = b->source.text;
	int at_line, at_column;
	*line = edge->line;
	*column = edge->column;
	for (const char *at = strstr(text, type); at; at = strstr(at + 1, type)) {
		gemp_source_place(&b->source, (size_t)(at - text), &at_line, &at_column);
		bool behind = at_line > edge->line || (at_line == edge->line && at_column >= edge->column);
		bool whole = (at == text || !is_word(at[-1])) && !is_word(at[strlen(type)]);
		if (behind && whole) {
			*line = at_line;
			*column = at_column;
			return;
		}
	}
}

/* Reports an unknown type, with the names of the graph's relations. */
static gemp_code unknown_type(const gemp_binding *b, const gemp_pattern_edge *edge, const char *type)
{
	GEMP_OWNED const char **names = NULL;
	GEMP_TRY(GEMP_NEW(names, b->graph->relation_count));
	for (size_t i = 0; i < b->graph->relation_count; i++)
		names[i] = b->graph->relations[i].name;
	int line, column;
	type_place(b, edge, type, &line, &column);
	return unknown_name(b, line, column, GEMP_NAME_TYPE, type, names, b->graph->relation_count);
}

/* An undirected relation stores each edge once, in an arbitrary direction, so an arrow in the query finds each edge
 * from one of its ends only. */
static void warn_of_direction(const gemp_binding *b, const gemp_pattern_edge *edge)
{
	for (size_t i = 0; edge->direction == GEMP_OUT && i < b->graph->relation_count; i++) {
		if (!edge->relations[i] || b->graph->relations[i].directed)
			continue;
		gemp_warn("%s:%d:%d: %s is undirected; an arrow finds each of its edges in one arbitrary direction only: write "
		          "-[:%s]-",
		          b->source.file ? b->source.file : "query", edge->line, edge->column, b->graph->relations[i].name,
		          b->graph->relations[i].name);
		return;
	}
}

/* An edge without types allows all relations. An edge whose types the graph lacks (--lenient) allows no relation. */
static gemp_code bind_edge(const gemp_binding *b, gemp_pattern_edge *edge)
{
	const gemp_shard *graph = b->graph;
	gemp_free(edge->relations);
	GEMP_TRY(GEMP_NEW(edge->relations, graph->relation_count));
	for (size_t i = 0; edge->type_count == 0 && i < graph->relation_count; i++)
		edge->relations[i] = true;
	for (size_t i = 0; i < edge->type_count; i++) {
		const gemp_relation *relation = gemp_shard_relation(graph, edge->types[i]);
		if (relation)
			edge->relations[relation - graph->relations] = true;
		else
			GEMP_TRY(unknown_type(b, edge, edge->types[i]));
	}
	warn_of_direction(b, edge);
	return GEMP_OK;
}

/* The conditions are split into conjuncts again, because folding and merging may make a condition a conjunction. */
static gemp_code renew_conditions(const gemp_binding *b)
{
	gemp_pattern *pattern = b->pattern;
	gemp_condition *old = pattern->conditions;
	size_t count = pattern->condition_count;
	gemp_code code = GEMP_OK;
	pattern->conditions = NULL;
	pattern->condition_count = 0;
	for (size_t i = 0; i < count; i++) {
		GEMP_THEN(gemp_bind_fold(b, &old[i].expr));
		GEMP_THEN(gemp_pattern_require(pattern, &old[i].expr));
		gemp_expr_free(old[i].expr);
	}
	gemp_free(old);
	return code;
}

/* A label test gets one bit for each label set of the graph. Its evaluation is one look-up, for any number of
 * labels. */
static gemp_code bind_label(const gemp_binding *b, gemp_expr *expr)
{
	const gemp_shard *graph = b->graph;
	gemp_free(expr->label_sets);
	GEMP_TRY(GEMP_NEW(expr->label_sets, graph->label_set_count));
	expr->label_set_count = graph->label_set_count;
	for (size_t i = 0; i < expr->name_count; i++) {
		size_t label = 0;
		while (label < graph->label_count && strcmp(graph->labels[label], expr->names[i]) != 0)
			label++;
		if (label == graph->label_count)
			GEMP_TRY(unknown_name(b, expr->line, expr->column, GEMP_NAME_LABEL, expr->names[i],
			                      (const char *const *)graph->labels, graph->label_count));
		for (size_t set = 0; set < graph->label_set_count; set++)
			for (size_t j = 0; j < graph->label_sets[set].count; j++)
				expr->label_sets[set] = expr->label_sets[set] || graph->label_sets[set].labels[j] == label;
	}
	return GEMP_OK;
}

/* The pattern's edge to which a variable refers. In clauses after WITH, the variable is an item that passes the edge
 * on. */
static const gemp_pattern_edge *edge_of(const gemp_binding *b, int variable)
{
	int index = b->with ? b->with->items[variable].expr->variable : variable;
	return gemp_pattern_row_edge(b->pattern, (size_t)index);
}

/* At least one relation that the edge may belong to must have the attribute. */
static gemp_code bind_edge_attribute(const gemp_binding *b, gemp_expr *expr)
{
	const bool *allowed = edge_of(b, expr->variable)->relations;
	GEMP_OWNED const char **names = NULL;
	size_t count = 0, capacity = 0;
	for (size_t i = 0; i < b->graph->relation_count; i++) {
		const gemp_table *props = &b->graph->relations[i].props;
		if (allowed[i] && gemp_table_find(props, expr->name))
			return GEMP_OK;
		GEMP_TRY(GEMP_RESERVE(names, capacity, count + props->count));
		for (size_t c = 0; allowed[i] && c < props->count; c++)
			names[count++] = props->columns[c].name;
	}
	GEMP_TRY(unknown_name(b, expr->line, expr->column, GEMP_NAME_EDGE_ATTRIBUTE, expr->name, names, count));
	gemp_expr_set_literal(expr, (gemp_value){ .null = true }); /* only under --lenient */
	return GEMP_OK;
}

/* An attribute that no vertex has is NULL under --lenient. */
static gemp_code bind_attribute(const gemp_binding *b, gemp_expr *expr)
{
	const gemp_table *table = &b->graph->attributes;
	const gemp_column *column = gemp_table_find(table, expr->name);
	GEMP_OWNED const char **names = NULL;
	if (column) {
		expr->attribute = (int)(column - table->columns);
		return GEMP_OK;
	}
	GEMP_TRY(GEMP_NEW(names, table->count));
	for (size_t i = 0; i < table->count; i++)
		names[i] = table->columns[i].name;
	GEMP_TRY(unknown_name(b, expr->line, expr->column, GEMP_NAME_ATTRIBUTE, expr->name, names, table->count));
	gemp_expr_set_literal(expr, (gemp_value){ .null = true }); /* only under --lenient */
	return GEMP_OK;
}

/* COUNT { (v)-[:T]->() } without further conditions is the degree of v over some relations, and a degree needs no
 * search. A vertex of OPTIONAL MATCH may be missing. It then has no degree, but EXISTS is false and COUNT is 0, so both
 * stay searches. */
static bool is_degree(const gemp_binding *b, const gemp_expr *expr)
{
	if (!gemp_expr_is_subpattern(expr))
		return false;
	const gemp_pattern *inner = b->pattern->subs[expr->sub];
	const gemp_pattern_edge *edge = inner->edges;
	bool missing = expr->count && expr->children[0]->variable >= (int)b->pattern->vertex_count;
	bool one_edge = inner->arguments == 1 && inner->vertex_count == 2 && inner->edge_count == 1 &&
	                inner->condition_count == 0;
	return one_edge && !edge->path && edge->from != edge->to && !missing;
}

/* Turns the expression into GEMP_DEGREE in place and moves the bound relations of the inner edge to it. */
static gemp_code make_degree(const gemp_binding *b, gemp_expr *expr)
{
	const gemp_pattern_edge *edge = b->pattern->subs[expr->sub]->edges;
	expr->variable = expr->children[0]->variable;
	expr->direction = edge->direction == GEMP_EITHER ? 2 : edge->from == 0 ? 0 : 1;
	expr->kind = GEMP_DEGREE;
	gemp_expr_free(expr->children[0]);
	expr->count = 0;
	expr->relation_count = b->graph->relation_count;
	GEMP_TRY(GEMP_COPY(expr->relations, edge->relations, expr->relation_count));
	return gemp_names_copy(&expr->names, &expr->name_count, edge->types, edge->type_count);
}

/* EXISTS { (v)-[:T]->() } becomes a test that the degree is above 0. */
static gemp_code bind_degree(const gemp_binding *b, gemp_expr **slot)
{
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *above = NULL;
	gemp_expr *expr = *slot;
	bool exists = expr->kind == GEMP_EXISTS;
	GEMP_TRY(make_degree(b, expr));
	if (!exists)
		return GEMP_OK;
	GEMP_TRY(gemp_expr_new_operator(&above, GEMP_GT, 2, expr->line, expr->column));
	GEMP_TRY(
		gemp_expr_new_literal(&above->children[1], (gemp_value){ .type = GEMP_INTEGER }, expr->line, expr->column));
	above->children[0] = expr;
	*slot = above;
	above = NULL;
	return GEMP_OK;
}

/* Walks from the root to the leaves, so that a degree is recognised before the names of its inner pattern are bound. */
static gemp_code bind_names(const gemp_binding *b, gemp_expr **slot)
{
	gemp_expr *expr = *slot;
	if (is_degree(b, expr))
		return bind_degree(b, slot);
	if (expr->kind == GEMP_HAS_LABEL)
		GEMP_TRY(bind_label(b, expr));
	else if (expr->kind == GEMP_ATTRIBUTE)
		GEMP_TRY(expr->of_edge ? bind_edge_attribute(b, expr) : bind_attribute(b, expr));
	else if (expr->kind == GEMP_MATCHES)
		GEMP_TRY(gemp_bind_regex(b, expr));
	for (size_t i = 0; i < expr->count; i++)
		GEMP_TRY(bind_names(b, &expr->children[i]));
	return GEMP_OK;
}

/* Binds names first, because types follow from them. */
static gemp_code bind_expr(const gemp_binding *b, gemp_expr **slot)
{
	GEMP_TRY(bind_names(b, slot));
	GEMP_TRY(gemp_expr_fold(slot));
	return gemp_bind_types(b, *slot);
}

/* The condition is normalised first, so that folding finds NOT only directly above leaves. */
static gemp_code bind_condition(const gemp_binding *b, gemp_expr **slot)
{
	GEMP_TRY(gemp_expr_normalise(slot));
	GEMP_TRY(bind_expr(b, slot));
	return gemp_bind_condition(b, *slot);
}

/* WHERE of WITH uses the columns of this WITH. The items of WITH use the variables of the clauses before. */
static gemp_code bind_clause(const gemp_binding *b, gemp_clause *clause)
{
	for (size_t i = 0; i < clause->item_count; i++)
		GEMP_TRY(bind_expr(b, &clause->items[i].expr));
	if (clause->where) {
		gemp_binding after = *b;
		after.with = clause;
		GEMP_TRY(bind_condition(&after, &clause->where));
		GEMP_TRY(gemp_bind_fold(&after, &clause->where));
		GEMP_TRY(gemp_expr_normalise(&clause->where));
	}
	return GEMP_OK;
}

/* The binding of an inner pattern differs from the outer binding only in its pattern, so messages show places in the
 * same text. */
static gemp_code bind_inner(const gemp_binding *b, gemp_pattern *inner)
{
	gemp_binding in = *b;
	in.pattern = inner;
	return bind_pattern(&in);
}

/* Inner patterns are bound first, because a degree takes the bound relations of its inner edge. */
static gemp_code bind_pattern(gemp_binding *b)
{
	gemp_pattern *pattern = b->pattern;
	pattern->relation_count = b->graph->relation_count;
	for (size_t e = 0; e < pattern->edge_count; e++)
		GEMP_TRY(bind_edge(b, &pattern->edges[e]));
	for (size_t i = 0; i < pattern->sub_count; i++)
		GEMP_TRY(bind_inner(b, pattern->subs[i]));
	for (size_t i = 0; i < pattern->optional_count; i++)
		GEMP_TRY(bind_inner(b, pattern->optionals[i].pattern));
	for (size_t i = 0; i < pattern->condition_count; i++)
		GEMP_TRY(bind_condition(b, &pattern->conditions[i].expr));
	GEMP_TRY(renew_conditions(b));
	if (pattern->with)
		GEMP_TRY(bind_clause(b, pattern->with));
	gemp_binding last = *b;
	last.with = pattern->with;
	return bind_clause(&last, &pattern->result);
}

/* All rules share one list of introduced names. A rule may match a label that only a later rule of the file creates,
 * because RUN decides which rule runs first. */
gemp_code gemp_rule_set_bind(gemp_rule_set *rules, const gemp_shard *graph, bool lenient)
{
	for (size_t i = 0; i < rules->count; i++) {
		gemp_pattern *pattern = rules->rules[i].pattern;
		gemp_binding b = { .pattern = pattern, .whole = pattern, .graph = graph, .lenient = lenient, .rules = rules };
		b.source = (gemp_source){ rules->file, rules->text };
		GEMP_TRY(bind_pattern(&b));
	}
	return GEMP_OK;
}

/* Messages show places in the pattern's own text. */
gemp_code gemp_pattern_bind_with(gemp_pattern *pattern, const gemp_shard *graph, bool lenient)
{
	gemp_binding b = { .pattern = pattern, .whole = pattern, .graph = graph, .lenient = lenient };
	b.source = (gemp_source){ pattern->file, pattern->text };
	return bind_pattern(&b);
}

/* Not lenient: an unknown name is an error. */
gemp_code gemp_pattern_bind(gemp_pattern *pattern, const gemp_shard *graph)
{
	return gemp_pattern_bind_with(pattern, graph, false);
}
