/* Tests the trees of queries, as texts with all parentheses, and the places of their parts. */
#include "cypher_tree_text.h"

#include "core/memory.h"

typedef struct example {
	const char *query, *text;
} example;

static void check(const example *examples, size_t count)
{
	gemp_text text = { 0 };
	for (size_t i = 0; i < count; i++) {
		if (tree_read_twice(examples[i].query, &text) != GEMP_OK)
			fail_msg("%s", gemp_message());
		if (strcmp(text.data, examples[i].text) != 0)
			fail_msg("%s\n  is read as %s\n  instead of %s", examples[i].query, text.data, examples[i].text);
	}
	gemp_text_free(&text);
}
#define CHECK_ALL(examples) check((examples), sizeof(examples) / sizeof *(examples))

/* Checks the text of expressions; each becomes the one column of a RETURN. */
static void check_values(const example *examples, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		gemp_text query = { 0 }, text = { 0 };
		gemp_text_print(&query, "RETURN %s AS x", examples[i].query);
		gemp_text_print(&text, "RETURN %s AS x", examples[i].text);
		check(&(example){ query.data, text.data }, 1);
		gemp_text_free(&query);
		gemp_text_free(&text);
	}
	assert_int_equal(gemp_memory_blocks(), 0);
}
#define CHECK_VALUES(examples) check_values((examples), sizeof(examples) / sizeof *(examples))

static void operators(void **state)
{
	(void)state;
	static const example examples[] = {
		{ "a OR b XOR c AND NOT d", "(a OR (b XOR (c AND (NOT d))))" },
		{ "a OR b OR c", "((a OR b) OR c)" },
		{ "NOT a = b", "(NOT (a = b))" },
		{ "a < b <= c > d >= e <> f = g", "(a < b <= c > d >= e <> f = g)" },
		{ "a = b IS NULL", "(a = (b IS NULL))" },
		{ "a + b IN c + d IS NOT NULL", "(((a + b) IN (c + d)) IS NOT NULL)" },
		{ "a STARTS WITH b AND c ENDS WITH d", "((a STARTS WITH b) AND (c ENDS WITH d))" },
		{ "a CONTAINS b =~ c", "((a CONTAINS b) =~ c)" },
		{ "a - b - c + d", "(((a - b) - c) + d)" },
		{ "a + b * c / d % e", "(a + (((b * c) / d) % e))" },
		{ "a * b ^ c ^ d", "(a * ((b ^ c) ^ d))" },
		{ "-a ^ -b", "((-a) ^ (-b))" },
		{ "-a.b + +c[0]", "((-a.b) + (+c[0]))" },
		{ "- - a", "(-(-a))" },
		{ "-3 ^ 2", "((-3) ^ 2)" },
		{ "1 - -(2)", "(1 - (-2))" },
		{ "(1) - -(2)", "(1 - (-2))" },
		{ "(a) - [1, 2][0]", "(a - [1, 2][0])" },
		{ "(a) - (b)", "(a - b)" },
		{ "a < -b", "(a < (-b))" },
	};
	CHECK_VALUES(examples);
}

static void postfixes(void **state)
{
	(void)state;
	static const example examples[] = {
		{ "a.b.c", "a.b.c" },
		{ "a.`b c`.d", "a.`b c`.d" },
		{ "a.order.`match`", "a.`order`.`match`" },
		{ "a[1][b]", "a[1][b]" },
		{ "a[1..3]", "a[1..3]" },
		{ "a[..3]", "a[..3]" },
		{ "a[1..]", "a[1..]" },
		{ "a[..]", "a[..]" },
		{ "a[b.c .. -1]", "a[b.c..(-1)]" },
		{ "[1, 2][0]", "[1, 2][0]" },
		{ "{k: 1}.k", "{k: 1}.k" },
		{ "f(x).y[0]", "f(x).y[0]" },
		{ "n:A:B", "(n:A:B)" },
		{ "n:A|B&C|:D:E", "(n:A|B&C|D:E)" },
		{ "[x IN l WHERE x:A | x:B|C]", "[x IN l WHERE (x:A) | (x:B|C)]" },
		{ "[x IN l WHERE (x:A|B) | x]", "[x IN l WHERE (x:A|B) | x]" },
		{ "[(a:A|B)-[:T|U]->() WHERE a:C | a]", "[(a:A|B)-[:T|U]->() WHERE (a:C) | a]" },
		{ "n.m:A = true", "((n.m:A) = true)" },
		{ "NOT n:A AND m:Order", "((NOT (n:A)) AND (m:`Order`))" },
		{ "(n:A)", "(n:A)" },
		{ "(a + b).c", "(a + b).c" },
	};
	CHECK_VALUES(examples);
}

static void literals(void **state)
{
	(void)state;
	static const example examples[] = {
		{ "0", "0" },
		{ "007", "7" },
		{ "9223372036854775807", "9223372036854775807" },
		{ "-9223372036854775808", "(-9223372036854775808)" },
		{ "- 9223372036854775808", "(-9223372036854775808)" },
		{ "0x1F + 0xab", "(31 + 171)" },
		{ "-0x8000000000000000", "(-9223372036854775808)" },
		{ "0o17", "15" },
		{ "-0o1000000000000000000000", "(-9223372036854775808)" },
		{ ".5", "0.5" },
		{ "1.5e-3", "0.0015" },
		{ "1E3", "1000.0" },
		{ "-0.0", "(-0.0)" },
		{ "1e-999", "0.0" },
		{ "NULL", "null" },
		{ "True", "true" },
		{ "fAlse", "false" },
		{ "'a\\'b\\\\'", "'a\\'b\\\\'" },
		{ "\"it's\"", "'it\\'s'" },
		{ "'\\u00e4\\U0001F600\\n'", "'\xC3\xA4\xF0\x9F\x98\x80\n'" },
		{ "''", "''" },
		{ "[]", "[]" },
		{ "[1, 'a', [null]]", "[1, 'a', [null]]" },
		{ "{}", "{}" },
		{ "{a: 1, `b c`: {end: []}, `` : 2}", "{a: 1, `b c`: {`end`: []}, ``: 2}" },
		{ "$p + $1 + $`odd name` + $match", "((($p + $1) + $`odd name`) + $`match`)" },
	};
	CHECK_VALUES(examples);
}

static void calls(void **state)
{
	(void)state;
	static const example examples[] = {
		{ "f()", "f()" },
		{ "f (1, a)", "f(1, a)" },
		{ "date.truncate('day', d)", "date.truncate('day', d)" },
		{ "a . b . c (x)", "a.b.c(x)" },
		{ "count(*)", "count(*)" },
		{ "COUNT( * )", "count(*)" },
		{ "count(DISTINCT a.b)", "count(DISTINCT a.b)" },
		{ "collect(distinct a)[0]", "collect(DISTINCT a)[0]" },
		{ "exists(n.x)", "exists(n.x)" },
		{ "exists((a)-->(b))", "exists(((a)-[]->(b)))" },
		{ "size(a) - [1][0]", "(size(a) - [1][0])" },
		{ "count(a)-[x]-(b)", "((count(a) - [x]) - b)" },
		{ "any(list)", "any(list)" },
		{ "all(x IN [1, 2] WHERE x > 1 AND y)", "all(x IN [1, 2] WHERE ((x > 1) AND y))" },
		{ "NONE (x in l where x.p) OR Single(x IN l WHERE x)", "(none(x IN l WHERE x.p) OR single(x IN l WHERE x))" },
		{ "any(`x y` IN l WHERE `x y`)", "any(`x y` IN l WHERE `x y`)" },
		{ "reduce(s = 0, x IN [1, 2] | s + x)", "reduce(s = 0, x IN [1, 2] | (s + x))" },
		{ "CASE WHEN a THEN 1 END", "CASE WHEN a THEN 1 END" },
		{ "CASE a WHEN 1 THEN 'x' WHEN b + 1 THEN 'y' ELSE c END",
		  "CASE a WHEN 1 THEN 'x' WHEN (b + 1) THEN 'y' ELSE c END" },
		{ "CASE WHEN a = CASE b WHEN 1 THEN 2 END THEN 3 ELSE null END",
		  "CASE WHEN (a = CASE b WHEN 1 THEN 2 END) THEN 3 ELSE null END" },
		{ "n{.a, .*, b: 1 + 2, c, .`d e`}", "n{.a, .*, b: (1 + 2), c, .`d e`}" },
		{ "n {}", "n{}" },
		{ "count + exists + any", "((`count` + `exists`) + `any`)" },
	};
	CHECK_VALUES(examples);
}

static void comprehensions(void **state)
{
	(void)state;
	static const example examples[] = {
		{ "[x IN l]", "[x IN l]" },
		{ "[x IN l | x + 1]", "[x IN l | (x + 1)]" },
		{ "[x IN l WHERE x > 1]", "[x IN l WHERE (x > 1)]" },
		{ "[ x IN [1, 2] WHERE x IN [y IN x | y] | [x, 1]]", "[x IN [1, 2] WHERE (x IN [y IN x | y]) | [x, 1]]" },
		{ "[x IN l, y]", "[(x IN l), y]" },
		{ "[x IN [1, 2] OR a, f(1, 2)]", "[((x IN [1, 2]) OR a), f(1, 2)]" },
		{ "[x /* , */ IN /* ] */ l | ',']", "[x IN l | ',']" },
		{ "[xIN, y]", "[xIN, y]" },
		{ "[x.y IN l]", "[(x.y IN l)]" },
		{ "[(a)-->(b) | b.x]", "[(a)-[]->(b) | b.x]" },
		{ "[(a:A {x: [1, 2]})-[:T|U*2]-(b) WHERE b.x > 1 | [a, b]]",
		  "[(a:A {x: [1, 2]})-[:T|U*2..2]-(b) WHERE (b.x > 1) | [a, b]]" },
		{ "[p = (a)<--() | nodes(p)]", "[p = (a)<-[]-() | nodes(p)]" },
		{ "[(a) - 1, 2]", "[(a - 1), 2]" },
		{ "[(a)]", "[a]" },
		{ "[p = q]", "[(p = q)]" },
		{ "(a)-[:T]->(b) AND NOT (b)--()", "(((a)-[:T]->(b)) AND (NOT ((b)-[]-())))" },
		{ "EXISTS { (a)-->(b) WHERE a.x = 1 }", "EXISTS { MATCH (a)-[]->(b) WHERE (a.x = 1) }" },
		{ "exists { MATCH (a) WHERE a.x RETURN a }", "EXISTS { MATCH (a) WHERE a.x RETURN a AS a }" },
		{ "EXISTS { p = (a)-->(b), (c) }", "EXISTS { MATCH p = (a)-[]->(b), (c) }" },
		{ "Count { MATCH (a) WITH a AS b MATCH (b)-->(c) } + 1",
		  "(COUNT { MATCH (a) WITH a AS b MATCH (b)-[]->(c) } + 1)" },
		{ "COLLECT { MATCH (a) RETURN a.x UNION ALL RETURN 1 }",
		  "COLLECT { MATCH (a) RETURN a.x AS `a.x` UNION ALL RETURN 1 AS `1` }" },
		{ "EXISTS { (a) WHERE EXISTS { (a)-->() } }", "EXISTS { MATCH (a) WHERE EXISTS { MATCH (a)-[]->() } }" },
	};
	CHECK_VALUES(examples);
}

static void patterns(void **state)
{
	(void)state;
	static const example examples[] = {
		{ "MATCH () RETURN *", "MATCH () RETURN *" },
		{ "match(a:A:B{x:1,y:'z'})return*", "MATCH (a:A:B {x: 1, y: 'z'}) RETURN *" },
		{ "MATCH (a:A|B&C:D)--(:E&F) RETURN *", "MATCH (a:A|B&C:D)-[]-(:E&F) RETURN *" },
		{ "MATCH (:A), ({x: 1}) RETURN *", "MATCH (:A), ({x: 1}) RETURN *" },
		{ "MATCH (a)-->(b)<--(c)--(d)<-->(e) RETURN *", "MATCH (a)-[]->(b)<-[]-(c)-[]-(d)<-[]->(e) RETURN *" },
		{ "MATCH (a)-[r:T|:U|V {x: 1}]->(b) RETURN *", "MATCH (a)-[r:T|U|V {x: 1}]->(b) RETURN *" },
		{ "MATCH (a)-[*]-(b)-[:T*2]-(c)-[r*..3]-(d)-[*1..]-(e)-[*0..4 {x: 1}]->() RETURN *",
		  "MATCH (a)-[*1..]-(b)-[:T*2..2]-(c)-[r*1..3]-(d)-[*1..]-(e)-[*0..4 {x: 1}]->() RETURN *" },
		{ "MATCH (a)-[*..]-(b)-[*3..1]-(c) RETURN *", "MATCH (a)-[*1..]-(b)-[*3..1]-(c) RETURN *" },
		{ "MATCH p = (a)-->(b), q = (c) RETURN *", "MATCH p = (a)-[]->(b), q = (c) RETURN *" },
		{ "MATCH p = shortestPath((a)-[*]->(b)), allshortestpaths((c)-[:T*..5]-(d)) RETURN *",
		  "MATCH p = shortestPath((a)-[*1..]->(b)), allShortestPaths((c)-[:T*1..5]-(d)) RETURN *" },
		{ "MATCH ((a)-->(b)), (((c))) RETURN *", "MATCH (a)-[]->(b), (c) RETURN *" },
		{ "MATCH (count {x: 1})-[:`a b`|end]->(exists) RETURN *",
		  "MATCH (`count` {x: 1})-[:`a b`|`end`]->(`exists`) RETURN *" },
		{ "MATCH (a)-[r]->(b), (a)-[s]->(c) WHERE r <> s OPTIONAL MATCH (c)--(d) WHERE d.x RETURN *",
		  "MATCH (a)-[r]->(b), (a)-[s]->(c) WHERE (r <> s) OPTIONAL MATCH (c)-[]-(d) WHERE d.x RETURN *" },
		{ "CREATE (a $p)-[:T $q]->(b)", "CREATE (a $p)-[:T $q]->(b)" },
	};
	CHECK_ALL(examples);
}

static void reading_clauses(void **state)
{
	(void)state;
	static const example examples[] = {
		{ "RETURN 1;", "RETURN 1 AS `1`" },
		{ "RETURN  a.x +  1 ,count( * ), `b`", "RETURN (a.x + 1) AS `a.x +  1`, count(*) AS `count( * )`, b AS b" },
		{ "RETURN *, 1 AS x ORDER BY x DESC, a.y ASCENDING SKIP 1 + 2 LIMIT $n",
		  "RETURN *, 1 AS x ORDER BY x DESC, a.y SKIP (1 + 2) LIMIT $n" },
		{ "WITH DISTINCT a, 1 AS b ORDER BY a LIMIT 2 WHERE a > b RETURN a",
		  "WITH DISTINCT a AS a, 1 AS b ORDER BY a LIMIT 2 WHERE (a > b) RETURN a AS a" },
		{ "UNWIND [1, 2] AS x UNWIND $l AS y WITH * RETURN x",
		  "UNWIND [1, 2] AS x UNWIND $l AS y WITH * RETURN x AS x" },
		{ "RETURN 1 AS x UNION RETURN 2 AS x UNION RETURN 3 AS x",
		  "RETURN 1 AS x UNION RETURN 2 AS x UNION RETURN 3 AS x" },
		{ "RETURN 1 AS x UNION ALL RETURN 2 AS x", "RETURN 1 AS x UNION ALL RETURN 2 AS x" },
		{ "CALL a.b", "CALL a.b" },
		{ "CALL a.b YIELD *", "CALL a.b YIELD *" },
		{ "CALL a.b(1, $x) YIELD c, d AS e WHERE e > 1 RETURN c",
		  "CALL a.b(1, $x) YIELD c AS c, d AS e WHERE (e > 1) RETURN c AS c" },
		{ "MATCH (n) CALL db.labels() RETURN n", "MATCH (n) CALL db.labels() RETURN n AS n" },
		{ "CALL { MATCH (a) RETURN a UNION MATCH (b) RETURN b AS a } RETURN a",
		  "CALL { MATCH (a) RETURN a AS a UNION MATCH (b) RETURN b AS a } RETURN a AS a" },
		{ "// a comment\nMATCH (a) /* and\n another */ RETURN a // end", "MATCH (a) RETURN a AS a" },
		{ "WITH 1 AS call, 2 AS yield, 3 AS on, 4 AS foreach RETURN call, yield, on, foreach",
		  "WITH 1 AS call, 2 AS yield, 3 AS on, 4 AS foreach RETURN call AS call, yield AS yield, on AS on, foreach AS "
		  "foreach" },
	};
	CHECK_ALL(examples);
}

static void writing_clauses(void **state)
{
	(void)state;
	static const example examples[] = {
		{ "CREATE (a:A {x: 1})-[:T]->(b), (c)", "CREATE (a:A {x: 1})-[:T]->(b), (c)" },
		{ "CREATE (a) CREATE (b) RETURN a", "CREATE (a) CREATE (b) RETURN a AS a" },
		{ "MERGE p = (a)-[:T]->(b) ON CREATE SET a.x = 1, a.y = 2 ON MATCH SET a:B ON CREATE SET b += $m",
		  "MERGE p = (a)-[:T]->(b) ON CREATE SET a.x = 1 ON CREATE SET a.y = 2 ON MATCH SET a:B ON CREATE SET b += $m" },
		{ "MATCH (a) SET a.x = a.x + 1, a = {y: 1}, a += b, a:A:B, (a).z.w = 1",
		  "MATCH (a) SET a.x = (a.x + 1), a = {y: 1}, a += b, a:A:B, a.z.w = 1" },
		{ "MATCH (a) REMOVE a.x, a:A:B", "MATCH (a) REMOVE a.x, a:A:B" },
		{ "MATCH (a) DELETE a, b.c", "MATCH (a) DELETE a, b.c" },
		{ "MATCH (a) DETACH DELETE a", "MATCH (a) DETACH DELETE a" },
		{ "FOREACH (x IN [1, 2] | CREATE (a) SET a.x = x FOREACH (y IN x | MERGE (b)))",
		  "FOREACH (x IN [1, 2] | CREATE (a) SET a.x = x FOREACH (y IN x | MERGE (b)))" },
		{ "MATCH (a) SET a.x = 1 WITH a MATCH (b) RETURN b",
		  "MATCH (a) SET a.x = 1 WITH a AS a MATCH (b) RETURN b AS b" },
		{ "MATCH (a) CALL { WITH a CREATE (b) } RETURN a", "MATCH (a) CALL { WITH a AS a CREATE (b) } RETURN a AS a" },
	};
	CHECK_ALL(examples);
	gemp_cypher_tree tree;
	assert_ok(gemp_cypher_parse(&tree, &(gemp_source){ .text = "MATCH (a) FOREACH (x IN [1] | SET a.x = x)" }));
	assert_true(tree.writes);
	gemp_cypher_tree_free(&tree);
	assert_ok(gemp_cypher_parse(&tree, &(gemp_source){ .text = "MATCH (a) RETURN a.set" }));
	assert_false(tree.writes);
	gemp_cypher_tree_free(&tree);
}

/* The place must be that of `part`, which is the first such text behind `before`. */
static void assert_place(gemp_cypher_place place, const char *text, const char *before, const char *part)
{
	const char *at = strstr(text, before);
	assert_non_null(at);
	at = strstr(at + strlen(before), part);
	assert_non_null(at);
	assert_int_equal(place.begin, at - text);
	assert_int_equal(place.end, at - text + (ptrdiff_t)strlen(part));
}

static void places(void **state)
{
	(void)state;
	static const char text[] = "MATCH (a:A)-[r]->(b) WHERE a.x < 1 + f(b) RETURN ( a.y ) AS c, 2 * 3";
	gemp_cypher_tree tree;
	assert_ok(gemp_cypher_parse(&tree, &(gemp_source){ .text = text }));
	const gemp_cypher_clause *match = tree.query->first->first, *result = match->next;
	assert_place(match->place, text, "", "MATCH (a:A)-[r]->(b) WHERE a.x < 1 + f(b)");
	assert_place(match->pattern->first->place, text, "", "(a:A)-[r]->(b)");
	assert_place(match->pattern->first->from->place, text, "", "(a:A)");
	assert_place(match->pattern->first->from->labels->name.place, text, ":", "A");
	assert_place(match->pattern->first->first->place, text, "", "-[r]->");
	assert_place(match->pattern->first->first->to->place, text, "", "(b)");
	assert_place(match->where->place, text, "", "a.x < 1 + f(b)");
	assert_place(match->where->last->place, text, "", "1 + f(b)");
	assert_place(match->where->last->last->place, text, "", "f(b)");
	assert_place(match->where->last->last->name.place, text, "+ ", "f");
	assert_place(result->items->place, text, "", "( a.y )");
	assert_place(result->items->alias.place, text, "AS ", "c");
	assert_string_equal(result->items->next->alias.bytes, "2 * 3");
	assert_false(result->items->next->named);
	assert_int_equal(result->items->slot, GEMP_CY_NO_SLOT);
	gemp_cypher_tree_free(&tree);
}

static void parameters(void **state)
{
	(void)state;
	gemp_cypher_tree tree;
	assert_ok(gemp_cypher_parse(&tree, &(gemp_source){ .text = "RETURN $b, $`a`, $b + $0" }));
	assert_int_equal(tree.parameter_count, 3);
	assert_string_equal(tree.parameters[0].bytes, "b");
	assert_string_equal(tree.parameters[1].bytes, "a");
	assert_string_equal(tree.parameters[2].bytes, "0");
	const gemp_cypher_item *item = tree.query->first->first->items;
	assert_int_equal(item->expr->slot, 0);
	assert_int_equal(item->next->expr->slot, 1);
	assert_int_equal(item->next->next->expr->first->slot, 0);
	assert_int_equal(item->next->next->expr->last->slot, 2);
	gemp_cypher_tree_free(&tree);
}

/* `count` times before, a, and `count` times after. */
static gemp_code read_nested(size_t count, const char *before, const char *after)
{
	gemp_text query = { 0 }, text = { 0 };
	gemp_text_print(&query, "RETURN ");
	for (size_t i = 0; i < count; i++)
		gemp_text_print(&query, "%s", before);
	gemp_text_print(&query, "a");
	for (size_t i = 0; i < count; i++)
		gemp_text_print(&query, "%s", after);
	gemp_text_print(&query, " AS x");
	gemp_code code = tree_read(query.data, &text);
	gemp_text_free(&query);
	gemp_text_free(&text);
	return code;
}

static void depth(void **state)
{
	(void)state;
	static const struct {
		const char *before, *after;
		size_t levels; /* of the tree for each repetition */
	} nests[] = {
		{ "[", "]", 1 },     { "{a: ", "}", 2 }, { "f(", ")", 1 },     { "NOT ", "", 1 },
		{ "- ", "", 1 },     { "", ".x", 1 },    { "", " + 1", 1 },    { "[x IN ", "]", 1 },
		{ "", " AND b", 1 }, { "", "[0]", 1 },   { "x IN (", ")", 1 }, { "CASE WHEN ", " THEN 1 END", 1 },
	};
	for (size_t i = 0; i < sizeof nests / sizeof *nests; i++) {
		const size_t most = 1000 / nests[i].levels;
		assert_ok(read_nested(most, nests[i].before, nests[i].after));
		assert_code(read_nested(most + 1, nests[i].before, nests[i].after), GEMP_EUSAGE);
		assert_message("this expression is nested more than 1000 deep");
		assert_code(read_nested(20000, nests[i].before, nests[i].after), GEMP_EUSAGE);
		assert_message("deep");
	}
	assert_ok(read_nested(90, "EXISTS { RETURN ", " AS y }"));
	assert_code(read_nested(110, "EXISTS { RETURN ", " AS y }"), GEMP_EUSAGE);
	assert_message("clauses are nested more than 100 deep here");
	/* The depth of inner queries counts. */
	assert_code(read_nested(90, "EXISTS { RETURN NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT ", " AS y }"),
	            GEMP_EUSAGE);
	assert_message("this expression is nested more than 1000 deep");
	assert_code(read_nested(20000, "(", ")"), GEMP_EUSAGE);
	assert_message("the query is nested too deeply here");
	assert_int_equal(gemp_memory_blocks(), 0);
}

static gemp_code read_large(void *query)
{
	gemp_cypher_tree tree;
	gemp_code code = gemp_cypher_parse(&tree, &(gemp_source){ .text = query });
	gemp_cypher_tree_free(&tree);
	return code;
}

static void without_memory(void **state)
{
	(void)state;
	gemp_text query = { 0 };
	gemp_text_print(&query, "MATCH (a:A {x: $p})-[r:T*1..2]->(b) WHERE a < 1 <= 2 AND EXISTS { (a)-->(b) } RETURN 1");
	for (int i = 0; i < 300; i++)
		gemp_text_print(&query, ", [%s", i % 3 ? "x IN l | x.y]" : "f(1), CASE WHEN a THEN 'x' END]");
	for (int i = 0; i < 200; i++)
		gemp_text_print(&query, "%s", i ? "[" : ", ");
	gemp_text_print(&query, "1");
	for (int i = 1; i < 200; i++)
		gemp_text_print(&query, "]");
	assert_ok(read_large(query.data));
	assert_survives_no_memory(read_large, query.data);
	gemp_text_free(&query);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operators),       cmocka_unit_test(postfixes),       cmocka_unit_test(literals),
		cmocka_unit_test(calls),           cmocka_unit_test(comprehensions),  cmocka_unit_test(patterns),
		cmocka_unit_test(reading_clauses), cmocka_unit_test(writing_clauses), cmocka_unit_test(places),
		cmocka_unit_test(parameters),      cmocka_unit_test(depth),           cmocka_unit_test(without_memory),
	};
	return test_main(tests);
}
