/* production: the engines of src/analytics beside analytics by edge streaming (bench/streaming.h): how fast they are,
 * and whether the answers agree. Local: one rank. */

#ifndef GEMP_BENCH_PRODUCTION_H
#define GEMP_BENCH_PRODUCTION_H

#include "analytics/dense/pagerank.h"
#include "analytics/dense/spmv.h"
#include "analytics/traversal/bfs.h"
#include "analytics/traversal/sssp.h"
#include "bench/streaming.h"

typedef struct gemp_production {
	const gemp_layout *layout; /* borrowed */
	gemp_application application;
	gemp_vertex source;
	double damping;
	/* the engine of the application; the others are NULL */
	gemp_pagerank *pagerank;
	gemp_bfs *bfs;
	gemp_sssp *sssp;
	gemp_spmv *spmv;
	double *x; /* spmv: [vertices] by local vertex; owned */
	/* the answer of the last run */
	gemp_pagerank_result ranks;
	gemp_bfs_result levels;
	gemp_sssp_result lengths;
	gemp_spmv_result products;
	double seconds;  /* of the last run */
	uint64_t rounds; /* of the last run */
} gemp_production;

/* The layout of an application, for the engine and for gemp_edge_stream_new. The caller sets the other members. */
void gemp_production_layout(gemp_layout_options *how, gemp_application application);

/* Local. Makes the engine with its defaults, in single precision. The layout is one of gemp_production_layout. The
 * caller frees *out, also after a failure. */
gemp_code gemp_production_new(gemp_production *out, gemp_device *device, const gemp_layout *layout,
                              const gemp_streaming_params *params);
void gemp_production_free(gemp_production *production);

/* Local. rounds: iterations of pagerank; the other engines do not read it. */
gemp_code gemp_production_run(gemp_production *production, uint32_t rounds);

/* Local. Compares an answer by streaming, numbers[vertices] by id (gemp_streaming_read), with the last run. Levels and
 * lengths must be equal; those of a run that was cut off (`result`) must be those of the vertices that its rounds have
 * reached. Ranks and products may differ by rounding: *error becomes the sum of differences of ranks, or the largest
 * difference of a product relative to the sum of the magnitudes that it adds up; 0 for searches. A wrong answer is
 * GEMP_EINTERNAL. */
gemp_code gemp_production_compare(const gemp_production *production, const void *numbers,
                                  const gemp_streaming_result *result, double *error);

#endif
