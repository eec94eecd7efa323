/* feature_kinds: how each feature of a graph's vertices is found (features.h). */

#ifndef GEMP_SOM_FEATURES_FEATURE_KINDS_H
#define GEMP_SOM_FEATURES_FEATURE_KINDS_H

#include "partition/runtime.h"
#include "topology/vertex_degrees.h"

typedef struct gemp_feature_work {
	gemp_runtime *context;
	gemp_shard *graph;
	const bool *relations;                    /* [relation_count] whose edges count */
	bool have_degrees;                        /* degrees, by the first feature that needs them: */
	gemp_vertex_degrees directed, undirected; /* of edges with a direction, and without */
	uint64_t *neighbours, *triangles;         /* [rows] likewise */
} gemp_feature_work;

typedef struct gemp_feature_kind {
	const char *name;
	/* Collective. values[rows] of own vertices. */
	gemp_code (*compute)(gemp_feature_work *work, double *values);
} gemp_feature_kind;

extern const gemp_feature_kind gemp_feature_kinds[];
extern const size_t gemp_feature_kind_count; /* at most 16 */

void gemp_feature_work_free(gemp_feature_work *work);

#endif
