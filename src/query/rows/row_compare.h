/* row_compare: the order of ORDER BY over the rows of frames: comparison of rows, and the digits of rows that stand for
 * it.
 *
 * Rows are compared by sort columns, one after the other. All sort columns are columns of values. A digit is 64 bits of
 * a sort column (gemp_order_bits; of a string 8 bytes at a time), so that most comparisons read 8 bytes. Local. */

#ifndef GEMP_QUERY_ROWS_ROW_COMPARE_H
#define GEMP_QUERY_ROWS_ROW_COMPARE_H

#include "pattern/model/pattern.h"
#include "query/rows/frame.h"

typedef struct gemp_row_order {
	size_t count;
	const gemp_sort_item *columns; /* [count] borrowed */
	/* No two different rows are equal: rows that differ only in signs of zeros are ordered by these, so that the order
	 * does not depend on where the rows were. Set it only if no further sort columns follow. */
	bool total;
} gemp_row_order;

/* Compares row x of `a` with row y of `b`, which have the same sort columns. NULL is the largest value. */
int gemp_row_order_compare(const gemp_row_order *order, const gemp_frame *a, size_t x, const gemp_frame *b, size_t y);

/* Digit `part` of a sort column. Of a number, part 0 is the number and part 1 tells NULL from the largest values. Of a
 * string, the parts are 8 bytes each up to GEMP_DIGIT_LAST, which is its size. NULL has the largest digits. Behind the
 * last column of a total order follows the digit of the signs of zeros. */
typedef struct gemp_row_digit {
	size_t column, part;
} gemp_row_digit;

enum {
	GEMP_DIGIT_BYTES = 8, /* bytes of a string in a digit */
	GEMP_DIGIT_LAST = 8,  /* strings with 8 * 8 equal bytes are compared as a whole */
};

uint64_t gemp_row_digit_read(const gemp_row_order *order, const gemp_frame *frame, gemp_row_digit digit, size_t row);
/* Moves to the digit by which rows are sorted that are equal in all earlier ones. Returns false if there is none. */
bool gemp_row_digit_next(const gemp_row_order *order, const gemp_frame *frame, gemp_row_digit *digit);
/* True if the digit is of a column of strings. */
bool gemp_row_digit_is_text(const gemp_row_order *order, const gemp_frame *frame, gemp_row_digit digit);
/* bits[i] becomes the digit of row rows[i], or of row first + i if `rows` is NULL, i < count. */
void gemp_row_digits_read(const gemp_row_order *order, const gemp_frame *frame, gemp_row_digit digit,
                          const uint64_t *rows, size_t first, size_t count, uint64_t *bits);

#endif
