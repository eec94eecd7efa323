/* csr: the rows of one edge type that this rank owns, as the functions of this room read them; borrowed, of a graph or
 * not. */
#ifndef GEMP_TOPOLOGY_CSR_H
#define GEMP_TOPOLOGY_CSR_H

#include "graph/graph.h"

typedef struct gemp_csr {
	uint64_t vertices;         /* of all ranks */
	gemp_vertex first;         /* id of row 0 */
	size_t rows;
	const uint64_t *begin;     /* [rows + 1] from 0 */
	const gemp_vertex *target; /* [begin[rows]] ids */
} gemp_csr;

/* The rows by source, or by target, of a relation that has them loaded. */
gemp_csr gemp_csr_out(const gemp_graph *graph, size_t relation);
gemp_csr gemp_csr_in(const gemp_graph *graph, size_t relation);

static inline uint64_t gemp_csr_edges(const gemp_csr *csr)
{
	return csr->begin[csr->rows];
}

/* The row that holds an edge, by the edge's place in target[]. */
size_t gemp_csr_row(const gemp_csr *csr, uint64_t edge);

/* Several types: their edges are numbered one type after the other, from 0 on each rank. */
uint64_t gemp_csr_all_edges(const gemp_csr *csr, size_t count);
/* Which type the edge of this number is of; *edge becomes its place there. */
size_t gemp_csr_find(const gemp_csr *csr, size_t count, uint64_t *edge);

#endif
