#include "io/numbers_parts.h"

#include "core/memory.h"
#include "core/threads.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16 };

void gemp_numbers_free(gemp_numbers *numbers)
{
	gemp_free(numbers->values);
	*numbers = (gemp_numbers){ 0 };
}

bool gemp_numbers_h5_place(const char *place, char **path, const char **dataset)
{
	const char *colon = strstr(place, ".h5:"), *end = place + strlen(place);
	*path = NULL;
	*dataset = NULL;
	if (!colon && (end - place < 3 || strcmp(end - 3, ".h5") != 0))
		return false;
	*dataset = colon ? colon + 4 : NULL;
	*path = gemp_strndup(place, colon ? (size_t)(colon + 3 - place) : (size_t)(end - place));
	return true;
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
	return value < 0 ? (wide){ .sort = NEGATIVE, .negative = value } : (wide){ .sort = POSITIVE, .positive = (uint64_t)value };
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
	bool exact = w.sort == REAL || (w.sort == POSITIVE ? there < 0x1p64 && (uint64_t)there == w.positive
	                                                   : (int64_t)there == w.negative);
	if (kind == GEMP_KEY_F32)
		((float *)values)[i] = (float)real;
	else
		((double *)values)[i] = real;
	return exact;
}

typedef struct converting {
	const gemp_numbers *numbers;
	gemp_key_kind kind;
	void *out;
	_Atomic size_t bad; /* index of the first; count: none */
} converting;

static void convert_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	converting *c = context;
	size_t end = (piece + 1) * PIECE < c->numbers->count ? (piece + 1) * PIECE : c->numbers->count;
	for (size_t i = piece * PIECE; i < end; i++) {
		wide w = load(c->numbers->values, c->numbers->kind, i);
		if (c->kind < GEMP_KEY_F32 ? store_integer(c->out, c->kind, i, w) : store_real(c->out, c->kind, i, w))
			continue;
		size_t before = atomic_load(&c->bad);
		while (i < before && !atomic_compare_exchange_weak(&c->bad, &before, i))
			;
		return;
	}
}

gemp_code gemp_numbers_convert(gemp_numbers *numbers, gemp_key_kind kind, size_t *at)
{
	converting c = { .numbers = numbers, .kind = kind, .bad = numbers->count };
	*at = numbers->count;
	if (kind == numbers->kind)
		return GEMP_OK;
	c.out = gemp_calloc(numbers->count, gemp_key_size(kind));
	if (!c.out)
		return GEMP_ENOMEM;
	gemp_parallel_for((numbers->count + PIECE - 1) / PIECE, convert_piece, &c);
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

gemp_code gemp_numbers_take(gemp_numbers *out, char kind, unsigned width, const void *raw, size_t count)
{
	unsigned size = width == 8 ? 8 : 4;
	out->kind = kind == 'f' ? (width == 8 ? GEMP_KEY_F64 : GEMP_KEY_F32)
	          : kind == 'i' ? (width == 8 ? GEMP_KEY_I64 : GEMP_KEY_I32) : (width == 8 ? GEMP_KEY_U64 : GEMP_KEY_U32);
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

static void settle_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	gemp_numbers *n = context;
	size_t end = (piece + 1) * PIECE < n->count ? (piece + 1) * PIECE : n->count;
	for (size_t i = piece * PIECE; i < end; i++)
		if (n->kind == GEMP_KEY_F32 && isnan(((float *)n->values)[i]))
			((float *)n->values)[i] = NAN;
		else if (n->kind == GEMP_KEY_F64 && isnan(((double *)n->values)[i]))
			((double *)n->values)[i] = (double)NAN;
}

/* Collective. As the caller wants them; place: for messages. */
static gemp_code settle(gemp_numbers *n, const gemp_comm *comm, const char *place, gemp_key_kind kind)
{
	gemp_code code = GEMP_OK;
	size_t at = n->count;
	uint64_t before = gemp_comm_before(comm, n->count);
	if (kind != GEMP_NUMBERS_AUTO)
		code = gemp_numbers_convert(n, kind, &at);
	if (code == GEMP_OK && at < n->count)
		code = gemp_fail(GEMP_EDATA, "%s: number %" PRIu64 " (from 0) is not one that type %s holds exactly; choose another --type", place,
		                 before + at, gemp_key_name[kind]);
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (n->kind >= GEMP_KEY_F32)
		gemp_parallel_for((n->count + PIECE - 1) / PIECE, settle_piece, n);
	n->all = gemp_comm_sum1(comm, n->count);
done:
	return code;
}

gemp_code gemp_numbers_read(gemp_numbers *out, const gemp_comm *comm, const char *place, gemp_key_kind kind)
{
	gemp_code code = GEMP_OK;
	size_t length = strlen(place);
	char *path = NULL;
	const char *dataset;
	*out = (gemp_numbers){ 0 };
	if (gemp_numbers_h5_place(place, &path, &dataset)) {
		GEMP_TRY(gemp_comm_agree(comm, path ? GEMP_OK : GEMP_ENOMEM));
		GEMP_TRY(gemp_numbers_read_h5(out, comm, path, dataset));
	} else if (length > 4 && strcmp(place + length - 4, ".npy") == 0) {
		GEMP_TRY(gemp_numbers_read_npy(out, comm, place));
	} else {
		GEMP_TRY(gemp_numbers_read_text(out, comm, place, kind));
	}
	code = settle(out, comm, place, kind);
done:
	gemp_free(path);
	if (code != GEMP_OK)
		gemp_numbers_free(out);
	return code;
}
