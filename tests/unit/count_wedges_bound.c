/* Tests upper bounds of the values of count expressions. */
#include "core/status.h"
#include "core/text.h"
#include "count/expression.h"
#include "harness/harness.h"

#include <string.h>

/* The bound of c is 10, and that of V1_2 is 3. */
static gemp_code bound_of(const char *expression, double *bound)
{
	gemp_compiled program;
	double bounds[GEMP_SYMBOLS] = { [GEMP_SYMBOL_COMMON] = 10 };
	bounds[gemp_symbol_table(2, 1)] = 3;
	GEMP_TRY(gemp_expression_compile(&program, expression));
	*bound = gemp_expression_bound(&program, bounds);
	return GEMP_OK;
}

static void bounds(void **state)
{
	(void)state;
	static const struct {
		const char *expression;
		double bound;
	} cases[] = {
		{ "1", 1 },
		{ "c", 10 },
		{ "c - 1", 11 },
		{ "-c*c", 100 },
		{ "2 * (c - V1_2) * -V1_2 + 7", 85 },
		{ "c*V1_2-(-(c))", 40 },
		{ " ( c ) ", 10 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		double bound;
		assert_ok(bound_of(cases[i].expression, &bound));
		assert_true(bound == cases[i].bound);
	}
}

static void not_expressions(void **state)
{
	(void)state;
	static const char *const cases[] = { "", "c -", "(c", "c)", "d", "c c", "c / 2", "2c" };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		double bound;
		assert_code(bound_of(cases[i], &bound), GEMP_EINTERNAL);
	}
}

static void magnitudes(void **state)
{
	(void)state;
	gemp_text text = { 0 };
	gemp_expression_magnitude(&text, "-2*c - V1_2*10");
	assert_string_equal(text.data, "+2.0*fabs((double)c) + fabs((double)V1_2)*10.0");
	gemp_text_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(bounds), cmocka_unit_test(not_expressions),
		                                cmocka_unit_test(magnitudes) };
	return test_main(tests);
}
