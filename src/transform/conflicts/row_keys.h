/* row_keys: the conflict keys of rows of matches, from the read/write set of their rule. */

#ifndef GEMP_TRANSFORM_CONFLICTS_ROW_KEYS_H
#define GEMP_TRANSFORM_CONFLICTS_ROW_KEYS_H

#include "comm/comm.h"
#include "query/rows/frame.h"
#include "transform/conflicts/read_write_set.h"

/* Collective. Of the rows whose decisions[row] is 0. The caller frees. */
gemp_code gemp_row_keys_make(gemp_conflict_keys *out, const gemp_comm *comm, gemp_shard *graph,
                             const gemp_rw_set *rw_set, const gemp_frame *frame, const uint8_t *decisions);

#endif
