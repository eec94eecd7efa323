#include "som/init/pca.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/reproducible_sum.h"
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
	double *scale;  /* [dims] */
	size_t pieces;  /* of the samples */
	double *widest; /* [pieces][dims] */
	double *blocks; /* [pieces][BLOCK + 1][dims]: samples, and sums of products of a column */
	int64_t *sums;  /* [pieces][2][dims][dims]: high parts and low ones */
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
		const double *restrict one = block + i * n, *restrict two = one + n, *restrict three = two + n,
							   *restrict four = three + n;
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
	const size_t sums = 2 * s->dims * s->dims;
	s->pieces = SCRATCH / (sums * sizeof *s->sums);
	s->pieces = s->pieces < gemp_threads() ? s->pieces : gemp_threads();
	s->pieces = s->pieces < gemp_range_count(s->count) ? s->pieces : gemp_range_count(s->count);
	s->pieces += s->pieces == 0;
	GEMP_PROPAGATE(GEMP_NEW(s->scale, s->dims));
	GEMP_PROPAGATE(GEMP_NEW(s->widest, s->pieces * s->dims));
	GEMP_PROPAGATE(GEMP_NEW(s->blocks, s->pieces * (BLOCK + 1) * s->dims));
	return GEMP_NEW(s->sums, s->pieces * sums);
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
	gemp_free_all(s.scale, s.widest, s.blocks, s.sums);
	return code;
}

/* Subspace iteration: some vectors are multiplied by the covariance and made orthogonal again and again. The matrix is made
 * where it is small; else each product goes over the samples. */
enum {
	WIDE = 8,     /* vectors, as they converge sooner than two would */
	TURNS = 1000, /* on a matrix */
	TURNS_OF_SAMPLES = 40,
	SWEEPS = 64,                /* of Jacobi's method, which takes about ten */
	PRINCIPAL_SCRATCH = 1 << 28 /* bytes of all threads' sums */
};

typedef struct finding {
	const gemp_comm *comm;
	const float *x;
	size_t count;
	uint32_t dims, wide;
	const double *mean;
	double samples;       /* of all ranks */
	double *matrix;       /* [dims][dims], or NULL */
	double *vectors;      /* [wide][dims] */
	double *products;     /* [wide][dims] */
	gemp_repro_sum by;    /* this and what follows: where there is no matrix */
	size_t pieces, piece; /* of the samples; sums of one */
	double *sums;         /* [pieces][2][piece]: high parts and low ones */
	double *rows;         /* [pieces][dims] */
} finding;

/* SUMS OVER SAMPLES */

static const double *centred(const finding *f, size_t i, double *row)
{
	for (uint32_t k = 0; k < f->dims; k++) {
		const double value = (double)f->x[i * f->dims + k] - f->mean[k];
		row[k] = isfinite(value) ? value : 0;
	}
	return row;
}

static void add_products(const finding *f, const double *restrict row, double *restrict high, double *restrict low)
{
	const size_t n = f->dims;
	const gemp_repro_sum fold = f->by;
	for (uint32_t v = 0; v < f->wide; v++) {
		double by = 0;
		for (size_t k = 0; k < n; k++)
			by += row[k] * f->vectors[v * n + k];
		for (size_t k = 0; k < n; k++)
			gemp_repro_sum_add(fold, by * row[k], &high[v * n + k], &low[v * n + k]);
	}
}

static void principal_add_samples(void *context, unsigned thread, size_t piece)
{
	const finding *f = context;
	double *high = f->sums + 2 * piece * f->piece, *low = high + f->piece, *row = f->rows + piece * f->dims;
	(void)thread;
	memset(high, 0, 2 * f->piece * sizeof *high);
	for (size_t i = f->count * piece / f->pieces; i < f->count * (piece + 1) / f->pieces; i++)
		add_products(f, centred(f, i, row), high, low);
}

/* Collective. The covariance times the vectors. */
static void principal_add_up(finding *f)
{
	double *sums = f->sums;
	gemp_parallel_for(f->pieces, principal_add_samples, f);
	for (size_t p = 1; p < f->pieces; p++)
		for (size_t k = 0; k < 2 * f->piece; k++)
			sums[k] += sums[2 * p * f->piece + k];
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, (int)(2 * f->piece), MPI_DOUBLE, MPI_SUM, f->comm->world));
	for (size_t k = 0; k < f->piece; k++)
		f->products[k] = (sums[k] + sums[f->piece + k]) / f->samples;
}

/* The greatest distance from the mean in a column. */
static void principal_find_widest(void *context, unsigned thread, size_t piece)
{
	const finding *f = context;
	double *row = f->rows + piece * f->dims, widest = 0;
	(void)thread;
	for (size_t i = f->count * piece / f->pieces; i < f->count * (piece + 1) / f->pieces; i++) {
		centred(f, i, row);
		for (uint32_t k = 0; k < f->dims; k++)
			widest = fmax(widest, fabs(row[k]));
	}
	f->sums[piece] = widest;
}

/* Collective. */
static void choose_fold(finding *f)
{
	double widest = 0;
	gemp_parallel_for(f->pieces, principal_find_widest, f);
	for (size_t p = 0; p < f->pieces; p++)
		widest = fmax(widest, f->sums[p]);
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &widest, 1, MPI_DOUBLE, MPI_MAX, f->comm->world));
	/* a row times a vector of length 1 is not longer than the row */
	f->by = gemp_repro_sum_of(widest * widest * 1.01 * sqrt(f->dims), f->samples);
}

/* VECTORS */

static double dot(const double *a, const double *b, size_t n)
{
	double sum = 0;
	for (size_t k = 0; k < n; k++)
		sum += a[k] * b[k];
	return sum;
}

/* Twice, as once leaves what rounding makes of almost parallel ones. What depends on those before becomes 0. */
static void make_orthogonal(double *vectors, size_t wide, size_t n)
{
	for (size_t v = 0; v < wide; v++) {
		double *vector = vectors + v * n;
		const double before = sqrt(dot(vector, vector, n));
		for (int turn = 0; turn < 2; turn++)
			for (size_t u = 0; u < v; u++) {
				const double by = dot(vector, vectors + u * n, n);
				for (size_t k = 0; k < n; k++)
					vector[k] -= by * vectors[u * n + k];
			}
		const double length = sqrt(dot(vector, vector, n));
		for (size_t k = 0; k < n; k++)
			vector[k] = length > 1e-12 * before ? vector[k] / length : 0;
	}
}

/* Rows of the matrix are its columns, too. */
static void multiply_matrix(size_t n, size_t wide, const double *restrict matrix, const double *restrict vectors,
                            double *restrict products)
{
	memset(products, 0, wide * n * sizeof *products);
	for (size_t a = 0; a < n; a++)
		for (size_t v = 0; v < wide; v++)
			for (size_t b = 0; b < n; b++)
				products[v * n + b] += vectors[v * n + a] * matrix[a * n + b];
}

/* Collective, unless there is a matrix. */
static void principal_multiply(finding *f)
{
	if (f->matrix)
		multiply_matrix(f->dims, f->wide, f->matrix, f->vectors, f->products);
	else
		principal_add_up(f);
}

/* One rotation of Jacobi's method, after which matrix[p][q] is 0. Rows of `vectors` become the eigenvectors. */
static void rotate(double matrix[WIDE][WIDE], double vectors[WIDE][WIDE], size_t n, size_t p, size_t q)
{
	const double off = matrix[p][q];
	if (off == 0)
		return;
	const double theta = (matrix[q][q] - matrix[p][p]) / (2 * off);
	const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + hypot(theta, 1)), c = 1 / hypot(t, 1), s = t * c;
	for (size_t k = 0; k < n; k++) {
		const double a = matrix[k][p], b = matrix[k][q];
		matrix[k][p] = c * a - s * b;
		matrix[k][q] = s * a + c * b;
	}
	for (size_t k = 0; k < n; k++) {
		const double a = matrix[p][k], b = matrix[q][k], v = vectors[p][k], w = vectors[q][k];
		matrix[p][k] = c * a - s * b;
		matrix[q][k] = s * a + c * b;
		vectors[p][k] = c * v - s * w;
		vectors[q][k] = s * v + c * w;
	}
}

static double outside(double matrix[WIDE][WIDE], size_t n)
{
	double sum = 0;
	for (size_t a = 0; a < n; a++)
		for (size_t b = 0; b < a; b++)
			sum += matrix[a][b] * matrix[a][b];
	return sum;
}

static void jacobi(double matrix[WIDE][WIDE], double vectors[WIDE][WIDE], size_t n)
{
	double trace = 0;
	for (size_t a = 0; a < n; a++)
		trace += fabs(matrix[a][a]);
	for (int sweep = 0; sweep < SWEEPS && outside(matrix, n) > 1e-30 * trace * trace; sweep++)
		for (size_t p = 0; p + 1 < n; p++)
			for (size_t q = p + 1; q < n; q++)
				rotate(matrix, vectors, n, p, q);
}

/* The covariance within the vectors' space: the two greatest eigenvalues, and in axes where they lie. */
static void project(const finding *f, double *axes, double found[2])
{
	const size_t n = f->dims, wide = f->wide;
	double within[WIDE][WIDE] = { 0 }, turned[WIDE][WIDE] = { 0 };
	for (size_t a = 0; a < wide; a++) {
		turned[a][a] = 1;
		for (size_t b = 0; b <= a; b++)
			within[a][b] = within[b][a] = dot(f->vectors + a * n, f->products + b * n, n);
	}
	jacobi(within, turned, wide);
	size_t before = wide;
	for (size_t axis = 0; axis < 2; axis++) {
		size_t most = wide;
		for (size_t a = 0; a < wide; a++)
			if (a != before && (most == wide || within[a][a] > within[most][most]))
				most = a;
		found[axis] = most < wide ? fmax(within[most][most], 0) : 0;
		for (size_t k = 0; k < n; k++) {
			axes[axis * n + k] = 0;
			for (size_t v = 0; v < wide && most < wide; v++)
				axes[axis * n + k] += turned[most][v] * f->vectors[v * n + k];
		}
		before = most;
	}
}

/* Collective, unless there is a matrix. */
static void iterate(finding *f, double *axes, double found[2])
{
	const size_t n = f->dims;
	double last[2] = { -1, -1 };
	const int most = f->matrix ? TURNS : TURNS_OF_SAMPLES;
	const double close = f->matrix ? 1e-15 : 1e-6;
	uint64_t seed = 1;
	for (size_t k = 0; k < f->wide * n; k++)
		f->vectors[k] = gemp_random_unit(&seed) - .5;
	for (int turn = 0; turn < most; turn++) {
		make_orthogonal(f->vectors, f->wide, n);
		principal_multiply(f);
		project(f, axes, found);
		if (fabs(found[0] - last[0]) + fabs(found[1] - last[1]) <= close * found[1] + 1e-15 * found[0]) /* rounding */
			break;
		memcpy(last, found, sizeof last);
		memcpy(f->vectors, f->products, f->wide * n * sizeof *f->vectors);
	}
}

/* With the sign that makes its greatest part positive: the first of several. */
static void orient_axis(double *axis, size_t n, double deviation)
{
	size_t part = 0;
	for (size_t k = 1; k < n; k++)
		part = fabs(axis[k]) > fabs(axis[part]) * (1 + 1e-9) ? k : part;
	const double by = axis[part] < 0 ? -deviation : deviation;
	for (size_t k = 0; k < n; k++)
		axis[k] *= by;
}

/* Local. */
static gemp_code principal_make_room(finding *f)
{
	const size_t n = f->dims, values = f->wide * n;
	GEMP_PROPAGATE(GEMP_NEW(f->vectors, values));
	GEMP_PROPAGATE(GEMP_NEW(f->products, values));
	if (n <= GEMP_SOM_COVARIANCE_DIMS)
		return GEMP_NEW(f->matrix, n * n);
	f->piece = values;
	f->pieces = PRINCIPAL_SCRATCH / (2 * f->piece * sizeof *f->sums);
	f->pieces = f->pieces < gemp_threads() ? f->pieces : gemp_threads();
	f->pieces = f->pieces < gemp_range_count(f->count) ? f->pieces : gemp_range_count(f->count);
	f->pieces += f->pieces == 0;
	GEMP_PROPAGATE(GEMP_NEW(f->sums, 2 * f->pieces * f->piece));
	return GEMP_NEW(f->rows, f->pieces * n);
}

gemp_code gemp_som_principal(const gemp_comm *comm, const float *x, size_t count, uint32_t dims, const double *mean,
                             double *axes)
{
	gemp_code code = GEMP_OK;
	const double all = (double)gemp_comm_sum1(comm, count);
	finding f = { .comm = comm,
		          .x = x,
		          .count = count,
		          .dims = dims,
		          .wide = dims < WIDE ? dims : WIDE,
		          .mean = mean,
		          .samples = all > 0 ? all : 1 };
	double found[2];
	GEMP_TRY(gemp_comm_agree(comm, principal_make_room(&f)));
	if (f.matrix)
		GEMP_TRY(gemp_som_covariance(comm, x, count, dims, mean, f.matrix));
	else
		choose_fold(&f);
	iterate(&f, axes, found);
	for (int axis = 0; axis < 2; axis++)
		orient_axis(axes + (size_t)axis * dims, dims, sqrt(found[axis]));
done:
	gemp_free_all(f.matrix, f.vectors, f.products, f.sums, f.rows);
	return code;
}
