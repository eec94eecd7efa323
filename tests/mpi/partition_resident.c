/* Tests resident rows. Requests for the same views must get the same rows while these are in use or kept by the
 * context. */
#include "comm/comm.h"
#include "core/log.h"
#include "core/status.h"
#include "core/types.h"
#include "device/device.h"
#include "graph/graph.h"
#include "partition/runtime.h"
#include "partition/views/resident.h"
#include "partition/views/view.h"

#include "core/memory.h"
#include "core/random.h"
#include "graph_fixture.h"
#include "harness/limits.h"
#include "harness/runtime.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static const bool first_two[8] = { true, true }, last[8] = { false, false, true };

static const gemp_view_key either = { first_two, GEMP_VIEW_EITHER, true, false };
static const gemp_view_key with_edges = { first_two, GEMP_VIEW_EITHER, true, true };
static const gemp_view_key multi = { first_two, GEMP_VIEW_EITHER, false, false };
static const gemp_view_key out = { first_two, GEMP_VIEW_OUT, true, false };
static const gemp_view_key other = { last, GEMP_VIEW_EITHER, true, false };

/* A context and a graph. */
typedef struct resident_case {
	gemp_runtime *context;
	gemp_shard *graph;
	size_t held; /* bytes on the device before any rows are there */
} resident_case;

static void resident_case_on(resident_case *f, gemp_comm *comm, size_t vertices, size_t edges, size_t device_memory)
{
	fixture made = fixture_new(vertices, edges, KEYS_INTEGER, 7);
	gemp_builder_options options = { .seed = 7 };
	const gemp_budgets budgets = { .device_memory = device_memory };
	assert_all_ok(runtime_with_devices(&f->context, comm, NULL, &budgets));
	assert_all_ok(fixture_build(&f->graph, &made, comm, &options, 7));
	f->held = f->context->device->buffer_bytes;
	fixture_free(&made);
}

static void resident_case_new(resident_case *f, size_t vertices, size_t edges, size_t device_memory)
{
	resident_case_on(f, &test_comm, vertices, edges, device_memory);
}

static void resident_case_free(resident_case *f)
{
	gemp_runtime_free(f->context);
	gemp_shard_free(f->graph);
	assert_all(gemp_memory_blocks() == 0);
}

static gemp_resident *get(const resident_case *f, const gemp_view_key *keys, size_t count, int64_t replicate)
{
	gemp_resident *resident = NULL;
	assert_all_ok(gemp_resident_get(&resident, f->context, f->graph, keys, count, replicate));
	return resident;
}

static void same_views_get_same_rows(void **state)
{
	(void)state;
	resident_case f;
	resident_case_new(&f, 40, 120, 0);
	gemp_resident *a = get(&f, &with_edges, 1, GEMP_REPLICATE_ALL);
	const gemp_view_key *const others[] = { &multi, &out, &other };
	gemp_resident *b = get(&f, &with_edges, 1, GEMP_REPLICATE_ALL), *c = get(&f, &either, 1, GEMP_REPLICATE_ALL);
	assert_all(a == b && a == c && a->view_count == 1 && a->views[0].edges);
	assert_all(a->residency.hot == 40 || test_comm.size == 1);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		gemp_resident *d = get(&f, others[i], 1, GEMP_REPLICATE_ALL);
		assert_all(d != a && !d->views[0].edges);
		gemp_resident_release(d);
	}
	gemp_resident *none = get(&f, &either, 1, 0);
	const gemp_view_key two[] = { either, out };
	gemp_resident *both = get(&f, two, 2, GEMP_REPLICATE_ALL);
	assert_all(none != a && both != a && both->view_count == 2);
	gemp_resident_release(both);
	gemp_resident_release(none);
	gemp_resident_release(a);
	gemp_resident_release(b);
	assert_all(f.context->resident == c);
	gemp_resident_release(c);
	assert_all(f.context->resident == NULL && f.context->device->buffer_bytes == f.held);
	resident_case_free(&f);
}

/* A view without edge numbers is not used for a request that needs edge numbers. */
static void edge_numbers_need_new_rows(void **state)
{
	(void)state;
	resident_case f;
	resident_case_new(&f, 40, 120, 0);
	gemp_resident *a = get(&f, &either, 1, GEMP_REPLICATE_AUTO), *b = get(&f, &with_edges, 1, GEMP_REPLICATE_AUTO);
	assert_all(a != b && !a->views[0].edges && b->views[0].edges);
	gemp_resident_release(b);
	gemp_resident_release(a);
	resident_case_free(&f);
}

/* Does the device have the same rows as the host? */
static bool same_on_device(const gemp_view *view, gemp_device *device)
{
	size_t entries = (size_t)view->begin[view->rows];
	uint32_t *begin = calloc(view->rows + 1, sizeof *begin);
	gemp_vertex *neighbours = calloc(entries + 1, sizeof *neighbours);
	gemp_code code = gemp_buffer_read(device, &view->device_begin, 0, (view->rows + 1) * sizeof *begin, begin);
	if (code == GEMP_OK)
		code = gemp_buffer_read(device, &view->device_neighbours, 0, entries * sizeof *neighbours, neighbours);
	bool same = code == GEMP_OK && memcmp(neighbours, view->neighbours, entries * sizeof *neighbours) == 0;
	for (size_t row = 0; row <= view->rows; row++)
		same = same && begin[row] == view->begin[row];
	free(begin);
	free(neighbours);
	return same;
}

static void check_upload(void)
{
	resident_case f;
	resident_case_new(&f, 40, 120, 0);
	gemp_resident *a = get(&f, &with_edges, 1, GEMP_REPLICATE_AUTO);
	gemp_view *view = &a->views[0];
	assert_all_ok(gemp_view_upload(view, f.context->device, a->wide));
	size_t held = f.context->device->buffer_bytes;
	cl_mem buffer = view->device_neighbours.mem;
	assert_all(!a->wide && held > f.held && same_on_device(view, f.context->device) && view->device_edges.mem);
	assert_all_ok(gemp_view_upload(view, f.context->device, a->wide));
	assert_all(f.context->device->buffer_bytes == held && view->device_neighbours.mem == buffer);
	gemp_resident_release(a);
	assert_all(f.context->device->buffer_bytes == f.held);
	resident_case_free(&f);
}

static void rows_are_uploaded_once(void **state)
{
	(void)state;
	check_upload();
	TEST_LIMIT(shared_min, 0);
	check_upload();
	TEST_LIMIT(shared_min, SIZE_MAX);
}

/* The rows exceed the memory of one rank, but fit if the ranks of a node share them. */
static void rows_are_shared_on_a_node(void **state)
{
	(void)state;
	resident_case f;
	enum { MEMORY = 30000 };
	resident_case_new(&f, 100, 3000, MEMORY);
	bool shared = test_comm.size > 1 && !f.context->device->gpu;
	for (int turn = 0; turn < 2; turn++) {
		TEST_LIMIT(shared_min, turn ? 0 : SIZE_MAX);
		gemp_resident *a = get(&f, &either, 1, GEMP_REPLICATE_AUTO);
		assert_all((a->residency.hot == 100) == (test_comm.size == 1 || (turn && shared)));
		assert_all(gemp_resident_sharers(a) == (turn && shared ? test_comm.size : 1));
		if (turn && shared) {
			assert_all_ok(gemp_view_upload(&a->views[0], f.context->device, a->wide));
			assert_all(f.context->device->buffer_bytes - f.held <= MEMORY / 2 &&
			           same_on_device(&a->views[0], f.context->device));
			assert_int_equal(gemp_comm_sum1(&test_comm, a->bytes),
			                 a->views[0].begin[100] * sizeof(gemp_vertex) + 100 * sizeof(uint64_t));
		}
		gemp_resident_release(a);
	}
	TEST_LIMIT(shared_min, SIZE_MAX);
	assert_all(f.context->device->buffer_bytes == f.held);
	resident_case_free(&f);
}

/* Stands in front of the system's call. Rank 0's system has no pages for a window: of a window with fewer pages than
 * ranks, only the first ranks request some. */
static bool refuses_pages;

int madvise(void *address, size_t length, int advice)
{
	if (refuses_pages) {
		errno = ENOMEM;
		return -1;
	}
	return (int)syscall(SYS_madvise, address, length, advice);
}

/* A node has no memory for the window that its ranks have agreed on: each rank holds the rows that it can hold alone,
 * and the next request shares rows again. */
static void window_cannot_be_made(void **state)
{
	(void)state;
	resident_case f;
	enum { MEMORY = 30000 };
	resident_case_new(&f, 100, 3000, MEMORY);
	const bool shares = test_comm.size > 1 && !f.context->device->gpu;
	TEST_LIMIT(shared_min, 0);
	for (int turn = 0; turn < 2; turn++) {
		refuses_pages = turn == 0 && test_comm.rank == 0;
		gemp_resident *a = get(&f, &either, 1, GEMP_REPLICATE_AUTO);
		refuses_pages = false;
		assert_all((a->residency.hot == 100) == (test_comm.size == 1 || (turn && shares)));
		assert_all(gemp_resident_sharers(a) == (turn && shares ? test_comm.size : 1));
		assert_all(test_comm.size == 1 || turn || a->replica_bytes <= MEMORY / 2);
		gemp_resident_release(a);
		gemp_resident_evict(f.context);
	}
	TEST_LIMIT(shared_min, SIZE_MAX);
	resident_case_free(&f);
}

/* The last rank is alone on its node, so it shares rows with no rank. It learns that another node has no window. */
static void window_cannot_be_made_on_one_node(void **state)
{
	(void)state;
	resident_case f;
	gemp_comm nodes = test_comm;
	const bool last_rank = test_comm.rank == test_comm.size - 1;
	GEMP_MPI(MPI_Comm_split(test_comm.world, last_rank, test_comm.rank, &nodes.node));
	GEMP_MPI(MPI_Comm_rank(nodes.node, &nodes.node_rank));
	GEMP_MPI(MPI_Comm_size(nodes.node, &nodes.node_size));
	resident_case_on(&f, &nodes, 100, 3000, 1 << 20);
	const bool shares = test_comm.size > 2 && !f.context->device->gpu;
	TEST_LIMIT(shared_min, 0);
	for (int turn = 0; turn < 2; turn++) {
		refuses_pages = turn == 0 && test_comm.rank == 0;
		gemp_resident *a = get(&f, &either, 1, GEMP_REPLICATE_AUTO);
		refuses_pages = false;
		assert_all(a->residency.hot == 100 && a->views[0].rows == 100);
		assert_all(gemp_resident_sharers(a) == (turn && shares ? nodes.node_size : 1));
		gemp_resident_release(a);
		gemp_resident_evict(f.context);
	}
	TEST_LIMIT(shared_min, SIZE_MAX);
	resident_case_free(&f);
	GEMP_MPI(MPI_Comm_free(&nodes.node));
}

static void rows_are_kept_for_next_request(void **state)
{
	(void)state;
	resident_case f;
	resident_case_new(&f, 40, 120, 0);
	f.context->keep_resident = true;
	gemp_resident *a = get(&f, &either, 1, GEMP_REPLICATE_AUTO);
	assert_all_ok(gemp_view_upload(&a->views[0], f.context->device, a->wide));
	gemp_resident_release(a);
	gemp_resident *b = get(&f, &out, 1, GEMP_REPLICATE_AUTO);
	assert_all(get(&f, &either, 1, GEMP_REPLICATE_AUTO) == a && a->views[0].device && b != a);
	gemp_resident_release(a);
	gemp_resident_evict(f.context);
	assert_all(f.context->resident == b && !b->next);
	gemp_resident_release(b);
	assert_all(f.context->resident == b); /* the context frees them */
	resident_case_free(&f);
}

/* Unused rows are evicted if memory runs short. The rows that were used most recently are the first in the list and are
 * evicted last. */
static void old_rows_are_evicted(void **state)
{
	(void)state;
	resident_case f;
	enum { MEMORY = 60000 };
	resident_case_new(&f, 100, 3000, MEMORY);
	f.context->keep_resident = true;
	const gemp_view_key *const keys[] = { &either, &out, &multi, &other };
	size_t listed = 0;
	for (size_t i = 0; i < 12; i++) {
		gemp_resident *r = get(&f, keys[i % 4], 1, GEMP_REPLICATE_ALL);
		assert_all_ok(gemp_view_upload(&r->views[0], f.context->device, r->wide));
		assert_all(f.context->resident == r && f.context->device->buffer_bytes <= MEMORY);
		gemp_resident_release(r);
	}
	for (const gemp_resident *r = f.context->resident; r; r = r->next)
		listed++;
	assert_all(listed >= 1 && listed < 4);
	resident_case_free(&f);
}

/* The maximum number of entries of a row that are less (part 0) or greater (part 1) than the row's number. */
static uint32_t longest_part(const gemp_view *view, int part)
{
	uint32_t longest = 0;
	for (size_t row = 0; row < view->rows; row++) {
		uint32_t entries = 0;
		for (uint64_t e = view->begin[row]; e < view->begin[row + 1]; e++)
			entries += part ? view->neighbours[e] > row : view->neighbours[e] < row;
		longest = (uint32_t)gemp_max(longest, entries);
	}
	return longest;
}

/* Compares the rows that a renumbering makes, on the host and on the device, with the rows of gemp_view_new. Returns
 * whether the device has made them. */
static bool compare_views(const resident_case *f, const gemp_view_key *key, size_t chunk)
{
	TEST_LIMIT(renumber_min, UINT64_MAX);
	gemp_resident *host = get(f, key, 1, GEMP_REPLICATE_ALL);
	TEST_LIMIT(renumber_min, 1);
	TEST_LIMIT(renumber_chunk, chunk);
	f->context->resident = NULL; /* hides the host's rows from the next request */
	gemp_resident *device = get(f, key, 1, GEMP_REPLICATE_ALL);
	gemp_view *made = &device->views[0], own;
	assert_all_ok(gemp_view_new(&own, &test_comm, f->graph, &host->order, &host->residency, key));
	const gemp_view *view = &host->views[0];
	bool on_device = !made->neighbours;
	assert_all_ok(gemp_view_upload(made, f->context->device, device->wide));
	assert_all_ok(gemp_resident_to_host(device));
	assert_all(made->rows == view->rows && made->loops == view->loops && device->wide == host->wide &&
	           device->bytes == host->bytes);
	assert_all(memcmp(made->begin, view->begin, (view->rows + 1) * sizeof *view->begin) == 0);
	assert_all(memcmp(made->neighbours, view->neighbours, view->begin[view->rows] * sizeof *view->neighbours) == 0);
	for (int part = 0; part < 2 && on_device; part++)
		assert_true(made->longest[part] == longest_part(view, part));
	assert_all(own.rows == view->rows && own.loops == view->loops &&
	           memcmp(own.begin, view->begin, (view->rows + 1) * sizeof *view->begin) == 0 &&
	           memcmp(own.neighbours, view->neighbours, view->begin[view->rows] * sizeof *view->neighbours) == 0);
	gemp_view_free(&own);
	gemp_resident_release(device);
	f->context->resident = host;
	gemp_resident_release(host);
	TEST_LIMIT_DEFAULT(renumber_min);
	TEST_LIMIT_DEFAULT(renumber_chunk);
	return on_device;
}

/* Half of the graphs are so small that most ranks have no vertices. Offsets are shared by the ranks in every second
 * graph, and devices exchange in chunks in two of four. */
static void a_device_makes_rows(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	size_t made = 0, trials = 0;
	for (int round = 0; round < 8; round++) {
		resident_case f;
		TEST_LIMIT(shared_min, round % 2 ? 0 : SIZE_MAX);
		TEST_LIMIT(device_exchange_chunks, round / 2 % 2);
		TEST_LIMIT(device_exchange_chunk, 1 + gemp_random_below(&random, 500));
		resident_case_new(&f, 1 + gemp_random_below(&random, round / 4 ? 300 : 4),
		                  gemp_random_below(&random, round % 2 ? 4000 : 60), 0);
		const gemp_view_key *const keys[] = { &either, &with_edges, &multi, &out, &other };
		for (int k = 0; k < 5; k++, trials++) {
			/* from the third view on some relations have merged rows, as a symmetric relation of a file has */
			for (size_t r = 0; r < f.graph->relation_count && k >= 2; r++)
				if (gemp_random_below(&random, 3) == 0)
					assert_all_ok(gemp_shard_load_relation(f.graph, r, GEMP_LOAD_EITHER));
			made += compare_views(&f, keys[k], 1 + gemp_random_below(&random, k % 2 ? 40 : 3000));
		}
		resident_case_free(&f);
	}
	TEST_LIMIT(shared_min, SIZE_MAX);
	TEST_LIMIT_DEFAULT(device_exchange_chunks);
	TEST_LIMIT_DEFAULT(device_exchange_chunk);
	assert_true(made >= 3 && made < trials);
}

/* Devices without memory to sort rows leave them to the hosts. */
static void small_devices_make_no_rows(void **state)
{
	(void)state;
	resident_case f;
	TEST_LIMIT(renumber_min, 1);
	resident_case_new(&f, 100, 3000, 30000);
	gemp_resident *a = get(&f, &out, 1, GEMP_REPLICATE_ALL);
	assert_all(a->views[0].neighbours && !a->views[0].device && a->residency.hot == 100);
	gemp_resident_release(a);
	resident_case_free(&f);
	TEST_LIMIT_DEFAULT(renumber_min);
}

typedef struct row_request {
	const resident_case *f;
	int64_t replicate;
} row_request;

static gemp_code get_and_release(void *argument)
{
	row_request *a = argument;
	gemp_resident *resident = NULL;
	const gemp_view_key two[] = { with_edges, out };
	gemp_code code = gemp_resident_get(&resident, a->f->context, a->f->graph, two, 2, a->replicate);
	gemp_resident_release(resident);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	resident_case f;
	resident_case_new(&f, 12, 8, 0);
	assert_all_survive_no_memory(get_and_release, &((row_request){ &f, 0 }));
	assert_all_survive_no_memory(get_and_release, &((row_request){ &f, GEMP_REPLICATE_ALL }));
	assert_all(f.context->resident == NULL);
	TEST_LIMIT(renumber_min, 1);
	assert_all_survive_no_memory(get_and_release, &((row_request){ &f, GEMP_REPLICATE_ALL }));
	TEST_LIMIT_DEFAULT(renumber_min);
	resident_case_free(&f);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_views_get_same_rows),
		cmocka_unit_test(edge_numbers_need_new_rows),
		cmocka_unit_test(rows_are_uploaded_once),
		cmocka_unit_test(rows_are_shared_on_a_node),
		cmocka_unit_test(window_cannot_be_made),
		cmocka_unit_test(window_cannot_be_made_on_one_node),
		cmocka_unit_test(rows_are_kept_for_next_request),
		cmocka_unit_test(old_rows_are_evicted),
		cmocka_unit_test(a_device_makes_rows),
		cmocka_unit_test(small_devices_make_no_rows),
		cmocka_unit_test(memory_may_run_out),
	};
	TEST_LIMIT(shared_min, SIZE_MAX);
	gemp_log_set_level(GEMP_QUIET); /* hides warnings about reciprocal edges */
	return test_main_all(argc, argv, tests);
}
