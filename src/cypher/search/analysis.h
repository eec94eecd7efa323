/* analysis: the graph algorithms that a query calls as procedures, such as gemp.bfs().
 *
 * Their engines and settings are those of the commands of the same names, which src/api composes. So src/api fills a
 * table of functions, and this layer calls them. An analysis begins once for its settings, and then runs once for each
 * source. */

#ifndef GEMP_CYPHER_SEARCH_ANALYSIS_H
#define GEMP_CYPHER_SEARCH_ANALYSIS_H

#include "gemp/types.h"
#include "graph/graph.h"
#include "partition/runtime.h"

typedef enum gemp_cypher_algorithm {
	GEMP_CY_PAGERANK,
	GEMP_CY_BFS,
	GEMP_CY_SSSP,
	GEMP_CY_COMPONENTS
} gemp_cypher_algorithm;

typedef struct gemp_cypher_analysis {
	gemp_cypher_algorithm algorithm;
	bool others; /* bfs, sssp: the vertices before are wanted */
	gemp_edge_direction direction;
	gemp_precision precision;  /* pagerank, like the members below */
	double damping, tolerance; /* negative: the default */
	int64_t iterations;        /* negative: the default */
	size_t type_count;         /* 0: the edges of all types */
	const char *const *types;  /* [type_count] */
	const char *weight;        /* NULL: each edge has weight 1 */
	size_t jump_count;         /* 0: jumps lead to all vertices */
	const gemp_vertex *jumps;  /* [jump_count] */
} gemp_cypher_analysis;

/* A vertex with its values. */
typedef struct gemp_cypher_analysis_row {
	union {
		int64_t integer;
		double real;
	};
	gemp_vertex vertex;
	gemp_vertex other; /* the vertex before; the vertex of smallest key in the component; GEMP_NO_VERTEX: none */
	uint32_t key_rank; /* of the vertex */
} gemp_cypher_analysis_row;

/* Vertices without a value, which a search has not reached, have no row. */
typedef struct gemp_cypher_analysis_rows {
	size_t count;
	gemp_cypher_analysis_row *rows; /* [count] */
	bool real;                      /* values are floats; the same on all ranks */
} gemp_cypher_analysis_rows;

typedef struct gemp_cypher_analyses {
	void *self;
	/* Collective. Ends the analysis before. `what` is borrowed during the call. */
	gemp_code (*begin)(void *self, gemp_runtime *runtime, gemp_shard *graph, const gemp_cypher_analysis *what);
	/* Collective. out->rows become those of this rank's vertices. The caller frees them, also after a failure. source:
	 * for bfs and sssp. */
	gemp_code (*run)(void *self, gemp_vertex source, gemp_cypher_analysis_rows *out);
	/* Local. Frees the analysis, if one has begun. */
	void (*end)(void *self);
} gemp_cypher_analyses;

#endif
