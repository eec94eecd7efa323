/* filter: evaluates conditions on one vertex. The result is a bitmap of `rows` rows, in words of 32 bits. Bits past the
 * last row are 0. A kernel sets a bit if its condition is known to be true, so a row with NULL on either side has no
 * bit.
 *
 * An operand has values (strings: bytes and offsets) with a step, and a mask of NULLs with its own step. Row r is at
 * index r * step: the step is 1 for a column, and 0 for a literal. A comparison is described by the outcomes for which
 * it is true: bit 0 less, bit 1 equal, bit 2 greater.
 *
 * There are two kinds of kernels. The first kind has one work-item for each word. The second kind (MAKE_WORD) has one
 * work-item for each row on a GPU, so that neighbouring work-items read neighbouring rows, and one for each word on a
 * CPU. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#ifdef GEMP_GPU
#define GEMP_LANES 32
#else
#define GEMP_LANES 1
#endif
#include "group.clh"
#include "contains.clh"

#define INTEGER 1 /* the values of gemp_type; the host checks that they agree */
#define FLOAT 2
#define BOOLEAN 3

#define STARTS_WITH 1 /* tests of two strings, in place of outcomes */
#define ENDS_WITH 2
#define CONTAINS 3

/* Writes the bits of `condition`, an expression that may use `row`, to out. */
#ifdef GEMP_GPU
#define MAKE_WORD(condition)                                                            \
	GEMP_GROUP_DECLARE                                                              \
	ulong item = get_global_id(0);                                                  \
	uint row = (uint)item;                                                          \
	uint bits = gemp_ballot(item < rows && (condition));                            \
	if (item < rows && gemp_lane() == 0)                                            \
		out[row >> 5] = bits
#else
#define MAKE_WORD(condition)                                                            \
	uint word = (uint)get_global_id(0), bits = 0;                                   \
	if ((ulong)word * 32 >= rows)                                                   \
		return;                                                                 \
	for (uint i = 0; i < 32; i++) {                                                 \
		uint row = word * 32 + i;                                               \
		if (row < rows && (condition))                                          \
			bits |= 1u << i;                                                \
	}                                                                               \
	out[word] = bits
#endif

#define BIT(bitmap, i) ((bitmap)[(i) >> 5] >> ((i) & 31) & 1)

__kernel void filter_fill(uint rows, uint value, __global uint *out)
{
	ulong first = (ulong)get_global_id(0) * 32;
	if (first < rows)
		out[first / 32] = !value ? 0 : rows - first >= 32 ? 0xffffffffu : (1u << (rows - first)) - 1;
}

__kernel void filter_and(uint rows, __global const uint *other, __global uint *out)
{
	uint word = (uint)get_global_id(0);
	if ((ulong)word * 32 < rows)
		out[word] &= other[word];
}

__kernel void filter_or(uint rows, __global const uint *other, __global uint *out)
{
	uint word = (uint)get_global_id(0);
	if ((ulong)word * 32 < rows)
		out[word] |= other[word];
}

/* Copies bits of distinct values to rows: codes[row] is the number of the row's value. */
__kernel void filter_lookup(uint rows, __global const uint *codes, __global const uint *of_values, __global uint *out)
{
	MAKE_WORD(BIT(of_values, codes[row]));
}

/* In place: sets the bits of rows that are not NULL and whose bit was `wanted`, and clears all other bits. */
__kernel void filter_known(uint rows, uint wanted, __global const uchar *null, uint null_step, __global uint *out)
{
	MAKE_WORD(!null[row * null_step] && BIT(out, row) == wanted);
}

/* wanted 1: true if either side is NULL. wanted 0: true if neither side is NULL. */
__kernel void filter_null(uint rows, uint wanted, __global const uchar *left_null, uint left_step,
                          __global const uchar *right_null, uint right_step, __global uint *out)
{
	MAKE_WORD((left_null[row * left_step] | right_null[row * right_step]) == wanted);
}

__kernel void filter_label(uint rows, uint wanted, __global const uint *label_set, __global const uchar *has,
                           __global uint *out)
{
	MAKE_WORD(has[label_set[row]] == wanted);
}

static inline int order_long(long a, long b)
{
	return (a > b) - (a < b);
}

static inline int order_double(double a, double b)
{
	return (a > b) - (a < b);
}

/* The comparison is exact even if no double equals the integer. */
static inline int order_mixed(long a, double b)
{
	if (b >= 0x1p63)
		return -1;
	if (b < -0x1p63)
		return 1;
	long whole = (long)b;
	return a != whole ? order_long(a, whole) : order_double(0, b - (double)whole);
}

static inline long integer_at(__global const uchar *values, uint type, uint row)
{
	return type == BOOLEAN ? values[row] : ((__global const long *)values)[row];
}

static inline int order_numbers(__global const uchar *left, uint left_type, uint left_row,
                                __global const uchar *right, uint right_type, uint right_row)
{
	if (left_type == FLOAT && right_type == FLOAT)
		return order_double(((__global const double *)left)[left_row], ((__global const double *)right)[right_row]);
	if (right_type == FLOAT)
		return order_mixed(integer_at(left, left_type, left_row), ((__global const double *)right)[right_row]);
	if (left_type == FLOAT)
		return -order_mixed(integer_at(right, right_type, right_row), ((__global const double *)left)[left_row]);
	return order_long(integer_at(left, left_type, left_row), integer_at(right, right_type, right_row));
}

__kernel void filter_numbers(uint rows, uint outcomes,
                             __global const uchar *left, uint left_type, uint left_step,
                             __global const uchar *left_null, uint left_null_step,
                             __global const uchar *right, uint right_type, uint right_step,
                             __global const uchar *right_null, uint right_null_step, __global uint *out)
{
	MAKE_WORD(!left_null[row * left_null_step] && !right_null[row * right_null_step] &&
	          (outcomes >> (order_numbers(left, left_type, row * left_step, right, right_type, row * right_step) + 1) & 1));
}

/* Returns 1 if the value is in the ascending list, and otherwise 0. */
static inline uint in_numbers(__global const uchar *left, uint type, uint row,
                              __global const uchar *list, uint list_type, uint count)
{
	uint low = 0, high = count;
	while (low < high) {
		uint middle = low + (high - low) / 2;
		int order = order_numbers(left, type, row, list, list_type, middle);
		if (order == 0)
			return 1;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return 0;
}

__kernel void filter_in_numbers(uint rows, uint wanted, __global const uchar *left, uint left_type, uint left_step,
                                __global const uchar *left_null, uint left_null_step,
                                __global const uchar *list, uint list_type, uint count, __global uint *out)
{
	MAKE_WORD(!left_null[row * left_null_step] &&
	          in_numbers(left, left_type, row * left_step, list, list_type, count) == wanted);
}

static inline int order_bytes(__global const uchar *a, ulong a_size, __global const uchar *b, ulong b_size)
{
	ulong common = min(a_size, b_size);
	for (ulong i = 0; i < common; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return (a_size > b_size) - (a_size < b_size);
}

static inline int same_bytes(__global const uchar *a, __global const uchar *b, ulong size)
{
	for (ulong i = 0; i < size; i++)
		if (a[i] != b[i])
			return 0;
	return 1;
}

/* Returns 1 if a contains b at the position that `where` describes, and otherwise 0. */
static inline uint has_part(__global const uchar *a, ulong a_size, __global const uchar *b, ulong b_size, uint where)
{
	if (b_size > a_size)
		return 0;
	if (where == STARTS_WITH)
		return same_bytes(a, b, b_size);
	if (where == ENDS_WITH)
		return same_bytes(a + (a_size - b_size), b, b_size);
	for (ulong at = 0; at <= a_size - b_size; at++)
		if (same_bytes(a + at, b, b_size))
			return 1;
	return 0;
}

/* The order of two strings. For = and <> (outcomes 2 and 5), strings of different sizes are unequal without comparing
 * bytes, and any order but 0 will do. */
static inline int order_strings(__global const uchar *a, ulong a_size, __global const uchar *b, ulong b_size, uint outcomes)
{
	if (a_size != b_size && (outcomes == 2 || outcomes == 5))
		return 1;
	return order_bytes(a, a_size, b, b_size);
}

__kernel void filter_strings(uint rows, uint outcomes,
                             __global const uchar *left, __global const ulong *left_at, uint left_step,
                             __global const uchar *left_null, uint left_null_step,
                             __global const uchar *right, __global const ulong *right_at, uint right_step,
                             __global const uchar *right_null, uint right_null_step, __global uint *out)
{
#define LEFT left + left_at[row * left_step], left_at[row * left_step + 1] - left_at[row * left_step]
#define RIGHT right + right_at[row * right_step], right_at[row * right_step + 1] - right_at[row * right_step]
	MAKE_WORD(!left_null[row * left_null_step] && !right_null[row * right_null_step] &&
	          (outcomes >> (order_strings(LEFT, RIGHT, outcomes) + 1) & 1));
}

__kernel void filter_parts(uint rows, uint where, uint wanted,
                           __global const uchar *left, __global const ulong *left_at, uint left_step,
                           __global const uchar *left_null, uint left_null_step,
                           __global const uchar *right, __global const ulong *right_at, uint right_step,
                           __global const uchar *right_null, uint right_null_step, __global uint *out)
{
	MAKE_WORD(!left_null[row * left_null_step] && !right_null[row * right_null_step] &&
	          has_part(LEFT, RIGHT, where) == wanted);
}

static inline uint in_strings(__global const uchar *a, ulong size, __global const uchar *list,
                              __global const ulong *list_at, uint count)
{
	uint low = 0, high = count;
	while (low < high) {
		uint middle = low + (high - low) / 2;
		ulong at = list_at[middle];
		int order = order_bytes(a, size, list + at, list_at[middle + 1] - at);
		if (order == 0)
			return 1;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return 0;
}

__kernel void filter_in_strings(uint rows, uint wanted,
                                __global const uchar *left, __global const ulong *left_at, uint left_step,
                                __global const uchar *left_null, uint left_null_step,
                                __global const uchar *list, __global const ulong *list_at, uint count,
                                __global uint *out)
{
	MAKE_WORD(!left_null[row * left_null_step] && in_strings(LEFT, list, list_at, count) == wanted);
}
