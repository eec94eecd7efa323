/* row_order: sorting of the rows of a frame, on all threads. Sorting is a radix sort from the most significant digit
 * (query/rows/row_compare.h): the rows are sorted by one digit, and each run of rows with equal digits by the next. So
 * most comparisons read 8 bytes beside the row's number, and none reads a long common prefix again and again. Local. */

#ifndef GEMP_QUERY_ROWS_ROW_ORDER_H
#define GEMP_QUERY_ROWS_ROW_ORDER_H

#include "query/rows/row_compare.h"

/* (*rows)[frame->rows] becomes the numbers of the frame's rows in ascending order. Rows that are equal in all sort
 * columns are in any order. The caller frees it. */
gemp_code gemp_row_order_sort(const gemp_row_order *order, const gemp_frame *frame, uint64_t **rows);

#endif
