#include "cypher/temporal/zone_rule.h"

#include "cypher/temporal/calendar.h"

#include <ctype.h>
#include <stddef.h>

static bool read_number(const char **at, int max, int *out)
{
	if (!isdigit((unsigned char)**at))
		return false;
	int value = 0;
	while (isdigit((unsigned char)**at) && value <= max)
		value = 10 * value + *(*at)++ - '0';
	*out = value;
	return value <= max;
}

/* An abbreviation such as CET or <+0330>. */
static bool skip_name(const char **at)
{
	const char *start = *at;
	if (**at == '<') {
		while (**at && **at != '>')
			(*at)++;
		return *(*at)++ == '>';
	}
	while (isalpha((unsigned char)**at))
		(*at)++;
	return *at - start >= 3;
}

/* [+-]h[:mm[:ss]] */
static bool read_time(const char **at, int32_t *seconds)
{
	int sign = **at == '-' ? -1 : 1, parts[3] = { 0 };
	*at += **at == '-' || **at == '+';
	for (int i = 0; i < 3; i++) {
		if (i > 0 && **at != ':')
			break;
		*at += i > 0;
		if (!read_number(at, i == 0 ? 167 : 59, &parts[i]))
			return false;
	}
	*seconds = sign * (3600 * parts[0] + 60 * parts[1] + parts[2]);
	return true;
}

static bool read_change(const char **at, gemp_zone_change *out)
{
	*out = (gemp_zone_change){ .kind = '0', .time = 7200 };
	if (*(*at)++ != ',')
		return false;
	if (**at == 'M' || **at == 'J')
		out->kind = *(*at)++;
	if (out->kind == 'M') {
		if (!read_number(at, 12, &out->month) || out->month < 1 || *(*at)++ != '.' || !read_number(at, 5, &out->week) ||
		    out->week < 1 || *(*at)++ != '.' || !read_number(at, 6, &out->day))
			return false;
	} else if (!read_number(at, 365, &out->day)) {
		return false;
	}
	if (**at != '/')
		return true;
	(*at)++;
	return read_time(at, &out->time);
}

bool gemp_zone_rule_parse(const char *text, gemp_zone_rule *out)
{
	*out = (gemp_zone_rule){ 0 };
	int32_t west;
	if (!skip_name(&text) || !read_time(&text, &west))
		return false;
	out->standard = -west;
	if (!*text)
		return true;
	out->has_summer = true;
	out->summer = out->standard + 3600;
	if (!skip_name(&text))
		return false;
	if (*text != ',') {
		if (!read_time(&text, &west))
			return false;
		out->summer = -west;
	}
	return read_change(&text, &out->start) && read_change(&text, &out->end) && !*text;
}

/* Seconds since the epoch of the change in local time. */
static int64_t change_in(const gemp_zone_change *change, int64_t year)
{
	int64_t days;
	if (change->kind == 'M') {
		days = gemp_calendar_days(year, change->month, 1);
		days += (change->day - gemp_calendar_weekday(days) % 7 + 7) % 7 + 7 * (change->week - 1);
		while (gemp_calendar_date_of(days).month != change->month)
			days -= 7;
	} else {
		days = gemp_calendar_days(year, 1, 1) + change->day - (change->kind == 'J');
		days += change->kind == 'J' && change->day >= 60 && gemp_calendar_year_length(year) == 366;
	}
	return days * GEMP_DAY_SECONDS + change->time;
}

int32_t gemp_zone_rule_offset(const gemp_zone_rule *rule, int64_t seconds)
{
	if (!rule->has_summer)
		return rule->standard;
	int64_t year = gemp_calendar_date_of(gemp_floor_divide(seconds + rule->standard, GEMP_DAY_SECONDS)).year;
	int64_t start = change_in(&rule->start, year) - rule->standard, end = change_in(&rule->end, year) - rule->summer;
	/* In the south, summer begins in one year and ends in the next. */
	bool summer = start < end ? seconds >= start && seconds < end : seconds >= start || seconds < end;
	return summer ? rule->summer : rule->standard;
}
