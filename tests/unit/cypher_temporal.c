/* Tests the values of temporal/: the calendar against a count day by day, zones against the C library, and texts,
 * durations and sums against each other for random values. */
#include "harness/harness.h"

#include "core/random.h"
#include "cypher/temporal/between.h"
#include "cypher/temporal/duration.h"
#include "cypher/temporal/parse.h"
#include "cypher/temporal/parts.h"
#include "cypher/temporal/temporal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static gemp_arena arena;
static uint64_t state;

static int64_t between(int64_t low, int64_t high)
{
	return low + (int64_t)gemp_random_below(&state, (uint64_t)(high - low) + 1);
}

static int64_t random_days(void)
{
	int64_t year = between(0, 1) ? between(-GEMP_CALENDAR_MAX_YEAR, GEMP_CALENDAR_MAX_YEAR) : between(1800, 2200);
	return gemp_calendar_days(year, 1, 1) + between(0, 364);
}

static int64_t random_nanos(void)
{
	int64_t units[] = { 1, 1000, 1000000, GEMP_SECOND_NANOS, 60 * GEMP_SECOND_NANOS };
	int64_t unit = units[between(0, 4)];
	return between(0, GEMP_DAY_NANOS / unit - 1) * unit;
}

static gemp_datum random_point(gemp_datum_kind kind)
{
	gemp_temporal_parts parts = { true, true, true, random_days(), random_nanos(), NULL, 0 };
	parts.offset = (int32_t)(between(0, 1) ? 3600 * between(-18, 18) : between(-64800, 64800));
	if (kind == GEMP_DATUM_DATETIME && between(0, 1)) {
		static const char *const zones[] = { "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Etc/GMT+5" };
		parts.zone = zones[between(0, 3)];
		parts.offset = GEMP_ZONE_NO_OFFSET;
	}
	gemp_datum value;
	assert_ok(gemp_temporal_join(&arena, kind, &parts, &value));
	return value;
}

static gemp_datum random_duration(int64_t limit)
{
	gemp_duration duration = { between(-limit, limit), between(-limit, limit), between(-limit, limit), 0 };
	int64_t fractions[] = { 0, 100000000, 999999999, between(0, 999999999) };
	duration.nanos = fractions[between(0, 3)];
	gemp_datum value;
	assert_ok(gemp_temporal_duration(&arena, duration, &value));
	return value;
}

static const char *text_of(gemp_datum value)
{
	gemp_text text = { 0 };
	assert_ok(gemp_temporal_text(value, &text));
	const char *copy = gemp_arena_copy(&arena, text.data, text.size);
	gemp_text_free(&text);
	return copy;
}

static gemp_datum parsed(gemp_datum_kind kind, const char *text)
{
	gemp_datum value;
	if (kind == GEMP_DATUM_DURATION) {
		gemp_duration duration;
		assert_ok(gemp_duration_parse(text, &duration));
		assert_ok(gemp_temporal_duration(&arena, duration, &value));
		return value;
	}
	gemp_temporal_parts parts;
	assert_ok(gemp_temporal_parse(&arena, kind, text, &parts));
	assert_ok(gemp_temporal_join(&arena, kind, &parts, &value));
	return value;
}

static int end(void **unused)
{
	(void)unused;
	gemp_arena_free(&arena);
	return gemp_memory_blocks() == 0 ? 0 : -1;
}

/* Counts the days of five cycles of 400 years around the year 0, by the definition of a leap year. */
static void the_calendar_counts_days(void **unused)
{
	(void)unused;
	static const int lengths[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	int64_t days = gemp_calendar_days(-1000, 1, 1);
	int weekday = gemp_calendar_weekday(days);
	for (int64_t year = -1000; year < 1000; year++)
		for (int month = 1; month <= 12; month++) {
			bool leap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0);
			for (int day = 1; day <= lengths[month - 1] + (leap && month == 2); day++, days++) {
				gemp_calendar_date date = gemp_calendar_date_of(days);
				if (date.year != year || date.month != month || date.day != day)
					fail_msg("day %lld is not %lld-%d-%d", (long long)days, (long long)year, month, day);
				assert_int_equal(gemp_calendar_days(year, month, day), days);
				assert_int_equal(gemp_calendar_weekday(days), weekday);
				weekday = weekday % 7 + 1;
			}
		}
	assert_int_equal(gemp_calendar_days(1970, 1, 1), 0);
	assert_int_equal(gemp_calendar_weekday(0), 4); /* a Thursday */
	assert_int_equal(gemp_calendar_days(2000, 3, 1) - gemp_calendar_days(2000, 2, 28), 2);
	for (int64_t year = -GEMP_CALENDAR_MAX_YEAR; year <= GEMP_CALENDAR_MAX_YEAR; year += 2 * GEMP_CALENDAR_MAX_YEAR)
		assert_int_equal(gemp_calendar_date_of(gemp_calendar_days(year, 12, 31)).year, year);
}

/* The C library gives the week and its year by %V and %G. */
static void weeks_are_those_of_the_c_library(void **unused)
{
	(void)unused;
	for (int64_t days = gemp_calendar_days(1890, 1, 1); days < gemp_calendar_days(2110, 1, 1); days++) {
		time_t seconds = (time_t)(days * GEMP_DAY_SECONDS);
		struct tm tm;
		char expected[32], found[32];
		gmtime_r(&seconds, &tm);
		strftime(expected, sizeof expected, "%G-W%V-%u", &tm);
		int64_t year = gemp_calendar_week_year(days);
		snprintf(found, sizeof found, "%lld-W%02d-%d", (long long)year,
		         (int)((days - gemp_calendar_week_start(year)) / 7) + 1, gemp_calendar_weekday(days));
		assert_string_equal(found, expected);
	}
}

/* localtime_r reads the same files with other code. Times of the future need the rule at their end. */
static void zones_are_those_of_the_c_library(void **unused)
{
	(void)unused;
	static const char *const zones[] = { "Europe/Berlin",       "Europe/London",        "America/New_York",
		                                 "Australia/Lord_Howe", "Pacific/Honolulu",     "Asia/Kathmandu",
		                                 "America/Santiago",    "Africa/Casablanca",    "Antarctica/Troll",
		                                 "Europe/Dublin",       "America/Scoresbysund", "Etc/GMT+5" };
	for (size_t z = 0; z < sizeof zones / sizeof *zones; z++) {
		setenv("TZ", zones[z], 1);
		tzset();
		for (int i = 0; i < 4000; i++) {
			time_t seconds = (time_t)between(-5000000000, 9000000000);
			struct tm tm;
			int32_t offset;
			assert_non_null(localtime_r(&seconds, &tm));
			assert_ok(gemp_zone_at_instant(zones[z], seconds, &offset));
			if (offset != tm.tm_gmtoff)
				fail_msg("%s at %lld: %d, expected %ld", zones[z], (long long)seconds, offset, tm.tm_gmtoff);
			/* The local time leads back to the instant, if its offset is known. */
			int64_t instant;
			int32_t again;
			assert_ok(gemp_zone_at_local(zones[z], seconds + offset, offset, &instant, &again));
			assert_int_equal(instant, seconds);
			assert_int_equal(again, offset);
		}
	}
	unsetenv("TZ");
}

/* Damaged files are refused or give some offset, but are never read beyond their end. */
static void zone_files_may_be_damaged(void **unused)
{
	(void)unused;
	FILE *file = fopen("/usr/share/zoneinfo/Europe/Berlin", "rb");
	if (!file)
		skip();
	unsigned char whole[1 << 15];
	size_t size = fread(whole, 1, sizeof whole, file);
	fclose(file);
	setenv("TZDIR", test_folder(), 1);
	int refused = 0;
	for (int i = 0; i < 2000; i++) {
		unsigned char bytes[sizeof whole];
		char name[32];
		int32_t offset;
		int64_t instant;
		memcpy(bytes, whole, size);
		for (int64_t k = between(1, 4); k > 0; k--)
			bytes[between(0, 1) ? between(0, 50) : between(0, (int64_t)size - 1)] = (unsigned char)between(0, 255);
		snprintf(name, sizeof name, "Zone%d", i); /* another name, since the last zones are kept */
		FILE *damaged = fopen(test_path(name), "wb");
		fwrite(bytes, 1, between(0, 3) ? size : (size_t)between(0, (int64_t)size), damaged);
		fclose(damaged);
		gemp_code code = gemp_zone_at_local(name, between(-4000000000, 9000000000), 0, &instant, &offset);
		if (code != GEMP_OK)
			assert_int_equal(code, GEMP_EDATA);
		refused += code != GEMP_OK;
		remove(test_path(name));
	}
	assert_in_range(refused, 100, 1900);
	int32_t offset;
	setenv("TZDIR", "/missing", 1);
	assert_code(gemp_zone_at_instant("Europe/Rome", 0, &offset), GEMP_ENOINPUT);
	assert_message("install the package tzdata");
	unsetenv("TZDIR");
}

static void clocks_change(void **unused)
{
	(void)unused;
	static const char *const texts[][2] = {
		{ "2017-03-26T02:30[Europe/Berlin]", "2017-03-26T03:30+02:00[Europe/Berlin]" }, /* does not happen */
		{ "2017-10-29T02:30[Europe/Berlin]", "2017-10-29T02:30+02:00[Europe/Berlin]" }, /* happens twice */
		{ "2017-10-29T02:30+01:00[Europe/Berlin]", "2017-10-29T02:30+01:00[Europe/Berlin]" },
		{ "1818-07-21T21:40:32.142[Europe/Berlin]", "1818-07-21T21:40:32.142+00:53:28[Europe/Berlin]" },
		{ "2500-07-01T00:00[Europe/Berlin]", "2500-07-01T00:00+02:00[Europe/Berlin]" },
		{ "2500-01-01T00:00[Australia/Sydney]", "2500-01-01T00:00+11:00[Australia/Sydney]" },
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		assert_string_equal(text_of(parsed(GEMP_DATUM_DATETIME, texts[i][0])), texts[i][1]);
	gemp_datum before = parsed(GEMP_DATUM_DATETIME, "2017-10-28T12:00[Europe/Berlin]"), sum;
	bool defined;
	assert_ok(gemp_temporal_add(&arena, before, parsed(GEMP_DATUM_DURATION, "P1D"), false, &sum, &defined));
	assert_string_equal(text_of(sum), "2017-10-29T12:00+01:00[Europe/Berlin]");
	assert_ok(gemp_temporal_add(&arena, before, parsed(GEMP_DATUM_DURATION, "PT24H"), false, &sum, &defined));
	assert_string_equal(text_of(sum), "2017-10-29T11:00+01:00[Europe/Berlin]");
}

static void texts_read_back(void **unused)
{
	(void)unused;
	for (int i = 0; i < 20000; i++) {
		gemp_datum_kind kind = (gemp_datum_kind)between(GEMP_DATUM_DATE, GEMP_DATUM_DURATION);
		gemp_datum value = kind == GEMP_DATUM_DURATION ? random_duration(1000000) : random_point(kind);
		const char *text = text_of(value);
		gemp_datum again = parsed(kind, text);
		if (!gemp_temporal_equal(value, again))
			fail_msg("%s reads back as %s", text, text_of(again));
		assert_int_equal(gemp_temporal_hash(value), gemp_temporal_hash(again));
	}
}

static void dates_have_many_texts(void **unused)
{
	(void)unused;
	static const char *const texts[] = { "2015-07-21", "20150721",   "2015-W30-2", "2015W302",   "2015-202",
		                                 "2015202",    "2015-Q3-21", "2015Q321",   "+2015-07-21" };
	int64_t days = gemp_calendar_days(2015, 7, 21);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		assert_int_equal(parsed(GEMP_DATUM_DATE, texts[i]).integer, days);
	assert_int_equal(parsed(GEMP_DATUM_DATE, "2015-W30").integer, days - 1);
	assert_int_equal(parsed(GEMP_DATUM_DATE, "2015-07").integer, days - 20);
	assert_int_equal(parsed(GEMP_DATUM_DATE, "2015-Q3").integer, days - 20);
	assert_string_equal(text_of(parsed(GEMP_DATUM_DATE, "-999999999-01-01")), "-999999999-01-01");
	assert_string_equal(text_of(parsed(GEMP_DATUM_DATE, "+12345-01-01")), "+12345-01-01");
}

static void wrong_texts_are_refused(void **unused)
{
	(void)unused;
	static const struct {
		gemp_datum_kind kind;
		const char *text, *message;
	} wrong[] = {
		{ GEMP_DATUM_DATE, "2015-02-29", "'2015-02-29' is not a date" },
		{ GEMP_DATUM_DATE, "2015-13-01", "is not a date" },
		{ GEMP_DATUM_DATE, "2015-W54", "is not a date" },
		{ GEMP_DATUM_DATE, "2015-366", "is not a date" },
		{ GEMP_DATUM_DATE, "+20150721", "is not a date" },
		{ GEMP_DATUM_DATE, "2015-07-21T00:00", "is not a date" },
		{ GEMP_DATUM_DATE, "", "is not a date" },
		{ GEMP_DATUM_LOCAL_TIME, "24:00", "is not a local time" },
		{ GEMP_DATUM_LOCAL_TIME, "23:59:60", "is not a local time" }, /* a leap second */
		{ GEMP_DATUM_LOCAL_TIME, "12:00Z", "is not a local time" },
		{ GEMP_DATUM_LOCAL_TIME, "12:00:00.", "is not a local time" },
		{ GEMP_DATUM_TIME, "12:00+18:01", "is not a time" },
		{ GEMP_DATUM_TIME, "12:00[Europe/Berlin]", "is not a time" },
		{ GEMP_DATUM_LOCAL_DATETIME, "2015-07-21T", "is not a local datetime" },
		{ GEMP_DATUM_DATETIME, "2015-07-21T12:00+01:00[Europe/Berlin]", "not that of its zone" },
		{ GEMP_DATUM_DATETIME, "2015-07-21T12:00[Frost/Nixon]", "unknown time zone 'Frost/Nixon'" },
		{ GEMP_DATUM_DATETIME, "2015-07-21T12:00[../../../etc/passwd]", "unknown time zone" },
		{ GEMP_DATUM_DATETIME, "2015-07-21T12:00[Europe]", "unknown time zone 'Europe'" },
		{ GEMP_DATUM_DATETIME, "2015-07-21T12:00[Europe/Berlin", "lacks its ]" },
		{ GEMP_DATUM_DURATION, "P", "'P' is not a duration" },
		{ GEMP_DATUM_DURATION, "PT", "is not a duration" },
		{ GEMP_DATUM_DURATION, "P1D2M", "is not a duration" },
		{ GEMP_DATUM_DURATION, "P1H", "is not a duration" },
		{ GEMP_DATUM_DURATION, "P2012-13-02", "is not a duration" },
		{ GEMP_DATUM_DURATION, "P999999999999999999Y", "more than 64 bits" },
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		gemp_temporal_parts parts;
		gemp_duration duration;
		if (wrong[i].kind == GEMP_DATUM_DURATION)
			assert_code(gemp_duration_parse(wrong[i].text, &duration), GEMP_EDATA);
		else
			assert_code(gemp_temporal_parse(&arena, wrong[i].kind, wrong[i].text, &parts), GEMP_EDATA);
		assert_message(wrong[i].message);
	}
}

/* a + (b - a) = b, if the difference counts in one unit or the days of months do not matter. */
static void sums_undo_differences(void **unused)
{
	(void)unused;
	for (int i = 0; i < 20000; i++) {
		gemp_datum_kind kind = (gemp_datum_kind)between(GEMP_DATUM_DATE, GEMP_DATUM_DATETIME);
		gemp_datum a = random_point(kind), b = random_point(kind), difference, sum;
		bool defined;
		gemp_between_unit unit = kind == GEMP_DATUM_LOCAL_DATETIME && between(0, 1) ? GEMP_BETWEEN_ALL
		                         : kind == GEMP_DATUM_DATE                          ? GEMP_BETWEEN_DAYS
		                                                                            : GEMP_BETWEEN_SECONDS;
		assert_ok(gemp_duration_between(&arena, unit, a, b, &difference));
		assert_ok(gemp_temporal_add(&arena, a, difference, false, &sum, &defined));
		assert_true(defined);
		/* The sum has the zone of a; the time to b tells whether it is the same instant. A time begins again after a
		 * day. */
		assert_ok(gemp_duration_between(&arena, GEMP_BETWEEN_SECONDS, sum, b, &difference));
		int64_t seconds = difference.duration->seconds;
		if (difference.duration->nanos || (kind == GEMP_DATUM_TIME ? seconds % GEMP_DAY_SECONDS : seconds))
			fail_msg("%s + (%s - %s) = %s", text_of(a), text_of(b), text_of(a), text_of(sum));
	}
}

static void durations_add_and_multiply(void **unused)
{
	(void)unused;
	for (int i = 0; i < 10000; i++) {
		gemp_datum a = random_duration(1000000), sum, product, back, negative;
		int64_t factor = between(1, 50);
		bool defined;
		assert_ok(gemp_temporal_scale(&arena, a, gemp_datum_integer(factor), false, &product));
		sum = a;
		for (int64_t k = 1; k < factor; k++)
			assert_ok(gemp_temporal_add(&arena, sum, a, false, &sum, &defined));
		assert_true(gemp_temporal_equal(sum, product));
		assert_ok(gemp_temporal_scale(&arena, product, gemp_datum_integer(factor), true, &back));
		assert_string_equal(text_of(back), text_of(a));
		assert_ok(gemp_temporal_negate(&arena, a, &negative));
		assert_ok(gemp_temporal_add(&arena, a, negative, false, &sum, &defined));
		assert_string_equal(text_of(sum), "PT0S");
		assert_ok(gemp_temporal_scale(&arena, a, gemp_datum_float(-1), false, &product));
		assert_true(gemp_temporal_equal(negative, product));
	}
}

static void fractions_become_smaller_units(void **unused)
{
	(void)unused;
	static const char *const texts[][2] = {
		{ "P0.5Y", "P6M" },
		{ "P0.75M", "P22DT19H51M49.5S" },
		{ "P2.5W", "P17DT12H" },
		{ "P1.5D", "P1DT12H" },
		{ "PT1.5M", "PT1M30S" },
		{ "PT0.5H", "PT30M" },
		{ "PT-0.5S", "PT-0.5S" },
		{ "-P1Y2D", "P-1Y-2D" },
		{ "PT0S", "PT0S" },
		{ "PT90000S", "PT25H" },
		{ "P2012-02-02T14:37:21.545", "P2012Y2M2DT14H37M21.545S" },
		{ "P20120202T143721", "P2012Y2M2DT14H37M21S" },
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		assert_string_equal(text_of(parsed(GEMP_DATUM_DURATION, texts[i][0])), texts[i][1]);
}

static void the_order_is_total(void **unused)
{
	(void)unused;
	for (int i = 0; i < 20000; i++) {
		gemp_datum_kind kind = (gemp_datum_kind)between(GEMP_DATUM_DATE, GEMP_DATUM_DURATION);
		gemp_datum v[3];
		for (int k = 0; k < 3; k++)
			v[k] = kind == GEMP_DATUM_DURATION ? random_duration(3) : random_point(kind);
		int ab = gemp_temporal_compare(v[0], v[1]), bc = gemp_temporal_compare(v[1], v[2]);
		int ac = gemp_temporal_compare(v[0], v[2]);
		assert_int_equal(gemp_temporal_compare(v[1], v[0]), -ab);
		if (ab <= 0 && bc <= 0 && ac > 0)
			fail_msg("%s, %s, %s have no order", text_of(v[0]), text_of(v[1]), text_of(v[2]));
		assert_int_equal(ab == 0, gemp_temporal_equal(v[0], v[1]));
	}
	gemp_datum a = parsed(GEMP_DATUM_TIME, "10:00+01:00"), b = parsed(GEMP_DATUM_TIME, "09:00Z");
	assert_false(gemp_temporal_equal(a, b)); /* the same instant, but not the same value */
	assert_false(gemp_temporal_equal(parsed(GEMP_DATUM_DURATION, "P1D"), parsed(GEMP_DATUM_DURATION, "PT24H")));
}

static void the_end_of_time_is_refused(void **unused)
{
	(void)unused;
	gemp_datum last = parsed(GEMP_DATUM_DATE, "+999999999-12-31"), sum;
	static const char *const durations[] = { "P1D", "P1M", "PT24H", "P999999999999999D" };
	bool defined;
	for (size_t i = 0; i < sizeof durations / sizeof *durations; i++) {
		gemp_datum more = parsed(GEMP_DATUM_DURATION, durations[i]);
		assert_code(gemp_temporal_add(&arena, last, more, false, &sum, &defined), GEMP_EDATA);
		assert_message("outside of the years");
	}
	assert_ok(gemp_temporal_add(&arena, last, last, true, &sum, &defined));
	assert_false(defined);
}

static int64_t extreme(void)
{
	int64_t values[] = { INT64_MIN, INT64_MAX, 0, between(INT64_MIN / 2, INT64_MAX / 2), between(-100, 100) };
	return values[between(0, 4)];
}

/* Numbers at the ends of 64 bits fail or give a value that reads back; the sanitizers see overflows. */
static void extreme_numbers_do_not_overflow(void **unused)
{
	(void)unused;
	int failures = 0;
	for (int i = 0; i < 20000; i++) {
		gemp_datum_kind kind = (gemp_datum_kind)between(GEMP_DATUM_DATE, GEMP_DATUM_DURATION);
		gemp_duration numbers = { extreme(), extreme(), extreme(), between(0, 1) ? 0 : between(0, 999999999) };
		gemp_datum duration, result, other = kind == GEMP_DATUM_DURATION ? random_duration(9) : random_point(kind);
		gemp_datum factor = between(0, 1) ? gemp_datum_integer(extreme()) : gemp_datum_float((double)extreme() / 1e9);
		bool known = true;
		assert_ok(gemp_temporal_duration(&arena, numbers, &duration));
		gemp_code code = GEMP_OK;
		switch (between(0, 3)) {
		case 0: code = gemp_temporal_add(&arena, other, duration, between(0, 1), &result, &known); break;
		case 1: code = gemp_temporal_scale(&arena, duration, factor, between(0, 1), &result); break;
		case 2: code = gemp_temporal_negate(&arena, duration, &result); break;
		default: {
			gemp_datum number;
			code = gemp_temporal_component(duration, "nanoseconds", &arena, &number, &known);
			result = duration;
		}
		}
		assert_true(known);
		if (code != GEMP_OK)
			assert_int_equal(code, GEMP_EDATA);
		else if (result.kind != GEMP_DATUM_DURATION) /* texts of durations are read with up to 18 digits */
			assert_true(gemp_temporal_equal(result, parsed((gemp_datum_kind)result.kind, text_of(result))));
		failures += code != GEMP_OK;
	}
	assert_in_range(failures, 1000, 19000);
}

static gemp_code make_some(void *unused)
{
	(void)unused;
	gemp_arena own = { 0 };
	gemp_temporal_parts parts;
	gemp_datum value;
	bool known;
	gemp_code code = gemp_temporal_parse(&own, GEMP_DATUM_DATETIME, "2017-10-29T02:30[Europe/Berlin]", &parts);
	GEMP_THEN(gemp_temporal_join(&own, GEMP_DATUM_DATETIME, &parts, &value));
	GEMP_THEN(gemp_temporal_component(value, "timezone", &own, &value, &known));
	gemp_arena_free(&own);
	return code;
}

static void no_memory(void **unused)
{
	(void)unused;
	gemp_arena_free(&arena);
	assert_survives_no_memory(make_some, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(the_calendar_counts_days, end),
		cmocka_unit_test_teardown(weeks_are_those_of_the_c_library, end),
		cmocka_unit_test_teardown(zones_are_those_of_the_c_library, end),
		cmocka_unit_test_teardown(zone_files_may_be_damaged, end),
		cmocka_unit_test_teardown(clocks_change, end),
		cmocka_unit_test_teardown(texts_read_back, end),
		cmocka_unit_test_teardown(dates_have_many_texts, end),
		cmocka_unit_test_teardown(wrong_texts_are_refused, end),
		cmocka_unit_test_teardown(sums_undo_differences, end),
		cmocka_unit_test_teardown(durations_add_and_multiply, end),
		cmocka_unit_test_teardown(fractions_become_smaller_units, end),
		cmocka_unit_test_teardown(the_order_is_total, end),
		cmocka_unit_test_teardown(the_end_of_time_is_refused, end),
		cmocka_unit_test_teardown(extreme_numbers_do_not_overflow, end),
		cmocka_unit_test_teardown(no_memory, end),
	};
	int32_t offset;
	if (gemp_zone_at_instant("Europe/Berlin", 0, &offset) == GEMP_ENOINPUT) {
		fprintf(stderr, "%s\n", gemp_message());
		return TEST_SKIPPED;
	}
	state = test_seed();
	return test_main(tests);
}
