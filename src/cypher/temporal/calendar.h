/* calendar: the proleptic Gregorian calendar, as numbers of days since 1970-01-01.
 *
 * Years are astronomical: the year 0 is a leap year, and year -1 precedes it. Months and days of a month count from 1,
 * days of a week from Monday = 1. Weeks are those of ISO 8601: week 1 of a year contains its first Thursday. All
 * functions are exact for the years +-999999999, and for a few years beyond. */

#ifndef GEMP_CYPHER_TEMPORAL_CALENDAR_H
#define GEMP_CYPHER_TEMPORAL_CALENDAR_H

#include "core/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { GEMP_CALENDAR_MAX_YEAR = 999999999 };
#define GEMP_DAY_SECONDS INT64_C(86400)
#define GEMP_SECOND_NANOS INT64_C(1000000000)
#define GEMP_DAY_NANOS (GEMP_DAY_SECONDS * GEMP_SECOND_NANOS)

typedef struct gemp_calendar_date {
	int64_t year;
	int month, day;
} gemp_calendar_date;

/* Quotient rounded down, and its remainder in [0, divisor). */
static inline int64_t gemp_floor_divide(int64_t value, int64_t divisor)
{
	return value / divisor - (value % divisor < 0);
}
static inline int64_t gemp_floor_modulo(int64_t value, int64_t divisor)
{
	int64_t remainder = value % divisor;
	return remainder < 0 ? remainder + divisor : remainder;
}

int64_t gemp_calendar_days(int64_t year, int64_t month, int64_t day); /* the day may lie outside of the month */
gemp_calendar_date gemp_calendar_date_of(int64_t days);
int gemp_calendar_year_length(int64_t year);
int gemp_calendar_month_length(int64_t year, int64_t month);
int gemp_calendar_weekday(int64_t days);

int64_t gemp_calendar_week_start(int64_t week_year); /* Monday of week 1 */
int gemp_calendar_weeks(int64_t week_year);          /* 52 or 53 */
int64_t gemp_calendar_week_year(int64_t days);

/* The same day of another month, or the last day of a shorter month. GEMP_EDATA beyond the years +-999999999. */
gemp_code gemp_calendar_add_months(int64_t days, int64_t months, int64_t *out);
/* GEMP_EDATA if the day lies outside of the years +-999999999. */
gemp_code gemp_calendar_check(int64_t days);

#endif
