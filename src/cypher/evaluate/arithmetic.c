#include "cypher/evaluate/evaluate.h"
#include "cypher/evaluate/parts.h"
#include "cypher/temporal/temporal.h"

#include <math.h>

static gemp_expr_kind kind_of(gemp_cypher_kind kind)
{
	switch (kind) {
	case GEMP_CY_ADD: return GEMP_ADD;
	case GEMP_CY_SUBTRACT: return GEMP_SUBTRACT;
	case GEMP_CY_MULTIPLY: return GEMP_MULTIPLY;
	case GEMP_CY_DIVIDE: return GEMP_DIVIDE;
	default: return GEMP_REMAINDER;
	}
}

static const char *sign_of(gemp_cypher_kind kind)
{
	switch (kind) {
	case GEMP_CY_ADD: return "+";
	case GEMP_CY_SUBTRACT: return "-";
	case GEMP_CY_MULTIPLY: return "*";
	case GEMP_CY_DIVIDE: return "/";
	case GEMP_CY_REMAINDER: return "%";
	default: return "^";
	}
}

static gemp_code fail_types(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, gemp_datum a,
                            gemp_datum b)
{
	return gemp_cypher_fail(environment, expr, "%s is not defined for %s and %s; convert one of them",
	                        sign_of(expr->kind), gemp_datum_kind_name[a.kind], gemp_datum_kind_name[b.kind]);
}

static double real(gemp_datum number)
{
	return number.kind == GEMP_DATUM_FLOAT ? number.real : (double)number.integer;
}

static gemp_code compute_numbers(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, gemp_datum a,
                                 gemp_datum b, gemp_datum *out)
{
	if (expr->kind == GEMP_CY_POWER) {
		*out = gemp_datum_float(pow(real(a), real(b)));
		return GEMP_OK;
	}
	const gemp_expr_kind kind = kind_of(expr->kind);
	if (a.kind == GEMP_DATUM_FLOAT || b.kind == GEMP_DATUM_FLOAT) {
		*out = gemp_datum_float(gemp_float_compute(kind, real(a), real(b)));
		return GEMP_OK;
	}
	int64_t result = 0;
	gemp_code code = gemp_integer_compute(kind, a.integer, b.integer, &result);
	*out = gemp_datum_integer(result);
	return code == GEMP_OK ? GEMP_OK : gemp_cypher_fail_at(environment, expr, code);
}

/* Concatenates lists; a value that is no list counts as a list of one element. */
static gemp_code concatenate_lists(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                                   gemp_datum a, gemp_datum b, gemp_datum *out)
{
	gemp_datum *items;
	const size_t left = a.kind == GEMP_DATUM_LIST ? a.size : 1, right = b.kind == GEMP_DATUM_LIST ? b.size : 1;
	GEMP_TRY(gemp_cypher_expect_memory(environment, expr, left + right, sizeof *items));
	GEMP_TRY(GEMP_ARENA_NEW(environment->arena, items, left + right));
	if (left)
		memcpy(items, a.kind == GEMP_DATUM_LIST ? a.items : &a, left * sizeof *items);
	if (right)
		memcpy(items + left, b.kind == GEMP_DATUM_LIST ? b.items : &b, right * sizeof *items);
	return gemp_cypher_fail_at(environment, expr, gemp_datum_list_of(out, items, left + right));
}

/* A string and a number, a boolean or a temporal value: the text of the latter. */
static gemp_code concatenate_texts(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                                   gemp_datum a, gemp_datum b, gemp_datum *out)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	const uint64_t bytes = (a.kind == GEMP_DATUM_STRING ? a.size : 0) +
	                       (uint64_t)(b.kind == GEMP_DATUM_STRING ? b.size : 0);
	GEMP_TRY(gemp_cypher_expect_memory(environment, expr, bytes, 2)); /* in `text` and in the arena */
	GEMP_TRY(gemp_datum_text(a, &text));
	GEMP_TRY(gemp_datum_text(b, &text));
	GEMP_TRY(gemp_text_status(&text));
	return gemp_datum_string(out, environment->arena, text.size ? text.data : "", text.size);
}

static bool has_text(gemp_datum value)
{
	return value.kind == GEMP_DATUM_STRING || value.kind == GEMP_DATUM_BOOLEAN || gemp_datum_is_number(value) ||
	       gemp_datum_is_temporal(value);
}

static gemp_code compute_temporal(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                                  gemp_datum a, gemp_datum b, gemp_datum *out)
{
	bool defined = false;
	gemp_code code = GEMP_OK;
	if (expr->kind == GEMP_CY_ADD || expr->kind == GEMP_CY_SUBTRACT) {
		code = gemp_temporal_add(environment->arena, a, b, expr->kind == GEMP_CY_SUBTRACT, out, &defined);
	} else if (expr->kind == GEMP_CY_MULTIPLY || expr->kind == GEMP_CY_DIVIDE) {
		const bool swapped = expr->kind == GEMP_CY_MULTIPLY && gemp_datum_is_number(a);
		const gemp_datum duration = swapped ? b : a, number = swapped ? a : b;
		defined = duration.kind == GEMP_DATUM_DURATION && gemp_datum_is_number(number);
		if (defined)
			code = gemp_temporal_scale(environment->arena, duration, number, expr->kind == GEMP_CY_DIVIDE, out);
	}
	if (code != GEMP_OK)
		return gemp_cypher_fail_at(environment, expr, code);
	return defined ? GEMP_OK : fail_types(environment, expr, a, b);
}

gemp_code gemp_cypher_compute(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, gemp_datum a,
                              gemp_datum b, gemp_datum *out)
{
	*out = gemp_datum_null();
	if (gemp_datum_is_null(a) || gemp_datum_is_null(b))
		return GEMP_OK;
	if (gemp_datum_is_number(a) && gemp_datum_is_number(b))
		return compute_numbers(environment, expr, a, b, out);
	if (expr->kind == GEMP_CY_ADD && (a.kind == GEMP_DATUM_LIST || b.kind == GEMP_DATUM_LIST))
		return concatenate_lists(environment, expr, a, b, out);
	if (expr->kind == GEMP_CY_ADD && (a.kind == GEMP_DATUM_STRING || b.kind == GEMP_DATUM_STRING) && has_text(a) &&
	    has_text(b))
		return concatenate_texts(environment, expr, a, b, out);
	if (gemp_datum_is_temporal(a) || gemp_datum_is_temporal(b))
		return compute_temporal(environment, expr, a, b, out);
	return fail_types(environment, expr, a, b);
}

gemp_code gemp_cypher_negate(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, gemp_datum *out)
{
	const bool negative = expr->kind == GEMP_CY_NEGATE;
	gemp_datum value;
	GEMP_TRY(gemp_cypher_evaluate(environment, expr->first, &value));
	*out = value;
	switch (value.kind) {
	case GEMP_DATUM_NULL: return GEMP_OK;
	case GEMP_DATUM_FLOAT: *out = gemp_datum_float(negative ? -value.real : value.real); return GEMP_OK;
	case GEMP_DATUM_INTEGER:
		if (negative && __builtin_sub_overflow(0, value.integer, &out->integer))
			return gemp_cypher_fail(environment, expr,
			                        "-(-9223372036854775808) is beyond 64 bits; compute with floats");
		return GEMP_OK;
	case GEMP_DATUM_DURATION:
		return negative ? gemp_cypher_fail_at(environment, expr, gemp_temporal_negate(environment->arena, value, out))
		                : GEMP_OK;
	default:
		return gemp_cypher_fail(environment, expr, "a sign needs a number or a duration, not a value of type %s",
		                        gemp_datum_kind_name[value.kind]);
	}
}
