/* accumulator: exact sums of doubles, and a table that numbers byte strings.
 *
 * An exact sum is a number in two's complement. It has as many words as its values need, from their lowest bit to the
 * sign; this is a window of Kulisch's long accumulator (1981), which holds all bit positions of doubles. The sum is
 * rounded once, at the end, to the nearest double, ties to even. The result therefore depends neither on the order of
 * rows nor on the number of ranks.
 *
 * A key table numbers byte strings 0, 1, 2, ... in the order of their first appearance, by open addressing and linear
 * probing. Keys are compared exactly. All functions are local. */

#ifndef GEMP_QUERY_ROWS_ACCUMULATOR_H
#define GEMP_QUERY_ROWS_ACCUMULATOR_H

#include "core/memory.h"
#include "core/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gemp_exact_sum {
	uint64_t *words; /* [count], least significant first; owned. The last word has only the sign */
	int32_t first;   /* words[i] has the weight 2^(64 * (first + i)) */
	uint16_t count, capacity;
	uint8_t special; /* set of non-finite values added: 1 NaN, 2 infinity, 4 -infinity */
} gemp_exact_sum;    /* {0} is the sum 0 */

void gemp_exact_sum_free(gemp_exact_sum *sum);
/* Adds value * times. */
gemp_code gemp_exact_sum_add(gemp_exact_sum *sum, double value, uint64_t times);
/* Adds value * 2^(64 * word), for example an integer with word 0. */
gemp_code gemp_exact_sum_add_integer(gemp_exact_sum *sum, __int128 value, int32_t word);
gemp_code gemp_exact_sum_merge(gemp_exact_sum *sum, const gemp_exact_sum *other);

/* Returns the sum divided by n > 0, correctly rounded. */
double gemp_exact_sum_round(const gemp_exact_sum *sum, uint64_t n);

/* gemp_exact_sum_pack appends the sum as bytes. gemp_exact_sum_merge_packed adds a packed sum, on any rank, and moves
 * *at behind it. */
gemp_code gemp_exact_sum_pack(const gemp_exact_sum *sum, gemp_text *out);
gemp_code gemp_exact_sum_merge_packed(gemp_exact_sum *sum, const char **at);

/* KEY TABLE. bytes[begin[count]] holds the keys without gaps. hash[count] holds their hashes, so that growing reads no
 * keys. The slots work as in primitive/record_table.h. */

typedef struct gemp_key_table {
	size_t count, capacity;
	uint64_t *begin; /* [count + 1] key i is bytes[begin[i] .. begin[i + 1]); NULL while there is no key */
	uint64_t *hash;  /* [count] */
	char *bytes;     /* [begin[count]] */
	size_t bytes_capacity;
	size_t slot_count;
	uint64_t *slots; /* [slot_count], in the format of primitive/record_table.h */
} gemp_key_table;    /* {0} is an empty table */

void gemp_key_table_free(gemp_key_table *table);

uint64_t gemp_key_hash(const void *key, size_t size);
/* Sets *index to the key's number. A new key gets the next number, and *added becomes true. A failure leaves the table
 * unchanged. */
gemp_code gemp_key_table_add(gemp_key_table *table, const void *key, size_t size, uint64_t hash, size_t *index,
                             bool *added);

static inline const char *gemp_key_bytes(const gemp_key_table *table, size_t index, size_t *size)
{
	*size = table->begin[index + 1] - table->begin[index];
	return table->bytes + table->begin[index];
}

/* The number of bytes that the table has allocated. */
size_t gemp_key_table_memory(const gemp_key_table *table);

/* Makes an array with one element for each group long enough for element `group`. New elements are zero. */
#define GEMP_RESERVE_GROUP(array, capacity, group) \
	gemp_reserve_group((void **)&(array), &(capacity), (group), sizeof *(array))
gemp_code gemp_reserve_group(void **array, size_t *capacity, size_t group, size_t size);

#endif
