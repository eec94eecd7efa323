/* Tests opening a device: which device a rank gets, its share of cores and memory, and the self-test. PoCL offers two
 * devices here. */
#include "core/memory.h"
#include "core/status.h"
#include "device/device.h"
#include "device/open.h"
#include "device/program.h"
#include "device/select.h"

#include "harness/harness.h"

#include "core/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void lists_devices(void **state)
{
	gemp_device_info *devices = NULL;
	size_t count = 0;
	(void)state;
	assert_ok(gemp_device_list(&devices, &count));
	assert_true(count >= 2);
	for (size_t i = 0; i < count; i++) {
		assert_true(devices[i].name[0] && devices[i].platform[0]);
		assert_true(devices[i].units >= 1 && devices[i].memory > 0);
		assert_true(devices[i].max_buffer > 0 && devices[i].max_buffer <= devices[i].memory);
	}
	gemp_free(devices);
}

static gemp_device *open_one(const char *spec, int node_rank, int node_size, size_t limit)
{
	gemp_device *device = NULL;
	assert_ok(gemp_device_open(&device, spec, node_rank, node_size, limit));
	assert_true(device->context && device->queue && device->copy_queue && device->max_group >= 1);
	return device;
}

static void ranks_take_turns(void **state)
{
	gemp_device *devices[5];
	(void)state;
	for (int i = 0; i < 5; i++)
		devices[i] = open_one("portable computing", i, 5, 0);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(devices[i]->index, devices[i % 2]->index);
		assert_int_equal(devices[i]->shared_by, i % 2 ? 2 : 3);
	}
	assert_int_not_equal(devices[0]->index, devices[1]->index);
	for (int i = 0; i < 5; i++)
		gemp_device_close(devices[i]);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void ranks_share_cores_and_memory(void **state)
{
	gemp_device *alone = open_one("0", 0, 1, 0), *third = open_one("0", 2, 4, 0), *many = open_one("0", 99, 100, 0);
	(void)state;
	assert_int_equal(alone->shared_by, 1);
	assert_int_equal(third->shared_by, 4);
	assert_int_equal(third->memory, alone->memory / 4);
	assert_true(third->max_buffer <= third->memory);
	assert_int_equal(third->units, alone->units >= 4 ? alone->units / 4 : 1);
	assert_true(!alone->sub_device && third->sub_device == (alone->units >= 4));
	assert_int_equal(many->units, alone->units >= 100 ? alone->units / 100 : 1);
	gemp_device_close(many);
	gemp_device_close(third);
	gemp_device_close(alone);
}

static void limit_comes_first(void **state)
{
	gemp_device *device = open_one("0", 0, 4, 5000000);
	(void)state;
	assert_int_equal(device->memory, 5000000);
	assert_true(device->max_buffer <= 5000000);
	gemp_device_close(device);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void self_test_detects_wrong_answers(void **state)
{
	gemp_device *device = NULL;
	char *text = NULL;
	(void)state;
	assert_ok(gemp_kernel_source(&text, "selftest.cl"));
	char *place = strstr(text, "<< 33);");
	assert_non_null(place);
	place[3] = '2';
	test_file("selftest.cl", text);
	gemp_free(text);
	setenv("GEMP_KERNEL_DIR", test_folder(), 1);
	for (int i = 0; i < 2; i++) {
		assert_code(gemp_device_open(&device, NULL, 0, 1, 0), GEMP_ENODEVICE);
		assert_null(device);
		assert_message("self-test");
	}
	unsetenv("GEMP_KERNEL_DIR");
	gemp_device_close(open_one(NULL, 0, 1, 0));
	assert_int_equal(gemp_memory_blocks(), 0);
}

static gemp_code open_and_close(void *argument)
{
	gemp_device *device = NULL;
	(void)argument;
	gemp_code code = gemp_device_open(&device, NULL, 0, 1, 0);
	gemp_device_close(device);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	gemp_device_close(open_one(NULL, 0, 1, 0)); /* from now on the process remembers that the self-test has passed */
	assert_survives_no_memory(open_and_close, NULL);
}

/* A device has no rates before they are measured, and another number of units has rates of its own. */
static void measured_rates_are_kept(void **state)
{
	gemp_rates measured, kept;
	(void)state;
	setenv("GEMP_CACHE_DIR", test_path("cache"), 1);
	gemp_device *device = open_one("0", 0, 1, 0);
	assert_ok(gemp_device_rates_kept(device, &kept));
	assert_true(kept.copy == 0 && kept.launch == 0 && kept.empty == 0);
	assert_ok(gemp_device_rates(device, &measured));
	assert_true(measured.copy > 0 && measured.launch > 0);
	assert_ok(gemp_device_rates_kept(device, &kept));
	assert_true(kept.copy == measured.copy && kept.launch == measured.launch && kept.empty == measured.empty);
	device->units++;
	assert_ok(gemp_device_rates_kept(device, &kept));
	assert_true(kept.copy == 0);
	gemp_device_close(device);
	unsetenv("GEMP_CACHE_DIR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_devices),
		cmocka_unit_test(ranks_take_turns),
		cmocka_unit_test(ranks_share_cores_and_memory),
		cmocka_unit_test(limit_comes_first),
		cmocka_unit_test(self_test_detects_wrong_answers),
		cmocka_unit_test(memory_may_run_out),
		cmocka_unit_test(measured_rates_are_kept),
	};
	setenv("POCL_DEVICES", "pthread pthread", 1);
	return test_main(tests);
}
