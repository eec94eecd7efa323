/* filter: evaluates conditions on one vertex; the result is a bitmap over rows. A filter on the host evaluates all
 * conditions by the threads of the host (filter_host.h), so it needs no device and compiles no kernels. A filter on the
 * device evaluates each leaf of a condition by one launch of kernels/match/filter.cl, and AND and OR combine the
 * bitmaps of the leaves. Literals are passed in buffers.
 *
 * On a device: if a part of a condition reads only one column, and this is a column of strings with repeated values,
 * the part is evaluated once for each distinct value, and each row looks up the bit of its value. Parts without a
 * kernel (regular expressions, functions, arithmetic) are evaluated on the host, and only for the rows that the parts
 * with kernels leave undecided. */

#ifndef GEMP_MATCH_FILTER_FILTER_H
#define GEMP_MATCH_FILTER_FILTER_H

#include "match/filter/filter_host.h"
#include "partition/runtime.h"
#include "pattern/model/pattern.h"

typedef struct gemp_filter gemp_filter; /* the kernels, and the columns that have been copied to the device */

/* Collective. Unless on_host, the devices of the context are open. */
gemp_code gemp_filter_new(gemp_filter **out, gemp_runtime *context, bool on_host);
void gemp_filter_free(gemp_filter *filter);
GEMP_RELEASE(gemp_filter_free, gemp_filter *)

/* Sets whether degrees in conditions count loops (match/filter/computed_columns.h); the default is no. */
void gemp_filter_count_loops(gemp_filter *filter, bool count_loops);
bool gemp_filter_counts_loops(const gemp_filter *filter); /* True if degrees count loops; false if filter is NULL. */

/* Local. Sets the bit of each row of rows->among for which all of conditions[0..count) are true, and clears all other
 * bits. Each condition reads one vertex variable and no edge. bitmap[(rows + 31) / 32] is on the host. */
gemp_code gemp_filter_evaluate(gemp_filter *filter, const gemp_filter_rows *rows,
                               const gemp_condition *const *conditions, size_t count, uint32_t *bitmap);
/* Local. Returns a tag that no rows have had so far. */
uint64_t gemp_filter_next_tag(gemp_filter *filter);
/* Number of attribute values copied to the device so far. A column of repeated strings counts its codes and its
 * distinct values. */
uint64_t gemp_filter_copied(const gemp_filter *filter);
/* Maximum number of bytes on the device of the columns of elements of matches, in one round so far. */
size_t gemp_filter_residual_peak(const gemp_filter *filter);

#endif
