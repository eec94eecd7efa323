/* Tests values as text: which texts look like a type, and that printed values can be read back. */
#include "harness/harness.h"

#include "core/status.h"
#include "graph/column.h"
#include "io/text/cells.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void looks(const char *text, unsigned expected)
{
	if (gemp_scalar_looks(text, strlen(text)) != expected)
		fail_msg("'%s' looks %u, not %u", text, gemp_scalar_looks(text, strlen(text)), expected);
}

static void only_canonical_integers_look_like_integers(void **state)
{
	(void)state;
	enum { BOTH = GEMP_LOOKS_INTEGER | GEMP_LOOKS_FLOAT };
	const char *integers[] = { "0", "7", "-1", "9223372036854775807", "99999999999999999999999" };
	const char *others[] = { "", "007", "00", "-", "-007", "+7", " 7", "7 ", "0x10", "1_000", "1,000", "seven", "--1" };
	for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
		looks(integers[i], BOTH);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		looks(others[i], 0);
}

static void floats_and_booleans_look_like_themselves(void **state)
{
	(void)state;
	const char *floats[] = { "1.5", "-0", "-0.0", "1e5", "1E-5", "1.25e+10", "0.007", "NaN", "nan" };
	const char *others[] = { "1.", ".5", "1e", "1e+", "1.5.2", "1.5e1.5", "01.5", "inf", "1.5x", "e5", "." };
	for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
		looks(floats[i], GEMP_LOOKS_FLOAT);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		looks(others[i], 0);
	looks("true", GEMP_LOOKS_BOOLEAN);
	looks("False", GEMP_LOOKS_BOOLEAN);
	looks("truth", 0);
	char longest[600];
	memset(longest, '1', sizeof longest);
	assert_int_equal(gemp_scalar_looks(longest, sizeof longest), 0);
}

static gemp_value value;

static gemp_code read(gemp_type type, const char *text)
{
	return gemp_scalar_read(&value, type, text, strlen(text));
}

static void integers_are_read_up_to_their_limits(void **state)
{
	(void)state;
	assert_ok(read(GEMP_INTEGER, "9223372036854775807"));
	assert_true(value.integer == INT64_MAX && value.type == GEMP_INTEGER && !value.null);
	assert_ok(read(GEMP_INTEGER, "-9223372036854775808"));
	assert_true(value.integer == INT64_MIN);
	assert_ok(read(GEMP_INTEGER, "+007"));
	assert_true(value.integer == 7);
	assert_code(read(GEMP_INTEGER, "9223372036854775808"), GEMP_EDATA);
	assert_message("64-bit integers");
	assert_code(read(GEMP_INTEGER, "-9223372036854775809"), GEMP_EDATA);
	assert_code(read(GEMP_INTEGER, "123456789012345678901234567890"), GEMP_EDATA);
	assert_code(read(GEMP_INTEGER, "1.5"), GEMP_EDATA);
	assert_message("'1.5' is not an integer");
	assert_code(read(GEMP_INTEGER, ""), GEMP_EDATA);
	assert_code(read(GEMP_INTEGER, "-"), GEMP_EDATA);
}

static void floats_are_read(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		double value;
	} good[] = {
		{ "1", 1 },       { "-0.5", -0.5 }, { ".5", .5 }, { "5.", 5 },         { "+1e3", 1000 },
		{ "1E-2", 0.01 }, { "1e-400", 0 },  { "007", 7 }, { "inf", INFINITY }, { "-Infinity", -INFINITY },
	};
	const char *bad[] = { "", ".", "1e", "x", "0x10", "1.5 ", " 1", "nan", "NaN", "1e400", "infinite", "1,5" };
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_ok(read(GEMP_FLOAT, good[i].text));
		assert_true(value.real == good[i].value);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (read(GEMP_FLOAT, bad[i]) != GEMP_EDATA)
			fail_msg("'%s' was read as %g", bad[i], value.real);
	assert_code(read(GEMP_FLOAT, "NAN"), GEMP_EDATA);
	assert_message("leave the field empty");
}

static void booleans_are_read(void **state)
{
	(void)state;
	const char *yes[] = { "true", "True", "TRUE", "1" }, *no[] = { "false", "False", "FALSE", "0" };
	for (size_t i = 0; i < 4; i++) {
		assert_ok(read(GEMP_BOOLEAN, yes[i]));
		assert_true(value.truth);
		assert_ok(read(GEMP_BOOLEAN, no[i]));
		assert_false(value.truth);
	}
	assert_code(read(GEMP_BOOLEAN, "yes"), GEMP_EDATA);
	assert_code(read(GEMP_BOOLEAN, ""), GEMP_EDATA);
}

static void strings_are_what_they_are(void **state)
{
	(void)state;
	assert_ok(gemp_scalar_read(&value, GEMP_STRING, "NaN", 2));
	assert_int_equal(value.string.size, 2);
	assert_memory_equal(value.string.bytes, "Na", 2);
}

static void messages_show_whole_characters_of_long_texts(void **state)
{
	(void)state;
	char text[200] = "x";
	while (strlen(text) < 120)
		strcat(text, "ä");
	assert_code(read(GEMP_INTEGER, text), GEMP_EDATA);
	assert_message("ä…' is not");
	assert_true(strlen(gemp_message()) < 160);
}

static void every_double_that_looks_like_a_float_comes_back(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	for (int i = 0; i < 20000; i++) {
		uint64_t bits = seed += UINT64_C(0x9e3779b97f4a7c15);
		bits = (bits ^ bits >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
		double number;
		char text[64];
		memcpy(&number, &bits, sizeof number);
		if (isnan(number) || isinf(number))
			continue;
		snprintf(text, sizeof text, "%.17g", number);
		assert_true(gemp_scalar_looks(text, strlen(text)) & GEMP_LOOKS_FLOAT);
		assert_ok(read(GEMP_FLOAT, text));
		assert_true(value.real == number);
	}
}

static void types_have_names(void **state)
{
	(void)state;
	gemp_type type;
	assert_true(gemp_scalar_type(&type, "boolean!", 7) && type == GEMP_BOOLEAN);
	assert_true(gemp_scalar_type(&type, "int", 3) && type == GEMP_INTEGER);
	assert_true(gemp_scalar_type(&type, "integer", 7) && type == GEMP_INTEGER);
	assert_true(gemp_scalar_type(&type, "float", 5) && type == GEMP_FLOAT);
	assert_true(gemp_scalar_type(&type, "string", 6) && type == GEMP_STRING);
	assert_true(gemp_scalar_type(&type, "bool", 4) && type == GEMP_BOOLEAN);
	assert_false(gemp_scalar_type(&type, "in", 2));
	assert_false(gemp_scalar_type(&type, "", 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_canonical_integers_look_like_integers),
		cmocka_unit_test(floats_and_booleans_look_like_themselves),
		cmocka_unit_test(integers_are_read_up_to_their_limits),
		cmocka_unit_test(floats_are_read),
		cmocka_unit_test(booleans_are_read),
		cmocka_unit_test(strings_are_what_they_are),
		cmocka_unit_test(messages_show_whole_characters_of_long_texts),
		cmocka_unit_test(every_double_that_looks_like_a_float_comes_back),
		cmocka_unit_test(types_have_names),
	};
	return test_main(tests);
}
