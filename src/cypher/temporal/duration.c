#include "cypher/temporal/duration.h"

#include "cypher/temporal/calendar.h"
#include "cypher/temporal/parse.h"

#include <math.h>

enum { MONTH_SECONDS = 2629746 }; /* on average: 146097 days are 4800 months */
#define BILLION INT64_C(1000000000)

static const struct {
	const char *name;
	int64_t factor; /* months, days, seconds, or per second */
} units[GEMP_DURATION_UNITS] = {
	[GEMP_UNIT_YEARS] = { "years", 12 },
	[GEMP_UNIT_QUARTERS] = { "quarters", 3 },
	[GEMP_UNIT_MONTHS] = { "months", 1 },
	[GEMP_UNIT_WEEKS] = { "weeks", 7 },
	[GEMP_UNIT_DAYS] = { "days", 1 },
	[GEMP_UNIT_HOURS] = { "hours", 3600 },
	[GEMP_UNIT_MINUTES] = { "minutes", 60 },
	[GEMP_UNIT_SECONDS] = { "seconds", 1 },
	[GEMP_UNIT_MILLISECONDS] = { "milliseconds", 1000 },
	[GEMP_UNIT_MICROSECONDS] = { "microseconds", 1000000 },
	[GEMP_UNIT_NANOSECONDS] = { "nanoseconds", BILLION },
};

gemp_code gemp_duration_overflow(void)
{
	return gemp_fail(GEMP_EDATA, "a duration has a number of more than 64 bits; use smaller numbers");
}

/* *sum += whole * factor; false if that needs more than 64 bits */
static bool add_product(int64_t *sum, int64_t whole, int64_t factor)
{
	int64_t product;
	return !__builtin_mul_overflow(whole, factor, &product) && !__builtin_add_overflow(*sum, product, sum);
}

gemp_code gemp_duration_add(gemp_duration_sum *sum, gemp_duration_unit unit, int64_t whole, int64_t billionths)
{
	int64_t factor = units[unit].factor, *target = &sum->seconds, *parts = &sum->nanos;
	if (unit > GEMP_UNIT_SECONDS) {
		int64_t nanos = BILLION / factor; /* of one unit */
		bool fits = add_product(&sum->seconds, whole / factor, 1) &&
		            add_product(&sum->nanos, whole % factor * nanos + billionths / factor, 1);
		return fits ? GEMP_OK : gemp_duration_overflow();
	}
	if (unit <= GEMP_UNIT_MONTHS) {
		target = &sum->months;
		parts = &sum->month_parts;
	} else if (unit <= GEMP_UNIT_DAYS) {
		target = &sum->days;
		parts = &sum->day_parts;
	}
	bool fits = add_product(target, whole, factor) && add_product(parts, billionths, factor);
	return fits ? GEMP_OK : gemp_duration_overflow();
}

gemp_code gemp_duration_add_real(gemp_duration_sum *sum, gemp_duration_unit unit, long double amount)
{
	long double whole = truncl(amount);
	if (!(fabsl(whole) < 0x1p63L)) /* also for NaN */
		return gemp_duration_overflow();
	int64_t units_of = (int64_t)whole, billionths = (int64_t)llrintl((amount - whole) * BILLION);
	return gemp_duration_add(sum, unit, units_of + billionths / BILLION, billionths % BILLION);
}

gemp_code gemp_duration_finish(const gemp_duration_sum *sum, gemp_duration *out)
{
	gemp_duration result = { .months = sum->months, .days = sum->days, .seconds = sum->seconds };
	int64_t month_nanos = sum->month_parts % BILLION * MONTH_SECONDS; /* at most 2.7 * 10^15 */
	int64_t nanos = sum->nanos;
	bool fits = add_product(&result.months, sum->month_parts / BILLION, 1) &&
	            add_product(&result.days, sum->day_parts / BILLION, 1) &&
	            add_product(&result.days, month_nanos / GEMP_DAY_NANOS, 1) &&
	            add_product(&nanos, month_nanos % GEMP_DAY_NANOS, 1) &&
	            add_product(&nanos, sum->day_parts % BILLION, GEMP_DAY_SECONDS) &&
	            add_product(&result.seconds, gemp_floor_divide(nanos, BILLION), 1);
	if (!fits)
		return gemp_duration_overflow();
	result.nanos = gemp_floor_modulo(nanos, BILLION);
	*out = result;
	return GEMP_OK;
}

/* -12.5: a number with an optional sign and fraction */
static bool read_amount(const char **at, int sign, int64_t *whole, int64_t *billionths)
{
	if (**at == '-' || **at == '+')
		sign = *(*at)++ == '-' ? -sign : sign;
	int digits = (int)strspn(*at, "0123456789");
	if (digits < 1 || digits > 18 || !gemp_temporal_read_digits(at, digits, whole) ||
	    !gemp_temporal_read_fraction(at, billionths))
		return false;
	*whole *= sign;
	*billionths *= sign;
	return true;
}

static gemp_code fail_form(const char *text)
{
	return gemp_fail(GEMP_EDATA, "'%s' is not a duration; write for example P1Y2M10DT2H30M4.5S or P2.5W", text);
}

/* Amounts in the order of `letters`, behind P or T. */
static gemp_code read_amounts(const char *text, const char **at, int sign, const char *letters,
                              const gemp_duration_unit *letter_units, gemp_duration_sum *sum)
{
	const char *next = letters;
	while (**at && **at != 'T') {
		int64_t whole, billionths;
		if (!read_amount(at, sign, &whole, &billionths) || !**at)
			return fail_form(text);
		const char *letter = strchr(next, *(*at)++);
		if (!letter)
			return fail_form(text);
		GEMP_TRY(gemp_duration_add(sum, letter_units[letter - letters], whole, billionths));
		next = letter + 1;
	}
	return GEMP_OK;
}

/* 2012-02-02T14:37:21.545 behind P: years, months, days, hours, minutes and seconds. The dashes and colons may be
 * omitted. */
static bool read_date_form(const char *at, int sign, gemp_duration_sum *sum)
{
	static const int digits[] = { 4, 2, 2, 2, 2, 2 };
	static const int64_t max[] = { 9999, 12, 31, 23, 59, 59 };
	int64_t value[6] = { 0 }, fraction = 0;
	const char date_mark = at[4] == '-' ? '-' : 0, time_mark = strchr(at, ':') ? ':' : 0;
	int count = 0;
	while (count < 6 && *at) {
		char mark = count == 0 ? 0 : count < 3 ? date_mark : count == 3 ? 'T' : time_mark;
		if ((mark && *at++ != mark) || !gemp_temporal_read_digits(&at, digits[count], &value[count]) ||
		    value[count] > max[count])
			return false;
		count++;
	}
	if (count < 3 || (count == 6 && !gemp_temporal_read_fraction(&at, &fraction)) || *at)
		return false;
	*sum = (gemp_duration_sum){ .months = sign * (12 * value[0] + value[1]),
		                        .days = sign * value[2],
		                        .seconds = sign * (3600 * value[3] + 60 * value[4] + value[5]),
		                        .nanos = sign * fraction };
	return true;
}

gemp_code gemp_duration_parse(const char *text, gemp_duration *out)
{
	static const gemp_duration_unit date_units[] = { GEMP_UNIT_YEARS, GEMP_UNIT_MONTHS, GEMP_UNIT_WEEKS,
		                                             GEMP_UNIT_DAYS };
	static const gemp_duration_unit time_units[] = { GEMP_UNIT_HOURS, GEMP_UNIT_MINUTES, GEMP_UNIT_SECONDS };
	gemp_duration_sum sum = { 0 };
	const char *at = text;
	int sign = *at == '-' ? -1 : 1;
	at += *at == '-' || *at == '+';
	if (*at++ != 'P' || !*at)
		return fail_form(text);
	size_t digits = strspn(at, "0123456789");
	if (digits == 8 || (digits == 4 && at[4] == '-')) {
		if (!read_date_form(at, sign, &sum))
			return fail_form(text);
		return gemp_duration_finish(&sum, out);
	}
	GEMP_TRY(read_amounts(text, &at, sign, "YMWD", date_units, &sum));
	if (*at == 'T') {
		if (!*++at)
			return fail_form(text);
		GEMP_TRY(read_amounts(text, &at, sign, "HMS", time_units, &sum));
	}
	return *at ? fail_form(text) : gemp_duration_finish(&sum, out);
}

static int unit_named(const char *name)
{
	for (int i = 0; i < GEMP_DURATION_UNITS; i++)
		if (strcmp(units[i].name, name) == 0)
			return i;
	return -1;
}

gemp_code gemp_duration_of_map(gemp_datum map, gemp_duration *out)
{
	gemp_duration_sum sum = { 0 };
	for (uint32_t i = 0; i < map.size; i++) {
		const gemp_datum_entry *entry = &map.entries[i];
		int unit = unit_named(entry->key);
		if (unit < 0)
			return gemp_fail(
				GEMP_EDATA,
				"a duration has no '%s'; write years, quarters, months, weeks, days, hours, minutes, seconds, "
				"milliseconds, microseconds or nanoseconds",
				entry->key);
		if (entry->value.kind == GEMP_DATUM_INTEGER)
			GEMP_TRY(gemp_duration_add(&sum, (gemp_duration_unit)unit, entry->value.integer, 0));
		else if (entry->value.kind == GEMP_DATUM_FLOAT)
			GEMP_TRY(gemp_duration_add_real(&sum, (gemp_duration_unit)unit, entry->value.real));
		else
			return gemp_fail(GEMP_EDATA, "'%s' of a duration must be a number", entry->key);
	}
	return gemp_duration_finish(&sum, out);
}
