/* graph: the undirected simple graphs that gas and gas_openmp are measured on. A graph is the same for every number of
 * threads. */
#ifndef BENCH_GAS_GRAPH_H
#define BENCH_GAS_GRAPH_H

#include "core/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Both directions of each edge are stored. There are no self-loops and no parallel edges. */
typedef struct graph {
	uint32_t vertices;
	uint64_t *begin; /* [vertices + 1] */
	uint32_t *end;   /* [begin[vertices]], ascending within a row */
	uint32_t *id;    /* [vertices] id before vertices were sorted by degree; NULL: not sorted */
} graph;

/* spec is a generated graph or a file. kron:SCALE has 2^SCALE vertices and draws 16 edges for each vertex from the
 * Kronecker product of .57 .19 .19 .05; ids are permuted. uniform:SCALE draws the same number of edges with uniform
 * ends. kron:SCALE:N and uniform:SCALE:N draw N edges for each vertex. grid:SCALE is a square grid that wraps around,
 * whose searches take many rounds; ids are permuted. Of a graph file all edges are taken as
 * undirected. With by_degree, ids follow descending degree. */
gemp_code graph_new(graph *out, const char *spec, bool by_degree);
void graph_free(graph *g);

/* Returns 1..255. The weight is the same in both directions and in every order of ids. */
uint8_t graph_weight(const graph *g, uint32_t a, uint32_t b);

/* Returns the source of the index-th traversal: a vertex with neighbours, drawn at random from the ids before
 * sorting. */
uint32_t graph_source(const graph *g, unsigned index);

#endif
