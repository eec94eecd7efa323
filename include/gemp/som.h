/* gemp/som.h: self-organising maps (Kohonen 1982; docs/som.md). A map is trained on vectors of all ranks. It can be
 * applied to vectors, drawn, and kept in a file.
 *
 * Vectors come from an array, a file, or the vertices of a graph. NaN is a missing value, which distances ignore. A map
 * has the units 0 to rows * columns - 1. Unit u lies in row u / columns and column u % columns.
 *
 *     gemp_som_data data;
 *     gemp_som_data_init(&data);
 *     data.path = "colours.tsv";
 *     gemp_som_model *model;
 *     gemp_som_model_train(&model, context, &data, NULL, NULL);
 *     gemp_columns *units;
 *     gemp_som_model_apply(&units, model, &data, NULL, NULL);
 *     gemp_columns_close(units);
 *     gemp_som_model_close(model); */

#ifndef GEMP_SOM_H
#define GEMP_SOM_H

#include <gemp/analytics.h>
#include <gemp/columns.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gemp_som_model gemp_som_model;

/* The source of the vectors: `graph` if it is not NULL, otherwise the file `path` if it is not NULL, otherwise the
 * array `vectors`. The library does not change the source. */
typedef struct gemp_som_data {
	size_t size;          /* the size of this struct in bytes; gemp_som_data_init sets it */
	const float *vectors; /* [count][dims], the vectors of this rank, row by row; NULL if count is 0 */
	size_t count;
	uint32_t dims;    /* length of a vector, the same on all ranks */
	const char *path; /* F.h5:/DATASET, .npy, or a table: .tsv or .csv, also with .gz or .zst (docs/som.md) */
	/* the column of a table that names its rows; NULL: the first column, unless it contains numbers */
	const char *key_column;
	gemp_graph *graph; /* each vertex is a vector of its features */
	/* features to train on, joined by commas: "degree,log:triangles,attr:year". Apply uses the features of the map. */
	const char *features;
	const gemp_edge_selection *edges; /* edge types that the features are computed from; NULL: all types */
} gemp_som_data;

/* Local. Sets all defaults: no vectors. */
GEMP_API void gemp_som_data_init(gemp_som_data *data);

/* The settings must be the same on all ranks. */
typedef struct gemp_som_settings {
	size_t size;            /* the size of this struct in bytes; gemp_som_settings_init sets it */
	uint32_t rows, columns; /* if both are 0: a square map of about 5 sqrt(vectors) units */
	gemp_som_lattice lattice;
	bool toroid; /* opposite sides of the map are adjacent */
	gemp_som_metric metric;
	gemp_som_neighbourhood neighbourhood;
	/* Online training moves the units after each vector. Batch training (false) sets each unit once in an epoch, to a
	 * weighted mean of the vectors. */
	bool online;
	/* radius and rate decrease exponentially from the first epoch to the last; otherwise they decrease linearly */
	bool exponential;
	gemp_som_start start; /* GEMP_SOM_START_PCA by default */
	gemp_som_scaling scaling;
	uint64_t epochs; /* 20 by default */
	/* radius of the first epoch (0: half of the map's longer side, or radius_end if it is larger) and of the last epoch
	 * (above 0; 1 by default) */
	double radius, radius_end;
	/* for online training: rate of the first and of the last epoch; 0.1 and 0.01 by default */
	double rate, rate_end;
	uint64_t seed;   /* seed of the initial units; 1 by default */
	bool no_quality; /* measure errors only after the last epoch, which makes small epochs faster */
	/* Files and time */
	const char *output;  /* .h5 file of the map, written when the training ends or stops; NULL: none */
	uint64_t save_every; /* number of epochs after which the map is written again; 0: it is written only at the end */
	/* If the file `output` exists, the training continues with its map and settings. The data must be the same. */
	bool resume;
	double max_seconds;       /* the training stops after the first epoch that ends later than this time; 0: no limit */
	gemp_vertex_output units; /* for a graph: the files that get unit, x, y and distance of each vertex */
} gemp_som_settings;

/* Size and errors of a map. The errors were measured in its training; NaN means unknown. */
typedef struct gemp_som_info {
	uint32_t rows, columns, dims;
	uint64_t vectors;    /* number of vectors of the training, over all ranks */
	double quantisation; /* mean distance between a scaled vector and its best unit */
	double topographic;  /* share of the vectors whose two best units are not adjacent */
} gemp_som_info;

/* The unit of a vector that has only missing values. */
#define GEMP_SOM_UNIT_NONE UINT32_MAX

/* Local. Sets all defaults. */
GEMP_API void gemp_som_settings_init(gemp_som_settings *settings);

/* Collective. Trains a map. If `settings` is NULL, the defaults apply. If `report` is not NULL, it gets the errors,
 * each epoch and the seconds. The context must outlive the map. gemp_som_model_close frees *out.
 *
 * GEMP_STOPPED if a signal (gemp_process_on_signal) or max_seconds ended the training before its last epoch; *out is
 * then the current map. GEMP_EUSAGE if a setting is wrong. GEMP_EDATA if no rank has vectors, if vectors have no
 * dimension or more than 16,384, if a value is too large for distances in floats, or if resumed training gets other
 * data. */
GEMP_API gemp_code gemp_som_model_train(gemp_som_model **out, gemp_context *context, const gemp_som_data *data,
                                        const gemp_som_settings *settings, gemp_report *report);
/* Collective. gemp_som_model_open reads a map from a file (HDF5, docs/som.md); gemp_som_model_close frees *out.
 * gemp_som_model_write writes a map to a file, which gets its name only when it is complete. */
GEMP_API gemp_code gemp_som_model_open(gemp_som_model **out, gemp_context *context, const char *path);
GEMP_API gemp_code gemp_som_model_write(gemp_som_model *model, const char *path);
/* Local. Frees the map; does nothing for NULL. */
GEMP_API void gemp_som_model_close(gemp_som_model *model);

/* Local. *out becomes the size and the errors of the map. */
GEMP_API void gemp_som_model_info(const gemp_som_model *model, gemp_som_info *out);
/* Local. Returns the vectors of the units, float[rows * columns][dims], which are the same on all ranks. The values are
 * scaled: a value of column c has become (value - offset[c]) * factor[c]. *offset and *factor become arrays
 * double[dims]; either pointer may be NULL. All arrays belong to the map. */
GEMP_API const float *gemp_som_model_codebook(const gemp_som_model *model, const double **offset,
                                              const double **factor);

/* Collective. Finds the best unit of each vector. If several units have the same distance, the best unit is the one
 * with the smallest number.
 *
 * Unless `out` is NULL, *out gets a row for each vector of this rank, and gemp_columns_close frees *out. The columns
 * are `key` (of the vertex or the table's row, otherwise the vector's number from 0 over all ranks), `unit`, its column
 * `x` and row `y`, `distance` (of scaled values), and `second`, which is the second-best unit. If a vector has only
 * missing values, all columns but the key are NULL.
 *
 * `files` may be NULL. `output` gets these rows. `into`, which is possible only for the vertices of a graph, gets unit,
 * x, y and distance as attributes. If `report` is not NULL, it gets the errors. GEMP_EDATA if the data have other
 * columns than the map. */
GEMP_API gemp_code gemp_som_model_apply(gemp_columns **out, gemp_som_model *model, const gemp_som_data *data,
                                        const gemp_vertex_output *files, gemp_report *report);

/* A picture of a map. It has panels side by side, each with a title and a legend. */
typedef struct gemp_som_picture {
	size_t size; /* the size of this struct in bytes; gemp_som_picture_init sets it */
	/* [show_count] panels: umatrix, hits, planes (one panel for each column), the name of a column, or
	 * rgb:RED,GREEN,BLUE */
	const char *const *show;
	size_t show_count; /* 0: umatrix and planes */
	/* File of rows that gemp_som_model_apply has written. Their keys are shown on the units of the first panel. NULL:
	 * none. */
	const char *labels;
	const char *output; /* .svg or .png */
} gemp_som_picture;

/* Local. Sets all defaults. The caller must then set `output`. */
GEMP_API void gemp_som_picture_init(gemp_som_picture *picture);
/* Collective. Draws the map. `report` may be NULL. GEMP_EUSAGE if the map has no such column, or too many units for an
 * SVG. GEMP_EDATA if the labels belong to another map, or if the panel `hits` is requested before the map's training
 * has ended. */
GEMP_API gemp_code gemp_som_model_draw(gemp_som_model *model, const gemp_som_picture *picture, gemp_report *report);

#ifdef __cplusplus
}
#endif

#endif
