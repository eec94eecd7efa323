#include "core/number_text.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The magnitude of -2^63 fits only in an unsigned integer. */
static uint64_t magnitude(int64_t value)
{
	return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/* The loop takes four digits per step. */
static size_t digits_of(uint64_t number)
{
	size_t digits = 1;
	for (; number >= 10000; number /= 10000)
		digits += 4;
	return digits + (number >= 10) + (number >= 100) + (number >= 1000);
}

/* Writes the last `digits` digits of the number before `end`. A table gives two digits at a time, which halves the
 * number of divisions. */
static void put_digits(char *end, uint64_t number, size_t digits)
{
	static const char pairs[] =
		"0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
		"5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
	for (; digits >= 2; digits -= 2, number /= 100)
		memcpy(end -= 2, pairs + number % 100 * 2, 2);
	if (digits)
		end[-1] = (char)('0' + number % 10);
}

char *gemp_integer_put(char *to, int64_t value)
{
	const uint64_t number = magnitude(value);
	const size_t digits = digits_of(number);
	*to = '-';
	to += value < 0;
	put_digits(to + digits, number, digits);
	return to + digits;
}

enum { MAX_DECIMALS = 19 };

/* Finds the decimal number *scaled / 10^*decimals with the fewest decimals that reads back as `value`, if it has at
 * most 15 digits. Both the integer and the power are doubles without rounding, so their quotient is the double next to
 * the decimal number. A decimal number of 15 digits that reads back is the nearest one of that length, which printf
 * gives. */
static bool find_decimal(double value, uint64_t *scaled, size_t *decimals)
{
	static const double powers[MAX_DECIMALS + 1] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
		                                             1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19 };
	for (size_t k = 0; k <= MAX_DECIMALS; k++) {
		const double number = nearbyint(value * powers[k]);
		if (!(number < 1e15))
			return false;
		if (number / powers[k] == value) {
			*scaled = (uint64_t)number;
			*decimals = k;
			return true;
		}
	}
	return false;
}

/* Tries 15, 16 and 17 digits. 17 digits always identify a double. */
static char *print_float(char *to, double value)
{
	char text[GEMP_FLOAT_TEXT];
	int size = 0;
	for (int digits = 15; digits <= 17; digits++) {
		size = snprintf(text, sizeof text, "%.*g", digits, value);
		if (digits < 17 && strtod(text, NULL) == value)
			break;
	}
	memcpy(to, text, (size_t)size);
	to += size;
	if (!strpbrk(text, ".en")) {
		memcpy(to, ".0", 2);
		to += 2;
	}
	return to;
}

/* printf has exponents for magnitudes below 1e-4, and from 1e15 on. */
char *gemp_float_put(char *to, double value)
{
	const double positive = fabs(value);
	uint64_t scaled;
	size_t decimals;
	if ((positive != 0 && !(positive >= 1e-4 && positive < 1e15)) || !find_decimal(positive, &scaled, &decimals))
		return print_float(to, value);
	uint64_t power = 1;
	for (size_t k = 0; k < decimals; k++)
		power *= 10;
	*to = '-';
	to += signbit(value) != 0;
	to = gemp_integer_put(to, (int64_t)(scaled / power));
	*to++ = '.';
	decimals += decimals == 0;
	put_digits(to + decimals, scaled % power, decimals);
	return to + decimals;
}
