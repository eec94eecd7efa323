/* som_search: measures the search for best-matching units alone.
 *
 *     bench_som_search VECTORS DIMENSIONS UNITS [METRIC [FORM [GROUP SAMPLES SHAPE_UNITS CHUNK]]]
 *
 * METRIC 0 to 2 is that of include/gemp/types.h. FORM 0 to 3, GROUP, SAMPLES, SHAPE_UNITS and CHUNK are the fields of
 * gemp_som_search_shape (src/som/map/search.h); 0 takes the default. Values are random. Prints one line: the least and
 * the median seconds by the device's clock of eleven searches, or of fewer searches if these take two seconds;
 * multiplications and additions per second of the fastest search; and the mean index of the units found. */
#include "core/memory.h"
#include "core/random.h"
#include "core/status.h"
#include "device/device.h"
#include "device/launch.h"
#include "device/open.h"
#include "som/map/samples.h"
#include "som/map/search.h"
#include "som/map/units.h"

#include <stdio.h>
#include <stdlib.h>

enum { TURNS = 11 };
static const double ENOUGH = 2; /* seconds of measurement */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static uint32_t argument(int argc, char **argv, int at, uint32_t otherwise)
{
	return at < argc ? (uint32_t)strtoul(argv[at], NULL, 10) : otherwise;
}

static gemp_code draw(float **out, size_t count, uint64_t *random)
{
	gemp_code code = GEMP_NEW(*out, count);
	for (size_t k = 0; code == GEMP_OK && k < count; k++)
		(*out)[k] = (float)gemp_random_unit(random);
	return code;
}

static gemp_code mean_unit(double *out, const gemp_buffer *best, gemp_device *device, size_t count)
{
	uint64_t *keys = NULL;
	gemp_code code = GEMP_NEW(keys, count);
	if (code == GEMP_OK)
		code = gemp_buffer_read(device, best, 0, count * sizeof *keys, keys);
	*out = 0;
	for (size_t i = 0; code == GEMP_OK && i < count; i++)
		*out += (double)gemp_som_key_unit(keys[i]) / (double)count;
	gemp_free(keys);
	return code;
}

static gemp_code measure(gemp_device *device, int argc, char **argv)
{
	gemp_code code = GEMP_OK;
	uint64_t random = 9;
	const uint32_t count = argument(argc, argv, 1, 12000), dims = argument(argc, argv, 2, 12);
	const uint32_t units = argument(argc, argv, 3, 40000);
	const gemp_som_search_shape shape = { (gemp_som_form)argument(argc, argv, 5, 0), argument(argc, argv, 6, 0),
		                                  argument(argc, argv, 7, 0), argument(argc, argv, 8, 0),
		                                  argument(argc, argv, 9, 0) };
	float *x = NULL, *w = NULL;
	double seconds[TURNS], sum = 0, mean;
	size_t turns = 0;
	gemp_som_samples samples = { 0 };
	gemp_som_codebook book = { 0 };
	gemp_som_search *search = NULL;
	gemp_buffer best = { 0 };
	GEMP_TRY_DONE(draw(&x, (size_t)count * dims, &random));
	GEMP_TRY_DONE(draw(&w, (size_t)units * dims, &random));
	GEMP_TRY_DONE(gemp_som_samples_new(&samples, device, x, count, dims));
	GEMP_TRY_DONE(gemp_som_codebook_new(&book, device, w, units, dims, units));
	GEMP_TRY_DONE(
		gemp_som_search_new(&search, device, dims, (gemp_som_metric)argument(argc, argv, 4, 0), false, &shape));
	GEMP_TRY_DONE(gemp_buffer_new(&best, device, count * sizeof(uint64_t), NULL));
	for (bool first = true; turns < TURNS && sum < ENOUGH; first = false) {
		GEMP_TRY_DONE(gemp_som_search_run(search, &samples, &book, &best, NULL));
		GEMP_TRY_DONE(gemp_launch_seconds(device, &seconds[turns]));
		if (!first ||
		    /* The first search has cold pages and caches. It counts only if it alone takes long enough for this not to
		     * matter. */
		    seconds[turns] >= ENOUGH)
			sum += seconds[turns++];
	}
	GEMP_TRY_DONE(mean_unit(&mean, &best, device, count));
	qsort(seconds, turns, sizeof *seconds, compare);
	printf("%s: %u vectors of %u, %u units: %.6f s, median %.6f s, %.1f GFLOP/s, mean unit %.2f\n", device->name, count,
	       dims, units, seconds[0], seconds[turns / 2], 2e-9 * count * dims * units / seconds[0], mean);
done:
	gemp_buffer_free(&best, device);
	gemp_som_search_free(search);
	gemp_som_codebook_free(&book);
	gemp_som_samples_free(&samples);
	gemp_free(w);
	gemp_free(x);
	return code;
}

int main(int argc, char **argv)
{
	gemp_device *device;
	gemp_code code = gemp_device_open(&device, NULL, 0, 1, 0);
	if (code == GEMP_OK) {
		code = measure(device, argc, argv);
		gemp_device_close(device);
	}
	if (code != GEMP_OK)
		fprintf(stderr, "%s\n", gemp_message());
	return (int)code;
}
