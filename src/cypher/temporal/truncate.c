#include "cypher/temporal/truncate.h"

#include "cypher/temporal/fields.h"

static const struct {
	const char *name;
	int64_t years, months; /* of units of a fixed number of them */
	int64_t nanos;         /* of units of a day or less */
} units[] = {
	{ "millennium", 1000, 0, 0 },
	{ "century", 100, 0, 0 },
	{ "decade", 10, 0, 0 },
	{ "year", 1, 0, 0 },
	{ "quarter", 0, 3, 0 },
	{ "month", 0, 1, 0 },
	{ "weekYear", 0, 0, 0 },
	{ "week", 0, 0, 0 },
	{ "day", 0, 0, GEMP_DAY_NANOS },
	{ "hour", 0, 0, 3600 * GEMP_SECOND_NANOS },
	{ "minute", 0, 0, 60 * GEMP_SECOND_NANOS },
	{ "second", 0, 0, GEMP_SECOND_NANOS },
	{ "millisecond", 0, 0, 1000000 },
	{ "microsecond", 0, 0, 1000 },
};
enum { UNITS = sizeof units / sizeof *units };

static int64_t truncate_days(int unit, int64_t days)
{
	gemp_calendar_date date = gemp_calendar_date_of(days);
	if (units[unit].years)
		return gemp_calendar_days(date.year - gemp_floor_modulo(date.year, units[unit].years), 1, 1);
	if (units[unit].months)
		return gemp_calendar_days(date.year, date.month - (date.month - 1) % units[unit].months, 1);
	if (strcmp(units[unit].name, "week") == 0)
		return days - gemp_calendar_weekday(days) + 1;
	return gemp_calendar_week_start(gemp_calendar_week_year(days));
}

static gemp_code find_unit(gemp_datum_kind kind, const char *name, int *out)
{
	bool no_date = kind == GEMP_DATUM_TIME || kind == GEMP_DATUM_LOCAL_TIME;
	for (int i = 0; i < UNITS; i++)
		if (strcmp(units[i].name, name) == 0 &&
		    (no_date ? units[i].nanos != 0 : kind != GEMP_DATUM_DATE || units[i].nanos % GEMP_DAY_NANOS == 0)) {
			*out = i;
			return GEMP_OK;
		}
	return gemp_fail(GEMP_EDATA, "a %s cannot be truncated to '%s'; write one of %s%s", gemp_datum_kind_name[kind],
	                 name, no_date ? "" : "millennium, century, decade, year, weekYear, quarter, month, week, day",
	                 no_date                   ? "day, hour, minute, second, millisecond, microsecond"
	                 : kind == GEMP_DATUM_DATE ? ""
	                                           : ", hour, minute, second, millisecond, microsecond");
}

gemp_code gemp_temporal_truncate(gemp_arena *arena, gemp_datum_kind kind, const char *unit, gemp_datum value,
                                 gemp_datum map, gemp_datum *out)
{
	int index = 0;
	gemp_temporal_fields fields;
	gemp_temporal_parts parts = gemp_temporal_split(value);
	GEMP_TRY(find_unit(kind, unit, &index));
	GEMP_TRY(gemp_temporal_fields_read(kind, map, &fields));
	if (fields.given & (7U << GEMP_FIELD_DATE | 3U << GEMP_FIELD_EPOCH_SECONDS))
		return gemp_fail(GEMP_EDATA, "the map of truncate() has only components; the value is its second argument");
	bool needs_date = kind != GEMP_DATUM_TIME && kind != GEMP_DATUM_LOCAL_TIME;
	int64_t nanos = units[index].nanos;
	if ((needs_date && !parts.has_date) || ((!needs_date || (nanos && nanos < GEMP_DAY_NANOS)) && !parts.has_time))
		return gemp_fail(GEMP_EDATA, "a %s has no unit '%s' of a %s; use a value with a date and a time",
		                 gemp_datum_kind_name[value.kind], unit, gemp_datum_kind_name[kind]);
	if (nanos)
		parts.nanos -= parts.nanos % nanos;
	else {
		parts.nanos = 0;
		parts.days = truncate_days(index, parts.days);
	}
	int64_t fine = nanos && nanos < GEMP_SECOND_NANOS ? nanos : GEMP_SECOND_NANOS;
	GEMP_TRY(gemp_temporal_fields_apply(&fields, true, true, fine, &parts));
	GEMP_TRY(gemp_temporal_fields_zone(arena, &fields, &parts));
	return gemp_temporal_join(arena, kind, &parts, out);
}
