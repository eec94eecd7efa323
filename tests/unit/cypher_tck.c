/* Tests that every query of openCypher's TCK (../shared/tck) is read, unless its scenario expects an error. Reading the
 * text of the tree gives the same tree again. Scenario outlines are expanded by their tables of examples.
 *
 * Skipped without the TCK. */
#include "cypher_tree_text.h"

#include "core/memory.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MOST_CELLS = 32, MOST_QUERIES = 16, LINE = 1 << 16 };

/* One scenario, or one outline. Queries lie one after another in `text`, each ended by a 0. */
typedef struct scenario {
	char name[2 * LINE + 2];
	gemp_text text;
	size_t starts[MOST_QUERIES], queries;
	char *header[MOST_CELLS]; /* of the table of examples; cells of heap memory */
	size_t columns;
	bool outline, error; /* the scenario expects an error */
	size_t examples;
} scenario;

static size_t read_count, refused_count;

static const char *skip_space(const char *line)
{
	return line + strspn(line, " \t");
}

/* Splits `| a | b |` into cells, which gemp_free releases. */
static size_t split(const char *line, char *cells[MOST_CELLS])
{
	size_t count = 0;
	line = strchr(line, '|') + 1;
	while (count < MOST_CELLS && strchr(line, '|')) {
		gemp_text cell = { 0 };
		line = skip_space(line);
		for (; *line && *line != '|'; line++) {
			line += *line == '\\' && line[1] && strchr("|\\n", line[1]);
			gemp_text_print(&cell, "%c", *line);
		}
		while (cell.size > 0 && cell.data[cell.size - 1] == ' ')
			cell.data[--cell.size] = '\0';
		gemp_text_print(&cell, "%s", "");
		cells[count++] = cell.data;
		line += *line == '|';
	}
	return count;
}

static void release(char *cells[MOST_CELLS], size_t count)
{
	for (size_t i = 0; i < count; i++)
		gemp_free(cells[i]);
}

/* Appends a text in which <name> is replaced by the cell of the column `name`. */
static void fill(gemp_text *out, const char *text, const scenario *s, char *const cells[MOST_CELLS], size_t count)
{
	while (*text) {
		size_t column = 0;
		for (; column < count && column < s->columns; column++) {
			size_t size = strlen(s->header[column]);
			if (*text == '<' && strncmp(text + 1, s->header[column], size) == 0 && text[1 + size] == '>')
				break;
		}
		if (column < count && column < s->columns) {
			gemp_text_print(out, "%s", cells[column]);
			text += strlen(s->header[column]) + 2;
		} else {
			gemp_text_print(out, "%c", *text++);
		}
	}
}

/* Checks all queries of a scenario with one row of examples. The last query is the tested one, which alone may be
 * refused; queries before it make the graph. */
static void check(const scenario *s, char *const cells[MOST_CELLS], size_t count)
{
	for (size_t i = 0; i < s->queries; i++) {
		gemp_text query = { 0 }, tree = { 0 };
		fill(&query, s->text.data + s->starts[i], s, cells, count);
		bool tested = i + 1 == s->queries;
		gemp_code code = tree_read_twice(query.data, &tree);
		if (code != GEMP_OK && !(tested && s->error))
			fail_msg("%s\n%s\n%s", s->name, query.data, gemp_message());
		read_count += code == GEMP_OK;
		refused_count += code != GEMP_OK;
		gemp_text_free(&query);
		gemp_text_free(&tree);
	}
}

static void end_scenario(scenario *s)
{
	if (!s->outline)
		check(s, NULL, 0);
	else if (s->queries > 0)
		assert_true(s->examples > 0);
	release(s->header, s->columns);
	gemp_text_free(&s->text);
	*s = (scenario){ 0 };
}

/* Reads the lines up to the closing quotes. The indentation of the opening quotes is removed. */
static void read_doc(FILE *file, char line[LINE], scenario *s, bool keep)
{
	size_t indent = (size_t)(skip_space(line) - line);
	if (keep) {
		assert_true(s->queries < MOST_QUERIES);
		s->starts[s->queries++] = s->text.size;
	}
	while (fgets(line, LINE, file) && strncmp(skip_space(line), "\"\"\"", 3) != 0) {
		size_t space = (size_t)(skip_space(line) - line);
		if (keep)
			gemp_text_print(&s->text, "%s", line + (space < indent ? space : indent));
	}
	if (keep)
		gemp_text_add(&s->text, "", 1);
}

static void read_row(const char *line, scenario *s)
{
	char *cells[MOST_CELLS];
	size_t count = split(line, cells);
	if (s->columns == 0) {
		memcpy(s->header, cells, sizeof cells);
		s->columns = count;
		return;
	}
	s->examples++;
	check(s, cells, count);
	release(cells, count);
}

/* Handles a line that begins a part of a scenario, and returns false for all other lines. */
static bool read_header(const char *line, const char *path, scenario *s, bool *examples)
{
	if (strncmp(line, "Scenario", 8) == 0 || strncmp(line, "Background", 10) == 0) {
		end_scenario(s);
		*examples = false;
		s->outline = strncmp(line, "Scenario Outline", 16) == 0;
		snprintf(s->name, sizeof s->name, "%s: %s", path, line);
		return true;
	}
	if (strncmp(line, "Examples", 8) != 0)
		return false;
	release(s->header, s->columns);
	s->columns = 0;
	return *examples = true;
}

static void read_feature(const char *path)
{
	static char line[LINE];
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	scenario s = { 0 };
	bool examples = false, executes = false;
	while (fgets(line, sizeof line, file)) {
		const char *text = skip_space(line);
		if (*text == '#' || read_header(text, path, &s, &examples))
			continue;
		if (strncmp(text, "\"\"\"", 3) == 0)
			read_doc(file, line, &s, executes);
		else if (*text == '|' && examples)
			read_row(text, &s);
		else if (*text != '|' && *text != '\n')
			executes = strstr(text, "execut") != NULL;
		s.error = s.error || (strncmp(text, "Then", 4) == 0 && strstr(text, "should be raised"));
	}
	end_scenario(&s);
	fclose(file);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Reads the feature files of a folder and its folders, and returns their number. */
static size_t read_folder(const char *folder)
{
	struct dirent **entries;
	size_t features = 0;
	int count = scandir(folder, &entries, NULL, by_name);
	for (int i = 0; i < count; i++) {
		char path[4096];
		struct stat about;
		snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
		bool feature = strstr(path, ".feature");
		if (feature)
			read_feature(path);
		else if (*entries[i]->d_name != '.' && stat(path, &about) == 0 && S_ISDIR(about.st_mode))
			features += read_folder(path);
		features += feature;
		free(entries[i]);
	}
	free(entries);
	return features;
}

static void queries_of_the_tck_are_read(void **state)
{
	(void)state;
	size_t features = read_folder(test_shared("tck/openCypher/features"));
	print_message("%zu features: %zu queries read, %zu refused as expected\n", features, read_count, refused_count);
	assert_true(features >= 200);
	assert_true(read_count >= 4700);
	assert_true(refused_count >= 38);
	assert_int_equal(gemp_memory_blocks(), 0);
}

int main(void)
{
	if (!test_shared("tck/openCypher/features"))
		return TEST_SKIPPED;
	const struct CMUnitTest tests[] = { cmocka_unit_test(queries_of_the_tck_are_read) };
	return test_main(tests);
}
