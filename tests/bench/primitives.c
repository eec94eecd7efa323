/* primitives [device|host|passes|below] [LOG2_OF_KEYS]: measures the seconds of sort, split, distinct and scan, and
 * checks the order of sorted keys, the buckets of splits and all distinct keys, outside of the measured time.
 *   device (the default): prints rates with the share of the device's copy bandwidth and, for 2^28 keys, the times of
 *          prototypes on one NVIDIA H200.
 *   host: sort and distinct on the host's threads; then, for comparison, distinct keys by a plain radix sort on one
 * thread
 *         and by qsort.
 *   passes: device sorts by the algorithm in which no work-group waits for another work-group.
 *   below: arrays of the host are processed by threads, and by the device with copies in both directions, for sizes up
 * to
 *          2^LOG2_OF_KEYS; the tuned numbers sort.host_below and distinct.host_below follow from the two times. */
#include "core/memory.h"
#include "core/random.h"
#include "core/status.h"
#include "core/threads.h"
#include "core/timer.h"
#include "device/device.h"
#include "device/open.h"
#include "device/tuning.h"
#include "primitive/arrays.h"
#include "primitive/distinct.h"
#include "primitive/key.h"
#include "primitive/radix_pass.h"
#include "primitive/sort.h"
#include "primitive/split.h"
#include "primitive/toolbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { TRIES = 5, RANGES = 256, DISTINCT_KEYS = 262144000 };

static gemp_device *device;
static gemp_toolbox *box;
static double copy; /* bytes per second */

static void need(gemp_code code)
{
	if (code == GEMP_OK)
		return;
	fprintf(stderr, "%s\n", gemp_message());
	exit(1);
}

/* KEYS */

typedef struct making {
	void *keys;
	size_t count;
	unsigned size;
	uint64_t below; /* 0: all bits */
} making;

static void make_range(void *context, unsigned thread, size_t range)
{
	const making *m = context;
	(void)thread;
	for (size_t i = m->count / RANGES * range; i < (range + 1 < RANGES ? m->count / RANGES * (range + 1) : m->count);
	     i++) {
		uint64_t key = gemp_mix(i / 2 * 2 + gemp_mix(i) % 2); /* some keys occur twice */
		gemp_key_put(m->keys, i, m->size, m->below ? key % m->below : key);
	}
}

static void *make_keys(size_t count, unsigned size, uint64_t below)
{
	making m = { gemp_calloc(count, size), count, size, below };
	if (!m.keys)
		need(GEMP_ENOMEM);
	gemp_parallel_for(RANGES, make_range, &m);
	return m.keys;
}

static void report(const char *what, size_t count, double seconds, double bytes, double experiment)
{
	printf("%-34s %10zu  %9.3f ms  %7.2f G/s", what, count, 1e3 * seconds, 1e-9 * (double)count / seconds);
	if (copy > 0)
		printf("  %4.0f %% of copy", 100 * bytes / seconds / copy);
	if (experiment > 0)
		printf("  experiment %.2f ms, ratio %.2f", 1e3 * experiment, seconds / experiment);
	printf("\n");
	fflush(stdout);
}

static void check_sorted(const void *keys, size_t count, unsigned size, const char *what)
{
	for (size_t i = 1; i < count; i++)
		if (gemp_key_get(keys, i - 1, size) > gemp_key_get(keys, i, size)) {
			printf("%s: WRONG at %zu\n", what, i);
			return;
		}
}

/* DEVICE */

static void copy_buffer(const gemp_buffer *from, const gemp_buffer *to)
{
	need(GEMP_CL(clEnqueueCopyBuffer(device->queue, from->mem, to->mem, 0, 0, to->size, 0, NULL, NULL)));
	need(GEMP_CL(clFinish(device->queue)));
}

static double lesser(double a, double b)
{
	return a < b ? a : b;
}

static void bench_sort(const char *what, gemp_sort sort, size_t count, double experiment)
{
	unsigned size = gemp_key_size(sort.key);
	void *keys = make_keys(count, size, 0);
	gemp_buffer master;
	gemp_sort_buffers b = { 0 };
	double best = 1e9, seconds;
	need(gemp_buffer_new(&master, device, count * size, keys));
	for (int k = 0; k < 2; k++) {
		need(gemp_buffer_new(&b.keys[k], device, count * size, NULL));
		if (sort.value_size)
			need(gemp_buffer_new(&b.values[k], device, count * sort.value_size, NULL));
	}
	for (int i = 0; i < TRIES; i++) {
		copy_buffer(&master, &b.keys[0]);
		need(gemp_sort_device(box, &sort, &b, count, 8 * size));
		need(gemp_toolbox_seconds(box, &seconds));
		best = lesser(best, seconds);
	}
	need(gemp_buffer_read(device, &b.keys[0], 0, count * size, keys));
	check_sorted(keys, count, size, what);
	report(what, count, best, (double)count * size * 2 * (size + sort.value_size), experiment);
	gemp_buffer_free(&master, device);
	for (int k = 0; k < 2; k++) {
		gemp_buffer_free(&b.keys[k], device);
		gemp_buffer_free(&b.values[k], device);
	}
	gemp_free(keys);
}

static void bench_split(const char *what, unsigned bits, unsigned value_size, size_t count, double experiment)
{
	gemp_multisplit split = { .key = GEMP_KEY_U32, .value_size = value_size, .shift = 32 - bits, .bits = bits };
	void *keys = make_keys(count, 4, 0);
	uint32_t *begin = calloc(((size_t)1 << bits) + 1, 4), *got = keys;
	gemp_buffer in, values = { 0 }, out, out_values = { 0 }, b_begin;
	double best = 1e9, seconds;
	need(gemp_buffer_new(&in, device, count * 4, keys));
	need(gemp_buffer_new(&out, device, count * 4, NULL));
	need(gemp_buffer_new(&b_begin, device, (((size_t)1 << bits) + 1) * 4, NULL));
	if (value_size) {
		need(gemp_buffer_new(&values, device, count * value_size, NULL));
		need(gemp_buffer_new(&out_values, device, count * value_size, NULL));
	}
	for (int i = 0; i < TRIES; i++) {
		need(gemp_split_device(box, &split, &in, &values, count, &out, &out_values, &b_begin));
		need(gemp_toolbox_seconds(box, &seconds));
		best = lesser(best, seconds);
	}
	need(gemp_buffer_read(device, &out, 0, count * 4, got));
	need(gemp_buffer_read(device, &b_begin, 0, (((size_t)1 << bits) + 1) * 4, begin));
	for (size_t b = 0; b >> bits == 0; b++)
		for (size_t i = begin[b]; i < begin[b + 1]; i++)
			if (got[i] >> split.shift != b) {
				printf("%s: WRONG at %zu\n", what, i);
				b = (size_t)1 << bits;
				break;
			}
	report(what, count, best, (double)count * (4 + 2 * (4 + value_size)), experiment);
	gemp_buffer_free(&in, device);
	gemp_buffer_free(&out, device);
	gemp_buffer_free(&b_begin, device);
	gemp_buffer_free(&values, device);
	gemp_buffer_free(&out_values, device);
	free(begin);
	gemp_free(keys);
}

static void bench_distinct(const char *what, size_t count, uint64_t below, double experiment)
{
	void *keys = make_keys(count, 4, below), *expected = NULL, *got;
	size_t distinct = 0, found;
	gemp_buffer in, out;
	double best = 1e9, counting = 1e9, seconds, began = gemp_now();
	need(gemp_distinct_host(GEMP_KEY_U32, keys, count, &expected, &distinct));
	double host = gemp_now() - began;
	need(gemp_buffer_new(&in, device, count * 4, keys));
	for (int i = 0; i < TRIES; i++) {
		need(gemp_distinct_device(box, GEMP_KEY_U32, &in, count, &out, &found));
		need(gemp_toolbox_seconds(box, &seconds));
		best = lesser(best, seconds);
		if (i + 1 < TRIES)
			gemp_buffer_free(&out, device);
	}
	got = malloc(distinct * 4 + 1);
	if (found == distinct)
		need(gemp_buffer_read(device, &out, 0, distinct * 4, got));
	if (found != distinct || memcmp(got, expected, distinct * 4) != 0)
		printf("%s: WRONG: %zu found, %zu expected\n", what, found, distinct);
	for (int i = 0; i < TRIES; i++) {
		need(gemp_distinct_device(box, GEMP_KEY_U32, &in, count, NULL, &found));
		need(gemp_toolbox_seconds(box, &seconds));
		counting = lesser(counting, seconds);
	}
	report(what, count, best, (double)count * 4 + (double)distinct * 4, experiment);
	printf("%34s %10zu distinct, host threads %.3f s, only counted %.3f ms\n", "", distinct, host, 1e3 * counting);
	gemp_buffer_free(&in, device);
	gemp_buffer_free(&out, device);
	gemp_free(expected);
	free(got);
	gemp_free(keys);
}

static void bench_scan(size_t count)
{
	void *numbers = make_keys(count, 4, 100);
	gemp_buffer in, out;
	double best = 1e9, seconds;
	need(gemp_buffer_new(&in, device, count * 4, numbers));
	need(gemp_buffer_new(&out, device, (count + 1) * 8, NULL));
	for (int i = 0; i < TRIES; i++) {
		need(gemp_scan_device(box, &in, 4, &out, 8, count));
		need(gemp_toolbox_seconds(box, &seconds));
		best = lesser(best, seconds);
	}
	report("scan of u32 to u64", count, best, (double)count * 16, 0);
	gemp_buffer_free(&in, device);
	gemp_buffer_free(&out, device);
	gemp_free(numbers);
}

static void open_device(gemp_form form)
{
	gemp_rates rates;
	need(gemp_device_open(&device, NULL, 0, 1, 0));
	need(gemp_toolbox_new(&box, device, form));
	need(gemp_device_rates(device, &rates));
	copy = rates.copy;
	printf("%s: copy %.2f TB/s\n", device->name, 1e-12 * copy);
}

static void close_device(void)
{
	gemp_toolbox_free(box);
	gemp_device_close(device);
}

static void bench_sorts(size_t count)
{
	bool full = count == (size_t)1 << 28; /* the size for which the head gives times of prototypes */
	bench_sort("sort u32", (gemp_sort){ GEMP_KEY_U32, false, 0 }, count, full ? 6.75e-3 : 0);
	bench_sort("sort u32 with u32", (gemp_sort){ GEMP_KEY_U32, false, 4 }, count, full ? 8.76e-3 : 0);
	bench_sort("sort u64", (gemp_sort){ GEMP_KEY_U64, false, 0 }, count / 2, 0);
	bench_sort("sort u64 with u32", (gemp_sort){ GEMP_KEY_U64, false, 4 }, count / 2, 0);
}

static void in_passes(unsigned log2)
{
	open_device(GEMP_FORM_GROUPS);
	bench_sorts((size_t)1 << log2);
	close_device();
}

static void on_device(unsigned log2)
{
	size_t count = (size_t)1 << log2, few = count < DISTINCT_KEYS ? count : DISTINCT_KEYS;
	bool full = log2 == 28; /* the size for which the head gives times of prototypes */
	open_device(GEMP_FORM_AUTO);
	bench_sorts(count);
	bench_split("split u32 in 256", 8, 0, count, full ? 0.81e-3 + 0.2545e-3 : 0);
	bench_split("split u32 in 2048", 11, 0, count, full ? 1.518e-3 + 0.2545e-3 : 0);
	bench_split("split u32 with u32 in 256", 8, 4, count, 0);
	bench_distinct("distinct u32, full range", few, 0, full ? 3.63e-3 : 0);
	bench_distinct("distinct u32, 0 to 999", few, 1000, full ? 0.50e-3 : 0);
	bench_distinct("distinct u32, below 2^24", few, 1 << 24, 0);
	if (full) {
		bench_distinct("distinct u32, full range", 26000000, 0, 0);
		bench_distinct("distinct u32, full range", 2000000, 0, 0);
		bench_distinct("distinct u32, full range", 300000000, 0, 0);
	}
	bench_scan(count);
	bench_scan(count >> 8);
	close_device();
}

/* HOST */

static double cpu_seconds(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
}

/* A simple radix sort on one thread, as a reference. */
static void plain_sort(uint32_t *keys, uint32_t *other, size_t count)
{
	for (unsigned shift = 0; shift < 32; shift += 8) {
		size_t places[257] = { 0 };
		for (size_t i = 0; i < count; i++)
			places[(keys[i] >> shift & 255) + 1]++;
		for (int b = 0; b < 256; b++)
			places[b + 1] += places[b];
		for (size_t i = 0; i < count; i++)
			other[places[keys[i] >> shift & 255]++] = keys[i];
		uint32_t *swap = keys;
		keys = other;
		other = swap;
	}
}

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static size_t unique(uint32_t *keys, size_t count)
{
	size_t kept = 0;
	for (size_t i = 0; i < count; i++)
		if (i == 0 || keys[i] != keys[i - 1])
			keys[kept++] = keys[i];
	return kept;
}

static void host_line(const char *what, size_t count, double wall, double cpu)
{
	printf("%-44s %10zu  %7.3f s wall  %7.3f s cpu\n", what, count, wall, cpu);
	fflush(stdout);
}

#define TIMED(what, count, work)                                              \
	do {                                                                      \
		double wall_ = gemp_now(), cpu_ = cpu_seconds();                      \
		work;                                                                 \
		host_line((what), (count), gemp_now() - wall_, cpu_seconds() - cpu_); \
	} while (0)

static void on_host(unsigned log2)
{
	size_t count = (size_t)1 << log2, a = 0, b, c;
	uint32_t *keys = make_keys(count, 4, 0), *work = gemp_calloc(count, 4), *other = gemp_calloc(count, 4);
	uint64_t *wide = make_keys(count / 2, 8, 0);
	uint32_t *values = gemp_calloc(count, 4);
	memcpy(work, keys, count * 4);
	TIMED("sort u32", count, need(gemp_sort_host(&(gemp_sort){ GEMP_KEY_U32, false, 0 }, work, NULL, count)));
	check_sorted(work, count, 4, "sort u32");
	memcpy(work, keys, count * 4);
	TIMED("sort u32 with u32", count,
	      need(gemp_sort_host(&(gemp_sort){ GEMP_KEY_U32, false, 4 }, work, values, count)));
	TIMED("sort u64", count / 2, need(gemp_sort_host(&(gemp_sort){ GEMP_KEY_U64, false, 0 }, wide, NULL, count / 2)));
	check_sorted(wide, count / 2, 8, "sort u64");
	memcpy(work, keys, count * 4);
	TIMED("distinct u32, full range", count, need(gemp_distinct_host(GEMP_KEY_U32, keys, count, NULL, &a)));
	TIMED("beside it: radix sort and unique, one thread", count,
	      (plain_sort(work, other, count), b = unique(work, count)));
	memcpy(work, keys, count * 4);
	TIMED("beside it: qsort and unique", count, (qsort(work, count, 4, compare_u32), c = unique(work, count)));
	printf("%zu, %zu and %zu distinct\n", a, b, c);
	for (size_t i = 0; i < count; i++)
		keys[i] %= 1000;
	TIMED("distinct u32, 0 to 999", count, need(gemp_distinct_host(GEMP_KEY_U32, keys, count, NULL, &a)));
	gemp_free(keys);
	gemp_free(work);
	gemp_free(other);
	gemp_free(wide);
	gemp_free(values);
}

/* HOST OR DEVICE */

static double time_arrays(gemp_arrays *arrays, gemp_placement place, bool distinct, const void *keys, void *work,
                          size_t count)
{
	double best = 1e9;
	arrays->place = place;
	for (int i = 0; i < TRIES; i++) {
		void *out = NULL;
		size_t found;
		memcpy(work, keys, count * 4);
		double began = gemp_now();
		if (distinct)
			need(gemp_arrays_distinct(arrays, GEMP_KEY_U32, work, count, &out, &found));
		else
			need(gemp_arrays_sort(arrays, &(gemp_sort){ .key = GEMP_KEY_U32 }, work, NULL, count));
		best = lesser(best, gemp_now() - began);
		gemp_free(out);
	}
	return best;
}

static void find_below(unsigned log2)
{
	size_t most = (size_t)1 << log2;
	need(gemp_device_open(&device, NULL, 0, 1, 0));
	need(gemp_toolbox_new(&box, device, GEMP_FORM_AUTO));
	gemp_arrays arrays = { .box = box, .device = device };
	void *keys = make_keys(most, 4, 0), *work = gemp_calloc(most, 4);
	printf("%s, %u threads of the host\n%10s %12s %12s %12s %12s   (milliseconds)\n", device->name, gemp_threads(),
	       "keys", "sort: host", "device", "distinct", "device");
	for (size_t count = 1 << 12; count <= most; count *= 2) {
		printf("%10zu", count);
		for (int distinct = 0; distinct < 2; distinct++)
			for (gemp_placement place = GEMP_PLACE_HOST; place <= GEMP_PLACE_DEVICE; place++)
				printf(" %12.3f", 1e3 * time_arrays(&arrays, place, distinct, keys, work, count));
		printf("\n");
		fflush(stdout);
	}
	gemp_free(keys);
	gemp_free(work);
	gemp_toolbox_free(box);
	gemp_device_close(device);
}

int main(int argc, char **argv)
{
	unsigned log2 = argc > 2 ? (unsigned)atoi(argv[2]) : 26;
	if (argc > 1 && strcmp(argv[1], "host") == 0)
		on_host(log2);
	else if (argc > 1 && strcmp(argv[1], "passes") == 0)
		in_passes(log2);
	else if (argc > 1 && strcmp(argv[1], "below") == 0)
		find_below(log2);
	else
		on_device(log2);
	return 0;
}
