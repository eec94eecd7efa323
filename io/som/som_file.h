/* som_file: a self-organising map as HDF5, which h5py reads; while it is trained, the place to go on from, too.
 *
 *   /          encoding-type "gemp-som", encoding-version; grid, topology, metric, neighbourhood, cooling, training,
 *              start, scaling (words, as --help has them); seed, epoch (done), epochs (asked for), samples (u64);
 *              data (u64; only where known: a hash of the vectors that it is trained on);
 *              radius, radius-end, rate, rate-end; quantisation-error, topographic-error (f64; only where known)
 *   /codebook  [rows, columns, d] f32, of the values as they were scaled
 *   /scale     [2, d] f64: scaled = (value - scale[0]) * scale[1]
 *   /columns   [d] names, UTF-8
 *   /umatrix   [rows, columns] f32: the mean distance of a unit to its neighbours
 *   /hits      [rows, columns] u64: how many samples have this unit as their best; only of a map that is done
 *
 * Rank 0 writes, under another name until the file is whole; every rank reads for itself.
 */

#ifndef GEMP_IO_SOM_SOM_FILE_H
#define GEMP_IO_SOM_SOM_FILE_H

#include "comm/comm.h"
#include "gemp/types.h"
#include "graph/column.h"

typedef struct gemp_som_map {
	uint32_t rows, columns, dims;
	int grid, topology, metric, neighbourhood, cooling, training, start, scaling; /* which of the words */
	uint64_t seed, epoch, epochs, samples;
	uint64_t data; /* gemp_vectors_hash of those that it is trained on; 0: not known */
	double radius, radius_end, rate, rate_end;
	double quantisation, topographic; /* NaN: not known */
	float *codebook;                  /* [rows * columns][dims] owned, as all below */
	float *umatrix;                   /* [rows * columns] */
	uint64_t *hits;                   /* [rows * columns]; NULL: not known */
	double *offset;                   /* [dims] */
	double *factor;                   /* [dims] */
	char **names;                     /* [dims] */
} gemp_som_map;

static inline uint32_t gemp_som_map_units(const gemp_som_map *map)
{
	return map->rows * map->columns;
}

/* Local. All that is owned, zeroed, but hits; names are NULL. */
gemp_code gemp_som_map_new(gemp_som_map *out, uint32_t rows, uint32_t columns, uint32_t dims);
void gemp_som_map_free(gemp_som_map *map);

/* Collective. */
gemp_code gemp_som_file_read(gemp_som_map *out, const gemp_comm *comm, const char *path);
gemp_code gemp_som_file_write(const gemp_som_map *map, const gemp_comm *comm, const char *path);

/* Local. Columns of as many rows, both {0}: integers or strings, and integers; units that are NULL are marked.
 * GEMP_EDATA for another file. The caller frees both, also after a failure. */
gemp_code gemp_som_names_read(gemp_column *keys, gemp_column *units, const char *path);

#endif
