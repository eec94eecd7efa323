#include "transform/locality.h"

#include "core/memory.h"
#include "pattern/symmetry.h"
#include "transform/footprint.h"

#include <string.h>

enum { FAR = 1 << 20, MOST_RADIUS = 4 };

/* What a place would mean. */
typedef struct measuring {
	const gemp_rules *rules;
	bool *relations;
	unsigned radius, reach;
	gemp_code code;
} measuring;

static unsigned greater(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

static unsigned length_of(const gemp_pattern_edge *edge)
{
	return !edge->path ? 1 : edge->most < FAR ? edge->most : FAR;
}

/* DISTANCES from the place. Those that are known come in, all others are FAR. */
static void relax(const gemp_pattern *pattern, unsigned *distance)
{
	bool nearer = true;
	while (nearer) {
		nearer = false;
		for (size_t e = 0; e < pattern->edge_count; e++) {
			unsigned *from = &distance[pattern->edges[e].from], *to = &distance[pattern->edges[e].to];
			unsigned length = length_of(&pattern->edges[e]);
			if (*from + length < *to || *to + length < *from) {
				*(*from < *to ? to : from) = (*from < *to ? *from : *to) + length;
				nearer = true;
			}
		}
	}
}

/* CONDITIONS */

/* Does some rule change this label, or this attribute, of vertices that are there already? */
static bool may_change(const gemp_rules *rules, const char *name, bool label)
{
	for (size_t r = 0; r < rules->count; r++)
		for (size_t i = 0; i < rules->rules[r].update_count; i++) {
			const gemp_update *u = &rules->rules[r].updates[i];
			bool labels = u->kind == GEMP_ADD_LABELS || u->kind == GEMP_REMOVE_LABELS;
			bool values = u->kind == GEMP_SET_ATTRIBUTE || u->kind == GEMP_REMOVE_ATTRIBUTE;
			for (size_t n = 0; n < u->name_count && !u->element.created && (label ? labels : values); n++)
				if (strcmp(u->names[n], name) == 0)
					return true;
		}
	return false;
}

static void measure_pattern(measuring *m, const gemp_pattern *pattern, unsigned *distance);

static void measure_sub(measuring *m, const gemp_pattern *sub, const gemp_expr *expr, const unsigned *distance)
{
	unsigned own[GEMP_MAX_PATTERN_VERTICES];
	for (size_t v = 0; v < sub->vertex_count; v++)
		own[v] = v < expr->count ? distance[expr->children[v]->variable] : FAR;
	measure_pattern(m, sub, own);
}

static bool reads_what_changes(const measuring *m, const gemp_expr *expr)
{
	bool reads = expr->kind == GEMP_DEGREE || expr->kind == GEMP_LABELS;
	if (expr->kind == GEMP_ATTRIBUTE)
		reads = may_change(m->rules, expr->name, false);
	for (size_t i = 0; i < expr->name_count && expr->kind == GEMP_HAS_LABEL; i++)
		reads |= may_change(m->rules, expr->names[i], true);
	return reads;
}

/* distance[]: of what its variables stand for. Attributes of edges are marked at their ends, which the edges have seen to. */
static void measure_expr(measuring *m, const gemp_pattern *pattern, const unsigned *distance, const gemp_expr *expr)
{
	if (expr->kind == GEMP_EXISTS || expr->kind == GEMP_COUNT_OF) {
		measure_sub(m, pattern->subs[expr->sub], expr, distance);
		return;
	}
	if (expr->variable >= 0 && !expr->of_edge && reads_what_changes(m, expr))
		m->radius = greater(m->radius, distance[expr->variable]);
	for (size_t r = 0; r < expr->relation_count; r++)
		m->relations[r] |= expr->relations[r];
	if (expr->kind == GEMP_DEGREE)
		m->reach = greater(m->reach, distance[expr->variable] + 1);
	for (size_t i = 0; i < expr->count; i++)
		measure_expr(m, pattern, distance, expr->children[i]);
}

/* The nearer end of each edge; within a path, of the edge that is farthest from its ends. */
static void measure_pattern(measuring *m, const gemp_pattern *pattern, unsigned *distance)
{
	relax(pattern, distance);
	for (size_t e = 0; e < pattern->edge_count; e++) {
		const gemp_pattern_edge *edge = &pattern->edges[e];
		unsigned from = distance[edge->from], to = distance[edge->to];
		m->radius = greater(m->radius, (from < to ? from : to) + length_of(edge) - (length_of(edge) > 0));
		for (size_t r = 0; r < pattern->relation_count; r++)
			m->relations[r] |= edge->relations[r];
	}
	for (size_t v = 0; v < pattern->vertex_count; v++) {
		m->reach = greater(m->reach, distance[v]);
		m->radius = greater(m->radius, distance[v] == FAR ? FAR : 0);
	}
	for (size_t i = 0; i < pattern->condition_count; i++)
		measure_expr(m, pattern, distance, pattern->conditions[i].expr);
}

/* CLAUSES */

static void measure_items(measuring *m, const gemp_pattern *pattern, const gemp_clause *clause, const unsigned *distance)
{
	for (size_t i = 0; i < clause->item_count; i++)
		measure_expr(m, pattern, distance, clause->items[i].expr);
}

/* Behind WITH, where variables are its items. */
static void measure_behind(measuring *m, const gemp_pattern *pattern, const unsigned *distance)
{
	const gemp_clause *with = pattern->with;
	unsigned *items = NULL;
	if (m->code == GEMP_OK)
		m->code = GEMP_NEW(items, with->item_count);
	if (m->code != GEMP_OK)
		return;
	for (size_t i = 0; i < with->item_count; i++)
		if (with->items[i].expr->kind == GEMP_VERTEX)
			items[i] = distance[with->items[i].expr->variable];
	measure_items(m, pattern, &pattern->result, items);
	if (with->where)
		measure_expr(m, pattern, items, with->where);
	gemp_free(items);
}

static void measure_optionals(measuring *m, const gemp_pattern *pattern, unsigned *distance)
{
	for (size_t i = 0; i < pattern->optional_count; i++) {
		const gemp_optional *o = &pattern->optionals[i];
		unsigned own[GEMP_MAX_PATTERN_VERTICES];
		for (size_t v = 0; v < o->pattern->vertex_count; v++)
			own[v] = v < o->pattern->given ? distance[o->outer[v]] : FAR;
		measure_pattern(m, o->pattern, own);
		for (size_t v = o->pattern->given; v < o->pattern->vertex_count; v++)
			distance[(size_t)o->first_vertex + v - o->pattern->given] = own[v];
	}
}

/* PLACES */

static gemp_code measure(measuring *m, const gemp_pattern *pattern, int place, gemp_semantics semantics)
{
	gemp_code code = GEMP_OK;
	unsigned *distance = NULL;
	size_t vertices = gemp_pattern_row_vertices(pattern);
	m->radius = m->reach = 0;
	GEMP_TRY(GEMP_NEW(distance, vertices));
	for (size_t v = 0; v < vertices; v++)
		distance[v] = v == (size_t)place ? 0 : FAR;
	measure_pattern(m, pattern, distance);
	if (semantics == GEMP_INDUCED)
		m->radius = greater(m->radius, m->reach);
	measure_optionals(m, pattern, distance);
	measure_items(m, pattern, gemp_pattern_first_clause(pattern), distance);
	if (pattern->with)
		measure_behind(m, pattern, distance);
	code = m->code;
done:
	gemp_free(distance);
	return code;
}

static bool is_moved(const gemp_symmetry *symmetry, int vertex)
{
	for (size_t g = 0; g < gemp_symmetry_generators(symmetry); g++)
		if (gemp_symmetry_generator(symmetry, g)[vertex] != vertex)
			return true;
	return false;
}

static gemp_code find_place(gemp_locality *out, measuring *m, const gemp_rule *rule, gemp_semantics semantics)
{
	gemp_code code = GEMP_OK;
	gemp_symmetry *symmetry = NULL;
	gemp_rule_columns columns;
	gemp_rule_columns_find(&columns, rule);
	GEMP_TRY(gemp_symmetry_find(&symmetry, rule->pattern, true));
	out->radius = FAR;
	for (size_t v = 0; v < rule->pattern->vertex_count; v++) {
		if (columns.vertex[v] == GEMP_NO_COLUMN || is_moved(symmetry, (int)v))
			continue;
		GEMP_TRY(measure(m, rule->pattern, (int)v, semantics));
		if (m->radius < out->radius || (m->radius == out->radius && m->reach < out->reach)) {
			out->vertex = (int)v;
			out->column = columns.vertex[v];
			out->radius = m->radius;
			out->reach = m->reach;
		}
	}
done:
	gemp_symmetry_free(symmetry);
	return code;
}

static const char *why_global(const gemp_rule *rule)
{
	const gemp_pattern *p = rule->pattern;
	int part[GEMP_MAX_PATTERN_VERTICES];
	if (!rule->carries)
		return "a row stands for many matches";
	if (gemp_pattern_parts(p, part) > 1)
		return "its pattern does not hang together";
	if (p->with && (p->with->has_limit || p->with->has_skip))
		return "its WITH takes some of the rows";
	return NULL;
}

gemp_code gemp_locality_find(gemp_locality *out, const gemp_rules *rules, size_t index, const gemp_graph *graph,
                             gemp_semantics semantics)
{
	gemp_code code = GEMP_OK;
	const gemp_rule *rule = &rules->rules[index];
	*out = (gemp_locality){ .global = why_global(rule) };
	if (out->global)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(out->relations, graph->relation_count));
	measuring m = { .rules = rules, .relations = out->relations };
	GEMP_TRY(find_place(out, &m, rule, semantics));
	if (out->radius >= FAR)
		out->global = "it has conditions that hang on no matched vertex, or no vertex that is its own";
	else if (out->radius > MOST_RADIUS)
		out->global = "a match is too wide";
done:
	if (code != GEMP_OK)
		gemp_locality_free(out);
	return code;
}

void gemp_locality_free(gemp_locality *locality)
{
	gemp_free(locality->relations);
	*locality = (gemp_locality){ 0 };
}
