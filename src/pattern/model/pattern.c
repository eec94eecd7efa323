#include "pattern/model/pattern.h"

#include "core/memory.h"
#include "core/text.h"

#include <stdio.h>
#include <string.h>

const char *const gemp_semantics_name[] = { "iso", "edge-iso", "hom", "induced" };
const char *const gemp_distinct_name[] = { "orbit", "subgraph", "vertices", "none" };

gemp_code gemp_pattern_new(gemp_pattern **out, const char *text, const char *file)
{
	gemp_code code = GEMP_OK;
	gemp_pattern *pattern = NULL;
	GEMP_TRY(GEMP_NEW(pattern, 1));
	GEMP_TRY(GEMP_NEW(pattern->vertices, GEMP_MAX_PATTERN_VERTICES));
	GEMP_TRY(GEMP_NEW(pattern->edges, GEMP_MAX_PATTERN_EDGES));
	code = GEMP_ENOMEM;
	pattern->text = gemp_strdup(text);
	if (!pattern->text)
		goto done;
	pattern->file = file ? gemp_strdup(file) : NULL;
	if (file && !pattern->file)
		goto done;
	*out = pattern;
	return GEMP_OK;
done:
	gemp_pattern_free(pattern);
	return code;
}

static void free_clause(gemp_clause *clause)
{
	for (size_t i = 0; i < clause->item_count; i++) {
		gemp_expr_free(clause->items[i].expr);
		gemp_free(clause->items[i].name);
	}
	gemp_expr_free(clause->where);
	gemp_free(clause->items);
	gemp_free(clause->orders);
}

static void free_parts(gemp_pattern *pattern)
{
	for (size_t i = 0; i < pattern->sub_count; i++)
		gemp_pattern_free(pattern->subs[i]);
	for (size_t i = 0; i < pattern->optional_count; i++) {
		gemp_pattern_free(pattern->optionals[i].pattern);
		gemp_free(pattern->optionals[i].outer);
	}
	gemp_free(pattern->subs);
	gemp_free(pattern->optionals);
}

void gemp_pattern_free(gemp_pattern *pattern)
{
	if (!pattern)
		return;
	free_parts(pattern);
	for (size_t v = 0; v < pattern->vertex_count; v++)
		gemp_free(pattern->vertices[v].name);
	for (size_t e = 0; e < pattern->edge_count; e++) {
		gemp_pattern_edge *edge = &pattern->edges[e];
		for (size_t i = 0; i < edge->type_count; i++)
			gemp_free(edge->types[i]);
		gemp_free(edge->types);
		gemp_free(edge->relations);
		gemp_free(edge->name);
	}
	for (size_t i = 0; i < pattern->condition_count; i++)
		gemp_expr_free(pattern->conditions[i].expr);
	free_clause(&pattern->result);
	if (pattern->with)
		free_clause(pattern->with);
	gemp_free(pattern->with);
	gemp_free(pattern->vertices);
	gemp_free(pattern->edges);
	gemp_free(pattern->conditions);
	gemp_free(pattern->text);
	gemp_free(pattern->file);
	gemp_free(pattern);
}

gemp_code gemp_pattern_add_vertex(gemp_pattern *pattern, const char *name, int *index)
{
	if (pattern->vertex_count == GEMP_MAX_PATTERN_VERTICES)
		return gemp_fail(GEMP_EUSAGE, "the pattern has more than %d vertices", GEMP_MAX_PATTERN_VERTICES);
	char *copy = name ? gemp_strdup(name) : NULL;
	if (name && !copy)
		return GEMP_ENOMEM;
	*index = (int)pattern->vertex_count;
	pattern->vertices[pattern->vertex_count++].name = copy;
	return GEMP_OK;
}

gemp_code gemp_pattern_add_edge(gemp_pattern *pattern, const char *name, int from, int to, gemp_direction direction)
{
	if (pattern->edge_count == GEMP_MAX_PATTERN_EDGES)
		return gemp_fail(GEMP_EUSAGE, "the pattern has more than %d edges", GEMP_MAX_PATTERN_EDGES);
	char *copy = name ? gemp_strdup(name) : NULL;
	if (name && !copy)
		return GEMP_ENOMEM;
	pattern->edges[pattern->edge_count++] = (gemp_pattern_edge){
		.name = copy, .from = from, .to = to, .direction = direction, .min_hops = 1, .max_hops = 1
	};
	return GEMP_OK;
}

gemp_code gemp_pattern_add_return(gemp_pattern *pattern, gemp_expr **expr, const char *text, size_t size)
{
	char *name = gemp_strndup(text, size);
	gemp_clause *result = &pattern->result;
	gemp_return_item *more = name ? gemp_realloc(result->items, result->item_count + 1, sizeof *more) : NULL;
	if (!more) {
		gemp_free(name);
		return GEMP_ENOMEM;
	}
	pattern->result.items = more;
	more[pattern->result.item_count++] = (gemp_return_item){ .expr = *expr, .name = name };
	pattern->result.shown = pattern->result.item_count;
	*expr = NULL;
	return GEMP_OK;
}

/* Name of a vertex of the row, NULL: anonymous. */
static const char *row_name(const gemp_pattern *pattern, size_t vertex)
{
	if (vertex < pattern->vertex_count)
		return pattern->vertices[vertex].name;
	const gemp_optional *part = pattern->optionals + pattern->optional_count - 1;
	while ((size_t)part->first_vertex > vertex)
		part--;
	return part->pattern->vertices[part->pattern->arguments + vertex - (size_t)part->first_vertex].name;
}

gemp_code gemp_pattern_return_vertices(gemp_pattern *pattern)
{
	bool named = false;
	size_t count = gemp_pattern_row_vertices(pattern);
	for (size_t v = 0; v < count; v++)
		named = named || row_name(pattern, v);
	for (size_t v = 0; v < count; v++) {
		char number[24];
		const char *name = row_name(pattern, v);
		gemp_expr *expr;
		if (named && !name)
			continue;
		snprintf(number, sizeof number, "v%zu", v);
		name = name ? name : number;
		gemp_code code = gemp_expr_new(&expr, GEMP_VERTEX, 0, 0);
		if (code == GEMP_OK) {
			expr->variable = (int)v;
			code = gemp_pattern_add_return(pattern, &expr, name, strlen(name));
			gemp_expr_free(expr);
		}
		if (code != GEMP_OK)
			return code;
	}
	return GEMP_OK;
}

gemp_code gemp_pattern_add_with(gemp_pattern *pattern)
{
	return GEMP_NEW(pattern->with, 1);
}

int gemp_pattern_components(const gemp_pattern *pattern, int part[GEMP_MAX_PATTERN_VERTICES])
{
	int parts = 0;
	for (size_t v = 0; v < pattern->vertex_count; v++)
		part[v] = -1;
	for (size_t v = 0; v < pattern->vertex_count; v++) {
		if (part[v] >= 0)
			continue;
		part[v] = parts;
		for (bool grown = true; grown;) {
			grown = false;
			for (size_t e = 0; e < pattern->edge_count; e++) {
				int *from = &part[pattern->edges[e].from], *to = &part[pattern->edges[e].to];
				if ((*from == parts) != (*to == parts)) {
					*from = *to = parts;
					grown = true;
				}
			}
		}
		parts++;
	}
	return parts;
}

void gemp_pattern_print_components(const gemp_pattern *pattern, const int *part, int parts, gemp_text *out)
{
	gemp_text_print(out, "the pattern falls into %d parts that no edge joins: ", parts);
	for (int p = 0; p < parts; p++) {
		bool first = true;
		gemp_text_print(out, "%s(", p == 0 ? "" : p + 1 < parts ? ", " : " and ");
		for (size_t v = 0; v < pattern->vertex_count; v++) {
			if (part[v] != p)
				continue;
			const char *name = pattern->vertices[v].name;
			gemp_text_print(out, first ? "" : ", ");
			if (name)
				gemp_text_print(out, "%s", name);
			else
				gemp_text_print(out, "v%zu", v);
			first = false;
		}
		gemp_text_print(out, ")");
	}
}

size_t gemp_pattern_row_vertices(const gemp_pattern *pattern)
{
	size_t count = pattern->vertex_count;
	for (size_t i = 0; i < pattern->optional_count; i++)
		count += pattern->optionals[i].pattern->vertex_count - pattern->optionals[i].pattern->arguments;
	return count;
}

size_t gemp_pattern_row_edges(const gemp_pattern *pattern)
{
	size_t count = pattern->edge_count;
	for (size_t i = 0; i < pattern->optional_count; i++)
		count += pattern->optionals[i].pattern->edge_count;
	return count;
}

const gemp_clause *gemp_pattern_first_clause(const gemp_pattern *pattern)
{
	return pattern->with ? pattern->with : &pattern->result;
}
