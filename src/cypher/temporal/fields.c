#include "cypher/temporal/fields.h"

#include "cypher/temporal/parse.h"

enum { DATES = 1, TIMES = 2, ZONES = 4 };

static const struct {
	const char *name;
	int group;        /* of DATES, TIMES, ZONES: kinds of value that have the field */
	int64_t min, max; /* max of the day fields is that of the longest month, quarter or year */
} infos[GEMP_FIELDS] = {
	[GEMP_FIELD_YEAR] = { "year", DATES, -GEMP_CALENDAR_MAX_YEAR, GEMP_CALENDAR_MAX_YEAR },
	[GEMP_FIELD_QUARTER] = { "quarter", DATES, 1, 4 },
	[GEMP_FIELD_DAY_OF_QUARTER] = { "dayOfQuarter", DATES, 1, 92 },
	[GEMP_FIELD_MONTH] = { "month", DATES, 1, 12 },
	[GEMP_FIELD_DAY] = { "day", DATES, 1, 31 },
	[GEMP_FIELD_WEEK] = { "week", DATES, 1, 53 },
	[GEMP_FIELD_DAY_OF_WEEK] = { "dayOfWeek", DATES, 1, 7 },
	[GEMP_FIELD_ORDINAL_DAY] = { "ordinalDay", DATES, 1, 366 },
	[GEMP_FIELD_HOUR] = { "hour", TIMES, 0, 23 },
	[GEMP_FIELD_MINUTE] = { "minute", TIMES, 0, 59 },
	[GEMP_FIELD_SECOND] = { "second", TIMES, 0, 59 },
	[GEMP_FIELD_MILLISECOND] = { "millisecond", TIMES, 0, 999 },
	[GEMP_FIELD_MICROSECOND] = { "microsecond", TIMES, 0, 999999 },
	[GEMP_FIELD_NANOSECOND] = { "nanosecond", TIMES, 0, 999999999 },
	[GEMP_FIELD_EPOCH_SECONDS] = { "epochSeconds", DATES | TIMES | ZONES, -31557014167219200, 31556889864403199 },
	[GEMP_FIELD_EPOCH_MILLIS] = { "epochMillis", DATES | TIMES | ZONES, INT64_MIN, INT64_MAX },
	[GEMP_FIELD_DATE] = { .name = "date", .group = DATES },
	[GEMP_FIELD_TIME] = { .name = "time", .group = TIMES },
	[GEMP_FIELD_DATETIME] = { .name = "datetime", .group = DATES | TIMES },
	[GEMP_FIELD_TIMEZONE] = { .name = "timezone", .group = ZONES },
};

static int groups_of(gemp_datum_kind kind)
{
	switch (kind) {
	case GEMP_DATUM_DATE: return DATES;
	case GEMP_DATUM_LOCAL_TIME: return TIMES;
	case GEMP_DATUM_TIME: return TIMES | ZONES;
	case GEMP_DATUM_LOCAL_DATETIME: return DATES | TIMES;
	default: return DATES | TIMES | ZONES;
	}
}

static bool has(const gemp_temporal_fields *fields, gemp_temporal_field field)
{
	return gemp_temporal_has(fields, field);
}

static gemp_code fail_type(gemp_temporal_field field, const char *type, gemp_datum value)
{
	return gemp_fail(GEMP_EDATA, "'%s' must be %s, not %s", infos[field].name, type,
	                 gemp_datum_is_null(value) ? "NULL" : gemp_datum_kind_name[value.kind]);
}

static gemp_code read_base(gemp_temporal_fields *out, gemp_temporal_field field, gemp_datum value)
{
	gemp_temporal_parts parts = { 0 };
	if (gemp_datum_is_temporal(value) && value.kind != GEMP_DATUM_DURATION)
		parts = gemp_temporal_split(value);
	if ((field != GEMP_FIELD_TIME && !parts.has_date) || (field != GEMP_FIELD_DATE && !parts.has_time))
		return fail_type(field,
		                 field == GEMP_FIELD_DATE   ? "a value with a date"
		                 : field == GEMP_FIELD_TIME ? "a value with a time"
		                                            : "a datetime or a local datetime",
		                 value);
	out->base[field - GEMP_FIELD_DATE] = value;
	return GEMP_OK;
}

static gemp_code read_field(gemp_temporal_fields *out, gemp_temporal_field field, gemp_datum value)
{
	out->given |= 1U << field;
	if (field == GEMP_FIELD_TIMEZONE) {
		if (value.kind != GEMP_DATUM_STRING)
			return fail_type(field, "a string such as 'Europe/Berlin' or '+01:00'", value);
		out->timezone = value.text;
		return GEMP_OK;
	}
	if (field >= GEMP_FIELD_NUMBERS)
		return read_base(out, field, value);
	if (value.kind != GEMP_DATUM_INTEGER)
		return fail_type(field, "an integer", value);
	if (value.integer < infos[field].min || value.integer > infos[field].max)
		return gemp_fail(GEMP_EDATA, "'%s' must be from %lld to %lld, not %lld", infos[field].name,
		                 (long long)infos[field].min, (long long)infos[field].max, (long long)value.integer);
	out->number[field] = value.integer;
	return GEMP_OK;
}

gemp_code gemp_temporal_fields_read(gemp_datum_kind kind, gemp_datum map, gemp_temporal_fields *out)
{
	*out = (gemp_temporal_fields){ .kind = kind };
	for (uint32_t i = 0; i < map.size; i++) {
		const char *key = map.entries[i].key;
		int field = 0;
		while (field < GEMP_FIELDS && strcmp(infos[field].name, key) != 0)
			field++;
		if (field == GEMP_FIELDS || (infos[field].group & ~groups_of(kind)))
			return gemp_fail(GEMP_EDATA, "a %s has no '%s'; remove it from the map", gemp_datum_kind_name[kind], key);
		GEMP_TRY(read_field(out, (gemp_temporal_field)field, map.entries[i].value));
	}
	return GEMP_OK;
}

/* The field is allowed only together with the next larger one. */
static gemp_code need(const gemp_temporal_fields *fields, gemp_temporal_field field, gemp_temporal_field larger)
{
	if (!has(fields, field) || has(fields, larger))
		return GEMP_OK;
	return gemp_fail(GEMP_EDATA, "'%s' is given without '%s'; add it to the map", infos[field].name,
	                 infos[larger].name);
}

static gemp_code fail_day(const gemp_temporal_fields *fields, gemp_temporal_field field, const char *what)
{
	return gemp_fail(GEMP_EDATA, "'%s' is %lld, but the %s does not have so many", infos[field].name,
	                 (long long)fields->number[field], what);
}

/* {year, week, dayOfWeek}. The year is that of the week, which differs from the date's year around New Year. */
static gemp_code apply_week(const gemp_temporal_fields *fields, bool based, int64_t *days)
{
	int64_t year = has(fields, GEMP_FIELD_YEAR) ? fields->number[GEMP_FIELD_YEAR] : gemp_calendar_week_year(*days);
	int64_t week = 1, day = based ? gemp_calendar_weekday(*days) : 1;
	if (has(fields, GEMP_FIELD_WEEK))
		week = fields->number[GEMP_FIELD_WEEK];
	else if (based)
		week = (*days - gemp_calendar_week_start(gemp_calendar_week_year(*days))) / 7 + 1;
	if (week > gemp_calendar_weeks(year))
		return fail_day(fields, GEMP_FIELD_WEEK, "year");
	if (has(fields, GEMP_FIELD_DAY_OF_WEEK))
		day = fields->number[GEMP_FIELD_DAY_OF_WEEK];
	*days = gemp_calendar_week_start(year) + 7 * (week - 1) + day - 1;
	return GEMP_OK;
}

static gemp_code apply_day_of_quarter(const gemp_temporal_fields *fields, const gemp_calendar_date *date, int64_t *days)
{
	int64_t first = (date->month - 1) / 3 * 3 + 1, start = gemp_calendar_days(date->year, first, 1), length = 0;
	for (int64_t month = first; month < first + 3; month++)
		length += gemp_calendar_month_length(date->year, month);
	if (fields->number[GEMP_FIELD_DAY_OF_QUARTER] > length)
		return fail_day(fields, GEMP_FIELD_DAY_OF_QUARTER, "quarter");
	*days = start + fields->number[GEMP_FIELD_DAY_OF_QUARTER] - 1;
	return GEMP_OK;
}

/* {year, quarter, dayOfQuarter}, {year, month, day}, {year, ordinalDay}. A day of the base that the new month does not
 * have becomes its last day. */
static gemp_code apply_year(const gemp_temporal_fields *fields, int64_t *days)
{
	gemp_calendar_date date = gemp_calendar_date_of(*days);
	if (has(fields, GEMP_FIELD_YEAR))
		date.year = fields->number[GEMP_FIELD_YEAR];
	if (has(fields, GEMP_FIELD_ORDINAL_DAY)) {
		if (fields->number[GEMP_FIELD_ORDINAL_DAY] > gemp_calendar_year_length(date.year))
			return fail_day(fields, GEMP_FIELD_ORDINAL_DAY, "year");
		*days = gemp_calendar_days(date.year, 1, 1) + fields->number[GEMP_FIELD_ORDINAL_DAY] - 1;
		return GEMP_OK;
	}
	if (has(fields, GEMP_FIELD_QUARTER))
		date.month = (int)(3 * (fields->number[GEMP_FIELD_QUARTER] - 1)) + (date.month - 1) % 3 + 1;
	if (has(fields, GEMP_FIELD_DAY_OF_QUARTER))
		return apply_day_of_quarter(fields, &date, days);
	if (has(fields, GEMP_FIELD_MONTH))
		date.month = (int)fields->number[GEMP_FIELD_MONTH];
	int length = gemp_calendar_month_length(date.year, date.month);
	if (has(fields, GEMP_FIELD_DAY)) {
		date.day = (int)fields->number[GEMP_FIELD_DAY];
		if (date.day > length)
			return fail_day(fields, GEMP_FIELD_DAY, "month");
	}
	*days = gemp_calendar_days(date.year, date.month, date.day < length ? date.day : length);
	return GEMP_OK;
}

static gemp_code apply_date(const gemp_temporal_fields *fields, bool based, int64_t *days)
{
	static const gemp_temporal_field groups[][2] = { { GEMP_FIELD_MONTH, GEMP_FIELD_DAY },
		                                             { GEMP_FIELD_WEEK, GEMP_FIELD_DAY_OF_WEEK },
		                                             { GEMP_FIELD_QUARTER, GEMP_FIELD_DAY_OF_QUARTER },
		                                             { GEMP_FIELD_ORDINAL_DAY, GEMP_FIELD_ORDINAL_DAY } };
	const char *chosen = NULL;
	for (int i = 0; i < 4; i++) {
		bool large = has(fields, groups[i][0]), small = has(fields, groups[i][1]);
		const char *name = infos[groups[i][large ? 0 : 1]].name;
		if ((large || small) && chosen)
			return gemp_fail(GEMP_EDATA, "'%s' and '%s' name the day in two ways; remove one of them", chosen, name);
		chosen = large || small ? name : chosen;
		if (!based && groups[i][0] != groups[i][1])
			GEMP_TRY(need(fields, groups[i][1], groups[i][0]));
	}
	if (!based && !has(fields, GEMP_FIELD_YEAR))
		return gemp_fail(GEMP_EDATA, "a %s needs the field 'year' or a base value such as 'date'; add it to the map",
		                 gemp_datum_kind_name[fields->kind]);
	if (has(fields, GEMP_FIELD_WEEK) || has(fields, GEMP_FIELD_DAY_OF_WEEK))
		GEMP_TRY(apply_week(fields, based, days));
	else
		GEMP_TRY(apply_year(fields, days));
	return gemp_calendar_check(*days);
}

/* millisecond + microsecond + nanosecond. A field that follows a larger one counts below the unit of that one. */
static gemp_code read_subsecond(const gemp_temporal_fields *fields, int64_t unit, int64_t *sum, bool *given)
{
	static const struct {
		gemp_temporal_field field;
		int64_t nanos;
	} parts[] = { { GEMP_FIELD_MILLISECOND, 1000000 }, { GEMP_FIELD_MICROSECOND, 1000 }, { GEMP_FIELD_NANOSECOND, 1 } };
	*sum = 0;
	*given = false;
	for (int i = 0; i < 3; i++) {
		if (!has(fields, parts[i].field))
			continue;
		int64_t amount = fields->number[parts[i].field];
		if (amount * parts[i].nanos >= unit)
			return gemp_fail(GEMP_EDATA, "'%s' must be below %lld here, not %lld", infos[parts[i].field].name,
			                 (long long)(unit / parts[i].nanos), (long long)amount);
		*sum += amount * parts[i].nanos;
		*given = true;
		unit = parts[i].nanos;
	}
	return GEMP_OK;
}

static gemp_code apply_time(const gemp_temporal_fields *fields, bool based, int64_t fine, int64_t *nanos)
{
	if (!based) {
		GEMP_TRY(need(fields, GEMP_FIELD_MINUTE, GEMP_FIELD_HOUR));
		GEMP_TRY(need(fields, GEMP_FIELD_SECOND, GEMP_FIELD_MINUTE));
		for (int i = GEMP_FIELD_MILLISECOND; i <= GEMP_FIELD_NANOSECOND; i++)
			GEMP_TRY(need(fields, (gemp_temporal_field)i, GEMP_FIELD_SECOND));
	}
	int64_t seconds = *nanos / GEMP_SECOND_NANOS, fraction = *nanos % GEMP_SECOND_NANOS, subsecond;
	int64_t value[] = { seconds / 3600, seconds / 60 % 60, seconds % 60 };
	for (int i = 0; i < 3; i++)
		if (has(fields, (gemp_temporal_field)(GEMP_FIELD_HOUR + i)))
			value[i] = fields->number[GEMP_FIELD_HOUR + i];
	bool given;
	GEMP_TRY(read_subsecond(fields, fine, &subsecond, &given));
	if (given)
		fraction = fraction / fine * fine + subsecond;
	*nanos = (3600 * value[0] + 60 * value[1] + value[2]) * GEMP_SECOND_NANOS + fraction;
	return GEMP_OK;
}

gemp_code gemp_temporal_fields_apply(const gemp_temporal_fields *fields, bool based_date, bool based_time, int64_t fine,
                                     gemp_temporal_parts *parts)
{
	int groups = groups_of(fields->kind);
	if (groups & DATES) {
		GEMP_TRY(apply_date(fields, based_date, &parts->days));
		parts->has_date = true;
	}
	if (groups & TIMES) {
		if (!(groups & DATES) && !based_time && !has(fields, GEMP_FIELD_HOUR))
			return gemp_fail(GEMP_EDATA, "a %s needs the field 'hour' or the base value 'time'; add it to the map",
			                 gemp_datum_kind_name[fields->kind]);
		GEMP_TRY(apply_time(fields, based_time, fine, &parts->nanos));
		parts->has_time = true;
	}
	return GEMP_OK;
}

/* The parts of the instant that epochSeconds or epochMillis gives. */
static gemp_code build_epoch(const gemp_temporal_fields *fields, gemp_temporal_parts *out)
{
	int64_t seconds = fields->number[GEMP_FIELD_EPOCH_SECONDS], millis = 0, subsecond;
	bool given;
	if (has(fields, GEMP_FIELD_EPOCH_MILLIS)) {
		seconds = gemp_floor_divide(fields->number[GEMP_FIELD_EPOCH_MILLIS], 1000);
		millis = gemp_floor_modulo(fields->number[GEMP_FIELD_EPOCH_MILLIS], 1000);
	}
	if (fields->given & ((1U << GEMP_FIELD_MILLISECOND) - 1) || fields->given & 7U << GEMP_FIELD_DATE)
		return gemp_fail(GEMP_EDATA, "with epochSeconds or epochMillis, a datetime takes no other fields but timezone, "
		                             "nanosecond, microsecond and millisecond; remove the others");
	int64_t fine = has(fields, GEMP_FIELD_EPOCH_MILLIS) ? 1000000 : GEMP_SECOND_NANOS;
	GEMP_TRY(read_subsecond(fields, fine, &subsecond, &given));
	return gemp_temporal_parts_at(seconds, millis * 1000000 + subsecond, NULL, 0, out);
}

gemp_code gemp_temporal_fields_zone(gemp_arena *arena, const gemp_temporal_fields *fields, gemp_temporal_parts *parts)
{
	if (!fields->timezone)
		return GEMP_OK;
	GEMP_TRY(gemp_temporal_parse_zone(arena, fields->timezone, parts));
	if (parts->zone && fields->kind == GEMP_DATUM_TIME)
		return gemp_fail(GEMP_EDATA,
		                 "the offset of the time zone '%s' depends on the date, which a Time does not have; write "
		                 "an offset such as '+01:00'",
		                 fields->timezone);
	return GEMP_OK;
}

gemp_code gemp_temporal_fields_build(gemp_arena *arena, const gemp_temporal_fields *fields, gemp_temporal_parts *out)
{
	bool epoch = has(fields, GEMP_FIELD_EPOCH_SECONDS) || has(fields, GEMP_FIELD_EPOCH_MILLIS);
	bool whole = has(fields, GEMP_FIELD_DATETIME);
	bool date = whole || has(fields, GEMP_FIELD_DATE), time = whole || has(fields, GEMP_FIELD_TIME);
	gemp_temporal_parts parts = { 0 };
	if (time) {
		parts = gemp_temporal_split(fields->base[whole ? 2 : 1]);
		if (parts.zone && !whole && fields->kind == GEMP_DATUM_DATETIME)
			parts.offset = GEMP_ZONE_NO_OFFSET; /* it belongs to another date */
	}
	if (date && !whole)
		parts.days = gemp_temporal_split(fields->base[0]).days;
	else if (!date && fields->kind != GEMP_DATUM_TIME)
		parts.days = 0;
	if (epoch)
		GEMP_TRY(build_epoch(fields, &parts));
	else
		GEMP_TRY(gemp_temporal_fields_apply(fields, date, time, GEMP_SECOND_NANOS, &parts));
	*out = parts;
	if (!fields->timezone)
		return GEMP_OK;
	GEMP_TRY(gemp_temporal_fields_zone(arena, fields, out));
	if (!parts.has_zone) /* the local time stays; otherwise the instant does */
		return GEMP_OK;
	const char *zone = out->zone;
	int32_t offset = out->offset;
	*out = parts;
	return gemp_temporal_move(out, zone, offset);
}
