/* som_input: the vectors that a map is trained on or applied to. A gemp_som_data names their source: an array, a file,
 * or the vertices of a graph, whose features (som/features/features.h) are the columns. The header also has the members
 * of a gemp_som_model (gemp/som.h).
 *
 * Scaling changes the vectors in place. Therefore an array of the caller is copied, and an input serves only one
 * training or application. */

#ifndef GEMP_API_SOM_SOM_INPUT_H
#define GEMP_API_SOM_SOM_INPUT_H

#include "api/edge_job.h"
#include "gemp/som.h"
#include "som/features/features.h"
#include "som/file/map.h"

struct gemp_som_model {
	gemp_context *context; /* borrowed */
	char *name;            /* owned: the path of the map's file, or the name of the map in messages */
	gemp_som_map map;
	double seconds; /* seconds of opening the file that no report has yet */
};

typedef struct gemp_som_input {
	gemp_context *context; /* borrowed */
	gemp_som_data data;    /* the data of the caller; members that an older caller lacks have defaults */
	const char *name;      /* borrowed: the name of the file or the graph, for messages */
	gemp_edge_job job;     /* report and clocks; graph and edges are NULL unless the vectors are vertices */
	gemp_vectors vectors;  /* they have keys if the rows of the file have keys, or if the keys of vertices are wanted */
	gemp_features features;
} gemp_som_input;

/* Local. Makes a model without a map. gemp_som_model_close frees *out. */
gemp_code gemp_som_model_new(gemp_som_model **out, gemp_context *context, const char *name);

/* Collective. Begins the clocks and the report (which may be NULL), and selects the edges of a graph. The caller frees
 * the input, also after a failure. The input must not be moved (api/edge_job.h). */
gemp_code gemp_som_input_begin(gemp_som_input *out, gemp_context *context, const gemp_som_data *data,
                               gemp_report *report);
/* Collective. Reads the vectors and opens a device. For a graph, `model` gives the features; if `model` is NULL, the
 * data name them. If `keys` is true, the keys of vertices are loaded, too. */
gemp_code gemp_som_input_read(gemp_som_input *input, const gemp_som_model *model, bool keys);
void gemp_som_input_free(gemp_som_input *input);

/* Collective. Checks before the work that the units can be written to `files`. Only the vertices of a graph may have
 * `into`. */
gemp_code gemp_som_input_check_files(const gemp_som_input *input, const gemp_vertex_output *files);
/* Collective. Writes the units of a graph's vertices. */
gemp_code gemp_som_input_write_units(gemp_som_input *input, const gemp_vertex_output *files,
                                     const gemp_som_unit_list *units, const gemp_som_map *map);

/* Prints both errors and sets their fields. */
void gemp_som_report_errors(gemp_report *report, double quantisation, double topographic);
/* Collective. Ends a report with features, graph, devices, seconds and memory. */
gemp_code gemp_som_input_report(gemp_som_input *input);

#endif
