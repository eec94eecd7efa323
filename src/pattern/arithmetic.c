#include "pattern/arithmetic.h"

#include "pattern/text_function.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *sign(gemp_expr_kind kind)
{
	static const char *const signs[] = { [GEMP_ADD] = "+", [GEMP_SUBTRACT] = "-", [GEMP_MULTIPLY] = "*",
	                                     [GEMP_DIVIDE] = "/", [GEMP_REMAINDER] = "%" };
	return signs[kind];
}

static gemp_code failed(gemp_expr_kind kind, int64_t a, int64_t b, const char *why)
{
	return gemp_fail(GEMP_EDATA, "%" PRId64 " %s %" PRId64 " %s", a, sign(kind), b, why);
}

static gemp_code integers(gemp_expr_kind kind, int64_t a, int64_t b, int64_t *out)
{
	bool over = false, divides = kind == GEMP_DIVIDE || kind == GEMP_REMAINDER;
	if (divides && b == 0)
		return failed(kind, a, b, "divides by zero; leave such rows out, as by WHERE x <> 0");
	switch (kind) {
	case GEMP_ADD:
		over = __builtin_add_overflow(a, b, out);
		break;
	case GEMP_SUBTRACT:
		over = __builtin_sub_overflow(a, b, out);
		break;
	case GEMP_MULTIPLY:
		over = __builtin_mul_overflow(a, b, out);
		break;
	case GEMP_DIVIDE:
		over = a == INT64_MIN && b == -1;
		*out = over ? 0 : a / b;
		break;
	default:
		*out = b == -1 ? 0 : a % b;
	}
	return over ? failed(kind, a, b, "is beyond 64 bits; compute with floats, as by 1.0 * x") : GEMP_OK;
}

static double reals(gemp_expr_kind kind, double a, double b)
{
	switch (kind) {
	case GEMP_ADD:
		return a + b;
	case GEMP_SUBTRACT:
		return a - b;
	case GEMP_MULTIPLY:
		return a * b;
	case GEMP_DIVIDE:
		return a / b;
	default:
		return fmod(a, b);
	}
}

static gemp_code join(const gemp_value *left, const gemp_value *right, gemp_scratch *scratch, gemp_value *out)
{
	size_t a = left->string.size, b = right->string.size;
	char *bytes = gemp_scratch_take(scratch, a + b);
	if (!bytes)
		return GEMP_ENOMEM;
	if (a)
		memcpy(bytes, left->string.bytes, a);
	if (b)
		memcpy(bytes + a, right->string.bytes, b);
	*out = (gemp_value){ .type = GEMP_STRING, .string = { bytes, a + b } };
	return GEMP_OK;
}

static double real(const gemp_value *value)
{
	return value->type == GEMP_FLOAT ? value->real : (double)value->integer;
}

static gemp_code arithmetic(const gemp_expr *expr, const gemp_value *left, const gemp_value *right,
                            gemp_scratch *scratch, gemp_value *out)
{
	if (left->type == GEMP_STRING)
		return join(left, right, scratch, out);
	if (left->type == GEMP_INTEGER && right->type == GEMP_INTEGER) {
		*out = (gemp_value){ .type = GEMP_INTEGER };
		return integers(expr->kind, left->integer, right->integer, &out->integer);
	}
	double result = reals(expr->kind, real(left), real(right));
	*out = (gemp_value){ .type = GEMP_FLOAT, .null = result != result, .real = result }; /* files keep no NaN either */
	return GEMP_OK;
}

static gemp_code negative(const gemp_value *value, gemp_value *out)
{
	*out = *value;
	if (value->type == GEMP_FLOAT)
		out->real = -value->real;
	else if (__builtin_sub_overflow(0, value->integer, &out->integer))
		return gemp_fail(GEMP_EDATA, "-(%" PRId64 ") is beyond 64 bits", value->integer);
	return GEMP_OK;
}

static bool is_number(const gemp_value *value)
{
	return value->null || value->type == GEMP_INTEGER || value->type == GEMP_FLOAT;
}

static bool is_text(const gemp_value *value)
{
	return value->null || value->type == GEMP_STRING;
}

bool gemp_can_compute(gemp_expr_kind kind, const gemp_value *left, const gemp_value *right)
{
	switch (kind) {
	case GEMP_ADD:
		return (is_number(left) && is_number(right)) || (is_text(left) && is_text(right));
	case GEMP_SUBTRACT:
	case GEMP_MULTIPLY:
	case GEMP_DIVIDE:
	case GEMP_REMAINDER:
		return is_number(left) && is_number(right);
	case GEMP_NEGATE:
		return is_number(left);
	case GEMP_SIZE:
		return is_text(left) || left->type == GEMP_LIST;
	default:
		return is_text(left);
	}
}

gemp_code gemp_compute(const gemp_expr *expr, const gemp_value *left, const gemp_value *right, gemp_scratch *scratch,
                       gemp_value *out)
{
	*out = (gemp_value){ .type = expr->type, .null = true };
	if (left->null || (right && right->null) || !gemp_can_compute(expr->kind, left, right))
		return GEMP_OK;
	switch (expr->kind) {
	case GEMP_NEGATE:
		return negative(left, out);
	case GEMP_LOWER:
	case GEMP_UPPER:
		return gemp_text_case(left, expr->kind == GEMP_UPPER, scratch, out);
	case GEMP_SIZE:
		*out = (gemp_value){ .type = GEMP_INTEGER, .integer = gemp_text_size(left) };
		return GEMP_OK;
	default:
		return arithmetic(expr, left, right, scratch, out);
	}
}
