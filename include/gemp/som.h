/* gemp/som.h: self-organising maps (Kohonen 1982; docs/som.md): trained on vectors of all ranks, applied to vectors, drawn, in files.
 *
 * Vectors are those of an array, a file, or the vertices of a graph. NaN is a missing value, which distances leave out. A map has
 * units 0 to rows * columns - 1: unit u lies in row u / columns and column u % columns.
 *
 *     gemp_som_data data;
 *     gemp_som_data_init(&data);
 *     data.path = "colours.tsv";
 *     gemp_som_model *model;
 *     gemp_som_model_train(&model, context, &data, NULL, NULL);
 *     gemp_columns *units;
 *     gemp_som_model_apply(&units, model, &data, NULL, NULL);
 *     gemp_columns_close(units);
 *     gemp_som_model_close(model);
 */

#ifndef GEMP_SOM_H
#define GEMP_SOM_H

#include <gemp/analytics.h>
#include <gemp/columns.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gemp_som_model gemp_som_model;

/* The vectors: those of `graph`, else those of `path`, else those of the array. The data and what it refers to stay as they are. */
typedef struct gemp_som_data {
	size_t size;          /* of this struct in bytes, set by gemp_som_data_init */
	const float *vectors; /* [count][dims] of this rank, row by row; NULL if count is 0 */
	size_t count;
	uint32_t dims;          /* the same on all ranks */
	const char *path;       /* F.h5:/DATASET, .npy, or a table: .tsv, .csv, also .gz and .zst (docs/som.md) */
	const char *key_column; /* of a table: the column that names its rows; NULL: the first, if it has no numbers */
	gemp_graph *graph;      /* its vertices; their features are the columns */
	const char *features;   /* to train on, joined by commas: "degree,log:triangles,attr:year"; apply takes the map's */
	const gemp_edge_selection *edges; /* which edge types count for features; NULL: all */
} gemp_som_data;

/* Local. No vectors. */
GEMP_API void gemp_som_data_init(gemp_som_data *data);

/* The same on all ranks. */
typedef struct gemp_som_settings {
	size_t size;            /* of this struct in bytes, set by gemp_som_settings_init */
	uint32_t rows, columns; /* 0, both: a square of about 5 sqrt(vectors) units */
	gemp_som_lattice lattice;
	bool toroid; /* what leaves the map on one side comes in on the other */
	gemp_som_metric metric;
	gemp_som_neighbourhood neighbourhood;
	bool online; /* each vector moves all units in turn; else an epoch makes units means of the vectors around them */
	bool exponential;     /* how radius and rate go from the first epoch to the last; else linearly */
	gemp_som_start start; /* GEMP_SOM_START_PCA by default */
	gemp_som_scaling scaling;
	uint64_t epochs;           /* 20 by default */
	double radius, radius_end; /* of the first epoch and the last; 0: half of the longer side, and 1 */
	double rate, rate_end;     /* online: 0.1 and 0.01 by default */
	uint64_t seed;             /* of the start; 1 by default */
	bool no_quality;           /* errors are measured only at the end, which makes small epochs faster */
	/* Files and time. */
	const char *output;  /* .h5: the map is written there, at the end or when it stops; NULL: not written */
	uint64_t save_every; /* epochs after which the map is written, too; 0: only at the end */
	bool resume; /* if `output` is there, training goes on with it and its own settings; the data are to be the same */
	double max_seconds;       /* training stops after the epoch in which so many are over; 0: never */
	gemp_vertex_output units; /* of a graph: files that get unit, x, y and distance of each vertex */
} gemp_som_settings;

/* What a map is. Errors and epochs are those of its training; NaN: not known. */
typedef struct gemp_som_info {
	uint32_t rows, columns, dims;
	uint64_t vectors;    /* that it was trained on, of all ranks */
	double quantisation; /* mean distance of a vector, as scaled, to its best unit */
	double topographic;  /* share of vectors whose two best units are not adjacent */
} gemp_som_info;

/* Unit of a vector without any value. */
#define GEMP_SOM_UNIT_NONE UINT32_MAX

/* Local. */
GEMP_API void gemp_som_settings_init(gemp_som_settings *settings);

/* Collective. Trains a map. settings NULL: defaults. report (NULL: not wanted) gets the errors, each epoch and the seconds. The context
 * must outlive the map; gemp_som_model_close frees *out. GEMP_STOPPED: a signal (gemp_process_on_signal) or max_seconds ended the
 * training before its last epoch; *out is the map so far. GEMP_EUSAGE: settings that cannot be; GEMP_EDATA: no vectors on any rank,
 * no dimensions or more than 16,384, a value that is too large for distances in floats, or, with resume, other data. */
GEMP_API gemp_code gemp_som_model_train(gemp_som_model **out, gemp_context *context, const gemp_som_data *data,
                                        const gemp_som_settings *settings, gemp_report *report);
/* Collective. A map from a file (HDF5, docs/som.md); write appears under its name when it is whole. */
GEMP_API gemp_code gemp_som_model_open(gemp_som_model **out, gemp_context *context, const char *path);
GEMP_API gemp_code gemp_som_model_write(gemp_som_model *model, const char *path);
/* Local. Takes NULL. */
GEMP_API void gemp_som_model_close(gemp_som_model *model);

/* Local. */
GEMP_API void gemp_som_model_info(const gemp_som_model *model, gemp_som_info *out);
/* Local. The units' vectors, float[rows * columns][dims], the same on all ranks, of values as they were scaled: a value of column
 * c is (value - offset[c]) * factor[c]. offset, factor: set to double[dims]; NULL: not wanted. All belong to the map. */
GEMP_API const float *gemp_som_model_codebook(const gemp_som_model *model, const double **offset,
                                              const double **factor);

/* Collective. Finds the best unit of each vector: of several at the same distance the one with the least number. *out (NULL: not
 * wanted) becomes columns with a row for each vector of this rank, all NULL for a vector without any value: `key` (of a vertex or a
 * table's row, else the vector's number from 0, over all ranks), `unit`, its column `x` and row `y`, `distance` (of scaled values),
 * and `second`, the second-best unit. files (NULL: none): `output` gets these rows; `into`, of the vertices of a graph alone, their
 * unit, x, y and distance. report (NULL: not wanted) gets the errors. GEMP_EDATA: columns of the data are not the map's. */
GEMP_API gemp_code gemp_som_model_apply(gemp_columns **out, gemp_som_model *model, const gemp_som_data *data,
                                        const gemp_vertex_output *files, gemp_report *report);

/* A picture of a map: parts side by side, each with a title and a legend. */
typedef struct gemp_som_picture {
	size_t size; /* of this struct in bytes, set by gemp_som_picture_init */
	const char *const
		*show; /* [show_count] umatrix, hits, planes (all columns), the name of a column, or rgb:RED,GREEN,BLUE */
	size_t show_count;  /* 0: umatrix and planes */
	const char *labels; /* rows that gemp_som_model_apply wrote: names on the units of the first part; NULL: none */
	const char *output; /* .svg or .png */
} gemp_som_picture;

/* Local. */
GEMP_API void gemp_som_picture_init(gemp_som_picture *picture);
/* Collective. Draws the map. report: NULL if not wanted. GEMP_EUSAGE: a column that is not there, or an SVG of very many units;
 * GEMP_EDATA: labels for other units, or hits of a map whose training has not ended. */
GEMP_API gemp_code gemp_som_model_draw(gemp_som_model *model, const gemp_som_picture *picture, gemp_report *report);

#ifdef __cplusplus
}
#endif

#endif
