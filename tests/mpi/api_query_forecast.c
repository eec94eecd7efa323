/* Tests what is told before a search: long searches are announced, short ones are not, and the report has the forecast.
 * Also tests that a preview of many rows, which are counted apart, shows rows of the result and the right counts. */
#include "api_case.h"

#include "core/log.h"
#include "core/text.h"
#include "harness/limits.h"

#include <stdio.h>
#include <string.h>

enum { PREVIEW = 5 };

/* The messages and the text of the report that this rank received. */
typedef struct heard {
	gemp_text messages, report;
} heard;

static void hear_message(void *self, gemp_verbosity level, bool warning, int rank, const char *message)
{
	(void)level, (void)warning, (void)rank;
	gemp_text_print(self, "%s\n", message);
}

static void hear_report(void *self, const char *text, size_t size)
{
	gemp_text_add(self, text, size);
}

typedef struct answer {
	gemp_query_result result;
	double seconds;  /* of the forecast; rank 0 only */
	bool forecasted; /* the report has a forecast; rank 0 only */
} answer;

static answer ask(gemp_graph *graph, const char *text, gemp_distinct distinct, bool given, heard *h)
{
	answer a = { 0 };
	gemp_query *query = NULL;
	gemp_report *report = NULL;
	gemp_report_options options;
	gemp_query_settings settings;
	gemp_query_settings_init(&settings);
	settings.preview = PREVIEW;
	settings.distinct = distinct;
	settings.distinct_given = given;
	gemp_report_options_init(&options);
	options.text = hear_report;
	options.text_self = &h->report;
	gemp_text_clear(&h->report);
	gemp_text_clear(&h->messages);
	gemp_log_setup(test_comm.rank, GEMP_NORMAL, hear_message, NULL, &h->messages);
	assert_all_ok(gemp_report_open(&report, context, &options));
	assert_all_ok(gemp_query_open(&query, graph, text, &settings));
	assert_all_ok(gemp_query_write(query, NULL, &a.result, report));
	a.forecasted = gemp_report_real(report, "forecast.seconds", &a.seconds);
	gemp_query_close(query);
	gemp_report_close(report);
	gemp_log_setup(test_comm.rank, GEMP_QUIET, NULL, NULL, NULL);
	return a;
}

static bool has_edge(const api_case *c, int64_t from, int64_t to)
{
	for (size_t e = 0; e < c->m; e++)
		if (c->key[c->end[e][0]] == from && c->key[c->end[e][1]] == to)
			return true;
	return false;
}

/* Returns the number of rows "a b" in the report, or -1 if one of them is not an edge. */
static int shown_rows(const api_case *c, const heard *h)
{
	int rows = 0;
	for (const char *at = h->report.data; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		long long from, to;
		int end = 0;
		if (sscanf(at, " %lld %lld%n", &from, &to, &end) != 2 || (at[end] != '\n' && at[end] != ' '))
			continue;
		if (!has_edge(c, from, to))
			return -1;
		rows++;
	}
	return rows;
}

static void previews_are_the_same_apart(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	heard h = { 0 };
	for (int k = 0; k < 4; k++) {
		api_case *c = api_case_new(8 + gemp_random_below(&random, 30), k == 3 ? 3 : 90, false, &random);
		gemp_graph *graph = NULL;
		assert_all_ok(api_build(&graph, context, c, (api_split)(k % API_SPLITS)));
		for (int distinct = GEMP_BY_ORBIT; distinct <= GEMP_BY_NOTHING; distinct++) {
			static const char text[] = "MATCH (a)-[:E]->(b) RETURN id(a) AS a, id(b) AS b";
			answer a[2];
			for (int apart = 0; apart < 2; apart++) {
				if (apart)
					TEST_LIMIT(preview_apart, 0);
				a[apart] = ask(graph, text, (gemp_distinct)distinct, true, &h);
				int shown = shown_rows(c, &h);
				TEST_LIMIT_DEFAULT(preview_apart);
				if (test_comm.rank == 0 && shown != (int)gemp_min(a[apart].result.rows, PREVIEW))
					print_message("graph %d, distinct %d, apart %d: %d rows shown\n%s\n", k, distinct, apart, shown,
					              h.report.data);
				assert_all(test_comm.rank != 0 || shown == (int)gemp_min(a[apart].result.rows, PREVIEW));
			}
			assert_all(a[0].result.matches == a[1].result.matches && a[0].result.rows == a[1].result.rows);
			assert_all(a[0].result.complete && a[1].result.complete);
			assert_all(a[0].result.embeddings_known == a[1].result.embeddings_known);
		}
		gemp_graph_close(graph);
		api_case_free(c);
	}
	gemp_text_free(&h.messages);
	gemp_text_free(&h.report);
}

static void long_searches_are_announced(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	heard h = { 0 };
	api_case *c = api_case_new(30, 120, false, &random);
	gemp_graph *graph = NULL;
	static const char text[] = "MATCH (a)-[:E]->(b)-[:E]->(c) RETURN a, b, c";
	assert_all_ok(api_build(&graph, context, c, SPLIT_TURNS));
	for (int vertices = 0; vertices < 2; vertices++) {
		gemp_distinct distinct = vertices ? GEMP_BY_VERTICES : GEMP_BY_ORBIT;
		answer quick = ask(graph, text, distinct, vertices, &h);
		assert_all(!h.messages.size);
		TEST_LIMIT(forecast_min, 0);
		answer slow = ask(graph, text, distinct, vertices, &h);
		TEST_LIMIT_DEFAULT(forecast_min);
		const char *told = h.messages.data;
		if (test_comm.rank == 0)
			print_message("%s", told ? told : "nothing\n");
		assert_all(test_comm.rank == 0 ? h.messages.size > 0 && strstr(told, "the search will take about")
		                               : !h.messages.size);
		assert_all(test_comm.rank != 0 || (strstr(told, "compares in up to") != NULL) == vertices);
		assert_all(slow.result.rows == quick.result.rows && slow.result.matches == quick.result.matches);
		assert_all(test_comm.rank != 0 || (quick.forecasted && slow.forecasted && slow.seconds < 600));
	}
	gemp_graph_close(graph);
	api_case_free(c);
	gemp_text_free(&h.messages);
	gemp_text_free(&h.report);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		API_TEST(previews_are_the_same_apart),
		API_TEST(long_searches_are_announced),
	};
	return test_main_all(argc, argv, tests);
}
