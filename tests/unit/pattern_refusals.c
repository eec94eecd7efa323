/* Tests messages about refused constructs. Each line `query, place, message` of tests/data/refusals.tsv is compared
 * with the parser and with docs/one-search.md. rule_refusals.tsv is the table for rules, which docs/rules.md
 * shows. */
#include "core/memory.h"
#include "harness/harness.h"

#include "core/status.h"
#include "core/text.h"
#include "pattern/model/pattern.h"
#include "pattern/model/rule.h"
#include "pattern/semantic/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_source(const char *name)
{
	const char *folder = getenv("GEMP_SOURCE_DIR");
	gemp_text path = { 0 }, text = { 0 };
	char part[4096];
	gemp_text_print(&path, "%s/%s", folder ? folder : ".", name);
	FILE *file = fopen(path.data, "rb");
	if (!file)
		fail_msg("%s is not there; GEMP_SOURCE_DIR says where the sources are", path.data);
	for (size_t size; (size = fread(part, 1, sizeof part, file)) > 0;)
		gemp_text_add(&text, part, size);
	fclose(file);
	gemp_text_free(&path);
	return text.data;
}

/* Prints the text as a cell of a Markdown table. */
static void print_cell(const char *cell, gemp_text *out)
{
	for (; *cell; cell++)
		gemp_text_print(out, "%s%c", *cell == '|' ? "\\" : "", *cell);
}

/* A language with its table of refusals and the document that shows the table. */
typedef struct language {
	const char *name, *list, *docs;
	size_t least; /* the least number of refusals in the table */
	gemp_code (*parse)(const char *text);
} language;

static gemp_code parse_query(const char *text)
{
	gemp_pattern *pattern = NULL;
	gemp_code code = gemp_pattern_parse(&pattern, text, NULL);
	gemp_pattern_free(pattern);
	return code;
}

static gemp_code parse_rules(const char *text)
{
	gemp_rule_set *rules = NULL;
	gemp_code code = gemp_rule_set_parse(&rules, text, NULL, NULL, 0);
	gemp_rule_set_free(rules);
	return code;
}

static void check(const language *l, const char *text, const char *place, const char *message, const char *docs)
{
	gemp_text expected = { 0 }, row = { 0 };
	gemp_text_print(&expected, "%s:%s: %s\n", l->name, place, message);
	gemp_code code = l->parse(text);
	if (code != GEMP_EUSAGE || strncmp(gemp_message(), expected.data, expected.size) != 0)
		fail_msg("%s\nexpected %sgot code %d: %s", text, expected.data, (int)code, gemp_message());
	gemp_text_print(&row, "| `");
	print_cell(text, &row);
	gemp_text_print(&row, "` | ");
	print_cell(message, &row);
	gemp_text_print(&row, " |\n");
	if (!strstr(docs, row.data))
		fail_msg("%s has no line %s", l->docs, row.data);
	gemp_text_free(&expected);
	gemp_text_free(&row);
}

static void check_all(const language *l)
{
	char *list = read_source(l->list), *docs = read_source(l->docs);
	size_t count = 0;
	for (char *line = strtok(list, "\n"); line; line = strtok(NULL, "\n")) {
		char *place = strchr(line, '\t'), *message = place ? strchr(place + 1, '\t') : NULL;
		assert_non_null(message);
		*place = *message = '\0';
		check(l, line, place + 1, message + 1, docs);
		count++;
	}
	assert_true(count > l->least);
	size_t shown = 0; /* and the document has no other line */
	char *table = strstr(docs, "<!-- refusals");
	assert_non_null(table);
	for (char *row = strstr(table, "\n| `"); row; row = strstr(row + 1, "\n| `"))
		shown += row < strstr(table, "\n\n");
	assert_int_equal(shown, count);
	gemp_free(list);
	gemp_free(docs);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void queries(void **state)
{
	(void)state;
	check_all(&(language){ "query", "tests/data/refusals.tsv", "docs/one-search.md", 130, parse_query });
}

static void rules(void **state)
{
	(void)state;
	check_all(&(language){ "rules", "tests/data/rule_refusals.tsv", "docs/rules.md", 60, parse_rules });
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(queries), cmocka_unit_test(rules) };
	return test_main(tests);
}
