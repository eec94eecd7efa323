/* count: how many matches a pattern has, from a plan of sums (count/plan.h), without enumerating them.
 *
 *     gemp_count_plan_new -> gemp_count_prepare -> gemp_count_run -> gemp_count_free
 *
 * Every rank holds the whole view and adds up its share of the tasks; ranks then add their totals. Sums are exact: kernels use 64
 * bits and report possible overflow, the host adds in 128 bits.
 */

#ifndef GEMP_COUNT_COUNT_H
#define GEMP_COUNT_COUNT_H

#include "core/memory.h"
#include "count/device_graph.h"
#include "partition/views/resident.h"

typedef struct gemp_count_result {
	gemp_count matches;
	bool overflow; /* 2^64 or more; `matches` is 0 then */
	uint64_t launches;
	double kernel_seconds;             /* the sums, by the device's clock */
	double sum_seconds[GEMP_MAX_SUMS]; /* each of them */
	double preparation_seconds;        /* inputs of the sums, made once: rows, degrees, supports, tables, task lists */
	double support_seconds;            /* of that, the supports */
} gemp_count_result;

/* Collective. Loads the relations and makes the rows of the view (of GEMP_VIEW_EITHER, simple), of which every rank has
 * all; gemp_resident_release frees them. */
gemp_code gemp_count_get_rows(gemp_resident **rows, gemp_runtime *context, gemp_shard *graph, const gemp_view_key *key);

/* Collective. Loads the relations, makes the rows of the view (of GEMP_VIEW_EITHER, simple), builds the kernels and
 * prepares on the device what the sums read. graph, key's relations and plan are borrowed. */
gemp_code gemp_count_prepare(gemp_count_engine **out, gemp_runtime *context, gemp_shard *graph,
                             const gemp_view_key *key, const gemp_count_plan *plan);
/* Collective. May be called repeatedly. GEMP_EDATA where a summand may not fit into 64 bits. */
gemp_code gemp_count_run(gemp_count_engine *engine, gemp_count_result *result);
void gemp_count_free(gemp_count_engine *engine);
GEMP_RELEASE(gemp_count_free, gemp_count_engine *)

#endif
