#include "cypher/clause/order.h"

#include "core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct sort_entry {
	uint64_t prefix; /* agrees with the order of the first key, so that most comparisons read no values */
	size_t row;
} sort_entry;

typedef struct sort_keys {
	const gemp_datum *keys;
	const bool *descending;
	size_t width;
} sort_keys;

/* Floats are mapped to integers of the same order. */
static uint64_t number_bits(double real)
{
	const uint64_t top = UINT64_C(1) << 63;
	uint64_t bits = 0;
	if (real != 0)
		memcpy(&bits, &real, sizeof bits);
	return bits & top ? ~bits : bits | top;
}

static uint64_t text_bits(gemp_datum value)
{
	uint64_t bits = 0;
	for (size_t i = 0; i < sizeof bits; i++)
		bits = bits << 8 | (i < value.size ? (unsigned char)value.text[i] : 0);
	return bits;
}

/* Four bits for the place of the kind, as gemp_datum_order has it, and 60 for the value. Values with equal prefixes are
 * compared in full. */
static uint64_t prefix_of(gemp_datum value)
{
	enum { BEFORE_STRINGS, STRINGS, BOOLEANS, NUMBERS, TEMPORAL, NANS, NULLS };
	uint64_t place = BEFORE_STRINGS, bits = 0;
	switch (value.kind) {
	case GEMP_DATUM_NULL: place = NULLS; break;
	case GEMP_DATUM_BOOLEAN: place = BOOLEANS, bits = (uint64_t)value.truth << 4; break;
	case GEMP_DATUM_INTEGER: place = NUMBERS, bits = number_bits((double)value.integer); break;
	case GEMP_DATUM_FLOAT:
		place = isnan(value.real) ? NANS : NUMBERS;
		bits = isnan(value.real) ? 0 : number_bits(value.real);
		break;
	case GEMP_DATUM_STRING: place = STRINGS, bits = text_bits(value); break;
	default: place = gemp_datum_is_temporal(value) ? TEMPORAL : BEFORE_STRINGS; break;
	}
	return place << 60 | bits >> 4;
}

static int compare_entries(const void *a, const void *b, void *context)
{
	const sort_entry *x = a, *y = b;
	const sort_keys *k = context;
	if (x->prefix != y->prefix)
		return x->prefix < y->prefix ? -1 : 1;
	for (size_t i = 0; i < k->width; i++) {
		const int order = gemp_datum_order(k->keys[x->row * k->width + i], k->keys[y->row * k->width + i]);
		if (order)
			return k->descending[i] ? -order : order;
	}
	return x->row < y->row ? -1 : x->row > y->row;
}

gemp_code gemp_cypher_sort(size_t *order, const gemp_datum *keys, size_t width, const bool *descending,
                           const size_t *origin, size_t rows)
{
	GEMP_OWNED sort_entry *entries = NULL;
	sort_keys k = { keys, descending, width };
	GEMP_TRY(GEMP_NEW(entries, rows));
	for (size_t r = 0; r < rows; r++) {
		const uint64_t prefix = prefix_of(keys[r * width]);
		entries[r] = (sort_entry){ descending[0] ? ~prefix : prefix, r };
	}
	for (size_t begin = 0, end; begin < rows; begin = end) {
		end = origin ? begin + 1 : rows;
		while (end < rows && origin[end] == origin[begin])
			end++;
		qsort_r(entries + begin, end - begin, sizeof *entries, compare_entries, &k);
	}
	for (size_t r = 0; r < rows; r++)
		order[r] = entries[r].row;
	return GEMP_OK;
}
