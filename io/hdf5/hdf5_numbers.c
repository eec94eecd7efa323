/* A thread converts a range of elements by a loop for their kind, so that compilers vectorise the loop. */

#include "io/hdf5/hdf5_numbers.h"

#include "core/threads.h"

#include <stdatomic.h>

int64_t gemp_h5_number_at(const void *array, gemp_h5_kind kind, size_t i)
{
	switch (kind) {
	case GEMP_H5_I8: return ((const int8_t *)array)[i];
	case GEMP_H5_I16: return ((const int16_t *)array)[i];
	case GEMP_H5_I32: return ((const int32_t *)array)[i];
	case GEMP_H5_U32: return ((const uint32_t *)array)[i];
	default: return ((const int64_t *)array)[i];
	}
}

typedef struct conversion {
	gemp_h5_kind kind;
	void *narrow;
	int64_t *wide;
	int64_t add;
} conversion;

#define FOR_KIND(array, body)                                     \
	switch (c->kind) {                                            \
	case GEMP_H5_I8: FOR_ELEMENTS(int8_t, array, body); break;    \
	case GEMP_H5_I16: FOR_ELEMENTS(int16_t, array, body); break;  \
	case GEMP_H5_I32: FOR_ELEMENTS(int32_t, array, body); break;  \
	case GEMP_H5_U32: FOR_ELEMENTS(uint32_t, array, body); break; \
	default: FOR_ELEMENTS(int64_t, array, body); break;           \
	}
#define FOR_ELEMENTS(type, array, body)      \
	do {                                     \
		typedef type element;                \
		element *narrow = array;             \
		for (size_t i = begin; i < end; i++) \
			body;                            \
	} while (0)

static void narrow_range(void *context, size_t begin, size_t end)
{
	const conversion *c = context;
	FOR_KIND(c->narrow, narrow[i] = (element)(c->wide[i] + c->add))
}

static void widen_range(void *context, size_t begin, size_t end)
{
	const conversion *c = context;
	FOR_KIND(c->narrow, c->wide[i] = (int64_t)narrow[i])
}

void gemp_h5_numbers_narrow(void *to, gemp_h5_kind kind, const int64_t *numbers, size_t count, int64_t add)
{
	gemp_for_elements(count, narrow_range, &(conversion){ kind, to, (int64_t *)(uintptr_t)numbers, add });
}

void gemp_h5_numbers_widen(int64_t *to, const void *from, gemp_h5_kind kind, size_t count)
{
	gemp_for_elements(count, widen_range, &(conversion){ kind, (void *)(uintptr_t)from, to, 0 });
}

typedef struct width_search {
	const int64_t *numbers;
	_Atomic uint64_t bits;
} width_search;

/* A number x takes as many bits as x ^ (x >> 63), and its sign. */
static void find_bits(void *context, size_t begin, size_t end)
{
	width_search *s = context;
	uint64_t bits = 0;
	for (size_t i = begin; i < end; i++)
		bits |= (uint64_t)(s->numbers[i] ^ (s->numbers[i] >> 63));
	atomic_fetch_or_explicit(&s->bits, bits, memory_order_relaxed);
}

gemp_h5_kind gemp_h5_numbers_kind(const gemp_comm *comm, const int64_t *numbers, size_t count)
{
	width_search s = { .numbers = numbers };
	gemp_for_elements(count, find_bits, &s);
	uint64_t widest = s.bits;
	gemp_comm_max(comm, &widest, 1);
	return widest <= INT8_MAX    ? GEMP_H5_I8
	       : widest <= INT16_MAX ? GEMP_H5_I16
	       : widest <= INT32_MAX ? GEMP_H5_I32
	                             : GEMP_H5_I64;
}
