/* features: numbers of a graph's vertices, by name, from the engines of this program: what `som --features` makes vectors of.
 *
 * A name is one of the table in features.c (degree, triangles, pagerank, ...), attr:NAME for an attribute of the vertices, or log:
 * in front of either: log(1 + x), with the sign of x. Degrees and counts of shapes are found once for all features that need them.
 */

#ifndef GEMP_SOM_FEATURES_FEATURES_H
#define GEMP_SOM_FEATURES_FEATURES_H

#include "graph/graph.h"
#include "partition/runtime.h"

#include <math.h>

typedef struct gemp_feature {
	char *name;            /* as asked for; owned */
	size_t kind;           /* in the table */
	const char *attribute; /* NULL, or in `name` */
	bool log;
	double min, max, mean; /* of all ranks' values; NaN if there are none */
	uint64_t missing;
	bool found;
	double seconds; /* to find it; of what is there with and without log: the first */
} gemp_feature;

typedef struct gemp_features {
	size_t count;
	gemp_feature *items; /* [count] */
} gemp_features;

/* Local. "degree,log:triangles,attr:year": GEMP_EUSAGE for what is no feature, and for one that is there twice. */
gemp_code gemp_features_parse(gemp_features *out, const char *list);
/* Local. The columns of a map: GEMP_EDATA, with the map's path, for what is no feature. */
gemp_code gemp_features_of_map(gemp_features *out, const char *path, char *const *names, size_t count);
void gemp_features_free(gemp_features *features);

/* What they are found in. */
typedef struct gemp_features_source {
	gemp_runtime *context;
	gemp_shard *graph;
	const bool *relations; /* [relation_count] whose edges count */
	const char *path;      /* of the graph, for messages */
} gemp_features_source;

/* Local. GEMP_EUSAGE for an attribute that the graph does not have, or that is no number. */
gemp_code gemp_features_check(const gemp_features *features, const gemp_shard *graph, const char *path);
/* Collective. x[rows][count] of own vertices; NaN: missing. Loads what it needs of the graph. */
gemp_code gemp_features_find(gemp_features *features, const gemp_features_source *source, float *x);

#endif
