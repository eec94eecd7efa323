#include "pattern/arithmetic.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *sign(gemp_expr_kind kind)
{
	static const char *const signs[] = { [GEMP_ADD] = "+", [GEMP_SUBTRACT] = "-", [GEMP_MULTIPLY] = "*", [GEMP_DIVIDE] = "/",
	                                     [GEMP_REMAINDER] = "%" };
	return signs[kind];
}

static gemp_code failed(const gemp_expr *expr, int64_t a, int64_t b, const char *why)
{
	return gemp_fail(GEMP_EDATA, "query:%d:%d: %" PRId64 " %s %" PRId64 " %s", expr->line, expr->column, a, sign(expr->kind), b,
	                 why);
}

static gemp_code integers(const gemp_expr *expr, int64_t a, int64_t b, int64_t *out)
{
	bool over = false, divides = expr->kind == GEMP_DIVIDE || expr->kind == GEMP_REMAINDER;
	if (divides && b == 0)
		return failed(expr, a, b, "divides by zero; leave such rows out, as by WHERE x <> 0");
	switch (expr->kind) {
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
	return over ? failed(expr, a, b, "is beyond 64 bits; compute with floats, as by 1.0 * x") : GEMP_OK;
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

gemp_code gemp_arithmetic(const gemp_expr *expr, const gemp_value *left, const gemp_value *right, gemp_scratch *scratch,
                          gemp_value *out)
{
	*out = (gemp_value){ .type = expr->type, .null = true };
	if (left->null || right->null)
		return GEMP_OK;
	if (left->type == GEMP_STRING)
		return join(left, right, scratch, out);
	out->null = false;
	if (left->type == GEMP_INTEGER && right->type == GEMP_INTEGER) {
		out->type = GEMP_INTEGER;
		return integers(expr, left->integer, right->integer, &out->integer);
	}
	out->type = GEMP_FLOAT;
	out->real = reals(expr->kind, real(left), real(right));
	out->null = out->real != out->real; /* no number: files keep none either */
	return GEMP_OK;
}

gemp_code gemp_negative(const gemp_expr *expr, const gemp_value *value, gemp_value *out)
{
	*out = *value;
	if (value->null)
		return GEMP_OK;
	if (value->type == GEMP_FLOAT) {
		out->real = -value->real;
		return GEMP_OK;
	}
	if (value->integer == INT64_MIN)
		return gemp_fail(GEMP_EDATA, "query:%d:%d: -(%" PRId64 ") is beyond 64 bits", expr->line, expr->column, value->integer);
	out->integer = -value->integer;
	return GEMP_OK;
}
