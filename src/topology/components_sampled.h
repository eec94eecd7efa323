/* components_sampled: the sets of symmetric rows, of which a GPU gets only a part (Afforest: Sutton, Ben-Nun and Barak
 * 2018).
 *
 * Two edges of each row connect nearly all vertices of most graphs. A further edge whose ends are in the largest set
 * changes nothing, and an edge that leaves this set is also in the row of its other end. So only the rows of vertices
 * outside the largest set are copied as a whole: of R-MAT 24 a fifteenth of the bytes. With several ranks an edge may
 * lie between the largest sets of two ranks, which both have left it out. So their largest sets must be in one
 * component in the end; otherwise the search is repeated with all edges. */

#ifndef GEMP_TOPOLOGY_COMPONENTS_SAMPLED_H
#define GEMP_TOPOLOGY_COMPONENTS_SAMPLED_H

#include "topology/edge_sets.h"

/* Local. The sets have their arrays. *done becomes false if all edges must still be united: rows are not copied, or
 * there is no large set, so that most rows would have to be copied. */
gemp_code gemp_edge_sets_sample(gemp_edge_sets *sets, const gemp_csr *csr, bool *done);

/* Local. sets: u32, the root of each element. Returns the most frequent root among up to 4,096 elements from `begin` on
 * that are no roots, or UINT32_MAX if each root is rare. Ids are in random order in most graphs, so any elements are a
 * sample. */
gemp_code gemp_most_frequent_root(gemp_device *device, const gemp_buffer *sets, size_t begin, size_t count,
                                  cl_uint *root);

#endif
