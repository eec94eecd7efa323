#include "count/planner.h"

#include "core/memory.h"
#include "count/derive.h"

#include <stdlib.h>
#include <string.h>

enum {
	MAX_CLIQUE = 12, /* maximum number of vertices of a clique for which there are kernels */
	MAX_STAR = 21,   /* maximum number of vertices of a star: 20!, the number of its automorphisms, fits into 64 bits */
};

/* Do all edges allow the same relations? All sums are over one view. */
static bool same_edges(const gemp_pattern *pattern)
{
	for (size_t e = 1; e < pattern->edge_count && !pattern->simple; e++)
		for (size_t r = 0; r < pattern->relation_count; r++)
			if (pattern->edges[e].relations[r] != pattern->edges[0].relations[r])
				return false;
	return true;
}

/* Parallel edges are excluded by the number of edges. */
static bool is_clique(const gemp_pattern *pattern)
{
	int size = (int)pattern->vertex_count;
	bool all = pattern->edge_count == pattern->vertex_count * (pattern->vertex_count - 1) / 2;
	for (int a = 0; a < size; a++)
		for (int b = 0; b < a && all; b++)
			all = gemp_pattern_joins(pattern, a, b);
	return all;
}

/* Is some vertex an end of every edge, with one edge fewer than vertices? */
static bool is_star(const gemp_pattern *pattern)
{
	bool star = false;
	for (int v = 0; v < (int)pattern->vertex_count && !star; v++) {
		star = pattern->edge_count + 1 == pattern->vertex_count;
		for (size_t e = 0; e < pattern->edge_count; e++)
			star = star && (pattern->edges[e].from == v || pattern->edges[e].to == v);
	}
	return star;
}

/* Must two edges have different images? */
static bool must_differ(const gemp_pattern *pattern, const gemp_count_planner_options *options, size_t e, size_t f)
{
	const bool one_match = pattern->edges[e].match == pattern->edges[f].match;
	return e != f && (options->iso || (options->edge_iso && one_match));
}

static bool all_differ(const gemp_pattern *pattern, const gemp_count_planner_options *options)
{
	for (size_t e = 0; e < pattern->edge_count; e++)
		for (size_t f = 0; f < e; f++)
			if (!must_differ(pattern, options, e, f))
				return false;
	return true;
}

/* Cliques, and stars whose edges must differ, may have more vertices than a term. If leaves of a star may coincide, its
 * matches are no binomial coefficient. */
static size_t max_vertices(const gemp_pattern *pattern, const gemp_count_planner_options *options)
{
	if (is_clique(pattern))
		return MAX_CLIQUE;
	return is_star(pattern) && all_differ(pattern, options) ? MAX_STAR : GEMP_MAX_TERM;
}

/* The order of the tests decides which reason the user sees. */
const char *gemp_count_refusal(const gemp_pattern *pattern, const gemp_count_planner_options *options)
{
	int part[GEMP_MAX_PATTERN_VERTICES];
	if (!options->iso && !options->edge_iso && !options->hom)
		return "only semantics iso is counted so, and edge-iso and hom with distinct none";
	if (pattern->condition_count && !options->implied)
		return "it has conditions";
	if (pattern->vertex_count < 2 || pattern->vertex_count > max_vertices(pattern, options))
		return "its vertices are too many or too few";
	if (pattern->arguments || gemp_pattern_components(pattern, part) != 1)
		return "it is not one connected pattern";
	if (!same_edges(pattern))
		return "its edges are of several types";
	if (options->parallel)
		return "the graph has parallel edges";
	if (options->loops)
		return "the graph has loops";
	for (size_t e = 0; e < pattern->edge_count; e++) {
		const gemp_pattern_edge *edge = &pattern->edges[e];
		if (edge->direction != GEMP_EITHER && !pattern->simple && !options->two_sided)
			return "its edges are directed";
		if (edge->path || edge->from == edge->to)
			return "it has a loop or a path of variable length";
	}
	return NULL;
}

/* Lists the edges, and which of them must have different images. */
static void list_edges(gemp_term_edges *out, const gemp_pattern *pattern, const gemp_count_planner_options *options)
{
	out->count = pattern->edge_count;
	for (size_t e = 0; e < pattern->edge_count; e++) {
		out->ends[e][0] = pattern->edges[e].from;
		out->ends[e][1] = pattern->edges[e].to;
		out->differ[e] = 0;
		for (size_t f = 0; f < pattern->edge_count; f++)
			out->differ[e] |= must_differ(pattern, options, e, f) ? GEMP_BIT(f) : 0;
	}
}

/* Makes the terms. Under iso every two non-adjacent vertices must differ, which implies that edges differ; adjacent
 * vertices always differ, since the view is simple. *reason is set if there are no terms. */
static void make_terms(gemp_term_sum *out, const gemp_pattern *pattern, const gemp_count_planner_options *options,
                       const char **reason)
{
	gemp_term term = { .size = (int)pattern->vertex_count };
	gemp_term_edges edges;
	list_edges(&edges, pattern, options);
	for (size_t e = 0; e < edges.count; e++) {
		int a = edges.ends[e][0], b = edges.ends[e][1];
		term.adjacent[a] |= (uint8_t)(1u << b);
		term.adjacent[b] |= (uint8_t)(1u << a);
	}
	for (int i = 0; i < term.size && options->iso; i++)
		for (int j = 0; j < i; j++)
			gemp_term_set_differ(&term, i, j, !gemp_term_adjacent(&term, i, j));
	if (!gemp_distinct_edges(out, &term, &edges))
		*reason = "its edges coincide in too many ways";
	else if (!out->count)
		*reason = "two edges join one pair of its vertices";
}

/* FROM DERIVATION TO PLAN */
static gemp_code print_expression(char **out, const gemp_polynomial *polynomial)
{
	gemp_text text = { 0 };
	gemp_polynomial_print(polynomial, &text);
	gemp_code code = gemp_text_status(&text);
	if (code == GEMP_OK)
		*out = text.data;
	else
		gemp_text_free(&text);
	return code;
}

/* Adds the vertex tables, each of which is one monomial. The supports in the monomials decide which supports the engine
 * computes. */
static gemp_code add_tables(gemp_count_plan *plan, const gemp_derivation *d)
{
	plan->table_count = d->table_count;
	for (size_t k = 1; k < d->table_count; k++) {
		gemp_polynomial one = { 0 };
		gemp_polynomial_add(&one, &d->tables[k], 1);
		plan->ordered_support |= gemp_polynomial_mentions(&one, GEMP_SYMBOL_OVER);
		plan->support |= plan->ordered_support || gemp_polynomial_mentions(&one, gemp_symbol_support(0, 1));
		GEMP_TRY(print_expression(&plan->tables[k].expression, &one));
	}
	return GEMP_OK;
}

/* Returns the greatest common divisor of all factors and `order`. */
static uint64_t common_factor(const gemp_derivation *d, uint64_t order)
{
	uint64_t common = order;
	for (size_t kind = 0; kind <= GEMP_SUM_NEIGHBOURS; kind++)
		common = gemp_polynomial_divisor(&d->sums[kind], common);
	for (size_t i = 0; i < GEMP_PLAIN_SUMS; i++)
		common = gemp_common_divisor((uint64_t)llabs((long long)d->plain[i]), common);
	return common;
}

/* Adds one sum for each kind that has monomials, in the order of kinds; then the sums without an expression. */
static gemp_code add_sums(gemp_count_plan *plan, gemp_derivation *d, uint64_t order)
{
	uint64_t common = common_factor(d, order);
	plan->divisor = order / common;
	for (gemp_sum_kind kind = 0; kind <= GEMP_SUM_NEIGHBOURS; kind++) {
		gemp_polynomial *p = &d->sums[kind];
		if (!p->count)
			continue;
		gemp_polynomial_divide(p, common);
		for (int i = 0; i < 3; i++)
			plan->support |= gemp_polynomial_mentions(p, GEMP_SYMBOL_SUPPORT + i);
		plan->support |= kind == GEMP_SUM_NEIGHBOURS;
		gemp_sum *sum = &plan->sums[plan->sum_count++];
		const gemp_monomial none = { 0 };
		bool plain = p->count == 1 && !memcmp(&p->terms[0].monomial, &none, sizeof none);
		*sum = (gemp_sum){ .kind = kind, .factor = plain ? p->terms[0].factor : 1 };
		for (size_t i = 0; i < p->count; i++)
			if (p->terms[i].monomial.power[GEMP_SYMBOL_COMMON] > sum->power)
				sum->power = p->terms[i].monomial.power[GEMP_SYMBOL_COMMON];
		if (!plain)
			GEMP_TRY(print_expression(&sum->expression, p));
		if (kind == GEMP_SUM_VERTICES) {
			GEMP_TRY(GEMP_NEW(sum->polynomial, 1));
			*sum->polynomial = *p;
		}
	}
	for (int i = 0; i < GEMP_PLAIN_SUMS; i++)
		if (d->plain[i])
			plan->sums[plan->sum_count++] = (gemp_sum){ .kind = i == GEMP_PLAIN_JOINED       ? GEMP_SUM_JOINED
				                                                : i == GEMP_PLAIN_PATH_PAIRS ? GEMP_SUM_PATH_PAIRS
				                                                                             : GEMP_SUM_CLIQUES,
				                                        .clique = i <= GEMP_MAX_TERM ? i : 0,
				                                        .factor = d->plain[i] / (int64_t)common };
	return GEMP_OK;
}

/* The divisor contains the scale of the derivation and the number of automorphisms, `order`. */
static gemp_code plan_by_terms(gemp_count_plan **out, const gemp_term_sum *terms, uint64_t order,
                               const gemp_count_planner_options *options, const char **reason)
{
	GEMP_OWNED_BY(gemp_count_plan_free_at) gemp_count_plan *plan = NULL;
	GEMP_OWNED gemp_derivation *d = NULL;
	bool found = false;
	GEMP_TRY(GEMP_NEW(d, 1));
	GEMP_TRY(gemp_derive(d, terms, options->codegrees, options->ordered, &found));
	if (found) {
		GEMP_TRY(GEMP_NEW(plan, 1));
		GEMP_TRY(add_tables(plan, d));
		GEMP_TRY(add_sums(plan, d, order * GEMP_DERIVATION_SCALE));
		*out = plan;
		plan = NULL;
	} else {
		*reason = options->ordered ? "no sums are known that give it" : "no sums are known that give it on this device";
	}
	return GEMP_OK;
}

/* Plans a clique or star that has more vertices than a term. One sum counts it. The factor is the number of maps onto
 * one image, divided by the automorphisms. */
static gemp_code plan_of_large(gemp_count_plan **out, const gemp_pattern *pattern, uint64_t order)
{
	int size = (int)pattern->vertex_count;
	bool star = is_star(pattern);
	GEMP_TRY(GEMP_NEW(*out, 1));
	(*out)->table_count = (*out)->sum_count = 1;
	(*out)->divisor = 1;
	(*out)->sums[0] = (gemp_sum){ .kind = star ? GEMP_SUM_VERTICES : GEMP_SUM_CLIQUES,
		                          .leaves = star ? size - 1 : 0,
		                          .clique = star ? 0 : size,
		                          .factor = gemp_factorial(star ? size - 1 : size) / (int64_t)order };
	return GEMP_OK;
}

/* Patterns that need no derivation are rejected first, since a derivation costs milliseconds. */
gemp_code gemp_count_plan_new(gemp_count_plan **out, const gemp_pattern *pattern, uint64_t order,
                              const gemp_count_planner_options *options, const char **reason)
{
	GEMP_OWNED gemp_term_sum *terms = NULL;
	*out = NULL;
	*reason = gemp_count_refusal(pattern, options);
	if (!options->iso)
		order = options->two_sided ? 2 : 1; /* each embedding is a match */
	if (*reason || pattern->vertex_count > GEMP_MAX_TERM)
		return *reason ? GEMP_OK : plan_of_large(out, pattern, order);
	GEMP_TRY(GEMP_NEW(terms, 1));
	make_terms(terms, pattern, options, reason);
	return *reason ? GEMP_OK : plan_by_terms(out, terms, order, options, reason);
}
