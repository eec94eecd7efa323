/* Mathematical functions. Those of the C library return NaN outside of their domain, as openCypher's do. */

#include "core/random.h"
#include "cypher/function/function.h"
#include "cypher/function/rounding.h"

#include <inttypes.h>
#include <math.h>
#include <strings.h>

static double number(const gemp_cypher_call *call, size_t index)
{
	const gemp_datum value = call->arguments[index];
	return value.kind == GEMP_DATUM_INTEGER ? (double)value.integer : value.real;
}

/* Defines a function of one number x with a float as result. */
#define REAL_FUNCTION(name, formula)                                     \
	static gemp_code name(const gemp_cypher_call *call, gemp_datum *out) \
	{                                                                    \
		const double x = number(call, 0);                                \
		*out = gemp_datum_float(formula);                                \
		return GEMP_OK;                                                  \
	}

REAL_FUNCTION(ceiling, ceil(x))
REAL_FUNCTION(round_down, floor(x))
REAL_FUNCTION(square_root, sqrt(x))
REAL_FUNCTION(exponential, exp(x))
REAL_FUNCTION(natural_logarithm, log(x))
REAL_FUNCTION(common_logarithm, log10(x))
REAL_FUNCTION(sine, sin(x))
REAL_FUNCTION(cosine, cos(x))
REAL_FUNCTION(tangent, tan(x))
REAL_FUNCTION(cotangent, 1 / tan(x))
REAL_FUNCTION(arc_sine, asin(x))
REAL_FUNCTION(arc_cosine, acos(x))
REAL_FUNCTION(arc_tangent, atan(x))
REAL_FUNCTION(hyperbolic_sine, sinh(x))
REAL_FUNCTION(hyperbolic_cosine, cosh(x))
REAL_FUNCTION(hyperbolic_tangent, tanh(x))
REAL_FUNCTION(hyperbolic_cotangent, 1 / tanh(x))
REAL_FUNCTION(to_degrees, x *(180 / M_PI))
REAL_FUNCTION(to_radians, x *(M_PI / 180))
REAL_FUNCTION(half_versine, (1 - cos(x)) / 2)

static gemp_code arc_tangent_2(const gemp_cypher_call *call, gemp_datum *out)
{
	*out = gemp_datum_float(atan2(number(call, 0), number(call, 1)));
	return GEMP_OK;
}

static gemp_code absolute(const gemp_cypher_call *call, gemp_datum *out)
{
	*out = call->arguments[0];
	if (out->kind == GEMP_DATUM_FLOAT)
		out->real = fabs(out->real);
	else if (out->integer == INT64_MIN)
		return gemp_cypher_fail(call->environment, call->expr,
		                        "abs(%lld) is no 64-bit integer; write abs(toFloat(...))", (long long)out->integer);
	else
		out->integer = out->integer < 0 ? -out->integer : out->integer;
	return GEMP_OK;
}

static gemp_code sign(const gemp_cypher_call *call, gemp_datum *out)
{
	const double x = number(call, 0);
	*out = gemp_datum_integer((x > 0) - (x < 0));
	return GEMP_OK;
}

static gemp_code is_nan(const gemp_cypher_call *call, gemp_datum *out)
{
	*out = gemp_datum_boolean(isnan(number(call, 0)));
	return GEMP_OK;
}

static gemp_code euler_number(const gemp_cypher_call *call, gemp_datum *out)
{
	(void)call;
	*out = gemp_datum_float(M_E);
	return GEMP_OK;
}

static gemp_code pi(const gemp_cypher_call *call, gemp_datum *out)
{
	(void)call;
	*out = gemp_datum_float(M_PI);
	return GEMP_OK;
}

static gemp_code random_number(const gemp_cypher_call *call, gemp_datum *out)
{
	*out = gemp_datum_float(gemp_random_unit(call->environment->random));
	return GEMP_OK;
}

/* RFC 4122: the version is 4, and the two highest bits of the ninth byte are 10. */
static gemp_code random_uuid(const gemp_cypher_call *call, gemp_datum *out)
{
	const uint64_t high = gemp_random(call->environment->random), low = gemp_random(call->environment->random);
	char text[40];
	int size = snprintf(text, sizeof text, "%08x-%04x-4%03x-%04x-%012" PRIx64, (unsigned)(high >> 32),
	                    (unsigned)(high >> 16 & 0xffff), (unsigned)(high & 0xfff), (unsigned)(low >> 50 | 0x8000),
	                    low & UINT64_C(0xffffffffffff));
	return gemp_datum_string(out, call->environment->arena, text, (size_t)size);
}

static gemp_code rounding_of(const gemp_cypher_call *call, gemp_rounding *out)
{
	const char *name = call->arguments[2].text;
	for (*out = 0; *out < GEMP_ROUNDINGS; ++*out)
		if (strcasecmp(gemp_rounding_name[*out], name) == 0)
			return GEMP_OK;
	return gemp_cypher_fail(
		call->environment, call->expr,
		"'%s' is no mode of round(); the modes are UP, DOWN, CEILING, FLOOR, HALF_UP, HALF_DOWN and "
		"HALF_EVEN",
		name);
}

/* round(x) rounds a half up, towards infinity; round(x, places) rounds it away from 0. */
static gemp_code round_number(const gemp_cypher_call *call, gemp_datum *out)
{
	const double x = number(call, 0);
	gemp_rounding rounding = GEMP_ROUND_HALF_UP;
	if (call->count == 1) {
		*out = gemp_datum_float(x - floor(x) >= 0.5 ? floor(x) + 1 : floor(x));
		return GEMP_OK;
	}
	if (call->arguments[1].integer < 0)
		return gemp_cypher_fail(call->environment, call->expr,
		                        "round() cannot round to %lld decimal places; give 0 or more",
		                        (long long)call->arguments[1].integer);
	if (call->count > 2)
		GEMP_TRY(rounding_of(call, &rounding));
	*out = gemp_datum_float(gemp_round_decimal(x, call->arguments[1].integer, rounding));
	return GEMP_OK;
}

enum { NUMBER = GEMP_CY_NUMBER, INTEGER = GEMP_CY_BIT(INTEGER), STRING = GEMP_CY_BIT(STRING) };

const gemp_cypher_function gemp_cypher_math_functions[] = {
	{ "abs", 1, 1, false, absolute, { NUMBER } },
	{ "ceil", 1, 1, false, ceiling, { NUMBER } },
	{ "floor", 1, 1, false, round_down, { NUMBER } },
	{ "round", 1, 3, false, round_number, { NUMBER, INTEGER, STRING } },
	{ "sign", 1, 1, false, sign, { NUMBER } },
	{ "isNaN", 1, 1, false, is_nan, { NUMBER } },
	{ "rand", 0, 0, false, random_number, { 0 } },
	{ "randomUUID", 0, 0, false, random_uuid, { 0 } },
	{ "e", 0, 0, false, euler_number, { 0 } },
	{ "exp", 1, 1, false, exponential, { NUMBER } },
	{ "log", 1, 1, false, natural_logarithm, { NUMBER } },
	{ "log10", 1, 1, false, common_logarithm, { NUMBER } },
	{ "sqrt", 1, 1, false, square_root, { NUMBER } },
	{ "pi", 0, 0, false, pi, { 0 } },
	{ "sin", 1, 1, false, sine, { NUMBER } },
	{ "cos", 1, 1, false, cosine, { NUMBER } },
	{ "tan", 1, 1, false, tangent, { NUMBER } },
	{ "cot", 1, 1, false, cotangent, { NUMBER } },
	{ "asin", 1, 1, false, arc_sine, { NUMBER } },
	{ "acos", 1, 1, false, arc_cosine, { NUMBER } },
	{ "atan", 1, 1, false, arc_tangent, { NUMBER } },
	{ "atan2", 2, 2, false, arc_tangent_2, { NUMBER, NUMBER } },
	{ "sinh", 1, 1, false, hyperbolic_sine, { NUMBER } },
	{ "cosh", 1, 1, false, hyperbolic_cosine, { NUMBER } },
	{ "tanh", 1, 1, false, hyperbolic_tangent, { NUMBER } },
	{ "coth", 1, 1, false, hyperbolic_cotangent, { NUMBER } },
	{ "degrees", 1, 1, false, to_degrees, { NUMBER } },
	{ "radians", 1, 1, false, to_radians, { NUMBER } },
	{ "haversin", 1, 1, false, half_versine, { NUMBER } },
	{ 0 },
};
