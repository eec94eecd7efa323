/* codes: numbers of 32 bits for the cells of a query's rows, so that keys of groups are short integers.
 *
 * The code of a vertex is its id. Every other cell has a code below 2^31 if it is a boolean, an integer of 30 bits or
 * an edge number of 31 bits. All other cells (long integers, floats, strings, large edge numbers) are stored once, and
 * their codes are GEMP_STORED plus the number under which the table has them. GEMP_NULL_CODE is NULL. Two cells of
 * columns of one kind and type are equal exactly if their codes are (NaN equals NaN, 0.0 equals -0.0).
 *
 * The table has GEMP_CODE_SHARDS key tables with a lock each, so that threads add cells concurrently. Numbers depend on
 * the order of additions, and are therefore never sent: gemp_codes_pack appends a cell's content, and gemp_codes_digest
 * is a hash of it, which is the same on all ranks. Reading must not be concurrent with additions. */

#ifndef GEMP_QUERY_ROWS_CODES_H
#define GEMP_QUERY_ROWS_CODES_H

#include "core/memory.h"
#include "query/rows/frame.h"

enum { GEMP_CODE_SHARDS = 64 };
#define GEMP_NULL_CODE UINT32_MAX
#define GEMP_STORED (UINT32_C(1) << 31)

typedef struct gemp_codes gemp_codes;

gemp_code gemp_codes_new(gemp_codes **out);
void gemp_codes_free(gemp_codes *codes);
GEMP_RELEASE(gemp_codes_free, gemp_codes *)
void gemp_codes_clear(gemp_codes *codes);          /* forgets the stored cells and frees their memory */
size_t gemp_codes_memory(const gemp_codes *codes); /* in bytes */

/* out[i * stride] becomes the code of row first + i of the column, for i < count. Threads may call it concurrently.
 * memo: NULL, or an array of zeros with an element for each row of the column's dictionary, which the calls for this
 * dictionary share: each of the dictionary's values is then looked up once. */
gemp_code gemp_codes_add(gemp_codes *codes, const gemp_frame_column *column, size_t first, size_t count, uint32_t *memo,
                         uint32_t *out, size_t stride);

/* The content of a cell. `like` has the kind and the type of the column. */
gemp_value gemp_codes_value(const gemp_codes *codes, const gemp_frame_column *like, uint32_t code);
uint64_t gemp_codes_element(const gemp_codes *codes, const gemp_frame_column *like, uint32_t code);
/* A number that depends on the content alone, to be hashed. */
uint64_t gemp_codes_digest(const gemp_codes *codes, const gemp_frame_column *like, uint32_t code);
/* Appends the cell to a column that has `row` rows. */
gemp_code gemp_codes_append(const gemp_codes *codes, gemp_frame_column *out, size_t row, uint32_t code);

/* gemp_codes_pack appends the content of a cell as bytes, few for small numbers. gemp_codes_unpack returns the code of
 * the cell at *at, and moves *at behind the cell; threads may call it concurrently. */
void gemp_codes_pack(const gemp_codes *codes, const gemp_frame_column *like, uint32_t code, gemp_text *out);
gemp_code gemp_codes_unpack(gemp_codes *codes, const gemp_frame_column *like, const char **at, uint32_t *code);

/* Integers of few bytes: 7 bits in a byte, least significant first (LEB128). gemp_zigzag maps integers of small
 * absolute value to small numbers. */
typedef unsigned __int128 gemp_wide;
void gemp_varint_pack(gemp_text *out, gemp_wide number);
gemp_wide gemp_varint_unpack(const char **at);

static inline gemp_wide gemp_zigzag(__int128 number)
{
	return (gemp_wide)number << 1 ^ (gemp_wide)(number >> 127);
}

static inline __int128 gemp_zigzag_back(gemp_wide number)
{
	return (__int128)(number >> 1) ^ -(__int128)(number & 1);
}

#endif
