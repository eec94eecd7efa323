/* What a --devices text means. */
#include "device/choose.h"

#include "harness/harness.h"

#include <stdio.h>
#include <string.h>

static const gemp_device_info machine[] = {
	{ .name = "pthread-Intel(R) Xeon(R)", .platform = "Portable Computing Language" },
	{ .name = "NVIDIA H200", .platform = "NVIDIA CUDA", .gpu = true },
	{ .name = "NVIDIA A100", .platform = "NVIDIA CUDA", .gpu = true },
	{ .name = "Other CPU", .platform = "Other" },
};

/* The chosen indices as text: "1 2". */
static const char *chosen(const char *spec, const gemp_device_info *devices, size_t count)
{
	static char text[64];
	size_t picked[4], number = 0, used = 0;
	assert_ok(gemp_device_choose(spec, devices, count, picked, &number));
	text[0] = '\0';
	for (size_t i = 0; i < number; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, i ? " %zu" : "%zu", picked[i]);
	return text;
}

static void words_numbers_and_names(void **state)
{
	(void)state;
	assert_string_equal(chosen(NULL, machine, 4), "1 2");
	assert_string_equal(chosen("", machine, 4), "1 2");
	assert_string_equal(chosen("auto", machine, 4), "1 2");
	assert_string_equal(chosen("auto", machine, 1), "0");
	assert_string_equal(chosen("cpu", machine, 4), "0 3");
	assert_string_equal(chosen("GPU", machine, 4), "1 2");
	assert_string_equal(chosen("3", machine, 4), "3");
	assert_string_equal(chosen("2,0", machine, 4), "2 0");
	assert_string_equal(chosen("h200", machine, 4), "1");
	assert_string_equal(chosen("nvidia", machine, 4), "1 2");
	assert_string_equal(chosen("portable computing", machine, 4), "0");
}

static void each_device_once(void **state)
{
	(void)state;
	assert_string_equal(chosen("a100,gpu,2", machine, 4), "2 1");
	assert_string_equal(chosen("cpu,gpu,auto,0,1,2,3", machine, 4), "0 3 1 2");
}

static void what_does_not_fit(void **state)
{
	static const char *const specs[] = { "4", "radeon", "gpu,radeon", "0,", ",0", ",", "18446744073709551616" };
	size_t picked[4], count = 0;
	(void)state;
	for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
		assert_code(gemp_device_choose(specs[i], machine, 4, picked, &count), GEMP_ENODEVICE);
	assert_code(gemp_device_choose("radeon", machine, 4, picked, &count), GEMP_ENODEVICE);
	assert_message("radeon");
	assert_message("1: NVIDIA H200 (gpu, NVIDIA CUDA)");
	assert_code(gemp_device_choose("gpu", machine, 1, picked, &count), GEMP_ENODEVICE);
	assert_int_equal(gemp_memory_blocks(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_numbers_and_names),
		cmocka_unit_test(each_device_once),
		cmocka_unit_test(what_does_not_fit),
	};
	return test_main(tests);
}
