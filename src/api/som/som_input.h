/* som_input: the vectors that a map is trained on or applied to, by a gemp_som_data: those of an array, a file, or the vertices of a
 * graph, whose features (som/features/features.h) are the columns. Also what a gemp_som_model (gemp/som.h) is inside.
 *
 * Scaling changes the vectors in place, so that an input is a copy of an array, and serves one training or application.
 */

#ifndef GEMP_API_SOM_SOM_INPUT_H
#define GEMP_API_SOM_SOM_INPUT_H

#include "api/edge_job.h"
#include "core/memory.h"
#include "gemp/som.h"
#include "som/features/features.h"
#include "som/file/map.h"

struct gemp_som_model {
	gemp_context *context; /* borrowed */
	char *name;            /* owned: the file's path, or what messages call the map */
	gemp_som_map map;
	double seconds; /* of opening the file, which no report has had */
};

typedef struct gemp_som_input {
	gemp_context *context; /* borrowed */
	const char *name;      /* of the file or graph, for messages; borrowed */
	gemp_edge_job job;     /* report and clocks; graph and edges only if the vectors are vertices, else they are NULL */
	gemp_vectors vectors;  /* with keys, if rows of a file or vertices are to have them */
	gemp_features features;
} gemp_som_input;

/* Local. A model without a map; gemp_som_model_close frees it. */
gemp_code gemp_som_model_new(gemp_som_model **out, gemp_context *context, const char *name);

/* Collective. Begins clocks and report (NULL: not wanted), and takes the edges of a graph. An input is freed also after a failure, and
 * stays where it is, as a gemp_edge_job does. */
gemp_code gemp_som_input_begin(gemp_som_input *out, gemp_context *context, const gemp_som_data *data,
                               gemp_report *report);
/* Collective. Gets the vectors and opens a device. model: its columns are the features of a graph; NULL: those of the data. keys:
 * vertices get keys, too. */
gemp_code gemp_som_input_read(gemp_som_input *input, const gemp_som_data *data, const gemp_som_model *model, bool keys);
void gemp_som_input_free(gemp_som_input *input);

/* Collective. Before the work: can the units go where `files` says? `into` is for vertices of a graph. */
gemp_code gemp_som_input_check_files(const gemp_som_input *input, const gemp_vertex_output *files);
/* Collective. Writes the units of a graph's vertices. */
gemp_code gemp_som_input_write_units(gemp_som_input *input, const gemp_vertex_output *files,
                                     const gemp_som_unit_list *units, const gemp_som_map *map);

/* Prints both errors and sets their fields. */
void gemp_som_report_errors(gemp_report *report, double quantisation, double topographic);
/* Collective. The end of a report: features and graph, devices, seconds, memory. */
gemp_code gemp_som_input_report(gemp_som_input *input);

#endif
