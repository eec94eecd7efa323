#include "cypher/function/rounding.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const gemp_rounding_name[GEMP_ROUNDINGS] = { "UP",      "DOWN",      "CEILING",  "FLOOR",
	                                                     "HALF_UP", "HALF_DOWN", "HALF_EVEN" };

enum { MAX_DIGITS = 17 }; /* they identify every double */

/* 0.DIGITS * 10^exponent */
typedef struct decimal {
	bool negative;
	int exponent, size;
	char digits[MAX_DIGITS + 1]; /* [size] */
} decimal;

/* Tries more and more digits until they read back as the same double. */
static void to_decimal(decimal *out, double value)
{
	char text[40];
	out->negative = signbit(value);
	out->size = 0;
	do
		snprintf(text, sizeof text, "%.*e", out->size++, fabs(value));
	while (out->size < MAX_DIGITS && strtod(text, NULL) != fabs(value));
	char *exponent = strchr(text, 'e');
	out->exponent = atoi(exponent + 1) + 1;
	out->digits[0] = text[0];
	memcpy(out->digits + 1, text + 2, (size_t)out->size - 1); /* behind the point, if there is one */
}

static double of_decimal(const decimal *d)
{
	char text[MAX_DIGITS + 40];
	snprintf(text, sizeof text, "%s0.%.*se%d", d->negative ? "-" : "", d->size, d->digits, d->exponent);
	return strtod(text, NULL);
}

/* True if the digits from `keep` on are rounded away from 0. At least one of them is not 0. */
static bool rounds_up(const decimal *d, int keep, gemp_rounding rounding)
{
	int dropped = keep < 0 ? 0 : d->digits[keep] - '0';
	bool half = dropped == 5 && keep + 1 == d->size;
	bool odd = keep > 0 && (d->digits[keep - 1] - '0') % 2 == 1;
	switch (rounding) {
	case GEMP_ROUND_UP: return true;
	case GEMP_ROUND_CEILING: return !d->negative;
	case GEMP_ROUND_FLOOR: return d->negative;
	case GEMP_ROUND_HALF_UP: return dropped >= 5;
	case GEMP_ROUND_HALF_DOWN: return dropped >= 5 && !half;
	case GEMP_ROUND_HALF_EVEN: return dropped >= 5 && (!half || odd);
	default: return false;
	}
}

/* Keeps `keep` digits, and adds 1 to the last of them. Without any digit left, 1 is that of the first dropped place. */
static void increment(decimal *d, int keep, int64_t places)
{
	while (keep > 0 && d->digits[keep - 1] == '9')
		keep--;
	if (keep > 0) {
		d->digits[keep - 1]++;
		d->size = keep;
		return;
	}
	d->exponent = d->exponent > -(int)places ? d->exponent + 1 : 1 - (int)places;
	d->digits[0] = '1';
	d->size = 1;
}

/* A double has no digits behind the 1,074th place. */
double gemp_round_decimal(double value, int64_t places, gemp_rounding rounding)
{
	decimal d;
	if (!isfinite(value) || value == 0 || places > 1100)
		return value;
	to_decimal(&d, value);
	int keep = d.exponent + (int)places; /* digits of the result; negative: the first digit is behind the last place */
	if (keep >= d.size)
		return value;
	if (rounds_up(&d, keep, rounding))
		increment(&d, keep > 0 ? keep : 0, places);
	else if (keep > 0)
		d.size = keep;
	else
		return 0;
	return of_decimal(&d);
}
