/* Tests reading buffers back from a device: in place and through page-locked memory, in several ranges, in growing
 * sizes, and while a kernel writes another buffer. */
#include "core/status.h"
#include "device/device.h"
#include "device/launch.h"
#include "device/open.h"
#include "device/program.h"
#include "device/staging.h"

#include "harness/harness.h"

enum { WORDS = 1 << 20 };

static gemp_device *device;

static const char source[] = "__kernel void fill(__global uint *out, uint seed)\n"
							 "{\n"
							 "	out[get_global_id(0)] = (uint)get_global_id(0) * 7 + seed;\n"
							 "}\n";

static void check_words(const char *host, size_t first, size_t count, uint32_t seed)
{
	const uint32_t *words = (const void *)host;
	for (size_t i = 0; i < count; i++)
		assert_int_equal(words[i], (uint32_t)(first + i) * 7 + seed);
}

static void fill(cl_kernel kernel, const gemp_readback *to, uint32_t seed)
{
	assert_ok(gemp_launch(device, kernel, WORDS, 0, GEMP_ARG(&to->buffer.mem), GEMP_ARG(&seed)));
}

static void finish(void)
{
	assert_ok(GEMP_CL(clFinish(device->queue)));
}

/* Uses two buffers in turn, as a search does: one is read while a kernel fills the other one. */
static void check_turns(cl_kernel kernel)
{
	gemp_readback of[2];
	for (int b = 0; b < 2; b++)
		assert_ok(gemp_readback_new(&of[b], device, WORDS * sizeof(uint32_t)));
	fill(kernel, &of[0], 0);
	finish();
	for (uint32_t turn = 1; turn <= 12; turn++) {
		gemp_readback *from = &of[(turn - 1) % 2];
		size_t count = turn % 5 == 0 ? WORDS / 2 : (size_t)1 << turn, last = WORDS - 1 - count;
		bool two = turn % 4 == 0;
		const gemp_readback_range ranges[] = { { 0, count * 4 }, { last * 4, count * 4 } };
		assert_ok(gemp_readback_begin(from, device, ranges, two ? 2 : 1));
		fill(kernel, &of[turn % 2], turn);
		assert_ok(gemp_readback_wait(from));
		check_words(from->host[0], 0, count, turn - 1);
		if (two)
			check_words(from->host[1], last, count, turn - 1);
		assert_ok(gemp_readback_end(from, device));
		finish();
	}
	assert_ok(gemp_readback_begin(&of[0], device, &(gemp_readback_range){ 0, 0 }, 1));
	assert_ok(gemp_readback_wait(&of[0]));
	/* the buffer is freed while this read is under way */
	assert_ok(gemp_readback_begin(&of[0], device, &(gemp_readback_range){ 0, 4 }, 1));
	for (int b = 0; b < 2; b++)
		gemp_readback_free(&of[b], device);
}

static void in_place_and_locked(void **state)
{
	(void)state;
	gemp_program program;
	cl_kernel kernel;
	bool gpu = device->gpu;
	size_t held = device->buffer_bytes;
	assert_ok(gemp_program_new(&program, device, source, ""));
	assert_ok(gemp_kernel_new(&kernel, &program, "fill"));
	check_turns(kernel);
	device->gpu = true; /* page-locked memory works on any device */
	check_turns(kernel);
	check_turns(kernel); /* this run reuses the page-locked memory of the run before */
	gemp_pinned_free_pool(device);
	device->gpu = gpu;
	assert_int_equal(device->buffer_bytes, held);
	clReleaseKernel(kernel);
	gemp_program_free(&program);
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
	const struct CMUnitTest tests[] = { cmocka_unit_test(in_place_and_locked) };
	return cmocka_run_group_tests(tests, open_device, close_device);
}
