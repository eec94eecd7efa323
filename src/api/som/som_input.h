/* som_input: the vectors that a map is trained on or applied to, as a gemp_som_data names them: those of an array or a
 * file, or the vertices of a graph, whose features (som/features/features.h) are the columns. Also the members of a
 * gemp_som_model (gemp/som.h).
 *
 * Scaling changes the vectors in place, so an array of the caller is copied, and an input serves one training or
 * application.
 */

#ifndef GEMP_API_SOM_SOM_INPUT_H
#define GEMP_API_SOM_SOM_INPUT_H

#include "api/edge_job.h"
#include "gemp/som.h"
#include "som/features/features.h"
#include "som/file/map.h"

struct gemp_som_model {
	gemp_context *context; /* borrowed */
	char *name;            /* owned: the file's path, or what messages call the map */
	gemp_som_map map;
	double seconds; /* of opening the file, which are in no report yet */
};

typedef struct gemp_som_input {
	gemp_context *context; /* borrowed */
	gemp_som_data data;    /* the caller's, with defaults for members that an older caller lacks */
	const char *name;      /* of the file or graph, for messages; borrowed */
	gemp_edge_job job;     /* report and clocks; its graph and edges are NULL unless the vectors are vertices */
	gemp_vectors vectors;  /* with keys, if rows of a file have them or keys of vertices are wanted */
	gemp_features features;
} gemp_som_input;

/* Local. A model without a map; gemp_som_model_close frees it. */
gemp_code gemp_som_model_new(gemp_som_model **out, gemp_context *context, const char *name);

/* Collective. Begins clocks and report (NULL: not wanted), and selects the edges of a graph. The input is freed also
 * after a failure, and must not be moved (api/edge_job.h). */
gemp_code gemp_som_input_begin(gemp_som_input *out, gemp_context *context, const gemp_som_data *data,
                               gemp_report *report);
/* Collective. Reads the vectors and opens a device. model: the features of a graph are its columns; NULL: those that
 * the data names. keys: the keys of vertices are wanted, too. */
gemp_code gemp_som_input_read(gemp_som_input *input, const gemp_som_model *model, bool keys);
void gemp_som_input_free(gemp_som_input *input);

/* Collective. Checks, before the work, that the units can be written to `files`. `into` is for vertices of a graph. */
gemp_code gemp_som_input_check_files(const gemp_som_input *input, const gemp_vertex_output *files);
/* Collective. Writes the units of a graph's vertices. */
gemp_code gemp_som_input_write_units(gemp_som_input *input, const gemp_vertex_output *files,
                                     const gemp_som_unit_list *units, const gemp_som_map *map);

/* Prints both errors and sets their fields. */
void gemp_som_report_errors(gemp_report *report, double quantisation, double topographic);
/* Collective. Ends a report: features and graph, devices, seconds, memory. */
gemp_code gemp_som_input_report(gemp_som_input *input);

#endif
