/* correlate: the distinct tuples of outer vertices for which rows need a sub-pattern searched. The results return from
 * the tuples to the rows.
 *
 * The outer vertices of a sub-pattern are the vertices that it shares with the rows. Rows of several ranks often have
 * the same tuple of outer vertices. Each distinct tuple is called a seed. The hash of a seed determines its owner, a
 * rank. The owner searches for the seed's extensions once and sends the results to every rank that requested the seed.
 * A rank numbers its tuples by owner, in the order in which answers arrive. A single rank exchanges nothing: its tuples
 * are the seeds. */

#ifndef GEMP_QUERY_SEARCH_CORRELATE_H
#define GEMP_QUERY_SEARCH_CORRELATE_H

#include "graph/batch.h"
#include "partition/runtime.h"
#include "query/search/tuple_index.h"

typedef struct gemp_correlate {
	const gemp_comm *comm;
	size_t width;       /* number of vertices of a tuple, 1 or more */
	size_t tuple_count; /* number of distinct tuples in this rank's rows */
	/* [rows] number of the row's tuple; SIZE_MAX if a vertex of the tuple is missing */
	size_t *row_tuple;
	gemp_tuple_index seeds; /* the distinct tuples that this rank owns */
	/* the requests that this rank received, ordered by source; none if there is a single rank */
	size_t request_count;
	size_t *request_seed; /* [request_count] index of the seed that answers the request */
	int *request_rank;    /* [request_count] the rank that sent the request */
} gemp_correlate;

/* Collective. outer[width] are the indices of the row's vertices that make the tuple; vertices: of the graph. Call
 * gemp_correlate_free also after a failure. */
gemp_code gemp_correlate_new(gemp_correlate *c, gemp_runtime *context, uint64_t vertices, const gemp_row_store *rows,
                             const int *outer, size_t width);
void gemp_correlate_free(gemp_correlate *c);

/* gemp_correlate_owner returns the rank that owns a tuple. gemp_correlate_seed, called on that rank, returns the index
 * of the tuple's seed; some rank must have requested the tuple. */
int gemp_correlate_owner(const gemp_correlate *c, const gemp_vertex *tuple);
size_t gemp_correlate_seed(const gemp_correlate *c, const gemp_vertex *tuple);

/* Collective. Sends the value of_seed[s] of each seed s to the ranks that requested the seed. out[tuple_count] becomes
 * the values of this rank's tuples. */
gemp_code gemp_correlate_reply(const gemp_correlate *c, const uint64_t *of_seed, uint64_t *out, gemp_traffic *traffic);

#endif
