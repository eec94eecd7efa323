/* Tests random texts: each gives a tree, whose text gives the same tree, or one message with a place; all memory is
 * freed. */
#include "cypher_tree_text.h"
#include "odd_text.h"

#include "core/memory.h"

static const char *const pieces[] = {
	"MATCH",
	" OPTIONAL MATCH ",
	" WHERE ",
	" WITH ",
	" RETURN ",
	" RETURN a",
	" UNWIND ",
	" AS x",
	" DISTINCT ",
	" ORDER BY ",
	" DESC",
	" SKIP ",
	" LIMIT ",
	" UNION ",
	" ALL ",
	" CREATE ",
	" MERGE ",
	" ON CREATE SET ",
	" ON MATCH ",
	" SET ",
	" REMOVE ",
	" DETACH DELETE ",
	" DELETE ",
	" FOREACH (x IN l | ",
	" CALL ",
	" CALL {",
	" YIELD ",
	" AND ",
	" OR ",
	" XOR ",
	" NOT ",
	" IN ",
	" IS ",
	" NULL",
	" true",
	" CONTAINS ",
	" STARTS WITH ",
	" CASE ",
	" WHEN ",
	" THEN ",
	" ELSE ",
	" END ",
	" EXISTS { ",
	" COUNT { ",
	" COLLECT { ",
	"EXISTS",
	"(a)",
	"(b:P)",
	"(a {x: 1})",
	"-->",
	"<--",
	"--",
	"-[:T]->",
	"-[r:T|U]-",
	"<-[*1..2]-",
	"-[p = ",
	"[x IN ",
	"[p = (a)-->(b)",
	"[(a)--(b) | ",
	"all(x IN ",
	"none(",
	"reduce(s = 0, x IN ",
	"shortestPath(",
	"(",
	")",
	"[",
	"]",
	"{",
	"}",
	"..",
	".",
	",",
	":",
	"|",
	"=",
	"<>",
	"<",
	"<=",
	">=",
	"+=",
	"=~",
	"+",
	"-",
	"*",
	"/",
	"%",
	"^",
	"!",
	"$p",
	"$1",
	"$",
	";",
	"a",
	"b",
	"c",
	"a.x",
	"n{.a, .*",
	"count(*)",
	"date.truncate(",
	"f(DISTINCT ",
	"`q`",
	"`",
	"``",
	"1",
	"0",
	"0x1F",
	"0o7",
	".5",
	"1e3",
	"1e999",
	"9223372036854775808",
	"-9223372036854775808",
	"99999999999999999999",
	"'s'",
	"\"t\"",
	"'",
	"\"",
	"\\",
	"'\\u00e4'",
	"'\\u",
	"/*",
	"*/",
	"//",
	"\n",
	"\t",
	" ",
	"\xC3\xA4",
	"\xC3",
	"\xFF",
	"\xE2\x82\xAC",
	"\xC2\xA0",
	"\xE2\x80\x93",
	"#",
	"?",
};
enum { PIECES = sizeof pieces / sizeof *pieces };

static const char *const whole[] = {
	"MATCH (a:Person {name: 'x'})-[r:ACTED_IN|DIRECTED*1..3]->(m:Movie)<--(b), p = shortestPath((a)-[*]-(c)) "
	"WHERE a.born < b.born <= 3 AND NOT (a)--(b) RETURN a, m{.title, .*, x: 1, b} AS t ORDER BY t DESC LIMIT 9",
	"UNWIND [1, -2, 0x1F, 1.5e3, 'x', null] AS x WITH *, [y IN l WHERE y > x | y ^ 2][0..-1] AS z WHERE z:A:B "
	"RETURN CASE x WHEN 1 THEN 'a' ELSE x.y[1] END, all(y IN z WHERE y) OR reduce(s = 0, y IN z | s + y) = 1",
	"MATCH (n) WHERE EXISTS { (n)-->(x) WHERE x.k = n.k } AND COUNT { MATCH (n)--(m) RETURN m } > 1 "
	"RETURN [p = (n)-[:T]->() | length(p)], COLLECT { RETURN 1 UNION ALL RETURN 2 }, count(DISTINCT n.`odd name`)",
	"MERGE (a:A {x: $p}) ON CREATE SET a.x = 1, a += {y: 2} ON MATCH SET a:B WITH a FOREACH (x IN [1] | CREATE "
	"(a)-[:T $q]->() SET a = x) REMOVE a.x, a:B DETACH DELETE a RETURN 1 UNION RETURN 2",
	"CALL { MATCH (a) RETURN a } CALL db.labels($x, 1) YIELD label AS l, m WHERE l STARTS WITH 'x' RETURN l /* c */ // d",
};

static void mutate(uint64_t *seed, gemp_text *text)
{
	size_t changes = 1 + gemp_random_below(seed, 4);
	gemp_text_print(text, "%s", whole[gemp_random_below(seed, sizeof whole / sizeof *whole)]);
	for (size_t i = 0; i < changes && text->size > 1; i++) {
		size_t at = gemp_random_below(seed, text->size);
		switch (gemp_random_below(seed, 4)) {
		case 0: /* changes a byte */ text->data[at] = (char)(1 + gemp_random_below(seed, 255)); break;
		case 1: /* removes a byte */ odd_drop(text, at); break;
		case 2: /* truncates the text */ text->data[text->size = at] = '\0'; break;
		default: /* inserts a piece */ odd_insert(text, at, odd_piece(seed, pieces, PIECES));
		}
	}
}

static void random_texts_are_read_or_refused(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	gemp_text text = { 0 }, tree = { 0 };
	size_t good = 0, bad = 0;
	for (int round = 0; round < 20000; round++) {
		gemp_text_clear(&text);
		if (round % 2)
			mutate(&seed, &text);
		else
			odd_compose(&seed, &text, round % 4 ? "MATCH (a) RETURN " : "RETURN a", pieces, PIECES);
		gemp_code code = tree_read_twice(text.data, &tree);
		if (code != GEMP_OK)
			odd_check_error(code, "query", text.data);
		good += code == GEMP_OK;
		bad += code != GEMP_OK;
	}
	assert_true(good > 500 && bad > 500);
	gemp_text_free(&text);
	gemp_text_free(&tree);
	assert_int_equal(gemp_memory_blocks(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(random_texts_are_read_or_refused) };
	return test_main(tests);
}
