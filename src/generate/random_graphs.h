/* random_graphs: the edges of graphs with an Euler circuit or path, each a function of its number.
 *
 * Every vertex has as many edges in as out (but the ends of a path), every vertex has an edge, and all edges hang
 * together.
 */

#ifndef GEMP_GENERATE_RANDOM_GRAPHS_H
#define GEMP_GENERATE_RANDOM_GRAPHS_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gemp_eulerian_shape {
	GEMP_EULERIAN_DEEP,    /* a band: edges go to one of the next 31 vertices, so that each circuit winds around all
	                          of them: few of them, and long */
	GEMP_EULERIAN_SHALLOW, /* each vertex hangs on older ones by a triangle or a pair of edges: tens of thousands of
	                          circuits, and short; with fewer edges several vertices share one */
	GEMP_EULERIAN_RANDOM,  /* a closed walk that meets every vertex about equally often, in random order */
} gemp_eulerian_shape;

typedef struct gemp_eulerian {
	gemp_eulerian_shape shape;
	uint64_t vertices, edges, seed;
	bool path; /* one that ends elsewhere than it begins */
} gemp_eulerian;

/* GEMP_EUSAGE where there is no such graph. */
gemp_code gemp_eulerian_check(const gemp_eulerian *graph);

/* The edges first .. first + count - 1, all below graph->edges: source and target of each, below graph->vertices. */
void gemp_eulerian_edges(const gemp_eulerian *graph, uint64_t first, size_t count, uint64_t (*ends)[2]);

#endif
