/* Parses mutated queries. Every text gives a pattern or one message with a position, and all memory is freed, also if
 * an allocation fails. The mutations begin with the queries of tests/fuzz/queries.txt. GEMP_FUZZ_ROUNDS is the number
 * of rounds (20000 by default), and GEMP_TEST_SEED repeats a run. GEMP_FUZZ_LAST names a file for the current text,
 * which remains if the process crashes. */
#define MUTATE_NO_FILES
#include "core/memory.h"
#include "mutate.h"

#include "core/status.h"
#include "core/text.h"
#include "graph/column.h"
#include "pattern/condition/expr_text.h"
#include "pattern/model/expr.h"
#include "pattern/model/pattern.h"
#include "pattern/model/source.h"
#include "pattern/semantic/parse.h"
#include "pattern/symmetry/automorphism.h"
#include "pattern/symmetry/permutation_group.h"

enum { MOST_QUERIES = 64 };

static char *queries[MOST_QUERIES];
static size_t query_count;

static const char *const tokens[] = {
	" MATCH ",
	" OPTIONAL MATCH ",
	" WHERE ",
	" WITH ",
	" RETURN ",
	" DISTINCT ",
	" ORDER BY ",
	" ASC",
	" DESC",
	" SKIP ",
	" LIMIT ",
	" AS x",
	" AND ",
	" OR ",
	" XOR ",
	" NOT ",
	" IN ",
	" IS NULL",
	" IS NOT NULL",
	" CONTAINS ",
	" STARTS WITH ",
	" ENDS WITH ",
	" EXISTS { ",
	" COUNT { ",
	"(a)",
	"(b:P)",
	"(x)",
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
	"-[*1..3]->",
	"*2..",
	"*",
	"..",
	",",
	":",
	"|",
	"&",
	".",
	"=",
	"<>",
	"<",
	"<=",
	">=",
	"=~",
	"+",
	"/",
	"%",
	"^",
	"$p",
	"$n",
	";",
	"{",
	"}",
	"{x: 1}",
	"a",
	"b",
	"c",
	"a.x",
	"x.y",
	"id(a)",
	"labels(a)",
	"type(r)",
	"toLower(",
	"size(",
	"count(*)",
	"count(",
	"collect(DISTINCT ",
	"sum(",
	"avg(",
	"`q`",
	"`",
	"1",
	"-1",
	"0.5",
	"9223372036854775808",
	"-9223372036854775808",
	"'s'",
	"'",
	"\"",
	"\\",
	"'\\u00e4'",
	"/*",
	"*/",
	"//",
	"\n",
	"\xC3\xA4",
	"\xC3",
	"\xFF",
	"null",
	"true",
	"(a)-->(b)",
	"[1, a.x]",
	"CASE ",
};
enum { TOKENS = sizeof tokens / sizeof *tokens };

static const gemp_query_parameter parameters[] = {
	{ "p", { .type = GEMP_STRING, .string = { "it's", 4 } } },
	{ "n", { .type = GEMP_INTEGER, .integer = 3 } },
	{ "q", { .null = true } },
};

static void read_queries(void)
{
	char path[4096], line[1024];
	const char *folder = getenv("GEMP_SOURCE_DIR");
	snprintf(path, sizeof path, "%s/tests/fuzz/queries.txt", folder ? folder : ".");
	FILE *file = fopen(path, "r");
	if (!file)
		fail_msg("%s is not there; GEMP_SOURCE_DIR says where the sources are", path);
	while (query_count < MOST_QUERIES && fgets(line, sizeof line, file)) {
		line[strcspn(line, "\n")] = '\0';
		queries[query_count] = gemp_strdup(line);
		assert_non_null(queries[query_count++]);
	}
	fclose(file);
	assert_true(query_count > 10);
}

static void free_queries(void)
{
	while (query_count > 0)
		gemp_free(queries[--query_count]);
}

/* Inserts a part of another query at a random position. */
static void cross(gemp_text *text)
{
	const char *other = queries[below(query_count)];
	size_t size = strlen(other), from = below(size), length = below(size - from);
	insert(text, below(text->size + 1), other + from, length);
}

static void compose(gemp_text *text)
{
	const char *start = queries[below(query_count)];
	gemp_text_clear(text);
	gemp_text_add(text, start, strlen(start));
	for (uint64_t i = below(5); i > 0; i--) {
		if (below(4) == 0)
			cross(text);
		else
			mutate(text, tokens, TOKENS);
	}
	gemp_text_add(text, "", 1); /* a mutation may also have inserted a 0, which ends the text earlier */
}

/* Writes the text to the file of GEMP_FUZZ_LAST before it is parsed. */
static void keep(const char *text)
{
	const char *path = getenv("GEMP_FUZZ_LAST");
	FILE *file = path ? fopen(path, "w") : NULL;
	if (!file)
		return;
	fputs(text, file);
	fclose(file);
}

/* An error names a position in the text and has a caret below it, unless it concerns a parameter. */
static void check_error(const char *text)
{
	int line, column;
	const char *message = gemp_message();
	if (strncmp(message, "parameter", 9) == 0)
		return;
	if (sscanf(message, "query:%d:%d: ", &line, &column) != 2 || message[strlen(message) - 1] != '^' ||
	    strstr(message, "syntax error"))
		fail_msg("%s\n%s", text, message);
	for (; line > 1; line--) {
		text = strchr(text, '\n');
		assert_non_null(text);
		text++;
	}
	size_t length = 0;
	for (; *text && *text != '\n'; text++)
		length += (*text & 0xC0) != 0x80;
	assert_in_range(column, 1, length + 1);
}

/* after: the expression comes after WITH. */
static void check_expr(const gemp_expr *expr, const gemp_pattern *p, bool after)
{
	char *text = after ? gemp_expr_text(expr, p, true) : gemp_expr_text(expr, p, false);
	assert_non_null(text);
	gemp_free(text);
}

static void check_clause(const gemp_clause *clause, const gemp_pattern *p)
{
	assert_in_range(clause->shown, 1, clause->item_count);
	for (size_t i = 0; i < clause->item_count; i++) {
		assert_non_null(clause->items[i].name);
		check_expr(clause->items[i].expr, p, p->with && clause != p->with);
	}
	for (size_t i = 0; i < clause->order_count; i++)
		assert_in_range(clause->orders[i].item, 0, clause->item_count - 1);
	if (clause->where)
		check_expr(clause->where, p, true);
}

/* Checks that edges, conditions and arguments of a pattern refer to its own vertices and edges. */
static void check_pattern(const gemp_pattern *p)
{
	assert_in_range(p->vertex_count, 1, GEMP_MAX_PATTERN_VERTICES);
	assert_in_range(p->edge_count, 0, GEMP_MAX_PATTERN_EDGES);
	assert_in_range(p->arguments, 0, p->vertex_count);
	for (size_t e = 0; e < p->edge_count; e++) {
		assert_in_range(p->edges[e].from, 0, p->vertex_count - 1);
		assert_in_range(p->edges[e].to, 0, p->vertex_count - 1);
		assert_true(p->edges[e].min_hops <= p->edges[e].max_hops && p->edges[e].max_hops >= 1);
	}
	for (size_t i = 0; i < p->condition_count; i++) {
		const gemp_condition *condition = &p->conditions[i];
		assert_true(condition->vertices >> p->vertex_count == 0);
		assert_true(p->edge_count == 64 || condition->edges >> p->edge_count == 0);
		check_expr(condition->expr, p, false);
	}
	for (size_t i = 0; i < p->sub_count; i++)
		check_pattern(p->subs[i]);
	for (size_t i = 0; i < p->optional_count; i++) {
		check_pattern(p->optionals[i].pattern);
		for (size_t v = 0; v < p->optionals[i].pattern->arguments; v++)
			assert_in_range(p->optionals[i].outer[v], 0, p->optionals[i].first_vertex - 1);
	}
}

static void check_query(const gemp_pattern *p)
{
	gemp_symmetry *symmetry;
	check_pattern(p);
	assert_in_range(gemp_pattern_row_vertices(p), 1, GEMP_MAX_PATTERN_VERTICES);
	assert_in_range(gemp_pattern_row_edges(p), 0, GEMP_MAX_PATTERN_EDGES);
	if (p->with)
		check_clause(p->with, p);
	check_clause(&p->result, p);
	assert_ok(gemp_automorphism_find(&symmetry, p, true));
	gemp_symmetry_free(symmetry);
}

static void one_round(size_t blocks, int *good)
{
	gemp_text text = { 0 };
	gemp_pattern *p = NULL;
	bool starve = below(8) == 0;
	compose(&text);
	keep(text.data);
	gemp_fail(GEMP_OK, "%s", "");
	size_t given = strstr(text.data, "$q") ? 3 : strstr(text.data, "$n") ? 2 : strstr(text.data, "$p") ? 1 : 0;
	if (starve)
		gemp_memory_fail_after((long)below(200));
	gemp_code code = gemp_pattern_parse_with(&p, text.data, NULL, parameters, given);
	gemp_memory_fail_after(-1);
	if (code == GEMP_EUSAGE)
		check_error(text.data);
	else if (code != GEMP_OK && !(starve && code == GEMP_ENOMEM))
		fail_msg("%s\ncode %d: %s", text.data, (int)code, gemp_message());
	if (code == GEMP_OK)
		check_query(p);
	*good += code == GEMP_OK;
	gemp_pattern_free(p);
	gemp_text_free(&text);
	assert_int_equal(gemp_memory_blocks(), blocks);
}

static void mutants_are_read_or_refused(void **state)
{
	(void)state;
	int rounds = fuzz_rounds(20000), good = 0;
	seed = test_seed();
	read_queries();
	size_t blocks = gemp_memory_blocks();
	for (int i = 0; i < rounds; i++)
		one_round(blocks, &good);
	free_queries();
	fuzz_was_mixed(good, rounds);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(mutants_are_read_or_refused) };
	return test_main(tests);
}
