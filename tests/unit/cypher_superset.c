/* Tests that the general engine of openCypher reads every query that the front end of one search reads: a query that
 * has both a construct of that front end and a clause beyond it is given to the general engine.
 *
 * The queries are found in the texts of the repository: documents, configurations and sources of tests. Each place
 * where MATCH begins a text in quotes, or a line, begins a query; it ends at the closing quote, or at `;` or an empty
 * line. Texts that are no query are refused by both front ends and do not count. */
#include "harness/harness.h"

#include "core/memory.h"
#include "core/text.h"
#include "cypher/check/check.h"
#include "pattern/semantic/parse.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Messages of the general engine about queries that only the front end of one search reads. */
static const char *const exceptions[] = {
	/* LIMIT without RETURN is a short form of that front end */
	"LIMIT stands in WITH or RETURN",
	/* openCypher refuses these constructs, as scenarios of the TCK demand */
	"stands beside an aggregate, but is no column of its own",
	"ORDER BY and WHERE read only columns",
	"may not stand in ORDER BY, unless it is also a column",
	"a pattern may only stand as a condition",
	/* the other front end refuses these queries too, later, when it binds them to a graph or never */
	"toLower() needs a value of type String",
	"this integer is beyond the range of 64 bits",
};

static size_t found, refused;

/* QUERIES */

static bool is_excepted(const char *message)
{
	for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
		if (strstr(message, exceptions[i]))
			return true;
	return false;
}

/* Without RETURN, that front end returns all named vertices; such a query needs a RETURN before more clauses can
 * follow, so the test adds one. */
static void compare(gemp_text *text, const char *file)
{
	gemp_cypher_tree tree = { 0 };
	const char *query = text->data;
	if (gemp_pattern_check(query) != GEMP_OK)
		return;
	found++;
	if (text->data[text->size - 1] == ';')
		text->data[--text->size] = 0;
	if (!strstr(query, "RETURN") && !strstr(query, "return"))
		gemp_text_print(text, "\nRETURN 1 AS one");
	assert_ok(gemp_text_status(text));
	query = text->data;
	const gemp_source source = { .text = query };
	gemp_code code = gemp_cypher_parse(&tree, &source);
	if (code == GEMP_OK)
		code = gemp_cypher_check(&tree);
	if (code != GEMP_OK && !is_excepted(gemp_message())) {
		print_error("%s: %s\n    %s\n", file, query, gemp_message());
		refused++;
	}
	gemp_cypher_tree_free(&tree);
}

/* Adds a text in quotes without its escapes. Adjacent string literals of C are one text. Returns its end. */
static const char *unquote(gemp_text *out, const char *at, char quote)
{
	for (; *at; at++) {
		if (*at == '\\' && at[1]) {
			at++;
			gemp_text_add(out, *at == 'n' ? "\n" : at, 1);
			continue;
		}
		if (*at != quote) {
			gemp_text_add(out, at, 1);
			continue;
		}
		const char *next = at + 1 + strspn(at + 1, " \t\n");
		if (quote != '"' || *next != '"')
			return at;
		at = next;
	}
	return at;
}

static const char *take_lines(gemp_text *out, const char *at)
{
	const char *end = at + strcspn(at, ";`");
	const char *empty = strstr(at, "\n\n");
	if (empty && empty < end)
		end = empty;
	gemp_text_add(out, at, (size_t)(end - at));
	return end;
}

static void read_queries(const char *text, const char *file)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text query = { 0 };
	const char *at = text;
	while ((at = strstr(at, "MATCH")) != NULL) {
		const char before = at == text ? '\n' : at[-1];
		gemp_text_clear(&query);
		if (strchr("\"'`", before))
			at = unquote(&query, at, before);
		else if (before == '\n' || before == ' ')
			at = take_lines(&query, at);
		else
			at += 5;
		assert_ok(gemp_text_status(&query));
		if (query.size)
			compare(&query, file);
	}
}

static int read_file(const char *path, const struct stat *status, int kind, struct FTW *level)
{
	static const char *const endings[] = { ".c", ".h", ".py", ".sh", ".md", ".cypher", ".tsv" };
	const char *ending = strrchr(path, '.');
	(void)status, (void)level;
	for (size_t i = 0; kind == FTW_F && ending && i < sizeof endings / sizeof *endings; i++) {
		GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
		if (strcmp(ending, endings[i]) != 0)
			continue;
		FILE *file = fopen(path, "r");
		assert_non_null(file);
		assert_ok(gemp_text_read(&text, file, path));
		fclose(file);
		if (text.size)
			read_queries(text.data, path);
	}
	return 0;
}

static void test_queries_of_the_repository(void **state)
{
	static const char *const folders[] = { "configs", "docs", "examples", "tests" };
	const char *root = getenv("GEMP_SOURCE_DIR");
	(void)state;
	assert_non_null(root);
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		char path[4096];
		snprintf(path, sizeof path, "%s/%s", root, folders[i]);
		assert_int_equal(nftw(path, read_file, 16, FTW_PHYS), 0);
	}
	print_message("%zu queries, %zu refused\n", found, refused);
	assert_true(found > 700);
	assert_int_equal(refused, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_queries_of_the_repository) };
	return test_main(tests);
}
