/* vertex_degrees: out- and in-degrees of all vertices, and their summary: sources, sinks and balanced vertices. An
 * Euler circuit needs all vertices balanced, and a path all vertices except its two ends. A loop counts in both
 * directions. */

#ifndef GEMP_TOPOLOGY_VERTEX_DEGREES_H
#define GEMP_TOPOLOGY_VERTEX_DEGREES_H

#include "comm/exchange.h"
#include "device/tuning.h"
#include "topology/csr.h"

typedef struct gemp_vertex_degrees {
	size_t rows;
	gemp_vertex first;
	uint64_t *out, *in;   /* [rows] degrees of own vertices */
	gemp_traffic traffic; /* traffic of this rank */
	bool on_device;
	double seconds;   /* seconds in which the device, or the host, counted targets */
	double transfers; /* seconds of copies to and from the device */
	double exchange;  /* seconds of exchanges between devices; the seconds of hosts include theirs */
} gemp_vertex_degrees;

/* Collective. Counts the edges of all types csr[count] together. count is the same on all ranks. Rank r owns the ids
 * bounds[r] .. bounds[r + 1] - 1. device may be NULL. All ranks count on their devices, or all of them on their
 * hosts. */
gemp_code gemp_vertex_degrees_new(gemp_vertex_degrees *out, const gemp_comm *comm, gemp_device *device,
                                  gemp_placement place, const uint64_t *bounds, const gemp_csr *csr, size_t count);
/* Collective. Counts the edges of the relations that are set (NULL: of all relations). Their rows by source must be
 * loaded. Rows by target are used if they are loaded. */
gemp_code gemp_vertex_degrees_of_graph(gemp_vertex_degrees *out, const gemp_comm *comm, const gemp_shard *graph,
                                       const bool *relations);
void gemp_vertex_degrees_free(gemp_vertex_degrees *degrees);

/* A summary over all ranks. One reduction sums the counts before max_out, so all of them must be gemp_count. */
typedef struct gemp_degree_summary {
	gemp_count vertices;
	gemp_count isolated;          /* number of vertices without edges */
	gemp_count sources, sinks;    /* vertices with out-edges but no in-edges; with in-edges but no out-edges */
	gemp_count balanced;          /* vertices of equal in- and out-degree, with isolated vertices */
	gemp_count more_out, more_in; /* vertices with more out- than in-edges; with more in- than out-edges */
	/* sum of out - in over the vertices of more_out, which equals the sum of in - out over more_in */
	gemp_count surplus;
	uint64_t max_out, max_in;
	gemp_vertex start, end; /* the smallest vertex of more_out, and of more_in; GEMP_NO_VERTEX: none */
} gemp_degree_summary;

/* Collective. */
void gemp_degree_summary_count(gemp_degree_summary *out, const gemp_comm *comm, const gemp_vertex_degrees *degrees);

/* The degree of a vertex over all types and both directions. A loop counts twice. */

enum { GEMP_DEGREE_CLASSES = 65 };

/* A histogram over all ranks. Class 0 has degree 0, and class k has the degrees from 2^(k-1) to 2^k - 1. */
typedef struct gemp_degree_histogram {
	uint64_t min, max, sum;
	uint64_t vertices[GEMP_DEGREE_CLASSES];
	/* some relation is directed; out[] and in[] are histograms of the directed edges, by out- and in-degree */
	bool directed;
	uint64_t out[GEMP_DEGREE_CLASSES], in[GEMP_DEGREE_CLASSES];
	gemp_degree_summary kinds;
} gemp_degree_histogram;

/* Collective. Counts the directed edges in out[] and in[], by out- and by in-degree, and in `kinds`. On entry out[] and
 * in[] are 0. */
void gemp_degrees_directed(gemp_degree_histogram *out, const gemp_comm *comm, const gemp_vertex_degrees *degrees);
/* Collective. Counts the degrees of all vertices of the graph. */
gemp_code gemp_degrees_count(gemp_degree_histogram *out, const gemp_comm *comm, gemp_shard *graph);
int gemp_degrees_class(uint64_t degree);

#endif
