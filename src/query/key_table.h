/* key_table: numbers for byte strings: 0, 1, 2, ... in the order in which they were first seen. Exact comparison. */
#ifndef GEMP_QUERY_KEY_TABLE_H
#define GEMP_QUERY_KEY_TABLE_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gemp_key_table {
	size_t count, capacity;
	uint64_t *begin;     /* [count + 1] of each key in bytes; NULL while there is none */
	uint64_t *hash;      /* [count] */
	char *bytes;         /* [begin[count]] */
	size_t bytes_capacity;
	size_t slot_count;   /* a power of two, or 0 */
	uint64_t *slots;     /* [slot_count] hash bits above, 1 + index of a key below; 0: free */
} gemp_key_table; /* {0} is an empty one */

void gemp_key_table_free(gemp_key_table *table);

uint64_t gemp_key_hash(const void *key, size_t size);
/* The key's number in *index, a new one if it was not there (*added). A failure leaves the table as it was. */
gemp_code gemp_key_table_add(gemp_key_table *table, const void *key, size_t size, uint64_t hash, size_t *index,
                             bool *added);
/* Fetch ahead what gemp_key_table_add will look at first. */
void gemp_key_table_prefetch(const gemp_key_table *table, uint64_t hash);

static inline const char *gemp_key_bytes(const gemp_key_table *table, size_t index, size_t *size)
{
	*size = table->begin[index + 1] - table->begin[index];
	return table->bytes + table->begin[index];
}

/* Bytes of memory that it takes. */
size_t gemp_key_table_memory(const gemp_key_table *table);

#endif
