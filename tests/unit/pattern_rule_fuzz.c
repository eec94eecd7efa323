/* Tests random rules: each text gives a rule set or one message with a position, and all memory is freed. */
#include "core/memory.h"
#include "odd_text.h"

#include "core/log.h"
#include "core/status.h"
#include "pattern/model/expr.h"
#include "pattern/model/pattern.h"
#include "pattern/model/rule.h"
#include "pattern/semantic/parse.h"
#include "pattern/symmetry/automorphism.h"
#include "pattern/symmetry/permutation_group.h"

static const char *const pieces[] = {
	"RULE r ",
	" RULE s ",
	" RUN ",
	"ONE ",
	"ALL ",
	"TRY ",
	" INTO ",
	" CREATE ",
	" SET ",
	" REMOVE ",
	" DELETE ",
	" DETACH ",
	" MERGE ",
	" MATCH ",
	" OPTIONAL MATCH ",
	" WHERE ",
	" WITH ",
	" LIMIT ",
	" RETURN ",
	"(a)",
	"(b:P)",
	"(c {x: a.x})",
	"(c:A|B)",
	"-[:T]->",
	"<-[r:T]-",
	"-->",
	"-[:T*1..2]->",
	"-[q:U {k: 1}]->",
	"a.x = 1",
	"b.y = a.x + 1",
	"a:L",
	"r:T",
	"c",
	"a",
	"b",
	"r",
	"a.x",
	",",
	";",
	"|",
	"*",
	"{3}",
	"{0}",
	"{",
	"}",
	"(",
	")",
	"r*",
	"(r | s)*",
	"count(*) AS n",
	"n",
	"a, ",
	"b INTO a",
	"=",
	"+=",
	"1",
	"null",
	"'s'",
	"'",
	"`",
	"/*",
	"\n",
	" ",
	"\xFF",
	"\xC3\xA4",
	"$p",
	"0",
	"99999999999999999999",
};
enum { PIECES = sizeof pieces / sizeof *pieces };

static const char *const whole[] = {
	"RULE r MATCH (a:P)-[r:T]->(b) WHERE a.x < b.x SET a.x = b.x, r:U REMOVE b:Q DELETE r RUN r*",
	"RULE r MATCH (a)-->(b) WITH a, count(b) AS n WHERE n > 2 CREATE (c:C {n: n})-[:T {k: 1}]->(a)\n"
	"RULE s MATCH (c) WHERE NOT (c)--() DETACH DELETE c;\nRUN (r; TRY ONE s)* | s{3} LIMIT 9",
	"RULE m MATCH (a), (b) OPTIONAL MATCH (b)-[q]-(x) SET x.y = null MERGE b INTO a DELETE q",
};

static void mutate(uint64_t *seed, gemp_text *text)
{
	gemp_text_print(text, "%s", whole[gemp_random_below(seed, sizeof whole / sizeof *whole)]);
	for (uint64_t changes = gemp_random_below(seed, 3); changes > 0 && text->size > 1; changes--) {
		size_t at = gemp_random_below(seed, text->size);
		if (gemp_random_below(seed, 3) == 0)
			odd_drop(text, at);
		else
			odd_insert(text, at, odd_piece(seed, pieces, PIECES));
	}
}

static void check_element(const gemp_rule *rule, gemp_rule_element element)
{
	const gemp_clause *result = &rule->pattern->result;
	if (element.created) {
		assert_true(element.index < (element.edge ? rule->created_edges : rule->created_vertices));
	} else {
		assert_true(element.index < rule->update_columns);
		assert_int_equal(result->items[element.index].expr->kind, element.edge ? GEMP_EDGE : GEMP_VERTEX);
	}
}

static void check_rule(const gemp_rule *rule)
{
	gemp_symmetry *symmetry;
	assert_true(rule->update_count > 0);
	for (size_t i = 0; i < rule->update_count; i++) {
		const gemp_update *update = &rule->updates[i];
		check_element(rule, update->element);
		if (update->kind == GEMP_CREATE_EDGE)
			check_element(rule, update->from);
		if (update->kind == GEMP_CREATE_EDGE || update->kind == GEMP_MERGE)
			check_element(rule, update->to);
		if (update->kind == GEMP_SET_ATTRIBUTE && !update->constant)
			assert_true(update->column < rule->update_columns);
		bool named = update->kind != GEMP_CREATE_VERTEX && update->kind != GEMP_DELETE && update->kind != GEMP_MERGE;
		assert_true(!named || update->name_count > 0);
		assert_true(update->line > 0 && update->place > 0);
	}
	assert_ok(gemp_automorphism_find(&symmetry, rule->pattern, true));
	gemp_symmetry_free(symmetry);
}

static void random_texts_are_parsed_or_refused(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	gemp_text text = { 0 };
	size_t good = 0, bad = 0;
	gemp_log_set_level(GEMP_QUIET); /* suppresses the warnings about rules that no RUN names */
	for (int round = 0; round < 20000; round++) {
		gemp_rule_set *rules = NULL;
		gemp_text_clear(&text);
		if (round % 2)
			mutate(&seed, &text);
		else
			odd_compose(&seed, &text, "RULE r MATCH (a)-->(b) ", pieces, PIECES);
		gemp_code code = gemp_rule_set_parse(&rules, text.data, NULL, NULL, 0);
		for (size_t i = 0; code == GEMP_OK && i < rules->count; i++)
			check_rule(&rules->rules[i]);
		if (code != GEMP_OK)
			odd_check_error(code, "rules", text.data);
		good += code == GEMP_OK;
		bad += code != GEMP_OK;
		gemp_rule_set_free(rules);
	}
	if (good < 500 || bad < 500)
		fail_msg("%zu good, %zu bad", good, bad);
	gemp_text_free(&text);
	assert_int_equal(gemp_memory_blocks(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(random_texts_are_parsed_or_refused) };
	return test_main(tests);
}
