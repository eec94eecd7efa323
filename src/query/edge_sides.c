#include "query/edge_sides.h"

#include "core/status.h"

enum { SOURCE = 1, TARGET = 2, MAX_SIDED = 8 }; /* larger patterns have no sums */

/* PATTERNS */

static bool only_label_tests(const gemp_pattern *pattern)
{
	for (size_t i = 0; i < pattern->condition_count; i++)
		if (pattern->conditions[i].expr->kind != GEMP_HAS_LABEL || pattern->conditions[i].expr->of_edge)
			return false;
	return pattern->condition_count > 0;
}

/* Sets side[v] to the ends of edges that vertex v is. Edges without a direction make it both. */
static void find_sides(const gemp_pattern *pattern, unsigned side[GEMP_MAX_PATTERN_VERTICES])
{
	for (size_t v = 0; v < pattern->vertex_count; v++)
		side[v] = 0;
	for (size_t e = 0; e < pattern->edge_count; e++) {
		const gemp_pattern_edge *edge = &pattern->edges[e];
		const bool either = edge->direction == GEMP_EITHER;
		side[edge->from] |= either ? SOURCE | TARGET : SOURCE;
		side[edge->to] |= either ? SOURCE | TARGET : TARGET;
	}
}

/* Extends an automorphism that exchanges the sides. image[0] to image[v - 1] are known; `used` is their set. */
static bool can_exchange(const gemp_pattern *pattern, const unsigned *side, int *image, size_t v, uint64_t used)
{
	if (v == pattern->vertex_count)
		return true;
	for (int w = 0; w < (int)pattern->vertex_count; w++) {
		bool fits = !(used & GEMP_BIT(w)) && side[w] == (side[v] ^ (SOURCE | TARGET));
		for (size_t u = 0; u < v && fits; u++)
			fits = gemp_pattern_joins(pattern, (int)u, (int)v) == gemp_pattern_joins(pattern, image[u], w);
		image[v] = w;
		if (fits && can_exchange(pattern, side, image, v + 1, used | GEMP_BIT(w)))
			return true;
	}
	return false;
}

/* Edges of several MATCH need not differ, so an automorphism would have to keep their MATCH. A single edge and a path
 * of two edges gain nothing. */
static bool is_two_sided(const gemp_pattern *pattern)
{
	unsigned side[GEMP_MAX_PATTERN_VERTICES];
	int image[GEMP_MAX_PATTERN_VERTICES];
	if (pattern->simple || pattern->vertex_count < 4 || pattern->vertex_count > MAX_SIDED)
		return false;
	find_sides(pattern, side);
	for (size_t v = 0; v < pattern->vertex_count; v++)
		if (side[v] != SOURCE && side[v] != TARGET)
			return false;
	for (size_t e = 0; e < pattern->edge_count; e++)
		if (pattern->edges[e].match != pattern->edges[0].match || pattern->edges[e].path)
			return false;
	return can_exchange(pattern, side, image, 0, 0);
}

gemp_edge_sides gemp_edge_sides_of_pattern(const gemp_pattern *pattern)
{
	return (gemp_edge_sides){ .implied = only_label_tests(pattern), .two_sided = is_two_sided(pattern) };
}

/* GRAPHS */

/* Returns of which ends of edges of the relations a vertex of this rank is. An edge of a relation without direction may
 * be read from both ends. */
static unsigned side_of_row(const gemp_shard *graph, const bool *relations, size_t row)
{
	unsigned side = 0;
	for (size_t r = 0; r < graph->relation_count; r++) {
		const gemp_relation *relation = &graph->relations[r];
		if (!relations[r])
			continue;
		unsigned ends = relation->out_offsets[row + 1] > relation->out_offsets[row] ? SOURCE : 0;
		ends |= relation->in_offsets[row + 1] > relation->in_offsets[row] ? TARGET : 0;
		side |= ends && !relation->directed ? SOURCE | TARGET : ends;
	}
	return side;
}

/* allowed[side][set] is false if a vertex of this label set would fail a test of a pattern vertex of this side. */
static void find_allowed(const gemp_pattern *pattern, size_t sets, bool *allowed)
{
	unsigned side[GEMP_MAX_PATTERN_VERTICES];
	find_sides(pattern, side);
	for (size_t i = 0; i < (SOURCE | TARGET) * sets + sets; i++)
		allowed[i] = true;
	for (size_t i = 0; i < pattern->condition_count; i++) {
		const gemp_expr *test = pattern->conditions[i].expr;
		for (size_t set = 0; set < sets; set++)
			for (unsigned end = SOURCE; end <= (SOURCE | TARGET); end++)
				if (side[test->variable] & end)
					allowed[end * sets + set] &= test->label_sets[set];
	}
}

/* Looks at the vertices of this rank. */
static gemp_code check_rows(gemp_edge_sides *sides, const gemp_shard *graph, const gemp_pattern *pattern)
{
	GEMP_OWNED bool *allowed = NULL;
	const size_t sets = graph->label_set_count;
	GEMP_TRY(GEMP_NEW(allowed, (SOURCE | TARGET) * sets + sets));
	if (sides->implied)
		find_allowed(pattern, sets, allowed);
	for (size_t row = 0; row < graph->rows && (sides->implied || sides->two_sided); row++) {
		const unsigned side = side_of_row(graph, pattern->edges[0].relations, row);
		sides->two_sided &= side != (SOURCE | TARGET);
		if (side && sides->implied)
			sides->implied = allowed[side * sets + graph->label_set_of[row]];
	}
	return GEMP_OK;
}

gemp_code gemp_edge_sides_check(gemp_edge_sides *sides, gemp_runtime *context, gemp_shard *graph,
                                const gemp_pattern *pattern)
{
	const bool *relations = pattern->edges[0].relations;
	if (sides->implied)
		GEMP_TRY(gemp_shard_load_labels(graph));
	for (size_t r = 0; r < graph->relation_count; r++)
		if (relations[r])
			GEMP_TRY(gemp_shard_load_relation(graph, r, GEMP_LOAD_OUT | GEMP_LOAD_IN));
	GEMP_TRY(gemp_comm_agree(context->comm, check_rows(sides, graph, pattern)));
	sides->implied = gemp_comm_sum1(context->comm, !sides->implied) == 0;
	sides->two_sided = gemp_comm_sum1(context->comm, !sides->two_sided) == 0;
	return GEMP_OK;
}
