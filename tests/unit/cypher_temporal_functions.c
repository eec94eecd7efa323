/* Tests the temporal functions of queries: expressions are parsed, checked and evaluated without a graph. */
#include "harness/harness.h"

#include "core/random.h"
#include "cypher/check/check.h"
#include "cypher/evaluate/evaluate.h"

#include <inttypes.h>
#include <string.h>

/* 2023-11-14T22:13:20.123456789Z */
enum { NOW_SECONDS = 1700000000, NOW_NANOS = 123456789 };

/* Appends the value of the expression as JSON. */
static gemp_code evaluate(const char *text, gemp_text *out)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text query = { 0 };
	GEMP_OWNED_BY(gemp_arena_free) gemp_arena arena = { 0 };
	GEMP_OWNED_BY(gemp_cypher_tree_free) gemp_cypher_tree tree = { 0 };
	gemp_text_print(&query, "RETURN %s AS x", text);
	GEMP_TRY(gemp_text_status(&query));
	gemp_source source = { "query", query.data };
	GEMP_TRY(gemp_cypher_parse(&tree, &source));
	GEMP_TRY(gemp_cypher_check(&tree));
	gemp_datum row[16] = { { 0 } }, value;
	gemp_cypher_environment environment = {
		.arena = &arena, .source = &tree.source, .row = row, .now_seconds = NOW_SECONDS, .now_nanos = NOW_NANOS
	};
	GEMP_TRY(gemp_cypher_evaluate(&environment, tree.query->first->first->items->expr, &value));
	return gemp_datum_json(value, NULL, out);
}

typedef struct expected {
	const char *expression, *json;
} expected;

static void compare(const expected *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		gemp_text json = { 0 };
		assert_ok(evaluate(rows[i].expression, &json));
		if (strcmp(json.data, rows[i].json) != 0)
			fail_msg("%s is %s, expected %s", rows[i].expression, json.data, rows[i].json);
		gemp_text_free(&json);
	}
}
#define COMPARE(...)                                    \
	do {                                                \
		static const expected rows[] = { __VA_ARGS__ }; \
		compare(rows, sizeof rows / sizeof *rows);      \
	} while (0)

static void the_clock_is_that_of_the_statement(void **unused)
{
	(void)unused;
	COMPARE({ "datetime()", "\"2023-11-14T22:13:20.123456789Z\"" }, { "date()", "\"2023-11-14\"" },
	        { "date.statement('Asia/Tokyo')", "\"2023-11-15\"" },
	        { "localtime.transaction('+02:00')", "\"00:13:20.123456789\"" },
	        { "time({timezone: '-01:00'})", "\"21:13:20.123456789-01:00\"" },
	        { "localdatetime({timezone: 'America/New_York'})", "\"2023-11-14T17:13:20.123456789\"" },
	        { "date.truncate('quarter')", "\"2023-10-01\"" }, { "datetime.realtime() > datetime()", "true" },
	        { "datetime(null)", "null" }, { "date.truncate('day', null)", "null" });
}

static void maps_replace_parts_of_values(void **unused)
{
	(void)unused;
	COMPARE(/* a day that the month does not have */
	        { "date({date: date('2015-03-31'), month: 2})", "\"2015-02-28\"" },
	        { "date({date: date('2016-02-29'), year: 2017})", "\"2017-02-28\"" },
	        { "date({date: date('2015-05-31'), quarter: 1})", "\"2015-02-28\"" },
	        { "date({date: date('2015-05-31'), dayOfQuarter: 2})", "\"2015-04-02\"" },
	        /* the year of a week around New Year */
	        { "date({date: date('2016-01-01'), week: 1})", "\"2015-01-02\"" },
	        { "date({date: date('2016-01-01'), dayOfWeek: 1})", "\"2015-12-28\"" },
	        { "date({year: 2015, week: 53, dayOfWeek: 7})", "\"2016-01-03\"" },
	        { "date({year: 2016, quarter: 1, dayOfQuarter: 91})", "\"2016-03-31\"" },
	        { "date({year: -5, ordinalDay: 60})", "\"-0005-03-01\"" },
	        /* a zone keeps the instant, also over midnight, and the date follows */
	        { "datetime({datetime: datetime('2015-07-21T23:00+01:00'), timezone: '+03:00'})",
	          "\"2015-07-22T01:00+03:00\"" },
	        { "time({time: datetime('2015-07-21T23:00[Europe/Berlin]'), timezone: 'Z'})", "\"21:00Z\"" },
	        { "datetime({date: date('2015-01-21'), time: datetime('2015-07-21T23:00[Europe/Berlin]')})",
	          "\"2015-01-21T23:00+01:00[Europe/Berlin]\"" },
	        { "datetime({epochSeconds: 86399, nanosecond: 5, timezone: '+01:00'})",
	          "\"1970-01-02T00:59:59.000000005+01:00\"" },
	        { "datetime({epochMillis: -1})", "\"1969-12-31T23:59:59.999Z\"" },
	        { "datetime.fromepoch(-1, 1)", "\"1969-12-31T23:59:59.000000001Z\"" },
	        { "localtime({hour: 1, minute: 2, second: 3, millisecond: 4, nanosecond: 5})", "\"01:02:03.004000005\"" },
	        { "localtime({time: localtime('01:02:03.456'), microsecond: 7})", "\"01:02:03.000007\"" });
}

static void units_are_truncated(void **unused)
{
	(void)unused;
	COMPARE({ "date.truncate('century', date('-0001-05-05'))", "\"-0100-01-01\"" },
	        { "date.truncate('millennium', date('2999-12-31'))", "\"2000-01-01\"" },
	        { "date.truncate('weekYear', date('2016-01-01'))", "\"2014-12-29\"" },
	        { "date.truncate('week', date('2016-01-01'), {dayOfWeek: 7})", "\"2016-01-03\"" },
	        { "datetime.truncate('day', datetime('2015-03-29T05:00[Europe/Berlin]'))",
	          "\"2015-03-29T00:00+01:00[Europe/Berlin]\"" },
	        { "datetime.truncate('month', date('2015-03-29'), {timezone: 'Europe/Berlin', hour: 5})",
	          "\"2015-03-01T05:00+01:00[Europe/Berlin]\"" },
	        { "localtime.truncate('millisecond', localtime('01:02:03.456789'), {microsecond: 7, nanosecond: 8})",
	          "\"01:02:03.456007008\"" },
	        { "time.truncate('microsecond', time('01:02:03.456789123+01:00'))", "\"01:02:03.456789+01:00\"" });
}

static void components_are_properties(void **unused)
{
	(void)unused;
	COMPARE({ "[date('2016-01-03').week, date('2016-01-03').weekYear, date('2016-01-03').weekDay]", "[53, 2015, 7]" },
	        { "[date('2016-12-31').ordinalDay, date('2016-12-31').dayOfQuarter, date('2016-12-31').quarter]",
	          "[366, 92, 4]" },
	        { "datetime('1818-07-21T00:00[Europe/Berlin]').offset", "\"+00:53:28\"" },
	        { "datetime('1818-07-21T00:00[Europe/Berlin]').offsetMinutes", "53" },
	        { "datetime('1969-12-31T23:59:59.9Z').epochMillis", "-100" },
	        { "[datetime('2015-07-21T00:00Z').timezone, time('12:00').offset]", "[\"Z\", \"Z\"]" },
	        { "duration('P-1Y-2M').monthsOfYear", "-2" }, { "duration('PT-0.1S').nanosecondsOfSecond", "900000000" },
	        { "duration('P3DT1H').milliseconds", "3600000" });
}

static void operators_compute(void **unused)
{
	(void)unused;
	COMPARE(
		{ "date('2015-01-31') + duration('P1M1D')", "\"2015-03-01\"" },
		{ "duration('P1M') + date('2016-01-31')", "\"2016-02-29\"" },
		{ "date('2015-03-31') - duration('P1M')", "\"2015-02-28\"" },
		{ "localtime('23:00') + duration('PT2H')", "\"01:00\"" },
		{ "datetime('2017-10-29T02:30+02:00[Europe/Berlin]') + duration('PT1H')",
	      "\"2017-10-29T02:30+01:00[Europe/Berlin]\"" },
		{ "duration('P1M') * 1.5", "\"P1M15DT5H14M33S\"" }, { "duration('PT1S') / 3", "\"PT0.333333333S\"" },
		{ "- duration('P1DT0.5S')", "\"P-1DT-0.5S\"" },
		{ "duration.between(date('2016-02-29'), date('2017-02-28'))", "\"P11M30D\"" },
		{ "duration.inDays(datetime('2017-10-28T12:00[Europe/Berlin]'), datetime('2017-10-29T12:00[Europe/Berlin]'))",
	      "\"P1D\"" },
		{ "duration.inSeconds(datetime('2017-10-28T12:00[Europe/Berlin]'), datetime('2017-10-29T12:00[Europe/Berlin]'))",
	      "\"PT25H\"" },
		{ "time('10:00+01:00') = time('09:00Z')", "false" }, { "time('10:00+01:00') < time('09:30Z')", "true" },
		{ "duration('P1D') < duration('P2D')", "null" },
		{ "date('2015-01-01') = localdatetime('2015-01-01')", "false" });
}

static void errors_have_a_place_and_a_remedy(void **unused)
{
	(void)unused;
	static const expected wrong[] = {
		{ "date('2015-02-30')", "'2015-02-30' is not a date; write for example 2015-07-21" },
		{ "date({month: 5})", "needs the field 'year'" },
		{ "date({year: 2015, day: 5})", "'day' is given without 'month'" },
		{ "date({year: 2015, month: 5, week: 3})", "'month' and 'week' name the day in two ways" },
		{ "date({year: 2015, week: 54})", "'week' must be from 1 to 53, not 54" },
		{ "date({year: 2014, week: 53})", "'week' is 53, but the year does not have so many" },
		{ "date({year: 2015, month: 2, day: 29})", "'day' is 29, but the month does not have so many" },
		{ "date({year: 2015, quarter: 1, dayOfQuarter: 91})", "the quarter does not have so many" },
		{ "date({year: 2015, hour: 1})", "has no 'hour'" },
		{ "date({year: 2015.0})", "'year' must be an integer" },
		{ "date({year: 2015, months: 1})", "has no 'months'" },
		{ "date({date: localtime('12:00')})", "'date' must be a value with a date" },
		{ "localtime({minute: 5})", "needs the field 'hour'" },
		{ "localtime({hour: 5, second: 5})", "'second' is given without 'minute'" },
		{ "localtime({hour: 5, minute: 0, second: 60})", "'second' must be from 0 to 59" },
		{ "localtime({hour: 5, minute: 0, second: 0, millisecond: 1, nanosecond: 1000000})",
		  "'nanosecond' must be below 1000000" },
		{ "time({hour: 5, timezone: 'Europe/Berlin'})", "write an offset such as '+01:00'" },
		{ "datetime({year: 2015, timezone: 'Frost/Nixon'})", "unknown time zone 'Frost/Nixon'" },
		{ "localtime(date())", "has no time" },
		{ "date.truncate('hour', date())", "cannot be truncated to 'hour'" },
		{ "datetime.truncate('hour', date())", "use a value with a date and a time" },
		{ "duration({years: 'one'})", "'years' of a duration must be a number" },
		{ "duration({year: 1})", "a duration has no 'year'" },
		{ "duration('P1D') / 0", "cannot be divided by 0" },
		{ "duration({seconds: 9223372036854775807}) + duration({seconds: 1})", "more than 64 bits" },
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		gemp_text json = { 0 };
		assert_code(evaluate(wrong[i].expression, &json), GEMP_EUSAGE);
		assert_message(wrong[i].json);
		assert_message("query:1:"); /* the place */
		gemp_text_free(&json);
	}
}

/* A truncated value is not later, truncating it again does not change it, and the next unit begins after the value. */
static void truncation_rounds_down(void **unused)
{
	(void)unused;
	static const char *const units[][2] = { { "millennium", "P1000Y" },
		                                    { "century", "P100Y" },
		                                    { "decade", "P10Y" },
		                                    { "year", "P1Y" },
		                                    { "quarter", "P3M" },
		                                    { "month", "P1M" },
		                                    { "week", "P7D" },
		                                    { "day", "P1D" },
		                                    { "hour", "PT1H" },
		                                    { "minute", "PT1M" },
		                                    { "second", "PT1S" },
		                                    { "millisecond", "PT0.001S" },
		                                    { "microsecond", "PT0.000001S" } };
	uint64_t state = test_seed();
	for (int i = 0; i < 400; i++) {
		const char *unit = units[i % 13][0], *length = units[i % 13][1];
		char expression[512];
		int64_t seconds = (int64_t)gemp_random_below(&state, UINT64_C(4000000000000)) - INT64_C(2000000000000);
		snprintf(expression, sizeof expression,
		         "[x IN [datetime.fromepoch(%" PRId64 ", %d)] | [t IN [datetime.truncate('%s', x)] | t <= x AND "
		         "t = datetime.truncate('%s', t) AND t + duration('%s') > x][0]][0]",
		         seconds, (int)gemp_random_below(&state, 1000000000), unit, unit, length);
		compare(&(expected){ expression, "true" }, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_clock_is_that_of_the_statement),
		cmocka_unit_test(maps_replace_parts_of_values),
		cmocka_unit_test(units_are_truncated),
		cmocka_unit_test(components_are_properties),
		cmocka_unit_test(operators_compute),
		cmocka_unit_test(errors_have_a_place_and_a_remedy),
		cmocka_unit_test(truncation_rounds_down),
	};
	return test_main(tests);
}
