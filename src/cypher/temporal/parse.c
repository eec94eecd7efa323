#include "cypher/temporal/parse.h"

#include <ctype.h>

static const char *const kind_forms[] = {
	[GEMP_DATUM_DATE] = "date; write for example 2015-07-21, 2015-W30-2 or 2015-202",
	[GEMP_DATUM_LOCAL_TIME] = "local time; write for example 21:40:32.142",
	[GEMP_DATUM_TIME] = "time; write for example 21:40:32.142+01:00",
	[GEMP_DATUM_LOCAL_DATETIME] = "local datetime; write for example 2015-07-21T21:40:32.142",
	[GEMP_DATUM_DATETIME] = "datetime; write for example 2015-07-21T21:40:32+01:00 or 2015-07-21T21:40[Europe/Berlin]",
};

static int count_digits(const char *at)
{
	int count = 0;
	while (isdigit((unsigned char)at[count]))
		count++;
	return count;
}

static bool take(const char **at, char wanted)
{
	bool found = **at == wanted;
	*at += found;
	return found;
}

bool gemp_temporal_read_digits(const char **at, int digits, int64_t *value)
{
	*value = 0;
	for (int i = 0; i < digits; i++) {
		if (!isdigit((unsigned char)**at))
			return false;
		*value = 10 * *value + *(*at)++ - '0';
	}
	return true;
}

bool gemp_temporal_read_fraction(const char **at, int64_t *billionths)
{
	*billionths = 0;
	if (!take(at, '.') && !take(at, ','))
		return true;
	int digits = count_digits(*at);
	if (digits < 1 || digits > 9 || !gemp_temporal_read_digits(at, digits, billionths))
		return false;
	for (int i = digits; i < 9; i++)
		*billionths *= 10;
	return true;
}

static bool read_year(const char **at, int64_t *year)
{
	bool negative = **at == '-', is_signed = negative || **at == '+';
	*at += is_signed;
	int digits = is_signed ? count_digits(*at) : 4;
	if (digits < 1 || digits > 9 || !gemp_temporal_read_digits(at, digits, year))
		return false;
	if (negative)
		*year = -*year;
	return digits == 4 || **at == '-'; /* otherwise +20150721 could be a year of 8 digits */
}

/* W30-2, W302 or W30, behind its year */
static bool read_week(const char **at, int64_t year, bool dashes, int64_t *days)
{
	int64_t week, day = 1;
	if (!gemp_temporal_read_digits(at, 2, &week) || week < 1 || week > gemp_calendar_weeks(year))
		return false;
	if (dashes ? take(at, '-') : isdigit((unsigned char)**at)) {
		if (!gemp_temporal_read_digits(at, 1, &day) || day < 1 || day > 7)
			return false;
	}
	*days = gemp_calendar_week_start(year) + 7 * (week - 1) + day - 1;
	return true;
}

/* Q3-21, Q321 or Q3, behind its year */
static bool read_quarter(const char **at, int64_t year, bool dashes, int64_t *days)
{
	int64_t quarter, day = 1;
	if (!gemp_temporal_read_digits(at, 1, &quarter) || quarter < 1 || quarter > 4)
		return false;
	int64_t start = gemp_calendar_days(year, 3 * quarter - 2, 1);
	int64_t next = gemp_calendar_days(year + quarter / 4, (3 * quarter) % 12 + 1, 1);
	if ((dashes ? take(at, '-') : isdigit((unsigned char)**at)) &&
	    (!gemp_temporal_read_digits(at, 2, &day) || day < 1 || day > next - start))
		return false;
	*days = start + day - 1;
	return true;
}

/* 07-21, 0721, 07, or the day of the year 202, behind its year */
static bool read_month_or_day(const char **at, int64_t year, bool dashes, int64_t *days)
{
	int64_t month, day = 1;
	if (count_digits(*at) == 3) {
		if (!gemp_temporal_read_digits(at, 3, &day) || day < 1 || day > gemp_calendar_year_length(year))
			return false;
		*days = gemp_calendar_days(year, 1, 1) + day - 1;
		return true;
	}
	if (!gemp_temporal_read_digits(at, 2, &month) || month < 1 || month > 12)
		return false;
	if ((dashes ? take(at, '-') : isdigit((unsigned char)**at)) &&
	    (!gemp_temporal_read_digits(at, 2, &day) || day < 1 || day > gemp_calendar_month_length(year, month)))
		return false;
	*days = gemp_calendar_days(year, month, day);
	return true;
}

static bool read_date(const char **at, gemp_temporal_parts *out)
{
	int64_t year;
	if (!read_year(at, &year))
		return false;
	out->has_date = true;
	bool dashes = take(at, '-');
	if (take(at, 'W'))
		return read_week(at, year, dashes, &out->days);
	if (take(at, 'Q'))
		return read_quarter(at, year, dashes, &out->days);
	if (dashes || isdigit((unsigned char)**at))
		return read_month_or_day(at, year, dashes, &out->days);
	out->days = gemp_calendar_days(year, 1, 1);
	return true;
}

static bool read_time(const char **at, gemp_temporal_parts *out)
{
	int64_t value[3] = { 0 }, fraction = 0; /* hours, minutes, seconds */
	bool colons = false;
	out->has_time = true;
	for (int i = 0; i < 3; i++) {
		if (i == 1)
			colons = **at == ':';
		if (i > 0 && !(colons ? take(at, ':') : isdigit((unsigned char)**at)))
			break;
		if (!gemp_temporal_read_digits(at, 2, &value[i]) || value[i] > (i == 0 ? 23 : 59))
			return false;
		if (i == 2 && !gemp_temporal_read_fraction(at, &fraction))
			return false;
	}
	out->nanos = (3600 * value[0] + 60 * value[1] + value[2]) * GEMP_SECOND_NANOS + fraction;
	return true;
}

static bool read_offset(const char **at, int32_t *offset)
{
	int64_t value[3] = { 0 };
	if (take(at, 'Z')) {
		*offset = 0;
		return true;
	}
	bool negative = **at == '-', colons = false;
	if (!take(at, '-') && !take(at, '+'))
		return false;
	for (int i = 0; i < 3; i++) {
		if (i == 1)
			colons = **at == ':';
		if (i > 0 && !(colons ? take(at, ':') : isdigit((unsigned char)**at)))
			break;
		if (!gemp_temporal_read_digits(at, 2, &value[i]) || value[i] > (i == 0 ? 18 : 59))
			return false;
	}
	*offset = (int32_t)(3600 * value[0] + 60 * value[1] + value[2]);
	bool inside = *offset <= 18 * 3600;
	*offset = negative ? -*offset : *offset;
	return inside;
}

/* [Europe/Berlin] */
static gemp_code read_zone_name(gemp_arena *arena, const char **at, gemp_temporal_parts *out)
{
	const char *end = strchr(*at, ']');
	if (!end)
		return gemp_fail(GEMP_EDATA, "the zone '%s' lacks its ]", *at);
	out->zone = gemp_arena_copy(arena, *at + 1, (size_t)(end - *at) - 1);
	if (!out->zone)
		return GEMP_ENOMEM;
	int32_t wanted = out->offset, offset;
	int64_t instant;
	GEMP_TRY(gemp_temporal_instant(out, &instant, &offset));
	if (out->has_zone && wanted != offset)
		return gemp_fail(GEMP_EDATA, "the offset of '%s' is not that of its zone at this time; omit the offset", *at);
	out->has_zone = true;
	*at = end + 1;
	return GEMP_OK;
}

static gemp_code fail_form(gemp_datum_kind kind, const char *text)
{
	return gemp_fail(GEMP_EDATA, "'%s' is not a %s", text, kind_forms[kind]);
}

gemp_code gemp_temporal_parse(gemp_arena *arena, gemp_datum_kind kind, const char *text, gemp_temporal_parts *out)
{
	const char *at = text;
	bool date = kind != GEMP_DATUM_TIME && kind != GEMP_DATUM_LOCAL_TIME, time = kind != GEMP_DATUM_DATE;
	*out = (gemp_temporal_parts){ 0 };
	if (date && !read_date(&at, out))
		return fail_form(kind, text);
	if (date && time)
		time = take(&at, 'T');
	if (time && !read_time(&at, out))
		return fail_form(kind, text);
	if (kind == GEMP_DATUM_TIME || kind == GEMP_DATUM_DATETIME) {
		if (*at && *at != '[') {
			if (!read_offset(&at, &out->offset))
				return fail_form(kind, text);
			out->has_zone = true;
		}
		if (*at == '[' && kind == GEMP_DATUM_DATETIME) {
			out->offset = out->has_zone ? out->offset : GEMP_ZONE_NO_OFFSET;
			GEMP_TRY(read_zone_name(arena, &at, out));
		}
	}
	return *at ? fail_form(kind, text) : GEMP_OK;
}

gemp_code gemp_temporal_parse_zone(gemp_arena *arena, const char *text, gemp_temporal_parts *parts)
{
	const char *at = text;
	parts->has_zone = true;
	parts->zone = NULL;
	if (read_offset(&at, &parts->offset) && !*at)
		return GEMP_OK;
	parts->offset = GEMP_ZONE_NO_OFFSET;
	parts->zone = gemp_arena_copy(arena, text, strlen(text));
	if (!parts->zone)
		return GEMP_ENOMEM;
	int32_t offset;
	return gemp_zone_at_instant(text, 0, &offset); /* fails for an unknown zone */
}
