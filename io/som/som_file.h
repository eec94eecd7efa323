/* som_file: a self-organising map as HDF5, which h5py reads. While a map is trained, its file is also the state from
 * which the training is resumed.
 *
 *   /          encoding-type "gemp-som", encoding-version; grid, topology, metric, neighbourhood, cooling, training,
 *              start, scaling (words, as --help lists them);
 *              seed, epoch (epochs that are done), epochs (in all), samples (u64);
 *              data (u64, only if known: a hash of the vectors on which the map is trained);
 *              radius, radius-end, rate, rate-end; quantisation-error, topographic-error (f64, only if known)
 *   /codebook  [rows, columns, d] f32, in scaled values
 *   /scale     [2, d] f64: scaled = (value - scale[0]) * scale[1]
 *   /columns   [d] names, UTF-8
 *   /umatrix   [rows, columns] f32: the mean distance of a unit to its neighbours
 *   /hits      [rows, columns] u64: the number of samples whose best unit this is; only of a finished map
 *
 * Rank 0 writes the file under a temporary name and renames it when it is complete; every rank reads the whole file.
 */

#ifndef GEMP_IO_SOM_SOM_FILE_H
#define GEMP_IO_SOM_SOM_FILE_H

#include "comm/comm.h"
#include "gemp/types.h"
#include "graph/column.h"

typedef struct gemp_som_map {
	uint32_t rows, columns, dims;
	int grid, topology, metric, neighbourhood, cooling, training, start,
		scaling; /* indices among the words of each field */
	uint64_t seed, epoch, epochs, samples;
	uint64_t data; /* gemp_vectors_hash of the vectors on which it is trained; 0: not known */
	double radius, radius_end, rate, rate_end;
	double quantisation, topographic; /* NaN: not known */
	float *codebook;                  /* [rows * columns][dims]; this array and those below are owned */
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

/* Local. Allocates all arrays except hits, zeroed; the names are NULL. */
gemp_code gemp_som_map_new(gemp_som_map *out, uint32_t rows, uint32_t columns, uint32_t dims);
void gemp_som_map_free(gemp_som_map *map);

/* Collective. A failure of any rank is a failure of all. */
gemp_code gemp_som_file_read(gemp_som_map *out, const gemp_comm *comm, const char *path);
gemp_code gemp_som_file_write(const gemp_som_map *map, const gemp_comm *comm, const char *path);

/* Local. Reads the keys (integers or strings) and the units (integers, or NULL) of vectors into two columns, which
 * are {0} on entry. Returns GEMP_EDATA if the file has no such columns. The caller frees both, also after a
 * failure. */
gemp_code gemp_som_names_read(gemp_column *keys, gemp_column *units, const char *path);

#endif
