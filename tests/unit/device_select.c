/* Tests which devices a --devices text selects. */
#include "core/memory.h"
#include "core/status.h"
#include "device/select.h"

#include "harness/harness.h"

#include <stdio.h>
#include <string.h>

static const gemp_device_info machine[] = {
	{ .name = "pthread-Intel(R) Xeon(R)", .platform = "Portable Computing Language" },
	{ .name = "NVIDIA H200", .platform = "NVIDIA CUDA", .gpu = true },
	{ .name = "NVIDIA A100", .platform = "NVIDIA CUDA", .gpu = true },
	{ .name = "Other CPU", .platform = "Other" },
};

/* Devices as SLURM may show them: three cards in another order than the bus, with buses in two PCI domains, and a
 * device without a bus address, whose name looks like one. */
static const gemp_device_info cluster[] = {
	{ .name = "H200", .gpu = true, .pci = "0000:ba:00.0", .uuid = "GPU-10000000-0000-0000-0000-000000000001" },
	{ .name = "H200", .gpu = true, .pci = "0000:0f:00.0", .uuid = "GPU-20000000-0000-0000-0000-000000000002" },
	{ .name = "H200", .gpu = true, .pci = "0001:0f:00.0", .uuid = "GPU-2000abcd-0000-0000-0000-000000000003" },
	{ .name = "Bus 65:00.0", .platform = "None" },
};

/* Returns the indices of the chosen devices as text: "1 2". */
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
	assert_string_equal(chosen("all", machine, 4), "1 2");
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

static void places_and_uuids(void **state)
{
	(void)state;
	assert_string_equal(chosen("ba:00.0", cluster, 4), "0");
	assert_string_equal(chosen("BA:00", cluster, 4), "0");
	assert_string_equal(chosen("0001:0f:00.0", cluster, 4), "2");
	assert_string_equal(chosen("00000000:0F:00.0", cluster, 4), "1");
	assert_string_equal(chosen("0001:0f:00.0,ba:00.0", cluster, 4), "2 0");
	assert_string_equal(chosen("GPU-10000000-0000-0000-0000-000000000001", cluster, 4), "0");
	assert_string_equal(chosen("gpu-2000ABCD", cluster, 4), "2");
	assert_string_equal(chosen("20000000-0000", cluster, 4), "1");
	assert_string_equal(chosen("2000abcd00000000", cluster, 4), "2");
	assert_string_equal(chosen("65:00.0", cluster, 4), "3"); /* no card has this bus address, but a name contains it */
}

static void one_word_in_bus_order(void **state)
{
	(void)state;
	assert_string_equal(chosen("auto", cluster, 4), "1 0 2");
	assert_string_equal(chosen("h200", cluster, 4), "1 0 2");
	assert_string_equal(chosen("2,gpu", cluster, 4), "2 1 0");
	assert_string_equal(chosen("0,1,2", cluster, 4), "0 1 2");
}

static void wrong_selections_are_refused(void **state)
{
	static const char *const specs[] = { "4", "radeon", "gpu,radeon", "0,", ",0", ",", "18446744073709551616" };
	size_t picked[4], count = 0;
	(void)state;
	for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
		assert_code(gemp_device_choose(specs[i], machine, 4, picked, &count), GEMP_ENODEVICE);
	assert_code(gemp_device_choose("radeon", machine, 4, picked, &count), GEMP_ENODEVICE);
	assert_message("radeon");
	assert_message("1: NVIDIA H200 (gpu, NVIDIA CUDA)");
	static const char *const places[] = { "0f:00.1",      "0002:0f:00.0", "GPU-3",
		                                  "GPU-30000000", "GPU-",         "1000000",
		                                  "0f:00.0x",     "0f:00.0.0",    "GPU-10000000-0000-0000-0000-0000000000011" };
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		assert_code(gemp_device_choose(places[i], cluster, 4, picked, &count), GEMP_ENODEVICE);
	assert_message("0: H200 (gpu, , 0000:ba:00.0)");
	assert_code(gemp_device_choose("gpu", machine, 1, picked, &count), GEMP_ENODEVICE);
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* Returns the range of devices of each rank: "0-1 2-4". */
static const char *shares(const char *spec, size_t devices, int ranks)
{
	static char text[128];
	size_t first, count, used = 0;
	for (int r = 0; r < ranks; r++) {
		gemp_device_rank_range(spec, devices, r, ranks, &first, &count);
		assert_true(count > 0 && first + count <= devices);
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%zu", r ? " " : "", first);
		if (count > 1)
			used += (size_t)snprintf(text + used, sizeof text - used, "-%zu", first + count - 1);
	}
	return text;
}

static void shares_of_ranks(void **state)
{
	(void)state;
	assert_string_equal(shares(NULL, 8, 1), "0");
	assert_string_equal(shares("auto", 8, 2), "0 1");
	assert_string_equal(shares("gpu", 2, 5), "0 1 0 1 0");
	assert_string_equal(shares("h200", 8, 3), "0 1 2");
	assert_string_equal(shares("0,1", 2, 1), "0-1");
	assert_string_equal(shares("0,1", 2, 2), "0 1");
	assert_string_equal(shares("0,1", 2, 3), "0 1 0");
	assert_string_equal(shares("all", 8, 2), "0-3 4-7");
	assert_string_equal(shares("All", 8, 3), "0-1 2-4 5-7");
	assert_string_equal(shares("all", 8, 8), "0 1 2 3 4 5 6 7");
	assert_string_equal(shares("all", 1, 2), "0 0");
	assert_string_equal(shares("all", 1, 1), "0");
}

static void words_that_prefer_gpus(void **state)
{
	static const char *const gpus[] = { NULL, "", "auto", "ALL", "gpu" }, *const others[] = { "cpu", "0", "gpu,cpu",
		                                                                                      "pocl" };
	(void)state;
	for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++)
		assert_true(gemp_device_spec_prefers_gpus(gpus[i]));
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_false(gemp_device_spec_prefers_gpus(others[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_numbers_and_names),
		cmocka_unit_test(each_device_once),
		cmocka_unit_test(places_and_uuids),
		cmocka_unit_test(one_word_in_bus_order),
		cmocka_unit_test(wrong_selections_are_refused),
		cmocka_unit_test(shares_of_ranks),
		cmocka_unit_test(words_that_prefer_gpus),
	};
	return test_main(tests);
}
