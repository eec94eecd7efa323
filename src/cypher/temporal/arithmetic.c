/* arithmetic: sums, differences and multiples of temporal values (temporal.h). */
#include "cypher/temporal/duration.h"
#include "cypher/temporal/parts.h"
#include "cypher/temporal/temporal.h"

#include <math.h>

static gemp_code negate(const gemp_duration *duration, gemp_duration *out)
{
	bool fails = __builtin_sub_overflow(0, duration->months, &out->months) ||
	             __builtin_sub_overflow(0, duration->days, &out->days) ||
	             __builtin_sub_overflow(duration->nanos > 0 ? -1 : 0, duration->seconds, &out->seconds);
	out->nanos = duration->nanos > 0 ? GEMP_SECOND_NANOS - duration->nanos : 0;
	return fails ? gemp_duration_overflow() : GEMP_OK;
}

gemp_code gemp_temporal_negate(gemp_arena *arena, gemp_datum duration, gemp_datum *out)
{
	gemp_duration result;
	GEMP_TRY(negate(duration.duration, &result));
	return gemp_temporal_duration(arena, result, out);
}

static gemp_code add_durations(const gemp_duration *a, const gemp_duration *b, gemp_duration *out)
{
	int64_t nanos = a->nanos + b->nanos;
	bool fails = __builtin_add_overflow(a->months, b->months, &out->months) ||
	             __builtin_add_overflow(a->days, b->days, &out->days) ||
	             __builtin_add_overflow(a->seconds, b->seconds, &out->seconds) ||
	             __builtin_add_overflow(out->seconds, nanos / GEMP_SECOND_NANOS, &out->seconds);
	out->nanos = nanos % GEMP_SECOND_NANOS;
	return fails ? gemp_duration_overflow() : GEMP_OK;
}

/* A sum of days. The bound of the first check keeps the sum within 64 bits. */
static gemp_code add_days(int64_t *days, int64_t more)
{
	const int64_t limit = INT64_C(1000) * (GEMP_CALENDAR_MAX_YEAR + 1);
	if (more > limit || more < -limit)
		*days = more > 0 ? limit : -limit;
	else
		*days += more;
	return gemp_calendar_check(*days);
}

static gemp_code add_seconds(int64_t *seconds, int64_t *nanos, const gemp_duration *duration)
{
	int64_t sum = *nanos + duration->nanos;
	if (__builtin_add_overflow(*seconds, duration->seconds, seconds) ||
	    __builtin_add_overflow(*seconds, sum / GEMP_SECOND_NANOS, seconds))
		return gemp_duration_overflow();
	*nanos = sum % GEMP_SECOND_NANOS;
	return GEMP_OK;
}

/* Only whole days of the time count; a duration of -12 hours does not change a date. */
static gemp_code add_to_date(gemp_temporal_parts *parts, const gemp_duration *duration)
{
	int64_t seconds = duration->seconds + (duration->seconds < 0 && duration->nanos > 0);
	return add_days(&parts->days, seconds / GEMP_DAY_SECONDS);
}

static void add_to_time(gemp_temporal_parts *parts, const gemp_duration *duration)
{
	int64_t nanos = duration->seconds % GEMP_DAY_SECONDS * GEMP_SECOND_NANOS + duration->nanos;
	parts->nanos = gemp_floor_modulo(parts->nanos + nanos, GEMP_DAY_NANOS);
}

/* Months and days are added to the local date, the time to the instant: over a change of clocks, P1D keeps the time of
 * day, and PT24H does not. */
static gemp_code add_to_moment(gemp_temporal_parts *parts, const gemp_duration *duration)
{
	int64_t seconds, nanos = parts->nanos % GEMP_SECOND_NANOS;
	int32_t offset;
	GEMP_TRY(gemp_temporal_instant(parts, &seconds, &offset));
	GEMP_TRY(add_seconds(&seconds, &nanos, duration));
	bool has_zone = parts->has_zone;
	GEMP_TRY(gemp_temporal_parts_at(seconds, nanos, parts->zone, offset, parts));
	parts->has_zone = has_zone;
	return GEMP_OK;
}

static gemp_code add_to(gemp_arena *arena, gemp_datum value, const gemp_duration *duration, gemp_datum *out)
{
	gemp_temporal_parts parts = gemp_temporal_split(value);
	if (parts.has_date) {
		GEMP_TRY(gemp_calendar_add_months(parts.days, duration->months, &parts.days));
		GEMP_TRY(add_days(&parts.days, duration->days));
	}
	if (!parts.has_date)
		add_to_time(&parts, duration);
	else
		GEMP_TRY(parts.has_time ? add_to_moment(&parts, duration) : add_to_date(&parts, duration));
	return gemp_temporal_join(arena, value.kind, &parts, out);
}

gemp_code gemp_temporal_add(gemp_arena *arena, gemp_datum a, gemp_datum b, bool subtract, gemp_datum *out,
                            bool *defined)
{
	gemp_duration second = { 0 }, sum;
	if (a.kind == GEMP_DATUM_DURATION && b.kind != GEMP_DATUM_DURATION && !subtract) {
		gemp_datum swapped = a;
		a = b;
		b = swapped;
	}
	*defined = gemp_datum_is_temporal(a) && b.kind == GEMP_DATUM_DURATION;
	if (!*defined)
		return GEMP_OK;
	if (subtract)
		GEMP_TRY(negate(b.duration, &second));
	else
		second = *b.duration;
	if (a.kind != GEMP_DATUM_DURATION)
		return add_to(arena, a, &second, out);
	GEMP_TRY(add_durations(a.duration, &second, &sum));
	return gemp_temporal_duration(arena, sum, out);
}

static gemp_code multiply(const gemp_duration *from, int64_t factor, gemp_duration *out)
{
	__int128 nanos = (__int128)from->seconds * GEMP_SECOND_NANOS + from->nanos;
	if (__builtin_mul_overflow(nanos, factor, &nanos))
		return gemp_duration_overflow();
	__int128 seconds = nanos / GEMP_SECOND_NANOS - (nanos % GEMP_SECOND_NANOS < 0);
	out->nanos = (int64_t)(nanos - seconds * GEMP_SECOND_NANOS);
	out->seconds = (int64_t)seconds;
	bool fails = __builtin_mul_overflow(from->months, factor, &out->months) ||
	             __builtin_mul_overflow(from->days, factor, &out->days) || out->seconds != seconds;
	return fails ? gemp_duration_overflow() : GEMP_OK;
}

/* numerator and denominator are apart, since a product with 1 / 3 is less exact than a quotient. Nanoseconds are
 * rounded to the nearest. */
static gemp_code scale(const gemp_duration *from, long double numerator, long double denominator, gemp_duration *out)
{
	gemp_duration_sum sum = { 0 };
	long double seconds = (long double)from->seconds * numerator / denominator, whole = truncl(seconds);
	long double nanos = (seconds - whole) * GEMP_SECOND_NANOS + (long double)from->nanos * numerator / denominator;
	GEMP_TRY(gemp_duration_add_real(&sum, GEMP_UNIT_MONTHS, (long double)from->months * numerator / denominator));
	GEMP_TRY(gemp_duration_add_real(&sum, GEMP_UNIT_DAYS, (long double)from->days * numerator / denominator));
	GEMP_TRY(gemp_duration_add_real(&sum, GEMP_UNIT_SECONDS, whole));
	GEMP_TRY(gemp_duration_add_real(&sum, GEMP_UNIT_NANOSECONDS, rintl(nanos)));
	return gemp_duration_finish(&sum, out);
}

gemp_code gemp_temporal_scale(gemp_arena *arena, gemp_datum duration, gemp_datum number, bool divide, gemp_datum *out)
{
	gemp_duration result;
	long double real = number.kind == GEMP_DATUM_INTEGER ? (long double)number.integer : (long double)number.real;
	if (divide && real == 0)
		return gemp_fail(GEMP_EDATA, "a duration cannot be divided by 0");
	if (divide)
		GEMP_TRY(scale(duration.duration, 1, real, &result));
	else if (number.kind == GEMP_DATUM_INTEGER)
		GEMP_TRY(multiply(duration.duration, number.integer, &result));
	else
		GEMP_TRY(scale(duration.duration, real, 1, &result));
	return gemp_temporal_duration(arena, result, out);
}
