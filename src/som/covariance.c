#include "som/covariance.h"

#include "core/memory.h"
#include "core/ranges.h"
#include "core/threads.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Values are whole numbers of up to 2^24, so that sums of a block's products are exact in double; they are kept as whole numbers
 * of 64 bits, in two parts, which do for 2^40 samples. */
enum {
	BITS = 24,
	BLOCK = 32,       /* samples: 2 BITS and 5 bits more are the 53 of a double */
	SPLIT = 28,       /* bits of low parts */
	SCRATCH = 1 << 28 /* bytes of all threads' sums */
};
static const double whole = 0x1.8p52; /* added and taken away again, it leaves whole numbers */

typedef struct summing {
	const float *x;
	size_t count, dims;
	const double *mean;
	double *scale;            /* [dims] */
	size_t pieces;            /* of the samples */
	double *widest;           /* [pieces][dims] */
	double *blocks;           /* [pieces][BLOCK + 1][dims]: samples, and sums of products of a column */
	int64_t *sums;            /* [pieces][2][dims][dims]: high parts and low ones */
} summing;

static double apart(const summing *s, size_t i, size_t k)
{
	const double value = (double)s->x[i * s->dims + k] - s->mean[k];
	return fabs(value) <= DBL_MAX ? value : 0;
}

static void find_widest(void *context, unsigned thread, size_t piece)
{
	const summing *s = context;
	double *widest = s->widest + piece * s->dims;
	(void)thread;
	for (size_t i = s->count * piece / s->pieces; i < s->count * (piece + 1) / s->pieces; i++)
		for (size_t k = 0; k < s->dims; k++) {
			const double far = fabs(apart(s, i, k));
			widest[k] = far > widest[k] ? far : widest[k];
		}
}

/* Collective. */
static void choose_scale(summing *s, const gemp_comm *comm)
{
	gemp_parallel_for(s->pieces, find_widest, s);
	for (size_t p = 1; p < s->pieces; p++)
		for (size_t k = 0; k < s->dims; k++)
			s->widest[k] = fmax(s->widest[k], s->widest[p * s->dims + k]);
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, s->widest, (int)s->dims, MPI_DOUBLE, MPI_MAX, comm->world));
	for (size_t k = 0; k < s->dims; k++) {
		int exponent;
		frexp(s->widest[k], &exponent);
		s->scale[k] = ldexp(1, BITS - exponent);
	}
}

/* Behind the last sample there are zeros. */
static void fill(const summing *s, size_t begin, size_t end, double *restrict block)
{
	for (size_t i = 0; i < BLOCK; i++)
		for (size_t k = 0; k < s->dims; k++)
			block[i * s->dims + k] = begin + i < end ? (apart(s, begin + i, k) * s->scale[k] + whole) - whole : 0;
}

/* The products of column a and those up to it. */
static void multiply(const summing *s, const double *restrict block, size_t a, double *restrict sums)
{
	const size_t n = s->dims;
	memset(sums, 0, (a + 1) * sizeof *sums);
	for (size_t i = 0; i < BLOCK; i += 4) {
		const double *restrict one = block + i * n, *restrict two = one + n, *restrict three = two + n, *restrict four = three + n;
		const double by[4] = { one[a], two[a], three[a], four[a] };
		for (size_t b = 0; b <= a; b++)
			sums[b] += by[0] * one[b] + by[1] * two[b] + (by[2] * three[b] + by[3] * four[b]);
	}
}

/* The lower half of the sum of row * row'. */
static void add_block(const summing *s, const double *restrict block, double *restrict sums, int64_t *restrict high,
                      int64_t *restrict low)
{
	const size_t n = s->dims;
	for (size_t a = 0; a < n; a++) {
		multiply(s, block, a, sums);
		for (size_t b = 0; b <= a; b++) {
			high[a * n + b] += (int64_t)sums[b] >> SPLIT;
			low[a * n + b] += (int64_t)sums[b] & ((1 << SPLIT) - 1);
		}
	}
}

static void add_samples(void *context, unsigned thread, size_t piece)
{
	const summing *s = context;
	const size_t end = s->count * (piece + 1) / s->pieces, n = s->dims;
	double *block = s->blocks + piece * (BLOCK + 1) * n;
	int64_t *high = s->sums + piece * 2 * n * n;
	(void)thread;
	for (size_t begin = s->count * piece / s->pieces; begin < end; begin += BLOCK) {
		fill(s, begin, end, block);
		add_block(s, block, block + BLOCK * n, high, high + n * n);
	}
}

/* Collective. */
static void add_up(summing *s, const gemp_comm *comm, double samples, double *matrix)
{
	const size_t n = s->dims, part = n * n;
	int64_t *sums = s->sums;
	gemp_parallel_for(s->pieces, add_samples, s);
	for (size_t p = 1; p < s->pieces; p++)
		for (size_t k = 0; k < 2 * part; k++)
			sums[k] += sums[2 * p * part + k];
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, (int)(2 * part), MPI_INT64_T, MPI_SUM, comm->world));
	for (size_t a = 0; a < n; a++)
		for (size_t b = 0; b <= a; b++) {
			const int64_t low = sums[part + a * n + b], high = sums[a * n + b] + (low >> SPLIT);
			const double sum = ldexp((double)high, SPLIT) + (double)(low & ((1 << SPLIT) - 1));
			matrix[a * n + b] = matrix[b * n + a] = sum / s->scale[a] / s->scale[b] / samples;
		}
}

/* Local. */
static gemp_code make_room(summing *s)
{
	gemp_code code = GEMP_OK;
	const size_t sums = 2 * s->dims * s->dims;
	s->pieces = SCRATCH / (sums * sizeof *s->sums);
	s->pieces = s->pieces < gemp_threads() ? s->pieces : gemp_threads();
	s->pieces = s->pieces < gemp_ranges(s->count) ? s->pieces : gemp_ranges(s->count);
	s->pieces += s->pieces == 0;
	GEMP_TRY(GEMP_NEW(s->scale, s->dims));
	GEMP_TRY(GEMP_NEW(s->widest, s->pieces * s->dims));
	GEMP_TRY(GEMP_NEW(s->blocks, s->pieces * (BLOCK + 1) * s->dims));
	code = GEMP_NEW(s->sums, s->pieces * sums);
done:
	return code;
}

gemp_code gemp_som_covariance(const gemp_comm *comm, const float *x, size_t count, uint32_t dims, const double *mean,
                              double *matrix)
{
	gemp_code code = GEMP_OK;
	const double samples = (double)gemp_comm_sum1(comm, count);
	summing s = { .x = x, .count = count, .dims = dims, .mean = mean };
	GEMP_TRY(gemp_comm_agree(comm, make_room(&s)));
	choose_scale(&s, comm);
	add_up(&s, comm, samples > 0 ? samples : 1, matrix);
done:
	gemp_free(s.scale);
	gemp_free(s.widest);
	gemp_free(s.blocks);
	gemp_free(s.sums);
	return code;
}
