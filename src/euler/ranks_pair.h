/* ranks_pair: each edge is followed by an out-edge of the vertex that it leads to, and no two by the same. */
#ifndef GEMP_EULER_RANKS_PAIR_H
#define GEMP_EULER_RANKS_PAIR_H

#include "euler/euler.h"
#include "euler/ranks_list.h"

/* Collective. The owner of a vertex deals its out-edges to those that lead there, the last one first: edges that were added together
 * lie alike in the rows of in- and out-edges, and dealt in the same order they would close many small circuits. Sets the links of the list, whose part are
 * this rank's edges. *unbalanced: vertices of all ranks that have more of one kind than of the other; then links are not right. */
gemp_code gemp_euler_pair(gemp_euler_list *list, const gemp_euler_edges *edges, uint64_t *unbalanced);

#endif
