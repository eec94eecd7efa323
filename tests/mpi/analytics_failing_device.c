/* Tests a device that fails in the middle of an engine's rounds. The device of one rank refuses a command, and all
 * commands after it. Every rank must then return the same code with that rank's message, and no rank may hang. The
 * calls of OpenCL below stand in front of those of the ICD loader. */
#include "analytics/dense/pagerank.h"
#include "analytics/dense/spmv.h"
#include "analytics/layout/layout.h"
#include "analytics/traversal/bfs.h"
#include "analytics/traversal/sssp.h"
#include "harness/device_main.h"
#include "harness/gas_case.h"
#include "harness/limits.h"

#include <dlfcn.h>

static gemp_device *device;

/* THE DEVICE. Commands are counted while an engine runs. From number `refused` on they fail. */
static bool counting;
static uint64_t commands, refused;

static bool refuses(void)
{
	return counting && commands++ >= refused;
}

/* Defines a call that fails like a GPU whose kernel has accessed memory that it may not access. */
#define FAILING(name, parameters, ...)                              \
	cl_int name parameters                                          \
	{                                                               \
		cl_int(*real) parameters = NULL;                            \
		*(void **)&real = dlsym(RTLD_NEXT, #name);                  \
		return refuses() ? CL_OUT_OF_RESOURCES : real(__VA_ARGS__); \
	}
FAILING(clEnqueueNDRangeKernel,
        (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global,
         const size_t *local, cl_uint count, const cl_event *list, cl_event *event),
        queue, kernel, dimensions, offset, global, local, count, list, event)
FAILING(clEnqueueReadBuffer,
        (cl_command_queue queue, cl_mem buffer, cl_bool wait, size_t offset, size_t size, void *to, cl_uint count,
         const cl_event *list, cl_event *event),
        queue, buffer, wait, offset, size, to, count, list, event)
FAILING(clEnqueueWriteBuffer,
        (cl_command_queue queue, cl_mem buffer, cl_bool wait, size_t offset, size_t size, const void *from,
         cl_uint count, const cl_event *list, cl_event *event),
        queue, buffer, wait, offset, size, from, count, list, event)
FAILING(clEnqueueFillBuffer,
        (cl_command_queue queue, cl_mem buffer, const void *pattern, size_t length, size_t offset, size_t size,
         cl_uint count, const cl_event *list, cl_event *event),
        queue, buffer, pattern, length, offset, size, count, list, event)

/* The commands have ended before the failure is reported, since the engine releases their memory. */
cl_int clWaitForEvents(cl_uint count, const cl_event *events)
{
	cl_int (*real)(cl_uint, const cl_event *) = NULL;
	*(void **)&real = dlsym(RTLD_NEXT, "clWaitForEvents");
	const cl_int result = real(count, events);
	return refuses() ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : result;
}

cl_int clFinish(cl_command_queue queue)
{
	cl_int (*real)(cl_command_queue) = NULL;
	*(void **)&real = dlsym(RTLD_NEXT, "clFinish");
	const cl_int result = real(queue);
	return refuses() ? CL_OUT_OF_RESOURCES : result;
}

/* THE ENGINES */

typedef gemp_code run_engine(const gemp_layout *layout);

/* Collective. An engine is made without failures, and runs with them. */
#define RUN(engine, make, run, ...)       \
	do {                                  \
		gemp_##engine *it = NULL;         \
		gemp_##engine##_result r = { 0 }; \
		GEMP_TRY(make);                   \
		counting = true;                  \
		const gemp_code code = run;       \
		counting = false;                 \
		__VA_ARGS__;                      \
		gemp_##engine##_free(it);         \
		return code;                      \
	} while (0)

static gemp_code run_pagerank(const gemp_layout *layout)
{
	RUN(pagerank, gemp_pagerank_new(&it, layout, device, &(gemp_dense_options){ .gather = GEMP_GATHER_PULL }),
	    gemp_pagerank_run(it, &(gemp_pagerank_params){ .85, 0, 5, NULL }, &r), gemp_pagerank_result_free(&r));
}

static gemp_code run_spmv(const gemp_layout *layout)
{
	RUN(spmv, gemp_spmv_new(&it, layout, device, &(gemp_dense_options){ .gather = GEMP_GATHER_BINNED, .fp64 = true }),
	    gemp_spmv_run(it, &(gemp_spmv_params){ .rounds = 3, .normal = true }, &r), gemp_spmv_result_free(&r));
}

static gemp_code run_bfs(const gemp_layout *layout)
{
	RUN(bfs, gemp_bfs_new(&it, layout, device, NULL), gemp_bfs_run(it, 0, &r));
}

static gemp_code run_sssp(const gemp_layout *layout)
{
	RUN(sssp, gemp_sssp_new(&it, layout, device, &(gemp_sssp_options){ .delta = 2, .naming = GEMP_SSSP_NAMING_AFTER }),
	    gemp_sssp_run(it, 0, &r));
}

/* Collective. Lets every command be the first that fails, each on a random rank. */
static void check_engine(const gemp_layout *layout, run_engine *run, uint64_t *random)
{
	commands = 0;
	refused = UINT64_MAX;
	assert_all_ok(run(layout));
	const uint64_t own = commands;
	uint64_t most = own;
	gemp_comm_max(&test_comm, &most, 1);
	assert_all(own > 4);
	for (uint64_t i = 0; i < most; i++) {
		const uint64_t rank = gemp_random_below(random, (uint64_t)test_comm.size);
		commands = 0;
		refused = rank == (uint64_t)test_comm.rank ? i % own : UINT64_MAX;
		assert_all_code(run(layout), GEMP_EINTERNAL);
		assert_all(strstr(gemp_message(), "OpenCL error") != NULL);
	}
	refused = UINT64_MAX;
	assert_all_ok(run(layout));
}

static void check_all_engines(uint64_t seed)
{
	static run_engine *const engines[] = { run_pagerank, run_spmv, run_bfs, run_sssp };
	uint64_t random = seed;
	for (int i = 0; i < 4; i++) {
		gas_case c;
		gemp_layout layout;
		const gemp_layout_options how = { .direction = GEMP_EITHER_WAY,
			                              .parts = GEMP_LAYOUT_IN | (i < 2 ? 0u : GEMP_LAYOUT_OUT),
			                              .weight = i == 3 ? "weight" : NULL };
		assert_all_ok(gas_case_new(&c, &test_comm, 4, seed, 1));
		assert_all_ok(gemp_layout_new(&layout, &test_comm, c.graph, &how));
		check_engine(&layout, engines[i], &random);
		gemp_layout_free(&layout);
		gas_case_free(&c);
	}
}

static void kernels_pack(void **state)
{
	(void)state;
	TEST_LIMIT(halo_kernels, 1);
	check_all_engines(test_seed_all());
	TEST_LIMIT_DEFAULT(halo_kernels);
}

static void threads_pack(void **state)
{
	(void)state;
	check_all_engines(test_seed_all());
}

static void messages(void **state)
{
	(void)state;
	TEST_LIMIT(halo_kernels, 1);
	TEST_LIMIT(halo_shared, 0);
	check_all_engines(test_seed_all());
	TEST_LIMIT_DEFAULT(halo_shared);
	TEST_LIMIT_DEFAULT(halo_kernels);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_pack),
		cmocka_unit_test(threads_pack),
		cmocka_unit_test(messages),
	};
	return test_main_on_device(argc, argv, tests, sizeof tests / sizeof *tests, &device);
}
