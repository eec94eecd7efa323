#include "io/arrays/numbers.h"

#include "core/memory.h"
#include "core/threads.h"
#include "io/arrays/npy.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

void gemp_number_array_free(gemp_number_array *numbers)
{
	gemp_free(numbers->values);
	*numbers = (gemp_number_array){ 0 };
}

/* CONVERSION */

/* A number in the widest form of its sort. */
typedef struct wide {
	enum { NEGATIVE, POSITIVE, REAL } sort; /* negative, integer; any other integer; float */
	int64_t negative;
	uint64_t positive;
	double real;
} wide;

static wide of_signed(int64_t value)
{
	return value < 0 ? (wide){ .sort = NEGATIVE, .negative = value }
	                 : (wide){ .sort = POSITIVE, .positive = (uint64_t)value };
}

static wide load(const void *values, gemp_key_kind kind, size_t i)
{
	switch (kind) {
	case GEMP_KEY_U32: return (wide){ .sort = POSITIVE, .positive = ((const uint32_t *)values)[i] };
	case GEMP_KEY_U64: return (wide){ .sort = POSITIVE, .positive = ((const uint64_t *)values)[i] };
	case GEMP_KEY_I32: return of_signed(((const int32_t *)values)[i]);
	case GEMP_KEY_I64: return of_signed(((const int64_t *)values)[i]);
	case GEMP_KEY_F32: return (wide){ .sort = REAL, .real = (double)((const float *)values)[i] };
	default: return (wide){ .sort = REAL, .real = ((const double *)values)[i] };
	}
}

/* Whole floats are integers where one is wanted. */
static bool make_whole(wide *w)
{
	if (w->sort != REAL)
		return true;
	if (!(w->real >= -0x1p63 && w->real < 0x1p64) || trunc(w->real) != w->real)
		return false;
	*w = w->real < 0 ? (wide){ .sort = NEGATIVE, .negative = (int64_t)w->real }
	                 : (wide){ .sort = POSITIVE, .positive = (uint64_t)w->real };
	return true;
}

static bool store_integer(void *values, gemp_key_kind kind, size_t i, wide w)
{
	static const uint64_t most[] = { UINT32_MAX, UINT64_MAX, INT32_MAX, INT64_MAX };
	static const int64_t least[] = { 0, 0, INT32_MIN, INT64_MIN };
	if (!make_whole(&w) || (w.sort == POSITIVE ? w.positive > most[kind] : w.negative < least[kind]))
		return false;
	gemp_key_put(values, i, gemp_key_size(kind), w.sort == POSITIVE ? w.positive : (uint64_t)w.negative);
	return true;
}

/* Integers that a float does not hold exactly are refused; floats are rounded. */
static bool store_real(void *values, gemp_key_kind kind, size_t i, wide w)
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

typedef struct converting {
	const gemp_number_array *numbers;
	gemp_key_kind kind;
	void *out;
	_Atomic size_t bad; /* index of the first; count: none */
} converting;

static void convert_chunk(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	converting *c = context;
	size_t end = (piece + 1) * GEMP_NUMBERS_CHUNK < c->numbers->count ? (piece + 1) * GEMP_NUMBERS_CHUNK
	                                                                  : c->numbers->count;
	for (size_t i = piece * GEMP_NUMBERS_CHUNK; i < end; i++) {
		wide w = load(c->numbers->values, c->numbers->kind, i);
		if (c->kind < GEMP_KEY_F32 ? store_integer(c->out, c->kind, i, w) : store_real(c->out, c->kind, i, w))
			continue;
		size_t before = atomic_load(&c->bad);
		while (i < before && !atomic_compare_exchange_weak(&c->bad, &before, i))
			;
		return;
	}
}

gemp_code gemp_number_array_convert(gemp_number_array *numbers, gemp_key_kind kind, size_t *at)
{
	converting c = { .numbers = numbers, .kind = kind, .bad = numbers->count };
	*at = numbers->count;
	if (kind == numbers->kind)
		return GEMP_OK;
	c.out = gemp_calloc(numbers->count, gemp_key_size(kind));
	if (!c.out)
		return GEMP_ENOMEM;
	gemp_parallel_for((numbers->count + GEMP_NUMBERS_CHUNK - 1) / GEMP_NUMBERS_CHUNK, convert_chunk, &c);
	*at = c.bad;
	gemp_free(numbers->values);
	numbers->values = c.out;
	numbers->kind = kind;
	return GEMP_OK;
}

/* SMALL NUMBERS */

static uint32_t widened(char kind, unsigned width, const unsigned char *at)
{
	uint32_t four;
	float real;
	uint16_t two;
	if (width == 1)
		return kind == 'i' ? (uint32_t)(int8_t)*at : *at;
	memcpy(&two, at, sizeof two);
	if (kind != 'f')
		return kind == 'i' ? (uint32_t)(int16_t)two : two;
	real = gemp_npy_half(at);
	memcpy(&four, &real, sizeof four);
	return four;
}

gemp_code gemp_number_array_widen(gemp_number_array *out, char kind, unsigned width, const void *raw, size_t count)
{
	unsigned size = width == 8 ? 8 : 4;
	out->kind = kind == 'f'   ? (width == 8 ? GEMP_KEY_F64 : GEMP_KEY_F32)
	            : kind == 'i' ? (width == 8 ? GEMP_KEY_I64 : GEMP_KEY_I32)
	                          : (width == 8 ? GEMP_KEY_U64 : GEMP_KEY_U32);
	out->count = count;
	out->values = gemp_calloc(count, size);
	if (!out->values)
		return GEMP_ENOMEM;
	if (width >= 4 && count)
		memcpy(out->values, raw, count * size);
	for (size_t i = 0; width < 4 && i < count; i++)
		((uint32_t *)out->values)[i] = widened(kind, width, (const unsigned char *)raw + i * width);
	return GEMP_OK;
}

/* ONE NaN */
