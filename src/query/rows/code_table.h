/* code_table: numbers keys of a fixed number of 64-bit words 0, 1, 2, ... in the order of their first appearance.
 *
 * keys[count * words] are the keys; slots work as in primitive/record_table.h (open addressing, linear probing). The
 * table is for keys of codes (rows/codes.h), two of which lie in a word. Keys are numbered in blocks, whose slots are
 * prefetched, so that the cache misses of a block overlap. Local. */

#ifndef GEMP_QUERY_ROWS_CODE_TABLE_H
#define GEMP_QUERY_ROWS_CODE_TABLE_H

#include "core/memory.h"
#include "core/random.h"

#include <stddef.h>
#include <stdint.h>

typedef struct gemp_code_table {
	size_t words, count, capacity;
	uint64_t *keys; /* [count * words] */
	size_t slot_count;
	uint64_t *slots; /* [slot_count] */
} gemp_code_table;   /* a table of zeros except for `words` is empty */

void gemp_code_table_free(gemp_code_table *table); /* `words` stays */
size_t gemp_code_table_memory(const gemp_code_table *table);

/* For a given number of words, equal keys have equal hashes. */
static inline uint64_t gemp_code_table_hash(const uint64_t *key, size_t words)
{
	uint64_t hash = 0;
	for (size_t w = 0; w < words; w++)
		hash = gemp_mix(hash ^ (key[w] + GEMP_RANDOM_STEP));
	return hash;
}

/* numbers[i] becomes the number of key i, which is keys[rows[i] * words], or keys[i * words] if rows is NULL. A new key
 * gets the next number. Arrays of the table may grow; after a failure some of the keys are in the table. */
gemp_code gemp_code_table_add(gemp_code_table *table, const uint64_t *keys, const uint32_t *rows, size_t count,
                              uint32_t *numbers);

static inline const uint64_t *gemp_code_table_key(const gemp_code_table *table, size_t number)
{
	return table->keys + number * table->words;
}

#endif
