/* cut: a stage of SKIP and LIMIT without ORDER BY. */
#ifndef GEMP_QUERY_CUT_H
#define GEMP_QUERY_CUT_H

#include "partition/context.h"
#include "query/stage.h"

/* Collective. Any rows but `skip`, and `limit` of these. Sets *some_left_out (borrowed) if there were
 * others. */
gemp_code gemp_cut_new(gemp_stage *out, gemp_context *context, uint64_t skip, uint64_t limit, bool *some_left_out,
                       gemp_stage *next);

/* Collective. Of this rank's `rows` rows, in rank order, [*first, *end) lie within skip and limit. */
void gemp_cut_rows(const gemp_comm *comm, size_t rows, uint64_t skip, uint64_t limit, size_t *first, size_t *end);

#endif
