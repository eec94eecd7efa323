/* Tests groups that are folded along the edges of a tree (query/search/group_folds.h). Clauses and graphs are random,
 * with labels, loops, parallel edges, NULLs and large integers. The files of rows must have the same bytes as those of
 * a search that enumerates all matches. Some rows are also compared with those of the query clause by clause. */
#include "harness/limits.h"
#include "query_world.h"

#include "comm/comm.h"
#include "graph_fixture.h"
#include "io/graph_file/graph_file_write.h"

#include <sys/stat.h>

/* PATTERNS: trees that have vertices a and b, and conditions on single vertices. */
static const char *const patterns[] = {
	"(a:Person)-[:ACTS_IN]->(b:Film)",
	"(a)-[:KNOWS]->(b)",
	"(b:Film)<-[:ACTS_IN]-(a)",
	"(a)-[:KNOWS]-(b)",
	"(a)-[:KNOWS|ACTS_IN]-(b:Film)",
	"(a:Person)-[:KNOWS]->(m)-[:ACTS_IN]->(b)",
	"(a)-[:KNOWS]->(m)<-[:KNOWS]-(b)",
	"(a:Film)<-[:ACTS_IN]-(m:Person)-[:KNOWS]->(b:Person), (m)-[:ACTS_IN]-(n:Actor), (b)-[:`likes it/much`]->(o)",
	"(m)-[:KNOWS]->(b), (m)-[:ACTS_IN]->(a), (a)<-[:`likes it/much`]-(n)",
	"(a:Film)-[:KNOWS]->(b), (a)-[:ACTS_IN]->(o)",
	"(b:Person)-->(m:Film)-->(a:Actor)",
	"(a:Person)-[:KNOWS]->(b:Film) WHERE a.number > 3",
	"(a)-[:KNOWS]->(m:Film)-[:ACTS_IN]->(b) WHERE m.ratio < 0.7 AND b.name <> 'Z' AND id(a) > 0",
	"(a)-[:KNOWS]->(b) WHERE COUNT { (b)-->() } > 2",
	"(a)-[:KNOWS]->(b) WHERE a.number > 20 AND a.number < 3",
	"(a)-[:KNOWS]->(b) WHERE a.number < b.number", /* no tree */
	"(a)-[:KNOWS]->(b)-[:ACTS_IN]->(a)",
};
enum { PATTERNS = sizeof patterns / sizeof *patterns };

static const char *const keys[] = { "a.name AS k",
	                                "a.number AS k",
	                                "a.ratio AS k",
	                                "a.flag AS k",
	                                "id(a) AS k",
	                                "a.number % 3 AS k",
	                                "size(labels(a)) AS k",
	                                "a AS k",
	                                "7 AS k",
	                                "a.name AS k, a.flag AS l",
	                                "a.name AS k, id(a) AS l" };
enum { KEYS = sizeof keys / sizeof *keys };

static const char *const aggregates[] = {
	"count(*)",
	"count(b)",
	"count(a)",
	"count(b.number)",
	"count(a.ratio)",
	"count(b.name)",
	"min(b.number)",
	"max(b.number)",
	"min(a.number)",
	"max(b.ratio)",
	"min(b.ratio)",
	"max(b.flag)",
	"sum(b.number)",
	"avg(b.number)",
	"sum(a.number)",
	"avg(a.number)",
	"count(DISTINCT b)",
	"count(DISTINCT a)",
	"count(*) + 1",
	"sum(b.number) + count(b.flag)",
	"max(id(b))",
	"count(id(b))",
	"min(DISTINCT b.number)",
	"sum(DISTINCT b.number)",
	"max(b.name)",
	"sum(b.ratio)",
	"size(collect(b.number))",
};
enum { AGGREGATES = sizeof aggregates / sizeof *aggregates, FOLDED = AGGREGATES - 4 }; /* the last ones are not */

static const char *const pairs[] = {
	"WITH DISTINCT a, b RETURN a.name AS k, count(b) AS n",
	"WITH DISTINCT b, a RETURN a.number % 4 AS k, count(*) AS n, count(a) AS m",
	"WITH DISTINCT a, b RETURN id(b) AS k, count(a) AS n",
	"WITH DISTINCT a, b RETURN count(*) AS n",
	"WITH DISTINCT a, b RETURN a.name AS k, count(b) AS n ORDER BY n DESC, k LIMIT 3",
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

/* Appends clauses for a random question. */
static void print_question(gemp_text *text, uint64_t *random)
{
	const uint64_t form = gemp_random_below(random, 10);
	gemp_text_print(text, "MATCH %s ", patterns[gemp_random_below(random, PATTERNS)]);
	if (form < 2) {
		gemp_text_print(text, "%s", pairs[gemp_random_below(random, PAIRS)]);
		return;
	}
	gemp_text_print(text, form < 4 ? "WITH " : "RETURN ");
	const bool keyed = gemp_random_below(random, 6) > 0;
	if (keyed)
		gemp_text_print(text, "%s, ", keys[gemp_random_below(random, KEYS)]);
	const size_t count = 1 + gemp_random_below(random, 3), among = gemp_random_below(random, 8) ? FOLDED : AGGREGATES;
	for (size_t i = 0; i < count; i++)
		gemp_text_print(text, "%s%s AS x%zu", i ? ", " : "", aggregates[gemp_random_below(random, among)], i);
	if (form < 4)
		gemp_text_print(text, " WHERE x0 IS NOT NULL RETURN %sx0", keyed ? "k, " : "");
	else if (form < 6)
		gemp_text_print(text, " ORDER BY x0 DESC%s LIMIT 4", keyed ? ", k" : "");
}

/* FILES */

/* Collective. Reads a file that rank 0 has written. */
static gemp_text read_file(const char *path)
{
	gemp_text text = { 0 };
	struct stat info;
	FILE *file = fopen(path, "rb");
	assert_all(file && fstat(fileno(file), &info) == 0);
	char *bytes = calloc((size_t)info.st_size + 1, 1);
	assert_all(fread(bytes, 1, (size_t)info.st_size, file) == (size_t)info.st_size);
	fclose(file);
	gemp_text_add(&text, bytes, (size_t)info.st_size);
	free(bytes);
	assert_all_ok(gemp_text_status(&text));
	return text;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the lines behind the first one. */
static void sort_lines(gemp_text *text)
{
	char *lines[4096], *copy = strndup(text->data, text->size), *rest = copy;
	size_t count = 0;
	for (char *line; (line = strsep(&rest, "\n")) && count < 4096;)
		lines[count++] = line;
	assert_true(count < 4096);
	qsort(lines + 1, count - 1, sizeof *lines, by_text);
	gemp_text_clear(text);
	for (size_t i = 0; i < count; i++)
		gemp_text_print(text, "%s\n", lines[i]);
	free(copy);
}

typedef struct answer {
	gemp_code code;
	gemp_text text;
	uint64_t matches;
	bool folded;
} answer;

static answer ask(gemp_graph *graph, const char *text, const gemp_query_settings *settings, int folds)
{
	answer found = { 0 };
	gemp_query_result result = { 0 };
	char path[256], *plan = NULL;
	snprintf(path, sizeof path, "%s", test_path_all(folds ? "folded.tsv" : "listed.tsv"));
	TEST_LIMIT(group_folds, folds);
	gemp_query *query = query_new(graph, text, settings);
	assert_all_ok(gemp_query_plan(query, &plan));
	found.folded = strncmp(plan, "groups folded", 13) == 0 || strstr(plan, "\ngroups folded");
	gemp_text_release(plan);
	found.code = gemp_query_write(query, path, &result, NULL);
	found.matches = result.matches;
	gemp_query_close(query);
	TEST_LIMIT_DEFAULT(group_folds);
	if (found.code == GEMP_OK)
		found.text = read_file(path);
	return found;
}

/* Compares with the rows of the query clause by clause. */
static void compare_with_clauses(gemp_graph *graph, const char *question, answer *found)
{
	gemp_update_settings settings;
	char path[256];
	snprintf(path, sizeof path, "%s", test_path_all("clauses.tsv"));
	gemp_update_settings_init(&settings);
	settings.rows = path;
	gemp_query *query = query_new(graph, question, NULL);
	assert_all_ok(gemp_query_update(query, &settings, NULL, NULL, NULL));
	gemp_query_close(query);
	gemp_text expected = read_file(path);
	sort_lines(&expected);
	sort_lines(&found->text);
	const bool same = expected.size == found->text.size && memcmp(expected.data, found->text.data, expected.size) == 0;
	if (!same && test_comm.rank == 0)
		print_error("%s:\n%.*s, clause by clause:\n%.*s", question, (int)found->text.size, found->text.data,
		            (int)expected.size, expected.data);
	assert_all(same);
	gemp_text_free(&expected);
}

static bool check(gemp_graph *graph, const char *question, gemp_semantics semantics, bool by_clauses)
{
	gemp_query_settings settings;
	gemp_query_settings_init(&settings);
	settings.semantics = semantics;
	settings.place = GEMP_PLACE_HOST;
	answer expected = ask(graph, question, &settings, 0), found = ask(graph, question, &settings, 1);
	const bool same = found.code == expected.code && found.matches == expected.matches &&
	                  found.text.size == expected.text.size &&
	                  (!found.text.size || memcmp(found.text.data, expected.text.data, found.text.size) == 0);
	if (!same && test_comm.rank == 0)
		print_error("folded %d: %s, semantics %d: code %d, %llu matches,\n%.*s, not code %d, %llu matches,\n%.*s",
		            found.folded, question, (int)semantics, (int)found.code, (unsigned long long)found.matches,
		            (int)found.text.size, found.text.data, (int)expected.code, (unsigned long long)expected.matches,
		            (int)expected.text.size, expected.text.data);
	assert_all(!expected.folded && same);
	/* LIMIT may choose among equal rows, and clause by clause the sum of no values is the integer 0 */
	if (by_clauses && semantics == GEMP_EDGE_ISO && found.code == GEMP_OK && !strstr(question, "LIMIT") &&
	    !strstr(question, "sum(b.ratio)"))
		compare_with_clauses(graph, question, &found);
	const bool folded = found.folded;
	gemp_text_free(&expected.text);
	gemp_text_free(&found.text);
	return folded;
}

/* Integers below 9 or, if `wide`, any. */
static void open_graph(gemp_graph **graph, size_t vertices, size_t edges, bool wide, uint64_t *random)
{
	gemp_shard *shard = NULL;
	const uint64_t seed = gemp_random(random);
	const gemp_builder_options options = { .seed = seed };
	fixture made = fixture_new(vertices, edges, KEYS_INTEGER, seed);
	for (size_t v = 0; v < vertices && !wide; v++)
		made.vertices[v].values[0].integer = (int64_t)gemp_random_below(random, 9) - 3;
	assert_all_ok(fixture_build(&shard, &made, &test_comm, &options, seed));
	assert_all_ok(gemp_graph_file_write(&test_comm, shard, test_path_all("folds.h5"), NULL));
	gemp_shard_free(shard);
	fixture_free(&made);
	assert_all_ok(gemp_graph_open(graph, context, test_path_all("folds.h5")));
}

static void folds_are_groups_of_matches(void **state)
{
	(void)state;
	static const gemp_semantics all[] = { GEMP_EDGE_ISO, GEMP_HOM, GEMP_ISO };
	static const size_t sizes[][2] = { { 25, 60 }, { 90, 250 }, { 150, 400 }, { 2600, 500 } };
	uint64_t random = test_seed_all();
	size_t folded = 0, checks = 0;
	for (size_t round = 0; round < 8; round++) {
		gemp_graph *graph = NULL;
		const size_t *size = sizes[round / 2];
		open_graph(&graph, size[0], size[1], round % 2, &random);
		for (size_t q = 0; q < 12 + 60 / (size_t)test_comm.size; q++, checks++) {
			GEMP_OWNED_BY(gemp_text_free) gemp_text question = { 0 };
			print_question(&question, &random);
			gemp_text_add(&question, "", 1);
			folded += check(graph, question.data, all[q % 3], size[0] < 100 && q % 4 == 0);
		}
		gemp_graph_close(graph);
	}
	printf("%zu of %zu queries folded groups\n", folded, checks);
	assert_all(folded > checks / 3);
}

static void graphs_may_be_empty(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	gemp_graph *graph = NULL;
	open_graph(&graph, 22, 0, false, &random);
	gemp_query_settings settings;
	gemp_query_settings_init(&settings);
	settings.lenient = true;
	answer found = ask(graph, "MATCH (a:Film) RETURN count(*) AS n, max(a.ratio) AS x, count(DISTINCT a) AS m",
	                   &settings, 1);
	assert_all(found.code == GEMP_OK && found.folded);
	gemp_text_free(&found.text);
	found = ask(graph, "MATCH (a)-[:KNOWS]->(b) RETURN a.name AS k, count(*) AS n", &settings, 1);
	assert_all(found.code == GEMP_OK);
	gemp_text_free(&found.text);
	gemp_graph_close(graph);
}

static gemp_code run_once(void *argument)
{
	gemp_query_settings settings;
	gemp_query_settings_init(&settings);
	settings.place = GEMP_PLACE_HOST;
	gemp_code code = query_run_once(
		argument,
		"MATCH (a:Person)-[:ACTS_IN]->(m:Film)-[:KNOWS]->(b) RETURN b.name AS k, count(*) AS n, "
		"max(a.number) AS x, avg(m.number) AS y, count(DISTINCT a) AS z",
		&settings);
	if (code == GEMP_OK) /* nothing is found, so attributes are looked up among labels */
		code = query_run_once(
			argument, "MATCH (a:Person)-[:KNOWS]->(b:Film) WHERE a.number > b.number + 99 RETURN a, b", &settings);
	if (code == GEMP_OK)
		code = query_run_once(argument, "MATCH (a)-[:KNOWS]->(b) WITH DISTINCT a, b RETURN a.name AS k, count(b) AS n",
		                      &settings);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 2) /* lets each request for memory of each rank fail, which is slow on many ranks */
		return;
	uint64_t random = test_seed_all();
	gemp_graph *graph = NULL;
	open_graph(&graph, 25, 60, false, &random);
	TEST_LIMIT(group_folds, 1);
	assert_all_ok(run_once(graph)); /* loads what stays with the graph */
	assert_all_survive_no_memory(run_once, graph);
	TEST_LIMIT_DEFAULT(group_folds);
	gemp_graph_close(graph);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { API_TEST(folds_are_groups_of_matches), API_TEST(graphs_may_be_empty),
		                                API_TEST(memory_may_run_out) };
	return test_main_all(argc, argv, tests);
}
