/* Tests contexts: every rank gets a device and its share of it, and each program is built once on a node. */
#include "comm/comm.h"
#include "core/status.h"
#include "core/timer.h"
#include "device/device.h"
#include "device/launch.h"
#include "device/program.h"
#include "partition/runtime.h"

#include "harness/collective.h"
#include "harness/runtime.h"

#include "core/memory.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char source[] = "__kernel void twice(__global uint *values)\n"
							 "{\n"
							 "	values[get_global_id(0)] *= FACTOR;\n"
							 "}\n";

static const gemp_budgets no_budgets;

static gemp_code run_twice(gemp_runtime *context, gemp_program *program, bool *right)
{
	gemp_code code = GEMP_OK;
	uint32_t values[64];
	cl_kernel kernel = NULL;
	gemp_buffer buffer = { 0 };
	for (uint32_t i = 0; i < 64; i++)
		values[i] = i;
	GEMP_TRY_DONE(gemp_kernel_new(&kernel, program, "twice"));
	GEMP_TRY_DONE(gemp_buffer_new(&buffer, context->device, sizeof values, values));
	GEMP_TRY_DONE(gemp_launch(context->device, kernel, 64, 16, GEMP_ARG(&buffer.mem)));
	GEMP_TRY_DONE(gemp_buffer_read(context->device, &buffer, 0, sizeof values, values));
	*right = true;
	for (uint32_t i = 0; i < 64; i++)
		*right = *right && values[i] == 2 * i;
done:
	gemp_buffer_free(&buffer, context->device);
	if (kernel)
		clReleaseKernel(kernel);
	return code;
}

static void device_of_each_rank(void **state)
{
	gemp_runtime *context = NULL;
	(void)state;
	assert_all_ok(runtime_with_devices(&context, &test_comm, NULL, &no_budgets));
	const gemp_device *device = context->device;
	assert_all(device != NULL);
	assert_all(device->shared_by >= 1 && device->shared_by <= test_comm.node_size);
	assert_all(device->units >= 1 && device->memory > 0 && device->max_buffer <= device->memory);
	uint64_t units = gemp_comm_sum1(&test_comm, device->units), cores = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	if (!device->gpu)
		assert_all(units <= (cores > (uint64_t)test_comm.size ? cores : (uint64_t)test_comm.size));
	gemp_runtime_free(context);
	assert_all(gemp_memory_blocks() == 0);
}

static void program_built_once(void **state)
{
	gemp_runtime *context = NULL;
	gemp_program program;
	char options[64];
	bool right = false;
	(void)state;
	/* The option differs in each run, so the program is not in the cache. */
	uint64_t once = test_comm.rank == 0 ? (uint64_t)getpid() ^ (uint64_t)(gemp_now() * 1e6) << 20 : 0;
	snprintf(options, sizeof options, "-DFACTOR=2 -DONCE=%llu", (unsigned long long)gemp_comm_sum1(&test_comm, once));
	assert_all_ok(runtime_with_devices(&context, &test_comm, NULL, &no_budgets));
	assert_all_ok(gemp_runtime_program(context, &program, source, options));
	uint64_t builds = gemp_comm_sum1(&test_comm, context->program_builds);
	uint64_t nodes = gemp_comm_sum1(&test_comm, test_comm.node_rank == 0);
	assert_all(builds == nodes);
	assert_all_ok(run_twice(context, &program, &right));
	assert_all(right);
	if (test_comm.node_rank == 0)
		assert_ok(gemp_program_store(context->device, &program));
	gemp_program_free(&program);
	/* Programs that ranks build without agreement are also built once on a node. */
	assert_all_ok(gemp_program_new(&program, context->device, source, strcat(options, "1")));
	assert_all(gemp_comm_sum1(&test_comm, !program.cached) == nodes);
	gemp_program_free(&program);
	options[strlen(options) - 1] = '\0';
	assert_all_ok(gemp_runtime_program(context, &program, source, options));
	assert_all(program.cached);
	assert_all_ok(run_twice(context, &program, &right));
	assert_all(right);
	gemp_program_free(&program);
	gemp_runtime_free(context);
	assert_all(gemp_memory_blocks() == 0);
}

static void failed_build_is_agreed_on(void **state)
{
	gemp_runtime *context = NULL;
	gemp_program program;
	(void)state;
	assert_all_ok(runtime_with_devices(&context, &test_comm, NULL, &no_budgets));
	assert_all_code(gemp_runtime_program(context, &program, "__kernel void f(int x) { x = nowhere; }", NULL),
	                GEMP_EINTERNAL);
	assert_message("nowhere");
	gemp_runtime_free(context);
	assert_all(gemp_memory_blocks() == 0);
}

static void unknown_device(void **state)
{
	gemp_runtime *context = NULL;
	(void)state;
	assert_all_ok(gemp_runtime_new(&context, &test_comm, "a device of that name", &no_budgets));
	for (int i = 0; i < 2; i++) { /* the second attempt fails in the same way */
		assert_all_code(gemp_runtime_open_devices(context), GEMP_ENODEVICE);
		assert_message("a device of that name");
		assert_all(!context->device && !context->other_count && !context->devices);
		assert_all(gemp_runtime_device_peak(context) == 0);
	}
	gemp_runtime_free(context);
	assert_all(gemp_memory_blocks() == 0);
}

/* The devices are opened once, and a runtime with the first device alone stays as it is. */
static void devices_are_opened_once(void **state)
{
	(void)state;
	for (int first = 0; first < 2; first++) {
		gemp_runtime *context = NULL;
		assert_all_ok(gemp_runtime_new(&context, &test_comm, "cpu,cpu", &no_budgets));
		assert_all(!context->device && gemp_runtime_device_peak(context) == 0);
		assert_all_ok(first ? gemp_runtime_open_first(context) : gemp_runtime_open_devices(context));
		const gemp_device *device = context->device;
		size_t devices = context->devices;
		assert_all(device && context->first_only == first && devices >= (size_t)test_comm.size);
		assert_all_ok(gemp_runtime_open_devices(context));
		assert_all_ok(gemp_runtime_open_first(context));
		assert_all(context->device == device && context->devices == devices && context->first_only == first);
		gemp_runtime_free(context);
		assert_all(gemp_memory_blocks() == 0);
	}
}

static void small_device_memory(void **state)
{
	gemp_runtime *context = NULL;
	gemp_budgets budgets = { .device_memory = 100000 };
	gemp_buffer buffer;
	(void)state;
	assert_all_ok(runtime_with_devices(&context, &test_comm, NULL, &budgets));
	assert_all_code(gemp_buffer_new(&buffer, context->device, 100001, NULL), GEMP_ENOMEM);
	assert_all_ok(gemp_buffer_new(&buffer, context->device, 50000, NULL));
	gemp_buffer_free(&buffer, context->device);
	gemp_runtime_free(context);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(device_of_each_rank),       cmocka_unit_test(program_built_once),
		cmocka_unit_test(failed_build_is_agreed_on), cmocka_unit_test(unknown_device),
		cmocka_unit_test(devices_are_opened_once),   cmocka_unit_test(small_device_memory),
	};
	return test_main_all(argc, argv, tests);
}
