#include "count/typed_graph.h"

#include "core/status.h"
#include "partition/views/relation_ends.h"
#include "partition/views/view_lists.h"

#include <math.h>

enum { SOURCE, TARGET };

gemp_type_figures gemp_type_figures_of(const gemp_shard *graph, const bool *relations)
{
	gemp_type_figures f = { 0 };
	for (size_t r = 0; r < graph->relation_count; r++) {
		const gemp_relation *relation = &graph->relations[r];
		if (!relations[r])
			continue;
		f.edges += (double)relation->edge_count;
		for (int side = SOURCE; side <= TARGET; side++)
			f.ends[side] = fmax(f.ends[side], (double)relation->ends->vertices[side]);
	}
	return f;
}

/* Collective. */
static gemp_code find_ends(const gemp_typed_graph *e, const gemp_typed_term *term)
{
	for (int i = 0; i < term->edge_count; i++)
		for (size_t r = 0; r < e->graph->relation_count; r++)
			if (gemp_type_set(e->types, term->edges[i].types)[r])
				GEMP_TRY(gemp_relation_ends_find(e->comm, e->graph, r));
	return GEMP_OK;
}

/* Can a vertex with this label set be that end of an edge of these relations? */
static bool can_end_one(const gemp_shard *graph, const bool *relations, bool either, int side, size_t label_set)
{
	for (size_t r = 0; r < graph->relation_count; r++) {
		const gemp_relation *relation = &graph->relations[r];
		if (relations[r] && (relation->ends->label_sets[side][label_set] ||
		                     ((either || !relation->directed) && relation->ends->label_sets[!side][label_set])))
			return true;
	}
	return false;
}

static bool can_end(const gemp_typed_graph *e, const gemp_typed_edge *edge, int side, size_t label_set)
{
	return can_end_one(e->graph, gemp_type_set(e->types, edge->types), edge->either, side, label_set);
}

/* False if no vertex has a label set that all edges of the pattern's vertex allow. Such terms come from vertices that
 * have been made one, and have no match. */
static bool has_label_set(const gemp_typed_graph *e, const gemp_typed_term *term, int v)
{
	for (size_t set = 0; set < e->graph->label_set_count; set++) {
		bool fits = true;
		for (int i = 0; i < term->edge_count && fits; i++) {
			const gemp_typed_edge *edge = &term->edges[i];
			fits = (edge->from != v || can_end(e, edge, SOURCE, set)) &&
			       (edge->to != v || can_end(e, edge, TARGET, set));
		}
		if (fits)
			return true;
	}
	return false;
}

gemp_code gemp_typed_graph_may_match(const gemp_typed_graph *e, const gemp_typed_term *term, bool *may)
{
	GEMP_TRY(find_ends(e, term));
	*may = true;
	for (int v = 0; v < term->vertex_count; v++)
		*may &= has_label_set(e, term, v);
	return GEMP_OK;
}

bool gemp_relations_imply(const gemp_shard *graph, const bool *relations, bool either, bool target,
                          const bool *label_sets)
{
	for (size_t set = 0; set < graph->label_set_count; set++)
		if (!label_sets[set] && can_end_one(graph, relations, either, target, set))
			return false;
	return true;
}

bool gemp_typed_graph_implies(const gemp_typed_graph *e, const gemp_typed_edge *edge, bool target,
                              const bool *label_sets)
{
	return gemp_relations_imply(e->graph, gemp_type_set(e->types, edge->types), edge->either, target, label_sets);
}

/* EDGES BETWEEN THE SAME VERTICES */

static bool contains(const gemp_typed_graph *e, size_t types, size_t part)
{
	for (size_t r = 0; r < e->graph->relation_count; r++)
		if (gemp_type_set(e->types, part)[r] && !gemp_type_set(e->types, types)[r])
			return false;
	return true;
}

/* Collective. Do such edges join some pair more than once? */
static gemp_code find_parallel(const gemp_typed_graph *e, const gemp_typed_edge *edge, bool *parallel)
{
	const gemp_view_key key = { .relations = gemp_type_set(e->types, edge->types),
		                        .direction = edge->either ? GEMP_VIEW_EITHER : GEMP_VIEW_OUT };
	GEMP_TRY(gemp_view_load(e->graph, &key));
	return gemp_view_parallel(e->comm, e->graph, &key, parallel);
}

/* Does edge a imply edge b, which then changes no count? A second edge of the same kind has the same image if there are
 * no parallel edges. */
static gemp_code find_implied(const gemp_typed_graph *e, const gemp_typed_edge *a, const gemp_typed_edge *b,
                              bool *implied)
{
	const bool along = a->from == b->from && a->to == b->to, against = a->from == b->to && a->to == b->from;
	*implied = false;
	if (!along && !against)
		return GEMP_OK;
	if (b->exists) {
		*implied = contains(e, b->types, a->types) && (b->either || (along && !a->either));
		return GEMP_OK;
	}
	if (a->exists || a->types != b->types || a->either != b->either || (!a->either && !along))
		return GEMP_OK;
	GEMP_TRY(find_parallel(e, a, implied));
	*implied = !*implied;
	return GEMP_OK;
}

gemp_code gemp_typed_graph_simplify(const gemp_typed_graph *e, gemp_typed_term *term)
{
	for (int i = 0; i < term->edge_count; i++)
		if (term->edges[i].exists)
			GEMP_TRY(find_parallel(e, &term->edges[i], &term->edges[i].exists));
	for (int b = term->edge_count - 1; b >= 0; b--)
		for (int a = 0; a < term->edge_count; a++) {
			bool implied;
			if (a == b)
				continue;
			GEMP_TRY(find_implied(e, &term->edges[a], &term->edges[b], &implied));
			if (implied) {
				term->edges[b] = term->edges[--term->edge_count];
				break;
			}
		}
	return GEMP_OK;
}
