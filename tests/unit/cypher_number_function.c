/* Tests functions of numbers, and conversions. Rounding has an independent reference: arithmetic of integers. */
#include "cypher_call.h"

#include "cypher/function/rounding.h"

#include <math.h>
#include <stdlib.h>

static void numbers(void **state)
{
	(void)state;
	static const example examples[] = {
		{ "abs", "[-1]", "1" },
		{ "abs", "[-1.5]", "1.5" },
		{ "sign", "[-0.5]", "-1" },
		{ "sign", "[0]", "0" },
		{ "ceil", "[1.2]", "2.0" },
		{ "floor", "[-1.2]", "-2.0" },
		{ "ceil", "[3]", "3.0" },
		{ "sqrt", "[12.96]", "3.6" },
		{ "sqrt", "[-1]", "null" }, /* NaN */
		{ "isNaN", "[1.5]", "false" },
		{ "round", "[2.5]", "3.0" },
		{ "round", "[-2.5]", "-2.0" },
		{ "round", "[0.49999999999999994]", "0.0" },
		{ "round", "[7]", "7.0" },
		{ "round", "[1.005, 2]", "1.01" },
		{ "round", "[-1.55, 1]", "-1.6" },
		{ "round", "[1.249, 1, \"up\"]", "1.3" },
		{ "round", "[-1.21, 1, \"CEILING\"]", "-1.2" },
		{ "round", "[0.125, 2, \"HALF_EVEN\"]", "0.12" },
		{ "round", "[9.996, 2]", "10.0" },
		{ "round", "[0.5, 0, \"HALF_DOWN\"]", "0.0" },
		{ "round", "[0.0001, 2, \"UP\"]", "0.01" },
		{ "exp", "[0]", "1.0" },
		{ "log", "[1]", "0.0" },
		{ "log10", "[1000]", "3.0" },
		{ "sin", "[0]", "0.0" },
		{ "cos", "[0]", "1.0" },
		{ "atan2", "[0, 1]", "0.0" },
		{ "degrees", "[0.0]", "0.0" },
		{ "haversin", "[0]", "0.0" },
		{ "abs", "[null]", "null" },
		{ "timestamp", "[]", "1437507632142" },
		{ "e", "[]", "2.718281828459045" },
		{ "pi", "[]", "3.141592653589793" },
	};
	CHECK(examples);
	static const example failures[] = {
		{ "abs", "[-9223372036854775808]", "is no 64-bit integer" },
		{ "abs", "[\"1\"]", "must be of type Integer or Float; it is of type String" },
		{ "round", "[1.5, -1]", "cannot round to -1 decimal places" },
		{ "round", "[1.5, 1, \"NEAREST\"]", "'NEAREST' is no mode of round()" },
	};
	CHECK_FAILURES(failures);
}

static double real_result(fixture *f, const char *name, double x)
{
	f->arguments[0] = gemp_datum_float(x);
	assert_ok(call_with(f, name, 1));
	return strtod(f->result.data, NULL);
}

/* Identities between functions, at random arguments. */
static void trigonometry(void **state)
{
	(void)state;
	uint64_t random = test_seed();
	fixture f = { 0 };
	for (int i = 0; i < 200; i++) {
		double x = gemp_random_unit(&random) * 1.5 + 0.01;
		double sine = real_result(&f, "sin", x), cosine = real_result(&f, "cos", x);
		assert_true(fabs(sine * sine + cosine * cosine - 1) < 1e-12);
		assert_true(fabs(real_result(&f, "tan", x) - sine / cosine) < 1e-9 * fabs(sine / cosine));
		assert_true(fabs(real_result(&f, "cot", x) * sine - cosine) < 1e-9);
		assert_true(fabs(real_result(&f, "asin", sine) - x) < 1e-6);
		assert_true(fabs(real_result(&f, "acos", cosine) - x) < 1e-6);
		assert_true(fabs(real_result(&f, "atan", sine / cosine) - x) < 1e-9);
		assert_true(fabs(real_result(&f, "radians", real_result(&f, "degrees", x)) - x) < 1e-12);
		assert_true(fabs(real_result(&f, "haversin", x) - (1 - cosine) / 2) < 1e-12);
		double hyperbolic = real_result(&f, "cosh", x), other = real_result(&f, "sinh", x);
		assert_true(fabs(hyperbolic * hyperbolic - other * other - 1) < 1e-9);
		assert_true(fabs(real_result(&f, "tanh", x) * real_result(&f, "coth", x) - 1) < 1e-9);
		assert_true(fabs(real_result(&f, "log", real_result(&f, "exp", x)) - x) < 1e-12);
	}
	release(&f);
}

/* Numbers of up to 15 digits, as integers of ten-thousandths, whose rounding is plain integer arithmetic. */
static void rounding_agrees_with_integers(void **state)
{
	(void)state;
	uint64_t random = test_seed();
	for (int i = 0; i < 20000; i++) {
		int64_t units = (int64_t)gemp_random_below(&random, i % 2 ? 200000 : 1000000000000), unit = 10000;
		int places = (int)gemp_random_below(&random, 6);
		gemp_rounding mode = (gemp_rounding)gemp_random_below(&random, GEMP_ROUNDINGS);
		bool negative = gemp_random_below(&random, 2);
		for (int p = 0; p < places && unit > 1; p++)
			unit /= 10;
		int64_t whole = units / unit, rest = units % unit;
		bool up = false;
		switch (mode) {
		case GEMP_ROUND_UP: up = rest > 0; break;
		case GEMP_ROUND_CEILING: up = rest > 0 && !negative; break;
		case GEMP_ROUND_FLOOR: up = rest > 0 && negative; break;
		case GEMP_ROUND_HALF_UP: up = rest > 0 && 2 * rest >= unit; break;
		case GEMP_ROUND_HALF_DOWN: up = 2 * rest > unit; break;
		case GEMP_ROUND_HALF_EVEN: up = 2 * rest > unit || (rest > 0 && 2 * rest == unit && whole % 2); break;
		default: break;
		}
		char text[64];
		int64_t expected = (whole + up) * unit;
		snprintf(text, sizeof text, "%s%" PRId64 ".%04" PRId64, negative ? "-" : "", units / 10000, units % 10000);
		double value = strtod(text, NULL);
		snprintf(text, sizeof text, "%s%" PRId64 ".%04" PRId64, negative ? "-" : "", expected / 10000,
		         expected % 10000);
		double got = gemp_round_decimal(value, places, mode);
		if (got != strtod(text, NULL))
			fail_msg("round(%.17g, %d, %s): expected %s, got %.17g", value, places, gemp_rounding_name[mode], text,
			         got);
	}
	assert_true(isnan(gemp_round_decimal(NAN, 1, GEMP_ROUND_UP)));
	assert_true(gemp_round_decimal(5e-324, INT64_MAX, GEMP_ROUND_UP) == 5e-324);
	assert_true(gemp_round_decimal(5e-324, 323, GEMP_ROUND_UP) == 1e-323);
	assert_true(gemp_round_decimal(1.7976931348623157e308, 0, GEMP_ROUND_UP) == 1.7976931348623157e308);
}

static void random_numbers_follow_the_state(void **state)
{
	(void)state;
	fixture f = { .random = 42 };
	uint64_t random = 42;
	for (int i = 0; i < 100; i++) {
		assert_ok(call_with(&f, "rand", 0));
		double got = strtod(f.result.data, NULL);
		assert_true(got == gemp_random_unit(&random) && got >= 0 && got < 1);
	}
	release(&f);
}

/* xxxxxxxx-xxxx-4xxx-[89ab]xxx-xxxxxxxxxxxx */
static void identifiers_have_the_form_of_version_4(void **state)
{
	(void)state;
	fixture f = { .random = test_seed() };
	char before[64] = "";
	for (int i = 0; i < 1000; i++) {
		assert_ok(call_with(&f, "randomUUID", 0));
		const char *text = f.result.data + 1; /* behind the quotes */
		assert_int_equal(f.result.size, 38);
		for (size_t c = 0; c < 36; c++)
			assert_true(c == 8 || c == 13 || c == 18 || c == 23 ? text[c] == '-'
			                                                    : strchr("0123456789abcdef", text[c]) != NULL);
		assert_int_equal(text[14], '4');
		assert_non_null(strchr("89ab", text[19]));
		assert_string_not_equal(text, before);
		memcpy(before, text, 38);
	}
	release(&f);
}

static void conversions(void **state)
{
	(void)state;
	static const example examples[] = {
		{ "toInteger", "[82.9]", "82" },
		{ "toInteger", "[-82.9]", "-82" },
		{ "toInteger", "[\"foo\"]", "null" },
		{ "toInteger", "[\"\"]", "null" },
		{ "toInteger", "[\" 2.9 \"]", "2" },
		{ "toInteger", "[\"-9223372036854775808\"]", "-9223372036854775808" },
		{ "toInteger", "[\"+7\"]", "7" },
		{ "toInteger", "[\"1e3\"]", "1000" },
		{ "toInteger", "[\"0x10\"]", "null" },
		{ "toInteger", "[\"1 2\"]", "null" },
		{ "toInteger", "[\"1\\u00002\"]", "null" },
		{ "toInteger", "[\"-\"]", "null" },
		{ "toInteger", "[\".\"]", "null" },
		{ "toInteger", "[true]", "1" },
		{ "toInteger", "[null]", "null" },
		{ "toIntegerOrNull", "[[]]", "null" },
		{ "toIntegerOrNull", "[1e30]", "null" },
		{ "toIntegerOrNull", "[\"9223372036854775808\"]", "null" },
		{ "toIntegerList", "[[1, \"2\", null, [], 1e300, \"x\"]]", "[1, 2, null, null, null, null]" },
		{ "toFloat", "[3]", "3.0" },
		{ "toFloat", "[\"5\"]", "5.0" },
		{ "toFloat", "[\"-.5e1\"]", "-5.0" },
		{ "toFloat", "[\"1.\"]", "1.0" },
		{ "toFloat", "[\"1e\"]", "null" },
		{ "toFloat", "[\"foo\"]", "null" },
		{ "toFloat", "[\"inf\"]", "null" },
		{ "toFloatOrNull", "[true]", "null" },
		{ "toFloatList", "[[1, \"2\", false]]", "[1.0, 2.0, null]" },
		{ "toBoolean", "[true]", "true" },
		{ "toBoolean", "[\" TRUE\"]", "true" },
		{ "toBoolean", "[\"false\"]", "false" },
		{ "toBoolean", "[\" tru \"]", "null" },
		{ "toBoolean", "[0]", "false" },
		{ "toBooleanOrNull", "[1.5]", "null" },
		{ "toBooleanList", "[[\"true\", 1.0, 2]]", "[true, null, true]" },
		{ "toString", "[42]", "\"42\"" },
		{ "toString", "[true]", "\"true\"" },
		{ "toString", "[2.3]", "\"2.3\"" },
		{ "toString", "[1.0]", "\"1.0\"" },
		{ "toString", "[1e-7]", "\"1e-7\"" },
		{ "toString", "[-1.5e300]", "\"-1.5e300\"" },
		{ "toString", "[\"apa\"]", "\"apa\"" },
		{ "toStringOrNull", "[{}]", "null" },
		{ "toStringList", "[[1, 2.5, null, [], \"x\"]]", "[\"1\", \"2.5\", null, null, \"x\"]" },
	};
	CHECK(examples);
	static const example failures[] = {
		{ "toInteger", "[[]]", "must be of type Boolean, Integer, Float or String; it is of type List" },
		{ "toInteger", "[1e30]", "toInteger(): 1e30 is no 64-bit integer" },
		{ "toInteger", "[\"9223372036854775808\"]", "9223372036854775808 is no 64-bit integer" },
		{ "toFloat", "[true]", "must be of type Integer, Float or String; it is of type Boolean" },
		{ "toBoolean", "[1.0]", "it is of type Float" },
		{ "toString", "[{}]", "it is of type Map" },
		{ "toStringList", "[\"a\"]", "must be of type List; it is of type String" },
	};
	CHECK_FAILURES(failures);
}

/* toFloat(toString(x)) is x, and so for integers. */
static void text_of_numbers_is_read_back(void **state)
{
	(void)state;
	uint64_t random = test_seed();
	gemp_arena arena = { 0 };
	gemp_text text = { 0 };
	for (int i = 0; i < 20000; i++) {
		uint64_t bits = gemp_random(&random);
		double real;
		memcpy(&real, &bits, sizeof real);
		if (!isfinite(real))
			continue;
		gemp_text_clear(&text);
		assert_ok(gemp_datum_text(gemp_datum_float(real), &text));
		assert_true(strtod(text.data, NULL) == real);
		assert_non_null(strpbrk(text.data, ".e"));
		assert_null(strstr(text.data, "e+"));
		assert_null(strstr(text.data, "e0"));
		assert_null(strstr(text.data, "e-0"));
		gemp_text_clear(&text);
		assert_ok(gemp_datum_text(gemp_datum_integer((int64_t)bits), &text));
		assert_true(strtoll(text.data, NULL, 10) == (int64_t)bits);
	}
	gemp_text_free(&text);
	gemp_arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(trigonometry),
		cmocka_unit_test(rounding_agrees_with_integers),
		cmocka_unit_test(random_numbers_follow_the_state),
		cmocka_unit_test(identifiers_have_the_form_of_version_4),
		cmocka_unit_test(conversions),
		cmocka_unit_test(text_of_numbers_is_read_back),
	};
	return test_main(tests);
}
