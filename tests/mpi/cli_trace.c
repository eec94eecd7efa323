/* Tests --trace: one file has the spans of all ranks, in the time of rank 0. Spans beyond the capacity are dropped and
 * counted. No rank hangs after a failure. */
#include "core/memory.h"
#include "harness/collective.h"

#include "api/report.h"
#include "cli/options/options.h"
#include "cli/report/report_run.h"
#include "comm/comm.h"
#include "core/status.h"
#include "core/timer.h"
#include "harness/limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const gemp_command info = { .name = "info", .bit = GEMP_ON_INFO, .arguments = "G", .argument_count = { 1, 1 } };
static const gemp_command *const commands[] = { &info };
static const gemp_command_table table = { 1, commands };

static gemp_context *context;
static size_t own_blocks; /* blocks of the open context */

static int open_context(void **state)
{
	(void)state;
	gemp_code code = gemp_context_open(&context, MPI_COMM_WORLD, NULL);
	own_blocks = gemp_memory_blocks();
	return code != GEMP_OK;
}

static int close_context(void **state)
{
	(void)state;
	gemp_context_close(context);
	return 0;
}

static gemp_code options_with(gemp_options **out, const char *path)
{
	char *line[] = { "gemp-mpi", "g.h5", "--quiet", "--trace", (char *)path };
	return gemp_options_parse(out, &table, &info, 5, line);
}

/* Records one launch and, on rank r, r + 1 spans "work". Each span lasts r + 1 microseconds; span i begins i
 * milliseconds after `base`. */
static void record_spans(int64_t base)
{
	int rank = test_comm.rank;
	gemp_lane device = gemp_trace_device();
	for (int64_t i = 0; i <= rank; i++)
		gemp_trace_between("work", GEMP_LANE_EXCHANGE, base + i * 1000000, base + i * 1000000 + 1000 * (rank + 1));
	gemp_trace_between("kernel", device, base, base + 500);
}

static int64_t nanoseconds(const json_t *event, const char *field)
{
	return llround(1000 * json_number_value(json_object_get(event, field)));
}

static bool field_is(const json_t *event, const char *field, const char *text)
{
	return strcmp(json_string_value(json_object_get(event, field)), text) == 0;
}

/* Checks the events of one rank; called by rank 0 only. slack: the possible error of the clocks of other ranks, in
 * nanoseconds. *base: the begin of the launch of rank 0, which the call for rank 0 sets. */
static bool check_rank(const json_t *events, int rank, int64_t slack, int64_t *base)
{
	size_t i, work = 0, kernels = 0;
	json_t *event;
	bool well = true, named = false;
	json_array_foreach (events, i, event) {
		if (json_integer_value(json_object_get(event, "pid")) != rank)
			continue;
		if (field_is(event, "ph", "M")) {
			const char *name = json_string_value(json_object_get(json_object_get(event, "args"), "name"));
			char wanted[32];
			snprintf(wanted, sizeof wanted, "rank %d ", rank);
			named |= name && strncmp(name, wanted, strlen(wanted)) == 0;
			continue;
		}
		int64_t begin = nanoseconds(event, "ts"), took = nanoseconds(event, "dur");
		if (field_is(event, "name", "kernel")) {
			kernels++;
			*base = rank ? *base : begin;
			well &= took == 500 && llabs(begin - *base) <= slack;
		}
	}
	json_array_foreach (events, i, event) {
		if (json_integer_value(json_object_get(event, "pid")) != rank || !field_is(event, "name", "work"))
			continue;
		int64_t begin = nanoseconds(event, "ts"), wanted = *base + 1000000 * (int64_t)work++;
		well &= llabs(begin - wanted) <= slack && nanoseconds(event, "dur") == 1000 * (rank + 1);
		well &= json_integer_value(json_object_get(event, "tid")) == GEMP_LANE_EXCHANGE;
	}
	return well && named && kernels == 1 && work == (size_t)rank + 1;
}

static bool check_file(const char *path, int64_t slack)
{
	int64_t base = 0;
	json_t *file = json_load_file(path, 0, NULL);
	bool well = file != NULL;
	for (int r = 0; well && r < test_comm.size; r++)
		well = check_rank(json_object_get(file, "traceEvents"), r, slack, &base);
	well = well && json_integer_value(json_object_get(json_object_get(file, "otherData"), "ranks")) == test_comm.size;
	json_decref(file);
	return well;
}

static void write_and_check(const gemp_comm *comm, int64_t slack)
{
	gemp_report *report = NULL;
	gemp_options *options = NULL;
	const char *path = test_path_all("trace.json");
	assert_all_ok(options_with(&options, path));
	assert_all_ok(gemp_report_begin(&report, context, options));
	report->comm = comm;
	int64_t base = llround(gemp_now() * 1e9);
	GEMP_MPI(MPI_Bcast(&base, 1, MPI_INT64_T, 0, comm->world));
	record_spans(base);
	assert_all_ok(gemp_report_end(report, context, options, GEMP_OK));
	assert_all(comm->rank || check_file(path, slack));
	assert_all(comm->rank || unlink(path) == 0);
	gemp_options_free(options);
	assert_all(gemp_memory_blocks() == own_blocks);
}

static void spans_of_all_ranks(void **state)
{
	(void)state;
	write_and_check(&test_comm, 0);
}

/* Each rank pretends to be on a node of its own, so clocks are compared by messages. On one machine the clocks are the
 * same. */
static void clocks_of_other_nodes(void **state)
{
	(void)state;
	gemp_comm apart = test_comm;
	apart.node = MPI_COMM_SELF;
	apart.node_rank = 0;
	apart.node_size = 1;
	write_and_check(&apart, 50000000);
}

static void more_spans_than_capacity(void **state)
{
	(void)state;
	gemp_report *report = NULL;
	gemp_options *options = NULL;
	const char *path = test_path_all("trace.json");
	TEST_LIMIT(trace_spans, 2);
	assert_all_ok(options_with(&options, path));
	assert_all_ok(gemp_report_begin(&report, context, options));
	record_spans(llround(gemp_now() * 1e9));
	json_t *object = json_incref(report->json), *file = NULL;
	assert_all_ok(gemp_report_end(report, context, options, GEMP_OK));
	TEST_LIMIT_DEFAULT(trace_spans);
	/* Rank r recorded at least r + 2 spans and kept 2, so at least r of its spans are dropped. */
	json_int_t left_out = (json_int_t)test_comm.size * (test_comm.size - 1) / 2;
	if (test_comm.rank == 0)
		file = json_load_file(path, 0, NULL);
	assert_all(test_comm.rank ||
	           json_integer_value(json_object_get(json_object_get(file, "otherData"), "dropped")) >= left_out);
	assert_all(test_comm.rank ||
	           json_integer_value(json_object_get(json_object_get(object, "trace"), "spans")) == 2 * test_comm.size);
	json_decref(file);
	json_decref(object);
	gemp_options_free(options);
}

/* A failed command writes no trace. A folder that does not exist is reported before the command runs. */
static void failures_leave_no_trace(void **state)
{
	(void)state;
	gemp_report *report = NULL;
	gemp_options *options = NULL;
	const char *path = test_path_all("none.json");
	assert_all_ok(options_with(&options, path));
	assert_all_ok(gemp_report_begin(&report, context, options));
	assert_all_code(gemp_report_end(report, context, options, gemp_fail(GEMP_EDATA, "no graph")), GEMP_EDATA);
	assert_all(!gemp_trace_on() && access(path, F_OK) != 0);
	gemp_options_free(options);
	assert_all_ok(options_with(&options, "/nowhere/trace.json"));
	assert_all_code(gemp_report_begin(&report, context, options), GEMP_EIO);
	assert_message("--trace /nowhere/trace.json: cannot write to folder /nowhere/");
	gemp_options_free(options);
	assert_all_ok(options_with(&options, "-"));
	assert_all_code(gemp_report_begin(&report, context, options), GEMP_EUSAGE);
	gemp_options_free(options);
}

/* The folder of the trace is removed while the command runs, so the trace cannot be written. */
static void the_folder_is_gone(void **state)
{
	(void)state;
	gemp_report *report = NULL;
	gemp_options *options = NULL;
	char path[4096];
	const char *folder = test_path_all("folder");
	snprintf(path, sizeof path, "%s/trace.json", folder);
	assert_all(test_comm.rank || mkdir(folder, 0700) == 0);
	assert_all_ok(options_with(&options, path));
	assert_all_ok(gemp_report_begin(&report, context, options));
	record_spans(llround(gemp_now() * 1e9));
	assert_all(test_comm.rank || rmdir(folder) == 0);
	assert_all_code(gemp_report_end(report, context, options, GEMP_OK), GEMP_EIO);
	assert_message("choose a folder that can be written to");
	gemp_options_free(options);
}

static gemp_code whole_report(void *options)
{
	gemp_report *report = NULL;
	gemp_code code = gemp_report_begin(&report, context, options);
	return code == GEMP_OK ? gemp_report_end(report, context, options, GEMP_OK) : code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	gemp_options *options = NULL;
	/* if a request for spans failed, spans would be dropped and the command would succeed */
	TEST_LIMIT(trace_spans, 0);
	assert_all_ok(options_with(&options, test_path_all("trace.json")));
	assert_all_survive_no_memory(whole_report, options);
	TEST_LIMIT_DEFAULT(trace_spans);
	gemp_options_free(options);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(spans_of_all_ranks, open_context, close_context),
		cmocka_unit_test_setup_teardown(clocks_of_other_nodes, open_context, close_context),
		cmocka_unit_test_setup_teardown(more_spans_than_capacity, open_context, close_context),
		cmocka_unit_test_setup_teardown(failures_leave_no_trace, open_context, close_context),
		cmocka_unit_test_setup_teardown(the_folder_is_gone, open_context, close_context),
		cmocka_unit_test_setup_teardown(memory_may_run_out, open_context, close_context),
	};
	return test_main_all(argc, argv, tests);
}
