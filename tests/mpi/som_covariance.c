/* Tests the covariance on all ranks. It is exact for whole numbers, close for other numbers, and the same to the last
 * bit for any order of the samples and any number of ranks. */
#include "harness/collective.h"

#include "core/random.h"
#include "core/status.h"
#include "som/init/pca.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SAMPLES = 300 };
static const size_t counts[] = { 0, 1, 2, 31, 32, 33, 64, MAX_SAMPLES };

/* Samples of n values each, their mean, and two covariance matrices to compare. */
typedef struct sample_set {
	size_t count, n;
	float *x;     /* [MAX_SAMPLES][n] */
	double *mean; /* [n] */
	double *matrix, *other;
} sample_set;

static sample_set samples_new(size_t count, size_t n)
{
	return (sample_set){ count,
		                 n,
		                 calloc(MAX_SAMPLES * n, sizeof(float)),
		                 calloc(n, sizeof(double)),
		                 calloc(n * n, sizeof(double)),
		                 calloc(n * n, sizeof(double)) };
}

static void samples_free(sample_set *m)
{
	free(m->x);
	free(m->mean);
	free(m->matrix);
	free(m->other);
}

/* shared: every second rank has a part of the samples; otherwise rank 0 has all samples. */
static gemp_code find(const sample_set *m, bool shared, double *matrix)
{
	const size_t ranks = ((size_t)test_comm.size + 1) / 2, rank = (size_t)test_comm.rank / 2;
	size_t begin = m->count * rank / ranks, end = m->count * (rank + 1) / ranks;
	if (!shared || test_comm.rank % 2) {
		begin = 0;
		end = test_comm.rank == 0 ? m->count : 0;
	}
	return gemp_som_covariance(&test_comm, m->x + begin * m->n, end - begin, (uint32_t)m->n, m->mean, matrix);
}

static long double expected(const sample_set *m, size_t a, size_t b)
{
	long double sum = 0;
	for (size_t i = 0; i < m->count; i++) {
		const float *row = m->x + i * m->n;
		if (isfinite(row[a]) && isfinite(row[b]))
			sum += ((long double)row[a] - m->mean[a]) * ((long double)row[b] - m->mean[b]);
	}
	return m->count > 0 ? sum / (long double)m->count : 0;
}

/* The largest error of an entry, relative to the deviations of its two columns. */
static double relative_error(const sample_set *m)
{
	double most = 0;
	for (size_t a = 0; a < m->n; a++)
		for (size_t b = 0; b < m->n; b++) {
			const double by = sqrt((double)(expected(m, a, a) * expected(m, b, b)));
			const double apart = (double)fabsl(m->matrix[a * m->n + b] - expected(m, a, b));
			most = fmax(most, by > 0 ? apart / by : apart);
		}
	return most;
}

static void whole_numbers(void **state)
{
	uint64_t random = test_seed_all();
	(void)state;
	for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
		sample_set m = samples_new(counts[c], 5);
		for (size_t k = 0; k < m.count * m.n; k++)
			m.x[k] = (float)(int64_t)gemp_random_below(&random, 2001) - 1000;
		assert_all_ok(find(&m, true, m.matrix));
		for (size_t k = 0; k < m.n * m.n; k++)
			assert_all(m.matrix[k] == (double)expected(&m, k / m.n, k % m.n));
		samples_free(&m);
	}
}

/* All values have the largest magnitude, with one sign or with both signs, so that sums need all bits of a double. */
static void greatest_values(void **state)
{
	const float most = 16777215;
	(void)state;
	for (int sign = -1; sign <= 1; sign += 2) {
		sample_set m = samples_new(MAX_SAMPLES, 2);
		for (size_t i = 0; i < MAX_SAMPLES; i++) {
			m.x[2 * i] = most;
			m.x[2 * i + 1] = (float)sign * most;
		}
		assert_all_ok(find(&m, true, m.matrix));
		assert_all(m.matrix[0] == (double)most * most && m.matrix[1] == sign * (double)most * most);
		samples_free(&m);
	}
}

/* Columns with different units of measure, far from 0, with missing values. */
static void any_numbers(void **state)
{
	static const double measure[] = { 1, 1e-20, 1e15, 3, 1e-3, 7, 1e6 }, far[] = { 0, 0, 0, 2000, 0, -1, 1e6 };
	uint64_t random = test_seed_all();
	(void)state;
	for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
		sample_set m = samples_new(counts[c], sizeof measure / sizeof *measure);
		for (size_t k = 0; k < m.count * m.n; k++) {
			const double value = pow(gemp_random_unit(&random) - .5, 3) * measure[k % m.n] + far[k % m.n];
			m.x[k] = gemp_random_below(&random, 10) == 0   ? NAN
			         : gemp_random_below(&random, 50) == 0 ? INFINITY
			                                               : (float)value;
		}
		for (size_t k = 0; k < m.n; k++)
			m.mean[k] = far[k] + measure[k] / 100;
		assert_all_ok(find(&m, true, m.matrix));
		assert_all(relative_error(&m) < 1e-6);
		if (m.count > 30) {
			m.matrix[1] *= 1 + 1e-3;
			m.matrix[8] *= 1 + 1e-3;
			assert_all(relative_error(&m) > 1e-6); /* relative_error() must detect an error */
			assert_all_ok(find(&m, true, m.matrix));
		}
		assert_all_ok(find(&m, false, m.other));
		assert_all(memcmp(m.matrix, m.other, m.n * m.n * sizeof *m.matrix) == 0);
		for (size_t i = 0; i < m.count / 2; i++)
			for (size_t k = 0; k < m.n; k++) {
				float *one = &m.x[i * m.n + k], *two = &m.x[(m.count - 1 - i) * m.n + k], first = *one;
				*one = *two;
				*two = first;
			}
		assert_all_ok(find(&m, true, m.other));
		assert_all(memcmp(m.matrix, m.other, m.n * m.n * sizeof *m.matrix) == 0);
		samples_free(&m);
	}
}

static gemp_code find_shared(void *context)
{
	const sample_set *m = context;
	return find(m, true, m->matrix);
}

static void memory_may_run_out(void **state)
{
	sample_set m = samples_new(33, 3);
	(void)state;
	assert_all_survive_no_memory(find_shared, &m);
	samples_free(&m);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_numbers),
		cmocka_unit_test(greatest_values),
		cmocka_unit_test(any_numbers),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
