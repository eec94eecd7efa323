/* Tests the first two principal components on all ranks, for few and for many dimensions. The components must agree
 * with the directions from which the samples were made, and must solve the equation of eigenvectors with sums that this
 * test computes. */
#include "harness/collective.h"

#include "comm/comm.h"
#include "core/random.h"
#include "core/status.h"
#include "som/init/pca.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES = 400 };

/* Samples of n values each, their mean, and the two axes that are found. */
typedef struct sample_set {
	size_t n;
	float *x;            /* [SAMPLES][n] */
	double *mean, *axes; /* [n], [2][n] */
} sample_set;

/* Draws samples with a deviation of about far[0] and far[1] along two directions, and noise. missing: one value in ten
 * is missing. */
static sample_set samples_new(size_t n, const double far[2], bool missing, uint64_t *random)
{
	sample_set m = { n, calloc(SAMPLES * n, sizeof *m.x), calloc(n, sizeof *m.mean), calloc(2 * n, sizeof *m.axes) };
	double *direction = calloc(2 * n, sizeof *direction), *there = calloc(n, sizeof *there);
	for (size_t k = 0; k < 2 * n; k++)
		direction[k] = (gemp_random_unit(random) - .5) / sqrt((double)n);
	for (size_t i = 0; i < SAMPLES; i++) {
		const double a = far[0] * (gemp_random_unit(random) - .5), b = far[1] * (gemp_random_unit(random) - .5);
		for (size_t k = 0; k < n; k++) {
			const double value = 3 + a * direction[k] + b * direction[n + k] + .001 * (gemp_random_unit(random) - .5);
			const bool absent = missing && gemp_random_below(random, 10) == 0;
			m.x[i * n + k] = absent ? NAN : (float)value;
			m.mean[k] += absent ? 0 : m.x[i * n + k];
			there[k] += !absent;
		}
	}
	for (size_t k = 0; k < n; k++)
		m.mean[k] /= there[k] > 0 ? there[k] : 1;
	free(direction);
	free(there);
	return m;
}

static void samples_free(sample_set *m)
{
	free(m->x);
	free(m->mean);
	free(m->axes);
}

static double value_at(const sample_set *m, size_t i, size_t k)
{
	const double value = m->x[i * m->n + k];
	return isnan(value) ? 0 : value - m->mean[k];
}

/* Returns the distance between the covariance times a unit vector and `square` times this vector. *trace gets the trace
 * of the covariance. */
static double eigen_error(const sample_set *m, const double *axis, double square, double *trace)
{
	double *product = calloc(m->n, sizeof *product), sum = 0;
	*trace = 0;
	for (size_t i = 0; i < SAMPLES; i++) {
		double by = 0;
		for (size_t k = 0; k < m->n; k++)
			by += value_at(m, i, k) * axis[k];
		for (size_t k = 0; k < m->n; k++) {
			product[k] += by * value_at(m, i, k) / SAMPLES;
			*trace += value_at(m, i, k) * value_at(m, i, k) / SAMPLES;
		}
	}
	for (size_t k = 0; k < m->n; k++)
		sum += (product[k] - square * axis[k]) * (product[k] - square * axis[k]);
	free(product);
	return sqrt(sum);
}

/* Only every second rank has samples. */
static void find(sample_set *m, const gemp_comm *comm)
{
	const size_t ranks = ((size_t)comm->size + 1) / 2, rank = (size_t)comm->rank / 2;
	const bool empty = comm->rank % 2;
	const size_t begin = empty ? 0 : SAMPLES * rank / ranks, end = empty ? 0 : SAMPLES * (rank + 1) / ranks;
	assert_all_ok(gemp_som_principal(comm, m->x + begin * m->n, end - begin, (uint32_t)m->n, m->mean, m->axes));
}

static void check(sample_set *m, double close)
{
	const size_t n = m->n;
	double squares[2] = { 0 }, across = 0, trace;
	for (size_t k = 0; k < n; k++) {
		squares[0] += m->axes[k] * m->axes[k];
		squares[1] += m->axes[n + k] * m->axes[n + k];
		across += m->axes[k] * m->axes[n + k];
	}
	for (size_t axis = 0; axis < 2; axis++) {
		double away = eigen_error(m, m->axes + axis * n, squares[axis], &trace);
		if (!(away <= close * sqrt(squares[axis]) * trace))
			fprintf(stderr, "%zu dimensions, axis %zu: off by %g, trace %g\n", n, axis, away, trace);
		assert_all(away <= close * sqrt(squares[axis]) * trace);
	}
	assert_all(squares[0] >= squares[1] && fabs(across) <= 1e-6 * trace);
	/* the two directions have all of the variance except the variance of the noise */
	assert_all(squares[0] + squares[1] >= trace * (n <= 2 ? 1 - 1e-9 : .9));
}

static void few_and_many_dimensions(void **state)
{
	static const size_t dims[] = { 2, 3, 8, 9, 40, 1024, 1025 };
	static const double far[2] = { 5, 2 };
	uint64_t random = test_seed_all();
	(void)state;
	for (size_t k = 0; k < sizeof dims / sizeof *dims; k++) {
		sample_set m = samples_new(dims[k], far, false, &random);
		find(&m, &test_comm);
		check(&m, dims[k] > 1024 ? 1e-3 : 1e-7);
		double trace, square = 0;
		for (size_t d = 0; d < m.n; d++)
			square += m.axes[d] * m.axes[d];
		/* eigen_error() must detect an error */
		assert_all(eigen_error(&m, m.axes, 1.1 * square, &trace) > 1e-2 * trace * sqrt(square));
		samples_free(&m);
	}
}

static void values_may_be_missing(void **state)
{
	static const double far[2] = { 5, 3 };
	uint64_t random = test_seed_all();
	sample_set m = samples_new(6, far, true, &random);
	(void)state;
	find(&m, &test_comm);
	double trace, square = 0;
	for (size_t d = 0; d < m.n; d++)
		square += m.axes[d] * m.axes[d];
	assert_all(eigen_error(&m, m.axes, square, &trace) <= 1e-7 * sqrt(square) * trace);
	samples_free(&m);
}

/* Samples with one dimension, samples without any variance, and no samples. */
static void degenerate_samples(void **state)
{
	static const double one[2] = { 5, 0 };
	uint64_t random = test_seed_all();
	double mean = 4, axes[2] = { 9, 9 };
	const float same[3] = { 4, 4, 4 };
	(void)state;
	sample_set m = samples_new(1, one, false, &random);
	find(&m, &test_comm);
	assert_all(m.axes[0] > 0 && m.axes[1] == 0);
	samples_free(&m);
	assert_all_ok(gemp_som_principal(&test_comm, same, 3, 1, &mean, axes));
	assert_all(axes[0] == 0 && axes[1] == 0);
	axes[0] = axes[1] = 9;
	assert_all_ok(gemp_som_principal(&test_comm, same, 0, 1, &mean, axes));
	assert_all(axes[0] == 0 && axes[1] == 0);
}

static gemp_code find_once(void *context)
{
	sample_set *m = context;
	const size_t count = test_comm.rank == 0 ? SAMPLES : 0;
	return gemp_som_principal(&test_comm, m->x, count, (uint32_t)m->n, m->mean, m->axes);
}

static void memory_may_run_out(void **state)
{
	static const double far[2] = { 5, 2 };
	uint64_t random = test_seed_all();
	(void)state;
	for (size_t n = 9; n <= 1025; n += 1016) { /* 9 dimensions use a covariance matrix, 1025 do not */
		sample_set m = samples_new(n, far, false, &random);
		assert_all_survive_no_memory(find_once, &m);
		samples_free(&m);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_and_many_dimensions),
		cmocka_unit_test(values_may_be_missing),
		cmocka_unit_test(degenerate_samples),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
