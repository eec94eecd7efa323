/* Tests the first codebooks of self-organising maps, the U-matrix, hits, and the units of samples, on all ranks. */
#include "harness/som_vectors.h"

#include "comm/comm.h"
#include "core/status.h"
#include "device/device.h"
#include "device/open.h"
#include "som/init/init_codebook.h"
#include "som/map/apply.h"
#include "som/map/search.h"
#include "som/map/units.h"

#include <string.h>

static gemp_device *device;

/* STARTS */

/* Collective. The first codebook on all ranks must be that on one rank alone: exactly if it is random, and up to
 * rounding if it comes from samples or principal components. */
static void starts_are_the_same(void **state)
{
	uint64_t random = test_seed_all(), seed = random;
	const gemp_som_grid grid = { 4, 7, GEMP_SOM_RECTANGULAR, false };
	gemp_comm alone;
	(void)state;
	gemp_comm_new(&alone, MPI_COMM_SELF);
	for (int split = 0; split < SPLITS; split++) {
		vectors v = vectors_new(50, 4, 28, GEMP_SOM_EUCLIDEAN, true, split, &random);
		float all[28 * 4], one[28 * 4];
		double expected[28 * 4];
		const size_t count = v.end - v.begin;
		assert_all_ok(gemp_som_init_random(&test_comm, &grid, own(&v), count, 4, seed, all));
		assert_all_ok(gemp_som_init_random(&alone, &grid, v.x, 50, 4, seed, one));
		assert_all(memcmp(all, one, sizeof all) == 0);
		assert_all(all[0] >= -1 && all[0] <= 1 && all[0] != all[4]);
		for (int kind = 0; kind < 2; kind++) {
			if (kind == 0) {
				assert_all_ok(gemp_som_init_samples(&test_comm, &grid, own(&v), count, 4, seed, all));
				assert_all_ok(gemp_som_init_samples(&alone, &grid, v.x, 50, 4, seed, one));
			} else {
				assert_all_ok(gemp_som_init_pca(&test_comm, &grid, own(&v), count, 4, all));
				assert_all_ok(gemp_som_init_pca(&alone, &grid, v.x, 50, 4, one));
			}
			for (size_t k = 0; k < 28 * 4; k++)
				expected[k] = one[k];
			assert_all(is_near(all, expected, 28 * 4));
		}
		vectors_free(&v);
	}
	float none[28 * 4];
	assert_all_code(gemp_som_init_samples(&test_comm, &grid, none, 0, 4, seed, none), GEMP_EDATA);
	assert_all_ok(gemp_som_init_pca(&test_comm, &grid, none, 0, 4, none));
	gemp_comm_free(&alone);
}

/* The vector from one border to the opposite border must be four deviations along an eigenvector of the covariance. */
static void pca_is_principal(void **state)
{
	enum { COUNT = 200, DIMS = 3 };
	static const double shape[DIMS][2] = { { 3, .1 }, { -1, 1 }, { .5, .6 } };
	uint64_t random = test_seed_all();
	const gemp_som_grid grid = { 3, 5, GEMP_SOM_RECTANGULAR, false };
	float x[COUNT * DIMS], w[15 * DIMS];
	double mean_of[DIMS] = { 0 }, matrix[DIMS][DIMS] = { { 0 } };
	(void)state;
	for (int i = 0; i < COUNT; i++) {
		const double a = gemp_random_unit(&random) - .5, b = gemp_random_unit(&random) - .5;
		for (int d = 0; d < DIMS; d++) {
			x[i * DIMS + d] = (float)(7 + a * shape[d][0] + b * shape[d][1] + .01 * gemp_random_unit(&random));
			mean_of[d] += x[i * DIMS + d] / (double)COUNT;
		}
	}
	for (int i = 0; i < COUNT; i++)
		for (int a = 0; a < DIMS; a++)
			for (int b = 0; b < DIMS; b++)
				matrix[a][b] += (x[i * DIMS + a] - mean_of[a]) * (x[i * DIMS + b] - mean_of[b]) / COUNT;
	assert_all_ok(gemp_som_init_pca(&test_comm, &grid, x, test_comm.rank == 0 ? COUNT : 0, DIMS, w));
	double value[2];
	for (int axis = 0; axis < 2; axis++) {
		const int from = axis ? 2 : 5, to = axis ? 12 : 9; /* units in the middle of two opposite borders */
		double v[DIMS], square = 0, off = 0;
		for (int d = 0; d < DIMS; d++) {
			v[d] = (w[to * DIMS + d] - w[from * DIMS + d]) / 4; /* v is one deviation */
			square += v[d] * v[d];
		}
		value[axis] = square;
		for (int a = 0; a < DIMS; a++) {
			double product = 0;
			for (int b = 0; b < DIMS; b++)
				product += matrix[a][b] * v[b];
			off += fabs(product - square * v[a]);
		}
		assert_all(off < 1e-4);
	}
	/* the two values are nearly the whole trace, because the third component is small */
	assert_all(value[0] > value[1] && fabs(matrix[0][0] + matrix[1][1] + matrix[2][2] - value[0] - value[1]) < .001);
}

/* QUALITIES */

static void umatrix_and_hits(void **state)
{
	const gemp_som_grid grid = { 2, 2, GEMP_SOM_RECTANGULAR, false }, one = { 1, 1, GEMP_SOM_RECTANGULAR, true };
	const float w[] = { 0, 0, 3, 4, 0, 1, 3, 5 };
	const uint32_t unit[] = { 1, 1, 3, GEMP_SOM_NO_UNIT };
	double out[4];
	uint64_t hits[4];
	(void)state;
	gemp_som_umatrix(&grid, w, 2, out);
	assert_all(same(out[0], 3) && same(out[1], 3) && same(out[2], 3) && same(out[3], 3)); /* (5 + 1) / 2 */
	gemp_som_umatrix(&one, w, 2, out);
	assert_all(out[0] == 0);
	gemp_som_hits(&test_comm, &grid, unit, 4, hits);
	const uint64_t ranks = (uint64_t)test_comm.size;
	assert_all(hits[0] == 0 && hits[1] == 2 * ranks && hits[2] == 0 && hits[3] == ranks);
}

static void units_of_samples(void **state)
{
	uint64_t random = test_seed_all();
	const gemp_som_grid grid = { 5, 6, GEMP_SOM_HEXAGONAL, false };
	(void)state;
	for (int split = 0; split < SPLITS; split++) {
		vectors v = vectors_new(60, 4, 30, GEMP_SOM_MANHATTAN, true, split, &random);
		uint32_t unit[60], second[60];
		float distance[60];
		assert_all_ok(gemp_som_apply(&test_comm, device, &grid, GEMP_SOM_MANHATTAN, v.w, own(&v), v.end - v.begin, 4,
		                             unit, distance, second, NULL));
		bool right = true;
		for (size_t i = v.begin; i < v.end; i++)
			right = right && unit[i - v.begin] == v.unit[i] && second[i - v.begin] == v.second[i] &&
			        same(distance[i - v.begin], v.distance[i]);
		assert_all(right);
		vectors_free(&v);
	}
}

static void open_device(void **state)
{
	(void)state;
	assert_all_ok(gemp_device_open(&device, "cpu", test_comm.node_rank, test_comm.node_size, 0));
}

static void close_device(void **state)
{
	(void)state;
	assert_all(device->buffer_bytes == 0);
	gemp_device_close(device);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_device),      cmocka_unit_test(starts_are_the_same), cmocka_unit_test(pca_is_principal),
		cmocka_unit_test(umatrix_and_hits), cmocka_unit_test(units_of_samples),    cmocka_unit_test(close_device),
	};
	return test_main_all(argc, argv, tests);
}
