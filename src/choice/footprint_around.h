/* footprint_around: tokens of vertices that rows do not have: ends of an edge, neighbours of a vertex. */
#ifndef GEMP_CHOICE_FOOTPRINT_AROUND_H
#define GEMP_CHOICE_FOOTPRINT_AROUND_H

#include "choice/footprint.h"

typedef struct gemp_row_token {
	uint64_t row, token;
} gemp_row_token;

/* Collective. Of the rows whose choice[row] is 0, in any order; none if no trace asks for any. The caller frees
 * *out. */
gemp_code gemp_footprint_around(gemp_row_token **out, size_t *count, const gemp_comm *comm, gemp_graph *graph,
                                const gemp_footprint *footprint, const gemp_frame *frame, const uint8_t *choice);

#endif
