/* graph_file_verify: checks a whole graph file. Collective. */

#ifndef GEMP_IO_GRAPH_FILE_GRAPH_FILE_VERIFY_H
#define GEMP_IO_GRAPH_FILE_GRAPH_FILE_VERIFY_H

#include "comm/comm.h"

/* Reads the whole file. Compares its seal, unless `trust`, every checksum of a dataset, the graph's hash with the hash
 * of its content, and indexes with what they repeat. GEMP_EDATA, GEMP_ENOINPUT as in gemp_graph_file_open. */
gemp_code gemp_graph_file_verify(const gemp_comm *comm, const char *path, bool trust);

#endif
