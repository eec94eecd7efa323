/* Tests the report of one rank: its fields, the place where it is written, and that a failed command leaves no
 * report. */
#include "core/memory.h"
#include "harness/harness.h"

#include "api/report.h"
#include "cli/options/options.h"
#include "cli/report/report_run.h"
#include "comm/exchange.h"
#include "core/status.h"
#include "core/timer.h"
#include "graph/graph.h"

#include <string.h>
#include <unistd.h>

static gemp_context *context;
static size_t own_blocks; /* blocks of memory that the context keeps */
static const gemp_command info = { .name = "info", .bit = GEMP_ON_INFO, .arguments = "G", .argument_count = { 1, 1 } };
static const gemp_command *const commands[] = { &info };
static const gemp_command_table table = { 1, commands };

static gemp_options *options_with(const char *path)
{
	gemp_options *options = NULL;
	char *line[] = { "gemp-mpi", "g.h5", "--quiet", "--json", (char *)path };
	assert_ok(gemp_options_parse(&options, &table, &info, 5, line));
	return options;
}

static double number(const json_t *object, const char *a, const char *b, const char *c)
{
	const json_t *value = json_object_get(json_object_get(object, a), b);
	return json_number_value(c ? json_object_get(value, c) : value);
}

static gemp_code fill(gemp_report *report)
{
	gemp_timers timers = { .seconds = { [GEMP_PHASE_KERNEL] = 1.5 } };
	const gemp_traffic traffic = { 10, 2, 3 };
	gemp_relation relation = { .edge_count = 5 };
	const gemp_shard graph = { .vertex_count = 7, .hash = 0xabc, .relation_count = 1, .relations = &relation };
	gemp_report_graph(report, &graph);
	gemp_report_seconds(report, &timers, true);
	gemp_report_exchange(report, &traffic, 0.25, "the matches stayed");
	gemp_report_memory(report, 1234);
	gemp_report_set(report, "most", gemp_json_count(UINT64_MAX));
	return gemp_report_devices(report, NULL);
}

static void fields(void **state)
{
	(void)state;
	gemp_report *report = NULL;
	const char *path = test_path("report.json");
	gemp_options *options = options_with(path);
	assert_ok(gemp_report_begin(&report, context, options));
	assert_ok(gemp_report_end(report, context, options, fill(report)));
	json_t *object = json_load_file(path, JSON_DECODE_INT_AS_REAL, NULL);
	assert_non_null(object);
	assert_string_equal(json_string_value(json_object_get(object, "version")), GEMP_VERSION);
	assert_string_equal(json_string_value(json_object_get(object, "command")), "info");
	assert_true(json_number_value(json_object_get(object, "ranks")) == 1);
	assert_string_equal(json_string_value(json_array_get(json_object_get(object, "arguments"), 0)), "g.h5");
	assert_string_equal(json_string_value(json_object_get(json_object_get(object, "options"), "quiet")), "true");
	assert_true(number(object, "graph", "vertices", NULL) == 7 && number(object, "graph", "edges", NULL) == 5);
	assert_string_equal(json_string_value(json_object_get(json_object_get(object, "graph"), "hash")),
	                    "0000000000000abc");
	assert_true(number(object, "seconds", "kernel", "min") == 1.5 && number(object, "seconds", "kernel", "avg") == 1.5);
	for (int phase = 0; phase < GEMP_PHASES; phase++)
		assert_non_null(json_object_get(json_object_get(object, "seconds"), gemp_phase_name[phase]));
	assert_true(number(object, "exchange", "bytes", NULL) == 10 && number(object, "exchange", "rounds", NULL) == 3);
	assert_true(number(object, "exchange", "local_share", NULL) == 0.25);
	assert_true(number(object, "memory", "device", NULL) == 1234);
	json_decref(object);
	gemp_options_free(options);
	assert_int_equal(gemp_memory_blocks(), own_blocks);
}

/* Counts above 2^53 keep all digits, alone and in a list. Strings that look like numbers stay strings. */
static void great_counts(void **state)
{
	(void)state;
	gemp_report *report = NULL;
	char text[4096] = "";
	const char *path = test_path("counts.json");
	gemp_options *options = options_with(path);
	assert_ok(gemp_report_begin(&report, context, options));
	gemp_report_set(report, "signed", gemp_json_count(INT64_MAX));
	gemp_report_set(report, "beyond", gemp_json_count((uint64_t)INT64_MAX + 1));
	gemp_report_set(report, "list", json_pack("[o, o]", gemp_json_count(UINT64_MAX), gemp_json_count(UINT64_MAX - 1)));
	gemp_report_set(report, "strings", json_pack("[s, s, s]", "18446744073709551615", "\\u00001", "\"\\u00001"));
	assert_ok(gemp_report_end(report, context, options, GEMP_OK));
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	text[fread(text, 1, sizeof text - 1, file)] = '\0';
	fclose(file);
	assert_non_null(strstr(text, "\"signed\": 9223372036854775807,\n"));
	assert_non_null(strstr(text, "\"beyond\": 9223372036854775808,\n"));
	assert_non_null(strstr(text, "[\n    18446744073709551615,\n    18446744073709551614\n  ],"));
	assert_non_null(strstr(text, "    \"18446744073709551615\",\n    \"\\\\u00001\",\n    \"\\\"\\\\u00001\"\n  ]\n}"));
	gemp_options_free(options);
	assert_int_equal(gemp_memory_blocks(), own_blocks);
}

static void failures(void **state)
{
	(void)state;
	gemp_report *report = NULL;
	const char *path = test_path("none.json");
	gemp_options *options = options_with(path);
	assert_ok(gemp_report_begin(&report, context, options));
	assert_code(gemp_report_end(report, context, options, gemp_fail(GEMP_EDATA, "spoilt")), GEMP_EDATA);
	assert_message("spoilt");
	assert_int_not_equal(access(path, F_OK), 0);
	gemp_options_free(options);
	options = options_with("/no/such/folder/report.json");
	assert_code(gemp_report_begin(&report, context, options), GEMP_EIO);
	assert_message("--json /no/such/folder/report.json");
	gemp_options_free(options);
	options = options_with(test_folder());
	assert_code(gemp_report_begin(&report, context, options), GEMP_EIO);
	gemp_options_free(options);
	assert_int_equal(gemp_memory_blocks(), own_blocks);
}

/* Text for people does not go to the stream to which JSON or rows go. */
static void streams(void **state)
{
	(void)state;
	gemp_report *report = NULL;
	gemp_options *options = options_with(test_path("report.json"));
	assert_ok(gemp_report_begin(&report, context, options));
	assert_ptr_equal(report->text_self, stdout);
	assert_code(gemp_report_end(report, context, options, GEMP_STOPPED), GEMP_STOPPED);
	options->output = "-";
	assert_ok(gemp_report_begin(&report, context, options));
	assert_ptr_equal(report->text_self, stderr);
	assert_code(gemp_report_end(report, context, options, GEMP_STOPPED), GEMP_STOPPED);
	options->output = NULL;
	options->json = "-";
	assert_true(gemp_is_stdout(options->json));
	assert_ok(gemp_report_begin(&report, context, options));
	assert_null(report->people); /* --quiet was given */
	assert_code(gemp_report_end(report, context, options, GEMP_STOPPED), GEMP_STOPPED);
	options->quiet = false;
	assert_ok(gemp_report_begin(&report, context, options));
	assert_ptr_equal(report->text_self, stderr);
	assert_true(report->no_rows);
	assert_code(gemp_report_end(report, context, options, GEMP_STOPPED), GEMP_STOPPED);
	gemp_options_free(options);
}

static gemp_code whole_report(void *path)
{
	gemp_options *options = NULL;
	char *line[] = { "gemp-mpi", "g.h5", "--quiet", "--json", path };
	gemp_report *report = NULL;
	gemp_code code = gemp_options_parse(&options, &table, &info, 5, line);
	if (code == GEMP_OK)
		code = gemp_report_begin(&report, context, options);
	if (code == GEMP_OK)
		code = gemp_report_end(report, context, options, fill(report));
	gemp_options_free(options);
	return code;
}

static void no_memory(void **state)
{
	(void)state;
	char path[4096];
	snprintf(path, sizeof path, "%s", test_path("report.json"));
	assert_survives_no_memory(whole_report, path);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields),  cmocka_unit_test(great_counts), cmocka_unit_test(failures),
		cmocka_unit_test(streams), cmocka_unit_test(no_memory),
	};
	MPI_Init(&argc, &argv);
	if (gemp_context_open(&context, MPI_COMM_WORLD, NULL) != GEMP_OK)
		return 1;
	own_blocks = gemp_memory_blocks();
	int failed = test_main(tests);
	gemp_context_close(context);
	MPI_Finalize();
	return failed;
}
