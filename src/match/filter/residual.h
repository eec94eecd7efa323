/* residual: conditions that are tested on finished matches (the second phase of attributes): a sink that hands on the
 * rows for which all of them are true.
 *
 * Once a round the distinct vertices and edges that conditions ask about are collected and their values fetched from
 * their owners, which is collective. Conditions on one vertex are evaluated on the device, those between several
 * elements on the host.
 */

#ifndef GEMP_MATCH_FILTER_RESIDUAL_H
#define GEMP_MATCH_FILTER_RESIDUAL_H

#include "graph/batch.h"
#include "graph/graph.h"
#include "match/filter/filter.h"

/* conditions[0..count), graph, filter and next are borrowed. filter NULL: all is evaluated on the host.
 * count_loops: in degrees, see gemp_degree_loops. Batches need edge columns if a condition uses edges. Turns of next come
 * through this sink. */
gemp_code gemp_residual_new(gemp_sink *out, gemp_runtime *context, gemp_shard *graph,
                            const gemp_condition *const *conditions, size_t count, gemp_filter *filter,
                            bool count_loops, gemp_sink *next);

/* Of this rank, so far: attribute values fetched, each distinct vertex (or edge) once a turn; and attribute values that the
 * tested rows refer to, each mention counted. */
uint64_t gemp_residual_copied(const gemp_sink *residual);
uint64_t gemp_residual_referred(const gemp_sink *residual);

#endif
