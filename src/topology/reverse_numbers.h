/* reverse_numbers: the new numbers of edges that were reversed across ranks.
 *
 * The rows by source of a graph are the rows by target of the reversed graph, so only the numbers of the edges must be
 * found. The rank that an edge has moved to knows its place, and sends it back: 4 bytes for each edge. */

#ifndef GEMP_TOPOLOGY_REVERSE_NUMBERS_H
#define GEMP_TOPOLOGY_REVERSE_NUMBERS_H

#include "topology/csr.h"
#include "topology/reverse_device.h"

/* Collective, on several ranks. csr: the own rows before the reversal; reversed: the own rows after it, with edge[].
 * Rank r owns the ids bounds[r] .. bounds[r + 1] - 1, and has fewer than 2^32 edges before and after. *out becomes the
 * new number of each edge of csr, through all ranks; the caller frees it. */
gemp_code gemp_reverse_numbers(gemp_edge **out, const gemp_comm *comm, const uint64_t *bounds, const gemp_csr *csr,
                               const gemp_reversed_rows *reversed);

#endif
