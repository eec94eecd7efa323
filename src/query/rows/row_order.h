/* row_order: the order of ORDER BY over the rows of frames: comparison, sorting and selection, on all threads.
 *
 * Rows are compared by sort columns, one after the other. All sort columns are columns of values. Sorting is a radix
 * sort from the most significant digit: a digit is 64 bits of a sort column (gemp_order_bits; of a string 8 bytes at a
 * time), the rows are sorted by one digit, and each run of rows with equal digits by the next. So most comparisons read
 * 8 bytes beside the row's number, and none reads a long common prefix again and again. Local. */

#ifndef GEMP_QUERY_ROWS_ROW_ORDER_H
#define GEMP_QUERY_ROWS_ROW_ORDER_H

#include "pattern/model/pattern.h"
#include "query/rows/frame.h"

typedef struct gemp_row_order {
	size_t count;
	const gemp_sort_item *columns; /* [count] borrowed */
} gemp_row_order;

/* Compares row x of `a` with row y of `b`, which have the same sort columns. NULL is the largest value. */
int gemp_row_order_compare(const gemp_row_order *order, const gemp_frame *a, size_t x, const gemp_frame *b, size_t y);
/* (*rows)[frame->rows] becomes the numbers of the frame's rows in ascending order. Rows that are equal in all sort
 * columns are in any order. The caller frees it. */
gemp_code gemp_row_order_sort(const gemp_row_order *order, const gemp_frame *frame, uint64_t **rows);
/* (*rows)[*count] becomes the rows that may be among the `wanted` first of the frame's rows: those that are not larger
 * than the wanted-th row and, if `bound` is not NULL, not larger than row `at` of bound. Several rows may equal the
 * last one, so there may be more rows than are wanted. If more than 1024 rows are wanted, only the bound leaves out
 * rows. The caller frees it. */
gemp_code gemp_row_order_select(const gemp_row_order *order, const gemp_frame *frame, uint64_t wanted,
                                const gemp_frame *bound, size_t at, uint64_t **rows, size_t *count);

#endif
