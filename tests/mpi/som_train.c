/* Tests epochs of self-organising maps on all ranks. The results must agree with their definitions in double
 * precision. */
#include "harness/som_vectors.h"

#include "comm/comm.h"
#include "core/status.h"
#include "device/device.h"
#include "device/open.h"
#include "harness/limits.h"
#include "som/map/apply.h"
#include "som/map/search.h"
#include "som/map/smooth.h"
#include "som/map/units.h"
#include "som/train/train.h"
#include "som/train/trainer.h"

#include <string.h>

static gemp_device *device;

static double topographic_error(const vectors *v, const som_reference_map *map)
{
	double *apart = calloc(v->count + 1, sizeof *apart);
	for (size_t i = 0; i < v->count; i++)
		apart[i] = v->unit[i] != SOM_REFERENCE_NONE &&
		           som_reference_apart(map, v->unit[i], v->second[i]) > (map->hexagonal ? 1.2 : 1.5);
	double share = mean(apart, v->unit, v->count);
	free(apart);
	return share;
}

static som_reference_map map_of(const gemp_som_grid *grid)
{
	return (som_reference_map){ grid->rows, grid->columns, grid->lattice == GEMP_SOM_HEXAGONAL, grid->toroid };
}

/* Collective. Trains and checks one epoch. */

static void check_epoch(const gemp_som_training *how, size_t count, uint32_t dims, bool missing, int split,
                        uint64_t *random)
{
	const som_reference_map map = map_of(&how->grid);
	const som_reference_near near = (som_reference_near)how->neighbourhood;
	vectors v = vectors_new(count, dims, gemp_som_units(&how->grid), how->metric, missing, split, random);
	const size_t values = (size_t)v.units * dims;
	gemp_som_report report;
	if (how->online)
		som_reference_online(&map, near, how->radius, how->rate, v.x, count, dims, v.unit, v.book);
	else
		som_reference_batch(&map, near, how->radius, v.x, count, dims, v.unit, v.book);
	assert_all_ok(gemp_som_train(&test_comm, device, how, own(&v), v.end - v.begin, dims, v.w, NULL, NULL, &report));
	assert_all(report.count == 1 && !report.stopped);
	assert_all(how->exchange == GEMP_SOM_EXCHANGE_AUTO ||
	           report.units == (how->exchange == GEMP_SOM_EXCHANGE_UNITS && test_comm.size > 1));
	if (how->quality) {
		assert_all(same(report.epochs[0].quantisation, mean(v.distance, v.unit, count)));
		assert_all(same(report.epochs[0].topographic, topographic_error(&v, &map)));
	}
	bool right = is_near(v.w, v.book, values);
	if (!right)
		fprintf(stderr,
		        "grid %u x %u, lattice %d, toroid %d, neighbourhood %d, online %d, missing %d, split %d, exchange %d\n",
		        how->grid.rows, how->grid.columns, (int)how->grid.lattice, how->grid.toroid, (int)near, how->online,
		        missing, split, (int)how->exchange);
	assert_all(right);
	v.w[gemp_random_below(random, values)] += 1e-3f;
	assert_all(!is_near(v.w, v.book, values));
	gemp_som_report_free(&report);
	vectors_free(&v);
}

/* Maps of 6 x 9 units. Each kind compiles its own kernels, so there are few kinds; tests/kernels/som_smooth.c and
 * som_online.c try more shapes. */
typedef struct kind {
	gemp_som_lattice lattice;
	bool toroid;
	gemp_som_neighbourhood neighbourhood;
	gemp_som_metric metric;
	bool online, missing, quality;
	uint32_t dims;
} kind;

static const kind kinds[] = {
	{ GEMP_SOM_RECTANGULAR, false, GEMP_SOM_GAUSSIAN, GEMP_SOM_EUCLIDEAN, false, false, true, 3 },
	{ GEMP_SOM_RECTANGULAR, true, GEMP_SOM_SQUARE, GEMP_SOM_EUCLIDEAN, false, true, true, 11 },
	{ GEMP_SOM_HEXAGONAL, true, GEMP_SOM_BUBBLE, GEMP_SOM_COSINE, false, true, true, 3 },
	{ GEMP_SOM_HEXAGONAL, false, GEMP_SOM_GAUSSIAN, GEMP_SOM_MANHATTAN, false, false, true, 3 },
	{ GEMP_SOM_RECTANGULAR, false, GEMP_SOM_GAUSSIAN, GEMP_SOM_EUCLIDEAN, true, false, true, 3 },
	{ GEMP_SOM_HEXAGONAL, true, GEMP_SOM_BUBBLE, GEMP_SOM_EUCLIDEAN, true, true, true, 11 },
};

/* the plain kinds are 0 for batch training and ONLINE for online training */
enum { KINDS = sizeof kinds / sizeof *kinds, ONLINE = 4 };

static gemp_som_training training_of(int which)
{
	const kind *k = &kinds[which];
	return (gemp_som_training){ .grid = { 6, 9, k->lattice, k->toroid },
		                        .neighbourhood = k->neighbourhood,
		                        .online = k->online,
		                        .metric = k->metric,
		                        .epochs = 1,
		                        .radius = 2.4,
		                        .radius_end = 1,
		                        .rate = .3,
		                        .rate_end = .1,
		                        .quality = k->quality };
}

static const gemp_som_exchange exchange[] = { GEMP_SOM_EXCHANGE_SUMS, GEMP_SOM_EXCHANGE_UNITS };

/* The number of exchanges to test: one rank alone exchanges nothing. */
static int exchanges(void)
{
	return test_comm.size > 1 ? 2 : 1;
}

/* little: few units are composed at a time, few samples are copied at a time, and planes lie in memory that is not
 * page-locked. Otherwise the defaults apply. */
static void use_small_limits(bool little)
{
	TEST_LIMIT(som_compose_floats, little ? 100 : gemp_limits_default.som_compose_floats);
	TEST_LIMIT(som_replicas_chunk, little ? 100 : gemp_limits_default.som_replicas_chunk);
	TEST_LIMIT(som_locked_max, little ? 0 : gemp_limits_default.som_locked_max);
}

static void single_epochs(void **state)
{
	uint64_t random = test_seed_all();
	(void)state;
	for (int which = 0; which < KINDS; which++)
		for (int split = 0; split < SPLITS; split++) {
			use_small_limits(split == SPLIT_EVENLY);
			for (int k = 0; k < exchanges(); k++) {
				gemp_som_training how = training_of(which);
				how.exchange = exchange[k];
				check_epoch(&how, 120, kinds[which].dims, kinds[which].missing, split, &random);
			}
		}
	use_small_limits(false);
}

static void few_samples(void **state)
{
	uint64_t random = test_seed_all();
	(void)state;
	for (int online = 0; online < 2; online++) {
		gemp_som_training how = training_of(ONLINE * online);
		for (int k = 0; k < exchanges(); k++) {
			how.exchange = exchange[k];
			check_epoch(&how, 0, 3, false, SPLIT_EVENLY, &random);
			check_epoch(&how, 1, 3, false, SPLIT_EVENLY, &random);
		}
	}
}

/* A sample without any value must change nothing if it is the only sample. */
static void no_values(void **state)
{
	static const float nothing[] = { NAN, NAN, NAN };
	(void)state;
	for (int online = 0; online < 2; online++) {
		gemp_som_training how = training_of(ONLINE * online);
		float w[54 * 3] = { 1, 2, 3, 4 }, before[54 * 3];
		memcpy(before, w, sizeof w);
		assert_all_ok(gemp_som_train(&test_comm, device, &how, nothing, test_comm.rank == 0, 3, w, NULL, NULL, NULL));
		assert_all(memcmp(before, w, sizeof w) == 0);
	}
}

/* Ranks must exchange best units if the copies of samples and the keys of all epochs have fewer bytes than the sums of
 * all epochs. The sums of an epoch are 54 units in 4 planes, 4 bytes each. */
static void smaller_exchange_is_chosen(void **state)
{
	uint64_t random = test_seed_all();
	gemp_som_training how = training_of(0);
	(void)state;
	for (int turn = 0; turn < 4; turn++) {
		const size_t count = turn < 2 ? 60 : 120;
		/* 60 samples are 720 bytes of copies; an epoch has 480 bytes of keys or 864 bytes of sums */
		how.epochs = turn % 2 ? 3 : 1;
		vectors v = vectors_new(count, 3, gemp_som_units(&how.grid), how.metric, false, SPLIT_EVENLY, &random);
		gemp_som_report report;
		assert_all_ok(gemp_som_train(&test_comm, device, &how, own(&v), v.end - v.begin, 3, v.w, NULL, NULL, &report));
		assert_all(report.units == (turn == 1 && test_comm.size > 1));
		gemp_som_report_free(&report);
		how.online = true; /* online training has a quarter of the samples, but their keys count four times */
		assert_all_ok(
			gemp_som_train(&test_comm, device, &how, own(&v), (v.end - v.begin) / 4, 3, v.w, NULL, NULL, &report));
		assert_all(report.units == (turn < 2 && test_comm.size > 1 && test_comm.size <= 6)); /* each rank needs a row */
		gemp_som_report_free(&report);
		how.online = false;
		vectors_free(&v);
	}
}

/* SEVERAL EPOCHS */

/* Trains by the reference, which finds its own best units in each epoch, and returns the mean distance at the end. */
static double train_by_reference(const gemp_som_training *how, vectors *v)
{
	const som_reference_map map = map_of(&how->grid);
	const som_reference_near near = (som_reference_near)how->neighbourhood;
	const som_reference_metric metric = (som_reference_metric)how->metric;
	for (uint32_t e = 0; e < how->epochs; e++) {
		const double part = e / (how->epochs - 1.0), radius = how->radius + (how->radius_end - how->radius) * part;
		som_reference_search(metric, v->x, v->count, v->book, v->units, v->dims, v->unit, NULL, NULL);
		if (how->online)
			som_reference_online(&map, near, radius, how->rate + (how->rate_end - how->rate) * part, v->x, v->count,
			                     v->dims, v->unit, v->book);
		else
			som_reference_batch(&map, near, radius, v->x, v->count, v->dims, v->unit, v->book);
	}
	som_reference_search(metric, v->x, v->count, v->book, v->units, v->dims, v->unit, v->distance, v->second);
	return mean(v->distance, v->unit, v->count);
}

static double quantisation_error(const vectors *v, gemp_som_metric metric)
{
	double *book = calloc((size_t)v->units * v->dims, sizeof *book), *distance = calloc(v->count, sizeof *distance);
	uint32_t *unit = calloc(v->count, sizeof *unit);
	for (size_t k = 0; k < (size_t)v->units * v->dims; k++)
		book[k] = v->w[k];
	som_reference_search((som_reference_metric)metric, v->x, v->count, book, v->units, v->dims, unit, distance, NULL);
	double error = mean(distance, unit, v->count);
	free(book);
	free(distance);
	free(unit);
	return error;
}

static void whole_trainings(void **state)
{
	uint64_t random = test_seed_all();
	(void)state;
	for (int turn = 0; turn < 2 * exchanges(); turn++) {
		const int online = turn % 2;
		gemp_som_training how = training_of(ONLINE * online);
		how.exchange = exchange[turn / 2];
		how.epochs = 8;
		how.radius_end = 1.5;
		how.quality = false;
		vectors v = vectors_new(150, 3, gemp_som_units(&how.grid), how.metric, false, SPLIT_EVENLY, &random);
		const size_t values = (size_t)v.units * v.dims;
		float *parts = malloc(values * sizeof *parts);
		memcpy(parts, v.w, values * sizeof *parts);
		assert_all_ok(gemp_som_train(&test_comm, device, &how, own(&v), v.end - v.begin, 3, v.w, NULL, NULL, NULL));
		const double error = train_by_reference(&how, &v), found = quantisation_error(&v, how.metric);
		if (test_comm.rank == 0)
			printf("online %d: mean distance %.6f, of the reference %.6f\n", online, found, error);
		assert_all(fabs(found - error) < .02 * error);
		/* epochs that are run one by one must give nearly the same mean distance */
		for (how.epochs = 8, how.from = 0; how.from < 8; how.from++) {
			gemp_som_training one = how;
			one.epochs = 1;
			one.from = 0;
			one.radius = gemp_som_radius(&how, how.from);
			one.rate = gemp_som_rate(&how, how.from);
			assert_all_ok(
				gemp_som_train(&test_comm, device, &one, own(&v), v.end - v.begin, 3, parts, NULL, NULL, NULL));
		}
		for (size_t k = 0; k < values; k++)
			v.book[k] = parts[k];
		assert_all(fabs(quantisation_error(&v, how.metric) - error) < .02 * error);
		free(parts);
		vectors_free(&v);
	}
}

/* Ranks that exchange best units must have the same map as one rank alone, to the last bit. */
static void any_number_of_ranks(void **state)
{
	uint64_t random = test_seed_all();
	gemp_comm alone;
	(void)state;
	gemp_comm_new(&alone, MPI_COMM_SELF);
	for (int turn = 0; turn < 2 * KINDS; turn++) {
		const int which = turn / 2;
		const uint32_t dims = kinds[which].dims;
		gemp_som_training how = training_of(which);
		how.epochs = 3;
		how.exchange = GEMP_SOM_EXCHANGE_UNITS;
		vectors v = vectors_new(130, dims, gemp_som_units(&how.grid), how.metric, kinds[which].missing, which % SPLITS,
		                        &random);
		const size_t bytes = (size_t)v.units * dims * sizeof *v.w;
		float *w = malloc(bytes);
		memcpy(w, v.w, bytes);
		if (turn % 2)
			v.x[7] = NAN; /* a missing value, possibly on one rank only */
		assert_all_ok(gemp_som_train(&alone, device, &how, v.x, v.count, dims, w, NULL, NULL, NULL));
		assert_all(memcmp(w, v.w, bytes) != 0);
		assert_all_ok(gemp_som_train(&test_comm, device, &how, own(&v), v.end - v.begin, dims, v.w, NULL, NULL, NULL));
		assert_all(memcmp(w, v.w, bytes) == 0);
		free(w);
		vectors_free(&v);
	}
	gemp_comm_free(&alone);
}

/* The units of samples after the training must be the best units by the returned codebook. */
static void final_units(void **state)
{
	uint64_t random = test_seed_all();
	(void)state;
	for (int quality = 0; quality < 2; quality++) {
		gemp_som_training how = training_of(0);
		how.epochs = 3;
		how.quality = quality;
		vectors v = vectors_new(70, 3, gemp_som_units(&how.grid), how.metric, false, quality, &random);
		const size_t count = v.end - v.begin;
		uint32_t unit[70], second[70];
		float distance[70];
		bool right = true;
		how.places = &(gemp_som_places){ unit, second, distance };
		assert_all_ok(gemp_som_train(&test_comm, device, &how, own(&v), count, 3, v.w, NULL, NULL, NULL));
		for (size_t k = 0; k < (size_t)v.units * 3; k++)
			v.book[k] = v.w[k];
		som_reference_search((som_reference_metric)how.metric, v.x, v.count, v.book, v.units, 3, v.unit, v.distance,
		                     v.second);
		for (size_t i = 0; i < count; i++) {
			const float *x = own(&v) + i * 3;
			const double here = som_reference_distance((som_reference_metric)how.metric, x, v.book + unit[i] * 3, 3);
			const double next = som_reference_distance((som_reference_metric)how.metric, x, v.book + second[i] * 3, 3);
			const double least = v.distance[v.begin + i];
			const double least_next = som_reference_distance((som_reference_metric)how.metric, x,
			                                                 v.book + v.second[v.begin + i] * 3, 3);
			right = right && unit[i] != second[i] && same(here, distance[i]) && same(here, least) &&
			        same(next, least_next);
		}
		assert_all(right);
		vectors_free(&v);
	}
}

/* CALLBACKS */

typedef struct listener {
	uint32_t calls, books, next, stop_at; /* next: the epoch of the next call */
	gemp_code fails;
} listener;

static gemp_code listen(void *context, const gemp_som_epoch *done, const gemp_som_codebook *book, bool *stop)
{
	listener *it = context;
	it->calls++;
	it->books += book != NULL;
	if (done->epoch != it->next++ || (book && book->units != 54))
		return gemp_fail(GEMP_EINTERNAL, "not the epoch, or not the codebook");
	if (test_comm.rank == test_comm.size - 1 && done->epoch == it->stop_at) {
		*stop = true;
		return it->fails ? gemp_fail(it->fails, "the last rank does not want to") : GEMP_OK;
	}
	return GEMP_OK;
}

static void callbacks(void **state)
{
	uint64_t random = test_seed_all();
	gemp_som_training how = training_of(0);
	gemp_som_report report;
	vectors v = vectors_new(40, 3, gemp_som_units(&how.grid), how.metric, false, SPLIT_EVENLY, &random);
	listener heard = { .next = 2, .stop_at = 4 };
	(void)state;
	how.epochs = 9;
	how.from = 2;
	how.snapshot_every = 1;
	assert_all_ok(gemp_som_train(&test_comm, device, &how, own(&v), v.end - v.begin, 3, v.w, listen, &heard, &report));
	assert_all(heard.calls == 3 && heard.books == 3 && report.count == 3 && report.stopped &&
	           report.epochs[2].epoch == 4);
	assert_all(same(report.epochs[2].radius, 2.4 - 1.4 * 4 / 8));
	gemp_som_report_free(&report);
	heard = (listener){ .next = 2, .stop_at = 3, .fails = GEMP_EIO };
	assert_all_code(gemp_som_train(&test_comm, device, &how, own(&v), v.end - v.begin, 3, v.w, listen, &heard, &report),
	                GEMP_EIO);
	assert_all(heard.calls == 2 && report.epochs == NULL);
	how.snapshot_every = 0;
	heard = (listener){ .next = 2, .stop_at = 3, .fails = GEMP_EIO };
	assert_all_code(gemp_som_train(&test_comm, device, &how, own(&v), v.end - v.begin, 3, v.w, listen, &heard, &report),
	                GEMP_EIO);
	how.radius = 0;
	assert_all_code(gemp_som_train(&test_comm, device, &how, own(&v), v.end - v.begin, 3, v.w, NULL, NULL, NULL),
	                GEMP_EUSAGE);
	vectors_free(&v);
}

/* Epochs that were enqueued ahead must be reported in order, and each epoch with its own errors. Only every settle-th
 * epoch must come with its codebook. */
typedef struct keeper {
	uint32_t next, settle, stop_at;
	float *books; /* the codebooks of every settle-th epoch, in order */
	uint32_t kept;
	size_t values;
} keeper;

static gemp_code keep(void *context, const gemp_som_epoch *done, const gemp_som_codebook *book, bool *stop)
{
	keeper *it = context;
	if (done->epoch != it->next++ || (book != NULL) != ((done->epoch + 1) % it->settle == 0))
		return gemp_fail(GEMP_EINTERNAL, "not the epoch, or a codebook at another one");
	*stop = done->epoch == it->stop_at;
	return book ? gemp_som_codebook_read(book, it->books + it->kept++ * it->values) : GEMP_OK;
}

static void epochs_ahead(void **state)
{
	enum { EPOCHS = 90, SETTLE = 40 };
	uint64_t random = test_seed_all();
	gemp_som_training how = training_of(0);
	how.epochs = EPOCHS;
	how.snapshot_every = SETTLE;
	how.quality = true;
	vectors v = vectors_new(40, 3, gemp_som_units(&how.grid), how.metric, false, SPLIT_EVENLY, &random);
	const size_t values = (size_t)v.units * 3;
	const size_t count = v.end - v.begin;
	const som_reference_map map = map_of(&how.grid);
	float *w = malloc(values * sizeof *w), *books = malloc(3 * values * sizeof *books);
	gemp_som_report report, one;
	(void)state;
	memcpy(w, v.w, values * sizeof *w);
	keeper kept = { .settle = SETTLE, .stop_at = EPOCHS, .books = books, .values = values };
	assert_all_ok(gemp_som_train(&test_comm, device, &how, own(&v), count, 3, w, keep, &kept, &report));
	assert_all(kept.next == EPOCHS && kept.kept == EPOCHS / SETTLE && report.count == EPOCHS && !report.stopped);
	for (uint32_t e = 0; e < EPOCHS; e++) { /* epochs are run one by one; only the last bits of sums may differ */
		gemp_som_training step = how;
		step.epochs = 1;
		step.radius = gemp_som_radius(&how, e);
		assert_all_ok(gemp_som_train(&test_comm, device, &step, own(&v), count, 3, v.w, NULL, NULL, &one));
		assert_all(fabs(one.epochs[0].quantisation - report.epochs[e].quantisation) < 1e-4);
		gemp_som_report_free(&one);
		for (size_t k = 0; (e + 1) % SETTLE == 0 && k < values; k++)
			assert_all(fabsf(v.w[k] - books[((e + 1) / SETTLE - 1) * values + k]) < 1e-4f);
	}
	for (size_t k = 0; k < values; k++)
		v.book[k] = v.w[k];
	som_reference_search((som_reference_metric)how.metric, v.x, v.count, v.book, v.units, 3, v.unit, v.distance,
	                     v.second);
	gemp_som_report_free(&report);
	how.from = EPOCHS - 1; /* runs only the last epoch, on the trained codebook */
	how.snapshot_every = 0;
	assert_all_ok(gemp_som_train(&test_comm, device, &how, own(&v), count, 3, v.w, NULL, NULL, &report));
	assert_all(same(report.epochs[0].quantisation, mean(v.distance, v.unit, v.count)));
	assert_all(same(report.epochs[0].topographic, topographic_error(&v, &map)));
	gemp_som_report_free(&report);
	how.from = 0; /* the callback stops the training */
	kept = (keeper){ .settle = EPOCHS, .stop_at = 20 };
	assert_all_ok(gemp_som_train(&test_comm, device, &how, own(&v), count, 3, v.w, keep, &kept, &report));
	assert_all(report.stopped && kept.next == report.count && report.count > 20 && report.count < EPOCHS);
	gemp_som_report_free(&report);
	free(w);
	free(books);
	vectors_free(&v);
}

/* MEMORY */

static gemp_code train_once(void *self)
{
	const gemp_som_training *how = self;
	static const float x[] = { 1, 2, 3, 4, NAN, 6 };
	float w[54 * 3] = { 0 };
	return gemp_som_train(&test_comm, device, how, x, 2, 3, w, NULL, NULL, NULL);
}

static void memory_may_run_out(void **state)
{
	(void)state;
	for (int online = 0; online < 2; online++) {
		gemp_som_training how = training_of(ONLINE * online);
		how.quality = true;
		for (int k = 0; k < exchanges(); k++) {
			how.exchange = exchange[k];
			assert_all_ok(train_once(&how)); /* the first call allocates what is never freed, such as programs */
			assert_all_survive_no_memory(train_once, &how);
		}
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
		cmocka_unit_test(open_device),         cmocka_unit_test(single_epochs),
		cmocka_unit_test(few_samples),         cmocka_unit_test(smaller_exchange_is_chosen),
		cmocka_unit_test(no_values),           cmocka_unit_test(whole_trainings),
		cmocka_unit_test(any_number_of_ranks), cmocka_unit_test(final_units),
		cmocka_unit_test(callbacks),           cmocka_unit_test(epochs_ahead),
		cmocka_unit_test(memory_may_run_out),  cmocka_unit_test(close_device),
	};
	return test_main_all(argc, argv, tests);
}
