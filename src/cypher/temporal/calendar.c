#include "cypher/temporal/calendar.h"

enum { CYCLE_DAYS = 146097, CENTURY_DAYS = 36524, FOUR_YEARS_DAYS = 1461, CYCLE_YEARS = 400 };
/* 0000-03-01. Years that begin in March have their leap day last, so a month's first day depends only on the month. */
static const int64_t first_march = -719468;

/* Days between March 1 and the first day of a month that counts from March = 0. Five months have 153 days. */
static int64_t days_before_month(int64_t month)
{
	return (153 * month + 2) / 5;
}

int64_t gemp_calendar_days(int64_t year, int64_t month, int64_t day)
{
	int64_t from_march = month > 2 ? month - 3 : month + 9;
	year -= month <= 2;
	int64_t cycle = gemp_floor_divide(year, CYCLE_YEARS), of_cycle = gemp_floor_modulo(year, CYCLE_YEARS);
	int64_t of_year = days_before_month(from_march) + day - 1;
	return first_march + cycle * CYCLE_DAYS + of_cycle * 365 + of_cycle / 4 - of_cycle / 100 + of_year;
}

static int64_t at_most(int64_t value, int64_t limit)
{
	return value < limit ? value : limit;
}

gemp_calendar_date gemp_calendar_date_of(int64_t days)
{
	days -= first_march;
	int64_t year = CYCLE_YEARS * gemp_floor_divide(days, CYCLE_DAYS), rest = gemp_floor_modulo(days, CYCLE_DAYS);
	/* The last century of a cycle and the last year of four have one day more, which would begin another one. */
	int64_t centuries = at_most(rest / CENTURY_DAYS, 3);
	rest -= centuries * CENTURY_DAYS;
	int64_t fours = rest / FOUR_YEARS_DAYS;
	rest -= fours * FOUR_YEARS_DAYS;
	int64_t years = at_most(rest / 365, 3);
	rest -= years * 365;
	year += 100 * centuries + 4 * fours + years;
	int month = (int)((5 * rest + 2) / 153), day = (int)(rest - days_before_month(month)) + 1;
	return month < 10 ? (gemp_calendar_date){ year, month + 3, day } : (gemp_calendar_date){ year + 1, month - 9, day };
}

int gemp_calendar_year_length(int64_t year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 366 : 365;
}

int gemp_calendar_month_length(int64_t year, int64_t month)
{
	if (month == 2)
		return gemp_calendar_year_length(year) - 337;
	return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

int gemp_calendar_weekday(int64_t days)
{
	return (int)gemp_floor_modulo(days + 3, 7) + 1; /* 1970-01-01 was a Thursday */
}

/* January 4 is always in week 1. */
int64_t gemp_calendar_week_start(int64_t week_year)
{
	int64_t fourth = gemp_calendar_days(week_year, 1, 4);
	return fourth - (gemp_calendar_weekday(fourth) - 1);
}

int gemp_calendar_weeks(int64_t week_year)
{
	return (int)((gemp_calendar_week_start(week_year + 1) - gemp_calendar_week_start(week_year)) / 7);
}

/* A week belongs to the year of its Thursday. */
int64_t gemp_calendar_week_year(int64_t days)
{
	return gemp_calendar_date_of(days - gemp_calendar_weekday(days) + 4).year;
}

static gemp_code fail_beyond(void)
{
	return gemp_fail(GEMP_EDATA, "a date lies outside of the years -%d to %d", GEMP_CALENDAR_MAX_YEAR,
	                 GEMP_CALENDAR_MAX_YEAR);
}

gemp_code gemp_calendar_check(int64_t days)
{
	bool inside = days >= gemp_calendar_days(-GEMP_CALENDAR_MAX_YEAR, 1, 1) &&
	              days <= gemp_calendar_days(GEMP_CALENDAR_MAX_YEAR, 12, 31);
	return inside ? GEMP_OK : fail_beyond();
}

gemp_code gemp_calendar_add_months(int64_t days, int64_t months, int64_t *out)
{
	const int64_t limit = INT64_C(24) * (GEMP_CALENDAR_MAX_YEAR + 1);
	if (months < -limit || months > limit)
		return fail_beyond();
	gemp_calendar_date date = gemp_calendar_date_of(days);
	months += 12 * date.year + date.month - 1;
	int64_t year = gemp_floor_divide(months, 12), month = gemp_floor_modulo(months, 12) + 1;
	*out = gemp_calendar_days(year, month, at_most(date.day, gemp_calendar_month_length(year, month)));
	return gemp_calendar_check(*out);
}
