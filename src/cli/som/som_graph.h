/* som_graph: the vertices of a graph as the vectors of a map, by features.h, and their units back into the graph. */

#ifndef GEMP_CLI_SOM_SOM_GRAPH_H
#define GEMP_CLI_SOM_SOM_GRAPH_H

#include "api/report_state.h"
#include "cli/graph_job.h"
#include "som/features/features.h"
#include "som/file/map_vectors.h"

/* {0}: the data is no graph. */
typedef struct gemp_som_graph {
	gemp_graph_job *job; /* has the graph; borrowed, and NULL if the data is no graph */
	const char *path;    /* of the graph; borrowed */
	gemp_features features;
} gemp_som_graph;

/* Is this the place of a graph, and not of vectors? */
bool gemp_som_is_graph(const char *place);
/* Local. Where vectors are to be read: options that are for graphs, and graphs without features, are refused. */
gemp_code gemp_som_check_vectors(const gemp_options *options, const char *place);

/* Collective. Takes the features, checks that they can be found and that --into can be written. To be freed also after
 * a failure. map_path: of a map whose columns are the features; NULL: those of --features. */
gemp_code gemp_som_graph_open(gemp_som_graph *out, gemp_graph_job *job, const char *path, const char *map_path,
                              const gemp_som_map *map);
/* Collective. The vectors, in the order of ids, with keys if they are wanted. */
gemp_code gemp_som_graph_vectors(gemp_vectors *out, gemp_som_graph *g, bool keys);
/* Collective. The features, as lines and as fields. */
void gemp_som_graph_report(const gemp_som_graph *g);
/* Collective. If --into is given, the graph with the units of its vertices. */
gemp_code gemp_som_graph_write(gemp_som_graph *g, const gemp_som_unit_list *units, const gemp_som_map *map);
void gemp_som_graph_free(gemp_som_graph *g);

#endif
