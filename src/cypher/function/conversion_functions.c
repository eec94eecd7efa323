/* Conversions between booleans, numbers and strings.
 *
 * toInteger() and its kin return NULL for a string that is not written as such a value, and fail for types without a
 * conversion; the functions ...OrNull return NULL there, too; the functions ...List convert each element like
 * ...OrNull. A conversion that fails because of the size of a number is an error of toInteger(), and NULL of the
 * others. */

#include "cypher/function/function.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

/* Converts one value, which is not NULL; *out is NULL before. *too_large is set if an integer exceeds 64 bits. */
typedef gemp_code (*conversion)(gemp_datum value, gemp_arena *arena, gemp_datum *out, bool *too_large);

/* NUMBERS IN STRINGS */

/* Returns the number of bytes of `[+-]digits`, or 0. */
static size_t integer_form(const char *text)
{
	size_t sign = *text == '+' || *text == '-', digits = strspn(text + sign, "0123456789");
	return digits ? sign + digits : 0;
}

/* Returns the number of bytes of a decimal number with or without a point and an exponent, or 0. */
static size_t float_form(const char *text)
{
	size_t at = *text == '+' || *text == '-', whole = strspn(text + at, "0123456789"), fraction = 0;
	at += whole;
	if (text[at] == '.') {
		fraction = strspn(text + at + 1, "0123456789");
		at += 1 + fraction;
	}
	if (!whole && !fraction)
		return 0;
	if (text[at] == 'e' || text[at] == 'E') {
		size_t exponent = integer_form(text + at + 1);
		at += exponent ? 1 + exponent : 0;
	}
	return at;
}

/* Sets [*begin, *begin + size) to the string without white space at its ends, and returns size. */
static size_t trimmed(gemp_datum string, const char **begin)
{
	size_t size = string.size;
	for (*begin = string.text; size && isspace((unsigned char)**begin); size--)
		++*begin;
	while (size && isspace((unsigned char)(*begin)[size - 1]))
		size--;
	return size;
}

/* strtod would also read hexadecimal numbers and words, so the form is checked first. A string ends in a 0, and what
 * follows the number is white space, so strtod reads the whole number. */
static bool read_float(gemp_datum string, double *out)
{
	const char *text;
	size_t size = trimmed(string, &text);
	bool number = size > 0 && float_form(text) == size;
	if (number)
		*out = strtod(text, NULL);
	return number;
}

/* CONVERSIONS */

static gemp_code truncated(double real, gemp_datum *out, bool *too_large)
{
	if (real >= -0x1p63 && real < 0x1p63)
		*out = gemp_datum_integer((int64_t)real);
	else
		*too_large = true;
	return GEMP_OK;
}

static gemp_code string_to_integer(gemp_datum string, gemp_datum *out, bool *too_large)
{
	const char *text;
	double real;
	size_t size = trimmed(string, &text);
	if (!size || integer_form(text) != size)
		return read_float(string, &real) ? truncated(real, out, too_large) : GEMP_OK;
	bool negative = *text == '-';
	int64_t integer = 0;
	for (size_t i = *text == '-' || *text == '+'; i < size && !*too_large; i++) {
		int digit = text[i] - '0';
		*too_large = __builtin_mul_overflow(integer, 10, &integer) ||
		             (negative ? __builtin_sub_overflow(integer, digit, &integer)
		                       : __builtin_add_overflow(integer, digit, &integer));
	}
	if (!*too_large)
		*out = gemp_datum_integer(integer);
	return GEMP_OK;
}

static gemp_code to_integer(gemp_datum value, gemp_arena *arena, gemp_datum *out, bool *too_large)
{
	(void)arena;
	switch (value.kind) {
	case GEMP_DATUM_BOOLEAN: *out = gemp_datum_integer(value.truth); break;
	case GEMP_DATUM_INTEGER: *out = value; break;
	case GEMP_DATUM_FLOAT: return truncated(value.real, out, too_large);
	case GEMP_DATUM_STRING: return string_to_integer(value, out, too_large);
	default: break;
	}
	return GEMP_OK;
}

static gemp_code to_float(gemp_datum value, gemp_arena *arena, gemp_datum *out, bool *too_large)
{
	double real;
	(void)arena;
	(void)too_large;
	if (value.kind == GEMP_DATUM_INTEGER)
		*out = gemp_datum_float((double)value.integer);
	else if (value.kind == GEMP_DATUM_FLOAT)
		*out = value;
	else if (value.kind == GEMP_DATUM_STRING && read_float(value, &real))
		*out = gemp_datum_float(real);
	return GEMP_OK;
}

static bool is_word(const char *text, size_t size, const char *word)
{
	return size == strlen(word) && strncasecmp(text, word, size) == 0;
}

static gemp_code to_boolean(gemp_datum value, gemp_arena *arena, gemp_datum *out, bool *too_large)
{
	const char *text;
	(void)arena;
	(void)too_large;
	if (value.kind == GEMP_DATUM_BOOLEAN)
		*out = value;
	else if (value.kind == GEMP_DATUM_INTEGER)
		*out = gemp_datum_boolean(value.integer != 0);
	if (value.kind != GEMP_DATUM_STRING)
		return GEMP_OK;
	size_t size = trimmed(value, &text);
	if (is_word(text, size, "true") || is_word(text, size, "false"))
		*out = gemp_datum_boolean(size == 4);
	return GEMP_OK;
}

enum {
	INTEGER_KINDS = GEMP_CY_NUMBER | GEMP_CY_BIT(BOOLEAN) | GEMP_CY_BIT(STRING),
	FLOAT_KINDS = GEMP_CY_NUMBER | GEMP_CY_BIT(STRING),
	BOOLEAN_KINDS = GEMP_CY_BIT(BOOLEAN) | GEMP_CY_BIT(INTEGER) | GEMP_CY_BIT(STRING),
	STRING_KINDS = INTEGER_KINDS | GEMP_CY_TEMPORAL,
	LIST = GEMP_CY_BIT(LIST),
};

static gemp_code to_string(gemp_datum value, gemp_arena *arena, gemp_datum *out, bool *too_large)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	(void)too_large;
	if (value.kind == GEMP_DATUM_STRING)
		*out = value;
	if (value.kind == GEMP_DATUM_STRING || !(STRING_KINDS >> value.kind & 1))
		return GEMP_OK;
	GEMP_TRY(gemp_datum_text(value, &text));
	return gemp_datum_string(out, arena, text.data, text.size);
}

/* FUNCTIONS */

static gemp_code convert_or_null(const gemp_cypher_call *call, conversion convert, gemp_datum *out)
{
	bool too_large = false;
	return convert(call->arguments[0], call->environment->arena, out, &too_large);
}

static gemp_code convert_list(const gemp_cypher_call *call, conversion convert, gemp_datum *out)
{
	const gemp_datum list = call->arguments[0];
	gemp_arena *arena = call->environment->arena;
	gemp_datum *items;
	GEMP_TRY(GEMP_ARENA_NEW(arena, items, list.size));
	for (size_t i = 0; i < list.size; i++) {
		bool too_large = false;
		if (!gemp_datum_is_null(list.items[i]))
			GEMP_TRY(convert(list.items[i], arena, &items[i], &too_large));
	}
	return gemp_datum_list_of(out, items, list.size);
}

static gemp_code call_to_integer(const gemp_cypher_call *call, gemp_datum *out)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	bool too_large = false;
	GEMP_TRY(to_integer(call->arguments[0], call->environment->arena, out, &too_large));
	if (!too_large)
		return GEMP_OK;
	GEMP_TRY(gemp_datum_text(call->arguments[0], &text));
	return gemp_cypher_fail(call->environment, call->expr,
	                        "toInteger(): %.60s is no 64-bit integer; toIntegerOrNull() gives NULL", text.data);
}

/* Defines the functions of one conversion: the plain one, if its kinds are checked by the table, can only succeed. */
#define OR_NULL(name, convert)                                           \
	static gemp_code name(const gemp_cypher_call *call, gemp_datum *out) \
	{                                                                    \
		return convert_or_null(call, convert, out);                      \
	}
#define OF_LIST(name, convert)                                           \
	static gemp_code name(const gemp_cypher_call *call, gemp_datum *out) \
	{                                                                    \
		return convert_list(call, convert, out);                         \
	}

OR_NULL(integer_or_null, to_integer)
OR_NULL(float_or_null, to_float)
OR_NULL(boolean_or_null, to_boolean)
OR_NULL(string_or_null, to_string)
OF_LIST(integer_list, to_integer)
OF_LIST(float_list, to_float)
OF_LIST(boolean_list, to_boolean)
OF_LIST(string_list, to_string)

const gemp_cypher_function gemp_cypher_conversion_functions[] = {
	{ "toInteger", 1, 1, false, call_to_integer, { INTEGER_KINDS } },
	{ "toFloat", 1, 1, false, float_or_null, { FLOAT_KINDS } },
	{ "toBoolean", 1, 1, false, boolean_or_null, { BOOLEAN_KINDS } },
	{ "toString", 1, 1, false, string_or_null, { STRING_KINDS } },
	{ "toIntegerOrNull", 1, 1, false, integer_or_null, { 0 } },
	{ "toFloatOrNull", 1, 1, false, float_or_null, { 0 } },
	{ "toBooleanOrNull", 1, 1, false, boolean_or_null, { 0 } },
	{ "toStringOrNull", 1, 1, false, string_or_null, { 0 } },
	{ "toIntegerList", 1, 1, false, integer_list, { LIST } },
	{ "toFloatList", 1, 1, false, float_list, { LIST } },
	{ "toBooleanList", 1, 1, false, boolean_list, { LIST } },
	{ "toStringList", 1, 1, false, string_list, { LIST } },
	{ 0 },
};
