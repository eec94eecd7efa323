/* counting: a query whose matches are counted by sums over the graph (src/count) and not enumerated.
 *
 * The module decides whether the options and the pattern allow sums, and where the sums are computed. Small graphs are
 * summed by the threads of the host, without a device; `place` of the options forces or forbids that. Sums that do not
 * fit into memory or 64 bits are no error: rank 0 warns, and the caller enumerates the matches.
 *
 *     gemp_counting_prepare -> gemp_counting_prepare_devices, if there is no plan -> gemp_counting_run
 *
 * Between the first two the caller can find out whether the matches are few enough to be enumerated without a
 * device. */

#ifndef GEMP_QUERY_COUNTING_H
#define GEMP_QUERY_COUNTING_H

#include "count/count.h"
#include "count/planner.h"
#include "graph/graph.h"
#include "match/match_run.h"
#include "query/typed_counting.h"

typedef struct gemp_counting {
	gemp_runtime *context;
	const gemp_match_options *options;
	gemp_shard *graph;
	const gemp_pattern *pattern;
	gemp_count_planner_options planner; /* what the planner may use on the host */
	bool devices_left;                  /* devices may have sums, which the host has not */
	gemp_count_plan *plan;              /* sums of the simple graph */
	gemp_typed_counting *typed;         /* sums of typed edges; without these and a plan, matches must be enumerated */
	const char *enumerated;             /* why; NULL if there are sums, or if sums were not tried */
	uint64_t order;                     /* order of the automorphism group */
	gemp_count_engine *engine;          /* NULL if the query is only explained; then rows is set instead */
	gemp_resident *rows;
	bool on_host;
} gemp_counting;

/* Collective. Plans sums on the host. The pattern must be bound. options are borrowed. */
gemp_code gemp_counting_prepare(gemp_counting *out, gemp_runtime *context, gemp_shard *graph,
                                const gemp_pattern *pattern, const gemp_match_options *options);
/* Collective. Plans sums on the devices, and opens these, if devices_left. */
gemp_code gemp_counting_prepare_devices(gemp_counting *counting);
static inline bool gemp_counting_has_sums(const gemp_counting *counting)
{
	return counting->plan || counting->typed;
}

/* Collective. If *counted becomes false, the sums did not fit, and the caller enumerates the matches. */
gemp_code gemp_counting_run(gemp_counting *counting, bool *counted, gemp_match_result *result);
/* Collective, after a run that counted. A sink that only counts elements (groups.only_presence of the options) gets few
 * rows, which stand for all. sink may be NULL. */
gemp_code gemp_counting_deliver(const gemp_counting *counting, gemp_sink *sink);
void gemp_counting_explain(const gemp_counting *counting, gemp_text *out);
void gemp_counting_free(gemp_counting *counting);

#endif
