/* graph: the undirected simple graphs that gas and gas_openmp are measured on; the same for every number of threads. */
#ifndef BENCH_GAS_GRAPH_H
#define BENCH_GAS_GRAPH_H

#include "core/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Both directions of each edge; no loops, no edge twice. */
typedef struct graph {
	uint32_t vertices;
	uint64_t *begin; /* [vertices + 1] */
	uint32_t *end;   /* [begin[vertices]] ascending in a row */
	uint32_t *id;    /* [vertices] before they were sorted by degree; NULL: as it is */
} graph;

/* spec: kron:SCALE (2^SCALE vertices, 16 edges each drawn from the Kronecker product of .57 .19 .19 .05, ids permuted),
 * uniform:SCALE (the same number, anywhere), or a graph file, all of whose edges are taken as undirected; either may be
 * followed by ":EDGES" a vertex in place of 16. by_degree: ids from the most neighbours on. */
gemp_code graph_new(graph *out, const char *spec, bool by_degree);
void graph_free(graph *g);

/* 1..255, the same in both directions and in every order of ids. */
uint8_t graph_weight(const graph *g, uint32_t a, uint32_t b);

/* The index-th start of a traversal: a vertex with neighbours, drawn at random from the ids before any sorting. */
uint32_t graph_source(const graph *g, unsigned index);

#endif
