/* vertex_degrees: out- and in-degrees of all vertices, and their summary: sources, sinks, balanced vertices (an Euler
 * circuit needs all vertices balanced, a path all but its two ends). A loop counts in both directions. */

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

/* Collective. Counts the edges in csr[count] together; count is the same on all ranks. Rank r owns the ids bounds[r] ..
 * bounds[r + 1] - 1. device: may be NULL; several ranks count on their hosts. */
gemp_code gemp_vertex_degrees_new(gemp_vertex_degrees *out, const gemp_comm *comm, gemp_device *device,
                                  gemp_placement place, const uint64_t *bounds, const gemp_csr *csr, size_t count);
/* Collective. Counts the edges of the relations that are set (NULL: all). Their rows by source are loaded; rows by
 * target are used if they are loaded. */
gemp_code gemp_vertex_degrees_of_graph(gemp_vertex_degrees *out, const gemp_comm *comm, const gemp_shard *graph,
                                       const bool *relations);
void gemp_vertex_degrees_free(gemp_vertex_degrees *degrees);

/* Of all ranks. The counts before max_out are summed by one reduction: all are gemp_count. */
typedef struct gemp_degree_summary {
	gemp_count vertices;
	gemp_count isolated;          /* vertices without edges */
	gemp_count sources, sinks;    /* with edges, but none in, or none out */
	gemp_count balanced;          /* equal in- and out-degree; isolated vertices, too */
	gemp_count more_out, more_in; /* the others */
	gemp_count surplus;           /* sum of out - in over more_out; the same as of in - out over more_in */
	uint64_t max_out, max_in;
	gemp_vertex start, end; /* the least vertex of more_out and of more_in; GEMP_NO_VERTEX: none */
} gemp_degree_summary;

/* Collective. */
void gemp_degree_summary_count(gemp_degree_summary *out, const gemp_comm *comm, const gemp_vertex_degrees *degrees);

/* The degree of a vertex over all types and both directions; a loop counts twice. */

enum { GEMP_DEGREE_CLASSES = 65 };

/* Class 0: degree 0; class k: degrees from 2^(k-1) to 2^k - 1. All ranks. */
typedef struct gemp_degree_histogram {
	uint64_t min, max, sum;
	uint64_t vertices[GEMP_DEGREE_CLASSES];
	bool directed; /* there are edges with a direction; of these alone, vertices by out- and by in-degree: */
	uint64_t out[GEMP_DEGREE_CLASSES], in[GEMP_DEGREE_CLASSES];
	gemp_degree_summary kinds;
} gemp_degree_histogram;

/* Collective. Adds the histograms and the summary of directed edges. */
void gemp_degrees_directed(gemp_degree_histogram *out, const gemp_comm *comm, const gemp_vertex_degrees *degrees);
/* Collective. */
gemp_code gemp_degrees_count(gemp_degree_histogram *out, const gemp_comm *comm, gemp_shard *graph);
int gemp_degrees_class(uint64_t degree);

#endif
