/* Conditions on one attribute that are ranges are intersected as ranges of the index, before any vertex is read. Of
 * several indexes and lists the one with the fewest vertices is read; the search tests all conditions again. */

#include "query/anchors.h"

#include "core/limits.h"
#include "graph/point_reader.h"
#include "match/filter/value_lookup.h"
#include "pattern/condition/expr_text.h"

#include <stdlib.h>

/* For qsort. */
static int compare_ids(const void *a, const void *b)
{
	const gemp_vertex x = *(const gemp_vertex *)a, y = *(const gemp_vertex *)b;
	return (x > y) - (x < y);
}

void gemp_vertex_set_sort(gemp_vertex_set *set)
{
	size_t kept = 0;
	if (set->count)
		qsort(set->ids, set->count, sizeof *set->ids, compare_ids);
	for (size_t i = 0; i < set->count; i++)
		if (i == 0 || set->ids[i] != set->ids[i - 1])
			set->ids[kept++] = set->ids[i];
	set->count = kept;
}

/* Whether a condition compares the key of a vertex with literals that can be keys. */
static bool is_of_keys(const gemp_shard *graph, const gemp_expr *expr)
{
	bool literals = true;
	if ((expr->kind != GEMP_EQ && expr->kind != GEMP_IN) || expr->children[0]->kind != GEMP_KEY ||
	    expr->children[0]->of_edge)
		return false;
	for (size_t i = 1; i < expr->count; i++)
		literals = literals && expr->children[i]->kind == GEMP_LITERAL && !expr->children[i]->value.null &&
		           expr->children[i]->value.type == graph->keys.type;
	return literals;
}

/* Whether a condition is on vertex v alone and can be looked up. *index: the index of values, or GEMP_NO_LOOKUP for
 * keys. */
static bool is_anchor(const gemp_shard *graph, const gemp_condition *condition, size_t v, int *index)
{
	if (condition->vertices != GEMP_BIT(v) || condition->edges)
		return false;
	*index = gemp_value_lookup_index(graph, condition->expr);
	return *index != GEMP_NO_LOOKUP || is_of_keys(graph, condition->expr);
}

bool gemp_anchors_may_exist(const gemp_shard *graph, const gemp_pattern *pattern)
{
	int index;
	for (size_t i = 0; i < pattern->condition_count; i++)
		for (size_t v = 0; v < pattern->vertex_count; v++)
			if (is_anchor(graph, &pattern->conditions[i], v, &index))
				return true;
	return false;
}

/* The best way to look up a pattern vertex. */
typedef struct lookup {
	const gemp_shard *graph;
	uint64_t count; /* vertices */
	int index;      /* GEMP_NO_LOOKUP: by keys */
	size_t span_count;
	gemp_value_span *spans;          /* [span_count] owned; of the index */
	const gemp_condition *condition; /* the list, or the last range */
	bool found;
} lookup;

/* Cuts spans to the entries of the index, and returns their total length. */
static uint64_t cut(const gemp_shard *graph, int index, gemp_value_span *spans, size_t count)
{
	uint64_t total = 0;
	for (size_t i = 0; i < count; i++) {
		spans[i].end = gemp_min(spans[i].end, graph->value_indexes[index].entries);
		spans[i].end = gemp_max(spans[i].end, spans[i].begin);
		total += spans[i].end - spans[i].begin;
	}
	return total;
}

/* Keeps the spans, which it takes over, if they have fewer vertices than the best so far. */
static void consider(lookup *best, int index, const gemp_condition *condition, gemp_value_span **spans, size_t count,
                     uint64_t total)
{
	if (best->found && total >= best->count)
		return;
	gemp_free(best->spans);
	best->spans = *spans;
	*spans = NULL;
	best->span_count = count;
	best->count = total;
	best->index = index;
	best->condition = condition;
	best->found = true;
}

/* Considers the ranges of one index together. */
static gemp_code consider_ranges(lookup *best, const gemp_pattern *pattern, size_t v, int index)
{
	const gemp_point_reader *points = best->graph->loader.points;
	GEMP_OWNED gemp_value_span *whole = NULL;
	const gemp_condition *last = NULL;
	gemp_value_span span;
	int of;
	GEMP_TRY(GEMP_NEW(whole, 1));
	whole->end = UINT64_MAX;
	for (size_t i = 0; i < pattern->condition_count; i++) {
		const gemp_condition *condition = &pattern->conditions[i];
		if (condition->expr->kind == GEMP_IN || !is_anchor(best->graph, condition, v, &of) || of != index)
			continue;
		GEMP_TRY(gemp_value_lookup_spans(points, index, condition->expr, &span));
		whole->begin = gemp_max(whole->begin, span.begin);
		whole->end = gemp_min(whole->end, span.end);
		last = condition;
	}
	if (last)
		consider(best, index, last, &whole, 1, cut(best->graph, index, whole, 1));
	return GEMP_OK;
}

/* Considers lists, and keys. */
static gemp_code consider_lists(lookup *best, const gemp_pattern *pattern, size_t v)
{
	const gemp_point_reader *points = best->graph->loader.points;
	int index;
	for (size_t i = 0; i < pattern->condition_count; i++) {
		const gemp_condition *condition = &pattern->conditions[i];
		GEMP_OWNED gemp_value_span *spans = NULL;
		const size_t count = gemp_value_lookup_span_count(condition->expr);
		if (!is_anchor(best->graph, condition, v, &index))
			continue;
		if (index == GEMP_NO_LOOKUP) {
			consider(best, index, condition, &spans, 0, count);
		} else if (condition->expr->kind == GEMP_IN) {
			GEMP_TRY(GEMP_NEW(spans, count));
			GEMP_TRY(gemp_value_lookup_spans(points, index, condition->expr, spans));
			const uint64_t total = cut(best->graph, index, spans, count);
			consider(best, index, condition, &spans, count, total);
		}
	}
	return GEMP_OK;
}

/* Finds the vertices of keys. A key that is not found may be at a place where the search does not come, so the set is
 * then not known, and empty as all such sets are. */
static gemp_code read_keys(const lookup *l, gemp_vertex_set *set)
{
	const gemp_point_reader *points = l->graph->loader.points;
	const gemp_expr *expr = l->condition->expr;
	bool found = true;
	GEMP_TRY(GEMP_NEW(set->ids, expr->count - 1));
	for (size_t i = 1; i < expr->count && found; i++) {
		GEMP_TRY(points->find_key(points->self, &expr->children[i]->value, &set->ids[set->count], &found));
		set->count += found;
	}
	set->known = found;
	if (!found) {
		gemp_free(set->ids);
		*set = (gemp_vertex_set){ 0 };
	}
	return GEMP_OK;
}

static gemp_code read_spans(const lookup *l, gemp_vertex_set *set)
{
	const gemp_point_reader *points = l->graph->loader.points;
	GEMP_TRY(GEMP_NEW(set->ids, l->count));
	for (size_t i = 0; i < l->span_count; i++) {
		const size_t some = (size_t)(l->spans[i].end - l->spans[i].begin);
		GEMP_TRY(points->entries(points->self, (size_t)l->index, l->spans[i].begin, some, set->ids + set->count));
		set->count += some;
	}
	set->known = true;
	return GEMP_OK;
}

/* Appends what was looked up: the conditions of the index. */
static void print(const lookup *l, const gemp_pattern *pattern, size_t v, gemp_text *how)
{
	int index;
	for (size_t i = 0; i < pattern->condition_count; i++) {
		const gemp_condition *condition = &pattern->conditions[i];
		const bool list = condition->expr->kind == GEMP_IN || l->index == GEMP_NO_LOOKUP;
		if (!is_anchor(l->graph, condition, v, &index) || index != l->index ||
		    (condition != l->condition && (list || l->condition->expr->kind == GEMP_IN)))
			continue;
		gemp_text_print(how, l->index == GEMP_NO_LOOKUP ? "  order of keys: " : "  index of values: ");
		gemp_expr_print(condition->expr, pattern, how);
		gemp_text_print(how, "\n");
	}
}

/* The lookups of all pattern vertices. */
typedef struct lookup_list {
	lookup of[GEMP_MAX_PATTERN_VERTICES];
} lookup_list;

static void free_lookups(lookup_list *list)
{
	for (size_t v = 0; v < GEMP_MAX_PATTERN_VERTICES; v++)
		gemp_free(list->of[v].spans);
}

/* A connected part of the pattern needs one lookup. Another one pays if it has few vertices, too, since edges between
 * both are then read at the smaller side. */
static bool is_wanted(const lookup_list *list, size_t count, const int *part, size_t v, uint64_t max)
{
	enum { FEW = 1024 };
	const lookup *own = &list->of[v];
	bool least = true;
	for (size_t u = 0; u < count; u++)
		if (list->of[u].found && part[u] == part[v] && u != v)
			least = least && (own->count < list->of[u].count || (own->count == list->of[u].count && v < u));
	return own->found && own->count <= (least ? max : FEW);
}

gemp_code gemp_anchors_find(const gemp_shard *graph, const gemp_pattern *pattern, uint64_t max, gemp_vertex_set *sets,
                            gemp_text *how)
{
	GEMP_OWNED_BY(free_lookups) lookup_list list = { 0 };
	int part[GEMP_MAX_PATTERN_VERTICES];
	gemp_pattern_components(pattern, part);
	for (size_t v = 0; v < pattern->vertex_count; v++) {
		list.of[v].graph = graph;
		for (size_t i = 0; i < graph->value_index_count; i++)
			GEMP_TRY(consider_ranges(&list.of[v], pattern, v, (int)i));
		GEMP_TRY(consider_lists(&list.of[v], pattern, v));
	}
	for (size_t v = 0; v < pattern->vertex_count; v++) {
		const lookup *own = &list.of[v];
		if (!is_wanted(&list, pattern->vertex_count, part, v, max))
			continue;
		GEMP_TRY(own->index == GEMP_NO_LOOKUP ? read_keys(own, &sets[v]) : read_spans(own, &sets[v]));
		gemp_vertex_set_sort(&sets[v]);
		if (sets[v].known && how)
			print(own, pattern, v, how);
	}
	return how ? gemp_text_status(how) : GEMP_OK;
}
