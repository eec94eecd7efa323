/* graph_file_write: a graph as a file that AnnData, binsparse and h5py read (docs/format.md). */

#ifndef GEMP_IO_GRAPH_FILE_GRAPH_FILE_WRITE_H
#define GEMP_IO_GRAPH_FILE_GRAPH_FILE_WRITE_H

#include "comm/comm.h"
#include "graph/graph.h"

typedef struct gemp_provenance {
	const char *command, *version;
	size_t input_count;
	const char *const *inputs;    /* [input_count] paths */
	const uint64_t *input_hashes; /* [input_count] XXH3 of the file */
} gemp_provenance;

/* Collective. Writes the file under a temporary name and renames it; an error leaves no file under `path`. Parts of the
 * graph that are not loaded are loaded first. The file has the same bytes for every number of ranks. */
gemp_code gemp_graph_file_write(const gemp_comm *comm, gemp_shard *graph, const char *path,
                                const gemp_provenance *provenance);

/* Collective. The same with an attribute of edges (integers or floats, which no edge lacks) as the values of the
 * matrices of the relations that have it; NULL: none. */
gemp_code gemp_graph_file_write_weighted(const gemp_comm *comm, gemp_shard *graph, const char *path,
                                         const gemp_provenance *provenance, const char *weight);

#endif
