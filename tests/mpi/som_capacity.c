/* Tests maps and samples that exceed the memory of a device. They are processed in parts, and the result must stay the
 * same. Also tests sums of very many samples in one unit, and that repeated trainings give the same codebook. */
#include "harness/collective.h"

#include "core/random.h"
#include "core/status.h"
#include "device/device.h"
#include "device/open.h"
#include "som/map/apply.h"
#include "som/map/search.h"
#include "som/map/smooth.h"
#include "som/map/units.h"
#include "som/train/train.h"
#include "som/train/trainer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gemp_device *device;
static size_t memory, largest; /* the device's memory and its largest buffer */

/* A training with many samples, many units or many values. */
typedef struct load {
	size_t samples; /* of all ranks */
	uint32_t rows, columns, dims;
	bool missing;
} load;

static const load loads[] = {
	{ 4001, 4, 5, 6, false },
	{ 90, 40, 31, 7, false },
	{ 700, 9, 11, 37, true },
	{ 2500, 10, 12, 5, true },
};
enum { LOADS = sizeof loads / sizeof *loads, SHARES = 5 };

/* All samples and the first codebook; this rank has the samples begin .. end - 1. */
typedef struct data {
	float *x, *w;
	size_t begin, end;
} data;

static data data_new(const load *of, bool uneven, uint64_t *random)
{
	const size_t ranks = (size_t)test_comm.size, rank = (size_t)test_comm.rank, units = (size_t)of->rows * of->columns;
	data d = { .begin = of->samples * rank / ranks, .end = of->samples * (rank + 1) / ranks };
	if (uneven) { /* some ranks have no samples */
		d.begin = rank == ranks - 1 ? of->samples / 9 : 0;
		d.end = rank == ranks - 1 ? of->samples : rank == 0 ? of->samples / 9 : 0;
	}
	d.x = malloc(of->samples * of->dims * sizeof *d.x);
	d.w = malloc(units * of->dims * sizeof *d.w);
	for (size_t k = 0; k < of->samples * of->dims; k++) {
		const float value = (float)(gemp_random_unit(random) * 2 - 1);
		d.x[k] = of->missing && gemp_random_below(random, 6) == 0 ? NAN : value;
	}
	for (size_t k = 0; k < units * of->dims; k++)
		d.w[k] = (float)(gemp_random_unit(random) * 2 - 1);
	return d;
}

static void data_free(data *d)
{
	free(d->x);
	free(d->w);
}

/* Limits the device's memory and the size of its buffers from now on. */
static void limit_memory(size_t bytes, size_t buffer)
{
	device->memory = bytes < memory ? bytes : memory;
	device->max_buffer = buffer < device->memory ? buffer : device->memory;
	device->buffer_peak = device->buffer_bytes;
}

/* The results of a training and a search. */
typedef struct answer {
	float *w, *distance;
	uint32_t *unit, *second, *end; /* best units by the first codebook; `end`: by the last codebook */
	double quantisation, topographic;
	size_t peak;
} answer;

static gemp_som_training training_of(const load *of, int kind)
{
	return (gemp_som_training){ .grid = { of->rows, of->columns,
		                                  kind % 3 == 2 ? GEMP_SOM_HEXAGONAL : GEMP_SOM_RECTANGULAR, false },
		                        .neighbourhood = kind % 2 ? GEMP_SOM_GAUSSIAN_CUT : GEMP_SOM_GAUSSIAN,
		                        .metric = GEMP_SOM_EUCLIDEAN,
		                        .online = kind / 3 % 2,
		                        .epochs = 2,
		                        .radius = 3,
		                        .radius_end = 2,
		                        .rate = .3,
		                        .rate_end = .2,
		                        .quality = true };
}

/* Collective. Trains and searches with the limits that are set, and stores the results. */
static gemp_code train_and_search(const load *of, const data *d, const gemp_som_training *how, answer *out)
{
	gemp_code code = GEMP_OK;
	const size_t values = (size_t)of->rows * of->columns * of->dims, count = d->end - d->begin;
	const float *x = d->x + d->begin * of->dims;
	gemp_som_report report = { 0 };
	gemp_som_training with = *how;
	*out = (answer){ 0 };
	out->w = malloc(values * sizeof *out->w);
	out->distance = malloc((count + 1) * sizeof *out->distance);
	out->unit = malloc((count + 1) * sizeof *out->unit);
	out->second = malloc((count + 1) * sizeof *out->second);
	out->end = malloc((count + 1) * sizeof *out->end);
	const gemp_som_places places = { .unit = out->end };
	with.places = &places;
	memcpy(out->w, d->w, values * sizeof *out->w);
	GEMP_TRY_DONE(gemp_som_train(&test_comm, device, &with, x, count, of->dims, out->w, NULL, NULL, &report));
	out->quantisation = report.epochs[1].quantisation;
	out->topographic = report.epochs[1].topographic;
	GEMP_TRY_DONE(gemp_som_apply(&test_comm, device, &how->grid, how->metric, d->w, x, count, of->dims, out->unit,
	                             out->distance, out->second, NULL));
	out->peak = device->buffer_peak;
done:
	gemp_som_report_free(&report);
	return code;
}

static void answer_free(answer *a)
{
	free(a->w);
	free(a->distance);
	free(a->unit);
	free(a->second);
	free(a->end);
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-6 * (1 + fabs(b));
}

static bool same(const answer *a, const answer *b, const load *of, size_t count)
{
	size_t others = 0;
	bool good = near(a->quantisation, b->quantisation) && near(a->topographic, b->topographic);
	for (size_t k = 0; good && k < (size_t)of->rows * of->columns * of->dims; k++)
		good = near((double)a->w[k], (double)b->w[k]);
	for (size_t i = 0; good && i < count; i++)
		good = a->unit[i] == b->unit[i] && a->second[i] == b->second[i] &&
		       (isnan(a->distance[i]) ? isnan(b->distance[i]) : near((double)a->distance[i], (double)b->distance[i]));
	for (size_t i = 0; i < count; i++) /* rounding may choose between two units that are equally near */
		others += a->end[i] != b->end[i];
	return good && others <= 2;
}

/* Collective. Trains without a limit and notes the bytes that this takes. Then trains with memory and buffers limited
 * to shares of these bytes. */
static void check(const load *of, int kind, bool uneven, uint64_t *random)
{
	static const double shares[SHARES][2] = { { 1, .3 }, { .6, 1 }, { .45, .1 }, { .3, 1 }, { .22, .08 } };
	const gemp_som_training how = training_of(of, kind);
	data d = data_new(of, uneven, random);
	const size_t count = d.end - d.begin;
	answer whole, parts;
	int fewer = 0;
	limit_memory(memory, largest);
	const size_t held = device->buffer_bytes;
	assert_all_ok(train_and_search(of, &d, &how, &whole));
	for (int k = 0; k < SHARES; k++) {
		const size_t all = (whole.peak - held) * 17 / 16 + 65536;
		limit_memory(held + (size_t)((double)all * shares[k][0]), (size_t)((double)all * shares[k][1]));
		const size_t allowed = device->memory;
		const gemp_code code = train_and_search(of, &d, &how, &parts);
		if (code == GEMP_OK) {
			fewer++;
			assert_all(parts.peak <= allowed);
			assert_all(same(&parts, &whole, of, count));
			parts.w[0] += 1e-3f;
			assert_all(!same(&parts, &whole, of, count));
		} else {
			assert_all(code == GEMP_ENOMEM && strstr(gemp_message(), "device-memory"));
		}
		answer_free(&parts);
	}
	if (test_comm.rank == 0)
		printf("%zu samples of %u values on %u x %u, kind %d: %zu bytes; %d of %d shares of them are enough\n",
		       of->samples, of->dims, of->rows, of->columns, kind, whole.peak - held, fewer, SHARES);
	assert_all(fewer >= SHARES - 1);
	limit_memory(memory, largest);
	answer_free(&whole);
	data_free(&d);
}

static void parts_give_the_same_result(void **state)
{
	uint64_t random = test_seed_all();
	(void)state;
	for (int k = 0; k < LOADS; k++) {
		const int online = (k + test_comm.size) % 2;
		check(&loads[k], k % 3 + 3 * online, k % 2, &random);
	}
}

/* So many samples have the same unit that a sum in floats would lose the small bits of each sample. */
static void many_in_one_unit(void **state)
{
	const gemp_som_training how = { .grid = { 1, 3, GEMP_SOM_RECTANGULAR, false },
		                            .neighbourhood = GEMP_SOM_BUBBLE,
		                            .epochs = 1,
		                            .radius = .5,
		                            .radius_end = .5 };
	const size_t all = device->gpu ? (1 << 24) + (1 << 16) : 1 << 21, count = test_comm.rank == 0 ? all : 0;
	uint64_t random = test_seed_all();
	float *x = malloc((count + 1) * sizeof *x), w[3] = { -1, 1e4f, 3e4f };
	double sum[3] = { 0 }, there[3] = { 0 };
	(void)state;
	for (size_t i = 0; i < count; i++) {
		const int unit = i % 1000 == 7 ? 0 : i % 1000 == 8 ? 2 : 1;
		x[i] = (float)(w[unit] + (float)gemp_random_unit(&random));
		sum[unit] += (double)x[i];
		there[unit]++;
	}
	assert_all_ok(gemp_som_train(&test_comm, device, &how, x, count, 1, w, NULL, NULL, NULL));
	for (int unit = 0; unit < 3; unit++) {
		const double mean = sum[unit] / there[unit];
		assert_all(test_comm.rank > 0 || fabs((double)w[unit] - mean) <= 2e-7 * (1 + fabs(mean)));
	}
	free(x);
}

/* Repeated trainings must give the same result. */
static void runs_are_reproducible(void **state)
{
	const load of = { 3000, 7, 9, 4, false };
	const gemp_som_training how = training_of(&of, 0);
	uint64_t random = test_seed_all();
	data d = data_new(&of, false, &random);
	answer first, again;
	(void)state;
	assert_all_ok(train_and_search(&of, &d, &how, &first));
	for (int turn = 0; turn < 5; turn++) {
		assert_all_ok(train_and_search(&of, &d, &how, &again));
		assert_all(memcmp(first.w, again.w, (size_t)of.rows * of.columns * of.dims * sizeof *first.w) == 0);
		answer_free(&again);
	}
	answer_free(&first);
	data_free(&d);
}

static void open_device(void **state)
{
	(void)state;
	assert_all_ok(gemp_device_open(&device, NULL, test_comm.node_rank, test_comm.node_size, 0));
	/* Sums of errors take memory for each core. With many cores they would take most of the limited memory. */
	if (!device->gpu && device->units > 2)
		device->units = 2;
	memory = device->memory;
	largest = device->max_buffer;
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
		cmocka_unit_test(open_device),      cmocka_unit_test(parts_give_the_same_result),
		cmocka_unit_test(many_in_one_unit), cmocka_unit_test(runs_are_reproducible),
		cmocka_unit_test(close_device),
	};
	return test_main_all(argc, argv, tests);
}
