#include "pattern/plan/edge_conflicts.h"

#include <string.h>

#define BIT(i) (UINT64_C(1) << (i))

typedef struct finder {
	gemp_edge_conflicts *out;
	const gemp_pattern *pattern;
	const gemp_statistics *statistics;
	const gemp_plan_options *options;
	uint64_t repeatable;
} finder;

/* True if the relations of edges e and f allow both to be the same host edge. */
static bool types_overlap(const gemp_pattern *pattern, const gemp_pattern_edge *e, const gemp_pattern_edge *f)
{
	for (size_t r = 0; !pattern->simple && r < pattern->relation_count; r++)
		if (e->relations[r] && f->relations[r])
			return true;
	return pattern->simple;
}

/* True if the query says that the images of two vertices differ. */
static bool is_unequal(const finder *f, int u, int v)
{
	const gemp_vertex_tests *tests = &f->options->tests;
	return ((tests->unequal[u] | tests->key_less[u] | f->out->unequal[u]) & BIT(v)) ||
	       ((tests->unequal[v] | tests->key_less[v] | f->out->unequal[v]) & BIT(u));
}

/* True if two pattern vertices may be the same host vertex. */
static bool may_be_equal(const finder *f, int u, int v)
{
	if (u == v)
		return true;
	if (is_unequal(f, u, v))
		return false;
	return f->options->semantics == GEMP_EDGE_ISO || (f->repeatable & (BIT(u) | BIT(v))) != 0;
}

/* True if the ends of two edges may coincide. Only then the edges can be the same host edge. */
static bool may_share_ends(const finder *f, const gemp_pattern_edge *a, const gemp_pattern_edge *b)
{
	bool either = f->pattern->simple || a->direction == GEMP_EITHER || b->direction == GEMP_EITHER;
	return (may_be_equal(f, a->from, b->from) && may_be_equal(f, a->to, b->to)) ||
	       (either && may_be_equal(f, a->from, b->to) && may_be_equal(f, a->to, b->from));
}

/* Finds the pairs of edges that must not be the same host edge, but could be. Under hom all edges may coincide, and so
 * may edges of different MATCH. */
static void find_pairs(finder *f)
{
	const gemp_pattern_edge *edges = f->pattern->edges;
	f->out->any = false;
	for (size_t a = 0; a < f->pattern->edge_count; a++) {
		f->out->of[a] = 0;
		for (size_t b = 0; b < f->pattern->edge_count; b++)
			if (a != b && edges[a].match == edges[b].match && types_overlap(f->pattern, &edges[a], &edges[b]) &&
			    may_share_ends(f, &edges[a], &edges[b]))
				f->out->of[a] |= BIT(b);
		f->out->any |= f->out->of[a] != 0;
	}
}

/* Two edges with one end in common are the same host edge exactly if their other ends are the same, as no two host
 * edges of these types join the same vertices. */
static void compare_ends(finder *f, const gemp_pattern_edge *a, const gemp_pattern_edge *b)
{
	const bool from = a->from == b->from, to = a->to == b->to;
	if (f->pattern->simple || a->direction == GEMP_EITHER || b->direction == GEMP_EITHER || from == to ||
	    memcmp(a->relations, b->relations, f->pattern->relation_count * sizeof *a->relations) != 0)
		return;
	const int u = from ? a->to : a->from, v = from ? b->to : b->from;
	f->out->unequal[u] |= BIT(v);
	f->out->unequal[v] |= BIT(u);
}

/* A comparison of vertices costs less than operators for edges, but only if no edge needs an operator for another
 * reason. */
static void compare_vertices(finder *f)
{
	bool distinct = f->options->semantics == GEMP_EDGE_ISO && f->options->wanted_edges == 0;
	for (size_t e = 0; e < f->pattern->edge_count; e++)
		distinct &= !f->statistics->parallel[e];
	for (size_t a = 0; distinct && a < f->pattern->edge_count; a++)
		for (size_t b = 0; b < a; b++)
			if (f->out->of[a] & BIT(b))
				compare_ends(f, &f->pattern->edges[a], &f->pattern->edges[b]);
	find_pairs(f);
	if (!f->out->any)
		return;
	memset(f->out->unequal, 0, sizeof f->out->unequal);
	find_pairs(f);
}

void gemp_edge_conflicts_find(gemp_edge_conflicts *out, const gemp_pattern *pattern, const gemp_statistics *statistics,
                              const gemp_plan_options *options, uint64_t repeatable)
{
	finder f = { out, pattern, statistics, options, repeatable };
	*out = (gemp_edge_conflicts){ 0 };
	if (options->semantics == GEMP_HOM)
		return;
	find_pairs(&f);
	if (out->any)
		compare_vertices(&f);
}
