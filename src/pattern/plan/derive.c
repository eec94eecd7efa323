/* A derived pattern is built like any other pattern, vertex by vertex and edge by edge, with maps from the original.
 * Automorphisms of the original are found once and lifted to the points of a variant, because the variant alone does
 * not show which vertices lie on one path. */

#include "pattern/plan/derive.h"

#include "core/memory.h"
#include "pattern/condition/normal_form.h"
#include "pattern/symmetry/automorphism.h"

#include <string.h>

/* NOT EXISTS is included: the plan checks that the edge is absent. */
bool gemp_pattern_is_edge_test(const gemp_pattern *pattern, const gemp_expr *expr)
{
	const gemp_expr *exists = expr->kind == GEMP_NOT ? expr->children[0] : expr;
	if (exists->kind != GEMP_EXISTS)
		return false;
	const gemp_pattern *inner = pattern->subs[exists->sub];
	const gemp_pattern_edge *edge = inner->edges;
	return inner->arguments == 2 && inner->vertex_count == 2 && inner->edge_count == 1 && inner->condition_count == 0 &&
	       !edge->path && edge->from != edge->to;
}

/* True if the vertices of an edge test lie in different components, whose searches do not see each other. Arguments
 * join the parts of a pattern. */
static bool joins_components(const gemp_pattern *pattern, const gemp_expr *expr)
{
	const gemp_expr *exists = expr->kind == GEMP_NOT ? expr->children[0] : expr;
	int part[GEMP_MAX_PATTERN_VERTICES];
	return !pattern->arguments && gemp_pattern_components(pattern, part) > 1 &&
	       part[exists->children[0]->variable] != part[exists->children[1]->variable];
}

/* An edge test contains EXISTS, too, but costs only a check of a row. */
bool gemp_pattern_needs_search(const gemp_pattern *pattern, const gemp_expr *expr)
{
	if (gemp_pattern_is_edge_test(pattern, expr))
		return joins_components(pattern, expr);
	return gemp_expr_has_subpattern(expr);
}

/* The maps are members of the struct and need no release. */
void gemp_derived_free(gemp_derived *derived)
{
	gemp_pattern_free(derived->pattern);
	derived->pattern = NULL;
}

/* COPIES */

/* Replaces variables of the original by variables of the derived pattern. */
static void renumber(gemp_expr *expr, const gemp_derived *d)
{
	if (expr->variable >= 0)
		expr->variable = expr->of_edge ? d->edge[expr->variable] : d->vertex[expr->variable];
	for (size_t i = 0; i < expr->count; i++)
		renumber(expr->children[i], d);
}

/* Copies the types as written and as bound, the place for messages, and the number of the MATCH. */
static gemp_code copy_types(gemp_pattern_edge *to, const gemp_pattern_edge *from, size_t relations)
{
	to->line = from->line;
	to->column = from->column;
	to->match = from->match;
	GEMP_TRY(GEMP_NEW(to->relations, relations));
	if (from->relations)
		memcpy(to->relations, from->relations, relations * sizeof *to->relations);
	return gemp_names_copy(&to->types, &to->type_count, from->types, from->type_count);
}

/* A derived edge is a single edge, even if the original is a path. */
static gemp_code copy_edge(gemp_derived *d, const gemp_pattern *pattern, const gemp_pattern_edge *edge, int from,
                           int to)
{
	GEMP_TRY(gemp_pattern_add_edge(d->pattern, edge->name, from, to, edge->direction));
	return copy_types(&d->pattern->edges[d->pattern->edge_count - 1], edge, pattern->relation_count);
}

/* The sub-pattern of an edge test has two arguments, one edge and nothing else, so it is copied by hand. */
static gemp_code copy_edge_test(gemp_pattern *to, const gemp_pattern *from, gemp_expr *exists)
{
	GEMP_OWNED_BY(gemp_derived_free) gemp_derived inner = { 0 };
	int index;
	GEMP_TRY(gemp_pattern_new(&inner.pattern, from->text, from->file));
	for (size_t v = 0; v < from->vertex_count; v++)
		GEMP_TRY(gemp_pattern_add_vertex(inner.pattern, from->vertices[v].name, &index));
	inner.pattern->arguments = from->arguments;
	inner.pattern->relation_count = from->relation_count;
	GEMP_TRY(copy_edge(&inner, from, from->edges, from->edges[0].from, from->edges[0].to));
	exists->sub = to->sub_count;
	GEMP_TRY(GEMP_APPEND(to->subs, to->sub_count, &inner.pattern));
	inner.pattern = NULL;
	return GEMP_OK;
}

/* Copies a condition that a plan can test into the derived pattern. */
static gemp_code copy_condition(gemp_derived *d, const gemp_pattern *pattern, const gemp_expr *expr)
{
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *copy = NULL;
	GEMP_TRY(gemp_expr_copy(&copy, expr));
	renumber(copy, d);
	if (gemp_pattern_is_edge_test(pattern, expr)) {
		gemp_expr *exists = copy->kind == GEMP_NOT ? copy->children[0] : copy;
		GEMP_TRY(copy_edge_test(d->pattern, pattern->subs[exists->sub], exists));
	}
	return gemp_pattern_require(d->pattern, &copy);
}

/* Makes an empty pattern with the original's text, and maps that have -1 for every element. */
static gemp_code begin_derived(gemp_derived *d, const gemp_pattern *pattern)
{
	*d = (gemp_derived){ 0 };
	memset(d->vertex, -1, sizeof d->vertex);
	memset(d->edge, -1, sizeof d->edge);
	memset(d->path, -1, sizeof d->path);
	GEMP_TRY(gemp_pattern_new(&d->pattern, pattern->text ? pattern->text : "", pattern->file));
	d->pattern->simple = pattern->simple;
	d->pattern->arguments = pattern->arguments;
	d->pattern->relation_count = pattern->relation_count;
	return GEMP_OK;
}

/* A repeatable vertex stays repeatable. */
static gemp_code add_vertex(gemp_derived *d, const gemp_pattern *pattern, size_t v)
{
	GEMP_TRY(gemp_pattern_add_vertex(d->pattern, pattern->vertices[v].name, &d->vertex[v]));
	d->pattern->vertices[d->vertex[v]].repeatable = pattern->vertices[v].repeatable;
	return GEMP_OK;
}

/* VARIANTS */

/* root[v] becomes the vertex with which paths of length 0 identify v. Two arguments stay two vertices, because their
 * images are given; require_same compares them. */
static void merge_ends(const gemp_pattern *pattern, const uint32_t *length, int *root)
{
	for (int v = 0; v < (int)pattern->vertex_count; v++)
		root[v] = v;
	for (size_t e = 0; e < pattern->edge_count; e++) {
		int a = root[pattern->edges[e].from], b = root[pattern->edges[e].to];
		if (length[e] != 0 || a == b || (a < (int)pattern->arguments && b < (int)pattern->arguments))
			continue;
		int low = a < b ? a : b, high = a < b ? b : a;
		for (size_t v = 0; v < pattern->vertex_count; v++)
			if (root[v] == high)
				root[v] = low;
	}
}

/* Under iso and induced matching two variables never have the same image, so there is no match with a path of length 0
 * between two variables. */
static bool must_differ(const gemp_pattern *pattern, const uint32_t *length, gemp_semantics semantics)
{
	if (semantics != GEMP_ISO && semantics != GEMP_INDUCED)
		return false;
	for (size_t e = 0; e < pattern->edge_count; e++)
		if (length[e] == 0 && pattern->edges[e].from != pattern->edges[e].to)
			return true;
	return false;
}

/* Identified vertices share one number. */
static gemp_code add_vertices(gemp_derived *d, const gemp_pattern *pattern, const int *root)
{
	for (size_t v = 0; v < pattern->vertex_count; v++)
		if (root[v] == (int)v)
			GEMP_TRY(add_vertex(d, pattern, v));
	for (size_t v = 0; v < pattern->vertex_count; v++)
		d->vertex[v] = d->vertex[root[v]];
	return GEMP_OK;
}

/* A path of n edges gets n - 1 anonymous vertices, which need not differ from other vertices. */
static gemp_code expand_path(gemp_derived *d, const gemp_pattern *pattern, size_t e, uint32_t length)
{
	const gemp_pattern_edge *edge = &pattern->edges[e];
	int at = d->vertex[edge->from], next;
	if (length > 1)
		d->path[e] = (int)d->pattern->vertex_count;
	for (uint32_t i = 0; i < length; i++) {
		if (i + 1 < length) {
			GEMP_TRY(gemp_pattern_add_vertex(d->pattern, NULL, &next));
			d->pattern->vertices[next].repeatable = true;
		} else {
			next = d->vertex[edge->to];
		}
		if (i == 0)
			d->edge[e] = (int)d->pattern->edge_count;
		GEMP_TRY(copy_edge(d, pattern, edge, at, next));
		at = next;
	}
	return GEMP_OK;
}

/* A path of length 0 between two arguments requires that they are the same vertex. */
static gemp_code require_same(gemp_derived *d, const gemp_pattern *pattern, size_t e)
{
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *equal = NULL;
	const gemp_pattern_edge *edge = &pattern->edges[e];
	const int ends[] = { d->vertex[edge->from], d->vertex[edge->to] };
	if (ends[0] == ends[1])
		return GEMP_OK;
	GEMP_TRY(gemp_expr_new_operator(&equal, GEMP_EQ, 2, edge->line, edge->column));
	for (int i = 0; i < 2; i++)
		GEMP_TRY(gemp_expr_new_element(&equal->children[i], ends[i], false, edge->line, edge->column));
	return gemp_pattern_require(d->pattern, &equal);
}

/* Adds edges before paths, so that the edges of the pattern have the first edge numbers in every variant. */
gemp_code gemp_pattern_variant(gemp_derived *out, const gemp_pattern *pattern, const uint32_t *length,
                               gemp_semantics semantics, bool *impossible)
{
	GEMP_OWNED_BY(gemp_derived_free) gemp_derived made = { 0 };
	int root[GEMP_MAX_PATTERN_VERTICES];
	*out = made;
	*impossible = must_differ(pattern, length, semantics);
	if (*impossible)
		return GEMP_OK;
	merge_ends(pattern, length, root);
	GEMP_TRY(begin_derived(&made, pattern));
	GEMP_TRY(add_vertices(&made, pattern, root));
	for (size_t e = 0; e < pattern->edge_count; e++)
		if (!pattern->edges[e].path)
			GEMP_TRY(expand_path(&made, pattern, e, 1));
	for (size_t e = 0; e < pattern->edge_count; e++)
		if (pattern->edges[e].path)
			GEMP_TRY(length[e] ? expand_path(&made, pattern, e, length[e]) : require_same(&made, pattern, e));
	for (size_t i = 0; i < pattern->condition_count; i++)
		if (!gemp_pattern_needs_search(pattern, pattern->conditions[i].expr))
			GEMP_TRY(copy_condition(&made, pattern, pattern->conditions[i].expr));
	*out = made;
	made.pattern = NULL;
	return GEMP_OK;
}

/* PARTS */

/* A condition is copied if all its vertices and edges lie in the component. */
gemp_code gemp_pattern_component(gemp_derived *out, const gemp_pattern *pattern, const int *part, int index)
{
	GEMP_OWNED_BY(gemp_derived_free) gemp_derived made = { 0 };
	uint64_t vertices = 0;
	GEMP_TRY(begin_derived(&made, pattern));
	for (size_t v = 0; v < pattern->vertex_count; v++) {
		if (part[v] != index)
			continue;
		vertices |= UINT64_C(1) << v;
		GEMP_TRY(add_vertex(&made, pattern, v));
	}
	for (size_t e = 0; e < pattern->edge_count; e++) {
		const gemp_pattern_edge *edge = &pattern->edges[e];
		if (part[edge->from] != index)
			continue;
		made.edge[e] = (int)made.pattern->edge_count;
		GEMP_TRY(copy_edge(&made, pattern, edge, made.vertex[edge->from], made.vertex[edge->to]));
	}
	for (size_t i = 0; i < pattern->condition_count; i++) {
		const gemp_condition *condition = &pattern->conditions[i];
		uint64_t edges = condition->edges;
		bool inside = (condition->vertices & ~vertices) == 0;
		for (; edges; edges &= edges - 1)
			inside = inside && made.edge[__builtin_ctzll(edges)] >= 0;
		if (inside)
			GEMP_TRY(copy_condition(&made, pattern, condition->expr));
	}
	*out = made;
	made.pattern = NULL;
	return GEMP_OK;
}

enum { LENGTHS = 1 << 16 }; /* a factor that is greater than the length of any path */

/* Finds the automorphisms of the pattern that map each path to a path of the same length. The length becomes a part of
 * the lower bound, which the colours of edges contain. */
static gemp_code length_preserving(gemp_symmetry **out, const gemp_pattern *pattern, const uint32_t *length)
{
	GEMP_OWNED gemp_pattern_edge *edges = NULL;
	gemp_pattern fixed = *pattern;
	GEMP_TRY(GEMP_COPY(edges, pattern->edges, pattern->edge_count));
	for (size_t e = 0; e < pattern->edge_count; e++)
		edges[e].min_hops = LENGTHS * pattern->edges[e].min_hops + length[e];
	fixed.edges = edges;
	return gemp_automorphism_find(out, &fixed, true);
}

/* The edges and inner vertices of a path are mapped to those of its image, in reverse order if the image runs in the
 * other direction. */
static void lift_path(const gemp_derived *d, const gemp_pattern *pattern, int length, const int *images, size_t e,
                      int *out)
{
	size_t vertices = pattern->vertex_count, f = (size_t)images[vertices + e] - vertices;
	int points = (int)d->pattern->vertex_count;
	bool turned = images[pattern->edges[e].from] != pattern->edges[f].from;
	for (int i = 0; i < length; i++)
		out[points + d->edge[e] + i] = points + d->edge[f] + (turned ? length - 1 - i : i);
	for (int i = 0; i + 1 < length; i++)
		out[d->path[e] + i] = d->path[f] + (turned ? length - 2 - i : i);
}

/* Maps the vertices first, then the points of each expanded path. A path of length 0 has no points. */
static void lift(const gemp_derived *d, const gemp_pattern *pattern, const uint32_t *length, const int *images,
                 int *out)
{
	for (size_t v = 0; v < pattern->vertex_count; v++)
		out[d->vertex[v]] = d->vertex[images[v]];
	for (size_t e = 0; e < pattern->edge_count; e++)
		if (length[e])
			lift_path(d, pattern, (int)length[e], images, e, out);
}

/* Lifts the automorphisms that keep the lengths from the original's points to those of the expanded paths. */
gemp_code gemp_variant_symmetry(gemp_symmetry **out, const gemp_pattern *pattern, const uint32_t *length,
                                const gemp_derived *variant)
{
	GEMP_OWNED_BY(gemp_symmetry_free_at) gemp_symmetry *base = NULL, *lifted = NULL;
	GEMP_TRY(length_preserving(&base, pattern, length));
	GEMP_TRY(GEMP_NEW(lifted, 1));
	lifted->vertices = variant->pattern->vertex_count;
	lifted->points = lifted->vertices + variant->pattern->edge_count;
	GEMP_TRY(GEMP_NEW(lifted->images, base->count * lifted->points));
	for (; lifted->count < base->count; lifted->count++)
		lift(variant, pattern, length, base->images + lifted->count * base->points,
		     lifted->images + lifted->count * lifted->points);
	GEMP_TRY(gemp_symmetry_finish(lifted));
	*out = lifted;
	lifted = NULL;
	return GEMP_OK;
}

/* CLASSES of lengths under the automorphisms. */
enum { MAX_ASSIGNMENTS = 65536 };

/* The assignments of lengths that the automorphisms have reached so far. */
typedef struct length_set {
	size_t width, count, capacity;
	uint32_t *lengths; /* [count * width] */
} length_set;

static void length_set_free(length_set *all)
{
	gemp_free(all->lengths);
}

/* A linear search finds known assignments, since the set is mostly small. The limit bounds the quadratic time. */
static gemp_code add_lengths(length_set *all, const uint32_t *lengths)
{
	for (size_t i = 0; i < all->count; i++)
		if (memcmp(all->lengths + i * all->width, lengths, all->width * sizeof *lengths) == 0)
			return GEMP_OK;
	if (all->count == MAX_ASSIGNMENTS)
		return gemp_fail(GEMP_EUSAGE,
		                 "the paths of variable length can have their lengths in more than %d ways; give "
		                 "narrower bounds",
		                 MAX_ASSIGNMENTS);
	GEMP_TRY(GEMP_RESERVE(all->lengths, all->capacity, (all->count + 1) * all->width));
	memcpy(all->lengths + all->count++ * all->width, lengths, all->width * sizeof *lengths);
	return GEMP_OK;
}

/* The first length that differs decides. */
static bool lexicographically_less(const uint32_t *a, const uint32_t *b, size_t width)
{
	for (size_t i = 0; i < width; i++)
		if (a[i] != b[i])
			return a[i] < b[i];
	return false;
}

/* Visits breadth-first all assignments to which the generators map the length assignment. Stops at the first smaller
 * assignment. */
gemp_code gemp_variant_is_canonical(const gemp_symmetry *symmetry, const gemp_pattern *pattern, const uint32_t *length,
                                    bool *first)
{
	GEMP_OWNED_BY(length_set_free) length_set all = { .width = pattern->edge_count };
	uint32_t image[GEMP_MAX_PATTERN_EDGES];
	*first = true;
	if (all.width == 0)
		return GEMP_OK;
	GEMP_TRY(add_lengths(&all, length));
	for (size_t i = 0; i < all.count && *first; i++)
		for (size_t g = 0; g < symmetry->count && *first; g++) {
			const int *images = symmetry->images + g * symmetry->points;
			for (size_t e = 0; e < all.width; e++)
				image[(size_t)images[pattern->vertex_count + e] - pattern->vertex_count] =
					all.lengths[i * all.width + e];
			*first = !lexicographically_less(image, length, all.width);
			GEMP_TRY(add_lengths(&all, image));
		}
	return GEMP_OK;
}
