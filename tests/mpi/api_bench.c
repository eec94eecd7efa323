/* Tests the timings of the public library: the counts that accompany them are right, and settings that cannot be
 * measured are errors. */
#include "api_case.h"

#include <gemp/bench.h>

#include <unistd.h>

static void queries(void **state)
{
	(void)state;
	uint64_t random = test_seed_all(), value = 0, edges = 0;
	api_case *c = api_case_new(20, 60, false, &random);
	gemp_graph *graph = NULL;
	gemp_query *all[2] = { NULL, NULL }, *script = NULL;
	gemp_query_result result;
	gemp_report *report = NULL;
	assert_all_ok(api_build(&graph, context, c, SPLIT_TURNS));
	assert_all_ok(gemp_query_open_pattern(&all[0], graph, "triangle", NULL));
	assert_all_ok(gemp_query_open(&all[1], graph, "MATCH (a)-[:E]->(b)", NULL));
	assert_all_ok(gemp_query_count(all[0], &result, NULL));
	assert_all_ok(gemp_report_open(&report, context, NULL));
	assert_all_ok(gemp_bench_match(all, 2, 2, 1, report));
	if (test_comm.rank == 0) {
		assert_true(gemp_report_count(report, "queries.1.matches", &edges));
		assert_true(gemp_report_count(report, "queries.0.matches", &value) && value == result.matches);
		assert_true(gemp_report_count(report, "queries.1.runs", &value) && value >= 1 && value <= 2);
	}
	assert_all_ok(gemp_bench_match(all, 0, 2, 1, NULL));
	assert_all_ok(gemp_query_open_script(&script, graph, "MATCH (a)-->(b); MATCH (a)", "two", NULL));
	assert_all_ok(gemp_bench_match(&script, 1, 1, 1, report));
	if (test_comm.rank == 0) {
		assert_true(gemp_report_count(report, "queries.0.matches", &value) && value == edges);
		assert_true(gemp_report_count(report, "queries.1.matches", &value) && value == 20);
	}
	gemp_query_close(script);
	assert_all_ok(gemp_query_open_script(&script, graph, "MATCH (a)-->(b); MATCH (a", "two", NULL));
	assert_all_code(gemp_bench_match(&script, 1, 1, 1, NULL), GEMP_EUSAGE);
	gemp_query_close(script);
	gemp_query_close(all[0]);
	gemp_query_close(all[1]);
	gemp_report_close(report);
	gemp_graph_close(graph);
	api_case_free(c);
}

static void devices_and_shuffles(void **state)
{
	(void)state;
	double rate = 0;
	uint64_t tuples = 0;
	const uint64_t sizes[] = { 4, 8 }, wrong = 12;
	gemp_report *report = NULL;
	gemp_bench_shuffle_settings settings;
	assert_all_ok(gemp_report_open(&report, context, NULL));
	assert_all_ok(gemp_bench_device(context, report));
	assert_all(test_comm.rank != 0 || (gemp_report_real(report, "copy_bytes_per_second", &rate) && rate > 0));
	gemp_bench_shuffle_settings_init(&settings);
	settings.tuples = 2000;
	settings.no_skewed = true;
	settings.methods = 1u << GEMP_SHUFFLE_DECODE;
	settings.tuple_sizes = sizes;
	settings.tuple_size_count = 2;
	assert_all_ok(gemp_bench_shuffle(context, &settings, report));
	assert_all(test_comm.rank != 0 ||
	           (gemp_report_count(report, "shuffles.0.tuples", &tuples) && tuples == 2000 * (uint64_t)test_comm.size));
	settings.tuple_sizes = &wrong;
	settings.tuple_size_count = 1;
	assert_all_code(gemp_bench_shuffle(context, &settings, NULL), GEMP_EUSAGE);
	gemp_bench_shuffle_settings_init(&settings);
	settings.methods = 1u << GEMP_SHUFFLE_POLLING;
	settings.tuples = 500;
	assert_all_code(gemp_bench_shuffle(context, &settings, NULL), test_comm.size > 1 ? GEMP_EUSAGE : GEMP_OK);
	gemp_report_close(report);
}

/* All applications by one method, without a report. */
static gemp_code bench_once(void *graph)
{
	gemp_bench_analytics_settings settings;
	gemp_bench_analytics_settings_init(&settings);
	settings.methods = 1u << GEMP_SHUFFLE_DECODE;
	settings.iterations = 1;
	settings.repeat = 1;
	return gemp_bench_analytics(graph, NULL, &settings, NULL);
}

static void analytics(void **state)
{
	(void)state;
	uint64_t random = test_seed_all(), rounds = 0;
	const bool many = test_comm.size > 1;
	gemp_graph *graph = NULL;
	gemp_report *report = NULL;
	gemp_bench_analytics_settings settings;
	api_case *c = api_case_new(30, 200, false, &random);
	assert_all_ok(api_build(&graph, context, c, SPLIT_TURNS));
	assert_all_ok(gemp_report_open(&report, context, NULL));
	gemp_bench_analytics_settings_init(&settings);
	settings.applications = 1u << GEMP_APPLICATION_PAGERANK;
	settings.methods = 1u << GEMP_SHUFFLE_DECODE | 1u << GEMP_SHUFFLE_ATOMIC;
	settings.iterations = 3;
	settings.repeat = 1;
	assert_all_code(gemp_bench_analytics(graph, NULL, &settings, report), many ? GEMP_EUSAGE : GEMP_OK);
	assert_all(many || (gemp_report_count(report, "analytics.1.iterations", &rounds) && rounds == 3));
	assert_all(many || (gemp_report_count(report, "analytics.2.iterations", &rounds) && rounds == 3)); /* the engine */
	if (!many)
		assert_all_survive_no_memory(bench_once, graph);
	settings.max_ranges = 3;
	assert_all_code(gemp_bench_analytics(graph, NULL, &settings, NULL), GEMP_EUSAGE);
	settings.max_ranges = 0;
	settings.iterations = 0;
	assert_all_code(gemp_bench_analytics(graph, NULL, &settings, NULL), GEMP_EUSAGE);
	gemp_report_close(report);
	gemp_graph_close(graph);
	api_case_free(c);
}

static void tuning(void **state)
{
	(void)state;
	const char *path = test_path_all("device.conf");
	assert_all_code(gemp_bench_tune(context, NULL, NULL, path, NULL), test_comm.size > 1 ? GEMP_EUSAGE : GEMP_OK);
	assert_all((access(path, F_OK) == 0) == (test_comm.size == 1));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { API_TEST(queries), API_TEST(devices_and_shuffles), API_TEST(analytics),
		                                API_TEST(tuning) };
	return test_main_all(argc, argv, tests);
}
