/* exact_sum: sums of doubles without any rounding, so that they depend neither on order nor on the number of ranks.
 *
 * A number in two's complement with as many words as its values need, from the lowest bit of any to the sign (a window of
 * what Kulisch's long accumulator holds whole). Rounded once, at the end, to the nearest double, ties to even.
 */

#ifndef GEMP_QUERY_ROWS_EXACT_SUM_H
#define GEMP_QUERY_ROWS_EXACT_SUM_H

#include "core/status.h"

#include <stdint.h>

struct gemp_text;

typedef struct gemp_exact_sum {
	uint64_t *words; /* [count], least first; owned. The last holds nothing but the sign */
	int32_t first;   /* words[i] counts 2^(64 * (first + i)) */
	uint16_t count, capacity;
	uint8_t special; /* set of non-finite values added: 1 NaN, 2 infinity, 4 -infinity */
} gemp_exact_sum;    /* {0} is 0 */

void gemp_exact_sum_free(gemp_exact_sum *sum);
void gemp_exact_sum_clear(gemp_exact_sum *sum); /* 0 again; keeps its memory */
/* Adds value, `times` over. */
gemp_code gemp_exact_sum_add(gemp_exact_sum *sum, double value, uint64_t times);
gemp_code gemp_exact_sum_add_integer(gemp_exact_sum *sum, __int128 value);

/* The sum divided by n > 0, correctly rounded. */
double gemp_exact_sum_round(const gemp_exact_sum *sum, uint64_t n);

/* As bytes for another rank, and added from there; *at advances. */
gemp_code gemp_exact_sum_pack(const gemp_exact_sum *sum, struct gemp_text *out);
gemp_code gemp_exact_sum_merge_packed(gemp_exact_sum *sum, const char **at);

#endif
