/* What is refused and how that reads: tests/data/refusals.tsv, a line `query, place, message` each, against the parser
 * and against docs/query-language.md. */
#include "harness/harness.h"

#include "core/text.h"
#include "pattern/pattern.h"

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

/* As the cell of a Markdown table. */
static void print_cell(const char *cell, gemp_text *out)
{
	for (; *cell; cell++)
		gemp_text_print(out, "%s%c", *cell == '|' ? "\\" : "", *cell);
}

static void check(const char *query, const char *place, const char *message, const char *docs)
{
	gemp_pattern *p = NULL;
	gemp_text expected = { 0 }, row = { 0 };
	gemp_text_print(&expected, "query:%s: %s\n", place, message);
	gemp_code code = gemp_pattern_parse(&p, query, NULL);
	if (code != GEMP_EUSAGE || p || strncmp(gemp_message(), expected.data, expected.size) != 0)
		fail_msg("%s\nexpected %sgot code %d: %s", query, expected.data, (int)code, gemp_message());
	gemp_text_print(&row, "| `");
	print_cell(query, &row);
	gemp_text_print(&row, "` | ");
	print_cell(message, &row);
	gemp_text_print(&row, " |\n");
	if (!strstr(docs, row.data))
		fail_msg("docs/query-language.md has no line %s", row.data);
	gemp_text_free(&expected);
	gemp_text_free(&row);
}

static void refusals(void **state)
{
	(void)state;
	char *list = read_source("tests/data/refusals.tsv"), *docs = read_source("docs/query-language.md");
	size_t count = 0;
	for (char *line = strtok(list, "\n"); line; line = strtok(NULL, "\n")) {
		char *place = strchr(line, '\t'), *message = place ? strchr(place + 1, '\t') : NULL;
		assert_non_null(message);
		*place = *message = '\0';
		check(line, place + 1, message + 1, docs);
		count++;
	}
	assert_true(count > 130);
	size_t shown = 0; /* and the table has no line more */
	char *table = strstr(docs, "<!-- refusals");
	assert_non_null(table);
	for (char *row = strstr(table, "\n| `"); row; row = strstr(row + 1, "\n| `"))
		shown += row < strstr(table, "\n\n");
	assert_int_equal(shown, count);
	gemp_free(list);
	gemp_free(docs);
	assert_int_equal(gemp_memory_blocks(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(refusals) };
	return test_main(tests);
}
