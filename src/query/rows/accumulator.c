#include "query/rows/accumulator.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/status.h"
#include "core/text.h"
#include "primitive/record_table.h"

#include <math.h>
#include <string.h>

typedef unsigned __int128 double_word;

enum {
	BITS = 64,
	LOWEST_BIT = -1074, /* exponent of the lowest bit of a double */
	MANTISSA = 53,
	/* A double has bits at 2098 positions. A sum of 2^64 doubles needs 64 more bits and the sign. A division appends
	 * two words. */
	MAX_WORDS = 48,
	SPECIAL_NAN = 1,
	SPECIAL_INFINITY = 2,
	SPECIAL_MINUS_INFINITY = 4,
};

void gemp_exact_sum_free(gemp_exact_sum *sum)
{
	gemp_free(sum->words);
	*sum = (gemp_exact_sum){ 0 };
}

/* The value of all words above the top word: all ones if the number is negative, else 0. */
static uint64_t sign_word(const gemp_exact_sum *sum)
{
	return sum->count && sum->words[sum->count - 1] >> (BITS - 1) ? UINT64_MAX : 0;
}

/* Widens the window to the words [first, end). New upper words repeat the sign. */
static gemp_code widen_window(gemp_exact_sum *sum, int32_t first, int32_t end)
{
	uint64_t sign = sign_word(sum);
	if (sum->count == 0)
		sum->first = first;
	int32_t low = first < sum->first ? first : sum->first, high = sum->first + sum->count;
	high = end > high ? end : high;
	size_t wanted = (size_t)(high - low), below = (size_t)(sum->first - low), count = sum->count;
	GEMP_CHECK(wanted <= MAX_WORDS);
	if (wanted > sum->capacity) {
		uint64_t *words = gemp_realloc(sum->words, wanted, sizeof *words);
		if (!words)
			return GEMP_ENOMEM;
		sum->words = words;
		sum->capacity = (uint16_t)wanted;
	}
	if (below && count)
		memmove(sum->words + below, sum->words, count * sizeof *sum->words);
	memset(sum->words, 0, below * sizeof *sum->words);
	for (size_t i = below + count; i < wanted; i++)
		sum->words[i] = sign;
	sum->first = low;
	sum->count = (uint16_t)wanted;
	return GEMP_OK;
}

/* Adds a number in two's complement. The window grows by a word when the top word has more than the sign. */
static gemp_code add_words(gemp_exact_sum *sum, const uint64_t *words, size_t count, int32_t first)
{
	uint64_t sign = words[count - 1] >> (BITS - 1) ? UINT64_MAX : 0;
	bool carry = false;
	while (count > 1 && words[count - 1] == sign && (words[count - 2] ^ sign) >> (BITS - 1) == 0)
		count--;
	GEMP_TRY(widen_window(sum, first, first + (int32_t)count + 1));
	for (size_t i = (size_t)(first - sum->first), k = 0; i < sum->count; i++, k++) {
		double_word added = (double_word)sum->words[i] + (k < count ? words[k] : sign) + carry;
		sum->words[i] = (uint64_t)added;
		carry = added >> BITS;
	}
	uint64_t top = sum->words[sum->count - 1];
	if (top != 0 && top != UINT64_MAX)
		GEMP_TRY(widen_window(sum, sum->first, sum->first + sum->count + 1));
	return GEMP_OK;
}

/* Returns the index of the word with this bit. Bits below 0 lie in words with negative indices. */
static int32_t floor_word(int bit)
{
	return (int32_t)((bit - (bit < 0 ? BITS - 1 : 0)) / BITS);
}

/* The product mantissa * times has at most 117 bits. Shifted to its bit position it spans at most three words, and a
 * fourth word has the sign. */
gemp_code gemp_exact_sum_add(gemp_exact_sum *sum, double value, uint64_t times)
{
	int exponent;
	if (!isfinite(value)) {
		sum->special |= isnan(value) ? SPECIAL_NAN : value > 0 ? SPECIAL_INFINITY : SPECIAL_MINUS_INFINITY;
		return GEMP_OK;
	}
	double fraction = frexp(fabs(value), &exponent);
	uint64_t mantissa = (uint64_t)ldexp(fraction, MANTISSA);
	exponent -= MANTISSA;
	if (mantissa == 0)
		return GEMP_OK;
	if (exponent < LOWEST_BIT) { /* a subnormal number has zeros above its mantissa */
		mantissa >>= LOWEST_BIT - exponent;
		exponent = LOWEST_BIT;
	}
	int32_t first = floor_word(exponent);
	int shift = exponent - first * BITS;
	double_word product = (double_word)mantissa * times;
	double_word low = product << shift, high = shift ? product >> (2 * BITS - shift) : 0;
	uint64_t words[4] = { (uint64_t)low, (uint64_t)(low >> BITS), (uint64_t)high, 0 };
	if (value < 0) {
		bool carry = true;
		for (int i = 0; i < 4; i++) {
			words[i] = ~words[i] + carry;
			carry = carry && words[i] == 0;
		}
	}
	return add_words(sum, words, 4, first);
}

/* The integer's 128 bits are two words of the sum. */
gemp_code gemp_exact_sum_add_integer(gemp_exact_sum *sum, __int128 value, int32_t word)
{
	const uint64_t words[2] = { (uint64_t)value, (uint64_t)(value >> BITS) };
	return value ? add_words(sum, words, 2, word) : GEMP_OK;
}

gemp_code gemp_exact_sum_merge(gemp_exact_sum *sum, const gemp_exact_sum *other)
{
	sum->special |= other->special;
	return other->count ? add_words(sum, other->words, other->count, other->first) : GEMP_OK;
}

/* ROUNDING */

/* Schoolbook division of |sum| by n. The quotient has two words more than the sum below its lowest word, which is
 * enough for a correctly rounded double. *inexact becomes true if there is a remainder. */
static size_t quotient(const gemp_exact_sum *sum, uint64_t n, uint64_t *words, int32_t *first, bool *inexact)
{
	enum { BELOW = 2 };
	bool carry = true, negative = sign_word(sum) != 0;
	size_t count = sum->count + (size_t)BELOW;
	memset(words, 0, BELOW * sizeof *words);
	for (size_t i = 0; i < sum->count; i++) {
		words[i + BELOW] = negative ? ~sum->words[i] + carry : sum->words[i];
		carry = carry && words[i + BELOW] == 0;
	}
	double_word rest = 0;
	for (size_t i = count; i-- > 0;) {
		rest = rest << BITS | words[i];
		words[i] = (uint64_t)(rest / n);
		rest %= n;
	}
	*inexact = rest != 0;
	*first = sum->first - BELOW;
	return count;
}

/* Rounds bits * 2^exponent to the nearest double, ties to even. The top bit of `bits` is set. inexact is true if the
 * exact number has further bits below. A subnormal result has fewer bits, so the rounding happens at its last bit. */
static double round_to_nearest(uint64_t bits, int exponent, bool inexact)
{
	int shift = LOWEST_BIT - exponent; /* number of bits that a subnormal number cannot hold */
	if (shift < BITS - MANTISSA)
		shift = BITS - MANTISSA;
	if (shift > BITS)
		return 0;
	uint64_t kept = shift < BITS ? bits >> shift : 0;
	uint64_t dropped = bits << (BITS - shift), half = UINT64_C(1) << (BITS - 1);
	if (dropped > half || (dropped == half && (inexact || (kept & 1))))
		kept++;
	return ldexp((double)kept, exponent + shift);
}

/* Takes the upper 64 bits of |sum| / n, finds out whether any lower bit is set, and rounds once. */
double gemp_exact_sum_round(const gemp_exact_sum *sum, uint64_t n)
{
	uint64_t words[MAX_WORDS + 2];
	int32_t first = 0;
	bool inexact = false;
	if (sum->special & SPECIAL_NAN || sum->special == (SPECIAL_INFINITY | SPECIAL_MINUS_INFINITY))
		return (double)NAN;
	if (sum->special)
		return sum->special == SPECIAL_INFINITY ? (double)INFINITY : (double)-INFINITY;
	size_t top = sum->count ? quotient(sum, n, words, &first, &inexact) : 0;
	while (top > 0 && words[top - 1] == 0)
		top--;
	if (top == 0)
		return 0;
	int zeros = __builtin_clzll(words[top - 1]);
	uint64_t bits = words[top - 1] << zeros;
	size_t below = top - 1;
	if (zeros && below > 0) {
		bits |= words[--below] >> (BITS - zeros);
		inexact |= words[below] << zeros != 0;
	}
	while (below > 0)
		inexact |= words[--below] != 0;
	double size = round_to_nearest(bits, (first + (int32_t)top - 1) * BITS - zeros, inexact);
	return sign_word(sum) ? -size : size;
}

/* BYTES */

/* Appends the position, the number of words, the special values, and the words. gemp_exact_sum_merge_packed reads them
 * in this order. */
gemp_code gemp_exact_sum_pack(const gemp_exact_sum *sum, gemp_text *out)
{
	gemp_text_add(out, &sum->first, sizeof sum->first);
	gemp_text_add(out, &sum->count, sizeof sum->count);
	gemp_text_add(out, &sum->special, sizeof sum->special);
	gemp_text_add(out, sum->words, sum->count * sizeof *sum->words);
	return gemp_text_status(out);
}

/* The packed words have no alignment, so they are copied to a buffer on the stack first. */
gemp_code gemp_exact_sum_merge_packed(gemp_exact_sum *sum, const char **at)
{
	uint64_t words[MAX_WORDS];
	gemp_exact_sum other = { 0 };
	memcpy(&other.first, *at, sizeof other.first);
	memcpy(&other.count, *at += sizeof other.first, sizeof other.count);
	memcpy(&other.special, *at += sizeof other.count, sizeof other.special);
	memcpy(words, *at += sizeof other.special, other.count * sizeof *words);
	*at += other.count * sizeof *words;
	sum->special |= other.special;
	return other.count ? add_words(sum, words, other.count, other.first) : GEMP_OK;
}

/* KEY TABLE */

void gemp_key_table_free(gemp_key_table *table)
{
	gemp_free_all(table->begin, table->hash, table->bytes, table->slots);
	*table = (gemp_key_table){ 0 };
}

/* All tables use the same hash, so that all ranks compute the same owner of a key. */
uint64_t gemp_key_hash(const void *key, size_t size)
{
	return gemp_hash(key, size, 0);
}

/* The hashes of the keys are stored, so that growing the table reads no keys. */
static gemp_code grow_slots(gemp_key_table *table)
{
	uint64_t *slots;
	size_t count = gemp_slot_capacity(table->slot_count, table->count + 1);
	if (count == table->slot_count)
		return GEMP_OK;
	if (table->count + 1 >= UINT32_MAX)
		return gemp_fail(GEMP_ENOMEM, "%zu groups or values on one rank are more than a table holds; use more ranks",
		                 table->count);
	GEMP_TRY(GEMP_NEW(slots, count));
	gemp_free(table->slots);
	table->slots = slots;
	table->slot_count = count;
	for (size_t i = 0; i < table->count; i++)
		gemp_slot_occupy(slots, count, gemp_slot_tag(table->hash[i]), i);
	return GEMP_OK;
}

/* Reserves memory for one more key. begin has one element more than hash, so both grow to the same capacity. */
static gemp_code grow_keys(gemp_key_table *table, size_t size)
{
	size_t wanted = table->count + 1, capacity = table->capacity;
	size_t used = table->count ? table->begin[table->count] : 0;
	GEMP_TRY(GEMP_RESERVE(table->bytes, table->bytes_capacity, used + size));
	if (wanted > capacity) {
		GEMP_TRY(GEMP_RESERVE(table->hash, capacity, wanted));
		uint64_t *begin = gemp_realloc(table->begin, capacity + 1, sizeof *begin);
		if (!begin)
			return GEMP_ENOMEM;
		if (!table->begin)
			begin[0] = 0;
		table->begin = begin;
		table->capacity = capacity;
	}
	return GEMP_OK;
}

/* Compares the sizes first, which saves most comparisons of bytes. */
static bool is_key(const gemp_key_table *table, size_t index, const void *key, size_t size)
{
	size_t own;
	const char *bytes = gemp_key_bytes(table, index, &own);
	return own == size && (size == 0 || memcmp(bytes, key, size) == 0);
}

/* All memory is reserved before the table changes, so that a failure leaves it as it was. */
gemp_code gemp_key_table_add(gemp_key_table *table, const void *key, size_t size, uint64_t hash, size_t *index,
                             bool *added)
{
	*added = false;
	size_t slot;
	GEMP_FOR_SLOTS (slot, table->slots, table->slot_count, gemp_slot_tag(hash)) {
		*index = gemp_slot_index(table->slots[slot]);
		if (is_key(table, *index, key, size))
			return GEMP_OK;
	}
	GEMP_TRY(grow_slots(table));
	GEMP_TRY(grow_keys(table, size));
	*index = table->count++;
	if (size)
		memcpy(table->bytes + table->begin[*index], key, size);
	table->begin[*index + 1] = table->begin[*index] + size;
	table->hash[*index] = hash;
	gemp_slot_occupy(table->slots, table->slot_count, gemp_slot_tag(hash), *index);
	*added = true;
	return GEMP_OK;
}

/* begin and hash have one word for each key. */
size_t gemp_key_table_memory(const gemp_key_table *table)
{
	return table->capacity * 2 * sizeof(uint64_t) + table->bytes_capacity + table->slot_count * sizeof *table->slots;
}

/* gemp_reserve does not zero the new elements, but a group without values relies on zeros. */
gemp_code gemp_reserve_group(void **array, size_t *capacity, size_t group, size_t size)
{
	size_t before = *capacity;
	if (group < before)
		return GEMP_OK;
	GEMP_TRY(gemp_reserve(array, capacity, group + 1, size));
	memset((char *)gemp_pointer_get(array) + before * size, 0, (*capacity - before) * size);
	return GEMP_OK;
}
