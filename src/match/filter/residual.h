/* residual: a sink that tests the conditions that the search has left, and passes on the matches for which all of them
 * are true.
 *
 * At the end of each round, the sink collects the distinct vertices and edges that the conditions read and fetches
 * their values from their owners, which is collective. The filter evaluates conditions on one vertex, once for each
 * distinct vertex, and the host evaluates conditions on several elements, once for each match. */

#ifndef GEMP_MATCH_FILTER_RESIDUAL_H
#define GEMP_MATCH_FILTER_RESIDUAL_H

#include "graph/batch.h"
#include "graph/graph.h"
#include "match/filter/filter.h"

/* Makes the sink. conditions[0..count), graph, filter and next are borrowed. If filter is NULL, the host evaluates all
 * conditions. `count_loops` says whether degrees count loops (gemp_degree_loops). Batches need edge columns if a
 * condition reads edges. The rounds of `next` end through this sink. */
gemp_code gemp_residual_new(gemp_sink *out, gemp_runtime *context, gemp_shard *graph,
                            const gemp_condition *const *conditions, size_t count, gemp_filter *filter,
                            bool count_loops, gemp_sink *next);

/* Before the first round. Values of vertices are copied for each match that is tested, and not once a round for each
 * vertex, so that both ways can be compared (--attribute-copies each). */
void gemp_residual_copy_each(gemp_sink *residual);

/* What this rank has fetched and read so far. */
typedef struct gemp_residual_figures {
	uint64_t tested, kept; /* matches that were tested, and those that passed */
	uint64_t copied;       /* attribute values that were fetched; each round fetches a value once */
	uint64_t copied_bytes; /* bytes of these values, with offsets of strings */
	uint64_t referred;     /* attribute values that the tested rows read; each mention in a condition counts */
	/* maximum over the rounds: bytes of the fetched values on the host, and of their copies on the device */
	size_t host_bytes, device_bytes;
} gemp_residual_figures;
gemp_residual_figures gemp_residual_figures_of(const gemp_sink *residual);

#endif
