/* What a text looks like is decided without converting it, as inference looks at every cell of a table;
 * conversion follows once the types are known. */

#include "io/text/text_scalar.h"

#include "partition/base/dictionary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LONGEST_NUMBER = 511 };

static bool is(const char *text, size_t size, const char *word)
{
	return strlen(word) == size && strncasecmp(text, word, size) == 0;
}

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/* How many digits stand from `from` on. */
static size_t digits(const char *text, size_t from, size_t size)
{
	size_t i = from;
	while (i < size && digit(text[i]))
		i++;
	return i - from;
}

static bool sign(char c)
{
	return c == '-' || c == '+';
}

/* Of the text from `at` on: [.digits] [e [sign] digits] to its end. `before`: digits stood before it. */
static bool fraction_and_exponent(const char *text, size_t at, size_t size, bool before)
{
	if (at < size && text[at] == '.') {
		size_t after = digits(text, at + 1, size);
		if (after == 0 && !before)
			return false;
		at += 1 + after;
	} else if (!before) {
		return false;
	}
	if (at < size && (text[at] == 'e' || text[at] == 'E')) {
		at += at + 1 < size && sign(text[at + 1]) ? 2 : 1;
		size_t power = digits(text, at, size);
		if (power == 0)
			return false;
		at += power;
	}
	return at == size;
}

/* The forms are those that print back as they are: 007 and +7 would lose their zeros and signs. */
unsigned gemp_scalar_looks(const char *text, size_t size)
{
	if (size == 0 || size > LONGEST_NUMBER)
		return 0;
	size_t minus = text[0] == '-';
	size_t whole = digits(text, minus, size);
	if (whole > 0) {
		size_t at = minus + whole;
		if (text[minus] == '0' && whole > 1)
			return 0;
		if (at == size)
			return minus && text[1] == '0' ? GEMP_LOOKS_FLOAT : GEMP_LOOKS_INTEGER | GEMP_LOOKS_FLOAT;
		bool json = text[at] != '.' || (at + 1 < size && digit(text[at + 1]));
		return json && fraction_and_exponent(text, at, size, true) ? GEMP_LOOKS_FLOAT : 0;
	}
	if (is(text, size, "nan"))
		return GEMP_LOOKS_FLOAT;
	return is(text, size, "true") || is(text, size, "false") ? GEMP_LOOKS_BOOLEAN : 0;
}

/* At most 40 bytes of a cell are shown in messages. */
static gemp_code reject(const char *text, size_t size, const char *why)
{
	int shown = size > 40 ? 40 : (int)size;
	while (shown > 0 && (size_t)shown < size && ((unsigned char)text[shown] & 0xc0) == 0x80)
		shown--;
	return gemp_fail(GEMP_EDATA, "'%.*s%s' %s", shown, text, (size_t)shown < size ? "…" : "", why);
}

/* Negative numbers are built from below, as -2^63 has no positive counterpart. */
static gemp_code read_integer(int64_t *out, const char *text, size_t size)
{
	size_t at = size > 0 && sign(text[0]);
	bool negative = at && text[0] == '-', overflow = false;
	int64_t value = 0;
	if (digits(text, at, size) != size - at || size == at)
		return reject(text, size, "is not an integer; correct it, or state the column as :float or :string");
	for (; at < size && !overflow; at++) {
		int digit_value = text[at] - '0';
		overflow = __builtin_mul_overflow(value, 10, &value) ||
		           __builtin_add_overflow(value, negative ? -digit_value : digit_value, &value);
	}
	if (overflow)
		return reject(text, size, "is beyond the range of 64-bit integers; state the column as :string");
	*out = value;
	return GEMP_OK;
}

/* strtod would also accept hexadecimal numbers and words, so that the form is checked first. */
static gemp_code read_float(double *out, const char *text, size_t size)
{
	char copy[LONGEST_NUMBER + 1]; /* ended by 0, as strtod needs it */
	size_t at = size > 0 && sign(text[0]);
	if (is(text, size, "nan"))
		return reject(text, size,
		              "is not a value; leave the field empty where it is missing, or state the column as :string");
	bool infinite = is(text + at, size - at, "inf") || is(text + at, size - at, "infinity");
	size_t whole = digits(text, at, size);
	if (size > LONGEST_NUMBER || (!infinite && !fraction_and_exponent(text, at + whole, size, whole > 0)))
		return reject(text, size, "is not a number; correct it, or state the column as :string");
	memcpy(copy, text, size);
	copy[size] = '\0';
	*out = strtod(copy, NULL);
	if (!infinite && isinf(*out))
		return reject(text, size, "is beyond the range of 64-bit floats; state the column as :string");
	return GEMP_OK;
}

/* 0 and 1 pass where the column is stated as boolean; they are never inferred. */
static gemp_code read_boolean(bool *out, const char *text, size_t size)
{
	*out = is(text, size, "true") || is(text, size, "1");
	if (!*out && !is(text, size, "false") && !is(text, size, "0"))
		return reject(text, size, "is neither true nor false; correct it, or state the column as :string");
	return GEMP_OK;
}

/* Strings are borrowed from the text. */
gemp_code gemp_scalar_read(gemp_value *out, gemp_type type, const char *text, size_t size)
{
	*out = (gemp_value){ .type = type };
	switch (type) {
	case GEMP_INTEGER: return read_integer(&out->integer, text, size);
	case GEMP_FLOAT: return read_float(&out->real, text, size);
	case GEMP_BOOLEAN: return read_boolean(&out->truth, text, size);
	default: break;
	}
	out->string.bytes = text;
	out->string.size = size;
	return GEMP_OK;
}

/* Ids without a stated type are integers only in canonical form, since 007 and 7 may be two vertices. */
gemp_value gemp_scalar_key(const char *text, size_t size)
{
	gemp_value key = { .type = GEMP_INTEGER };
	if (!gemp_canonical_integer(text, size, &key.integer))
		key = (gemp_value){ .type = GEMP_STRING, .string = { text, size } };
	return key;
}

/* The names are those of a table's header, in any case. */
bool gemp_scalar_type(gemp_type *out, const char *name, size_t size)
{
	static const struct {
		const char *name;
		gemp_type type;
	} names[] = {
		{ "int", GEMP_INTEGER },   { "integer", GEMP_INTEGER }, { "float", GEMP_FLOAT },
		{ "string", GEMP_STRING }, { "bool", GEMP_BOOLEAN },    { "boolean", GEMP_BOOLEAN },
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (is(name, size, names[i].name)) {
			*out = names[i].type;
			return true;
		}
	return false;
}
