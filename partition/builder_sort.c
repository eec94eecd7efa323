#include "partition/builder_sort.h"

#include "core/memory.h"

#include <string.h>

enum { BITS = 11, DIGITS = 6, VALUES = 1 << BITS };

static void count_digits(const uint64_t *keys, size_t count, size_t (*histogram)[VALUES])
{
	for (size_t i = 0; i < count; i++)
		for (int digit = 0; digit < DIGITS; digit++)
			histogram[digit][keys[i] >> (digit * BITS) & (VALUES - 1)]++;
}

static void scatter(const uint64_t *keys, const uint64_t *companions, size_t count, int shift, size_t *begin,
                    uint64_t *keys_out, uint64_t *companions_out)
{
	size_t sum = 0;
	for (int value = 0; value < VALUES; value++) {
		size_t here = begin[value];
		begin[value] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++) {
		size_t to = begin[keys[i] >> shift & (VALUES - 1)]++;
		keys_out[to] = keys[i];
		companions_out[to] = companions[i];
	}
}

static void insertion_sort(uint64_t *keys, uint64_t *companions, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		uint64_t key = keys[i], companion = companions[i];
		size_t to = i;
		for (; to > 0 && keys[to - 1] > key; to--) {
			keys[to] = keys[to - 1];
			companions[to] = companions[to - 1];
		}
		keys[to] = key;
		companions[to] = companion;
	}
}

gemp_code gemp_radix_sort(uint64_t *keys, uint64_t *companions, size_t count)
{
	gemp_code code = GEMP_OK;
	size_t(*histogram)[VALUES] = NULL;
	uint64_t *spare = NULL;
	if (count <= 64) {
		insertion_sort(keys, companions, count);
		return GEMP_OK;
	}
	GEMP_TRY(GEMP_NEW(histogram, DIGITS));
	GEMP_TRY(GEMP_NEW(spare, 2 * count));
	count_digits(keys, count, histogram);
	uint64_t *from = keys, *from_companions = companions, *to = spare, *to_companions = spare + count;
	for (int digit = 0; digit < DIGITS; digit++) {
		if (histogram[digit][keys[0] >> (digit * BITS) & (VALUES - 1)] == count)
			continue;
		scatter(from, from_companions, count, digit * BITS, histogram[digit], to, to_companions);
		uint64_t *swap = from;
		from = to;
		to = swap;
		swap = from_companions;
		from_companions = to_companions;
		to_companions = swap;
	}
	if (from != keys) {
		memcpy(keys, from, count * sizeof *keys);
		memcpy(companions, from_companions, count * sizeof *companions);
	}
done:
	gemp_free(spare);
	gemp_free(histogram);
	return code;
}
