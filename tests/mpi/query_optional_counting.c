/* Compares the numbers of rows of OPTIONAL MATCH, and of rows in which its elements are present, by variable
 * elimination with all rows by definition and with the rows of the search. The graphs are small multigraphs with loops,
 * parallel and reciprocal edges, labels, several types and missing values. */
#include "typed_case.h"

#include "query/clause/group_request.h"
#include "query/query.h"

enum { PARTS = 8, MAX_ROWS = 100000 };

static const char *const texts[] = {
	"MATCH (a) OPTIONAL MATCH (a)-[:KNOWS]->(b) RETURN count(*)",
	"MATCH (a:Person) OPTIONAL MATCH (a)-[r:KNOWS]->(b) RETURN count(*), count(b), count(r) + 1",
	"MATCH (a)-[:KNOWS]->(b) OPTIONAL MATCH (b)-[:ACTS_IN]->(c:Film) OPTIONAL MATCH (a)<-[:ACTS_IN]-(d) "
	"RETURN count(*) AS n, count(c) AS c, count(d) AS d, count(a) AS a",
	"MATCH (a)-[:KNOWS]-(b)-[:KNOWS]-(c) OPTIONAL MATCH (b)-[:ACTS_IN]-(d)-[:ACTS_IN]-(e) RETURN count(e)",
	/* conditions of the OPTIONAL MATCH */
	"MATCH (a)-[:KNOWS]-(b) OPTIONAL MATCH (b)-[:KNOWS]->(c) WHERE c.number > 0 RETURN count(*), count(c)",
	"MATCH (a)-[:KNOWS]-(b) OPTIONAL MATCH (b)-[:KNOWS]->(c) WHERE b.number > 0 RETURN count(*), count(c)",
	"MATCH (a) OPTIONAL MATCH (a)-[:KNOWS]-(b)-[:KNOWS]-(c) WHERE NOT (a)-[:KNOWS]-(c) AND a <> c "
	"RETURN count(*), count(b)",
	"MATCH (a) OPTIONAL MATCH (a)-[:KNOWS]-(b), (a)-[:KNOWS]-(c) WHERE id(b) < id(c) RETURN count(*), count(c)",
	/* loops, parallel edges and cycles within it */
	"MATCH (a) OPTIONAL MATCH (a)-[:KNOWS]-(a) OPTIONAL MATCH (a)-[e]->(b), (a)-[:KNOWS]-(b) RETURN count(*), count(e)",
	"MATCH (a)-[:ACTS_IN]->(x) OPTIONAL MATCH (a)-[:KNOWS]-(b)-[:KNOWS]-(c)-[:KNOWS]-(a) RETURN count(*), count(c)",
	"MATCH (a) OPTIONAL MATCH (a)-[]-(b)-[:KNOWS]-(c)-[:KNOWS]-(d)-[:KNOWS]-(b) RETURN count(*), count(d)",
	/* a core whose vertices are extended, and vertices that may be one */
	"MATCH (a)-[:KNOWS]-(b)-[:KNOWS]-(c)-[:KNOWS]-(a) OPTIONAL MATCH (b)-[:ACTS_IN]->(d) RETURN count(*), count(d)",
	"MATCH (a)-[:KNOWS]->(m)<-[:KNOWS]-(b) WHERE a <> b OPTIONAL MATCH (a)-[:ACTS_IN]->(c) "
	"OPTIONAL MATCH (b)-[:ACTS_IN]->(d) RETURN count(*), count(c), count(d)",
	"MATCH (a)-[:KNOWS]->(m)<-[:KNOWS]-(b), (m)<-[:KNOWS]-(c) WHERE id(a) < id(b) OPTIONAL MATCH (c)-[:ACTS_IN]->(d) "
	"RETURN count(*), count(d)",
	/* an OPTIONAL MATCH at the vertex of another */
	"MATCH (a) OPTIONAL MATCH (a)-[:KNOWS]->(b) OPTIONAL MATCH (b)-[:ACTS_IN]->(c) RETURN count(*), count(b), count(c)",
	"MATCH (a:Person)-[]-(x) OPTIONAL MATCH (a)-[:KNOWS]->(b) OPTIONAL MATCH (b)-[:ACTS_IN]->(c) "
	"OPTIONAL MATCH (b)-[:KNOWS]-(d) OPTIONAL MATCH (d)-[:ACTS_IN]-(e) RETURN count(c), count(e), count(d)",
};

/* Patterns that elimination must leave to the search. */
static const char *const refused[] = {
	"MATCH (a)-[:KNOWS]->(b) OPTIONAL MATCH (a)-[:ACTS_IN]->(c)<-[:ACTS_IN]-(b) RETURN count(*)",
	"MATCH (a)-[:KNOWS]->(b) OPTIONAL MATCH (a)-[:ACTS_IN]->(c) WHERE c <> b RETURN count(*)",
	"MATCH (a)-[:KNOWS]->(b) OPTIONAL MATCH (c)-[:ACTS_IN]->(d) RETURN count(*)",
	"MATCH (a)-[:KNOWS]->(b) OPTIONAL MATCH (a)-[e:ACTS_IN]->(c) WHERE e.weight = 1 RETURN count(*)",
	"MATCH (a)-[:KNOWS]->(b) OPTIONAL MATCH (a)-[:ACTS_IN*1..2]->(c) RETURN count(*)",
	"MATCH (a)-[:KNOWS]->(b) OPTIONAL MATCH (a:Person) RETURN count(*)",
	"MATCH (a), (b) OPTIONAL MATCH (a)-[:ACTS_IN]->(c) RETURN count(*)",
	"MATCH (a) OPTIONAL MATCH (a)-[:KNOWS]-(b)-[:KNOWS]-(c) WHERE id(a) < id(c) RETURN count(*)",
	"MATCH (a)-[:KNOWS]->(m)<-[:KNOWS]-(b) WHERE id(a) < id(b) OPTIONAL MATCH (a)-[:ACTS_IN]->(d) RETURN count(*)",
};

/* Clauses that read more than the presence of elements. */
static const char *const read[] = {
	"MATCH (a) OPTIONAL MATCH (a)-[:KNOWS]->(b) RETURN count(DISTINCT b)",
	"MATCH (a) OPTIONAL MATCH (a)-[:KNOWS]->(b) RETURN a, count(b)",
	"MATCH (a) OPTIONAL MATCH (a)-[:KNOWS]->(b) RETURN count(b.number)",
	"MATCH (a) OPTIONAL MATCH (a)-[:KNOWS]->(b) RETURN b",
};

/* The numbers of rows, and of rows in which each OPTIONAL MATCH has a match, from number 1 on. */
typedef struct tally {
	const gemp_pattern *pattern;
	uint64_t rows[PARTS];
} tally;

static bool is_present(const gemp_pattern *pattern, size_t part, const gemp_vertex *vertices, const gemp_edge *edges)
{
	const gemp_optional *optional = &pattern->optionals[part - 1];
	if (optional->pattern->vertex_count > optional->pattern->arguments)
		return vertices[optional->first_vertex] != GEMP_NO_VERTEX;
	return edges[optional->first_edge] != GEMP_NO_EDGE;
}

static gemp_code tally_consume(void *self, const gemp_batch *batch)
{
	tally *t = self;
	for (size_t i = 0; i < batch->rows; i++) {
		const uint64_t times = batch->multiplicity ? batch->multiplicity[i] : 1;
		t->rows[0] += times;
		for (size_t p = 1; p <= t->pattern->optional_count; p++)
			if (is_present(t->pattern, p, batch->vertices + i * (size_t)batch->vertex_count,
			               batch->edges + i * (size_t)batch->edge_count))
				t->rows[p] += times;
	}
	return GEMP_OK;
}

/* BY DEFINITION */

typedef struct definition {
	const gemp_pattern *pattern;
	reference parts[PARTS]; /* the first MATCH, and each OPTIONAL MATCH by itself */
	uint64_t image[GEMP_MAX_PATTERN_VERTICES];
	bool present[PARTS];
	tally tally;
} definition;

/* Extends the row by OPTIONAL MATCH `part` and those after it. */
static void extend_row(definition *d, size_t part)
{
	bool none = true;
	if (d->tally.rows[0] > MAX_ROWS)
		return;
	if (part > d->pattern->optional_count) {
		d->tally.rows[0]++;
		for (size_t p = 1; p < part; p++)
			d->tally.rows[p] += d->present[p];
		return;
	}
	const gemp_optional *optional = &d->pattern->optionals[part - 1];
	const reference *r = &d->parts[part];
	for (size_t i = 0; i < r->count; i++) {
		if (r->list[i].at[0] != d->image[optional->outer[0]])
			continue;
		none = false;
		for (size_t v = 1; v < optional->pattern->vertex_count; v++)
			d->image[(size_t)optional->first_vertex + v - 1] = r->list[i].at[v];
		d->present[part] = true;
		extend_row(d, part + 1);
	}
	if (!none)
		return;
	for (size_t v = 1; v < optional->pattern->vertex_count; v++)
		d->image[(size_t)optional->first_vertex + v - 1] = UINT64_MAX;
	d->present[part] = false;
	extend_row(d, part + 1);
}

static tally by_definition(const case_graph *g, const gemp_pattern *pattern, gemp_semantics semantics)
{
	definition d = { .pattern = pattern, .tally.pattern = pattern };
	assert_true(pattern->optional_count < PARTS);
	for (size_t p = 0; p <= pattern->optional_count; p++)
		reference_new(&d.parts[p], g->whole, p ? pattern->optionals[p - 1].pattern : pattern, semantics);
	for (size_t i = 0; i < d.parts[0].count; i++) {
		memcpy(d.image, d.parts[0].list[i].at, pattern->vertex_count * sizeof *d.image);
		extend_row(&d, 1);
	}
	for (size_t p = 0; p <= pattern->optional_count; p++)
		reference_free(&d.parts[p]);
	return d.tally;
}

/* COMPARING */

/* Rows are delivered to all ranks together. */
static tally run_query(const case_graph *g, const gemp_pattern *pattern, const gemp_match_options *options,
                       gemp_match_result *result)
{
	const gemp_prepared_options how = { .match = *options };
	gemp_prepared *query = NULL;
	tally t = { .pattern = pattern };
	gemp_sink sink = { .self = &t, .consume = tally_consume, .end_round = gemp_sink_keep_collecting };
	assert_all_ok(gemp_prepared_prepare(&query, context, g->distributed, pattern, &how));
	assert_all_ok(gemp_prepared_run(query, options->listed ? &sink : NULL, result));
	gemp_comm_sum(&test_comm, t.rows, PARTS);
	gemp_prepared_free(query);
	return t;
}

/* Does an item count an element of the OPTIONAL MATCH? */
static bool is_counted(const gemp_pattern *pattern, const gemp_expr *expr, size_t part)
{
	bool counted = false;
	if (expr->kind == GEMP_COUNT) {
		const int variable = expr->children[0]->variable;
		const bool edge = expr->children[0]->kind == GEMP_EDGE;
		return variable >= (int)(edge ? pattern->edge_count : pattern->vertex_count) &&
		       gemp_pattern_optional_of(pattern, variable, edge) == &pattern->optionals[part - 1];
	}
	for (size_t i = 0; i < expr->count; i++)
		counted |= is_counted(pattern, expr->children[i], part);
	return counted;
}

/* Compares all rows, and the rows of each OPTIONAL MATCH whose elements are counted. */
static void compare(const char *text, const char *what, const tally *found, const tally *expected)
{
	const gemp_pattern *pattern = expected->pattern;
	for (size_t p = 0; p <= pattern->optional_count; p++) {
		bool counted = p == 0;
		for (size_t i = 0; i < pattern->result.item_count && p; i++)
			counted |= is_counted(pattern, pattern->result.items[i].expr, p);
		if (counted && found->rows[p] != expected->rows[p])
			print_message("%s, %s, part %zu: %llu, not %llu\n", text, what, p, (unsigned long long)found->rows[p],
			              (unsigned long long)expected->rows[p]);
		assert_all(!counted || found->rows[p] == expected->rows[p]);
	}
}

/* Returns false if the graph lacks a label or type of the text, or if there are too many rows or sums. */
static bool check_text(const case_graph *g, const char *text, gemp_semantics semantics, bool searched)
{
	gemp_pattern *pattern = parse_question(&(question){ .text = text }, g->distributed);
	gemp_match_options options = options_of(semantics);
	gemp_match_result result;
	if (!pattern)
		return false;
	const tally expected = by_definition(g, pattern, semantics);
	options.groups = gemp_clause_group_request(pattern);
	options.listed = true;
	assert_true(options.groups.only_presence);
	const bool few = expected.rows[0] <= MAX_ROWS;
	if (few) {
		const tally sums = run_query(g, pattern, &options, &result);
		compare(text, result.by_sums ? "sums" : "no sums", &sums, &expected);
		assert_all(result.matches == expected.rows[0]);
	}
	const bool by_sums = few && result.by_sums;
	options.listed = false;
	if (few) {
		run_query(g, pattern, &options, &result);
		assert_all(result.matches == expected.rows[0] && result.by_sums == by_sums);
	}
	options.listed = options.edges = true;
	options.count_by_formula = false;
	if (few && searched) {
		const tally rows = run_query(g, pattern, &options, &result);
		compare(text, "search", &rows, &expected);
		assert_all(!result.by_sums);
	}
	gemp_pattern_free(pattern);
	return by_sums;
}

static void fixed_patterns(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	for (size_t i = 0; i < 3; i++) {
		case_graph g;
		graph_new(&g, 21 + 4 * i, 22 + 8 * i, i == 1, gemp_random(&random));
		for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
			assert_all(check_text(&g, texts[t], GEMP_HOM, i == 0));
			assert_all(check_text(&g, texts[t], GEMP_EDGE_ISO, i == 0));
		}
		graph_free(&g);
	}
}

/* A graph without edges, and one of a single vertex: each rank but one has no vertex. */
static void small_graphs(void **state)
{
	(void)state;
	static const char text[] = "MATCH (a) OPTIONAL MATCH (a)-->(b) OPTIONAL MATCH (b)--(c) RETURN count(*), count(b), "
							   "count(c)";
	for (size_t i = 0; i < 4; i++) {
		case_graph g;
		graph_new(&g, i < 2 ? i : 2, i, false, 3 + i);
		const bool counted = check_text(&g, text, GEMP_EDGE_ISO, true);
		assert_all(counted || i == 0);
		graph_free(&g);
	}
}

/* RANDOM PATTERNS */

/* Vertices of the row that can be arguments. */
typedef struct names {
	size_t count;
	char names[16][32];
} names;

static void put_vertex(gemp_text *text, names *n, size_t index, uint64_t *random)
{
	if (index == n->count)
		snprintf(n->names[n->count++], sizeof *n->names, "v%zu", index);
	gemp_text_print(text, "(%s", n->names[index]);
	put_label(text, random);
	gemp_text_print(text, ")");
}

/* Puts a tree of `added` new vertices at vertex `root`, and perhaps an edge more. */
static void put_tree(gemp_text *text, names *n, size_t root, size_t added, const char *edge, uint64_t *random)
{
	const size_t first = n->count;
	for (size_t k = 0; k < added; k++) {
		const size_t from = k ? first + gemp_random_below(random, k + 1) - 1 : root;
		gemp_text_print(text, k ? ", " : "");
		put_vertex(text, n, k && from < first ? root : from, random);
		put_edge(text, k ? "" : edge, random);
		put_vertex(text, n, n->count, random);
	}
	if (gemp_random_below(random, 3) == 0) {
		gemp_text_print(text, ", (%s)", n->names[root]);
		put_edge(text, "", random);
		gemp_text_print(text, "(%s)", n->names[added ? n->count - 1 : root]);
	}
}

/* One or two vertices, and up to three OPTIONAL MATCH at one of the vertices before. */
static void put_query(gemp_text *text, uint64_t *random)
{
	names n = { 0 };
	const size_t parts = 1 + gemp_random_below(random, 3);
	GEMP_OWNED_BY(gemp_text_free) gemp_text items = { 0 };
	gemp_text_print(text, "MATCH ");
	put_vertex(text, &n, 0, random);
	if (gemp_random_below(random, 3)) {
		put_edge(text, "", random);
		put_vertex(text, &n, 1, random);
		if (gemp_random_below(random, 2))
			put_condition(text, n.names[0], n.names[1], true, random);
	}
	for (size_t p = 0; p < parts; p++) {
		const size_t root = gemp_random_below(random, n.count), first = n.count;
		char edge[32];
		snprintf(edge, sizeof edge, "e%zu", p);
		gemp_text_print(text, " OPTIONAL MATCH ");
		put_tree(text, &n, root, 1 + gemp_random_below(random, 2), edge, random);
		for (size_t i = 0, conditions = gemp_random_below(random, 3); i < conditions; i++) {
			const bool from_root = gemp_random_below(random, 2);
			put_condition(text, n.names[from_root ? root : first], n.names[from_root ? first : root], i == 0, random);
		}
		if (gemp_random_below(random, 3))
			gemp_text_print(&items, ", count(%s)", gemp_random_below(random, 3) ? n.names[first] : edge);
	}
	gemp_text_print(text, " RETURN count(*)%s", items.data ? items.data : "");
}

static void random_patterns(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	for (size_t i = 0; i < 3; i++) {
		case_graph g;
		size_t counted = 0;
		graph_new(&g, 20 + 2 * i, 18 + 6 * i, i == 2, gemp_random(&random));
		for (size_t k = 0; k < 50; k++) {
			GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
			put_query(&text, &random);
			counted += check_text(&g, text.data, k % 2 ? GEMP_HOM : GEMP_EDGE_ISO, k % 8 == 0);
		}
		assert_all(counted > 35);
		graph_free(&g);
	}
}

/* OTHER PATTERNS */

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
	for (size_t t = 0; t < sizeof read / sizeof *read; t++) {
		gemp_pattern *pattern = parse_question(&(question){ .text = read[t] }, g.distributed);
		assert_non_null(pattern);
		assert_false(gemp_clause_group_request(pattern).only_presence);
		gemp_pattern_free(pattern);
	}
	graph_free(&g);
}

/* The numbers of the OPTIONAL MATCH exceed 64 bits at some vertices, but at none that the first MATCH finds. The
 * matches are enumerated then. */
static void numbers_beyond_64_bits(void **state)
{
	(void)state;
	case_graph g;
	gemp_match_result result;
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	gemp_match_options options = options_of(GEMP_HOM);
	gemp_typed_counting *counting;
	const char *reason;
	uint64_t count;
	graph_new(&g, 40, 4000, false, 3);
	gemp_text_print(&text, "MATCH (a) WHERE a.number > 3 AND a.number < 3 OPTIONAL MATCH (a)");
	for (int i = 0; i < 14; i++)
		gemp_text_print(&text, "-[:KNOWS]-()");
	gemp_text_print(&text, "-[:KNOWS]-(b) RETURN count(*), count(b)");
	gemp_pattern *pattern = parse_question(&(question){ .text = text.data }, g.distributed);
	assert_non_null(pattern);
	options.groups = gemp_clause_group_request(pattern);
	options.listed = true;
	assert_all_ok(gemp_typed_counting_new(&counting, context, g.distributed, pattern, &options, &reason));
	assert_all(counting != NULL);
	assert_all_code(gemp_typed_counting_run(counting, &count), GEMP_EDATA);
	gemp_typed_counting_free(counting);
	const tally rows = run_query(&g, pattern, &options, &result);
	assert_all(rows.rows[0] == 0 && rows.rows[1] == 0 && result.matches == 0 && !result.by_sums);
	gemp_pattern_free(pattern);
	graph_free(&g);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(fixed_patterns, open_context, close_context),
		cmocka_unit_test_setup_teardown(small_graphs, open_context, close_context),
		cmocka_unit_test_setup_teardown(random_patterns, open_context, close_context),
		cmocka_unit_test_setup_teardown(other_patterns_are_refused, open_context, close_context),
		cmocka_unit_test_setup_teardown(numbers_beyond_64_bits, open_context, close_context),
	};
	return test_main_all(argc, argv, tests);
}
