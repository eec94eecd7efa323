/* Tests the check of openCypher queries: which queries are refused, where and why, and which slots variables get. */
#include "harness/harness.h"

#include "core/memory.h"
#include "core/text.h"
#include "cypher/check/check.h"

typedef struct refusal {
	const char *query;
	int column; /* of line 1 */
	const char *message;
} refusal;

/* Parses and checks. The tree must be freed also after a failure. */
static gemp_code check(gemp_cypher_tree *tree, const char *query)
{
	const gemp_source source = { .text = query };
	gemp_code code = gemp_cypher_parse(tree, &source);
	if (code != GEMP_OK)
		fail_msg("%s: %s", query, gemp_message());
	return gemp_cypher_check(tree);
}

static void refuse_all(const refusal *refusals, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		gemp_cypher_tree tree = { 0 };
		char place[32];
		if (check(&tree, refusals[i].query) != GEMP_EUSAGE)
			fail_msg("not refused: %s", refusals[i].query);
		snprintf(place, sizeof place, ":1:%d: ", refusals[i].column);
		if (!strstr(gemp_message(), refusals[i].message) || !strstr(gemp_message(), place))
			fail_msg("%s: expected '%s%s', got '%s'", refusals[i].query, place, refusals[i].message, gemp_message());
		gemp_cypher_tree_free(&tree);
	}
	assert_int_equal(gemp_memory_blocks(), 0);
}
#define REFUSE(...)                                   \
	do {                                              \
		const refusal list[] = { __VA_ARGS__ };       \
		refuse_all(list, sizeof list / sizeof *list); \
	} while (0)

static void accept_all(const char *const *queries, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		gemp_cypher_tree tree = { 0 };
		if (check(&tree, queries[i]) != GEMP_OK)
			fail_msg("%s: %s", queries[i], gemp_message());
		gemp_cypher_tree_free(&tree);
	}
	assert_int_equal(gemp_memory_blocks(), 0);
}
#define ACCEPT(...)                                   \
	do {                                              \
		const char *const list[] = { __VA_ARGS__ };   \
		accept_all(list, sizeof list / sizeof *list); \
	} while (0)

static void undefined_variables(void **state)
{
	(void)state;
	REFUSE({ "MATCH () RETURN foo", 17, "'foo' is not defined: there are no variables here" },
	       { "MATCH (person) RETURN persom", 23, "'persom' is not defined here; 'person' is" },
	       { "MATCH (a) WITH a.x AS x RETURN a", 32, "'a' is not defined here" },
	       { "MATCH (s) WHERE s.name = missing RETURN s", 26, "'missing' is not defined" },
	       { "RETURN {k1: k2} AS literal", 13, "'k2' is not defined" },
	       { "RETURN [x IN [1] | x] AS l, x", 29, "'x' is not defined" },
	       { "MATCH (a:A), (b:B) WITH a WITH a ORDER BY b RETURN a", 43, "'b' is not defined" },
	       { "MATCH (n) WHERE (n)-[r]->() RETURN n", 22, "a pattern in an expression cannot bind 'r'" },
	       { "MATCH (n) WHERE (a)-->(n) RETURN n", 18, "cannot bind 'a'" },
	       { "MATCH (a) RETURN DISTINCT a.name ORDER BY a.age", 43, "'a' is not a column" },
	       { "MATCH (a)-->(b) RETURN count(b) AS c ORDER BY a.age + count(b)", 47, "'a' is not a column" },
	       { "CREATE (a), (b {x: a.x}) RETURN b", 20, "cannot read 'a', a variable of the same pattern" },
	       { "CREATE (a:A|B)", 8, "CREATE takes a list of labels" },
	       { "MATCH (n) RETURN DISTINCT n.x ORDER BY COUNT { (n)-->() }", 49, "'n' is not a column" },
	       { "CREATE (b {name: missing}) RETURN b", 18, "'missing' is not defined" },
	       { "MATCH (n) WHERE EXISTS { MATCH (m) WITH m MATCH (n)-->(m) RETURN m } RETURN n", 50,
	         "'n' of the outer query ends at WITH" });
	ACCEPT("MATCH (n) WHERE EXISTS { MATCH (n)-->(m) WHERE m.x = n.x } RETURN n",
	       "MATCH (n) WHERE EXISTS { MATCH (n)-->(m) WITH n, count(*) AS c WHERE c = 3 RETURN true } RETURN n",
	       "WITH 1 AS a WITH a, 2 AS b RETURN a + b", "MATCH (n) RETURN n.name AS x ORDER BY n.age, x",
	       "MATCH (a), (b {x: a.x}) RETURN b", "MATCH (a)-->(b {x: COUNT { (a)-->() }}) RETURN b",
	       "MATCH (n) RETURN DISTINCT n ORDER BY n.age", "MATCH (a) RETURN DISTINCT a.name ORDER BY a.name");
}

static void types_of_variables(void **state)
{
	(void)state;
	REFUSE({ "MATCH ()-[r]-() MATCH (r) RETURN r", 24, "'r' has type Relationship, so it cannot be a node here" },
	       { "MATCH (r)-[r]-() RETURN r", 12, "'r' has type Node, so it cannot be a relationship here" },
	       { "MATCH p = ()-[]-(), (p) RETURN p", 22, "'p' has type Path" },
	       { "WITH 123 AS n MATCH (n) RETURN n", 22, "'n' has type Integer" },
	       { "WITH [] AS r MATCH ()-[r]-() RETURN r", 24, "'r' has type List" },
	       { "MATCH (n) WITH [n] AS users MATCH (users)-->(m) RETURN m", 36, "'users' has type List" },
	       { "MATCH (a)-[r]->()-[r]->(a) RETURN r", 20, "'r' stands twice in one pattern" },
	       { "MATCH (p) MATCH p = ()--() RETURN p", 17, "'p' is already bound; a path needs a new name" },
	       { "MATCH p = (p)--() RETURN p", 12, "'p' has type Path" },
	       { "WITH 1 AS x UNWIND [1] AS x RETURN x", 27, "'x' is already bound" });
	ACCEPT("MATCH (a)-[r]->() MATCH (a)-[r]->(b) RETURN b",
	       "MATCH ()-[r1]->()-[r2]->() WITH [r1, r2] AS rs MATCH (a)-[rs*]->(b) RETURN a",
	       "WITH null AS n OPTIONAL MATCH (n) RETURN n", "UNWIND [1, 2] AS n MATCH (n2 {x: n}) RETURN n2");
}

static void types_of_values(void **state)
{
	(void)state;
	REFUSE({ "RETURN 123 AND true", 8, "AND needs a value of type Boolean; this is of type Integer" },
	       { "RETURN null XOR 'foo'", 17, "XOR needs a value of type Boolean; this is of type String" },
	       { "RETURN NOT []", 12, "NOT needs a value of type Boolean; this is of type List" },
	       { "MATCH (n) WHERE (n) RETURN n", 17, "WHERE needs a value of type Boolean; this is of type Node" },
	       { "WITH 123 AS x RETURN x.num", 22, "a property needs" },
	       { "WITH [1] AS x RETURN x.num", 22, "a property needs" },
	       { "MATCH p = ()--() RETURN p.name", 25, "a property needs" },
	       { "RETURN 1 IN 'foo'", 13, "the right side of IN" },
	       { "WITH 'a' AS l, 0 AS i RETURN l[i]", 30, "an index needs" },
	       { "WITH [1] AS l, 'a' AS i RETURN l[i]", 34, "an index of a list" },
	       { "RETURN none(x IN ['Clara'] WHERE x % 2 = 0) AS r", 34, "% needs a value of type Integer or Float" },
	       { "MATCH p = (a)-[*]->(b) RETURN size(p)", 36, "argument 1 of size()" },
	       { "MATCH (r) RETURN type(r)", 23, "argument 1 of type()" },
	       { "MATCH (n) RETURN length(n)", 25, "argument 1 of length()" },
	       { "RETURN properties(1)", 19, "argument 1 of properties()" },
	       { "MATCH (n) DELETE n:Person", 18, "DELETE needs" });
	ACCEPT("RETURN null AND true", "RETURN [1, 'a', null][0] + 1", "RETURN any(x IN [1, 'a'] WHERE x % 2 = 0) AS r",
	       "RETURN -9223372036854775808 AS x", "RETURN [1] + 2, 1 + [2], 'a' + 1",
	       "WITH {a: 1} AS m RETURN m.a, m['a']");
}

static void aggregates(void **state)
{
	(void)state;
	REFUSE(
		{ "MATCH (a) WHERE count(a) > 10 RETURN a", 17, "the aggregate count() may not stand in WHERE" },
		{ "MATCH (n) RETURN n.x ORDER BY max(n.y)", 31, "max() may not stand in ORDER BY" },
		{ "MATCH (n) RETURN [x IN [1] | count(*)]", 30, "count() may not stand in a list comprehension" },
		{ "RETURN count(count(*))", 14, "count() may not stand in another aggregate" },
		{ "RETURN count(rand())", 14, "rand() may not stand in an aggregate" },
		{ "MATCH (a)--(b) RETURN a.age + count(b)", 23, "'a.age' stands beside an aggregate" },
		{ "MATCH (a)--(b) RETURN a.x + b.x, a.x + b.x + count(*)", 34, "'a.x' stands beside an aggregate" },
		{ "MATCH (a)--(b) RETURN a.x + b.x, count(*) AS c ORDER BY a.x + b.x + count(*)", 57, "'a' is not a column" },
		{ "MATCH (n) RETURN count(DISTINCT n), toLower(DISTINCT n.x)", 37, "DISTINCT needs an aggregate" },
		{ "MATCH (a) WITH a.y % 3 AS m, min(a.x) AS min ORDER BY sum(a.x) RETURN m", 55,
	      "sum() may not stand in ORDER BY" });
	ACCEPT("MATCH (a)--(b) RETURN a.age, a.age + count(b.age)", "MATCH (a)--(b) RETURN a, a.x + count(b)",
	       "MATCH (a)--(b) RETURN a.x AS age, count(b.x) AS c ORDER BY age, age + count(b.x)",
	       "MATCH (a)--(b) RETURN a.x AS age, count(b.x) AS c ORDER BY a.x + count(b.x)",
	       "MATCH (a) WITH a.y % 3 AS m, sum(a.x + a.y) AS s ORDER BY sum(a.x + a.y) RETURN m, s",
	       "MATCH (a) RETURN $x + avg(a.age) - 1000", "MATCH (a) RETURN size([x IN collect(a) WHERE x.y = 1])",
	       "MATCH (a) RETURN {n: count(a), l: collect(DISTINCT a.x)}",
	       "MATCH (a) WITH count(a) AS c WHERE c > 1 RETURN c");
}

static void columns(void **state)
{
	(void)state;
	REFUSE({ "RETURN 1 AS a, 2 AS a", 16, "RETURN has two columns named 'a'" },
	       { "WITH 1 AS a, 2 AS a RETURN a", 14, "WITH has two columns named 'a'" },
	       { "MATCH () RETURN *", 10, "RETURN * needs variables" },
	       { "MATCH (n) RETURN n SKIP -1", 25, "SKIP needs a number that is not negative" },
	       { "MATCH (n) RETURN n LIMIT 1.5", 26, "LIMIT needs a value of type Integer" },
	       { "MATCH (n) RETURN n LIMIT n.count", 26, "LIMIT needs a number that is the same for all rows" },
	       { "RETURN 1 AS a UNION RETURN 2 AS b", 28, "the same columns" },
	       { "RETURN 1 AS a UNION RETURN 2 AS a, 3 AS b", 21, "different numbers of columns" },
	       { "RETURN 1 AS a UNION CREATE (a)", 21, "each part of a UNION ends with RETURN" });
	ACCEPT("RETURN 1 AS a UNION RETURN 2 AS a UNION RETURN 3 AS a",
	       "MATCH (n) RETURN n LIMIT toInteger(rand() * 9) + 1", "MATCH (n) RETURN *, count(*) AS c",
	       "WITH 1 AS a WITH * RETURN *");
}

static void clauses(void **state)
{
	(void)state;
	REFUSE(
		{ "CALL test.my.proc()", 1, "there is no procedure test.my.proc(); there are db.labels()" },
		{ "CALL db.labels(1)", 16, "db.labels() takes no arguments" },
		{ "CALL db.labels() YIELD name RETURN name", 24, "has no column 'name'; it yields label" },
		{ "WITH 1 AS label CALL db.labels() YIELD label RETURN label", 40, "'label' is already bound" },
		{ "CALL gemp.pagerank({dampng: 1})", 21, "has no option 'dampng'; there are damping, tolerance" },
		{ "CALL gemp.components(1, 2)", 22, "argument 1 of gemp.components(), options, needs a value of type Map" },
		{ "MATCH (a) CALL gemp.bfs() YIELD node RETURN node", 11, "takes 1 to 2 arguments (source, options); got 0" },
		{ "MATCH (a) CALL gemp.sssp(a, 3) YIELD node RETURN node", 29, "weight, needs a value of type String" },
		{ "MATCH (a) CALL gemp.bfs(count(a)) YIELD node RETURN node", 25, "may not stand in the arguments" },
		{ "MATCH (a) CALL gemp.bfs(a) YIELD node, node RETURN 1", 40, "'node' is already bound" },
		{ "MATCH (a) CALL gemp.bfs(a) YIELD score RETURN score", 34, "it yields node, distance, parent, source" },
		{ "MATCH (a) CALL gemp.bfs(a) YIELD distance AS d RETURN d.x", 55, "a property needs a value of type" },
		{ "MATCH (a) RETURN foo(a)", 18, "there is no function foo()" },
		{ "MATCH (a) RETURN toLowr(a.x)", 18, "do you mean toLower()?" },
		{ "RETURN toLower()", 8, "toLower() takes 1 argument, not 0" },
		{ "MATCH (n) RETURN (n)-->()", 18, "a pattern may only stand as a condition" },
		{ "MATCH (a) RETURN size((a)-->())", 23, "a pattern may only stand as a condition" },
		{ "CREATE ()-[:FOO*2]->()", 10, "relationship of variable length" },
		{ "CREATE ()-->()", 10, "exactly one type" }, { "CREATE ()-[:A|B]->()", 10, "exactly one type" },
		{ "CREATE (a)-[:FOO]-(b)", 11, "needs one direction" },
		{ "MATCH (a) CREATE (a)", 18, "'a' is already bound, so CREATE cannot make this node" },
		{ "CREATE (n:Foo)-[:T]->(), (n:Bar)-[:T]->()", 26, "'n' is already bound" },
		{ "MATCH ()-[r:T]->() MERGE (a)-[r:T]->(b)", 31, "'r' is already bound" },
		{ "MATCH (a), (b), p = shortestPath((a)-->()-->(b)) RETURN p", 17, "needs a pattern of one relationship" });
	ACCEPT("CALL db.labels()", "CALL db.labels() YIELD label AS l WHERE l > 'a' RETURN l",
	       "CALL GEMP.PageRank({damping: .5, types: ['T']})", "CALL gemp.components() YIELD component",
	       "MATCH (a) CALL gemp.bfs([a]) YIELD distance AS d, node MATCH (node)-->(b) RETURN d, b.x",
	       "MATCH (n) WHERE NOT (n)-->() AND exists((n)<--()) RETURN n", "MATCH (a) CREATE (a)-[:T]->(b:B {x: a.x})",
	       "MATCH (n) RETURN COUNT { (n)-->() } AS c, COLLECT { MATCH (n)-->(m) RETURN m.x } AS l",
	       "MATCH (n) RETURN [(n)-->(m) WHERE m.x > 1 | m.x] AS l");
}

/* SLOTS */

static gemp_cypher_clause *clause_of(gemp_cypher_tree *tree, int number)
{
	gemp_cypher_clause *clause = tree->query->first->first;
	while (number-- > 0)
		clause = clause->next;
	return clause;
}

static void slots_of_clauses(void **state)
{
	(void)state;
	gemp_cypher_tree tree = { 0 };
	assert_int_equal(check(&tree, "MATCH (a)-[r]->() MATCH p = (a)-->(b) UNWIND [x IN [1] | x] AS y "
	                              "WITH b, y AS z ORDER BY a.x, z, [q IN [1] | q] WHERE z > 1 RETURN z, b"),
	                 GEMP_OK);
	const gemp_cypher_clause *first = clause_of(&tree, 0), *second = clause_of(&tree, 1), *unwind = clause_of(&tree, 2),
							 *with = clause_of(&tree, 3), *last = clause_of(&tree, 4);
	assert_int_equal(first->width_in, 0);
	assert_int_equal(first->width_out, 2); /* the anonymous node has no slot */
	assert_int_equal(first->pattern->first->from->slot, 0);
	assert_false(first->pattern->first->from->bound);
	assert_int_equal(first->pattern->first->first->to->slot, GEMP_CY_NO_SLOT);
	const gemp_cypher_path *path = second->pattern->first; /* p, then its anonymous relationship, then b */
	assert_int_equal(path->slot, 2);
	assert_int_equal(path->from->slot, 0);
	assert_true(path->from->bound);
	assert_int_equal(path->first->slot, 3);
	assert_int_equal(path->first->to->slot, 4);
	assert_int_equal(second->width_out, 5);
	assert_int_equal(second->pattern->width_in, 2);
	assert_int_equal(second->pattern->width_out, 5);
	assert_int_equal(unwind->slot, 5);
	assert_int_equal(unwind->expr->slot, 6);
	assert_int_equal(unwind->scratch, 1);
	assert_int_equal(with->width_in, 6);
	assert_int_equal(with->width_out, 2);
	assert_int_equal(with->orders->expr->first->slot, 0);      /* a, before WITH */
	assert_int_equal(with->orders->next->expr->slot, 7);       /* z, a column behind the row */
	assert_int_equal(with->orders->next->next->expr->slot, 8); /* q, behind both */
	assert_int_equal(with->where->first->slot, 7);
	assert_int_equal(gemp_cypher_clause_slots(with), 9);
	assert_int_equal(last->width_in, 2);
	assert_int_equal(last->items->expr->slot, 1);
	gemp_cypher_tree_free(&tree);
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* After groups, ORDER BY reads only columns: an expression that equals an item becomes its column. */
static void slots_after_groups(void **state)
{
	(void)state;
	gemp_cypher_tree tree = { 0 };
	assert_int_equal(check(&tree, "MATCH (a)-->(b) RETURN a.x % 3 AS m, sum(b.x) AS s, count(*) + max(b.x) AS t "
	                              "ORDER BY sum(b.x), A.x, a.x % 3 + 1"),
	                 GEMP_EUSAGE); /* A is not a */
	gemp_cypher_tree_free(&tree);
	tree = (gemp_cypher_tree){ 0 };
	assert_int_equal(check(&tree, "MATCH (a)-->(b) RETURN a.x % 3 AS m, sum(b.x) AS s, count(*) + max(b.x) AS t "
	                              "ORDER BY sum( b.x ), a.x % 3 + 1"),
	                 GEMP_OK);
	const gemp_cypher_clause *clause = clause_of(&tree, 1);
	assert_int_equal(clause->aggregates, 3);
	assert_int_equal(clause->items->next->expr->aggregate, 0);
	assert_int_equal(clause->items->next->next->expr->first->aggregate, 1);
	assert_int_equal(clause->items->next->next->expr->last->aggregate, 2);
	assert_int_equal(clause->orders->expr->kind, GEMP_CY_VARIABLE);
	assert_int_equal(clause->orders->expr->slot, 3);
	assert_int_equal(clause->orders->next->expr->kind, GEMP_CY_ADD);
	assert_int_equal(clause->orders->next->expr->first->kind, GEMP_CY_VARIABLE);
	assert_int_equal(clause->orders->next->expr->first->slot, 2);
	gemp_cypher_tree_free(&tree);
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* An alias hides a variable of the same name, so x % 3 is not the expression of the item. */
static void aliases_shadow(void **state)
{
	(void)state;
	gemp_cypher_tree tree = { 0 };
	assert_int_equal(check(&tree, "MATCH (a) WITH a.y AS x WITH DISTINCT x % 3 AS x ORDER BY x % 3 RETURN x"), GEMP_OK);
	const gemp_cypher_clause *clause = clause_of(&tree, 2);
	assert_int_equal(clause->orders->expr->kind, GEMP_CY_REMAINDER);
	assert_int_equal(clause->orders->expr->first->slot, 1);
	gemp_cypher_tree_free(&tree);
}

/* Names of * come in front, sorted. Slots of a query within an expression begin behind those of its row. */
static void slots_within_expressions(void **state)
{
	(void)state;
	gemp_cypher_tree tree = { 0 };
	assert_int_equal(check(&tree,
	                       "MATCH (b), (a) WITH *, [x IN [1] WHERE EXISTS { MATCH (a)-->(c) WHERE c.x = x } | x] AS l "
	                       "RETURN [(a)-->(d) | [y IN [1] | d.x + y]] AS m"),
	                 GEMP_OK);
	const gemp_cypher_clause *with = clause_of(&tree, 1), *last = clause_of(&tree, 2);
	assert_string_equal(with->items->alias.bytes, "a");
	assert_int_equal(with->items->expr->slot, 1);
	assert_string_equal(with->items->next->alias.bytes, "b");
	const gemp_cypher_expr *list = with->items->next->next->expr; /* row: b a | a b l | x */
	assert_int_equal(list->slot, 5);
	assert_int_equal(with->scratch, 1);
	const gemp_cypher_query *query = list->first->next->query;
	assert_int_equal(query->width_in, 6);
	const gemp_cypher_clause *inner = query->first->first;
	assert_int_equal(inner->width_in, 6);
	assert_int_equal(inner->width_out, 7);
	assert_int_equal(inner->where->last->slot, 5);
	const gemp_cypher_pattern *pattern = last->items->expr->pattern; /* row: a b l | m | d | y */
	assert_int_equal(pattern->width_in, 4);
	assert_int_equal(pattern->width_out, 5);
	assert_int_equal(pattern->scratch, 1);
	assert_int_equal(last->scratch, 2);
	gemp_cypher_tree_free(&tree);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static gemp_code check_step(void *query)
{
	GEMP_OWNED_BY(gemp_cypher_tree_free) gemp_cypher_tree tree = { 0 };
	const gemp_source source = { .text = query };
	GEMP_TRY(gemp_cypher_parse(&tree, &source));
	return gemp_cypher_check(&tree);
}

static void no_memory(void **state)
{
	(void)state;
	static char query[] =
		"MATCH p = (a {x: [1, {y: 2}]})-[r]->() WITH *, [x IN [1] WHERE EXISTS { MATCH (a) } | x] AS l "
		"ORDER BY l WHERE a.x > 1 RETURN DISTINCT a.x AS x, count(*) AS c ORDER BY a.x, count(*)";
	assert_survives_no_memory(check_step, query);
}

static void many_variables(void **state)
{
	(void)state;
	gemp_text query = { 0 };
	gemp_cypher_tree tree = { 0 };
	gemp_text_print(&query, "WITH 0 AS c0");
	for (int i = 1; i < 3000; i++)
		gemp_text_print(&query, ", %d AS c%d", i, i);
	gemp_text_print(&query, " RETURN *, c2999 + 1 AS last");
	assert_ok(check(&tree, query.data));
	assert_int_equal(tree.query->first->last->width_out, 3001);
	gemp_cypher_tree_free(&tree);
	gemp_text_free(&query);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(undefined_variables),
		cmocka_unit_test(types_of_variables),
		cmocka_unit_test(types_of_values),
		cmocka_unit_test(aggregates),
		cmocka_unit_test(columns),
		cmocka_unit_test(clauses),
		cmocka_unit_test(slots_of_clauses),
		cmocka_unit_test(slots_after_groups),
		cmocka_unit_test(aliases_shadow),
		cmocka_unit_test(slots_within_expressions),
		cmocka_unit_test(no_memory),
		cmocka_unit_test(many_variables),
	};
	return test_main(tests);
}
