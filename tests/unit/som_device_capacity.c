/* Tests the plan of the device's memory for a training: it never exceeds the memory or the size of a buffer, and it
 * keeps all data on the device if they fit.
 */
#include "harness/harness.h"

#include "core/random.h"
#include "core/status.h"
#include "device/device.h"
#include "som/map/samples.h"
#include "som/map/smooth.h"
#include "som/map/units.h"

#include <stdio.h>
#include <string.h>

enum { BATCH = 20, WIDEST = 8 };

static const size_t gib = (size_t)1 << 30;

static gemp_device device_of(size_t memory, size_t largest)
{
	return (gemp_device){ .memory = memory, .max_buffer = largest < memory ? largest : memory, .name = "a device" };
}

static size_t of_sample(const gemp_som_need *need)
{
	return gemp_som_sample_bytes(need->dims, need->missing) + need->keys;
}

static size_t of_planes(const gemp_som_need *need, uint32_t values)
{
	return need->units * (size_t)gemp_som_planes(values, need->missing);
}

static size_t of_unit(const gemp_som_need *need)
{
	return gemp_som_stride(need->dims) * sizeof(float);
}

/* The bytes that a plan takes on the device. */
static size_t taken(const gemp_som_capacity *room, const gemp_som_need *need)
{
	const size_t samples = room->all_samples || need->samples < 2 * room->samples ? need->samples : 2 * room->samples;
	return samples * of_sample(need) + room->units * of_unit(need) + of_planes(need, room->values) * need->plane +
	       need->other;
}

static void check(const gemp_device *device, const gemp_som_need *need, const gemp_som_capacity *room)
{
	const size_t values = need->dims * sizeof(float);
	if (taken(room, need) > device->memory - device->buffer_bytes || room->samples * values > device->max_buffer ||
	    room->units * of_unit(need) > device->max_buffer ||
	    of_planes(need, room->values) * need->max_buffer > device->max_buffer ||
	    of_planes(need, room->values) > INT32_MAX || room->units > need->units || room->values > need->dims)
		fail_msg("%zu samples of %u values, %u units in %zu of %zu bytes: %zu samples, %u units, %u values take %zu",
		         need->samples, need->dims, need->units, device->max_buffer, device->memory, room->samples, room->units,
		         room->values, taken(room, need));
}

static gemp_som_need need_of(size_t samples, uint32_t dims, uint32_t units)
{
	return (gemp_som_need){
		.samples = samples, .dims = dims, .units = units, .keys = 8, .plane = BATCH, .max_buffer = WIDEST
	};
}

static void all_data_stay_on_a_large_device(void **state)
{
	const gemp_device device = device_of(139 * gib, 35 * gib);
	const gemp_som_need need = need_of(12000, 12, 40000);
	gemp_som_capacity room;
	(void)state;
	assert_ok(gemp_som_capacity_find(&room, &device, &need));
	assert_true(room.all_samples && room.samples == 12000 && room.units == 40000 && room.values == 12);
	check(&device, &need, &room);
}

/* 20 million vectors of 512 values take 41 GB. They need two buffers if a buffer may have 35 GiB. */
static void large_ones(void **state)
{
	const gemp_device large = device_of(139 * gib, 35 * gib), small = device_of(16 * gib, 4 * gib);
	const gemp_som_need vectors = need_of(20000000, 512, 65536), map = need_of(1000000, 64, INT32_MAX);
	gemp_som_capacity room;
	(void)state;
	assert_ok(gemp_som_capacity_find(&room, &large, &vectors));
	assert_true(room.all_samples && room.samples < 20000000 && room.samples > 10000000 && room.values == 512);
	check(&large, &vectors, &room);
	assert_ok(gemp_som_capacity_find(&room, &small, &vectors));
	assert_true(!room.all_samples && room.samples > 1000000 && room.units == 65536 && room.values == 512);
	check(&small, &vectors, &room);
	assert_code(gemp_som_capacity_find(&room, &small, &map), GEMP_ENOMEM);
	assert_non_null(strstr(gemp_message(), "take a smaller map"));
}

static void plans_fit_the_device(void **state)
{
	uint64_t random = test_seed();
	int found = 0, parts = 0, some_units = 0, some_values = 0;
	(void)state;
	for (int turn = 0; turn < 20000; turn++) {
		const size_t memory = (size_t)1 << (12 + gemp_random_below(&random, 28));
		gemp_device device = device_of(memory + gemp_random_below(&random, memory),
		                               memory >> gemp_random_below(&random, 4));
		gemp_som_need need = need_of(gemp_random_below(&random, (uint64_t)1 << gemp_random_below(&random, 30)),
		                             1 + (uint32_t)gemp_random_below(&random, 1 << gemp_random_below(&random, 12)),
		                             1 + (uint32_t)gemp_random_below(&random, 1 << gemp_random_below(&random, 28)));
		gemp_som_capacity room;
		device.buffer_bytes = gemp_random_below(&random, device.memory);
		need.missing = gemp_random_below(&random, 2);
		need.other = gemp_random_below(&random, 4096);
		if (gemp_random_below(&random, 8) == 0)
			need.plane = need.max_buffer = 0; /* a search needs no plane */
		if (gemp_som_capacity_find(&room, &device, &need) != GEMP_OK)
			continue;
		if (need.plane)
			check(&device, &need, &room);
		found++;
		parts += !room.all_samples;
		some_units += room.units < need.units;
		some_values += room.values < need.dims;
	}
	printf("%d of 20000 have room, %d with parts, %d with some units, %d with some values\n", found, parts, some_units,
	       some_values);
	assert_true(found > 2000 && parts > 200 && some_units > 200 && some_values > 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_data_stay_on_a_large_device),
		cmocka_unit_test(large_ones),
		cmocka_unit_test(plans_fit_the_device),
	};
	return test_main(tests);
}
