/* Tests kernels/device/group.clh: ballots, shuffles and memory exchange among the lanes of a worker, inside loops whose
 * number of rounds differs from worker to worker. */
#include "device/device.h"
#include "device/launch.h"
#include "device/open.h"
#include "device/program.h"

#include "harness/harness.h"

#include "core/memory.h"
#include "core/text.h"

#include <stdio.h>
#include <string.h>

enum { WORKERS = 200, MAX_ROUNDS = 13 };

static gemp_device *device;

/* The kernel of the test. Each worker has its own number of rounds, leaves the loop after a ballot with more than 9
 * votes, and skips the shuffles in odd rounds. So a ballot or shuffle that reached another worker's lanes would give a
 * wrong sum. */
static const char source[] = "uint step(GEMP_GROUP_PARAMETER uint seed)\n"
							 "{\n"
							 "	return gemp_ballot((gemp_lane() * 7 + seed) % 3 == 0);\n"
							 "}\n"
							 "__kernel void check(__global ulong *out, __global uint *board)\n"
							 "{\n"
							 "	GEMP_GROUP_DECLARE\n"
							 "	uint worker = gemp_worker(), lane = gemp_lane();\n"
							 "	ulong sum = 0;\n"
							 "	__global uint *own = board + worker * GEMP_LANES;\n"
							 "	for (uint i = 0; i < worker % 13; i++) {\n"
							 "		uint bits = step(GEMP_GROUP_PASS worker + i);\n"
							 "		sum = sum * 31 + bits;\n"
							 "		if (popcount(bits) > 9)\n"
							 "			break;\n"
							 "		if (i % 2)\n"
							 "			continue;\n"
							 "		sum += gemp_shuffle(lane * 10 + i, i % GEMP_LANES);\n"
							 "		sum += gemp_shuffle((uint)sum ^ lane, GEMP_LANES - 1 - lane);\n"
							 "		sum += gemp_shuffle64(((ulong)(lane + 1) << 40) + i, (i * 5) % GEMP_LANES);\n"
							 "		own[lane] = lane + i;\n"
							 "		gemp_sync();\n"
							 "		sum += own[(lane + 1) % GEMP_LANES];\n"
							 "		gemp_sync();\n"
							 "	}\n"
							 "	out[worker * GEMP_LANES + lane] = sum + gemp_workers();\n"
							 "}\n";

/* Computes in plain C what the lanes of one worker must write: sum[lanes]. */
static void expect(uint32_t worker, uint32_t lanes, uint64_t *sum)
{
	memset(sum, 0, lanes * sizeof *sum);
	for (uint32_t i = 0; i < worker % MAX_ROUNDS; i++) {
		uint32_t bits = 0;
		uint64_t before[32];
		for (uint32_t lane = 0; lane < lanes; lane++)
			bits |= (uint32_t)((lane * 7 + worker + i) % 3 == 0) << lane;
		for (uint32_t lane = 0; lane < lanes; lane++)
			sum[lane] = sum[lane] * 31 + bits;
		if (__builtin_popcount(bits) > 9)
			break;
		if (i % 2)
			continue;
		for (uint32_t lane = 0; lane < lanes; lane++)
			before[lane] = sum[lane] + i % lanes * 10 + i;
		for (uint32_t lane = 0; lane < lanes; lane++) {
			uint32_t other = lanes - 1 - lane;
			sum[lane] = before[lane] + ((uint32_t)before[other] ^ other);
			sum[lane] += ((uint64_t)(i * 5 % lanes + 1) << 40) + i;
			sum[lane] += (lane + 1) % lanes + i;
		}
	}
	for (uint32_t lane = 0; lane < lanes; lane++)
		sum[lane] += WORKERS;
}

static void run(unsigned lanes, size_t group, uint64_t *got)
{
	gemp_text text = { 0 };
	char *clh = NULL, options[32];
	gemp_program program;
	cl_kernel kernel;
	gemp_buffer out, board;
	size_t items = (size_t)WORKERS * lanes;
	assert_ok(gemp_kernel_source(&clh, "group.clh"));
	gemp_text_print(&text, "%s%s", clh, source);
	snprintf(options, sizeof options, "-DGEMP_LANES=%u", lanes);
	assert_ok(gemp_program_new(&program, device, text.data, options));
	assert_ok(gemp_kernel_new(&kernel, &program, "check"));
	assert_ok(gemp_buffer_new(&out, device, items * sizeof *got, NULL));
	assert_ok(gemp_buffer_new(&board, device, items * sizeof(cl_uint), NULL));
	assert_int_equal(items % group, 0);
	assert_ok(gemp_launch(device, kernel, items, group, GEMP_ARG(&out.mem), GEMP_ARG(&board.mem)));
	assert_ok(gemp_buffer_read(device, &out, 0, out.size, got));
	gemp_buffer_free(&board, device);
	gemp_buffer_free(&out, device);
	clReleaseKernel(kernel);
	gemp_program_free(&program);
	gemp_text_free(&text);
	gemp_free(clh);
}

static void check(unsigned lanes, size_t group)
{
	uint64_t *got = gemp_calloc((size_t)WORKERS * lanes, sizeof *got), expected[32];
	assert_non_null(got);
	run(lanes, group, got);
	for (uint32_t worker = 0; worker < WORKERS; worker++) {
		expect(worker, lanes, expected);
		for (uint32_t lane = 0; lane < lanes; lane++)
			if (got[worker * lanes + lane] != expected[lane])
				fail_msg("%u lanes, group %zu: worker %u, lane %u has %llu, not %llu", lanes, group, worker, lane,
				         (unsigned long long)got[worker * lanes + lane], (unsigned long long)expected[lane]);
	}
	gemp_free(got);
}

static void every_width(void **state)
{
	(void)state;
	for (unsigned lanes = 1; lanes <= 32; lanes *= 2) {
		check(lanes, lanes); /* one worker in each work-group works on every device */
		size_t group = gemp_worker_group_size(device, lanes, 40);
		assert_true(group >= 1 && group % lanes == 0);
		if ((size_t)WORKERS * lanes % group == 0)
			check(lanes, group);
	}
}

static void several_workers_in_a_group(void **state)
{
	(void)state;
	check(1, 8);
	check(1, 50);
	if (device->nvidia)
		for (unsigned lanes = 2; lanes <= 32; lanes *= 2)
			check(lanes, lanes * 25);
}

static int setup(void **state)
{
	(void)state;
	assert_ok(gemp_device_open(&device, NULL, 0, 1, 0));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	gemp_device_close(device);
	assert_int_equal(gemp_memory_blocks(), 0);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_width),
		cmocka_unit_test(several_workers_in_a_group),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
