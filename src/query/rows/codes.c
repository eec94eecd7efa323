/* A stored cell is a byte string of one of the key tables: 8 bytes for numbers, or the bytes of a string. The lower 6
 * bits of its number are the table, the other 25 bits are its number in that table. */

#include "query/rows/codes.h"

#include "core/memory.h"
#include "core/random.h"
#include "query/rows/accumulator.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

enum { SHARD_BITS = 6, SHARD_KEYS = 1 << 25, DIRECT_BITS = 30 };

typedef struct code_shard {
	pthread_mutex_t lock;
	gemp_key_table keys;
} code_shard;

struct gemp_codes {
	code_shard shards[GEMP_CODE_SHARDS];
};

gemp_code gemp_codes_new(gemp_codes **out)
{
	GEMP_TRY(GEMP_NEW(*out, 1));
	for (size_t s = 0; s < GEMP_CODE_SHARDS; s++)
		pthread_mutex_init(&(*out)->shards[s].lock, NULL);
	return GEMP_OK;
}

void gemp_codes_free(gemp_codes *codes)
{
	if (!codes)
		return;
	gemp_codes_clear(codes);
	for (size_t s = 0; s < GEMP_CODE_SHARDS; s++)
		pthread_mutex_destroy(&codes->shards[s].lock);
	gemp_free(codes);
}

void gemp_codes_clear(gemp_codes *codes)
{
	for (size_t s = 0; s < GEMP_CODE_SHARDS; s++)
		gemp_key_table_free(&codes->shards[s].keys);
}

size_t gemp_codes_memory(const gemp_codes *codes)
{
	size_t bytes = 0;
	for (size_t s = 0; s < GEMP_CODE_SHARDS; s++)
		bytes += gemp_key_table_memory(&codes->shards[s].keys);
	return bytes;
}

/* ADDING */

/* The upper bits of the hash select the table; the table's slots depend on all bits. */
static gemp_code store(gemp_codes *codes, const void *bytes, size_t size, uint32_t *code)
{
	const uint64_t hash = gemp_key_hash(bytes, size);
	const size_t s = hash >> (64 - SHARD_BITS);
	code_shard *shard = &codes->shards[s];
	size_t index = 0;
	bool added;
	pthread_mutex_lock(&shard->lock);
	gemp_code made = gemp_key_table_add(&shard->keys, bytes, size, hash, &index, &added);
	pthread_mutex_unlock(&shard->lock);
	if (made == GEMP_OK && index >= SHARD_KEYS - 1)
		made = gemp_fail(GEMP_ENOMEM, "more than 2^30 distinct values on one rank; use more ranks");
	*code = GEMP_STORED | (uint32_t)index << SHARD_BITS | (uint32_t)s;
	return made;
}

static gemp_code code_of_element(gemp_codes *codes, gemp_cell_kind kind, uint64_t element, uint32_t *code)
{
	if (element == GEMP_NO_ELEMENT || kind == GEMP_CELL_VERTEX || element < GEMP_STORED) {
		*code = element == GEMP_NO_ELEMENT ? GEMP_NULL_CODE : (uint32_t)element;
		return GEMP_OK;
	}
	return store(codes, &element, sizeof element, code);
}

static gemp_code code_of_value(gemp_codes *codes, gemp_value value, uint32_t *code)
{
	const int64_t limit = INT64_C(1) << (DIRECT_BITS - 1);
	*code = GEMP_NULL_CODE;
	if (value.null)
		return GEMP_OK;
	switch (value.type) {
	case GEMP_BOOLEAN: *code = value.truth; return GEMP_OK;
	case GEMP_INTEGER:
		if (value.integer < -limit || value.integer >= limit)
			return store(codes, &value.integer, sizeof value.integer, code);
		*code = (uint32_t)(value.integer + limit);
		return GEMP_OK;
	case GEMP_FLOAT: value = gemp_value_canonical(value); return store(codes, &value.real, sizeof value.real, code);
	case GEMP_STRING:
	case GEMP_LIST: return store(codes, value.string.bytes, value.string.size, code);
	}
	return GEMP_OK;
}

/* A code in the memo is stored plus 1, so that 0 means that it is not known yet. NULL is never remembered. Two threads
 * may look up one value at the same time; both store the same code. */
static gemp_code code_of_dictionary(gemp_codes *codes, const gemp_column *dictionary, uint32_t row, uint32_t *memo,
                                    uint32_t *code)
{
	if (row == GEMP_NULL_CODE) {
		*code = row;
		return GEMP_OK;
	}
	uint32_t known = memo ? __atomic_load_n(&memo[row], __ATOMIC_RELAXED) : 0;
	if (known) {
		*code = known - 1;
		return GEMP_OK;
	}
	GEMP_TRY(code_of_value(codes, gemp_column_get(dictionary, row), code));
	if (memo)
		__atomic_store_n(&memo[row], *code + 1, __ATOMIC_RELAXED);
	return GEMP_OK;
}

/* The codes of a column of floats, which repeat often. A cache of the values of this call saves most locks. */
static gemp_code add_floats(gemp_codes *codes, const gemp_column *values, size_t first, size_t count, uint32_t *out,
                            size_t stride)
{
	enum { CACHE = 256 };
	struct {
		double real;
		uint32_t code;
	} cache[CACHE];
	memset(cache, 0xff, sizeof cache); /* a NaN, which equals no value, so the element is free */
	for (size_t i = 0; i < count; i++) {
		const gemp_value value = gemp_column_get(values, first + i);
		uint64_t bits;
		memcpy(&bits, &value.real, sizeof bits);
		const size_t at = gemp_mix(bits) % CACHE;
		if (!value.null && cache[at].real == value.real) {
			out[i * stride] = cache[at].code;
			continue;
		}
		GEMP_TRY(code_of_value(codes, value, &out[i * stride]));
		if (!value.null) {
			cache[at].real = value.real;
			cache[at].code = out[i * stride];
		}
	}
	return GEMP_OK;
}

gemp_code gemp_codes_add(gemp_codes *codes, const gemp_frame_column *column, size_t first, size_t count, uint32_t *memo,
                         uint32_t *out, size_t stride)
{
	if (column->kind != GEMP_CELL_VALUE) {
		for (size_t i = 0; i < count; i++)
			GEMP_TRY(code_of_element(codes, column->kind, column->elements[first + i], &out[i * stride]));
		return GEMP_OK;
	}
	if (column->dictionary) {
		for (size_t i = 0; i < count; i++)
			GEMP_TRY(code_of_dictionary(codes, column->dictionary, column->index[first + i], memo, &out[i * stride]));
		return GEMP_OK;
	}
	if (column->values.type == GEMP_FLOAT)
		return add_floats(codes, &column->values, first, count, out, stride);
	for (size_t i = 0; i < count; i++)
		GEMP_TRY(code_of_value(codes, gemp_column_get(&column->values, first + i), &out[i * stride]));
	return GEMP_OK;
}

/* READING */

static const char *stored(const gemp_codes *codes, uint32_t code, size_t *size)
{
	const gemp_key_table *keys = &codes->shards[code % GEMP_CODE_SHARDS].keys;
	return gemp_key_bytes(keys, (code & ~GEMP_STORED) >> SHARD_BITS, size);
}

uint64_t gemp_codes_element(const gemp_codes *codes, const gemp_frame_column *like, uint32_t code)
{
	uint64_t element = code;
	size_t size;
	if (code == GEMP_NULL_CODE)
		return GEMP_NO_ELEMENT;
	if (like->kind != GEMP_CELL_VERTEX && code & GEMP_STORED)
		memcpy(&element, stored(codes, code, &size), sizeof element);
	return element;
}

gemp_value gemp_codes_value(const gemp_codes *codes, const gemp_frame_column *like, uint32_t code)
{
	gemp_value value = { .type = like->values.type, .null = code == GEMP_NULL_CODE };
	size_t size = 0;
	if (value.null)
		return value;
	const char *bytes = code & GEMP_STORED ? stored(codes, code, &size) : NULL;
	switch (value.type) {
	case GEMP_BOOLEAN: value.truth = code != 0; break;
	case GEMP_INTEGER:
		value.integer = (int64_t)code - (INT64_C(1) << (DIRECT_BITS - 1));
		if (bytes)
			memcpy(&value.integer, bytes, sizeof value.integer);
		break;
	case GEMP_FLOAT: memcpy(&value.real, bytes, sizeof value.real); break;
	case GEMP_STRING:
	case GEMP_LIST: value.string = (gemp_string){ bytes, size };
	}
	return value;
}

/* A code that is no number of a table is content itself. The table has kept the hash of a stored cell. */
uint64_t gemp_codes_digest(const gemp_codes *codes, const gemp_frame_column *like, uint32_t code)
{
	if (code == GEMP_NULL_CODE || like->kind == GEMP_CELL_VERTEX || !(code & GEMP_STORED))
		return code;
	return codes->shards[code % GEMP_CODE_SHARDS].keys.hash[(code & ~GEMP_STORED) >> SHARD_BITS];
}

gemp_code gemp_codes_append(const gemp_codes *codes, gemp_frame_column *out, size_t row, uint32_t code)
{
	if (out->kind != GEMP_CELL_VALUE)
		return gemp_frame_add_element(out, row, gemp_codes_element(codes, out, code));
	const gemp_value value = gemp_codes_value(codes, out, code);
	out->values.rows = row;
	return gemp_column_add(&out->values, &value);
}

/* BYTES */

void gemp_varint_pack(gemp_text *out, gemp_wide number)
{
	char bytes[19];
	size_t size = 0;
	for (; number > 127; number >>= 7)
		bytes[size++] = (char)(128 | (unsigned)(number & 127));
	bytes[size++] = (char)number;
	gemp_text_add(out, bytes, size);
}

gemp_wide gemp_varint_unpack(const char **at)
{
	gemp_wide number = 0;
	unsigned shift = 0;
	unsigned char byte;
	do {
		byte = (unsigned char)*(*at)++;
		number |= (gemp_wide)(byte & 127) << shift;
		shift += 7;
	} while (byte & 128);
	return number;
}

/* The first number is 0 for NULL. Otherwise it is 1 plus the number or the size of the string; of a float it is 1. */
void gemp_codes_pack(const gemp_codes *codes, const gemp_frame_column *like, uint32_t code, gemp_text *out)
{
	if (code == GEMP_NULL_CODE) {
		gemp_varint_pack(out, 0);
		return;
	}
	if (like->kind != GEMP_CELL_VALUE) {
		gemp_varint_pack(out, (gemp_wide)gemp_codes_element(codes, like, code) + 1);
		return;
	}
	const gemp_value value = gemp_codes_value(codes, like, code);
	switch (value.type) {
	case GEMP_BOOLEAN: gemp_varint_pack(out, (gemp_wide)value.truth + 1); break;
	case GEMP_INTEGER: gemp_varint_pack(out, gemp_zigzag(value.integer) + 1); break;
	case GEMP_FLOAT:
		gemp_varint_pack(out, 1);
		gemp_text_add(out, &value.real, sizeof value.real);
		break;
	case GEMP_STRING:
	case GEMP_LIST:
		gemp_varint_pack(out, (gemp_wide)value.string.size + 1);
		gemp_text_add(out, value.string.bytes, value.string.size);
	}
}

gemp_code gemp_codes_unpack(gemp_codes *codes, const gemp_frame_column *like, const char **at, uint32_t *code)
{
	const gemp_wide first = gemp_varint_unpack(at);
	gemp_value value = { .type = like->values.type, .null = first == 0 };
	if (like->kind != GEMP_CELL_VALUE)
		return code_of_element(codes, like->kind, first ? (uint64_t)(first - 1) : GEMP_NO_ELEMENT, code);
	switch (value.null ? GEMP_BOOLEAN : value.type) {
	case GEMP_BOOLEAN: value.truth = first == 2; break;
	case GEMP_INTEGER: value.integer = (int64_t)gemp_zigzag_back(first - 1); break;
	case GEMP_FLOAT:
		memcpy(&value.real, *at, sizeof value.real);
		*at += sizeof value.real;
		break;
	case GEMP_STRING:
	case GEMP_LIST: value.string = (gemp_string){ *at, (size_t)(first - 1) }; *at += value.string.size;
	}
	return code_of_value(codes, value, code);
}
