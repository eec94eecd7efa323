/* graph_file: the HDF5 graph file of docs/format.md. Parallel HDF5: collective hyperslabs; serial HDF5: independent
 * reads, rank 0 writes. All functions are collective. */
#ifndef GEMP_IO_GRAPH_FILE_H
#define GEMP_IO_GRAPH_FILE_H

#include "comm/comm.h"
#include "graph/graph.h"

typedef struct gemp_provenance {
	const char *command, *version;
	size_t input_count;
	const char *const *inputs;    /* [input_count] paths */
	const uint64_t *input_hashes; /* [input_count] XXH3 of the file */
} gemp_provenance;

/* Written under a temporary name and renamed; an error leaves no file under `path`. What is not loaded is loaded first.
 * The file is the same, byte for byte, for every number of ranks. */
gemp_code gemp_graph_file_write(const gemp_comm *comm, gemp_graph *graph, const char *path,
                                const gemp_provenance *provenance);

/* The same, with an attribute of edges (an integer or float that none lacks) as the values of the matrices of the
 * relations that have it; NULL: none. */
gemp_code gemp_graph_file_write_weighted(const gemp_comm *comm, gemp_graph *graph, const char *path,
                                         const gemp_provenance *provenance, const char *weight);

/* The attribute of edges that gives the values of the matrices in the file of this graph, or NULL; a name of the graph's own,
 * all of whose edges are loaded. */
gemp_code gemp_graph_file_matrix_values(const char **out, const gemp_comm *comm, const gemp_graph *graph, const char *path);

/* Reads the schema; rank r of R gets ids [r n / R, (r+1) n / R), or the parts of the file's partition
 * where these can be shared out; the rest comes by gemp_graph_need_*, for which the
 * file is opened again each time. Every dataset that is read whole is compared with its checksum; rows and ids are
 * checked. Not a graph file, a cut file, an unknown version or damage is GEMP_EDATA; a missing file GEMP_ENOINPUT. comm
 * is borrowed until the graph is freed. */
gemp_code gemp_graph_file_open(gemp_graph **out, const gemp_comm *comm, const char *path);

/* Reads everything and compares all checksums, and the hash of the graph with its content. */
gemp_code gemp_graph_file_verify(const gemp_comm *comm, const char *path);

#endif
