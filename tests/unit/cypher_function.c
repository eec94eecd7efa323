/* Tests the table of functions of openCypher, and its functions of strings, lists, maps and elements. */
#include "cypher_call.h"

static void strings(void **state)
{
	(void)state;
	static const example examples[] = {
		{ "toLower", "[\"ÄbC\"]", "\"äbc\"" },
		{ "TOUPPER", "[\"äbc\"]", "\"ÄBC\"" },
		{ "lower", "[\"\"]", "\"\"" },
		{ "upper", "[\"x\"]", "\"X\"" },
		{ "trim", "[\" \\t a b\\u00a0\\u2003\\n\"]", "\"a b\"" },
		{ "trim", "[\"   \"]", "\"\"" },
		{ "lTrim", "[\"  a \"]", "\"a \"" },
		{ "rTrim", "[\"  a \"]", "\"  a\"" },
		{ "btrim", "[\"xäaxäx\", \"äx\"]", "\"a\"" },
		{ "btrim", "[\"xax\", \"\"]", "\"xax\"" },
		{ "lTrim", "[\"xxa\", \"x\"]", "\"a\"" },
		{ "left", "[\"äöü\", 2]", "\"äö\"" },
		{ "left", "[\"äöü\", 9]", "\"äöü\"" },
		{ "right", "[\"äöü\", 2]", "\"öü\"" },
		{ "right", "[\"äöü\", 9223372036854775807]", "\"äöü\"" },
		{ "right", "[\"äöü\", 0]", "\"\"" },
		{ "substring", "[\"0123456789\", 1]", "\"123456789\"" },
		{ "substring", "[\"äöüß\", 1, 2]", "\"öü\"" },
		{ "substring", "[\"abc\", 3]", "\"\"" },
		{ "substring", "[\"abc\", 9, 1]", "\"\"" },
		{ "substring", "[\"abc\", 1, null]", "null" },
		{ "replace", "[\"hello\", \"l\", \"LL\"]", "\"heLLLLo\"" },
		{ "replace", "[\"aaa\", \"aa\", \"b\"]", "\"ba\"" },
		{ "replace", "[\"abc\", \"\", \"x\"]", "\"abc\"" },
		{ "replace", "[\"abc\", \"abc\", \"\"]", "\"\"" },
		{ "split", "[\"one1two\", \"1\"]", "[\"one\", \"two\"]" },
		{ "split", "[\"1a11\", \"1\"]", "[\"\", \"a\", \"\", \"\"]" },
		{ "split", "[\"\", \",\"]", "[\"\"]" },
		{ "split", "[\"äbc\", \"\"]", "[\"ä\", \"b\", \"c\"]" },
		{ "split", "[\"a,b;c\", [\",\", \";\"]]", "[\"a\", \"b\", \"c\"]" },
		{ "split", "[\"a--b-c\", [\"-\", \"--\"]]", "[\"a\", \"b\", \"c\"]" },
		{ "split", "[\"abc\", []]", "[\"abc\"]" },
		{ "split", "[null, \",\"]", "null" },
		{ "char_length", "[\"äöü\"]", "3" },
		{ "character_length", "[\"\"]", "0" },
	};
	CHECK(examples);
	static const example failures[] = {
		{ "toLower", "[1]", "argument 1 of toLower() must be of type String; it is of type Integer" },
		{ "left", "[\"a\", -1]", "argument 2 of left() must not be negative; it is -1" },
		{ "substring", "[\"a\", 0, -2]", "argument 3 of substring() must not be negative; it is -2" },
		{ "substring", "[\"a\", 0.5]", "argument 2 of substring() must be of type Integer; it is of type Float" },
		{ "split", "[\"a\", [\"b\", 1]]", "must have only elements of type String; one is of type Integer" },
		{ "split", "[\"a\", true]", "must be of type String or List; it is of type Boolean" },
	};
	CHECK_FAILURES(failures);
}

/* A string that is not UTF-8 neither crashes a function nor lets it read beyond the end. */
static void broken_strings(void **state)
{
	(void)state;
	static const char *const texts[] = { "\x80\x80", "a\xc3", "\xe2\x82", "\xff\xfe" };
	fixture f = { 0 };
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		for (size_t k = 0; k < 3; k++) {
			assert_ok(gemp_datum_string(&f.arguments[0], &f.arena, texts[i], strlen(texts[i])));
			f.arguments[1] = gemp_datum_integer((int64_t)k);
			assert_ok(call_with(&f, "left", 2));
			assert_ok(call_with(&f, "right", 2));
			assert_ok(call_with(&f, "substring", 2));
			assert_ok(call_with(&f, "reverse", 1));
			assert_ok(call_with(&f, "trim", 1));
			assert_ok(call_with(&f, "toUpper", 1));
		}
	release(&f);
}

static void lists(void **state)
{
	(void)state;
	static const example examples[] = {
		{ "size", "[[1, null, 3]]", "3" },
		{ "size", "[\"äb\"]", "2" },
		{ "head", "[[1, 2]]", "1" },
		{ "head", "[[]]", "null" },
		{ "last", "[[1, 2]]", "2" },
		{ "last", "[[]]", "null" },
		{ "tail", "[[1, 2, 3]]", "[2, 3]" },
		{ "tail", "[[]]", "[]" },
		{ "reverse", "[[1, [2], null]]", "[null, [2], 1]" },
		{ "reverse", "[\"raksÖ\"]", "\"Öskar\"" },
		{ "isEmpty", "[[]]", "true" },
		{ "isEmpty", "[\"a\"]", "false" },
		{ "isEmpty", "[{}]", "true" },
		{ "coalesce", "[null, 2, 3]", "2" },
		{ "coalesce", "[null]", "null" },
		{ "nullIf", "[4, 4.0]", "null" },
		{ "nullIf", "[4, \"4\"]", "4" },
		{ "nullIf", "[null, 1]", "null" },
		{ "nullIf", "[1, null]", "1" },
		{ "valueType", "[{}]", "\"Map\"" },
		{ "valueType", "[null]", "\"Null\"" },
		{ "range", "[0, 10, 3]", "[0, 3, 6, 9]" },
		{ "range", "[10, -10, -3]", "[10, 7, 4, 1, -2, -5, -8]" },
		{ "range", "[0, 1, -1]", "[]" },
		{ "range", "[0, -1]", "[]" },
		{ "range", "[0, 0, -1]", "[0]" },
		{ "range", "[-9223372036854775808, 9223372036854775807, 9223372036854775807]",
		  "[-9223372036854775808, -1, 9223372036854775806]" },
		{ "range", "[9223372036854775807, -9223372036854775808, -9223372036854775808]", "[9223372036854775807, -1]" },
		{ "size", "[null]", "null" },
	};
	CHECK(examples);
	static const example failures[] = {
		{ "range", "[2, 8, 0]", "the step of range() must not be 0" },
		{ "range", "[0, 1.0]", "argument 2 of range() must be of type Integer; it is of type Float" },
		{ "range", "[-9223372036854775808, 9223372036854775807]", "more than 268435456 elements" },
		{ "head", "[\"abc\"]", "argument 1 of head() must be of type List; it is of type String" },
		{ "size", "[{}]", "must be of type String or List; it is of type Map" },
	};
	CHECK_FAILURES(failures);
}

static void elements(void **state)
{
	(void)state;
	fixture f = { 0 };
	const gemp_datum node = { .kind = GEMP_DATUM_NODE, .id = 1 }, edge = { .kind = GEMP_DATUM_RELATIONSHIP, .id = 7 };
	const gemp_datum end = { .kind = GEMP_DATUM_NODE, .id = 2 };
	const struct {
		const char *name;
		gemp_datum argument;
		const char *result;
	} examples[] = {
		{ "id", node, "\"v1\"" },
		{ "id", edge, "7" },
		{ "elementId", node, "\"v1\"" },
		{ "elementId", edge, "\"7\"" },
		{ "labels", node, "[\"L\"]" },
		{ "type", edge, "\"KNOWS\"" },
		{ "properties", node, "{\"number\": 1}" },
		{ "properties", edge, "{\"number\": 7}" },
		{ "keys", node, "[\"number\"]" },
		{ "startNode", edge, "#1" },
		{ "endNode", edge, "#2" },
		{ "labels", { 0 }, "null" },
		{ "exists", { 0 }, "false" },
		{ "exists", gemp_datum_boolean(false), "true" },
	};
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		f.arguments[0] = examples[i].argument;
		assert_ok(call_with(&f, examples[i].name, 1));
		assert_string_equal(f.result.data, examples[i].result);
	}
	assert_ok(gemp_datum_path(&f.arguments[0], &f.arena, (const gemp_datum[]){ node, edge, end }, 3));
	assert_ok(call_with(&f, "nodes", 1));
	assert_string_equal(f.result.data, "[#1, #2]");
	assert_ok(call_with(&f, "relationships", 1));
	assert_string_equal(f.result.data, "[#7]");
	assert_ok(call_with(&f, "length", 1));
	assert_string_equal(f.result.data, "1");
	assert_ok(gemp_datum_path(&f.arguments[0], &f.arena, &node, 1));
	assert_ok(call_with(&f, "relationships", 1));
	assert_string_equal(f.result.data, "[]");
	assert_code(call_with(&f, "size", 1), GEMP_EUSAGE);
	assert_message("argument 1 of size() must be of type String or List; it is of type Path");
	f.arguments[0] = node;
	assert_code(call_with(&f, "type", 1), GEMP_EUSAGE);
	assert_code(call_with(&f, "length", 1), GEMP_EUSAGE);
	release(&f);
	static const example maps[] = {
		{ "keys", "[{\"name\": \"Alice\", \"age\": null}]", "[\"age\", \"name\"]" },
		{ "keys", "[{}]", "[]" },
		{ "properties", "[{\"level\": 9001}]", "{\"level\": 9001}" },
	};
	CHECK(maps);
}

static void names(void **state)
{
	(void)state;
	assert_null(gemp_cypher_function_find("size2"));
	assert_null(gemp_cypher_function_find(""));
	assert_string_equal(gemp_cypher_function_find("SIZE")->name, "size");
	assert_string_equal(gemp_cypher_function_nearest("tolowr"), "toLower");
	assert_string_equal(gemp_cypher_function_nearest("colect"), "collect");
	assert_null(gemp_cypher_function_nearest("pagerank"));
	gemp_text text = { 0 };
	gemp_cypher_kinds_text(GEMP_CY_BIT(NODE), &text);
	assert_string_equal(text.data, "Node");
	gemp_text_free(&text);
}

/* Every function of the table has its name once, and bounds that fit. */
static void the_table_is_sound(void **state)
{
	(void)state;
	static const gemp_cypher_function *const tables[] = {
		gemp_cypher_string_functions,  gemp_cypher_math_functions,       gemp_cypher_list_functions,
		gemp_cypher_element_functions, gemp_cypher_conversion_functions, gemp_cypher_temporal_functions
	};
	for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
		for (const gemp_cypher_function *function = tables[t]; function->name; function++) {
			assert_ptr_equal(gemp_cypher_function_find(function->name), function);
			assert_true(function->min_arguments <= function->max_arguments);
			for (size_t i = function->max_arguments; i < 3; i++)
				assert_int_equal(function->kinds[i], 0);
		}
}

static gemp_code call_all(void *unused)
{
	static const example examples[] = {
		{ "toUpper", "[\"abc\"]", NULL },
		{ "trim", "[\" abc \"]", NULL },
		{ "replace", "[\"abc\", \"b\", \"xx\"]", NULL },
		{ "split", "[\"a,b\", \",\"]", NULL },
		{ "reverse", "[[1, 2]]", NULL },
		{ "reverse", "[\"ab\"]", NULL },
		{ "range", "[1, 1000]", NULL },
		{ "tail", "[[1, 2]]", NULL },
		{ "keys", "[{\"a\": 1}]", NULL },
		{ "toString", "[1.5]", NULL },
		{ "toStringList", "[[1, 2]]", NULL },
	};
	(void)unused;
	fixture f = { 0 };
	gemp_code code = GEMP_OK;
	for (size_t i = 0; i < sizeof examples / sizeof *examples && code == GEMP_OK; i++)
		code = call_json(&f, examples[i].name, examples[i].arguments);
	release(&f);
	return code;
}

static void no_memory(void **state)
{
	(void)state;
	assert_survives_no_memory(call_all, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings),   cmocka_unit_test(broken_strings), cmocka_unit_test(lists),
		cmocka_unit_test(elements),  cmocka_unit_test(names),          cmocka_unit_test(the_table_is_sound),
		cmocka_unit_test(no_memory),
	};
	return test_main(tests);
}
