#include "cypher/temporal/between.h"

#include "cypher/temporal/parts.h"

static void take_missing(gemp_temporal_parts *parts, const gemp_temporal_parts *other)
{
	if (!parts->has_date)
		parts->days = other->days;
	if (!parts->has_zone) {
		parts->zone = other->zone;
		parts->offset = other->zone ? GEMP_ZONE_NO_OFFSET : other->offset;
	}
	parts->has_date = parts->has_time = parts->has_zone = true;
}

/* Whole days from one local time to another, towards 0. */
static int64_t days_until(const gemp_temporal_parts *from, const gemp_temporal_parts *to)
{
	int64_t days = to->days - from->days;
	if (days > 0 && to->nanos < from->nanos)
		return days - 1;
	return days < 0 && to->nanos > from->nanos ? days + 1 : days;
}

/* Whole months. A month is over when the day of the month and the time are reached. */
static int64_t months_until(const gemp_temporal_parts *from, const gemp_temporal_parts *to)
{
	gemp_calendar_date first = gemp_calendar_date_of(from->days), last = gemp_calendar_date_of(to->days);
	int64_t months = 12 * (last.year - first.year) + last.month - first.month;
	int64_t beyond = last.day != first.day ? last.day - first.day : to->nanos - from->nanos;
	if (months > 0 && beyond < 0)
		return months - 1;
	return months < 0 && beyond > 0 ? months + 1 : months;
}

static gemp_code difference(const gemp_temporal_parts *from, const gemp_temporal_parts *to, gemp_duration *out)
{
	int64_t first, last, nanos = to->nanos % GEMP_SECOND_NANOS - from->nanos % GEMP_SECOND_NANOS;
	int32_t offset;
	GEMP_TRY(gemp_temporal_instant(from, &first, &offset));
	GEMP_TRY(gemp_temporal_instant(to, &last, &offset));
	out->seconds = last - first + gemp_floor_divide(nanos, GEMP_SECOND_NANOS);
	out->nanos = gemp_floor_modulo(nanos, GEMP_SECOND_NANOS);
	return GEMP_OK;
}

gemp_code gemp_duration_between(gemp_arena *arena, gemp_between_unit unit, gemp_datum from, gemp_datum to,
                                gemp_datum *out)
{
	gemp_temporal_parts first = gemp_temporal_split(from), last = gemp_temporal_split(to), given = first;
	gemp_duration result = { 0 };
	take_missing(&first, &last);
	take_missing(&last, &given);
	gemp_temporal_parts end = last; /* in the zone of the first value, since days are those of one calendar */
	GEMP_TRY(gemp_temporal_move(&end, first.zone, first.offset));
	if (unit == GEMP_BETWEEN_MONTHS || unit == GEMP_BETWEEN_ALL)
		result.months = months_until(&first, &end);
	if (unit == GEMP_BETWEEN_ALL)
		GEMP_TRY(gemp_calendar_add_months(first.days, result.months, &first.days));
	if (unit == GEMP_BETWEEN_DAYS || unit == GEMP_BETWEEN_ALL)
		result.days = days_until(&first, &end);
	if (unit == GEMP_BETWEEN_ALL)
		first.days += result.days;
	if (unit == GEMP_BETWEEN_SECONDS || unit == GEMP_BETWEEN_ALL)
		GEMP_TRY(difference(&first, &last, &result));
	return gemp_temporal_duration(arena, result, out);
}
