/* count: the number of matches of a pattern, computed from a plan of sums (count/plan.h) without enumerating the
 * matches.
 *
 *     gemp_count_plan_new -> gemp_count_prepare -> gemp_count_run -> gemp_count_free
 *
 * gemp_count_prepare_host takes the place of gemp_count_prepare for small graphs: threads of the host compute the sums
 * (host_sums.h), and no device is used.
 *
 * Every rank holds the whole view and sums over its share of the tasks; then the ranks add their totals. Sums are
 * exact: kernels use 64 bits and report possible overflow, and the host adds in 128 bits. */

#ifndef GEMP_COUNT_COUNT_H
#define GEMP_COUNT_COUNT_H

#include "core/memory.h"
#include "count/device_graph.h"
#include "partition/views/resident.h"

typedef struct gemp_count_result {
	gemp_count matches;
	bool overflow; /* the number is 2^64 or more; then `matches` is 0 */
	uint64_t launches;
	double kernel_seconds;             /* seconds of the kernels of all sums, by the device's clock */
	double sum_seconds[GEMP_MAX_SUMS]; /* seconds of the kernels of each sum */
	/* seconds of making the inputs, once: rows, degrees, supports, tables, task lists */
	double preparation_seconds;
	double support_seconds; /* the part of preparation_seconds for supports */
} gemp_count_result;

/* Collective. Loads the relations and makes the rows of the view on every rank. The key is GEMP_VIEW_EITHER and simple.
 * gemp_resident_release frees the rows. */
gemp_code gemp_count_get_rows(gemp_resident **rows, gemp_runtime *context, gemp_shard *graph, const gemp_view_key *key);

/* Collective. Loads the relations, makes the rows of the view (GEMP_VIEW_EITHER, simple), builds the kernels and
 * prepares the inputs of the sums on the device. graph, the key's relations and plan are borrowed. */
gemp_code gemp_count_prepare(gemp_count_engine **out, gemp_runtime *context, gemp_shard *graph,
                             const gemp_view_key *key, const gemp_count_plan *plan);
/* Local. Prepares the sums on the host. rows: from gemp_count_get_rows; the engine keeps them until it is freed. All
 * sums must have a form for the host (gemp_host_sums_work). */
gemp_code gemp_count_prepare_host(gemp_count_engine **out, gemp_runtime *context, gemp_resident *rows,
                                  const gemp_count_plan *plan);
/* Collective. May be called repeatedly. GEMP_EDATA if a summand may not fit into 64 bits. */
gemp_code gemp_count_run(gemp_count_engine *engine, gemp_count_result *result);
void gemp_count_free(gemp_count_engine *engine);
GEMP_RELEASE(gemp_count_free, gemp_count_engine *)

#endif
