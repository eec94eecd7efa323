#include "query/motifs.h"

#include "pattern/bind/bind.h"
#include "pattern/shapes/named_pattern.h"
#include "query/query.h"

/* A kind is written as `edges:0-1,...`, so that named_pattern.h builds its pattern. */
static gemp_code make_pattern(gemp_pattern **out, const gemp_shard *graph, const gemp_census *census, int kind)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text name = { 0 };
	gemp_text_print(&name, "edges:");
	gemp_census_text(census, kind, &name);
	GEMP_PROPAGATE(gemp_text_status(&name));
	GEMP_PROPAGATE(gemp_pattern_named(out, name.data));
	return gemp_pattern_bind(*out, graph);
}

/* Collective. Prepares, counts and frees the query of one kind. */
static gemp_code count_kind(gemp_count *count, gemp_runtime *context, gemp_shard *graph, const gemp_census *census,
                            int kind, const gemp_prepared_options *options)
{
	GEMP_OWNED_BY(gemp_pattern_free_at) gemp_pattern *pattern = NULL;
	GEMP_OWNED_BY(gemp_prepared_free_at) gemp_prepared *query = NULL;
	gemp_match_result result;
	gemp_code code = make_pattern(&pattern, graph, census, kind);
	GEMP_PROPAGATE(gemp_comm_agree(context->comm, code));
	GEMP_PROPAGATE(gemp_prepared_prepare(&query, context, graph, pattern, options));
	GEMP_PROPAGATE(gemp_prepared_run(query, NULL, &result));
	*count = result.matches;
	return GEMP_OK;
}

/* keep_resident keeps the view of the graph between the queries, which all read the same one. */
gemp_code gemp_motifs_count(gemp_motifs *out, gemp_runtime *context, gemp_shard *graph, const gemp_census *census,
                            const gemp_match_options *options)
{
	gemp_prepared_options query = { .match = *options };
	query.match.semantics = GEMP_ISO;
	query.match.distinct = GEMP_BY_ORBIT;
	query.match.limit = UINT64_MAX;
	context->keep_resident = true;
	for (int kind = 0; kind < census->kinds; kind++) {
		double began = gemp_now();
		GEMP_PROPAGATE(count_kind(&out->counts[kind], context, graph, census, kind, &query));
		out->seconds[kind] = gemp_now() - began;
	}
	if (options->semantics == GEMP_INDUCED)
		GEMP_PROPAGATE(gemp_census_induce(census, out->counts));
	return GEMP_OK;
}
