/* Clauses of openCypher, from text to rows, on a small graph that the test holds itself. A stand-in for the search
 * enumerates all assignments of nodes and relationships to a pattern, so its rows are an independent reference for
 * origins and widths. */

#include "core/memory.h"
#include "core/text.h"
#include "cypher/check/check.h"
#include "cypher/clause/conditions.h"
#include "cypher/clause/execute.h"
#include "harness/harness.h"

#include <string.h>

/* Nodes 0 .. 5. Even nodes have the label Even. Node i has the property num = i. */
enum { NODES = 6, EDGES = 7 };
static const struct {
	uint64_t from, to;
} edges[EDGES] = { { 0, 1 }, { 0, 2 }, { 1, 2 }, { 2, 3 }, { 3, 4 }, { 4, 0 }, { 2, 3 } };
static size_t searches; /* calls of the stand-in */

/* THE GRAPH */

static gemp_code labels(void *self, uint64_t node, gemp_arena *arena, gemp_datum *list)
{
	gemp_datum even;
	(void)self;
	GEMP_TRY(gemp_datum_string(&even, arena, "Even", 4));
	return gemp_datum_list(list, arena, &even, node % 2 == 0);
}

static gemp_code property(void *self, gemp_datum element, const char *name, gemp_arena *arena, gemp_datum *out)
{
	(void)self, (void)arena;
	*out = strcmp(name, "num") == 0 ? gemp_datum_integer((int64_t)element.id) : gemp_datum_null();
	return GEMP_OK;
}

static const gemp_cypher_graph graph = { .labels = labels, .property = property };

/* THE SEARCH: paths of single relationships, at most two of them. */

typedef struct match {
	const gemp_cypher_expr *where;
	gemp_cypher_environment *environment;
	const gemp_cypher_table *in;
	gemp_cypher_table *out;
	size_t row, found;
	gemp_code code; /* of the first failure */
	gemp_datum cells[32];
} match;

static bool bind(match *m, int slot, gemp_datum value, bool *bound)
{
	*bound = false;
	if (slot == GEMP_CY_NO_SLOT)
		return true;
	if (m->cells[slot].kind != GEMP_DATUM_NULL)
		return m->cells[slot].kind == value.kind && m->cells[slot].id == value.id;
	m->cells[slot] = value;
	*bound = true;
	return true;
}

static void emit(match *m)
{
	gemp_truth truth = GEMP_IS_TRUE;
	gemp_datum *cells;
	m->environment->row = m->cells;
	if (m->code == GEMP_OK && m->where)
		m->code = gemp_cypher_condition(m->environment, m->where, &truth);
	if (m->code == GEMP_OK && truth == GEMP_IS_TRUE)
		m->code = gemp_cypher_table_add(m->out, &cells);
	if (m->code != GEMP_OK || truth != GEMP_IS_TRUE)
		return;
	memcpy(cells, m->cells, m->out->width * sizeof *cells);
	if (m->out->with_origin)
		m->out->origin[m->out->rows - 1] = m->row;
	m->found++;
}

static bool has_labels(const gemp_cypher_node *node, uint64_t id)
{
	return !node->labels || (strcmp(node->labels->name.bytes, "Even") == 0 && id % 2 == 0);
}

static void visit(match *m, const gemp_cypher_path *path, const gemp_cypher_edge *edge, uint64_t at, unsigned used);

static void next_path(match *m, const gemp_cypher_path *path, unsigned used)
{
	if (!path) {
		emit(m);
		return;
	}
	for (uint64_t node = 0; node < NODES; node++) {
		bool bound;
		const gemp_datum value = { .kind = GEMP_DATUM_NODE, .id = node };
		if (has_labels(path->from, node) && bind(m, path->from->slot, value, &bound)) {
			visit(m, path, path->first, node, used);
			if (bound)
				m->cells[path->from->slot] = gemp_datum_null();
		}
	}
}

static void visit(match *m, const gemp_cypher_path *path, const gemp_cypher_edge *edge, uint64_t at, unsigned used)
{
	if (!edge) {
		next_path(m, path->next, used);
		return;
	}
	for (uint64_t e = 0; e < EDGES; e++)
		for (int backwards = 0; backwards < 2; backwards++) {
			const uint64_t from = backwards ? edges[e].to : edges[e].from, to = backwards ? edges[e].from : edges[e].to;
			const gemp_datum relationship = { .kind = GEMP_DATUM_RELATIONSHIP, .id = e };
			const gemp_datum node = { .kind = GEMP_DATUM_NODE, .id = to };
			bool edge_bound, node_bound;
			if (used >> e & 1 || from != at || !has_labels(edge->to, to))
				continue;
			if (backwards ? edge->right && !edge->left : edge->left && !edge->right)
				continue;
			if (!bind(m, edge->slot, relationship, &edge_bound))
				continue;
			if (bind(m, edge->to->slot, node, &node_bound)) {
				visit(m, path, edge->next, to, used | 1u << e);
				if (node_bound)
					m->cells[edge->to->slot] = gemp_datum_null();
			}
			if (edge_bound)
				m->cells[edge->slot] = gemp_datum_null();
		}
}

static gemp_code search(struct gemp_cypher_search *self, const gemp_cypher_pattern *pattern,
                        const gemp_cypher_expr *where, bool optional, gemp_cypher_environment *environment,
                        const gemp_cypher_table *in, gemp_cypher_table *out)
{
	(void)self;
	searches++;
	for (size_t r = 0; r < in->rows; r++) {
		match m = { .where = where, .environment = environment, .in = in, .out = out, .row = r };
		assert_true(out->width <= 32);
		if (in->width)
			memcpy(m.cells, gemp_cypher_table_row(in, r), in->width * sizeof *m.cells);
		next_path(&m, pattern->first, 0);
		if (!m.found && optional) {
			m.where = NULL;
			emit(&m);
		}
		GEMP_TRY(m.code);
	}
	return GEMP_OK;
}

/* QUERIES */

static gemp_code print_node(void *self, uint64_t id, gemp_text *out)
{
	(void)self;
	gemp_text_print(out, "n%llu", (unsigned long long)id);
	return gemp_text_status(out);
}

static gemp_code print_relationship(void *self, uint64_t id, gemp_text *out)
{
	(void)self;
	gemp_text_print(out, "r%llu", (unsigned long long)id);
	return gemp_text_status(out);
}

static gemp_code print_rows(const gemp_cypher_table *rows, gemp_text *out)
{
	const gemp_datum_writer writer = { .node = print_node, .relationship = print_relationship };
	gemp_text_add(out, "", 0);
	for (size_t r = 0; r < rows->rows; r++)
		for (size_t c = 0; c < rows->width; c++) {
			gemp_text_print(out, "%s", c ? " " : r ? "|" : "");
			GEMP_TRY(gemp_datum_json(gemp_cypher_table_row(rows, r)[c], &writer, out));
		}
	return gemp_text_status(out);
}

static gemp_code execute_budget(const char *text, size_t budget, gemp_text *out)
{
	const gemp_source source = { .text = text };
	gemp_cypher_tree tree = { 0 };
	gemp_cypher_table start = { 0 }, rows = { 0 };
	gemp_datum *cells;
	uint64_t random = 1;
	gemp_cypher_engine engine = { .match = search, .outer_rows = 1, .budget = budget };
	gemp_code code = gemp_cypher_parse(&tree, &source);
	searches = 0;
	GEMP_THEN(gemp_cypher_check(&tree));
	GEMP_THEN(gemp_cypher_divide_conditions(tree.query, &tree.arena));
	engine.environment = (gemp_cypher_environment){ .source = &tree.source, .graph = &graph, .random = &random };
	gemp_cypher_execute_install(&engine);
	GEMP_THEN(gemp_cypher_table_add(&start, &cells));
	GEMP_THEN(gemp_cypher_execute(&engine, tree.query, &start, &rows));
	GEMP_THEN(print_rows(&rows, out));
	assert_null(engine.cursor);
	assert_int_equal(engine.outer_rows, 1);
	gemp_cypher_table_free(&start);
	gemp_cypher_table_free(&rows);
	gemp_cypher_tree_free(&tree);
	return code;
}

static void expect_rows(int line, const char *text, const char *rows)
{
	const size_t blocks = gemp_memory_blocks();
	gemp_text out = { 0 };
	if (execute_budget(text, 0, &out) != GEMP_OK)
		fail_msg("line %d: %s: %s", line, text, gemp_message());
	if (strcmp(out.data, rows) != 0)
		fail_msg("line %d: %s\n  gives    %s\n  and not  %s", line, text, out.data, rows);
	gemp_text_free(&out);
	assert_int_equal(gemp_memory_blocks(), blocks);
}
#define ROWS(text, rows) expect_rows(__LINE__, text, rows)

static void expect_failure(int line, const char *text, const char *part)
{
	const size_t blocks = gemp_memory_blocks();
	gemp_text out = { 0 };
	if (execute_budget(text, 0, &out) == GEMP_OK)
		fail_msg("line %d: %s gives %s and not an error", line, text, out.data);
	if (!strstr(gemp_message(), part))
		fail_msg("line %d: %s: %s\n  has no '%s'", line, text, gemp_message(), part);
	gemp_text_free(&out);
	assert_int_equal(gemp_memory_blocks(), blocks);
}
#define FAILS(text, part) expect_failure(__LINE__, text, part)

/* TESTS */

static void unwind(void **state)
{
	(void)state;
	ROWS("UNWIND [1, 2, 3] AS x RETURN x", "1|2|3");
	ROWS("UNWIND NULL AS x RETURN x", "");
	ROWS("UNWIND [] AS x RETURN x", "");
	ROWS("UNWIND 7 AS x RETURN x", "7");
	ROWS("UNWIND [[1, 2], [], [3]] AS l UNWIND l AS x RETURN x, l", "1 [1, 2]|2 [1, 2]|3 [3]");
	ROWS("UNWIND range(1, 3) AS a UNWIND range(1, a) AS b RETURN a, b", "1 1|2 1|2 2|3 1|3 2|3 3");
}

static void projections(void **state)
{
	(void)state;
	ROWS("WITH 1 AS a, 2 AS b WITH b, a RETURN *", "1 2");
	ROWS("WITH 1 AS a, 2 AS b, 3 AS c WITH c, a RETURN c, a", "3 1");
	ROWS("WITH 1 AS a WITH a AS b, a AS c RETURN b + c AS d", "2");
	ROWS("UNWIND [1, 2, 3, 4] AS x WITH x WHERE x % 2 = 0 RETURN x", "2|4");
	ROWS("UNWIND [1, 2, 3, 4] AS x WITH x AS y WHERE x > 1 AND y < 4 RETURN y", "2|3");
	ROWS("UNWIND [1, NULL, 2, 1, NULL, 2.0] AS x RETURN DISTINCT x", "1|null|2");
	ROWS("UNWIND [1, 1, 2] AS x WITH DISTINCT x AS y WHERE y > 1 RETURN y", "2");
	ROWS("UNWIND [1, 2] AS x WITH x WHERE NULL RETURN x", "");
	FAILS("UNWIND [1, 'a'] AS x WITH x WHERE x RETURN x", "1:");
}

static void order(void **state)
{
	(void)state;
	ROWS("UNWIND [3, 1, 2] AS x RETURN x ORDER BY x", "1|2|3");
	ROWS("UNWIND [3, 1, NULL, 2] AS x RETURN x ORDER BY x DESC", "null|3|2|1");
	ROWS("UNWIND [3, 'b', true, 1.5, 'a', NULL, [1]] AS x RETURN x ORDER BY x", "[1]|\"a\"|\"b\"|true|1.5|3|null");
	ROWS("UNWIND ['abcdefghij', 'abcdefghi', 'abcdefgh'] AS x RETURN x ORDER BY x",
	     "\"abcdefgh\"|\"abcdefghi\"|\"abcdefghij\"");
	ROWS("UNWIND [9007199254740993, 9007199254740992] AS x RETURN x ORDER BY x", "9007199254740992|9007199254740993");
	ROWS("UNWIND [1, 2, 3, 4] AS x WITH x % 2 AS y, x ORDER BY y DESC RETURN x", "1|3|2|4");
	ROWS("UNWIND [1, 2, 3, 4] AS x WITH x AS y ORDER BY x % 2, y DESC WHERE x > 1 RETURN y", "4|2|3");
	ROWS("UNWIND [1, 2, 3, 4] AS x WITH x AS y ORDER BY -x LIMIT 3 WHERE x < 4 RETURN y", "3|2");
	ROWS("UNWIND [2, 1, 2] AS x RETURN DISTINCT x ORDER BY x", "1|2");
	ROWS("UNWIND [1, 2, 1] AS x RETURN x, count(*) AS c ORDER BY c DESC, x", "1 2|2 1");
	ROWS("UNWIND [1, 2, 1] AS x RETURN x, count(*) ORDER BY count(*)", "2 1|1 2");
}

static void skip_limit(void **state)
{
	(void)state;
	ROWS("UNWIND range(1, 5) AS x RETURN x SKIP 1 LIMIT 2", "2|3");
	ROWS("UNWIND range(1, 5) AS x RETURN x SKIP 7", "");
	ROWS("UNWIND range(1, 5) AS x RETURN x LIMIT 0", "");
	ROWS("UNWIND range(1, 5) AS x RETURN x ORDER BY x DESC SKIP 1 LIMIT toInteger(ceil(1.7))", "4|3");
	ROWS("UNWIND range(1, 5) AS x WITH x SKIP 1 LIMIT 3 WHERE x > 2 RETURN x", "3|4");
	ROWS("UNWIND [1, 1, 2, 2, 3] AS x RETURN DISTINCT x SKIP 1 LIMIT 1", "2");
	FAILS("RETURN 1 AS x LIMIT toInteger('-1')", "negative");
	FAILS("RETURN 1 AS x SKIP toFloat('1')", "integer");
	FAILS("RETURN 1 AS x LIMIT toInteger('one')", "integer");
}

static void aggregates(void **state)
{
	(void)state;
	ROWS("UNWIND [1, NULL, 2] AS x RETURN count(x), count(*), sum(x), avg(x), min(x), max(x), collect(x)",
	     "2 3 3 1.5 1 2 [1, 2]");
	ROWS("UNWIND [] AS x RETURN count(x), count(*), sum(x), avg(x), min(x), collect(x), stDev(x)",
	     "0 0 0 null null [] 0.0");
	ROWS("UNWIND [] AS x RETURN x, count(*)", "");
	ROWS("UNWIND [1, 1.0, 2, 2] AS x RETURN count(DISTINCT x), sum(DISTINCT x), collect(DISTINCT x)", "2 3 [1, 2]");
	ROWS("UNWIND [1, 2, 3, 4] AS x RETURN x % 2 AS p, count(*) + 1 AS c, collect(x * 2) AS l", "1 3 [2, 6]|0 3 [4, 8]");
	ROWS("UNWIND [1, 2, 3] AS x WITH x % 2 AS p, sum(x) AS s RETURN p + s AS t", "5|2");
	ROWS("UNWIND [NULL, 1, NULL] AS x RETURN x, count(*)", "null 2|1 1");
	ROWS("UNWIND [0.1, 0.2, 0.3] AS x RETURN sum(x)", "0.6");
	ROWS("UNWIND [1e100, 1.0, -1e100] AS x RETURN sum(x), sum(x) / 2", "1.0 0.5");
	ROWS("UNWIND [1, 'a', [2], NULL, 0.5] AS x RETURN min(x), max(x)", "[2] 1");
	ROWS("UNWIND [2, 4, 4, 4, 5, 5, 7, 9] AS x RETURN stDevP(x), round(1000 * stDev(x))", "2.0 2138.0");
	ROWS("UNWIND [10, 20, 30] AS x RETURN percentileDisc(x, 0.5), percentileCont(x, 0.25), percentileDisc(x, 0.0), "
	     "percentileCont(x, 1.0)",
	     "20 15.0 10 30.0");
	ROWS("UNWIND [1, 2, 2] AS x RETURN DISTINCT count(*) AS c, x > 0 AS y", "3 true");
	FAILS("UNWIND [1] AS x RETURN percentileDisc(x, 1.5)", "[0, 1]");
	FAILS("UNWIND ['a'] AS x RETURN sum(x)", "numbers");
	FAILS("UNWIND [9223372036854775807, 1] AS x RETURN sum(x)", "64 bits");
	FAILS("UNWIND [1, 2] AS x RETURN sum(1 / (x - 2))", "1:");
}

static void unions(void **state)
{
	(void)state;
	ROWS("RETURN 1 AS x UNION RETURN 2 AS x UNION RETURN 1 AS x", "1|2");
	ROWS("RETURN 1 AS x UNION ALL RETURN 2 AS x UNION ALL RETURN 1 AS x", "1|2|1");
	ROWS("UNWIND [1, 1, 2] AS x RETURN x UNION UNWIND [2, 3] AS x RETURN x", "1|2|3");
}

static void matches(void **state)
{
	(void)state;
	ROWS("MATCH (a)-[r]->(b) RETURN a, r, b LIMIT 3", "n0 r0 n1|n0 r1 n2|n1 r2 n2");
	ROWS("MATCH (a)-->(b) WITH a, b MATCH (b)-->(c) RETURN count(*)", "10");
	ROWS("MATCH (a)-->(b) WITH b, count(*) AS c WHERE c > 1 RETURN b, c", "n2 2|n3 2");
	ROWS("MATCH (a) OPTIONAL MATCH (a)-->(b) WHERE b.num = 3 RETURN a.num, b",
	     "0 null|1 null|2 n3|2 n3|3 null|4 null|5 null");
	ROWS("MATCH (a:Even) RETURN a.num, a.none", "0 null|2 null|4 null");
	ROWS("MATCH (a:Odd) RETURN a", "");
	ROWS("MATCH (a:Odd) WITH a MATCH (a)-->(b) RETURN count(b)", "0");
	assert_int_equal(searches, 1);
}

/* One search answers the pattern for all rows. */
static void inner_patterns(void **state)
{
	(void)state;
	ROWS("MATCH (a) RETURN a, EXISTS { (a)-->() } AS p", "n0 true|n1 true|n2 true|n3 true|n4 true|n5 false");
	assert_int_equal(searches, 2);
	ROWS("MATCH (a) WHERE NOT (a)-->() RETURN a", "n5");
	assert_int_equal(searches, 2);
	ROWS("MATCH (a) WHERE a.num > 3 AND (a)-->() RETURN a", "n4");
	ROWS("MATCH (a) WHERE a.num = 5 OR (a)-->(:Even) RETURN a", "n0|n1|n3|n4|n5");
	ROWS("MATCH (a) RETURN a.num, [(a)-->(b) WHERE b.num > 1 | b.num] AS l", "0 [2]|1 [2]|2 [3, 3]|3 [4]|4 []|5 []");
	assert_int_equal(searches, 2);
	ROWS("MATCH (a) WITH a ORDER BY size([(a)--(b) | b]) DESC, a.num LIMIT 2 RETURN a", "n2|n0");
	ROWS("MATCH (a) OPTIONAL MATCH (a)-->(b) WHERE (b)-->(:Even) RETURN a.num, b.num",
	     "0 1|1 null|2 3|2 3|3 4|4 0|5 null");
	ROWS("MATCH (a:Even) RETURN [x IN [(a)-->(b) | b] WHERE (x)-->(:Even) | x.num] AS l", "[1]|[3, 3]|[0]");
	ROWS("MATCH (a) RETURN count(CASE WHEN (a)-->() THEN 1 END) AS c", "5");
	ROWS("MATCH (a) WITH collect(a) AS l RETURN [x IN l WHERE NOT (x)--()] AS m", "[n5]");
	ROWS("MATCH (a) RETURN [(a)-->(b) | size([(b)-->(c) | c])] AS l", "[1, 2]|[2]|[1, 1]|[1]|[2]|[]");
}

static void inner_queries(void **state)
{
	(void)state;
	ROWS("MATCH (a) WHERE EXISTS { MATCH (a)-->(b) WHERE b.num = 3 } RETURN a", "n2");
	assert_int_equal(searches, 2);
	ROWS("MATCH (a) RETURN a.num, COUNT { (a)-->() } AS c", "0 2|1 1|2 2|3 1|4 1|5 0");
	ROWS("MATCH (a) RETURN COLLECT { MATCH (a)-->(b) RETURN b.num ORDER BY b.num DESC LIMIT 1 } AS l",
	     "[2]|[2]|[3]|[4]|[0]|[]");
	assert_int_equal(searches, 2);
	ROWS("MATCH (a) RETURN COLLECT { MATCH (a)-->(b) RETURN count(b) } AS l", "[2]|[1]|[2]|[1]|[1]|[0]");
	ROWS("MATCH (a) RETURN COLLECT { MATCH (a)-->(b) RETURN DISTINCT b.num } AS l", "[1, 2]|[2]|[3]|[4]|[0]|[]");
	ROWS("MATCH (a) WHERE EXISTS { MATCH (a)-->(b) RETURN b UNION MATCH (a)<--(b) RETURN b } RETURN count(*)", "5");
	ROWS("UNWIND [1, 2] AS x RETURN COLLECT { UNWIND [3, 4] AS y RETURN y SKIP 1 } AS l", "[4]|[4]");
	ROWS("UNWIND [1, 2] AS x RETURN COLLECT { RETURN x UNION ALL RETURN -x AS x } AS l", "[1, -1]|[2, -2]");
}

static void subqueries(void **state)
{
	(void)state;
	ROWS("UNWIND [1, 2] AS x CALL { WITH x RETURN x * 10 AS y } RETURN x, y", "1 10|2 20");
	ROWS("MATCH (a:Even) CALL { WITH a MATCH (a)-->(b) RETURN count(b) AS c } RETURN a, c", "n0 2|n2 2|n4 1");
	assert_int_equal(searches, 2);
	ROWS("MATCH (a) CALL { WITH a MATCH (a)-->(b) RETURN b.num AS m ORDER BY m LIMIT 1 } RETURN a.num, m",
	     "0 1|1 2|2 3|3 4|4 0");
	ROWS("UNWIND [1, 2] AS x CALL { RETURN 5 AS y UNION RETURN 6 AS y } RETURN x, y", "1 5|1 6|2 5|2 6");
	ROWS("UNWIND [1, 2] AS x CALL { WITH x RETURN x AS y UNION ALL WITH x RETURN -x AS y } RETURN x, y",
	     "1 1|1 -1|2 2|2 -2");
	ROWS("CALL { UNWIND [1, 2] AS x RETURN x } RETURN sum(x)", "3");
	ROWS(
		"UNWIND [1, 2, 3] AS x CALL { WITH x WITH x WHERE x <> 2 RETURN x * x AS y } WITH y, x AS z MATCH (a {}) WHERE "
		"a.num = y RETURN z, a",
		"1 n1");
	FAILS("UNWIND [1] AS x CALL { RETURN x AS y } RETURN y", "'x'");
	FAILS("UNWIND [1] AS x CALL { WITH x MATCH (a) WITH a RETURN x AS y } RETURN y", "'x'");
	FAILS("UNWIND [1] AS x CALL { RETURN 1 AS x } RETURN x", "'x'");
}

/* More rows than one block, with few distinct values. */
static void many_rows(void **state)
{
	(void)state;
	ROWS("UNWIND range(1, 300000) AS x WITH DISTINCT x % 7 AS y RETURN y ORDER BY y", "0|1|2|3|4|5|6");
	ROWS("UNWIND range(1, 300000) AS x WITH x % 3 AS y, count(*) AS c RETURN y, c ORDER BY y",
	     "0 100000|1 100000|2 100000");
	ROWS("UNWIND range(1, 300000) AS x WITH x ORDER BY -x LIMIT 2 RETURN x", "300000|299999");
	ROWS("UNWIND range(1, 300000) AS x WITH x, x % 6 AS k MATCH (a) WHERE a.num = k AND (a)-->(:Even) "
	     "RETURN k, count(*) ORDER BY k",
	     "0 50000|1 50000|3 50000|4 50000");
}

static void budget(void **state)
{
	(void)state;
	gemp_text out = { 0 };
	const size_t budget = gemp_memory_live() + (8u << 20);
	assert_int_equal(execute_budget("UNWIND range(1, 2000000) AS x RETURN x", budget, &out), GEMP_ENOMEM);
	assert_non_null(strstr(gemp_message(), "--host-memory"));
	assert_int_equal(execute_budget("UNWIND range(1, 20) AS x RETURN count(x)", budget, &out), GEMP_OK);
	gemp_text_free(&out);
}

static gemp_code all_clauses(void *argument)
{
	static const char *const texts[] = {
		"MATCH (a) OPTIONAL MATCH (a)-->(b) WHERE (b)-->(:Even) WITH a, [(a)--(c) | c.num] AS l, b ORDER BY a.num DESC "
		"RETURN DISTINCT a, size(l) + 1 AS s, b SKIP 1 LIMIT 3",
		"UNWIND ['a', 'b', 'a'] AS x WITH x + 'c' AS y, count(*) AS c, collect(DISTINCT x) AS l, max(x) AS m, "
		"stDev(size(x)) AS d WHERE c > 0 RETURN y, c, l, m, d UNION RETURN 1 AS y, 2 AS c, 3 AS l, 4 AS m, 5 AS d",
		"MATCH (a) RETURN COLLECT { MATCH (a)-->(b) RETURN avg(b.num) AS x UNION ALL RETURN a.num AS x } AS l",
	};
	gemp_code code = GEMP_OK;
	(void)argument;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		gemp_text out = { 0 };
		GEMP_THEN(execute_budget(texts[i], 0, &out));
		gemp_text_free(&out);
	}
	return code;
}

static void no_memory(void **state)
{
	(void)state;
	assert_survives_no_memory(all_clauses, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unwind),     cmocka_unit_test(projections),    cmocka_unit_test(order),
		cmocka_unit_test(skip_limit), cmocka_unit_test(aggregates),     cmocka_unit_test(unions),
		cmocka_unit_test(matches),    cmocka_unit_test(inner_patterns), cmocka_unit_test(inner_queries),
		cmocka_unit_test(subqueries), cmocka_unit_test(many_rows),      cmocka_unit_test(budget),
		cmocka_unit_test(no_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
