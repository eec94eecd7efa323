/* Tests the sums of count plans in the other forms of the kernels: for GPUs, with positions of 64 bits, and with
 * bitmaps of several words. The reference works by brute force. */
#include "count_case.h"
#include "device/tuning.h"

static void check_graphs(void)
{
	check_all(hubs(90));
	check_all(random_graph(45, 0.6));
	check_all(hub_and_parallel_edges(90));
	check_all(test_graph_new(1));
	check_all(test_graph_new(40));
	check_all(random_graph(12, 1));
	for (int i = 0; i < (test_comm.size == 1 ? 10 : 1); i++)
		check_all(random_graph(1 + gemp_random_below(&seed, MAX_VERTICES), gemp_random_unit(&seed) * 0.5));
}

/* Runs a check with the kernels for GPUs, in groups of one work-item, because PoCL may be wrong about barriers in
 * loops. Local memory is made so small that some rows do not fit. Does nothing if the device is a GPU. */
static void run_as_on_gpu(void (*what)(void))
{
	gemp_device saved = *context->device, *device = context->device;
	if (device->gpu)
		return;
	device->gpu = true;
	device->max_group = 1;
	device->local_memory = 600;
	gemp_tuning_set(device, "count.triangle.lanes", 1);
	what();
	device->gpu = saved.gpu;
	device->max_group = saved.max_group;
	device->local_memory = saved.local_memory;
	device->tuning = saved.tuning;
}

static void sums_of_a_cpu(void **state)
{
	(void)state;
	check_graphs();
}

static void sums_of_a_gpu(void **state)
{
	(void)state;
	run_as_on_gpu(check_graphs);
}

static void wide_positions(void **state)
{
	(void)state;
	wide = true;
	check_graphs();
	run_as_on_gpu(check_graphs);
	wide = false;
}

/* Cliques whose bitmaps have more than one word. */
static void check_long_rows(void)
{
	static const gemp_count_plan plan = { .sum_count = 3,
		                                  .table_count = 1,
		                                  .sums = { { GEMP_SUM_CLIQUES, .clique = 4, .factor = 1 },
		                                            { GEMP_SUM_CLIQUES, .clique = 5, .factor = 1 },
		                                            { GEMP_SUM_CLIQUES, .clique = 6, .factor = 1 } } };
	test_graph *m = random_graph(MAX_VERTICES, 0.8), *complete = random_graph(MAX_VERTICES, 1);
	build(m);
	check(m, plan);
	build(complete);
	check(complete, (gemp_count_plan){ .sum_count = 2, .table_count = 1, .sums = { plan.sums[0], plan.sums[1] } });
	test_graph_free(m);
	test_graph_free(complete);
}

static void long_rows(void **state)
{
	(void)state;
	check_long_rows();
	run_as_on_gpu(check_long_rows);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(sums_of_a_cpu, open_context),
		cmocka_unit_test(sums_of_a_gpu),
		cmocka_unit_test(wide_positions),
		cmocka_unit_test_teardown(long_rows, close_context),
	};
	return test_main_all(argc, argv, tests);
}
