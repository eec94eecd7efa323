/* component: value.year and its kin (gemp_temporal_component of temporal.h). */
#include "cypher/temporal/duration.h"
#include "cypher/temporal/parts.h"
#include "cypher/temporal/print.h"
#include "cypher/temporal/temporal.h"

typedef enum component {
	YEAR,
	QUARTER,
	MONTH,
	WEEK,
	WEEK_YEAR,
	DAY,
	ORDINAL_DAY,
	WEEK_DAY,
	DAY_OF_QUARTER,
	HOUR,
	MINUTE,
	SECOND,
	MILLISECOND,
	MICROSECOND,
	NANOSECOND,
	TIMEZONE,
	OFFSET,
	OFFSET_MINUTES,
	OFFSET_SECONDS,
	EPOCH_SECONDS,
	EPOCH_MILLIS
} component;

static const struct {
	const char *name;
	component is;
} names[] = {
	{ "year", YEAR },
	{ "quarter", QUARTER },
	{ "month", MONTH },
	{ "week", WEEK },
	{ "weekYear", WEEK_YEAR },
	{ "day", DAY },
	{ "ordinalDay", ORDINAL_DAY },
	{ "weekDay", WEEK_DAY },
	{ "dayOfWeek", WEEK_DAY },
	{ "dayOfQuarter", DAY_OF_QUARTER },
	{ "hour", HOUR },
	{ "minute", MINUTE },
	{ "second", SECOND },
	{ "millisecond", MILLISECOND },
	{ "microsecond", MICROSECOND },
	{ "nanosecond", NANOSECOND },
	{ "timezone", TIMEZONE },
	{ "offset", OFFSET },
	{ "offsetMinutes", OFFSET_MINUTES },
	{ "offsetSeconds", OFFSET_SECONDS },
	{ "epochSeconds", EPOCH_SECONDS },
	{ "epochMillis", EPOCH_MILLIS },
};

static int64_t date_component(component is, int64_t days)
{
	gemp_calendar_date date = gemp_calendar_date_of(days);
	int64_t first_month = (date.month - 1) / 3 * 3 + 1; /* of the quarter */
	switch (is) {
	case YEAR: return date.year;
	case QUARTER: return first_month / 3 + 1;
	case MONTH: return date.month;
	case WEEK: return (days - gemp_calendar_week_start(gemp_calendar_week_year(days))) / 7 + 1;
	case WEEK_YEAR: return gemp_calendar_week_year(days);
	case DAY: return date.day;
	case ORDINAL_DAY: return days - gemp_calendar_days(date.year, 1, 1) + 1;
	case WEEK_DAY: return gemp_calendar_weekday(days);
	default: return days - gemp_calendar_days(date.year, first_month, 1) + 1;
	}
}

static int64_t time_component(component is, int64_t nanos)
{
	int64_t fraction = nanos % GEMP_SECOND_NANOS, seconds = nanos / GEMP_SECOND_NANOS;
	switch (is) {
	case HOUR: return seconds / 3600;
	case MINUTE: return seconds / 60 % 60;
	case SECOND: return seconds % 60;
	case MILLISECOND: return fraction / 1000000;
	case MICROSECOND: return fraction / 1000;
	default: return fraction;
	}
}

static gemp_code zone_text(gemp_arena *arena, const char *zone, int32_t offset, gemp_datum *out)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	if (zone)
		gemp_text_add(&text, zone, strlen(zone));
	else
		gemp_temporal_print_offset(offset, &text);
	GEMP_TRY(gemp_text_status(&text));
	return gemp_datum_string(out, arena, text.data, text.size);
}

static gemp_code zone_component(component is, const gemp_temporal_parts *parts, gemp_arena *arena, gemp_datum *out)
{
	int64_t seconds;
	int32_t offset;
	if (is == TIMEZONE)
		return zone_text(arena, parts->zone, parts->offset, out);
	if (is == OFFSET)
		return zone_text(arena, NULL, parts->offset, out);
	if (is == OFFSET_MINUTES || is == OFFSET_SECONDS) {
		*out = gemp_datum_integer(is == OFFSET_MINUTES ? parts->offset / 60 : parts->offset);
		return GEMP_OK;
	}
	GEMP_TRY(gemp_temporal_instant(parts, &seconds, &offset));
	*out = gemp_datum_integer(is == EPOCH_SECONDS ? seconds
	                                              : seconds * 1000 + parts->nanos % GEMP_SECOND_NANOS / 1000000);
	return GEMP_OK;
}

/* Components of a duration: part / divisor % modulus of the months, the days or the time. A modulus of 0 stands for
 * none. */
enum duration_part { MONTHS, DAYS, SECONDS, NANOS };
static const struct {
	const char *name;
	enum duration_part part;
	int64_t divisor, modulus;
} duration_names[] = {
	{ "years", MONTHS, 12, 0 },
	{ "quarters", MONTHS, 3, 0 },
	{ "months", MONTHS, 1, 0 },
	{ "weeks", DAYS, 7, 0 },
	{ "days", DAYS, 1, 0 },
	{ "hours", SECONDS, 3600, 0 },
	{ "minutes", SECONDS, 60, 0 },
	{ "seconds", SECONDS, 1, 0 },
	{ "quartersOfYear", MONTHS, 3, 4 },
	{ "monthsOfQuarter", MONTHS, 1, 3 },
	{ "monthsOfYear", MONTHS, 1, 12 },
	{ "daysOfWeek", DAYS, 1, 7 },
	{ "minutesOfHour", SECONDS, 60, 60 },
	{ "secondsOfMinute", SECONDS, 1, 60 },
	{ "millisecondsOfSecond", NANOS, 1000000, 0 },
	{ "microsecondsOfSecond", NANOS, 1000, 0 },
	{ "nanosecondsOfSecond", NANOS, 1, 0 },
};

/* milliseconds, microseconds and nanoseconds of the whole time, `per_second` of which are a second */
static gemp_code fine_time(const gemp_duration *duration, int64_t per_second, gemp_datum *out)
{
	int64_t result, fraction = duration->nanos / (GEMP_SECOND_NANOS / per_second);
	if (__builtin_mul_overflow(duration->seconds, per_second, &result) ||
	    __builtin_add_overflow(result, fraction, &result))
		return gemp_duration_overflow();
	*out = gemp_datum_integer(result);
	return GEMP_OK;
}

static gemp_code duration_component(const gemp_duration *duration, const char *name, gemp_datum *out, bool *known)
{
	static const char *const fine[] = { "milliseconds", "microseconds", "nanoseconds" };
	int64_t parts[] = { duration->months, duration->days, duration->seconds, duration->nanos }, per_second = 1000;
	*known = true;
	for (int i = 0; i < 3; i++, per_second *= 1000)
		if (strcmp(fine[i], name) == 0)
			return fine_time(duration, per_second, out);
	for (size_t i = 0; i < sizeof duration_names / sizeof *duration_names; i++)
		if (strcmp(duration_names[i].name, name) == 0) {
			int64_t value = parts[duration_names[i].part] / duration_names[i].divisor;
			*out = gemp_datum_integer(duration_names[i].modulus ? value % duration_names[i].modulus : value);
			return GEMP_OK;
		}
	*known = false;
	return GEMP_OK;
}

gemp_code gemp_temporal_component(gemp_datum value, const char *name, gemp_arena *arena, gemp_datum *out, bool *known)
{
	*out = gemp_datum_null();
	*known = false;
	if (value.kind == GEMP_DATUM_DURATION)
		return duration_component(value.duration, name, out, known);
	gemp_temporal_parts parts = gemp_temporal_split(value);
	for (size_t i = 0; i < sizeof names / sizeof *names && !*known; i++) {
		component is = names[i].is;
		if (strcmp(names[i].name, name) != 0)
			continue;
		*known = is < HOUR ? parts.has_date : is < TIMEZONE ? parts.has_time : parts.has_zone;
		*known = *known && (is < EPOCH_SECONDS || parts.has_date);
		if (*known && is >= TIMEZONE)
			return zone_component(is, &parts, arena, out);
		if (*known)
			*out = gemp_datum_integer(is < HOUR ? date_component(is, parts.days) : time_component(is, parts.nanos));
	}
	return GEMP_OK;
}
