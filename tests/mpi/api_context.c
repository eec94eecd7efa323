/* Tests contexts of the public library and their options: contexts one after another, several contexts at once, and
 * contexts over all or some ranks. */
#include "api_case.h"

#include <signal.h>

/* Counts on a device, which a context opens at its first use. */
static uint64_t count_pattern(gemp_graph *graph, const char *pattern)
{
	gemp_query *query = NULL;
	gemp_query_result result = { 0 };
	gemp_query_settings settings;
	gemp_query_settings_init(&settings);
	settings.place = GEMP_PLACE_DEVICE;
	gemp_code code = gemp_query_open_pattern(&query, graph, pattern, &settings);
	if (code == GEMP_OK)
		code = gemp_query_count(query, &result, NULL);
	gemp_query_close(query);
	return code == GEMP_OK ? result.matches : UINT64_MAX;
}

static bool same_everywhere(uint64_t value)
{
	uint64_t range[2] = { value, ~value };
	MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_UINT64_T, MPI_MAX, test_comm.world);
	return range[0] == ~range[1];
}

static void contexts_one_after_another(void **state)
{
	(void)state;
	uint64_t random = 3, first = 0;
	api_case *c = api_case_new(15, 60, false, &random);
	for (int i = 0; i < 4; i++) {
		gemp_context *context = NULL;
		gemp_graph *graph = NULL;
		MPI_Comm comm = i % 2 ? MPI_COMM_SELF : MPI_COMM_WORLD;
		assert_all_ok(gemp_context_open(&context, comm, NULL));
		assert_all(gemp_context_size(context) == (i % 2 ? 1 : test_comm.size));
		assert_all(gemp_context_rank(context) == (i % 2 ? 0 : test_comm.rank));
		assert_all_ok(api_build(&graph, context, c, SPLIT_TURNS));
		uint64_t found = count_pattern(graph, "triangle");
		first = i ? first : found;
		assert_all(found == first && found != UINT64_MAX && same_everywhere(found));
		gemp_graph_close(graph);
		gemp_context_close(context);
		assert_all(gemp_memory_blocks() == 0);
	}
	gemp_context_close(NULL);
	api_case_free(c);
}

/* Three contexts exist at once: one over all ranks, one over each rank alone, and one over the ranks of the same
 * parity. */
static void several_contexts_at_once(void **state)
{
	(void)state;
	uint64_t random = 5;
	enum { CONTEXTS = 3 };
	gemp_context *context[CONTEXTS] = { NULL };
	gemp_graph *graph[CONTEXTS] = { NULL };
	api_case *c[CONTEXTS];
	MPI_Comm half;
	MPI_Comm_split(MPI_COMM_WORLD, test_comm.rank % 2, -test_comm.rank, &half);
	const MPI_Comm comms[CONTEXTS] = { MPI_COMM_WORLD, MPI_COMM_SELF, half };
	for (int k = 0; k < CONTEXTS; k++) {
		c[k] = api_case_new(10 + 5 * (size_t)k, 60, true, &random);
		assert_all_ok(gemp_context_open(&context[k], comms[k], NULL));
	}
	MPI_Comm_free(&half); /* the context has duplicated the communicator */
	for (int k = CONTEXTS; k-- > 0;)
		assert_all_ok(api_build(&graph[k], context[k], c[k], SPLIT_TURNS));
	for (int again = 0; again < 2; again++)
		for (int k = 0; k < CONTEXTS; k++) {
			gemp_columns *columns = NULL;
			uint64_t components = 0, found = count_pattern(graph[k], "triangle");
			assert_all(found != UINT64_MAX && same_everywhere(found)); /* both halves have the same graph */
			assert_all_ok(gemp_graph_components(&columns, graph[k], NULL, NULL, &components, NULL));
			assert_all(same_everywhere(components) && components > 0);
			gemp_columns_close(columns);
			char key[32];
			snprintf(key, sizeof key, "%lld", (long long)c[k]->key[0]);
			assert_all_ok(api_bfs(&columns, graph[k], NULL, key)); /* analytics and queries use different runtimes */
			gemp_columns_close(columns);
		}
	for (int k = 0; k < CONTEXTS; k++) { /* contexts are closed in the order in which they were opened */
		gemp_graph_close(graph[k]);
		gemp_context_close(context[k]);
		api_case_free(c[k]);
	}
	assert_all(gemp_memory_blocks() == 0);
}

/* Queries use all devices and analytics one device, so the context replaces its runtime each time. An open query must
 * still work after that. */
static void one_device_then_all(void **state)
{
	(void)state;
	uint64_t random = 7;
	gemp_context *context = NULL;
	gemp_graph *graph = NULL;
	gemp_query *query = NULL;
	gemp_query_result result;
	gemp_columns *columns = NULL;
	api_case *c = api_case_new(15, 60, false, &random);
	char key[32];
	snprintf(key, sizeof key, "%lld", (long long)c->key[0]);
	assert_all_ok(gemp_context_open(&context, MPI_COMM_WORLD, NULL));
	assert_all_ok(api_build(&graph, context, c, SPLIT_FIRST_ONLY));
	assert_all_ok(gemp_query_open(&query, graph, "MATCH (a)-->(b)-->(c) RETURN a, b, c", NULL));
	uint64_t rows = 0;
	for (int i = 0; i < 4; i++) {
		assert_all_ok(api_bfs(&columns, graph, NULL, key));
		gemp_columns *more = NULL;
		assert_all_ok(gemp_query_run(query, &more, &result, NULL));
		rows = i ? rows : result.rows;
		assert_all(result.rows == rows && rows > 0);
		if (i == 1)
			assert_all_ok(gemp_context_configure(context, NULL));
		gemp_column_view level;
		assert_all(gemp_columns_find(columns, "level", &level) && level.rows == gemp_graph_local_vertex_count(graph));
		gemp_columns_close(columns);
		gemp_columns_close(more);
	}
	gemp_query_close(query);
	gemp_graph_close(graph);
	gemp_context_close(context);
	assert_all(gemp_memory_blocks() == 0);
	api_case_free(c);
}

/* Counts the calls of each callback. */
typedef struct listener {
	unsigned messages, tasks, ends;
} listener;

static void note_message(void *self, gemp_verbosity level, bool warning, int rank, const char *message)
{
	(void)level, (void)warning, (void)rank;
	((listener *)self)->messages += message != NULL && !strchr(message, '\n');
}

static void note_progress(void *self, const char *task, uint64_t done, uint64_t total, uint64_t found)
{
	(void)done, (void)total, (void)found;
	listener *l = self;
	*(task ? &l->tasks : &l->ends) += 1;
}

static void callbacks(void **state)
{
	(void)state;
	uint64_t random = 11;
	api_case *c = api_case_new(15, 60, false, &random);
	gemp_context *context = NULL, *other = NULL;
	gemp_graph *graph = NULL, *second = NULL;
	listener *l = calloc(1, sizeof *l);
	gemp_context_options options;
	gemp_context_options_init(&options);
	options.verbosity = GEMP_DEBUG;
	options.log = note_message;
	options.progress = note_progress;
	options.callback_self = l;
	assert_all_ok(gemp_context_open(&other, MPI_COMM_WORLD, NULL));
	assert_all_ok(gemp_context_open(&context, MPI_COMM_WORLD, &options));
	assert_all_ok(api_build(&graph, context, c, SPLIT_TURNS));
	assert_all(count_pattern(graph, "cycle:4") != UINT64_MAX);
	assert_all(test_comm.rank > 0 || l->messages > 0);
	gemp_graph_close(graph);
	gemp_context_close(context);
	memset(l, 0, sizeof *l);
	assert_all_ok(api_build(&second, other, c, SPLIT_TURNS));
	assert_all(count_pattern(second, "cycle:4") != UINT64_MAX);
	/* the callbacks are not used any more, so *l may be freed */
	assert_all(l->messages == 0 && l->tasks == 0 && l->ends == 0);
	free(l);
	gemp_graph_close(second);
	gemp_context_close(other);
	api_case_free(c);
}

static void options(void **state)
{
	(void)state;
	uint64_t random = 13;
	api_case *c = api_case_new(15, 60, false, &random);
	gemp_context *context = NULL;
	gemp_graph *graph = NULL;
	gemp_context_options whole;
	gemp_context_options_init(&whole);
	whole.size = offsetof(gemp_context_options, host_memory);
	gemp_context_options *older = malloc(whole.size); /* the struct of an older version of the library */
	memcpy(older, &whole, whole.size);
	assert_all_ok(gemp_context_open(&context, MPI_COMM_WORLD, older));
	free(older);
	assert_all_ok(api_build(&graph, context, c, SPLIT_TURNS));
	uint64_t found = count_pattern(graph, "triangle");
	assert_all(found != UINT64_MAX);
	gemp_context_options_init(&whole);
	whole.devices = "no device is called so";
	assert_all_ok(gemp_context_configure(context, &whole)); /* succeeds, because devices are opened at first use */
	assert_all(count_pattern(graph, "triangle") == UINT64_MAX);
	assert_all(strstr(gemp_message(), "no device is called so") != NULL);
	assert_all(count_pattern(graph, "triangle") == UINT64_MAX);
	whole.devices = NULL;
	whole.result_buffer = whole.outbox = 1;
	whole.row_cache = 4096;
	assert_all_ok(gemp_context_configure(context, &whole));
	assert_all(count_pattern(graph, "triangle") == found);
	gemp_query *query = NULL;
	gemp_query_result result, tight;
	gemp_columns *columns = NULL;
	assert_all_ok(gemp_query_open(&query, graph, "MATCH (a)-->(b)-->(c) RETURN a, b, c ORDER BY c", NULL));
	assert_all_ok(gemp_query_run(query, &columns, &tight, NULL));
	gemp_columns_close(columns);
	whole.result_buffer = whole.outbox = whole.row_cache = 0;
	assert_all_ok(gemp_context_configure(context, &whole));
	assert_all_ok(gemp_query_run(query, &columns, &result, NULL));
	gemp_columns_close(columns);
	assert_all(result.rows == tight.rows && result.rows > 0);
	gemp_query_close(query);
	gemp_graph_close(graph);
	gemp_context_close(context);
	assert_all(gemp_memory_blocks() == 0);
	api_case_free(c);
}

/* Devices may be expected and never opened, or expected twice. */
static void devices_are_expected(void **state)
{
	(void)state;
	uint64_t random = 17;
	api_case *c = api_case_new(15, 60, false, &random);
	for (int i = 0; i < 2; i++) {
		gemp_context *context = NULL;
		gemp_graph *graph = NULL;
		assert_all_ok(gemp_context_open(&context, MPI_COMM_WORLD, NULL));
		gemp_context_expect_devices(context, "/no/such/file");
		gemp_context_expect_devices(context, NULL);
		gemp_context_expect_devices(context, NULL);
		if (i) {
			assert_all_ok(api_build(&graph, context, c, SPLIT_TURNS));
			assert_all(count_pattern(graph, "triangle") != UINT64_MAX);
			gemp_graph_close(graph);
		}
		gemp_context_close(context);
		assert_all(gemp_memory_blocks() == 0);
	}
	api_case_free(c);
}

static void names_of_codes(void **state)
{
	(void)state;
	gemp_context *context = NULL;
	assert_all(*gemp_version());
	assert_all_ok(gemp_context_open(&context, MPI_COMM_WORLD, NULL));
	assert_all_ok(gemp_context_agree(context, GEMP_OK));
	bool last = test_comm.rank == test_comm.size - 1;
	gemp_code code = last ? gemp_fail(GEMP_EDATA, "row %d is odd", 7) : GEMP_OK;
	assert_all_code(gemp_context_agree(context, code), GEMP_EDATA);
	assert_all(strstr(gemp_message(), "row 7 is odd") != NULL);
	code = gemp_fail_in(gemp_fail(GEMP_EIO, "full"), "file %s: ", "x");
	assert_all(code == GEMP_EIO && !strcmp(gemp_message(), "file x: full"));
	gemp_context_close(context);
}

/* A noted signal does not end the process. This test runs last, since later tests would see the noted signal. */
static void signals(void **state)
{
	(void)state;
	gemp_process_on_signal(GEMP_SIGNAL_SAY, "ended\n");
	gemp_process_on_signal(GEMP_SIGNAL_NOTE, NULL);
	assert_all(raise(SIGUSR1) == 0 && raise(SIGTERM) == 0);
}

static gemp_code open_and_close(void *argument)
{
	gemp_context *context = NULL;
	gemp_context_options with_devices;
	gemp_context_options_init(&with_devices);
	with_devices.devices = argument;
	gemp_code code = gemp_context_open(&context, MPI_COMM_WORLD, &with_devices);
	gemp_context_close(context);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 3)
		return;
	char devices[] = "cpu";
	assert_all_survive_no_memory(open_and_close, devices);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_are_expected),
		cmocka_unit_test(contexts_one_after_another),
		cmocka_unit_test(several_contexts_at_once),
		cmocka_unit_test(one_device_then_all),
		cmocka_unit_test(callbacks),
		cmocka_unit_test(options),
		cmocka_unit_test(names_of_codes),
		cmocka_unit_test(memory_may_run_out),
		cmocka_unit_test(signals),
	};
	return test_main_all(argc, argv, tests);
}
