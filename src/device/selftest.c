#include "device/selftest.h"

#include "device/cache.h"

#include "core/memory.h"
#include "core/random.h"

#include <stdio.h>
#include <string.h>

enum { GROUP = 32, ITEMS = 32 * GROUP };

/* What kernels/selftest.cl computes for work-item i. */
static uint64_t answer(uint32_t i)
{
	uint64_t x = (uint64_t)(i + 1) * 0x9e3779b97f4a7c15u;
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9u;
	uint32_t high = (uint32_t)((x & 0xffffffffu) * (x >> 32) >> 32);
	uint32_t bits = (uint32_t)__builtin_popcount((uint32_t)x);
	x += high + bits + (uint32_t)__builtin_clz((uint32_t)(x >> 40) | 1u);
	unsigned turn = i & 63;
	return turn ? x << turn | x >> (64 - turn) : x;
}

static bool right(const uint64_t *out, const uint32_t *drawn, uint32_t ticket, uint64_t sum)
{
	uint64_t expected = 0;
	for (uint32_t i = 0; i < ITEMS; i++) {
		uint32_t mirrored = i / GROUP * GROUP + GROUP - 1 - i % GROUP;
		if (out[i] != answer(mirrored) || drawn[i] != 1)
			return false;
		expected += (uint64_t)(i + 1) << 33;
	}
	return ticket == ITEMS && sum == expected;
}

static gemp_code run(gemp_device *device, const char *source, bool *passed)
{
	gemp_code code = GEMP_OK;
	gemp_program program = { 0 };
	cl_kernel kernel = NULL;
	gemp_buffer out = { 0 }, drawn = { 0 }, ticket = { 0 }, sum = { 0 };
	uint64_t *got = NULL, total = 0;
	uint32_t *tickets = NULL, last = 0;
	GEMP_TRY(GEMP_NEW(got, ITEMS));
	GEMP_TRY(GEMP_NEW(tickets, ITEMS));
	GEMP_TRY(gemp_program_new(&program, device, source, NULL));
	GEMP_TRY(gemp_kernel_new(&kernel, &program, "selftest"));
	GEMP_TRY(gemp_buffer_new(&out, device, ITEMS * sizeof *got, got));
	GEMP_TRY(gemp_buffer_new(&drawn, device, ITEMS * sizeof *tickets, tickets));
	GEMP_TRY(gemp_buffer_new(&ticket, device, sizeof last, &last));
	GEMP_TRY(gemp_buffer_new(&sum, device, sizeof total, &total));
	GEMP_TRY(gemp_launch(device, kernel, ITEMS, GROUP, GEMP_ARG(&out.mem), GEMP_ARG(&drawn.mem),
	                     GEMP_ARG(&ticket.mem), GEMP_ARG(&sum.mem), GEMP_LOCAL(GROUP * sizeof(uint64_t))));
	GEMP_TRY(gemp_buffer_read(device, &out, 0, out.size, got));
	GEMP_TRY(gemp_buffer_read(device, &drawn, 0, drawn.size, tickets));
	GEMP_TRY(gemp_buffer_read(device, &ticket, 0, sizeof last, &last));
	GEMP_TRY(gemp_buffer_read(device, &sum, 0, sizeof total, &total));
	*passed = right(got, tickets, last, total);
done:
	gemp_buffer_free(&sum, device);
	gemp_buffer_free(&ticket, device);
	gemp_buffer_free(&drawn, device);
	gemp_buffer_free(&out, device);
	if (kernel)
		clReleaseKernel(kernel);
	gemp_program_free(&program);
	gemp_free(tickets);
	gemp_free(got);
	return code;
}

static void cache_name(char name[64], const gemp_device *device, const char *source)
{
	char text[512];
	snprintf(text, sizeof text, "%s\n%s\n%s\n%s", device->name, device->vendor, device->driver, device->platform);
	uint64_t hash = gemp_hash(source, strlen(source), gemp_hash(text, strlen(text), 0));
	snprintf(name, 64, "selftest-%016llx", (unsigned long long)hash);
}

gemp_code gemp_device_selftest(gemp_device *device)
{
	gemp_code code = GEMP_OK;
	char *source = NULL, name[64];
	void *remembered = NULL;
	size_t size = 0;
	bool passed = false;
	GEMP_TRY(gemp_kernel_source(&source, "selftest.cl"));
	cache_name(name, device, source);
	if (gemp_cache_load(name, &remembered, &size))
		goto done;
	GEMP_TRY(run(device, source, &passed));
	if (passed)
		gemp_cache_store(name, "passed\n", 7);
	else
		code = gemp_fail(GEMP_ENODEVICE, "%s (driver %s) computed a wrong result in its self-test; update the "
		                 "driver, or choose another device with --devices", device->name, device->driver);
done:
	gemp_free(remembered);
	gemp_free(source);
	return code;
}
