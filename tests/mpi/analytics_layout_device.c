/* Tests rows that devices make from lists: they must be the bytes that the host makes, for every type of weights, on
 * ranks with and without vertices. If a device has too little memory, the host makes the rows. */
#include "analytics/layout/device_layout.h"
#include "analytics/layout/layout.h"
#include "harness/device_main.h"
#include "harness/gas_case.h"
#include "harness/limits.h"

static gemp_device *device;
static uint64_t made_count; /* layouts that this rank's device has made */

/* Are an array on the device and an array of the host equal? */
static bool same(const gemp_buffer *buffer, const void *expected, size_t size)
{
	char *found = malloc(size + 1);
	bool equal = size == 0 || (gemp_buffer_read(device, buffer, 0, size, found) == GEMP_OK && expected &&
	                           memcmp(found, expected, size) == 0);
	free(found);
	return equal;
}

/* An edge of a row. */
typedef struct end_and_weight {
	uint32_t end;
	unsigned char weight[8];
} end_and_weight;

static int compare_ends(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(end_and_weight));
}

/* The edges of all rows, where equal ends of a row are in the order of their weights. */
static end_and_weight *sorted_edges(const uint64_t *begin, uint32_t rows, const uint32_t *end, const void *weight,
                                    size_t size)
{
	end_and_weight *edges = calloc(begin[rows] + 1, sizeof *edges);
	for (uint64_t e = 0; e < begin[rows]; e++) {
		edges[e].end = end[e];
		if (size)
			memcpy(edges[e].weight, (const char *)weight + e * size, size);
	}
	for (uint32_t row = 0; row < rows; row++)
		qsort(edges + begin[row], begin[row + 1] - begin[row], sizeof *edges, compare_ends);
	return edges;
}

/* Parallel edges of rows by source may have any order. */
static bool same_edges(const gemp_device_rows *rows, const gemp_layout_rows *expected, size_t size)
{
	const size_t count = (size_t)gemp_layout_row_edges(expected);
	uint32_t *end = calloc(count + 1, sizeof *end);
	char *weight = calloc(count + 1, size + 1);
	bool right = count == 0 ||
	             (gemp_buffer_read(device, &rows->end, 0, count * sizeof *end, end) == GEMP_OK &&
	              (size == 0 || gemp_buffer_read(device, &rows->weight, 0, count * size, weight) == GEMP_OK));
	end_and_weight *a = sorted_edges(expected->begin, expected->rows, end, weight, size);
	end_and_weight *b = sorted_edges(expected->begin, expected->rows, expected->end, expected->weight, size);
	right = right && memcmp(a, b, count * sizeof *a) == 0;
	for (uint32_t row = 0; row < expected->rows; row++)
		for (uint64_t e = expected->begin[row] + 1; e < expected->begin[row + 1]; e++)
			right &= end[e - 1] <= end[e];
	free(a);
	free(b);
	free(end);
	free(weight);
	return right;
}

static const char *wrong_rows(const gemp_device_rows *rows, const gemp_layout_rows *offsets,
                              const gemp_layout_rows *expected, size_t weight_size, bool by_source)
{
	const size_t edges = (size_t)gemp_layout_row_edges(expected);
	bool right = true;
	uint32_t *begin = malloc(((size_t)expected->rows + 1) * sizeof *begin);
	for (uint32_t row = 0; row <= expected->rows; row++) {
		begin[row] = (uint32_t)expected->begin[row];
		right &= offsets->begin[row] == expected->begin[row];
	}
	right &= rows->rows == expected->rows && rows->edges == edges;
	right = right && same(&rows->begin, begin, ((size_t)expected->rows + 1) * sizeof *begin);
	free(begin);
	if (!right)
		return "offsets";
	if (by_source)
		return same_edges(rows, expected, weight_size) ? NULL : "edges by source";
	if (!same(&rows->end, expected->end, edges * sizeof *expected->end))
		return "ends";
	return same(&rows->weight, expected->weight, edges * weight_size) ? NULL : "weights";
}

/* Collective. Compares the rows of a layout on the device with those of a layout on the host. */
static const char *wrong_layout(const gemp_layout *layout, const gemp_layout *host, unsigned parts)
{
	gemp_device_layout on_device;
	const size_t size = gemp_layout_weight_size(layout->weights);
	const char *wrong = NULL;
	if (gemp_device_layout_new(&on_device, device, layout, parts) != GEMP_OK)
		return "no layout on the device";
	if (layout->known != host->known || memcmp(layout->id, host->id, layout->known * sizeof *layout->id))
		wrong = "order";
	if (!wrong && host->out_weight &&
	    (!layout->out_weight || memcmp(layout->out_weight, host->out_weight, host->own * sizeof(double))))
		wrong = "sums of weights";
	if (!wrong)
		wrong = wrong_rows(&on_device.in, &layout->in, &host->in, size, false);
	if (!wrong)
		wrong = wrong_rows(&on_device.in_ghost, &layout->in_ghost, &host->in_ghost, size, false);
	if (!wrong && parts & GEMP_LAYOUT_OUT)
		wrong = wrong_rows(&on_device.out, &layout->out, &host->out, size, true);
	gemp_device_layout_free(&on_device);
	return wrong;
}

/* Collective. `memory`: bytes of the device that are free while the layout is made. */
static void check(gas_case *c, gemp_layout_options how, size_t memory)
{
	gemp_layout host, layout;
	const size_t all = device->memory;
	how.device = NULL;
	assert_all_ok(gemp_layout_new(&host, &test_comm, c->graph, &how));
	how.device = device;
	device->memory = gemp_min(all, device->buffer_bytes + memory);
	assert_all_ok(gemp_layout_new(&layout, &test_comm, c->graph, &how));
	device->memory = all;
	made_count += layout.made != NULL;
	const char *wrong = wrong_layout(&layout, &host, how.parts);
	if (wrong)
		print_error("%s: %s, weight %s, direction %d\n", c->name, wrong, how.weight ? how.weight : "none",
		            (int)how.direction);
	assert_all(!wrong);
	gemp_layout_free(&layout);
	gemp_layout_free(&host);
}

static void random_graphs(void **state)
{
	(void)state;
	static const char *const weights[] = { NULL, "weight", "cost" };
	uint64_t seed = test_seed_all();
	const size_t blocks = gemp_memory_blocks();
	made_count = 0;
	TEST_LIMIT(renumber_min, 1);
	for (int i = 0; i < 6 * GAS_SHAPES; i++) {
		gas_case c;
		uint64_t random = seed + (uint64_t)i;
		assert_all_ok(gas_case_new(&c, &test_comm, i % GAS_SHAPES, random, i % 5 == 4 ? 20 : 1));
		TEST_LIMIT(csr_lanes, i % 2 ? 4 : 0);
		TEST_LIMIT(transfer_chunk, i % 3 ? gemp_limits_default.transfer_chunk : 64);
		check(&c,
		      (gemp_layout_options){ .direction = (gemp_edge_direction)gemp_random_below(&random, 3),
		                             .parts = GEMP_LAYOUT_IN | (gemp_random_below(&random, 4) ? GEMP_LAYOUT_OUT : 0u) |
		                                      (gemp_random_below(&random, 2) ? GEMP_LAYOUT_OUT_WEIGHT : 0u),
		                             .weight = weights[gemp_random_below(&random, 3)],
		                             .wanted = (gemp_layout_weight_kind)gemp_random_below(&random, 3) },
		      device->memory);
		gas_case_free(&c);
	}
	TEST_LIMIT_DEFAULT(csr_lanes);
	TEST_LIMIT_DEFAULT(transfer_chunk);
	TEST_LIMIT_DEFAULT(renumber_min);
	assert_all(gemp_comm_sum1(&test_comm, made_count) > 0);
	assert_all(gemp_memory_blocks() == blocks);
}

/* The device has memory for the arcs, as far as can be seen before, but not for the maps of many vertices. */
static void memory_of_the_device_may_run_out(void **state)
{
	(void)state;
	gas_case c = { .n = 20000 };
	uint64_t random = 1;
	gas_case_edge(&c, &random, 0, 1);
	gas_case_edge(&c, &random, 1, 2);
	assert_all_ok(gas_case_build(&c, &test_comm, 1));
	TEST_LIMIT(renumber_min, 1);
	made_count = 0;
	const gemp_layout_options how = { .direction = GEMP_EITHER_WAY,
		                              .parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT,
		                              .weight = "weight" };
	check(&c, how, 500);
	assert_all(made_count == 0);
	check(&c, how, device->memory);
	assert_all(gemp_comm_sum1(&test_comm, made_count) > 0);
	TEST_LIMIT_DEFAULT(renumber_min);
	gas_case_free(&c);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_graphs),
		cmocka_unit_test(memory_of_the_device_may_run_out),
	};
	return test_main_on_device(argc, argv, tests, sizeof tests / sizeof *tests, &device);
}
