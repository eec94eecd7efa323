/* filter: conditions on one vertex, evaluated on the device to a bitmap over rows. Literals travel in buffers; kernels
 * are those of kernels/match/filter.cl, one launch a leaf, whose bitmaps are combined by AND and OR.
 *
 * A part of a condition that reads one column of strings in which values are repeated is evaluated for the distinct
 * values, and rows look up a bit. What no kernel computes (regular expressions, functions, arithmetic) is evaluated on
 * the host, and only for the rows that conditions with kernels leave undecided.
 */

#ifndef GEMP_MATCH_FILTER_FILTER_H
#define GEMP_MATCH_FILTER_FILTER_H

#include "match/filter/filter_host.h"
#include "partition/runtime.h"
#include "pattern/model/pattern.h"

typedef struct gemp_filter gemp_filter; /* kernels; columns already on the device, each copied once */

/* Collective. */
gemp_code gemp_filter_new(gemp_filter **out, gemp_runtime *context);
void gemp_filter_free(gemp_filter *filter);

/* Do degrees in conditions count loops (match/filter/computed_columns.h)? Not until this is said. Conditions that are tested elsewhere follow
 * it too. */
void gemp_filter_count_loops(gemp_filter *filter, bool count_loops);
bool gemp_filter_counts_loops(const gemp_filter *filter); /* NULL: no */

/* Bits of rows (among those to look at) for which all of conditions[0..count) are true; each uses one vertex variable and
 * no edge. bitmap is [(rows + 31) / 32] u32 on the host. Local. */
gemp_code gemp_filter_evaluate(gemp_filter *filter, const gemp_filter_rows *rows,
                               const gemp_condition *const *conditions, size_t count, uint32_t *bitmap);
/* A tag for rows that the filter has not seen. Local. */
uint64_t gemp_filter_next_tag(gemp_filter *filter);
/* Attribute values copied to the device so far: of a column of repeated strings, its codes and its distinct values. */
uint64_t gemp_filter_copied(const gemp_filter *filter);

#endif
