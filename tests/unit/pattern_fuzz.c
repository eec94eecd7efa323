/* Tests random texts: each text gives a pattern or one message with a position, and all memory is freed. */
#include "core/memory.h"
#include "odd_text.h"

#include "core/status.h"
#include "pattern/condition/expr_text.h"
#include "pattern/model/pattern.h"
#include "pattern/semantic/parse.h"
#include "pattern/shapes/named_pattern.h"
#include "pattern/shapes/query_graph.h"
#include "pattern/symmetry/automorphism.h"
#include "pattern/symmetry/permutation_group.h"

static const char *const pieces[] = {
	"MATCH",
	" WHERE ",
	" RETURN ",
	" LIMIT ",
	" AS ",
	" AND ",
	" OR ",
	" NOT ",
	" IN ",
	" IS ",
	" NULL",
	"true",
	"false",
	" CONTAINS ",
	" STARTS ",
	" ENDS ",
	" WITH ",
	"OPTIONAL ",
	"ORDER BY ",
	"DISTINCT ",
	"XOR",
	"(a)",
	"(b:P)",
	"(",
	")",
	"[",
	"]",
	"-",
	"->",
	"<-",
	"--",
	"-[:T]->",
	"-[r]-",
	"<-[:T|U]-",
	"-[*2]->",
	",",
	":",
	"|",
	"&",
	".",
	"..",
	"=",
	"<>",
	"<",
	"<=",
	">",
	">=",
	"=~",
	"+",
	"*",
	"/",
	"%",
	"^",
	"!",
	"$p",
	";",
	"{",
	"}",
	"{x: 1}",
	"a",
	"b",
	"c",
	"a.x",
	"b.y",
	"id(a)",
	"count(*)",
	"sum(",
	"`q`",
	"`",
	"1",
	"-1",
	"0.5",
	"1e3",
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
	"#",
	"?",
	"@",
	"x IN [1, 2]",
	"a.x = 1",
	"a:P|Q",
	"a <> b",
	"a.s IS NULL",
	" OPTIONAL MATCH ",
	" SKIP ",
	" DESC",
	" EXISTS { ",
	" COUNT { ",
	"(a)-->()",
	"-[:T*1..3]->",
	"labels(a)",
	"type(r)",
	"toLower(",
	"size(",
	"collect(",
	" AS x",
	"-a.x",
};
enum { PIECES = sizeof pieces / sizeof *pieces };

static const char *const whole[] = {
	"MATCH (a:Person {name: 'x'})-[r:ACTED_IN|DIRECTED]->(m:Movie)<-[:ACTED_IN]-(b) "
	"WHERE a.born < b.born RETURN a, m.title AS t LIMIT 9",
	"MATCH (a)--(b)--(c)--(a) WHERE NOT (a.x = b.x OR b.x IN [1, 2.5, 'z', null]) AND c.s STARTS WITH \"q\" "
	"RETURN count(*)",
	"MATCH /* c */ (`odd name`:A&B|C)-->(), (a)-[]-(`odd name`) // end\n"
	"WHERE id(a) >= 5 AND a:X|Y AND a <> `odd name` RETURN *;",
	"MATCH (a)-->(b) WHERE NOT (a)-[:T*1..2]->() AND EXISTS { (b)-->(x) WHERE x.k = a.k + 1 } OPTIONAL MATCH (b)--(c) "
	"WITH a, count(c) AS n ORDER BY n DESC WHERE n > 1 RETURN a.s, n * 2 AS m ORDER BY m LIMIT 5",
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

static void check_pattern(gemp_pattern *p)
{
	gemp_symmetry *symmetry;
	bool overflow;
	assert_in_range(p->vertex_count, 1, GEMP_MAX_PATTERN_VERTICES);
	assert_in_range(p->result.item_count, 1, 1000);
	for (size_t i = 0; i < p->condition_count; i++) {
		char *text = gemp_expr_text(p->conditions[i].expr, p, false);
		assert_non_null(text);
		gemp_free(text);
		assert_true(p->conditions[i].vertices | p->conditions[i].edges);
	}
	assert_ok(gemp_automorphism_find(&symmetry, p, true));
	assert_true(gemp_symmetry_order(symmetry, &overflow) >= 1);
	gemp_symmetry_free(symmetry);
}

static void random_texts_are_parsed_or_refused(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	gemp_text text = { 0 };
	size_t good = 0, bad = 0;
	for (int round = 0; round < 20000; round++) {
		gemp_pattern *p = NULL;
		gemp_text_clear(&text);
		if (round % 2)
			mutate(&seed, &text);
		else
			odd_compose(&seed, &text, "MATCH (a)", pieces, PIECES);
		gemp_code code = gemp_pattern_parse(&p, text.data, NULL);
		if (code == GEMP_OK)
			check_pattern(p);
		else
			odd_check_error(code, "query", text.data);
		good += code == GEMP_OK;
		bad += code != GEMP_OK;
		gemp_pattern_free(p);
	}
	assert_true(good > 500 && bad > 500);
	gemp_text_free(&text);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void shape_names(void **state)
{
	(void)state;
	static const char *const parts[] = { "triangle", "cycle", "clique", "edges", "house", ":",  "0",
		                                 "1",        "5",     "31",     "-",     ",",     "%s", "x" };
	uint64_t seed = test_seed();
	gemp_text text = { 0 };
	for (int round = 0; round < 5000; round++) {
		gemp_pattern *p = NULL;
		gemp_text_clear(&text);
		size_t count = 1 + gemp_random_below(&seed, 12);
		gemp_text_print(&text, "%s", gemp_random_below(&seed, 2) ? "edges:" : "");
		for (size_t i = 0; i < count; i++)
			gemp_text_print(&text, "%s", parts[gemp_random_below(&seed, sizeof parts / sizeof *parts)]);
		gemp_code code = gemp_pattern_named(&p, text.data);
		assert_true(code == GEMP_OK || code == GEMP_EUSAGE);
		if (code == GEMP_OK)
			check_pattern(p);
		gemp_pattern_free(p);
	}
	gemp_text_free(&text);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void query_graphs(void **state)
{
	(void)state;
	static const char *const parts[] = { "t 2 1\n",
		                                 "t 3 2\n",
		                                 "v 0 1 1\n",
		                                 "v 1 1 1\n",
		                                 "v 2 5\n",
		                                 "e 0 1\n",
		                                 "e 1 2\n",
		                                 "e 0 2 0\n",
		                                 "e",
		                                 "v",
		                                 "t",
		                                 " ",
		                                 "\n",
		                                 "0",
		                                 "7",
		                                 "-",
		                                 "\xFF",
		                                 "# x\n",
		                                 "99999999999999999999" };
	uint64_t seed = test_seed();
	gemp_text text = { 0 };
	for (int round = 0; round < 2000; round++) {
		gemp_pattern *p = NULL;
		gemp_text_clear(&text);
		size_t count = 1 + gemp_random_below(&seed, 10);
		gemp_text_print(&text, "%s", gemp_random_below(&seed, 4) ? parts[gemp_random_below(&seed, 2)] : "");
		for (size_t i = 0; i < count; i++)
			gemp_text_print(&text, "%s", parts[gemp_random_below(&seed, sizeof parts / sizeof *parts)]);
		gemp_code code = gemp_pattern_query_graph(&p, test_file("q.graph", text.data), "L%d");
		assert_true(code == GEMP_OK || code == GEMP_EUSAGE || code == GEMP_EDATA);
		if (code == GEMP_OK)
			check_pattern(p);
		gemp_pattern_free(p);
	}
	gemp_text_free(&text);
	assert_int_equal(gemp_memory_blocks(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_texts_are_parsed_or_refused),
		cmocka_unit_test(shape_names),
		cmocka_unit_test(query_graphs),
	};
	return test_main(tests);
}
