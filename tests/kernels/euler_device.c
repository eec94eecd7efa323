/* Euler circuits on a device: small multigraphs of many shapes, with splitters far apart and at every slot, against an
 * independent check; paths; what has no circuit. */
#include "harness/euler_case.h"

static gemp_device *device;
static uint64_t seed;

static int setup(void **state)
{
	(void)state;
	seed = test_seed();
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

static void try_case(const euler_case *c, const gemp_euler_options *options)
{
	gemp_euler_result result;
	assert_ok(gemp_euler_on_device(&result, device, &c->edges, options));
	euler_check_result(c, &result);
	gemp_euler_result_free(&result);
}

static void test_shapes(void **state)
{
	(void)state;
	static const uint32_t spacings[] = { 0, 1, 64 };
	for (int shape = 0; shape < EULER_SHAPES; shape++)
		for (uint64_t k = 0; k < 24; k++) {
			euler_case c;
			euler_case_new(&c, shape, seed + k, k < 22 ? 1 : 60);
			try_case(&c, &(gemp_euler_options){ .spacing = spacings[k % 3], .seed = k, .sources = k % 2 });
			euler_case_free(&c);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
