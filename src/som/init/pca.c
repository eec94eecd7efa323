#include "som/init/pca.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/threads.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* One thread processes a chunk of samples and makes the sums of the chunk. These sums are added over the chunks and
 * then over the ranks. The sums are exact, or they are split into parts whose sums are exact. The result therefore
 * depends neither on the chunks nor on the ranks. */

enum { SCRATCH = 1 << 28 }; /* bytes of all threads' partial sums */

/* This rank's samples and the number of chunks into which they are divided. */
typedef struct sample_chunks {
	const float *x; /* [count][dims] */
	size_t count, dims, chunks;
	const double *mean; /* [dims] */
	double *max;        /* [chunks][dims] largest distances from the mean */
} sample_chunks;

/* Returns the number of chunks: at most one chunk for each thread, and at most as many as fit into SCRATCH bytes.
 * bytes: the sums of one chunk. */
static size_t chunk_count(size_t count, size_t bytes)
{
	return gemp_max(1, gemp_min(SCRATCH / bytes, gemp_min(gemp_threads(), gemp_range_count(count))));
}

static size_t chunk_begin(const sample_chunks *in, size_t chunk)
{
	return gemp_chunk_begin(in->count, in->chunks, chunk);
}

/* Returns value - mean. A missing value gives 0, which adds nothing to sums of products. */
static double centred(const sample_chunks *in, size_t i, size_t k)
{
	const double value = (double)in->x[i * in->dims + k] - in->mean[k];
	return fabs(value) <= DBL_MAX ? value : 0;
}

/* Finds the maxima of the columns of one chunk. */
static void find_max(void *context, unsigned thread, size_t chunk)
{
	const sample_chunks *in = context;
	double *max = in->max + chunk * in->dims;
	(void)thread;
	for (size_t i = chunk_begin(in, chunk); i < chunk_begin(in, chunk + 1); i++)
		for (size_t k = 0; k < in->dims; k++) {
			const double distance = fabs(centred(in, i, k));
			max[k] = distance > max[k] ? distance : max[k];
		}
}

/* Collective. max[dims] becomes each column's largest distance from the mean, over the samples of all ranks. */
static void find_column_max(sample_chunks *in, const gemp_comm *comm)
{
	gemp_parallel_for(in->chunks, find_max, in);
	for (size_t c = 1; c < in->chunks; c++)
		for (size_t k = 0; k < in->dims; k++)
			in->max[k] = fmax(in->max[k], in->max[c * in->dims + k]);
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, in->max, (int)in->dims, MPI_DOUBLE, MPI_MAX, comm->world));
}

/* THE COVARIANCE MATRIX
 *
 * Values are rounded to whole numbers of up to 2^24, so the sums of a block's products are exact in double. These sums
 * are added as whole numbers of 64 bits, in two parts. The parts cannot overflow for up to 2^40 samples. */
enum {
	BITS = 24,
	BLOCK = 32, /* samples; a sum of 2^5 products of 2 * BITS bits fits into the 53 bits of a double */
	SPLIT = 28  /* bits of low parts */
};
/* adding and then subtracting this number rounds to whole numbers, for magnitudes below 2^51 */
static const double whole = 0x1.8p52;

typedef struct covariance_task {
	sample_chunks in;
	double *scale;  /* [dims] */
	double *blocks; /* [chunks][BLOCK + 1][dims] samples, and behind them the sums of a column's products */
	int64_t *sums;  /* [chunks][2][dims][dims] high parts and low parts */
} covariance_task;

/* Collective. Scales the columns so that the largest distance of each column gets BITS bits. */
static void choose_scale(covariance_task *s, const gemp_comm *comm)
{
	find_column_max(&s->in, comm);
	for (size_t k = 0; k < s->in.dims; k++) {
		int exponent;
		frexp(s->in.max[k], &exponent);
		s->scale[k] = ldexp(1, BITS - exponent);
	}
}

/* Fills a block with scaled samples, rounded to whole numbers. Rows behind the last sample are zero. */
static void fill(const covariance_task *s, size_t begin, size_t end, double *restrict block)
{
	for (size_t i = 0; i < BLOCK; i++)
		for (size_t k = 0; k < s->in.dims; k++)
			block[i * s->in.dims + k] = begin + i < end ? (centred(&s->in, begin + i, k) * s->scale[k] + whole) - whole
			                                            : 0;
}

/* sums[0 .. a] becomes the sums, over a block, of the products of column number `a` with columns 0 to `a`. Four samples
 * are added at a time, so sums[] is read and written a quarter as often as with one sample at a time. */
static void multiply(const covariance_task *s, const double *restrict block, size_t a, double *restrict sums)
{
	const size_t n = s->in.dims;
	memset(sums, 0, (a + 1) * sizeof *sums);
	for (size_t i = 0; i < BLOCK; i += 4) {
		const double *restrict one = block + i * n, *restrict two = one + n, *restrict three = two + n,
							   *restrict four = three + n;
		const double by[4] = { one[a], two[a], three[a], four[a] };
		for (size_t b = 0; b <= a; b++)
			sums[b] += by[0] * one[b] + by[1] * two[b] + (by[2] * three[b] + by[3] * four[b]);
	}
}

/* Adds a block to the lower half of the matrix: the sum of row * row' over the rows of the block. A shift to the right
 * rounds down, so low parts are never negative. */
static void add_block(const covariance_task *s, const double *restrict block, double *restrict sums,
                      int64_t *restrict high, int64_t *restrict low)
{
	const size_t n = s->in.dims;
	for (size_t a = 0; a < n; a++) {
		multiply(s, block, a, sums);
		for (size_t b = 0; b <= a; b++) {
			high[a * n + b] += (int64_t)sums[b] >> SPLIT;
			low[a * n + b] += (int64_t)sums[b] & ((1 << SPLIT) - 1);
		}
	}
}

/* Adds the samples of a chunk in blocks of BLOCK samples. The sums of a block's products are exact in double. */
static void add_samples(void *context, unsigned thread, size_t chunk)
{
	const covariance_task *s = context;
	const size_t end = chunk_begin(&s->in, chunk + 1), n = s->in.dims;
	double *block = s->blocks + chunk * (BLOCK + 1) * n;
	int64_t *high = s->sums + chunk * 2 * n * n;
	(void)thread;
	for (size_t begin = chunk_begin(&s->in, chunk); begin < end; begin += BLOCK) {
		fill(s, begin, end, block);
		add_block(s, block, block + BLOCK * n, high, high + n * n);
	}
}

/* Collective. Adds the exact sums of all chunks and ranks and makes the symmetric matrix[dims][dims] from them. Sums
 * are rounded only here. */
static void add_up(covariance_task *s, const gemp_comm *comm, double samples, double *matrix)
{
	const size_t n = s->in.dims, half = n * n;
	int64_t *sums = s->sums;
	gemp_parallel_for(s->in.chunks, add_samples, s);
	for (size_t p = 1; p < s->in.chunks; p++)
		for (size_t k = 0; k < 2 * half; k++)
			sums[k] += sums[2 * p * half + k];
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, (int)(2 * half), MPI_INT64_T, MPI_SUM, comm->world));
	for (size_t a = 0; a < n; a++)
		for (size_t b = 0; b <= a; b++) {
			const int64_t low = sums[half + a * n + b], high = sums[a * n + b] + (low >> SPLIT);
			const double sum = ldexp((double)high, SPLIT) + (double)(low & ((1 << SPLIT) - 1));
			matrix[a * n + b] = matrix[b * n + a] = sum / s->scale[a] / s->scale[b] / samples;
		}
}

static gemp_code allocate_sums(covariance_task *s)
{
	const size_t dims = s->in.dims, sums = 2 * dims * dims;
	s->in.chunks = chunk_count(s->in.count, sums * sizeof *s->sums);
	return gemp_new_all(GEMP_ARRAY(s->scale, dims), GEMP_ARRAY(s->in.max, s->in.chunks * dims),
	                    GEMP_ARRAY(s->blocks, s->in.chunks * (BLOCK + 1) * dims),
	                    GEMP_ARRAY(s->sums, s->in.chunks * sums));
}

/* Collective. The scales come from all ranks' samples, so all ranks round in the same way. Memory is allocated, and the
 * ranks agree on a failure, before the scales and sums are reduced, since these steps cannot fail. */
gemp_code gemp_som_covariance(const gemp_comm *comm, const float *x, size_t count, uint32_t dims, const double *mean,
                              double *matrix)
{
	gemp_code code = GEMP_OK;
	const double samples = (double)gemp_comm_sum1(comm, count);
	covariance_task s = { .in = { .x = x, .count = count, .dims = dims, .mean = mean } };
	GEMP_TRY_DONE(gemp_comm_agree(comm, allocate_sums(&s)));
	choose_scale(&s, comm);
	add_up(&s, comm, samples > 0 ? samples : 1, matrix);
done:
	gemp_free_all(s.scale, s.in.max, s.blocks, s.sums);
	return code;
}

/* PRINCIPAL COMPONENTS
 *
 * Subspace iteration (Bauer 1957): some vectors are repeatedly multiplied by the covariance and made orthogonal. If the
 * matrix is small, it is made first. Otherwise each product is computed from the samples. */
enum {
	VECTORS = 8,       /* two components are wanted; with more vectors the iteration converges in fewer steps */
	MAX_STEPS = 1000,  /* steps, if the matrix is made */
	SAMPLE_STEPS = 40, /* steps, if each step reads all samples */
	MAX_SWEEPS = 64    /* sweeps of Jacobi's method, which takes about ten sweeps */
};

typedef struct pca_task {
	const gemp_comm *comm;
	sample_chunks in; /* after choose_split max[] is scratch memory: a row for each chunk */
	uint32_t vector_count;
	double samples;       /* number of samples of all ranks */
	double *matrix;       /* [dims][dims]; NULL if products are computed from the samples */
	double *vectors;      /* [vector_count][dims] */
	double *products;     /* [vector_count][dims] */
	size_t values;        /* vector_count * dims */
	gemp_repro_sum split; /* without a matrix: how the terms of sums are split */
	double *sums;         /* without a matrix: [chunks][2][values] high and low parts */
} pca_task;

/* Adds row * (row . vector) for each vector to high[values] and low[values], whose sums do not depend on the order of
 * rows. The sum over all rows is the covariance times the vectors. It needs no matrix of dims * dims numbers. */
static void add_products(const pca_task *f, const double *restrict row, double *restrict high, double *restrict low)
{
	const size_t n = f->in.dims;
	const gemp_repro_sum split = f->split;
	for (uint32_t v = 0; v < f->vector_count; v++) {
		double by = 0;
		for (size_t k = 0; k < n; k++)
			by += row[k] * f->vectors[v * n + k];
		for (size_t k = 0; k < n; k++)
			gemp_repro_sum_add(split, by * row[k], &high[v * n + k], &low[v * n + k]);
	}
}

/* Adds the products of a chunk's samples. The sums of the chunk start at 0 in each step. */
static void add_sample_products(void *context, unsigned thread, size_t chunk)
{
	const pca_task *f = context;
	double *high = f->sums + 2 * chunk * f->values, *low = high + f->values, *row = f->in.max + chunk * f->in.dims;
	(void)thread;
	memset(high, 0, 2 * f->values * sizeof *high);
	for (size_t i = chunk_begin(&f->in, chunk); i < chunk_begin(&f->in, chunk + 1); i++) {
		for (size_t k = 0; k < f->in.dims; k++)
			row[k] = centred(&f->in, i, k);
		add_products(f, row, high, low);
	}
}

/* Collective. Multiplies the covariance by the vectors, from the samples. The result does not depend on the order of
 * the samples. */
static void multiply_samples(pca_task *f)
{
	double *sums = f->sums;
	gemp_parallel_for(f->in.chunks, add_sample_products, f);
	for (size_t p = 1; p < f->in.chunks; p++)
		for (size_t k = 0; k < 2 * f->values; k++)
			sums[k] += sums[2 * p * f->values + k];
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, (int)(2 * f->values), MPI_DOUBLE, MPI_SUM, f->comm->world));
	for (size_t k = 0; k < f->values; k++)
		f->products[k] = (sums[k] + sums[f->values + k]) / f->samples;
}

/* Collective. The product of a row and a vector of length 1 is at most the length of the row, which bounds the terms of
 * the sums. */
static void choose_split(pca_task *f)
{
	double max = 0;
	find_column_max(&f->in, f->comm);
	for (size_t k = 0; k < f->in.dims; k++)
		max = fmax(max, f->in.max[k]);
	f->split = gemp_repro_sum_of(max * max * 1.01 * sqrt((double)f->in.dims), f->samples);
}

/* The order of additions is fixed, as each rank runs the same iteration and must get the same bits. */
static double dot(const double *a, const double *b, size_t n)
{
	double sum = 0;
	for (size_t k = 0; k < n; k++)
		sum += a[k] * b[k];
	return sum;
}

/* Gram-Schmidt orthogonalisation, applied twice. After one pass almost parallel vectors are not orthogonal up to
 * rounding. A vector that depends linearly on the vectors before it becomes 0. */
static void make_orthogonal(double *vectors, size_t count, size_t n)
{
	for (size_t v = 0; v < count; v++) {
		double *vector = vectors + v * n;
		const double before = sqrt(dot(vector, vector, n));
		for (int step = 0; step < 2; step++)
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

/* The matrix is symmetric, so its rows are also its columns. */
static void multiply_matrix(size_t n, size_t count, const double *restrict matrix, const double *restrict vectors,
                            double *restrict products)
{
	memset(products, 0, count * n * sizeof *products);
	for (size_t a = 0; a < n; a++)
		for (size_t v = 0; v < count; v++)
			for (size_t b = 0; b < n; b++)
				products[v * n + b] += vectors[v * n + a] * matrix[a * n + b];
}

/* One rotation of Jacobi's method makes matrix[p][q] 0. The rows of `vectors` become the eigenvectors. */
static void rotate(double matrix[VECTORS][VECTORS], double vectors[VECTORS][VECTORS], size_t n, size_t p, size_t q)
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

/* Returns the sum of squares below the diagonal. Jacobi's method makes this sum small. */
static double off_diagonal(double matrix[VECTORS][VECTORS], size_t n)
{
	double sum = 0;
	for (size_t a = 0; a < n; a++)
		for (size_t b = 0; b < a; b++)
			sum += matrix[a][b] * matrix[a][b];
	return sum;
}

/* The cyclic Jacobi method makes sweeps of rotations until the matrix is diagonal up to rounding. */
static void jacobi(double matrix[VECTORS][VECTORS], double vectors[VECTORS][VECTORS], size_t n)
{
	double trace = 0;
	for (size_t a = 0; a < n; a++)
		trace += fabs(matrix[a][a]);
	for (int sweep = 0; sweep < MAX_SWEEPS && off_diagonal(matrix, n) > 1e-30 * trace * trace; sweep++)
		for (size_t p = 0; p + 1 < n; p++)
			for (size_t q = p + 1; q < n; q++)
				rotate(matrix, vectors, n, p, q);
}

/* Projects the covariance to the space of the vectors. values[] becomes the two largest eigenvalues there, and axes
 * their directions. */
static void project(const pca_task *f, double *axes, double values[2])
{
	const size_t n = f->in.dims, count = f->vector_count;
	double within[VECTORS][VECTORS] = { 0 }, rotated[VECTORS][VECTORS] = { 0 };
	for (size_t a = 0; a < count; a++) {
		rotated[a][a] = 1;
		for (size_t b = 0; b <= a; b++)
			within[a][b] = within[b][a] = dot(f->vectors + a * n, f->products + b * n, n);
	}
	jacobi(within, rotated, count);
	size_t before = count;
	for (size_t axis = 0; axis < 2; axis++) {
		size_t max = count;
		for (size_t a = 0; a < count; a++)
			if (a != before && (max == count || within[a][a] > within[max][max]))
				max = a;
		values[axis] = max < count ? fmax(within[max][max], 0) : 0;
		for (size_t k = 0; k < n; k++) {
			axes[axis * n + k] = 0;
			for (size_t v = 0; v < count && max < count; v++)
				axes[axis * n + k] += rotated[max][v] * f->vectors[v * n + k];
		}
		before = max;
	}
}

/* Collective if there is no matrix; otherwise local. Iterates until the changes of the two eigenvalues add up to at
 * most `close` times the second eigenvalue, or until the maximum of steps is reached. The start is random but the same
 * on all ranks. All ranks stop after the same step, since they compare the same bits. */
static void iterate(pca_task *f, double *axes, double values[2])
{
	const size_t n = f->in.dims;
	double last[2] = { -1, -1 };
	const int max = f->matrix ? MAX_STEPS : SAMPLE_STEPS;
	const double close = f->matrix ? 1e-15 : 1e-6;
	uint64_t seed = 1;
	for (size_t k = 0; k < f->vector_count * n; k++)
		f->vectors[k] = gemp_random_unit(&seed) - .5;
	for (int step = 0; step < max; step++) {
		make_orthogonal(f->vectors, f->vector_count, n);
		if (f->matrix)
			multiply_matrix(n, f->vector_count, f->matrix, f->vectors, f->products);
		else
			multiply_samples(f);
		project(f, axes, values);
		if (fabs(values[0] - last[0]) + fabs(values[1] - last[1]) <=
		    close * values[1] + 1e-15 * values[0]) /* tolerance for rounding */
			break;
		memcpy(last, values, sizeof last);
		memcpy(f->vectors, f->products, f->vector_count * n * sizeof *f->vectors);
	}
}

/* Scales an axis by the deviation and fixes its sign: the component with the largest magnitude becomes positive. If
 * several magnitudes are equal up to rounding, the first of these components decides, since otherwise rounding could
 * flip the axis. */
static void orient_axis(double *axis, size_t n, double deviation)
{
	size_t part = 0;
	for (size_t k = 1; k < n; k++)
		part = fabs(axis[k]) > fabs(axis[part]) * (1 + 1e-9) ? k : part;
	const double by = axis[part] < 0 ? -deviation : deviation;
	for (size_t k = 0; k < n; k++)
		axis[k] *= by;
}

static gemp_code allocate_vectors(pca_task *f)
{
	const size_t n = f->in.dims;
	f->values = f->vector_count * n;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(f->vectors, f->values), GEMP_ARRAY(f->products, f->values)));
	if (n <= GEMP_SOM_COVARIANCE_DIMS)
		return GEMP_NEW(f->matrix, n * n);
	f->in.chunks = chunk_count(f->in.count, 2 * f->values * sizeof *f->sums);
	return gemp_new_all(GEMP_ARRAY(f->sums, 2 * f->in.chunks * f->values), GEMP_ARRAY(f->in.max, f->in.chunks * n));
}

/* Collective. The eigenvalue of an axis is the variance along it, and its root is the standard deviation. */
gemp_code gemp_som_principal(const gemp_comm *comm, const float *x, size_t count, uint32_t dims, const double *mean,
                             double *axes)
{
	gemp_code code = GEMP_OK;
	const double all = (double)gemp_comm_sum1(comm, count);
	pca_task f = { .comm = comm,
		           .in = { .x = x, .count = count, .dims = dims, .mean = mean },
		           .vector_count = dims < VECTORS ? dims : VECTORS,
		           .samples = all > 0 ? all : 1 };
	double values[2];
	GEMP_TRY_DONE(gemp_comm_agree(comm, allocate_vectors(&f)));
	if (f.matrix)
		GEMP_TRY_DONE(gemp_som_covariance(comm, x, count, dims, mean, f.matrix));
	else
		choose_split(&f);
	iterate(&f, axes, values);
	for (int axis = 0; axis < 2; axis++)
		orient_axis(axes + (size_t)axis * dims, dims, sqrt(values[axis]));
done:
	gemp_free_all(f.matrix, f.vectors, f.products, f.sums, f.in.max);
	return code;
}
