/* Converts numbers between the six kinds and writes them. A value is loaded into wide_number, which holds every kind
 * exactly, and then stored in the target kind. Only whole floats become integers. An integer becomes a float only if
 * the float holds it exactly. A float is rounded to a narrower float. Threads convert ranges of values.
 *
 * Threads print text in batches: each chunk of numbers has memory for the longest text it can need, and the chunks'
 * texts are appended in order. A float is printed with enough digits to reproduce its bits (print_number). The header
 * of a .npy is padded to a multiple of 64 bytes, as in numpy, so that the numbers can be mapped into memory. */

#include "io/arrays/numbers.h"

#include "core/status.h"
#include "core/threads.h"
#include "io/file/output.h"
#include "io/hdf5/hdf5_dataset.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

void gemp_number_array_free(gemp_number_array *numbers)
{
	gemp_free(numbers->values);
	*numbers = (gemp_number_array){ 0 };
}

/* CONVERSION */

/* A number of any kind. `sort` says which of the three other members holds it. */
typedef struct wide_number {
	enum { NEGATIVE, POSITIVE, REAL } sort; /* a negative integer, any other integer, a float */
	int64_t negative;
	uint64_t positive;
	double real;
} wide_number;

static wide_number of_signed(int64_t value)
{
	return value < 0 ? (wide_number){ .sort = NEGATIVE, .negative = value }
	                 : (wide_number){ .sort = POSITIVE, .positive = (uint64_t)value };
}

/* A non-negative integer of any kind becomes POSITIVE, so signed and unsigned kinds are treated alike. */
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

/* Turns a float into an integer. Returns false if the float is not whole or exceeds 64 bits. */
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

/* min and max are indexed by gemp_key_kind. */
static bool store_integer(void *values, gemp_key_kind kind, size_t i, wide_number w)
{
	static const uint64_t max[] = { UINT32_MAX, UINT64_MAX, INT32_MAX, INT64_MAX };
	static const int64_t min[] = { 0, 0, INT32_MIN, INT64_MIN };
	if (!make_whole(&w) || (w.sort == POSITIVE ? w.positive > max[kind] : w.negative < min[kind]))
		return false;
	gemp_key_put(values, i, gemp_key_size(kind), w.sort == POSITIVE ? w.positive : (uint64_t)w.negative);
	return true;
}

/* Returns false for an integer that the float does not hold exactly. A float is rounded. */
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
	_Atomic size_t bad; /* the lowest index of a value that does not fit; count: none */
} number_conversion;

/* The lowest failing index is kept, so the message does not depend on the number of threads. */
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

/* The old values are freed even if some value does not fit, since the caller then fails anyway. */
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

enum {
	CHUNK = 1 << 14, /* numbers that one thread prints at a time */
	BATCH_CHUNKS = 256,
	MAX_TEXT = 32, /* maximal number of bytes of a number with its newline */
	ALIGNED = 64   /* the size of a .npy header is a multiple of this */
};

/* Only opening shows whether the place can be written to. So the place is opened, and then abandoned. */
gemp_code gemp_number_array_check_output(const gemp_comm *comm, const char *place)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED char *path = NULL;
	const char *dataset;
	gemp_output *output = NULL;
	bool h5 = gemp_h5_split_place(place, &path, &dataset);
	if (h5 && dataset && (dataset[0] != '/' || dataset[1] == '\0' || strchr(dataset + 1, '/')))
		code = gemp_fail(GEMP_EUSAGE, "output %s: the dataset is named as in %s:/values, without groups", place,
		                 path ? path : "F.h5");
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_output_open(&output, comm, h5 ? path : place));
	gemp_output_abandon(output);
	return GEMP_OK;
}

/* TEXT */

typedef struct number_printer {
	gemp_key_kind kind;
	const void *values;
	size_t first; /* index of the batch's first number */
	char *text;   /* [chunks of a batch][CHUNK * MAX_TEXT] */
	size_t sizes[BATCH_CHUNKS];
} number_printer;

/* A NaN is printed without its sign, since signs of NaN carry no meaning. */
static int print_real(char *to, double real, int digits)
{
	if (isnan(real))
		return snprintf(to, MAX_TEXT, "nan\n");
	return snprintf(to, MAX_TEXT, "%.*g\n", digits, real);
}

/* The digits are made from last to first in a buffer. This avoids printf, which would interpret its format for every
 * number. */
static int print_integer(char *to, uint64_t magnitude, bool negative)
{
	char digits[MAX_TEXT];
	int count = 0, size = 0;
	do
		digits[count++] = (char)('0' + magnitude % 10);
	while (magnitude /= 10);
	if (negative)
		to[size++] = '-';
	while (count)
		to[size++] = digits[--count];
	to[size++] = '\n';
	return size;
}

static int print_signed(char *to, int64_t number)
{
	return print_integer(to, number < 0 ? -(uint64_t)number : (uint64_t)number, number < 0);
}

/* A float gets 6 to 9 significant digits (f32) or 15 to 17 (f64): the first of these numbers that reproduces it. %g
 * omits trailing zeros. */
static int print_number(char *to, gemp_key_kind kind, const void *values, size_t i)
{
	double real;
	int digits;
	switch (kind) {
	case GEMP_KEY_U32: return print_integer(to, ((const uint32_t *)values)[i], false);
	case GEMP_KEY_U64: return print_integer(to, ((const uint64_t *)values)[i], false);
	case GEMP_KEY_I32: return print_signed(to, ((const int32_t *)values)[i]);
	case GEMP_KEY_I64: return print_signed(to, ((const int64_t *)values)[i]);
	default: break;
	}
	real = kind == GEMP_KEY_F32 ? (double)((const float *)values)[i] : ((const double *)values)[i];
	digits = kind == GEMP_KEY_F32 ? 6 : 15;
	for (; digits < (kind == GEMP_KEY_F32 ? 9 : 17) && !isnan(real); digits++) {
		double back;
		print_real(to, real, digits);
		if (sscanf(to, "%lf", &back) == 1 && (kind == GEMP_KEY_F32 ? (float)back == (float)real : back == real))
			break;
	}
	return print_real(to, real, digits);
}

/* Each chunk has memory for MAX_TEXT bytes per number, so threads need not wait for one another. */
static void print_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	number_printer *p = context;
	char *from = p->text + chunk * CHUNK * MAX_TEXT, *to = from;
	for (size_t i = begin; i < end; i++)
		to += print_number(to, p->kind, p->values, p->first + i);
	p->sizes[chunk] = (size_t)(to - from);
}

/* Local. Makes the text of all numbers of this rank. */
static gemp_code print_all(gemp_text *out, gemp_key_kind kind, const void *values, size_t count)
{
	const size_t batch = gemp_min((size_t)BATCH_CHUNKS * CHUNK, count);
	GEMP_OWNED char *text = gemp_calloc((batch + CHUNK - 1) / CHUNK * CHUNK, MAX_TEXT);
	number_printer p = { .kind = kind, .values = values, .text = text };
	if (!text)
		return GEMP_ENOMEM;
	for (; p.first < count; p.first += batch) {
		const size_t some = gemp_min(count - p.first, batch);
		gemp_for_chunks(some, CHUNK, print_chunk, &p);
		for (size_t c = 0; c * CHUNK < some; c++)
			gemp_text_add(out, text + c * CHUNK * MAX_TEXT, p.sizes[c]);
	}
	return gemp_text_status(out);
}

/* Collective. Each rank makes its whole text before any rank writes, since the sizes determine the offsets. */
static gemp_code write_text(gemp_output *output, const gemp_comm *comm, gemp_key_kind kind, const void *values,
                            size_t count)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	GEMP_TRY(gemp_comm_agree(comm, print_all(&text, kind, values, count)));
	return gemp_output_write(output, text.data, text.size);
}

/* .npy */

/* Collective. Rank 0 writes the header, whose shape is the number of values on all ranks. The values follow in rank
 * order. */
static gemp_code write_npy(gemp_output *output, const gemp_comm *comm, gemp_key_kind kind, const void *values,
                           size_t count)
{
	static const char *const types[] = { "<u4", "<u8", "<i4", "<i8", "<f4", "<f8" };
	char header[2 * ALIGNED + 1] = "\x93NUMPY\x01";
	size_t start = 10, size;
	uint64_t all = gemp_comm_sum1(comm, count);
	int length = snprintf(header + start, sizeof header - start,
	                      "{'descr': '%s', 'fortran_order': False, 'shape': (%" PRIu64 ",), }", types[kind], all);
	size = (start + (size_t)length + 1 + ALIGNED - 1) / ALIGNED * ALIGNED;
	memset(header + start + length, ' ', size - start - (size_t)length);
	header[size - 1] = '\n';
	header[8] = (char)((size - start) & 255);
	header[9] = (char)((size - start) >> 8);
	GEMP_TRY(gemp_output_write(output, header, comm->rank == 0 ? size : 0));
	return gemp_output_write(output, values, count * gemp_key_size(kind));
}

/* HDF5 */

/* Collective. gemp_h5_kind has no 32-bit float, so such floats are written as 64-bit floats, which hold them
 * exactly. */
static gemp_code write_h5(const gemp_comm *comm, const char *path, const char *dataset, gemp_key_kind kind,
                          const void *values, size_t count)
{
	static const gemp_h5_kind kinds[] = {
		GEMP_H5_U32, GEMP_H5_U64, GEMP_H5_I32, GEMP_H5_I64, GEMP_H5_F64, GEMP_H5_F64
	};
	gemp_h5 h5 = { 0 };
	GEMP_OWNED double *reals = NULL;
	const gemp_h5_slab rows = { gemp_comm_sum1(comm, count), gemp_comm_exscan(comm, count), count };
	const gemp_code made = kind == GEMP_KEY_F32 ? GEMP_NEW(reals, count) : GEMP_OK;
	for (size_t i = 0; reals && i < count; i++)
		reals[i] = (double)((const float *)values)[i];
	gemp_code code = gemp_h5_create_temporary(&h5, comm, path, false);
	GEMP_THEN(gemp_h5_write(&h5, made, dataset ? dataset : "/values", gemp_h5_type_of(kinds[kind]), rows,
	                        reals ? (const void *)reals : values));
	return gemp_h5_commit(&h5, path, code);
}

/* The HDF5 library writes its own files. gemp_output writes the other forms. */
gemp_code gemp_number_array_write(const gemp_comm *comm, const char *place, gemp_key_kind kind, const void *values,
                                  size_t count)
{
	GEMP_OWNED_BY(gemp_output_abandon_at) gemp_output *output = NULL;
	GEMP_OWNED char *path = NULL;
	const char *dataset;
	if (gemp_h5_split_place(place, &path, &dataset)) {
		GEMP_TRY(gemp_comm_agree(comm, path ? GEMP_OK : GEMP_ENOMEM));
		return write_h5(comm, path, dataset, kind, values, count);
	}
	GEMP_TRY(gemp_output_open(&output, comm, place));
	GEMP_TRY((gemp_file_ends_in(place, ".npy") ? write_npy : write_text)(output, comm, kind, values, count));
	gemp_output *whole = output;
	output = NULL;
	return gemp_output_close(whole);
}
