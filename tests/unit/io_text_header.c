/* Tests the header of a table: roles and types of its columns, stated or inferred, and the schema of several files. */
#include "core/memory.h"
#include "harness/harness.h"

#include "core/status.h"
#include "graph/column.h"
#include "io/import/import_columns.h"
#include "io/text/cells.h"

#include <string.h>

static gemp_header header;

static gemp_code parse(bool edges, const char *line)
{
	gemp_cells cells = { 0 };
	gemp_header_free(&header);
	assert_ok(gemp_cells_tsv(&cells, line, strlen(line)));
	gemp_code code = gemp_header_parse(&header, edges, &cells);
	gemp_cells_free(&cells);
	return code;
}

static void refused(bool edges, const char *line, const char *message)
{
	assert_code(parse(edges, line), GEMP_EDATA);
	assert_message(message);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void columns_are_found_by_name(void **state)
{
	(void)state;
	assert_ok(parse(false, "name\tlabel\tid"));
	assert_int_equal(header.fields[0].role, GEMP_ROLE_ATTRIBUTE);
	assert_int_equal(header.fields[1].role, GEMP_ROLE_LABELS);
	assert_int_equal(header.fields[2].role, GEMP_ROLE_KEY);
	assert_ok(parse(false, "label\ttype\tid\tsrc"));
	/* `type` takes precedence, so `label` is an attribute */
	assert_int_equal(header.fields[0].role, GEMP_ROLE_ATTRIBUTE);
	assert_int_equal(header.fields[1].role, GEMP_ROLE_LABELS);
	assert_int_equal(header.fields[3].role, GEMP_ROLE_ATTRIBUTE);
	assert_ok(parse(true, "target\tsource\tid\ttype"));
	assert_int_equal(header.fields[0].role, GEMP_ROLE_TARGET);
	assert_int_equal(header.fields[1].role, GEMP_ROLE_SOURCE);
	assert_int_equal(header.fields[2].role, GEMP_ROLE_ATTRIBUTE);
	assert_int_equal(header.fields[3].role, GEMP_ROLE_TYPE);
	gemp_header_free(&header);
	assert_ok(gemp_header_pair(&header));
	assert_int_equal(header.fields[1].role, GEMP_ROLE_TARGET);
	gemp_header_free(&header);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void types_are_stated_after_a_colon(void **state)
{
	(void)state;
	assert_ok(parse(false, "id:string\tyear:INT\tx\txml:lang:string"));
	assert_string_equal(header.fields[0].name, "id");
	assert_true(header.fields[0].stated && header.fields[0].type == GEMP_STRING);
	assert_true(header.fields[1].stated && header.fields[1].type == GEMP_INTEGER);
	assert_false(header.fields[2].stated);
	assert_string_equal(header.fields[3].name, "xml:lang");
	gemp_header_free(&header);
	refused(false, "id\tyear:num", "unknown type 'num'");
	refused(false, "id\tyear:", "unknown type ''");
	refused(false, "id:float", "ids and cannot be float");
	refused(false, "id\ttype:int", "names and cannot be integer");
}

static void wrong_headers_are_refused(void **state)
{
	(void)state;
	refused(false, "Id\tname", "column 'id' is missing (there is: Id, name)");
	refused(true, "src\ttype", "column 'dst' is missing");
	refused(true, "1\t2", "column 'src' is missing");
	refused(false, "id\t\tname", "column 2 has no name");
	refused(false, "id\tx\tx", "column 'x' is there twice");
	refused(false, "id\tx\tx:int", "column 'x' is there twice");
	refused(false, "", "has no name");
	/* a lone carriage return, as on an old Macintosh, ends no line */
	refused(false, "id\tname\r1\tAda\r", "column 2 has a control character");
}

static gemp_type inferred(const char *const *texts, size_t count)
{
	gemp_schema schema = { 0 };
	assert_ok(parse(false, "id\tx"));
	assert_ok(gemp_schema_join(&schema, &header, "a.tsv"));
	for (size_t i = 0; i < count; i++)
		gemp_schema_observe(&schema, 0, &(gemp_text_cell){ texts[i], strlen(texts[i]), texts[i][0] == '~' });
	gemp_schema_resolve(&schema);
	gemp_type type = schema.columns[0].type;
	gemp_schema_free(&schema);
	gemp_header_free(&header);
	return type;
}

#define INFERRED(...) \
	inferred((const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static void types_are_inferred_from_all_values(void **state)
{
	(void)state;
	assert_int_equal(INFERRED("1", "~", "-2"), GEMP_INTEGER);
	assert_int_equal(INFERRED("1", "2.5"), GEMP_FLOAT);
	assert_int_equal(INFERRED("1", "007"), GEMP_STRING);
	assert_int_equal(INFERRED("true", "false"), GEMP_BOOLEAN);
	assert_int_equal(INFERRED("true", "1"), GEMP_STRING);
	assert_int_equal(INFERRED("1", "NaN"), GEMP_FLOAT); /* a FLOAT, so that NaN is refused and not taken for a string */
	assert_int_equal(INFERRED("1", "NaN", "Nadia"), GEMP_STRING);
	assert_int_equal(INFERRED("~"), GEMP_STRING);
	assert_int_equal(INFERRED("1", ""), GEMP_STRING); /* an empty string, which only CSV distinguishes from NULL */
}

static void files_join_in_one_schema(void **state)
{
	(void)state;
	gemp_schema schema = { 0 };
	gemp_header headers[3] = { { 0 } };
	const char *lines[] = { "id\ta\tb:int", "b\tid\tc", "id\ta\tb:float" };
	for (size_t i = 0; i < 3; i++) {
		assert_ok(parse(false, lines[i]));
		headers[i] = header;
		header = (gemp_header){ 0 };
	}
	assert_ok(gemp_schema_join(&schema, &headers[0], "a.tsv"));
	assert_ok(gemp_schema_join(&schema, &headers[1], "b.tsv"));
	assert_int_equal(schema.count, 3);
	assert_int_equal(headers[1].fields[0].column, 1);
	assert_int_equal(headers[1].fields[2].column, 2);
	assert_int_equal(schema.columns[1].type, GEMP_INTEGER);
	assert_code(gemp_schema_join(&schema, &headers[2], "c.tsv"), GEMP_EDATA);
	assert_message("'b' is stated as float here and as integer in a.tsv");
	gemp_schema_free(&schema);
	for (size_t i = 0; i < 3; i++)
		gemp_header_free(&headers[i]);
	assert_int_equal(gemp_memory_blocks(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_found_by_name), cmocka_unit_test(types_are_stated_after_a_colon),
		cmocka_unit_test(wrong_headers_are_refused), cmocka_unit_test(types_are_inferred_from_all_values),
		cmocka_unit_test(files_join_in_one_schema),
	};
	return test_main(tests);
}
