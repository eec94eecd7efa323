#include "query/vertex_sets.h"

#include "core/limits.h"
#include "match/forecast.h"
#include "match/match.h"
#include "pattern/bind/bind.h"
#include "pattern/shapes/named_pattern.h"
#include "pattern/symmetry/automorphism.h"
#include "query/counting.h"

/* The options must ask for one number, and not say how to search: --count-by enumerate compares all matches. */
static bool are_supported(const gemp_pattern *pattern, const gemp_match_options *o)
{
	const bool small = pattern->vertex_count >= GEMP_MIN_MOTIF && pattern->vertex_count <= GEMP_MAX_MOTIF;
	const bool only_count = !o->listed && !o->count_parts && !o->count_per && !o->profile && !o->sampled &&
	                        !o->in_parts && !o->edges && o->limit == UINT64_MAX;
	const bool free_search = o->count_by_formula && !o->symmetry_by_hash && !o->pivot_off && !o->order_count &&
	                         !o->lanes && !o->among_count;
	return small && only_count && free_search && pattern->simple && !pattern->condition_count && !pattern->arguments &&
	       o->semantics == GEMP_ISO && o->distinct == GEMP_BY_VERTICES;
}

bool gemp_vertex_sets_apply(const gemp_pattern *pattern, const gemp_match_options *options, const gemp_match *match)
{
	return are_supported(pattern, options) && gemp_match_forecast(match).rows > gemp_limits_now()->vertex_sets_min;
}

/* The matches of a kind are its orbits. */
static gemp_code make_pattern(gemp_pattern **out, const gemp_shard *graph, const gemp_census *census, int kind)
{
	GEMP_TRY(gemp_census_pattern(out, census, kind));
	return gemp_pattern_bind(*out, graph);
}

/* Collective. Counts the orbits of a pattern, by sums or by a search that only counts. */
static gemp_code count_orbits(gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                              const gemp_match_options *options, gemp_match_result *result)
{
	GEMP_OWNED_BY(gemp_counting_free) gemp_counting counting = { 0 };
	GEMP_OWNED_BY(gemp_match_free_at) gemp_match *match = NULL;
	bool counted = false;
	GEMP_TRY(gemp_counting_prepare(&counting, context, graph, pattern, options));
	GEMP_TRY(gemp_counting_prepare_devices(&counting));
	if (gemp_counting_has_sums(&counting))
		GEMP_TRY(gemp_counting_run(&counting, &counted, result));
	if (counted)
		return GEMP_OK;
	GEMP_TRY(gemp_match_prepare(&match, context, graph, pattern, options));
	return gemp_match_run(match, NULL, result);
}

/* The set of edges of the pattern. */
static unsigned edges_of(const gemp_pattern *pattern)
{
	unsigned edges = 0;
	for (size_t e = 0; e < pattern->edge_count; e++)
		edges |= gemp_census_pair(pattern->edges[e].from, pattern->edges[e].to);
	return edges;
}

/* Collective. Counts the orbits of each kind that contains kind `least`. *result becomes the result of `least`. */
static gemp_code count_kinds(gemp_runtime *context, gemp_shard *graph, const gemp_census *census, int least,
                             const gemp_match_options *options, gemp_count *counts, gemp_match_result *result)
{
	for (int kind = census->kinds - 1; kind >= least; kind--) {
		GEMP_OWNED_BY(gemp_pattern_free_at) gemp_pattern *pattern = NULL;
		if (!gemp_census_contains(census, kind, least))
			continue;
		GEMP_TRY(gemp_comm_agree(context->comm, make_pattern(&pattern, graph, census, kind)));
		GEMP_TRY(count_orbits(context, graph, pattern, options, result));
		counts[kind] = result->matches;
	}
	return GEMP_OK;
}

/* keep_resident keeps the view of the graph between the kinds, because all of them read the same view. */
gemp_code gemp_vertex_sets_count(gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                                 const gemp_match_options *options, gemp_match_result *result)
{
	gemp_census census;
	gemp_count counts[GEMP_MAX_MOTIFS] = { 0 }, sets;
	gemp_match_options orbits = *options;
	const bool kept = context->keep_resident;
	gemp_census_new(&census, (int)pattern->vertex_count);
	orbits.distinct = GEMP_BY_ORBIT;
	orbits.symmetry = NULL;
	context->keep_resident = true;
	const int kind = gemp_census_kind(&census, edges_of(pattern));
	gemp_code code = count_kinds(context, graph, &census, kind, &orbits, counts, result);
	context->keep_resident = kept;
	GEMP_TRY(code);
	GEMP_TRY(gemp_census_vertex_sets(&census, kind, counts, &sets));
	result->matches = sets;
	return GEMP_OK;
}
