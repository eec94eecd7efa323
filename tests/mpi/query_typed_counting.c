/* Compares counts by variable elimination with all matches by definition, on small multigraphs with loops, parallel and
 * reciprocal edges, labels and several types: fixed patterns, and random ones. */
#include "typed_case.h"

static const char *const texts[] = {
	/* trees */
	"MATCH (a)-[:KNOWS]->(b) RETURN count(*)",
	"MATCH (a:Person)-[:KNOWS]-(b)-[:ACTS_IN]->(c:Film) RETURN count(*)",
	"MATCH (a)-[:KNOWS]->(b), (a)-[:KNOWS]->(c), (a)<-[:ACTS_IN]-(d)-[]-(e) WHERE d.number > 0 RETURN count(*)",
	"MATCH (a)-[:KNOWS]-(b)-[:KNOWS]-(c)-[:ACTS_IN]->(d) WHERE a <> c RETURN count(*)",
	"MATCH (a)-[]-(b) RETURN count(*)",
	"MATCH (a)-[:KNOWS|ACTS_IN]-(b)-[:ACTS_IN]-(c) WHERE a <> b AND b <> c AND a <> c RETURN count(*)",
	/* loops */
	"MATCH (a)-[:KNOWS]->(a) RETURN count(*)",
	"MATCH (a)-[:KNOWS]-(a)-[:KNOWS]->(b) RETURN count(*)",
	/* edges between the same vertices */
	"MATCH (a)-[:KNOWS]-(b)-[:KNOWS]-(a) RETURN count(*)",
	"MATCH (a)-[:KNOWS]->(b)-[:KNOWS|ACTS_IN]->(a)-[:ACTS_IN]->(c) RETURN count(*)",
	"MATCH (a)-[:KNOWS]->(b), (a)-[]-(b) RETURN count(*)",
	/* cycles */
	"MATCH (a)-[:KNOWS]-(b)-[:KNOWS]-(c)-[:KNOWS]-(a) RETURN count(*)",
	"MATCH (a)-[:KNOWS]->(b)-[:ACTS_IN]->(c)-[]-(a), (c)-[:KNOWS]-(d:Film) RETURN count(*)",
	"MATCH (a)-[:KNOWS]->(b)<-[:KNOWS]-(c)-[:KNOWS]->(d)<-[:KNOWS]-(a) RETURN count(*)",
	"MATCH (a)-[:KNOWS]->(b)-[:KNOWS]->(c), (a)-[:KNOWS]->(c), (b)-[]-(d), (c)-[]-(d) WHERE a <> d RETURN count(*)",
	/* [NOT] EXISTS of an edge */
	"MATCH (a)-[:KNOWS]-(b)-[:KNOWS]-(c) WHERE NOT (a)-[:KNOWS]-(c) RETURN count(*)",
	"MATCH (a)-[:KNOWS]-(b)-[:KNOWS]-(c) WHERE NOT (a)-[:KNOWS]-(c) AND a <> c RETURN count(*)",
	"MATCH (a)-[:KNOWS]->(b)-[:ACTS_IN]->(c) WHERE (c)-[]->(a) AND NOT (b)-[:ACTS_IN]->(a) RETURN count(*)",
	"MATCH (a)-[:KNOWS]->(b) WHERE NOT (a)-[:ACTS_IN]->(b) AND NOT (b)-[:KNOWS]->(a) RETURN count(*)",
	/* orders of keys */
	"MATCH (a)-[:KNOWS]-(b)-[:KNOWS]-(c) WHERE id(a) < id(c) RETURN count(*)",
	"MATCH (a)-[:KNOWS]->(m)<-[:KNOWS]-(b), (m)<-[:KNOWS]-(c) WHERE id(a) < id(b) AND id(c) > id(b) RETURN count(*)",
	"MATCH (a)-[:KNOWS]->(m)<-[:KNOWS]-(b), (m)<-[:KNOWS]-(c) WHERE id(a) < id(b) AND a.number > 0 AND b.number > 0 "
	"AND id(c) <> id(a) AND id(c) <> id(b) RETURN count(*)",
	"MATCH (a)-[:KNOWS]-(b)-[:KNOWS]-(c)-[:KNOWS]-(a) WHERE id(a) < id(b) AND id(b) < id(c) RETURN count(*)",
	"MATCH (a)-[:KNOWS]->(x), (b)-[:KNOWS]->(x), (c)-[:ACTS_IN]->(x), (d)-[:ACTS_IN]->(x) WHERE id(a) < id(b) AND "
	"id(d) < id(c) RETURN count(*)",
};

/* Patterns that elimination must leave to the search. */
static const char *const refused[] = {
	"MATCH (a)-[:KNOWS]->(b) WHERE id(a) < id(b) RETURN count(*)",
	"MATCH (a)-[:KNOWS]-(b)-[:KNOWS]-(c) WHERE id(a) < id(b) RETURN count(*)",
	"MATCH (a)-[:KNOWS]-(b)-[:KNOWS]-(c) WHERE id(a) < id(c) AND a.number > 0 RETURN count(*)",
	"MATCH (a)-[:KNOWS]->(m)<-[:KNOWS]-(b), (m)<-[:KNOWS]-(c) WHERE id(a) < id(b) AND id(a) < id(c) RETURN count(*)",
	"MATCH (a)-[:KNOWS]->(b) WHERE a.number < b.number RETURN count(*)",
	"MATCH (a)-[e:KNOWS]->(b) WHERE e.weight = 1 RETURN count(*)",
};

/* Returns false if the graph lacks a label or type of the text, or if the sums of a random pattern are too many. */
static bool check_text(const case_graph *g, const char *text, gemp_semantics semantics)
{
	gemp_pattern *pattern = parse_question(&(question){ .text = text }, g->distributed);
	const gemp_match_options options = options_of(semantics);
	gemp_typed_counting *counting = NULL;
	const char *reason = NULL;
	uint64_t count = 0;
	reference r;
	if (!pattern)
		return false;
	reference_new(&r, g->whole, pattern, semantics);
	assert_all_ok(gemp_typed_counting_new(&counting, context, g->distributed, pattern, &options, &reason));
	if (!counting)
		print_message("%s: %s\n", text, reason);
	assert_all(counting || strcmp(reason, "it has too many conditions") == 0);
	for (int run = 0; run < 2 && counting; run++) {
		assert_all_ok(gemp_typed_counting_run(counting, &count));
		if (count != r.count)
			print_message("%s, semantics %d: %llu, not %zu\n", text, (int)semantics, (unsigned long long)count,
			              r.count);
		assert_all(count == r.count);
	}
	const bool counted = counting != NULL;
	gemp_typed_counting_free(counting);
	reference_free(&r);
	gemp_pattern_free(pattern);
	return counted;
}

static void fixed_patterns(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	for (size_t i = 0; i < 3; i++) {
		case_graph g;
		graph_new(&g, 21 + 4 * i, 22 + 10 * i, i == 1, gemp_random(&random));
		for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
			assert_all(check_text(&g, texts[t], GEMP_HOM));
			assert_all(check_text(&g, texts[t], GEMP_EDGE_ISO));
		}
		graph_free(&g);
	}
}

/* RANDOM PATTERNS */

static void put_vertex(gemp_text *text, size_t v, uint64_t *random)
{
	gemp_text_print(text, "(v%zu", v);
	put_label(text, random);
	gemp_text_print(text, ")");
}

static void put_random_condition(gemp_text *text, size_t vertices, bool first, uint64_t *random)
{
	const size_t a = gemp_random_below(random, vertices);
	char names[2][32];
	snprintf(names[0], sizeof names[0], "v%zu", a);
	snprintf(names[1], sizeof names[1], "v%zu", (a + 1 + gemp_random_below(random, vertices - 1)) % vertices);
	put_condition(text, names[0], names[1], first, random);
}

/* A connected pattern of two to four vertices and up to two edges beyond a tree. */
static void put_query(gemp_text *text, uint64_t *random)
{
	const size_t vertices = 2 + gemp_random_below(random, 3), extra = gemp_random_below(random, 3);
	const size_t conditions = gemp_random_below(random, 4);
	gemp_text_print(text, "MATCH ");
	for (size_t v = 1; v < vertices + extra; v++) {
		gemp_text_print(text, "%s", v > 1 ? ", " : "");
		const size_t a = v < vertices ? v : gemp_random_below(random, vertices);
		const size_t b = gemp_random_below(random, v < vertices ? v : vertices);
		put_vertex(text, a, random);
		put_edge(text, "", random);
		put_vertex(text, b, random);
	}
	for (size_t i = 0; i < conditions; i++)
		put_random_condition(text, vertices, i == 0, random);
	gemp_text_print(text, " RETURN count(*)");
}

static void random_patterns(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	for (size_t i = 0; i < 3; i++) {
		case_graph g;
		size_t counted = 0;
		graph_new(&g, 20 + 3 * i, 20 + 8 * i, i == 2, gemp_random(&random));
		for (size_t k = 0; k < 60; k++) {
			GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
			put_query(&text, &random);
			counted += check_text(&g, text.data, k % 2 ? GEMP_HOM : GEMP_EDGE_ISO);
		}
		assert_all(counted > 40);
		graph_free(&g);
	}
}

static void other_patterns_are_refused(void **state)
{
	(void)state;
	case_graph g;
	gemp_match_options options = options_of(GEMP_HOM);
	graph_new(&g, 30, 90, false, 5);
	for (size_t t = 0; t < sizeof refused / sizeof *refused; t++) {
		gemp_pattern *pattern = parse_question(&(question){ .text = refused[t] }, g.distributed);
		gemp_typed_counting *counting;
		const char *reason;
		assert_non_null(pattern);
		assert_all_ok(gemp_typed_counting_new(&counting, context, g.distributed, pattern, &options, &reason));
		if (counting)
			print_message("%s is not refused\n", refused[t]);
		assert_all(!counting && reason);
		gemp_pattern_free(pattern);
	}
	graph_free(&g);
}

/* A count that exceeds 64 bits falls back to the search, which has no time for it here: the run itself must fail. */
static void counts_beyond_64_bits(void **state)
{
	(void)state;
	case_graph g;
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	gemp_match_options options = options_of(GEMP_HOM);
	gemp_typed_counting *counting;
	const char *reason;
	uint64_t count;
	graph_new(&g, 40, 4000, false, 3);
	gemp_text_print(&text, "MATCH (a)");
	for (int i = 0; i < 14; i++)
		gemp_text_print(&text, "-[:KNOWS]-()");
	gemp_text_print(&text, " RETURN count(*)");
	gemp_pattern *pattern = parse_question(&(question){ .text = text.data }, g.distributed);
	assert_non_null(pattern);
	assert_all_ok(gemp_typed_counting_new(&counting, context, g.distributed, pattern, &options, &reason));
	assert_all(counting != NULL);
	assert_all_code(gemp_typed_counting_run(counting, &count), GEMP_EDATA);
	gemp_typed_counting_free(counting);
	gemp_pattern_free(pattern);
	graph_free(&g);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(fixed_patterns, open_context, close_context),
		cmocka_unit_test_setup_teardown(random_patterns, open_context, close_context),
		cmocka_unit_test_setup_teardown(other_patterns_are_refused, open_context, close_context),
		cmocka_unit_test_setup_teardown(counts_beyond_64_bits, open_context, close_context),
	};
	return test_main_all(argc, argv, tests);
}
