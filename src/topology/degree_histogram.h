/* degree_histogram: how many edges of all types meet at a vertex; a loop counts twice. */

#ifndef GEMP_TOPOLOGY_DEGREE_HISTOGRAM_H
#define GEMP_TOPOLOGY_DEGREE_HISTOGRAM_H

#include "topology/vertex_degrees.h"

enum { GEMP_DEGREE_CLASSES = 65 };

/* Class 0: degree 0; class k: degrees from 2^(k-1) to 2^k - 1. All ranks. */
typedef struct gemp_degree_histogram {
	uint64_t min, max, sum;
	uint64_t vertices[GEMP_DEGREE_CLASSES];
	bool directed; /* there are edges with a direction; of these alone, vertices by out- and by in-degree: */
	uint64_t out[GEMP_DEGREE_CLASSES], in[GEMP_DEGREE_CLASSES];
	gemp_degree_summary kinds;
} gemp_degree_histogram;

/* Collective. What there is to be told of edges with a direction. */
void gemp_degrees_directed(gemp_degree_histogram *out, const gemp_comm *comm, const gemp_vertex_degrees *degrees);
/* Collective. */
gemp_code gemp_degrees_count(gemp_degree_histogram *out, const gemp_comm *comm, gemp_shard *graph);
int gemp_degrees_class(uint64_t degree);

#endif
