/* node_files: file descriptors that the ranks of a node send each other. A descriptor of one process means nothing in
 * another process, so the system must pass it on: through a socket of the node (SCM_RIGHTS). */

#ifndef GEMP_COMM_NODE_FILES_H
#define GEMP_COMM_NODE_FILES_H

#include "comm/comm.h"

/* Collective over the node. Every rank gives a file, and files[node_size] becomes descriptors of the files of all
 * ranks, which the caller closes; that of this rank itself is -1. A failure concerns this rank only, and then all of
 * files[] are -1: the callers agree on it. No rank waits for a failed rank longer than some seconds. */
gemp_code gemp_node_files_exchange(const gemp_comm *comm, int file, int *files);

#endif
