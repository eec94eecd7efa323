/* Conversion between the six kinds of numbers. A value is loaded in a form that holds every kind exactly
 * (wide_number) and stored in the wanted one; whole floats become integers, integers become floats only if
 * no digit is lost, and floats are rounded to narrower floats. Ranges of values are converted by threads. */

#include "io/arrays/numbers.h"

#include "core/memory.h"
#include "core/threads.h"

#include <math.h>
#include <stdatomic.h>

void gemp_number_array_free(gemp_number_array *numbers)
{
	gemp_free(numbers->values);
	*numbers = (gemp_number_array){ 0 };
}

/* CONVERSION */

/* A number in the widest form of its sort. */
typedef struct wide_number {
	enum { NEGATIVE, POSITIVE, REAL } sort; /* negative, integer; any other integer; float */
	int64_t negative;
	uint64_t positive;
	double real;
} wide_number;

/* Keeps the rule that non-negative integers are POSITIVE. */
static wide_number of_signed(int64_t value)
{
	return value < 0 ? (wide_number){ .sort = NEGATIVE, .negative = value }
	                 : (wide_number){ .sort = POSITIVE, .positive = (uint64_t)value };
}

/* Non-negative integers of any kind are POSITIVE, so that signed and unsigned ones compare alike. */
static wide_number load(const void *values, gemp_key_kind kind, size_t i)
{
	switch (kind) {
	case GEMP_KEY_U32: return (wide_number){ .sort = POSITIVE, .positive = ((const uint32_t *)values)[i] };
	case GEMP_KEY_U64: return (wide_number){ .sort = POSITIVE, .positive = ((const uint64_t *)values)[i] };
	case GEMP_KEY_I32: return of_signed(((const int32_t *)values)[i]);
	case GEMP_KEY_I64: return of_signed(((const int64_t *)values)[i]);
	case GEMP_KEY_F32: return (wide_number){ .sort = REAL, .real = (double)((const float *)values)[i] };
	default: return (wide_number){ .sort = REAL, .real = ((const double *)values)[i] };
	}
}

/* Whole floats are integers where one is wanted. */
static bool make_whole(wide_number *w)
{
	if (w->sort != REAL)
		return true;
	if (!(w->real >= -0x1p63 && w->real < 0x1p64) || trunc(w->real) != w->real)
		return false;
	*w = w->real < 0 ? (wide_number){ .sort = NEGATIVE, .negative = (int64_t)w->real }
	                 : (wide_number){ .sort = POSITIVE, .positive = (uint64_t)w->real };
	return true;
}

/* The limits stand in the order of gemp_key_kind. */
static bool store_integer(void *values, gemp_key_kind kind, size_t i, wide_number w)
{
	static const uint64_t max[] = { UINT32_MAX, UINT64_MAX, INT32_MAX, INT64_MAX };
	static const int64_t min[] = { 0, 0, INT32_MIN, INT64_MIN };
	if (!make_whole(&w) || (w.sort == POSITIVE ? w.positive > max[kind] : w.negative < min[kind]))
		return false;
	gemp_key_put(values, i, gemp_key_size(kind), w.sort == POSITIVE ? w.positive : (uint64_t)w.negative);
	return true;
}

/* Integers that a float does not hold exactly are refused; floats are rounded. */
static bool store_real(void *values, gemp_key_kind kind, size_t i, wide_number w)
{
	double real = w.sort == REAL ? w.real : w.sort == POSITIVE ? (double)w.positive : (double)w.negative;
	double there = kind == GEMP_KEY_F32 ? (double)(float)real : real;
	bool exact = w.sort == REAL ||
	             (w.sort == POSITIVE ? there < 0x1p64 && (uint64_t)there == w.positive : (int64_t)there == w.negative);
	if (kind == GEMP_KEY_F32)
		((float *)values)[i] = (float)real;
	else
		((double *)values)[i] = real;
	return exact;
}

typedef struct number_conversion {
	const gemp_number_array *numbers;
	gemp_key_kind kind;
	void *out;
	_Atomic size_t bad; /* index of the first that does not fit; count: none */
} number_conversion;

/* Threads agree on the lowest index that fails, so that the message does not depend on their number. */
static void convert_range(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	number_conversion *c = context;
	for (size_t i = begin; i < end; i++) {
		wide_number w = load(c->numbers->values, c->numbers->kind, i);
		if (c->kind < GEMP_KEY_F32 ? store_integer(c->out, c->kind, i, w) : store_real(c->out, c->kind, i, w))
			continue;
		size_t lowest = atomic_load(&c->bad);
		while (i < lowest && !atomic_compare_exchange_weak(&c->bad, &lowest, i))
			;
		return;
	}
}

gemp_code gemp_number_array_convert(gemp_number_array *numbers, gemp_key_kind kind, size_t *bad)
{
	number_conversion c = { .numbers = numbers, .kind = kind, .bad = numbers->count };
	*bad = numbers->count;
	if (kind == numbers->kind)
		return GEMP_OK;
	c.out = gemp_calloc(numbers->count, gemp_key_size(kind));
	if (!c.out)
		return GEMP_ENOMEM;
	gemp_for_ranges(numbers->count, convert_range, &c);
	*bad = c.bad;
	gemp_free(numbers->values);
	numbers->values = c.out;
	numbers->kind = kind;
	return GEMP_OK;
}
