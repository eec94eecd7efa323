/* row_index: makes the rows of an index (gemp_row_index) from the rows of its relations. */

#ifndef GEMP_PARTITION_VIEWS_ROW_INDEX_H
#define GEMP_PARTITION_VIEWS_ROW_INDEX_H

#include "comm/comm.h"
#include "graph/graph.h"

/* Collective. Loads the relations and makes the rows of an index that has only its relations and its part. The graph has
 * no loaded index of the same rows. */
gemp_code gemp_row_index_make(gemp_row_index *index, const gemp_comm *comm, gemp_shard *graph);

#endif
