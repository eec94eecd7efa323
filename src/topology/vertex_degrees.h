/* vertex_degrees: how many edges leave each vertex and how many reach it, and what follows from both: sources, sinks,
 * and whether every vertex is balanced, as an Euler circuit wants it, or all but the two ends of a path. A loop counts
 * both ways. */

#ifndef GEMP_TOPOLOGY_VERTEX_DEGREES_H
#define GEMP_TOPOLOGY_VERTEX_DEGREES_H

#include "comm/exchange.h"
#include "device/tuning.h"
#include "topology/csr.h"

typedef struct gemp_vertex_degrees {
	size_t rows;
	gemp_vertex first;
	uint64_t *out, *in;   /* [rows] of own vertices */
	gemp_traffic traffic; /* of this rank */
	bool on_device;
	double seconds;   /* of counting targets: that the device worked, or the host */
	double transfers; /* of copies to the device and from it */
} gemp_vertex_degrees;

/* Collective. Of the edges in all these rows by source together; the same number of them on all ranks. bounds[ranks +
 * 1] tells who owns which ids. device: NULL, or where one rank may count. */
gemp_code gemp_vertex_degrees_new(gemp_vertex_degrees *out, const gemp_comm *comm, gemp_device *device,
                                  gemp_placement place, const uint64_t *bounds, const gemp_csr *csr, size_t count);
/* Collective. Of the relations that are set (NULL: all), whose rows by source are loaded; rows by target are used where
 * they are. */
gemp_code gemp_vertex_degrees_of_graph(gemp_vertex_degrees *out, const gemp_comm *comm, const gemp_shard *graph,
                                       const bool *relations);
void gemp_vertex_degrees_free(gemp_vertex_degrees *degrees);

/* Of all ranks. The counts before max_out are summed by one reduction: all are gemp_count. */
typedef struct gemp_degree_summary {
	gemp_count vertices;
	gemp_count isolated;          /* no edges */
	gemp_count sources, sinks;    /* edges, but none in, or none out */
	gemp_count balanced;          /* as many in as out; isolated ones, too */
	gemp_count more_out, more_in; /* the others */
	gemp_count surplus;           /* sum of out - in over more_out; the same as of in - out over more_in */
	uint64_t max_out, max_in;
	gemp_vertex start, end; /* the least vertex of more_out and of more_in; GEMP_NO_VERTEX: none */
} gemp_degree_summary;

/* Collective. */
void gemp_degree_summary_count(gemp_degree_summary *out, const gemp_comm *comm, const gemp_vertex_degrees *degrees);

/* How many edges of all types meet at a vertex; a loop counts twice. */

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
