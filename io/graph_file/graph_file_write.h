/* graph_file_write: writes a graph to an HDF5 file that AnnData, binsparse and h5py can read (docs/format.md). */

#ifndef GEMP_IO_GRAPH_FILE_GRAPH_FILE_WRITE_H
#define GEMP_IO_GRAPH_FILE_GRAPH_FILE_WRITE_H

#include "comm/comm.h"
#include "graph/graph.h"

typedef struct gemp_provenance {
	const char *command, *version;
	size_t input_count;
	const char *const *inputs;    /* [input_count] paths of the imported files */
	const uint64_t *input_hashes; /* [input_count] XXH3 of each file */
} gemp_provenance;

/* Collective. Writes the file under a temporary name and renames it. After an error a file that had the name before is
 * unchanged. Parts of the graph that are not loaded are loaded first. The bytes of the file do not depend on the number
 * of ranks. */
gemp_code gemp_graph_file_write(const gemp_comm *comm, gemp_shard *graph, const char *path,
                                const gemp_provenance *provenance);

/* Collective. Does the same, but an edge attribute, the weight, gives the values of the matrices. The weight holds
 * integers or floats without NULL. A relation without this attribute has the value 1 for each edge. NULL: no weight.
 * compressed: arrays are compressed (io/hdf5/bit_planes.h), and rank 0 alone writes. indexed: the file gets the indexes
 * in the graph's lists, which are made anew. */
gemp_code gemp_graph_file_write_weighted(const gemp_comm *comm, gemp_shard *graph, const char *path,
                                         const gemp_provenance *provenance, const char *weight, bool compressed,
                                         bool indexed);
/* Collective. Writes the graph of the file `path` into this file again, with the graph's indexes. The provenance
 * stays. */
gemp_code gemp_graph_file_write_indexed(const gemp_comm *comm, gemp_shard *graph, const char *path, const char *weight,
                                        bool compressed);

#endif
