/* row_partition: makes rows from pairs, or reverses rows, in partitions that fit into a cache.
 *
 * A scatter to the rows of a large graph misses all caches twice for each edge. Here edges are first scattered to at
 * most 2048 ranges of rows (buckets), whose next places stay in the cache (radix partitioning: Manegold, Boncz and
 * Kersten 2000; each thread collects records in cache lines before it writes them: Satish and others 2010). Then a
 * thread finishes one bucket at a time. The scatter is stable, so reversed rows ascend without being sorted. */

#ifndef GEMP_PARTITION_BUILD_ROW_PARTITION_H
#define GEMP_PARTITION_BUILD_ROW_PARTITION_H

#include "partition/build/record_batch.h"
#include "partition/build/row_builder.h"

/* Local. Makes rows whose slots ascend. The caller sets rows->rows and rows->first and frees the arrays, also after a
 * failure. The pairs of the lists are freed as soon as they have been read. With `both` a pair is also in the row of
 * its slot, unless it is a loop, and ends whose rows are not among these rows are left out. With `drop` only the first
 * of equal slots of a row is kept. *parallel: whether a row has a slot twice. Slots are below `vertices`. */
gemp_code gemp_row_partition_make(gemp_row_builder *rows, gemp_pair_list *lists, size_t count, uint64_t vertices,
                                  bool both, bool drop, bool *parallel);

/* The same for one array of pairs, which the caller keeps. If `numbered`, edges[] becomes the indices of the pairs, and
 * equal slots are in the order of the pairs; otherwise edges is NULL. */
gemp_code gemp_row_builder_make(gemp_row_builder *rows, const gemp_edge_pair *pairs, size_t count, uint64_t vertices,
                                bool numbered, bool *parallel);

/* Local. The rows of `rows` become the slots of `from`, and their slots the rows of `from`, ascending. edges[] becomes
 * the numbers of the edges. The caller sets rows->rows and rows->first; all slots of `from` are among these rows. */
gemp_code gemp_row_partition_reverse(gemp_row_builder *rows, const gemp_rows_to_reverse *from);

#endif
