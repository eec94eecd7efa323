/* gemp/som.h: self-organising maps (Kohonen 1982; docs/som.md): trained on vectors of all ranks, applied to vectors, in files.
 *
 * Vectors are float[count][dims], row by row; count is this rank's and may be 0, dims is the same on all ranks. NaN is a missing
 * value, which distances leave out. A map has units 0 to rows * columns - 1: unit u lies in row u / columns and column u % columns.
 */

#ifndef GEMP_SOM_H
#define GEMP_SOM_H

#include <gemp/context.h>
#include <gemp/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gemp_som_model gemp_som_model;

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
	uint32_t epochs;           /* 20 by default */
	double radius, radius_end; /* of the first epoch and the last; 0: half of the longer side, and 1 */
	double rate, rate_end;     /* online: 0.1 and 0.01 by default */
	uint64_t seed;             /* of the start; 1 by default */
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

/* Collective. Trains a map on vectors[count][dims], which stay as they are. settings NULL: defaults. The context must outlive the
 * map; gemp_som_model_close frees *out. GEMP_EUSAGE: settings that cannot be; GEMP_EDATA: no vectors on any rank, no dimensions or
 * more than 16,384, or a value that is too large for distances in floats. */
GEMP_API gemp_code gemp_som_model_train(gemp_som_model **out, gemp_context *context, const float *vectors, size_t count,
                                        uint32_t dims, const gemp_som_settings *settings);
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

/* Collective. unit[i] becomes the unit nearest to vector i, GEMP_SOM_UNIT_NONE without any value; of several at the same distance
 * the first. second[i]: the second nearest; distance[i]: to the nearest, of scaled values, NaN without any. The caller has room
 * for count of each; second and distance may be NULL. GEMP_EDATA: dims are not the map's. */
GEMP_API gemp_code gemp_som_model_apply(gemp_som_model *model, const float *vectors, size_t count, uint32_t dims,
                                        uint32_t *unit, uint32_t *second, float *distance);

#ifdef __cplusplus
}
#endif

#endif
