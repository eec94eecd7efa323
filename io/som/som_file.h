/* som_file: a self-organising map in an HDF5 file, which h5py can read. During training the file also holds the state
 * from which an interrupted training resumes.
 *
 *   /          encoding-type "gemp-som", encoding-version; grid, topology, metric, neighbourhood, cooling, training,
 *              start, scaling (words, as --help lists them);
 *              seed, epoch (epochs done so far), epochs (total), samples (u64);
 *              data (u64, only if known: a hash of the training vectors);
 *              radius, radius-end, rate, rate-end; quantisation-error, topographic-error (f64, only if known)
 *   /codebook  [rows, columns, d] f32, in scaled values
 *   /scale     [2, d] f64: scaled = (value - scale[0]) * scale[1]
 *   /columns   [d] names, UTF-8
 *   /umatrix   [rows, columns] f32: the mean distance of a unit to its neighbours
 *   /hits      [rows, columns] u64: for each unit the number of samples whose best-matching unit it is; only in the
 * file
 *              of a finished map
 *
 * Rank 0 writes the file under a temporary name and renames it when it is complete. Every rank reads the whole file. */

#ifndef GEMP_IO_SOM_SOM_FILE_H
#define GEMP_IO_SOM_SOM_FILE_H

#include "comm/comm.h"
#include "gemp/types.h"
#include "graph/column.h"

typedef struct gemp_som_map {
	uint32_t rows, columns, dims;
	int grid, topology, metric, neighbourhood, cooling, training, start,
		scaling; /* each an index among the words of the field */
	uint64_t seed, epoch, epochs, samples;
	uint64_t data; /* gemp_vectors_hash of the training vectors; 0: not known */
	double radius, radius_end, rate, rate_end;
	double quantisation, topographic; /* NaN: not known */
	float *codebook;                  /* [rows * columns][dims]; the map owns this array and the following ones */
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

/* Local. Allocates all arrays except hits. The arrays are zeroed, and the names are NULL. */
gemp_code gemp_som_map_new(gemp_som_map *out, uint32_t rows, uint32_t columns, uint32_t dims);
void gemp_som_map_free(gemp_som_map *map);

/* Collective. All ranks return the same code. Every rank gets the whole map; only rank 0's map is written. */
gemp_code gemp_som_file_read(gemp_som_map *out, const gemp_comm *comm, const char *path);
gemp_code gemp_som_file_write(const gemp_som_map *map, const gemp_comm *comm, const char *path);

/* Local. Reads two columns from the file that `som apply` wrote: the keys of vectors (integers or strings) and their
 * units (integers or NULL). Both columns are {0} on entry. GEMP_EDATA: the file has no such columns. The caller frees
 * both columns, also after a failure. */
gemp_code gemp_som_names_read(gemp_column *keys, gemp_column *units, const char *path);

#endif
