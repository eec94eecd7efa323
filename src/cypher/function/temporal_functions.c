/* temporal_functions: date(), time(), duration.between() and their kin: the part of the function table that makes
 * temporal values. The values themselves are the work of temporal/. */
#include "cypher/function/function.h"
#include "cypher/temporal/between.h"
#include "cypher/temporal/duration.h"
#include "cypher/temporal/fields.h"
#include "cypher/temporal/parse.h"
#include "cypher/temporal/truncate.h"

#include <time.h>

/* The modules of temporal/ do not know the query, so the place is added to their messages. */
static gemp_code located(const gemp_cypher_call *call, gemp_code code)
{
	return gemp_cypher_fail_at(call->environment, call->expr, code);
}

static gemp_code clock_value(gemp_arena *arena, gemp_datum_kind kind, int64_t seconds, int64_t nanos, const char *zone,
                             gemp_datum *out)
{
	gemp_temporal_parts parts = { 0 };
	if (zone)
		GEMP_TRY(gemp_temporal_parse_zone(arena, zone, &parts));
	GEMP_TRY(gemp_temporal_parts_at(seconds, nanos, parts.zone, parts.offset, &parts));
	return gemp_temporal_join(arena, kind, &parts, out);
}

static gemp_code now(const gemp_cypher_call *call, gemp_datum_kind kind, const char *zone, gemp_datum *out)
{
	const gemp_cypher_environment *at = call->environment;
	return clock_value(at->arena, kind, at->now_seconds, at->now_nanos, zone, out);
}

static gemp_code from_map(const gemp_cypher_call *call, gemp_datum_kind kind, gemp_datum map, gemp_datum *out)
{
	gemp_arena *arena = call->environment->arena;
	gemp_temporal_fields fields;
	gemp_temporal_parts parts;
	bool only_zone = map.size == 1 && strcmp(map.entries[0].key, "timezone") == 0;
	if (only_zone && map.entries[0].value.kind == GEMP_DATUM_STRING)
		return now(call, kind, map.entries[0].value.text, out);
	GEMP_TRY(gemp_temporal_fields_read(kind, map, &fields));
	GEMP_TRY(gemp_temporal_fields_build(arena, &fields, &parts));
	return gemp_temporal_join(arena, kind, &parts, out);
}

static gemp_code from_temporal(gemp_arena *arena, gemp_datum_kind kind, gemp_datum value, gemp_datum *out)
{
	gemp_temporal_parts parts = gemp_temporal_split(value);
	bool no_date = kind == GEMP_DATUM_TIME || kind == GEMP_DATUM_LOCAL_TIME;
	if (no_date ? !parts.has_time : !parts.has_date)
		return gemp_fail(GEMP_EDATA, "a %s has no %s to make a %s from; use a map, such as {%s}",
		                 gemp_datum_kind_name[value.kind], no_date ? "time" : "date", gemp_datum_kind_name[kind],
		                 no_date ? "hour: 12" : "year: 2015");
	return gemp_temporal_join(arena, kind, &parts, out);
}

static gemp_code construct(const gemp_cypher_call *call, gemp_datum_kind kind, gemp_datum *out)
{
	gemp_arena *arena = call->environment->arena;
	if (call->count == 0)
		return located(call, now(call, kind, NULL, out));
	gemp_datum from = call->arguments[0];
	gemp_temporal_parts parts;
	if (from.kind == GEMP_DATUM_MAP)
		return located(call, from_map(call, kind, from, out));
	if (from.kind != GEMP_DATUM_STRING)
		return located(call, from_temporal(arena, kind, from, out));
	gemp_code code = gemp_temporal_parse(arena, kind, from.text, &parts);
	GEMP_THEN(gemp_temporal_join(arena, kind, &parts, out));
	return located(call, code);
}

/* The time of the statement, also for .transaction: a query is a transaction of its own. */
static gemp_code statement_clock(const gemp_cypher_call *call, gemp_datum_kind kind, gemp_datum *out)
{
	return located(call, now(call, kind, call->count ? call->arguments[0].text : NULL, out));
}

static gemp_code realtime_clock(const gemp_cypher_call *call, gemp_datum_kind kind, gemp_datum *out)
{
	struct timespec at;
	clock_gettime(CLOCK_REALTIME, &at);
	const char *zone = call->count ? call->arguments[0].text : NULL;
	return located(call, clock_value(call->environment->arena, kind, at.tv_sec, at.tv_nsec, zone, out));
}

static gemp_code truncate_value(const gemp_cypher_call *call, gemp_datum_kind kind, gemp_datum *out)
{
	gemp_datum value = { 0 }, map = call->count > 2 ? call->arguments[2] : gemp_datum_null();
	if (call->count > 1)
		value = call->arguments[1];
	else
		GEMP_TRY(now(call, GEMP_DATUM_DATETIME, NULL, &value));
	return located(call,
	               gemp_temporal_truncate(call->environment->arena, kind, call->arguments[0].text, value, map, out));
}

static gemp_code from_epoch(const gemp_cypher_call *call, gemp_datum *out)
{
	int64_t nanos = call->count > 1 ? call->arguments[1].integer : 0;
	if (nanos < 0 || nanos >= GEMP_SECOND_NANOS)
		return gemp_cypher_fail(call->environment, call->expr, "the nanoseconds must be from 0 to 999999999, not %lld",
		                        (long long)nanos);
	int64_t seconds = call->arguments[0].integer;
	if (seconds > INT64_MAX / 16 || seconds < INT64_MIN / 16)
		return gemp_cypher_fail(call->environment, call->expr, "%lld seconds are beyond the years +-%d",
		                        (long long)seconds, GEMP_CALENDAR_MAX_YEAR);
	return located(call, clock_value(call->environment->arena, GEMP_DATUM_DATETIME, seconds, nanos, NULL, out));
}

static gemp_code from_epoch_millis(const gemp_cypher_call *call, gemp_datum *out)
{
	int64_t millis = call->arguments[0].integer;
	return located(call, clock_value(call->environment->arena, GEMP_DATUM_DATETIME, gemp_floor_divide(millis, 1000),
	                                 gemp_floor_modulo(millis, 1000) * 1000000, NULL, out));
}

/* Milliseconds since 1970-01-01T00:00Z. */
static gemp_code timestamp(const gemp_cypher_call *call, gemp_datum *out)
{
	*out = gemp_datum_integer(call->environment->now_seconds * 1000 + call->environment->now_nanos / 1000000);
	return GEMP_OK;
}

static gemp_code duration(const gemp_cypher_call *call, gemp_datum *out)
{
	gemp_datum from = call->arguments[0];
	gemp_duration result;
	if (from.kind == GEMP_DATUM_DURATION) {
		*out = from;
		return GEMP_OK;
	}
	GEMP_TRY(located(call, from.kind == GEMP_DATUM_STRING ? gemp_duration_parse(from.text, &result)
	                                                      : gemp_duration_of_map(from, &result)));
	return gemp_temporal_duration(call->environment->arena, result, out);
}

static gemp_code between(const gemp_cypher_call *call, gemp_between_unit unit, gemp_datum *out)
{
	return located(call,
	               gemp_duration_between(call->environment->arena, unit, call->arguments[0], call->arguments[1], out));
}

/* A function of the table has no data of its own, so each row has a function that passes its kind on. */
#define PASS(name, function, constant)                                   \
	static gemp_code name(const gemp_cypher_call *call, gemp_datum *out) \
	{                                                                    \
		return function(call, constant, out);                            \
	}
#define KIND(prefix, kind)                          \
	PASS(prefix##_construct, construct, kind)       \
	PASS(prefix##_statement, statement_clock, kind) \
	PASS(prefix##_realtime, realtime_clock, kind)   \
	PASS(prefix##_truncate, truncate_value, kind)
KIND(date, GEMP_DATUM_DATE)
KIND(local_time, GEMP_DATUM_LOCAL_TIME)
KIND(time, GEMP_DATUM_TIME)
KIND(local_datetime, GEMP_DATUM_LOCAL_DATETIME)
KIND(datetime, GEMP_DATUM_DATETIME)
PASS(between_all, between, GEMP_BETWEEN_ALL)
PASS(in_months, between, GEMP_BETWEEN_MONTHS)
PASS(in_days, between, GEMP_BETWEEN_DAYS)
PASS(in_seconds, between, GEMP_BETWEEN_SECONDS)

#define STRING GEMP_CY_BIT(STRING)
#define INTEGER GEMP_CY_BIT(INTEGER)
#define MAP GEMP_CY_BIT(MAP)
#define POINT (GEMP_CY_TEMPORAL & ~GEMP_CY_BIT(DURATION))
#define SOURCE (STRING | MAP | POINT)

const gemp_cypher_function gemp_cypher_temporal_functions[] = {
	{ "date", 0, 1, false, date_construct, { SOURCE } },
	{ "date.transaction", 0, 1, false, date_statement, { STRING } },
	{ "date.statement", 0, 1, false, date_statement, { STRING } },
	{ "date.realtime", 0, 1, false, date_realtime, { STRING } },
	{ "date.truncate", 1, 3, false, date_truncate, { STRING, POINT, MAP } },
	{ "localtime", 0, 1, false, local_time_construct, { SOURCE } },
	{ "localtime.transaction", 0, 1, false, local_time_statement, { STRING } },
	{ "localtime.statement", 0, 1, false, local_time_statement, { STRING } },
	{ "localtime.realtime", 0, 1, false, local_time_realtime, { STRING } },
	{ "localtime.truncate", 1, 3, false, local_time_truncate, { STRING, POINT, MAP } },
	{ "time", 0, 1, false, time_construct, { SOURCE } },
	{ "time.transaction", 0, 1, false, time_statement, { STRING } },
	{ "time.statement", 0, 1, false, time_statement, { STRING } },
	{ "time.realtime", 0, 1, false, time_realtime, { STRING } },
	{ "time.truncate", 1, 3, false, time_truncate, { STRING, POINT, MAP } },
	{ "localdatetime", 0, 1, false, local_datetime_construct, { SOURCE } },
	{ "localdatetime.transaction", 0, 1, false, local_datetime_statement, { STRING } },
	{ "localdatetime.statement", 0, 1, false, local_datetime_statement, { STRING } },
	{ "localdatetime.realtime", 0, 1, false, local_datetime_realtime, { STRING } },
	{ "localdatetime.truncate", 1, 3, false, local_datetime_truncate, { STRING, POINT, MAP } },
	{ "datetime", 0, 1, false, datetime_construct, { SOURCE } },
	{ "datetime.transaction", 0, 1, false, datetime_statement, { STRING } },
	{ "datetime.statement", 0, 1, false, datetime_statement, { STRING } },
	{ "datetime.realtime", 0, 1, false, datetime_realtime, { STRING } },
	{ "datetime.truncate", 1, 3, false, datetime_truncate, { STRING, POINT, MAP } },
	{ "datetime.fromepoch", 1, 2, false, from_epoch, { INTEGER, INTEGER } },
	{ "datetime.fromepochmillis", 1, 1, false, from_epoch_millis, { INTEGER } },
	{ "timestamp", 0, 0, false, timestamp, { 0 } },
	{ "duration", 1, 1, false, duration, { STRING | MAP | GEMP_CY_BIT(DURATION) } },
	{ "duration.between", 2, 2, false, between_all, { POINT, POINT } },
	{ "duration.inMonths", 2, 2, false, in_months, { POINT, POINT } },
	{ "duration.inDays", 2, 2, false, in_days, { POINT, POINT } },
	{ "duration.inSeconds", 2, 2, false, in_seconds, { POINT, POINT } },
	{ 0 },
};
