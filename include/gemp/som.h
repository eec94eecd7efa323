/* gemp/som.h: self-organising maps (Kohonen 1982; docs/som.md): trained on vectors of all ranks, applied to vectors, drawn, and kept in files.
 *
 * Vectors come from an array, a file, or the vertices of a graph. NaN is a missing value, which distances leave out. A map has
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

/* The vectors: of `graph`, or if it is NULL of the file `path`, or if both are NULL of the array. The library changes
 * none of them. */
typedef struct gemp_som_data {
	size_t size;          /* of this struct in bytes, set by gemp_som_data_init */
	const float *vectors; /* [count][dims] of this rank, row by row; NULL if count is 0 */
	size_t count;
	uint32_t dims;    /* the same on all ranks */
	const char *path; /* F.h5:/DATASET, .npy, or a table: .tsv, .csv, also .gz and .zst (docs/som.md) */
	const char
		*key_column;   /* of a table: the column that names its rows; NULL: the first column, if it has no numbers */
	gemp_graph *graph; /* each vertex is a vector; its features are the columns */
	const char
		*features; /* to train on, joined by commas: "degree,log:triangles,attr:year"; apply uses those of the map */
	const gemp_edge_selection *edges; /* which edge types count for features; NULL: all */
} gemp_som_data;

/* Local. Sets all defaults: no vectors. */
GEMP_API void gemp_som_data_init(gemp_som_data *data);

/* The same on all ranks. */
typedef struct gemp_som_settings {
	size_t size;            /* of this struct in bytes, set by gemp_som_settings_init */
	uint32_t rows, columns; /* both 0: a square of about 5 sqrt(vectors) units */
	gemp_som_lattice lattice;
	bool toroid; /* opposite sides of the map are adjacent */
	gemp_som_metric metric;
	gemp_som_neighbourhood neighbourhood;
	bool
		online; /* the units move after each vector; otherwise (batch) each epoch sets a unit to a weighted mean of the vectors */
	bool exponential; /* radius and rate decrease exponentially from the first epoch to the last; otherwise linearly */
	gemp_som_start start; /* GEMP_SOM_START_PCA by default */
	gemp_som_scaling scaling;
	uint64_t epochs;           /* 20 by default */
	double radius, radius_end; /* of the first epoch and the last; 0: half of the longer side, and 1 */
	double rate, rate_end;     /* online: 0.1 and 0.01 by default */
	uint64_t seed;             /* of the start; 1 by default */
	bool no_quality;           /* measure errors only at the end, which makes small epochs faster */
	/* Files and time. */
	const char *output;  /* .h5: file of the map, written when training ends or stops; NULL: none */
	uint64_t save_every; /* the map is also written after every so many epochs; 0: only at the end */
	bool
		resume; /* if the file `output` exists, training resumes with its map and settings; the data must be the same */
	double max_seconds;       /* training stops after the first epoch that ends later than this; 0: no limit */
	gemp_vertex_output units; /* for a graph: files with unit, x, y and distance of each vertex */
} gemp_som_settings;

/* Size and errors of a map. Errors are those of its training; NaN: not known. */
typedef struct gemp_som_info {
	uint32_t rows, columns, dims;
	uint64_t vectors;    /* that it was trained on, of all ranks */
	double quantisation; /* mean distance of a vector, as scaled, to its best unit */
	double topographic;  /* share of vectors whose two best units are not adjacent */
} gemp_som_info;

/* The unit of a vector whose values are all missing. */
#define GEMP_SOM_UNIT_NONE UINT32_MAX

/* Local. Sets all defaults. */
GEMP_API void gemp_som_settings_init(gemp_som_settings *settings);

/* Collective. Trains a map. settings NULL: defaults. report (NULL: not wanted) gets the errors, each epoch and the
 * seconds. The context must outlive the map; gemp_som_model_close frees *out. GEMP_STOPPED: a signal
 * (gemp_process_on_signal) or max_seconds ended the training before its last epoch; *out is the map so far.
 * GEMP_EUSAGE: wrong settings; GEMP_EDATA: no vectors on any rank, no dimensions or more than 16,384, a value that is
 * too large for distances in floats, or, with resume, other data. */
GEMP_API gemp_code gemp_som_model_train(gemp_som_model **out, gemp_context *context, const gemp_som_data *data,
                                        const gemp_som_settings *settings, gemp_report *report);
/* Collective. Reads a map from a file (HDF5, docs/som.md); gemp_som_model_close frees *out. Writes a map to a file,
 * which gets its name only when it is complete. */
GEMP_API gemp_code gemp_som_model_open(gemp_som_model **out, gemp_context *context, const char *path);
GEMP_API gemp_code gemp_som_model_write(gemp_som_model *model, const char *path);
/* Local. Frees the map; does nothing for NULL. */
GEMP_API void gemp_som_model_close(gemp_som_model *model);

/* Local. *out becomes the size and the errors of the map. */
GEMP_API void gemp_som_model_info(const gemp_som_model *model, gemp_som_info *out);
/* Local. Returns the vectors of the units, float[rows * columns][dims], which are the same on all ranks. Values are
 * scaled: a value of column c has become (value - offset[c]) * factor[c]. *offset and *factor become arrays
 * double[dims] (NULL: not wanted). All arrays belong to the map. */
GEMP_API const float *gemp_som_model_codebook(const gemp_som_model *model, const double **offset,
                                              const double **factor);

/* Collective. Finds the best unit of each vector; of several units at the same distance, the one with the smallest
 * number. *out (out NULL: not wanted) gets a row for each vector of this rank: `key` (of a vertex or a table's row,
 * otherwise the vector's number from 0, over all ranks), `unit`, its column `x` and row `y`, `distance` (of scaled
 * values), and `second`, the second-best unit. All but the key are NULL if the vector has only missing values.
 * gemp_columns_close frees *out. files (NULL: none): `output` gets these rows; `into`, only for vertices of a graph,
 * gets unit, x, y and distance as attributes. report (NULL: not wanted) gets the errors. GEMP_EDATA: the columns of the
 * data are not those of the map. */
GEMP_API gemp_code gemp_som_model_apply(gemp_columns **out, gemp_som_model *model, const gemp_som_data *data,
                                        const gemp_vertex_output *files, gemp_report *report);

/* A picture of a map: panels side by side, each with a title and a legend. */
typedef struct gemp_som_picture {
	size_t size; /* of this struct in bytes, set by gemp_som_picture_init */
	/* [show_count] panels: umatrix, hits, planes (all columns), the name of a column, or rgb:RED,GREEN,BLUE */
	const char *const *show;
	size_t show_count; /* 0: umatrix and planes */
	const char *
		labels; /* file of rows by gemp_som_model_apply, whose keys are shown on the units of the first panel; NULL: none */
	const char *output; /* .svg or .png */
} gemp_som_picture;

/* Local. Sets all defaults; output must then be set. */
GEMP_API void gemp_som_picture_init(gemp_som_picture *picture);
/* Collective. Draws the map. report: NULL if not wanted. GEMP_EUSAGE: the map has no such column, or too many units for
 * an SVG; GEMP_EDATA: the labels belong to another map, or the panel `hits` of a map whose training has not ended. */
GEMP_API gemp_code gemp_som_model_draw(gemp_som_model *model, const gemp_som_picture *picture, gemp_report *report);

#ifdef __cplusplus
}
#endif

#endif
