/* dictionary: lists of byte strings in one block, dictionaries that number distinct strings, and encoded keys. */

#ifndef GEMP_PARTITION_BUILD_DICTIONARY_H
#define GEMP_PARTITION_BUILD_DICTIONARY_H

#include "comm/comm.h"
#include "core/text.h"
#include "graph/column.h"

typedef struct gemp_bytes {
	size_t count, capacity, bytes_capacity;
	uint64_t *begin; /* [count + 1]; NULL until a string is added */
	char *bytes;     /* [begin[count]] */
} gemp_bytes;

gemp_code gemp_bytes_add(gemp_bytes *list, const char *bytes, size_t size);
void gemp_bytes_free(gemp_bytes *list);
static inline gemp_string gemp_bytes_at(const gemp_bytes *list, size_t index)
{
	return (gemp_string){ list->bytes + list->begin[index], list->begin[index + 1] - list->begin[index] };
}
/* the caller frees the copy; returns NULL if memory is out */
char *gemp_bytes_copy(const gemp_bytes *list, size_t index);
/* Bytewise order: a prefix of a string precedes the string. */
int gemp_bytes_compare(const gemp_bytes *list, size_t a, size_t b);
/* order[count] becomes the positions of the strings in bytewise order. Equal strings are ordered by position. */
gemp_code gemp_bytes_sort(const gemp_bytes *list, uint64_t *order);

/* Collective. `all` becomes the distinct strings of all ranks in bytewise order. `code`: as in comm/exchange.h. */
gemp_code gemp_bytes_union(const gemp_comm *comm, gemp_code code, const gemp_bytes *mine, gemp_bytes *all);
/* returns the index of a string that is in the list */
size_t gemp_bytes_find(const gemp_bytes *sorted, gemp_string wanted);

/* Distinct strings, numbered by their first appearance. */
typedef struct gemp_dictionary {
	gemp_bytes list;
	uint32_t *slots;   /* [slot_count] index of a string + 1, or 0 if the slot is free; open addressing */
	size_t slot_count; /* a power of two, or 0 */
} gemp_dictionary;

gemp_code gemp_dictionary_add(gemp_dictionary *dictionary, const char *bytes, size_t size, uint32_t *index);
void gemp_dictionary_free(gemp_dictionary *dictionary);

/* A key is encoded as bytes. The bytewise order of encoded keys is the order of keys: integers precede strings. The
 * integer 7 and the string "7" have different encodings. */
enum { GEMP_KEY_OF_INTEGER = 1, GEMP_KEY_OF_STRING = 2, GEMP_INTEGER_KEY_SIZE = 9 };
/* Returns an unsigned number that sorts like the integer. The bytes of this number, the highest first, follow the first
 * byte of the encoded key. */
static inline uint64_t gemp_integer_number(int64_t integer)
{
	return (uint64_t)integer ^ UINT64_C(1) << 63;
}
static inline int64_t gemp_integer_of(uint64_t number)
{
	return (int64_t)(number ^ UINT64_C(1) << 63);
}
gemp_code gemp_key_encode(const gemp_value *key, struct gemp_text *out); /* replaces the content of `out` */
gemp_value gemp_key_decode(gemp_string key);                             /* a string borrows from `key` */
/* Returns whether the string is an integer in the form in which the program prints integers: without leading zeros and
 * without a plus sign. */
bool gemp_canonical_integer(const char *bytes, size_t size, int64_t *out);

#endif
