/* features: computes numbers of a graph's vertices, such as degree or PageRank, by name. `som --features` trains maps
 * on vectors of these numbers.
 *
 * A name is a name of the table in features.c (degree, triangles, pagerank, ...), or attr:NAME for an attribute of the
 * vertices. The prefix log: before either kind of name replaces x by log(1 + |x|) with the sign of x. Degrees and
 * counts of shapes are computed once for all features that need them. */

#ifndef GEMP_SOM_FEATURES_FEATURES_H
#define GEMP_SOM_FEATURES_FEATURES_H

#include "graph/graph.h"
#include "partition/runtime.h"

#include <math.h>

typedef struct gemp_feature {
	char *name;            /* owned; the name as the user has given it */
	size_t kind;           /* index in the table of features.c; not used for an attribute */
	const char *attribute; /* name of the attribute, a part of `name`; NULL if the feature is no attribute */
	bool log;
	double min, max, mean; /* over the values of all ranks; NaN if there is no value */
	uint64_t missing;
	bool found;
	double seconds; /* time of the computation; features that share a computation count it in the first of them */
} gemp_feature;

typedef struct gemp_features {
	size_t count;
	gemp_feature *items; /* [count] */
} gemp_features;

/* Local. list: for example "degree,log:triangles,attr:year". Returns GEMP_EUSAGE for a name that is no feature and for
 * a feature that is listed twice. The caller frees *out, also after a failure. */
gemp_code gemp_features_parse(gemp_features *out, const char *list);
/* Local. names[count]: the columns of a map. Returns GEMP_EDATA, with the map's path in the message, for a name
 * that is no feature. */
gemp_code gemp_features_of_map(gemp_features *out, const char *path, char *const *names, size_t count);
void gemp_features_free(gemp_features *features);

/* The graph whose features are computed. */
typedef struct gemp_features_source {
	gemp_runtime *context;
	gemp_shard *graph;
	const bool *relations; /* [relation_count] true: the edges of this relation count */
	const char *path;      /* the graph's path, for messages */
} gemp_features_source;

/* Local. Returns GEMP_EUSAGE for an attribute that the graph does not have or whose values are no numbers. */
gemp_code gemp_features_check(const gemp_features *features, const gemp_shard *graph, const char *path);
/* Collective. x[rows][features->count] becomes the vectors of this rank's vertices; NaN means a missing value. Loads
 * the relations and attributes of the graph that the features need. */
gemp_code gemp_features_find(gemp_features *features, const gemp_features_source *source, float *x);

#endif
