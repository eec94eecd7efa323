/* A pattern owns everything to which it refers, inner patterns included. The elements of a row are numbered in the
 * order of the pattern and its OPTIONAL MATCHes, so the first number of each OPTIONAL MATCH tells to which pattern an
 * element belongs. */

#include "pattern/model/pattern.h"

#include "core/memory.h"
#include "core/text.h"

#include <stdio.h>
#include <string.h>

const char *const gemp_semantics_name[] = { "iso", "edge-iso", "hom", "induced" };
const char *const gemp_distinct_name[] = { "orbit", "subgraph", "vertices", "none" };

/* The arrays of vertices and edges have their full capacity from the start (32 and 64), so that pointers to elements
 * stay valid. */
gemp_code gemp_pattern_new(gemp_pattern **out, const char *text, const char *file)
{
	GEMP_OWNED_BY(gemp_pattern_free_at) gemp_pattern *pattern = NULL;
	GEMP_TRY(GEMP_NEW(pattern, 1));
	GEMP_TRY(GEMP_NEW(pattern->vertices, GEMP_MAX_PATTERN_VERTICES));
	GEMP_TRY(GEMP_NEW(pattern->edges, GEMP_MAX_PATTERN_EDGES));
	pattern->text = gemp_strdup(text);
	pattern->file = file ? gemp_strdup(file) : NULL;
	if (!pattern->text || (file && !pattern->file))
		return GEMP_ENOMEM;
	*out = pattern;
	pattern = NULL;
	return GEMP_OK;
}

/* Frees the contents of a clause. RETURN is part of the pattern's block; WITH has a block of its own. */
static void free_clause(gemp_clause *clause)
{
	for (size_t i = 0; i < clause->item_count; i++) {
		gemp_expr_free(clause->items[i].expr);
		gemp_free(clause->items[i].name);
	}
	gemp_expr_free(clause->where);
	gemp_free_all(clause->items, clause->orders);
}

/* A pattern owns its inner patterns, so freeing is recursive. */
static void free_parts(gemp_pattern *pattern)
{
	for (size_t i = 0; i < pattern->sub_count; i++)
		gemp_pattern_free(pattern->subs[i]);
	for (size_t i = 0; i < pattern->optional_count; i++) {
		gemp_pattern_free(pattern->optionals[i].pattern);
		gemp_free(pattern->optionals[i].outer);
	}
	gemp_free_all(pattern->subs, pattern->optionals);
}

/* The pattern may be only partly built, because the counts cover initialised elements only. */
void gemp_pattern_free(gemp_pattern *pattern)
{
	if (!pattern)
		return;
	free_parts(pattern);
	for (size_t v = 0; v < pattern->vertex_count; v++)
		gemp_free(pattern->vertices[v].name);
	for (size_t e = 0; e < pattern->edge_count; e++) {
		gemp_pattern_edge *edge = &pattern->edges[e];
		gemp_names_free(edge->types, edge->type_count);
		gemp_free_all(edge->relations, edge->name);
	}
	for (size_t i = 0; i < pattern->condition_count; i++)
		gemp_expr_free(pattern->conditions[i].expr);
	free_clause(&pattern->result);
	if (pattern->with)
		free_clause(pattern->with);
	gemp_free_all(pattern->with, pattern->vertices, pattern->edges, pattern->conditions, pattern->text, pattern->file,
	              pattern);
}

/* Each condition must use at least one element, because the planner assigns a condition to the step that binds its last
 * element. */
bool gemp_pattern_is_valid(const gemp_pattern *pattern)
{
	int vertices = (int)pattern->vertex_count;
	bool valid = vertices <= GEMP_MAX_PATTERN_VERTICES && pattern->edge_count <= GEMP_MAX_PATTERN_EDGES &&
	             pattern->arguments <= pattern->vertex_count && pattern->result.shown <= pattern->result.item_count;
	for (size_t e = 0; e < pattern->edge_count && valid; e++) {
		const gemp_pattern_edge *edge = &pattern->edges[e];
		valid = edge->from >= 0 && edge->from < vertices && edge->to >= 0 && edge->to < vertices;
	}
	for (size_t i = 0; i < pattern->condition_count && valid; i++)
		valid = pattern->conditions[i].expr && (pattern->conditions[i].vertices | pattern->conditions[i].edges);
	return valid;
}

/* The message has no place, because a pattern may be made from the name of a shape. A caller that knows the place adds
 * it. */
gemp_code gemp_pattern_add_vertex(gemp_pattern *pattern, const char *name, int *index)
{
	if (pattern->vertex_count == GEMP_MAX_PATTERN_VERTICES)
		return gemp_fail(GEMP_EUSAGE, "the pattern has more than %d vertices", GEMP_MAX_PATTERN_VERTICES);
	*index = (int)pattern->vertex_count++;
	pattern->vertices[*index].name = name ? gemp_strdup(name) : NULL;
	return name && !pattern->vertices[*index].name ? GEMP_ENOMEM : GEMP_OK;
}

/* Parallel edges and loops are allowed here. Shapes and query graphs refuse them. */
gemp_code gemp_pattern_add_edge(gemp_pattern *pattern, const char *name, int from, int to, gemp_direction direction)
{
	if (pattern->edge_count == GEMP_MAX_PATTERN_EDGES)
		return gemp_fail(GEMP_EUSAGE, "the pattern has more than %d edges", GEMP_MAX_PATTERN_EDGES);
	gemp_pattern_edge *edge = &pattern->edges[pattern->edge_count++];
	*edge = (gemp_pattern_edge){ .from = from, .to = to, .direction = direction, .min_hops = 1, .max_hops = 1 };
	edge->name = name ? gemp_strdup(name) : NULL;
	return name && !edge->name ? GEMP_ENOMEM : GEMP_OK;
}

/* After a failure *expr still belongs to the caller. */
gemp_code gemp_clause_add_item(gemp_clause *clause, gemp_expr **expr, const char *name, size_t size)
{
	gemp_return_item item = { .expr = *expr, .name = gemp_strndup(name, size) };
	gemp_code code = item.name ? GEMP_APPEND(clause->items, clause->item_count, &item) : GEMP_ENOMEM;
	if (code == GEMP_OK)
		*expr = NULL;
	else
		gemp_free(item.name);
	return code;
}

/* All items so far are shown. Hidden items are added later, by gemp_clause_add_item. */
gemp_code gemp_pattern_add_return(gemp_pattern *pattern, gemp_expr **expr, const char *text, size_t size)
{
	GEMP_TRY(gemp_clause_add_item(&pattern->result, expr, text, size));
	pattern->result.shown = pattern->result.item_count;
	return GEMP_OK;
}

/* Returns the last optional whose new vertices (edges) begin at or before `variable`. Optionals are in ascending
 * order. */
const gemp_optional *gemp_pattern_optional_of(const gemp_pattern *pattern, int variable, bool edge)
{
	const gemp_optional *optional = pattern->optionals + pattern->optional_count - 1;
	while ((edge ? optional->first_edge : optional->first_vertex) > variable)
		optional--;
	return optional;
}

/* The edges of the optionals follow the edges of the pattern, in the order of the optionals. */
const gemp_pattern_edge *gemp_pattern_row_edge(const gemp_pattern *pattern, size_t e)
{
	if (e < pattern->edge_count)
		return &pattern->edges[e];
	const gemp_optional *optional = gemp_pattern_optional_of(pattern, (int)e, true);
	return &optional->pattern->edges[e - (size_t)optional->first_edge];
}

/* In the pattern of an optional, the new vertices follow the arguments. */
const char *gemp_pattern_row_name(const gemp_pattern *pattern, int variable, bool edge)
{
	size_t index = (size_t)variable;
	if (edge)
		return gemp_pattern_row_edge(pattern, index)->name;
	if (index < pattern->vertex_count)
		return pattern->vertices[index].name;
	const gemp_optional *optional = gemp_pattern_optional_of(pattern, variable, false);
	return optional->pattern->vertices[optional->pattern->arguments + index - (size_t)optional->first_vertex].name;
}

/* Paths of variable length are expanded into variants (plan/derive.h) before a search. */
bool gemp_pattern_has_paths(const gemp_pattern *pattern)
{
	for (size_t e = 0; e < pattern->edge_count; e++)
		if (pattern->edges[e].path)
			return true;
	return false;
}

/* A pattern has at most 64 edges, so a linear search is enough. */
bool gemp_pattern_joins(const gemp_pattern *pattern, int a, int b)
{
	for (size_t e = 0; e < pattern->edge_count; e++) {
		const gemp_pattern_edge *edge = &pattern->edges[e];
		if ((edge->from == a && edge->to == b) || (edge->from == b && edge->to == a))
			return true;
	}
	return false;
}

/* Anonymous vertices are returned only if no vertex has a name. */
gemp_code gemp_pattern_return_vertices(gemp_pattern *pattern)
{
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *expr = NULL;
	bool named = false;
	int count = (int)gemp_pattern_row_vertices(pattern);
	for (int v = 0; v < count; v++)
		named = named || gemp_pattern_row_name(pattern, v, false);
	for (int v = 0; v < count; v++) {
		char number[24];
		const char *name = gemp_pattern_row_name(pattern, v, false);
		if (named && !name)
			continue;
		snprintf(number, sizeof number, "v%d", v);
		name = name ? name : number;
		GEMP_TRY(gemp_expr_new_element(&expr, v, false, 0, 0));
		GEMP_TRY(gemp_pattern_add_return(pattern, &expr, name, strlen(name)));
	}
	return GEMP_OK;
}

/* Grows one component until no edge leaves it, then starts the next component. With at most 32 vertices this is
 * fast. */
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

/* Lists the vertices of each component, so that the user sees where an edge is missing. Anonymous vertices are listed
 * by number. */
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
			first = false;
			if (name)
				gemp_text_print(out, "%s", name);
			else
				gemp_text_print(out, "v%zu", v);
		}
		gemp_text_print(out, ")");
	}
}

/* Shapes and query graphs must be connected. A query may have several components, because conditions can join them. */
gemp_code gemp_pattern_check_connected(const gemp_pattern *pattern, const char *prefix)
{
	int part[GEMP_MAX_PATTERN_VERTICES], parts = gemp_pattern_components(pattern, part);
	if (parts == 1)
		return GEMP_OK;
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	gemp_pattern_print_components(pattern, part, parts, &text);
	gemp_text_print(&text, "; join the parts by an edge, or write a query");
	GEMP_TRY(gemp_text_status(&text));
	return gemp_fail(GEMP_EUSAGE, "%s: %s", prefix, text.data);
}

/* The arguments of an optional are vertices that the row has already, so they are not counted again. */
size_t gemp_pattern_row_vertices(const gemp_pattern *pattern)
{
	size_t count = pattern->vertex_count;
	for (size_t i = 0; i < pattern->optional_count; i++)
		count += pattern->optionals[i].pattern->vertex_count - pattern->optionals[i].pattern->arguments;
	return count;
}

/* All edges of an optional are new. */
size_t gemp_pattern_row_edges(const gemp_pattern *pattern)
{
	size_t count = pattern->edge_count;
	for (size_t i = 0; i < pattern->optional_count; i++)
		count += pattern->optionals[i].pattern->edge_count;
	return count;
}

/* Only the expressions of the first clause use the pattern's variables. Later clauses use the items of the first
 * clause. */
const gemp_clause *gemp_pattern_first_clause(const gemp_pattern *pattern)
{
	return pattern->with ? pattern->with : &pattern->result;
}
