/* row_select: the rows of a frame that may be among the first ones of ORDER BY with LIMIT, on all threads.
 *
 * Only the first digit of a row (query/rows/row_compare.h) is read, unless it is equal to that of the limit. Local. */

#ifndef GEMP_QUERY_ROWS_ROW_SELECT_H
#define GEMP_QUERY_ROWS_ROW_SELECT_H

#include "query/rows/row_compare.h"

/* (*rows)[*count] becomes the rows that may be among the `wanted` first of the frame's rows: those that are not larger
 * than the wanted-th row and, if `bound` is not NULL, not larger than row `at` of bound. Several rows may equal the
 * last one, so there may be more rows than are wanted. If more than 1024 rows are wanted, only the bound leaves out
 * rows. The caller frees it. */
gemp_code gemp_row_order_select(const gemp_row_order *order, const gemp_frame *frame, uint64_t wanted,
                                const gemp_frame *bound, size_t at, uint64_t **rows, size_t *count);

#endif
