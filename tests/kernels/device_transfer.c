/* Tests uploads in pieces: numbers that a function makes, arrays of 32 and 64 bits, and buffers whose sizes are no
 * multiples of 4 bytes, through page-locked memory and in the memory of a CPU device. */
#include "core/memory.h"
#include "core/random.h"
#include "core/status.h"
#include "core/threads.h"
#include "device/open.h"
#include "device/staging.h"
#include "device/transfer.h"

#include "harness/harness.h"
#include "harness/limits.h"

static gemp_device *device;

static uint32_t number(uint64_t seed, size_t i)
{
	return (uint32_t)gemp_mix(seed + i);
}

static void make(const void *self, uint32_t *to, size_t begin, size_t end)
{
	for (size_t i = begin; i < end; i++)
		to[i - begin] = number(*(const uint64_t *)self, i);
}

/* Uploads `count` numbers from a function and from arrays of both widths, and downloads them again. */
static void check_uploads(uint64_t seed, size_t count)
{
	GEMP_OWNED uint32_t *narrow = NULL;
	GEMP_OWNED uint64_t *wide = NULL;
	assert_ok(gemp_new_all(GEMP_ARRAY(narrow, count), GEMP_ARRAY(wide, count)));
	for (int kind = 0; kind < 3; kind++) {
		gemp_buffer buffer;
		for (size_t i = 0; i < count; i++)
			wide[i] = narrow[i] = number(seed, i);
		assert_ok(gemp_buffer_new(&buffer, device, count * sizeof *narrow, NULL));
		if (kind == 0)
			assert_ok(gemp_transfer_make(device, &buffer, make, &seed, count));
		else
			assert_ok(gemp_transfer_upload(
				device, &buffer, (gemp_transfer_numbers){ kind == 1 ? narrow : NULL, kind == 2 ? wide : NULL }, count));
		memset(narrow, 0xff, count * sizeof *narrow);
		assert_ok(gemp_transfer_download(device, &buffer, 0, (gemp_transfer_numbers){ .narrow = narrow }, count));
		for (size_t i = 0; i < count; i++)
			assert_int_equal(narrow[i], number(seed, i));
		gemp_buffer_free(&buffer, device);
	}
}

/* What the watcher of an upload has seen: the numbers below `arrived` were read back and are right. */
typedef struct watcher {
	const gemp_buffer *buffer;
	uint64_t seed;
	size_t count, arrived, calls, fail_at; /* the call number fail_at fails */
	uint32_t *back;                        /* [count] */
} watcher;

static gemp_code see_arrived(void *self, size_t count)
{
	watcher *w = self;
	assert_true(count >= w->arrived && count <= w->count);
	assert_ok(gemp_buffer_read(device, w->buffer, 0, count * sizeof *w->back, w->back));
	for (size_t i = w->arrived; i < count; i++)
		assert_int_equal(w->back[i], number(w->seed, i));
	w->arrived = count;
	return ++w->calls == w->fail_at ? gemp_fail(GEMP_EDATA, "the watcher fails") : GEMP_OK;
}

static void check_watched(uint64_t seed, size_t count, size_t fail_at)
{
	GEMP_OWNED uint32_t *numbers = NULL, *back = NULL;
	gemp_buffer buffer;
	assert_ok(gemp_new_all(GEMP_ARRAY(numbers, count), GEMP_ARRAY(back, count)));
	for (size_t i = 0; i < count; i++)
		numbers[i] = number(seed, i);
	assert_ok(gemp_buffer_new(&buffer, device, count * sizeof *numbers, NULL));
	watcher w = { &buffer, seed, count, 0, 0, fail_at, back };
	const gemp_code code = gemp_transfer_upload_watched(device, &buffer, (gemp_transfer_numbers){ .narrow = numbers },
	                                                    count, see_arrived, &w);
	assert_int_equal(code, w.calls == fail_at ? GEMP_EDATA : GEMP_OK);
	assert_true(code != GEMP_OK || w.arrived == count);
	gemp_buffer_free(&buffer, device);
}

static void check_load(uint64_t seed, size_t size)
{
	GEMP_OWNED unsigned char *bytes = NULL, *back = NULL;
	gemp_buffer buffer;
	assert_ok(gemp_new_all(GEMP_ARRAY(bytes, size), GEMP_ARRAY(back, size)));
	for (size_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)number(seed, i);
	for (int shared = 0; shared < 2; shared++) {
		if (shared)
			assert_ok(gemp_buffer_load_shared(&buffer, device, size, bytes, size));
		else
			assert_ok(gemp_buffer_load(&buffer, device, size, bytes));
		memset(back, 0, size);
		assert_ok(gemp_buffer_read(device, &buffer, 0, size, back));
		assert_memory_equal(bytes, back, size);
		gemp_buffer_free(&buffer, device);
	}
}

static void uploads_are_exact(void **state)
{
	(void)state;
	uint64_t random = test_seed(), held = device->buffer_bytes;
	bool gpu = device->gpu;
	for (int round = 0; round < 24; round++) {
		device->gpu = round % 2 || gpu; /* page-locked memory works on any device */
		if (round % 3)
			TEST_LIMIT(transfer_chunk, 4 * (size_t)(1 + gemp_random_below(&random, 5000)));
		check_uploads(gemp_random(&random), (size_t)(1 + gemp_random_below(&random, 20000)));
		check_load(gemp_random(&random), (size_t)(1 + gemp_random_below(&random, 20000)));
		TEST_LIMIT(transfer_lanes, 2 + gemp_random_below(&random, 20));
		gemp_threads_limit(round % 4 ? 0 : 1 + (unsigned)gemp_random_below(&random, 40)); /* also more than convert */
		check_watched(gemp_random(&random), (size_t)(1 + gemp_random_below(&random, 20000)),
		              (size_t)gemp_random_below(&random, 8));
		check_uploads(gemp_random(&random), (size_t)(1 + gemp_random_below(&random, 20000)));
		gemp_threads_limit(0);
		TEST_LIMIT_DEFAULT(transfer_lanes);
		TEST_LIMIT_DEFAULT(transfer_chunk);
	}
	check_uploads(gemp_random(&random), 1 << 21);
	check_load(gemp_random(&random), 3);
	gemp_pinned_free_pool(device);
	device->gpu = gpu;
	assert_int_equal(device->buffer_bytes, held);
}

static int open_device(void **state)
{
	(void)state;
	return gemp_device_open(&device, NULL, 0, 1, 0) != GEMP_OK;
}

static int close_device(void **state)
{
	(void)state;
	gemp_device_close(device);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(uploads_are_exact) };
	return cmocka_run_group_tests(tests, open_device, close_device);
}
