/* correlate: the distinct tuples of outer vertices for which rows need a sub-pattern searched, and the way back to the
 * rows.
 *
 * Rows of several ranks often have the same tuple. Each distinct tuple, a seed, goes to the rank that its hash names,
 * is searched for once there, and the results return to every rank that sent it. The tuples of a rank are numbered by
 * owner, in the order in which answers arrive.
 */

#ifndef GEMP_QUERY_SEARCH_CORRELATE_H
#define GEMP_QUERY_SEARCH_CORRELATE_H

#include "graph/batch.h"
#include "partition/runtime.h"

typedef struct gemp_correlate {
	const gemp_comm *comm;
	size_t width;                    /* vertices of a tuple, 1 or more */
	size_t tuple_count;              /* distinct tuples of this rank's rows */
	size_t *row_tuple;               /* [rows] number of the row's tuple; SIZE_MAX: a vertex of it is missing */
	size_t request_count;            /* requests received, by source */
	size_t *request_seed;            /* [request_count] index of the seed that answers the request */
	int *request_rank;               /* [request_count] the rank that sent it */
	size_t seed_count;               /* distinct tuples that this rank answers for */
	gemp_vertex *seed;               /* [seed_count * width] */
	struct gemp_record_table *table; /* of seeds */
} gemp_correlate;

/* Collective. outer[width]: the vertices of a row that make its tuple. gemp_correlate_free in any case. */
gemp_code gemp_correlate_new(gemp_correlate *c, gemp_runtime *context, const gemp_row_store *rows, const int *outer,
                             size_t width);
void gemp_correlate_free(gemp_correlate *c);

/* The rank that answers for a tuple. On that rank, the index of the tuple's seed; the tuple must have been
 * requested. */
int gemp_correlate_owner(const gemp_correlate *c, const gemp_vertex *tuple);
size_t gemp_correlate_seed(const gemp_correlate *c, const gemp_vertex *tuple);

/* Collective. One number for each seed returns to the ranks that requested it: out[tuple_count]. */
gemp_code gemp_correlate_reply(const gemp_correlate *c, const uint64_t *of_seed, uint64_t *out, gemp_traffic *traffic);

#endif
